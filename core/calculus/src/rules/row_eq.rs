//! Def. 4.3, R₁ ≈ R₂: the rules for row equality, one function each.
//!
//! All of them read the two sides from the outer edges. Flat content is entailed; where a marker is
//! placed is a choice (policy), unless the content is empty.
//!
//! Chapter: spec/4-solver.md.

use super::{Bind, Bound, Effect, Fired, Rule, Why};
use crate::constraint::Constraint;
use crate::term::{Binding, DimTerm, RowTerm, RowVar};

/// The rules for R₁ ≈ R₂.
pub fn row_eq(r1: &RowTerm, r2: &RowTerm) -> Fired {
    match (r1.var, r2.var) {
        (None, None) => re_closed(r1, r2),
        (Some(p), None) => re_open_closed(r1, p, r2),
        (None, Some(q)) => re_open_closed(r2, q, r1),
        (Some(p), Some(q)) if p == q => re_same(r1, r2),
        (Some(p), Some(q)) => re_distinct(r1, p, r2, q),
    }
}

/// The axes of the first two flanks that face each other, then those of the second two, as equalities.
fn equalities(leads: [&[DimTerm]; 2], trails: [&[DimTerm]; 2]) -> Vec<Constraint> {
    let facing = |[left, right]: [&[DimTerm]; 2]| left.len().min(right.len());
    let (lead, trail) = (facing(leads), facing(trails));
    let at = |i: usize| {
        let ([left, right], i) = if i < lead { (leads, i) } else { (trails, i - lead) };
        Constraint::DimEq(left[i], right[i])
    };
    (0..lead + trail).map(at).collect()
}

/// flat(l·⋄·r) = l·r (Def. 2.9).
fn flat(row: &RowTerm) -> Vec<DimTerm> {
    let (lead, rank) = (row.lead.len(), row.known_rank());
    (0..rank).map(|i| if i < lead { row.lead[i] } else { row.trail[i - lead] }).collect()
}

/// RE-closed, case (a): equal ranks, and the flat contents agree axis by axis. Markers are not looked at.
fn re_closed(r1: &RowTerm, r2: &RowTerm) -> Fired {
    let (f1, f2) = (flat(r1), flat(r2));
    let effect = if f1.len() == f2.len() {
        Effect { emit: equalities([&f1, &f2], [&[], &[]]), ..Effect::default() }
    } else {
        Effect::fail(Why::Ranks(f1.len(), f2.len()))
    };
    (Rule::ReClosed, effect)
}

/// RE-open-closed, case (b): the open side's flanks agree with the outer axes of the closed side; the
/// variable takes the middle. Its marker goes where the closed side's stands, if that is inside the
/// middle, else to the left edge.
fn re_open_closed(open: &RowTerm, var: RowVar, closed: &RowTerm) -> Fired {
    let content = flat(closed);
    let (l, r, n) = (open.lead.len(), open.trail.len(), content.len());
    if l + r > n {
        return (Rule::ReOpenClosed, Effect::fail(Why::Overflow { open: l + r, closed: n }));
    }
    let middle = l..n - r;
    let split = Some(closed.lead.len()).filter(|s| (middle.start..=middle.end).contains(s)).unwrap_or(middle.start);
    let value = RowTerm::new(&content[middle.start..split], None, &content[split..middle.end]);
    let emit = equalities([&open.lead, &content], [&open.trail, &content[middle.end..]]);
    let bind = Bind { binding: Binding::Row(var, value), placement: !middle.is_empty() };
    (Rule::ReOpenClosed, Effect { emit, bind: Some(bind), ..Effect::default() })
}

/// The two sides without the axes that face each other at the outer edges, and those axes as equalities.
fn strip(r1: &RowTerm, r2: &RowTerm) -> (RowTerm, RowTerm, Vec<Constraint>) {
    let p = r1.lead.len().min(r2.lead.len());
    let q = r1.trail.len().min(r2.trail.len());
    let cut = |r: &RowTerm| RowTerm::new(&r.lead[p..], r.var, &r.trail[..r.trail.len() - q]);
    let outer = |r: &RowTerm| r.trail.len() - q;
    let emit = equalities([&r1.lead[..p], &r2.lead], [&r1.trail[outer(r1)..], &r2.trail[outer(r2)..]]);
    (cut(r1), cut(r2), emit)
}

/// Case (c), ρ₁ ≠ ρ₂: RE-nested where both surpluses are on one side, else RE-cross.
fn re_distinct(r1: &RowTerm, p: RowVar, r2: &RowTerm, q: RowVar) -> Fired {
    let (s1, s2, emit) = strip(r1, r2);
    match (s1.known_rank(), s2.known_rank()) {
        // No surplus: the younger variable is bound to the older.
        (0, 0) => re_nested(p.max(q), p.min(q).into(), emit),
        (0, _) => re_nested(p, s2, emit),
        (_, 0) => re_nested(q, s1, emit),
        _ => re_deferred(Rule::ReCross, s1, s2, emit),
    }
}

/// RE-nested: ρ₁ ↦ m_l·⟨ρ₂⟩·m_r. The content is entailed, the placement is policy, even when there is no
/// surplus: the binding makes the two markers one (spec/findings/F5.md).
fn re_nested(var: RowVar, to: RowTerm, emit: Vec<Constraint>) -> Fired {
    let bind = Bind { binding: Binding::Row(var, to), placement: true };
    (Rule::ReNested, Effect { emit, bind: Some(bind), ..Effect::default() })
}

/// Case (d), ρ₁ = ρ₂: RE-same-occurs, RE-same-empty, RE-same-rot.
fn re_same(r1: &RowTerm, r2: &RowTerm) -> Fired {
    let (k1, k2) = (r1.known_rank(), r2.known_rank());
    if k1 != k2 {
        return (Rule::ReSameOccurs, Effect::fail(Why::Occurs(k1.abs_diff(k2))));
    }
    let (s1, s2, emit) = strip(r1, r2);
    if s1.known_rank() == 0 {
        return (Rule::ReSameEmpty, Effect { emit, ..Effect::default() });
    }
    re_deferred(Rule::ReSameRot, s1, s2, emit)
}

/// RE-cross and RE-same-rot: the residual word equation waits until one of its variables is bound.
fn re_deferred(rule: Rule, s1: RowTerm, s2: RowTerm, emit: Vec<Constraint>) -> Fired {
    let store = Some(Bound::Deferred(s1, s2));
    (rule, Effect { emit, store, ..Effect::default() })
}
