//! Sums of products, a block of cells at a time.
//!
//! The loops of a plan fall into four groups: along *rows* only the left factors move, along *columns* only the right one,
//! *rounds* are reduced, and the rest stays outside. The factors of a tile are packed, so that they lie in the order in
//! which they are needed. A block of cells then stays in registers for all rounds of a tile, and each of its cells adds its
//! products in the order of the rounds.

use super::plan::Plan;
use super::wide::{COLUMNS, Wide};

/// Rounds of a tile: what is packed for a block of rows fits into the nearest memory.
const ROUNDS: usize = 256;
/// Cells of what is packed for all columns of a tile: they fit into the next.
const PACKED: usize = 1 << 15;
/// The most rounds that are written down. No tensor need have as many cells as there are rounds.
const MOST: usize = 1 << 22;

/// Adds the product of these reads, each with its data, at every point; false where blocks would not pay.
pub(super) fn sum<const N: usize>(
    plan: &Plan,
    out: &mut [f64],
    left: [(usize, &[f64]); N],
    right: (usize, &[f64]),
) -> bool {
    let blocks = Blocks::of(plan, left.map(|(i, _)| i), right.0);
    if let Some(blocks) = &blocks {
        let (wide, left) = (Wide::here(), left.map(|(_, data)| data));
        // With its columns, as many sums as registers hold.
        if wide.has_room() {
            blocks.run::<4>(wide, out, left, right.1);
        } else {
            blocks.run::<2>(wide, out, left, right.1);
        }
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
        let rounds: Vec<usize> = plan.rounds().collect();
        let (mut outside, mut rows, mut columns) = (vec![], vec![], vec![]);
        for j in (0..plan.sizes.len()).filter(|j| !rounds.contains(j)) {
            let moves = |i: usize| plan.reads[i].steps[j] != 0;
            let group = match (plan.ordered[j], (0..N).any(moves), moves(N)) {
                (true, ..) | (_, true, true) => &mut outside,
                (_, _, false) => &mut rows,
                (_, false, true) => &mut columns,
            };
            group.push(j);
        }
        let size = |group: &[usize]| group.iter().fold(1, |n: usize, j| n.saturating_mul(plan.sizes[*j]));
        let pays = size(&rows) >= 2 && size(&columns) >= COLUMNS && (4..=MOST).contains(&size(&rounds));
        let left = |at: &[usize]| std::array::from_fn(|i| at[i]);
        pays.then(|| Blocks {
            outside: plan.part(&outside),
            rows: plan.offsets(&rows, |target, at| (target, left(at))),
            columns: plan.offsets(&columns, |target, at| (target, at[N])),
            rounds: plan.offsets(&rounds, |_, at| (left(at), at[N])),
        })
    }

    fn run<const ROWS: usize>(&self, wide: Wide, out: &mut [f64], left: [&[f64]; N], right: &[f64]) {
        let mut packed = Vec::new();
        // Where one tile is all, and the right factor stays where it was, what is packed stays too.
        let rounds = self.rounds.len().min(ROUNDS);
        let columns = (PACKED / rounds / COLUMNS).max(1) * COLUMNS;
        let one_tile = self.rounds.len() <= ROUNDS && self.columns.len() <= columns;
        let mut packed_at = None;
        self.outside.each(|target, at| {
            for columns in self.columns.chunks(columns) {
                for rounds in self.rounds.chunks(ROUNDS) {
                    if !one_tile || packed_at != Some(at[N]) {
                        packed.clear();
                        columns
                            .chunks(COLUMNS)
                            .for_each(|block| pack_columns(&mut packed, rounds, block, right, at[N]));
                        packed_at = Some(at[N]);
                    }
                    let tile = Tile { columns, rounds, packed: &packed };
                    self.tile::<ROWS>(wide, out, target, &tile, |row, round| {
                        let factor = |i: usize| left[i][at[i] + row[i] + round[i]];
                        (1..N).fold(factor(0), |product, i| product * factor(i))
                    });
                }
            }
        });
    }

    /// All rows of a tile.
    fn tile<const ROWS: usize>(
        &self,
        wide: Wide,
        out: &mut [f64],
        target: usize,
        tile: &Tile<'_, N>,
        left: impl Fn(&[usize; N], &[usize; N]) -> f64,
    ) {
        let mut packed: Vec<[f64; ROWS]> = Vec::with_capacity(tile.rounds.len());
        for rows in self.rows.chunks(ROWS) {
            // What is beyond the end is never stored.
            let row = |k: usize| &rows[k.min(rows.len() - 1)].1;
            let all: [&[usize; N]; ROWS] = std::array::from_fn(row);
            packed.clear();
            packed.extend(tile.rounds.iter().map(|(round, _)| all.map(|row| left(row, round))));
            for (right, columns) in tile.packed.chunks(tile.rounds.len()).zip(tile.columns.chunks(COLUMNS)) {
                let sums = Block { target, rows, columns };
                let mut held = sums.held::<ROWS>(out);
                wide.all_rounds(&mut held, &packed, right);
                sums.store(out, &held);
            }
        }
    }
}

/// Appends what a block of columns needs, round by round; what is beyond its end is never stored.
fn pack_columns<const N: usize>(
    packed: &mut Vec<[f64; COLUMNS]>,
    rounds: &[([usize; N], usize)],
    block: &[(usize, usize)],
    right: &[f64],
    at: usize,
) {
    let columns: [usize; COLUMNS] = std::array::from_fn(|k| at + block[k.min(block.len() - 1)].1);
    if columns.iter().enumerate().all(|(k, column)| *column == columns[0] + k) {
        packed.extend(rounds.iter().map(|(_, round)| first(&right[columns[0] + round..])));
    } else {
        packed.extend(rounds.iter().map(|(_, round)| columns.map(|column| right[column + round])));
    }
}

/// The first cells of these.
fn first(cells: &[f64]) -> [f64; COLUMNS] {
    let cells = &cells[..COLUMNS];
    std::array::from_fn(|k| cells[k])
}

/// The cells of a block of rows and columns: no more than it has sums.
struct Block<'a, const N: usize> {
    target: usize,
    rows: &'a [(usize, [usize; N])],
    columns: &'a [(usize, usize)],
}

impl<const N: usize> Block<'_, N> {
    /// Are its columns neighbours, and as many as there are sums?
    fn is_whole(&self) -> bool {
        let first = self.columns[0].0;
        self.columns.len() == COLUMNS && self.columns.iter().enumerate().all(|(k, column)| column.0 == first + k)
    }

    fn held<const ROWS: usize>(&self, out: &[f64]) -> [[f64; COLUMNS]; ROWS] {
        let mut held = [[0.0; COLUMNS]; ROWS];
        let whole = self.is_whole();
        for (sums, (row, _)) in held.iter_mut().zip(self.rows) {
            let row = self.target + row;
            if whole {
                *sums = first(&out[row + self.columns[0].0..]);
            } else {
                sums.iter_mut().zip(self.columns).for_each(|(sum, column)| *sum = out[row + column.0]);
            }
        }
        held
    }

    fn store<const ROWS: usize>(&self, out: &mut [f64], held: &[[f64; COLUMNS]; ROWS]) {
        let whole = self.is_whole();
        for (sums, (row, _)) in held.iter().zip(self.rows) {
            let row = self.target + row;
            if whole {
                out[row + self.columns[0].0..][..COLUMNS].copy_from_slice(sums);
            } else {
                sums.iter().zip(self.columns).for_each(|(sum, column)| out[row + column.0] = *sum);
            }
        }
    }
}
