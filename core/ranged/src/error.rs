//! Why an operation has no shape: the operation, every shape it was given, the axes it stumbled over (D7).

use super::dim::DimVar;
use super::shape::{MAX_RANK, Shape};
use super::unify::Clash;
use std::fmt;

/// What was to be done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Operation {
    Unify,
    Matmul,
    Broadcast,
    Reshape,
    Transpose,
    Permute,
    Reduce,
    Concat,
    Stack,
    Verify,
    Linear,
    Embedding,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Operation::Unify => "unify",
            Operation::Matmul => "matmul",
            Operation::Broadcast => "broadcast",
            Operation::Reshape => "reshape",
            Operation::Transpose => "transpose",
            Operation::Permute => "permute",
            Operation::Reduce => "reduce",
            Operation::Concat => "concat",
            Operation::Stack => "stack",
            Operation::Verify => "verify",
            Operation::Linear => "linear",
            Operation::Embedding => "embedding",
        })
    }
}

/// An axis of one of the shapes; both counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Which shape.
    pub shape: usize,
    /// Which axis of it.
    pub axis: usize,
}

impl Position {
    /// This axis of this shape.
    #[must_use]
    pub fn new(shape: usize, axis: usize) -> Self {
        Position { shape, axis }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShapeProblem {
    /// Two dimensions have no size in common.
    Clash(Clash),
    /// Shapes of different ranks where the ranks must agree.
    RankMismatch(usize, usize),
    /// An operand of a rank that the operation does not take.
    Rank {
        /// The rank it has.
        found: usize,
        /// What would be right.
        needed: &'static str,
    },
    /// More axes than [`MAX_RANK`].
    RankLimit(usize),
    /// An axis that the shape does not have.
    Axis {
        /// The axis asked for.
        axis: usize,
        /// The rank.
        rank: usize,
    },
    /// A list of axes that does not name each once.
    NotAPermutation(Vec<usize>),
    /// An operation on no tensors.
    NoOperands,
    /// Element counts that differ, whatever the sizes that are not known.
    Elements {
        /// What is known of the number of elements before.
        input: String,
        /// What is known of it after.
        output: String,
    },
    /// More than one axis to be inferred.
    SecondInferred,
    /// A number that does not fit: 64 bits for a size, 128 for a number of elements or bytes.
    TooLarge,
    /// An actual size that is not the declared one.
    Actual {
        /// The size at run time.
        actual: u64,
        /// What was declared, as written.
        declared: String,
    },
    /// A variable that another context made.
    ForeignVariable(DimVar),
}

impl fmt::Display for ShapeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeProblem::Clash(clash) => clash.fmt(f),
            ShapeProblem::RankMismatch(a, b) => write!(f, "the ranks {a} and {b} differ"),
            ShapeProblem::Rank { found, needed } => write!(f, "a shape of rank {found}, and {needed} is needed"),
            ShapeProblem::RankLimit(rank) => write!(f, "a shape of rank {rank}: the highest rank is {MAX_RANK}"),
            ShapeProblem::Axis { axis, rank: 0 } => write!(f, "there is no axis {axis}: the shape has no axes"),
            ShapeProblem::Axis { axis, rank } => {
                write!(f, "there is no axis {axis}: the axes of this shape are 0 to {}", rank - 1)
            }
            ShapeProblem::NotAPermutation(axes) => {
                write!(f, "the axes {axes:?} are no permutation: each axis must be there once")
            }
            ShapeProblem::NoOperands => write!(f, "no operands: at least one is needed"),
            ShapeProblem::Elements { input, output } => write!(f, "{input} elements do not become {output}"),
            ShapeProblem::SecondInferred => write!(f, "a second -1: at most one axis can be inferred"),
            ShapeProblem::TooLarge => write!(f, "too large: sizes have 64 bits, numbers of elements and bytes 128"),
            ShapeProblem::Actual { actual, declared } => write!(f, "the size is {actual}, and {declared} is declared"),
            ShapeProblem::ForeignVariable(var) => write!(f, "the variable {var} belongs to another context"),
        }
    }
}

/// An operation that has no shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShapeError {
    /// The operation.
    pub operation: Operation,
    /// The shapes it was given, with what was known of their variables.
    pub shapes: Vec<Shape>,
    /// The axes that the problem is about.
    pub at: Vec<Position>,
    /// What is wrong.
    pub problem: ShapeProblem,
}

impl ShapeError {
    /// The message, then every shape with carets under the axes it is about.
    #[must_use]
    pub fn render(&self) -> String {
        const MOST: usize = 200;
        let mut lines = vec![self.to_string()];
        for (i, shape) in self.shapes.iter().enumerate() {
            let (text, places) = shape.layout();
            let cut: String = text.chars().take(MOST).collect();
            lines.push(format!("  {cut}{}", if cut.len() < text.len() { "…" } else { "" }));
            let marked = self.at.iter().filter(|p| p.shape == i).filter_map(|p| places.get(p.axis));
            let mut carets = String::new();
            for (start, width) in marked.filter(|(start, width)| start + width <= MOST) {
                carets.push_str(&" ".repeat(start.saturating_sub(carets.len())));
                carets.push_str(&"^".repeat(*width));
            }
            if !carets.is_empty() {
                lines.push(format!("  {carets}"));
            }
        }
        lines.join("\n")
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.problem)
    }
}

impl std::error::Error for ShapeError {}
