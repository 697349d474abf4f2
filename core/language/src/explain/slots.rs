//! Rows against the slots of a specification, and a row that is sliced.

use super::sides::axes;
use super::words::{Words, words};
use crate::einsum::SpecRow;
use crate::generate::{Generated, Logic, Operand, Operation, Origin, TensorId};
use crate::shape::{Kind, ShapeTerm};
use lozenge_engine::solver::Why;

/// A row that does not have the axes of its slot; or a row variable that stands for more axes in one slot than in another.
pub(super) fn slot_message(
    why: &Why,
    generated: &Generated,
    operation: &Operation,
    origin: &Origin,
    shapes: &[ShapeTerm],
) -> Option<Words> {
    if !matches!(why, Why::Ranks(..) | Why::Overflow { .. } | Why::Short { .. }) {
        return None;
    }
    if operation.logic == Logic::Slice {
        return sliced(generated, operation, shapes);
    }
    let spec = &operation.spec.as_ref()?.spec;
    let (slot, id) = match origin.operand {
        Operand::Argument(i) => (spec.operands.get(i)?, *operation.operands.get(i)?),
        _ => (&spec.result, operation.result),
    };
    let (kind, row) = (origin.kind, slot.row(origin.kind));
    let has = rank(shapes, id, kind)?;
    let written = row.axes().count();
    let slot = match (written, &row.var) {
        (0, None) => format!("writes no {kind} row"),
        (n, None) => format!("has {}", axes(n)),
        (n, Some(_)) if has < n => format!("has at least {}", axes(n)),
        // By itself the row fits its slot.
        (n, Some(var)) => return shared(generated, operation, shapes, (var, has - n, (id, kind))),
    };
    let said = words().say(format!("the {kind} row of ")).tensor(generated, id);
    Some(said.say(format!(" has {}, and its slot {slot}", axes(has))))
}

/// A slice takes the first axis of the batch row: a row without axes has none.
fn sliced(generated: &Generated, operation: &Operation, shapes: &[ShapeTerm]) -> Option<Words> {
    let id = *operation.operands.first()?;
    let said = || words().say("the slice takes an axis of the batch row of ").tensor(generated, id);
    (rank(shapes, id, Kind::Batch)? == 0).then(|| said().say(", which has none"))
}

/// How many axes a row has, where that is known.
fn rank(shapes: &[ShapeTerm], id: TensorId, kind: Kind) -> Option<usize> {
    let row = shapes.get(id)?.get(kind);
    row.var.is_none().then(|| row.known_rank())
}

/// A row variable is one row: another slot that has it, where it stands for another number of axes.
fn shared(
    generated: &Generated,
    operation: &Operation,
    shapes: &[ShapeTerm],
    (var, mine, at): (&str, usize, (TensorId, Kind)),
) -> Option<Words> {
    let ids = operation.operands.iter().chain([&operation.result]).copied();
    let rows = operation.spec.as_ref()?.spec.slots().zip(ids);
    let mut rows = rows.flat_map(|(slot, id)| Kind::ALL.map(|kind| (slot.row(kind), id, kind)));
    let stands_for = |row: &SpecRow, id, kind| rank(shapes, id, kind)?.checked_sub(row.axes().count());
    let (n, id, kind) = rows.find_map(|(row, id, kind)| {
        let n = stands_for(row, id, kind).filter(|n| row.var.as_deref() == Some(var) && *n != mine)?;
        Some((n, id, kind))
    })?;
    let name =
        if Kind::ALL.iter().any(|kind| kind.to_string() == var) { "...".to_owned() } else { format!("..{var}..") };
    let said = words().say(format!("`{name}` is one row, of {} in the {kind} row of ", axes(n))).tensor(generated, id);
    let said = said.say(format!(", and of {} in the {} row of ", axes(mine), at.1));
    Some(said.tensor(generated, at.0))
}
