//! Dimensions and shapes as text (D12): `[batch:1..64, 784, _k, *, ?]`.

use super::context::Context;
use super::dim::{Dim, EmptyRange, Range, Size};
use super::reshape::Target;
use super::shape::{MAX_RANK, Shape};
use lozenge_notation::Span;
use std::collections::BTreeMap;
use std::fmt;

/// A text that is no shape, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// What is wrong.
    pub problem: TextProblem,
    /// Where.
    pub span: Span,
}

/// What can be wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextProblem {
    /// Something else was expected here.
    Unexpected {
        /// What stands here.
        found: String,
        /// What could stand here.
        expected: &'static str,
    },
    /// A size of 0.
    SizeZero,
    /// A number that does not fit 64 bits.
    Number(String),
    /// A range without sizes.
    EmptyRange(EmptyRange),
    /// More axes than a shape can have.
    Rank,
    /// −1 outside a reshape.
    Inferred,
}

impl fmt::Display for TextProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextProblem::Unexpected { found, expected } => write!(f, "found {found}, expected {expected}"),
            TextProblem::SizeZero => write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX),
            TextProblem::Number(text) => write!(f, "{text} is too large: numbers go up to {}", u64::MAX),
            TextProblem::EmptyRange(error) => error.fmt(f),
            TextProblem::Rank => write!(f, "a shape has at most {MAX_RANK} axes"),
            TextProblem::Inferred => write!(f, "-1 stands only in the shape that a reshape asks for"),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for TextError {}

/// Reads a text from left to right. Blanks are skipped before everything.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, at: usize, end: usize) -> Self {
        Scanner { text: text.get(..end).unwrap_or(text), at }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    }

    pub(super) fn place(&mut self) -> usize {
        self.skip();
        self.at
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.skip();
        self.rest().is_empty()
    }

    /// Takes this sign if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        self.skip();
        let here = self.rest().starts_with(sign);
        if here {
            self.at += sign.len();
        }
        here
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> (&'t str, Span) {
        self.skip();
        let rest = self.rest();
        let len = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let span = Span::from(self.at..self.at + len);
        self.at += len;
        (rest.get(..len).unwrap_or(""), span)
    }

    /// A name: a letter, then letters, digits and underscores.
    pub(super) fn name(&mut self) -> Option<(&'t str, Span)> {
        self.skip();
        if !self.rest().starts_with(|c: char| c.is_alphabetic()) {
            return None;
        }
        Some(self.take(|c| c.is_alphanumeric() || c == '_'))
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Result<Option<(u64, Span)>, TextError> {
        let (digits, span) = self.take(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Ok(None);
        }
        let shown = || if digits.len() > 24 { format!("{}…", &digits[..24]) } else { digits.to_owned() };
        let n = digits.parse().map_err(|_| TextError { problem: TextProblem::Number(shown()), span })?;
        Ok(Some((n, span)))
    }

    /// What stands here is not what it should be.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> TextError {
        self.skip();
        let rest = self.rest();
        let word = rest.split([' ', '\t', ',', ']', '[', '=']).next().unwrap_or("");
        let len = if word.is_empty() { rest.chars().next().map_or(0, char::len_utf8) } else { word.len() };
        let found = match rest.get(..len).unwrap_or("") {
            "" => "the end of the line".to_owned(),
            found if found.chars().count() > 40 => format!("`{}…`", found.chars().take(40).collect::<String>()),
            found => format!("`{found}`"),
        };
        let span = Span::from(self.at..self.at + len);
        TextError { problem: TextProblem::Unexpected { found, expected }, span }
    }

    /// This word, if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let before = self.at;
        let here = self.name().is_some_and(|(name, _)| name == word);
        if !here {
            self.at = before;
        }
        here
    }

    /// The text between two places, with single blanks.
    pub(super) fn between(&self, start: usize, end: usize) -> String {
        self.text.get(start..end).unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn size(&mut self) -> Result<Option<Size>, TextError> {
        let Some((n, span)) = self.number()? else { return Ok(None) };
        Size::new(n).map(Some).ok_or(TextError { problem: TextProblem::SizeZero, span })
    }

    /// `1..64`, `1..`, or `32` for that size alone.
    pub(super) fn range(&mut self) -> Result<Range, TextError> {
        let start = self.place();
        let Some(lo) = self.size()? else { return Err(self.unexpected("a size, as in 1..64")) };
        if !self.eat("..") {
            return Ok(Range::exactly(lo));
        }
        let hi = self.size()?;
        let span = Span::from(start..self.at);
        Range::new(lo, hi).map_err(|error| TextError { problem: TextProblem::EmptyRange(error), span })
    }

    /// One axis.
    pub(super) fn target(&mut self, scope: &mut Scope<'_>) -> Result<Target, TextError> {
        if self.eat("-1") {
            return Ok(Target::Infer);
        }
        if self.eat("*") {
            return Ok(Target::Dim(Dim::Dynamic));
        }
        if self.eat("?") {
            return Ok(Target::Dim(Dim::Broadcast));
        }
        if self.eat("_") {
            let (name, _) = self.take_glued();
            let var = if name.is_empty() { scope.context.fresh_var() } else { scope.context.named_var(name) };
            return Ok(Target::Dim(var));
        }
        if let Some(size) = self.size()? {
            return Ok(Target::Dim(Dim::Literal(size)));
        }
        let Some((name, _)) = self.name() else {
            return Err(self.unexpected("a dimension: a size, a name, name:1..64, _variable, * or ?"));
        };
        let range = if self.eat(":") { self.range()? } else { scope.ranges.get(name).copied().unwrap_or(Range::ANY) };
        Ok(Target::Dim(Dim::named(name, range)))
    }

    /// What follows without a blank.
    fn take_glued(&mut self) -> (&'t str, Span) {
        if self.rest().starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            self.take(|c| c.is_alphanumeric() || c == '_')
        } else {
            ("", Span::from(self.at..self.at))
        }
    }

    /// `[…]`, with −1 allowed.
    pub(super) fn targets(&mut self, scope: &mut Scope<'_>) -> Result<Vec<Target>, TextError> {
        if !self.eat("[") {
            return Err(self.unexpected("a shape, as in [batch, 784]"));
        }
        let mut axes = Vec::new();
        if self.eat("]") {
            return Ok(axes);
        }
        loop {
            let start = self.place();
            axes.push(self.target(scope)?);
            if axes.len() > MAX_RANK {
                return Err(TextError { problem: TextProblem::Rank, span: Span::from(start..self.at) });
            }
            if self.eat("]") {
                return Ok(axes);
            }
            if !self.eat(",") {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    /// `[…]` without −1.
    pub(super) fn shape(&mut self, scope: &mut Scope<'_>) -> Result<Shape, TextError> {
        let start = self.place();
        let axes = self.targets(scope)?.into_iter().map(|axis| match axis {
            Target::Dim(dim) => Ok(dim),
            Target::Infer => Err(TextError { problem: TextProblem::Inferred, span: Span::from(start..self.at) }),
        });
        axes.collect::<Result<Vec<Dim>, _>>().map(Shape)
    }
}

/// What names and variables stand for while a text is read.
pub(super) struct Scope<'c> {
    pub(super) context: &'c mut Context,
    /// Ranges declared for names.
    pub(super) ranges: &'c BTreeMap<String, Range>,
}

impl Shape {
    /// Reads a shape.
    ///
    /// # Errors
    /// [`TextError`] with the place.
    pub fn parse(text: &str, context: &mut Context) -> Result<Shape, TextError> {
        let mut scanner = Scanner::new(text, 0, text.len());
        let shape = scanner.shape(&mut Scope { context, ranges: &BTreeMap::new() })?;
        if scanner.at_end() { Ok(shape) } else { Err(scanner.unexpected("the end of the shape")) }
    }
}

/// Reads the axes that a reshape asks for; -1 is the one to be inferred.
///
/// # Errors
/// [`TextError`] with the place.
pub fn parse_target(text: &str, context: &mut Context) -> Result<Vec<Target>, TextError> {
    let mut scanner = Scanner::new(text, 0, text.len());
    let axes = scanner.targets(&mut Scope { context, ranges: &BTreeMap::new() })?;
    if scanner.at_end() { Ok(axes) } else { Err(scanner.unexpected("the end of the shape")) }
}
