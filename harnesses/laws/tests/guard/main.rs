//! The guard: Prop. 4.6, and R1a–R1c of spec/findings/R1.md, exhaustively and by the million.
#![allow(missing_docs)]

mod differences;
mod inequalities;
mod others;
mod sweep;

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::term::{DimTerm, RowVar};
use std::sync::LazyLock;

/// Four row variables and two dimension variables.
struct Vars {
    names: Names,
    rows: [RowVar; 4],
    dims: [DimTerm; 2],
}

static VARS: LazyLock<Vars> = LazyLock::new(|| {
    let mut names = Names::new();
    let rows = ["p", "q", "r", "s"].map(|name| names.row_var(name).expect("a new name"));
    let dims = ["a", "b"].map(|name| names.dim_var(name).expect("a new name").into());
    Vars { names, rows, dims }
});

fn text(phi: &[Constraint]) -> String {
    phi.iter().map(|c| VARS.names.show(c).to_string()).collect::<Vec<_>>().join("; ")
}

/// A list without one of its items, each in turn.
fn without_one<T: Clone + 'static>(all: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
    let all = all.to_vec();
    (0..all.len()).map(move |i| [&all[..i], &all[i + 1..]].concat())
}
