//! Margins of padded axes (8.1), in answers.

use crate::output::Output;
use crate::solve::heading;
use lozenge::program::shape::Kind;
use lozenge::program::{Inference, margins};
use lozenge::projection::show::tensor_name;
use lozenge::staged::Margin;
use lozenge::text::left;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
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

/// The rows of a tensor that have margins, `[left, right]` for each axis.
type Kinds = BTreeMap<&'static str, Vec<[u128; 2]>>;

/// Tensor → kind → margins, in the program's order. Numbers beyond 64 bits are written out.
pub struct MarginsJson(Vec<(String, Kinds)>);

impl Serialize for MarginsJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(tensor, kinds)| (tensor, kinds)))
    }
}

/// The margins in an answer; none where nothing is padded.
pub fn json(inferred: &Inference) -> Option<MarginsJson> {
    let mut tensors: Vec<(String, Kinds)> = Vec::new();
    for Padded { tensor, kind, axes } in rows(inferred) {
        if tensors.last().is_none_or(|(last, _)| *last != tensor) {
            tensors.push((tensor, Kinds::new()));
        }
        if let Some((_, kinds)) = tensors.last_mut() {
            kinds.insert(kind.name(), axes.iter().map(|(_, margin)| [margin.left, margin.right]).collect());
        }
    }
    (!tensors.is_empty()).then_some(MarginsJson(tensors))
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
