//! Def. 7.3 The projection solver: one pass, a partition, pins, and a set of iterated classes.
//!
//! ```
//! use lozenge::projection::{Atom, Equation, Index, Proj, solve};
//! let p = |i| Atom::Proj(Proj(i));
//! let classes = solve(&[3, 3, 2], &[Equation::Eq(p(0), p(1)), Equation::Iter(p(1))])?;
//! assert_eq!(classes.of, [0, 0, 1]);
//! assert!(classes.classes[0].iterate && !classes.classes[1].iterate);
//! assert!(solve(&[3, 2], &[Equation::Eq(p(0), p(1))]).is_err());      // 7.4 (a): two sizes
//! # let _ = Index::Fix(0);
//! # Ok::<(), lozenge::projection::Conflict>(())
//! ```

use crate::mutant::{self, Mutant};
use ena::unify::{InPlaceUnificationTable, UnifyKey, UnifyValue};
use lozenge_calculus::projection::{Class, Classes, Conflict, Equation, Partition, Proj, pass};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key(u32);

impl UnifyKey for Key {
    type Value = Known;
    fn index(&self) -> u32 {
        self.0
    }
    fn from_index(index: u32) -> Self {
        Key(index)
    }
    fn tag() -> &'static str {
        "projection"
    }
}

/// A class, as union–find keeps it.
#[derive(Clone, Debug)]
struct Known(Class);

impl UnifyValue for Known {
    type Error = Conflict;

    fn unify_values(a: &Self, b: &Self) -> Result<Self, Conflict> {
        let pin = |class: Class| if mutant::is(Mutant::UnionPin) { Class { pin: None, ..class } } else { class };
        a.0.merge(&b.0).map(pin).map(Known)
    }
}

/// The partition, as union–find.
struct Unified(InPlaceUnificationTable<Key>);

impl Unified {
    fn key(&self, p: Proj) -> Result<Key, Conflict> {
        if (p.0 as usize) < self.0.len() { Ok(Key(p.0)) } else { Err(Conflict::Unknown(p)) }
    }
}

impl Partition for Unified {
    fn union(&mut self, p: Proj, q: Proj) -> Result<(), Conflict> {
        self.0.unify_var_var(self.key(p)?, self.key(q)?)
    }

    fn know(&mut self, p: Proj, now: impl FnOnce(Class) -> Class) -> Result<(), Conflict> {
        let key = self.key(p)?;
        let Known(class) = self.0.probe_value(key);
        self.0.unify_var_value(key, Known(now(class)))
    }
}

/// Def. 7.3, with sz(p) = `sizes[p]`.
///
/// # Errors
/// A [`Conflict`]: whether there is one does not depend on the order of the equations (Thm. 7.4).
pub fn solve<'a>(sizes: &[u64], equations: impl IntoIterator<Item = &'a Equation>) -> Result<Classes, Conflict> {
    let mut partition = Unified(InPlaceUnificationTable::new());
    for size in sizes {
        partition.0.new_key(Known(Class::of_size(*size)));
    }
    pass(&mut partition, equations)?;
    Ok(classes(partition.0))
}

fn classes(mut table: InPlaceUnificationTable<Key>) -> Classes {
    let mut number = vec![None; table.len()];
    let (mut of, mut classes) = (Vec::with_capacity(table.len()), Vec::new());
    for key in (0..table.len()).filter_map(|i| u32::try_from(i).ok()).map(Key) {
        let root = table.find(key);
        let class = *number[root.0 as usize].get_or_insert_with(|| {
            classes.push(table.probe_value(root).0);
            classes.len() - 1
        });
        let class = if mutant::is(Mutant::UnionNumber) { root.0 as usize } else { class };
        of.push(class);
    }
    Classes { of, classes }
}
