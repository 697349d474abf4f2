//! The grammar of specifications.

use super::error::{SpecError, SpecProblem};
use super::lexer::{Token, is_multi_character, tokens};
use super::numpy;
use super::{Affine, Axis, Factor, Kernel, Spec, SpecRow, SpecSlot};
use crate::ast::Convolution;
use crate::shape::Kind;
use lozenge_notation::Span;
use std::collections::BTreeMap;
use std::str::FromStr;

type Parsed<T> = Result<T, SpecError>;

struct Parser<'a> {
    text: &'a str,
    multi: bool,
    tokens: Vec<(Token, Span)>,
    next: usize,
    /// What each name stands for: a row variable, or (false) an axis.
    rows: BTreeMap<String, bool>,
    /// The first convolution without a mode.
    unspecified: Option<Span>,
}

/// The place of the first convolution in a specification that does not say its mode.
#[must_use]
pub fn unspecified(text: &str) -> Option<Span> {
    let mut parser = Parser::new(text).ok()?;
    parser.spec().ok()?;
    parser.unspecified
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Parsed<Spec> {
        match numpy::read(text)? {
            Some(ours) => Parser::new(&ours)?.spec(),
            None => Parser::new(text)?.spec(),
        }
    }
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Self> {
        let multi = is_multi_character(text);
        let tokens = tokens(text, multi)?;
        Ok(Parser { text, multi, tokens, next: 0, rows: BTreeMap::new(), unspecified: None })
    }

    fn token(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    /// The token after the next.
    fn second(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.next).map_or((self.text.len()..self.text.len()).into(), |(_, span)| *span)
    }

    fn eat(&mut self, token: &Token) -> bool {
        let here = self.token() == token;
        self.next += usize::from(here);
        here
    }

    fn unexpected<T>(&self, expected: &'static str) -> Parsed<T> {
        let found = match self.span().text(self.text) {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        };
        Err(SpecError::unexpected(found, expected, self.span()))
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
            Token::Implies => Err(SpecError::new(SpecProblem::SecondArrow, self.span())),
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
    fn slot(&mut self) -> Parsed<SpecSlot> {
        let mut slot = SpecSlot::default();
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
            match self.token() {
                Token::Ellipsis => {
                    self.row_variable(&mut row, kind.name().to_owned())?;
                    last = Last::RowVar;
                }
                Token::RowVar(name) => {
                    let name = name.clone();
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
            return Err(SpecError::new(SpecProblem::SecondRowVariable, self.span()));
        }
        self.claim(&name, true)?;
        row.var = Some(name);
        self.next += 1;
        Ok(())
    }

    /// One name is a label or a row variable, not both.
    fn claim(&mut self, name: &str, row: bool) -> Parsed<()> {
        match self.rows.get(name) {
            Some(known) if *known == row => Ok(()),
            Some(_) => Err(SpecError::new(SpecProblem::LabelAndRow(name.to_owned()), self.span())),
            None => {
                self.rows.insert(name.to_owned(), row);
                Ok(())
            }
        }
    }

    fn label(&mut self, expected: &'static str) -> Parsed<String> {
        let Token::Name(name) = self.token().clone() else { return self.unexpected(expected) };
        self.claim(&name, false)?;
        self.next += 1;
        Ok(name)
    }

    fn axis(&mut self) -> Parsed<Axis> {
        match (self.token(), self.second()) {
            (Token::Underscore, _) => {
                self.next += 1;
                Ok(Axis::Anonymous)
            }
            (Token::Int(_) | Token::Name(_), Token::Star) => self.affine().map(Axis::Affine),
            // No axis has an element with that index.
            (Token::Int(u64::MAX), _) => Err(SpecError::new(SpecProblem::TooLarge(u64::MAX.to_string()), self.span())),
            (Token::Int(index), _) => {
                let index = *index;
                self.next += 1;
                Ok(Axis::Fixed(index))
            }
            (_, Token::Equal | Token::Less | Token::Plus) => self.affine().map(Axis::Affine),
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
        let start = self.span();
        let stride = self.factor();
        let over = self.label("the label that is strided over, as in `2*o`")?;
        let mode = match self.token() {
            Token::Equal => Some(Convolution::Padded),
            Token::Less => Some(Convolution::Valid),
            Token::Plus => None,
            _ => return Ok(Affine { stride, over, offset: None, kernel: None }),
        };
        self.next += usize::from(mode.is_some());
        if !self.eat(&Token::Plus) {
            return self.unexpected("`+` and the kernel's label, as in `o=+k` (padded) or `o<+k` (valid)");
        }
        let mut offset = None;
        if let (Token::Int(c), second) = (self.token().clone(), self.second().clone()) {
            if second == Token::Plus {
                offset = Some(c);
                self.next += 2;
            } else if second != Token::Star && mode.is_none() {
                return self.strided(stride, over, c);
            }
        }
        let kernel = self.kernel(mode)?;
        if mode.is_none() {
            let end = self.tokens.get(self.next.wrapping_sub(1)).map_or(start, |(_, span)| *span);
            self.unspecified.get_or_insert(start.to(end));
        }
        Ok(Affine { stride, over, offset, kernel: Some(kernel) })
    }

    /// `s*o+c`, at the offset.
    fn strided(&mut self, stride: Option<Factor>, over: String, offset: u64) -> Parsed<Affine> {
        if stride.is_none() {
            return Err(SpecError::new(SpecProblem::OffsetAlone { label: over, offset }, self.span()));
        }
        self.next += 1;
        Ok(Affine { stride, over, offset: Some(offset), kernel: None })
    }

    /// `e*k`, the kernel of a convolution.
    fn kernel(&mut self, mode: Option<Convolution>) -> Parsed<Kernel> {
        let dilation = self.factor();
        let label = self.label(match mode {
            Some(_) => "the kernel's label, as in `o=+k` or `o=+2*k`",
            None => "a constant offset as in `2*o+1`, or the kernel's label as in `o+k` or `o+2*k`",
        })?;
        Ok(Kernel { mode, dilation, label })
    }
}
