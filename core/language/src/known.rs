//! What comes again: things that are counted as they come, each found where one like it came first.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// The things seen so far, by their numbers.
pub(crate) struct Known<K> {
    /// The first of each kind. Nothing goes through the table in its own order.
    first: HashMap<K, usize, Folds>,
    /// How many there were, and one like the last.
    count: usize,
    last: usize,
}

impl<K> Default for Known<K> {
    fn default() -> Self {
        Known { first: HashMap::default(), count: 0, last: 0 }
    }
}

impl<K: Clone + Eq + Hash> Known<K> {
    /// An earlier one that is like the next one, or the next one itself, if there is none. Most come in the order in which
    /// others came before them, so what followed the last one then is looked at first, before the next one is made.
    pub(crate) fn find(&mut self, is: impl FnOnce(usize) -> bool, next: impl FnOnce() -> K) -> Result<usize, K> {
        let (number, follows) = (self.count, self.last + 1);
        self.count += 1;
        if follows < number && is(follows) {
            self.last = follows;
            return Ok(follows);
        }
        let next = next();
        self.last = *self.first.entry(next.clone()).or_insert(number);
        if self.last < number { Ok(self.last) } else { Err(next) }
    }
}

/// Hashes by one multiplication a number. Every table has a secret of its own, so that no program can be written whose
/// shapes fall together: its sizes are anybody's choice.
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
