//! Chains: a variable bound to one that is bound, and so on. They are shortened as they are followed.

use super::super::list::{Link, short};
use super::{Bindings, To};
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::{DimTerm, RowTerm, RowVar};

/// Past some bindings ρ ↦ ⟨σ⟩, σ ↦ ⟨τ⟩, …: the binding that comes after them, and what they rest on. Beside the
/// bindings and not in their place: what each of them rests on by itself stays to be seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    to: Link,
    rests: Rests,
}

/// What bindings rest on: any placement of a marker, any that was derived through one.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Rests {
    pub placement: bool,
    pub tainted: bool,
}

impl Rests {
    pub fn of<T>(to: &To<T>) -> Self {
        Rests { placement: to.placement, tainted: to.tainted }
    }

    fn and(self, other: Rests) -> Self {
        Rests { placement: self.placement | other.placement, tainted: self.tainted | other.tainted }
    }
}

/// So many bindings of rows are followed one by one.
const FEW: usize = 8;

impl Bindings {
    /// σ(t), whether it rests on a placement, and whether the chain to it can be shortened.
    pub(super) fn end(&self, term: DimTerm) -> (DimTerm, bool, bool) {
        let (mut at, mut tainted, mut long, mut last) = (term, false, false, None);
        while let DimTerm::Var(v) = at {
            let Some(To { to, tainted: t, step, .. }) = self.dim_slot(v) else { break };
            let after = self.is_after_mark(*step);
            (at, tainted, long, last) = (*to, tainted | t, long | (last == Some(after)), Some(after));
            if mutant::is(Mutant::ChainEnd) {
                break;
            }
        }
        (at, tainted, long)
    }

    /// Points every variable of a chain at its end, those bound before the mark at what was the end then.
    pub(super) fn shorten(&mut self, mut at: DimTerm) {
        let mut chain = Vec::new();
        while let DimTerm::Var(v) = at {
            let Some(To { to, step, .. }) = self.dim_slot(v) else { break };
            chain.push((v, self.is_after_mark(*step)));
            at = *to;
        }
        // From the end, so that each variable's taint includes that of what it passed through.
        let (mut end, mut rest_tainted, mut later) = (at, false, None);
        for (v, after) in chain.into_iter().rev() {
            if let Some((next, true)) = later
                && !after
            {
                (end, rest_tainted) = (DimTerm::Var(next), false);
            }
            later = Some((v, after));
            if let Some(Some(slot)) = self.dims.get_mut(v.0 as usize) {
                slot.tainted |= rest_tainted && !mutant::is(Mutant::ChainTaint);
                rest_tainted = slot.tainted;
                slot.to = end;
            }
        }
    }

    /// The binding of ρ, in its place.
    #[inline]
    pub(super) fn link(&self, RowVar(number): RowVar) -> Option<Link> {
        self.row_at.get(number as usize).copied().filter(|at| (*at as usize) < self.rows.len())
    }

    /// The binding that comes after one ρ ↦ ⟨σ⟩, or after several such.
    fn past(&self, at: Link) -> Option<Past> {
        let slot = &self.rows[at as usize];
        let next = self.link(slot.to.bare()?)?;
        // Most runs have none of these.
        let several = if self.past.is_empty() { None } else { self.past.get(&at).copied() };
        Some(several.unwrap_or(Past { to: next, rests: Rests::of(slot) }))
    }

    /// Where ρ leads: the first of ρ ↦ ⟨σ⟩, σ ↦ ⟨τ⟩, … that is bound to axes, or the last; and what all of them rest on.
    #[inline]
    pub(super) fn led(&self, var: RowVar) -> Option<(&RowTerm, Rests)> {
        let slot = self.row_slot(var)?;
        match slot.to.bare() {
            // Most are bound to axes.
            None => Some((&slot.to, Rests::of(slot))),
            Some(_) => self.led_on(var),
        }
    }

    /// The same of one that is bound to a variable alone.
    fn led_on(&self, var: RowVar) -> Option<(&RowTerm, Rests)> {
        let (mut at, mut rests) = (self.link(var)?, Rests::default());
        while let Some(past) = self.past(at) {
            (at, rests) = (past.to, rests.and(past.rests));
        }
        let slot = &self.rows[at as usize];
        Some((&slot.to, rests.and(Rests::of(slot))))
    }

    /// The same at the mark, without what it rests on.
    #[inline]
    pub(super) fn led_at_mark(&self, var: RowVar) -> Option<&RowTerm> {
        let slot = self.row_slot(var).filter(|slot| !self.is_after_mark(slot.step))?;
        match slot.to.bare() {
            None => Some(&slot.to),
            Some(_) => self.led_on_at_mark(var),
        }
    }

    fn led_on_at_mark(&self, var: RowVar) -> Option<&RowTerm> {
        let is_before = |at: &Link| !self.is_after_mark(self.rows[*at as usize].step);
        let mut at = self.link(var).filter(is_before)?;
        while let Some(next) = self.past(at).map(|past| past.to).filter(is_before) {
            at = next;
        }
        Some(&self.rows[at as usize].to)
    }

    /// Makes it short to follow ρ, and the variable of the row that it leads to, and so on.
    #[inline]
    pub(super) fn shorten_row(&mut self, var: Option<RowVar>) {
        if self.bare > FEW {
            self.shorten_middles(var);
        }
    }

    fn shorten_middles(&mut self, mut var: Option<RowVar>) {
        while let Some(at) = var.and_then(|v| self.link(v)) {
            let mut to = &self.rows[at as usize].to;
            if to.bare().is_some() {
                let last = self.shorten_from(at);
                to = &self.rows[last as usize].to;
            }
            var = to.var;
        }
    }

    /// The last binding of a chain, which is short to follow then.
    fn shorten_from(&mut self, first: Link) -> Link {
        let mut last = first;
        for _ in 0..FEW {
            let Some(past) = self.past(last) else { return last };
            last = past.to;
        }
        self.lead_past(first)
    }

    /// Leads every binding of a chain past the others to the last, those made before the mark to the last before it.
    fn lead_past(&mut self, mut at: Link) -> Link {
        let mut chain = Vec::new();
        while let Some(past) = self.past(at) {
            chain.push((at, past));
            at = past.to;
        }
        let last = at;
        // From the end, so that each rests on what it passes.
        let (mut end, mut rests) = (last, Rests::default());
        for (at, past) in chain.into_iter().rev() {
            let is_after = |at: Link| self.is_after_mark(self.rows[at as usize].step);
            if is_after(end) && !is_after(at) {
                (end, rests) = (at, Rests::default());
                continue;
            }
            if !mutant::is(Mutant::PastRests) {
                rests = rests.and(past.rests);
            }
            self.past.insert(at, Past { to: end, rests });
        }
        last
    }

    /// Makes every chain short, now that nobody asks for single steps any more.
    pub(in crate::solver) fn shorten_for_good(&mut self) {
        self.keep_chains = false;
        self.shorten_all();
    }

    /// Makes every chain short that may be, so that what only reads takes a few steps for each variable.
    pub fn shorten_all(&mut self) {
        let led = if self.keep_chains { 0 } else { self.led.len() };
        for i in 0..led {
            if let Some(mut to) = self.dim_at_end(self.led[i]).copied() {
                self.dim(&mut to);
            }
        }
        if self.bare > FEW {
            self.shorten_all_rows();
        }
    }

    fn shorten_all_rows(&mut self) {
        // How many bindings come after each one, as far as it matters.
        let mut after: Vec<u8> = vec![0; self.rows.len()];
        // A row is bound to variables that are bound after it: the last ones first.
        for at in (0..self.rows.len()).rev() {
            let Some(next) = self.rows[at].to.bare().and_then(|v| self.link(v)) else { continue };
            after[at] = after[next as usize].saturating_add(1);
            if usize::from(after[at]) >= FEW {
                self.shorten_from(short(at));
            }
        }
    }
}
