//! Names that are misspelt: of tensors, functions, sizes, captures and labels.

use super::scene::{About, Scene};
use super::{Fix, MOST_WORDS};
use crate::error::ProgramProblem;
use crate::explain::InferError;
use crate::generate::similar;
use crate::lexer::in_name;
use lozenge_notation::Span;
use std::collections::BTreeMap;

/// Names shorter than this are alike by design.
const SHORT: usize = 4;

/// A word that stands once, and is spelled almost like another.
pub(super) const TYPO: u8 = 4;

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    if let About::Error(InferError::Program(error)) = scene.about
        && let ProgramProblem::Unknown { similar: Some(other), .. } = &error.problem
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
        let others = words
            .keys()
            .copied()
            .filter(|other| other != name && other.chars().next().is_some_and(char::is_alphabetic));
        let Some(other) = similar(name, others) else { continue };
        let rank = if name.len() >= SHORT && other.len() + 1 >= SHORT { TYPO } else { 62 };
        out.push((
            rank,
            Fix::one(format!("`{name}` stands here only, and `{other}` is spelled almost like it"), *place, other),
        ));
    }
}

/// Every word of the program with its places; comments have none.
fn words(source: &str) -> BTreeMap<&str, Vec<Span>> {
    let mut found: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        let mut at = 0;
        for part in code.split_inclusive(|c: char| !in_name(c)) {
            let word = part.trim_end_matches(|c: char| !in_name(c));
            if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let place = Span { start: start + at, end: start + at + word.len() };
                found.entry(word).or_default().push(place);
            }
            at += part.len();
        }
        start += line.len();
    }
    found
}
