//! The answer to `infer`.

use super::{Object, limit_name};
use crate::margins::{self, MarginsJson};
use crate::output::Json;
use crate::told::Told;
use crate::warnings::WarningJson;
use lozenge::program::shape::Kind;
use lozenge::program::{Assumed, Code, Equation, InferError, Inference, Partial, Span, Witness};
use lozenge::wire;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer to `infer`.
#[derive(Serialize)]
pub struct InferJson {
    verdict: &'static str,
    shapes: Object,
    captures: Object,
    assumptions: Vec<AssumedJson>,
    /// What padded axes are read beyond their ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    margins: Option<MarginsJson>,
    /// What was accepted and perhaps not meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningJson>,
    /// Where markers come from, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markers: Option<Object>,
}

/// One assumption about a program.
#[derive(Serialize)]
struct AssumedJson {
    rule: &'static str,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    text: String,
}

/// Answers `infer`.
pub fn infer_json(inferred: &Inference, warnings: Vec<WarningJson>) -> InferJson {
    let names = &inferred.names;
    let generated = &inferred.generated;
    let shape = |id: usize| {
        let shape = inferred.shapes.get(id)?;
        Some(shape_json(|kind| wire::row(shape.get(kind), names)))
    };
    let shapes = generated.bindings.iter().filter_map(|(name, id)| Some((name.to_string(), shape(*id)?)));
    let assumption = |a: &Assumed| AssumedJson {
        rule: a.rule.name(),
        value: a.value.clone(),
        tensor: a.tensor.and_then(|t| generated.tensors.get(t)?.name.as_deref().map(str::to_owned)),
        kind: a.kind.map(Kind::name),
        text: a.text.clone(),
    };
    InferJson {
        verdict: "inferred",
        shapes: Object(shapes.collect()),
        captures: Object(inferred.sizes.iter().map(|s| (s.name.clone(), Json(s.size.into()))).collect()),
        assumptions: inferred.assumptions().iter().map(assumption).collect(),
        margins: margins::json(inferred),
        warnings,
        markers: None,
    }
}

/// What is known before closing: shapes whose rows may have variables.
#[derive(Serialize)]
pub struct PartialJson {
    verdict: &'static str,
    shapes: Object,
}

/// Answers `infer --partial`.
pub fn partial_json(partial: &Partial) -> PartialJson {
    let shape = |id: usize| {
        let shape = partial.shapes.get(id)?;
        Some(shape_json(|kind| wire::row_term(shape.get(kind), &partial.names)))
    };
    let named = partial.generated.bindings.iter();
    let shapes = named.filter_map(|(name, id)| Some((name.to_string(), shape(*id)?)));
    PartialJson { verdict: "partial", shapes: Object(shapes.collect()) }
}

fn shape_json(row: impl Fn(Kind) -> serde_json::Value) -> Json {
    Json(serde_json::json!({ "batch": row(Kind::Batch), "input": row(Kind::Input), "output": row(Kind::Output) }))
}

/// Why a program has no shapes.
#[derive(Serialize)]
pub struct InferErrorJson {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    which: Option<&'static str>,
    message: String,
    /// Line and column in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[usize; 2]>,
    /// The size equations that it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    equations: Vec<EquationJson>,
    /// The commitments that it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<String>,
    /// Shapes that fit, by name, for what is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<BTreeMap<String, String>>,
    /// Do they fit when they are declared?
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<bool>,
    /// How far one was looked for in vain.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<SearchedJson>,
    /// The whole explanation, for people.
    text: String,
    /// The number of the kind, for `lozenge explain`.
    code: &'static str,
    /// The same for machines: every place, and what to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostic: Option<Json>,
}

impl InferErrorJson {
    /// With all there is to say.
    pub fn with(self, told: &Told) -> Self {
        InferErrorJson { diagnostic: serde_json::to_value(told.json()).ok().map(Json), ..self }
    }
}

/// A size equation: what is written, and what it says.
#[derive(Serialize)]
struct EquationJson {
    axis: String,
    equation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[usize; 2]>,
}

#[derive(Serialize)]
struct SearchedJson {
    choices: u64,
    size: u64,
}

fn position(span: Span, text: &str) -> Option<[usize; 2]> {
    let (line, column) = span.position(text);
    span.is_known().then_some([line, column])
}

/// Answers `infer` for a program whose shapes do not fit.
pub fn infer_error_json(error: &InferError, text: &str) -> InferErrorJson {
    let (verdict, rule, constraint, which) = match error {
        InferError::Clash(clash) => {
            let verdict = if clash.certain { "unsat" } else { "rejected" };
            (verdict, Some(clash.rule.name()), Some(clash.constraint.clone()), None)
        }
        InferError::Hole(_) => ("error", Some("CL-hole"), None, None),
        InferError::Index(index) => {
            let verdict = if index.certain { "unsat" } else { "rejected" };
            (verdict, Some("index"), None, None)
        }
        InferError::Size(size) => {
            let verdict = if size.certain { "unsat" } else { "rejected" };
            (verdict, Some(size.rule.name()), Some(size.equation.clone()), None)
        }
        InferError::Limit(limit) => ("limit", None, None, Some(limit_name(*limit))),
        InferError::Program(_) => ("error", None, None, None),
    };
    let behind = error.behind();
    let equation = |Equation { axis, text: equation, span }: &Equation| EquationJson {
        axis: axis.clone(),
        equation: equation.clone(),
        position: position(*span, text),
    };
    let (fits, declared, searched) = match behind.and_then(|behind| behind.witness.as_ref()) {
        None => (None, None, None),
        Some(Witness::Shapes { shapes, declared }) => (Some(shapes.iter().cloned().collect()), Some(*declared), None),
        Some(Witness::NotFound { choices, size }) => {
            (None, None, Some(SearchedJson { choices: *choices, size: *size }))
        }
    };
    InferErrorJson {
        verdict,
        rule,
        constraint,
        which,
        message: error.headline(text),
        position: position(error.span(), text),
        equations: behind.map_or(Vec::new(), |behind| behind.equations.iter().map(equation).collect()),
        assumed: behind.map_or(Vec::new(), |behind| behind.assumed.iter().map(|a| a.text.clone()).collect()),
        fits,
        declared,
        searched,
        text: error.render(text),
        code: Code::from(error).text(),
        diagnostic: None,
    }
}
