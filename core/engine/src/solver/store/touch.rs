//! What is kept of variables, read ahead: see `configuration/touch.rs`.

use super::{Bounds, DOWN, Link, UP};
use lozenge_calculus::term::{DimVar, RowVar};

impl Bounds {
    /// Reads what is kept of α, and nothing comes of it.
    #[inline]
    pub(in super::super) fn touch_dim(&self, a: DimVar) -> u32 {
        let first = self.first_edge(a, UP);
        let place = self.order(a).map_or(0, |place| u32::from(place.get() == 1));
        let spot = self.ways.borrow().paths.touch(a);
        first.wrapping_add(place).wrapping_add(spot)
    }

    /// The same of ρ.
    #[inline]
    pub(in super::super) fn touch_row(&self, r: RowVar) -> u32 {
        self.caps.touch(r)
    }

    /// The same of the adjacencies that are looked at for α ⊑ β, and those that one more is threaded to.
    #[inline]
    pub(in super::super) fn touch_adjacencies(&self, below: Option<DimVar>, above: Option<DimVar>) -> u32 {
        let edge = |link: Link| self.adjacencies.get(link as usize).map_or(0, |entry| entry.next[UP]);
        let of = |a: Option<DimVar>, thread: usize| {
            let list = a.and_then(|DimVar(a)| Some(self.dims.get(a as usize)?.edges[thread]));
            list.map_or(0, |list| edge(list.first).wrapping_add(edge(list.last)))
        };
        of(below, UP).wrapping_add(of(above, DOWN))
    }

    /// The same of the caps that R ⊑ ⟨ρ⟩ is threaded to, where R is a variable.
    #[inline]
    pub(in super::super) fn touch_caps(&self, of: Option<RowVar>, on: Option<RowVar>) -> u32 {
        let last = |r: Option<RowVar>, of| r.map_or(0, |r| self.caps.touch_last(r, of));
        last(of, true).wrapping_add(last(on, false))
    }
}
