//! The grammar of spec/notation.md. Nothing in it nests, so nothing here recurses.

use super::error::{NotationError, Problem};
use super::lexer::{Lexer, Token};
use crate::text::check_text;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Atom, Basis, Dim, DimBot};
use lozenge_calculus::names::{Names, Sort};
use lozenge_calculus::rigid::{Rigid, TwoSorted};
use lozenge_calculus::row::Row;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use std::ops::Range;

type Parsed<T> = Result<T, NotationError>;

/// One token of look-ahead over a text, and the names it uses.
struct Parser<'a, 'n> {
    lexer: Lexer<'a>,
    names: &'n mut Names,
    token: Token<'a>,
    at: Range<usize>,
}

/// Neither the text nor a line of it may be too long.
fn short(text: &str) -> Parsed<()> {
    check_text(text).map_err(|(what, at)| NotationError::new(text, at, Problem::TooLong(what)))
}

/// Reads a whole text as one thing.
fn whole<T>(text: &str, names: &mut Names, read: impl Fn(&mut Parser<'_, '_>) -> Parsed<T>) -> Parsed<T> {
    short(text)?;
    let mut parser = Parser::start(text, 0, names)?;
    let parsed = read(&mut parser)?;
    parser.expect(Token::End, "the end of the text")?;
    Ok(parsed)
}

/// A dimension: `1∅`, `3`, `3:rgb`.
///
/// # Errors
/// A [`NotationError`] with the place and what was expected; so for every function here.
pub fn parse_dim(text: &str, names: &mut Names) -> Parsed<Dim> {
    whole(text, names, |p| p.dim_term().and_then(|(t, at)| p.ground_dim(t, at)))
}

/// A dimension or ⊥ (`bot`).
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_dim_bot(text: &str, names: &mut Names) -> Parsed<DimBot> {
    whole(text, names, |p| match p.token {
        Token::Bot => p.advance().map(|()| DimBot::Bot),
        _ => p.dim_term().and_then(|(t, at)| p.ground_dim(t, at)).map(DimBot::Dim),
    })
}

/// A dimension term: a dimension, or a variable.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_dim_term(text: &str, names: &mut Names) -> Parsed<DimTerm> {
    whole(text, names, |p| Ok(p.dim_term()?.0))
}

/// A ground row: `[3]·⋄·[2,4]`, typed `[3] <> [2,4]`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_row(text: &str, names: &mut Names) -> Parsed<Row> {
    whole(text, names, |p| p.ground_row())
}

/// A row term: `[a]·⟨ρ⟩·[4]`, typed `[a] <r> [4]`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_row_term(text: &str, names: &mut Names) -> Parsed<RowTerm> {
    whole(text, names, |p| p.row_term())
}

/// A ground row of either sort; a rigid one is written `[3,5]•`, typed `[3,5]!`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_two_sorted(text: &str, names: &mut Names) -> Parsed<TwoSorted> {
    whole(text, names, |p| {
        if p.token == Token::OpenFlank {
            let start = p.at.start;
            let flank = p.flank()?;
            if p.token == Token::Rigid {
                p.advance()?;
                return Ok(Rigid(p.ground_flank(&flank, start)?).into());
            }
            let row = p.row_after(flank)?;
            return p.grounded(&row, start).map(TwoSorted::Marked);
        }
        p.ground_row().map(TwoSorted::Marked)
    })
}

/// A constraint: `t = t`, `t ⊑ t`, `R ≈ R`, `R ⊑ R`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_constraint(text: &str, names: &mut Names) -> Parsed<Constraint> {
    whole(text, names, |p| p.constraint())
}

/// Constraints, one a line, each with its line number from 1. Blank lines and `#` comments are skipped.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_lines(text: &str, names: &mut Names) -> Parsed<Vec<(usize, Constraint)>> {
    each_line(text, names, |p| p.constraint())
}

/// Constraints, one a line. Blank lines and `#` comments are skipped.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_system(text: &str, names: &mut Names) -> Parsed<Vec<Constraint>> {
    Ok(parse_lines(text, names)?.into_iter().map(|(_, phi)| phi).collect())
}

/// A ground substitution, one variable a line: `a ↦ 3`, `⟨r⟩ ↦ [3]·⋄·[]`, typed `a := 3`, `<r> := [3] <> []`.
/// The brackets around a row variable may be left out here.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_ground(text: &str, names: &mut Names) -> Parsed<Ground> {
    let mut gamma = Ground::default();
    for (_, (name, at, value)) in each_line(text, names, |p| p.binding())? {
        let twice = match value {
            (Var::Dim(v), Value::Dim(d)) => gamma.dims.insert(v, d).is_some(),
            (Var::Row(v), Value::Row(r)) => gamma.rows.insert(v, r).is_some(),
            _ => false,
        };
        if twice {
            return Err(NotationError::new(text, at, Problem::Twice(name)));
        }
    }
    Ok(gamma)
}

enum Value {
    Dim(Dim),
    Row(Row),
}

fn each_line<T>(
    text: &str,
    names: &mut Names,
    read: impl Fn(&mut Parser<'_, '_>) -> Parsed<T>,
) -> Parsed<Vec<(usize, T)>> {
    short(text)?;
    let (mut out, mut start) = (Vec::new(), 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        // The parser sees the text up to the end of this line, so that places are those of the text.
        let end = start + line.trim_end().len();
        let mut parser = Parser::start(&text[..end], start, names)?;
        if parser.token != Token::End {
            out.push((number + 1, read(&mut parser)?));
            parser.expect(Token::End, "the end of the line")?;
        }
        start += line.len();
    }
    Ok(out)
}

impl<'a, 'n> Parser<'a, 'n> {
    fn start(text: &'a str, position: usize, names: &'n mut Names) -> Parsed<Self> {
        let mut lexer = Lexer::new(text, position);
        let (token, at) = lexer.next()?;
        Ok(Parser { lexer, names, token, at })
    }

    fn advance(&mut self) -> Parsed<()> {
        (self.token, self.at) = self.lexer.next()?;
        Ok(())
    }

    fn error(&self, at: Range<usize>, problem: Problem) -> NotationError {
        NotationError::new(self.lexer.source, at, problem)
    }

    /// The token that stands here, for messages.
    fn found(&self) -> String {
        match self.lexer.source.get(self.at.clone()) {
            Some(text) if !text.is_empty() && self.token != Token::End => {
                let mut shown: String = text.chars().take(24).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                format!("`{shown}`")
            }
            _ => "the end".to_owned(),
        }
    }

    fn unexpected<T>(&self, expected: &'static str) -> Parsed<T> {
        Err(self.error(self.at.clone(), Problem::Unexpected { found: self.found(), expected }))
    }

    fn expect(&mut self, token: Token<'_>, expected: &'static str) -> Parsed<()> {
        if self.token != token {
            return self.unexpected(expected);
        }
        if token == Token::End { Ok(()) } else { self.advance() }
    }

    fn skip(&mut self, token: Token<'_>) -> Parsed<()> {
        if self.token == token { self.advance() } else { Ok(()) }
    }

    /// dim ::= '1∅' | size [':' basis] | name, with its place.
    fn dim_term(&mut self) -> Parsed<(DimTerm, Range<usize>)> {
        let at = self.at.clone();
        let term = match self.token {
            Token::Unit => {
                self.advance()?;
                DimTerm::Dim(Dim::Unit)
            }
            Token::Digits(digits) => {
                let too_large = |_| self.error(at.clone(), Problem::SizeTooLarge(digits.to_owned()));
                let size: u64 = digits.parse().map_err(too_large)?;
                self.advance()?;
                let basis = self.basis()?;
                let atom = Atom::new(size, basis).map_err(|_| self.error(at.clone(), Problem::SizeZero))?;
                DimTerm::Dim(Dim::Atom(atom))
            }
            Token::Name(_) | Token::Fresh(_) => DimTerm::Var(DimVar(self.variable(Sort::Dim)?.id())),
            _ => return self.unexpected("a dimension: 1∅ (typed unit), a size such as 3 or 3:rgb, or a variable"),
        };
        Ok((term, at))
    }

    /// [':' basis], `default` when absent.
    fn basis(&mut self) -> Parsed<Basis> {
        if self.token != Token::Colon {
            return Ok(Basis::DEFAULT);
        }
        self.advance()?;
        let basis = match self.token {
            Token::Name(name) => Some(self.names.basis(name)),
            Token::Fresh(name) => {
                let number = name[1..].parse().ok().map(Basis::numbered);
                number.filter(|b| self.names.basis_name(*b).is_none())
            }
            _ => None,
        };
        match basis {
            Some(basis) => self.advance().map(|()| basis),
            None => Err(self.error(self.at.clone(), Problem::Basis(self.found()))),
        }
    }

    /// A variable at a place where this sort belongs.
    fn variable(&mut self, sort: Sort) -> Parsed<Var> {
        let at = self.at.clone();
        let var = match self.token {
            Token::Name(name) => self.names.var(sort, name).map_err(Problem::SortClash),
            Token::Fresh(name) => match self.names.lookup(name) {
                Some(_) => self.names.var(sort, name).map_err(Problem::SortClash),
                None => Err(Problem::NoSuchFresh(name.to_owned())),
            },
            _ => return self.unexpected("the name of a variable"),
        };
        let var = var.map_err(|problem| self.error(at, problem))?;
        self.advance()?;
        Ok(var)
    }

    /// flank ::= '[' [dim {',' dim}] ']'
    fn flank(&mut self) -> Parsed<Vec<DimTerm>> {
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
    fn row_term(&mut self) -> Parsed<RowTerm> {
        if self.token == Token::OpenFlank {
            let lead = self.flank()?;
            return self.row_after(lead);
        }
        self.middle_onwards(Vec::new())
    }

    fn row_after(&mut self, lead: Vec<DimTerm>) -> Parsed<RowTerm> {
        self.skip(Token::Dot)?;
        self.middle_onwards(lead)
    }

    /// ('⋄' | '⟨' name '⟩') ['·'] [flank]
    fn middle_onwards(&mut self, lead: Vec<DimTerm>) -> Parsed<RowTerm> {
        let var = match self.token {
            Token::Marker => self.advance().map(|()| None)?,
            Token::OpenVar => Some(self.row_variable()?),
            _ => return Err(self.error(self.at.clone(), Problem::NoMarker)),
        };
        let trail = match self.token {
            Token::Dot => self.advance().and_then(|()| self.trailing())?,
            Token::OpenFlank | Token::OpenVar | Token::Marker => self.trailing()?,
            _ => Vec::new(),
        };
        if matches!(self.token, Token::OpenVar | Token::Marker) {
            return Err(self.error(self.at.clone(), Problem::SecondRowVariable));
        }
        Ok(RowTerm::new(lead, var, trail))
    }

    fn trailing(&mut self) -> Parsed<Vec<DimTerm>> {
        if matches!(self.token, Token::OpenVar | Token::Marker) {
            return Err(self.error(self.at.clone(), Problem::SecondRowVariable));
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
        let dot = self.at.clone();
        self.advance()?;
        match self.token {
            Token::OpenVar | Token::Marker => Ok(()),
            _ => Err(self.error(dot, Problem::Unexpected { found: "`·`".to_owned(), expected: "the end of the row" })),
        }
    }

    /// '⟨' name '⟩'
    fn row_variable(&mut self) -> Parsed<RowVar> {
        self.expect(Token::OpenVar, "a row variable ⟨ρ⟩ (typed <r>)")?;
        let var = self.variable(Sort::Row)?;
        self.expect(Token::CloseVar, "`⟩` (typed >)")?;
        Ok(RowVar(var.id()))
    }

    fn ground_row(&mut self) -> Parsed<Row> {
        let start = self.at.start;
        let row = self.row_term()?;
        self.grounded(&row, start)
    }

    fn grounded(&self, row: &RowTerm, start: usize) -> Parsed<Row> {
        match row.var {
            Some(v) => Err(self.not_ground(start..self.at.start, Var::Row(v))),
            None => Ok(Row::new(self.ground_flank(&row.lead, start)?, self.ground_flank(&row.trail, start)?)),
        }
    }

    fn ground_flank(&self, flank: &[DimTerm], start: usize) -> Parsed<Vec<Dim>> {
        flank.iter().map(|t| self.ground_dim(*t, start..self.at.start)).collect()
    }

    fn ground_dim(&self, term: DimTerm, at: Range<usize>) -> Parsed<Dim> {
        match term {
            DimTerm::Dim(d) => Ok(d),
            DimTerm::Var(v) => Err(self.not_ground(at, Var::Dim(v))),
        }
    }

    fn not_ground(&self, at: Range<usize>, var: Var) -> NotationError {
        let name = self.names.show(&var).to_string();
        self.error(at, Problem::NotGround(name))
    }

    /// constraint ::= dim ('=' | '⊑') dim | row ('≈' | '⊑') row
    fn constraint(&mut self) -> Parsed<Constraint> {
        let start = self.at.start;
        let left = self.side()?;
        let (relation, at) = (self.token, self.at.clone());
        if !matches!(relation, Token::Le | Token::Eq | Token::FlatEq) {
            return self.unexpected("⊑ (typed <=), = between dimensions, or ≈ (typed ~) between rows");
        }
        self.advance()?;
        let right = self.side()?;
        let wrong = |sort| Err(self.error(at, Problem::WrongEquality(sort)));
        match (left, relation, right) {
            (Side::Dim(s), Token::Eq, Side::Dim(t)) => Ok(Constraint::DimEq(s, t)),
            (Side::Dim(s), Token::Le, Side::Dim(t)) => Ok(Constraint::DimLe(s, t)),
            (Side::Row(s), Token::FlatEq, Side::Row(t)) => Ok(Constraint::RowEq(s, t)),
            (Side::Row(s), Token::Le, Side::Row(t)) => Ok(Constraint::RowLe(s, t)),
            (Side::Dim(_), Token::FlatEq, Side::Dim(_)) => wrong(Sort::Dim),
            (Side::Row(_), Token::Eq, Side::Row(_)) => wrong(Sort::Row),
            (left, _, right) => {
                let problem = Problem::SortMismatch { left: left.sort(), right: right.sort() };
                Err(self.error(start..self.at.start, problem))
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
    fn binding(&mut self) -> Parsed<(String, Range<usize>, (Var, Value))> {
        let bracketed = self.token == Token::OpenVar;
        self.skip(Token::OpenVar)?;
        let (name, at) = (self.found(), self.at.clone());
        let (Token::Name(spelling) | Token::Fresh(spelling)) = self.token else {
            return self.unexpected("the name of a variable");
        };
        self.advance()?;
        if bracketed {
            self.expect(Token::CloseVar, "`⟩` (typed >)")?;
        }
        self.expect(Token::MapsTo, "↦ (typed :=)")?;
        let start = self.at.start;
        let (sort, value) = match self.side()? {
            Side::Dim(t) if !bracketed => (Sort::Dim, Value::Dim(self.ground_dim(t, start..self.at.start)?)),
            Side::Dim(_) => {
                return Err(
                    self.error(start..self.at.start, Problem::SortMismatch { left: Sort::Row, right: Sort::Dim })
                );
            }
            Side::Row(r) => (Sort::Row, Value::Row(self.grounded(&r, start)?)),
        };
        if matches!(spelling.chars().next(), Some('?')) && self.names.lookup(spelling).is_none() {
            return Err(self.error(at, Problem::NoSuchFresh(spelling.to_owned())));
        }
        let var = self.names.var(sort, spelling).map_err(|clash| self.error(at.clone(), Problem::SortClash(clash)))?;
        Ok((name.trim_matches('`').to_owned(), at, (var, value)))
    }
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
