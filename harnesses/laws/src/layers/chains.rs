//! Long chains of rows: variables that are equal to the next, from the last to the first, so that each is bound to one that
//! is bound after it. What is said of the last of them goes through all.

use super::crossed::{size, vars};
use crate::generators::System;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::term::{DimTerm, RowTerm, RowVar};
use quickcheck::{Arbitrary, Gen};

/// The system with this number: up to three dozen rows. Between the equations, rows that have axes, and what looks at
/// markers.
#[must_use]
pub fn system(number: u64) -> System {
    let (mut g, mut names) = (Gen::from_size_and_seed(100, number), Names::new());
    let below = |g: &mut Gen, n: usize| usize::from(u16::arbitrary(g)) % n;
    let count = 12 + below(&mut g, 24);
    let (rows, dims) = vars(&mut names, count, 2);
    let axis = |g: &mut Gen| -> DimTerm {
        match below(g, 4) {
            n @ 0..2 => dims[n].into(),
            _ => size(2),
        }
    };
    // Any of the rows, the last ones more often: they are at the far ends of chains.
    let any =
        |g: &mut Gen| -> RowVar { rows[if below(g, 2) == 0 { count - 1 - below(g, 3) } else { below(g, count) }] };
    let mut constraints = Vec::new();
    for i in (0..count - 1).rev() {
        let (one, next) = (RowTerm::from(rows[i]), RowTerm::from(rows[i + 1]));
        constraints.push(match below(&mut g, 24) {
            0 => Constraint::RowLe(one, next),
            1 => Constraint::RowEq(one, RowTerm::new([axis(&mut g)], next.var, [])),
            _ => Constraint::RowEq(one, next),
        });
        if below(&mut g, 6) == 0 {
            let (x, y) = (any(&mut g), any(&mut g));
            constraints.push(match below(&mut g, 4) {
                0 => Constraint::RowLe(RowTerm::new([axis(&mut g)], None, [axis(&mut g)]), x.into()),
                1 => Constraint::RowEq(x.into(), RowTerm::new([], None, [axis(&mut g), axis(&mut g)])),
                2 => Constraint::RowLe(x.into(), RowTerm::new([], None, [axis(&mut g)])),
                _ => Constraint::RowLe(x.into(), y.into()),
            });
        }
    }
    System { names, constraints }
}
