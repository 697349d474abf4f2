//! The answer to `solve`, and the verdicts that `close` shares with it.

use super::derivation::{Derived, checked, derivation};
use super::steps::{StepJson, trace_json};
use super::{Entries, Values, Written, ground_json, ground_values, limit_name, message};
use crate::output::{Exit, Json};
use lozenge::certificate::json::refutation;
use lozenge::constraint::Constraint;
use lozenge::decide::witness;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::semantics::Ground;
use lozenge::solver::derivation::Trace;
use lozenge::solver::{Failure, Policy, Residual, Run, Solved, Verdict, solve};
use lozenge::term::{Binding, DimTerm, Flank, RowTerm, Term, Var};
use serde::Serialize;

/// The answer to `solve`.
#[derive(Serialize)]
pub struct SolveJson<'a> {
    #[serde(flatten)]
    verdict: VerdictJson<'a>,
    /// The derivation, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<StepJson>>,
    /// The evidence, where it was asked for; null where the verdict claims nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Option<CertificateJson<'a>>>,
    /// What the verdict comes to.
    #[serde(skip)]
    pub exit: Exit,
}

/// What an answer is to carry besides the verdict.
#[derive(Clone, Copy, Default)]
pub struct Evidence {
    /// The derivation.
    pub trace: bool,
    /// The certificate.
    pub certificate: bool,
}

/// Evidence that can be checked without the solver (spec/certificates.md).
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum CertificateJson<'a> {
    Solution(Values<'a>),
    Refutation(Json),
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum VerdictJson<'a> {
    Solved {
        sigma: Values<'a>,
        residual: ResidualJson<'a>,
        greatest: Option<Values<'a>>,
    },
    Unsat(FailureJson<'a>),
    Rejected {
        #[serde(flatten)]
        failure: FailureJson<'a>,
        /// A solution all the same, where a short search finds one.
        #[serde(skip_serializing_if = "Option::is_none")]
        witness: Option<Values<'a>>,
    },
    Limit {
        which: &'static str,
    },
}

#[derive(Serialize)]
pub struct ResidualJson<'a> {
    caps: Vec<CapJson<'a>>,
    below: Vec<[Written<'a, Var>; 2]>,
    deferred: Vec<Written<'a, Constraint>>,
}

#[derive(Serialize)]
pub struct CapJson<'a> {
    var: Written<'a, Var>,
    bound: Written<'a, Term>,
}

#[derive(Serialize)]
pub struct FailureJson<'a> {
    rule: &'static str,
    constraint: Written<'a, Constraint>,
    message: String,
}

/// Solves, and answers; with the derivation if it was asked for. `fresh` is a copy of the names, for what the run adds.
///
/// # Errors
/// How many steps a derivation may have, when this one has more.
pub fn solve_json<'a>(
    phi: &[Constraint],
    names: &'a Names,
    fresh: &'a mut Names,
    policy: Policy,
    evidence: Evidence,
) -> Result<SolveJson<'a>, u64> {
    let first = solve(phi, fresh, policy);
    let fresh: &'a Names = fresh;
    let refuted = evidence.certificate && matches!(first, Verdict::Unsat(_));
    // With a derivation, its own run is the one that is answered: evidence belongs to the answer it comes with.
    let run = match (evidence.trace || refuted).then(|| derivation(phi, names, policy, &first)) {
        None => Run { verdict: first, trace: Trace::default() },
        Some(Derived { run, cut: None }) => run,
        Some(Derived { cut: Some(most), .. }) => return Err(most),
    };
    let trace = evidence.trace.then(|| trace_json(&run.trace, fresh));
    let witness = match &run.verdict {
        Verdict::Rejected(_) => witness(phi, names, policy).solution(),
        Verdict::Solved(_) | Verdict::Unsat(_) | Verdict::Limit(_) => None,
    };
    let certificate = evidence.certificate.then(|| match &run.verdict {
        Verdict::Solved(solved) => solved.greatest().map(|g| CertificateJson::Solution(ground_json(&g, fresh))),
        Verdict::Rejected(_) => witness.as_ref().map(|g| CertificateJson::Solution(ground_json(g, names))),
        Verdict::Unsat(_) => Some(CertificateJson::Refutation(Json(refutation(&checked(phi, &run), fresh)))),
        Verdict::Limit(_) => None,
    });
    let exit = Exit::of(&run.verdict);
    let verdict = match &run.verdict {
        Verdict::Solved(solved) => solved_json(phi, solved, fresh),
        Verdict::Unsat(failure) => VerdictJson::Unsat(failure_json(failure, fresh)),
        Verdict::Rejected(failure) => rejected_json(failure, witness.as_ref(), fresh),
        Verdict::Limit(limit) => VerdictJson::Limit { which: limit_name(*limit) },
    };
    Ok(SolveJson { verdict, trace, certificate, exit })
}

pub fn rejected_json<'a>(failure: &Failure, witness: Option<&Ground>, names: &'a Names) -> VerdictJson<'a> {
    let witness = witness.map(|gamma| ground_json(gamma, names));
    VerdictJson::Rejected { failure: failure_json(failure, names), witness }
}

fn solved_json<'a>(phi: &[Constraint], solved: &Solved, names: &'a Names) -> VerdictJson<'a> {
    let residual = solved.residual();
    let (sigma, top) = values(phi, solved, names);
    // An equation that no rule decides may say otherwise.
    let greatest =
        if residual.deferred.is_empty() { Some(top) } else { solved.greatest().map(|gamma| ground_values(&gamma)) };
    debug_assert!(sigma.iter().cloned().eq(solved.sigma().bindings().into_iter().map(|(var, to)| (var, Some(to)))));
    debug_assert_eq!(greatest, solved.greatest().map(|gamma| ground_values(&gamma)));
    let greatest = greatest.map(|gamma| Values(gamma, names));
    VerdictJson::Solved { sigma: Values(sigma, names), residual: residual_json(residual, names), greatest }
}

/// σ⋆, and γ↑ of Prop. 5.4 where no equation is deferred: what [`Solved::sigma`] and [`Solved::greatest`] have, oldest
/// variable first, read off in one pass. Names are numbered in the order of age, fresh ones included.
fn values(phi: &[Constraint], solved: &Solved, names: &Names) -> (Entries, Entries) {
    let mut asked = vec![false; names.len()];
    phi.iter().for_each(|phi| phi.each_var(|var| asked[var.id() as usize] = true));
    let (mut sigma, mut greatest) = (Vec::with_capacity(asked.len()), Vec::with_capacity(asked.len()));
    for (var, asked) in names.vars().zip(asked) {
        let (to, is_bound) = match solved.binding(var) {
            Binding::Dim(v, to) => (Term::Dim(to), to != v.into()),
            Binding::Row(v, to) => {
                let is_bound = to.bare() != Some(v);
                (Term::Row(to), is_bound)
            }
        };
        if asked {
            greatest.push((var, Some(at_top(&to))));
        }
        if is_bound {
            sigma.push((var, Some(to)));
        }
    }
    (sigma, greatest)
}

/// A term with its variables at their tops, 1∅ and no axes.
fn at_top(term: &Term) -> Term {
    let dim = |axis: &DimTerm| match axis {
        DimTerm::Var(_) => DimTerm::Dim(Dim::Unit),
        ground @ DimTerm::Dim(_) => *ground,
    };
    let flank = |axes: &[DimTerm]| axes.iter().map(dim).collect::<Flank>();
    match term {
        Term::Dim(t) => Term::Dim(dim(t)),
        Term::Row(t) => Term::Row(RowTerm::new(flank(&t.lead), None, flank(&t.trail))),
    }
}

pub fn residual_json(residual: Residual, names: &Names) -> ResidualJson<'_> {
    let dims = residual.dim_caps.into_iter().map(|(a, d)| (Var::Dim(a), Term::Dim(d)));
    let rows = residual.row_caps.into_iter().map(|(r, cap)| (Var::Row(r), Term::Row(cap)));
    let cap = |(var, bound)| CapJson { var: Written(var, names), bound: Written(bound, names) };
    let below = residual.below.into_iter().map(|(a, b)| [a, b].map(|v| Written(Var::Dim(v), names)));
    ResidualJson {
        caps: dims.chain(rows).map(cap).collect(),
        below: below.collect(),
        deferred: residual.deferred.into_iter().map(|phi| Written(phi, names)).collect(),
    }
}

pub fn failure_json<'a>(failure: &Failure, names: &'a Names) -> FailureJson<'a> {
    FailureJson {
        rule: failure.rule.name(),
        constraint: Written(failure.constraint.clone(), names),
        message: message(&failure.why, |d| names.show(&d).to_string()),
    }
}
