//! §2.1–2.11. Binary laws run over every pair of rows with flanks up to three over three atoms and
//! 1∅, ternary laws over flanks up to two; both up to renaming the atoms (spec/small-models.md (e)).
#![allow(missing_docs)]

use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_row, parse_system};
use lozenge::rigid::TwoSorted;
use lozenge::row::Row;
use lozenge::semantics::holds;
use lozenge_harnesses::domains::{
    ATOMS, FirstRow as First, FirstTriple, FirstWide, SmallRow, TripleRow, WideRow, stands_for,
};
use lozenge_harnesses::for_all;
use lozenge_statements::rows;
use std::collections::HashSet;

/// A row in the ASCII notation.
fn row(text: &str) -> Row {
    parse_row(text, &mut Names::new()).expect("a row")
}

/// Every way to rename the atoms.
const RENAMINGS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn renamed(row: &Row, to: [usize; 3]) -> Row {
    let rename = |dim: &Dim| match dim {
        Dim::Atom(atom) => ATOMS.iter().position(|a| a == atom).map_or(*dim, |place| Dim::Atom(ATOMS[to[place]])),
        Dim::Unit => Dim::Unit,
    };
    let [lead, trail] = [&row.lead, &row.trail].map(|flank| flank.iter().map(rename).collect::<Vec<_>>());
    Row::new(lead, trail)
}

/// Spec/small-models.md (e): what the laws of §2 are made of does not see which atoms these are.
#[test]
fn atoms_can_be_renamed() {
    for_all!(atoms_can_be_renamed, (TripleRow { 0: a }, TripleRow { 0: b }) in (TripleRow, TripleRow) => {
        for to in RENAMINGS {
            let (x, y) = (renamed(a, to), renamed(b, to));
            assert_eq!((a.le(b), a.flat_eq(b), a == b), (x.le(&y), x.flat_eq(&y), x == y));
            assert_eq!((a.rank(), TwoSorted::from(a.clone()).le_one_shot(&b.clone().into())), (x.rank(), TwoSorted::from(x.clone()).le_one_shot(&y.clone().into())));
            assert_eq!(renamed(&a.join(b), to), x.join(&y));
            assert_eq!((a.rigidify() == b.rigidify(), a.check_le(b).is_ok()), (x.rigidify() == y.rigidify(), x.check_le(&y).is_ok()));
        }
    });
}

/// Spec/small-models.md (e): of all that renaming makes of a row just one stands for them, and it says how many they are.
#[test]
fn one_row_stands_for_its_renamings() {
    for_all!(one_row_stands_for_its_renamings, WideRow { 0: row } in WideRow => {
        let all: HashSet<Row> = RENAMINGS.iter().map(|to| renamed(row, *to)).collect();
        let standing: Vec<u64> = all.iter().filter_map(|row| stands_for(row, 3)).collect();
        assert_eq!(standing, [all.len() as u64]);
    });
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
    for_all!(def_2_3_order, (First { row: r2, times }, WideRow { 0: r1 }) in (FirstWide, WideRow), times times => rows::order(r2, r1));
}

/// Lemma 2.4: expansion is monotone, at every n from the larger rank on.
#[test]
fn lemma_2_4_expansion_is_monotone() {
    for_all!(lemma_2_4_expansion_is_monotone, (First { row: r2, times }, WideRow { 0: r1 }) in (FirstWide, WideRow), times times => {
        (0..3).filter(|more| rows::expansion_is_monotone(r2, r1, *more)).count() > 0
    });
}

/// Prop. 2.5, reflexivity and antisymmetry; with it 2.10 (i): mutual ⊑ is identity.
#[test]
fn prop_2_5_antisymmetry() {
    for_all!(prop_2_5_antisymmetry, (First { row: a, times }, WideRow { 0: b }) in (FirstWide, WideRow), times times => rows::reflexive(a) && rows::antisymmetric(a, b));
}

/// Prop. 2.5, transitivity.
#[test]
fn prop_2_5_transitivity() {
    type T = TripleRow;
    for_all!(prop_2_5_transitivity, (First { row: a, times }, T { 0: b }, T { 0: c }) in (FirstTriple, T, T), times times => rows::transitive(a, b, c));
}

/// Prop. 2.6: the empty row is above every row, and it is the only row that is.
#[test]
fn prop_2_6_greatest() {
    for_all!(prop_2_6_greatest, WideRow { 0: r } in WideRow => rows::greatest(r));
}

/// Prop. 2.7: the join is an upper bound, commutative, and the larger of two comparable rows.
#[test]
fn prop_2_7_join_upper() {
    for_all!(prop_2_7_join_upper, (First { row: a, times }, WideRow { 0: b }) in (FirstWide, WideRow), times times => rows::join_upper(a, b));
}

/// Prop. 2.7: the join is below every upper bound.
#[test]
fn prop_2_7_join_least() {
    type T = TripleRow;
    for_all!(prop_2_7_join_least, (First { row: a, times }, T { 0: b }, T { 0: u }) in (FirstTriple, T, T), times times => rows::join_least(a, b, u));
}

/// Def. 2.9: equal flat content is equal rank and equal expansion at it. 2.10 (iv): ≈ is that kernel.
#[test]
fn def_2_9_two_formulations() {
    for_all!(def_2_9_two_formulations, (First { row: a, times }, WideRow { 0: b }) in (FirstWide, WideRow), times times => rows::two_formulations(a, b));
}

/// Prop. 2.10 (ii): two distinct rows with one flat content are incomparable.
#[test]
fn prop_2_10_ii_incomparable() {
    for_all!(prop_2_10_ii_incomparable, (First { row: a, times }, WideRow { 0: b }) in (FirstWide, WideRow), times times => rows::flat_equals_are_incomparable(a, b));
}

/// Prop. 2.10 (iii): equal down-sets force equality. It is enough to look for one of the two rows
/// in the other's down-set.
#[test]
fn prop_2_10_iii_no_congruence() {
    for_all!(prop_2_10_iii_no_congruence, (First { row: a, times }, WideRow { 0: b }) in (FirstWide, WideRow), times times => rows::down_sets_separate(a, b));
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
