//! What names mean: the program's own, and those of one application of a function.

use super::{Measure, TensorId};
use std::collections::BTreeMap;

/// The names of the program, or of one application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'p> {
    pub tensors: BTreeMap<&'p str, TensorId>,
    pub sizes: BTreeMap<String, Measure>,
    /// What stands before names made here: empty, or `f#1.`.
    pub prefix: String,
    /// How often each function has been applied here.
    pub calls: BTreeMap<&'p str, usize>,
    /// How many of the program's functions can be called here: only those defined before.
    pub functions: usize,
}

impl<'p> Scope<'p> {
    /// The prefix of one more application of a function.
    pub fn apply(&mut self, function: &'p str) -> String {
        let count = self.calls.entry(function).or_insert(0);
        *count += 1;
        [&self.prefix, function, "#", &count.to_string(), "."].concat()
    }
}

/// A name that one or two changes make of this one.
pub(crate) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let most = if name.len() < 4 { 1 } else { 2 };
    let distances = known.map(|other| (distance(name, other), other)).filter(|(d, _)| *d <= most);
    distances.min_by_key(|(d, _)| *d).map(|(_, other)| other.to_owned())
}

/// Insertions, deletions and replacements from one to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (row[j] + 1).min(row[j + 1] + 1).min(diagonal + usize::from(x != *y));
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row.last().copied().unwrap_or(0)
}
