//! σ on rows: what a row variable is bound to goes in at the marker.

use super::Bindings;
use super::chains::Rests;
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::{DimTerm, Flank, RowTerm, RowVar};
use std::borrow::Cow;

impl Bindings {
    /// What a row variable is bound to, past variables alone, and whether that rests on a placement.
    fn bound_row(&self, var: Option<RowVar>, marked: bool) -> Option<(&RowTerm, bool)> {
        let (to, Rests { placement, tainted }) = self.led(var?)?;
        Some((to, tainted || (marked && placement && !mutant::is(Mutant::SplicePlacement))))
    }

    /// R with what its row variable is bound to spliced in at the marker, and whether that rests on a placement; none where
    /// that is R. In a marked constraint, placements of markers count.
    fn spliced(&self, term: &RowTerm, marked: bool) -> Option<(RowTerm, bool)> {
        let (to, mut tainted) = self.bound_row(term.var, marked)?;
        let mut outer = term;
        if term.known_rank() == 0 {
            // []·⟨ρ⟩·[] is what ρ is.
            if self.bound_row(to.var, marked).is_none() {
                return Some((to.clone(), tainted));
            }
            outer = to;
        }
        let mut var = outer.var;
        let (l, r) = self.flanks(var, marked);
        let (mut lead, mut trail) = (with_room(&outer.lead, l), with_room(&outer.trail, r));
        // From the outer edge inwards on both sides, so the trailing flank is kept from the back.
        trail.reverse();
        while let Some((to, t)) = self.bound_row(var, marked) {
            tainted |= t;
            lead.extend_from_slice(&to.lead);
            trail.extend(to.trail.iter().rev().copied());
            var = to.var;
        }
        if !mutant::is(Mutant::SpliceOrder) {
            trail.reverse();
        }
        Some((RowTerm::new(lead, var, trail), tainted))
    }

    /// How many leading and trailing axes a row variable's bindings add.
    fn flanks(&self, mut var: Option<RowVar>, marked: bool) -> (usize, usize) {
        let (mut lead, mut trail) = (0, 0);
        while let Some((to, _)) = self.bound_row(var, marked) {
            lead += to.lead.len();
            trail += to.trail.len();
            var = to.var;
        }
        (lead, trail)
    }

    /// Replaces R by σ(R); does that rest on a placement?
    pub(super) fn row(&mut self, term: &mut RowTerm, marked: bool) -> bool {
        if term.bare().is_some_and(|v| self.row_slot(v).is_none()) {
            return false;
        }
        self.shorten_row(term.var);
        let mut tainted = false;
        if let Some((whole, t)) = self.spliced(term, marked) {
            (*term, tainted) = (whole, t);
        }
        tainted | self.axes(term)
    }

    /// σ(R), and whether that rests on a placement: nothing is written twice.
    fn row_of(&mut self, term: &RowTerm, marked: bool) -> (RowTerm, bool) {
        self.shorten_row(term.var);
        let (mut term, tainted) = self.spliced(term, marked).unwrap_or_else(|| (term.clone(), false));
        let tainted = tainted | self.axes(&mut term);
        (term, tainted)
    }

    /// Replaces the axes of R by what they are under σ; does that rest on a placement?
    fn axes(&mut self, term: &mut RowTerm) -> bool {
        let mut tainted = false;
        for axis in term.lead.iter_mut().chain(&mut term.trail) {
            tainted |= self.dim(axis);
        }
        tainted
    }

    /// Replaces R by σ(R), and copies it only where that is something else; does that rest on a placement?
    #[inline]
    pub(in crate::solver) fn row_under(&mut self, term: &mut Cow<'_, RowTerm>, marked: bool) -> bool {
        if term.bare().is_some_and(|v| self.row_slot(v).is_none()) {
            return false;
        }
        self.row_bound(term, marked)
    }

    /// R with its axes as they are under σ, and whether that rests on a placement; none where a chain is to be shortened.
    fn copied(&self, term: &RowTerm) -> Option<(RowTerm, bool)> {
        let (mut tainted, mut shorten) = (false, false);
        let mut flank = |flank: &[DimTerm]| -> Flank {
            if flank.is_empty() {
                return Flank::default();
            }
            let axes = flank.iter().map(|axis| {
                let (end, rests, long) = self.end(*axis);
                (tainted, shorten) = (tainted | rests, shorten | long);
                end
            });
            axes.collect()
        };
        let copy = RowTerm { lead: flank(&term.lead), var: term.var, trail: flank(&term.trail) };
        (!shorten || self.keep_chains).then_some((copy, tainted))
    }

    /// The same as [`row_under`](Self::row_under), of a row that is no variable or a bound one.
    fn row_bound(&mut self, term: &mut Cow<'_, RowTerm>, marked: bool) -> bool {
        self.shorten_row(term.var);
        if let Some((to, tainted)) = term.bare().and_then(|v| self.bound_row(Some(v), marked))
            && to.var.is_none_or(|v| self.row_slot(v).is_none())
            && let Some((whole, axes)) = self.copied(to)
        {
            *term = Cow::Owned(whole);
            return tainted | axes;
        }
        let mut tainted = false;
        if let Some((whole, t)) = self.spliced(term, marked) {
            tainted = t;
            *term = Cow::Owned(whole);
        }
        let is_bound = |axis: &DimTerm| matches!(axis, DimTerm::Var(v) if self.dim_slot(*v).is_some());
        if let Cow::Borrowed(row) = term
            && !row.lead.iter().chain(&row.trail).any(is_bound)
        {
            return tainted;
        }
        tainted | self.axes(term.to_mut())
    }

    /// σ(ρ), and whether that rests on a placement: where placements do not count, and where they do.
    pub(in crate::solver) fn read_row(&mut self, var: RowVar) -> (RowTerm, [bool; 2]) {
        let bare = RowTerm::from(var);
        let (to, tainted) = self.row_of(&bare, true);
        (to, [self.row_of(&bare, false).1, tainted])
    }

    /// Is no variable of R bound, so that σ(R) = R?
    #[must_use]
    pub fn leaves_alone(&self, term: &RowTerm) -> bool {
        let mut alone = true;
        term.each_var(|v| alone &= !self.is_bound(v));
        alone
    }

    /// σ(R).
    #[must_use]
    pub fn row_value(&mut self, term: &RowTerm) -> RowTerm {
        self.row_of(term, true).0
    }
}

/// A flank with room for so many axes more, and no others.
fn with_room(flank: &[DimTerm], more: usize) -> Vec<DimTerm> {
    let mut all = Vec::with_capacity(flank.len() + more);
    all.extend_from_slice(flank);
    all
}
