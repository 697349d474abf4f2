//! Tensor programs: what people write, its constraints, and its shapes (spec/program.md).
//!
//! A program is read from text ([`parse()`]), from JSON, or built in Rust ([`Program::builder`]).
//! [`generate()`] turns it into constraints, each with its origin; [`infer()`] solves them and closes.
//!
//! ```
//! use lozenge::program::{infer, parse};
//! let program = parse("
//! input x: n | 784
//! n = 32
//! fn layer(x) = relu ({ w: ... -> 64 } * x + { b })
//! let y = layer(layer(x))
//! ")?;
//! let inferred = infer(&program).unwrap();
//! assert_eq!(inferred.show("y").as_deref(), Some("32 | 64"));
//! assert_eq!(inferred.show("layer#1.w").as_deref(), Some("784 -> 64"));
//! # Ok::<(), lozenge::program::ProgramError>(())
//! ```
#![forbid(unsafe_code)]

pub mod ast;
mod builder;
mod diagnostic;
pub mod einsum;
mod error;
mod explain;
mod fix;
pub mod generate;
mod infer;
#[cfg(feature = "json")]
mod json;
mod known;
mod lexer;
mod margins;
mod markers;
mod numeral;
mod parse;
mod print;
pub mod projection;
pub mod shape;
mod told;
mod warnings;
mod written;

pub use ast::Program;
pub use builder::Builder;
pub use diagnostic::{Code, Diagnostic, Label, Section, Severity, advise, diagnose};
pub use error::{ProgramError, ProgramProblem};
pub use explain::{
    Behind, Clash, ClashClaim, Equation, HoleError, IndexError, InferError, Leaf, Link, Side, SizeError, Witness,
};
pub use fix::{Edit, Fix};
pub use generate::{Generated, generate};
pub use infer::{Assumed, AssumedRule, Inference, Partial, SolvedSize, infer, infer_with, partial};
#[cfg(feature = "json")]
pub use json::parse_json;
#[cfg(feature = "schema")]
pub use json::schema;
pub use lozenge_notation::Span;
pub use margins::{Margins, margins};
pub use markers::{Placed, Placement, placements};
pub use numeral::Numeral;
pub use numeral::{Decimal, overflows};
pub use parse::{parse, parse_shape};
pub use told::{Source, Told, Way, tell};
pub use warnings::{Warning, WarningCode, warnings};
