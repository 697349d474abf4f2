//! Tokens of programs.

use super::error::{ProgramError, ProgramProblem};
use lozenge_notation::{Cursor, Span};

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
const SIGNS: [&str; 56] = [
    "=:**", "=:@^", "=:@-", "=:&&", "=:||", "=:+", "=:-", "=:*", "=:/", "=**", "=@^", "=@-", "=&&", "=||", "=:", "=+",
    "=-", "=*", "=/", "+++", "++^", "@^^", "@^+", "**.", "...", "++", "+*", "->", "**", "*.", "/.", "/", "@|", "@",
    "<>", "&&", "||", "..", "+", "-", "*", "<", "=", "(", ")", "[", "]", "{", "}", ",", ";", ":", "|", "?", "_", "~",
];

/// Letters, digits and underscores of a name.
pub(super) fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Can a program use this as a name?
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| in_name(b.into()))
        && !super::parse::is_reserved(text)
}

pub(super) fn tokens(source: &str) -> Result<Vec<Lexed<'_>>, ProgramError> {
    ProgramError::check_text(source)?;
    let (mut found, mut cursor) = (Vec::new(), Cursor::new(source));
    loop {
        cursor.skip_comments();
        let start = cursor.position();
        let Some(first) = cursor.peek() else { break };
        let token = token(&mut cursor, first)?;
        let span = cursor.since(start);
        if let Token::Name(name) = token {
            ProgramError::check_name(name, span)?;
        }
        found.push(Lexed { token, span, begins: start == 0 || source[..start].ends_with('\n') });
    }
    found.push(Lexed { token: Token::End, span: cursor.here(), begins: true });
    Ok(found)
}

fn token<'a>(cursor: &mut Cursor<'a>, first: char) -> Result<Token<'a>, ProgramError> {
    if let Some(name) = cursor.word(|c| c.is_ascii_alphabetic(), in_name) {
        return Ok(Token::Name(name));
    }
    if cursor.eat("1∅") {
        return Ok(Token::Name("unit"));
    }
    if first.is_ascii_digit() {
        return Ok(number(cursor));
    }
    let here = cursor.here();
    if cursor.eat("\"") {
        let text = cursor.take_while(|c| !matches!(c, '"' | '\n'));
        let closed = cursor.eat("\"");
        return if closed { Ok(Token::Text(text)) } else { Err(ProgramError::new(ProgramProblem::Unclosed, here)) };
    }
    // A point and a name: `x.grad`.
    if !cursor.is("..") && cursor.eat(".") {
        return Ok(Token::Sign("."));
    }
    let rest = cursor.rest();
    // The first byte rules most of them out.
    let begins = |sign: &&&str| sign.as_bytes().first() == rest.as_bytes().first() && rest.starts_with(**sign);
    match SIGNS.iter().find(begins) {
        Some(sign) => {
            cursor.eat(sign);
            Ok(Token::Sign(sign))
        }
        None => Err(ProgramError::new(ProgramProblem::Character(first), here)),
    }
}

/// Digits, then a point that is not part of `..`, then an exponent.
fn number<'a>(cursor: &mut Cursor<'a>) -> Token<'a> {
    let start = cursor.position();
    cursor.digits();
    let mut whole = true;
    if !cursor.is("..") && cursor.eat(".") {
        cursor.digits();
        whole = false;
    }
    let mut exponent = cursor.clone();
    if exponent.eat("e") || exponent.eat("E") {
        let _sign = exponent.eat("+") || exponent.eat("-");
        // Without digits the letter begins a name.
        if exponent.digits().is_some() {
            *cursor = exponent;
            whole = false;
        }
    }
    let text = cursor.text(cursor.since(start));
    if whole { Token::Int(text) } else { Token::Float(text) }
}
