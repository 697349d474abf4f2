//! The definition of map-reduce over a product space, naive and complete.
//!
//! Points are walked in lexicographic order of [`Projections::loops`], the last iterator fastest. Values of one
//! cell join in that order. An operand that is also the target is read as it was before.

use super::point::Point;
use super::scalar::{Computed, Scalar, ScalarError};
use super::value::Value;
use lozenge_language::ast::{Accumulate, BinaryOp};
use lozenge_language::projection::affine::{Address, address};
use lozenge_language::projection::{Projections, Slot};
use std::collections::BTreeMap;

/// Indices that are given from outside.
pub type Externals = BTreeMap<String, u64>;

/// An assignment over a record: what is read where, what is made of it, and where it goes.
pub struct Assign<'a, S> {
    /// The projections.
    pub record: &'a Projections,
    /// The slot whose map addresses the target.
    pub target: Slot,
    /// The tensors that are read, each with the slot whose map addresses it.
    pub reads: Vec<(Slot, &'a Value<S>)>,
    /// What is computed from the cells that are read.
    pub value: Point<S>,
    /// How values for one cell join.
    pub accumulate: Accumulate,
    /// Is the target erased first?
    pub erase: bool,
    /// The slots that must have a place as well, be they read or not: a gradient goes nowhere at a point that has no part in
    /// the value. Where the result is written into padding, it is gone.
    pub also: &'a [Slot],
    /// Padding holds the neutral element of this accumulation (§8).
    pub padding: Accumulate,
    /// Indices from outside. Every one is less than the size of its axis.
    pub externals: &'a Externals,
    /// How many cells a plan may copy, beside those of the tensors.
    pub spare: u128,
}

impl<S> Assign<'_, S> {
    /// Do the target and what is read alone say which points count?
    pub(super) fn is_plain(&self) -> bool {
        let seen = |slot: &Slot| *slot == self.target || self.reads.iter().any(|(read, _)| read == slot);
        let plain = |slot: &Slot| self.record.coupled.is_empty() || seen(slot);
        self.also.iter().all(plain) && !(self.also.contains(&Slot::Lhs) && self.record.is_padded(Slot::Lhs))
    }

    /// Does a point do nothing that reads the neutral element of a maximum or minimum? So it is of values and their sums,
    /// and of the gradients of such an operation, which no other has.
    fn is_strict(&self) -> bool {
        let sum = |parts: &[Point<S>; 2]| parts.iter().all(|part| matches!(part, Point::Read(_)));
        let strict = match &self.value {
            Point::Read(_) => true,
            Point::Binary(BinaryOp::Add, parts) => sum(parts),
            _ => !self.also.is_empty(),
        };
        strict && matches!(self.padding, Accumulate::Max | Accumulate::Min)
    }
}

/// One point: read, combine, join. A point where the target or an operand has no place does nothing, and
/// what is written into padding is gone.
fn step<S: Scalar>(it: &Assign<'_, S>, point: &[Option<u64>], cells: &mut [Option<S>]) -> Computed<()> {
    let place = |slot: Slot| address(it.record.map(slot), point, it.externals);
    // A cell is inside its tensor: by Thm. 7.8 (1) where the labels are those of Def. 7.3, and where they are affine (§8)
    // `address` looks, and says padding of the rest. Every build checks the slices too.
    let Address::Cell(target) = place(it.target) else { return Ok(()) };
    for slot in it.also {
        match place(*slot) {
            Address::Padding if *slot == Slot::Lhs => return Ok(()),
            Address::Nowhere => return Ok(()),
            Address::Padding | Address::Cell(_) => {}
        }
    }
    let padding = S::neutral(it.padding);
    let mut reads: Vec<&S> = Vec::with_capacity(it.reads.len());
    for (slot, value) in &it.reads {
        match (place(*slot), &padding) {
            (Address::Cell(cell), _) => reads.push(&value.data[cell]),
            (Address::Padding, Some(neutral)) => reads.push(neutral),
            // What is made of −∞ changes no maximum.
            (Address::Padding, None) if it.is_strict() => return Ok(()),
            (Address::Padding, None) => {
                return Err(ScalarError::Unsupported { op: it.padding.text(), scalar: S::NAME });
            }
            (Address::Nowhere, _) => return Ok(()),
        }
    }
    let new = it.value.at(&reads)?;
    let cell = &mut cells[target];
    *cell = Some(match cell.take() {
        None => S::first(it.accumulate, new)?,
        Some(old) => S::accumulate(it.accumulate, &old, new)?,
    });
    Ok(())
}

/// Runs an assignment, cell by cell, as the definition says.
///
/// # Errors
/// A [`ScalarError`] where an operation has no result, or a cell that is never written has no neutral element.
pub fn assign<S: Scalar>(it: &Assign<'_, S>, target: &mut Value<S>) -> Computed<()> {
    let before = std::mem::take(&mut target.data);
    // None is an erased cell that nothing has been written to.
    let mut cells: Vec<Option<S>> = before.into_iter().map(|cell| (!it.erase).then_some(cell)).collect();
    let factors = it.record.factors();
    let mut point = it.record.first_point();
    while let Some(at) = &mut point {
        step(it, at, &mut cells)?;
        if !it.record.next_point(&factors, at) {
            break;
        }
    }
    let neutral =
        || S::neutral(it.accumulate).ok_or(ScalarError::NoValue { op: it.accumulate.text(), scalar: S::NAME });
    target.data = cells.into_iter().map(|cell| cell.map_or_else(neutral, Ok)).collect::<Computed<_>>()?;
    Ok(())
}
