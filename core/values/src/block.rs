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
    /// How many columns from each on are neighbours in the target.
    near_columns: Vec<usize>,
    /// How many rounds from each on are neighbours in the left factor.
    near_rounds: Vec<usize>,
}

/// How many of these from each on are neighbours.
fn near(offsets: impl DoubleEndedIterator<Item = usize>) -> Vec<usize> {
    let mut near: Vec<usize> = Vec::new();
    let mut next = None;
    for offset in offsets.rev() {
        let more = near.last().filter(|_| next == Some(offset + 1)).copied().unwrap_or(0);
        near.push(more + 1);
        next = Some(offset);
    }
    near.reverse();
    near
}

/// Some columns and some rounds, with what the columns need.
struct Tile<'a, const N: usize> {
    columns: &'a [(usize, usize)],
    near_columns: &'a [usize],
    rounds: &'a [([usize; N], usize)],
    near_rounds: &'a [usize],
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
        let rows = pays.then(|| plan.offsets(&rows, |target, at| (target, left(at))))?;
        let columns = plan.offsets(&columns, |target, at| (target, at[N]));
        let rounds = plan.offsets(&rounds, |_, at| (left(at), at[N]));
        let near_columns = near(columns.iter().map(|column| column.0));
        let near_rounds = near(rounds.iter().map(|round| round.0[0]));
        Some(Blocks { outside: plan.part(&outside), rows, columns, rounds, near_columns, near_rounds })
    }

    fn run<const ROWS: usize>(&self, wide: Wide, out: &mut [f64], left: [&[f64]; N], right: &[f64]) {
        let (mut packed, mut packed_rows) = (Vec::new(), Vec::new());
        // Where one tile is all, and the right factor stays where it was, what is packed stays too.
        let high = self.rounds.len().min(ROUNDS);
        let across = (PACKED / high / COLUMNS).max(1) * COLUMNS;
        let one_tile = self.rounds.len() <= ROUNDS && self.columns.len() <= across;
        let mut packed_at = None;
        self.outside.each(|target, at| {
            for (columns, near_columns) in self.columns.chunks(across).zip(self.near_columns.chunks(across)) {
                for (rounds, near_rounds) in self.rounds.chunks(ROUNDS).zip(self.near_rounds.chunks(ROUNDS)) {
                    if !one_tile || packed_at != Some(at[N]) {
                        packed.clear();
                        columns
                            .chunks(COLUMNS)
                            .for_each(|block| pack_columns(&mut packed, rounds, block, right, at[N]));
                        packed_at = Some(at[N]);
                    }
                    let tile = Tile { columns, near_columns, rounds, near_rounds, packed: &packed };
                    self.tile::<ROWS>(wide, out, (target, at), &tile, left, &mut packed_rows);
                }
            }
        });
    }

    /// All rows of a tile.
    fn tile<const ROWS: usize>(
        &self,
        wide: Wide,
        out: &mut [f64],
        (target, at): (usize, &[usize]),
        tile: &Tile<'_, N>,
        left: [&[f64]; N],
        packed: &mut Vec<[f64; ROWS]>,
    ) {
        for rows in self.rows.chunks(ROWS) {
            // What is beyond the end is never stored.
            let row = |k: usize| rows[k.min(rows.len() - 1)].1;
            let all = std::array::from_fn(|k| std::array::from_fn(|i| at[i] + row(k)[i]));
            packed.clear();
            tile.pack_rows::<ROWS>(packed, all, left);
            let blocks = tile.columns.chunks(COLUMNS).zip(tile.near_columns.chunks(COLUMNS));
            for (right, (columns, near)) in tile.packed.chunks(tile.rounds.len()).zip(blocks) {
                let block = Block { target, rows, columns, whole: near[0] >= COLUMNS && columns.len() == COLUMNS };
                let mut held = block.held::<ROWS>(out);
                wide.all_rounds(&mut held, packed, right);
                block.store(out, &held);
            }
        }
    }
}

impl<const N: usize> Tile<'_, N> {
    /// Appends what a block of rows needs, round by round.
    fn pack_rows<const ROWS: usize>(&self, packed: &mut Vec<[f64; ROWS]>, rows: [[usize; N]; ROWS], left: [&[f64]; N]) {
        let neighbours = rows.iter().enumerate().all(|(k, row)| row[0] == rows[0][0] + k);
        if N == 1 && neighbours {
            packed.extend(self.rounds.iter().map(|(round, _)| first(&left[0][rows[0][0] + round[0]..])));
        } else if N == 1 {
            let mut done = 0;
            while done < self.rounds.len() {
                let n = self.near_rounds[done].min(self.rounds.len() - done);
                let from = self.rounds[done].0[0];
                let cells: [&[f64]; ROWS] = rows.map(|row| &left[0][row[0] + from..][..n]);
                packed.extend((0..n).map(|k| cells.map(|cells| cells[k])));
                done += n;
            }
        } else {
            packed.extend(self.rounds.iter().map(|(round, _)| {
                rows.map(|row| {
                    let factor = |i: usize| left[i][row[i] + round[i]];
                    (1..N).fold(factor(0), |product, i| product * factor(i))
                })
            }));
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
fn first<const W: usize>(cells: &[f64]) -> [f64; W] {
    let cells = &cells[..W];
    std::array::from_fn(|k| cells[k])
}

/// The cells of a block of rows and columns: no more than it has sums.
struct Block<'a, const N: usize> {
    target: usize,
    rows: &'a [(usize, [usize; N])],
    columns: &'a [(usize, usize)],
    /// Are its columns neighbours, and as many as there are sums?
    whole: bool,
}

impl<const N: usize> Block<'_, N> {
    fn held<const ROWS: usize>(&self, out: &[f64]) -> [[f64; COLUMNS]; ROWS] {
        let mut held = [[0.0; COLUMNS]; ROWS];
        for (sums, (row, _)) in held.iter_mut().zip(self.rows) {
            let row = self.target + row;
            if self.whole {
                *sums = first(&out[row + self.columns[0].0..]);
            } else {
                sums.iter_mut().zip(self.columns).for_each(|(sum, column)| *sum = out[row + column.0]);
            }
        }
        held
    }

    fn store<const ROWS: usize>(&self, out: &mut [f64], held: &[[f64; COLUMNS]; ROWS]) {
        for (sums, (row, _)) in held.iter().zip(self.rows) {
            let row = self.target + row;
            if self.whole {
                out[row + self.columns[0].0..][..COLUMNS].copy_from_slice(sums);
            } else {
                sums.iter().zip(self.columns).for_each(|(sum, column)| out[row + column.0] = *sum);
            }
        }
    }
}
