//! §4 The solver: rules, guard, strategy, trace and verdict.
//!
//! One file per group of rules, one function per rule, each named as in the specification:
//! [`dim_rules`] (Def. 4.2), [`row_eq`] and [`row_ineq`] (Def. 4.3), [`guard`] (Def. 4.5 and R1). A rule
//! returns an [`effect::Effect`]; [`configuration`] carries it out (Def. 4.1).
//!
//! ```
//! use lozenge::{names::Names, notation::parse_system, solver::{Policy, Verdict, solve}};
//! let mut names = Names::new();
//! let phi = parse_system("⟨r⟩ ⊑ []·⋄·[3]\n⟨r⟩ ⊑ [2]·⋄·[]", &mut names)?;
//! let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!() };
//! assert_eq!(names.show(&solved.greatest().unwrap()).to_string(), "⟨r⟩ ↦ [2]·⋄·[3]");
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```

pub mod bindings;
mod certify;
pub mod configuration;
pub mod differences;
pub mod dim_rules;
pub mod effect;
pub mod guard;
pub(crate) mod list;
pub mod policy;
pub mod queue;
pub mod ranks;
pub mod row_eq;
pub mod row_ineq;
mod rule;
mod solved;
pub mod store;
mod table;
pub mod trace;

pub use bindings::Standing;
pub use policy::{Fuel, GuardPolicy, Limit, Limits, Policy, Strategy, WordPolicy};
pub use rule::Rule;
pub use solved::{Residual, Solved};

use crate::constraint::Constraint;
use crate::names::Names;
use configuration::{Configuration, Stop};
use differences::Fact;
use effect::Why;
use trace::Trace;

/// The end of a failed run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The rule that failed.
    pub rule: Rule,
    /// The constraint it failed on, under the bindings at the time.
    pub constraint: Constraint,
    /// Why.
    pub why: Why,
    /// Does the failure rest on a placement?
    pub tainted: bool,
    /// The facts of the positive cycle, for a failure of the guard.
    pub cycle: Vec<Fact>,
}

/// How a run ends.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// In solved form (Def. 5.3).
    Solved(Box<Solved>),
    /// There is no solution: the failure rests on entailed facts only.
    Unsat(Box<Failure>),
    /// A placement that the policy chose led to failure: there may be a solution.
    Rejected(Box<Failure>),
    /// A limit was reached.
    Limit(Limit),
}

/// A run with its derivation.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub verdict: Verdict,
    /// Every step.
    pub trace: Trace,
}

/// Solves Φ₀. Fresh variables come from `names`.
pub fn solve(phi: &[Constraint], names: &mut Names, policy: Policy) -> Verdict {
    run(phi, names, policy, false).verdict
}

/// Solves Φ₀ as part of a larger question: what it costs is taken from the fuel of that.
pub(crate) fn solve_within(phi: &[Constraint], names: &mut Names, policy: Policy, fuel: &mut Fuel) -> Verdict {
    let mut configuration = Configuration::new(phi, names, policy, false);
    configuration.fuel = *fuel;
    let end = configuration.run();
    *fuel = configuration.fuel;
    configuration.verdict(phi, end)
}

/// Solves Φ₀ and keeps the derivation.
pub fn solve_traced(phi: &[Constraint], names: &mut Names, policy: Policy) -> Run {
    run(phi, names, policy, true)
}

fn run(phi: &[Constraint], names: &mut Names, policy: Policy, traced: bool) -> Run {
    let mut configuration = Configuration::new(phi, names, policy, traced);
    let end = configuration.run();
    let trace = configuration.trace.take().unwrap_or_default();
    Run { verdict: configuration.verdict(phi, end), trace }
}

impl Configuration<'_> {
    /// What the end of a run on Φ₀ says of it.
    fn verdict(self, phi: &[Constraint], end: Result<(), Stop>) -> Verdict {
        match end {
            Ok(()) => {
                let (steps, Configuration { bindings, bounds, .. }) = (self.steps(), self);
                Verdict::Solved(Box::new(Solved::new(phi, bindings, bounds, steps)))
            }
            Err(Stop::Limit(limit)) => Verdict::Limit(limit),
            Err(Stop::Failed(failure)) if failure.tainted => Verdict::Rejected(failure),
            Err(Stop::Failed(failure)) => Verdict::Unsat(failure),
        }
    }
}
