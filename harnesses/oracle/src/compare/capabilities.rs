//! What an engine says that it can say, in its answer to `version`. All of it is optional.

use super::close::compare_failed;
use super::{Difference, Outcome, Question, verdict};
use lozenge::constraint::Constraint;
use lozenge::rigid::TwoSorted;
use lozenge::semantics::{Ground, holds};
use serde::Deserialize;
use serde_json::Value;

/// How closed rows are compared (Remark 2.15).
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By Def. 2.3: ⊑.
    Marked,
    /// By content at one go: ⊑¹.
    OneShot,
}

impl Order {
    /// γ ⊨ φ in this reading.
    pub fn holds(self, gamma: &Ground, phi: &Constraint) -> bool {
        match (self, phi) {
            (Order::OneShot, Constraint::RowLe(s, t)) => {
                let [s, t] = [s, t].map(|row| TwoSorted::from(gamma.row(row)));
                s.le_one_shot(&t)
            }
            _ => holds(gamma, phi),
        }
    }
}

fn yes() -> bool {
    true
}

/// What an engine answers. Without a word it answers everything.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// The operations that it answers; all if absent.
    #[serde(default)]
    pub ops: Option<Vec<String>>,
    /// It does not tell `unsat` from `rejected`, and says `failed`.
    #[serde(default)]
    pub failed: bool,
    /// It may leave a question open, and says `undecided`.
    #[serde(default)]
    pub undecided: bool,
    /// It answers with a verdict and nothing else.
    #[serde(default)]
    pub verdict_only: bool,
    /// Its answers have `sigma`.
    #[serde(default = "yes")]
    pub sigma: bool,
    /// They have `residual`.
    #[serde(default = "yes")]
    pub residual: bool,
    /// They have `greatest`.
    #[serde(default = "yes")]
    pub greatest: bool,
    /// Which order it has; one of the two, and no matter which, if absent.
    #[serde(default)]
    pub order: Option<Order>,
}

/// An engine that says nothing of itself.
pub const ALL: Capabilities = Capabilities {
    ops: None,
    failed: false,
    undecided: false,
    verdict_only: false,
    sigma: true,
    residual: true,
    greatest: true,
    order: None,
};

impl Capabilities {
    /// Read from an answer to `version`.
    ///
    /// # Errors
    /// What in it is not in the format.
    pub fn of_answer(line: &str) -> Result<Self, String> {
        let Ok(answer) = serde_json::from_str::<Value>(line) else { return Ok(ALL) };
        match answer.get("capabilities") {
            None => Ok(ALL),
            Some(said) => Capabilities::deserialize(said).map_err(|error| format!("/capabilities: {error}")),
        }
    }

    /// Is this operation answered?
    pub fn answers(&self, op: &str) -> bool {
        self.ops.as_ref().is_none_or(|ops| ops.iter().any(|known| known == op))
    }

    /// `undecided` and `failed`, for engines that say them.
    pub fn compare_neutral(&self, question: &Question<'_>, got: &Value) -> Option<Outcome> {
        let op = question.request["op"].as_str().unwrap_or_default();
        let solves = matches!(op, "solve" | "close" | "decide" | "infer");
        let undeclared = |word: &str| {
            Some(Difference::malformed(format!("/verdict: `{word}` is for engines whose capabilities have it")))
        };
        match verdict(got) {
            "undecided" if solves && self.undecided => Some(Outcome::Unsupported),
            "undecided" => undeclared("undecided"),
            "failed" if solves && self.failed => Some(compare_failed(question, got)),
            "failed" if solves => undeclared("failed"),
            _ => None,
        }
    }
}
