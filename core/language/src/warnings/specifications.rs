//! Warnings about specifications: labels that only the result has, results that are mostly not written.

use super::stretched::called;
use super::{Warning, WarningCode};
use crate::einsum::{Axis, SpecSlot, is_multi_character};
use crate::generate::{Operation, Primitive, Specification, TensorId};
use crate::lexer::{in_name, is_identifier};
use crate::shape::{Kind, show};
use crate::{Inference, Span};
use lozenge_calculus::dim::Dim;
use lozenge_calculus::term::{DimTerm, RowTerm};
use std::collections::{BTreeMap, BTreeSet};

/// The labels of an axis.
pub(super) fn labels(axis: &Axis) -> Vec<&str> {
    match axis {
        Axis::Label(label) => vec![label],
        Axis::Concat(labels) => labels.iter().map(String::as_str).collect(),
        Axis::Affine(affine) => {
            let kernel = affine.kernel.as_ref().map(|kernel| kernel.label.as_str());
            [affine.over.as_str()].into_iter().chain(kernel).collect()
        }
        Axis::Fixed(_) | Axis::Anonymous => Vec::new(),
    }
}

/// `ij; jk => il`: nothing gives `l` a size, so its axis has one element.
pub(super) fn result_only_labels(inferred: &Inference) -> Vec<Warning> {
    let mut found = Vec::new();
    for op in &inferred.generated.operations {
        let Some(written) = &op.spec else { continue };
        let given: BTreeSet<&str> = written.spec.operands.iter().flat_map(SpecSlot::axes).flat_map(labels).collect();
        let mut told = BTreeSet::new();
        for axis in written.spec.result.axes() {
            let alone = labels(axis).into_iter().filter(|label| !given.contains(label));
            for label in alone.filter(|label| is_left_open(inferred, op, axis, label)) {
                if told.insert(label) {
                    found.push(result_only(inferred, op, written, axis, label));
                }
            }
        }
    }
    found
}

/// Did nothing else give the label a size? Of an axis of its own that shows in 1∅: a size of 1 was asked for.
fn is_left_open(inferred: &Inference, op: &Operation, axis: &Axis, label: &str) -> bool {
    let Some(var) = op.template.label(label) else { return false };
    let term = DimTerm::Var(var);
    match axis {
        Axis::Label(_) => inferred.row(&RowTerm::new(Vec::new(), None, vec![term])).flat().eq([Dim::Unit]),
        _ => inferred.size_of(term) <= 1,
    }
}

fn result_only(inferred: &Inference, op: &Operation, written: &Specification, axis: &Axis, label: &str) -> Warning {
    let empty = op.template.label(label).is_some_and(|var| inferred.size_of(DimTerm::Var(var)) == 0);
    let (what, to_mean) = match axis {
        // A part of a concatenation that nothing asks for is not there (ST-zero).
        Axis::Concat(_) if empty => ("its part is empty", "leave it out to mean that; else "),
        Axis::Label(_) => ("the axis has one element", "write `0` in its place to mean one element; else "),
        _ => ("it has one element", ""),
    };
    let message = format!("`{label}` stands only in the result, so nothing gives it a size, and {what}");
    let help = format!(
        "{to_mean}give `{label}` to an operand, or capture it with [\"{label}\"] and set it, as in `{label} = 5`"
    );
    Warning::new(WarningCode::ResultOnlyLabel, label_span(written, label), message, help)
}

/// Where a label stands in the result of a specification; the whole of it where the label is not found.
fn label_span(written: &Specification, label: &str) -> Span {
    let (text, span) = (written.quoted.text.as_str(), written.quoted.span);
    let multi = is_multi_character(text);
    let from = text.find("=>").map_or(0, |at| at + 2);
    let part_of_name = |c: Option<char>| multi && c.is_some_and(in_name);
    let alone = |at: &usize| {
        let (before, after) = (&text[..*at], &text[*at + label.len()..]);
        !part_of_name(before.chars().next_back()) && !part_of_name(after.chars().next())
    };
    let found = text[from..].match_indices(label).map(|(at, _)| from + at).find(alone);
    match found.filter(|_| span.is_known()) {
        Some(at) => Span { start: at, end: at + label.len() }.shifted(span.start),
        None => span,
    }
}

/// Results whose shape is not declared, that begin at the neutral element, and of which specifications write less than
/// half: at fixed indices, or at every so-manieth place.
pub(super) fn mostly_unwritten(inferred: &Inference) -> Vec<Warning> {
    let mut writers: BTreeMap<TensorId, Vec<&Operation>> = BTreeMap::new();
    for op in &inferred.generated.operations {
        writers.entry(op.result).or_default().push(op);
    }
    let mut found = Vec::new();
    for (tensor, ops) in writers {
        let Some(first) = ops.first().filter(|op| op.erase && !is_declared(inferred, tensor)) else { continue };
        let Some(written) = ops.iter().map(|op| cells_written(inferred, op)).sum::<Option<u128>>() else { continue };
        let shape = &inferred.shapes[tensor];
        let sizes = Kind::ALL.into_iter().flat_map(|kind| shape.get(kind).flat());
        let Some(all) = sizes.map(|dim| u128::from(dim.elements())).try_fold(1_u128, u128::checked_mul) else {
            continue;
        };
        if written.saturating_mul(2) < all {
            let span = first.spec.as_ref().map_or(first.span, |it| it.quoted.span);
            let name = called(inferred, tensor, "the result");
            let help = declared_help(inferred, first, &show(shape, &inferred.names));
            found.push(unwritten(&name, (written, all), span, help));
        }
    }
    found
}

fn unwritten(name: &str, (written, all): (u128, u128), span: Span, help: String) -> Warning {
    let are = if written == 1 { "is" } else { "are" };
    let message = format!(
        "{name} has {all} elements, and {written} of them {are} written: the others stay at the neutral element"
    );
    Warning::new(WarningCode::MostlyUnwritten, span, message, help)
}

/// How to declare the shape of what an operation writes. Operands that have no name are left out.
fn declared_help(inferred: &Inference, op: &Operation, shape: &str) -> String {
    let named = |id: TensorId| inferred.generated.tensors[id].name.as_deref().filter(|name| is_identifier(name));
    let after = "tensors are put one after the other by `++^`";
    let Some(name) = named(op.result) else {
        return format!("to mean it, declare the shape of what is written, `{shape}`, in an assignment; {after}");
    };
    let operand = match op.operands.as_slice() {
        [one] if op.primitive == Primitive::Copy => named(*one).unwrap_or("…"),
        _ => "…",
    };
    let (sign, spec) = (op.accumulate.text(), op.spec.as_ref().map_or("…", |it| it.quoted.text.as_str()));
    format!(
        "to mean it, declare the shape of what is written, as in `{{ {name}: {shape} }} =:{sign} {operand} ~logic:\"{spec}\"`; {after}"
    )
}

/// Does the program itself write every axis of this tensor?
fn is_declared(inferred: &Inference, tensor: TensorId) -> bool {
    let shape = &inferred.generated.tensors[tensor].shape;
    let mut open = false;
    Kind::ALL.into_iter().for_each(|kind| shape.get(kind).each_var(|_| open = true));
    !open
}

/// How many elements of its result an operation writes at most; none where that is all, or too large a number.
fn cells_written(inferred: &Inference, op: &Operation) -> Option<u128> {
    let result = &op.spec.as_ref()?.spec.result;
    Kind::ALL.into_iter().try_fold(1_u128, |product, kind| {
        let (row, slot) = (inferred.shapes.get(op.result)?.get(kind), result.row(kind));
        let sizes: Vec<u64> = row.flat().map(|dim| dim.elements()).collect();
        let middle = sizes.len().checked_sub(slot.lead.len() + slot.trail.len())?;
        let (front, back) = (&sizes[..slot.lead.len()], &sizes[slot.lead.len() + middle..]);
        let between = sizes[slot.lead.len()..][..middle].iter().map(|size| u128::from(*size));
        let named = slot.lead.iter().zip(front).chain(slot.trail.iter().zip(back));
        let named = named.map(|(axis, size)| u128::from(places(inferred, op, axis, *size)));
        between.chain(named).try_fold(product, u128::checked_mul)
    })
}

/// How many places of an axis are written at most.
fn places(inferred: &Inference, op: &Operation, axis: &Axis, size: u64) -> u64 {
    let label = |name: &str| op.template.label(name).map_or(size, |v| inferred.size_of(v.into()));
    match axis {
        Axis::Fixed(_) => size.min(1),
        Axis::Affine(affine) => {
            let kernel = affine.kernel.as_ref().map_or(1, |kernel| label(&kernel.label));
            label(&affine.over).saturating_mul(kernel).min(size)
        }
        Axis::Label(_) | Axis::Anonymous | Axis::Concat(_) => size,
    }
}
