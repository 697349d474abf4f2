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
use crate::internal::broken;
use crate::names::Names;
use crate::row::Row;
use crate::semantics::{Ground, holds};
use crate::solver::ranks::has_rank_model;
use crate::solver::{Fuel, Limit, Policy, Solved, Verdict, solve_within};
use crate::subst::Map;
use crate::term::{DimTerm, RowTerm, RowVar, Term, Var, Vars};
use lengths::{Lengths, Next, Search};
use std::collections::BTreeMap;

/// What is known of satisfiability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Satisfiable, by this solution.
    Sat(Ground),
    /// Unsatisfiable: every choice of lengths was looked at to its end.
    Unsat,
    /// No solution was found, and not everything was looked at.
    Unknown {
        /// Row variables were tried up to this rank, as far as the search came.
        rank_bound: usize,
        /// What was not looked at.
        because: Unlooked,
    },
}

/// What a search that found nothing did not look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unlooked {
    /// Row variables of a higher rank.
    Rank,
    /// What lies behind a limit that was reached.
    Limit(Limit),
}

impl Decision {
    /// The solution, if one was found.
    #[must_use]
    pub fn solution(self) -> Option<Ground> {
        match self {
            Decision::Sat(gamma) => Some(gamma),
            Decision::Unsat | Decision::Unknown { .. } => None,
        }
    }
}

/// A decision, and how it was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// How many choices of lengths were tried beyond the deterministic run; 0 when it decided alone.
    pub branches: u64,
}

/// The most fuel, and the rank, for a search that nobody asked for.
const WITNESS_FUEL: u64 = 500_000;
const WITNESS_RANK: usize = 4;

/// Decides Φ, searching row variables up to a rank. The fuel of the policy is for all of it: the deterministic run,
/// the search, and the runs for each choice of lengths.
pub fn decide(phi: &[Constraint], names: &mut Names, policy: Policy, rank_bound: usize) -> Decided {
    let mut search = Deciding { phi, policy, rank_bound, fuel: Fuel::new(policy.limits.fuel), branches: 0 };
    let decision = search.decide(names).unwrap_or_else(|limit| search.unknown(Unlooked::Limit(limit)));
    Decided { decision, branches: search.branches }
}

/// A short search for a solution of a set that the deterministic run rejected: what a `rejected` verdict can carry.
#[must_use]
pub fn witness(phi: &[Constraint], names: &Names, policy: Policy) -> Decision {
    let fuel = Fuel::new(policy.limits.fuel.min(WITNESS_FUEL));
    let mut search = Deciding { phi, policy, rank_bound: WITNESS_RANK, fuel, branches: 0 };
    search.search(names).unwrap_or_else(|limit| search.unknown(Unlooked::Limit(limit)))
}

/// A decision under way.
struct Deciding<'a> {
    phi: &'a [Constraint],
    policy: Policy,
    rank_bound: usize,
    fuel: Fuel,
    branches: u64,
}

impl Deciding<'_> {
    fn unknown(&self, because: Unlooked) -> Decision {
        Decision::Unknown { rank_bound: self.rank_bound, because }
    }

    /// The deterministic run, a rank model, then the search. Where any of them reaches a limit the whole is unknown:
    /// what would be found beyond it is not what is found without.
    fn decide(&mut self, names: &mut Names) -> Result<Decision, Limit> {
        match solve_within(self.phi, names, self.policy, &mut self.fuel) {
            Verdict::Unsat(_) => return Ok(Decision::Unsat),
            Verdict::Solved(solved) => {
                if let Some(gamma) = solved.greatest() {
                    return Ok(Decision::Sat(gamma));
                }
            }
            Verdict::Limit(limit) => return Err(limit),
            Verdict::Rejected(_) => {}
        }
        if !has_rank_model(self.phi, &mut self.fuel)? {
            return Ok(Decision::Unsat);
        }
        self.search(names)
    }

    /// Tries lengths, fewest axes first.
    fn search(&mut self, names: &Names) -> Result<Decision, Limit> {
        let mut lengths = Search::new(self.phi, self.rank_bound, &mut self.fuel)?;
        loop {
            match lengths.next(&mut self.fuel)? {
                Next::Lengths(lengths) => {
                    self.branches += 1;
                    if let Some(gamma) = self.with_lengths(names, &lengths)? {
                        return Ok(Decision::Sat(gamma));
                    }
                }
                Next::End { complete: true } => return Ok(Decision::Unsat),
                Next::End { complete: false } => return Ok(self.unknown(Unlooked::Rank)),
            }
        }
    }

    /// A solution with these lengths, or none where there is none. Each row variable becomes that many dimension variables.
    fn with_lengths(&mut self, names: &Names, lengths: &Lengths) -> Result<Option<Ground>, Limit> {
        let axes: usize = lengths.values().map(|(lead, trail)| lead + trail).sum();
        self.fuel.look((names.len() + self.phi.len() + axes) as u64)?;
        let mut names = names.clone();
        let mut map = Map::identity();
        let mut values: BTreeMap<RowVar, RowTerm> = BTreeMap::new();
        for (var, (lead, trail)) in lengths {
            let mut fresh = |n: &usize| (0..*n).map(|_| DimTerm::Var(names.fresh_dim())).collect::<Vec<_>>();
            let value = RowTerm::new(fresh(lead), None, fresh(trail));
            map = map.with_row(*var, value.clone());
            values.insert(*var, value);
        }
        let ground: Vec<Constraint> = self.phi.iter().map(|c| map.apply_constraint(c)).collect();
        match solve_within(&ground, &mut names, self.policy, &mut self.fuel) {
            Verdict::Solved(solved) => Ok(Some(self.solution(&values, &solved))),
            Verdict::Unsat(_) => Ok(None),
            Verdict::Limit(limit) => Err(limit),
            Verdict::Rejected(failure) => {
                broken("closed rows leave nothing to place (Def. 4.3)", format!("{:?}", failure.rule))
            }
        }
    }

    /// γ↑ of the dimensions (Prop. 5.4), with the rows made of them.
    fn solution(&self, values: &BTreeMap<RowVar, RowTerm>, solved: &Solved) -> Ground {
        let top = Ground::default();
        let dim = |t: DimTerm| -> Dim {
            match t {
                DimTerm::Var(v) => match solved.value(Var::Dim(v)) {
                    Term::Dim(value) => top.dim(value),
                    Term::Row(to) => broken("a variable is bound to a term of its sort", format!("{v:?} ↦ {to:?}")),
                },
                DimTerm::Dim(d) => d,
            }
        };
        let flank = |terms: &[DimTerm]| terms.iter().map(|t| dim(*t)).collect();
        let mut gamma = Ground::default();
        for (var, value) in values {
            gamma.rows.insert(*var, Row::new(flank(&value.lead), flank(&value.trail)));
        }
        for var in self.phi.vars() {
            if let Var::Dim(v) = var {
                gamma.dims.insert(v, dim(v.into()));
            }
        }
        if let Some(phi) = self.phi.iter().find(|phi| !holds(&gamma, phi)) {
            broken("γ↑ of solved dimensions solves them (Prop. 5.4)", format!("{phi:?}"));
        }
        gamma
    }
}
