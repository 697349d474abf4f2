//! The grammar of specifications, in its two lexical modes.

use super::{Affine, Axis, Factor, Kernel, Slot, Spec, SpecRow};
use crate::shape::Kind;
use lozenge_notation::Span;
use lozenge_notation::text::{TooLong, check_name};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A problem in a specification, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// What is wrong.
    pub problem: SpecProblem,
    /// Where, as a range of bytes of the specification.
    pub at: Range<usize>,
}

/// What can be wrong with a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpecProblem {
    /// Something else was expected here.
    Unexpected {
        /// What stands here.
        found: String,
        /// What could stand here.
        expected: &'static str,
    },
    /// A character that specifications do not use.
    Character(char),
    /// An index that does not fit 64 bits.
    TooLarge(String),
    /// A second row variable in one row.
    SecondRowVariable,
    /// One name as a label and as a row variable.
    LabelAndRow(String),
    /// A second `=>`.
    SecondArrow,
    /// A name that is longer than it may be.
    TooLong(TooLong),
}

impl fmt::Display for SpecProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecProblem::Unexpected { found, expected } => write!(f, "found {found}, expected {expected}"),
            SpecProblem::Character(c) => write!(f, "the character {c:?} is not part of a specification"),
            SpecProblem::TooLarge(digits) => write!(f, "index {digits} is too large: indices go up to {}", u64::MAX),
            SpecProblem::SecondRowVariable => {
                write!(f, "a second row variable: a row has at most one `...` or `..name..`")
            }
            SpecProblem::LabelAndRow(name) => {
                write!(
                    f,
                    "`{name}` is the name of a row variable and of an axis here: use another name for one of them"
                )
            }
            SpecProblem::SecondArrow => write!(f, "a second `=>`: one result stands on the right of one `=>`"),
            SpecProblem::TooLong(what) => what.fmt(f),
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for SpecError {}

impl SpecError {
    /// The message over the specification, with carets under the place.
    #[must_use]
    pub fn render(&self, spec: &str) -> String {
        format!("{self}\n{}", Span::from(self.at.clone()).excerpt(spec))
    }
}

/// The mode of a specification: multi-character if it has any of `, * + ^ <`, or an `=` that does not
/// begin `=>`.
#[must_use]
pub fn is_multi_character(spec: &str) -> bool {
    let arrow = |at: usize| spec[at..].starts_with("=>");
    spec.char_indices().any(|(at, c)| matches!(c, ',' | '*' | '+' | '^' | '<') || (c == '=' && !arrow(at)))
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Int(u64),
    Name(String),
    Underscore,
    Ellipsis,
    /// `..r..`
    RowVar(String),
    Comma,
    Bar,
    Arrow,
    Semicolon,
    Implies,
    Star,
    Plus,
    Caret,
    Equal,
    Less,
    End,
}

type Parsed<T> = Result<T, SpecError>;

/// Tokens with their places; the last is `End`.
fn tokens(text: &str) -> Parsed<Vec<(Token, Range<usize>)>> {
    let multi = is_multi_character(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let token = token(text, &mut at, first, multi)?;
        if let Token::Name(name) | Token::RowVar(name) = &token {
            check_name(name).map_err(|long| SpecError { problem: SpecProblem::TooLong(long), at: start..at })?;
        }
        found.push((token, start..at));
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

/// The name at this place: one letter, or an identifier.
fn name(text: &str, at: usize, multi: bool) -> Option<&str> {
    let rest = &text[at..];
    let first = rest.chars().next().filter(char::is_ascii_alphabetic)?;
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = if multi { rest.find(|c| !in_name(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
    Some(&rest[..end])
}

fn token(text: &str, at: &mut usize, first: char, multi: bool) -> Parsed<Token> {
    const FIXED: [(&str, Token); 12] = [
        ("...", Token::Ellipsis),
        ("=>", Token::Implies),
        ("->", Token::Arrow),
        (",", Token::Comma),
        ("|", Token::Bar),
        (";", Token::Semicolon),
        ("_", Token::Underscore),
        ("*", Token::Star),
        ("+", Token::Plus),
        ("^", Token::Caret),
        ("=", Token::Equal),
        ("<", Token::Less),
    ];
    let rest = &text[*at..];
    if let Some((spelling, token)) = FIXED.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
        *at += spelling.len();
        return Ok(token.clone());
    }
    if rest.starts_with("..") {
        return row_var(text, at, multi);
    }
    if first.is_ascii_digit() {
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        let here = *at..*at + digits.len();
        *at = here.end;
        let too_large = |_| SpecError { problem: SpecProblem::TooLarge(digits.to_owned()), at: here };
        return digits.parse().map(Token::Int).map_err(too_large);
    }
    if let Some(name) = name(text, *at, multi) {
        *at += name.len();
        return Ok(Token::Name(name.to_owned()));
    }
    Err(SpecError { problem: SpecProblem::Character(first), at: *at..*at + first.len_utf8() })
}

/// `..r..`, blanks allowed inside.
fn row_var(text: &str, at: &mut usize, multi: bool) -> Parsed<Token> {
    let blanks = |at: usize| at + text[at..].len() - text[at..].trim_start().len();
    let wrong = |at: usize, expected: &'static str| {
        let found = text[at..].chars().next().map_or("the end".to_owned(), |c| format!("`{c}`"));
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        SpecError { problem: SpecProblem::Unexpected { found, expected }, at: at..end }
    };
    let start = blanks(*at + 2);
    let expected = if multi {
        "`...`, or the name of a row variable as in `..rows..`"
    } else {
        "`...`, or one letter, the name of a row variable, as in `..r..`"
    };
    let name = name(text, start, multi).ok_or_else(|| wrong(start, expected))?;
    let end = blanks(start + name.len());
    if !text[end..].starts_with("..") {
        let expected = if multi {
            "`..` after the name of a row variable"
        } else {
            "`..`: without a comma, names have one letter (a comma anywhere in the specification allows longer ones)"
        };
        return Err(wrong(end, expected));
    }
    *at = end + 2;
    Ok(Token::RowVar(name.to_owned()))
}

struct Parser<'a> {
    text: &'a str,
    multi: bool,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    /// What each name stands for: a row variable, or (false) an axis.
    rows: BTreeMap<String, bool>,
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Parsed<Spec> {
        let (multi, tokens) = (is_multi_character(text), tokens(text)?);
        let mut parser = Parser { text, multi, tokens, next: 0, rows: BTreeMap::new() };
        parser.spec()
    }
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    /// The token after the next.
    fn second(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |(token, _)| token)
    }

    fn at(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.text.len()..self.text.len(), |(_, at)| at.clone())
    }

    fn eat(&mut self, token: &Token) -> bool {
        let here = self.token() == token;
        self.next += usize::from(here);
        here
    }

    fn unexpected<T>(&self, expected: &'static str) -> Parsed<T> {
        let at = self.at();
        let found = if at.is_empty() { "the end".to_owned() } else { format!("`{}`", &self.text[at.clone()]) };
        Err(SpecError { problem: SpecProblem::Unexpected { found, expected }, at })
    }

    fn spec(&mut self) -> Parsed<Spec> {
        let mut operands = vec![self.slot()?];
        while self.eat(&Token::Semicolon) {
            operands.push(self.slot()?);
        }
        if !self.eat(&Token::Implies) {
            return self.unexpected(self.between("`;`, `=>`"));
        }
        let result = self.slot()?;
        match self.token() {
            Token::End => Ok(Spec { operands, result }),
            Token::Implies => Err(SpecError { problem: SpecProblem::SecondArrow, at: self.at() }),
            Token::Semicolon => self.unexpected("the end: there is one result, on the right of `=>`"),
            _ => self.unexpected(self.between("the end")),
        }
    }

    /// What may follow an axis, said with the separator of the mode.
    fn between(&self, after: &'static str) -> &'static str {
        match (self.multi, after) {
            (true, "the end") => "`,` between axes, or the end",
            (true, _) => "`,` between axes, `|` or `->` after a row, `;` before the next operand, or `=>`",
            (false, "the end") => "an axis, or the end",
            (false, _) => "an axis, `|` or `->` after a row, `;` before the next operand, or `=>`",
        }
    }

    /// `batch | input -> output`, `input -> output`, `batch | output`, `output`.
    fn slot(&mut self) -> Parsed<Slot> {
        let mut slot = Slot::default();
        let has = |parser: &Self, wanted: &Token| {
            let rest = parser.tokens.iter().skip(parser.next).map(|(token, _)| token);
            rest.take_while(|t| !matches!(t, Token::Semicolon | Token::Implies | Token::End)).any(|t| t == wanted)
        };
        let (bar, arrow) = (has(self, &Token::Bar), has(self, &Token::Arrow));
        if bar {
            slot.batch = self.row(Kind::Batch)?;
            if !self.eat(&Token::Bar) {
                return self.unexpected("`|` after the batch row (the order is batch | input -> output)");
            }
        }
        if arrow {
            slot.input = self.row(Kind::Input)?;
            if !self.eat(&Token::Arrow) {
                return self.unexpected("`->` after the input row (the order is batch | input -> output)");
            }
        }
        slot.output = self.row(Kind::Output)?;
        match self.token() {
            Token::Bar => self.unexpected("`;` or `=>`: the batch row, before `|`, comes first and once"),
            Token::Arrow => self.unexpected("`;` or `=>`: a slot has one `->`"),
            _ => Ok(slot),
        }
    }

    fn row(&mut self, kind: Kind) -> Parsed<SpecRow> {
        #[derive(PartialEq)]
        enum Last {
            Nothing,
            Comma,
            Axis,
            RowVar,
        }
        let (mut row, mut last) = (SpecRow::default(), Last::Nothing);
        loop {
            match self.token().clone() {
                Token::Ellipsis => {
                    self.row_variable(&mut row, kind.name().to_owned())?;
                    last = Last::RowVar;
                }
                Token::RowVar(name) => {
                    self.row_variable(&mut row, name)?;
                    last = Last::RowVar;
                }
                Token::Comma if matches!(last, Last::Axis | Last::RowVar) => {
                    self.next += 1;
                    last = Last::Comma;
                }
                Token::Comma => return self.unexpected("an axis: a label, an index, `_` or `...`"),
                Token::Int(_) | Token::Name(_) | Token::Underscore => {
                    if self.multi && last == Last::Axis {
                        return self.unexpected("`,` between axes");
                    }
                    let axis = self.axis()?;
                    if row.var.is_some() { &mut row.trail } else { &mut row.lead }.push(axis);
                    last = Last::Axis;
                }
                _ => break,
            }
        }
        if row.var.is_none() {
            // Without a row variable all axes are trailing.
            row.trail = std::mem::take(&mut row.lead);
        }
        Ok(row)
    }

    fn row_variable(&mut self, row: &mut SpecRow, name: String) -> Parsed<()> {
        if row.var.is_some() {
            return Err(SpecError { problem: SpecProblem::SecondRowVariable, at: self.at() });
        }
        self.claim(&name, true)?;
        row.var = Some(name);
        self.next += 1;
        Ok(())
    }

    /// One name is a label or a row variable, not both.
    fn claim(&mut self, name: &str, row: bool) -> Parsed<()> {
        if *self.rows.entry(name.to_owned()).or_insert(row) != row {
            return Err(SpecError { problem: SpecProblem::LabelAndRow(name.to_owned()), at: self.at() });
        }
        Ok(())
    }

    fn label(&mut self, expected: &'static str) -> Parsed<String> {
        let Token::Name(name) = self.token().clone() else { return self.unexpected(expected) };
        self.claim(&name, false)?;
        self.next += 1;
        Ok(name)
    }

    fn axis(&mut self) -> Parsed<Axis> {
        match (self.token().clone(), self.second()) {
            (Token::Underscore, _) => {
                self.next += 1;
                Ok(Axis::Anonymous)
            }
            (Token::Int(_) | Token::Name(_), Token::Star) => self.affine().map(Axis::Affine),
            (Token::Int(index), _) => {
                self.next += 1;
                Ok(Axis::Fixed(index))
            }
            (_, Token::Equal | Token::Less) => self.affine().map(Axis::Affine),
            (_, Token::Caret) => {
                let mut labels = vec![self.label("a label")?];
                while self.eat(&Token::Caret) {
                    labels.push(self.label("a label after `^`")?);
                }
                Ok(Axis::Concat(labels))
            }
            _ => self.label("an axis").map(Axis::Label),
        }
    }

    /// `s *`, where it stands.
    fn factor(&mut self) -> Option<Factor> {
        if self.second() != &Token::Star {
            return None;
        }
        let factor = match self.token() {
            Token::Int(n) => Factor::Number(*n),
            Token::Name(name) => Factor::Name(name.clone()),
            _ => return None,
        };
        self.next += 2;
        Some(factor)
    }

    fn affine(&mut self) -> Parsed<Affine> {
        let stride = self.factor();
        let over = self.label("the label that is strided over, as in `2*o`")?;
        let padded = match self.token() {
            Token::Equal => true,
            Token::Less => false,
            _ => {
                let offset = if self.eat(&Token::Plus) { Some(self.int("a constant offset after `+`")?) } else { None };
                return Ok(Affine { stride, over, offset, kernel: None });
            }
        };
        self.next += 1;
        if !self.eat(&Token::Plus) {
            return self.unexpected("`+` and the kernel's label, as in `o=+k` (padded) or `o<+k` (valid)");
        }
        let mut offset = None;
        if let (Token::Int(c), Token::Plus) = (self.token().clone(), self.second()) {
            offset = Some(c);
            self.next += 2;
        }
        let dilation = self.factor();
        let label = self.label("the kernel's label, as in `o=+k` or `o=+2*k`")?;
        Ok(Affine { stride, over, offset, kernel: Some(Kernel { padded, dilation, label }) })
    }

    fn int(&mut self, expected: &'static str) -> Parsed<u64> {
        let Token::Int(n) = *self.token() else { return self.unexpected(expected) };
        self.next += 1;
        Ok(n)
    }
}
