//! What is wrong with a text, and where: the same for every text that is read.

use crate::Span;
use crate::text::{TooLong, check_name, check_text};
use std::fmt;

/// What can be wrong with a text of some kind.
pub trait Problem: fmt::Display {
    /// Is the text too large, rather than wrong?
    fn is_limit(&self) -> bool {
        false
    }

    /// What is said under the picture of the place.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A problem in a text, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError<P> {
    /// What is wrong.
    pub problem: P,
    /// Where.
    pub span: Span,
}

/// Something else was expected at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unexpected {
    /// What stands there.
    pub found: String,
    /// What could stand there.
    pub expected: &'static str,
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {}, expected {}", self.found, self.expected)
    }
}

impl<P> SyntaxError<P> {
    /// A problem at a place.
    pub fn new(problem: impl Into<P>, span: impl Into<Span>) -> Self {
        SyntaxError { problem: problem.into(), span: span.into() }
    }
}

impl<P: From<Unexpected>> SyntaxError<P> {
    /// Something else was expected here.
    pub fn unexpected(found: impl Into<String>, expected: &'static str, span: Span) -> Self {
        SyntaxError::new(Unexpected { found: found.into(), expected }, span)
    }
}

impl<P: From<TooLong>> SyntaxError<P> {
    /// Is a text short enough, and every line of it?
    ///
    /// # Errors
    /// What is too long, at its first character.
    pub fn check_text(text: &str) -> Result<(), Self> {
        check_text(text).map_err(|(what, at)| SyntaxError::new(what, at))
    }

    /// Is a name at this place short enough?
    ///
    /// # Errors
    /// That it is too long.
    pub fn check_name(name: &str, span: Span) -> Result<(), Self> {
        check_name(name).map_err(|what| SyntaxError::new(what, span))
    }
}

impl<P: Problem> SyntaxError<P> {
    /// The place and the message over the line it concerns, with carets under the place.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        let (line, column) = self.span.position(source);
        let picture = format!("{line}:{column}: {self}\n{}", self.span.excerpt(source));
        [picture].into_iter().chain(self.problem.details()).collect::<Vec<_>>().join("\n")
    }
}

impl<P: Problem> fmt::Display for SyntaxError<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl<P: Problem + fmt::Debug> std::error::Error for SyntaxError<P> {}
