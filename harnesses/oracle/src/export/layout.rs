//! Which axes of an array belong to which row of a tensor: what the languages do not have.
//!
//! Where the marker of a row is, what is a unit and which basis an axis has are told; sizes are not, but for those of
//! leaves, which every language is given.

use super::graph::{Id, Step};
use super::names::{Names, needed};
use super::translate::Translated;
use crate::output::Json;
use lozenge::dim::Dim;
use lozenge::interp::dims;
use lozenge::program::Inference;
use lozenge::program::generate::TensorId;
use lozenge::program::shape::Kind;
use lozenge::projection::record::STORAGE;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// null for a size with the basis `default`, `"unit"`, or the basis.
fn axis(dim: &Dim, inferred: &Inference) -> Value {
    let shown = inferred.names.show(dim).to_string();
    match (shown.as_str(), shown.split_once(':')) {
        ("1∅", _) => "unit".into(),
        (_, Some((_, basis))) => json!({ "basis": basis }),
        _ => Value::Null,
    }
}

/// A tensor's rows, each with what is before its marker and what is behind it.
fn rows(inferred: &Inference, id: TensorId) -> Value {
    let flank = |dims: &[Dim]| dims.iter().map(|dim| axis(dim, inferred)).collect::<Vec<_>>();
    let row = |kind: Kind| {
        let row = inferred.shapes[id].get(kind);
        (kind.name().to_owned(), json!({ "lead": flank(&row.lead), "trail": flank(&row.trail) }))
    };
    Kind::ALL.into_iter().map(row).collect::<Map<_, _>>().into()
}

/// Each named tensor with its identifier and rows; a leaf with its sizes.
pub fn tensors(inferred: &Inference, made: &Translated, names: &Names) -> Json {
    let tensor = |(name, id): &(Arc<str>, TensorId)| {
        let value = made.values[*id].map(|node| names.node(node));
        let output = names.tensors.get(id);
        let mut told = json!({ "value": value, "output": output, "rows": rows(inferred, *id) });
        let argument = argument(made, names, *id);
        if argument.is_some() || made.values[*id].is_none() {
            let role = inferred.generated.tensors[*id].role.name();
            let (dims, begins) = (dims(inferred, *id), made.initial.contains_key(id));
            told["leaf"] = json!({ "argument": argument, "role": role, "dims": dims, "begins": begins });
        }
        (name.to_string(), told)
    };
    Json(inferred.generated.bindings.iter().map(tensor).collect::<Map<_, _>>().into())
}

/// The identifier of a leaf.
fn argument<'n>(made: &Translated, names: &'n Names, id: TensorId) -> Option<&'n str> {
    let node = made.graph.nodes.iter().position(|node| node.step == Step::Leaf(id))?;
    Some(names.node(node))
}

/// The argument of each index from outside, and the size of the shortest axis that it is read at.
pub fn indices(made: &Translated, names: &Names) -> Json {
    let index = |(name, node): (&String, &Id)| {
        let nodes = &made.graph.nodes;
        let read = nodes.iter().filter_map(|reader| match (&reader.step, reader.args.as_slice()) {
            (Step::PickAt { axis }, [of, at]) if at == node => nodes[*of].dims.get(*axis),
            _ => None,
        });
        (name.clone(), json!({ "argument": names.node(*node), "below": read.min() }))
    };
    Json(made.indices.iter().map(index).collect::<Map<_, _>>().into())
}

/// How many cells all arrays have together.
pub fn cells(inferred: &Inference, made: &Translated) -> u64 {
    let count = |id: Id| made.graph.dims(id).iter().fold(1_u64, |n, size| n.saturating_mul(*size));
    needed(inferred, made).into_iter().map(count).fold(0, u64::saturating_add)
}

/// `1|2|0`: how many axes of a tensor are batch, output and input.
pub fn counts(inferred: &Inference, id: TensorId) -> String {
    let count = |kind: &Kind| inferred.shapes[id].get(*kind).rank().to_string();
    STORAGE.iter().map(count).collect::<Vec<_>>().join("|")
}
