//! The bounds as they stand after each step, read off a derivation. Only what a step changes is looked at, so
//! that a long run is told in the time that its telling takes.

use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::solver::bindings::Bindings;
use lozenge::solver::derivation::{Step, Trace};
use lozenge::term::{DimTerm, DimVar, RowTerm, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// The order in which bounds are listed: sizes by variable, then as they were stored.
type Key = (u8, Option<DimVar>, usize);

/// B, by the steps taken so far.
pub struct Replay {
    bindings: Bindings,
    /// What is stored, under the bindings so far.
    live: BTreeMap<Key, Constraint>,
    /// The bounds that a variable takes with it when it is bound, and those that it occurs in.
    held: BTreeMap<Var, BTreeSet<Key>>,
    within: BTreeMap<Var, BTreeSet<Key>>,
    /// What the last step stored or changed.
    new: BTreeSet<Key>,
    stored: usize,
    /// When each adjacency was stored: it is kept once.
    adjacent: BTreeMap<(DimVar, DimVar), usize>,
}

impl Replay {
    /// Nothing stored yet.
    pub fn new() -> Self {
        Replay {
            bindings: Bindings::new(false, 0),
            live: BTreeMap::new(),
            held: BTreeMap::new(),
            within: BTreeMap::new(),
            new: BTreeSet::new(),
            stored: 0,
            adjacent: BTreeMap::new(),
        }
    }

    /// Def. 4.1: a step stores a bound, or binds a variable and takes out what is stored for it.
    pub fn step(&mut self, trace: &Trace, number: usize, step: &Step) {
        self.new.clear();
        if let Some(node) = step.stored.and_then(|node| trace.nodes.get(node)) {
            self.store(node.constraint.clone());
        }
        let Some(bind) = &step.bind else { return };
        for key in self.held.remove(&bind.binding.var()).unwrap_or_default() {
            self.live.remove(&key);
        }
        self.bindings.bind(bind.clone(), number, step.tainted);
        for key in self.within.remove(&bind.binding.var()).unwrap_or_default() {
            if let Some(phi) = self.live.remove(&key) {
                let phi = self.bindings.instantiate(phi).phi;
                self.put(key, phi);
            }
        }
    }

    fn store(&mut self, phi: Constraint) {
        self.stored += 1;
        let key = match &phi {
            Constraint::DimLe(DimTerm::Dim(Dim::Atom(_)), DimTerm::Var(a)) => (0, Some(*a), 0),
            Constraint::DimLe(DimTerm::Var(a), DimTerm::Var(b)) => {
                let known = self.adjacent.entry((*a, *b)).or_insert(self.stored);
                if self.live.contains_key(&(1, None, *known)) {
                    return;
                }
                *known = self.stored;
                (1, None, self.stored)
            }
            Constraint::DimLe(..) | Constraint::DimEq(..) => (1, None, self.stored),
            Constraint::RowLe(..) => (2, None, self.stored),
            Constraint::RowEq(..) => (3, None, self.stored),
        };
        for var in holders(&phi) {
            self.held.entry(var).or_default().insert(key);
        }
        self.put(key, phi);
    }

    fn put(&mut self, key: Key, phi: Constraint) {
        for var in phi.vars() {
            self.within.entry(var).or_default().insert(key);
        }
        self.new.insert(key);
        self.live.insert(key, phi);
    }

    /// The bounds as they stand, each with whether it is new, and how many are left out. Where there are more than
    /// so many, the new ones are shown.
    pub fn bounds(&self, most: usize) -> (Vec<(&Constraint, bool)>, usize) {
        let shown: Vec<(&Constraint, bool)> = if self.live.len() <= most {
            self.live.iter().map(|(key, phi)| (phi, self.new.contains(key))).collect()
        } else {
            self.new.iter().filter_map(|key| Some((self.live.get(key)?, true))).take(most).collect()
        };
        let left_out = self.live.len() - shown.len();
        (shown, left_out)
    }
}

/// The variables whose binding takes a bound out of the store.
fn holders(phi: &Constraint) -> BTreeSet<Var> {
    let bare = |row: &RowTerm| (row.known_rank() == 0).then_some(row.var).flatten();
    match phi {
        Constraint::RowLe(res, on) => [bare(res), on.var].into_iter().flatten().map(Var::Row).collect(),
        Constraint::RowEq(..) => phi.vars().into_iter().filter(|var| matches!(var, Var::Row(_))).collect(),
        Constraint::DimLe(..) | Constraint::DimEq(..) => phi.vars(),
    }
}
