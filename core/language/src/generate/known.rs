//! The tensors that names stand for.

use super::TensorId;
use std::collections::BTreeMap;

/// So many names are compared one by one, not found by a tree: few applications of functions have more.
const FEW: usize = 16;

/// The tensor of each name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known<'p> {
    few: Vec<(&'p str, TensorId)>,
    /// The others, where there are so many.
    others: BTreeMap<&'p str, TensorId>,
}

impl<'p> Known<'p> {
    pub fn get(&self, name: &str) -> Option<TensorId> {
        let few = self.few.iter().find(|(known, _)| *known == name).map(|(_, tensor)| tensor);
        few.or_else(|| self.others.get(name)).copied()
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds a name that is not known.
    pub fn add(&mut self, name: &'p str, tensor: TensorId) {
        if self.few.len() < FEW {
            self.few.reserve(FEW - self.few.len());
            self.few.push((name, tensor));
        } else {
            self.others.insert(name, tensor);
        }
    }

    pub fn remove(&mut self, name: &str) {
        match self.few.iter().position(|(known, _)| *known == name) {
            Some(at) => drop(self.few.swap_remove(at)),
            None => drop(self.others.remove(name)),
        }
    }

    /// All names, sorted.
    pub fn names(&self) -> Vec<&'p str> {
        let mut names: Vec<&str> = self.few.iter().map(|(name, _)| *name).chain(self.others.keys().copied()).collect();
        names.sort_unstable();
        names
    }
}
