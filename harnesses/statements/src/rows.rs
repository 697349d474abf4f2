//! §2.1–2.11: the laws of marked rows.
//!
//! Rows are read place by place, by number: a proof unwinds a loop over places and not the iterators behind it.

use lozenge_calculus::dim::Dim;
use lozenge_calculus::row::{BelowRank, Row};

/// Def. 2.3 read literally.
#[must_use]
pub fn le_by_definition(r2: &Row, r1: &Row) -> bool {
    let n = r2.rank();
    let fits = r1.lead.len() <= r2.lead.len() && r1.trail.len() <= r2.trail.len();
    fits && (0..n).all(|i| r2.flat_at(i).le(r1.expanded_at(n, i)))
}

/// Do the two have the same content at this many places, from the front?
fn agree_at(a: &Row, b: &Row, n: usize) -> bool {
    (0..n).all(|i| a.expanded_at(n, i) == b.expanded_at(n, i))
}

/// Def. 2.2: R↑n is l·(1∅)ⁿ⁻ʳᵃⁿᵏ·r, and below the rank a typed error.
pub fn expansion(r: &Row, n: usize) -> bool {
    let rank = r.rank();
    match r.expansion(n) {
        Err(error) => assert!(n < rank && error == BelowRank { asked: n, rank }),
        Ok(expanded) => {
            assert!(n >= rank && expanded.rank() == n && expanded.at(n).is_none());
            assert!((0..n).all(|i| expanded.at(i) == Some(r.expanded_at(n, i))));
        }
    }
    n > rank
}

/// Def. 2.3: `le` is what it says.
pub fn order(r2: &Row, r1: &Row) -> bool {
    let below = r2.le(r1);
    assert!(below == le_by_definition(r2, r1));
    below
}

/// Lemma 2.4: expansion is monotone, at every n from the larger rank on.
pub fn expansion_is_monotone(r2: &Row, r1: &Row, more: usize) -> bool {
    let n = r2.rank() + more;
    let premise = r2.le(r1);
    assert!(!premise || (r1.rank() <= n && (0..n).all(|i| r2.expanded_at(n, i).le(r1.expanded_at(n, i)))));
    premise
}

/// Prop. 2.5: reflexive.
pub fn reflexive(r: &Row) -> bool {
    assert!(r.le(r));
    true
}

/// Prop. 2.5: antisymmetric; with it 2.10 (i), mutual ⊑ is identity.
pub fn antisymmetric(a: &Row, b: &Row) -> bool {
    let mutual = a.le(b) && b.le(a);
    assert!(mutual == (a == b));
    mutual
}

/// Prop. 2.5: transitive.
pub fn transitive(a: &Row, b: &Row, c: &Row) -> bool {
    let premise = a.le(b) && b.le(c);
    assert!(!premise || a.le(c));
    premise
}

/// Prop. 2.6: the empty row is above every row, and it is the only row that is.
pub fn greatest(r: &Row) -> bool {
    assert!(r.le(&Row::EMPTY));
    assert!(Row::EMPTY.le(r) == (*r == Row::EMPTY));
    true
}

/// Prop. 2.7: the join is an upper bound, commutative, and the larger of two comparable rows.
pub fn join_upper(a: &Row, b: &Row) -> bool {
    let join = a.join(b);
    assert!(a.le(&join) && b.le(&join), "an upper bound");
    assert!(join == b.join(a), "commutative");
    assert!(a.le(b) == (join == *b), "the larger of two that are comparable");
    true
}

/// Prop. 2.7: the join is below every upper bound.
pub fn join_least(a: &Row, b: &Row, u: &Row) -> bool {
    let bound = a.le(u) && b.le(u);
    assert!(a.join(b).le(u) == bound);
    bound
}

/// Def. 2.9: equal flat content is equal rank and equal expansion at it. 2.10 (iv): ≈ is that kernel.
pub fn two_formulations(a: &Row, b: &Row) -> bool {
    let equal = a.flat_eq(b);
    assert!(equal == (a.rank() == b.rank() && agree_at(a, b, a.rank())));
    equal
}

/// Prop. 2.10 (ii): two distinct rows with one flat content are incomparable.
pub fn flat_equals_are_incomparable(a: &Row, b: &Row) -> bool {
    let premise = a.flat_eq(b) && a != b;
    assert!(!premise || (!a.le(b) && !b.le(a)));
    premise
}

/// Prop. 2.10 (iii): equal down-sets force equality. It is enough to look for one of the two rows in the other's
/// down-set.
pub fn down_sets_separate(a: &Row, b: &Row) -> bool {
    let separated = (a.le(a) != a.le(b)) || (b.le(b) != b.le(a));
    assert!(separated == (a != b));
    separated
}

/// A row without the 1∅ at the inner edges of its flanks: how many axes are left of each.
fn bare(r: &Row) -> (usize, usize) {
    let (mut lead, mut trail) = (r.lead.len(), r.trail.len());
    while lead > 0 && r.lead[lead - 1] == Dim::Unit {
        lead -= 1;
    }
    while trail > 0 && r.trail[r.trail.len() - trail] == Dim::Unit {
        trail -= 1;
    }
    (lead, trail)
}

/// The aside after 2.10: agreeing at every common rank is a third equivalence. It is what is left of a row without 1∅
/// at the inner edges; on rows of one rank it is finer than ≈. From the sum of the ranks on, the flanks of the two no
/// longer meet, and one rank more shows nothing new.
pub fn third_equivalence(a: &Row, b: &Row) -> bool {
    let larger = a.rank().max(b.rank());
    let agree = (larger..=a.rank() + b.rank() + 1).all(|n| agree_at(a, b, n));
    let ((la, ta), (lb, tb)) = (bare(a), bare(b));
    let same = la == lb
        && ta == tb
        && (0..la).all(|i| a.lead[i] == b.lead[i])
        && (0..ta).all(|i| a.trail[a.trail.len() - 1 - i] == b.trail[b.trail.len() - 1 - i]);
    assert!(agree == same);
    assert!(!(agree && a.rank() == b.rank()) || a.flat_eq(b));
    agree
}
