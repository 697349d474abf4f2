//! Def. 4.2: the rules for dimensions, one function each, in the order they are tried.
//!
//! Chapter: spec/4-solver.md.

use super::{Bind, Bound, Effect, Fired, Rule, Store, Why};
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::internal::broken;
use crate::term::{Binding, DimTerm};

use DimTerm::Dim as Ground;

/// Returns what the first of these rules says that applies.
macro_rules! first_of {
    ($($rule:expr),* $(,)?) => {
        $(if let Some(fired) = $rule {
            return fired;
        })*
    };
}

/// The rules for t₁ = t₂.
#[inline]
pub fn dim_eq(s: DimTerm, t: DimTerm) -> Fired {
    first_of!(de_refl(s, t), de_clash(s, t));
    de_bind(s, t)
}

/// DE-refl: t = t is discarded.
#[inline]
fn de_refl(s: DimTerm, t: DimTerm) -> Option<Fired> {
    (s == t).then(|| (Rule::DeRefl, Effect::discard()))
}

/// DE-clash: n_b = m_c with (n,b) ≠ (m,c), or an atom against 1∅, fails.
#[inline]
fn de_clash(s: DimTerm, t: DimTerm) -> Option<Fired> {
    match (s, t) {
        (Ground(d), Ground(e)) => Some((Rule::DeClash, Effect::fail(Why::Differ(d, e)))),
        _ => None,
    }
}

/// DE-bind: α = t binds α ↦ t; of two variables the younger is bound to the older.
#[inline]
fn de_bind(s: DimTerm, t: DimTerm) -> Fired {
    let (var, to) = match (s, t) {
        (DimTerm::Var(a), DimTerm::Var(b)) => (a.max(b), DimTerm::Var(a.min(b))),
        (DimTerm::Var(a), ground) | (ground, DimTerm::Var(a)) => (a, ground),
        (Ground(_), Ground(_)) => broken("DE-refl and DE-clash come before DE-bind", "two ground dimensions"),
    };
    let bind = Bind { binding: Binding::Dim(var, to), placement: false };
    (Rule::DeBind, Effect { bind: Some(bind), ..Effect::default() })
}

/// The rules for t₁ ⊑ t₂; DI-antisym is §10's, and tried where the policy says so.
#[inline]
pub fn dim_le(store: &impl Store, antisym: bool, s: DimTerm, t: DimTerm) -> Fired {
    first_of!(
        di_top(t),
        di_refl(s, t),
        di_ground(s, t),
        di_pin(s, t),
        di_pin_top(s, t),
        di_cap(store, s, t),
        if antisym { di_antisym(store, s, t) } else { None },
    );
    di_adj(s, t)
}

/// DI-top: t ⊑ 1∅ is discarded.
#[inline]
fn di_top(t: DimTerm) -> Option<Fired> {
    (t == Ground(Dim::Unit)).then(|| (Rule::DiTop, Effect::discard()))
}

/// DI-refl: t ⊑ t is discarded.
#[inline]
fn di_refl(s: DimTerm, t: DimTerm) -> Option<Fired> {
    (s == t).then(|| (Rule::DiRefl, Effect::discard()))
}

/// DI-ground: d ⊑ d′ is checked by Def. 1.2.
#[inline]
fn di_ground(s: DimTerm, t: DimTerm) -> Option<Fired> {
    match (s, t) {
        (Ground(d), Ground(e)) if d.le(e) => Some((Rule::DiGround, Effect::discard())),
        (Ground(d), Ground(e)) => Some((Rule::DiGround, Effect::fail(Why::NotBelow(d, e)))),
        _ => None,
    }
}

/// DI-pin: α ⊑ d with d an atom becomes α = d.
#[inline]
fn di_pin(s: DimTerm, t: DimTerm) -> Option<Fired> {
    match (s, t) {
        (DimTerm::Var(_), Ground(Dim::Atom(_))) => Some((Rule::DiPin, Effect::replace(Constraint::DimEq(s, t)))),
        _ => None,
    }
}

/// DI-pin-top: 1∅ ⊑ α becomes α = 1∅.
#[inline]
fn di_pin_top(s: DimTerm, t: DimTerm) -> Option<Fired> {
    match (s, t) {
        (Ground(Dim::Unit), DimTerm::Var(_)) => Some((Rule::DiPinTop, Effect::replace(Constraint::DimEq(t, s)))),
        _ => None,
    }
}

/// DI-cap: d ⊑ α with d an atom. With no lower bound yet it is recorded; the same again is
/// discarded; another one leaves only α = 1∅.
#[inline]
fn di_cap(store: &impl Store, s: DimTerm, t: DimTerm) -> Option<Fired> {
    let (Ground(Dim::Atom(d)), DimTerm::Var(a)) = (s, t) else { return None };
    let effect = match store.lower(a) {
        None => Effect::keep(Bound::Lower(d, a)),
        // A bound that rests on a placement gives way to the same one without.
        Some(lower) if lower.atom == d && lower.by.tainted => Effect::keep(Bound::Lower(d, a)),
        Some(lower) if lower.atom == d => Effect::discard(),
        Some(lower) => {
            let top = Constraint::DimEq(t, Ground(Dim::Unit));
            Effect { also: vec![lower.by], ..Effect::replace(top) }
        }
    };
    Some((Rule::DiCap, effect))
}

/// DI-antisym: α ⊑ β that closes a cycle of adjacencies becomes α = β (§10 of the paper).
#[inline]
fn di_antisym(store: &impl Store, s: DimTerm, t: DimTerm) -> Option<Fired> {
    let (DimTerm::Var(a), DimTerm::Var(b)) = (s, t) else { return None };
    let also = store.path(b, a)?;
    Some((Rule::DiAntisym, Effect { also, ..Effect::replace(Constraint::DimEq(s, t)) }))
}

/// DI-adj: α ⊑ β is kept as an adjacency of both.
#[inline]
fn di_adj(s: DimTerm, t: DimTerm) -> Fired {
    match (s, t) {
        (DimTerm::Var(a), DimTerm::Var(b)) => (Rule::DiAdj, Effect::keep(Bound::Adjacency(a, b))),
        _ => broken("only α ⊑ β comes to DI-adj", "a ground dimension"),
    }
}
