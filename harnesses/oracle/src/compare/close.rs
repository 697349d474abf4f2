//! Answers to `close` and `decide`.

use super::read::Asked;
use super::solve::{blamed, compare_rejected, compare_unsat, wrong_values};
use super::{Difference, Kind, Outcome, Question, Rows, no_request, no_verdict, verdict};
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
    let Some(asked) = Asked::of(question.request) else { return no_request() };
    let expected = question.expected;
    match verdict(got) {
        "closed" => {
            if question.capabilities.verdict_only {
                return compare_verdict(question, "closed");
            }
            let gamma = match asked.values(&got["values"]) {
                Ok(gamma) => gamma,
                Err(what) => return Difference::differ(Kind::Malformed, "6.1", format!("/values{what}")),
            };
            if let Some(phi) = asked.violated(&gamma) {
                return wrong_values(&asked, &gamma, phi, "values:");
            }
            match (verdict(expected), asked.values(&expected["values"]).ok()) {
                ("closed", Some(should)) if same_values(&gamma, &should, question.freedom.rows) => Outcome::Agree,
                ("closed", Some(should)) => {
                    let [is, should] = [&gamma, &should].map(|gamma| asked.names.show(gamma).to_string());
                    Difference::differ(Kind::OtherValues, "6.1", format!("closed with {is}, it should be {should}"))
                }
                ("error", _) => Difference::differ(
                    Kind::WrongBlame,
                    "6.1",
                    format!("closed, but parameter {} has a hole", expected["var"]),
                ),
                // Another placement, or another order of commitments, finds a solution where ours does not.
                _ => Outcome::Agree,
            }
        }
        "error" if verdict(expected) == "error" => match (&got["var"], &expected["var"]) {
            (is, should) if is == should || question.freedom.rows == Rows::AnySolution => Outcome::Agree,
            (is, should) => Difference::differ(
                Kind::WrongBlame,
                "6.1",
                format!("the hole is said to be in {is}, it is in {should}"),
            ),
        },
        "error" if question.freedom.rows == Rows::AnySolution => Outcome::Agree,
        "error" => Difference::differ(Kind::WrongBlame, "6.1", "an error, but no parameter has a hole"),
        "unsat" => compare_unsat(question, &asked, got),
        // A commitment of closing is policy as well as a placement.
        "rejected" if verdict(expected) == "closed" && question.freedom.rows == Rows::Exact => {
            Difference::differ(Kind::RefusesSolvable, "6.1", "rejected, but closing finds a solution")
        }
        "rejected" if verdict(expected) == "error" && question.freedom.rows == Rows::Exact => Difference::differ(
            Kind::WrongBlame,
            "6.1",
            format!("rejected, but parameter {} has a hole", expected["var"]),
        ),
        "rejected" => compare_rejected(question, &asked, got),
        _ => no_verdict(got),
    }
}

/// Compares two answers to `decide`.
pub fn compare_decide(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = Asked::of(question.request) else { return no_request() };
    let expected = verdict(question.expected);
    match verdict(got) {
        "sat" => {
            if question.capabilities.verdict_only {
                return compare_verdict(question, "sat");
            }
            let gamma = match asked.values(&got["values"]) {
                Ok(gamma) => gamma,
                Err(what) => return Difference::differ(Kind::Malformed, "6.7", format!("/values{what}")),
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
        _ => no_verdict(got),
    }
}

/// An answer that is a verdict and no more: a solution is claimed where there may be one.
fn compare_verdict(question: &Question<'_>, claimed: &str) -> Outcome {
    match verdict(question.expected) {
        "unsat" => {
            let what = format!("{claimed}, but there is no solution");
            Difference::differ(Kind::AcceptsUnsolvable, blamed(question.expected).unwrap_or("5.6"), what)
        }
        _ => Outcome::Agree,
    }
}

/// `failed` is said by engines that do not tell the ways to fail apart: it is right where one of them is.
pub fn compare_failed(question: &Question<'_>, got: &Value) -> Outcome {
    let should = verdict(question.expected);
    if question.request["op"] == "infer" || question.request["op"] == "decide" {
        return match should {
            "unsat" | "rejected" | "error" => Outcome::Agree,
            "unknown" => Outcome::Unsupported,
            _ if question.freedom.rejected => Outcome::Agree,
            _ => Difference::differ(Kind::RefusesSolvable, "6.1", format!("failed, the verdict should be {should}")),
        };
    }
    if should == "error" {
        return Outcome::Agree;
    }
    let Some(asked) = Asked::of(question.request) else { return no_request() };
    match (compare_unsat(question, &asked, got), compare_rejected(question, &asked, got)) {
        (Outcome::Agree, _) | (_, Outcome::Agree) => Outcome::Agree,
        (wrong, _) => wrong,
    }
}
