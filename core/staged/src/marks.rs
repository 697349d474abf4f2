//! `has_uniq_constr_unless`: a variable that a claim will determine is not guessed, unless what it waits for
//! is not guessed either.

use super::claim::{Numerator, SizeClaim, SizeTerm, Total};
use super::outcome::Marks;
use super::run::StagedRun;
use lozenge_calculus::term::{DimTerm, DimVar, Var, Vars};
use lozenge_engine::components;
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

/// Of all variables that wait for each other, and so for themselves, the oldest. None waits for itself alone.
fn oldest_of_cycles(waiting: &Waiting) -> BTreeSet<DimVar> {
    let vars: Vec<DimVar> = waiting.keys().copied().collect();
    let number: BTreeMap<DimVar, usize> = vars.iter().copied().zip(0..).collect();
    // What waits for nothing is on no cycle.
    let edges = |(at, unless): (usize, &BTreeSet<DimVar>)| -> Vec<(usize, usize)> {
        unless.iter().filter_map(|u| Some((at, *number.get(u)?))).collect()
    };
    let edges: Vec<(usize, usize)> = waiting.values().enumerate().flat_map(edges).collect();
    let mut members: BTreeMap<usize, Vec<DimVar>> = BTreeMap::new();
    for (v, component) in vars.iter().zip(components(vars.len(), &edges)) {
        members.entry(component).or_default().push(*v);
    }
    members.into_values().filter(|vars| vars.len() > 1).filter_map(|vars| vars.first().copied()).collect()
}
