//! Deciding satisfiability (Remark 6.7): search where the deterministic solver chose.
//!
//! The deterministic run is the first branch. Where it solves, γ↑ is the witness; where it refutes, there
//! is nothing to search. Otherwise a placement or a word equation stands in the way, and the search goes
//! over what these leave open: how many leading and trailing axes each row variable has. Once the lengths
//! are fixed every row constraint is a set of dimension constraints, and those the solver decides exactly.
//!
//! The paper's inventory of branches, |m| + 1 placements of an entailed middle m, is not enough where the
//! middle contains a variable (spec/findings/F14.md): the marker may stand inside that variable's content.
//! Lengths cover that as well.
//!
//! ```
//! use lozenge::decide::{Decision, decide};
//! use lozenge::{names::Names, notation::parse_system, solver::Policy};
//! let mut names = Names::new();
//! // Remark 2.11: rejected by the policy, and satisfiable.
//! let phi = parse_system("⟨r⟩ ≈ []·⋄·[3,5]\n[3]·⋄·[9,5] ⊑ ⟨r⟩", &mut names)?;
//! let Decision::Sat(witness) = decide(&phi, &mut names, Policy::default(), 4).decision else { panic!() };
//! assert_eq!(names.show(&witness).to_string(), "⟨r⟩ ↦ [3]·⋄·[5]");
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```

mod lengths;

use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::names::Names;
use crate::row::Row;
use crate::semantics::{Ground, holds};
use crate::solver::ranks::has_rank_model;
use crate::solver::{Policy, Verdict, solve};
use crate::subst::Map;
use crate::term::{DimTerm, RowTerm, RowVar, Var, Vars};
use lengths::{Lengths, Search};
use std::collections::BTreeMap;

/// What is known of satisfiability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Satisfiable, by this solution.
    Sat(Ground),
    /// Unsatisfiable.
    Unsat,
    /// No solution with row variables up to this rank; beyond it nobody looked.
    Unknown {
        /// The bound.
        rank_bound: usize,
    },
}

/// A decision, and how it was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// How many choices of lengths were tried beyond the deterministic run; 0 when it decided alone.
    pub branches: u64,
}

/// The most partial choices of lengths that a search looks at.
const MOST_CHOICES: u64 = 4_000_000;
/// The same, and the rank, for a search that nobody asked for.
const WITNESS_CHOICES: u64 = 50_000;
const WITNESS_RANK: usize = 4;

/// Decides Φ, searching row variables up to a rank.
pub fn decide(phi: &[Constraint], names: &mut Names, policy: Policy, rank_bound: usize) -> Decided {
    match solve(phi, names, policy) {
        Verdict::Unsat(_) => return Decided { decision: Decision::Unsat, branches: 0 },
        Verdict::Solved(solved) => {
            if let Some(gamma) = solved.greatest() {
                return Decided { decision: Decision::Sat(gamma), branches: 0 };
            }
        }
        Verdict::Rejected(_) | Verdict::Limit(_) => {}
    }
    if !has_rank_model(phi) {
        return Decided { decision: Decision::Unsat, branches: 0 };
    }
    search(phi, names, policy, rank_bound, policy.limits.fuel.min(MOST_CHOICES))
}

/// A solution of a set that the deterministic run rejected, if a short search finds one: what a `rejected`
/// verdict can carry.
#[must_use]
pub fn witness(phi: &[Constraint], names: &Names, policy: Policy) -> Option<Ground> {
    match search(phi, names, policy, WITNESS_RANK, policy.limits.fuel.min(WITNESS_CHOICES)).decision {
        Decision::Sat(gamma) => Some(gamma),
        Decision::Unsat | Decision::Unknown { .. } => None,
    }
}

/// Tries lengths, fewest axes first.
fn search(phi: &[Constraint], names: &Names, policy: Policy, rank_bound: usize, choices: u64) -> Decided {
    let mut branches = 0;
    let mut search = Search::new(phi, rank_bound, choices);
    while let Some(lengths) = search.next() {
        branches += 1;
        if let Some(gamma) = with_lengths(phi, names, policy, &lengths) {
            return Decided { decision: Decision::Sat(gamma), branches };
        }
    }
    let decision = if search.was_complete() { Decision::Unsat } else { Decision::Unknown { rank_bound } };
    Decided { decision, branches }
}

/// A solution with these lengths, if there is one: each row variable becomes that many dimension variables.
fn with_lengths(phi: &[Constraint], names: &Names, policy: Policy, lengths: &Lengths) -> Option<Ground> {
    let mut names = names.clone();
    let mut map = Map::identity();
    let mut values: BTreeMap<RowVar, RowTerm> = BTreeMap::new();
    for (var, (lead, trail)) in lengths {
        let mut fresh = |n: &usize| (0..*n).map(|_| DimTerm::Var(names.fresh_dim())).collect::<Vec<_>>();
        let value = RowTerm::new(fresh(lead), None, fresh(trail));
        map = map.with_row(*var, value.clone());
        values.insert(*var, value);
    }
    let ground: Vec<Constraint> = phi.iter().map(|c| map.apply_constraint(c)).collect();
    let Verdict::Solved(solved) = solve(&ground, &mut names, policy) else { return None };
    let top = Ground::default();
    let dim = |t: DimTerm| -> Dim {
        match t {
            DimTerm::Var(v) => match solved.value(Var::Dim(v)) {
                crate::term::Term::Dim(value) => top.dim(value),
                crate::term::Term::Row(_) => Dim::Unit,
            },
            DimTerm::Dim(d) => d,
        }
    };
    let mut gamma = Ground::default();
    for var in phi.vars() {
        match var {
            Var::Dim(v) => {
                gamma.dims.insert(v, dim(v.into()));
            }
            Var::Row(v) => {
                let value = values.get(&v)?;
                let flank = |terms: &[DimTerm]| terms.iter().map(|t| dim(*t)).collect();
                gamma.rows.insert(v, Row::new(flank(&value.lead), flank(&value.trail)));
            }
        }
    }
    phi.iter().all(|c| holds(&gamma, c)).then_some(gamma)
}
