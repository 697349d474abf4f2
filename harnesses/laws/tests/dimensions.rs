//! §1. Three atoms, 1∅ and ⊥ make every law over at most three dimensions complete
//! (spec/small-models.md).
#![allow(missing_docs, clippy::neg_cmp_op_on_partial_ord)]

use lozenge::dim::Dim;
use lozenge_harnesses::domains::{ADim, ADimBot, ATOMS};
use lozenge_harnesses::for_all;
use lozenge_statements::lattice;

type Two = (ADimBot, ADimBot);
type Three = (ADimBot, ADimBot, ADimBot);

/// Prop. 1.3: ⊑ is a partial order.
#[test]
fn prop_1_3_partial_order() {
    for_all!(prop_1_3_partial_order, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => lattice::partial_order(a, b, c));
}

/// Prop. 1.3: ⊥ and 1∅ are the bounds.
#[test]
fn prop_1_3_bounded() {
    for_all!(prop_1_3_bounded, ADimBot(a) in ADimBot => lattice::bounded(a));
}

/// Prop. 1.3: ∧ is the greatest lower bound.
#[test]
fn prop_1_3_meet_is_greatest_lower_bound() {
    for_all!(prop_1_3_meet_is_greatest_lower_bound, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => lattice::meet_is_greatest_lower_bound(a, b, c));
}

/// Prop. 1.3: ∨ is the least upper bound.
#[test]
fn prop_1_3_join_is_least_upper_bound() {
    for_all!(prop_1_3_join_is_least_upper_bound, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => lattice::join_is_least_upper_bound(a, b, c));
}

/// Prop. 1.3, the displayed formulas.
#[test]
fn prop_1_3_formulas() {
    for_all!(prop_1_3_formulas, (ADimBot(a), ADimBot(b)) in Two => lattice::formulas(a, b));
}

/// Prop. 1.3: height 2. No strict chain has four elements, and ⊥ ⊏ a ⊏ 1∅ has three.
#[test]
fn prop_1_3_height_two() {
    for_all!(prop_1_3_height_two, (ADimBot(a), ADimBot(b), ADimBot(c), ADimBot(d)) in (ADimBot, ADimBot, ADimBot, ADimBot) => lattice::height_two(a, b, c, d));
}

/// Prop. 1.3: the atoms form an antichain, each covering ⊥ and covered by 1∅; nothing else covers.
#[test]
fn prop_1_3_covers() {
    for_all!(prop_1_3_covers, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => lattice::covers(a, b, c));
}

/// The join of D is the join of D⊥: two dimensions never join at ⊥.
#[test]
fn prop_1_3_join_stays_in_d() {
    for_all!(prop_1_3_join_stays_in_d, (ADim(a), ADim(b)) in (ADim, ADim) => lattice::join_stays_in_d(a, b));
}

/// Prop. 1.4: not distributive. The diamond M₃ on three atoms: a ∧ (b ∨ c) = a, (a ∧ b) ∨ (a ∧ c) = ⊥.
/// Every failure of distributivity has this form.
#[test]
fn prop_1_4_not_distributive() {
    for_all!(prop_1_4_not_distributive, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => lattice::distributive_unless_diamond(a, b, c));
}

/// Prop. 1.4, as the paper corrects it: D⊥ is modular.
#[test]
fn prop_1_4_modular() {
    for_all!(prop_1_4_modular, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => lattice::modular(a, b, c));
}

/// Def. 1.1: three dimensions have one element, and no two of them are one.
#[test]
fn def_1_1_three_units() {
    let [one_default, one_other, _] = ATOMS.map(Dim::Atom);
    for d in [Dim::Unit, one_default, one_other] {
        assert_eq!(d.elements(), 1);
    }
    assert!(Dim::Unit != one_default && one_default != one_other && Dim::Unit != one_other);
    assert!(one_default <= Dim::Unit && !(Dim::Unit <= one_default) && !(one_default <= one_other));
    assert_eq!(one_default.join(one_other), Dim::Unit);
}
