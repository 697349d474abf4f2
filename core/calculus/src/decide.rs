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
//!
//! Chapter: spec/6-closing.md.

pub mod lengths;

use crate::constraint::Constraint;
use crate::guard::ranks;
use crate::internal::broken;
use crate::names::Names;
use crate::policy::{Fuel, Limit, Policy};
use crate::semantics::{Ground, holds};
use crate::solver::{self, Verdict};
use crate::term::{RowTerm, RowVar, Var, Vars};
use lengths::{Judge, Lengths, Next, Search};
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

/// The solver that a decision runs: [`Literal`], or one that takes the same steps.
pub trait Solver {
    /// Who judges the lengths that are tried.
    type Judge<'a>: Judge<'a>;

    /// Solves Φ: with γ↑, where it is a solution. What that costs is taken from the fuel.
    fn solve(&self, phi: &[Constraint], names: &mut Names, policy: Policy, fuel: &mut Fuel) -> Verdict<Option<Ground>>;

    /// Is there a rank model of Φ (Def. 5.2.1)?
    ///
    /// # Errors
    /// [`Limit::Fuel`].
    fn has_rank_model(&self, phi: &[Constraint], fuel: &mut Fuel) -> Result<bool, Limit>;
}

/// The solver of this crate.
#[derive(Clone, Copy, Debug)]
pub struct Literal;

impl Solver for Literal {
    type Judge<'a> = lengths::Literal<'a>;

    fn solve(&self, phi: &[Constraint], names: &mut Names, policy: Policy, fuel: &mut Fuel) -> Verdict<Option<Ground>> {
        solver::solve_within(phi, names, policy, fuel).verdict.map(|solved| solved.greatest())
    }

    fn has_rank_model(&self, phi: &[Constraint], fuel: &mut Fuel) -> Result<bool, Limit> {
        fuel.look(phi.len() as u64)?;
        Ok(ranks::has_rank_model(phi))
    }
}

/// The most fuel, and the rank, for a search that nobody asked for.
const WITNESS_FUEL: u64 = 500_000;
const WITNESS_RANK: usize = 4;

/// Decides Φ, searching row variables up to a rank. The fuel of the policy is for all of it: the deterministic run,
/// the search, and the runs for each choice of lengths.
pub fn decide(phi: &[Constraint], names: &mut Names, policy: Policy, rank_bound: usize) -> Decided {
    decide_by(&Literal, phi, names, policy, rank_bound)
}

/// Decides Φ by a solver.
pub fn decide_by(
    solver: &impl Solver,
    phi: &[Constraint],
    names: &mut Names,
    policy: Policy,
    rank_bound: usize,
) -> Decided {
    let fuel = Fuel::new(policy.limits.fuel);
    let mut search = Deciding { solver, phi, policy, rank_bound, fuel, branches: 0 };
    let decision = search.decide(names).unwrap_or_else(|limit| search.unknown(Unlooked::Limit(limit)));
    Decided { decision, branches: search.branches }
}

/// A short search for a solution of a set that the deterministic run rejected: what a `rejected` verdict can carry.
#[must_use]
pub fn witness_by(solver: &impl Solver, phi: &[Constraint], names: &Names, policy: Policy) -> Decision {
    let fuel = Fuel::new(policy.limits.fuel.min(WITNESS_FUEL));
    let mut search = Deciding { solver, phi, policy, rank_bound: WITNESS_RANK, fuel, branches: 0 };
    search.search(names).unwrap_or_else(|limit| search.unknown(Unlooked::Limit(limit)))
}

/// A decision under way.
struct Deciding<'a, S> {
    solver: &'a S,
    phi: &'a [Constraint],
    policy: Policy,
    rank_bound: usize,
    fuel: Fuel,
    branches: u64,
}

impl<S: Solver> Deciding<'_, S> {
    fn unknown(&self, because: Unlooked) -> Decision {
        Decision::Unknown { rank_bound: self.rank_bound, because }
    }

    /// The deterministic run, a rank model, then the search. Where any of them reaches a limit the whole is unknown:
    /// what would be found beyond it is not what is found without.
    fn decide(&mut self, names: &mut Names) -> Result<Decision, Limit> {
        match self.solver.solve(self.phi, names, self.policy, &mut self.fuel) {
            Verdict::Unsat(_) => return Ok(Decision::Unsat),
            Verdict::Solved(greatest) => {
                if let Some(gamma) = *greatest {
                    return Ok(Decision::Sat(gamma));
                }
            }
            Verdict::Limit(limit) => return Err(limit),
            Verdict::Rejected(_) => {}
        }
        if !self.solver.has_rank_model(self.phi, &mut self.fuel)? {
            return Ok(Decision::Unsat);
        }
        self.search(names)
    }

    /// Tries lengths, fewest axes first.
    fn search(&mut self, names: &Names) -> Result<Decision, Limit> {
        let (rank, longest) = (self.rank_bound, self.policy.limits.rank);
        let mut lengths = Search::<S::Judge<'_>>::new(self.phi, rank, longest, &mut self.fuel)?;
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
        let map = lengths::rows(lengths, &mut names);
        let values: BTreeMap<RowVar, RowTerm> = lengths.keys().map(|v| (*v, map.row(*v))).collect();
        let closed: Vec<Constraint> = self.phi.iter().map(|c| map.apply_constraint(c)).collect();
        match self.solver.solve(&closed, &mut names, self.policy, &mut self.fuel) {
            Verdict::Solved(greatest) => match *greatest {
                Some(dims) => Ok(Some(self.solution(&values, &dims))),
                None => broken("closed rows leave no equation to wait (Def. 4.3)", format!("{closed:?}")),
            },
            Verdict::Unsat(_) => Ok(None),
            Verdict::Limit(limit) => Err(limit),
            Verdict::Rejected(failure) => {
                broken("closed rows leave nothing to place (Def. 4.3)", format!("{:?}", failure.rule))
            }
        }
    }

    /// γ↑ of the dimensions (Prop. 5.4), with the rows made of them.
    fn solution(&self, values: &BTreeMap<RowVar, RowTerm>, dims: &Ground) -> Ground {
        let mut gamma = Ground::default();
        for var in self.phi.vars() {
            match var {
                Var::Dim(v) => gamma.dims.insert(v, dims.dim(v.into())).map_or((), drop),
                Var::Row(v) => gamma.rows.insert(v, dims.row(&values[&v])).map_or((), drop),
            }
        }
        if let Some(phi) = self.phi.iter().find(|phi| !holds(&gamma, phi)) {
            broken("γ↑ of solved dimensions solves them (Prop. 5.4)", format!("{phi:?}"));
        }
        gamma
    }
}
