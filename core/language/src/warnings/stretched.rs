//! Warnings about operands that are stretched by accident, and about labels that are summed apart.

use super::specifications::labels;
use super::{Warning, WarningCode};
use crate::ast::{Accumulate, BinaryOp, TernaryOp};
use crate::einsum::Axis;
use crate::generate::{Logic, Operation, Primitive, TensorId};
use crate::shape::Kind;
use crate::{Inference, Span};
use lozenge_calculus::dim::Dim;

/// `target: 64` against `prediction: 64, unit`: each is stretched along the other, and the result is 64, 64.
pub(super) fn both(inferred: &Inference) -> Vec<Warning> {
    let operations = inferred.generated.operations.iter();
    let pointwise = operations.filter(|op| op.logic == Logic::Pointwise && op.operands.len() == 2);
    pointwise.filter_map(|op| along_each_other(inferred, op)).collect()
}

fn along_each_other(inferred: &Inference, op: &Operation) -> Option<Warning> {
    let [a, b] = op.operands.as_slice() else { return None };
    for kind in Kind::ALL {
        let result: Vec<Dim> = inferred.shapes.get(op.result)?.get(kind).flat().collect();
        let [x, y] = [a, b].map(|id| padded(inferred, *id, kind, result.len()));
        let stretched = |own: &[Dim], i: usize| own[i] == Dim::Unit && result[i].elements() > 1;
        let alone = |own: &[Dim], other: &[Dim]| -> Vec<Dim> {
            (0..result.len()).filter(|i| stretched(other, *i) && !stretched(own, *i)).map(|i| result[i]).collect()
        };
        let twice = alone(&x, &y).into_iter().find(|size| alone(&y, &x).contains(size));
        // Where both write all axes, units included, the table is meant.
        let rank = |id: &TensorId| inferred.shapes.get(*id).map_or(0, |shape| shape.get(kind).rank());
        if let Some(size) = twice.filter(|_| rank(a) < result.len() || rank(b) < result.len()) {
            let (left, right) = (called(inferred, *a, "the left operand"), called(inferred, *b, "the right operand"));
            let message = format!(
                "{left} and {right} are stretched along each other, so {} stands twice in the result",
                inferred.names.show(&size)
            );
            let help = "to mean it, put the axes apart with a specification, as in `a +* \"i; j => ij\" b`; else leave the axis out that is stretched";
            return Some(Warning::new(WarningCode::BothStretched, op.span, message, help));
        }
    }
    None
}

/// The name of a tensor, or what it is here.
pub(super) fn called(inferred: &Inference, id: TensorId, here: &str) -> String {
    let name = inferred.generated.tensors.get(id).and_then(|tensor| tensor.name.as_ref());
    name.map_or_else(|| here.to_owned(), |name| format!("`{name}`"))
}

/// A row with as many axes as the result's, those that it lacks stretched: at its marker, which is at the left edge but
/// for rows that say otherwise.
fn padded(inferred: &Inference, id: TensorId, kind: Kind, rank: usize) -> Vec<Dim> {
    let Some(row) = inferred.shapes.get(id).map(|shape| shape.get(kind)) else { return vec![Dim::Unit; rank] };
    let missing = rank.saturating_sub(row.rank());
    let (lead, trail) = (row.lead.iter(), row.trail.iter());
    lead.copied().chain(std::iter::repeat_n(Dim::Unit, missing)).chain(trail.copied()).collect()
}

/// A written size 1 that gives the result an axis that no other operand has.
pub(super) fn added(inferred: &Inference) -> Vec<Warning> {
    let operations = inferred.generated.operations.iter();
    operations.filter(|op| op.logic == Logic::Pointwise).filter_map(|op| one_more(inferred, op)).collect()
}

fn one_more(inferred: &Inference, op: &Operation) -> Option<Warning> {
    let [a, b] = op.operands.as_slice() else { return None };
    for kind in Kind::ALL {
        let [x, y] = [a, b].map(|id| inferred.shapes.get(*id).map(|shape| shape.get(kind)));
        let (x, y) = (x?, y?);
        for (long, short, whose) in [(x, y, b), (y, x, a)] {
            let front = long.rank().checked_sub(short.rank()).filter(|more| *more > 0 && short.rank() > 0);
            let ones =
                front.is_some_and(|more| long.flat().take(more).all(|dim| dim != Dim::Unit && dim.elements() == 1));
            if ones {
                let (left, right) =
                    (called(inferred, *a, "the left operand"), called(inferred, *b, "the right operand"));
                let (long, short) = if whose == a { (right, left) } else { (left, right) };
                let message =
                    format!("{long} has a written axis of size 1 that {short} does not have, and the result gets it");
                let help = "leave the axis out: axes that are missing are stretched; to mean it, give the other operand the axis as well";
                return Some(Warning::new(WarningCode::AddedAxis, op.span, message, help));
            }
        }
    }
    None
}

/// `chan` in one operand and `chanel` in the other: each is summed by itself, and they have one size.
pub(super) fn summed_apart(inferred: &Inference) -> Vec<Warning> {
    let operations = inferred.generated.operations.iter().filter(|op| op.logic == Logic::Einsum && sums_products(op));
    operations.filter_map(|op| apart(inferred, op)).collect()
}

fn apart(inferred: &Inference, op: &Operation) -> Option<Warning> {
    let written = op.spec.as_ref()?;
    let slots: Vec<Vec<&str>> = written
        .spec
        .slots()
        .map(|slot| {
            slot.axes().filter_map(|it| if let Axis::Label(label) = it { Some(label.as_str()) } else { None }).collect()
        })
        .collect();
    let times = |label: &str| slots.iter().filter(|slot| slot.contains(&label)).count();
    let size = |label: &str| op.template.label(label).map(|v| inferred.size_of(v.into())).filter(|n| *n > 1);
    let (_, operands) = slots.split_last()?;
    let alone: Vec<(usize, &str)> = operands
        .iter()
        .enumerate()
        .flat_map(|(i, slot)| slot.iter().map(move |label| (i, *label)))
        .filter(|(_, label)| times(label) == 1 && !is_affine(op, label))
        .collect();
    for (i, (slot, one)) in alone.iter().enumerate() {
        for (other_slot, other) in &alone[i + 1..] {
            if slot != other_slot && size(one).is_some() && size(one) == size(other) {
                let message = format!(
                    "`{one}` of operand {} and `{other}` of operand {} are each summed by themselves, and both are {}",
                    slot + 1,
                    other_slot + 1,
                    size(one)?
                );
                let help = format!("write `{one}` in both to multiply along it; to mean it, sum the operands first");
                let span: Span = written.quoted.span;
                return Some(Warning::new(WarningCode::SummedApart, span, message, help));
            }
        }
    }
    None
}

fn sums_products(op: &Operation) -> bool {
    let product = [Primitive::Binary(BinaryOp::Mul), Primitive::Ternary(TernaryOp::Mul3)].contains(&op.primitive);
    product && op.accumulate == Accumulate::Add
}

/// Is a label part of an axis whose size is worked out?
fn is_affine(op: &Operation, label: &str) -> bool {
    op.template.sized().any(|(axis, _)| labels(axis).contains(&label))
}
