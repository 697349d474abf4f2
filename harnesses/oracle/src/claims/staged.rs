//! The operations with claims; closing is `lozenge::staged::solve` itself.

use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::semantics::holds;
use lozenge::solver::{Limit, Policy, Residual};
use lozenge::staged::{
    Outcome, Refusal, SearchBounds, Searched, SizeClaim, SizeTerm, Stage, StagedRun, StagedSystem, Valuation,
    concluded, search,
};
use lozenge::term::{DimTerm, RowTerm, Term, Var, Vars};
use std::collections::BTreeSet;

/// What propagation alone makes of a system.
#[derive(Default)]
pub struct Form {
    /// σ on what is bound, oldest variable first; none for a variable that is 0.
    pub sigma: Vec<(Var, Option<Term>)>,
    /// The residual store.
    pub residual: Residual,
    /// All tops, where that is a solution.
    pub greatest: Option<Valuation>,
    /// The claims that are not discharged.
    pub waiting: Vec<usize>,
}

/// The variables of constraints and claims.
fn variables(system: &StagedSystem<'_>) -> BTreeSet<Var> {
    system.phi.vars().into_iter().chain(system.claims.iter().flat_map(Vars::vars)).collect()
}

/// Stages 1 and 2, which commit nothing.
///
/// # Errors
/// How it ended otherwise.
pub fn solved(system: &StagedSystem<'_>, names: &mut Names, policy: Policy) -> Result<Form, Outcome> {
    let mut run = StagedRun::new(system, names, policy);
    let end = run.add(system.phi, system.claims.iter().cloned().enumerate()).and_then(|()| run.stages(Stage::Two));
    let mut form = if end.is_ok() { form(&mut run) } else { Form::default() };
    let mut tops = if end.is_ok() { tops(system, &run.configuration().bindings) } else { Valuation::default() };
    let zeros = match run.outcome(end) {
        Outcome::Closed(closed) => closed.values.zeros,
        Outcome::Open(open) => {
            form.waiting = open.waiting;
            open.zeros
        }
        other => return Err(concluded(other, system, names, policy)),
    };
    form.sigma.retain(|(var, _)| !matches!(var, Var::Dim(v) if zeros.contains(v)));
    form.sigma.extend(zeros.iter().map(|v| (Var::Dim(*v), None)));
    form.sigma.sort_by_key(|(var, _)| *var);
    tops.ground.dims.retain(|v, _| !zeros.contains(v));
    tops.zeros = zeros;
    form.greatest = tops.solves(system.phi, system.claims).then_some(tops);
    Ok(form)
}

/// σ and the residual store, as the core has them now.
fn form(run: &mut StagedRun<'_>) -> Form {
    let configuration = run.configuration();
    let (bindings, bounds) = (&mut configuration.bindings, &configuration.bounds);
    let bound: Vec<Var> = bindings.bound().collect();
    let sigma = bound.into_iter().map(|v| (v, Some(bindings.value(v).to()))).collect();
    let mut row_caps = Vec::new();
    for (cap, on) in bounds.caps() {
        let cap = bindings.row_value(&cap);
        // ⟨ρ⟩ ⊑ ⟨ρ⟩ says nothing.
        row_caps.extend((cap != RowTerm::from(on)).then_some((on, cap)));
    }
    let residual = Residual {
        dim_caps: bounds.lowers().map(|(v, atom)| (v, DimTerm::Dim(Dim::Atom(atom)))).collect(),
        below: bounds.adjacencies().map(|(below, above, _)| (below, above)).collect(),
        row_caps,
        deferred: bounds.deferred().map(|(equation, _)| bindings.instantiate(equation).phi).collect(),
    };
    Form { sigma, residual, ..Form::default() }
}

/// Every variable at its top.
fn tops(system: &StagedSystem<'_>, bindings: &lozenge::solver::bindings::Bindings) -> Valuation {
    let mut values = Valuation::default();
    for var in variables(system) {
        match var {
            Var::Dim(v) => drop(values.ground.dims.insert(v, bindings.dim_at_top(v.into()))),
            Var::Row(v) => drop(values.ground.rows.insert(v, bindings.row_at_top(&v.into()))),
        }
    }
    values
}

/// Is there a solution?
pub enum Decided {
    /// This one.
    Sat(Box<Valuation>),
    /// None.
    Unsat(Refusal),
    /// None was found: so many choices were tried, with sizes up to this, and this limit was reached.
    Unknown { choices: u64, size: u64, limit: Option<Limit> },
    /// The limit that was reached.
    Limit(Limit),
}

/// Propagation first, for a refutation that says why; then a search.
pub fn decided(system: &StagedSystem<'_>, names: &mut Names, policy: Policy, rank: usize) -> Decided {
    let mut run = StagedRun::new(system, names, policy);
    let end = run.add(system.phi, system.claims.iter().cloned().enumerate()).and_then(|()| run.stages(Stage::Two));
    match run.outcome(end) {
        Outcome::Unsat(refusal) => return Decided::Unsat(refusal),
        Outcome::Closed(closed) => return Decided::Sat(Box::new(closed.values)),
        Outcome::Limit(limit) => return Decided::Limit(limit),
        Outcome::Open(_) | Outcome::Hole(_) | Outcome::Rejected(..) => {}
    }
    // The question's own limits bound the search that it asks for.
    let (bounds, limits) = (SearchBounds::default(), policy.limits);
    let bounds = SearchBounds { rank, longest: limits.rank, fuel: bounds.fuel.min(limits.fuel), ..bounds };
    match search(system, names, policy, bounds) {
        Searched::Solution(values) => Decided::Sat(values),
        Searched::None { choices } => Decided::Unsat(Refusal::Exhausted(choices)),
        Searched::Unknown { choices, size, limit } => Decided::Unknown { choices, size, limit },
    }
}

/// The constraints and the claims that do not hold, by number. What is 0 is no dimension: only as part of a
/// concatenation does it mean anything, and to another that is 0 it is equal.
pub fn violated(phi: &[Constraint], claims: &[SizeClaim], values: &Valuation) -> (Vec<usize>, Vec<usize>) {
    let zero = |vars: BTreeSet<Var>| vars.iter().any(|v| matches!(v, Var::Dim(d) if values.zeros.contains(d)));
    let constraint = |phi: &Constraint| match zero(phi.vars()) {
        true => values.equates_zeros(phi),
        false => holds(&values.ground, phi),
    };
    let claim = |claim: &SizeClaim| {
        let elsewhere = match claim {
            SizeClaim::Size(d, SizeTerm::Concat(_)) => d.vars(),
            other => other.vars(),
        };
        !zero(elsewhere) && values.holds(claim)
    };
    let wrong = |(i, holds): (usize, bool)| (!holds).then_some(i);
    (
        phi.iter().map(constraint).enumerate().filter_map(wrong).collect(),
        claims.iter().map(claim).enumerate().filter_map(wrong).collect(),
    )
}
