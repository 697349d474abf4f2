//! §4 The solver: configurations, runs and verdicts; §5 solved form.
//!
//! [`configuration`] is Def. 4.1, [`store`] its B, [`queue`] the order in which Φ is taken (Def. 4.4), [`derivation`] what
//! a run is: its steps. [`solved`] is Def. 5.3. The rules are in [`rules`](crate::rules), the guards in
//! [`guard`](crate::guard).
//!
//! ```
//! use lozenge::calculus::solver::{Verdict, solve};
//! use lozenge::{names::Names, notation::parse_system, policy::Policy};
//! let mut names = Names::new();
//! let phi = parse_system("⟨r⟩ ⊑ []·⋄·[3]\n⟨r⟩ ⊑ [2]·⋄·[]", &mut names)?;
//! let run = solve(&phi, &mut names, Policy::default());
//! let Verdict::Solved(solved) = run.verdict else { panic!() };
//! assert_eq!(names.show(&solved.greatest().unwrap()).to_string(), "⟨r⟩ ↦ [2]·⋄·[3]");
//! let rules: Vec<&str> = run.trace.steps.iter().map(|step| step.rule.name()).collect();
//! assert_eq!(rules[..2], ["RI-deficit", "RI-closed-op"]);
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```
//!
//! Chapter: spec/4-solver.md.

pub mod configuration;
pub mod derivation;
pub mod queue;
pub mod solved;
pub mod store;

pub use configuration::{Configuration, Stop};
pub use derivation::{Node, Origin, Step, Trace};
pub use solved::{Residual, Solved, Standing};

use crate::constraint::Constraint;
use crate::guard::{Cycle, Fact};
use crate::names::Names;
use crate::policy::{Fuel, Limit, Policy};
use crate::rules::{By, Effect, Rule, Why};

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

impl Failure {
    /// A positive cycle of the guard's facts, met at a constraint; and the failing effect, which names the steps that
    /// recorded the facts.
    #[must_use]
    pub fn by_cycle((rule, cycle): Cycle, constraint: Constraint, node: usize) -> (Self, Effect) {
        let why = Why::Cycle { weight: cycle.iter().map(|f| f.weight).sum() };
        let also = cycle.iter().map(|f| By { step: f.step, node, tainted: f.tainted }).collect();
        let effect = Effect { also, ..Effect::fail(why.clone()) };
        // The facts of Def. 4.5 are not entailed (spec/findings/F2.md), so a cycle of them refutes nothing.
        let tainted = rule == Rule::RgRank || cycle.iter().any(|f| f.tainted);
        (Failure { rule, constraint, why, tainted, cycle }, effect)
    }
}

/// How a run ends. `S` is how solved form is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<S = Solved> {
    /// In solved form (Def. 5.3).
    Solved(Box<S>),
    /// There is no solution: the failure rests on entailed facts only.
    Unsat(Box<Failure>),
    /// A placement that the policy chose led to failure: there may be a solution.
    Rejected(Box<Failure>),
    /// A limit was reached.
    Limit(Limit),
}

impl<S> Verdict<S> {
    /// What a run that stopped early says.
    #[must_use]
    pub fn stopped(stop: Stop) -> Self {
        match stop {
            Stop::Limit(limit) => Verdict::Limit(limit),
            Stop::Failed(failure) if failure.tainted => Verdict::Rejected(failure),
            Stop::Failed(failure) => Verdict::Unsat(failure),
        }
    }

    /// The same verdict about something else that is read off solved form.
    #[must_use]
    pub fn map<T>(self, read: impl FnOnce(S) -> T) -> Verdict<T> {
        match self {
            Verdict::Solved(solved) => Verdict::Solved(Box::new(read(*solved))),
            Verdict::Unsat(failure) => Verdict::Unsat(failure),
            Verdict::Rejected(failure) => Verdict::Rejected(failure),
            Verdict::Limit(limit) => Verdict::Limit(limit),
        }
    }
}

/// A run: how it ended, and its derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run<S = Solved> {
    /// How it ended.
    pub verdict: Verdict<S>,
    /// Every step.
    pub trace: Trace,
}

/// Solves Φ₀. Fresh variables come from `names`.
pub fn solve(phi: &[Constraint], names: &mut Names, policy: Policy) -> Run {
    solve_within(phi, names, policy, &mut Fuel::new(policy.limits.fuel))
}

/// Solves Φ₀ as part of a larger question: what it costs is taken from the fuel of that.
pub(crate) fn solve_within(phi: &[Constraint], names: &mut Names, policy: Policy, fuel: &mut Fuel) -> Run {
    let mut configuration = Configuration::new(phi, names, policy);
    configuration.fuel = *fuel;
    let end = configuration.run();
    *fuel = configuration.fuel;
    let verdict = match end {
        Ok(()) => Verdict::Solved(Box::new(Solved::new(phi, &configuration))),
        Err(stop) => Verdict::stopped(stop),
    };
    Run { verdict, trace: configuration.trace }
}
