//! What iterators are called: as the labels of a specification where they can be, and never as anything beside them.

use crate::Inference;
use crate::ast::Index;
use crate::generate::is_numbered;
use std::collections::{BTreeMap, BTreeSet};

/// The names that a loop nest of a program may show beside its iterators: of tensors, sizes and indices, sorted.
pub(super) struct Taken<'a>(Vec<&'a str>);

impl<'a> Taken<'a> {
    pub(super) fn of(inferred: &'a Inference) -> Self {
        let generated = &inferred.generated;
        let tensors = generated.bindings.iter().map(|(name, _)| &**name);
        let sizes = generated.captures.iter().map(|capture| capture.name.as_str());
        let indices = generated.operations.iter().filter_map(|op| match &op.index {
            Some(Index::Name(name)) => Some(name.as_str()),
            _ => None,
        });
        // What an application makes has a # in its name, which no iterator has.
        let mut taken: Vec<&str> = tensors.chain(sizes).chain(indices).filter(|name| !name.contains('#')).collect();
        taken.sort_unstable();
        Taken(taken)
    }

    /// Tensors without a name are called t and their number.
    fn has(&self, name: &str) -> bool {
        self.0.binary_search(&name).is_ok() || is_numbered(name)
    }
}

/// Gives the iterators of one operation their names.
pub(super) struct Namer<'a> {
    taken: &'a Taken<'a>,
    /// The labels of its specification.
    labels: BTreeSet<&'a str>,
    given: BTreeSet<String>,
    /// The next number for a label that has got some, and the next fresh name: what came before is not free again.
    numbers: BTreeMap<String, usize>,
    fresh: usize,
}

impl<'a> Namer<'a> {
    pub(super) fn new(taken: &'a Taken<'a>, labels: impl Iterator<Item = &'a str>) -> Self {
        let (given, numbers) = (BTreeSet::new(), BTreeMap::new());
        Namer { taken, labels: labels.collect(), given, numbers, fresh: 0 }
    }

    /// The label itself; where something else is called so, the first of label1, label2, … that nothing is called.
    pub(super) fn labelled(&mut self, label: &str) -> String {
        // t1 is a tensor without a name, and so is t with any other number.
        let apart = label == "t" || label.ends_with(|c: char| c.is_ascii_digit());
        let between = if apart { "_" } else { "" };
        if !self.taken.has(label) && !self.given.contains(label) {
            return self.give(label.to_owned());
        }
        let from = self.numbers.get(label).copied().unwrap_or(1);
        let mut numbered = (from..).map(|n| (n, format!("{label}{between}{n}")));
        let (n, name) = numbered.find(|(_, name)| self.is_free(name)).unwrap_or_default();
        self.numbers.insert(label.to_owned(), n + 1);
        self.give(name)
    }

    /// The first of i, j, …, z, i1, j1, … that nothing is called.
    pub(super) fn fresh(&mut self) -> String {
        let mut named = (self.fresh..).map(|n| (n, nth(n)));
        let (n, name) = named.find(|(_, name)| self.is_free(name)).unwrap_or_default();
        self.fresh = n + 1;
        self.give(name)
    }

    fn is_free(&self, name: &str) -> bool {
        !self.taken.has(name) && !self.labels.contains(name) && !self.given.contains(name)
    }

    fn give(&mut self, name: String) -> String {
        self.given.insert(name.clone());
        name
    }
}

/// i, j, …, z, i1, j1, …
fn nth(n: usize) -> String {
    const LETTERS: &[u8] = b"ijklmnopqrstuvwxyz";
    let (letter, round) = (char::from(LETTERS[n % LETTERS.len()]), n / LETTERS.len());
    if round == 0 { letter.to_string() } else { format!("{letter}{round}") }
}
