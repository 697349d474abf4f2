//! §4 The solver, fast. [`configuration`] takes the steps, by the rules of [`lozenge_calculus::rules`].
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
pub mod configuration;
pub mod differences;
mod ends;
pub mod guard;
mod lay;
pub mod line;
pub(crate) mod list;
mod order;
mod paths;
mod search;
mod solved;
pub mod store;
mod table;
mod waiting;

pub use lozenge_calculus::guard::Fact;
pub use lozenge_calculus::policy::{CapPolicy, Fuel, GuardPolicy, Limit, Limits, Policy, Strategy, WordPolicy};
pub use lozenge_calculus::rules::{Rule, Why};
pub use lozenge_calculus::solver::{Failure, Residual, Standing, Stop, Trace, derivation};
pub use solved::{Solved, ground};

use configuration::Configuration;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;

/// How a run ends.
pub type Verdict = lozenge_calculus::solver::Verdict<Solved>;

/// A run with its derivation.
pub type Run = lozenge_calculus::solver::Run<Solved>;

/// Solves Φ₀. Fresh variables come from `names`.
pub fn solve(phi: &[Constraint], names: &mut Names, policy: Policy) -> Verdict {
    Configuration::new(phi, names, policy, false).solve(phi).verdict
}

/// Solves Φ₀ as part of a larger question: what it costs is taken from the fuel of that.
pub fn solve_within(phi: &[Constraint], names: &mut Names, policy: Policy, fuel: &mut Fuel) -> Verdict {
    let mut configuration = Configuration::new(phi, names, policy, false);
    configuration.fuel = *fuel;
    let end = configuration.run();
    *fuel = configuration.fuel;
    configuration.verdict(phi, end)
}

/// Solves Φ₀ and keeps the derivation.
pub fn solve_traced(phi: &[Constraint], names: &mut Names, policy: Policy) -> Run {
    Configuration::new(phi, names, policy, true).solve(phi)
}

impl Configuration<'_> {
    fn solve(mut self, phi: &[Constraint]) -> Run {
        let end = self.run();
        let trace = self.trace.take().unwrap_or_default();
        Run { verdict: self.verdict(phi, end), trace }
    }

    /// What the end of a run on Φ₀ says of it.
    fn verdict(self, phi: &[Constraint], end: Result<(), Stop>) -> Verdict {
        match end {
            Ok(()) => {
                let (steps, Configuration { bindings, bounds, .. }) = (self.steps(), self);
                Verdict::Solved(Box::new(Solved::new(phi, bindings, bounds, steps)))
            }
            Err(stop) => Verdict::stopped(stop),
        }
    }
}
