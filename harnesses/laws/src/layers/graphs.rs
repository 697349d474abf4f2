//! Graphs of adjacencies whose lines come in no order, by number.

use crate::generators::System;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::term::{DimVar, RowTerm};

/// Numbers below a bound, the same in every run.
pub fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    }
}

/// α ⊑ β.
#[must_use]
pub fn below(a: DimVar, b: DimVar) -> Constraint {
    Constraint::DimLe(a.into(), b.into())
}

/// Of every 32, one is a grid, and one has a large cycle.
/// Of every three others, one has no cycle, one few, and one is drawn at random.
#[must_use]
pub fn graph(number: u64) -> System {
    let (mut random, mut names) = (numbers(number), Names::new());
    if number % 32 == 6 {
        return grid(&mut random, names);
    }
    if number % 32 == 7 {
        return large_cycle(&mut random, names);
    }
    let vars: Vec<DimVar> = (0..2 + random(30)).map(|_| names.fresh_dim()).collect();
    let mut age: Vec<usize> = (0..vars.len()).collect();
    shuffle(&mut age, &mut random);
    let mut constraints = Vec::new();
    for _ in 0..vars.len() + random(vars.len()) {
        let (a, b) = (random(vars.len()), random(vars.len()));
        let back = number % 3 == 2 || number % 3 == 1 && random(20) == 0;
        let (a, b) = if back { (a, b) } else { (a.min(b), a.max(b)) };
        constraints.push(below(vars[age[a]], vars[age[b]]));
    }
    System { names, constraints }
}

fn shuffle<T>(them: &mut [T], random: &mut impl FnMut(usize) -> usize) {
    (1..them.len()).for_each(|i| them.swap(i, random(i + 1)));
}

/// The lines of a grid of this side over these variables, in no order.
pub fn lines_of_grid(vars: &[DimVar], side: usize, random: &mut impl FnMut(usize) -> usize) -> Vec<Constraint> {
    let at = |x: usize, y: usize| vars[x * side + y];
    let pairs = (0..side).flat_map(|x| (1..side).map(move |y| (x, y)));
    let mut lines: Vec<Constraint> =
        pairs.flat_map(|(x, y)| [below(at(x, y - 1), at(x, y)), below(at(y - 1, x), at(y, x))]).collect();
    shuffle(&mut lines, random);
    lines
}

/// Adjacencies at random, so many that most of them are on one cycle and paths are laid.
fn large_cycle(random: &mut impl FnMut(usize) -> usize, mut names: Names) -> System {
    let vars: Vec<DimVar> = (0..300 + random(40)).map(|_| names.fresh_dim()).collect();
    let constraints = (0..2 * vars.len()).map(|_| below(vars[random(vars.len())], vars[random(vars.len())])).collect();
    System { names, constraints }
}

/// A grid large enough that its order is drawn anew; then ways back, between rows: these are not seen coming.
fn grid(random: &mut impl FnMut(usize) -> usize, mut names: Names) -> System {
    let side = 16 + random(3);
    let mut vars: Vec<DimVar> = (0..side * side).map(|_| names.fresh_dim()).collect();
    shuffle(&mut vars, random);
    let mut constraints = lines_of_grid(&vars, side, random);
    for _ in 0..4 {
        let (a, b) = (random(vars.len()), random(vars.len()));
        let row = |v: usize| RowTerm::new(Vec::new(), None, vec![vars[v].into()]);
        constraints.push(Constraint::RowLe(row(a.max(b)), row(a.min(b))));
    }
    System { names, constraints }
}
