//! The naive interpreter: what the loop nests of §7 compute.
//!
//! An operation is a map-reduce over its product space: at each point read the operands at their index maps,
//! combine, and accumulate into the result at its own. [`walk::assign`] is that definition, on one page; it walks
//! the points in lexicographic order, so that sums have one order and answers are the same to the bit.
//! [`plan`] does the same faster. [`run()`] executes programs, and [`gradient`] re-addresses each forward record
//! for the gradients.
//!
//! ```
//! use lozenge::interp::{Inputs, Options, Value, run};
//! use lozenge::program::{infer, parse};
//! use lozenge::projection::project_all;
//! let inferred = infer(&parse("let c = [[1, 2], [3, 4]] +* \"ij; jk => ik\" [[1, 1], [0, 1]]")?)?;
//! let nests = project_all(&inferred)?;
//! let outcome = run::<f64>(&inferred, &nests, Inputs::default(), &Options::default())?;
//! let c = inferred.generated.tensor("c").ok_or("no c")?;
//! assert_eq!(outcome.values[c], Some(Value { dims: vec![2, 2], data: vec![1.0, 3.0, 3.0, 7.0] }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod block;
mod error;
mod fast;
mod float;
pub mod gradient;
mod joined;
mod lanes;
mod margin;
mod parts;
pub mod plan;
pub mod point;
mod rational;
mod run;
pub mod scalar;
mod supply;
mod tropical;
mod value;
pub mod walk;
mod wide;
mod windows;

pub use error::RunError;
pub use rational::Rational;
pub use run::{Inputs, Options, Outcome, RunLimits, dims, run, run_with, small_enough};
pub use scalar::{Scalar, ScalarError};
pub use supply::{Supply, supplies};
pub use tropical::Tropical;
pub use value::{Fill, Value};
