//! `has_uniq_constr_unless`: a variable that a claim will determine is not guessed, unless what it waits for
//! is not guessed either.

use super::claim::{Numerator, SizeClaim, SizeTerm, Total};
use super::outcome::Marks;
use super::run::StagedRun;
use lozenge_calculus::term::{DimTerm, DimVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// For each marked variable, the variables it waits for; never itself.
pub(super) type Waiting = BTreeMap<DimVar, BTreeSet<DimVar>>;

impl StagedRun<'_> {
    /// The marks of the claims that are not discharged.
    pub(super) fn waiting(&mut self) -> Waiting {
        let mut waiting = Waiting::new();
        for number in self.active.clone() {
            let (left, others) = match self.claims.get(&number).cloned() {
                Some(SizeClaim::Total(Total { numerator: Numerator::Scaled { var, .. }, divided_by, .. })) => {
                    (DimTerm::Var(var), divided_by.into_iter().map(DimTerm::Var).collect::<Vec<_>>())
                }
                Some(SizeClaim::Size(d, term)) if self.marks == Marks::Cycles => (d, parts(&term)),
                _ => continue,
            };
            let DimTerm::Var(left) = self.look(left).0 else { continue };
            let unknown = others.into_iter().filter_map(|t| match self.look(t).0 {
                DimTerm::Var(v) if v != left && !self.zeros.contains_key(&v) => Some(v),
                _ => None,
            });
            let unknown: BTreeSet<DimVar> = unknown.collect();
            if !unknown.is_empty() {
                waiting.entry(left).or_default().extend(unknown);
            }
        }
        waiting
    }
}

/// The variables of a size term's parts.
fn parts(term: &SizeTerm) -> Vec<DimTerm> {
    term.vars().into_iter().filter_map(|v| if let Var::Dim(d) = v { Some(d.into()) } else { None }).collect()
}

/// `can_guess_dim_to_one`. The seeds let a mark give way as soon as one variable it waits for is marked; that
/// holds on a chain as well as on a cycle. Else it gives way only to break a cycle, at its oldest variable.
pub(super) struct Ready {
    marks: Marks,
    waiting: Waiting,
    /// The oldest variable of each cycle.
    breaks: BTreeSet<DimVar>,
}

impl Ready {
    pub(super) fn new(marks: Marks, waiting: Waiting) -> Self {
        let breaks = if marks == Marks::Cycles { oldest_of_cycles(&waiting) } else { BTreeSet::new() };
        Ready { marks, waiting, breaks }
    }

    /// May it be guessed?
    pub(super) fn is(&self, v: DimVar) -> bool {
        let Some(unless) = self.waiting.get(&v) else { return true };
        match self.marks {
            Marks::Seeds => unless.iter().any(|u| self.waiting.contains_key(u)),
            Marks::Cycles => self.breaks.contains(&v),
        }
    }
}

/// Of all variables that wait for each other, and so for themselves, the oldest.
fn oldest_of_cycles(waiting: &Waiting) -> BTreeSet<DimVar> {
    let mut search = Search { waiting, number: BTreeMap::new(), open: Vec::new(), oldest: BTreeSet::new() };
    waiting.keys().for_each(|v| search.from(*v));
    search.oldest
}

/// Strongly connected components (Tarjan, 1972), without recursion: chains are long.
struct Search<'w> {
    waiting: &'w Waiting,
    /// When each was first seen, and the first that it leads back to; [`DONE`] once its component is known.
    number: BTreeMap<DimVar, (usize, usize)>,
    /// What was seen and whose component is not known.
    open: Vec<DimVar>,
    oldest: BTreeSet<DimVar>,
}

const DONE: usize = usize::MAX;

impl<'w> Search<'w> {
    /// Sees a variable for the first time, and gives what it waits for. What waits for nothing is on no cycle.
    fn see(&mut self, v: DimVar) -> Option<(DimVar, impl Iterator<Item = &'w DimVar> + use<'w>)> {
        let unless = self.waiting.get(&v)?;
        let now = self.number.len();
        self.number.insert(v, (now, now));
        self.open.push(v);
        Some((v, unless.iter()))
    }

    /// v leads back as far as u.
    fn back(&mut self, v: DimVar, u: DimVar) {
        let far = self.number.get(&u).map_or(DONE, |(_, back)| *back);
        if let Some((_, back)) = self.number.get_mut(&v) {
            *back = far.min(*back);
        }
    }

    fn from(&mut self, start: DimVar) {
        let mut path = Vec::new();
        if !self.number.contains_key(&start) {
            path.extend(self.see(start));
        }
        while let Some((v, unless)) = path.last_mut() {
            let v = *v;
            match unless.next() {
                Some(u) if self.number.contains_key(u) => self.back(v, *u),
                Some(u) => path.extend(self.see(*u)),
                None => {
                    path.pop();
                    if let Some((up, _)) = path.last() {
                        self.back(*up, v);
                    }
                    self.leave(v);
                }
            }
        }
    }

    /// All that v leads to has been seen. If v leads back to nothing before it, what is open from it on is a component.
    fn leave(&mut self, v: DimVar) {
        if self.number.get(&v).is_none_or(|(seen, back)| seen != back) {
            return;
        }
        let from = self.open.iter().rposition(|u| *u == v).unwrap_or(0);
        let component = self.open.split_off(from);
        for u in &component {
            if let Some((_, back)) = self.number.get_mut(u) {
                *back = DONE;
            }
        }
        if component.len() > 1 {
            self.oldest.extend(component.into_iter().min());
        }
    }
}
