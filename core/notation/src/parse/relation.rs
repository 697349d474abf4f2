//! Constraints, and the lines of a ground substitution.

use super::{Parsed, Parser};
use crate::error::NotationProblem;
use crate::lexer::Token;
use crate::{Span, SyntaxError};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::names::Sort;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

impl Parser<'_, '_> {
    /// constraint ::= dim ('=' | '⊑') dim | row ('≈' | '⊑') row
    pub(super) fn constraint(&mut self) -> Parsed<Constraint> {
        let start = self.span.start;
        let left = self.side()?;
        let (relation, span) = (self.token, self.span);
        if !matches!(relation, Token::Le | Token::Eq | Token::FlatEq) {
            return self.unexpected("⊑ (typed <=), = between dimensions, or ≈ (typed ~) between rows");
        }
        self.advance()?;
        let right = self.side()?;
        let wrong = |sort| Err(SyntaxError::new(NotationProblem::WrongEquality(sort), span));
        match (left, relation, right) {
            (Side::Dim(s), Token::Eq, Side::Dim(t)) => Ok(Constraint::DimEq(s, t)),
            (Side::Dim(s), Token::Le, Side::Dim(t)) => Ok(Constraint::DimLe(s, t)),
            (Side::Row(s), Token::FlatEq, Side::Row(t)) => Ok(Constraint::RowEq(s, t)),
            (Side::Row(s), Token::Le, Side::Row(t)) => Ok(Constraint::RowLe(s, t)),
            (Side::Dim(_), Token::FlatEq, Side::Dim(_)) => wrong(Sort::Dim),
            (Side::Row(_), Token::Eq, Side::Row(_)) => wrong(Sort::Row),
            (left, _, right) => {
                let problem = NotationProblem::SortMismatch { left: left.sort(), right: right.sort() };
                Err(SyntaxError::new(problem, self.since(start)))
            }
        }
    }

    fn side(&mut self) -> Parsed<Side> {
        match self.token {
            Token::OpenFlank | Token::OpenVar | Token::Marker => self.row_term().map(Side::Row),
            _ => self.dim_term().map(|(t, _)| Side::Dim(t)),
        }
    }

    /// binding ::= name '↦' dim | ['⟨'] name ['⟩'] '↦' row
    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let bracketed = self.token == Token::OpenVar;
        self.skip(Token::OpenVar)?;
        let (found, span) = (self.found(), self.span);
        let (Token::Name(spelling) | Token::Fresh(spelling)) = self.token else {
            return self.unexpected("the name of a variable");
        };
        self.advance()?;
        if bracketed {
            self.expect(Token::CloseVar, "`⟩` (typed >)")?;
        }
        self.expect(Token::MapsTo, "↦ (typed :=)")?;
        let value = self.value(spelling, span, bracketed)?;
        Ok(Binding { name: found.trim_matches('`').to_owned(), span, value })
    }

    /// What a variable with this spelling and place is given.
    fn value(&mut self, spelling: &str, span: Span, bracketed: bool) -> Parsed<Value> {
        let start = self.span.start;
        match self.side()? {
            Side::Dim(_) if bracketed => {
                let problem = NotationProblem::SortMismatch { left: Sort::Row, right: Sort::Dim };
                Err(SyntaxError::new(problem, self.since(start)))
            }
            Side::Dim(t) => {
                let dim = self.ground_dim(t, self.since(start))?;
                Ok(Value::Dim(DimVar(self.bound(spelling, span, Sort::Dim)?.id()), dim))
            }
            Side::Row(r) => {
                let row = self.grounded(&r, start)?;
                Ok(Value::Row(RowVar(self.bound(spelling, span, Sort::Row)?.id()), row))
            }
        }
    }

    /// The variable that gets a value; only the solver makes those that begin with `?`.
    fn bound(&mut self, spelling: &str, span: Span, sort: Sort) -> Parsed<Var> {
        if spelling.starts_with('?') && self.names.lookup(spelling).is_none() {
            return Err(SyntaxError::new(NotationProblem::NoSuchFresh(spelling.to_owned()), span));
        }
        self.names.var(sort, spelling).map_err(|clash| SyntaxError::new(NotationProblem::SortClash(clash), span))
    }
}

/// A line of a ground substitution.
pub(super) struct Binding {
    /// The name of the variable, for messages.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    pub value: Value,
}

pub(super) enum Value {
    Dim(DimVar, Dim),
    Row(RowVar, Row),
}

enum Side {
    Dim(DimTerm),
    Row(RowTerm),
}

impl Side {
    fn sort(&self) -> Sort {
        match self {
            Side::Dim(_) => Sort::Dim,
            Side::Row(_) => Sort::Row,
        }
    }
}
