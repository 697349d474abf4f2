//! Places in a text, and pictures of them.

use std::ops::Range;

/// Where something is written, as a range of bytes.
///
/// Two spans are always equal: where a thing is written is no part of what it is, so that a program
/// typed, built or read from JSON is the same program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

impl Span {
    /// From the start of this to the end of the other.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }

    /// The same place in a text where this one begins at a byte.
    #[must_use]
    pub fn shifted(self, by: usize) -> Span {
        Span { start: by + self.start, end: by + self.end }
    }

    /// As a range of bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Is there a place at all? What was built or read from JSON has none.
    #[must_use]
    pub fn is_known(self) -> bool {
        self.start < self.end
    }

    /// The text at this place; empty where there is none.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or("")
    }

    /// Line and column in characters, both from 1.
    #[must_use]
    pub fn position(self, source: &str) -> (usize, usize) {
        let before = source.get(..self.start.min(source.len())).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
    }

    /// The line with carets under this place, cut to its neighbourhood when it is long.
    #[must_use]
    pub fn excerpt(self, source: &str) -> String {
        const AROUND: usize = 60;
        let (line, column) = self.position(source);
        let text = source.lines().nth(line - 1).unwrap_or("");
        let skipped = (column - 1).saturating_sub(AROUND);
        let cut: String = text.chars().skip(skipped).take(2 * AROUND).collect();
        let (ellipsis, indent) = if skipped > 0 { ("…", 1 + AROUND) } else { ("", column - 1) };
        // A place that goes on in the next line is marked to the end of its first.
        let here = self.text(source).lines().next().unwrap_or("").chars().count();
        let carets = "^".repeat(here.clamp(1, AROUND));
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        format!("{gutter} |\n{number} | {ellipsis}{cut}\n{gutter} | {}{carets}", " ".repeat(indent))
    }
}
