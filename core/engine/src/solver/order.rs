//! Adjacencies in a topological order, kept as they come: DI-antisym then notices most of the time without a search that
//! no path leads back.
//!
//! A new adjacency α ⊑ β may stand against the order. Then what leads to α and what β leads to are searched within the
//! stretch between them, both at once, and the side that ends first is moved beyond the other (Bender, Fineman, Gilbert and
//! Tarjan, 2016, have bounds for such searches). So long chains that are joined in the wrong order cost no more than their
//! shorter parts.
//!
//! Where that has cost more than to look at everything twice, the order is drawn anew, along the adjacencies that wait in Φ
//! as well: what comes after fits into it, unless it is on a cycle.

use super::ends::Ways;
use super::line::Place;
use super::store::{Bounds, UP};
use crate::components;
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::DimVar;

impl Bounds {
    /// Where α stands in the order; nowhere if it has no adjacency and none was waiting for it.
    #[inline]
    pub(super) fn order(&self, a: DimVar) -> Option<Place> {
        self.line.place(a)
    }

    /// Keeps the order topological for a new edge that closes no cycle.
    pub(super) fn place(&mut self, below: DimVar, above: DimVar) {
        match (self.order(below), self.order(above)) {
            (Some(b), Some(a)) if b < a => {}
            (Some(_), Some(_)) if mutant::is(Mutant::OrderKept) => {}
            (Some(b), Some(a)) => self.reorder(below, above, (a, b)),
            (Some(_), None) => self.line.push_last(above),
            (None, Some(_)) => self.line.push_first(below),
            (None, None) => {
                self.line.push_last(below);
                self.line.push_last(above);
            }
        }
    }

    /// `below` comes after `above` in the order, and must come before.
    fn reorder(&mut self, below: DimVar, above: DimVar, stretch: (Place, Place)) {
        let starts = [above, below];
        // DI-antisym has just asked for a path between the two.
        let side = match self.ends.get_mut().take_missed(starts) {
            Some(side) => side,
            None => match self.meet(&mut self.ends.borrow_mut(), starts, stretch, &Ways::default()) {
                Ok(_) => return,
                Err(side) => side,
            },
        };
        let ends = self.ends.get_mut();
        self.strayed += ends.cost;
        let placed = ends.reached(side).map(|v| (self.line.place(v), v));
        let mut moved: Vec<(Option<Place>, DimVar)> = placed.collect();
        moved.sort_unstable();
        let moved: Vec<DimVar> = moved.into_iter().map(|(_, v)| v).collect();
        if side == UP && !mutant::is(Mutant::OrderSide) {
            self.line.move_after(&moved, below);
        } else {
            self.line.move_before(&moved, above);
        }
    }

    /// Has reordering cost enough to ask whether the order should be drawn anew?
    #[inline]
    pub(super) fn strays(&self) -> bool {
        self.strayed > self.patience
    }

    /// Draws the order anew if so many constraints wait and reordering has cost more than to look at everything twice.
    #[cold]
    pub(super) fn stray(&mut self, waiting: usize, coming: impl FnOnce() -> Vec<(DimVar, DimVar)>) {
        let (strayed, all) = (self.strayed, (waiting + self.adjacencies.len()) as u64);
        if strayed >= 2 * all && waiting > 0 {
            self.walked.set(self.walked.get() + all);
            self.draw(&coming());
        }
        // Each time at least twice as late, so that all drawing costs no more than all reordering.
        self.patience = 2 * all.max(strayed);
    }

    /// The order along these adjacencies, which are still to come, and along those that are stored. What is on a cycle of
    /// both keeps the order it has.
    fn draw(&mut self, coming: &[(DimVar, DimVar)]) {
        let stored = self.adjacencies.iter().filter_map(|entry| entry.it.as_ref().map(|it| (it.below, it.above)));
        // A component comes after all that it leads to: downwards, here.
        let down = |(DimVar(below), DimVar(above)): (DimVar, DimVar)| (above as usize, below as usize);
        let stored = stored.filter(|_| !mutant::is(Mutant::OrderDrawn));
        let edges: Vec<(usize, usize)> = stored.chain(coming.iter().copied()).map(down).collect();
        let mut vars: Vec<DimVar> = self.line.iter().chain(coming.iter().flat_map(|(a, b)| [*a, *b])).collect();
        let component = components(vars.iter().map(|v| v.0 as usize + 1).max().unwrap_or(0), &edges);
        vars.sort_unstable_by_key(|v| (component[v.0 as usize], self.order(*v), *v));
        vars.dedup();
        self.line.draw(&vars);
    }
}
