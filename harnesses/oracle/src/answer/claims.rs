//! Answers to requests with claims.

use super::close::{AssumptionJson, CloseJson, hole_json};
use super::solve::{FailureJson, ResidualJson, failure_json, residual_json};
use super::{Values, Written, ground_terms, limit_name};
use crate::claims::{Decided, Form};
use lozenge::names::Names;
use lozenge::solver::Limit;
use lozenge::staged::{Assumption, Given, Outcome, Refusal, Searched, SizeClaim, SizeWhy, StageRule, Valuation};
use lozenge::term::{Term, Var, Vars};
use serde::Serialize;

/// The answer to `solve`, `close` and `decide`.
#[derive(Serialize)]
#[serde(untagged)]
pub enum ClaimedJson<'a> {
    /// With a verdict that has claims in it.
    Verdict(VerdictJson<'a>),
    /// As without claims.
    Close(CloseJson<'a>),
    /// A parameter's hole, and the claims that mention it.
    Hole {
        #[serde(flatten)]
        hole: CloseJson<'a>,
        claims: Vec<usize>,
    },
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum VerdictJson<'a> {
    Solved {
        sigma: Values<'a>,
        residual: ResidualJson<'a>,
        greatest: Option<Values<'a>>,
        /// The claims that are not discharged.
        waiting: Vec<usize>,
    },
    Sat {
        values: Values<'a>,
    },
    Unsat(RefusalJson<'a>),
    Rejected {
        #[serde(flatten)]
        refusal: RefusalJson<'a>,
        #[serde(flatten)]
        searched: SearchedJson<'a>,
    },
    Unknown {
        rank_bound: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        which: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        searched: Option<BoundsJson>,
    },
    Limit {
        which: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'static str>,
    },
}

/// Why there is no solution, or none that was found.
#[derive(Serialize)]
#[serde(untagged)]
pub enum RefusalJson<'a> {
    /// A constraint.
    Core(FailureJson<'a>),
    /// A claim: its number, and its size equation with the values that are known.
    Size { rule: &'static str, claim: usize, equation: String, message: String },
    /// Every choice was tried.
    Exhausted { rule: &'static str, message: String },
}

/// A solution all the same, or how far one was looked for.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchedJson<'a> {
    Witness(Values<'a>),
    Searched(BoundsJson),
}

/// How far a search went.
#[derive(Serialize)]
pub struct BoundsJson {
    choices: u64,
    size: u64,
}

/// Values with those that are 0, oldest variable first.
fn values_json<'a>(values: &Valuation, names: &'a Names) -> Values<'a> {
    let ground = ground_terms(&values.ground).into_iter().map(|(v, t)| (v, Some(t)));
    let mut all: Vec<(Var, Option<Term>)> = ground.chain(values.zeros.iter().map(|v| (Var::Dim(*v), None))).collect();
    all.sort_by_key(|(var, _)| *var);
    Values(all, names)
}

fn refusal_json<'a>(refusal: &Refusal, names: &'a Names) -> RefusalJson<'a> {
    match refusal {
        Refusal::Core(failure) => RefusalJson::Core(failure_json(failure, names)),
        Refusal::Size(failure) => RefusalJson::Size {
            rule: failure.rule.name(),
            claim: failure.claim,
            equation: failure.instance.show(names),
            message: names.show(&failure.why).to_string(),
        },
        Refusal::Exhausted(choices) => RefusalJson::Exhausted {
            rule: StageRule::Search.name(),
            message: names.show(&SizeWhy::Exhausted(*choices)).to_string(),
        },
    }
}

fn searched_json<'a>(searched: &Searched, names: &'a Names) -> SearchedJson<'a> {
    match searched {
        Searched::Solution(values) => SearchedJson::Witness(values_json(values, names)),
        Searched::None { choices } => SearchedJson::Searched(BoundsJson { choices: *choices, size: 0 }),
        Searched::Unknown { choices, size, .. } => {
            SearchedJson::Searched(BoundsJson { choices: *choices, size: *size })
        }
    }
}

fn assumption_json<'a>(assumption: &Assumption, names: &'a Names) -> AssumptionJson<'a> {
    let value = match &assumption.given {
        Given::Is(binding) => Some(binding.to()),
        Given::Zero(_) => None,
    };
    AssumptionJson {
        var: Written(assumption.given.var(), names),
        value: Written(value, names),
        rule: assumption.rule.name(),
        within: assumption.within.map(|x| Written(x, names)),
    }
}

/// A limit. Sizes end where their numbers do, and that has the name of a limit that can be raised.
fn limit_json<'a>(limit: Limit) -> VerdictJson<'a> {
    const SIZES: &str = "more axes were written than `elements` allows, or a size went beyond 18446744073709551615 \
                         (2^64 - 1): sizes end there, and no limit raises that";
    VerdictJson::Limit { which: limit_name(limit), message: (limit == Limit::Size).then_some(SIZES) }
}

/// Answers `solve`.
pub fn claimed_solve_json<'a>(end: &Result<Form, Outcome>, claims: &[SizeClaim], names: &'a Names) -> ClaimedJson<'a> {
    match end {
        Ok(form) => ClaimedJson::Verdict(VerdictJson::Solved {
            sigma: Values(form.sigma.clone(), names),
            residual: residual_json(form.residual.clone(), names),
            greatest: form.greatest.as_ref().map(|values| values_json(values, names)),
            waiting: form.waiting.clone(),
        }),
        Err(outcome) => claimed_close_json(outcome, claims, names),
    }
}

/// Answers `close`, and `solve` where that has no solved form.
pub fn claimed_close_json<'a>(outcome: &Outcome, claims: &[SizeClaim], names: &'a Names) -> ClaimedJson<'a> {
    match outcome {
        Outcome::Closed(closed) => ClaimedJson::Close(CloseJson::Closed {
            verdict: "closed",
            values: values_json(&closed.values, names),
            assumptions: closed.assumptions.iter().map(|a| assumption_json(a, names)).collect(),
            placements: Vec::new(),
        }),
        Outcome::Hole(hole) => {
            let mention = |(i, claim): (usize, &SizeClaim)| claim.vars().contains(&hole.var).then_some(i);
            let claims = claims.iter().enumerate().filter_map(mention).collect();
            ClaimedJson::Hole { hole: hole_json(hole, names), claims }
        }
        Outcome::Unsat(refusal) => ClaimedJson::Verdict(VerdictJson::Unsat(refusal_json(refusal, names))),
        Outcome::Rejected(refusal, _, searched) => ClaimedJson::Verdict(VerdictJson::Rejected {
            refusal: refusal_json(refusal, names),
            searched: searched_json(searched, names),
        }),
        Outcome::Limit(limit) => ClaimedJson::Verdict(limit_json(*limit)),
        // Only a run that is stopped early ends like this.
        Outcome::Open(_) => ClaimedJson::Verdict(VerdictJson::Unknown { rank_bound: 0, which: None, searched: None }),
    }
}

/// Answers `decide`.
pub fn claimed_decide_json<'a>(decided: &Decided, rank_bound: usize, names: &'a Names) -> ClaimedJson<'a> {
    ClaimedJson::Verdict(match decided {
        Decided::Sat(values) => VerdictJson::Sat { values: values_json(values, names) },
        Decided::Unsat(refusal) => VerdictJson::Unsat(refusal_json(refusal, names)),
        Decided::Unknown { choices, size, limit } => {
            let searched = Some(BoundsJson { choices: *choices, size: *size });
            VerdictJson::Unknown { rank_bound, which: limit.map(limit_name), searched }
        }
        Decided::Limit(limit) => VerdictJson::Unknown { rank_bound, which: Some(limit_name(*limit)), searched: None },
    })
}
