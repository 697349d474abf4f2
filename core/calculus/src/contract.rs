//! Contracts, written once and read four ways.
//!
//! [`contract!`] takes a function with a postcondition and writes the attribute line of each
//! verifier (Kani, Creusot, Prusti) under that tool's own `cfg` or feature. In builds with
//! debug assertions, and so in every test build, the postcondition is checked on each call.
//! The postcondition sees the result by reference, as Kani hands it over.
//!
//! There are two kinds, because the tools do not read the same language:
//!
//! - `ensures(r) post;` is for all of them. Creusot and Prusti read first-order logic and no
//!   program code, so `post` calls nothing but what [`predicate!`] defines: total functions made
//!   of `match`, `&&`, `||`, `!` and `==`.
//! - `ensures_run(r) post;` is for Kani and for test builds. Here `post` is ordinary Rust, with
//!   vectors, iterators and closures; the two other tools are not shown it.
//!
//! `tests/verifiers/check` type-checks every contract as each tool would expand it.
//!
//! Document: spec/kani.md.

/// A function with a postcondition; see the [module](self) text.
///
/// Each kind writes its function out: sent through a second macro, `result` would no longer be the
/// name that Prusti gives to the result.
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
            $crate::contract::contract!(@body $name, $r, $post, $ret, $body)
        }
    };
    (
        $(#[$meta:meta])*
        ensures_run($r:ident) $post:expr;
        $vis:vis fn $name:ident($($args:tt)*) -> $ret:ty $body:block
    ) => {
        $(#[$meta])*
        #[cfg_attr(kani, kani::ensures(|$r: &$ret| $post))]
        $vis fn $name($($args)*) -> $ret {
            $crate::contract::contract!(@body $name, $r, $post, $ret, $body)
        }
    };
    (@body $name:ident, $r:ident, $post:expr, $ret:ty, $body:block) => {{
        #[cfg(all(debug_assertions, not(any(kani, creusot, prusti))))]
        {
            // A closure, so that a `return` or `?` of the body ends up here.
            #[allow(clippy::redundant_closure_call)]
            let result = (|| -> $ret { $body })();
            let $r = &result;
            assert!($post, concat!("contract of ", stringify!($name), ": ", stringify!($post)));
            result
        }
        #[cfg(not(all(debug_assertions, not(any(kani, creusot, prusti)))))]
        $body
    }};
}

/// A predicate that contracts may call: a function for Rust and Kani, `logic` for Creusot, `pure`
/// for Prusti. Creusot sees the body in this crate only, which is as far as the names in it reach.
///
/// `logic` waits for the tool's `cfg`: without the tool, Creusot's macros erase logic functions.
macro_rules! predicate {
    ($(#[$meta:meta])* fn $($function:tt)*) => {
        $(#[$meta])*
        #[cfg_attr(not(debug_assertions), allow(dead_code))]
        #[cfg_attr(all(creusot, feature = "creusot"), creusot_std::macros::logic(open(crate)))]
        #[cfg_attr(feature = "prusti", prusti_contracts::pure)]
        pub(crate) fn $($function)*
    };
}

pub(crate) use {contract, predicate};
