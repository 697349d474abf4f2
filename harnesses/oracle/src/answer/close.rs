//! The answer to `close`.

use super::solve::{VerdictJson, failure_json, rejected_json};
use super::{Values, Written, ground_json, limit_name, name};
use lozenge::closing::{Assumption, Closing, Hole, Placing};
use lozenge::constraint::Constraint;
use lozenge::decide::witness;
use lozenge::names::Names;
use lozenge::solver::Policy;
use lozenge::term::{Binding, Term, Var};
use serde::Serialize;

/// The answer to `close`.
#[derive(Serialize)]
#[serde(untagged)]
pub enum CloseJson<'a> {
    /// With a solution.
    Closed {
        /// `closed`
        verdict: &'static str,
        /// Ground values of the input's variables.
        values: Values<'a>,
        /// What does not follow.
        assumptions: Vec<AssumptionJson<'a>>,
        /// Markers that were placed by choice.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        placements: Vec<PlacementJson<'a>>,
    },
    /// A parameter's hole.
    Hole {
        /// `error`
        verdict: &'static str,
        /// The rule that would have filled it.
        rule: &'static str,
        /// What to do.
        message: String,
        /// The parameter's variable.
        var: String,
        /// The constraints that mention it.
        uses: Vec<usize>,
    },
    /// As `solve`.
    Ended(VerdictEnd<'a>),
}

/// A verdict that `close` shares with `solve`.
#[derive(Serialize)]
pub struct VerdictEnd<'a>(VerdictJson<'a>);

/// One assumption.
#[derive(Serialize)]
pub struct AssumptionJson<'a> {
    /// The variable.
    pub var: Written<'a, Var>,
    /// Its value; none is 0.
    pub value: Written<'a, Option<Term>>,
    /// The rule that chose it.
    pub rule: &'static str,
    /// The variable of the input that it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Written<'a, Var>>,
}

/// A row variable whose marker was placed by choice.
#[derive(Serialize)]
pub struct PlacementJson<'a> {
    /// The variable.
    pub var: Written<'a, Var>,
    /// Its value.
    pub value: Written<'a, Option<Term>>,
    /// The variable of the input that has it in the middle of its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Written<'a, Var>>,
}

/// Answers `close`.
pub fn close_json<'a>(phi: &[Constraint], end: &Placing, names: &'a Names, policy: Policy) -> CloseJson<'a> {
    match &end.closing {
        Closing::Closed(closed) => CloseJson::Closed {
            verdict: "closed",
            values: ground_json(&closed.values, names),
            assumptions: closed.assumptions.iter().map(|a| assumption_json(a, names)).collect(),
            placements: closed.placements.iter().map(|placed| placement_json(placed, end, names)).collect(),
        },
        Closing::Hole(hole) => hole_json(hole, names),
        Closing::Unsat(failure) => CloseJson::Ended(VerdictEnd(VerdictJson::Unsat(failure_json(failure, names)))),
        Closing::Rejected(failure, _) => {
            let witness = witness(phi, names, policy).solution();
            CloseJson::Ended(VerdictEnd(rejected_json(failure, witness.as_ref(), names)))
        }
        Closing::Limit(limit) => CloseJson::Ended(VerdictEnd(VerdictJson::Limit { which: limit_name(*limit) })),
    }
}

/// A parameter's hole.
pub fn hole_json<'a>(Hole { var, position, uses }: &Hole, names: &Names) -> CloseJson<'a> {
    CloseJson::Hole {
        verdict: "error",
        rule: if position.is_some() { "CL-hole" } else { "CL-bare" },
        message: format!("parameter {}: you forgot to specify this dimension", name(*var, names)),
        var: name(*var, names),
        uses: uses.clone(),
    }
}

fn placement_json<'a>(placed: &Binding, end: &Placing, names: &'a Names) -> PlacementJson<'a> {
    let within = end.within.get(&placed.var()).map(|x| Written(*x, names));
    PlacementJson { var: Written(placed.var(), names), value: Written(Some(placed.to()), names), within }
}

fn assumption_json<'a>(assumption: &Assumption, names: &'a Names) -> AssumptionJson<'a> {
    AssumptionJson {
        var: Written(assumption.binding.var(), names),
        value: Written(Some(assumption.binding.to()), names),
        rule: assumption.rule.name(),
        within: assumption.within.map(|x| Written(x, names)),
    }
}
