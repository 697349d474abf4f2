//! Margins of padded axes (8.1), in answers.

use crate::answer::Object;
use crate::output::{Json, Output};
use crate::solve::heading;
use lozenge::program::shape::Kind;
use lozenge::program::{Inference, margins};
use lozenge::projection::show::tensor_name;
use lozenge::staged::Margin;
use lozenge::text::left;
use serde_json::{Map, Value};
use std::io;

/// A row of a tensor: the size of each axis, and its margin.
struct Padded {
    tensor: String,
    kind: Kind,
    axes: Vec<(u64, Margin)>,
}

/// The rows of tensors that have margins.
fn rows(inferred: &Inference) -> Vec<Padded> {
    let mut found = Vec::new();
    for (tensor, rows) in margins(inferred) {
        for kind in Kind::ALL {
            let row = rows.get(kind);
            if row.iter().any(|margin| *margin != Margin::default()) {
                let sizes = inferred.shapes[tensor].get(kind).flat().map(|dim| dim.elements());
                let axes = sizes.zip(row.iter().copied()).collect();
                found.push(Padded { tensor: tensor_name(&inferred.generated, tensor), kind, axes });
            }
        }
    }
    found
}

/// Tensor → kind → `[left, right]` for each axis; none where nothing is padded.
pub fn json(inferred: &Inference) -> Option<Object> {
    let mut tensors: Vec<(String, Map<String, Value>)> = Vec::new();
    for Padded { tensor, kind, axes } in rows(inferred) {
        if tensors.last().is_none_or(|(last, _)| *last != tensor) {
            tensors.push((tensor, Map::new()));
        }
        if let Some((_, kinds)) = tensors.last_mut() {
            let pairs: Vec<[u64; 2]> = axes.iter().map(|(_, margin)| [margin.left, margin.right]).collect();
            kinds.insert(kind.name().to_owned(), serde_json::json!(pairs));
        }
    }
    let object = Object(tensors.into_iter().map(|(name, kinds)| (name, Json(kinds.into()))).collect());
    (!object.0.is_empty()).then_some(object)
}

/// A line for each row that is read beyond its ends.
pub fn print(inferred: &Inference, out: &mut Output) -> io::Result<()> {
    let rows = rows(inferred);
    if rows.is_empty() {
        return Ok(());
    }
    heading("margins of padded axes, left + size + right", out)?;
    let widest = rows.iter().map(|row| row.tensor.chars().count()).max().unwrap_or(0);
    for Padded { tensor, kind, axes } in rows {
        let axis = |(size, margin): &(u64, Margin)| match *margin {
            Margin { left: 0, right: 0 } => size.to_string(),
            Margin { left, right } => format!("{left} + {size} + {right}"),
        };
        let axes: Vec<String> = axes.iter().map(axis).collect();
        out.line(&format!("  {}  {:<6}  {}", left(&tensor, widest), kind.name(), axes.join(", ")))?;
    }
    Ok(())
}
