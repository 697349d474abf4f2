//! What is wrong with a program before any shape is looked at.

use super::ast::Convolution;
use super::einsum::{Affine, Kernel, SpecError};
use super::parse::is_reducing;
use lozenge_notation::text::TooLong;
use lozenge_notation::{Problem, Span, SyntaxError, Unexpected};
use std::fmt;

/// A problem in a program, with its place.
pub type ProgramError = SyntaxError<ProgramProblem>;

/// What can be wrong with a program.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ProgramProblem {
    /// Something else was expected here.
    Unexpected(Unexpected),
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
    /// A function that has no specification.
    NoSpec(&'static str),
    /// A captured name that the specification does not have.
    NoSuchLabel(String),
    /// A tensor literal whose lists differ in length, or are empty.
    Irregular,
    /// A literal or initialiser with another number of axes than its shape.
    LiteralAxes {
        /// Axes of the shape.
        shape: usize,
        /// Lists inside each other.
        lists: usize,
    },
    /// An axis of a literal or initialiser with another number of elements than its shape says.
    LiteralSize {
        /// The axis as written.
        axis: String,
        /// The length of its lists.
        length: u64,
    },
    /// A row variable in the shape of a literal.
    LiteralRow(String),
    /// An initialiser of what is no parameter.
    Initialiser,
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
    /// A mean over an axis whose cells a specification does not count, as it is written.
    Mean(String),
    /// A label that stands twice in one concatenation.
    RepeatedPart {
        /// The axis as written.
        text: String,
        /// The label.
        label: String,
    },
    /// A convolution that does not say its mode, where the program does not say it either.
    Mode(Box<Affine>),
    /// A name or a line that is longer than it may be.
    TooLong(TooLong),
}

impl Problem for ProgramProblem {
    fn is_limit(&self) -> bool {
        match self {
            ProgramProblem::TooDeep | ProgramProblem::TooLarge | ProgramProblem::TooLong(_) => true,
            ProgramProblem::Spec(error) => error.problem.is_limit(),
            _ => false,
        }
    }
}

impl From<Unexpected> for ProgramProblem {
    fn from(it: Unexpected) -> Self {
        ProgramProblem::Unexpected(it)
    }
}

impl From<TooLong> for ProgramProblem {
    fn from(what: TooLong) -> Self {
        ProgramProblem::TooLong(what)
    }
}

impl fmt::Display for ProgramProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramProblem::Unexpected(it) => it.fmt(f),
            ProgramProblem::Character(c) => write!(f, "the character {c:?} is not part of a program"),
            ProgramProblem::Unclosed => write!(f, "the quotes are not closed in this line"),
            ProgramProblem::SizeZero => write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX),
            ProgramProblem::Number(text) => write!(
                f,
                "{text} is not a number that fits here: sizes are whole numbers up to {}, an index is less than that, and other numbers are finite",
                u64::MAX
            ),
            ProgramProblem::Json(message) => f.write_str(message),
            ProgramProblem::TooDeep => write!(
                f,
                "this expression has too many operations inside each other: give parts of it names with `let`"
            ),
            ProgramProblem::TooLarge => write!(f, "the program expands to more than a million operations"),
            ProgramProblem::Spec(error) => error.fmt(f),
            ProgramProblem::Operands { spec, operation } => write!(
                f,
                "the specification has {spec} operand{}, the operation has {operation}: operands are separated by `;` before `=>`",
                plural(*spec)
            ),
            ProgramProblem::Unknown { name, what: "function", .. } if is_reducing(name) => write!(
                f,
                "`{name}` has no specification here: it says which axes stay, as in `{name}(x, \"...|ab => ...|a\")`"
            ),
            ProgramProblem::Unknown { name, what, similar } => {
                write!(f, "there is no {what} called `{name}` here")?;
                match similar {
                    Some(other) => write!(f, ": did you mean `{other}`?"),
                    None => Ok(()),
                }
            }
            ProgramProblem::Twice(name) => write!(f, "`{name}` is defined already: use another name"),
            ProgramProblem::WrongSort { name, is, needed } => {
                write!(f, "`{name}` is {is}, and {needed} is needed here")
            }
            ProgramProblem::Arguments { function, takes, got } => {
                write!(f, "`{function}` takes {takes} argument{}, and got {got}", plural(*takes))
            }
            ProgramProblem::NoSpec(op) => write!(
                f,
                "`{op}` takes no specification: for a sum of products that begins at c write `c + (a +* \"spec\" b)`"
            ),
            ProgramProblem::NoSuchLabel(name) => {
                write!(f, "the specification has no label and no row variable `{name}` to capture")
            }
            ProgramProblem::Irregular => {
                write!(f, "the lists of a tensor literal must not be empty and must agree in length")
            }
            ProgramProblem::LiteralAxes { shape, lists } => write!(
                f,
                "the shape has {shape} ax{}, and the numbers have {lists}: lists are inside each other in the order batch, output, input",
                if *shape == 1 { "is" } else { "es" }
            ),
            ProgramProblem::LiteralSize { axis, length } => write!(
                f,
                "the axis `{axis}` has lists of {length} here: lists are inside each other in the order batch, output, input"
            ),
            ProgramProblem::LiteralRow(text) => write!(
                f,
                "`{text}` in the shape of written numbers: all their axes are known, so write each of them, or `?` for its size"
            ),
            ProgramProblem::Initialiser => write!(
                f,
                "only a parameter begins with values of its own: write `param`, or `let` for numbers that stay as they are"
            ),
            ProgramProblem::BareStar => write!(
                f,
                "`*` as the operator of an assignment must say which product it is: add ~logic:\".\" (element by element), ~logic:\"@\" (matrix product) or a specification, or write `*.`"
            ),
            ProgramProblem::Primitive { op, instead } => write!(
                f,
                "`{op}` is the outermost operator of an assignment, as in `x =+ a {op} b`, and makes no tensor: between tensors write `{instead}`"
            ),
            ProgramProblem::Logic { logic, takes, got } => {
                write!(
                    f,
                    "the logic \"{logic}\" goes with {takes}, and there {} {got}",
                    if *got == 1 { "is" } else { "are" }
                )
            }
            ProgramProblem::Mean(axis) if axis == "_" => {
                write!(f, "a mean divides by the sizes of labels, and `_` is none: give this axis a label")
            }
            ProgramProblem::Mean(axis) => write!(
                f,
                "the cells of a mean are counted by labels, and `{axis}` has another number at each place: write the sum with `++`, and divide it"
            ),
            ProgramProblem::RepeatedPart { text, label } => {
                write!(f, "`{label}` stands twice in `{text}`: one index cannot be in two places, so use another label")
            }
            ProgramProblem::Mode(affine) => write!(
                f,
                "`{affine}` does not say which convolution it is: write `{}` (padded) or `{}` (valid), or `convolution padded` or `convolution valid` in a line before",
                in_mode(affine, Convolution::Padded),
                in_mode(affine, Convolution::Valid)
            ),
            ProgramProblem::TooLong(what) => what.fmt(f),
        }
    }
}

fn in_mode(affine: &Affine, mode: Convolution) -> Affine {
    let kernel = affine.kernel.clone().map(|kernel| Kernel { mode: Some(mode), ..kernel });
    Affine { kernel, ..affine.clone() }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// A problem of a specification that begins at this place.
pub(super) fn in_spec(error: SpecError, quoted: Span) -> ProgramError {
    let span = within(error.span, quoted);
    ProgramError::new(ProgramProblem::Spec(error), span)
}

/// A place inside a specification as one of the program. What was built or read from JSON may have none.
pub(super) fn within(span: Span, quoted: Span) -> Span {
    if quoted.is_known() || quoted.start > 0 { span.shifted(quoted.start) } else { Span::default() }
}
