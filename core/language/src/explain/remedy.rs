//! What to try against a clash.

use super::Clash;
use crate::generate::{Generated, Logic, Operand, Operation, Origin, TensorId};
use crate::shape::{Kind, ShapeTerm};
use lozenge_calculus::dim::{Basis, Dim};
use lozenge_calculus::term::RowTerm;
use lozenge_engine::solver::Why;

/// What people most often meant.
pub(super) fn remedies(
    generated: &Generated,
    clash: &Clash,
    operation: Option<&Operation>,
    origin: &Origin,
    shapes: &[ShapeTerm],
) -> Vec<String> {
    let mut out = Vec::new();
    if let Why::Differ(a, b) | Why::NotBelow(a, b) = &clash.why {
        let one = |d: &Dim| matches!(d, Dim::Atom(atom) if atom.size() == 1);
        if one(a) || one(b) {
            out.push("a size 1 that is written is a claim and does not stretch: leave the axis out, or write `unit` for an axis that stretches".to_owned());
        }
        if let (Dim::Atom(x), Dim::Atom(y)) = (a, b)
            && x.size() == y.size()
        {
            let default = x.basis() == Basis::DEFAULT || y.basis() == Basis::DEFAULT;
            let more = if default { "; a size without a basis has the basis `default`" } else { "" };
            out.push(format!("the sizes agree and the bases differ: axes fit only if both do{more}"));
        }
    }
    if let Some(operation) = operation {
        out.extend(transposed(generated, operation, shapes));
        out.extend(ellipsis(clash, operation, origin));
    }
    if !clash.certain {
        out.push("this rests on where the program lets axes be inserted: write the shape of an operand, or put `...` where its axes may grow".to_owned());
    }
    out
}

/// Would it fit with input and output of one operand exchanged?
fn transposed(generated: &Generated, operation: &Operation, shapes: &[ShapeTerm]) -> Option<String> {
    let flat = |row: &RowTerm| row.as_ground().map(|row| row.flat().collect::<Vec<_>>()).filter(|r| !r.is_empty());
    let [a, b, ..] = operation.operands.as_slice() else { return None };
    let (x, y) = (shapes.get(*a)?, shapes.get(*b)?);
    let name = |id: TensorId| generated.tensors[id].name.clone();
    let swapped = match operation.logic {
        Logic::Compose | Logic::ComposeAccumulate
            if flat(&x.output).is_some() && flat(&x.output) == flat(&y.output) =>
        {
            name(*a)
        }
        Logic::Pointwise
            if flat(&x.output).is_some() && flat(&x.output) == flat(&y.input) && flat(&x.input) == flat(&y.output) =>
        {
            name(*b)
        }
        _ => None,
    }?;
    Some(format!("are input and output of `{swapped}` exchanged? What takes 3 values to 5 is written `3 -> 5`"))
}

/// A row of a specification without `...` matches exactly the axes that are written.
fn ellipsis(clash: &Clash, operation: &Operation, origin: &Origin) -> Option<String> {
    if !matches!(clash.why, Why::Ranks(..) | Why::Overflow { .. }) {
        return None;
    }
    let spec = &operation.spec.as_ref()?.spec;
    let (slot, which) = match origin.operand {
        Operand::Argument(i) => (spec.operands.get(i)?, format!("operand {}", i + 1)),
        _ => (&spec.result, "the result".to_owned()),
    };
    let (row, kind) = (slot.row(origin.kind), origin.kind);
    if row.var.is_some() {
        return None;
    }
    let mark = match kind {
        Kind::Batch => "`... |`",
        Kind::Input => "`... ->`",
        Kind::Output => "`...`",
    };
    Some(if row.axes().next().is_none() {
        format!(
            "the specification does not write the {kind} row of {which}, so that row must be empty: add {mark} there (and in the result) to let axes through"
        )
    } else {
        format!(
            "the {kind} row of {which} has exactly the axes that are written: add `...` there (and in the result) to let further axes through"
        )
    })
}
