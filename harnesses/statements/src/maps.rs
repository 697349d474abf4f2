//! Prop. 7.6 and Thm. 7.8 (3): index maps stay in range, and are injective and surjective just where that is read off.
//!
//! "There is a point" and "there is a cell" are said with a witness: so a proof needs no quantifier over them.

use lozenge_calculus::projection::{Index, Label, MapAxis, Projections, Slot};

/// Where a point is along an axis. Labels of §8 and indices from outside are not looked at here.
fn index(axis: &MapAxis, point: &[u64]) -> u64 {
    match &axis.label {
        Label::Iter(i) => point[*i],
        Label::At(Index::Fix(c)) => *c,
        Label::At(Index::External(_)) | Label::Affine(_) | Label::Concat(_) => 0,
    }
}

/// Do two points write one cell?
fn one_cell(map: &[MapAxis], p: &[u64], q: &[u64]) -> bool {
    map.iter().all(|axis| index(axis, p) == index(axis, q))
}

/// A point of the product space.
#[must_use]
pub fn is_point(record: &Projections, point: &[u64]) -> bool {
    point.len() == record.loops.len() && (0..point.len()).all(|i| point[i] < record.loops[i].size)
}

/// What a pass leaves (Thm. 7.4, P2): loops of at least two steps, an axis as long as its loop, constants inside.
#[must_use]
pub fn is_made_by_a_pass(record: &Projections) -> bool {
    record.loops.iter().all(|it| it.size > 1)
        && record.lhs.iter().all(|axis| match &axis.label {
            Label::Iter(i) => record.loops.get(*i).is_some_and(|it| it.size == axis.size),
            Label::At(Index::Fix(c)) => *c < axis.size,
            Label::At(Index::External(_)) | Label::Affine(_) | Label::Concat(_) => false,
        })
}

/// Thm. 7.8 (3): every index is inside its axis.
pub fn in_range(record: &Projections, point: &[u64]) -> bool {
    let premise = is_made_by_a_pass(record) && is_point(record, point);
    assert!(!premise || record.lhs.iter().all(|axis| index(axis, point) < axis.size));
    premise
}

/// Prop. 7.6 (i): where the map is read off to be injective, two points write two cells; else there is a point that
/// writes the cell of this one: with another value along a reduction axis.
pub fn injective(record: &Projections, p: &[u64], q: &[u64]) -> bool {
    if !(is_made_by_a_pass(record) && is_point(record, p) && is_point(record, q)) {
        return false;
    }
    if record.is_injective_at(Slot::Lhs) {
        assert!((0..p.len()).all(|i| p[i] == q[i]) || !one_cell(&record.lhs, p, q));
    } else {
        let mut summed = 0;
        while !record.is_reduction_of(Slot::Lhs, summed) {
            summed += 1;
        }
        let mut other = p.to_vec();
        other[summed] = u64::from(p[summed] == 0);
        assert!(is_point(record, &other) && other[summed] != p[summed] && one_cell(&record.lhs, p, &other));
    }
    true
}

/// The point that would write this cell: each iterator where the last axis that has it says.
fn point_for(record: &Projections, cell: &[u64]) -> Vec<u64> {
    let mut point = vec![0; record.loops.len()];
    for (axis, at) in record.lhs.iter().zip(cell) {
        if let Label::Iter(i) = &axis.label {
            point[*i] = *at;
        }
    }
    point
}

/// A cell that no point writes, where the map is read off not to be surjective: beside a constant on a long axis, or off
/// the diagonal of two axes with one iterator.
fn cell_left_out(record: &Projections) -> Vec<u64> {
    let mut cell = vec![0; record.lhs.len()];
    for (a, axis) in record.lhs.iter().enumerate() {
        match &axis.label {
            Label::At(Index::Fix(c)) => cell[a] = u64::from(axis.size > 1 && *c == 0),
            Label::Iter(i) => {
                let again = record.lhs[..a].iter().any(|earlier| earlier.label == Label::Iter(*i));
                cell[a] = u64::from(again);
            }
            Label::At(Index::External(_)) | Label::Affine(_) | Label::Concat(_) => {}
        }
    }
    cell
}

/// Prop. 7.6 (ii): where the map is read off to be surjective, every cell is written; else some cell by no point.
pub fn surjective(record: &Projections, cell: &[u64], point: &[u64]) -> bool {
    let is_cell = cell.len() == record.lhs.len() && (0..cell.len()).all(|a| cell[a] < record.lhs[a].size);
    if !(is_made_by_a_pass(record) && is_point(record, point) && is_cell) {
        return false;
    }
    let writes = |point: &[u64], cell: &[u64]| (0..cell.len()).all(|a| index(&record.lhs[a], point) == cell[a]);
    if record.is_surjective_at(Slot::Lhs) {
        let found = point_for(record, cell);
        assert!(is_point(record, &found) && writes(&found, cell));
    } else {
        let left_out = cell_left_out(record);
        assert!((0..left_out.len()).all(|a| left_out[a] < record.lhs[a].size) && !writes(point, &left_out));
    }
    true
}
