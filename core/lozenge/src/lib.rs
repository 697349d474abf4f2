//! Lozenge: broadcast-aware shape and projection inference of tensor programs, as a reference.
//!
//! ```
//! use lozenge::program::{infer, parse};
//! use lozenge::projection::project;
//!
//! let program = parse("input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => ik\" b")?;
//! let inferred = infer(&program)?;
//! assert_eq!(inferred.show("c").as_deref(), Some("2, 4"));
//! let nest = project(&inferred, 0)?;
//! assert_eq!(nest.record.loops.iter().map(|l| l.name.as_str()).collect::<String>(), "ikj");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate re-exports the crates of `core/`, and has nothing of its own.
//!
//! | what | where |
//! |---|---|
//! | the paper, to the letter: §§1–7 | [`calculus`], and its modules [`dim`], [`row`], [`rigid`], [`term`], [`subst`], [`constraint`], [`semantics`], [`rules`], [`guard`], [`policy`], [`names`], [`certificate`] |
//! | the same steps, fast: solve, close, decide | [`solver`], [`closing`], [`decide`] |
//! | §8: strides, convolutions, concatenations, totals | [`staged`] |
//! | programs, their constraints, their shapes; §7 for each of their operations | [`program`], [`projection`] |
//! | values: the naive interpreter, and gradients | [`interp`] |
//! | the paper's notation, the wire format, texts | [`notation`], [`wire`], [`json`], [`text`] |
//! | another system, with ranges of sizes and memory | [`ranged`] |
//!
//! The specification, with the evidence for every numbered statement, is the folder `spec/`; how the crates fit together
//! is `spec/architecture.md`.
#![forbid(unsafe_code)]

pub use lozenge_calculus as calculus;
pub use lozenge_calculus::{
    constraint, dim, guard, internal, names, policy, rigid, row, rules, semantics, subst, term,
};
pub use lozenge_engine::{closing, decide, solver};
pub use lozenge_language as program;
pub use lozenge_language::projection;
pub use lozenge_notation as notation;
pub use lozenge_notation::text;
#[cfg(feature = "json")]
pub use lozenge_notation::{json, wire};
pub use lozenge_ranged as ranged;
pub use lozenge_staged as staged;
pub use lozenge_values as interp;

/// Certificates: the calculus's evidence and its checker, and their JSON.
pub mod certificate {
    pub use lozenge_calculus::certificate::*;
    #[cfg(feature = "json")]
    pub use lozenge_notation::certificate as json;
}
