//! The answer to `parse`: a specification or a shape as a tree.

use lozenge::program::ast::Convolution;
use lozenge::program::einsum::{Affine, Axis, Factor, Spec, SpecRow, SpecSlot};
use lozenge::program::shape::{Declared, DeclaredAxis, DeclaredRow, RowName};
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to `parse`: `spec` and `mode`, or `shape`.
#[derive(Serialize)]
pub struct ParsedJson {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<ModeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<SpecTree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Slot<ShapeAxis>>,
    canonical: String,
}

/// How the text of a specification was read: labels of one letter, or longer ones with commas between axes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LexicalMode")]
pub enum ModeJson {
    /// One letter a label.
    Single,
    /// Names, with commas between axes.
    Multi,
}

/// A specification as a tree.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Specification")]
pub struct SpecTree {
    operands: Vec<Slot<SpecAxis>>,
    result: Slot<SpecAxis>,
}

/// Three rows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Slot_of_{A}")]
pub struct Slot<A> {
    batch: TreeRow<A>,
    input: TreeRow<A>,
    output: TreeRow<A>,
}

/// Axes around a row variable; without one all axes are trailing. In a specification `...` has the name of its kind;
/// in a shape it is the variable `...`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Row_of_{A}")]
struct TreeRow<A> {
    lead: Vec<A>,
    #[serde(skip_serializing_if = "Option::is_none")]
    var: Option<String>,
    trail: Vec<A>,
}

/// An axis of a specification.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpecAxis {
    /// A label.
    Label(String),
    /// A fixed index.
    Fix(u64),
    /// `_`
    Anonymous,
    /// `a^b`
    Concat(Vec<String>),
    /// A strided or convolved axis.
    Affine(AffineJson),
}

/// `s*o+c`, `s*o=+c+e*k`, `s*o<+c+e*k`. What is not written is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AffineAxis")]
pub struct AffineJson {
    mode: AffineMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    stride: Option<FactorJson>,
    over: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dilation: Option<FactorJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
}

/// The modes of 8.4.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AffineMode {
    /// Without a kernel.
    Strided,
    /// `=`
    Padded,
    /// `<`
    Valid,
    /// A kernel without either: the program says which.
    Unspecified,
}

/// A stride or dilation: a number, or the name of a size.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "FactorOfAxis")]
enum FactorJson {
    Number(u64),
    Name(String),
}

/// An axis of a shape: `3`, `{"n":3,"basis":"rgb"}`, `{"var":"n"}`, `"unit"` or, for `?`, `"any"`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ShapeAxis {
    Size(u64),
    Based { n: u64, basis: String },
    Named { var: String },
    Word(ShapeWord),
}

/// The axes of a shape that are words.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShapeWord {
    /// 1∅
    Unit,
    /// `?`
    Any,
}

/// Answers `parse` for a specification.
pub fn spec_json(spec: &Spec, multi: bool) -> ParsedJson {
    let slot = |slot: &SpecSlot| Slot {
        batch: spec_row(&slot.batch),
        input: spec_row(&slot.input),
        output: spec_row(&slot.output),
    };
    let tree = SpecTree { operands: spec.operands.iter().map(slot).collect(), result: slot(&spec.result) };
    let mode = Some(if multi { ModeJson::Multi } else { ModeJson::Single });
    ParsedJson { verdict: "parsed", mode, spec: Some(tree), shape: None, canonical: spec.to_string() }
}

/// Answers `parse` for a shape.
pub fn shape_json(shape: &Declared) -> ParsedJson {
    let rows = &shape.rows;
    let tree = Slot { batch: shape_row(&rows.batch), input: shape_row(&rows.input), output: shape_row(&rows.output) };
    ParsedJson { verdict: "parsed", mode: None, spec: None, shape: Some(tree), canonical: shape.to_string() }
}

fn spec_row(row: &SpecRow) -> TreeRow<SpecAxis> {
    let axes = |axes: &[Axis]| axes.iter().map(spec_axis).collect();
    TreeRow { lead: axes(&row.lead), var: row.var.clone(), trail: axes(&row.trail) }
}

fn spec_axis(axis: &Axis) -> SpecAxis {
    match axis {
        Axis::Label(label) => SpecAxis::Label(label.clone()),
        Axis::Fixed(index) => SpecAxis::Fix(*index),
        Axis::Anonymous => SpecAxis::Anonymous,
        Axis::Concat(labels) => SpecAxis::Concat(labels.clone()),
        Axis::Affine(affine) => SpecAxis::Affine(affine_json(affine)),
    }
}

fn affine_json(Affine { stride, over, offset, kernel }: &Affine) -> AffineJson {
    let factor = |factor: &Factor| match factor {
        Factor::Number(n) => FactorJson::Number(*n),
        Factor::Name(name) => FactorJson::Name(name.clone()),
    };
    AffineJson {
        mode: match kernel {
            None => AffineMode::Strided,
            Some(kernel) => match kernel.mode {
                None => AffineMode::Unspecified,
                Some(Convolution::Padded) => AffineMode::Padded,
                Some(Convolution::Valid) => AffineMode::Valid,
            },
        },
        stride: stride.as_ref().map(factor),
        over: over.clone(),
        offset: *offset,
        dilation: kernel.as_ref().and_then(|kernel| kernel.dilation.as_ref()).map(factor),
        kernel: kernel.as_ref().map(|kernel| kernel.label.clone()),
    }
}

fn shape_row(row: &DeclaredRow) -> TreeRow<ShapeAxis> {
    let axes = |axes: &[DeclaredAxis]| axes.iter().map(shape_axis).collect();
    let var = row.var.as_ref().map(|var| match var {
        RowName::Any => "...".to_owned(),
        RowName::Named(name) => name.clone(),
    });
    TreeRow { lead: axes(&row.lead), var, trail: axes(&row.trail) }
}

fn shape_axis(axis: &DeclaredAxis) -> ShapeAxis {
    match axis {
        DeclaredAxis::Size(n, None) => ShapeAxis::Size(*n),
        DeclaredAxis::Size(n, Some(basis)) => ShapeAxis::Based { n: *n, basis: basis.clone() },
        DeclaredAxis::Unit => ShapeAxis::Word(ShapeWord::Unit),
        DeclaredAxis::Unknown => ShapeAxis::Word(ShapeWord::Any),
        DeclaredAxis::Named(name) => ShapeAxis::Named { var: name.clone() },
    }
}
