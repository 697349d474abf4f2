//! Margins (Prop. 8.1): how far padded convolutions read beyond the ends of each axis.

use crate::Inference;
use crate::ast::Convolution;
use crate::einsum::{Affine, Axis, Factor, SpecRow};
use crate::generate::{Operation, TensorId};
use crate::shape::{ByKind, Kind};
use lozenge_staged::Margin;
use std::collections::BTreeMap;

/// The margins of every axis of a tensor, front to back.
pub type Margins = ByKind<Vec<Margin>>;

/// The margins of the tensors that have one, the maximum over all operations that address them. The result of an
/// operation has one too, where it is written through a padded axis.
#[must_use]
pub fn margins(inferred: &Inference) -> BTreeMap<TensorId, Margins> {
    let mut all: BTreeMap<TensorId, Margins> = BTreeMap::new();
    for op in inferred.generated.operations.iter().filter(|op| op.template.is_sized()) {
        let Some(written) = &op.spec else { continue };
        let tensors = op.operands.iter().copied().chain([op.result]);
        for (slot, tensor) in written.spec.slots().zip(tensors) {
            for kind in Kind::ALL {
                of_row(inferred, op, slot.row(kind), (tensor, kind), &mut all);
            }
        }
    }
    all
}

/// Joins what one row of a slot asks for.
fn of_row(
    inferred: &Inference,
    op: &Operation,
    row: &SpecRow,
    (tensor, kind): (TensorId, Kind),
    all: &mut BTreeMap<TensorId, Margins>,
) {
    let Some(shape) = inferred.shapes.get(tensor) else { return };
    let rank = shape.get(kind).rank();
    // Leading axes are counted from the front and trailing ones from the back, whatever the row variable stands for.
    let lead = row.lead.iter().enumerate();
    let trail = row.trail.iter().enumerate().map(|(i, axis)| (rank + i - row.trail.len().min(rank), axis));
    for (position, axis) in lead.chain(trail) {
        let margin = of_axis(inferred, op, axis).filter(|margin| *margin != Margin::default());
        let Some(margin) = margin else { continue };
        let empty = || ByKind::of(|kind| vec![Margin::default(); shape.get(kind).rank()]);
        let rows = all.entry(tensor).or_insert_with(empty);
        let row = match kind {
            Kind::Batch => &mut rows.batch,
            Kind::Input => &mut rows.input,
            Kind::Output => &mut rows.output,
        };
        if let Some(known) = row.get_mut(position) {
            *known = Margin::max(*known, margin);
        }
    }
}

/// The margin of one axis of a slot; none where it is not padded.
fn of_axis(inferred: &Inference, op: &Operation, axis: &Axis) -> Option<Margin> {
    let Axis::Affine(Affine { stride, offset, kernel: Some(kernel), .. }) = axis else { return None };
    if kernel.mode != Some(Convolution::Padded) {
        return None;
    }
    let factor = |factor: &Option<Factor>| match factor {
        None => Some(1),
        Some(Factor::Number(n)) => Some(*n),
        Some(Factor::Name(name)) => op.factors.get(name).map(|term| inferred.size_of(*term)),
    };
    let size = inferred.size_of(op.template.label(&kernel.label)?.into());
    Some(Margin::of_padded(factor(stride)?, offset.unwrap_or(0), factor(&kernel.dilation)?, size))
}
