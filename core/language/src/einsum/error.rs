//! What is wrong with a specification.

use lozenge_notation::text::TooLong;
use lozenge_notation::{Problem, SyntaxError, Unexpected};
use std::fmt;

/// A problem in a specification, with its place.
pub type SpecError = SyntaxError<SpecProblem>;

/// What can be wrong with a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpecProblem {
    /// Something else was expected here.
    Unexpected(Unexpected),
    /// A character that specifications do not use.
    Character(char),
    /// An index that does not fit 64 bits.
    TooLarge(String),
    /// `o+3`: an offset where nothing is strided.
    OffsetAlone {
        /// The label.
        label: String,
        /// The offset.
        offset: u64,
    },
    /// A second row variable in one row.
    SecondRowVariable,
    /// One name as a label and as a row variable.
    LabelAndRow(String),
    /// A text with the signs of NumPy's notation that cannot be read as that; what is wrong with it, and what to write.
    NotNumpy(String),
    /// A second `=>`.
    SecondArrow,
    /// A name that is longer than it may be.
    TooLong(TooLong),
}

impl fmt::Display for SpecProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecProblem::Unexpected(it) => it.fmt(f),
            SpecProblem::Character(c) => write!(f, "the character {c:?} is not part of a specification"),
            SpecProblem::TooLarge(digits) => {
                write!(f, "{digits} is too large: an index goes up to {}, other numbers to {}", u64::MAX - 1, u64::MAX)
            }
            SpecProblem::OffsetAlone { label, offset } => write!(
                f,
                "`{label}+{offset}` has an offset and no stride: an offset is less than its stride, so write `{}*{label}+{offset}`, or a kernel's label after `+`",
                offset.saturating_add(1)
            ),
            SpecProblem::SecondRowVariable => {
                write!(f, "a second row variable: a row has at most one `...` or `..name..`")
            }
            SpecProblem::LabelAndRow(name) => {
                write!(
                    f,
                    "`{name}` is the name of a row variable and of an axis here: use another name for one of them"
                )
            }
            SpecProblem::NotNumpy(why) => {
                write!(f, "without `=>` this can only be NumPy's notation, as in `ij,jk->ik`: {why}")
            }
            SpecProblem::SecondArrow => write!(f, "a second `=>`: one result stands on the right of one `=>`"),
            SpecProblem::TooLong(what) => what.fmt(f),
        }
    }
}

impl Problem for SpecProblem {
    fn is_limit(&self) -> bool {
        matches!(self, SpecProblem::TooLong(_))
    }
}

impl From<Unexpected> for SpecProblem {
    fn from(it: Unexpected) -> Self {
        SpecProblem::Unexpected(it)
    }
}

impl From<TooLong> for SpecProblem {
    fn from(what: TooLong) -> Self {
        SpecProblem::TooLong(what)
    }
}
