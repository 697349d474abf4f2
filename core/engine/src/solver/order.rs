//! Adjacencies in a topological order, kept as they come: DI-antisym then notices most of the time without a search that
//! no path leads back.
//!
//! A new adjacency α ⊑ β may stand against the order. Then what leads to α and what β leads to are searched within the
//! stretch between them, both at once, and the side that ends first is moved beyond the other (Bender, Fineman, Gilbert and
//! Tarjan, 2016, have bounds for such searches). So long chains that are joined in the wrong order cost no more than their
//! shorter parts.

use super::line::Place;
use super::paths::Paths;
use super::search::End;
use super::store::{Bounds, UP};
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::DimVar;

impl Bounds {
    /// Where α stands in the order; nowhere without adjacencies.
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
        let mut ends = [End::new(above), End::new(below)];
        let Err(side) = self.meet(&mut ends, stretch, &Paths::default()) else { return };
        let mut moved: Vec<DimVar> = ends[side].reached().collect();
        moved.sort_unstable_by_key(|v| self.order(*v));
        if side == UP && !mutant::is(Mutant::OrderSide) {
            self.line.move_after(&moved, below);
        } else {
            self.line.move_before(&moved, above);
        }
    }
}
