//! What is wrong with a model file, and where.

use super::super::error::{ShapeError, ShapeProblem};
use super::super::memory::TooLarge;
use super::super::notation::TextProblem;
use lozenge_notation::text::TooLong;
use lozenge_notation::{Problem, SyntaxError};
use std::fmt;

/// A problem in a model, with its place.
pub type ModelError = SyntaxError<ModelProblem>;

/// What can be wrong with a model.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ModelProblem {
    /// The text.
    Text(TextProblem),
    /// A name that nothing has.
    Unknown {
        /// The name.
        name: String,
        /// What was looked for.
        what: &'static str,
        /// What there is.
        known: String,
    },
    /// A name that is there already.
    Twice(String),
    /// A name that an operation or a setting has.
    Reserved(String),
    /// Another number of operands.
    Operands {
        /// The operation.
        operation: &'static str,
        /// What it takes.
        takes: &'static str,
        /// How many there are.
        found: usize,
    },
    /// Shapes that do not fit.
    Shape(Box<ShapeError>),
    /// More memory than 128 bits can count.
    TooLarge,
    /// More statements than are handled.
    Statements,
    /// A name or a line that is longer than it may be.
    TooLong(TooLong),
}

/// How many statements a model may have.
pub const MAX_STATEMENTS: usize = 10_000;

impl fmt::Display for ModelProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelProblem::Text(problem) => problem.fmt(f),
            ModelProblem::Unknown { name, what, known } => write!(f, "there is no {what} `{name}`: {known}"),
            ModelProblem::Twice(name) => write!(f, "`{name}` is there already: use another name"),
            ModelProblem::Reserved(name) => write!(f, "`{name}` has a meaning of its own: use another name"),
            ModelProblem::Operands { operation, takes, found } => {
                write!(f, "`{operation}` takes {takes}, and there {} {found}", if *found == 1 { "is" } else { "are" })
            }
            ModelProblem::Shape(error) => error.fmt(f),
            ModelProblem::TooLarge => TooLarge.fmt(f),
            ModelProblem::Statements => write!(f, "more than {MAX_STATEMENTS} statements"),
            ModelProblem::TooLong(what) => what.fmt(f),
        }
    }
}

impl Problem for ModelProblem {
    fn is_limit(&self) -> bool {
        match self {
            ModelProblem::TooLarge | ModelProblem::Statements | ModelProblem::TooLong(_) => true,
            ModelProblem::Shape(error) => {
                matches!(error.problem, ShapeProblem::TooLarge | ShapeProblem::RankLimit(_))
            }
            ModelProblem::Text(problem) => problem.is_limit(),
            _ => false,
        }
    }

    /// For shapes that do not fit, the shapes.
    fn details(&self) -> Vec<String> {
        match self {
            ModelProblem::Shape(error) => error.render().lines().skip(1).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }
}

impl From<TooLong> for ModelProblem {
    fn from(what: TooLong) -> Self {
        ModelProblem::TooLong(what)
    }
}

impl From<TextProblem> for ModelProblem {
    fn from(problem: TextProblem) -> Self {
        ModelProblem::Text(problem)
    }
}
