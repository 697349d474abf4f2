//! What iterators are called: as the labels of a specification where they can be, and never as anything beside them.

use crate::Inference;
use crate::ast::Index;
use crate::generate::is_numbered;

/// The names that a loop nest of a program may show beside its iterators: of tensors, sizes and indices, sorted.
pub(super) struct Taken<'a>(Vec<&'a str>);

impl<'a> Taken<'a> {
    pub(super) fn of(inferred: &'a Inference) -> Self {
        let generated = &inferred.generated;
        let tensors = generated.bindings.iter().map(|(name, _)| name.as_str());
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
    labels: Vec<&'a str>,
    given: Vec<String>,
}

impl<'a> Namer<'a> {
    pub(super) fn new(taken: &'a Taken<'a>, labels: impl Iterator<Item = &'a str>) -> Self {
        Namer { taken, labels: labels.collect(), given: Vec::new() }
    }

    /// The label itself; where something else is called so, the first of label1, label2, … that nothing is called.
    pub(super) fn labelled(&mut self, label: &str) -> String {
        // t1 is a tensor without a name, and so is t with any other number.
        let apart = label == "t" || label.ends_with(|c: char| c.is_ascii_digit());
        let between = if apart { "_" } else { "" };
        let numbered = |n: usize| format!("{label}{between}{n}");
        if !self.taken.has(label) && !self.was_given(label) {
            return self.give(label.to_owned());
        }
        let name = (1..).map(numbered).find(|name| self.is_free(name));
        self.give(name.unwrap_or_default())
    }

    /// The first of i, j, …, z, i1, j1, … that nothing is called.
    pub(super) fn fresh(&mut self) -> String {
        let mut letter = [0; 4];
        for c in 'i'..='z' {
            let name: &str = c.encode_utf8(&mut letter);
            if self.is_free(name) {
                return self.give(name.to_owned());
            }
        }
        let letters = |round: usize| ('i'..='z').map(move |c| format!("{c}{round}"));
        let name = (1..).flat_map(letters).find(|name| self.is_free(name));
        self.give(name.unwrap_or_default())
    }

    fn is_free(&self, name: &str) -> bool {
        !self.taken.has(name) && !self.labels.contains(&name) && !self.was_given(name)
    }

    fn was_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given == name)
    }

    fn give(&mut self, name: String) -> String {
        self.given.push(name.clone());
        name
    }
}
