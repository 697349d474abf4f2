//! Lemma 5.1, rule by rule: what a rule puts in the place of a constraint has the same solutions. And the facts that the
//! guards record of a constraint are true of its solutions (R1).

use crate::meaning::{Gamma, match_row};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::guard::{Difference, Vertex, paper, signed};
use lozenge_calculus::rules::{Bind, Bound, Effect};
use lozenge_calculus::term::{Binding, RowTerm, RowVar};

/// γ satisfies a constraint that a rule emits. Rules emit constraints on dimensions, and no others.
fn holds_emitted(gamma: &impl Gamma, phi: &Constraint) -> bool {
    match phi {
        Constraint::DimEq(s, t) => gamma.dim(*s) == gamma.dim(*t),
        Constraint::DimLe(s, t) => gamma.dim(*s).le(gamma.dim(*t)),
        Constraint::RowEq(..) | Constraint::RowLe(..) => panic!("a rule emits a constraint on rows"),
    }
}

/// γ satisfies every constraint that the effect emits.
fn emitted(gamma: &impl Gamma, effect: &Effect) -> bool {
    let mut all = true;
    for i in 0..effect.emit.len() {
        all &= holds_emitted(gamma, &effect.emit[i]);
    }
    all
}

/// γ satisfies what the effect stores.
fn stored(gamma: &impl Gamma, effect: &Effect) -> bool {
    match &effect.store {
        None => true,
        Some(Bound::Lower(d, a)) => Dim::Atom(*d).le(gamma.dim((*a).into())),
        Some(Bound::Adjacency(a, b)) => gamma.dim((*a).into()).le(gamma.dim((*b).into())),
        Some(Bound::Cap(res, on)) => gamma.row_le(res, &(*on).into()),
        Some(Bound::Deferred(r1, r2)) => gamma.row_eq(r1, r2),
    }
}

/// Lemma 5.1 for one step, and one γ that satisfies what the rule looked at of the store. Says nothing where γ is no
/// solution, unless it must not be one.
///
/// - A rule that fails has no solution.
/// - A rule without a binding, or whose binding is entailed: γ satisfies φ iff it satisfies what is left. Fresh
///   variables have the values that x = T gives them, or there are none.
/// - A placement: the content is entailed exactly; with the marker where it is placed, what is left entails φ, and
///   every solution is one after its marker is moved there.
pub fn keeps_solutions(phi: &Constraint, effect: &Effect, gamma: &impl Gamma) -> bool {
    let before = gamma.holds(phi);
    match &effect.bind {
        _ if effect.fail.is_some() => fails(before),
        None if effect.store.is_none() => replaces(before, effect, gamma),
        None => stores(before, effect, gamma),
        Some(Bind { placement: true, .. }) => places(effect, gamma, |gamma| gamma.holds(phi)),
        Some(_) => binds(effect, gamma, |gamma| gamma.holds(phi)),
    }
    before || effect.fail.is_some()
}

/// A rule that fails.
pub fn fails(before: bool) {
    assert!(!before, "a rule that fails on a constraint with a solution");
}

/// A rule that puts constraints in the place of another, and does nothing else.
pub fn replaces(before: bool, effect: &Effect, gamma: &impl Gamma) {
    assert!(effect.bind.is_none() && effect.store.is_none() && !effect.again && effect.fail.is_none());
    assert!(before == emitted(gamma, effect), "the solutions are the same");
}

/// A rule that stores a bound beside what it emits.
pub fn stores(before: bool, effect: &Effect, gamma: &impl Gamma) {
    assert!(effect.bind.is_none() && effect.store.is_some() && !effect.again && effect.fail.is_none());
    assert!(before == (emitted(gamma, effect) && stored(gamma, effect)), "the solutions are the same");
}

/// A rule that binds a variable to what it has to be.
pub fn binds<G: Gamma>(effect: &Effect, gamma: &G, holds: impl Fn(&G) -> bool) {
    match &effect.bind {
        Some(Bind { binding: Binding::Row(var, to), placement: false }) if effect.again => {
            grows(effect, *var, to, gamma, holds);
        }
        Some(Bind { binding: Binding::Row(var, to), placement: false }) => fixes(effect, *var, to, gamma, holds(gamma)),
        _ => {
            keeps_dimensions(holds(gamma), effect, gamma);
        }
    }
}

/// A rule that binds ρ ↦ T where T leaves no choice: RE-open-closed with nothing between the flanks.
pub fn fixes(effect: &Effect, var: RowVar, to: &RowTerm, gamma: &impl Gamma, before: bool) {
    assert!(effect.store.is_none() && !effect.again && effect.fail.is_none());
    let same = gamma.row_var(var).is_some_and(|value| gamma.is_row(to, value));
    assert!(before == (same && emitted(gamma, effect)), "the solutions are the same");
}

/// A rule that binds ρ ↦ T with fresh variables in T, and looks at its constraint again.
pub fn grows<G: Gamma>(effect: &Effect, var: RowVar, to: &RowTerm, gamma: &G, holds: impl Fn(&G) -> bool) {
    assert!(effect.store.is_none() && effect.fail.is_none() && effect.again && effect.emit.is_empty());
    let mut hat = gamma.clone();
    let extends = gamma.row_var(var).is_some_and(|value| match_row(&mut hat, to, value));
    assert!(holds(gamma) == (extends && holds(&hat)), "the solutions are the same, with fresh variables");
}

/// A rule that places: ρ ↦ T.
pub fn places<G: Gamma>(effect: &Effect, gamma: &G, holds: impl Fn(&G) -> bool) {
    let Some(Bind { binding: Binding::Row(var, to), placement: true }) = &effect.bind else {
        panic!("only rows are placed")
    };
    content_is_entailed(effect, *var, to, gamma, holds(gamma));
    if holds(gamma) {
        marker_moves(effect, *var, to, gamma, holds);
    }
}

/// A placement ρ ↦ T: its content is what every solution has.
pub fn content_is_entailed(effect: &Effect, var: RowVar, to: &RowTerm, gamma: &impl Gamma, before: bool) {
    assert!(effect.store.is_none() && !effect.again && effect.fail.is_none(), "a rule that places does nothing else");
    assert!(before == (gamma.row_eq(&var.into(), to) && emitted(gamma, effect)), "the content is entailed");
}

/// A placement ρ ↦ T: a solution is one after its marker is moved.
pub fn marker_moves<G: Gamma>(effect: &Effect, var: RowVar, to: &RowTerm, gamma: &G, holds: impl Fn(&G) -> bool) {
    let mut moved = gamma.clone();
    moved.set_row(var, gamma.row(to));
    assert!(moved.row_var(var).is_some_and(|value| moved.is_row(to, value)), "the marker is where it was placed");
    assert!(emitted(&moved, effect) && holds(&moved), "a solution is one after its marker is moved");
}

/// [`keeps_solutions`] for the rules of Def. 4.2, which speak of dimensions alone.
pub fn keeps_dimensions(before: bool, effect: &Effect, gamma: &impl Gamma) -> bool {
    assert!(!effect.again, "no rule of Def. 4.2 is applied again");
    let binds = match effect.bind.as_ref().map(|bind| &bind.binding) {
        None => true,
        Some(Binding::Dim(v, t)) => gamma.dim((*v).into()) == gamma.dim(*t),
        Some(Binding::Row(..)) => panic!("a rule of Def. 4.2 binds a row"),
    };
    let rows = matches!(effect.store, Some(Bound::Cap(..) | Bound::Deferred(..)));
    assert!(!rows, "no rule of Def. 4.2 stores a row");
    let left = effect.fail.is_none() && binds && stored(gamma, effect) && emitted(gamma, effect);
    assert!(before == left, "the solutions are the same");
    before
}

/// The length of a vertex of the guard: of a row, leading or trailing or both, or 0.
fn lengths(gamma: &impl Gamma, vertex: Vertex) -> [i64; 2] {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    vertex.and_then(|v| gamma.row_var(v)).map_or([0, 0], |r| [count(r.lead.len()), count(r.trail.len())])
}

/// Is a fact about leading and trailing lengths true of γ?
fn true_of(gamma: &impl Gamma, fact: &Difference<2>) -> bool {
    let (greater, lesser) = (lengths(gamma, fact.greater), lengths(gamma, fact.lesser));
    greater[0] >= lesser[0] + fact.weights[0] && greater[1] >= lesser[1] + fact.weights[1]
}

/// R1: what the guard records of R_res ⊑ R_op is true of every solution.
pub fn facts_are_entailed(res: &RowTerm, op: &RowTerm, gamma: &impl Gamma) -> bool {
    let premise = gamma.row_le(res, op);
    if premise && let Some(fact) = signed::of_inequality(res, op) {
        assert!(true_of(gamma, &fact));
    }
    premise
}

/// R1: what the guard records of ρ ↦ T is true where ρ is T, and where both are true the lengths are those of T.
pub fn facts_of_bindings(var: RowVar, to: &RowTerm, gamma: &impl Gamma) -> bool {
    let value = gamma.row(to);
    let own = gamma.row_var(var);
    let [up, down] = signed::of_binding(var, to);
    let same = own.is_some_and(|own| own.lead.len() == value.lead.len() && own.trail.len() == value.trail.len());
    assert!((true_of(gamma, &up) && true_of(gamma, &down)) == same);
    same
}

/// Def. 4.5 to the letter: what it records of a binding is true of ranks. (Of an inequality it need not be:
/// spec/findings/F1.md.)
pub fn rank_facts_of_bindings(var: RowVar, to: &RowTerm, gamma: &impl Gamma) -> bool {
    let same = gamma.row_var(var).is_some_and(|own| *own == gamma.row(to));
    if same && let Some(fact) = paper::of_binding(var, to) {
        let rank = |vertex| lengths(gamma, vertex).iter().sum::<i64>();
        assert!(rank(fact.greater) >= rank(fact.lesser) + fact.weights[0]);
    }
    same
}
