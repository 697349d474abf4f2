//! How long what is read may be, and columns of text whose width comes from what is read.

use std::fmt;
use std::ops::Range;

/// The most characters that a name may have: of a variable, a basis, a tensor, a label, a row.
pub const MOST_NAME: usize = 1000;
/// The most bytes that a line of a text may have. JSON has no lines in this sense.
pub const MOST_LINE: usize = 1 << 20;
/// The most bytes that a text may have: constraints, values, a program, a model.
pub const MOST_TEXT: usize = 16 << 20;
/// The widest column that is filled up with blanks; what is wider stands as it is.
pub const WIDEST: usize = 1000;

/// Something that is longer than it may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLong {
    /// A name with more than [`MOST_NAME`] characters.
    Name,
    /// A line with more than [`MOST_LINE`] bytes.
    Line,
    /// A text with more than [`MOST_TEXT`] bytes.
    Text,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLong::Name => write!(f, "a name of more than {MOST_NAME} characters: use a shorter one"),
            TooLong::Line => write!(f, "a line of more than {MOST_LINE} bytes: break it up"),
            TooLong::Text => write!(f, "a text of more than {MOST_TEXT} bytes: give a part of it"),
        }
    }
}

impl std::error::Error for TooLong {}

/// Is a name short enough?
///
/// # Errors
/// [`TooLong::Name`] otherwise.
pub fn check_name(name: &str) -> Result<(), TooLong> {
    // A character has at least one byte, so most names are not counted.
    if name.len() > MOST_NAME && name.chars().nth(MOST_NAME).is_some() { Err(TooLong::Name) } else { Ok(()) }
}

/// Is a text short enough, and every line of it?
///
/// # Errors
/// What is too long, with the place of its first character.
pub fn check_text(text: &str) -> Result<(), (TooLong, Range<usize>)> {
    let first = |start: usize| start..start + text[start..].chars().next().map_or(0, char::len_utf8);
    if text.len() > MOST_TEXT {
        return Err((TooLong::Text, first(0)));
    }
    let mut start = 0;
    for line in text.split('\n') {
        if line.len() > MOST_LINE {
            return Err((TooLong::Line, first(start)));
        }
        start += line.len() + 1;
    }
    Ok(())
}

/// At most so many characters of a text; what is left out is `…`.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// Text on one line, blanks joined, and at most so many characters of it; what is left out is `…`.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= most { joined } else { shortened(&joined, most.saturating_sub(1)) }
}

/// Blanks that are missing to this width. A width of [`std::fmt`] panics above 65,535; this one has no such end.
fn missing(text: &str, width: usize) -> usize {
    width.min(WIDEST).saturating_sub(text.chars().count())
}

/// The text, then blanks up to this width.
#[must_use]
pub fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(missing(text, width)))
}

/// Blanks up to this width, then the text.
#[must_use]
pub fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(missing(text, width)))
}

/// The text in the middle of this width; an odd blank comes after it.
#[must_use]
pub fn centred(text: &str, width: usize) -> String {
    let before = missing(text, width) / 2;
    left(&format!("{}{text}", " ".repeat(before)), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_formatter_and_have_no_end() {
        for text in ["", "a", "αβ", "abc", "abcd"] {
            for width in 0..9 {
                assert_eq!(left(text, width), format!("{text:<width$}"));
                assert_eq!(right(text, width), format!("{text:>width$}"));
                assert_eq!(centred(text, width), format!("{text:^width$}"));
            }
        }
        for pad in [left, right, centred] {
            assert_eq!(pad("a", usize::MAX).len(), WIDEST);
            assert_eq!(pad(&"a".repeat(70_000), usize::MAX).len(), 70_000);
        }
    }

    #[test]
    fn limits_are_met_exactly() {
        assert_eq!(check_name(&"α".repeat(MOST_NAME)), Ok(()));
        assert_eq!(check_name(&"α".repeat(MOST_NAME + 1)), Err(TooLong::Name));
        assert_eq!(check_text(&"x".repeat(MOST_LINE)), Ok(()));
        let text = format!("a\n{}", "x".repeat(MOST_LINE + 1));
        assert_eq!(check_text(&text), Err((TooLong::Line, 2..3)));
        assert_eq!(check_text(&"x\n".repeat(MOST_TEXT / 2)), Ok(()));
        assert_eq!(check_text(&"x\n".repeat(MOST_TEXT / 2 + 1)), Err((TooLong::Text, 0..1)));
    }
}
