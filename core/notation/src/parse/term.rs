//! Dimensions and rows.

use super::{Parsed, Parser};
use crate::error::NotationProblem;
use crate::lexer::Token;
use crate::{Span, SyntaxError};
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::names::Sort;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

impl Parser<'_, '_> {
    /// dim ::= '1∅' | size [':' basis] | name, with its place.
    pub(super) fn dim_term(&mut self) -> Parsed<(DimTerm, Span)> {
        let span = self.span;
        let term = match self.token {
            Token::Unit => {
                self.advance()?;
                DimTerm::Dim(Dim::Unit)
            }
            Token::Digits(digits) => {
                let too_large = |_| SyntaxError::new(NotationProblem::SizeTooLarge(digits.to_owned()), span);
                let size: u64 = digits.parse().map_err(too_large)?;
                self.advance()?;
                let basis = self.basis()?;
                let atom = Atom::new(size, basis).map_err(|_| SyntaxError::new(NotationProblem::SizeZero, span))?;
                DimTerm::Dim(Dim::Atom(atom))
            }
            Token::Name(_) | Token::Fresh(_) => DimTerm::Var(DimVar(self.variable(Sort::Dim)?.id())),
            _ => return self.unexpected("a dimension: 1∅ (typed unit), a size such as 3 or 3:rgb, or a variable"),
        };
        Ok((term, span))
    }

    /// [':' basis], `default` when absent.
    fn basis(&mut self) -> Parsed<Basis> {
        if self.token != Token::Colon {
            return Ok(Basis::DEFAULT);
        }
        self.advance()?;
        // A basis without a name is shown as ?1, and is never read: the number may come to be that of a name.
        let Token::Name(name) = self.token else { return self.wrong(NotationProblem::Basis(self.found())) };
        let basis = self.names.basis(name);
        self.advance().map(|()| basis)
    }

    /// A variable at a place where this sort belongs.
    pub(super) fn variable(&mut self, sort: Sort) -> Parsed<Var> {
        let span = self.span;
        let var = match self.token {
            Token::Name(name) => self.names.var(sort, name).map_err(NotationProblem::SortClash),
            Token::Fresh(name) => match self.names.lookup(name) {
                Some(_) => self.names.var(sort, name).map_err(NotationProblem::SortClash),
                None => Err(NotationProblem::NoSuchFresh(name.to_owned())),
            },
            _ => return self.unexpected("the name of a variable"),
        };
        let var = var.map_err(|problem| SyntaxError::new(problem, span))?;
        self.advance()?;
        Ok(var)
    }

    /// flank ::= '[' [dim {',' dim}] ']'
    pub(super) fn flank(&mut self) -> Parsed<Vec<DimTerm>> {
        self.expect(Token::OpenFlank, "a flank such as [3,4]")?;
        let mut flank = Vec::new();
        if self.token != Token::CloseFlank {
            flank.push(self.dim_term()?.0);
            while self.token == Token::Comma {
                self.advance()?;
                flank.push(self.dim_term()?.0);
            }
        }
        self.expect(Token::CloseFlank, "`,` or `]`")?;
        Ok(flank)
    }

    /// row ::= [flank] ['·'] ('⋄' | '⟨' name '⟩') ['·'] [flank]
    pub(super) fn row_term(&mut self) -> Parsed<RowTerm> {
        if self.token == Token::OpenFlank {
            let lead = self.flank()?;
            return self.row_after(lead);
        }
        self.middle_onwards(Vec::new())
    }

    pub(super) fn row_after(&mut self, lead: Vec<DimTerm>) -> Parsed<RowTerm> {
        self.skip(Token::Dot)?;
        self.middle_onwards(lead)
    }

    /// ('⋄' | '⟨' name '⟩') ['·'] [flank]
    fn middle_onwards(&mut self, lead: Vec<DimTerm>) -> Parsed<RowTerm> {
        let var = match self.token {
            Token::Marker => self.advance().map(|()| None)?,
            Token::OpenVar => Some(self.row_variable()?),
            _ => return self.wrong(NotationProblem::NoMarker),
        };
        let trail = match self.token {
            Token::Dot => self.advance().and_then(|()| self.trailing())?,
            Token::OpenFlank | Token::OpenVar | Token::Marker => self.trailing()?,
            _ => Vec::new(),
        };
        if matches!(self.token, Token::OpenVar | Token::Marker) {
            return self.wrong(NotationProblem::SecondRowVariable);
        }
        Ok(RowTerm::new(lead, var, trail))
    }

    fn trailing(&mut self) -> Parsed<Vec<DimTerm>> {
        if matches!(self.token, Token::OpenVar | Token::Marker) {
            return self.wrong(NotationProblem::SecondRowVariable);
        }
        let flank = self.flank()?;
        self.skip_dot_before_second_variable()?;
        Ok(flank)
    }

    /// `[a]·⟨p⟩·[b]·⟨q⟩`: say that the second variable is one too many, not that the dot is.
    fn skip_dot_before_second_variable(&mut self) -> Parsed<()> {
        if self.token != Token::Dot {
            return Ok(());
        }
        let dot = self.span;
        self.advance()?;
        match self.token {
            Token::OpenVar | Token::Marker => Ok(()),
            _ => Err(SyntaxError::unexpected("`·`", "the end of the row", dot)),
        }
    }

    /// '⟨' name '⟩'
    pub(super) fn row_variable(&mut self) -> Parsed<RowVar> {
        self.expect(Token::OpenVar, "a row variable ⟨ρ⟩ (typed <r>)")?;
        let var = self.variable(Sort::Row)?;
        self.expect(Token::CloseVar, "`⟩` (typed >)")?;
        Ok(RowVar(var.id()))
    }

    pub(super) fn ground_row(&mut self) -> Parsed<Row> {
        let start = self.span.start;
        let row = self.row_term()?;
        self.grounded(&row, start)
    }

    pub(super) fn grounded(&self, row: &RowTerm, start: usize) -> Parsed<Row> {
        match row.var {
            Some(v) => Err(self.not_ground(self.since(start), Var::Row(v))),
            None => Ok(Row::new(self.ground_flank(&row.lead, start)?, self.ground_flank(&row.trail, start)?)),
        }
    }

    pub(super) fn ground_flank(&self, flank: &[DimTerm], start: usize) -> Parsed<Vec<Dim>> {
        flank.iter().map(|t| self.ground_dim(*t, self.since(start))).collect()
    }

    pub(super) fn ground_dim(&self, term: DimTerm, span: Span) -> Parsed<Dim> {
        match term {
            DimTerm::Dim(d) => Ok(d),
            DimTerm::Var(v) => Err(self.not_ground(span, Var::Dim(v))),
        }
    }

    fn not_ground(&self, span: Span, var: Var) -> SyntaxError<NotationProblem> {
        let name = self.names.show(&var).to_string();
        SyntaxError::new(NotationProblem::NotGround(name), span)
    }
}
