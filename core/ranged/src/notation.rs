//! Dimensions and shapes as text (D12): `[batch:1..64, 784, _k, *, ?]`.

use super::context::Context;
use super::dim::{Dim, EmptyRange, Range, Size};
use super::reshape::Target;
use super::shape::{MAX_RANK, Shape};
use lozenge_notation::text::shortened;
use lozenge_notation::{Cursor, Problem, Span, SyntaxError, Unexpected};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A text that is no shape, with its place.
pub type TextError = SyntaxError<TextProblem>;

/// What can be wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextProblem {
    /// Something else was expected here.
    Unexpected(Unexpected),
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
            TextProblem::Unexpected(it) => it.fmt(f),
            TextProblem::SizeZero => write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX),
            TextProblem::Number(text) => write!(f, "{text} is too large: numbers go up to {}", u64::MAX),
            TextProblem::EmptyRange(error) => error.fmt(f),
            TextProblem::Rank => write!(f, "a shape has at most {MAX_RANK} axes"),
            TextProblem::Inferred => write!(f, "-1 stands only in the shape that a reshape asks for"),
        }
    }
}

impl Problem for TextProblem {
    fn is_limit(&self) -> bool {
        matches!(self, TextProblem::Number(_) | TextProblem::Rank)
    }
}

/// Letters, digits and underscores of a name.
pub(super) fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Reads a line of a text with problems `P` from left to right. Blanks are skipped before everything.
pub(super) struct Scanner<'t, P> {
    cursor: Cursor<'t>,
    problems: PhantomData<P>,
}

type Scanned<T, P> = Result<T, SyntaxError<P>>;

impl<'t, P: From<TextProblem>> Scanner<'t, P> {
    pub(super) fn new(cursor: Cursor<'t>) -> Self {
        Scanner { cursor, problems: PhantomData }
    }

    fn skip(&mut self) {
        self.cursor.take_while(|c| matches!(c, ' ' | '\t' | '\r'));
    }

    pub(super) fn place(&mut self) -> usize {
        self.skip();
        self.cursor.position()
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.skip();
        self.cursor.is_end()
    }

    /// Takes this sign if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        self.skip();
        self.cursor.eat(sign)
    }

    /// A name: a letter, then letters, digits and underscores.
    pub(super) fn name(&mut self) -> Option<(&'t str, Span)> {
        let start = self.place();
        let name = self.cursor.word(char::is_alphabetic, in_name)?;
        Some((name, self.cursor.since(start)))
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Scanned<Option<(u64, Span)>, P> {
        let start = self.place();
        let Some(digits) = self.cursor.digits() else { return Ok(None) };
        let span = self.cursor.since(start);
        match digits.parse() {
            Ok(n) => Ok(Some((n, span))),
            Err(_) => Err(SyntaxError::new(TextProblem::Number(shortened(digits, 24)), span)),
        }
    }

    /// What stands here is not what it should be.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> SyntaxError<P> {
        let start = self.place();
        let mut after = self.cursor.clone();
        if after.take_while(|c| !matches!(c, ' ' | '\t' | ',' | ']' | '[' | '=')).is_empty() {
            after.take();
        }
        let span = after.since(start);
        let found = match self.cursor.text(span) {
            "" => "the end of the line".to_owned(),
            found => format!("`{}`", shortened(found, 40)),
        };
        SyntaxError::new(TextProblem::Unexpected(Unexpected { found, expected }), span)
    }

    /// This word, if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let before = self.cursor.clone();
        let here = self.name().is_some_and(|(name, _)| name == word);
        if !here {
            self.cursor = before;
        }
        here
    }

    /// The text between two places, with single blanks.
    pub(super) fn between(&self, start: usize, end: usize) -> String {
        self.cursor.text((start..end).into()).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn size(&mut self) -> Scanned<Option<Size>, P> {
        let Some((n, span)) = self.number()? else { return Ok(None) };
        Size::new(n).map(Some).ok_or(SyntaxError::new(TextProblem::SizeZero, span))
    }

    /// `1..64`, `1..`, or `32` for that size alone.
    pub(super) fn range(&mut self) -> Scanned<Range, P> {
        let start = self.place();
        let Some(lo) = self.size()? else { return Err(self.unexpected("a size, as in 1..64")) };
        if !self.eat("..") {
            return Ok(Range::exactly(lo));
        }
        let hi = self.size()?;
        let span = self.cursor.since(start);
        Range::new(lo, hi).map_err(|error| SyntaxError::new(TextProblem::EmptyRange(error), span))
    }

    /// One axis.
    pub(super) fn target(&mut self, scope: &mut Scope<'_>) -> Scanned<Target, P> {
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
            // Without a blank: `_ k` are two.
            let name = self.cursor.take_while(in_name);
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

    /// `[…]`, with −1 allowed.
    pub(super) fn targets(&mut self, scope: &mut Scope<'_>) -> Scanned<Vec<Target>, P> {
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
                return Err(SyntaxError::new(TextProblem::Rank, self.cursor.since(start)));
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
    pub(super) fn shape(&mut self, scope: &mut Scope<'_>) -> Scanned<Shape, P> {
        let start = self.place();
        let axes = self.targets(scope)?.into_iter().map(|axis| match axis {
            Target::Dim(dim) => Ok(dim),
            Target::Infer => Err(SyntaxError::new(TextProblem::Inferred, self.cursor.since(start))),
        });
        axes.collect::<Scanned<Vec<Dim>, P>>().map(Shape)
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
        let mut scanner = Scanner::new(Cursor::new(text));
        let shape = scanner.shape(&mut Scope { context, ranges: &BTreeMap::new() })?;
        if scanner.at_end() { Ok(shape) } else { Err(scanner.unexpected("the end of the shape")) }
    }
}

/// Reads the axes that a reshape asks for; -1 is the one to be inferred.
///
/// # Errors
/// [`TextError`] with the place.
pub fn parse_target(text: &str, context: &mut Context) -> Result<Vec<Target>, TextError> {
    let mut scanner = Scanner::new(Cursor::new(text));
    let axes = scanner.targets(&mut Scope { context, ranges: &BTreeMap::new() })?;
    if scanner.at_end() { Ok(axes) } else { Err(scanner.unexpected("the end of the shape")) }
}
