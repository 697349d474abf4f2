//! σ while the run goes on: each variable bound at most once, chains followed on demand.

mod by_step;
mod news;
mod read;
mod standing;

use super::list::{END, Link, short, slot};
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::rules::Bind;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, Flank, RowTerm, RowVar, Var};
use std::borrow::Cow;

/// One binding and what it rests on.
#[derive(Clone, Debug)]
struct To<T> {
    to: T,
    /// The step that bound it; a short number.
    step: u32,
    /// Is the placement of its marker a choice, so that only the flat content is entailed?
    placement: bool,
    /// Was it derived through a placement, so that not even the content is entailed?
    tainted: bool,
}

/// The accumulated bindings.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By the numbers of dimension variables.
    dims: Vec<Option<To<DimTerm>>>,
    /// One after the other as they are bound, and where each is by the numbers of row variables: most variables are
    /// dimensions, and a row takes much more room.
    rows: Vec<To<RowTerm>>,
    row_at: Vec<Link>,
    /// Chains are shortened as they are followed, unless every step must stay visible.
    keep_chains: bool,
    /// What was bound before this step stays visible too: no chain is shortened across it.
    mark: Option<u32>,
    /// What was bound since someone looked, where someone does.
    news: Option<Vec<Var>>,
}

/// A constraint under σ.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The constraint with every bound variable replaced.
    pub phi: Constraint,
    /// Does it rest on a placement? Placements count where markers are looked at: in R ⊑ R′.
    pub tainted: bool,
    /// Boxed: most runs keep none, and there is one of these for every constraint in flight.
    #[allow(clippy::box_collection)]
    used: Option<Box<Vec<usize>>>,
}

impl Instance {
    /// The steps whose bindings were used, in the order applied (only when chains are kept).
    #[must_use]
    pub fn used(&self) -> &[usize] {
        self.used.as_deref().map_or(&[], Vec::as_slice)
    }

    /// φ, to which σ is still to be applied.
    #[must_use]
    pub(super) fn new(phi: Constraint, tainted: bool) -> Self {
        Instance { phi, tainted, used: None }
    }
}

impl Bindings {
    /// No bindings, with room for those of so many variables. With `keep_chains` every binding stays as it
    /// was made.
    #[must_use]
    pub fn new(keep_chains: bool, room: usize) -> Self {
        let (dims, rows) = (Vec::with_capacity(room), Vec::with_capacity(room / 2));
        Bindings { dims, rows, keep_chains, ..Bindings::default() }
    }

    /// What α is bound to.
    fn dim_slot(&self, DimVar(number): DimVar) -> Option<&To<DimTerm>> {
        self.dims.get(number as usize)?.as_ref()
    }

    /// What ρ is bound to.
    fn row_slot(&self, RowVar(number): RowVar) -> Option<&To<RowTerm>> {
        self.rows.get(*self.row_at.get(number as usize)? as usize)
    }

    /// Is the variable bound?
    #[must_use]
    pub fn is_bound(&self, var: Var) -> bool {
        match var {
            Var::Dim(v) => self.dim_slot(v).is_some(),
            Var::Row(v) => self.row_slot(v).is_some(),
        }
    }

    /// Binds a variable, once.
    pub fn bind(&mut self, Bind { binding, placement }: Bind, step: usize, tainted: bool) {
        match binding {
            Binding::Dim(var, to) => self.bind_dim(var, to, step, tainted),
            Binding::Row(var, to) => self.bind_row(var, to, (step, placement), tainted),
        }
    }

    /// α ↦ t. A dimension has no marker to place.
    #[inline]
    pub(super) fn bind_dim(&mut self, DimVar(number): DimVar, to: DimTerm, step: usize, tainted: bool) {
        *slot(&mut self.dims, number, || None) = Some(To { to, step: short(step), placement: false, tainted });
        self.note(Var::Dim(DimVar(number)));
    }

    /// ρ ↦ R. The marker is placed by choice or not.
    #[inline]
    pub(super) fn bind_row(
        &mut self,
        RowVar(number): RowVar,
        to: RowTerm,
        (step, placement): (usize, bool),
        tainted: bool,
    ) {
        *slot(&mut self.row_at, number, || END) = short(self.rows.len());
        self.rows.push(To { to, step: short(step), placement, tainted });
        self.note(Var::Row(RowVar(number)));
    }

    /// Keeps what is known by this step apart from what will be known later: see [`row_at_mark`](Self::row_at_mark).
    pub fn set_mark(&mut self, step: usize) {
        self.mark = Some(short(step));
    }

    fn is_after_mark(&self, step: u32) -> bool {
        self.mark.is_some_and(|mark| step >= mark)
    }

    /// σ(t), whether it rests on a placement, and whether the chain to it can be shortened.
    fn end(&self, term: DimTerm) -> (DimTerm, bool, bool) {
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

    /// The variables that two dimensions are under σ, if they are two.
    pub(super) fn adjacent(&self, s: DimTerm, t: DimTerm) -> Option<(DimVar, DimVar)> {
        match (self.end(s).0, self.end(t).0) {
            (DimTerm::Var(a), DimTerm::Var(b)) if a != b => Some((a, b)),
            _ => None,
        }
    }

    /// Replaces t by σ(t); does that rest on a placement?
    #[inline]
    fn dim(&mut self, term: &mut DimTerm) -> bool {
        let DimTerm::Var(v) = *term else { return false };
        match self.dim_slot(v) {
            None => false,
            // Most chains end in a ground dimension at once.
            Some(To { to: to @ DimTerm::Dim(_), tainted, .. }) => {
                *term = *to;
                *tainted
            }
            Some(_) => self.dim_through(term),
        }
    }

    /// The same where the chain goes on.
    fn dim_through(&mut self, term: &mut DimTerm) -> bool {
        let (end, tainted, long) = self.end(*term);
        if long && !self.keep_chains {
            self.shorten(*term);
        }
        *term = end;
        tainted
    }

    /// Points every variable of a chain at its end, those bound before the mark at what was the end then.
    fn shorten(&mut self, mut at: DimTerm) {
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

    /// What a row variable is bound to, and whether that rests on a placement.
    fn bound_row(&self, var: Option<RowVar>, marked: bool) -> Option<(&RowTerm, bool)> {
        let To { to, placement, tainted, .. } = self.row_slot(var?)?;
        Some((to, *tainted || (marked && *placement && !mutant::is(Mutant::SplicePlacement))))
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
    fn row(&mut self, term: &mut RowTerm, marked: bool) -> bool {
        if term.bare().is_some_and(|v| self.row_slot(v).is_none()) {
            return false;
        }
        let mut tainted = false;
        if let Some((whole, t)) = self.spliced(term, marked) {
            (*term, tainted) = (whole, t);
        }
        tainted | self.axes(term)
    }

    /// σ(R), and whether that rests on a placement: nothing is written twice.
    fn row_of(&mut self, term: &RowTerm, marked: bool) -> (RowTerm, bool) {
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

    /// Replaces two dimensions by what they are under σ; does that rest on a placement?
    #[inline]
    pub(super) fn dims(&mut self, s: &mut DimTerm, t: &mut DimTerm) -> bool {
        self.dim(s) | self.dim(t)
    }

    /// Replaces R by σ(R), and copies it only where that is something else; does that rest on a placement?
    #[inline]
    pub(super) fn row_under(&mut self, term: &mut Cow<'_, RowTerm>, marked: bool) -> bool {
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

    /// The same of a row that is no variable, or a bound one.
    fn row_bound(&mut self, term: &mut Cow<'_, RowTerm>, marked: bool) -> bool {
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

    /// Is every variable of σ(R) one that R itself has?
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

    /// σ(φ).
    pub fn instantiate(&mut self, phi: Constraint) -> Instance {
        let mut instance = Instance::new(phi, false);
        self.apply(&mut instance);
        instance
    }

    /// Replaces φ by σ(φ).
    pub(super) fn apply(&mut self, instance: &mut Instance) {
        if self.keep_chains {
            return self.apply_step_by_step(instance);
        }
        let marked = matches!(instance.phi, Constraint::RowLe(..));
        instance.tainted |= match &mut instance.phi {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => self.dim(s) | self.dim(t),
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => self.row(s, marked) | self.row(t, marked),
        };
    }

    /// σ(α) in full.
    #[must_use]
    pub fn dim_value(&mut self, mut term: DimTerm) -> DimTerm {
        self.dim(&mut term);
        term
    }

    /// x ↦ σ(x) in full.
    #[must_use]
    pub fn value(&mut self, var: Var) -> Binding {
        match var {
            Var::Dim(v) => Binding::Dim(v, self.dim_value(v.into())),
            Var::Row(v) => Binding::Row(v, self.row_value(&v.into())),
        }
    }
}

/// A flank with room for so many axes more, and no others.
fn with_room(flank: &[DimTerm], more: usize) -> Vec<DimTerm> {
    let mut all = Vec::with_capacity(flank.len() + more);
    all.extend_from_slice(flank);
    all
}
