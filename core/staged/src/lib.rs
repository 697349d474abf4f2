//! §8 The staged extension: affine and concatenated sizes, totals, exact rows, and the stages 1 to 7.
//!
//! The core stays as it is. A [system](StagedSystem) here is a set of constraints Φ of the core and a list of
//! [claims](SizeClaim) about the sizes in it. [`Valuation`] says what claims mean, [`sol`] finds all solutions by
//! brute force, and [`solve`] runs the stages over the core's solver: stage 1 only propagates, commitments come
//! later, guesses last, and every commitment is listed.
//!
//! ```
//! use lozenge::staged::{Affine, SizeClaim, Factor, Outcome, StagedSystem, SizeTerm, Stage, solve};
//! use lozenge::{names::Names, notation::parse_system, solver::Policy};
//! let mut names = Names::new();
//! let phi = parse_system("i = 28", &mut names)?;
//! let (i, o) = (names.dim_var("i")?.into(), names.dim_var("o")?.into());
//! // i = 2·o
//! let strided = Affine { stride: Factor::Known(2), over: o, conv: None, offset: 0 };
//! let claims = [SizeClaim::Size(i, SizeTerm::Affine(strided))];
//! let system = StagedSystem { phi: &phi, claims: &claims, ..StagedSystem::default() };
//! let Outcome::Closed(closed) = solve(&system, &mut names, Policy::default(), Stage::One) else { panic!() };
//! assert_eq!(closed.values.count(o), Some(14));
//! assert!(closed.assumptions.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cancel;
mod caps;
mod claim;
mod commit;
mod connected;
mod discard;
mod guess;
mod held;
mod kept;
mod linear;
mod margin;
mod marks;
mod meaning;
mod outcome;
mod product;
mod propagate;
mod range;
mod residual;
mod rule;
mod run;
mod search;
mod settle;
mod simple;
mod stages;
mod strata;
mod sums;
mod turns;
mod watch;

pub use claim::{Affine, Conv, Exact, Factor, Mode, Numerator, SizeClaim, SizeTerm, Total};
pub use commit::{AssumedRule, Assumption, Given};
pub use connected::connected;
pub use discard::{AxisLabels, Side, discardable};
pub use linear::{Derived, Linear, Part, SizeWhy};
pub use margin::{Margin, left_padding};
pub use meaning::{Valuation, basis, may_be_zero, plain, sol};
pub use outcome::{By, Closed, Marks, Open, Outcome, Refusal, SizeFailure, StageStep, StagedSystem, Stopped};
pub use product::{Product, exact};
pub use rule::{Stage, StageRule};
pub use run::{StagedRun, concluded, solve};
pub use search::{SearchBounds, Searched, search};
pub use settle::SizeBounds;
pub use strata::{DerivedIndex, Evaluated, Strata, StrataConflict, solve_strata};
