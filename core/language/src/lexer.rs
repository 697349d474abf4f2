//! Tokens of programs.

use super::error::{Problem, ProgramError};
use lozenge_notation::Span;
use lozenge_notation::text::{check_name, check_text};

/// A token. Operators and punctuation are their own spelling.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    Name(&'a str),
    /// A number without a point or exponent.
    Int(&'a str),
    /// Any other number.
    Float(&'a str),
    /// What stands between quotes.
    Text(&'a str),
    Sign(&'static str),
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexed<'a> {
    pub token: Token<'a>,
    pub span: Span,
    /// Is it the first of its line, in the first column? Then a statement begins.
    pub begins: bool,
}

/// Longer spellings first.
const SIGNS: [&str; 55] = [
    "=:**", "=:@^", "=:@-", "=:&&", "=:||", "=:+", "=:-", "=:*", "=:/", "=**", "=@^", "=@-", "=&&", "=||", "=:", "=+",
    "=-", "=*", "=/", "+++", "++^", "@^^", "@^+", "**.", "...", "++", "+*", "->", "**", "*.", "/.", "/", "@|", "<>",
    "&&", "||", "..", "+", "-", "*", "<", "=", "(", ")", "[", "]", "{", "}", ",", ";", ":", "|", "?", "_", "~",
];

/// Can a program use this as a name?
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !super::parse::is_reserved(text)
}

pub(super) fn tokens(source: &str) -> Result<Vec<Lexed<'_>>, ProgramError> {
    check_text(source).map_err(|(what, at)| ProgramError::new(Problem::TooLong(what), at.into()))?;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '#' {
            at += source[at..].find('\n').unwrap_or(source.len() - at);
        } else {
            let (token, length) = token(source, at, first)?;
            if let Token::Name(name) = token {
                let long = |long| ProgramError::new(Problem::TooLong(long), (at..at + length).into());
                check_name(name).map_err(long)?;
            }
            let begins = at == 0 || source[..at].ends_with('\n');
            found.push(Lexed { token, span: (at..at + length).into(), begins });
            at += length;
        }
    }
    found.push(Lexed { token: Token::End, span: (source.len()..source.len()).into(), begins: true });
    Ok(found)
}

fn token(source: &str, at: usize, first: char) -> Result<(Token<'_>, usize), ProgramError> {
    let rest = &source[at..];
    if first.is_ascii_alphabetic() {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        return Ok((Token::Name(&rest[..end]), end));
    }
    if rest.starts_with("1∅") {
        return Ok((Token::Name("unit"), "1∅".len()));
    }
    if first.is_ascii_digit() {
        let end = number(rest);
        let text = &rest[..end];
        let whole = text.bytes().all(|b| b.is_ascii_digit());
        return Ok((if whole { Token::Int(text) } else { Token::Float(text) }, end));
    }
    if first == '"' {
        return match rest[1..].find(['"', '\n']) {
            Some(end) if rest[1 + end..].starts_with('"') => Ok((Token::Text(&rest[1..1 + end]), end + 2)),
            _ => Err(ProgramError::new(Problem::Unclosed, (at..at + 1).into())),
        };
    }
    // A point and a name: `x.grad`.
    if first == '.' && !rest.starts_with("..") {
        return Ok((Token::Sign("."), 1));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => Err(ProgramError::new(Problem::Character(first), (at..at + first.len_utf8()).into())),
    }
}

/// How long the number at the front is: digits, then a point that is not part of `..`, then an exponent.
fn number(rest: &str) -> usize {
    let digits = |from: usize| rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |i| from + i);
    let mut end = digits(0);
    if rest[end..].starts_with('.') && !rest[end..].starts_with("..") {
        end = digits(end + 1);
    }
    let exponent = rest[end..].strip_prefix(['e', 'E']).map(|tail| tail.strip_prefix(['+', '-']).unwrap_or(tail));
    match exponent {
        Some(tail) if tail.starts_with(|c: char| c.is_ascii_digit()) => digits(rest.len() - tail.len()),
        _ => end,
    }
}
