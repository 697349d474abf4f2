//! The answer to `solve`, and the verdicts that `close` shares with it.

use super::derivation::{Derived, checked, derivation};
use super::steps::{StepJson, trace_json};
use super::{Object, ground_json, limit_name, message, name};
use crate::output::{Exit, Json};
use lozenge::certificate::json::refutation;
use lozenge::constraint::Constraint;
use lozenge::decide::witness;
use lozenge::names::Names;
use lozenge::semantics::Ground;
use lozenge::solver::derivation::Trace;
use lozenge::solver::{Failure, Policy, Residual, Run, Solved, Verdict, solve};
use lozenge::term::{Term, Var};
use lozenge::wire;
use serde::Serialize;

/// The answer to `solve`.
#[derive(Serialize)]
pub struct SolveJson {
    #[serde(flatten)]
    verdict: VerdictJson,
    /// The derivation, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<StepJson>>,
    /// The evidence, where it was asked for; null where the verdict claims nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Option<CertificateJson>>,
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
enum CertificateJson {
    Solution(Object),
    Refutation(Json),
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum VerdictJson {
    Solved {
        sigma: Object,
        residual: ResidualJson,
        greatest: Option<Object>,
    },
    Unsat(FailureJson),
    Rejected {
        #[serde(flatten)]
        failure: FailureJson,
        /// A solution all the same, where a short search finds one.
        #[serde(skip_serializing_if = "Option::is_none")]
        witness: Option<Object>,
    },
    Limit {
        which: &'static str,
    },
}

#[derive(Serialize)]
pub struct ResidualJson {
    caps: Vec<CapJson>,
    below: Vec<[String; 2]>,
    deferred: Vec<Json>,
}

#[derive(Serialize)]
pub struct CapJson {
    var: String,
    bound: Json,
}

#[derive(Serialize)]
pub struct FailureJson {
    rule: &'static str,
    constraint: Json,
    message: String,
}

/// Solves, and answers; with the derivation if it was asked for.
///
/// # Errors
/// How many steps a derivation may have, when this one has more.
pub fn solve_json(phi: &[Constraint], names: &Names, policy: Policy, evidence: Evidence) -> Result<SolveJson, u64> {
    let mut fresh = names.clone();
    let first = solve(phi, &mut fresh, policy);
    let refuted = evidence.certificate && matches!(first, Verdict::Unsat(_));
    // With a derivation, its own run is the one that is answered: evidence belongs to the answer it comes with.
    let run = match (evidence.trace || refuted).then(|| derivation(phi, names, policy, &first)) {
        None => Run { verdict: first, trace: Trace::default() },
        Some(Derived { run, cut: None }) => run,
        Some(Derived { cut: Some(most), .. }) => return Err(most),
    };
    let trace = evidence.trace.then(|| trace_json(&run.trace, &fresh));
    let witness = match &run.verdict {
        Verdict::Rejected(_) => witness(phi, names, policy).solution(),
        Verdict::Solved(_) | Verdict::Unsat(_) | Verdict::Limit(_) => None,
    };
    let certificate = evidence.certificate.then(|| match &run.verdict {
        Verdict::Solved(solved) => solved.greatest().map(|g| CertificateJson::Solution(ground_json(&g, &fresh))),
        Verdict::Rejected(_) => witness.as_ref().map(|g| CertificateJson::Solution(ground_json(g, names))),
        Verdict::Unsat(_) => Some(CertificateJson::Refutation(Json(refutation(&checked(phi, &run), &fresh)))),
        Verdict::Limit(_) => None,
    });
    let names = fresh;
    let exit = Exit::of(&run.verdict);
    let verdict = match &run.verdict {
        Verdict::Solved(solved) => solved_json(solved, &names),
        Verdict::Unsat(failure) => VerdictJson::Unsat(failure_json(failure, &names)),
        Verdict::Rejected(failure) => rejected_json(failure, witness.as_ref(), &names),
        Verdict::Limit(limit) => VerdictJson::Limit { which: limit_name(*limit) },
    };
    Ok(SolveJson { verdict, trace, certificate, exit })
}

pub fn rejected_json(failure: &Failure, witness: Option<&Ground>, names: &Names) -> VerdictJson {
    let witness = witness.map(|gamma| ground_json(gamma, names));
    VerdictJson::Rejected { failure: failure_json(failure, names), witness }
}

fn solved_json(solved: &Solved, names: &Names) -> VerdictJson {
    let sigma = solved.sigma().bindings().into_iter();
    let sigma = sigma.map(|(var, to)| (name(var, names), Json(wire::term(&to, names)))).collect();
    let residual = residual_json(&solved.residual(), names);
    let greatest = solved.greatest().map(|gamma| ground_json(&gamma, names));
    VerdictJson::Solved { sigma: Object(sigma), residual, greatest }
}

pub fn residual_json(residual: &Residual, names: &Names) -> ResidualJson {
    let dims = residual.dim_caps.iter().map(|(a, d)| (Var::Dim(*a), Term::Dim(*d)));
    let rows = residual.row_caps.iter().map(|(r, cap)| (Var::Row(*r), Term::Row(cap.clone())));
    let cap = |(var, bound)| CapJson { var: name(var, names), bound: Json(wire::term(&bound, names)) };
    let below = residual.below.iter().map(|(a, b)| [*a, *b].map(|v| name(Var::Dim(v), names)));
    ResidualJson {
        caps: dims.chain(rows).map(cap).collect(),
        below: below.collect(),
        deferred: residual.deferred.iter().map(|phi| Json(wire::constraint(phi, names))).collect(),
    }
}

pub fn failure_json(failure: &Failure, names: &Names) -> FailureJson {
    FailureJson {
        rule: failure.rule.name(),
        constraint: Json(wire::constraint(&failure.constraint, names)),
        message: message(&failure.why, |d| names.show(&d).to_string()),
    }
}
