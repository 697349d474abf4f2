//! The operations whose loop nests are known, by situation.

use super::situation::Situation;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The operations seen so far.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// The first in each situation. Nothing goes through the table in its own order.
    first: HashMap<Situation<'a>, usize, Folds>,
    /// How many there were, and one in the situation of the last.
    count: usize,
    last: usize,
}

impl<'a> Known<'a> {
    /// An earlier operation in the situation of the next one, if there is one; `of` is the situation of each. Most come in
    /// the order in which others came before them, so what followed the last one then is looked at first.
    pub(super) fn find(&mut self, next: Situation<'a>, of: impl Fn(usize) -> Situation<'a>) -> Option<usize> {
        let (number, follows) = (self.count, self.last + 1);
        self.count += 1;
        self.last =
            if follows < number && of(follows) == next { follows } else { *self.first.entry(next).or_insert(number) };
        Some(self.last).filter(|earlier| *earlier < number)
    }
}

/// Hashes by one multiplication a number. Every table has a secret of its own, so that no program can be written whose
/// situations fall together: its sizes are anybody's choice.
#[derive(Clone)]
struct Folds(u64);

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
struct Folded {
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
