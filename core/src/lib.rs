//! Lozenge: the calculus of broadcast-aware shape inference, one module per section of the paper.
//!
//! | paper | module |
//! |---|---|
//! | §1 dimensions | [`dim`] |
//! | §2 rows | [`row`], and [`rigid`] for Def. 2.12 to Remark 2.15 |
//! | §3 terms, substitutions, constraints, semantics | [`term`], [`subst`], [`constraint`], [`semantics`] |
//! | §4 the solver, §5 what can be said of its answers | [`solver`] |
//! | §6 closing, deciding | [`closing`], [`decide`] |
//! | §8 the staged extension: strides, convolutions, concatenations, totals | [`staged`] |
//! | the surface: programs, their constraints, their shapes | [`program`] |
//! | §7 projections: loop nests and index maps | [`projection`] |
//! | values: the naive interpreter, and gradients | [`interp`] |
//! | another system, with ranges of sizes and memory | [`ranged`] |
//!
//! [`certificate`] checks the evidence behind verdicts, apart from the solver.
//! [`internal`] stops where an invariant is broken, and [`text`] says how long names and lines may be.
//! [`notation`] reads and writes the paper's notation, [`wire`] the JSON of the protocol
//! ([`json`] is the strict reader under it), and [`names`] keeps what variables and bases are called.
//! The specification, with the evidence for every numbered statement, is the folder `spec/`.
#![forbid(unsafe_code)]

mod contract;

pub mod certificate;
pub mod closing;
pub mod constraint;
pub mod decide;
pub mod dim;
pub mod internal;
pub mod interp;
#[cfg(feature = "json")]
pub mod json;
pub mod names;
pub mod notation;
pub mod program;
pub mod projection;
pub mod ranged;
pub mod rigid;
pub mod row;
pub mod semantics;
pub mod solver;
pub mod staged;
pub mod subst;
pub mod term;
pub mod text;
#[cfg(feature = "json")]
pub mod wire;
