//! What is wrong with a program before any shape is looked at.

use super::einsum::{SpecError, SpecProblem};
use lozenge_notation::Span;
use lozenge_notation::text::TooLong;
use std::fmt;

/// A problem in a program, with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramError {
    /// What is wrong.
    pub problem: Problem,
    /// Where.
    pub span: Span,
}

/// What can be wrong with a program.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Something else was expected here.
    Unexpected {
        /// What stands here.
        found: String,
        /// What could stand here.
        expected: &'static str,
    },
    /// A character that programs do not use.
    Character(char),
    /// Text in quotes that does not end in its line.
    Unclosed,
    /// An axis of size 0.
    SizeZero,
    /// A number that does not fit.
    Number(String),
    /// JSON that is not the form of a program; what is wrong and what would be right.
    Json(String),
    /// An expression with too many operators in each other.
    TooDeep,
    /// A program that expands to too many operations.
    TooLarge,
    /// A specification that is not well formed.
    Spec(SpecError),
    /// A specification with more or fewer operands than the operation.
    Operands {
        /// Operands of the specification.
        spec: usize,
        /// Operands of the operation.
        operation: usize,
    },
    /// A name that nothing has.
    Unknown {
        /// The name.
        name: String,
        /// What kind of thing was looked for.
        what: &'static str,
        /// A name that is much like it.
        similar: Option<String>,
    },
    /// A name that something has already.
    Twice(String),
    /// A name that stands for something else.
    WrongSort {
        /// The name.
        name: String,
        /// What it stands for.
        is: &'static str,
        /// What is needed here.
        needed: &'static str,
    },
    /// A function with another number of arguments.
    Arguments {
        /// The function.
        function: String,
        /// How many it takes.
        takes: usize,
        /// How many it got.
        got: usize,
    },
    /// A captured name that the specification does not have.
    NoSuchLabel(String),
    /// A tensor literal whose lists differ in length, or are empty.
    Irregular,
    /// An assignment with `*` that does not say which product.
    BareStar,
    /// An operator of assignments inside an expression.
    Primitive {
        /// The operator.
        op: &'static str,
        /// The operation on tensors that computes the same.
        instead: &'static str,
    },
    /// A logic that does not go with the operands.
    Logic {
        /// The logic.
        logic: String,
        /// Operands it takes.
        takes: &'static str,
        /// Operands it got.
        got: usize,
    },
    /// A label that stands twice in one concatenation.
    RepeatedPart {
        /// The axis as written.
        text: String,
        /// The label.
        label: String,
    },
    /// A name or a line that is longer than it may be.
    TooLong(TooLong),
}

impl Problem {
    /// Is the program too large, rather than wrong?
    #[must_use]
    pub fn is_limit(&self) -> bool {
        match self {
            Problem::TooDeep | Problem::TooLarge | Problem::TooLong(_) => true,
            Problem::Spec(error) => matches!(error.problem, SpecProblem::TooLong(_)),
            _ => false,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unexpected { found, expected } => write!(f, "found {found}, expected {expected}"),
            Problem::Character(c) => write!(f, "the character {c:?} is not part of a program"),
            Problem::Unclosed => write!(f, "the quotes are not closed in this line"),
            Problem::SizeZero => write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX),
            Problem::Number(text) => write!(
                f,
                "{text} is not a number that fits here: sizes and indices are whole numbers up to {}, and other numbers are finite",
                u64::MAX
            ),
            Problem::Json(message) => f.write_str(message),
            Problem::TooDeep => write!(
                f,
                "this expression has too many operations inside each other: give parts of it names with `let`"
            ),
            Problem::TooLarge => write!(f, "the program expands to more than a million operations"),
            Problem::Spec(error) => error.fmt(f),
            Problem::Operands { spec, operation } => write!(
                f,
                "the specification has {spec} operand{}, the operation has {operation}: operands are separated by `;` before `=>`",
                plural(*spec)
            ),
            Problem::Unknown { name, what, similar } => {
                write!(f, "there is no {what} called `{name}` here")?;
                match similar {
                    Some(other) => write!(f, ": did you mean `{other}`?"),
                    None => Ok(()),
                }
            }
            Problem::Twice(name) => write!(f, "`{name}` is defined already: use another name"),
            Problem::WrongSort { name, is, needed } => write!(f, "`{name}` is {is}, and {needed} is needed here"),
            Problem::Arguments { function, takes, got } => {
                write!(f, "`{function}` takes {takes} argument{}, and got {got}", plural(*takes))
            }
            Problem::NoSuchLabel(name) => {
                write!(f, "the specification has no label and no row variable `{name}` to capture")
            }
            Problem::Irregular => write!(f, "the lists of a tensor literal must not be empty and must agree in length"),
            Problem::BareStar => write!(
                f,
                "`*` as the operator of an assignment must say which product it is: add ~logic:\".\" (element by element), ~logic:\"@\" (matrix product) or a specification, or write `*.`"
            ),
            Problem::Primitive { op, instead } => write!(
                f,
                "`{op}` is the outermost operator of an assignment, as in `x =+ a {op} b`, and makes no tensor: between tensors write `{instead}`"
            ),
            Problem::Logic { logic, takes, got } => {
                write!(
                    f,
                    "the logic \"{logic}\" goes with {takes}, and there {} {got}",
                    if *got == 1 { "is" } else { "are" }
                )
            }
            Problem::RepeatedPart { text, label } => {
                write!(f, "`{label}` stands twice in `{text}`: one index cannot be in two places, so use another label")
            }
            Problem::TooLong(what) => what.fmt(f),
        }
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

impl ProgramError {
    pub(super) fn new(problem: Problem, span: Span) -> Self {
        ProgramError { problem, span }
    }

    /// A problem of a specification that begins at this place.
    pub(super) fn spec(error: SpecError, quoted: Span) -> Self {
        // What was built or read from JSON has no place in a text.
        let span = if quoted.is_known() || quoted.start > 0 {
            Span { start: quoted.start + error.at.start, end: quoted.start + error.at.end }
        } else {
            Span::default()
        };
        ProgramError { problem: Problem::Spec(error), span }
    }

    /// The message over the line it concerns, with carets under the place.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        let (line, column) = self.span.position(source);
        format!("{line}:{column}: {self}\n{}", self.span.excerpt(source))
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for ProgramError {}
