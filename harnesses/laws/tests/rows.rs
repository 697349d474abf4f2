//! §2.1–2.11. Binary laws run over every pair of rows with flanks up to three over three atoms and
//! 1∅, ternary laws over flanks up to two.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_row, parse_system};
use lozenge::row::Row;
use lozenge::semantics::holds;
use lozenge_harnesses::domains::{SmallRow, TripleRow, WideRow};
use lozenge_harnesses::for_all;
use lozenge_statements::rows;

/// A row in the ASCII notation.
fn row(text: &str) -> Row {
    parse_row(text, &mut Names::new()).expect("a row")
}

/// Def. 2.2: R↑n is l·(1∅)ⁿ⁻ʳᵃⁿᵏ·r, and below the rank a typed error.
#[test]
fn def_2_2_expansion() {
    for_all!(def_2_2_expansion, SmallRow { 0: r } in SmallRow => {
        let places = |n| r.expansion(n).is_ok_and(|e| e.iter().eq((0..n).filter_map(|i| e.at(i))));
        assert!((r.rank()..r.rank() + 3).all(places), "the iterator has the places");
        (0..r.rank() + 3).filter(|n| rows::expansion(r, *n)).count() > 0
    });
}

/// Def. 2.3 read literally, by expansion, agrees with `le` and with the clause that is named.
#[test]
fn def_2_3_order() {
    for_all!(def_2_3_order, (WideRow { 0: r2 }, WideRow { 0: r1 }) in (WideRow, WideRow) => rows::order(r2, r1));
}

/// Lemma 2.4: expansion is monotone, at every n from the larger rank on.
#[test]
fn lemma_2_4_expansion_is_monotone() {
    for_all!(lemma_2_4_expansion_is_monotone, (WideRow { 0: r2 }, WideRow { 0: r1 }) in (WideRow, WideRow) => {
        (0..3).filter(|more| rows::expansion_is_monotone(r2, r1, *more)).count() > 0
    });
}

/// Prop. 2.5, reflexivity and antisymmetry; with it 2.10 (i): mutual ⊑ is identity.
#[test]
fn prop_2_5_antisymmetry() {
    for_all!(prop_2_5_antisymmetry, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => rows::reflexive(a) && rows::antisymmetric(a, b));
}

/// Prop. 2.5, transitivity.
#[test]
fn prop_2_5_transitivity() {
    type T = TripleRow;
    for_all!(prop_2_5_transitivity, (T { 0: a }, T { 0: b }, T { 0: c }) in (T, T, T) => rows::transitive(a, b, c));
}

/// Prop. 2.6: the empty row is above every row, and it is the only row that is.
#[test]
fn prop_2_6_greatest() {
    for_all!(prop_2_6_greatest, WideRow { 0: r } in WideRow => rows::greatest(r));
}

/// Prop. 2.7: the join is an upper bound, commutative, and the larger of two comparable rows.
#[test]
fn prop_2_7_join_upper() {
    for_all!(prop_2_7_join_upper, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => rows::join_upper(a, b));
}

/// Prop. 2.7: the join is below every upper bound.
#[test]
fn prop_2_7_join_least() {
    type T = TripleRow;
    for_all!(prop_2_7_join_least, (T { 0: a }, T { 0: b }, T { 0: u }) in (T, T, T) => rows::join_least(a, b, u));
}

/// Def. 2.9: equal flat content is equal rank and equal expansion at it. 2.10 (iv): ≈ is that kernel.
#[test]
fn def_2_9_two_formulations() {
    for_all!(def_2_9_two_formulations, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => rows::two_formulations(a, b));
}

/// Prop. 2.10 (ii): two distinct rows with one flat content are incomparable.
#[test]
fn prop_2_10_ii_incomparable() {
    for_all!(prop_2_10_ii_incomparable, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => rows::flat_equals_are_incomparable(a, b));
}

/// Prop. 2.10 (iii): equal down-sets force equality. It is enough to look for one of the two rows
/// in the other's down-set.
#[test]
fn prop_2_10_iii_no_congruence() {
    for_all!(prop_2_10_iii_no_congruence, (WideRow { 0: a }, WideRow { 0: b }) in (WideRow, WideRow) => rows::down_sets_separate(a, b));
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
fn aside_2_10_third_equivalence() {
    for_all!(aside_2_10_third_equivalence, (SmallRow { 0: a }, SmallRow { 0: b }) in (SmallRow, SmallRow) => {
        rows::third_equivalence(a, b)
    });
    let (a, b) = (row("[3] <> []"), row("[] <> [3]"));
    assert!(a.flat_eq(&b) && !rows::third_equivalence(&a, &b));
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
