//! Conj. 8.3: closing with two units.

use super::meaning::{discarded, side};
use super::{Given, size};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::semantics::Universe;
use lozenge::solver::Policy;
use lozenge::staged::Given as Assigned;
use lozenge::staged::{
    AxisLabels, Outcome, SizeClaim, SizeTerm, Stage, StageRule, StagedSystem, discardable, may_be_zero, sol, solve,
};
use lozenge::term::{Binding, DimTerm, DimVar, RowTerm};
use lozenge_harnesses::cases::Cases;
use std::collections::{BTreeMap, BTreeSet};

/// An operation between two slots, where the sizes of a, b and c are known as the digits of `known` to base 3 say:
/// 0 is unknown.
fn operation(operand: &str, result: &str, known: u64) -> Given {
    let mut given = Given::new("a = a\nb = b\nc = c");
    given.phi.clear();
    for (i, label) in ["a", "b", "c"].into_iter().enumerate() {
        let n = known / 3_u64.pow(u32::try_from(i).expect("small")) % 3;
        if n > 0 {
            let d = given.dim(label);
            given.phi.push(Constraint::DimEq(d, size(n)));
        }
    }
    let (mut axes, mut rows) = (BTreeMap::new(), Vec::new());
    for axis in operand.split(',').chain(result.split(',')).map(str::trim) {
        let parts: Vec<DimTerm> = axis.split('^').map(|l| given.dim(l)).collect();
        match parts.as_slice() {
            [one] => rows.push(*one),
            _ => {
                let d = *axes.entry(axis).or_insert_with(|| given.names.fresh_dim());
                given.claims.push(SizeClaim::Size(d.into(), SizeTerm::Concat(parts)));
                rows.push(d.into());
            }
        }
    }
    // Plain axes are axes of tensors: they stand in a row.
    let tensor = given.row("t");
    given.phi.push(Constraint::RowEq(tensor, RowTerm::new(vec![], None, rows)));
    given
}

/// Are all parts of some concatenation 0 or this one, so that it would be left without elements?
fn is_last_part(given: &Given, v: DimVar, zeros: &BTreeSet<DimVar>) -> bool {
    let gone = |t: &DimTerm| matches!(t, DimTerm::Var(u) if *u == v || zeros.contains(u));
    given.claims.iter().any(|claim| match claim {
        SizeClaim::Size(_, SizeTerm::Concat(parts)) => parts.contains(&DimTerm::Var(v)) && parts.iter().all(gone),
        _ => false,
    })
}

/// How many labels are 0 after closing; what is closed is greatest among what the test allows.
fn zeros_after_closing(operand: &str, result: &str, known: u64) -> u64 {
    let mut given = operation(operand, result, known);
    let labels = discardable(&side(operand), &side(result));
    let vars: BTreeSet<DimVar> = labels.iter().map(|l| given.var(l)).collect();
    let problem =
        StagedSystem { phi: &given.phi, claims: &given.claims, discardable: vars.clone(), ..StagedSystem::default() };
    let outcome = solve(&problem, &mut given.names.clone(), Policy::default(), Stage::Seven);
    let Outcome::Closed(closed) = outcome else { panic!("{operand} => {result}, {known}: {outcome:?}") };
    let zeros = &closed.values.zeros;
    assert!(closed.values.solves(&given.phi, &given.claims));
    // Only what the test calls discardable is 0, and it is where nothing says otherwise: all that may be, but for
    // the last part of a concatenation.
    assert!(zeros.is_subset(&vars));
    for v in may_be_zero(&given.phi, &given.claims, &vars).difference(zeros) {
        assert!(is_last_part(&given, *v, zeros), "{operand} => {result}, {known}");
    }
    // Greatest within the order: every variable that stayed unknown and is on it is 1∅, or worked out.
    for assumed in &closed.assumptions {
        match &assumed.given {
            Assigned::Zero(_) => assert_eq!(assumed.rule, StageRule::Zero.into()),
            // What is worked out is the atom of that size.
            Assigned::Is(Binding::Dim(_, t)) if assumed.rule == StageRule::Size.into() => {
                assert!(matches!(t, DimTerm::Dim(Dim::Atom(_))));
            }
            Assigned::Is(Binding::Dim(_, t)) => assert_eq!(*t, DimTerm::Dim(Dim::Unit)),
            Assigned::Is(Binding::Row(..)) => {}
        }
    }
    zeros.len() as u64
}

#[test]
fn conj_8_3_two_unit_closing() {
    let cases = Cases::of("conj_8_3_two_unit_closing");
    // Concatenations of two and three parts on either side, plain axes, and every way to know some sizes.
    let slots = ["a", "b", "a^b", "b^c", "a^b^c", "a, b", "a^b, c", "b^c, a"];
    let pairs = slots.iter().flat_map(|operand| slots.iter().map(move |result| (operand, result)));
    let mut zeros = 0;
    for (operand, result) in pairs.filter(|(operand, result)| operand.contains('^') || result.contains('^')) {
        for known in 0..3_u64.pow(3) {
            zeros += zeros_after_closing(operand, result, known);
            cases.one();
        }
    }
    assert!(zeros > 100, "{zeros}");
    cases.finish();
}

#[test]
fn finding_parts_that_are_each_projected_away_and_not_together() {
    // For a and b the axis c of the result meets the complement, for c the axis a^b does: all three are
    // discardable. All three at 0, and already a and b, leave an axis of the result without elements.
    assert_eq!(discarded("a^b^c => a^b, c"), ["a", "b", "c"]);
    let mut given = Given::new("c = 2\n<t> ~ [] <> [d, e, c]")
        .claim(|g| SizeClaim::Size(g.dim("d"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b"), g.dim("c")])))
        .claim(|g| SizeClaim::Size(g.dim("e"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["a", "b", "c"];
    let (a, b) = (given.var("a"), given.var("b"));
    let eligible = may_be_zero(&given.phi, &given.claims, &BTreeSet::from([a, b]));
    assert_eq!(eligible, BTreeSet::from([a, b]));
    let universe = Universe::of_sizes(&[1, 2, 3, 4], 3).expect("small");
    let both = sol(&given.phi, &given.claims, &eligible, &universe).find(|s| s.zeros.len() == 2);
    assert!(both.is_none(), "{both:?}");
    assert_eq!(given.sizes(&["a", "b", "c", "d", "e"]), [0, 1, 2, 3, 1]);
}

#[test]
fn conj_8_3_axes_of_rows_never_change_the_test() {
    // What a row variable stands for adds axes without labels: the test asks for an axis that meets the
    // complement in all components, and such an axis never does.
    let specs = ["a^b => a", "a^b => a^b", "a; b => a^c", "a^b^c => b", "a => a^b", "b^c => a"];
    for spec in specs {
        let (operands, result) = spec.split_once("=>").expect("an arrow");
        let plain = discardable(&side(operands), &side(result));
        for extra in 1..3 {
            let grow = |mut side: Vec<Vec<AxisLabels>>| {
                side.iter_mut().for_each(|slot| slot.extend(vec![vec![BTreeSet::new()]; extra]));
                side
            };
            assert_eq!(discardable(&grow(side(operands)), &grow(side(result))), plain, "{spec}");
        }
    }
}
