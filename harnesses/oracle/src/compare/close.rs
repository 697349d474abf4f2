//! Answers to `close` and `decide`.

use super::read::Asked;
use super::solve::{compare_rejected, compare_unsat, wrong_values};
use super::{Difference, Outcome, Question, Rows, verdict};
use lozenge::semantics::Ground;
use serde_json::Value;

/// Are these the values expected, as far as the freedom goes?
fn same_values(is: &Ground, should: &Ground, rows: Rows) -> bool {
    match rows {
        Rows::Exact => is == should,
        Rows::UpToContent => {
            let same = |(v, row): (&lozenge::term::RowVar, &lozenge::row::Row)| {
                should.rows.get(v).is_some_and(|other| row.flat_eq(other))
            };
            is.dims == should.dims && is.rows.iter().all(same)
        }
        Rows::AnySolution => true,
    }
}

/// Compares two answers to `close`.
pub fn compare(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = Asked::of(question.request) else { return Difference::differ("protocol", "no request") };
    let expected = question.expected;
    match verdict(got) {
        "closed" => {
            let Some(gamma) = asked.values(&got["values"]) else {
                return Difference::differ("6.1", "values has no ground value for every variable");
            };
            if let Some(phi) = asked.violated(&gamma) {
                return wrong_values(&asked, &gamma, phi, "values:");
            }
            match (verdict(expected), asked.values(&expected["values"])) {
                ("closed", Some(should)) if same_values(&gamma, &should, question.freedom.rows) => Outcome::Agree,
                ("closed", Some(should)) => {
                    let [is, should] = [&gamma, &should].map(|gamma| asked.names.show(gamma).to_string());
                    Difference::differ("6.1", format!("closed with {is}, it should be {should}"))
                }
                ("error", _) => {
                    Difference::differ("6.1", format!("closed, but parameter {} has a hole", expected["var"]))
                }
                // Another placement, or another order of commitments, finds a solution where ours does not.
                _ => Outcome::Agree,
            }
        }
        "error" if verdict(expected) == "error" => match (&got["var"], &expected["var"]) {
            (is, should) if is == should || question.freedom.rows == Rows::AnySolution => Outcome::Agree,
            (is, should) => Difference::differ("6.1", format!("the hole is said to be in {is}, it is in {should}")),
        },
        "error" if question.freedom.rows == Rows::AnySolution => Outcome::Agree,
        "error" => Difference::differ("6.1", "an error, but no parameter has a hole"),
        "unsat" => compare_unsat(question, &asked, got),
        // A commitment of closing is policy as well as a placement.
        "rejected" if verdict(expected) == "closed" && question.freedom.rows == Rows::Exact => {
            Difference::differ("6.1", "rejected, but closing finds a solution")
        }
        "rejected" if verdict(expected) == "error" && question.freedom.rows == Rows::Exact => {
            Difference::differ("6.1", format!("rejected, but parameter {} has a hole", expected["var"]))
        }
        "rejected" => compare_rejected(question, &asked, got),
        other => Difference::differ("protocol", format!("`{other}` is no verdict of this operation")),
    }
}

/// Compares two answers to `decide`.
pub fn compare_decide(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = Asked::of(question.request) else { return Difference::differ("protocol", "no request") };
    let expected = verdict(question.expected);
    match verdict(got) {
        "sat" => {
            let Some(gamma) = asked.values(&got["values"]) else {
                return Difference::differ("6.7", "values has no ground value for every variable");
            };
            match asked.violated(&gamma) {
                Some(phi) => wrong_values(&asked, &gamma, phi, "values:"),
                None => Outcome::Agree,
            }
        }
        "unsat" => compare_unsat(question, &asked, got),
        // Leaving the question open is no mistake.
        "unknown" if expected != "unknown" => Outcome::Unsupported,
        "unknown" => Outcome::Agree,
        other => Difference::differ("protocol", format!("`{other}` is no verdict of this operation")),
    }
}
