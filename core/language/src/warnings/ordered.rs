//! A warning about markers that the order of statements places, where a broadcast shows it (F29).

use super::stretched::called;
use super::{Warning, WarningCode, nests};
use crate::Inference;
use crate::infer::reversed;
use crate::projection::Projected;
use crate::projection::show::{access, tensor_name};
use crate::shape::Kind;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::projection::record::Slot;

/// Operations that read other elements where the statements are taken up in reverse order, and every shape is the same.
/// Both orders are solutions, with markers in other places (Remark 2.15): neither is more entailed than the other.
pub(super) fn by_order(inferred: &Inference) -> Vec<Warning> {
    if !some_marker_is_placed(inferred) {
        return Vec::new();
    }
    let Some(other) = reversed(inferred).filter(|other| same_shapes(inferred, other)) else { return Vec::new() };
    let (Ok(here), Ok(there)) = (nests(inferred), nests(&other)) else { return Vec::new() };
    here.iter().zip(&there).filter_map(|(here, there)| reads_other(inferred, here, there)).collect()
}

/// Is there an equation of rows that holds up to ≈ alone? Else every marker stands where all that speak of it put it.
fn some_marker_is_placed(inferred: &Inference) -> bool {
    inferred.generated.constraints.iter().any(|phi| match phi {
        Constraint::RowEq(s, t) => inferred.row(s).lead.len() != inferred.row(t).lead.len(),
        _ => false,
    })
}

/// The same axes, wherever the markers are.
fn same_shapes(inferred: &Inference, other: &Inference) -> bool {
    let flat = |of: &Inference| -> Vec<Vec<_>> {
        of.shapes.iter().flat_map(|shape| Kind::ALL.map(|kind| shape.get(kind).flat().collect())).collect()
    };
    flat(inferred) == flat(other)
}

fn reads_other(inferred: &Inference, here: &Projected, there: &Projected) -> Option<Warning> {
    let op = &inferred.generated.operations[here.operation];
    let slots = std::iter::once(Slot::Lhs).chain((0..).map(Slot::Rhs));
    let (slot, tensor) = slots.zip(&here.tensors).find(|(slot, _)| {
        let labels = |of: &Projected| of.record.map(*slot).iter().map(|axis| axis.label.clone()).collect::<Vec<_>>();
        labels(here) != labels(there)
    })?;
    let name = called(inferred, *tensor, "the operand");
    let index = |of: &Projected| access(&of.record, &tensor_name(&inferred.generated, *tensor), slot);
    let message = format!(
        "which elements of {name} this reads rests on the order of the statements: `{}` here, `{}` if they are taken up in reverse",
        index(here),
        index(there)
    );
    let help = format!(
        "declare the shape of {name}, with `...` where a broadcast is to put axes in between; `lozenge infer --markers` shows what decides now"
    );
    Some(Warning::new(WarningCode::OrderOfStatements, op.span, message, help))
}
