//! §2.12–2.15: rigid rows, the two-sorted order, mixed joins, the one-shot relation.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::notation::parse_two_sorted;
use lozenge::rigid::{TwoSorted, join, minimal_upper_bounds};
use lozenge::row::Row;
use lozenge_harnesses::domains::{ATwoSorted, FirstRow, FirstWide, TWO_SORTED, WideRow};
use lozenge_harnesses::for_all;
use lozenge_statements::rigid;

type Two = (ATwoSorted, ATwoSorted);
type Three = (ATwoSorted, ATwoSorted, ATwoSorted);

fn row(text: &str) -> TwoSorted {
    parse_two_sorted(text, &mut Names::new()).expect("a row")
}

/// Prop. 2.13: the extended relation is a partial order.
#[test]
fn prop_2_13_partial_order() {
    for_all!(prop_2_13_partial_order, (ATwoSorted(a), ATwoSorted(b), ATwoSorted(c)) in Three => rigid::antisymmetric(a, b) | rigid::transitive(a, b, c));
}

/// Prop. 2.13: the empty marked row is still the one top.
#[test]
fn prop_2_13_unique_top() {
    for_all!(prop_2_13_unique_top, ATwoSorted(a) in ATwoSorted => rigid::unique_top(a));
}

/// Prop. 2.13: flat(R)• lies below R with nothing between; so the gap is one step, and it is not
/// closed from below, by (d).
#[test]
fn prop_2_13_flat_is_covered() {
    for_all!(prop_2_13_flat_is_covered, (ATwoSorted(a), ATwoSorted(b)) in Two => match a {
        TwoSorted::Marked(r) => rigid::flat_is_covered(r, b),
        TwoSorted::Rigid(_) => false,
    });
}

/// Prop. 2.13: clause (d) is forced. Let equal rank and pointwise refinement put a marked row below a
/// rigid one, and transitivity fails; the paper's chain is among the failures.
#[test]
fn prop_2_13_clause_d_is_forced() {
    let weakened = |x: &TwoSorted, y: &TwoSorted| match (x, y) {
        (TwoSorted::Marked(_), TwoSorted::Rigid(_)) => TwoSorted::Rigid(x.rigidify()).le(y),
        _ => x.le(y),
    };
    let chain = [row("[5] <> [3]"), row("[] <> [3]"), row("[3]!")];
    assert!(weakened(&chain[0], &chain[1]) && weakened(&chain[1], &chain[2]) && !weakened(&chain[0], &chain[2]));
    // Every marked row that a rigid one would cap breaks it: a longer refinement is not capped.
    for r in TWO_SORTED.iter().filter(|r| matches!(r, TwoSorted::Marked(_))) {
        let TwoSorted::Marked(Row { lead, trail }) = r else { continue };
        let longer: TwoSorted = Row::new([lead.as_slice(), &[lozenge::dim::Dim::Unit]].concat(), trail.clone()).into();
        let cap = TwoSorted::Rigid(r.rigidify());
        assert!(weakened(&longer, r) && weakened(r, &cap) && !weakened(&longer, &cap));
    }
}

/// Remark 2.14's open question: an upper bound is exactly what lies above a minimal one, and the
/// minimal ones are pairwise incomparable.
#[test]
fn remark_2_14_minimal_upper_bounds() {
    for_all!(remark_2_14_minimal_upper_bounds, (ATwoSorted(a), ATwoSorted(b)) in Two => {
        // An upper bound has no longer flanks and no other atoms than the rows below it, so the
        // table holds every upper bound of two rows of the table.
        let bounds = minimal_upper_bounds(a, b);
        for u in TWO_SORTED.iter() {
            rigid::upper_bounds_lie_above(a, b, &bounds, u);
        }
        rigid::bounds_are_minimal(a, b, &bounds)
    });
}

/// Remark 2.14: when a least upper bound exists.
#[test]
fn remark_2_14_when_a_join_exists() {
    for_all!(remark_2_14_when_a_join_exists, (ATwoSorted(a), ATwoSorted(b)) in Two => rigid::when_a_join_exists(a, b));
}

/// The smallest pairs without a least upper bound (finding F9).
#[test]
fn finding_f9_no_mixed_join() {
    let minimal = |a: &str, b: &str| join(&row(a), &row(b)).expect_err("no least upper bound");
    let both = vec![row("[] <> [3]"), row("[3] <> []")];
    assert_eq!(minimal("[3]!", "[3,3]!"), both);
    assert_eq!(minimal("[3] <> [3]", "[3]!"), both);
    assert!(!both[0].le(&both[1]) && !both[1].le(&both[0]));
    // With one flank empty there is one again.
    assert_eq!(join(&row("[] <> [2,3]"), &row("[3]!")), Ok(row("[] <> [3]")));
}

/// Remark 2.15 and Def. 3.4: flat content, equality of rigidifications and mutual ⊑¹ are one relation.
#[test]
fn remark_2_15_three_formulations() {
    for_all!(remark_2_15_three_formulations, (FirstRow { row: a, times }, WideRow { 0: b }) in (FirstWide, WideRow), times times => rigid::three_formulations(a, b));
}

/// Remark 2.15 (ii): what the marked order refuses and ⊑¹ admits.
#[test]
fn remark_2_15_template_against_literal() {
    let literal = row("[] <> [3,5,4]");
    for middle in ["[3] <> [5,4]", "[3,5] <> [4]"] {
        assert!(!row(middle).le(&literal) && row(middle).le_one_shot(&literal));
    }
}

/// Finding F8: ⊑¹ is reflexive and not transitive, so it is not an order.
#[test]
fn finding_f8_one_shot_is_not_transitive() {
    let chain = [row("[5,3] <> []"), row("[] <> [3]"), row("[3] <> []")];
    assert!(chain.iter().all(|x| x.le_one_shot(x)));
    assert!(chain[0].le_one_shot(&chain[1]) && chain[1].le_one_shot(&chain[2]) && !chain[0].le_one_shot(&chain[2]));
    // No chain of smaller rank fails: with ranks 1, 1, 1 or with an empty row nothing can move.
    let small: Vec<&TwoSorted> =
        TWO_SORTED.iter().filter(|r| matches!(r, TwoSorted::Marked(_)) && r.rank() <= 1).collect();
    for a in &small {
        for b in &small {
            for c in &small {
                assert!(!(a.le_one_shot(b) && b.le_one_shot(c)) || a.le_one_shot(c));
            }
        }
    }
}

/// Remark 2.15 (iv): what ≈ accepts, ⊑¹ accepts as well; not the other way round.
#[test]
fn remark_2_15_iv_inference_strengthens_checking() {
    for_all!(remark_2_15_iv_inference_strengthens_checking, (ATwoSorted(a), ATwoSorted(b)) in Two => match (a, b) {
        (TwoSorted::Marked(x), TwoSorted::Marked(y)) => rigid::inference_strengthens_checking(x, y),
        _ => false,
    });
    let (checked, template) = (row("[3,3] <> []"), row("[3] <> []"));
    assert!(checked.le_one_shot(&template), "accepted by checking alone");
    let (TwoSorted::Marked(checked), TwoSorted::Marked(template)) = (checked, template) else { panic!("marked rows") };
    assert!(!checked.flat_eq(&template));
}
