//! Warnings about names of sizes.
//!
//! A name that is only reported is no mistake: `["k"]` alone asks for the size to be shown. So a name is told when it is
//! set and nothing else mentions it, for then it says nothing; or when it stands once and another name of the program
//! is spelled almost like it.

use super::mentions::{How, Mention, mentions};
use super::{Warning, WarningCode};
use crate::Span;
use crate::ast::Program;
use crate::lexer::in_name;
use std::collections::{BTreeMap, BTreeSet};

/// Names that are set and not used, and names that look like a slip of the pen.
pub(super) fn unused(program: &Program, source: Option<&str>) -> Vec<Warning> {
    let all = mentions(program);
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, it) in all.iter().enumerate() {
        places.entry(&it.name).or_default().push(i);
    }
    // What a function captures for itself is another size.
    let others = |at: &[usize]| at.iter().filter(|i| all[**i].how != How::Own).count();
    let alone = |name: &str| places.get(name).is_some_and(|at| at.len() == 1 || others(at) == 1);
    let alike = Alike::new(places.keys().copied());
    let mut found = Vec::new();
    for (i, it) in all.iter().enumerate().filter(|(_, it)| alone(&it.name)) {
        // Of two names that stand once, one is told: the one that is set, or the later.
        let is_known =
            |other: &str| !alone(other) || places[other].iter().all(|at| all[*at].how == How::Used && *at < i);
        let mut close = alike.to(&it.name).into_iter();
        let meant = close.find(|other| it.how == How::Set || is_known(other));
        let own = places[it.name.as_str()].len() > 1;
        found.extend(if own { of_functions(it, source) } else { warning(it, meant, source) });
    }
    found
}

/// A size that functions which were applied before have a name of their own for.
fn of_functions(it: &Mention, source: Option<&str>) -> Option<Warning> {
    let name = &it.name;
    let message =
        format!("`{name}` is set, and the `{name}` of a function is another size, its own in each application");
    let help = format!("set `{name}` before the function is applied: then it is that size");
    let told = || Warning::new(WarningCode::UnusedSize, narrowed(it, source), message, help);
    (it.how == How::Set).then(told)
}

fn warning(it: &Mention, meant: Option<&str>, source: Option<&str>) -> Option<Warning> {
    let name = &it.name;
    let message = match (it.how, meant) {
        (How::Set, _) => format!("`{name}` is set, and nothing else mentions it"),
        (How::Used | How::Own, Some(meant)) => {
            format!("the size `{name}` stands here only, and `{meant}` is spelled almost like it")
        }
        (How::Used | How::Own, _) => return None,
    };
    let help = match meant {
        Some(meant) => format!("write `{meant}` if that is meant; else give `{name}` a name that is not so close"),
        None => format!("write `{name}` in a shape, or capture a label of that name; else leave it out"),
    };
    Some(Warning::new(WarningCode::UnusedSize, narrowed(it, source), message, help))
}

/// The place of the name alone, where the text is at hand: a shape has one place for all that is in it.
fn narrowed(it: &Mention, source: Option<&str>) -> Span {
    let text = source.map_or("", |source| it.span.text(source));
    let alone = |at: &usize| {
        let (before, after) = (&text[..*at], &text[*at + it.name.len()..]);
        !before.ends_with(in_name) && !after.starts_with(in_name)
    };
    let found = text.match_indices(it.name.as_str()).map(|(at, _)| at).find(alone);
    found.map_or(it.span, |at| Span { start: at, end: at + it.name.len() }.shifted(it.span.start))
}

/// Names by their letters, in whatever order, and by all their letters but one: what [`is_slip`] is true of shares one of
/// these.
#[derive(Default)]
struct Alike<'a>(BTreeMap<Vec<u8>, Vec<&'a str>>);

impl<'a> Alike<'a> {
    fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let mut alike = Alike::default();
        for name in names {
            for letters in letters(name) {
                alike.0.entry(letters).or_default().push(name);
            }
        }
        alike
    }

    /// The names that could be this one, in the order of the alphabet.
    fn to(&self, name: &str) -> BTreeSet<&'a str> {
        let close = letters(name).into_iter().filter_map(|letters| self.0.get(&letters)).flatten();
        close.copied().filter(|other| is_slip(name, other)).collect()
    }
}

/// The letters of a name, and all but one of them, sorted.
fn letters(name: &str) -> BTreeSet<Vec<u8>> {
    let mut all = name.to_ascii_lowercase().into_bytes();
    all.sort_unstable();
    let without = |i: usize| [&all[..i], &all[i + 1..]].concat();
    (0..all.len()).map(without).chain([all.clone()]).collect()
}

/// Names shorter than this differ in little even where they are meant to differ.
const SHORTEST: usize = 3;

/// Are two names the same but for case, for one letter too many, or for two neighbours in the wrong order? Digits are
/// there to tell names apart.
fn is_slip(name: &str, other: &str) -> bool {
    let (a, b) = (name.to_ascii_lowercase().into_bytes(), other.to_ascii_lowercase().into_bytes());
    if name == other || a.len().min(b.len()) < SHORTEST {
        return false;
    }
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    match a.len().abs_diff(b.len()) {
        0 if a == b => true,
        0 => {
            let swapped = a.len() > same + 1 && a[same] == b[same + 1] && a[same + 1] == b[same];
            swapped && a[same..same + 2].iter().all(|c| !c.is_ascii_digit()) && a[same + 2..] == b[same + 2..]
        }
        1 => {
            let (long, short) = if a.len() > b.len() { (&a, &b) } else { (&b, &a) };
            long[same].is_ascii_alphabetic() && long[same + 1..] == short[same..]
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Alike, is_slip};

    #[test]
    fn slips() {
        for (a, b) in [("hidden", "hiden"), ("width", "widht"), ("Heads", "heads"), ("head", "heads")] {
            assert!(is_slip(a, b) && is_slip(b, a), "{a} {b}");
        }
        for (a, b) in [("n", "m"), ("dim1", "dim2"), ("dim", "dim1"), ("w_q", "w_k"), ("batch", "patch"), ("h", "hh")] {
            assert!(!is_slip(a, b) && !is_slip(b, a), "{a} {b}");
        }
        assert!(!is_slip("dim12", "dim21"), "digits tell names apart");
    }

    /// What is found by letters is what is found by looking at all.
    #[test]
    fn names_that_are_alike_are_found() {
        let words =
            ["abc", "acb", "abbc", "aBc", "ab", "abcd", "xabc", "bac", "a12", "a21", "ab1", "aab", "abab", "baba"];
        let alike = Alike::new(words.into_iter());
        for word in words {
            let mut all: Vec<&str> = words.into_iter().filter(|other| is_slip(word, other)).collect();
            all.sort_unstable();
            assert_eq!(alike.to(word).into_iter().collect::<Vec<_>>(), all, "{word}");
        }
    }
}
