//! More constraint systems of any size, by name: cycles, lines that come in the wrong order, long rows, deferred equations.

use crate::systems::{Make, atom, chain, dim_grid, dim_le, dim_vars, row_vars};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::term::{DimTerm, DimVar, Flank, RowTerm, RowVar};

/// Systems whose growth is measured beside [`crate::systems::SHAPES`]. All of them have a solution.
pub const FAMILIES: [(&str, Make); 14] = [
    ("dimension-cycle", cycle),
    ("dimension-cycle-shuffled", shuffled_cycle),
    ("small-cycles", small_cycles),
    ("nested-cycles", nested_cycles),
    ("star-of-cycles", star_of_cycles),
    ("row-cycle", row_cycle),
    ("dimension-equality-backwards", equal_dims_backwards),
    ("row-equality-backwards", equal_rows_backwards),
    ("long-rows", long_rows),
    ("rows-that-grow", growing_rows),
    ("deferred-equations", deferred),
    ("joined-pieces", joined_pieces),
    ("dimension-grid-shuffled", shuffled_grid),
    ("random-cycles", random_cycles),
];

/// a₁ ⊑ a₂ ⊑ … ⊑ aₙ ⊑ a₁.
fn cycle(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n);
    let mut cycle = chain(&vars, dim_le);
    cycle.push(dim_le(vars[n - 1], vars[0]));
    cycle
}

/// A cycle through variables of no particular age.
fn shuffled_cycle(names: &mut Names, n: usize) -> Vec<Constraint> {
    let mut vars = dim_vars(names, n);
    shuffle(&mut vars);
    let mut cycle = chain(&vars, dim_le);
    cycle.push(dim_le(vars[n - 1], vars[0]));
    cycle
}

/// Numbers below a bound, the same in every run.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 7_u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below as u64).unwrap_or(0)
    }
}

pub(crate) fn shuffle<T>(all: &mut [T]) {
    let mut number = numbers();
    for i in (1..all.len()).rev() {
        all.swap(i, number(i + 1));
    }
}

/// n/10 chains of ten, then joined to one, the last below the first.
fn joined_pieces(names: &mut Names, n: usize) -> Vec<Constraint> {
    let pieces: Vec<Vec<DimVar>> = (0..n / 10).map(|_| dim_vars(names, 10)).collect();
    let mut system: Vec<Constraint> = pieces.iter().flat_map(|piece| chain(piece, dim_le)).collect();
    system.extend(pieces.windows(2).map(|pair| dim_le(pair[1][9], pair[0][0])));
    system
}

/// A grid whose lines come in no order.
fn shuffled_grid(names: &mut Names, n: usize) -> Vec<Constraint> {
    let mut grid = dim_grid(names, n);
    shuffle(&mut grid);
    grid
}

/// n adjacencies between n/2 variables at random: most of them end up in one cycle.
pub(crate) fn random_cycles(names: &mut Names, n: usize) -> Vec<Constraint> {
    let (vars, mut number) = (dim_vars(names, n / 2), numbers());
    (0..n).map(|_| dim_le(vars[number(n / 2)], vars[number(n / 2)])).collect()
}

/// n/4 cycles of four.
fn small_cycles(names: &mut Names, n: usize) -> Vec<Constraint> {
    (0..n / 4).flat_map(|_| cycle(names, 4)).collect()
}

/// A chain of n/2, and a way back from each variable above its middle to the one as far below, from the inside out.
fn nested_cycles(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, 2 * n / 3);
    let mut system = chain(&vars, dim_le);
    let middle = vars.len() / 2;
    system.extend((1..middle).map(|i| dim_le(vars[middle + i], vars[middle - i])));
    system
}

/// n/4 cycles of four through one variable.
fn star_of_cycles(names: &mut Names, n: usize) -> Vec<Constraint> {
    let hub = names.fresh_dim();
    let mut system = Vec::with_capacity(n);
    for _ in 0..n / 4 {
        let vars = dim_vars(names, 3);
        system.push(dim_le(hub, vars[0]));
        system.extend(chain(&vars, dim_le));
        system.push(dim_le(vars[2], hub));
    }
    system
}

/// ⟨p₁⟩ ⊑ ⟨p₂⟩ ⊑ … ⊑ ⟨p₁⟩.
fn row_cycle(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = row_vars(names, n);
    let le = |a: RowVar, b: RowVar| Constraint::RowLe(a.into(), b.into());
    let mut cycle = chain(&vars, le);
    cycle.push(le(vars[n - 1], vars[0]));
    cycle
}

/// The last equation first: a₍ₙ₋₁₎ = aₙ, …, a₁ = a₂. Each variable is bound to one that is bound after it.
fn equal_dims_backwards(names: &mut Names, n: usize) -> Vec<Constraint> {
    let mut equations = chain(&dim_vars(names, n + 1), |a, b| Constraint::DimEq(a.into(), b.into()));
    equations.reverse();
    equations
}

/// The same of rows, in n/2 lines; then the last row is looked at as often.
fn equal_rows_backwards(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = row_vars(names, n / 2 + 1);
    let mut equations = chain(&vars, |a, b| Constraint::RowEq(a.into(), b.into()));
    equations.reverse();
    let last = RowTerm::from(vars[n / 2]);
    equations.extend((0..n / 2).map(|_| Constraint::RowLe(last.clone(), last.clone())));
    equations
}

/// The longest row of [`long_rows`].
const LONGEST: usize = 10_000;

/// n axes in a chain of ten rows or more, each as long as may be: variables, then sizes at the far end.
fn long_rows(names: &mut Names, n: usize) -> Vec<Constraint> {
    let rank = (n / 10).clamp(1, LONGEST);
    let mut rows: Vec<RowTerm> = Vec::new();
    for _ in 0..n / rank {
        let lead: Flank = dim_vars(names, rank).into_iter().map(DimTerm::Var).collect();
        rows.push(RowTerm::new(lead, Some(names.fresh_row()), Vec::new()));
    }
    let sizes: Flank = (0..rank).map(|i| atom(i % 7)).collect();
    rows.push(RowTerm::new(sizes, None, Vec::new()));
    rows.windows(2).map(|w| Constraint::RowLe(w[0].clone(), w[1].clone())).collect()
}

/// `⟨p₁⟩ ≈ [3]·⟨p₂⟩, ⟨p₂⟩ ≈ [3]·⟨p₃⟩ …`: p₁ has as many axes as may be. n/100 of these, a hundred long.
fn growing_rows(names: &mut Names, n: usize) -> Vec<Constraint> {
    let grown = |a: RowVar, b: RowVar| Constraint::RowEq(a.into(), RowTerm::new(vec![atom(3)], Some(b), vec![]));
    (0..n / 100).flat_map(|_| chain(&row_vars(names, 101), grown)).collect()
}

/// `[3]·⟨p⟩ ≈ ⟨q⟩·[3]`, n times: each waits until one of its variables is known.
fn deferred(names: &mut Names, n: usize) -> Vec<Constraint> {
    let crossed = |_| {
        let (p, q) = (names.fresh_row(), names.fresh_row());
        let (one, other) = (vec![atom(3)], vec![atom(3)]);
        Constraint::RowEq(RowTerm::new(one, Some(p), vec![]), RowTerm::new(vec![], Some(q), other))
    };
    (0..n).map(crossed).collect()
}
