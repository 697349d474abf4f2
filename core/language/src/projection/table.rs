//! The loop nests that are known, by situation.

use super::local::Nest;
use super::situation::Situation;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// Nothing goes through the table in its own order.
pub(super) type Table<'a> = HashMap<Situation<'a>, Arc<Nest>, Folds>;

/// Hashes by one multiplication a number. Every table has a secret of its own, so that no program can be written whose
/// situations fall together: its sizes are anybody's choice.
#[derive(Clone)]
pub(super) struct Folds(u64);

impl Default for Folds {
    fn default() -> Self {
        // An even factor would lose what is in the highest bits.
        Folds(RandomState::new().hash_one(()) | 1)
    }
}

impl BuildHasher for Folds {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded { by: self.0, hash: self.0.rotate_left(32) }
    }
}

/// A hash of some numbers.
pub(super) struct Folded {
    by: u64,
    hash: u64,
}

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut all = [0; 8];
            all[..word.len()].copy_from_slice(word);
            self.write_u64(u64::from_le_bytes(all));
        }
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        let product = u128::from(self.hash ^ n) * u128::from(self.by);
        self.hash = (product >> 64) as u64 ^ product as u64;
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}
