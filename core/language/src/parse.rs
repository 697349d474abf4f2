//! The grammar of programs (spec/program.md), read with one token of look-ahead.

mod expr;
mod operands;
mod reduce;
mod shape;
mod statement;

pub(super) use reduce::is_reducing;

use super::ast::{Name, Program, Quoted};
use super::einsum::{self, Spec};
use super::error::{ProgramError, ProgramProblem, in_spec};
use super::lexer::{Lexed, Token, tokens};
use super::shape::Declared;
use lozenge_notation::Span;

type Parsed<T> = Result<T, ProgramError>;

/// The words that no tensor, function or dimension can be called.
const RESERVED: [&str; 26] = [
    "input",
    "param",
    "const",
    "let",
    "in",
    "fn",
    "dim",
    "unit",
    "grad",
    "logic",
    "where",
    "fma",
    "relu",
    "exp",
    "log",
    "sin",
    "cos",
    "sqrt",
    "tanh",
    "recip",
    "neg",
    "not",
    "max",
    "min",
    "relu_gate",
    "mul3",
];

pub(super) fn is_reserved(text: &str) -> bool {
    RESERVED.contains(&text)
}

/// Reads a program.
///
/// # Errors
/// A [`ProgramError`] with the place and what was expected.
pub fn parse(source: &str) -> Parsed<Program> {
    let mut parser = Parser::new(source)?;
    let mut statements = Vec::new();
    while parser.lexed().token != Token::End {
        statements.push(parser.statement()?);
    }
    Ok(Program { statements })
}

/// Reads a shape: `batch | input -> output`, or a part of it.
///
/// # Errors
/// As [`parse`].
pub fn parse_shape(source: &str) -> Parsed<Declared> {
    let mut parser = Parser::new(source)?;
    let shape = parser.shape()?;
    match parser.lexed().token {
        Token::End => Ok(shape),
        _ => parser.unexpected("`,` between axes, or the end of the shape"),
    }
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Lexed<'a>>,
    next: usize,
    /// Has the statement begun, so that a token in the first column ends it?
    inside: bool,
    /// How many operators the statement has so far.
    operators: usize,
    /// How deep the brackets are.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Parsed<Self> {
        Ok(Parser { source, tokens: tokens(source)?, next: 0, inside: false, operators: 0, depth: 0 })
    }

    /// The next token, whatever column it is in. There is always one: the last is `End`.
    fn lexed(&self) -> Lexed<'a> {
        let end = (self.source.len()..self.source.len()).into();
        let last = Lexed { token: Token::End, span: end, begins: true };
        self.tokens.get(self.next).copied().unwrap_or(last)
    }

    /// The next token of this statement; `End` when the next statement begins.
    fn token(&self) -> Token<'a> {
        let lexed = self.lexed();
        if self.inside && lexed.begins { Token::End } else { lexed.token }
    }

    /// The token after that.
    fn second(&self) -> Token<'a> {
        match self.tokens.get(self.next + 1) {
            Some(lexed) if !lexed.begins => lexed.token,
            _ => Token::End,
        }
    }

    fn span(&self) -> Span {
        self.lexed().span
    }

    /// The place of the token before.
    fn before(&self) -> Span {
        self.next.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(Span::default(), |lexed| lexed.span)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.inside = true;
    }

    fn is(&self, sign: &'static str) -> bool {
        self.token() == Token::Sign(sign)
    }

    fn eat(&mut self, sign: &'static str) -> bool {
        let here = self.is(sign);
        if here {
            self.advance();
        }
        here
    }

    fn expect(&mut self, sign: &'static str, expected: &'static str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.unexpected(expected) }
    }

    fn unexpected<T>(&self, expected: &'static str) -> Parsed<T> {
        let (found, span) = match self.token() {
            Token::End if self.lexed().token == Token::End => ("the end".to_owned(), self.span()),
            // At the end of the statement, the place is after its last token.
            Token::End => {
                let end = self.before().end;
                ("the end of the statement".to_owned(), (end..end).into())
            }
            _ => (format!("`{}`", self.span().text(self.source)), self.span()),
        };
        Err(ProgramError::unexpected(found, expected, span))
    }

    fn name(&mut self, expected: &'static str) -> Parsed<Name> {
        match self.token() {
            Token::Name(text) if !is_reserved(text) => {
                let span = self.span();
                self.advance();
                Ok(Name { text: text.to_owned(), span })
            }
            _ => self.unexpected(expected),
        }
    }

    fn int(&mut self, expected: &'static str) -> Parsed<u64> {
        let Token::Int(digits) = self.token() else { return self.unexpected(expected) };
        let value =
            digits.parse().map_err(|_| ProgramError::new(ProgramProblem::Number(digits.to_owned()), self.span()));
        self.advance();
        value
    }

    fn size(&mut self, expected: &'static str) -> Parsed<u64> {
        let span = self.span();
        match self.int(expected)? {
            0 => Err(ProgramError::new(ProgramProblem::SizeZero, span)),
            size => Ok(size),
        }
    }

    /// Text in quotes; its place is that of its content.
    fn quoted(&mut self, expected: &'static str) -> Parsed<Quoted> {
        let Token::Text(text) = self.token() else { return self.unexpected(expected) };
        let span = Span { start: self.span().start + 1, end: self.span().end.saturating_sub(1) };
        self.advance();
        Ok(Quoted { text: text.to_owned(), span })
    }
}

/// A specification must be well formed, even where nothing uses it. NumPy's notation becomes ours, with the same places.
pub(super) fn checked_spec(quoted: Quoted) -> Parsed<Quoted> {
    quoted.text.parse::<Spec>().map_err(|error| in_spec(error, quoted.span))?;
    Ok(Quoted { text: einsum::ours(&quoted.text), ..quoted })
}
