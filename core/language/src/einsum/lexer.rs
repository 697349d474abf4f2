//! Tokens of specifications, in their two lexical modes.

use super::error::{SpecError, SpecProblem};
use crate::lexer::in_name;
use lozenge_notation::{Cursor, Span};

/// The mode of a specification: multi-character if it has any of `, * + ^ <`, or an `=` that does not
/// begin `=>`.
#[must_use]
pub fn is_multi_character(spec: &str) -> bool {
    let arrow = |at: usize| spec[at..].starts_with("=>");
    spec.char_indices().any(|(at, c)| matches!(c, ',' | '*' | '+' | '^' | '<') || (c == '=' && !arrow(at)))
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
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

/// Tokens with their places, in one mode or the other; the last is `End`.
pub(super) fn tokens(text: &str, multi: bool) -> Result<Vec<(Token, Span)>, SpecError> {
    let (mut found, mut cursor) = (Vec::new(), Cursor::new(text));
    loop {
        cursor.skip_blanks();
        let start = cursor.position();
        let Some(first) = cursor.peek() else { break };
        let token = token(&mut cursor, first, multi)?;
        let span = cursor.since(start);
        if let Token::Name(name) | Token::RowVar(name) = &token {
            SpecError::check_name(name, span)?;
        }
        found.push((token, span));
    }
    found.push((Token::End, cursor.here()));
    Ok(found)
}

fn token(cursor: &mut Cursor<'_>, first: char, multi: bool) -> Result<Token, SpecError> {
    if let Some(token) = cursor.eat_one(&FIXED) {
        return Ok(token);
    }
    if cursor.eat("..") {
        return row_var(cursor, multi);
    }
    let start = cursor.position();
    if let Some(digits) = cursor.digits() {
        let too_large = |_| SpecError::new(SpecProblem::TooLarge(digits.to_owned()), cursor.since(start));
        return digits.parse().map(Token::Int).map_err(too_large);
    }
    match name(cursor, multi) {
        Some(name) => Ok(Token::Name(name)),
        None => Err(SpecError::new(SpecProblem::Character(first), cursor.here())),
    }
}

/// A name: one letter, or an identifier.
fn name(cursor: &mut Cursor<'_>, multi: bool) -> Option<String> {
    if multi {
        return cursor.word(|c| c.is_ascii_alphabetic(), in_name).map(str::to_owned);
    }
    cursor.peek().filter(char::is_ascii_alphabetic)?;
    cursor.take().map(String::from)
}

/// `r..` after `..`, blanks allowed before both.
fn row_var(cursor: &mut Cursor<'_>, multi: bool) -> Result<Token, SpecError> {
    cursor.skip_blanks();
    let Some(name) = name(cursor, multi) else {
        return Err(unexpected(
            cursor,
            if multi {
                "`...`, or the name of a row variable as in `..rows..`"
            } else {
                "`...`, or one letter, the name of a row variable, as in `..r..`"
            },
        ));
    };
    cursor.skip_blanks();
    if cursor.eat("..") {
        return Ok(Token::RowVar(name));
    }
    Err(unexpected(
        cursor,
        if multi {
            "`..` after the name of a row variable"
        } else {
            "`..`: without a comma, names have one letter (a comma anywhere in the specification allows longer ones)"
        },
    ))
}

/// Another character was expected here.
fn unexpected(cursor: &Cursor<'_>, expected: &'static str) -> SpecError {
    let found = cursor.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
    SpecError::unexpected(found, expected, cursor.here())
}
