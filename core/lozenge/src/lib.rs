//! Lozenge: broadcast-aware shape and projection inference of tensor programs, as a reference.
//!
//! # Quick start
//!
//! A program is inferred: every tensor gets its shape, batch, input and output rows apart. What is not declared follows
//! from how it is used.
//!
//! ```
//! use lozenge::program::{infer, parse};
//!
//! let program = parse("input x: 32 | 784\nlet y = relu ({ w: ... -> 10 } * x + { b })")?;
//! let inferred = infer(&program)?;
//! assert_eq!(inferred.show("w").as_deref(), Some("784 -> 10"));
//! assert_eq!(inferred.show("b").as_deref(), Some("10"));
//! assert_eq!(inferred.show("y").as_deref(), Some("32 | 10"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Shapes that do not fit are an error that names the axes and both sizes. [`program::diagnose`] has the places and
//! what to write instead.
//!
//! ```
//! use lozenge::program::{infer, parse};
//!
//! let source = "input x: 32 | 10\nparam w: 64 -> 10\nlet y = w * x";
//! let error = infer(&parse(source)?).expect_err("64 is not 10");
//! let said = "input axis 1 of `w` is 64, and output axis 1 of `x`, which goes into it, is 10";
//! assert_eq!(error.headline(source), said);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Underneath are constraints on rows, which can be solved by themselves. Here one row must be a result of two others:
//!
//! ```
//! use lozenge::{names::Names, notation::parse_system, solver::{Policy, Verdict, solve}};
//!
//! let mut names = Names::new();
//! let phi = parse_system("<r> <= [] <> [3]\n<r> <= [2] <> []", &mut names)?;
//! let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("it has a solution") };
//! let greatest = solved.greatest().expect("a greatest solution");
//! assert_eq!(names.show(&greatest).ascii().to_string(), "<r> := [2] <> [3]");
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```
//!
//! The constraints that gave the shapes also give the loops:
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
//! # Where things are
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
