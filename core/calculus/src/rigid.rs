//! §2.12–2.15 Rigid rows, the two-sorted order, the one-shot relation ⊑¹, and mixed joins.
//!
//! Remark 2.14 leaves the join of marked and rigid rows open. [`minimal_upper_bounds`] answers
//! it: the list is finite, every upper bound lies above one of its members, and there is a least
//! upper bound exactly when it has one member. It can have more: `[3]•` and `[3,3]•` lie below
//! both `[3]·⋄·[]` and `[]·⋄·[3]`, and nothing lies between.

use crate::contract::contract;
use crate::dim::{Dim, partial_cmp_by};
use crate::row::{Row, join_leads, join_trails, pointwise};
use std::cmp::Ordering;

/// Def. 2.12: a rigid row F•, a flat sequence without a marker. Its only expansion is F itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rigid(pub Vec<Dim>);

impl Rigid {
    /// rank(F•) = |F|.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }
}

/// Def. 2.12: a ground row of either sort. `<=` is the extended order, clauses (a)–(d).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TwoSorted {
    /// A marked row of Def. 2.1.
    Marked(Row),
    /// A rigid row F•.
    Rigid(Rigid),
}

impl From<Row> for TwoSorted {
    fn from(row: Row) -> Self {
        TwoSorted::Marked(row)
    }
}

impl From<Rigid> for TwoSorted {
    fn from(row: Rigid) -> Self {
        TwoSorted::Rigid(row)
    }
}

impl Row {
    /// flat(R)•: the rigid row with R's content. The one canonical coercion between the sorts.
    #[must_use]
    pub fn rigidify(&self) -> Rigid {
        Rigid(self.flat().collect())
    }
}

/// Clause (b): F₂• ⊑ F₁• iff equal rank and pointwise refinement.
#[must_use]
pub fn le_rigid_rigid(f2: &Rigid, f1: &Rigid) -> bool {
    f2.rank() == f1.rank() && pointwise(f2.0.iter().copied(), f1.0.iter().copied()).is_ok()
}

/// Clause (c): F• ⊑ R iff rank(F) ≥ rank(R) and F refines R↑rank(F).
#[must_use]
pub fn le_rigid_marked(f: &Rigid, r: &Row) -> bool {
    match r.expansion(f.rank()) {
        Ok(expanded) => pointwise(f.0.iter().copied(), expanded.iter()).is_ok(),
        Err(_) => false,
    }
}

impl TwoSorted {
    /// The rank of either sort.
    #[must_use]
    pub fn rank(&self) -> usize {
        match self {
            TwoSorted::Marked(r) => r.rank(),
            TwoSorted::Rigid(f) => f.rank(),
        }
    }

    /// flat(·)•: forgets the marker, where there is one.
    #[must_use]
    pub fn rigidify(&self) -> Rigid {
        match self {
            TwoSorted::Marked(r) => r.rigidify(),
            TwoSorted::Rigid(f) => f.clone(),
        }
    }

    contract! {
        /// Def. 2.12, clauses (a)–(d).
        #[must_use]
        ensures_run(r) !*r || operand.rank() <= self.rank();
        pub fn le(&self, operand: &TwoSorted) -> bool {
            use TwoSorted::{Marked, Rigid};
            match (self, operand) {
                (Marked(r2), Marked(r1)) => r2.le(r1),            // (a)
                (Rigid(f2), Rigid(f1)) => le_rigid_rigid(f2, f1), // (b)
                (Rigid(f), Marked(r)) => le_rigid_marked(f, r),   // (c)
                (Marked(_), Rigid(_)) => false,                   // (d)
            }
        }
    }

    /// Remark 2.15: the one-shot relation X ⊑¹ Y iff flat(X)• ⊑ Y.
    ///
    /// Mutual ⊑¹ of marked rows is exactly ≈. The paper calls it an order; it is not transitive
    /// (spec/findings/F8.md).
    #[must_use]
    pub fn le_one_shot(&self, other: &TwoSorted) -> bool {
        TwoSorted::Rigid(self.rigidify()).le(other)
    }
}

impl PartialOrd for TwoSorted {
    fn partial_cmp(&self, other: &TwoSorted) -> Option<Ordering> {
        partial_cmp_by(self, other, TwoSorted::le)
    }
}

contract! {
    /// The minimal upper bounds of two rows: never empty, pairwise incomparable, and every upper
    /// bound is above one of them (spec/findings/F9.md).
    #[must_use]
    ensures_run(r) !r.is_empty() && r.iter().all(|u| x.le(u) && y.le(u));
    pub fn minimal_upper_bounds(x: &TwoSorted, y: &TwoSorted) -> Vec<TwoSorted> {
        use TwoSorted::{Marked, Rigid as R};
        match (x, y) {
            (Marked(a), Marked(b)) => vec![a.join(b).into()],
            (R(f), R(g)) if f.rank() == g.rank() => vec![Rigid(join_leads(&f.0, &g.0)).into()],
            (R(f), R(g)) => fitting_splits(f.rank().min(g.rank()), usize::MAX, usize::MAX)
                .map(|(p, q)| marked_above(&f.0[..p], &f.0[f.rank() - q..], g).into())
                .collect(),
            (Marked(r), R(f)) | (R(f), Marked(r)) => {
                let (l, t) = (&r.lead, &r.trail);
                fitting_splits(f.rank().min(r.rank()), l.len(), t.len())
                    .map(|(p, q)| marked_above(&l[..p], &t[t.len() - q..], f).into())
                    .collect()
            }
        }
    }
}

/// The least upper bound, where there is one.
///
/// # Errors
/// The minimal upper bounds, two or more, where there is none.
pub fn join(x: &TwoSorted, y: &TwoSorted) -> Result<TwoSorted, Vec<TwoSorted>> {
    let mut bounds = minimal_upper_bounds(x, y);
    match bounds.pop() {
        Some(least) if bounds.is_empty() => Ok(least),
        Some(last) => {
            bounds.push(last);
            Err(bounds)
        }
        None => Err(bounds),
    }
}

/// The pairs p + q = n with p ≤ `lead` and q ≤ `trail`: flank lengths that no longer pair exceeds.
fn fitting_splits(n: usize, lead: usize, trail: usize) -> impl Iterator<Item = (usize, usize)> {
    (n.saturating_sub(trail)..=n.min(lead)).map(move |p| (p, n - p))
}

/// The lowest marked row above `f` whose flanks have these lengths and lie above these.
fn marked_above(lead: &[Dim], trail: &[Dim], f: &Rigid) -> Row {
    Row::new(join_leads(lead, &f.0), join_trails(trail, &f.0))
}
