//! Sums of products, a block of cells at a time.
//!
//! The loops of a plan fall into four groups: along *rows* only the left factors move, along *columns* only the right one,
//! *rounds* are reduced, and the rest stays outside. The factors of a tile are packed, so that they lie in the order in
//! which they are needed. A block of cells then stays in registers for all rounds of a tile, and each of its cells adds its
//! products in the order of the rounds.

use super::plan::Plan;

/// Rows of a block: with its columns, as many sums as registers hold.
const ROWS: usize = 2;
/// Columns of a block.
const COLUMNS: usize = 8;
/// Rounds of a tile: what is packed for a block of rows fits into the nearest memory.
const ROUNDS: usize = 256;
/// Blocks of columns in a tile: what is packed for all of them fits into the next.
const WIDE: usize = 16;
/// The most rounds that are written down. No tensor need have as many cells as there are rounds.
const MOST: usize = 1 << 22;

type Sums = [[f64; COLUMNS]; ROWS];

/// Adds the product of these reads, each with its data, at every point; false where blocks would not pay.
pub(super) fn sum<const N: usize>(
    plan: &Plan,
    out: &mut [f64],
    left: [(usize, &[f64]); N],
    right: (usize, &[f64]),
) -> bool {
    let blocks = Blocks::of(plan, left.map(|(i, _)| i), right.0);
    if let Some(blocks) = &blocks {
        blocks.run(out, left.map(|(_, data)| data), right.1);
    }
    blocks.is_some()
}

/// The loops of a plan in their groups, each as what its points add to the addresses of the target, of the N left factors
/// and of the right one.
struct Blocks<const N: usize> {
    outside: Plan,
    rows: Vec<(usize, [usize; N])>,
    columns: Vec<(usize, usize)>,
    rounds: Vec<([usize; N], usize)>,
}

/// Some columns and some rounds, with what the columns need.
struct Tile<'a, const N: usize> {
    columns: &'a [(usize, usize)],
    rounds: &'a [([usize; N], usize)],
    packed: &'a [[f64; COLUMNS]],
}

impl<const N: usize> Blocks<N> {
    /// For the product of these reads.
    fn of(plan: &Plan, left: [usize; N], right: usize) -> Option<Self> {
        let reads = left.iter().chain([&right]).map(|i| plan.reads[*i].clone()).collect();
        let plan = Plan { reads, ..plan.clone() };
        let (mut outside, mut rows, mut columns, mut rounds) = (vec![], vec![], vec![], vec![]);
        for j in 0..plan.sizes.len() {
            let moves = |i: usize| plan.reads[i].steps[j] != 0;
            let group = match (plan.ordered[j], (0..N).any(moves), moves(N)) {
                (true, ..) => &mut rounds,
                (_, _, false) => &mut rows,
                (_, false, true) => &mut columns,
                (_, true, true) => &mut outside,
            };
            group.push(j);
        }
        let size = |group: &[usize]| group.iter().fold(1, |n: usize, j| n.saturating_mul(plan.sizes[*j]));
        let one_cell = rounds.iter().all(|j| plan.target.steps[*j] == 0);
        let pays = size(&rows) >= ROWS && size(&columns) >= COLUMNS && (4..=MOST).contains(&size(&rounds));
        if !one_cell || !pays {
            return None;
        }
        let left = |at: &[usize]| std::array::from_fn(|i| at[i]);
        Some(Blocks {
            outside: plan.part(&outside),
            rows: plan.offsets(&rows, |target, at| (target, left(at))),
            columns: plan.offsets(&columns, |target, at| (target, at[N])),
            rounds: plan.offsets(&rounds, |_, at| (left(at), at[N])),
        })
    }

    fn run(&self, out: &mut [f64], left: [&[f64]; N], right: &[f64]) {
        let mut packed = Vec::new();
        self.outside.each(|target, at| {
            for columns in self.columns.chunks(WIDE * COLUMNS) {
                for rounds in self.rounds.chunks(ROUNDS) {
                    packed.clear();
                    for block in columns.chunks(COLUMNS) {
                        let factor = |column: &(usize, usize), round: usize| right[at[N] + column.1 + round];
                        pack(&mut packed, rounds, |round, k| {
                            block.get(k).map_or(0.0, |column| factor(column, round.1))
                        });
                    }
                    self.tile(out, target, &Tile { columns, rounds, packed: &packed }, |row, round| {
                        let factor = |i: usize| left[i][at[i] + row[i] + round[i]];
                        (1..N).fold(factor(0), |product, i| product * factor(i))
                    });
                }
            }
        });
    }

    /// All rows of a tile.
    fn tile(&self, out: &mut [f64], target: usize, tile: &Tile<'_, N>, left: impl Fn(&[usize; N], &[usize; N]) -> f64) {
        let mut packed = Vec::new();
        for rows in self.rows.chunks(ROWS) {
            packed.clear();
            pack(&mut packed, tile.rounds, |round, k| rows.get(k).map_or(0.0, |(_, row)| left(row, &round.0)));
            for (right, columns) in tile.packed.chunks(tile.rounds.len()).zip(tile.columns.chunks(COLUMNS)) {
                let cell = |i: usize, j: usize| Some(target + rows.get(i)?.0 + columns.get(j)?.0);
                add(out, cell, &packed, right);
            }
        }
    }
}

/// Appends what a block needs, round by round; what is beyond its end is never stored.
fn pack<T, const W: usize>(packed: &mut Vec<[f64; W]>, rounds: &[T], at: impl Fn(&T, usize) -> f64) {
    packed.extend(rounds.iter().map(|round| std::array::from_fn(|k| at(round, k))));
}

/// Adds the products of all rounds to a block of cells.
fn add(out: &mut [f64], cell: impl Fn(usize, usize) -> Option<usize>, left: &[[f64; ROWS]], right: &[[f64; COLUMNS]]) {
    let mut sums = std::array::from_fn(|i| std::array::from_fn(|j| cell(i, j).map_or(0.0, |at| out[at])));
    all_rounds(&mut sums, left, right);
    for (i, sums) in sums.iter().enumerate() {
        for (j, sum) in sums.iter().enumerate() {
            if let Some(at) = cell(i, j) {
                out[at] = *sum;
            }
        }
    }
}

/// The innermost loop, not inlined: alone, its sums stay in registers.
#[inline(never)]
fn all_rounds(sums: &mut Sums, left: &[[f64; ROWS]], right: &[[f64; COLUMNS]]) {
    let mut held = *sums;
    for (x, y) in left.iter().zip(right) {
        for (sums, x) in held.iter_mut().zip(x) {
            for (sum, y) in sums.iter_mut().zip(y) {
                *sum += x * y;
            }
        }
    }
    *sums = held;
}
