//! Why a program does not run.

use super::scalar::ScalarError;
use lozenge_language::Span;
use lozenge_language::generate::TensorId;
use lozenge_language::projection::ProjectError;
use std::fmt;

/// Why a program does not run.
#[derive(Clone, PartialEq, Debug)]
pub enum RunError {
    /// A number that no tensor of the program has.
    NoTensor {
        /// The number.
        id: TensorId,
        /// How many tensors the program has.
        count: usize,
    },
    /// Tensors that need data and got none, with their sizes.
    Missing(Vec<(String, Vec<u64>)>),
    /// Data of another shape than the tensor.
    Dims {
        /// The tensor.
        tensor: String,
        /// Its sizes.
        expected: Vec<u64>,
        /// The sizes of the data.
        found: Vec<u64>,
    },
    /// Data with another number of cells than its sizes say.
    Cells {
        /// The tensor.
        tensor: String,
        /// How many its sizes say.
        expected: u128,
        /// How many there are.
        found: usize,
    },
    /// Data that is no value of a tensor.
    Data {
        /// The tensor.
        tensor: String,
        /// Why.
        why: String,
    },
    /// Data for a tensor that the program computes.
    Computed {
        /// The tensor.
        tensor: String,
        /// The tensors that take data.
        takes: Vec<String>,
        /// Where it is computed.
        span: Span,
    },
    /// Data for a tensor that is assigned before anything reads it.
    Overwritten {
        /// The tensor.
        tensor: String,
        /// The place of the assignment.
        span: Span,
    },
    /// A value for an index that the program does not have.
    UnusedIndex {
        /// Its name.
        name: String,
        /// The indices that it has.
        known: Vec<String>,
    },
    /// An index from outside that has no value.
    NoIndex {
        /// Its name.
        name: String,
        /// The place of the slice.
        span: Span,
    },
    /// An index from outside that is not less than the size of its axis.
    Index {
        /// Its name.
        name: String,
        /// Its value.
        value: u64,
        /// The size of the axis.
        size: u64,
        /// The place of the slice.
        span: Span,
    },
    /// An operation without a result.
    Scalar {
        /// Why.
        error: ScalarError,
        /// The place of the operation.
        span: Span,
    },
    /// More cells or points than allowed.
    Limit {
        /// `elements` or `points`.
        which: &'static str,
        /// How many would be needed.
        needed: u128,
        /// How many are allowed.
        allowed: u128,
        /// The place of the operation or tensor.
        span: Span,
    },
    /// An operation that has no gradient.
    NoGradient {
        /// Why.
        why: String,
        /// The place of the operation.
        span: Span,
    },
    /// No projections.
    Project(ProjectError),
}

/// Sizes as they are written: `2×3`.
fn sizes(dims: &[u64]) -> String {
    match dims {
        [] => "a scalar".to_owned(),
        dims => dims.iter().map(ToString::to_string).collect::<Vec<_>>().join("×"),
    }
}

/// What there is: `x`, `w`.
fn these(names: &[String], what: &str) -> String {
    match names {
        [] => format!("nothing {what}"),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("what {what} is {}", names.join(", "))
        }
    }
}

impl RunError {
    /// The place in the program, if it has one.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            RunError::NoIndex { span, .. }
            | RunError::Computed { span, .. }
            | RunError::Overwritten { span, .. }
            | RunError::Index { span, .. }
            | RunError::Scalar { span, .. }
            | RunError::Limit { span, .. }
            | RunError::NoGradient { span, .. } => Some(*span).filter(|span| span.is_known()),
            RunError::Project(error) => error.span(),
            _ => None,
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NoTensor { id, count } => {
                write!(f, "there is no tensor {id}: the program has {count}, and they count from 0")
            }
            RunError::Missing(tensors) => {
                let list: Vec<String> =
                    tensors.iter().map(|(name, dims)| format!("`{name}` ({})", sizes(dims))).collect();
                write!(f, "no data for {}", list.join(", "))
            }
            RunError::Dims { tensor, expected, found } => {
                write!(f, "the data for `{tensor}` is {}, expected {}", sizes(found), sizes(expected))
            }
            RunError::Cells { tensor, expected, found } => {
                write!(f, "the data for `{tensor}` has {found} cells, and its sizes ask for {expected}")
            }
            RunError::Data { tensor, why } => write!(f, "the data for `{tensor}`: {why}"),
            RunError::Computed { tensor, takes, .. } => {
                write!(f, "`{tensor}` is computed by the program and takes no data: {}", these(takes, "takes data"))
            }
            RunError::Overwritten { tensor, .. } => {
                write!(f, "the data for `{tensor}` would never be read: this assigns all of it first")
            }
            RunError::UnusedIndex { name, known } => {
                write!(f, "the program has no index `{name}`: {}", these(known, "is an index"))
            }
            RunError::NoIndex { name, .. } => write!(f, "the index `{name}` has no value"),
            RunError::Index { name, value, size, .. } => {
                write!(f, "the index `{name}` is {value}, and the axis has {size}: indices count from 0")
            }
            RunError::Scalar { error, .. } => error.fmt(f),
            RunError::Limit { which, needed, allowed, .. } => {
                // What does not fit was counted up to the largest number.
                let needed = if *needed == u128::MAX { "more than 10³⁸".to_owned() } else { needed.to_string() };
                write!(f, "the limit of {allowed} {which} is reached: {needed} would be needed")
            }
            RunError::NoGradient { why, .. } => f.write_str(why),
            RunError::Project(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<ProjectError> for RunError {
    fn from(error: ProjectError) -> Self {
        RunError::Project(error)
    }
}
