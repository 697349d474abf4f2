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

    /// Adds the products of all rounds to a block of cells. Not inlined: alone, its sums stay in registers.
    #[inline(never)]
    pub(super) fn all_rounds<const ROWS: usize>(
        self,
        sums: &mut [[f64; COLUMNS]; ROWS],
        left: &[[f64; ROWS]],
        right: &[[f64; COLUMNS]],
    ) {
        self.run(
            #[inline(always)]
            || {
                let mut held = *sums;
                for (x, y) in left.iter().zip(right) {
                    for (sums, x) in held.iter_mut().zip(x) {
                        for (sum, y) in sums.iter_mut().zip(y) {
                            *sum += x * y;
                        }
                    }
                }
                *sums = held;
            },
        );
    }
}
