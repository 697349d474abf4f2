//! Φ as a queue: which constraint comes next (Def. 4.4).
//!
//! Chapter: spec/4-solver.md.

use crate::policy::Strategy;
use std::collections::VecDeque;

/// The unsolved constraints, taken in the order of a strategy.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    strategy: Strategy,
    items: VecDeque<T>,
    /// For rounds: what the current round has emitted.
    emitted: Vec<T>,
    /// To be processed before anything else ("then reprocess", Def. 4.3(iv)).
    now: Option<T>,
    random: u64,
}

impl<T> Queue<T> {
    /// The first constraints, in the order given.
    pub fn new(strategy: Strategy, items: impl IntoIterator<Item = T>) -> Self {
        let random = if let Strategy::Random(seed) = strategy { seed } else { 0 };
        Queue { strategy, items: items.into_iter().collect(), emitted: Vec::new(), now: None, random }
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() + self.emitted.len() + usize::from(self.now.is_some())
    }

    /// Is Φ empty?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything that waits, in no order that matters.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.now.iter().chain(&self.items).chain(&self.emitted)
    }

    /// Everything that waits, to be changed in place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.now.iter_mut().chain(&mut self.items).chain(&mut self.emitted)
    }

    /// Adds a constraint.
    pub fn push(&mut self, item: T) {
        match self.strategy {
            Strategy::Rounds => self.emitted.push(item),
            _ => self.items.push_back(item),
        }
    }

    /// Puts a constraint before all others.
    pub fn push_now(&mut self, item: T) {
        if let Some(earlier) = self.now.replace(item) {
            self.push(earlier);
        }
    }

    /// Is there a constraint to be processed before all others?
    #[must_use]
    pub fn has_now(&self) -> bool {
        self.now.is_some()
    }

    /// Takes the next constraint.
    pub fn pop(&mut self) -> Option<T> {
        if let Some(item) = self.now.take() {
            return Some(item);
        }
        match self.strategy {
            Strategy::Fifo => self.items.pop_front(),
            Strategy::Lifo => self.items.pop_back(),
            Strategy::Random(_) if self.items.is_empty() => None,
            Strategy::Random(_) => {
                let index = usize::try_from(self.next_random() % self.items.len() as u64).unwrap_or(0);
                self.items.swap_remove_back(index)
            }
            Strategy::Rounds => {
                if self.items.is_empty() {
                    self.items.extend(self.emitted.drain(..).rev());
                }
                self.items.pop_front()
            }
        }
    }

    /// SplitMix64: the same numbers on every platform.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
