//! `has_uniq_constr_unless`: a variable that a claim will determine is not guessed, unless what it waits for
//! is not guessed either.

use super::claim::{Numerator, SizeClaim, SizeTerm, Total};
use super::outcome::Marks;
use super::run::StagedRun;
use lozenge_calculus::term::{DimTerm, DimVar, Var, Vars};
use lozenge_engine::solver::Fuel;
use std::collections::{BTreeMap, BTreeSet};

/// For each marked variable, the variables it waits for.
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
/// holds on a chain as well as on a cycle. Else it gives way only to break a cycle, at its oldest variable. Once
/// the fuel is used up the answer means nothing.
pub(super) fn can_guess(marks: Marks, waiting: &Waiting, v: DimVar, fuel: &mut Fuel) -> bool {
    let Some(unless) = waiting.get(&v) else { return true };
    match marks {
        Marks::Seeds => unless.iter().any(|u| waiting.contains_key(u)),
        Marks::Cycles => {
            let ahead = reachable(waiting, v, fuel);
            ahead.contains(&v) && ahead.iter().all(|u| v <= *u || !reachable(waiting, *u, fuel).contains(&v))
        }
    }
}

fn reachable(waiting: &Waiting, from: DimVar, fuel: &mut Fuel) -> BTreeSet<DimVar> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(v) = open.pop() {
        for next in waiting.get(&v).into_iter().flatten() {
            if fuel.look(1).is_ok() && seen.insert(*next) {
                open.push(*next);
            }
        }
    }
    seen
}
