//! The places of tokens in a text that is known to be JSON as far as it is scanned.

use crate::{Cursor, Span};

/// Goes from token to token. Commas and colons are passed over.
pub(super) struct Scanner<'t>(Cursor<'t>);

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Scanner(Cursor::new(text))
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &'t str {
        self.0.text(span)
    }

    /// The next token: a bracket, a string, a number or a word.
    pub fn token(&mut self) -> Span {
        self.0.take_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | ',' | ':'));
        let start = self.0.position();
        match self.0.peek() {
            Some('"') => self.string(),
            Some('[' | ']' | '{' | '}') => {
                self.0.take();
            }
            _ => {
                self.0.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
            }
        }
        self.0.since(start)
    }

    /// A string with its quotes.
    fn string(&mut self) {
        self.0.take();
        self.0.take_while(|c| !matches!(c, '"' | '\\'));
        while self.0.take() == Some('\\') {
            self.0.take();
            self.0.take_while(|c| !matches!(c, '"' | '\\'));
        }
    }
}
