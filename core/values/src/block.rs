//! Sums of products, a block of cells at a time.
//!
//! The loops of a plan fall into four groups: along *rows* only the left factors move, along *columns* only the right one,
//! *rounds* are reduced, and the rest stays outside. The factors of a tile are packed, so that they lie in the order in
//! which they are needed. A block of cells then stays in registers for all rounds of a tile, and each of its cells adds its
//! products in the order of the rounds.

use super::plan::Plan;
use super::wide::{COLUMNS, Factors, Wide};

/// Rounds of a tile: what is packed for a block of rows fits into the nearest memory.
const ROUNDS: usize = 256;
/// Cells of what is packed for all columns of a tile: they fit into the next.
const PACKED: usize = 1 << 15;
/// Runs of so many rounds are long.
const LONG: usize = 8;
/// The most blocks that share a factor for which packing it does not pay.
const FEW: usize = 4;
/// Cells that fit into the nearest memory.
const SPAN: usize = 1 << 13;
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
        blocks.run(out, left.map(|(_, data)| data), right.1);
    }
    blocks.is_some()
}

/// The loops of a plan in their groups, each as what its points add to the addresses of the target, of the N left factors
/// and of the right one.
pub(super) struct Blocks<const N: usize> {
    outside: Plan,
    rows: Vec<(usize, [usize; N])>,
    columns: Vec<(usize, usize)>,
    rounds: Vec<([usize; N], usize)>,
    /// How many columns from each on are neighbours in the target.
    near_columns: Vec<usize>,
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

/// Rounds by runs of neighbours in the left factor: where each begins, and its length.
fn runs<const N: usize>(rounds: &[([usize; N], usize)]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (round, _) in rounds {
        match runs.last_mut() {
            Some((from, n)) if *from + *n == round[0] => *n += 1,
            _ => runs.push((round[0], 1)),
        }
    }
    runs
}

/// Do blocks of so many rows, columns and rounds pay?
pub(super) fn pay(rows: usize, columns: usize, rounds: usize) -> bool {
    rows >= 2 && columns >= COLUMNS && (4..=MOST).contains(&rounds)
}

/// What the columns of a tile need: packed, or where it lies, with what the rounds add.
#[derive(Clone, Copy)]
enum Right<'a> {
    Packed(&'a [[f64; COLUMNS]]),
    Lying(&'a [f64], &'a [usize]),
}

/// Some columns and some rounds.
struct Tile<'a, const N: usize> {
    columns: &'a [(usize, usize)],
    near_columns: &'a [usize],
    rounds: &'a [([usize; N], usize)],
    /// The rounds by runs of neighbours in the left factor.
    runs: &'a [(usize, usize)],
    right: Right<'a>,
}

/// Loops that are no rounds.
pub(super) struct Groups {
    pub(super) outside: Vec<usize>,
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
}

impl Groups {
    /// Of these loops of a plan whose last read is the right factor.
    pub(super) fn of(plan: &Plan, loops: &[usize]) -> Self {
        let mut groups = Groups { outside: Vec::new(), rows: Vec::new(), columns: Vec::new() };
        let last = plan.reads.len() - 1;
        for j in loops {
            let moves = |i: usize| plan.reads[i].steps[*j] != 0;
            let group = match (plan.ordered[*j], (0..last).any(moves), moves(last)) {
                (true, ..) | (_, true, true) => &mut groups.outside,
                (_, _, false) => &mut groups.rows,
                (_, false, true) => &mut groups.columns,
            };
            group.push(*j);
        }
        groups
    }
}

impl<const N: usize> Blocks<N> {
    /// For the product of these reads.
    fn of(plan: &Plan, left: [usize; N], right: usize) -> Option<Self> {
        let reads: Vec<usize> = left.into_iter().chain([right]).collect();
        let plan = plan.reading(&reads);
        let rounds: Vec<usize> = plan.rounds().collect();
        let others: Vec<usize> = (0..plan.sizes.len()).filter(|j| !rounds.contains(j)).collect();
        let Groups { outside, rows, columns } = Groups::of(&plan, &others);
        let size = |group: &[usize]| plan.points(group.iter().copied());
        pay(size(&rows), size(&columns), size(&rounds)).then(|| {
            let left = |at: &[usize]| std::array::from_fn(|i| at[i]);
            let rows = plan.offsets(&rows, |target, at| (target, left(at)));
            let columns = plan.offsets(&columns, |target, at| (target, at[N]));
            let rounds = plan.offsets(&rounds, |_, at| (left(at), at[N]));
            Blocks::new(plan.part(&outside), rows, columns, rounds)
        })
    }

    pub(super) fn new(
        outside: Plan,
        rows: Vec<(usize, [usize; N])>,
        columns: Vec<(usize, usize)>,
        rounds: Vec<([usize; N], usize)>,
    ) -> Self {
        let near_columns = near(columns.iter().map(|column| column.0));
        Blocks { outside, rows, columns, rounds, near_columns }
    }

    pub(super) fn run(&self, out: &mut [f64], left: [&[f64]; N], right: &[f64]) {
        let wide = Wide::here();
        // With its columns, as many sums as registers hold.
        if wide.has_room() {
            self.by_rows::<4>(wide, out, left, right);
        } else {
            self.by_rows::<2>(wide, out, left, right);
        }
    }

    fn by_rows<const ROWS: usize>(&self, wide: Wide, out: &mut [f64], left: [&[f64]; N], right: &[f64]) {
        let (mut packed, mut packed_rows) = (Vec::new(), Vec::new());
        // Where one tile is all, and the right factor stays where it was, what is packed stays too.
        let high = self.rounds.len().min(ROUNDS);
        let across = (PACKED / high / COLUMNS).max(1) * COLUMNS;
        let one_tile = self.rounds.len() <= ROUNDS && self.columns.len() <= across;
        let lies = !one_tile && self.rows.len() <= FEW * ROWS && self.right_may_lie();
        let across = if lies { self.columns.len() } else { across };
        let mut packed_at = None;
        let tiles = || self.rounds.chunks(ROUNDS);
        let all_runs: Vec<Vec<(usize, usize)>> = tiles().map(runs).collect();
        let offsets: Vec<usize> = self.rounds.iter().map(|round| round.1).collect();
        self.outside.each(|target, at| {
            for (columns, near_columns) in self.columns.chunks(across).zip(self.near_columns.chunks(across)) {
                for ((rounds, runs), offsets) in tiles().zip(&all_runs).zip(offsets.chunks(ROUNDS)) {
                    if !lies && (!one_tile || packed_at != Some(at[N])) {
                        packed.clear();
                        columns
                            .chunks(COLUMNS)
                            .for_each(|block| pack_columns(&mut packed, rounds, block, right, at[N]));
                        packed_at = Some(at[N]);
                    }
                    let right = if lies { Right::Lying(&right[at[N]..], offsets) } else { Right::Packed(&packed) };
                    let tile = Tile { columns, near_columns, rounds, runs, right };
                    self.tile::<ROWS>(wide, out, (target, at), &tile, left, &mut packed_rows);
                }
            }
        });
    }

    /// Is the right factor read where it lies? Its columns are neighbours then, and the rounds of a tile are not far from
    /// each other, as those of windows that overlap.
    fn right_may_lie(&self) -> bool {
        let neighbours = |block: &[(usize, usize)]| {
            block.len() == COLUMNS && block.iter().enumerate().all(|(k, column)| column.1 == block[0].1 + k)
        };
        let near = |rounds: &[([usize; N], usize)]| {
            let (least, most) = rounds.iter().fold((usize::MAX, 0), |(a, b), (_, at)| (a.min(*at), b.max(*at)));
            most - least <= SPAN
        };
        self.columns.chunks(COLUMNS).all(neighbours) && self.rounds.chunks(ROUNDS).all(near)
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
        let lies = tile.left_may_lie();
        for rows in self.rows.chunks(ROWS) {
            // What is beyond the end is never stored.
            let row = |k: usize| rows[k.min(rows.len() - 1)].1;
            let all: [[usize; N]; ROWS] = std::array::from_fn(|k| std::array::from_fn(|i| at[i] + row(k)[i]));
            if !lies {
                packed.clear();
                tile.pack_rows::<ROWS>(packed, all, left);
            }
            let blocks = tile.columns.chunks(COLUMNS).zip(tile.near_columns.chunks(COLUMNS));
            for (i, (columns, near)) in blocks.enumerate() {
                let factors = match tile.right {
                    Right::Lying(right, rounds) => {
                        Factors::RightLies { left: packed, right: &right[columns[0].1..], rounds }
                    }
                    Right::Packed(right) => {
                        let right = &right[i * tile.rounds.len()..][..tile.rounds.len()];
                        if lies {
                            Factors::LeftLies { rows: all.map(|row| &left[0][row[0]..]), runs: tile.runs, right }
                        } else {
                            Factors::Packed { left: packed, right }
                        }
                    }
                };
                let block = Block { target, rows, columns };
                if rows.len() == ROWS && columns.len() == COLUMNS && near[0] >= COLUMNS {
                    let at = std::array::from_fn(|k| target + rows[k].0 + columns[0].0);
                    wide.all_rounds(out, at, &factors);
                } else {
                    let mut held = block.held::<ROWS>(out);
                    let at = std::array::from_fn(|k| k * COLUMNS);
                    wide.all_rounds(held.as_flattened_mut(), at, &factors);
                    block.store(out, &held);
                }
            }
        }
    }
}

impl<const N: usize> Tile<'_, N> {
    /// Is the left factor read where it lies? It is then read in runs, for each block of columns again.
    fn left_may_lie(&self) -> bool {
        let packed = matches!(self.right, Right::Packed(_));
        N == 1 && packed && self.runs.len() * LONG <= self.rounds.len() && self.columns.len() <= FEW * COLUMNS
    }

    /// Appends what a block of rows needs, round by round.
    fn pack_rows<const ROWS: usize>(&self, packed: &mut Vec<[f64; ROWS]>, rows: [[usize; N]; ROWS], left: [&[f64]; N]) {
        let neighbours = rows.iter().enumerate().all(|(k, row)| row[0] == rows[0][0] + k);
        if N == 1 && neighbours {
            packed.extend(self.rounds.iter().map(|(round, _)| first(&left[0][rows[0][0] + round[0]..])));
        } else if N == 1 {
            for (from, n) in self.runs {
                let cells: [&[f64]; ROWS] = rows.map(|row| &left[0][row[0] + from..][..*n]);
                packed.extend((0..*n).map(|k| cells.map(|cells| cells[k])));
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
}

impl<const N: usize> Block<'_, N> {
    fn held<const ROWS: usize>(&self, out: &[f64]) -> [[f64; COLUMNS]; ROWS] {
        let mut held = [[0.0; COLUMNS]; ROWS];
        for (sums, (row, _)) in held.iter_mut().zip(self.rows) {
            sums.iter_mut().zip(self.columns).for_each(|(sum, column)| *sum = out[self.target + row + column.0]);
        }
        held
    }

    fn store<const ROWS: usize>(&self, out: &mut [f64], held: &[[f64; COLUMNS]; ROWS]) {
        for (sums, (row, _)) in held.iter().zip(self.rows) {
            sums.iter().zip(self.columns).for_each(|(sum, column)| out[self.target + row + column.0] = *sum);
        }
    }
}
