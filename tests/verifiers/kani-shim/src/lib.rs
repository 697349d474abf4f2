//! The part of Kani's library that harnesses and bolero's Kani engine call, for type-checking only.
//! Nothing here can be run: there are no symbolic values without the tool.

pub use kani_macros::{
    ensures, modifies, proof, proof_for_contract, recursion, requires, should_panic, solver, stub, stub_verified,
    unwind,
};

/// A type with symbolic values.
pub trait Arbitrary: Sized {
    /// Any value.
    fn any() -> Self {
        unimplemented!("symbolic values need Kani itself")
    }
}

macro_rules! arbitrary {
    ($($type:ty),*) => { $(impl Arbitrary for $type {})* };
}

arbitrary!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char, ());

impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {}
impl<T: Arbitrary> Arbitrary for Option<T> {}
impl<T: Arbitrary, E: Arbitrary> Arbitrary for Result<T, E> {}
impl<A: Arbitrary, B: Arbitrary> Arbitrary for (A, B) {}
impl<A: Arbitrary, B: Arbitrary, C: Arbitrary> Arbitrary for (A, B, C) {}

/// Any value.
pub fn any<T: Arbitrary>() -> T {
    T::any()
}

/// Any value of which `f` holds.
pub fn any_where<T: Arbitrary, F: FnOnce(&T) -> bool>(f: F) -> T {
    let value = T::any();
    assume(f(&value));
    value
}

/// Leaves out the executions where this is false.
pub fn assume(_condition: bool) {}

/// What the tool is to prove.
pub const fn assert(_condition: bool, _message: &'static str) {}

/// What the tool calls for `cover!`.
pub const fn cover(_condition: bool, _message: &'static str) {}

/// Reports whether some execution gets here with the condition true.
#[macro_export]
macro_rules! cover {
    () => {
        $crate::cover(true, "cover location")
    };
    ($condition:expr $(,)?) => {
        $crate::cover($condition, concat!("cover condition: ", stringify!($condition)))
    };
    ($condition:expr, $message:literal) => {
        $crate::cover($condition, $message)
    };
}
