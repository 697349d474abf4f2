//! A place in a text that moves forward: what every reader of a text is built on.

use crate::Span;
use std::ops::Range;

/// What is left of a text, and where it begins.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// At the start of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Cursor { text, at: 0 }
    }

    /// At the start of a part of a text; places are those of the text.
    #[must_use]
    pub fn within(text: &'t str, part: Range<usize>) -> Self {
        Cursor { text: text.get(..part.end).unwrap_or(text), at: part.start }
    }

    /// The lines of a text with their numbers from 1, without the blanks at their ends.
    pub fn lines(text: &'t str) -> impl Iterator<Item = (usize, Cursor<'t>)> {
        let mut start = 0;
        text.split_inclusive('\n').zip(1..).map(move |(line, number)| {
            let cursor = Cursor::within(text, start..start + line.trim_end().len());
            start += line.len();
            (number, cursor)
        })
    }

    /// What is left up to a comment, without the blanks before that.
    #[must_use]
    pub fn without_comment(self) -> Self {
        let code = self.rest().split('#').next().unwrap_or("").trim_end();
        Cursor::within(self.text, self.at..self.at + code.len())
    }

    /// The byte where the rest begins.
    #[must_use]
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// What was not read yet.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Is nothing left?
    #[must_use]
    #[inline]
    pub fn is_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// The next character.
    #[must_use]
    #[inline]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The place of the next character; nothing at the end.
    #[must_use]
    #[inline]
    pub fn here(&self) -> Span {
        (self.at..self.at + self.peek().map_or(0, char::len_utf8)).into()
    }

    /// The place from a byte to here.
    #[must_use]
    #[inline]
    pub fn since(&self, start: usize) -> Span {
        (start..self.at).into()
    }

    /// The text at a place.
    #[must_use]
    pub fn text(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Is this what comes next?
    #[must_use]
    #[inline]
    pub fn is(&self, spelling: &str) -> bool {
        self.rest().starts_with(spelling)
    }

    /// Takes this, if it comes next.
    #[inline]
    pub fn eat(&mut self, spelling: &str) -> bool {
        let here = self.is(spelling);
        self.at += if here { spelling.len() } else { 0 };
        here
    }

    /// Takes the first of these that comes next; longer spellings must stand first.
    pub fn eat_one<T: Clone>(&mut self, spellings: &[(&str, T)]) -> Option<T> {
        let rest = self.rest();
        let (spelling, it) = spellings.iter().find(|(spelling, _)| rest.starts_with(spelling))?;
        self.at += spelling.len();
        Some(it.clone())
    }

    /// Takes the next character.
    #[inline]
    pub fn take(&mut self) -> Option<char> {
        let next = self.peek();
        self.at = self.here().end;
        next
    }

    /// Takes the characters that come next and belong to something.
    #[inline]
    pub fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let (taken, _) = rest.split_at(rest.find(|c| !belongs(c)).unwrap_or(rest.len()));
        self.at += taken.len();
        taken
    }

    /// A word: a character that may be first, then all that belong.
    #[inline]
    pub fn word(&mut self, first: impl Fn(char) -> bool, belongs: impl Fn(char) -> bool) -> Option<&'t str> {
        self.peek().filter(|c| first(*c)).map(|_| self.take_while(belongs))
    }

    /// A whole number as it is written.
    #[inline]
    pub fn digits(&mut self) -> Option<&'t str> {
        self.word(|c| c.is_ascii_digit(), |c| c.is_ascii_digit())
    }

    /// Passes over blanks and ends of lines.
    #[inline]
    pub fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Passes over blanks, ends of lines, and comments: from `#` to the end of the line.
    #[inline]
    pub fn skip_comments(&mut self) {
        self.skip_blanks();
        while self.is("#") {
            self.take_while(|c| c != '\n');
            self.skip_blanks();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_the_places_of_the_text() {
        let text = "a  \n\n βγ\r\nd";
        let lines: Vec<_> = Cursor::lines(text).map(|(n, line)| (n, line.position(), line.rest())).collect();
        assert_eq!(lines, [(1, 0, "a"), (2, 4, ""), (3, 5, " βγ"), (4, 12, "d")]);
        assert_eq!(Cursor::new("a b # c # d").without_comment().rest(), "a b");
    }

    #[test]
    fn blanks_and_comments_are_passed_over() {
        let mut cursor = Cursor::new(" # one\n # two\n β12#");
        cursor.skip_comments();
        assert_eq!(cursor.word(char::is_alphabetic, char::is_alphanumeric), Some("β12"));
        assert_eq!(cursor.here().range(), 19..20);
        cursor.skip_comments();
        assert!(cursor.is_end() && cursor.take().is_none() && cursor.here().range() == (20..20));
    }
}
