//! What names mean: the program's own, and those of one application of a function.

use super::Measure;
use super::known::Known;
use std::collections::BTreeMap;

/// The names of the program, or of one application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'p> {
    pub tensors: Known<'p>,
    pub sizes: BTreeMap<String, Measure>,
    /// How often each function has been applied here.
    pub calls: BTreeMap<&'p str, usize>,
    /// How many of the program's functions can be called here: only those defined before.
    pub functions: usize,
}

impl<'p> Scope<'p> {
    /// One more application of a function: how many there are now.
    pub fn apply(&mut self, function: &'p str) -> usize {
        let count = self.calls.entry(function).or_insert(0);
        *count += 1;
        *count
    }
}

/// What stands before the names that are made in the applications under way.
#[derive(Default)]
pub(crate) struct Trail {
    /// Before those of tensors and sizes: empty, or `f#1.`.
    names: String,
    /// Before those of row variables: empty, or `f'1'`. The quote keeps them apart from what programs name.
    rows: String,
}

impl Trail {
    /// Into the application of a function with this number. Answers with the way back.
    pub fn enter(&mut self, function: &str, number: usize) -> usize {
        let (outside, number) = (self.names.len(), number.to_string());
        self.names.extend([function, "#", &number, "."]);
        self.rows.extend([function, "'", &number, "'"]);
        outside
    }

    /// Out of it.
    pub fn leave(&mut self, outside: usize) {
        self.names.truncate(outside);
        self.rows.truncate(outside);
    }

    /// How much stands before the names of tensors and sizes, and before those of rows.
    pub fn lengths(&self) -> [usize; 2] {
        [self.names.len(), self.rows.len()]
    }

    /// The name of a row that is made here, written over another one.
    pub fn write_row(&self, row: &str, full: &mut String) {
        write(full, [&self.rows, row]);
    }

    /// The name of a tensor or size that is made here, in the program's list of names.
    pub fn name(&self, name: &str) -> String {
        let mut full = String::with_capacity(self.names.len() + name.len());
        self.write_name(name, &mut full);
        full
    }

    /// The same, written over another name.
    pub fn write_name(&self, name: &str, full: &mut String) {
        write(full, [&self.names, name]);
    }

    /// The names of the rows of a tensor that is made here, up to their kinds.
    pub fn rows(&self, tensor: &str) -> String {
        let longest_kind = 6;
        let mut full = String::with_capacity(self.rows.len() + tensor.len() + 1 + longest_kind);
        full.extend([&self.rows, tensor, "'"]);
        full
    }
}

/// Writes these over a text.
fn write(full: &mut String, parts: [&str; 2]) {
    full.clear();
    parts.into_iter().for_each(|part| full.push_str(part));
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
