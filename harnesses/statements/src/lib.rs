//! Laws as functions: the one place where a new law goes.
//!
//! A law takes values, asserts what the paper says of them, and returns whether it said anything: `false` where its
//! premise did not hold. Three engines call it.
//!
//! | engine | values | where |
//! |---|---|---|
//! | `cargo test` | every value of a small domain, counted | `harnesses/laws/tests` (`for_all!`) |
//! | `cargo bolero test` | fuzzed ones of the same domain | the same tests |
//! | `cargo kani` | symbolic: every size and every basis, rows of given lengths | `proofs` in this crate |
//!
//! All of them fail on a law that never said anything.
//!
//! ```
//! use lozenge_calculus::row::Row;
//! use lozenge_statements::rows;
//! let (low, high) = (Row::of_sizes(&[2], &[3])?, Row::of_sizes(&[2], &[])?);
//! assert!(rows::transitive(&low, &high, &Row::EMPTY));      // it holds, and its premise does
//! assert!(!rows::transitive(&high, &low, &Row::EMPTY));     // here it says nothing
//! # Ok::<(), lozenge_calculus::dim::SizeZero>(())
//! ```
#![forbid(unsafe_code)]

pub mod canonicity;
pub mod lattice;
pub mod maps;
pub mod meaning;
pub mod preservation;
pub mod rigid;
pub mod rows;

#[cfg(kani)]
mod proofs;
