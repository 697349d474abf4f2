//! The places of tokens in a text that is known to be JSON as far as it is scanned.

use crate::Span;

/// Goes from token to token. Commas and colons are passed over.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Scanner { text, at: 0 }
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The next token: a bracket, a string, a number or a word.
    pub fn token(&mut self) -> Span {
        let bytes = self.text.as_bytes();
        let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':');
        while bytes.get(self.at).is_some_and(between) {
            self.at += 1;
        }
        let start = self.at;
        self.at += match bytes.get(start) {
            None => 0,
            Some(b'"') => string(&bytes[start..]),
            Some(b'[' | b']' | b'{' | b'}') => 1,
            Some(_) => {
                let word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                bytes[start..].iter().take_while(word).count()
            }
        };
        (start..self.at).into()
    }
}

/// How long the string at the front is, with its quotes.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}
