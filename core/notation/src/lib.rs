//! The notation of the paper, read and written, with an ASCII twin that can be typed
//! (spec/notation.md).
//!
//! ```
//! use lozenge::{names::Names, notation};
//! let mut names = Names::new();
//! let error = notation::parse_constraint("<r> [0] ~ <> [3]", &mut names).unwrap_err();
//! assert_eq!(error.to_string(), "1:6: size 0: sizes are whole numbers from 1 to 18446744073709551615");
//! let phi = notation::parse_constraint("[3] <r> [a] <= <> [a, 5:rgb]", &mut names)?;
//! assert_eq!(names.show(&phi).to_string(), "[3]·⟨r⟩·[a] ⊑ []·⋄·[a,5:rgb]");
//! assert_eq!(names.show(&phi).ascii().to_string(), "[3] <r> [a] <= [] <> [a,5:rgb]");
//! # Ok::<(), notation::NotationError>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "json")]
pub mod certificate;
mod cursor;
mod error;
#[cfg(feature = "json")]
pub mod json;
mod lexer;
mod parse;
mod span;
mod syntax;
pub mod text;
#[cfg(feature = "json")]
pub mod wire;

pub use cursor::Cursor;
pub use error::{NotationError, NotationProblem};
pub(crate) use lexer::is_fresh_name;
pub use lexer::is_name;
pub use lozenge_calculus::print::{Notation, Show, Style};
pub use parse::{
    parse_constraint, parse_dim, parse_dim_bot, parse_dim_term, parse_ground, parse_lines, parse_row, parse_row_term,
    parse_system, parse_two_sorted,
};
pub use span::Span;
pub use syntax::{Problem, SyntaxError, Unexpected};
