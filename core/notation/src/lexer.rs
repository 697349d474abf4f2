//! Tokens of the notation. Unicode and ASCII spellings give the same tokens.

use super::error::NotationProblem;
use super::parse::Parsed;
use crate::{Cursor, Span, SyntaxError};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// 1∅, `unit`
    Unit,
    /// ⊥, `bot`
    Bot,
    Digits(&'a str),
    Name(&'a str),
    /// `?7`
    Fresh(&'a str),
    /// `[`
    OpenFlank,
    /// `]`
    CloseFlank,
    Comma,
    /// `:` or, as in the paper's n_b, `_`
    Colon,
    /// `·`, `.`
    Dot,
    /// ⋄, `<>`
    Marker,
    /// ⟨, `<`
    OpenVar,
    /// ⟩, `>`
    CloseVar,
    /// •, `!`
    Rigid,
    /// ⊑, `<=`
    Le,
    /// ≈, `~`
    FlatEq,
    /// =
    Eq,
    /// ↦, `:=`
    MapsTo,
    End,
}

pub(super) struct Lexer<'a>(pub Cursor<'a>);

/// Letters of a name, after the first.
fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '′')
}

/// Is this a name that the notation can write?
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(in_name) && !matches!(text, "unit" | "bot")
}

/// Is this the name of a fresh variable, `?7`?
pub(crate) fn is_fresh_name(text: &str) -> bool {
    text.strip_prefix('?').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Longer spellings first.
const FIXED: [(&str, Token<'static>); 24] = [
    ("1∅", Token::Unit),
    ("⊥", Token::Bot),
    ("<>", Token::Marker),
    ("<=", Token::Le),
    (":=", Token::MapsTo),
    ("⋄", Token::Marker),
    ("⊑", Token::Le),
    ("≈", Token::FlatEq),
    ("↦", Token::MapsTo),
    ("⟨", Token::OpenVar),
    ("⟩", Token::CloseVar),
    ("•", Token::Rigid),
    ("·", Token::Dot),
    ("<", Token::OpenVar),
    (">", Token::CloseVar),
    ("!", Token::Rigid),
    (".", Token::Dot),
    ("~", Token::FlatEq),
    ("=", Token::Eq),
    ("[", Token::OpenFlank),
    ("]", Token::CloseFlank),
    (",", Token::Comma),
    (":", Token::Colon),
    ("_", Token::Colon),
];

impl<'a> Lexer<'a> {
    /// The next token and its place. `#` begins a comment that ends with the line.
    pub fn next(&mut self) -> Parsed<(Token<'a>, Span)> {
        self.0.skip_comments();
        let start = self.0.position();
        let token = self.token()?;
        let span = self.0.since(start);
        if let Token::Name(name) | Token::Fresh(name) = token {
            SyntaxError::check_name(name, span)?;
        }
        Ok((token, span))
    }

    fn token(&mut self) -> Parsed<Token<'a>> {
        let Some(first) = self.0.peek() else { return Ok(Token::End) };
        if let Some(token) = self.0.eat_one(&FIXED) {
            return Ok(token);
        }
        if let Some(digits) = self.0.digits() {
            return Ok(Token::Digits(digits));
        }
        let start = self.0.position();
        if self.0.eat("?") {
            self.0.digits();
            return Ok(Token::Fresh(self.0.text(self.0.since(start))));
        }
        match self.0.word(char::is_alphabetic, in_name) {
            Some("unit") => Ok(Token::Unit),
            Some("bot") => Ok(Token::Bot),
            Some(name) => Ok(Token::Name(name)),
            None => Err(SyntaxError::new(NotationProblem::Character(first), self.0.here())),
        }
    }
}
