//! Names that are misspelt: of tensors, functions, sizes, captures and labels.

use super::scene::{About, Scene};
use super::{Fix, MOST_WORDS};
use crate::einsum::is_multi_character;
use crate::error::ProgramProblem;
use crate::explain::InferError;
use crate::generate::similar;
use crate::lexer::{in_name, is_identifier};
use lozenge_notation::Span;
use std::collections::BTreeMap;

/// Names shorter than this are alike by design.
const SHORT: usize = 4;

/// A word that stands once, and is spelled almost like another.
pub(super) const TYPO: u8 = 4;

/// Words of the language that are names as well.
const OTHER_WORDS: [&str; 7] = ["sum", "mean", "convolution", "padded", "valid", "elements", "range"];

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    if let About::Error(InferError::Program(error)) = scene.about
        && let ProgramProblem::Unknown { name, similar: Some(other), .. } = &error.problem
        && is_name(name)
    {
        out.push((3, Fix::one(format!("`{other}` is spelled almost like it"), error.span, other.clone())));
        return;
    }
    let words = words(scene.source);
    if words.len() > MOST_WORDS {
        return;
    }
    for (name, places) in &words {
        let [place] = places.as_slice() else { continue };
        let others = words.keys().copied().filter(|other| other != name);
        let Some(other) = similar(name, others) else { continue };
        let rank = if name.len() >= SHORT && other.len() + 1 >= SHORT { TYPO } else { 62 };
        out.push((
            rank,
            Fix::one(format!("`{name}` stands here only, and `{other}` is spelled almost like it"), *place, other),
        ));
    }
}

/// Every name of the program with its places. Words of the language are none, and comments have none.
fn words(source: &str) -> BTreeMap<&str, Vec<Span>> {
    let mut found: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        // What has an odd number stands between quotes.
        for (i, text) in code.split('"').enumerate() {
            let quoted = i % 2 == 1;
            if !quoted || has_names(text) {
                // A label may be called as a word of the language is.
                names(text, start, &mut found, |word| quoted || is_name(word));
            }
            start += text.len() + 1;
        }
        start = start + line.len() - code.len() - 1;
    }
    found
}

/// Does text in quotes have names? In a specification without a comma each letter is a label, and a digit an index.
fn has_names(quoted: &str) -> bool {
    is_multi_character(quoted) || quoted.chars().all(in_name)
}

/// Is a word outside of quotes a name, and none of the language?
fn is_name(word: &str) -> bool {
    is_identifier(word) && !OTHER_WORDS.contains(&word)
}

/// The names in a part of a line that begins at this place.
fn names<'a>(text: &'a str, start: usize, found: &mut BTreeMap<&'a str, Vec<Span>>, is: impl Fn(&str) -> bool) {
    let mut at = start;
    for part in text.split_inclusive(|c: char| !in_name(c)) {
        let word = part.trim_end_matches(|c: char| !in_name(c));
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) && is(word) {
            found.entry(word).or_default().push(Span { start: at, end: at + word.len() });
        }
        at += part.len();
    }
}
