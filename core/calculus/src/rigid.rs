//! §2.12–2.15 Rigid rows, the two-sorted order, the one-shot relation ⊑¹, and mixed joins.
//!
//! Remark 2.14 leaves the join of marked and rigid rows open. [`minimal_upper_bounds`] answers
//! it: the list is finite, every upper bound lies above one of its members, and there is a least
//! upper bound exactly when it has one member. It can have more: `[3]•` and `[3,3]•` lie below
//! both `[3]·⋄·[]` and `[]·⋄·[3]`, and nothing lies between.
//!
//! Chapter: spec/2-rows.md.

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
        ensures_run(r) *r == le_by_definition(self, operand);
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
    ensures_run(r) minimal_upper_bounds_post(x, y, r);
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

/// What `le` promises: Def. 2.12, clause by clause.
#[cfg_attr(not(debug_assertions), allow(dead_code))]
fn le_by_definition(result: &TwoSorted, operand: &TwoSorted) -> bool {
    let n = result.rank();
    match (result, operand) {
        (TwoSorted::Marked(r2), TwoSorted::Marked(r1)) => {
            r1.lead.len() <= r2.lead.len()
                && r1.trail.len() <= r2.trail.len()
                && (0..n).all(|i| r2.flat_at(i).le(r1.expanded_at(n, i)))
        }
        (TwoSorted::Rigid(f2), TwoSorted::Rigid(f1)) => n == f1.rank() && (0..n).all(|i| f2.0[i].le(f1.0[i])),
        (TwoSorted::Rigid(f), TwoSorted::Marked(r)) => r.rank() <= n && (0..n).all(|i| f.0[i].le(r.expanded_at(n, i))),
        (TwoSorted::Marked(_), TwoSorted::Rigid(_)) => false,
    }
}

/// What `minimal_upper_bounds` promises: upper bounds, none below another, and below every upper bound there is one.
/// A marked upper bound with flanks of lengths p and q lies above the lowest one with these lengths, so these are enough
/// to look at; a rigid one there is only above two rigid rows of one rank, and the lowest is their join.
#[cfg_attr(not(debug_assertions), allow(dead_code))]
fn minimal_upper_bounds_post(x: &TwoSorted, y: &TwoSorted, r: &[TwoSorted]) -> bool {
    let bounds = r.iter().all(|u| le_by_definition(x, u) && le_by_definition(y, u));
    let minimal = (0..r.len()).all(|i| (0..r.len()).all(|j| i == j || !le_by_definition(&r[i], &r[j])));
    let reached = |u: TwoSorted| {
        let bound = le_by_definition(x, &u) && le_by_definition(y, &u);
        !bound || r.iter().any(|m| le_by_definition(m, &u))
    };
    let most = x.rank().min(y.rank());
    let marked =
        (0..=most).all(|p| (0..=most - p).all(|q| lowest_marked(x, y, p, q).is_none_or(|u| reached(u.into()))));
    let rigid = match (x, y) {
        (TwoSorted::Rigid(f), TwoSorted::Rigid(g)) if f.rank() == g.rank() => {
            reached(Rigid((0..f.rank()).map(|i| f.0[i].join(g.0[i])).collect()).into())
        }
        _ => true,
    };
    bounds && minimal && marked && rigid
}

/// The lowest marked row with flanks of these lengths that may be above both; none where a flank is too short for that.
#[cfg_attr(not(debug_assertions), allow(dead_code))]
fn lowest_marked(x: &TwoSorted, y: &TwoSorted, p: usize, q: usize) -> Option<Row> {
    let lead = |row: &TwoSorted, i: usize| match row {
        TwoSorted::Marked(r) => r.lead.get(i).copied(),
        TwoSorted::Rigid(f) => f.0.get(i).copied(),
    };
    let back = |row: &TwoSorted, i: usize| match row {
        TwoSorted::Marked(r) => r.trail.len().checked_sub(i + 1).map(|at| r.trail[at]),
        TwoSorted::Rigid(f) => f.rank().checked_sub(i + 1).map(|at| f.0[at]),
    };
    let leads: Option<Vec<Dim>> = (0..p).map(|i| Some(lead(x, i)?.join(lead(y, i)?))).collect();
    let trails: Option<Vec<Dim>> = (0..q).rev().map(|i| Some(back(x, i)?.join(back(y, i)?))).collect();
    Some(Row::new(leads?, trails?))
}
