//! Deferred equations, many of them: closing takes them one by one, and each may tell something about a leaf.

use crate::generators::System;
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar};
use quickcheck::{Arbitrary, Gen};

/// An atom of this size.
pub(super) fn size(n: u64) -> DimTerm {
    Dim::size(n).unwrap_or(Dim::Unit).into()
}

pub(super) fn vars(names: &mut Names, rows: usize, dims: usize) -> (Vec<RowVar>, Vec<DimVar>) {
    let rows = (0..rows).filter_map(|i| names.row_var(&format!("p{i}")).ok()).collect();
    (rows, (0..dims).filter_map(|i| names.dim_var(&format!("a{i}")).ok()).collect())
}

/// `[s]·⟨x⟩ ≈ ⟨y⟩·[t]`.
fn crossed(s: &[DimTerm], x: RowVar, y: RowVar, t: &[DimTerm]) -> Constraint {
    Constraint::RowEq(RowTerm::new(s, Some(x), []), RowTerm::new([], Some(y), t))
}

/// Every equation that crosses two of three rows with one axis on each side, `2` or `a`; caps `[2]·⟨x⟩ ⊑ ⟨y⟩`,
/// `⟨x⟩ ⊑ ⟨y⟩` and `[2] ⊑ ⟨y⟩`; and `2 ⊑ a`.
#[must_use]
pub fn lines() -> (Names, Vec<Constraint>) {
    let mut names = Names::new();
    let (rows, dims) = vars(&mut names, 3, 1);
    let axes = [size(2), dims[0].into()];
    let mut lines = vec![Constraint::DimLe(axes[0], axes[1])];
    for y in &rows {
        let two = RowTerm::new([axes[0]], None, []);
        lines.push(Constraint::RowLe(two.clone(), (*y).into()));
        for x in &rows {
            lines.extend(axes.iter().flat_map(|s| axes.iter().map(|t| crossed(&[*s], *x, *y, &[*t]))));
            if x != y {
                lines.push(Constraint::RowLe(RowTerm { var: Some(*x), ..two.clone() }, (*y).into()));
                lines.push(Constraint::RowLe((*x).into(), (*y).into()));
            }
        }
    }
    (names, lines)
}

/// The system with this number: for the most part equations that cross, as long on both sides, over up to two dozen rows;
/// between them caps, and atoms below dimensions. Most have one size only and most rows are in few lines, so that much is
/// closed before anything fails.
#[must_use]
pub fn system(number: u64) -> System {
    let (mut g, mut names) = (Gen::from_size_and_seed(100, number), Names::new());
    let below = |g: &mut Gen, n: usize| usize::from(u16::arbitrary(g)) % n;
    let count = 2 + below(&mut g, 11);
    let (rows, dims) = vars(&mut names, 2 * count, 3);
    let sizes = if number.is_multiple_of(8) { 2 } else { 1 };
    let axis = |g: &mut Gen| match below(g, 12) {
        n @ 0..3 => dims[n].into(),
        n => size(2 + n as u64 % sizes),
    };
    let flank = |g: &mut Gen, length: usize| -> Vec<DimTerm> { (0..length).map(|_| axis(g)).collect() };
    let line = |g: &mut Gen, i: usize| {
        let mut row = |near: usize| rows[if below(g, 8) == 0 { below(g, rows.len()) } else { near % rows.len() }];
        let (x, y) = (row(2 * i), row(2 * i + 1));
        let (length, other) = ([1, 1, 1, 2, 3][below(g, 5)], below(g, 2));
        match below(g, 20) {
            0 => Constraint::DimLe(axis(g), dims[below(g, 3)].into()),
            1 => Constraint::RowLe(x.into(), y.into()),
            2 => Constraint::RowLe(RowTerm::new(flank(g, other), Some(x), flank(g, 1 - other)), y.into()),
            3 => Constraint::RowLe(RowTerm::new(flank(g, length), None, []), y.into()),
            4 => crossed(&flank(g, length), x, y, &flank(g, length + other)),
            _ => crossed(&flank(g, length), x, y, &flank(g, length)),
        }
    };
    let constraints = (0..count + below(&mut g, count)).map(|i| line(&mut g, i)).collect();
    System { names, constraints }
}
