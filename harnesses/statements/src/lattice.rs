//! §1: the laws of D⊥.

use lozenge_calculus::dim::{Dim, DimBot};

/// Prop. 1.3: ⊑ is a partial order.
pub fn partial_order(a: DimBot, b: DimBot, c: DimBot) -> bool {
    assert!(a.le(a), "reflexive");
    assert!(!(a.le(b) && b.le(a)) || a == b, "antisymmetric");
    assert!(!(a.le(b) && b.le(c)) || a.le(c), "transitive");
    a != b && b != c && a.le(b) && b.le(c)
}

/// Prop. 1.3: ⊥ and 1∅ are the bounds.
pub fn bounded(a: DimBot) -> bool {
    assert!(DimBot::Bot.le(a) && a.le(DimBot::TOP));
    a.is_atom()
}

/// Prop. 1.3: ∧ is the greatest lower bound.
pub fn meet_is_greatest_lower_bound(a: DimBot, b: DimBot, c: DimBot) -> bool {
    let meet = a.meet(b);
    assert!(meet.le(a) && meet.le(b), "a lower bound");
    assert!(c.le(meet) == (c.le(a) && c.le(b)), "the greatest");
    c != DimBot::Bot && a != b && c.le(meet)
}

/// Prop. 1.3: ∨ is the least upper bound.
pub fn join_is_least_upper_bound(a: DimBot, b: DimBot, c: DimBot) -> bool {
    let join = a.join(b);
    assert!(a.le(join) && b.le(join), "an upper bound");
    assert!(join.le(c) == (a.le(c) && b.le(c)), "the least");
    c != DimBot::TOP && a != b && join.le(c)
}

/// Prop. 1.3, the displayed formulas.
pub fn formulas(a: DimBot, b: DimBot) -> bool {
    assert!(a.meet(a) == a && a.join(a) == a);
    assert!(a.meet(DimBot::TOP) == a && a.join(DimBot::Bot) == a);
    let two_atoms = a != b && a.is_atom() && b.is_atom();
    assert!(!two_atoms || (a.meet(b) == DimBot::Bot && a.join(b) == DimBot::TOP));
    two_atoms
}

/// a ⊏ b.
fn below(a: DimBot, b: DimBot) -> bool {
    a.le(b) && a != b
}

/// Prop. 1.3: height 2. No strict chain has four elements, and ⊥ ⊏ a ⊏ 1∅ has three.
pub fn height_two(a: DimBot, b: DimBot, c: DimBot, d: DimBot) -> bool {
    assert!(!(below(a, b) && below(b, c) && below(c, d)));
    assert!(!b.is_atom() || (below(DimBot::Bot, b) && below(b, DimBot::TOP)));
    below(a, b) && below(b, c)
}

/// Prop. 1.3: the atoms form an antichain, each covering ⊥ and covered by 1∅; nothing else covers.
pub fn covers(a: DimBot, b: DimBot, c: DimBot) -> bool {
    assert!(!a.covers(b) || (below(b, a) && !(below(b, c) && below(c, a))));
    assert!(a.covers(DimBot::Bot) == a.is_atom() && DimBot::TOP.covers(a) == a.is_atom());
    assert!(!(a.is_atom() && b.is_atom() && a.le(b)) || a == b);
    a.covers(b)
}

/// The join of D is the join of D⊥: two dimensions never join at ⊥. Order and meet are those of D⊥ too.
pub fn join_stays_in_d(a: Dim, b: Dim) -> bool {
    assert!(DimBot::Dim(a.join(b)) == DimBot::Dim(a).join(DimBot::Dim(b)));
    assert!(a.le(b) == DimBot::Dim(a).le(DimBot::Dim(b)));
    assert!(a.meet(b) == DimBot::Dim(a).meet(DimBot::Dim(b)));
    a != b
}

/// Prop. 1.4: not distributive, exactly on three different atoms (the diamond M₃).
pub fn distributive_unless_diamond(a: DimBot, b: DimBot, c: DimBot) -> bool {
    let distributes = a.meet(b.join(c)) == a.meet(b).join(a.meet(c));
    let diamond = a.is_atom() && b.is_atom() && c.is_atom() && a != b && b != c && a != c;
    assert!(distributes != diamond);
    diamond
}

/// Prop. 1.4, as the paper corrects it: D⊥ is modular.
pub fn modular(a: DimBot, b: DimBot, c: DimBot) -> bool {
    assert!(!a.le(c) || a.join(b.meet(c)) == a.join(b).meet(c));
    a.le(c) && a != c
}

/// `<=` is ⊑, `<` is ⊏, and what is not comparable has no order.
pub fn operators(a: DimBot, b: DimBot) -> bool {
    assert!((a <= b) == a.le(b) && (a < b) == below(a, b));
    assert!(a.partial_cmp(&b).is_some() == (a.le(b) || b.le(a)));
    a < b
}
