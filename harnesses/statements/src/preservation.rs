//! Lemma 5.1, rule by rule: what a rule puts in the place of a constraint has the same solutions. And the facts that the
//! guards record of a constraint are true of its solutions (R1).

use crate::meaning::{Gamma, match_binding};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::guard::{Difference, Vertex, paper, signed};
use lozenge_calculus::rules::{Bind, Effect};
use lozenge_calculus::term::{Binding, RowTerm, RowVar};

/// γ satisfies all that the effect leaves of the constraint it consumed, the binding apart.
fn after(gamma: &impl Gamma, effect: &Effect, consumed: &Constraint) -> bool {
    let stored = effect.store.as_ref().is_none_or(|bound| gamma.holds(&bound.constraint()));
    let again = !effect.again || gamma.holds(consumed);
    let mut emitted = true;
    for phi in &effect.emit {
        emitted &= gamma.holds(phi);
    }
    emitted && stored && again
}

/// Lemma 5.1 for one step, and one γ that satisfies what the rule looked at of the store.
///
/// - A rule that fails has no solution.
/// - A rule without a binding, or whose binding is entailed: γ satisfies φ iff it satisfies what is left. Fresh
///   variables have the values that x = T gives them, or there are none.
/// - A placement: the content is entailed exactly; with the marker where it is placed, what is left entails φ, and
///   every solution is one after its marker is moved there.
pub fn keeps_solutions(phi: &Constraint, effect: &Effect, gamma: &impl Gamma) -> bool {
    let before = gamma.holds(phi);
    match &effect.bind {
        _ if effect.fail.is_some() => {
            assert!(!before, "a rule that fails on a constraint with a solution");
            return true;
        }
        None => assert!(before == after(gamma, effect, phi), "the solutions are the same"),
        Some(Bind { binding: Binding::Row(var, to), placement: true }) => {
            keeps_content(phi, effect, gamma, *var, to, before);
        }
        Some(bind) => {
            assert!(!bind.placement, "only rows are placed");
            let mut hat = gamma.clone();
            let extends = match_binding(&mut hat, &bind.binding);
            assert!(
                before == (extends && after(&hat, effect, phi)),
                "the solutions are the same, with fresh variables"
            );
        }
    }
    before
}

/// [`keeps_solutions`] for a placement ρ ↦ T.
fn keeps_content(phi: &Constraint, effect: &Effect, gamma: &impl Gamma, var: RowVar, to: &RowTerm, before: bool) {
    let content = Constraint::RowEq(var.into(), to.clone());
    let left = after(gamma, effect, phi);
    assert!(before == (gamma.holds(&content) && left), "the content is entailed");
    if before {
        let mut moved = gamma.clone();
        moved.set_row(var, gamma.row(to));
        let placed = moved.row(to);
        assert!(moved.row_var(var).is_some_and(|value| *value == placed), "the marker is where it was placed");
        assert!(after(&moved, effect, phi) && moved.holds(phi), "a solution is one after its marker is moved");
    }
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
    let premise = gamma.holds(&Constraint::RowLe(res.clone(), op.clone()));
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
