//! Answers to `infer`.

use super::{Difference, Kind, Outcome, Question, Rows, verdict};
use serde_json::Value;

/// Compares two answers to `infer`.
pub fn compare(question: &Question<'_>, got: &Value) -> Outcome {
    let expected = question.expected;
    match (verdict(got), verdict(expected)) {
        ("inferred", "inferred") if question.capabilities.verdict_only => Outcome::Agree,
        ("inferred", "inferred") => compare_shapes(question, got),
        (is, should) if is == should => Outcome::Agree,
        // Which of the two it is depends on the order of steps, where markers are placed.
        ("unsat", "rejected") | ("rejected", "unsat") if question.freedom.rejected => Outcome::Agree,
        (_, _) if question.freedom.rows == Rows::AnySolution && question.freedom.rejected => Outcome::Agree,
        (is, should) => {
            Difference::differ(Kind::WrongVerdict, "6.1", format!("the verdict is {is}, it should be {should}"))
        }
    }
}

/// The axes of a row in order, without its marker.
fn flat(row: &Value) -> Vec<&Value> {
    ["lead", "trail"].iter().flat_map(|flank| row[*flank].as_array().into_iter().flatten()).collect()
}

fn compare_shapes(question: &Question<'_>, got: &Value) -> Outcome {
    let empty = serde_json::Map::new();
    let shapes = |answer: &'_ Value| answer["shapes"].as_object().cloned().unwrap_or_else(|| empty.clone());
    let (is, should) = (shapes(got), shapes(question.expected));
    if let Some(name) = should.keys().find(|name| !is.contains_key(*name)) {
        return Difference::differ(Kind::WrongShape, "6.1", format!("/shapes/{name}: the tensor has no shape"));
    }
    if let Some(name) = is.keys().find(|name| !should.contains_key(*name)) {
        return Difference::differ(Kind::WrongShape, "6.1", format!("/shapes/{name}: there is no such tensor"));
    }
    for (name, shape) in &should {
        for kind in ["batch", "input", "output"] {
            let (a, b) = (&is[name][kind], &shape[kind]);
            let same = match question.freedom.rows {
                Rows::Exact => a["lead"] == b["lead"] && a["trail"] == b["trail"],
                Rows::UpToContent => a["lead"].is_array() && a["trail"].is_array() && flat(a) == flat(b),
                Rows::AnySolution => a["lead"].is_array() && a["trail"].is_array(),
            };
            if !same {
                let what = format!("the {kind} row of {name} is {a}, it should be {b}");
                return Difference::differ(Kind::WrongShape, "6.1", what);
            }
        }
    }
    if question.freedom.rows != Rows::AnySolution && got["captures"] != question.expected["captures"] {
        let (a, b) = (&got["captures"], &question.expected["captures"]);
        return Difference::differ(Kind::WrongShape, "6.1", format!("the captures are {a}, they should be {b}"));
    }
    Outcome::Agree
}
