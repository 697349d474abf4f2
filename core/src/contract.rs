//! Contracts, written once and read four ways.
//!
//! `contract!` takes a function with a postcondition and writes the attribute line of each
//! verifier (Kani, Creusot, Prusti) under that tool's own `cfg` or feature. In builds with
//! debug assertions, and so in every test build, the postcondition is checked on each call.
//!
//! The postcondition sees the result by reference, as Kani hands it over. Postconditions call
//! named predicates (`…_post`): total functions made of `match`, `&&`, `||` and integer `==`, so
//! that every tool can read them.

/// A function with a postcondition; see the [module](self) text.
macro_rules! contract {
    (
        $(#[$meta:meta])*
        ensures($r:ident) $post:expr;
        $vis:vis fn $name:ident($($args:tt)*) -> $ret:ty $body:block
    ) => {
        $(#[$meta])*
        #[cfg_attr(kani, kani::ensures(|$r: &$ret| $post))]
        #[cfg_attr(feature = "creusot", creusot_std::macros::ensures({ let $r = &result; $post }))]
        #[cfg_attr(feature = "prusti", prusti_contracts::ensures({ let $r = &result; $post }))]
        $vis fn $name($($args)*) -> $ret {
            #[cfg(all(debug_assertions, not(any(kani, creusot, prusti))))]
            {
                let result = (|| -> $ret { $body })();
                let $r = &result;
                assert!($post, concat!("contract of ", stringify!($name), ": ", stringify!($post)));
                result
            }
            #[cfg(not(all(debug_assertions, not(any(kani, creusot, prusti)))))]
            $body
        }
    };
}

pub(crate) use contract;
