//! Which claims have which unsolved variables, followed from binding to binding. A claim is looked at again when something
//! has changed that it speaks of: looking at the others would find nothing new.

use super::claim::SizeClaim;
use super::run::StagedRun;
use lozenge_calculus::term::{DimTerm, DimVar, Var};
use lozenge_engine::VarSet;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

/// Claims by their unsolved variables, and those that are to be looked at.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Of all claims that were added and ask for something, the discharged ones too.
    of: BTreeMap<Var, BTreeSet<usize>>,
    /// The variables in there: most that are bound are in no claim.
    vars: VarSet,
    due: BTreeSet<usize>,
    /// Claims that say how many elements an axis has, where it was open which dimension that is.
    undecided: BTreeSet<usize>,
    /// How many atoms had been stored below variables when it was last looked.
    lowers: usize,
    /// What was bound; empty between looks.
    news: Vec<Var>,
}

impl Watch {
    /// The next claim that is to be looked at, after this one.
    pub(super) fn next(&mut self, after: Option<usize>) -> Option<usize> {
        let range = after.map_or((Unbounded, Unbounded), |number| (Excluded(number), Unbounded));
        let number = self.due.range(range).next().copied()?;
        self.due.remove(&number);
        Some(number)
    }

    /// Is any claim to be looked at?
    pub(super) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// These are to be looked at.
    pub(super) fn look_at(&mut self, claims: impl IntoIterator<Item = usize>) {
        self.due.extend(claims);
    }

    /// This claim waits until it is known which dimension has so many elements.
    pub(super) fn decide_later(&mut self, number: usize) {
        self.undecided.insert(number);
    }

    /// These claims have this variable, too.
    fn have(&mut self, var: Var, claims: &BTreeSet<usize>) {
        self.vars.insert(var);
        let of = self.of.entry(var).or_default();
        if of.len() >= claims.len() {
            of.extend(claims);
        } else {
            let fewer = std::mem::replace(of, claims.clone());
            of.extend(fewer);
        }
    }
}

impl StagedRun<'_> {
    /// A claim is new.
    pub(super) fn watch(&mut self, number: usize) {
        self.configuration.bindings.keep_news();
        for var in self.open_vars(number) {
            self.watch.vars.insert(var);
            self.watch.of.entry(var).or_default().insert(number);
        }
        self.renew(number);
    }

    /// Something has changed that this claim speaks of. What it says of bases may now decide its neighbours.
    fn renew(&mut self, number: usize) {
        self.watch.look_at([number]);
        if self.watch.undecided.is_empty() || !matches!(self.claims.get(&number), Some(SizeClaim::Size(..))) {
            return;
        }
        let parts = self.open_vars(number);
        let Watch { of, due, undecided, .. } = &mut self.watch;
        for part in parts {
            due.extend(of.get(&part).into_iter().flatten().filter(|beside| undecided.contains(beside)));
        }
    }

    /// Follows what was bound since it was last looked, and the atoms below variables.
    pub(super) fn follow(&mut self) {
        let mut news = std::mem::take(&mut self.watch.news);
        self.configuration.bindings.take_news(&mut news);
        self.keep_up(&news);
        let mut changed: BTreeSet<usize> = BTreeSet::new();
        for var in &news {
            if !self.watch.vars.remove(*var) {
                continue;
            }
            let Some(claims) = self.watch.of.remove(var) else { continue };
            self.configuration.bindings.each_within(*var, |part| self.watch.have(part, &claims));
            changed.extend(claims);
        }
        let zeros = self.zeros_among(&news);
        self.watch.news = news;
        changed.into_iter().for_each(|number| self.renew(number));
        zeros.into_iter().for_each(|v| self.equated_zero(v));
        let lowers = self.configuration.bounds.lowers_stored();
        if lowers != self.watch.lowers {
            let Watch { lowers: known, undecided, due, .. } = &mut self.watch;
            *known = lowers;
            due.extend(undecided.iter());
        }
    }

    /// Those of these variables that are 0: there is seldom any.
    fn zeros_among(&self, vars: &[Var]) -> Vec<DimVar> {
        if self.zeros.is_empty() {
            return Vec::new();
        }
        let zero = |v: &Var| if let Var::Dim(v) = v { self.zeros.contains_key(v).then_some(*v) } else { None };
        vars.iter().filter_map(zero).collect()
    }

    /// A variable that is 0 was equated: with another, which is 0 as well; or with a dimension, and then the size
    /// equations that hold with 0 are looked at once more, and one of them fails.
    fn equated_zero(&mut self, v: DimVar) {
        let Some(tainted) = self.zeros.get(&v).copied() else { return };
        match self.look(v.into()) {
            (DimTerm::Var(u), t) => {
                if let Entry::Vacant(new) = self.zeros.entry(u) {
                    new.insert(tainted || t);
                    self.zeroed(u);
                }
            }
            (DimTerm::Dim(_), _) => {
                self.zeros.remove(&v);
                let sizes = self.claims.iter().filter(|(_, claim)| matches!(claim, SizeClaim::Size(..)));
                self.active.extend(sizes.map(|(number, _)| *number));
                self.watch.look_at(self.active.iter().copied());
            }
        }
    }

    /// This variable is 0 now.
    pub(super) fn zeroed(&mut self, v: DimVar) {
        for number in self.watch.of.get(&Var::Dim(v)).cloned().unwrap_or_default() {
            self.renew(number);
        }
    }

    /// The claims that have this unsolved variable, discharged or not, in their order.
    pub(super) fn all_with(&mut self, v: DimVar) -> Vec<usize> {
        self.follow();
        self.watch.of.get(&Var::Dim(v)).into_iter().flatten().copied().collect()
    }

    /// Those that are not discharged.
    pub(super) fn claims_with(&mut self, v: DimVar) -> Vec<usize> {
        let mut claims = self.all_with(v);
        claims.retain(|number| self.active.contains(number));
        claims
    }
}
