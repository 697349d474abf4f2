//! The answers to `decide` and `check`.

use super::{Values, ground_json, limit_name};
use lozenge::decide::{Decided, Decision, Unlooked};
use lozenge::names::Names;
use serde::Serialize;

/// The answer to `decide`.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum DecideJson<'a> {
    /// Satisfiable.
    Sat {
        /// By these values.
        values: Values<'a>,
    },
    /// Unsatisfiable.
    Unsat,
    /// Not found up to a bound, or up to a limit.
    Unknown {
        /// The bound.
        rank_bound: usize,
        /// The limit that was reached before everything up to the bound was looked at.
        #[serde(skip_serializing_if = "Option::is_none")]
        which: Option<&'static str>,
    },
}

/// Answers `decide`.
pub fn decide_json<'a>(decided: &Decided, names: &'a Names) -> DecideJson<'a> {
    match &decided.decision {
        Decision::Sat(gamma) => DecideJson::Sat { values: ground_json(gamma, names) },
        Decision::Unsat => DecideJson::Unsat,
        Decision::Unknown { rank_bound, because } => {
            let which = match because {
                Unlooked::Rank => None,
                Unlooked::Limit(limit) => Some(limit_name(*limit)),
            };
            DecideJson::Unknown { rank_bound: *rank_bound, which }
        }
    }
}

/// The answer to `check`.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum CheckJson {
    /// Every constraint holds.
    Holds,
    /// These do not, by number from 0.
    Violated {
        /// The numbers.
        which: Vec<usize>,
        /// Those of claims, where the request has claims.
        #[serde(skip_serializing_if = "Option::is_none")]
        claims: Option<Vec<usize>>,
    },
}
