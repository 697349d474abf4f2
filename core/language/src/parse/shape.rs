//! Declared shapes.

use super::{Parsed, Parser};
use crate::lexer::Token;
use crate::shape::{Declared, DeclaredAxis, DeclaredRow, RowName};

impl Parser<'_> {
    /// `batch | input -> output`, `input -> output`, `batch | output`, `output`.
    pub(super) fn shape(&mut self) -> Parsed<Declared> {
        let start = self.span();
        if !matches!(self.token(), Token::Int(_) | Token::Name(_) | Token::Sign("..." | ".." | "|" | "->" | "?" | "_"))
        {
            return self.unexpected("a shape, as in `batch | 3 -> 10` or `28, 28`");
        }
        let mut shape = Declared::default();
        let first = self.row()?;
        let rows = &mut shape.rows;
        let second = if self.eat("|") {
            rows.batch = first;
            self.row()?
        } else {
            first
        };
        if self.eat("->") {
            rows.input = second;
            rows.output = self.row()?;
        } else {
            rows.output = second;
        }
        if self.is("|") {
            return self.unexpected("the end of the shape: the batch row comes first, as in `batch | input -> output`");
        }
        shape.span = start.to(self.before());
        Ok(shape)
    }

    /// Axes with commas between them; commas beside a row variable may be left out.
    fn row(&mut self) -> Parsed<DeclaredRow> {
        let mut row = DeclaredRow::default();
        let (mut comma, mut any) = (true, false);
        loop {
            let var = match self.token() {
                Token::Sign(",") if any => {
                    self.advance();
                    (comma, any) = (true, false);
                    continue;
                }
                Token::Sign("...") => {
                    self.advance();
                    RowName::Any
                }
                Token::Sign("..") => {
                    self.advance();
                    let name = self.name("the name of a row, as in `..r..`")?;
                    self.expect("..", "`..` after the name of a row, as in `..r..`")?;
                    RowName::Named(name.text)
                }
                Token::Int(_) | Token::Name(_) | Token::Sign("?" | "_") => {
                    if !comma {
                        return self.unexpected("`,` between axes");
                    }
                    let axis = self.axis()?;
                    if row.var.is_some() { &mut row.trail } else { &mut row.lead }.push(axis);
                    (comma, any) = (false, true);
                    continue;
                }
                _ => break,
            };
            if row.var.replace(var).is_some() {
                self.next -= 1;
                return self.unexpected("an axis: a row has at most one `...` or `..name..`");
            }
            (comma, any) = (true, true);
        }
        if row.var.is_none() {
            row.trail = std::mem::take(&mut row.lead);
        }
        Ok(row)
    }

    fn axis(&mut self) -> Parsed<DeclaredAxis> {
        if let Token::Int(_) = self.token() {
            let size = self.size("a size")?;
            let basis = if self.eat(":") { Some(self.name("the name of a basis, as in 3:rgb")?.text) } else { None };
            return Ok(DeclaredAxis::Size(size, basis.filter(|b| b != "default")));
        }
        if self.eat("?") || self.eat("_") {
            return Ok(DeclaredAxis::Unknown);
        }
        if self.token() == Token::Name("unit") {
            self.advance();
            return Ok(DeclaredAxis::Unit);
        }
        Ok(DeclaredAxis::Named(self.name("an axis: a size, `?`, or the name of a dimension")?.text))
    }
}
