//! Answers in the wire format (spec/protocol.md), for the oracle and for `--json`.
//!
//! Here is what they share; each operation's answer has its own file.

mod claims;
mod close;
mod decide;
mod derivation;
mod infer;
mod parse;
mod solve;
mod steps;
mod written;

pub use claims::{claimed_close_json, claimed_decide_json, claimed_solve_json};
pub use close::close_json;
pub use decide::{CheckJson, decide_json};
pub use derivation::{Derived, checked, derivation};
pub use infer::{InferErrorJson, infer_error_json, infer_json, partial_json};
pub use parse::{ModeJson, ShapeAxis, Slot, SpecTree, shape_json, spec_json};
pub use solve::{Evidence, solve_json};
use written::{Entries, Values, Written};

use crate::output::Json;
use lozenge::names::Names;
use lozenge::rules::Why;
use lozenge::semantics::Ground;
use lozenge::solver::Limit;
use lozenge::term::{DimTerm, Term, Var};
use lozenge::wire;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Entries in the order given.
pub struct Object(pub Vec<(String, Json)>);

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The name of a variable without brackets.
pub fn name(var: Var, names: &Names) -> String {
    names.show(&var).to_string().trim_matches(['⟨', '⟩']).to_owned()
}

/// The name of a limit in a request.
pub fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Fuel | Limit::Rank | Limit::Derivation => limit.name(),
        Limit::Size => "elements",
    }
}

/// Values, oldest variable first.
pub fn ground_terms(gamma: &Ground) -> Vec<(Var, Term)> {
    let dims = gamma.dims.iter().map(|(v, d)| (Var::Dim(*v), Term::Dim(DimTerm::Dim(*d))));
    let rows = gamma.rows.iter().map(|(v, r)| (Var::Row(*v), Term::Row(r.into())));
    let mut all: Vec<(Var, Term)> = dims.chain(rows).collect();
    all.sort_by_key(|(var, _)| *var);
    all
}

fn ground_values(gamma: &Ground) -> Entries {
    ground_terms(gamma).into_iter().map(|(v, t)| (v, Some(t))).collect()
}

fn ground_json<'a>(gamma: &Ground, names: &'a Names) -> Values<'a> {
    Values(ground_values(gamma), names)
}

/// Values by the names of their variables.
pub fn ground_value(gamma: &Ground, names: &Names) -> Value {
    let values = ground_terms(gamma).into_iter();
    values.map(|(v, t)| (name(v, names), wire::term(&t, names))).collect::<Map<_, _>>().into()
}

/// What a failure comes to, in words.
pub fn message(why: &Why, show: impl Fn(lozenge::dim::Dim) -> String) -> String {
    let axes = |n: usize| format!("{n} {}", if n == 1 { "axis" } else { "axes" });
    match why {
        Why::Differ(d, e) => format!("{} and {} are different dimensions", show(*d), show(*e)),
        Why::NotBelow(d, e) => format!("{} is not below {}", show(*d), show(*e)),
        Why::Ranks(a, b) => format!("the left side has {}, the right side {b}", axes(*a)),
        Why::Overflow { open, closed } => {
            format!("the open side has {} or more, the closed side {closed}", axes(*open))
        }
        Why::Occurs(more) => format!("the row would equal itself with {} more", axes(*more)),
        Why::Short { lead, trail: 0 } => format!("the result lacks {} in front", axes(*lead)),
        Why::Short { lead: 0, trail } => format!("the result lacks {} at the back", axes(*trail)),
        Why::Short { lead, trail } => format!("the result lacks {} in front and {trail} at the back", axes(*lead)),
        Why::Cycle { weight } => {
            format!("a cycle of lengths would need {} more than it has", axes(usize::try_from(*weight).unwrap_or(0)))
        }
    }
}
