//! σ while the run goes on: each variable bound at most once, chains followed on demand.

mod read;

use super::list::{short, slot};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::internal::broken;
use lozenge_calculus::names::Sort;
use lozenge_calculus::rules::Bind;
use lozenge_calculus::solver::Standing;
use lozenge_calculus::subst::Map;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use std::collections::BTreeSet;

/// What a variable is bound to, typed by its sort, and what that rests on.
#[derive(Clone, Debug)]
enum BoundTo {
    Dim(To<DimTerm>),
    Row(To<RowTerm>),
}

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
    slots: Vec<Option<BoundTo>>,
    /// Chains are shortened as they are followed, unless every step must stay visible.
    keep_chains: bool,
    /// What was bound before this step stays visible too: no chain is shortened across it.
    mark: Option<u32>,
}

/// A constraint under σ.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The constraint with every bound variable replaced.
    pub phi: Constraint,
    /// Does it rest on a placement? Placements count where markers are looked at: in R ⊑ R′.
    pub tainted: bool,
    /// The steps whose bindings were used, in the order applied (only when chains are kept).
    pub used: Vec<usize>,
}

impl Instance {
    /// φ, to which σ is still to be applied.
    #[must_use]
    pub(super) fn new(phi: Constraint, tainted: bool) -> Self {
        Instance { phi, tainted, used: Vec::new() }
    }
}

impl Bindings {
    /// No bindings, with room for those of so many variables. With `keep_chains` every binding stays as it
    /// was made.
    #[must_use]
    pub fn new(keep_chains: bool, room: usize) -> Self {
        Bindings { slots: Vec::with_capacity(room), keep_chains, mark: None }
    }

    fn slot(&self, number: u32) -> Option<&BoundTo> {
        self.slots.get(number as usize)?.as_ref()
    }

    /// What α is bound to.
    fn dim_slot(&self, DimVar(number): DimVar) -> Option<&To<DimTerm>> {
        match self.slot(number)? {
            BoundTo::Dim(to) => Some(to),
            BoundTo::Row(_) => other_sort(number),
        }
    }

    /// What ρ is bound to.
    fn row_slot(&self, RowVar(number): RowVar) -> Option<&To<RowTerm>> {
        match self.slot(number)? {
            BoundTo::Row(to) => Some(to),
            BoundTo::Dim(_) => other_sort(number),
        }
    }

    /// Is the variable bound?
    #[must_use]
    pub fn is_bound(&self, var: Var) -> bool {
        self.slot(var.id()).is_some()
    }

    /// Binds a variable, once.
    pub fn bind(&mut self, Bind { binding, placement }: Bind, step: usize, tainted: bool) {
        let number = binding.var().id();
        let step = short(step);
        let new = match binding {
            Binding::Dim(_, to) => BoundTo::Dim(To { to, step, placement, tainted }),
            Binding::Row(_, to) => BoundTo::Row(To { to, step, placement, tainted }),
        };
        *slot(&mut self.slots, number, || None) = Some(new);
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
        }
        (at, tainted, long)
    }

    /// Replaces t by σ(t); does that rest on a placement?
    fn dim(&mut self, term: &mut DimTerm) -> bool {
        if matches!(term, DimTerm::Dim(_)) {
            return false;
        }
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
            if let Some(Some(BoundTo::Dim(slot))) = self.slots.get_mut(v.0 as usize) {
                slot.tainted |= rest_tainted;
                rest_tainted = slot.tainted;
                slot.to = end;
            }
        }
    }

    /// What a row variable is bound to, and whether that rests on a placement.
    fn bound_row(&self, var: Option<RowVar>, marked: bool) -> Option<(&RowTerm, bool)> {
        let To { to, placement, tainted, .. } = self.row_slot(var?)?;
        Some((to, *tainted || (marked && *placement)))
    }

    /// Splices what R's row variable is bound to in at the marker; does that rest on a placement? In a marked
    /// constraint, placements of markers count.
    fn splice(&self, term: &mut RowTerm, marked: bool) -> bool {
        let Some((to, mut tainted)) = self.bound_row(term.var, marked) else { return false };
        if term.known_rank() == 0 {
            // []·⟨ρ⟩·[] is what ρ is.
            *term = to.clone();
            if self.bound_row(term.var, marked).is_none() {
                return tainted;
            }
        }
        // From the outer edge inwards on both sides, so the trailing flank is kept from the back.
        term.trail.reverse();
        while let Some((to, t)) = self.bound_row(term.var, marked) {
            tainted |= t;
            term.lead.extend_from_slice(&to.lead);
            term.trail.extend(to.trail.iter().rev().copied());
            term.var = to.var;
        }
        term.trail.reverse();
        tainted
    }

    /// Replaces R by σ(R); does that rest on a placement?
    fn row(&mut self, term: &mut RowTerm, marked: bool) -> bool {
        let mut tainted = self.splice(term, marked);
        for axis in term.lead.iter_mut().chain(&mut term.trail) {
            tainted |= self.dim(axis);
        }
        tainted
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
        let mut term = term.clone();
        self.row(&mut term, true);
        term
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

    /// The same, one binding after the other, oldest first: a bound value mentions only variables
    /// that were unbound when it was made, so each binding is applied once.
    fn apply_step_by_step(&self, Instance { phi, tainted, used }: &mut Instance) {
        let marked = matches!(phi, Constraint::RowLe(..));
        loop {
            let bound = phi.vars().into_iter().filter_map(|v| self.entry(v));
            let Some(entry) = bound.min_by_key(|entry| entry.step) else { break };
            *phi = Map::single(&entry.to).apply_constraint(phi);
            *tainted |= entry.tainted || (marked && entry.placement);
            used.push(entry.step as usize);
        }
    }

    /// A variable's binding as it is kept.
    fn entry(&self, var: Var) -> Option<To<Binding>> {
        Some(match (self.slot(var.id())?, var) {
            (BoundTo::Dim(To { to, step, placement, tainted }), Var::Dim(v)) => {
                To { to: Binding::Dim(v, *to), step: *step, placement: *placement, tainted: *tainted }
            }
            (BoundTo::Row(To { to, step, placement, tainted }), Var::Row(v)) => {
                To { to: Binding::Row(v, to.clone()), step: *step, placement: *placement, tainted: *tainted }
            }
            _ => other_sort(var.id()),
        })
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

    /// What is known of a bound variable's full value: the worst of what is known of every binding that its
    /// value is read through.
    #[must_use]
    pub fn standing_in_full(&self, var: Var) -> Option<Standing> {
        let mut worst = self.standing(var)?;
        let (mut open, mut seen) = (vec![var], BTreeSet::new());
        while let Some(at) = open.pop() {
            let Some(entry) = self.entry(at).filter(|_| seen.insert(at)) else { continue };
            worst = worst.max(self.standing(at)?);
            open.extend(entry.to.to().vars());
        }
        Some(worst)
    }

    /// What is known of a binding by itself: is the value entailed, or its content only, or neither?
    #[must_use]
    pub fn standing(&self, var: Var) -> Option<Standing> {
        let rests_on = |slot: &BoundTo| match slot {
            BoundTo::Dim(To { tainted, placement, .. }) | BoundTo::Row(To { tainted, placement, .. }) => {
                (*tainted, *placement)
            }
        };
        self.slot(var.id()).map(|slot| match rests_on(slot) {
            (true, _) => Standing::Policy,
            (false, true) => Standing::Content,
            (false, false) => Standing::Entailed,
        })
    }

    /// The bound variables, oldest first.
    pub fn bound(&self) -> impl Iterator<Item = Var> + '_ {
        self.slots.iter().enumerate().filter_map(|(i, slot)| {
            let id = u32::try_from(i).ok()?;
            slot.as_ref().map(|slot| match slot {
                BoundTo::Dim(_) => Var::new(Sort::Dim, id),
                BoundTo::Row(_) => Var::new(Sort::Row, id),
            })
        })
    }
}

#[cold]
fn other_sort(number: u32) -> ! {
    broken("a variable is bound to a term of its sort", format!("variable {number}"))
}
