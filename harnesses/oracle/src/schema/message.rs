//! Requests and answers as types, for their JSON Schema. Requests are read by hand (`oracle/request.rs`), so that an
//! error names its place; tests hold these types to what is read and written.
#![allow(dead_code)]

use lozenge::program::Program;
use lozenge::wire::{ConstraintJson, DimJson, RowJson};
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A term of either sort.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Term {
    Row(RowJson),
    Dim(DimJson),
}

type Values = BTreeMap<String, Term>;

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
        policy: Option<Policy>,
        limits: Option<LimitsField>,
        trace: Option<bool>,
        certificate: Option<bool>,
    },
    /// Which ground solution does closing choose?
    Close {
        id: Option<Value>,
        constraints: Vec<ConstraintJson>,
        leaves: Option<Vec<String>>,
        params: Option<Vec<String>>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
    },
    /// Is there a solution at all?
    Decide {
        id: Option<Value>,
        constraints: Vec<ConstraintJson>,
        rank_bound: Option<u64>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
    },
    /// Do these values solve these constraints?
    Check { id: Option<Value>, constraints: Vec<ConstraintJson>, values: Values },
    /// Which shapes does this program have?
    Infer {
        id: Option<Value>,
        program: AnyProgram,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
        trace: Option<bool>,
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
        scalar: Option<Scalar>,
        policy: Option<Policy>,
        limits: Option<LimitsField>,
    },
    /// Who answers?
    Version { id: Option<Value> },
}

/// A bound on a variable.
#[derive(Serialize, JsonSchema)]
struct Cap {
    var: String,
    bound: Term,
}

/// What is left open.
#[derive(Serialize, JsonSchema)]
struct Residual {
    caps: Vec<Cap>,
    below: Vec<[String; 2]>,
    deferred: Vec<ConstraintJson>,
}

#[derive(Serialize, JsonSchema)]
struct Shape {
    batch: RowJson,
    input: RowJson,
    output: RowJson,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Parse,
    Sort,
    Limit,
    Unsupported,
    Internal,
}

/// The constraint that a run failed on, as JSON; in words where the request was a program.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Failing {
    Constraint(ConstraintJson),
    Words(String),
}

/// How an axis is indexed.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Label {
    Iter { iter: String },
    Fix { fix: u64 },
    External { external: String },
    Affine { affine: Vec<Factor>, offset: i64 },
    Concat { concat: Vec<String> },
}

/// An iterator and what it is multiplied by.
#[derive(Serialize, JsonSchema)]
struct Factor {
    iter: String,
    times: u64,
}

/// The loops of one operation.
#[derive(Serialize, JsonSchema)]
struct Operation {
    product: BTreeMap<String, u64>,
    order: Vec<String>,
    maps: BTreeMap<String, Vec<Label>>,
    tensors: BTreeMap<String, String>,
    reductions: Vec<String>,
    injective: bool,
    surjective: bool,
    needs_init: bool,
    reads_back: bool,
}

/// The value of a tensor, row-major.
#[derive(Serialize, JsonSchema)]
struct Array {
    dims: Vec<u64>,
    data: Vec<Value>,
}

/// An answer of the wire format, version 1. Answers may have further fields.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum Answer {
    Solved {
        id: Option<Value>,
        sigma: Values,
        residual: Residual,
        greatest: Option<Values>,
    },
    Unsat {
        id: Option<Value>,
        rule: Option<String>,
        constraint: Option<Failing>,
        message: Option<String>,
    },
    Rejected {
        id: Option<Value>,
        rule: Option<String>,
        constraint: Option<Failing>,
        message: String,
        witness: Option<Values>,
    },
    Limit {
        id: Option<Value>,
        which: String,
    },
    Closed {
        id: Option<Value>,
        values: Values,
    },
    Sat {
        id: Option<Value>,
        values: Values,
    },
    Unknown {
        id: Option<Value>,
        rank_bound: u64,
        which: Option<String>,
    },
    Holds {
        id: Option<Value>,
    },
    Violated {
        id: Option<Value>,
        which: Vec<u64>,
    },
    Inferred {
        id: Option<Value>,
        shapes: BTreeMap<String, Shape>,
        captures: BTreeMap<String, u64>,
    },
    Projected {
        id: Option<Value>,
        operations: Vec<Operation>,
    },
    Ran {
        id: Option<Value>,
        values: BTreeMap<String, Array>,
        gradients: Option<BTreeMap<String, Array>>,
    },
    Failed {
        id: Option<Value>,
        message: String,
        position: Option<[u64; 2]>,
    },
    Version {
        id: Option<Value>,
        name: String,
        version: String,
        wire: u32,
    },
    /// A request that cannot be read, or a parameter's hole.
    Error {
        id: Option<Value>,
        message: String,
        kind: Option<Kind>,
        at: Option<String>,
        var: Option<String>,
    },
}

/// The schema of requests.
pub fn request() -> Value {
    let mut schema = serde_json::to_value(schema_for!(Request)).unwrap_or_default();
    let whole = schema["oneOf"].as_array_mut().into_iter().flatten();
    whole.for_each(without_nulls);
    for part in ["Policy", "Limits"] {
        without_nulls(&mut schema["$defs"][part]);
    }
    schema
}

/// A field that may be left out is left out, and not null.
fn without_nulls(object: &mut Value) {
    for field in object["properties"].as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        if let Some(types) = field.get_mut("type").and_then(Value::as_array_mut) {
            types.retain(|name| name != "null");
        }
        if let Some(choices) = field.get_mut("anyOf").and_then(Value::as_array_mut) {
            choices.retain(|choice| choice["type"] != "null");
        }
    }
}

/// The schema of answers.
pub fn answer() -> Value {
    serde_json::to_value(schema_for!(Answer)).unwrap_or_default()
}
