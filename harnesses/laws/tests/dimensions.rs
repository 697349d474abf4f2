//! §1. Three atoms, 1∅ and ⊥ make every law over at most three dimensions complete
//! (spec/small-models.md).
#![allow(missing_docs, clippy::neg_cmp_op_on_partial_ord)]

use lozenge::dim::{Dim, DimBot};
use lozenge_harnesses::domains::{ADim, ADimBot, ATOMS};
use lozenge_harnesses::for_all;

type Two = (ADimBot, ADimBot);
type Three = (ADimBot, ADimBot, ADimBot);

/// Prop. 1.3: ⊑ is a partial order.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_partial_order() {
    for_all!(prop_1_3_partial_order, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => {
        assert!(a <= a);
        assert!(!(a <= b && b <= a) || a == b);
        assert!(!(a <= b && b <= c) || a <= c);
    });
}

/// Prop. 1.3: ⊥ and 1∅ are the bounds.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_bounded() {
    for_all!(prop_1_3_bounded, ADimBot(a) in ADimBot => assert!(DimBot::Bot <= a && a <= DimBot::TOP));
}

/// Prop. 1.3: ∧ is the greatest lower bound.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_meet_is_greatest_lower_bound() {
    for_all!(prop_1_3_meet_is_greatest_lower_bound, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => {
        assert!(a.meet(b) <= a && a.meet(b) <= b);
        assert!((c <= a.meet(b)) == (c <= a && c <= b));
    });
}

/// Prop. 1.3: ∨ is the least upper bound.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_join_is_least_upper_bound() {
    for_all!(prop_1_3_join_is_least_upper_bound, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => {
        assert!(a <= a.join(b) && b <= a.join(b));
        assert!((a.join(b) <= c) == (a <= c && b <= c));
    });
}

/// Prop. 1.3, the displayed formulas.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_formulas() {
    for_all!(prop_1_3_formulas, (ADimBot(a), ADimBot(b)) in Two => {
        assert!(a.meet(a) == a && a.join(a) == a);
        assert!(a.meet(DimBot::TOP) == a && a.join(DimBot::Bot) == a);
        if a != b && a.is_atom() && b.is_atom() {
            assert!(a.meet(b) == DimBot::Bot && a.join(b) == DimBot::TOP);
        }
    });
}

/// Prop. 1.3: height 2. No strict chain has four elements, and ⊥ ⊏ a ⊏ 1∅ has three.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_height_two() {
    for_all!(prop_1_3_height_two, (ADimBot(a), ADimBot(b), ADimBot(c), ADimBot(d)) in (ADimBot, ADimBot, ADimBot, ADimBot) => {
        assert!(!(a < b && b < c && c < d));
        assert!(!b.is_atom() || (DimBot::Bot < b && b < DimBot::TOP));
    });
}

/// Prop. 1.3: the atoms form an antichain, each covering ⊥ and covered by 1∅; nothing else covers.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_covers() {
    for_all!(prop_1_3_covers, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => {
        assert!(!a.covers(b) || (b < a && !(b < c && c < a)));
        assert!(a.covers(DimBot::Bot) == a.is_atom() && DimBot::TOP.covers(a) == a.is_atom());
        assert!(!(a.is_atom() && b.is_atom() && a <= b) || a == b);
    });
}

/// The join of D is the join of D⊥: two dimensions never join at ⊥.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_3_join_stays_in_d() {
    for_all!(prop_1_3_join_stays_in_d, (ADim(a), ADim(b)) in (ADim, ADim) => {
        assert_eq!(DimBot::Dim(a.join(b)), DimBot::Dim(a).join(DimBot::Dim(b)));
        assert_eq!(a <= b, DimBot::Dim(a) <= DimBot::Dim(b));
        assert_eq!(a.meet(b), DimBot::Dim(a).meet(DimBot::Dim(b)));
    });
}

/// Prop. 1.4: not distributive. The diamond M₃ on three atoms: a ∧ (b ∨ c) = a, (a ∧ b) ∨ (a ∧ c) = ⊥.
/// Every failure of distributivity has this form.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_4_not_distributive() {
    for_all!(prop_1_4_not_distributive, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => {
        let distributes = a.meet(b.join(c)) == a.meet(b).join(a.meet(c));
        let distinct_atoms = a.is_atom() && b.is_atom() && c.is_atom() && a != b && b != c && a != c;
        assert!(distributes != distinct_atoms);
    });
}

/// Prop. 1.4, as the paper corrects it: D⊥ is modular.
#[test]
#[cfg_attr(kani, kani::proof, kani::unwind(4))]
fn prop_1_4_modular() {
    for_all!(prop_1_4_modular, (ADimBot(a), ADimBot(b), ADimBot(c)) in Three => {
        assert!(!(a <= c) || a.join(b.meet(c)) == a.join(b).meet(c));
    });
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
