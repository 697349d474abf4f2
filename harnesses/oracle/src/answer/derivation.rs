//! A run once more with its derivation, and the refutation that it gives.

use lozenge::certificate::{Refutation, check_refutation};
use lozenge::constraint::Constraint;
use lozenge::internal::broken;
use lozenge::names::Names;
use lozenge::solver::{Limit, Limits, Policy, Run, Verdict, solve_traced};

/// The most steps of a derivation that is kept in memory.
const MOST_STEPS: u64 = 200_000;
/// The same for a run that reaches a limit: where rows grow without end, each step costs more than the last.
const MOST_ENDLESS_STEPS: u64 = 300;
/// The most axes written in such a derivation.
const MOST_AXES: u64 = 5_000_000;

/// A run with its derivation.
pub struct Derived {
    /// The run.
    pub run: Run,
    /// When it is too long to be kept: the number of steps after which it was cut, at the latest.
    pub cut: Option<u64>,
}

/// The run that ended in this verdict once more, with its derivation. Its fresh variables are the same.
pub fn derivation(phi: &[Constraint], names: &Names, policy: Policy, verdict: &Verdict) -> Derived {
    let most = if matches!(verdict, Verdict::Limit(_)) { MOST_ENDLESS_STEPS } else { MOST_STEPS };
    let Limits { fuel, rank, size } = policy.limits;
    // A step of long rows costs more than a unit.
    let limits = Limits { fuel: fuel.min(64 * most), rank, size: size.min(MOST_AXES) };
    let mut run = solve_traced(phi, &mut names.clone(), Policy { limits, ..policy });
    let kept = usize::try_from(most).unwrap_or(usize::MAX);
    let cut = match run.verdict {
        Verdict::Limit(Limit::Derivation) => true,
        Verdict::Limit(Limit::Fuel) => limits.fuel < fuel || run.trace.steps.len() > kept,
        Verdict::Limit(Limit::Size) => limits.size < size || run.trace.steps.len() > kept,
        _ => run.trace.steps.len() > kept,
    };
    run.trace.steps.truncate(kept);
    if !cut && !same_end(verdict, &run.verdict) {
        let ends = format!("{verdict:?} and {:?} on {phi:?}", run.verdict);
        broken("a run with its derivation ends as it does without", ends);
    }
    Derived { run, cut: cut.then_some(most) }
}

/// Does a run end as another one did? What keeping a derivation costs counts as work, so it may reach a limit first.
fn same_end(without: &Verdict, with: &Verdict) -> bool {
    match (without, with) {
        (_, Verdict::Limit(_)) | (Verdict::Solved(_), Verdict::Solved(_)) => true,
        (Verdict::Unsat(one), Verdict::Unsat(other)) | (Verdict::Rejected(one), Verdict::Rejected(other)) => {
            (one.rule, &one.constraint, &one.why) == (other.rule, &other.constraint, &other.why)
        }
        _ => false,
    }
}

/// The refutation that a run gives, checked before anybody sees it.
pub fn checked(phi: &[Constraint], run: &Run) -> Refutation {
    let Some(refutation) = run.refutation() else { broken("every `unsat` has a refutation", format!("{phi:?}")) };
    match check_refutation(phi, &refutation) {
        Ok(()) => refutation,
        Err(error) => broken("every refutation passes its check", format!("{error} in {phi:?}")),
    }
}
