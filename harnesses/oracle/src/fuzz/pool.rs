//! Systems worth changing: what a few rounds of making and changing found to exercise new pairs of rules.
//!
//! The rounds depend on the seed and the weights alone, so every machine has the same pool.

use super::coverage::pairs;
use crate::corpus::generate::{mix, system};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::subst::Map;
use lozenge::term::{RowTerm, Var};
use lozenge_harnesses::generators::{System, Weights};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeSet;

/// How many systems are made first, how many rounds of changes follow, and how many changes there are in each.
const MADE: u64 = 300;
const ROUNDS: u64 = 4;
const CHANGED: u64 = 150;
/// A system does not grow beyond so many constraints over those asked for.
const MORE: usize = 1;

/// Systems that together exercise all pairs of rules that were seen.
pub struct Pool {
    weights: Weights,
    systems: Vec<System>,
}

impl Pool {
    /// Makes and changes, and keeps what exercises a pair that nothing before it did.
    pub fn new(weights: Weights, seed: u64) -> Self {
        let (mut pool, mut seen) = (Pool { weights, systems: Vec::new() }, BTreeSet::new());
        let mut keep = |systems: &mut Vec<System>, made: System| {
            let pairs = pairs(&made.constraints, &made.names);
            if !pairs.is_subset(&seen) {
                seen.extend(pairs);
                systems.push(made);
            }
        };
        for number in 0..MADE {
            let made = match number % 2 {
                0 => system(weights, seed, u64::MAX - number),
                _ => weights.circle(&mut Gen::from_size_and_seed(100, mix(seed, u64::MAX - number))),
            };
            keep(&mut pool.systems, made);
        }
        for number in 0..ROUNDS * CHANGED {
            if let Some(changed) = pool.changed(mix(seed ^ 0x9001, number)) {
                keep(&mut pool.systems, changed);
            }
        }
        pool
    }

    /// One of the systems, changed in a place or two.
    pub fn changed(&self, number: u64) -> Option<System> {
        let g = &mut Gen::from_size_and_seed(100, number);
        let mut changed = g.choose(&self.systems)?.clone();
        for _ in 0..1 + u8::arbitrary(g) % 2 {
            self.change(g, &mut changed);
        }
        Some(changed)
    }

    fn change(&self, g: &mut Gen, system: &mut System) {
        let System { names, constraints } = system;
        let at = usize::arbitrary(g) % constraints.len().max(1);
        match u8::arbitrary(g) % 6 {
            0 if constraints.len() < self.weights.constraints + MORE => {
                constraints.push(self.weights.constraint(g, names));
            }
            1 if constraints.len() > 1 => drop(constraints.remove(at)),
            2 => constraints[at] = self.weights.constraint(g, names),
            3 => self.one_variable(g, names, constraints),
            4 => turn(&mut constraints[at]),
            _ => self.one_axis(g, names, &mut constraints[at]),
        }
    }

    /// Two variables of a sort become one.
    fn one_variable(&self, g: &mut Gen, names: &Names, constraints: &mut [Constraint]) {
        let vars: Vec<Var> = names.vars().collect();
        let (Some(from), Some(to)) = (g.choose(&vars), g.choose(&vars)) else { return };
        let map = match (from, to) {
            (Var::Dim(from), Var::Dim(to)) => Map::identity().with_dim(*from, *to),
            (Var::Row(from), Var::Row(to)) => {
                Map::identity().with_row(*from, RowTerm::new(Vec::new(), Some(*to), Vec::new()))
            }
            _ => return,
        };
        for phi in constraints {
            *phi = map.apply_constraint(phi);
        }
    }

    /// A row has one axis more.
    fn one_axis(&self, g: &mut Gen, names: &mut Names, phi: &mut Constraint) {
        let axis = self.weights.dim_term(g, names);
        let (left, leading) = (bool::arbitrary(g), bool::arbitrary(g));
        let (Constraint::RowLe(s, t) | Constraint::RowEq(s, t)) = phi else { return };
        let row = if left { s } else { t };
        let (mut lead, mut trail) = (row.lead.to_vec(), row.trail.to_vec());
        if leading {
            lead.push(axis)
        } else {
            trail.insert(0, axis)
        }
        *row = RowTerm::new(lead, row.var, trail);
    }
}

/// The sides change places.
fn turn(phi: &mut Constraint) {
    match phi {
        Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => std::mem::swap(s, t),
        Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => std::mem::swap(s, t),
    }
}
