//! Ranged dimensions, D1 to D5: every pair and every triple over the five kinds (spec/ranged.md).
#![allow(missing_docs)]

use lozenge::ranged::{Clash, Context, Dim, Kind, ShapeProblem, UnifyRule, unify_dims};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::for_all;
use lozenge_harnesses::ranged::document::Printed;
use lozenge_harnesses::ranged::{
    ARanged, AXES, DIMS, ENVS, ORDERS, agrees, context, known, literal, means, named, variable,
};

/// What a run of unifications leaves: the answer, resolved, and what is known of α and β.
type State = Option<(Dim, Vec<(Dim, Dim)>)>;

fn state(context: &Context, answer: Result<Dim, lozenge::ranged::ShapeError>) -> State {
    answer.ok().map(|d| (context.resolve(&d), known(context)))
}

/// D4: a success is what the two dimensions have in common, no more and no less; a failure means they have nothing.
#[test]
fn d4_is_the_intersection() {
    for_all!(d4_is_the_intersection, (ARanged(x), ARanged(y)) in (ARanged, ARanged) => {
        let mut context = context();
        let answer = unify_dims(&mut context, x, y).ok();
        for env in ENVS.iter() {
            for axis in AXES.iter() {
                let common = means(x, env, *axis) && means(y, env, *axis);
                let said = answer.as_ref().is_some_and(|d| agrees(&context, env) && means(d, env, *axis));
                assert_eq!(common, said, "{x} with {y}, {axis:?}");
            }
        }
        // Over this universe nothing fails for want of sizes or labels.
        assert_eq!(answer.is_some(), ENVS.iter().any(|e| AXES.iter().any(|a| means(x, e, *a) && means(y, e, *a))));
    });
}

/// D4: the sides may be exchanged, a dimension with itself is itself, and each rule is where the table has it.
#[test]
fn d4_symmetric_and_idempotent() {
    for_all!(d4_symmetric_and_idempotent, (ARanged(x), ARanged(y)) in (ARanged, ARanged) => {
        let (mut one, mut other) = (context(), context());
        let (there, back) = (unify_dims(&mut one, x, y), unify_dims(&mut other, y, x));
        assert_eq!(state(&one, there.clone()), state(&other, back), "{x} with {y}");
        assert_eq!(UnifyRule::of(x.kind(), y.kind()), UnifyRule::of(y.kind(), x.kind()));
        if let Ok(answer) = there {
            // Once more changes nothing.
            let before = known(&one);
            let again = unify_dims(&mut one, &answer, x).expect("it was narrowed to that");
            assert_eq!((one.resolve(&again), known(&one)), (one.resolve(&answer), before));
        } else {
            assert_eq!(known(&one), known(&context()), "a failure changes nothing");
        }
        let mut own = context();
        let same = unify_dims(&mut own, x, x).expect("a dimension with itself");
        assert_eq!(own.resolve(&same), *x);
        assert_eq!(known(&own), known(&context()));
    });
}

/// x ⊔ y ⊔ z in this order, with brackets to the left or to the right.
fn fold([x, y, z]: [&Dim; 3], to_the_right: bool) -> State {
    let mut context = context();
    let answer = if to_the_right {
        unify_dims(&mut context, y, z).and_then(|yz| unify_dims(&mut context, x, &yz))
    } else {
        unify_dims(&mut context, x, y).and_then(|xy| unify_dims(&mut context, &xy, z))
    };
    state(&context, answer)
}

/// D5: three dimensions give one answer, whatever the order and the brackets.
#[test]
fn d5_triples_in_every_order() {
    let cases = Cases::of("d5_triples_in_every_order");
    for x in DIMS.iter() {
        for y in DIMS.iter() {
            for z in DIMS.iter() {
                let all = [x, y, z];
                let expected = fold(all, false);
                for order in ORDERS {
                    for to_the_right in [false, true] {
                        let state = fold(order.map(|i| all[i]), to_the_right);
                        assert_eq!(
                            state, expected,
                            "{x}, {y}, {z} in the order {order:?}, to the right: {to_the_right}"
                        );
                        cases.one();
                    }
                }
            }
        }
    }
    cases.finish();
}

/// D5: three equations between any dimensions give one answer, whatever their order, and it is the right one: there
/// is a solution iff brute force finds one.
#[test]
fn d5_equations_in_every_order() {
    let cases = Cases::of("d5_equations_in_every_order");
    let pairs: Vec<(&Dim, &Dim)> =
        (0..DIMS.len()).flat_map(|i| (i..DIMS.len()).map(move |j| (&DIMS[i], &DIMS[j]))).collect();
    // For each equation, the environments in which its sides have an axis in common.
    let solved: Vec<Vec<bool>> = pairs
        .iter()
        .map(|(x, y)| ENVS.iter().map(|e| AXES.iter().any(|a| means(x, e, *a) && means(y, e, *a))).collect())
        .collect();
    for i in 0..pairs.len() {
        for j in i..pairs.len() {
            for k in j..pairs.len() {
                let all = [i, j, k];
                let run = |order: [usize; 3]| {
                    let mut context = context();
                    let mut equations = order.iter().map(|n| pairs[all[*n]]);
                    equations.try_for_each(|(x, y)| unify_dims(&mut context, x, y).map(drop)).ok().map(|()| context)
                };
                let first = run(ORDERS[0]);
                let solutions: Vec<bool> = (0..ENVS.len()).map(|e| all.iter().all(|n| solved[*n][e])).collect();
                let said: Vec<bool> = ENVS.iter().map(|e| first.as_ref().is_some_and(|c| agrees(c, e))).collect();
                assert_eq!(solutions, said, "{:?}", all.map(|n| pairs[n]));
                for order in ORDERS.into_iter().skip(1) {
                    let other = run(order);
                    assert_eq!(first.as_ref().map(known), other.as_ref().map(known), "{:?}", all.map(|n| pairs[n]));
                }
                cases.one();
            }
        }
    }
    cases.finish();
}

/// D4: every pair of kinds has its rule, and every rule is used by some pair of the universe.
#[test]
fn d4_every_rule_is_used() {
    let used = |rule: UnifyRule| DIMS.iter().any(|x| DIMS.iter().any(|y| UnifyRule::of(x.kind(), y.kind()) == rule));
    assert!(UnifyRule::ALL.into_iter().all(used));
    assert!(Kind::ALL.into_iter().all(|kind| DIMS.iter().any(|d| d.kind() == kind)));
}

/// The two sides of a failure, as the error shows them.
#[test]
fn d7_a_clash_names_both_sides() {
    let clash = |x: &Dim, y: &Dim| {
        let error = unify_dims(&mut context(), x, y).expect_err("a clash");
        assert_eq!(error.shapes.iter().map(|s| &s.0[0]).collect::<Vec<_>>(), [x, y]);
        match error.problem {
            ShapeProblem::Clash(clash) => clash,
            other => panic!("{other}"),
        }
    };
    assert!(matches!(clash(&literal(3), &literal(2)), Clash::LiteralMismatch(..)));
    assert!(matches!(clash(&named("a", 1, Some(2)), &literal(3)), Clash::OutOfRange { .. }));
    assert!(matches!(clash(&literal(3), &named("a", 1, Some(2))), Clash::OutOfRange { .. }));
    assert!(matches!(clash(&named("a", 1, Some(2)), &named("a", 3, None)), Clash::RangeEmpty { .. }));
    assert!(matches!(clash(&named("a", 1, None), &named("b", 1, None)), Clash::NameMismatch(..)));
}

/// A variable of another context is an error, not a crash.
#[test]
fn d5_a_foreign_variable_is_refused() {
    let error = unify_dims(&mut Context::new(), &variable(1), &literal(3)).expect_err("unknown there");
    assert!(matches!(error.problem, ShapeProblem::ForeignVariable(_)));
    assert_eq!(Context::new().resolve(&variable(1)), variable(1));
}

/// F30: the printed algorithm is not symmetric.
#[test]
fn finding_f30_printed_sides_matter() {
    let (name, three) = (named("a", 1, Some(4)), literal(3));
    assert_eq!(Printed::default().unify(&name, &three), Some(literal(3)));
    assert_eq!(Printed::default().unify(&three, &name), None);
    let both = |x: &Dim, y: &Dim| unify_dims(&mut context(), x, y).expect("3 is in 1..4");
    assert_eq!(both(&name, &three), named("a", 3, Some(3)));
    assert_eq!(both(&three, &name), named("a", 3, Some(3)));
}

/// F30: in the printed algorithm a literal takes the name off, so a clash of names depends on the order.
#[test]
fn finding_f30_printed_literals_take_names_off() {
    let (batch, seq, three) = (named("batch", 1, Some(4)), named("seq", 1, Some(8)), literal(3));
    let mut printed = Printed::default();
    let first = printed.unify(&batch, &three).expect("3");
    assert_eq!(printed.unify(&seq, &first), Some(literal(3)));
    assert_eq!(printed.unify(&batch, &seq), None);
    let fails = |order: [&Dim; 3]| {
        let mut context = context();
        let first = unify_dims(&mut context, order[0], order[1]);
        first.and_then(|d| unify_dims(&mut context, &d, order[2])).is_err()
    };
    assert!(fails([&batch, &three, &seq]) && fails([&batch, &seq, &three]) && fails([&seq, &three, &batch]));
}

/// F31: the printed algorithm overwrites bindings, so α is 3 and 5 at once; and it binds variables to themselves.
#[test]
fn finding_f31_printed_bindings_are_lost_or_circular() {
    let (alpha, beta) = (variable(0), variable(1));
    let mut printed = Printed::default();
    assert_eq!(printed.unify(&alpha, &literal(3)), Some(literal(3)));
    assert_eq!(printed.unify(&alpha, &literal(5)), Some(literal(5)));
    assert_eq!(printed.resolve(&alpha), Some(literal(5)));

    let mut own = Printed::default();
    own.unify(&alpha, &alpha);
    assert_eq!(own.resolve(&alpha), None, "it does not end");
    let mut two = Printed::default();
    two.unify(&alpha, &beta);
    two.unify(&beta, &alpha);
    assert_eq!(two.resolve(&alpha), None, "it does not end");

    let mut context = context();
    unify_dims(&mut context, &alpha, &beta).expect("two variables");
    unify_dims(&mut context, &beta, &alpha).expect("the same again");
    unify_dims(&mut context, &alpha, &literal(3)).expect("nothing known yet");
    assert_eq!(context.resolve(&beta), literal(3));
    assert!(unify_dims(&mut context, &beta, &literal(5)).is_err());
}

/// F32: a variable that met Dynamic or Broadcast first is bound to it for good, and what comes later is lost.
#[test]
fn finding_f32_printed_dynamic_hides_what_follows() {
    for open in [Dim::Dynamic, Dim::Broadcast] {
        let alpha = variable(0);
        // Even if it looked bindings up first, the variable would stay what it was bound to.
        let mut printed = Printed::default();
        printed.unify(&alpha, &open);
        for n in [3, 5] {
            let now = printed.resolve(&alpha).expect("it ends");
            assert_eq!(printed.unify(&now, &literal(n)), Some(literal(n)));
        }
        assert_eq!(printed.resolve(&alpha), Some(open.clone()));
        let mut context = context();
        unify_dims(&mut context, &alpha, &open).expect("it asks for nothing");
        unify_dims(&mut context, &alpha, &literal(3)).expect("nothing known yet");
        assert!(unify_dims(&mut context, &alpha, &literal(5)).is_err());
    }
}

/// How often the printed algorithm depends on the order: triples of the universe whose answer, success or failure,
/// or values of variables are not the same in all orders and with all brackets.
#[test]
fn finding_f30_to_f32_how_often() {
    let fold = |[x, y, z]: [&Dim; 3], to_the_right: bool| {
        let mut printed = Printed::default();
        let answer = if to_the_right {
            printed.unify(y, z).and_then(|yz| printed.unify(x, &yz))
        } else {
            printed.unify(x, y).and_then(|xy| printed.unify(&xy, z))
        };
        answer.map(|d| (printed.resolve(&d), [0, 1].map(|i| printed.resolve(&variable(i)))))
    };
    let (mut all, mut dependent, mut without_variables) = (0, 0, 0);
    for x in DIMS.iter() {
        for y in DIMS.iter() {
            for z in DIMS.iter() {
                let dims = [x, y, z];
                let mut answers = ORDERS.iter().flat_map(|o| [false, true].map(|r| fold(o.map(|i| dims[i]), r)));
                let first = answers.next().expect("twelve of them");
                let depends = answers.any(|other| other != first);
                all += 1;
                dependent += u32::from(depends);
                without_variables += u32::from(depends && !dims.iter().any(|d| d.kind() == Kind::Var));
            }
        }
    }
    assert_eq!((all, dependent, without_variables), (2197, 474, 168));
}
