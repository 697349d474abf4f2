//! Proof harnesses: what drives the calculus of `lozenge` through all small cases.
//!
//! One body serves three engines. `cargo test` enumerates the domain exactly, `cargo bolero test`
//! fuzzes it, and `cargo kani` proves it for symbolic dimensions. A harness is a test of the form
//!
//! ```text
//! use lozenge_harnesses::{domains::ADim, for_all};
//!
//! #[test]
//! #[cfg_attr(kani, kani::proof, kani::unwind(4))]
//! fn le_is_reflexive() {
//!     for_all!(le_is_reflexive, ADim(d) in ADim => assert!(d <= d));
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
pub mod ranged;
pub mod sized;
pub mod systems;

#[doc(hidden)]
pub use bolero;
