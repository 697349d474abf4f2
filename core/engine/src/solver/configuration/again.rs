//! What the steps of a part of Φ did, done again for a part that is like it: most layers of a network are applications of one
//! function.
//!
//! The steps of a part depend on its constraints and on what they find outside ([`outside`]), up to the numbers of variables
//! ([`alike`]). Where both are the same, so is what the steps do to σ, B and the guard, and what they cost; then it is done
//! without asking the rules. What a part does inside alone, and what is out of the store again at its end, is left out.
//! Nothing of this where a derivation is kept or somebody looks at the steps.

mod alike;
mod outside;

use super::super::differences::Stretch;
use super::super::list::{Short, short};
use super::Configuration;
use crate::mutant::{self, Mutant};
use alike::Shift;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Atom;
use lozenge_calculus::names::Sort;
use lozenge_calculus::policy::{Limit, Strategy};
use lozenge_calculus::rules::{Bound, By};
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use outside::Outside;
use std::borrow::Cow;

/// Something that a step did.
#[derive(Clone, Debug)]
enum Did {
    /// α ↦ t; and is something stored for α?
    Dim(DimVar, DimTerm, bool),
    /// ρ ↦ R, where the marker is placed by choice or not; and is something stored for ρ?
    Row(RowVar, RowTerm, bool, bool),
    /// R ⊑ ⟨ρ⟩.
    Cap(RowTerm, RowVar),
    /// An atom below α, with the number of the constraint.
    Lower(Atom, DimVar, usize),
    /// α ⊑ β, with the number of the constraint.
    Adjacency(DimVar, DimVar, usize),
}

/// The same with the step that did it, counted from the beginning of the part.
#[derive(Clone, Debug)]
struct Done {
    did: Did,
    step: usize,
    tainted: bool,
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
struct Counts {
    variables: u32,
    steps: usize,
    read: usize,
    size: u64,
    looks_left: u64,
    facts: usize,
    strayed: u64,
}

/// What is known of a part before it is looked at, by who made it.
#[derive(Clone, Copy, Debug)]
pub struct Likeness<'n> {
    /// Parts of one kind say the same, up to the numbers of variables.
    pub kind: usize,
    /// Variables of the part, in the same order for all of a kind: those that are not its own, and its first own. All that
    /// were given from that on are its own and stand as far behind.
    pub variables: &'n [u32],
}

/// A part of Φ, and what its steps did.
#[derive(Debug)]
struct Part<'n> {
    phi: &'n [Constraint],
    likeness: Option<Likeness<'n>>,
    outside: Outside,
    before: Counts,
    after: Counts,
    fresh: Vec<Sort>,
    done: Vec<Done>,
    /// The facts that the guard recorded.
    facts: Option<Stretch<2>>,
}

impl Part<'_> {
    /// Was something known of a variable when the part began?
    fn is_outside(&self, var: Var) -> bool {
        var.id() < self.before.variables && self.outside.has(var)
    }
}

/// The parts that were written down, and the one that is.
#[derive(Debug, Default)]
pub(super) struct Again<'n> {
    /// The first variable that the run makes.
    made: u32,
    parts: Vec<Part<'n>>,
    /// Of so many constraints: how many parts were written down.
    written: Vec<(usize, u32)>,
    now: Option<Box<Part<'n>>>,
}

/// So many parts are kept, and so many of one length are written down before it is seen that none comes again.
const MOST_PARTS: usize = 8;
const MOST_WRITTEN: u32 = 4;

impl<'n> Configuration<'n> {
    /// Takes up the next part of Φ, if it is like one that was written down, all of it; or nothing at all.
    pub fn again(&mut self, phi: &'n [Constraint], likeness: Option<Likeness<'n>>) -> bool {
        let is_known = self.again.parts.iter().any(|part| part.phi.len() == phi.len());
        if !is_known || !self.may_be_again() {
            return false;
        }
        let _ = self.pay_looks();
        let parts = std::mem::take(&mut self.again.parts);
        let found = parts.iter().filter(|part| part.phi.len() == phi.len()).find_map(|part| {
            let shift = self.shift(part, phi, likeness)?;
            self.can_pay(part).then_some((part, shift))
        });
        if let Some((part, shift)) = &found {
            self.do_again(part, shift);
        }
        let done = found.is_some();
        self.again.parts = parts;
        done
    }

    /// From here on writes down what is done, for [`Configuration::again`]: these constraints are fed next.
    pub fn write_down(&mut self, phi: &'n [Constraint], likeness: Option<Likeness<'n>>) {
        if !self.may_be_again() || self.guard.count().is_none() || !self.again.is_worth(phi.len()) {
            return;
        }
        let _ = self.pay_looks();
        let (outside, before) = (Outside::of(phi, self), self.counts());
        let (fresh, done, facts) = Default::default();
        let part = Part { phi, likeness, outside, before, after: before, fresh, done, facts };
        self.again.now = Some(Box::new(part));
    }

    /// The part that was written down ends here.
    pub fn written_down(&mut self) {
        let Some(mut part) = self.again.now.take() else { return };
        // Adjacencies that stood against their order were moved, which others have a part in.
        let in_order = self.bounds.strayed == part.before.strayed;
        if self.bounds.has_deferred() || !in_order || !part.outside.has_kept_lengths(self) {
            return;
        }
        let _ = self.pay_looks();
        part.after = self.counts();
        part.fresh = self.names.vars().skip(part.before.variables as usize).map(Var::sort).collect();
        part.done.retain_mut(|Done { did, tainted, .. }| match did {
            // A chain that was shortened is kept as it is now.
            Did::Dim(v, to, _) => {
                (*to, *tainted) = self.bindings.kept_dim(*v);
                true
            }
            Did::Cap(res, on) => {
                let taken = |v: RowVar| self.bindings.is_bound(Var::Row(v));
                !taken(*on) && !res.bare().is_some_and(taken)
            }
            Did::Lower(_, v, _) => !self.bindings.is_bound(Var::Dim(*v)),
            Did::Row(..) | Did::Adjacency(..) => true,
        });
        let is_new = |v: RowVar| !part.is_outside(Var::Row(v));
        part.facts = self.guard.stretch(part.before.facts, is_new);
        self.again.keep(*part);
    }

    fn may_be_again(&self) -> bool {
        let quietly = !self.is_looked_at() && !mutant::is(Mutant::InputLast);
        quietly && self.is_solved() && self.policy.strategy == Strategy::Fifo && !self.bounds.has_deferred()
    }

    fn counts(&self) -> Counts {
        Counts {
            variables: short(self.names.len()),
            steps: self.steps,
            read: self.read,
            size: self.size,
            looks_left: self.fuel.looks_left(),
            facts: self.guard.count().unwrap_or_default(),
            strayed: self.bounds.strayed,
        }
    }

    /// What the last step still owes for its looks.
    ///
    /// # Errors
    /// [`Limit::Fuel`]. Where that does not matter yet, the next step says so.
    pub fn pay_looks(&mut self) -> Result<(), Limit> {
        self.fuel.look(self.guard.take_looks() + self.bounds.take_looks())
    }

    /// How the numbers of a part are moved to be those of another, if it finds the same.
    fn shift(&mut self, part: &Part<'n>, phi: &[Constraint], likeness: Option<Likeness<'_>>) -> Option<Shift> {
        let new = Shift::new(self.again.made, part.before.variables, self.counts().variables);
        let (mut shift, known) = (new.clone(), part.likeness.zip(likeness));
        let is_known = known.is_some_and(|(one, other)| shift.likenesses(one, other));
        let by_look = |shift: &mut Shift| part.phi.iter().zip(phi).all(|(one, other)| shift.constraints(one, other));
        debug_assert!(!is_known || by_look(&mut shift.clone()), "parts of one kind are alike");
        if !is_known {
            shift = new;
        }
        let same = (is_known || by_look(&mut shift)) && part.outside.is_found(&mut shift, self);
        let own = known.and_then(|(one, _)| one.variables.last().copied()).filter(|_| is_known);
        let own = own.map_or(0..0, |own| own..self.again.made);
        let is_new = |own| part.outside.is_new(&shift, self, own);
        let faces = same && shift.holds() && is_new(own);
        debug_assert!(!faces || is_new(0..0), "nothing is known of a part's own variables before it");
        faces.then_some(shift)
    }

    /// Is there room for what the part costs? If not, its steps say which limit they reach.
    fn can_pay(&self, Part { before, after, .. }: &Part<'_>) -> bool {
        let looks = before.looks_left - after.looks_left;
        self.fuel.looks_left() > looks && self.size + (after.size - before.size) <= self.policy.limits.size
    }

    fn do_again(&mut self, part: &Part<'_>, shift: &Shift) {
        let Part { before, after, fresh, done, facts, .. } = part;
        let now = self.counts();
        for sort in fresh {
            match sort {
                Sort::Dim => drop(self.names.fresh_dim()),
                Sort::Row => drop(self.names.fresh_row()),
            }
        }
        for Done { did, step, tainted } in done {
            let by = By { step: now.steps + step, node: 0, tainted: *tainted };
            self.do_once(did, by, shift, now.read - before.read);
        }
        if let Some(facts) = facts {
            self.guard.add_again(facts, |v| shift.row_var(v), now.steps - before.steps);
        }
        self.steps = now.steps + (after.steps - before.steps);
        self.read = now.read + (after.read - before.read);
        self.size += after.size - before.size;
        // The cost is that of the part.
        self.bounds.take_looks();
        let _ = self.fuel.look(before.looks_left - after.looks_left);
    }

    fn do_once(&mut self, did: &Did, by: By, shift: &Shift, read: usize) {
        let By { step, tainted, .. } = by;
        match did {
            Did::Dim(v, to, stored) => {
                let v = shift.dim_var(*v);
                if *stored {
                    self.bounds.take_dim(v, drop);
                }
                self.bindings.bind_dim(v, shift.dim(*to), step, tainted);
            }
            Did::Row(v, to, placement, stored) => {
                if *stored && !mutant::is(Mutant::AgainStored) {
                    self.bounds.take_row(shift.row_var(*v), drop);
                }
                let (v, to) = (shift.row_var(*v), shift.row(to));
                self.bindings.bind_row(v, to, (step, *placement), tainted);
            }
            Did::Cap(res, on) => self.bounds.add_cap(Cow::Owned(shift.row(res)), shift.row_var(*on), Short::new(by)),
            Did::Lower(atom, v, node) => {
                self.bounds.add(&mut Bound::Lower(*atom, shift.dim_var(*v)), By { node: node + read, ..by });
            }
            Did::Adjacency(below, above, node) => {
                let mut bound = Bound::Adjacency(shift.dim_var(*below), shift.dim_var(*above));
                self.bounds.add(&mut bound, By { node: node + read, ..by });
            }
        }
    }

    /// Is a part written down?
    #[inline]
    pub(super) fn writes(&self) -> bool {
        self.again.now.is_some()
    }

    /// Writes something down that a step does, where a part is written down.
    #[inline]
    pub(super) fn did(&mut self, what: impl FnOnce() -> (Written, bool)) {
        if self.writes() {
            let (what, tainted) = what();
            self.again.write(what, self.this(), tainted);
        }
    }

    /// A row is bound.
    #[inline]
    pub(super) fn binds(&mut self, var: RowVar, to: &RowTerm, placement: bool, tainted: bool) {
        if self.writes() {
            self.writes_row(var, to.clone(), placement, tainted);
        }
    }

    #[cold]
    fn writes_row(&mut self, var: RowVar, to: RowTerm, placement: bool, tainted: bool) {
        let Some(mut part) = self.again.now.take() else { return };
        if part.is_outside(Var::Row(var)) {
            part.outside.binds(var, part.before.steps, self);
        }
        self.again.now = Some(part);
        self.again.write(Written::Row(var, to, placement), self.this(), tainted);
    }

    /// A rule looks at what is stored for these dimensions. What is stored outside is not compared.
    #[inline]
    pub(super) fn asks(&mut self, s: DimTerm, t: DimTerm) {
        if self.writes() {
            self.again.asked([s, t]);
        }
    }
}

/// What [`Configuration::did`] is told.
pub(super) enum Written {
    Dim(DimVar, DimTerm, bool),
    Row(RowVar, RowTerm, bool),
    Stored(Bound, usize),
    /// A path of adjacencies was found. What is kept of paths is not compared.
    Led,
}

impl<'n> Again<'n> {
    /// Nothing, of a run before which there are so many variables.
    pub(super) fn new(variables: usize) -> Self {
        Again { made: short(variables), ..Again::default() }
    }

    /// Is a part of so many constraints worth writing down?
    fn is_worth(&mut self, length: usize) -> bool {
        if let Some((_, written)) = self.written.iter_mut().find(|(of, _)| *of == length) {
            *written += 1;
            return *written <= MOST_WRITTEN;
        }
        let room = self.written.len() < MOST_PARTS;
        if room {
            self.written.push((length, 1));
        }
        room
    }

    /// The last part of its length is kept.
    fn keep(&mut self, part: Part<'n>) {
        self.parts.retain(|known| known.phi.len() != part.phi.len());
        self.parts.push(part);
    }

    fn write(&mut self, what: Written, step: usize, tainted: bool) {
        let Some(part) = &mut self.now else { return };
        let did = match what {
            Written::Dim(v, to, stored) if !part.is_outside(Var::Dim(v)) => Some(Did::Dim(v, to, stored)),
            Written::Row(v, to, placement) => Some(Did::Row(v, to, placement, part.is_outside(Var::Row(v)))),
            Written::Stored(Bound::Cap(res, on), _) => Some(Did::Cap(res, on)),
            Written::Stored(Bound::Lower(atom, v), node) if !part.is_outside(Var::Dim(v)) => {
                Some(Did::Lower(atom, v, node))
            }
            Written::Stored(Bound::Adjacency(a, b), node) if ![a, b].iter().any(|v| part.is_outside(Var::Dim(*v))) => {
                Some(Did::Adjacency(a, b, node))
            }
            Written::Dim(..) | Written::Stored(..) | Written::Led => None,
        };
        match did {
            Some(did) => part.done.push(Done { did, step: step - part.before.steps, tainted }),
            None => self.now = None,
        }
    }

    #[cold]
    fn asked(&mut self, terms: [DimTerm; 2]) {
        let is_outside = |part: &Part<'_>, t: &DimTerm| matches!(t, DimTerm::Var(v) if part.is_outside(Var::Dim(*v)));
        if self.now.as_ref().is_some_and(|part| terms.iter().any(|t| is_outside(part, t))) {
            self.now = None;
        }
    }
}
