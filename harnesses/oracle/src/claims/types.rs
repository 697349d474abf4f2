//! Claims as types, for their JSON Schema. They are read by hand (`read.rs`).
#![allow(dead_code)]

use lozenge::wire::{DimJson, RowJson};
use schemars::JsonSchema;
use serde::Serialize;
use std::num::NonZeroU64;

/// A size claim (spec/8-staged.md).
#[derive(Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[schemars(rename = "Claim")]
pub enum ClaimJson {
    /// A size that is strided or convolved.
    Affine { size: DimJson, affine: AffineJson },
    /// A size that is a sum.
    Concat {
        size: DimJson,
        #[schemars(length(min = 1))]
        concat: Vec<DimJson>,
    },
    /// A product of sizes.
    Total { total: TotalJson },
    /// Rows with these axes, one after the other.
    Exact { exact: ExactJson },
    /// At least so many elements.
    AtLeast { at_least: DimJson, count: u64 },
}

/// A number, or the size of a variable.
#[derive(Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[schemars(rename = "ClaimFactor")]
pub enum FactorJson {
    Known(NonZeroU64),
    Late {
        #[schemars(pattern(r"^\p{Alphabetic}[\p{Alphabetic}\p{N}_'′]*$"))]
        var: String,
    },
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StridedMode {
    Strided,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KernelMode {
    Padded,
    Valid,
}

/// Strided, or with a kernel.
#[derive(Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[schemars(rename = "ClaimAffine")]
pub enum AffineJson {
    Strided {
        mode: StridedMode,
        stride: Option<FactorJson>,
        over: DimJson,
        offset: Option<u64>,
    },
    Convolved {
        mode: KernelMode,
        stride: Option<FactorJson>,
        over: DimJson,
        offset: Option<u64>,
        kernel: DimJson,
        dilation: Option<FactorJson>,
    },
}

/// The elements of rows: a number, or coeff · var / denom.
#[derive(Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[schemars(rename = "ClaimTotal")]
pub enum TotalJson {
    Count { rows: Vec<RowJson>, count: NonZeroU64, divided_by: Option<Vec<String>>, keep: Option<u64> },
    Scaled { rows: Vec<RowJson>, scaled: ScaledJson, divided_by: Option<Vec<String>>, keep: Option<u64> },
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClaimScaled")]
pub struct ScaledJson {
    coeff: Option<FactorJson>,
    var: String,
    denom: Option<NonZeroU64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClaimExact")]
pub struct ExactJson {
    rows: Vec<RowJson>,
    axes: Vec<DimJson>,
    keep: Option<u64>,
}
