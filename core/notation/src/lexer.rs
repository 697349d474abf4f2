//! Tokens of the notation. Unicode and ASCII spellings give the same tokens.

use super::error::{NotationError, Problem};
use crate::text::check_name;
use std::ops::Range;

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

pub(super) struct Lexer<'a> {
    pub source: &'a str,
    position: usize,
}

/// Letters of a name, after the first.
fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '′')
}

/// Is this a name that the notation can write?
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(in_name) && !matches!(text, "unit" | "bot")
}

/// Is this the name of a fresh variable, `?7`?
pub(crate) fn is_fresh_name(text: &str) -> bool {
    text.strip_prefix('?').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a str, position: usize) -> Self {
        Lexer { source, position }
    }

    /// The next token and its place. `#` begins a comment that ends with the line.
    pub fn next(&mut self) -> Result<(Token<'a>, Range<usize>), NotationError> {
        self.skip_blanks();
        let start = self.position;
        let token = self.token()?;
        let at = start..self.position;
        if let Token::Name(name) | Token::Fresh(name) = token {
            check_name(name).map_err(|long| NotationError::new(self.source, at.clone(), Problem::TooLong(long)))?;
        }
        Ok((token, at))
    }

    fn rest(&self) -> &'a str {
        &self.source[self.position..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.position = self.source.len() - rest.len();
            if !rest.starts_with('#') {
                return;
            }
            self.position += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.position += bytes;
        taken
    }

    fn take_while(&mut self, inside: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !inside(c)).unwrap_or(rest.len()))
    }

    fn token(&mut self) -> Result<Token<'a>, NotationError> {
        // Longer spellings first.
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
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if let Some((spelling, token)) = FIXED.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
            self.take(spelling.len());
            return Ok(*token);
        }
        if first.is_ascii_digit() {
            return Ok(Token::Digits(self.take_while(|c| c.is_ascii_digit())));
        }
        if first == '?' {
            self.take(1);
            self.take_while(|c| c.is_ascii_digit());
            return Ok(Token::Fresh(&rest[..rest.len() - self.rest().len()]));
        }
        if first.is_alphabetic() {
            return Ok(match self.take_while(in_name) {
                "unit" => Token::Unit,
                "bot" => Token::Bot,
                name => Token::Name(name),
            });
        }
        let at = self.position..self.position + first.len_utf8();
        Err(NotationError::new(self.source, at, Problem::Character(first)))
    }
}
