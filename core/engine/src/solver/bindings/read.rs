//! What bindings say, without changing them.

use super::Bindings;
use crate::VarSet;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use std::collections::BTreeMap;

impl Bindings {
    /// What α is bound to, if it was bound before the mark.
    fn dim_at_mark(&self, var: DimVar) -> Option<&DimTerm> {
        self.dim_slot(var).filter(|slot| !self.is_after_mark(slot.step)).map(|slot| &slot.to)
    }

    pub(super) fn dim_at_end(&self, var: DimVar) -> Option<&DimTerm> {
        self.dim_slot(var).map(|slot| &slot.to)
    }

    pub(super) fn row_at_end(&self, var: RowVar) -> Option<&RowTerm> {
        self.led(var).map(|(to, _)| to)
    }

    /// σ(R) as it was at the mark.
    #[must_use]
    pub fn row_at_mark(&self, term: &RowTerm) -> RowTerm {
        let row = |v| self.led_at_mark(v);
        let (lead, trail) = flanks(term, row, |t| last(t, |v| self.dim_at_mark(v)));
        RowTerm::new(lead, spine(term, row).last().and_then(|term| term.var), trail)
    }

    /// σ(t), at the top 1∅ if that is a variable.
    #[must_use]
    #[inline]
    pub fn dim_at_top(&self, term: DimTerm) -> Dim {
        match last(term, |v| self.dim_at_end(v)) {
            DimTerm::Dim(d) => d,
            DimTerm::Var(_) => Dim::Unit,
        }
    }

    /// σ(R) with the variables that are left at their tops, 1∅ and no axes.
    #[must_use]
    pub fn row_at_top(&self, term: &RowTerm) -> Row {
        let (lead, trail) = flanks(term, |v| self.row_at_end(v), |t| self.dim_at_top(t));
        Row::new(lead, trail)
    }

    /// Shows the variables that are left in σ(x), some perhaps twice.
    pub fn each_open(&self, var: Var, mut see: impl FnMut(Var)) {
        match var {
            Var::Dim(v) => self.open_dim(v.into(), &mut see),
            Var::Row(v) => {
                let mut left = Some(v);
                while let Some(v) = left {
                    let Some(term) = self.row_at_end(v) else { return see(Var::Row(v)) };
                    flat(term).for_each(|axis| self.open_dim(*axis, &mut see));
                    left = term.var;
                }
            }
        }
    }

    /// The row variables that stand in the middle of values, each with the oldest of these variables that has it there.
    #[must_use]
    pub fn middles(&self, vars: &VarSet) -> BTreeMap<Var, Var> {
        let mut of = BTreeMap::new();
        for var in vars.iter() {
            let Var::Row(mut at) = var else { continue };
            while let Some(inner) = self.row_slot(at).and_then(|slot| slot.to.var) {
                // What is further in was seen with the older one.
                if of.contains_key(&Var::Row(inner)) {
                    break;
                }
                of.insert(Var::Row(inner), var);
                at = inner;
            }
        }
        of
    }

    fn open_dim(&self, term: DimTerm, see: &mut impl FnMut(Var)) {
        if let DimTerm::Var(v) = last(term, |v| self.dim_at_end(v)) {
            see(Var::Dim(v));
        }
    }
}

/// The end of a dimension's chain.
fn last<'a>(mut term: DimTerm, known: impl Fn(DimVar) -> Option<&'a DimTerm>) -> DimTerm {
    while let DimTerm::Var(v) = term
        && let Some(to) = known(v)
    {
        term = *to;
    }
    term
}

/// R, what its variable is bound to, what that one's is bound to, and so on: each stands at the marker of the one before.
pub(super) fn spine<'a>(
    term: &'a RowTerm,
    known: impl Fn(RowVar) -> Option<&'a RowTerm>,
) -> impl Iterator<Item = &'a RowTerm> {
    std::iter::successors(Some(term), move |term| known(term.var?))
}

/// The first on the spine with axes, or the last: σ makes the same of it as of R. Most rows are variables that are bound
/// to rows without one.
fn written<'a>(mut term: &'a RowTerm, known: impl Fn(RowVar) -> Option<&'a RowTerm>) -> &'a RowTerm {
    while term.known_rank() == 0
        && let Some(to) = term.var.and_then(&known)
    {
        term = to;
    }
    term
}

/// The axes of a row, past its marker.
pub(super) fn flat(row: &RowTerm) -> impl Iterator<Item = &DimTerm> {
    row.lead.iter().chain(&row.trail)
}

/// The flanks of the whole spine, axis by axis.
fn flanks<'a, A>(
    term: &'a RowTerm,
    known: impl Fn(RowVar) -> Option<&'a RowTerm> + Copy,
    axis: impl Fn(DimTerm) -> A,
) -> (Vec<A>, Vec<A>) {
    let term = written(term, known);
    if term.var.and_then(known).is_none() {
        let flank = |flank: &[DimTerm]| flank.iter().map(|t| axis(*t)).collect();
        return (flank(&term.lead), flank(&term.trail));
    }
    let lengths = |(l, r), term: &RowTerm| (l + term.lead.len(), r + term.trail.len());
    let (l, r) = spine(term, known).fold((0, 0), lengths);
    let (mut lead, mut trail) = (Vec::with_capacity(l), Vec::with_capacity(r));
    // From the outer edge inwards on both sides, so the trailing flank is made from the back.
    for term in spine(term, known) {
        lead.extend(term.lead.iter().map(|t| axis(*t)));
        trail.extend(term.trail.iter().rev().map(|t| axis(*t)));
    }
    trail.reverse();
    (lead, trail)
}
