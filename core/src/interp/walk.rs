//! The definition of map-reduce over a product space, naive and complete.
//!
//! Points are walked in lexicographic order of [`Projections::loops`], the last iterator fastest. Values of one
//! cell join in that order. An operand that is also the target is read as it was before.

use super::point::Point;
use super::scalar::{Computed, Scalar, ScalarError};
use super::value::Value;
use crate::program::ast::Accumulate;
use crate::projection::{Index, Label, MapAxis, Projections, Slot};
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
    /// Indices from outside. Every one is less than the size of its axis.
    pub externals: &'a Externals,
}

/// The cell of a tensor that a point addresses. In range by Thm. 7.8 (1), which debug builds check.
fn address(map: &[MapAxis], point: &[u64], externals: &Externals) -> usize {
    let index = |label: &Label| match label {
        Label::Iter(j) => point[*j],
        Label::At(Index::Fix(c)) => *c,
        Label::At(Index::External(name)) => externals.get(name).copied().unwrap_or(0),
    };
    let cell = map.iter().fold(0, |cell, axis| {
        debug_assert!(index(&axis.label) < axis.size, "Thm. 7.8 (1)");
        cell * axis.size + index(&axis.label)
    });
    usize::try_from(cell).unwrap_or(usize::MAX)
}

/// The point after this one; false after the last.
fn next(point: &mut [u64], record: &Projections) -> bool {
    for (i, it) in point.iter_mut().zip(&record.loops).rev() {
        *i += 1;
        if *i < it.size {
            return true;
        }
        *i = 0;
    }
    false
}

/// Runs an assignment, cell by cell, as the definition says.
///
/// # Errors
/// A [`ScalarError`] where an operation has no result, or a cell that is never written has no neutral element.
pub fn assign<S: Scalar>(it: &Assign<'_, S>, target: &mut Value<S>) -> Computed<()> {
    let before = std::mem::take(&mut target.data);
    // None is an erased cell that nothing has been written to.
    let mut cells: Vec<Option<S>> = before.into_iter().map(|cell| (!it.erase).then_some(cell)).collect();
    let mut point = vec![0; it.record.loops.len()];
    loop {
        let reads: Vec<&S> =
            it.reads.iter().map(|(slot, v)| &v.data[address(it.record.map(*slot), &point, it.externals)]).collect();
        let new = it.value.at(&reads)?;
        let cell = &mut cells[address(it.record.map(it.target), &point, it.externals)];
        *cell = Some(match cell.take() {
            None => S::first(it.accumulate, new)?,
            Some(old) => S::accumulate(it.accumulate, &old, new)?,
        });
        if !next(&mut point, it.record) {
            break;
        }
    }
    let neutral =
        || S::neutral(it.accumulate).ok_or(ScalarError::Unsupported { op: it.accumulate.text(), scalar: S::NAME });
    target.data = cells.into_iter().map(|cell| cell.map_or_else(neutral, Ok)).collect::<Computed<_>>()?;
    Ok(())
}
