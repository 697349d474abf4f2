//! §2.1–2.11. Binary laws run over every pair of rows with flanks up to three over three atoms and
//! 1∅, ternary laws over flanks up to two.
#![allow(missing_docs)]

use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_row, parse_system};
use lozenge::row::{BelowRank, Row};
use lozenge::semantics::holds;
use lozenge_harnesses::domains::{SmallRow, TripleRow, WideRow};
use lozenge_harnesses::for_all;

/// A row in the ASCII notation.
fn row(text: &str) -> Row {
    parse_row(text, &mut Names::new()).expect("a row")
}

/// Def. 2.2: R↑n is l·(1∅)ⁿ⁻ʳᵃⁿᵏ·r, and below the rank a typed error.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn def_2_2_expansion() {
    for_all!(def_2_2_expansion, SmallRow { 0: r } in SmallRow => {
        let (l, t, rank) = (r.lead.len(), r.trail.len(), r.rank());
        for n in 0..rank + 3 {
            match r.expansion(n) {
                Err(error) => assert!(n < rank && error == BelowRank { asked: n, rank }),
                Ok(expanded) => {
                    assert!(n >= rank && expanded.rank() == n && expanded.at(n).is_none());
                    for i in 0..n {
                        let expected = if i < l { r.lead[i] } else if i < n - t { Dim::Unit } else { r.trail[i + t - n] };
                        assert_eq!(expanded.at(i), Some(expected));
                    }
                    assert!(expanded.iter().eq((0..n).filter_map(|i| expanded.at(i))));
                }
            }
        }
    });
}

/// Def. 2.3 read literally, by expansion, agrees with `le` and with the clause that is named.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn def_2_3_order() {
    for_all!(def_2_3_order, (WideRow { 0: r2 }, WideRow { 0: r1 }) in (WideRow, WideRow) => {
        let fits = r1.lead.len() <= r2.lead.len() && r1.trail.len() <= r2.trail.len();
        let literally = fits && r1.expansion(r2.rank()).is_ok_and(|e| r2.flat().zip(e.iter()).all(|(x, y)| x.le(y)));
        assert_eq!(r2.le(r1), literally);
    });
}

/// Lemma 2.4: expansion is monotone, at every n from the larger rank on.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn lemma_2_4_expansion_is_monotone() {
    for_all!(lemma_2_4_expansion_is_monotone, (WideRow { 0: r2 }, WideRow { 0: r1 }) in (WideRow, WideRow) => {
        if r2.le(r1) {
            for n in r2.rank()..r2.rank() + 3 {
                let (low, high) = (r2.expansion(n), r1.expansion(n));
                let (low, high) = (low.expect("n is at least the rank"), high.expect("the operand's rank is no larger"));
                assert!(low.iter().zip(high.iter()).all(|(x, y)| x.le(y)));
            }
        }
    });
}

/// Prop. 2.5, reflexivity and antisymmetry; with it 2.10 (i): mutual ⊑ is identity.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn prop_2_5_antisymmetry() {
    for_all!(prop_2_5_antisymmetry, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => {
        assert_eq!(a.le(b) && b.le(a), a == b);
    });
}

/// Prop. 2.5, transitivity.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(6))]
fn prop_2_5_transitivity() {
    type T = TripleRow;
    for_all!(prop_2_5_transitivity, (T { 0: a }, T { 0: b }, T { 0: c }) in (T, T, T) => {
        assert!(!(a.le(b) && b.le(c)) || a.le(c));
    });
}

/// Prop. 2.6: the empty row is above every row, and it is the only row that is.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn prop_2_6_greatest() {
    for_all!(prop_2_6_greatest, WideRow { 0: r } in WideRow => {
        assert!(r.le(&Row::EMPTY));
        assert_eq!(Row::EMPTY.le(r), *r == Row::EMPTY);
    });
}

/// Prop. 2.7: the join is an upper bound, commutative, and the larger of two comparable rows.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn prop_2_7_join_upper() {
    for_all!(prop_2_7_join_upper, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => {
        let join = a.join(b);
        assert!(a.le(&join) && b.le(&join));
        assert_eq!(join, b.join(a));
        assert_eq!(a.le(b), join == *b);
    });
}

/// Prop. 2.7: the join is below every upper bound.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(6))]
fn prop_2_7_join_least() {
    type T = TripleRow;
    for_all!(prop_2_7_join_least, (T { 0: a }, T { 0: b }, T { 0: u }) in (T, T, T) => {
        assert_eq!(a.join(b).le(u), a.le(u) && b.le(u));
    });
}

/// Def. 2.9: equal flat content is equal rank and equal expansion at it. 2.10 (iv): ≈ is that kernel.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn def_2_9_two_formulations() {
    for_all!(def_2_9_two_formulations, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => {
        let at_own_rank = match (a.expansion(b.rank()), b.expansion(a.rank())) {
            (Ok(x), Ok(y)) => x.iter().eq(y.iter()),
            _ => false,
        };
        assert_eq!(a.flat_eq(b), at_own_rank);
    });
}

/// Prop. 2.10 (ii): two distinct rows with one flat content are incomparable.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn prop_2_10_ii_incomparable() {
    for_all!(prop_2_10_ii_incomparable, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => {
        assert!(!(a.flat_eq(b) && a != b) || (!a.le(b) && !b.le(a)));
    });
}

/// Prop. 2.10 (iii): equal down-sets force equality. It is enough to look for one of the two rows
/// in the other's down-set.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn prop_2_10_iii_no_congruence() {
    for_all!(prop_2_10_iii_no_congruence, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => {
        let separated = (a.le(a) != a.le(b)) || (b.le(b) != b.le(a));
        assert_eq!(separated, a != b);
    });
}

/// Prop. 2.10 (iii), the paper's witness: ≈ is not a congruence of ⊑.
#[test]
fn prop_2_10_iii_witness() {
    let (result, operand, moved) = (row("[3] <> [2,4]"), row("[3] <> [4]"), row("[3,4] <> []"));
    assert!(operand.flat_eq(&moved) && result.le(&operand) && !result.le(&moved));
}

/// The aside after 2.10: agreeing at every common rank is a third equivalence. It is what is left
/// of a row without 1∅ at the inner edges; on rows of one rank it is finer than ≈, and ≈ is not
/// contained in it.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(8))]
fn aside_2_10_third_equivalence() {
    fn bare(r: &Row) -> Row {
        let inner = |d: &&Dim| **d == Dim::Unit;
        let lead = r.lead.len() - r.lead.iter().rev().take_while(inner).count();
        let trail = r.trail.iter().take_while(inner).count();
        Row::new(r.lead[..lead].to_vec(), r.trail[trail..].to_vec())
    }
    for_all!(aside_2_10_third_equivalence, (SmallRow { 0: a }, SmallRow { 0: b }) in (SmallRow, SmallRow) => {
        let larger = a.rank().max(b.rank());
        let agree = (larger..larger + 6).all(|n| match (a.expansion(n), b.expansion(n)) {
            (Ok(x), Ok(y)) => x.iter().eq(y.iter()),
            _ => false,
        });
        assert_eq!(agree, bare(a) == bare(b));
        assert!(!(agree && a.rank() == b.rank()) || a.flat_eq(b));
    });
    let (a, b) = (row("[3] <> []"), row("[] <> [3]"));
    assert!(a.flat_eq(&b) && bare(&a) != bare(&b));
}

/// Remark 2.11: the placement that ≈ leaves free is observed by a later inequality.
#[test]
fn remark_2_11_witness() {
    let mut names = Names::new();
    let phi = parse_system("<r> ~ [] <> [3,5]\n[3] <> [9,5] <= <r>", &mut names).expect("two constraints");
    let judge = |value: &str, names: &mut Names| {
        let gamma = parse_ground(value, names).expect("a value");
        phi.iter().map(|c| holds(&gamma, c)).collect::<Vec<_>>()
    };
    assert_eq!(judge("r := [3] <> [5]", &mut names), [true, true]);
    assert_eq!(judge("r := [] <> [3,5]", &mut names), [true, false]);
    assert_eq!(judge("r := [3,5] <> []", &mut names), [true, false]);
}
