//! The laws as proof obligations for Kani: every size and every basis symbolic, rows of given lengths and equations of given kinds.
//!
//! One harness a shape: a vector of symbolic length costs Kani more than all of its contents. Which shapes are enough is
//! argued in spec/small-models.md; what was seen to verify, and in what time, is in spec/kani.md.
//!
//! Every harness ends in a `cover!` that its law said something; `prove` in this crate's folder fails where one is not
//! satisfied.

mod symbolic;

mod contracts;
mod lattice;
mod preservation;
mod projections;
mod rows;
