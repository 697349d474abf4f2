//! A hash table keyed by variables. Their numbers are small and given out in order, so one multiplication
//! spreads them; nobody can choose them, and nothing ever goes through the table in its own order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table keyed by variables.
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Numbers>>;

/// A hash of a few numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers(u64);

impl Hasher for Numbers {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u32(u32::from(*b)));
    }

    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0.rotate_left(26) ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
