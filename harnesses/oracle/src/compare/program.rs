//! Answers to `project` and `run`.

use super::{Difference, Kind, Outcome, Question, verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Numbers may differ by this part of themselves: sums can be taken in any order.
const TOLERANCE: f64 = 1e-6;

/// Compares two answers to `project`: loops have any names.
pub fn compare_project(question: &Question<'_>, got: &Value) -> Outcome {
    let expected = question.expected;
    if verdict(got) != verdict(expected) {
        let (is, should) = (verdict(got), verdict(expected));
        return Difference::differ(Kind::WrongVerdict, "7.1", format!("the verdict is {is}, it should be {should}"));
    }
    let operations = |answer: &Value| answer["operations"].as_array().cloned().unwrap_or_default();
    let (is, should) = (operations(got), operations(expected));
    if is.len() != should.len() {
        return Difference::differ(
            Kind::WrongLoops,
            "7.1",
            format!("{} operations, there should be {}", is.len(), should.len()),
        );
    }
    for (number, (a, b)) in is.iter().zip(&should).enumerate() {
        let (a, b) = (renamed(a), renamed(b));
        for (field, definition) in FIELDS {
            if a[field] != b[field] {
                let what = format!("operation {number}: {field} is {}, it should be {}", a[field], b[field]);
                return Difference::differ(Kind::WrongLoops, definition, what);
            }
        }
    }
    Outcome::Agree
}

/// What is compared of an operation, and the definition of it.
const FIELDS: [(&str, &str); 6] = [
    ("maps", "7.3"),
    ("product", "7.4"),
    ("reductions", "7.6"),
    ("injective", "7.6"),
    ("surjective", "7.6"),
    ("needs_init", "7.8"),
];

/// An operation with its loops named in the order in which the maps mention them.
fn renamed(operation: &Value) -> Value {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let maps = rename(&operation["maps"], &mut names);
    let name = |old: &str| names.get(old).cloned().unwrap_or_else(|| "unused".to_owned());
    let sizes = operation["product"].as_object().into_iter().flatten();
    let product: Map<String, Value> = sizes.map(|(old, size)| (name(old), size.clone())).collect();
    let listed = operation["reductions"].as_array().into_iter().flatten();
    let mut reductions: Vec<String> = listed.filter_map(Value::as_str).map(name).collect();
    reductions.sort();
    let [injective, surjective, needs_init] = ["injective", "surjective", "needs_init"].map(|f| &operation[f]);
    json!({"maps": maps, "product": product, "reductions": reductions, "injective": injective,
        "surjective": surjective, "needs_init": needs_init})
}

fn rename(json: &Value, names: &mut BTreeMap<String, String>) -> Value {
    match json {
        Value::String(old) => {
            let next = format!("loop{}", names.len());
            names.entry(old.clone()).or_insert(next).clone().into()
        }
        Value::Object(fields) => {
            // Where parts begin follows from the sizes of the loops, but where one has no turn: not every engine says it.
            let compared = fields.iter().filter(|(key, _)| *key != "starts");
            let fields = compared.map(|(key, value)| match key.as_str() {
                // No loop: an index from outside.
                "external" => (key.clone(), value.clone()),
                _ => (key.clone(), rename(value, names)),
            });
            fields.collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| rename(item, names)).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

/// Compares two answers to `run`: numbers up to rounding.
pub fn compare_run(question: &Question<'_>, got: &Value) -> Outcome {
    let expected = question.expected;
    if verdict(got) != verdict(expected) {
        let (is, should) = (verdict(got), verdict(expected));
        return Difference::differ(Kind::WrongVerdict, "7.8", format!("the verdict is {is}, it should be {should}"));
    }
    for field in ["values", "gradients"] {
        let tensors = expected[field].as_object().into_iter().flatten();
        for (name, should) in tensors {
            let is = &got[field][name];
            if is["dims"] != should["dims"] {
                let (is, should) = (&is["dims"], &should["dims"]);
                return Difference::differ(
                    Kind::WrongShape,
                    "7.8",
                    format!("{field}: {name} has the sizes {is}, they should be {should}"),
                );
            }
            if !close(&is["data"], &should["data"]) {
                return Difference::differ(
                    Kind::WrongNumbers,
                    "7.8",
                    format!("{field}: the elements of {name} are others"),
                );
            }
        }
    }
    Outcome::Agree
}

fn close(is: &Value, should: &Value) -> bool {
    match (is, should) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
        _ => match (is.as_f64(), should.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * (1.0 + b.abs()),
            _ => is == should,
        },
    }
}
