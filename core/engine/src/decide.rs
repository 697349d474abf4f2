//! Deciding (Remark 6.7) by the engine: the search of [`lozenge_calculus::decide`], the solver of this crate.
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

pub use lozenge_calculus::decide::{Decided, Decision, Unlooked};

use crate::lengths::Measures;
use crate::solver::differences::Differences;
use crate::solver::list::MOST_STEPS;
use crate::solver::solve_within;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::decide::{Solver, decide_by, witness_by};
use lozenge_calculus::guard::ranks::rank_abstraction;
use lozenge_calculus::names::Names;
use lozenge_calculus::policy::{Fuel, Limit, Limits, Policy};
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::solver::Verdict;

/// The solver of this crate.
struct Engine;

impl Solver for Engine {
    type Judge<'a> = Measures;

    fn solve(&self, phi: &[Constraint], names: &mut Names, policy: Policy, fuel: &mut Fuel) -> Verdict<Option<Ground>> {
        solve_within(phi, names, policy, fuel).map(|solved| solved.greatest())
    }

    fn has_rank_model(&self, phi: &[Constraint], fuel: &mut Fuel) -> Result<bool, Limit> {
        has_rank_model(phi, fuel)
    }
}

/// Decides Φ, searching row variables up to a rank. The fuel of the policy is for all of it: the deterministic run,
/// the search, and the runs for each choice of lengths.
pub fn decide(phi: &[Constraint], names: &mut Names, policy: Policy, rank_bound: usize) -> Decided {
    // No run takes more steps than there are numbers for.
    let limits = Limits { fuel: policy.limits.fuel.min(MOST_STEPS), ..policy.limits };
    decide_by(&Engine, phi, names, Policy { limits, ..policy }, rank_bound)
}

/// A short search for a solution of a set that the deterministic run rejected: what a `rejected` verdict can carry.
/// Nobody asked for it, so it has limits of its own: what it finds does not depend on those of the question.
#[must_use]
pub fn witness(phi: &[Constraint], names: &Names, policy: Policy) -> Decision {
    witness_by(&Engine, phi, names, Policy { limits: Limits::default(), ..policy })
}

/// Is there a rank model of Φ (Def. 5.2.1)?
///
/// # Errors
/// [`Limit::Fuel`].
pub fn has_rank_model(phi: &[Constraint], fuel: &mut Fuel) -> Result<bool, Limit> {
    let mut ranks = Differences::default();
    for fact in rank_abstraction(phi) {
        let holds = match (fact.greater, fact.lesser) {
            (None, None) => fact.weight <= 0,
            _ => ranks.add(fact).is_ok(),
        };
        fuel.look(1 + ranks.take_looks())?;
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}
