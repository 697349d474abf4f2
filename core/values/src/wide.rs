//! Loops in the widest registers that the machine has, found out when the program runs.
//!
//! Wider registers hold more cells at once. They change no result: each cell still has one rounding for every product and
//! one for every sum, and nothing is fused.

use fearless_simd::{Level, dispatch};

/// Columns of a block, side by side in registers.
pub(super) const COLUMNS: usize = 8;

/// What the machine has.
#[derive(Clone, Copy)]
pub(super) struct Wide(Level);

impl Wide {
    pub(super) fn here() -> Self {
        Wide(Level::new())
    }

    /// Do the sums of four rows stay in registers? In those of every x86-64 two do.
    pub(super) fn has_room(self) -> bool {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        return self.0.as_avx2().is_some();
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        return !self.0.is_fallback();
    }

    /// Runs a loop with all that the machine has. What it calls must be inlined.
    #[inline(always)]
    pub(super) fn run<T>(self, run: impl FnOnce() -> T) -> T {
        dispatch!(self.0, _simd => run())
    }

    /// Adds the products of all rounds to a block of cells, whose rows begin there. Not inlined: alone, its sums stay in
    /// registers.
    #[inline(never)]
    pub(super) fn all_rounds<const ROWS: usize>(
        self,
        cells: &mut [f64],
        at: [usize; ROWS],
        factors: &Factors<'_, ROWS>,
    ) {
        self.run(
            #[inline(always)]
            || {
                let mut sums = [[0.0; COLUMNS]; ROWS];
                for (sums, at) in sums.iter_mut().zip(at) {
                    sums.copy_from_slice(&cells[at..at + COLUMNS]);
                }
                match *factors {
                    Factors::Packed { left, right } => {
                        for (x, y) in left.iter().zip(right) {
                            add(&mut sums, x, y);
                        }
                    }
                    Factors::LeftLies { rows, runs, right } => by_runs(&mut sums, rows, runs, right),
                    Factors::RightLies { left, right, rounds } => {
                        for (x, round) in left.iter().zip(rounds) {
                            let mut y = [0.0; COLUMNS];
                            y.copy_from_slice(&right[*round..*round + COLUMNS]);
                            add(&mut sums, x, &y);
                        }
                    }
                }
                for (sums, at) in sums.iter().zip(at) {
                    cells[at..at + COLUMNS].copy_from_slice(sums);
                }
            },
        );
    }
}

/// The factors of a block: packed, round by round, or where they lie.
pub(super) enum Factors<'a, const ROWS: usize> {
    Packed {
        left: &'a [[f64; ROWS]],
        right: &'a [[f64; COLUMNS]],
    },
    LeftLies {
        /// From where each row begins on.
        rows: [&'a [f64]; ROWS],
        /// The rounds by runs of neighbours: where each begins, and its length.
        runs: &'a [(usize, usize)],
        right: &'a [[f64; COLUMNS]],
    },
    RightLies {
        left: &'a [[f64; ROWS]],
        /// From where the columns, which are neighbours, begin on.
        right: &'a [f64],
        rounds: &'a [usize],
    },
}

#[inline(always)]
fn by_runs<const ROWS: usize>(
    sums: &mut [[f64; COLUMNS]; ROWS],
    rows: [&[f64]; ROWS],
    runs: &[(usize, usize)],
    mut right: &[[f64; COLUMNS]],
) {
    for (from, n) in runs {
        let (now, later) = right.split_at(*n);
        let mut run = rows;
        for row in &mut run {
            *row = &row[*from..][..now.len()];
        }
        for (k, y) in now.iter().enumerate() {
            let mut x = [0.0; ROWS];
            for (x, row) in x.iter_mut().zip(run) {
                *x = row[k];
            }
            add(sums, &x, y);
        }
        right = later;
    }
}

/// One round.
#[inline(always)]
fn add<const ROWS: usize>(sums: &mut [[f64; COLUMNS]; ROWS], x: &[f64; ROWS], y: &[f64; COLUMNS]) {
    for (sums, x) in sums.iter_mut().zip(x) {
        for (sum, y) in sums.iter_mut().zip(y) {
            *sum += x * y;
        }
    }
}
