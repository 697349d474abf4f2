//! Indices outside an axis (§8), without a test at every point: a tensor that has them is copied into one that holds its
//! padding too, and there every index is inside.

use super::scalar::{Computed, Scalar};
use super::value::Value;
use super::walk::Assign;
use lozenge_language::projection::{Label, MapAxis, Projections, Slot};
use std::alloc::Layout;

/// An axis with the cells around it.
#[derive(Clone, Copy)]
struct Room {
    before: usize,
    size: usize,
    all: usize,
}

/// How many cells a tensor's copy with its padding has; 0 where it needs none.
fn copied(rooms: &[Room]) -> u128 {
    let grows = rooms.iter().any(|room| room.all != room.size);
    if grows { cells(rooms, |room| room.all) } else { 0 }
}

fn cells(rooms: &[Room], of: fn(&Room) -> usize) -> u128 {
    rooms.iter().fold(1, |n, room| n.saturating_mul(of(room) as u128))
}

/// The rooms that a record's indices need, and the record over them.
pub(super) struct Margins {
    pub(super) record: Projections,
    /// Of the slots in order.
    rooms: Vec<Vec<Room>>,
}

/// The axis with every index inside, and its room; none where the numbers are too large.
fn grown(record: &Projections, axis: &MapAxis) -> Option<(MapAxis, Room)> {
    let mut grown = axis.clone();
    let mut before = 0;
    if let Label::Affine(affine) = &mut grown.label {
        let (low, high) = affine.range(record);
        before = (-low).max(0);
        grown.size = u64::try_from((high + 1).max(i128::from(axis.size)) + before).ok()?;
        affine.offset = affine.offset.checked_add(i64::try_from(before).ok()?)?;
    }
    let small = |n: u64| usize::try_from(n).ok();
    let room = Room { before: usize::try_from(before).ok()?, size: small(axis.size)?, all: small(grown.size)? };
    Some((grown, room))
}

impl Margins {
    /// The margins of an assignment; none where they would be much larger than what is computed, or there is no room left
    /// for the copies.
    pub(super) fn of<S>(it: &Assign<'_, S>) -> Option<Self> {
        let mut margins = Margins { record: it.record.clone(), rooms: Vec::new() };
        for slot in it.record.slots() {
            let axes: Option<Vec<_>> = it.record.map(slot).iter().map(|axis| grown(it.record, axis)).collect();
            let (map, rooms): (Vec<MapAxis>, Vec<Room>) = axes?.into_iter().unzip();
            if cells(&rooms, |r| r.all) > cells(&rooms, |r| r.size).saturating_add(it.record.points()) {
                return None;
            }
            match slot {
                Slot::Lhs => margins.record.lhs = map,
                Slot::Rhs(i) => margins.record.rhs[i] = map,
            }
            margins.rooms.push(rooms);
        }
        let slots = it.reads.iter().map(|(slot, _)| *slot).chain([it.target]);
        let copies = slots.fold(0_u128, |n, slot| n.saturating_add(copied(margins.rooms(slot))));
        let addresses = usize::try_from(copies).ok().and_then(|n| Layout::array::<S>(n).ok());
        (copies <= it.spare && addresses.is_some()).then_some(margins)
    }

    fn rooms(&self, slot: Slot) -> &[Room] {
        &self.rooms[slot.number()]
    }

    /// Runs the assignment over tensors with their padding. What is written into the target's is gone.
    pub(super) fn run<S: Scalar>(
        &self,
        it: &Assign<'_, S>,
        target: &mut Value<S>,
        padding: &S,
        run: impl FnOnce(&Assign<'_, S>, &mut Value<S>) -> Computed<()>,
    ) -> Computed<()> {
        let wide = |(slot, value): &(Slot, &'_ Value<S>)| widened(self.rooms(*slot), value, padding);
        let reads: Vec<Option<Value<S>>> = it.reads.iter().map(wide).collect();
        let either = it.reads.iter().zip(&reads).map(|((slot, value), wide)| (*slot, wide.as_ref().unwrap_or(value)));
        let inside = Assign { record: &self.record, reads: either.collect(), value: it.value.clone(), ..*it };
        let rooms = self.rooms(it.target);
        let Some(mut wide) = widened(rooms, target, padding) else { return run(&inside, target) };
        run(&inside, &mut wide)?;
        each_run(rooms, (0, 0), &mut |at, inside, n| {
            target.data[at..at + n].clone_from_slice(&wide.data[inside..inside + n]);
        });
        Ok(())
    }
}

/// A copy of a tensor with its padding; none where it needs none.
fn widened<S: Scalar>(rooms: &[Room], value: &Value<S>, padding: &S) -> Option<Value<S>> {
    let count = usize::try_from(copied(rooms)).ok().filter(|n| *n > 0)?;
    let mut data = vec![padding.clone(); count];
    each_run(rooms, (0, 0), &mut |at, inside, n| {
        data[inside..inside + n].clone_from_slice(&value.data[at..at + n]);
    });
    Some(Value { dims: rooms.iter().map(|room| room.all as u64).collect(), data })
}

/// Calls with every run of neighbours: where it begins in the tensor, and in the one with the padding, and its length.
fn each_run(rooms: &[Room], (at, inside): (usize, usize), run: &mut impl FnMut(usize, usize, usize)) {
    match rooms {
        [] => run(at, inside, 1),
        [last] => run(at * last.size, inside * last.all + last.before, last.size),
        [first, rest @ ..] => {
            for i in 0..first.size {
                each_run(rest, (at * first.size + i, inside * first.all + first.before + i), run);
            }
        }
    }
}
