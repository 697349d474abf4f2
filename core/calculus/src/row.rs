//! §2 Rows: flanks around a marker, expansion, the row order ⊑, joins, and flat equivalence ≈.
//!
//! ```
//! use lozenge::row::Row;
//! let row = |lead: &[u64], trail: &[u64]| Row::of_sizes(lead, trail);
//! let (result, operand) = (row(&[3], &[2, 4])?, row(&[3], &[4])?);
//! assert!(result <= operand);                       // [3,2,4] refines [3,1∅,4]
//! assert!(!(result <= row(&[3, 4], &[])?));         // ⊑ sees the marker …
//! assert!(operand.flat_eq(&row(&[3, 4], &[])?));    // … ≈ does not
//! # Ok::<(), lozenge::dim::SizeZero>(())
//! ```
//!
//! Chapter: spec/2-rows.md.

use crate::contract::contract;
use crate::dim::{Dim, DimBot, SizeZero, join_post, partial_cmp_by};
use std::cmp::Ordering;
use std::fmt;

/// Def. 2.1: a row l·⋄·r. `==` is equality of the pair (l, r), so it sees the marker;
/// `<=` is the row order ⊑ of Def. 2.3.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Row {
    /// The leading flank l.
    pub lead: Vec<Dim>,
    /// The trailing flank r.
    pub trail: Vec<Dim>,
}

/// One end of a row, or one of its flanks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edge {
    /// From the front; the leading flank.
    Front,
    /// From the back; the trailing flank.
    Back,
}

/// Def. 2.2: R↑n, the flat sequence l·(1∅)ⁿ⁻ʳᵃⁿᵏ·r, without building it.
#[derive(Clone, Copy, Debug)]
pub struct Expansion<'a> {
    row: &'a Row,
    rank: usize,
}

/// Def. 2.2 asks for n ≥ rank(R).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BelowRank {
    /// The n asked for.
    pub asked: usize,
    /// The rank of the row.
    pub rank: usize,
}

impl fmt::Display for BelowRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BelowRank { asked, rank } = self;
        write!(f, "cannot expand a row of rank {rank} to {asked} axes: ask for {rank} or more (Def. 2.2)")
    }
}

impl std::error::Error for BelowRank {}

/// Why R₂ ⋢ R₁: the clause of Def. 2.3 that fails, at the first place it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotLe {
    /// Clause (i), leading side: the result has fewer leading axes than the operand.
    LeadShort {
        /// Leading axes of the result.
        result: usize,
        /// Leading axes of the operand.
        operand: usize,
    },
    /// Clause (i), trailing side: the result has fewer trailing axes than the operand.
    TrailShort {
        /// Trailing axes of the result.
        result: usize,
        /// Trailing axes of the operand.
        operand: usize,
    },
    /// Clause (ii): at this position of the expansion the result does not refine the operand.
    At {
        /// Position in the flattened result, from 0.
        position: usize,
        /// The result's dimension there.
        result: Dim,
        /// The dimension of the operand's expansion there.
        operand: Dim,
    },
}

impl Row {
    /// The empty row []·⋄·[]: the top (Prop. 2.6).
    pub const EMPTY: Row = Row { lead: Vec::new(), trail: Vec::new() };

    /// l·⋄·r.
    #[must_use]
    pub fn new(lead: Vec<Dim>, trail: Vec<Dim>) -> Self {
        Row { lead, trail }
    }

    /// A row of sizes with basis default.
    ///
    /// # Errors
    /// [`SizeZero`] when a size is 0.
    pub fn of_sizes(lead: &[u64], trail: &[u64]) -> Result<Self, SizeZero> {
        let flank = |sizes: &[u64]| sizes.iter().map(|&n| Dim::size(n)).collect::<Result<Vec<_>, _>>();
        Ok(Row::new(flank(lead)?, flank(trail)?))
    }

    /// The row with this flat content and its marker after `split` axes (at the end, if there are fewer).
    #[must_use]
    pub fn split_at(flat: &[Dim], split: usize) -> Self {
        let (lead, trail) = flat.split_at(split.min(flat.len()));
        Row::new(lead.to_vec(), trail.to_vec())
    }

    /// rank(l·⋄·r) = |l| + |r|.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.lead.len() + self.trail.len()
    }

    /// Def. 2.2: the expansion R↑n.
    ///
    /// # Errors
    /// [`BelowRank`] when n < rank(R).
    pub fn expansion(&self, n: usize) -> Result<Expansion<'_>, BelowRank> {
        if n < self.rank() {
            return Err(BelowRank { asked: n, rank: self.rank() });
        }
        Ok(Expansion { row: self, rank: n })
    }

    /// R↑n\[i\] for i < n and n ≥ rank(R), as Def. 2.2 writes it: l, then 1∅, then r.
    ///
    /// # Panics
    /// Where it is asked for something else.
    #[must_use]
    pub fn expanded_at(&self, n: usize, i: usize) -> Dim {
        match i {
            _ if i < self.lead.len() => self.lead[i],
            _ if i < n - self.trail.len() => Dim::Unit,
            _ => self.trail[i + self.trail.len() - n],
        }
    }

    contract! {
        /// Def. 2.3: R₂ ⊑ R₁, or the clause that fails. `self` is the result R₂.
        ///
        /// # Errors
        /// [`NotLe`] names the clause of Def. 2.3 and the place.
        ensures_run(r) check_le_post(self, operand, r);
        pub fn check_le(&self, operand: &Row) -> Result<(), NotLe> {
            let (l2, l1) = (self.lead.len(), operand.lead.len());
            if l2 < l1 {
                return Err(NotLe::LeadShort { result: l2, operand: l1 });
            }
            let (r2, r1) = (self.trail.len(), operand.trail.len());
            if r2 < r1 {
                return Err(NotLe::TrailShort { result: r2, operand: r1 });
            }
            let expanded = Expansion { row: operand, rank: self.rank() };
            pointwise(self.flat(), expanded.iter())
        }
    }

    /// Def. 2.3: R₂ ⊑ R₁.
    #[must_use]
    pub fn le(&self, operand: &Row) -> bool {
        self.check_le(operand).is_ok()
    }

    contract! {
        /// Prop. 2.7: the least upper bound; flanks are cut to the shorter and joined.
        #[must_use]
        ensures_run(r) row_join_post(self, other, r);
        pub fn join(&self, other: &Row) -> Row {
            Row::new(join_leads(&self.lead, &other.lead), join_trails(&self.trail, &other.trail))
        }
    }

    /// Def. 2.9: flat(l·⋄·r) = l·r.
    pub fn flat(&self) -> impl DoubleEndedIterator<Item = Dim> + Clone + '_ {
        self.lead.iter().chain(&self.trail).copied()
    }

    /// flat(R)\[i\] for i < rank(R).
    ///
    /// # Panics
    /// Where there is no such place.
    #[must_use]
    pub fn flat_at(&self, i: usize) -> Dim {
        if i < self.lead.len() { self.lead[i] } else { self.trail[i - self.lead.len()] }
    }

    contract! {
        /// Def. 2.9: R ≈ R′ iff flat(R) = flat(R′).
        #[must_use]
        ensures_run(r) *r == (self.rank() == other.rank() && (0..self.rank()).all(|i| self.flat_at(i) == other.flat_at(i)));
        pub fn flat_eq(&self, other: &Row) -> bool {
            self.flat().eq(other.flat())
        }
    }
}

impl<'a> Expansion<'a> {
    /// The rank n expanded to.
    #[must_use]
    pub fn rank(self) -> usize {
        self.rank
    }

    /// R↑n\[i\] for i < n.
    #[must_use]
    pub fn at(self, i: usize) -> Option<Dim> {
        let Expansion { row, rank } = self;
        let back = rank.checked_sub(i + 1)?;
        let trail = row.trail.len();
        Some(match row.lead.get(i) {
            Some(&d) => d,
            None if back < trail => row.trail[trail - 1 - back],
            None => Dim::Unit,
        })
    }

    /// The n dimensions from the front.
    pub fn iter(self) -> impl Iterator<Item = Dim> + 'a {
        let Expansion { row, rank } = self;
        let padding = std::iter::repeat_n(Dim::Unit, rank - row.rank());
        row.lead.iter().copied().chain(padding).chain(row.trail.iter().copied())
    }
}

/// Clause (ii) of Def. 2.3: pointwise refinement of two sequences of one length.
pub(crate) fn pointwise(result: impl Iterator<Item = Dim>, operand: impl Iterator<Item = Dim>) -> Result<(), NotLe> {
    for (position, (result, operand)) in result.zip(operand).enumerate() {
        if !result.le(operand) {
            return Err(NotLe::At { position, result, operand });
        }
    }
    Ok(())
}

/// l∨ of Prop. 2.7: joined from the front, as long as the shorter.
pub(crate) fn join_leads(a: &[Dim], b: &[Dim]) -> Vec<Dim> {
    a.iter().zip(b).map(|(x, y)| x.join(*y)).collect()
}

/// r∨ of Prop. 2.7: joined from the back, as long as the shorter.
pub(crate) fn join_trails(a: &[Dim], b: &[Dim]) -> Vec<Dim> {
    let shorter = a.len().min(b.len());
    join_leads(&a[a.len() - shorter..], &b[b.len() - shorter..])
}

/// What `check_le` promises: Def. 2.3, and of the clauses that fail the first, at the first place.
#[cfg_attr(not(debug_assertions), allow(dead_code))]
fn check_le_post(result: &Row, operand: &Row, r: &Result<(), NotLe>) -> bool {
    let (l2, l1) = (result.lead.len(), operand.lead.len());
    let (r2, r1) = (result.trail.len(), operand.trail.len());
    let refines = |i: usize| result.flat_at(i).le(operand.expanded_at(l2 + r2, i));
    match *r {
        Ok(()) => l1 <= l2 && r1 <= r2 && (0..l2 + r2).all(refines),
        Err(NotLe::LeadShort { result, operand }) => l2 < l1 && result == l2 && operand == l1,
        Err(NotLe::TrailShort { result, operand }) => l1 <= l2 && r2 < r1 && result == r2 && operand == r1,
        Err(NotLe::At { position, result: d2, operand: d1 }) => {
            l1 <= l2
                && r1 <= r2
                && position < l2 + r2
                && (0..position).all(refines)
                && !refines(position)
                && d2 == result.flat_at(position)
                && d1 == operand.expanded_at(l2 + r2, position)
        }
    }
}

/// What the row join promises (Prop. 2.7): flanks as long as any upper bound's can be, and at each place, counted from
/// the outer edge, the least upper bound of what the two have there. So it is the least upper bound, and nothing else is.
#[cfg_attr(not(debug_assertions), allow(dead_code))]
fn row_join_post(a: &Row, b: &Row, r: &Row) -> bool {
    let least = |x: Dim, y: Dim, z: Dim| join_post(DimBot::Dim(x), DimBot::Dim(y), DimBot::Dim(z));
    let back = |row: &Row, i: usize| row.trail[row.trail.len() - 1 - i];
    r.lead.len() == a.lead.len().min(b.lead.len())
        && r.trail.len() == a.trail.len().min(b.trail.len())
        && (0..r.lead.len()).all(|i| least(a.lead[i], b.lead[i], r.lead[i]))
        && (0..r.trail.len()).all(|i| least(back(a, i), back(b, i), back(r, i)))
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Row) -> Option<Ordering> {
        partial_cmp_by(self, other, Row::le)
    }
}
