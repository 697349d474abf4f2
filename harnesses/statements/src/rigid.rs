//! §2.12–2.15: the laws of rigid rows, of the two-sorted order, of mixed joins and of the one-shot relation.

use lozenge_calculus::rigid::{TwoSorted, join, le_rigid_marked};
use lozenge_calculus::row::Row;

/// Prop. 2.13: antisymmetric.
pub fn antisymmetric(a: &TwoSorted, b: &TwoSorted) -> bool {
    let mutual = a.le(b) && b.le(a);
    assert!(mutual == (a == b));
    mutual
}

/// Prop. 2.13: transitive.
pub fn transitive(a: &TwoSorted, b: &TwoSorted, c: &TwoSorted) -> bool {
    let premise = a.le(b) && b.le(c);
    assert!(!premise || a.le(c));
    premise
}

/// Prop. 2.13: the empty marked row is still the one top.
pub fn unique_top(a: &TwoSorted) -> bool {
    let top = TwoSorted::Marked(Row::EMPTY);
    assert!(a.le(&top));
    assert!(top.le(a) == (*a == top));
    true
}

/// Prop. 2.13: flat(R)• lies below R with nothing between; so the gap is one step, and it is not closed from below, by (d).
pub fn flat_is_covered(r: &Row, b: &TwoSorted) -> bool {
    let flat = TwoSorted::Rigid(r.rigidify());
    let marked = TwoSorted::Marked(r.clone());
    assert!(flat.le(&marked) && !marked.le(&flat));
    let between = flat.le(b) && b.le(&marked);
    assert!(!between || *b == flat || *b == marked);
    between
}

/// Remark 2.14's open question: these are upper bounds of the two, and pairwise incomparable.
pub fn bounds_are_minimal(a: &TwoSorted, b: &TwoSorted, bounds: &[TwoSorted]) -> bool {
    for (i, u) in bounds.iter().enumerate() {
        assert!(a.le(u) && b.le(u));
        for (j, v) in bounds.iter().enumerate() {
            assert!(i == j || !u.le(v));
        }
    }
    bounds.len() > 1
}

/// Remark 2.14's open question: an upper bound of the two is exactly what lies above one of these.
pub fn upper_bounds_lie_above(a: &TwoSorted, b: &TwoSorted, bounds: &[TwoSorted], u: &TwoSorted) -> bool {
    let bound = a.le(u) && b.le(u);
    assert!(bound == bounds.iter().any(|m| m.le(u)));
    bound
}

/// Remark 2.14: when a least upper bound exists.
pub fn when_a_join_exists(a: &TwoSorted, b: &TwoSorted) -> bool {
    let exists = match (a, b) {
        (TwoSorted::Marked(_), TwoSorted::Marked(_)) => true,
        (TwoSorted::Rigid(f), TwoSorted::Rigid(g)) => f.rank() == g.rank() || f.rank() == 0 || g.rank() == 0,
        (TwoSorted::Marked(r), TwoSorted::Rigid(f)) | (TwoSorted::Rigid(f), TwoSorted::Marked(r)) => {
            r.rank() <= f.rank() || f.rank() == 0 || r.lead.is_empty() || r.trail.is_empty()
        }
    };
    assert!(join(a, b).is_ok() == exists);
    exists
}

/// X ⊑¹ Y of marked rows: flat(X)• ⊑ Y.
fn one_shot(x: &Row, y: &Row) -> bool {
    le_rigid_marked(&x.rigidify(), y)
}

/// Remark 2.15 and Def. 3.4: flat content, equality of rigidifications and mutual ⊑¹ are one relation.
pub fn three_formulations(a: &Row, b: &Row) -> bool {
    let flat = a.flat_eq(b);
    assert!(flat == (a.rigidify() == b.rigidify()));
    assert!(flat == (one_shot(a, b) && one_shot(b, a)));
    flat
}

/// Remark 2.15 (iv): what ≈ accepts, ⊑¹ accepts as well.
pub fn inference_strengthens_checking(a: &Row, b: &Row) -> bool {
    let flat = a.flat_eq(b);
    assert!(!flat || (one_shot(a, b) && one_shot(b, a)));
    flat
}
