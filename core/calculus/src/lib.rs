//! The calculus of the paper as it is written, §§1–7: to be read beside it.
//!
//! | paper | module |
//! |---|---|
//! | §1 dimensions | [`dim`] |
//! | §2 rows | [`row`], and [`rigid`] for Def. 2.12 to Remark 2.15 |
//! | §3 terms, substitutions, constraints, semantics | [`term`], [`subst`], [`constraint`], [`semantics`] |
//! | §4 rules: Defs. 4.2, 4.3 | [`rules`] |
//! | §4 guards: Def. 4.5, and its repair R1; §5 ranks: Def. 5.2.1 | [`guard`] |
//! | §4 configurations and runs: Defs. 4.1, 4.4; §5 solved form: Def. 5.3 | [`solver`] |
//! | §6 closing: Def. 6.1; deciding: Remark 6.7 | [`closing`], [`decide`] |
//! | §7 projections; their records have room for the indices of §8 as well, which `lozenge-staged` makes | [`projection`] |
//! | evidence: derivations as refutations, and their checker | [`certificate`] |
//!
//! [`policy`] lists the choices that the rules leave open, [`names`] what variables are called, [`print`](mod@print) how things are
//! written, and [`internal`] stops where an invariant is broken.
//!
//! Nothing here is fast. (The engine calls the rules from another crate, so some are marked `#[inline]`; that is all that
//! is done for it.) Φ, σ and B are a list, a map and a list, and a binding replaces its variable everywhere at
//! once, as Def. 4.1 says. `lozenge-engine` takes the same steps by the same rule functions and keeps Φ, σ and B in other
//! ways; the laws of `harnesses/laws/tests/layers.rs` hold it to this crate step by step.
//!
//! Specification: spec/README.md.
#![forbid(unsafe_code)]

mod contract;

pub mod certificate;
pub mod closing;
pub mod constraint;
pub mod decide;
pub mod dim;
pub mod guard;
pub mod internal;
pub mod names;
pub mod policy;
pub mod print;
pub mod projection;
pub mod rigid;
pub mod row;
pub mod rules;
pub mod semantics;
pub mod solver;
pub mod subst;
pub mod term;
