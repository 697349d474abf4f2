//! Answers.

use super::{Term, Values};
use crate::answer::{ModeJson, ShapeAxis, Slot, SpecTree};
use crate::warnings::WarningJson;
use lozenge::wire::{ConstraintJson, RowJson};
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

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

/// A row variable whose marker was placed by choice.
#[derive(Serialize, JsonSchema)]
struct Placement {
    var: String,
    value: RowJson,
    within: Option<String>,
}

/// How far a search for sizes went: so many choices, with sizes up to this.
#[derive(Serialize, JsonSchema)]
struct Searched {
    choices: u64,
    size: u64,
}

/// Margins of a tensor's axes, `[left, right]` each, of the rows that have one.
#[derive(Serialize, JsonSchema)]
struct Margins {
    batch: Option<Vec<[u128; 2]>>,
    input: Option<Vec<[u128; 2]>>,
    output: Option<Vec<[u128; 2]>>,
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
    Iter {
        iter: String,
    },
    Fix {
        fix: u64,
    },
    External {
        external: String,
    },
    Affine {
        affine: Vec<Factor>,
        offset: i64,
    },
    Concat {
        concat: Vec<String>,
        /// Where each part begins, where one of them has no turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        starts: Option<Vec<u64>>,
    },
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

/// How closed rows are compared: by ⊑, or by ⊑¹ of Remark 2.15.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Order {
    Marked,
    OneShot,
}

/// What an engine says that it can say.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Capabilities {
    ops: Option<Vec<String>>,
    failed: Option<bool>,
    undecided: Option<bool>,
    verdict_only: Option<bool>,
    sigma: Option<bool>,
    residual: Option<bool>,
    greatest: Option<bool>,
    order: Option<Order>,
}

/// An answer of the wire format, version 1. Answers may have further fields.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "only its schema is used")]
enum Answer {
    Solved {
        id: Option<Value>,
        sigma: Values,
        residual: Residual,
        greatest: Option<Values>,
        waiting: Option<Vec<u64>>,
    },
    Unsat {
        id: Option<Value>,
        rule: Option<String>,
        constraint: Option<Failing>,
        claim: Option<u64>,
        equation: Option<String>,
        message: Option<String>,
    },
    Rejected {
        id: Option<Value>,
        rule: Option<String>,
        constraint: Option<Failing>,
        claim: Option<u64>,
        equation: Option<String>,
        message: String,
        witness: Option<Values>,
        searched: Option<Searched>,
    },
    Limit {
        id: Option<Value>,
        which: String,
        message: Option<String>,
    },
    Closed {
        id: Option<Value>,
        values: Values,
        placements: Option<Vec<Placement>>,
    },
    Sat {
        id: Option<Value>,
        values: Values,
    },
    Unknown {
        id: Option<Value>,
        rank_bound: u64,
        which: Option<String>,
        searched: Option<Searched>,
    },
    Holds {
        id: Option<Value>,
    },
    Violated {
        id: Option<Value>,
        which: Vec<u64>,
        claims: Option<Vec<u64>>,
    },
    Inferred {
        id: Option<Value>,
        shapes: BTreeMap<String, Shape>,
        captures: BTreeMap<String, u64>,
        margins: Option<BTreeMap<String, Margins>>,
        warnings: Option<Vec<WarningJson>>,
    },
    /// What is known before closing: rows may have variables.
    Partial {
        id: Option<Value>,
        shapes: BTreeMap<String, Shape>,
    },
    Projected {
        id: Option<Value>,
        operations: Vec<Operation>,
        margins: Option<BTreeMap<String, Margins>>,
        warnings: Option<Vec<WarningJson>>,
    },
    Ran {
        id: Option<Value>,
        values: BTreeMap<String, Array>,
        gradients: Option<BTreeMap<String, Array>>,
        warnings: Option<Vec<WarningJson>>,
    },
    /// A tree: `spec` with `mode`, or `shape`.
    Parsed {
        id: Option<Value>,
        spec: Option<SpecTree>,
        mode: Option<ModeJson>,
        shape: Option<Slot<ShapeAxis>>,
        canonical: String,
    },
    /// A program that cannot be projected or run; or constraints that fail, by an engine that does not say how.
    Failed {
        id: Option<Value>,
        message: Option<String>,
        position: Option<[u64; 2]>,
    },
    /// A question left open, by an engine that says that it may.
    Undecided {
        id: Option<Value>,
    },
    Version {
        id: Option<Value>,
        name: String,
        version: String,
        wire: u32,
        capabilities: Option<Capabilities>,
    },
    /// A request that cannot be read, or a parameter's hole.
    Error {
        id: Option<Value>,
        message: String,
        kind: Option<Kind>,
        at: Option<String>,
        var: Option<String>,
        claims: Option<Vec<u64>>,
    },
}

/// The schema of answers.
pub fn answer() -> Value {
    serde_json::to_value(schema_for!(Answer)).unwrap_or_default()
}
