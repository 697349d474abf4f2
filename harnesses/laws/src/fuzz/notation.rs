//! The notation: what is read is printed and read back, in both spellings.

use super::{inside, text};
use lozenge::names::Names;
use lozenge::notation::{self, Notation, NotationError};
use std::fmt::Debug;

type Reader<T> = fn(&str, &mut Names) -> Result<T, NotationError>;

/// Reads any bytes as everything that has a notation.
pub fn notation(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    lines(text, notation::parse_system);
    ground(text);
    one(text, notation::parse_constraint);
    one(text, notation::parse_dim);
    one(text, notation::parse_dim_bot);
    one(text, notation::parse_dim_term);
    one(text, notation::parse_row);
    one(text, notation::parse_row_term);
    one(text, notation::parse_two_sorted);
}

/// One thing is read back from both spellings.
fn one<T: Notation + PartialEq + Debug>(text: &str, read: Reader<T>) {
    let mut names = Names::new();
    match read(text, &mut names) {
        Err(error) => placed(text, &error),
        Ok(it) => {
            for printed in [names.show(&it).to_string(), names.show(&it).ascii().to_string()] {
                assert_eq!(read(&printed, &mut names.clone()).as_ref(), Ok(&it), "printed as {printed:?}");
            }
        }
    }
}

/// A substitution is printed in one line and read one variable a line.
fn ground(text: &str) {
    let mut names = Names::new();
    match notation::parse_ground(text, &mut names) {
        Err(error) => placed(text, &error),
        Ok(gamma) => {
            for printed in [names.show(&gamma).to_string(), names.show(&gamma).ascii().to_string()] {
                let again = notation::parse_ground(&printed.replace(", ", "\n"), &mut names.clone());
                assert_eq!(again.as_ref(), Ok(&gamma), "printed as {printed:?}");
            }
        }
    }
}

/// Things one a line are read back from both spellings.
fn lines<T: Notation + PartialEq + Debug>(text: &str, read: Reader<Vec<T>>) {
    let mut names = Names::new();
    match read(text, &mut names) {
        Err(error) => placed(text, &error),
        Ok(all) => {
            let unicode: String = all.iter().map(|it| format!("{}\n", names.show(it))).collect();
            let ascii: String = all.iter().map(|it| format!("{}\n", names.show(it).ascii())).collect();
            for printed in [unicode, ascii] {
                assert_eq!(read(&printed, &mut names.clone()).as_ref(), Ok(&all), "printed as {printed:?}");
            }
        }
    }
}

/// An error says where: bytes, line and column agree, and it can be drawn.
fn placed(text: &str, error: &NotationError) {
    inside(text, error.span.range());
    let before = &text[..error.span.start];
    let column = 1 + before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let line = 1 + before.matches('\n').count();
    assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
    assert!(!error.render(text).is_empty());
}
