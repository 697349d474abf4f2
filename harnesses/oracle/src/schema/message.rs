//! Requests and answers as types, for their JSON Schema. Requests are read by hand (`oracle/request.rs`), so that an
//! error names its place; tests hold these types to what is read and written.
#![allow(dead_code)]

mod answer;
mod request;

use lozenge::wire::{DimJson, RowJson};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

pub use answer::answer;
pub use request::request;

/// A term of either sort.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Term {
    Row(RowJson),
    Dim(DimJson),
}

/// A value: a term, or 0 for a part of a concatenation that is discarded.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Value")]
enum Given {
    Term(Term),
    Zero(#[schemars(range(max = 0))] u64),
}

type Values = BTreeMap<String, Given>;
