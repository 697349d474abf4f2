//! What Creusot's macros expand to, for type-checking only. The macros are Creusot's own, so they
//! parse Pearlite and rewrite it as the tool has it; the functions that they call are here.
//!
//! Creusot's own library cannot take this place: its logic functions move out of references, which
//! only the tool's compiler lets pass.

pub use creusot_std_proc as macros;

#[doc(hidden)]
pub mod __stubs {
    /// Pearlite's `==` compares any two values of one type.
    pub fn equal<T>(_: T, _: T) -> bool {
        unimplemented!("logic needs Creusot itself")
    }

    /// Pearlite's `!=`.
    pub fn neq<T>(_: T, _: T) -> bool {
        unimplemented!("logic needs Creusot itself")
    }

    /// Pearlite's `==>`.
    pub fn implication(_: bool, _: bool) -> bool {
        unimplemented!("logic needs Creusot itself")
    }

    /// Imported by every logic function; what brings `x[i]`.
    pub trait IndexLogicStub {}

    /// Imported by every logic function; what brings `x@`.
    pub trait ViewStub {}
}

/// The operators of Pearlite that are traits.
pub mod logic {
    #[allow(missing_docs)]
    pub mod ops {
        pub trait NotLogic {
            type Output;
            fn not_logic(self) -> Self::Output;
        }

        impl NotLogic for bool {
            type Output = bool;
            fn not_logic(self) -> bool {
                !self
            }
        }
    }
}
