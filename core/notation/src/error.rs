//! What is wrong with a text, where, and what would be right.

use crate::text::TooLong;
use lozenge_calculus::names::{Sort, SortClash};
use std::fmt;
use std::ops::Range;

/// A problem in a text, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// What is wrong.
    pub problem: Problem,
    /// Where, as a range of bytes of the text.
    pub at: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// What can be wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Something else was expected here.
    Unexpected {
        /// What stands here.
        found: String,
        /// What could stand here.
        expected: &'static str,
    },
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

impl Problem {
    /// Is the text too large, rather than wrong?
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self, Problem::TooLong(_))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unexpected { found, expected } => write!(f, "found {found}, expected {expected}"),
            Problem::Character(c) => write!(f, "the character {c:?} is not part of the notation"),
            Problem::SizeZero => write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX),
            Problem::SizeTooLarge(digits) => {
                let shown = if digits.len() > 24 { format!("{}…", &digits[..24]) } else { digits.clone() };
                write!(f, "size {shown} is too large: sizes go from 1 to {}", u64::MAX)
            }
            Problem::Basis(found) => {
                write!(f, "found {found}, expected the name of a basis: a letter, then letters and digits, as in 3:rgb")
            }
            Problem::SecondRowVariable => {
                write!(f, "a second row variable: a row has at most one, at its marker (Def. 3.1)")
            }
            Problem::NoMarker => {
                write!(
                    f,
                    "a row needs its marker: write []·⋄·[3,4] or [3]·⋄·[4] (⋄ is typed <>), or a row variable ⟨ρ⟩ (typed <r>)"
                )
            }
            Problem::NotGround(name) => {
                write!(f, "variable `{name}`: only dimensions without variables may stand here")
            }
            Problem::SortMismatch { left, right } => {
                write!(
                    f,
                    "the left side is a {left} and the right side a {right}: a constraint relates two of one sort"
                )
            }
            Problem::WrongEquality(Sort::Row) => write!(f, "rows are equated by ≈ (typed ~), dimensions by ="),
            Problem::WrongEquality(Sort::Dim) => write!(f, "dimensions are equated by =, rows by ≈ (typed ~)"),
            Problem::SortClash(clash) => clash.fmt(f),
            Problem::NoSuchFresh(name) => {
                write!(f, "there is no fresh variable {name}: names that begin with ? belong to the solver")
            }
            Problem::Twice(name) => write!(f, "`{name}` has a value already"),
            Problem::TooLong(what) => what.fmt(f),
        }
    }
}

impl NotationError {
    pub(super) fn new(source: &str, at: Range<usize>, problem: Problem) -> Self {
        let before = &source[..at.start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before[line_start..].chars().count();
        NotationError { problem, at, line, column }
    }

    /// The message over the line it concerns, with carets under the place. Long lines are cut
    /// to the neighbourhood.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        const AROUND: usize = 60;
        let line = source.lines().nth(self.line - 1).unwrap_or("");
        let skipped = (self.column - 1).saturating_sub(AROUND);
        let cut: String = line.chars().skip(skipped).take(2 * AROUND).collect();
        let (ellipsis, indent) = if skipped > 0 { ("…", 1 + AROUND) } else { ("", self.column - 1) };
        let width = source.get(self.at.clone()).map_or(1, |s| s.chars().count()).clamp(1, AROUND);
        let carets = "^".repeat(width);
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        format!("{self}\n{gutter} |\n{number} | {ellipsis}{cut}\n{gutter} | {}{carets}", " ".repeat(indent))
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for NotationError {}
