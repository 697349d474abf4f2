//! Random tensor programs with shrinking, made as data and not through text.
//!
//! [`program`] makes the program of a number under a seed: 1–3 leaves, 2–6 further statements, small ranks,
//! few sizes, so that a good share of the programs has shapes. [`smaller`] lists what a program shrinks to,
//! and [`reorder`] puts its statements into another order that respects definitions.

mod files;
mod make;
mod numbers;
mod order;
mod shrink;
mod specs;

pub use files::{files, folder};
pub use make::program;
pub use numbers::Numbers;
pub use order::{operands, reorder};
pub use shrink::{shrink, smaller};
pub use specs::of_spec;
