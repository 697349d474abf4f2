//! Proof harnesses: what drives the calculus of `lozenge` through all small cases.
//!
//! The laws themselves are functions of `lozenge-statements`: `cargo test` enumerates their domains here,
//! `cargo bolero test` fuzzes them, and `cargo kani -p lozenge-statements` proves them for symbolic dimensions. A
//! harness is a test of the form
//!
//! ```text
//! use lozenge_harnesses::{domains::ADimBot, for_all};
//! use lozenge_statements::lattice;
//!
//! #[test]
//! fn prop_1_3_bounded() {
//!     for_all!(prop_1_3_bounded, ADimBot(a) in ADimBot => lattice::bounded(a));
//! }
//! ```
//!
//! An exhaustive run counts its cases, prints the count and compares it with `spec/index.toml`: a
//! harness that covers less than the index says fails.
#![forbid(unsafe_code)]

pub mod cases;
pub mod domains;
pub mod fuzz;
pub mod generators;
pub mod layers;
pub mod markdown;
pub mod programs;
#[cfg(feature = "exhaustive")]
pub mod ranged;
pub mod sized;
pub mod systems;

#[doc(hidden)]
#[cfg(feature = "exhaustive")]
pub use bolero;
