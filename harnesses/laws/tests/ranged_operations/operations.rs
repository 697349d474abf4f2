//! D6 and D7: operations and their errors.

use super::{lists, literals, shape};
use lozenge::ranged::error::Operation;
use lozenge::ranged::ops::{
    broadcast, concat, matmul, matmul_batched, permute, reduce, stack, transpose, unify_shapes,
};
use lozenge::ranged::verify::verify;
use lozenge::ranged::{Context, Dim, Position, Shape, ShapeError, ShapeProblem, unify_dims};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::for_all;
use lozenge_harnesses::ranged::document::Printed;
use lozenge_harnesses::ranged::{
    ARanged, AXES, Axis, DIMS, ENVS, Env, LARGEST, agrees, context, known, literal, means, shapes, variable,
};

/// NumPy's rule on sizes: aligned at the end, 1 stretches.
fn numpy(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let rank = a.len().max(b.len());
    let at = |s: &[u64], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |i| s[i]);
    let column = |i| match (at(a, i), at(b, i)) {
        (x, y) if x == y || y == 1 => Some(x),
        (1, y) => Some(y),
        _ => None,
    };
    (0..rank).map(column).collect()
}

/// D6: on literals, broadcasting is NumPy's, and three at once are two and then one.
#[test]
fn d6_literal_broadcast_is_numpy() {
    let cases = Cases::of("d6_literal_broadcast_is_numpy");
    let lists = lists(&[1, 2, 3], 3);
    for a in &lists {
        for b in &lists {
            let (x, y) = (literals(a), literals(b));
            let found = broadcast(&mut Context::new(), &[&x, &y]).ok();
            assert_eq!(found, numpy(a, b).map(|sizes| literals(&sizes)), "{x} and {y}");
            for c in lists.iter().filter(|c| c.len() < 3) {
                let z = literals(c);
                let at_once = broadcast(&mut Context::new(), &[&x, &y, &z]).ok();
                let in_turn = numpy(a, b).and_then(|ab| numpy(&ab, c)).map(|sizes| literals(&sizes));
                assert_eq!(at_once, in_turn, "{x}, {y} and {z}");
                cases.one();
            }
        }
    }
    cases.finish();
}

/// What a column of a broadcast can be (D6): what all of it has in common, apart from literal ones.
fn column(dims: &[&Dim], env: &Env, axis: Axis) -> bool {
    let mut wide = dims.iter().filter(|d| !d.is_one()).peekable();
    if wide.peek().is_none() { axis.size == 1 } else { wide.all(|d| means(d, env, axis)) }
}

/// D6: broadcasting over all five kinds is the intersection, column by column; a failure means that there is none.
#[test]
fn d6_broadcast_is_the_intersection() {
    let cases = Cases::of("d6_broadcast_is_the_intersection");
    let all = shapes(&DIMS, 2);
    for x in all.iter().filter(|x| x.rank() == 2) {
        for y in &all {
            let mut context = context();
            let result = broadcast(&mut context, &[x, y]).ok();
            let pad = x.rank() - y.rank();
            for env in ENVS.iter() {
                let mut possible = true;
                for i in 0..x.rank() {
                    let dims: Vec<&Dim> = std::iter::once(&x.0[i]).chain(i.checked_sub(pad).map(|j| &y.0[j])).collect();
                    possible &= AXES.iter().any(|axis| column(&dims, env, *axis));
                    if let Some(result) = &result
                        && agrees(&context, env)
                    {
                        assert!(AXES.iter().all(|a| column(&dims, env, *a) == means(&result.0[i], env, *a)), "{x} {y}");
                    }
                }
                assert_eq!(possible, result.is_some() && agrees(&context, env), "{x} and {y}");
            }
            cases.one();
        }
    }
    cases.finish();
}

/// D6: a product binds what its inner axes share, and its result has the outer ones.
#[test]
fn d6_matmul_is_the_intersection() {
    let cases = Cases::of("d6_matmul_is_the_intersection");
    for m in DIMS.iter() {
        for k1 in DIMS.iter() {
            for k2 in DIMS.iter() {
                for n in DIMS.iter() {
                    let (left, right) = (Shape(vec![m.clone(), k1.clone()]), Shape(vec![k2.clone(), n.clone()]));
                    let (mut one, mut two) = (context(), context());
                    let product = matmul(&mut one, &left, &right);
                    assert_eq!(product.is_ok(), unify_dims(&mut two, k1, k2).is_ok());
                    assert_eq!(known(&one), known(&two));
                    match product {
                        Ok(product) => assert_eq!(product, Shape(vec![m.clone(), n.clone()])),
                        Err(error) => {
                            assert_eq!(error.at, [Position::new(0, 1), Position::new(1, 0)]);
                            assert_eq!(error.shapes, [left.clone(), right.clone()]);
                        }
                    }
                    // Without axes in front, the batched product is the product.
                    let batched = matmul_batched(&mut context(), &left, &right).ok();
                    assert_eq!(batched, matmul(&mut context(), &left, &right).ok());
                    cases.one();
                }
            }
        }
    }
    cases.finish();
}

#[test]
fn d6_batched_matmul() {
    let product = |a: &str, b: &str| matmul_batched(&mut Context::new(), &shape(a), &shape(b)).map(|s| s.to_string());
    assert_eq!(product("[7, 4, 8]", "[8, 16]").as_deref(), Ok("[7, 4, 16]"));
    assert_eq!(product("[batch, 1, 4, 8]", "[5, 8, 16]").as_deref(), Ok("[batch, 5, 4, 16]"));
    let clash = product("[7, 4, 8]", "[6, 8, 16]").expect_err("7 and 6");
    assert_eq!((clash.operation, clash.at), (Operation::Matmul, vec![Position::new(0, 0), Position::new(1, 0)]));
    assert!(matches!(product("[8]", "[8, 16]").expect_err("a vector").problem, ShapeProblem::Rank { found: 1, .. }));
}

/// D6: concatenation adds sizes along its axis: every sum of possible sizes is in the range of the result.
#[test]
fn d6_concat_adds_sizes() {
    for_all!(d6_concat_adds_sizes, (ARanged(x), ARanged(y)) in (ARanged, ARanged) => {
        let [a, b] = [x, y].map(|d| Shape(vec![literal(5), d.clone()]));
        let joined = concat(&mut context(), &[&a, &b], 1).expect("the other axes agree");
        assert_eq!(joined.0[0], literal(5));
        for n in 1..=LARGEST {
            for m in 1..=LARGEST {
                let both = verify(&[5, n], &a).is_ok() && verify(&[5, m], &b).is_ok();
                assert!(!both || verify(&[5, n + m], &joined).is_ok(), "{x} and {y} give {joined}, not {}", n + m);
            }
        }
        if let (Some(n), Some(m)) = (x.size(), y.size()) {
            assert_eq!(joined.0[1].size().map(|s| s.get()), Some(n.get() + m.get()));
        }
        let clash = concat(&mut context(), &[&a, &b], 0);
        assert_eq!(clash.is_ok(), unify_dims(&mut context(), x, y).is_ok());
    });
}

/// D6: a stack unifies its parts and adds an axis; a failed one changes nothing.
#[test]
fn d6_stack_unifies() {
    for_all!(d6_stack_unifies, (ARanged(x), ARanged(y)) in (ARanged, ARanged) => {
        let [a, b] = [x, y].map(|d| Shape(vec![d.clone(), variable(0)]));
        for axis in 0..=3 {
            let (mut one, mut two) = (context(), context());
            let stacked = stack(&mut one, &[&a, &b], axis);
            match unify_shapes(&mut two, &a, &b) {
                Ok(mut unified) if axis <= 2 => {
                    unified.0.insert(axis, literal(2));
                    assert_eq!(stacked, Ok(unified));
                }
                _ => assert!(stacked.is_err() && known(&one) == known(&context())),
            }
        }
    });
}

/// A failed operation of several steps takes back what its first steps bound.
#[test]
fn d5_failed_operations_change_nothing() {
    let mut context = context();
    let (left, right) = (Shape(vec![variable(0), variable(1), literal(3)]), shape("[2, 3, 4]"));
    let error = unify_shapes(&mut context, &left, &right).expect_err("3 and 4");
    assert_eq!(error.at, [Position::new(0, 2), Position::new(1, 2)]);
    assert_eq!(context.resolve(&variable(0)), variable(0));
    assert_eq!(context.resolve(&variable(1)), variable(1));
    unify_shapes(&mut context, &left, &shape("[2, 3, 3]")).expect("now it fits");
    assert_eq!(context.resolve_shape(&left), shape("[2, 3, 3]"));
}

#[test]
fn d6_axes_change_places() {
    let context = Context::new();
    let s = shape("[2, batch:1..4, *, 5]");
    for i in 0..4 {
        for j in 0..4 {
            let there = transpose(&context, &s, i, j).expect("two axes");
            assert_eq!(transpose(&context, &there, i, j), Ok(s.clone()));
            assert_eq!((&there.0[i], &there.0[j]), (&s.0[j], &s.0[i]));
        }
        assert_eq!(reduce(&context, &s, i, true).expect("an axis").0[i], literal(1));
        assert_eq!(reduce(&context, &s, i, false).expect("an axis").rank(), 3);
    }
    assert_eq!(permute(&context, &s, &[2, 0, 3, 1]).map(|p| p.to_string()).as_deref(), Ok("[*, 2, 5, batch:1..4]"));
    let problem = |result: Result<Shape, ShapeError>| result.expect_err("refused").problem;
    assert_eq!(problem(transpose(&context, &s, 0, 4)), ShapeProblem::Axis { axis: 4, rank: 4 });
    assert_eq!(problem(reduce(&context, &s, 9, true)), ShapeProblem::Axis { axis: 9, rank: 4 });
    assert_eq!(problem(permute(&context, &s, &[0, 1, 2])), ShapeProblem::NotAPermutation(vec![0, 1, 2]));
    assert_eq!(problem(permute(&context, &s, &[0, 1, 2, 2])), ShapeProblem::NotAPermutation(vec![0, 1, 2, 2]));
    assert_eq!(problem(permute(&context, &s, &[0, 1, 2, 7])), ShapeProblem::Axis { axis: 7, rank: 4 });
    assert_eq!(problem(broadcast(&mut Context::new(), &[])), ShapeProblem::NoOperands);
    assert_eq!(problem(concat(&mut Context::new(), &[], 0)), ShapeProblem::NoOperands);
    assert_eq!(problem(stack(&mut Context::new(), &[], 0)), ShapeProblem::NoOperands);
    let deep = Shape(vec![literal(1); 64]);
    assert_eq!(problem(stack(&mut Context::new(), &[&deep], 0)), ShapeProblem::RankLimit(65));
    let huge = literals(&[u64::MAX]);
    assert_eq!(problem(concat(&mut Context::new(), &[&huge, &huge], 0)), ShapeProblem::TooLarge);
}

/// F33: in the printed algorithm, whether an inferred 1 stretches depends on when it was inferred.
#[test]
fn finding_f33_inferred_ones() {
    let (alpha, one, three) = (variable(0), literal(1), literal(3));
    // α = 1 is known when the column is looked at, or it is not.
    let mut early = Printed::default();
    early.unify(&alpha, &one);
    let resolved = early.resolve(&alpha).expect("it ends");
    assert_eq!(early.broadcast(&[resolved, three.clone()]), Some(literal(3)));
    let mut late = Printed::default();
    late.broadcast(&[alpha.clone(), three.clone()]);
    let resolved = late.resolve(&alpha).expect("it ends");
    assert_eq!(late.unify(&resolved, &one), None);

    // Here both orders fail, and a written 1 stretches in both.
    let [a, t] = [&alpha, &three].map(|d| Shape(vec![d.clone()]));
    let mut early = context();
    unify_dims(&mut early, &alpha, &one).expect("nothing known yet");
    assert!(broadcast(&mut early, &[&a, &t]).is_err());
    let mut late = context();
    broadcast(&mut late, &[&a, &t]).expect("nothing known yet");
    assert!(unify_dims(&mut late, &alpha, &one).is_err());
    assert_eq!(broadcast(&mut context(), &[&literals(&[1]), &t]), Ok(t.clone()));
}

/// Errors show every shape, with carets under the axes.
#[test]
fn d7_errors_show_shapes_and_places() {
    let error = matmul(&mut Context::new(), &shape("[4, 8]"), &shape("[10, 16]")).expect_err("8 and 10");
    let expected = "matmul: 8 and 10 are different sizes\n  [4, 8]\n      ^\n  [10, 16]\n   ^^";
    assert_eq!(error.render(), expected);
}
