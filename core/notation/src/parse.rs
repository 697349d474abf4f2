//! The grammar of spec/notation.md. Nothing in it nests, so nothing here recurses.

mod relation;
mod term;

use super::error::{NotationError, NotationProblem};
use super::lexer::{Lexer, Token};
use crate::text::shortened;
use crate::{Cursor, Span, SyntaxError};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Dim, DimBot};
use lozenge_calculus::names::Names;
use lozenge_calculus::rigid::{Rigid, TwoSorted};
use lozenge_calculus::row::Row;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{DimTerm, RowTerm};
use relation::Value;

pub(super) type Parsed<T> = Result<T, SyntaxError<NotationProblem>>;

/// One token of look-ahead over a text, and the names it uses.
struct Parser<'a, 'n> {
    lexer: Lexer<'a>,
    names: &'n mut Names,
    token: Token<'a>,
    span: Span,
}

/// Reads a whole text as one thing.
fn whole<T>(
    text: &str,
    names: &mut Names,
    read: impl Fn(&mut Parser<'_, '_>) -> Parsed<T>,
) -> Result<T, NotationError> {
    let parsed = SyntaxError::check_text(text).and_then(|()| {
        let mut parser = Parser::start(Cursor::new(text), names)?;
        let parsed = read(&mut parser)?;
        parser.expect(Token::End, "the end of the text")?;
        Ok(parsed)
    });
    parsed.map_err(|error| NotationError::of(error, text))
}

/// Reads one thing a line, each with the number of its line from 1. Empty lines are passed over.
fn each_line<T>(
    text: &str,
    names: &mut Names,
    read: impl Fn(&mut Parser<'_, '_>) -> Parsed<T>,
) -> Result<Vec<(usize, T)>, NotationError> {
    let mut line = |cursor| {
        let mut parser = Parser::start(cursor, names)?;
        if parser.token == Token::End {
            return Ok(None);
        }
        let parsed = read(&mut parser)?;
        parser.expect(Token::End, "the end of the line")?;
        Ok(Some(parsed))
    };
    let all = SyntaxError::check_text(text).and_then(|()| {
        let lines = Cursor::lines(text).map(|(number, cursor)| Ok(line(cursor)?.map(|it| (number, it))));
        lines.filter_map(Result::transpose).collect()
    });
    all.map_err(|error| NotationError::of(error, text))
}

/// A dimension: `1∅`, `3`, `3:rgb`.
///
/// # Errors
/// A [`NotationError`] with the place and what was expected; so for every function here.
pub fn parse_dim(text: &str, names: &mut Names) -> Result<Dim, NotationError> {
    whole(text, names, |p| p.dim_term().and_then(|(t, at)| p.ground_dim(t, at)))
}

/// A dimension or ⊥ (`bot`).
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_dim_bot(text: &str, names: &mut Names) -> Result<DimBot, NotationError> {
    whole(text, names, |p| match p.token {
        Token::Bot => p.advance().map(|()| DimBot::Bot),
        _ => p.dim_term().and_then(|(t, at)| p.ground_dim(t, at)).map(DimBot::Dim),
    })
}

/// A dimension term: a dimension, or a variable.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_dim_term(text: &str, names: &mut Names) -> Result<DimTerm, NotationError> {
    whole(text, names, |p| Ok(p.dim_term()?.0))
}

/// A ground row: `[3]·⋄·[2,4]`, typed `[3] <> [2,4]`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_row(text: &str, names: &mut Names) -> Result<Row, NotationError> {
    whole(text, names, |p| p.ground_row())
}

/// A row term: `[a]·⟨ρ⟩·[4]`, typed `[a] <r> [4]`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_row_term(text: &str, names: &mut Names) -> Result<RowTerm, NotationError> {
    whole(text, names, |p| p.row_term())
}

/// A ground row of either sort; a rigid one is written `[3,5]•`, typed `[3,5]!`.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_two_sorted(text: &str, names: &mut Names) -> Result<TwoSorted, NotationError> {
    whole(text, names, |p| {
        if p.token == Token::OpenFlank {
            let start = p.span.start;
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
pub fn parse_constraint(text: &str, names: &mut Names) -> Result<Constraint, NotationError> {
    whole(text, names, |p| p.constraint())
}

/// Constraints, one a line, each with its line number from 1. Blank lines and `#` comments are skipped.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_lines(text: &str, names: &mut Names) -> Result<Vec<(usize, Constraint)>, NotationError> {
    each_line(text, names, |p| p.constraint())
}

/// Constraints, one a line. Blank lines and `#` comments are skipped.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_system(text: &str, names: &mut Names) -> Result<Vec<Constraint>, NotationError> {
    Ok(parse_lines(text, names)?.into_iter().map(|(_, phi)| phi).collect())
}

/// A ground substitution, one variable a line: `a ↦ 3`, `⟨r⟩ ↦ [3]·⋄·[]`, typed `a := 3`, `<r> := [3] <> []`.
/// The brackets around a row variable may be left out here.
///
/// # Errors
/// As [`parse_dim`].
pub fn parse_ground(text: &str, names: &mut Names) -> Result<Ground, NotationError> {
    let mut gamma = Ground::default();
    for (_, binding) in each_line(text, names, |p| p.binding())? {
        let twice = match binding.value {
            Value::Dim(v, d) => gamma.dims.insert(v, d).is_some(),
            Value::Row(v, r) => gamma.rows.insert(v, r).is_some(),
        };
        if twice {
            let problem = NotationProblem::Twice(binding.name);
            return Err(NotationError::of(SyntaxError::new(problem, binding.span), text));
        }
    }
    Ok(gamma)
}

impl<'a, 'n> Parser<'a, 'n> {
    fn start(cursor: Cursor<'a>, names: &'n mut Names) -> Parsed<Self> {
        let mut lexer = Lexer(cursor);
        let (token, span) = lexer.next()?;
        Ok(Parser { lexer, names, token, span })
    }

    fn advance(&mut self) -> Parsed<()> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    /// A problem with the token that stands here.
    fn wrong<T>(&self, problem: NotationProblem) -> Parsed<T> {
        Err(SyntaxError::new(problem, self.span))
    }

    /// From a byte to the token that stands here.
    fn since(&self, start: usize) -> Span {
        (start..self.span.start).into()
    }

    /// The token that stands here, for messages.
    fn found(&self) -> String {
        match self.lexer.0.text(self.span) {
            "" => "the end".to_owned(),
            text => format!("`{}`", shortened(text, 24)),
        }
    }

    fn unexpected<T>(&self, expected: &'static str) -> Parsed<T> {
        Err(SyntaxError::unexpected(self.found(), expected, self.span))
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
}
