//! NumPy's `ij,jk->ik`, which is `ij;jk=>ik` here.
//!
//! A specification of ours has `=>`. A text without it that has one `->`, and letters, commas and blanks else, can only be
//! NumPy's. Each of its signs is as long as ours, so a place in the one text is a place in the other.

use super::error::{SpecError, SpecProblem};
use lozenge_notation::Span;

const ARROW: &str = "->";
const DOTS: &str = "...";

/// A text in NumPy's notation as a specification of ours; any other text as it is.
#[must_use]
pub fn ours(text: &str) -> String {
    read(text).ok().flatten().unwrap_or_else(|| text.to_owned())
}

/// A text in NumPy's notation as a specification of ours; none for a text that is no such thing.
///
/// # Errors
/// A [`SpecError`] for a text that is NumPy's in its signs and means something else there, or nothing.
pub(super) fn read(text: &str) -> Result<Option<String>, SpecError> {
    let Some((left, right)) = text.split_once(ARROW).filter(|_| is_numpys(text)) else { return Ok(None) };
    let refused = |why: String, at: usize, length: usize| {
        Err(SpecError::new(SpecProblem::NotNumpy(why), Span { start: at, end: at + length }))
    };
    if let Some(at) = text.find(DOTS) {
        return refused(dots(left, right), at, DOTS.len());
    }
    let result = left.len() + ARROW.len();
    if let Some(at) = right.find(',') {
        return refused(comma(left, right), result + at, 1);
    }
    if let Some((at, part)) = slots(left, right).find(|(_, part)| has_words(part)) {
        return refused(words(left, right), at, part.len());
    }
    let letters = |(_, c): &(usize, char)| c.is_ascii_alphabetic();
    for (at, letter) in right.char_indices().filter(letters) {
        if !left.contains(letter) {
            return refused(format!("no operand has `{letter}`"), result + at, 1);
        }
        if right[..at].contains(letter) {
            return refused(format!("the result has `{letter}` twice"), result + at, 1);
        }
    }
    Ok(Some([&left.replace(',', ";"), "=>", right].concat()))
}

/// Has the text NumPy's signs, an operand and one arrow, and none of ours?
fn is_numpys(text: &str) -> bool {
    let sign = |c: char| c.is_ascii_alphabetic() || matches!(c, ',' | ' ' | '.');
    let Some((left, right)) = text.split_once(ARROW) else { return false };
    let signs = left.chars().chain(right.chars()).all(sign) && !text.replace(DOTS, "").contains('.');
    signs && left.contains(|c: char| c.is_ascii_alphabetic())
}

/// Are there blanks between words? Then the words are names, and NumPy would read their letters.
fn has_words(part: &str) -> bool {
    let words: Vec<&str> = part.split(' ').filter(|word| !word.is_empty()).collect();
    words.len() > 1 && words.iter().any(|word| word.len() > 1)
}

/// The operands and the result, without blanks around them, and where each begins.
fn slots<'a>(left: &'a str, right: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let after = |at: &mut usize, part: &'a str, separator: usize| {
        let begins = *at + part.len() - part.trim_start().len();
        *at += part.len() + separator;
        Some((begins, part.trim()))
    };
    let operands = left.split(',').scan(0, move |at, part| after(at, part, 1));
    operands.chain([right].into_iter().scan(left.len() + ARROW.len(), move |at, part| after(at, part, 0)))
}

fn dots(left: &str, right: &str) -> String {
    let slots: Vec<&str> = slots(left, right).map(|(_, slot)| slot).collect();
    let write = |slot: &dyn Fn(&str) -> String| {
        let written: Vec<String> = slots.iter().map(|text| slot(text)).collect();
        let (result, operands) = written.split_last().map_or(("", [].as_slice()), |(last, rest)| (last, rest));
        format!("`{} => {result}`", operands.join("; "))
    };
    let same = write(&|slot| slot.to_owned());
    let message = "there `...` is axes that broadcast, here it is one row, the same in every slot".to_owned();
    if !slots.iter().all(|slot| slot.rfind(DOTS).is_none_or(|at| at == 0)) {
        return format!("{message}. Write {same} where that is meant");
    }
    let batch =
        write(&|slot| slot.strip_prefix(DOTS).map_or(slot.to_owned(), |rest| format!("{DOTS}|{}", rest.trim())));
    format!("{message}. Write {batch} for batch axes, or {same} for axes of the output row")
}

fn comma(left: &str, right: &str) -> String {
    format!(
        "its result has no comma. With names and commas between axes, `=>` stands before the result: `{} => {}`",
        left.trim(),
        right.trim()
    )
}

fn words(left: &str, right: &str) -> String {
    let axes = |part: &str| part.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
    let operands: Vec<String> = left.split(',').map(axes).collect();
    format!("names have one letter there. Write `{} => {}`", operands.join("; "), axes(right))
}
