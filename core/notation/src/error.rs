//! What is wrong with a text, where, and what would be right.

use crate::text::{TooLong, shortened};
use crate::{Problem, Span, SyntaxError, Unexpected};
use lozenge_calculus::names::{Sort, SortClash};
use std::fmt;

/// A problem in a text, with its place. It knows its line and column, and says them without the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// What is wrong.
    pub problem: NotationProblem,
    /// Where.
    pub span: Span,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// What can be wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotationProblem {
    /// Something else was expected here.
    Unexpected(Unexpected),
    /// A character that the notation does not use.
    Character(char),
    /// A dimension of size 0.
    SizeZero,
    /// A size that does not fit 64 bits.
    SizeTooLarge(String),
    /// A basis that is not an identifier.
    Basis(String),
    /// A second row variable in one row.
    SecondRowVariable,
    /// A row without a marker or row variable.
    NoMarker,
    /// A variable where only ground values may stand.
    NotGround(String),
    /// Two sides of different sorts.
    SortMismatch {
        /// The sort of the left side.
        left: Sort,
        /// The sort of the right side.
        right: Sort,
    },
    /// `=` between rows, `≈` between dimensions.
    WrongEquality(Sort),
    /// One name at two sorts.
    SortClash(SortClash),
    /// `?7` where no fresh variable has this number.
    NoSuchFresh(String),
    /// A variable that is given a value twice.
    Twice(String),
    /// A name or a line that is longer than it may be.
    TooLong(TooLong),
}

impl Problem for NotationProblem {
    fn is_limit(&self) -> bool {
        matches!(self, NotationProblem::TooLong(_))
    }
}

impl From<Unexpected> for NotationProblem {
    fn from(it: Unexpected) -> Self {
        NotationProblem::Unexpected(it)
    }
}

impl From<TooLong> for NotationProblem {
    fn from(what: TooLong) -> Self {
        NotationProblem::TooLong(what)
    }
}

impl fmt::Display for NotationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotationProblem::Unexpected(it) => it.fmt(f),
            NotationProblem::Character(c) => write!(f, "the character {c:?} is not part of the notation"),
            NotationProblem::SizeZero => write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX),
            NotationProblem::SizeTooLarge(digits) => {
                write!(f, "size {} is too large: sizes go from 1 to {}", shortened(digits, 24), u64::MAX)
            }
            NotationProblem::Basis(found) => {
                write!(f, "found {found}, expected the name of a basis: a letter, then letters and digits, as in 3:rgb")
            }
            NotationProblem::SecondRowVariable => {
                write!(f, "a second row variable: a row has at most one, at its marker (Def. 3.1)")
            }
            NotationProblem::NoMarker => {
                write!(
                    f,
                    "a row needs its marker: write []·⋄·[3,4] or [3]·⋄·[4] (⋄ is typed <>), or a row variable ⟨ρ⟩ (typed <r>)"
                )
            }
            NotationProblem::NotGround(name) => {
                write!(f, "variable `{name}`: only dimensions without variables may stand here")
            }
            NotationProblem::SortMismatch { left, right } => {
                write!(
                    f,
                    "the left side is a {left} and the right side a {right}: a constraint relates two of one sort"
                )
            }
            NotationProblem::WrongEquality(Sort::Row) => write!(f, "rows are equated by ≈ (typed ~), dimensions by ="),
            NotationProblem::WrongEquality(Sort::Dim) => write!(f, "dimensions are equated by =, rows by ≈ (typed ~)"),
            NotationProblem::SortClash(clash) => clash.fmt(f),
            NotationProblem::NoSuchFresh(name) => {
                write!(f, "there is no fresh variable {name}: names that begin with ? belong to the solver")
            }
            NotationProblem::Twice(name) => write!(f, "`{name}` has a value already"),
            NotationProblem::TooLong(what) => what.fmt(f),
        }
    }
}

impl NotationError {
    /// The error, once its text is at hand.
    pub(super) fn of(error: SyntaxError<NotationProblem>, source: &str) -> Self {
        let (line, column) = error.span.position(source);
        NotationError { problem: error.problem, span: error.span, line, column }
    }

    /// The message over the line it concerns, with carets under the place. Long lines are cut
    /// to the neighbourhood.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        format!("{self}\n{}", self.span.excerpt(source))
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for NotationError {}
