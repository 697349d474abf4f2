//! Requests.

use super::Values;
use crate::claims::ClaimJson;
use lozenge::program::Program;
use lozenge::wire::ConstraintJson;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Guard {
    Signed,
    Paper,
    None,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Strategy {
    Fifo,
    Lifo,
    Random,
    Rounds,
}

/// The choices of a run.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Policy {
    #[serde(skip_serializing_if = "Option::is_none")]
    guard: Option<Guard>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<Strategy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// Where a run stops.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limits")]
struct LimitsField {
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<u64>,
}

/// A program as text, or in its JSON form.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum AnyProgram {
    Text(String),
    Json(Program),
}

/// A number, or text: `"1/3"`, `"inf"`; outside of lists also `"range"` and `"range:START:STEP"`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Cell {
    Number(f64),
    Text(String),
}

/// Cells, or lists of such.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Nested {
    Cell(Cell),
    List(Vec<Nested>),
}

/// A tensor's elements, row-major.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Elements {
    dims: Vec<u64>,
    data: Vec<Cell>,
}

/// Data for a tensor.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Data {
    Nested(Nested),
    Elements(Elements),
}

/// The kinds of number.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Scalar {
    F64,
    I64,
    Rational,
    Tropical,
}

/// A request of the wire format, version 1. `id` is any JSON value and comes back as it was written.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    /// What does the solver make of these constraints?
    Solve {
        id: Option<Value>,
        constraints: Vec<ConstraintJson>,
        claims: Option<Vec<ClaimJson>>,
        discardable: Option<Vec<String>>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
        trace: Option<bool>,
        certificate: Option<bool>,
    },
    /// Which ground solution does closing choose?
    Close {
        id: Option<Value>,
        constraints: Vec<ConstraintJson>,
        claims: Option<Vec<ClaimJson>>,
        discardable: Option<Vec<String>>,
        leaves: Option<Vec<String>>,
        params: Option<Vec<String>>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
    },
    /// Is there a solution at all?
    Decide {
        id: Option<Value>,
        constraints: Vec<ConstraintJson>,
        claims: Option<Vec<ClaimJson>>,
        discardable: Option<Vec<String>>,
        rank_bound: Option<u64>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
    },
    /// Do these values solve these constraints?
    Check {
        id: Option<Value>,
        constraints: Vec<ConstraintJson>,
        claims: Option<Vec<ClaimJson>>,
        discardable: Option<Vec<String>>,
        values: Values,
    },
    /// Which shapes does this program have?
    Infer {
        id: Option<Value>,
        program: AnyProgram,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
        trace: Option<bool>,
        partial: Option<bool>,
    },
    /// Which loops and index maps?
    Project { id: Option<Value>, program: AnyProgram, policy: Option<Policy>, limits: Option<LimitsField> },
    /// Which numbers does it compute?
    Run {
        id: Option<Value>,
        program: AnyProgram,
        data: Option<BTreeMap<String, Data>>,
        indices: Option<BTreeMap<String, u64>>,
        fill: Option<Cell>,
        grad: Option<String>,
        wrt: Option<Vec<String>>,
        scalar: Option<Scalar>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
    },
    /// What is this specification, or this shape, as a tree? One of the two.
    Parse { id: Option<Value>, spec: Option<String>, shape: Option<String> },
    /// Who answers?
    Version { id: Option<Value> },
}

/// The schema of requests.
pub fn request() -> Value {
    let mut schema = serde_json::to_value(schema_for!(Request)).unwrap_or_default();
    let whole = schema["oneOf"].as_array_mut().into_iter().flatten();
    whole.for_each(without_nulls);
    for part in ["Policy", "Limits", "ClaimAffine", "ClaimTotal", "ClaimScaled", "ClaimExact"] {
        let Some(part) = schema["$defs"].get_mut(part) else { continue };
        without_nulls(part);
        part.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten().for_each(without_nulls);
    }
    schema
}

/// A field that may be left out is left out, and not null.
fn without_nulls(object: &mut Value) {
    let fields = object.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()) {
        if let Some(types) = field.get_mut("type").and_then(Value::as_array_mut) {
            types.retain(|name| name != "null");
        }
        if let Some(choices) = field.get_mut("anyOf").and_then(Value::as_array_mut) {
            choices.retain(|choice| choice["type"] != "null");
        }
    }
}
