//! The deferred equations in the order in which CL-word takes them.

use crate::mutant::{self, Mutant};
use crate::solver::list::Link;
use crate::solver::store::Bounds;
use lozenge_calculus::closing::word;
use lozenge_calculus::constraint::Constraint;
use std::collections::{BTreeMap, VecDeque};

/// Numbers of deferred equations by the axes that they ask for, oldest first. How many these are does not change: an
/// equation whose row is bound leaves the store. Those that have left it are passed over.
#[derive(Default)]
pub(super) struct Words {
    by_demand: BTreeMap<usize, VecDeque<Link>>,
    /// The first that is not in here yet.
    next: Link,
}

impl Words {
    /// The deferred equation that asks for the most axes, the oldest one of these: what it gets is often enough for
    /// shorter ones on the same row (spec/findings/F45.md).
    pub(super) fn first(&mut self, bounds: &Bounds) -> Option<Constraint> {
        self.add_new(bounds);
        let first = self.first_left(bounds);
        let largest = || {
            let all: Vec<Constraint> = bounds.deferred().map(|(equation, _)| equation).collect();
            all.into_iter().rev().max_by_key(word::demand)
        };
        debug_assert_eq!(first, largest(), "the oldest of the largest");
        first
    }

    fn add_new(&mut self, bounds: &Bounds) {
        let all = bounds.next_deferred();
        if self.next > 0 && mutant::is(Mutant::WordsOnce) {
            return;
        }
        for id in self.next..all {
            if let Some(demand) = bounds.deferred_demand(id) {
                self.by_demand.entry(demand).or_default().push_back(id);
            }
        }
        self.next = all;
    }

    fn first_left(&mut self, bounds: &Bounds) -> Option<Constraint> {
        loop {
            let mut most = self.by_demand.last_entry()?;
            match most.get().front().map(|id| bounds.deferred_as(*id)) {
                Some(Some(equation)) => return Some(equation),
                Some(None) => drop(most.get_mut().pop_front()),
                None => drop(most.remove()),
            }
        }
    }
}
