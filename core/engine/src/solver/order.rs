//! Adjacencies in a topological order, kept as they come (Pearce and Kelly): DI-antisym then notices most of the time
//! without a search that no path leads back.

use super::list::slot;
use super::store::{Bounds, DOWN, DimBounds, Place, UP};
use super::table::Table;
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::DimVar;

impl Bounds {
    /// Keeps the order topological for a new edge that closes no cycle.
    pub(super) fn place(&mut self, below: DimVar, above: DimVar) {
        match (self.order(below), self.order(above)) {
            (Some(b), Some(a)) if b < a => {}
            (Some(_), Some(_)) if mutant::is(Mutant::OrderKept) => {}
            (Some(b), Some(a)) => self.reorder(below, b, above, a),
            (Some(_), None) => self.set_last(above),
            (None, Some(_)) => {
                self.first -= 1;
                slot(&mut self.dims, below.0, DimBounds::default).order = Place::new(self.first);
            }
            (None, None) => {
                self.set_last(below);
                self.set_last(above);
            }
        }
    }

    fn set_last(&mut self, a: DimVar) {
        self.last += 1;
        slot(&mut self.dims, a.0, DimBounds::default).order = Place::new(self.last);
    }

    /// Pearce and Kelly: what is below `below` and what is above `above`, within the affected
    /// stretch of the order, change places.
    fn reorder(&mut self, below: DimVar, highest: Place, above: DimVar, lowest: Place) {
        let affected = lowest..=highest;
        let mut moved = self.within(below, DOWN, &affected);
        moved.extend(self.within(above, UP, &affected));
        let mut places: Vec<Place> = moved.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        for (place, (_, var)) in places.into_iter().zip(moved) {
            slot(&mut self.dims, var.0, DimBounds::default).order = Some(place);
        }
    }

    /// What is reachable on one side within a stretch of the order, in order.
    fn within(&self, start: DimVar, thread: usize, stretch: &std::ops::RangeInclusive<Place>) -> Vec<(Place, DimVar)> {
        let mut seen: Table<DimVar, ()> = Table::from_iter([(start, ())]);
        let (mut open, mut found) = (vec![start], Vec::new());
        while let Some(at) = open.pop() {
            found.extend(self.order(at).map(|o| (o, at)));
            for (edge, _) in self.edges(at, thread) {
                let next = if thread == UP { edge.above } else { edge.below };
                if self.order(next).is_some_and(|o| stretch.contains(&o)) && seen.insert(next, ()).is_none() {
                    open.push(next);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
