//! Ranged dimensions, D6 to D9: operations, reshaping and verification (spec/ranged.md).
#![allow(missing_docs)]

use lozenge::ranged::error::Operation;
use lozenge::ranged::ops::{
    broadcast, concat, matmul, matmul_batched, permute, reduce, stack, transpose, unify_shapes,
};
use lozenge::ranged::reshape::{Target, reshape};
use lozenge::ranged::verify::{Verifier, verify};
use lozenge::ranged::{Context, Dim, Position, Shape, ShapeError, ShapeProblem, unify_dims};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::for_all;
use lozenge_harnesses::ranged::document::Printed;
use lozenge_harnesses::ranged::{
    ARanged, AXES, Axis, DIMS, ENVS, Env, LARGEST, agrees, context, known, literal, means, named, shapes, variable,
};

fn shape(text: &str) -> Shape {
    Shape::parse(text, &mut Context::new()).expect("a shape")
}

fn literals(sizes: &[u64]) -> Shape {
    Shape(sizes.iter().map(|n| literal(*n)).collect())
}

/// Every list of these sizes up to this length.
fn lists(sizes: &[u64], longest: usize) -> Vec<Vec<u64>> {
    let dims: Vec<Dim> = sizes.iter().map(|n| literal(*n)).collect();
    let size = |d: &Dim| d.size().expect("a literal").get();
    shapes(&dims, longest).iter().map(|s| s.0.iter().map(size).collect()).collect()
}

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

/// D8: on literals a reshape is right iff the products agree, and −1 is the quotient.
#[test]
fn d8_literal_reshapes() {
    let cases = Cases::of("d8_literal_reshapes");
    let lists = lists(&[1, 2, 3, 4], 3);
    let product = |sizes: &[u64]| sizes.iter().product::<u64>();
    for a in &lists {
        for b in &lists {
            let target: Vec<Target> = b.iter().map(|n| Target::Dim(literal(*n))).collect();
            let plain = reshape(&Context::new(), &literals(a), &target);
            assert_eq!(plain.is_ok(), product(a) == product(b));
            assert!(
                plain.is_ok_and(|r| r.shape == literals(b) && r.obligation.is_none()) == (product(a) == product(b))
            );
            for place in 0..=b.len() {
                let mut open = target.clone();
                open.insert(place, Target::Infer);
                let inferred = reshape(&Context::new(), &literals(a), &open);
                match inferred {
                    Ok(r) => {
                        let n = r.shape.0[place].size().expect("a literal").get();
                        assert!(product(b) * n == product(a) && r.obligation.is_none());
                    }
                    Err(_) => assert!(product(a) % product(b) != 0),
                }
                cases.one();
            }
        }
    }
    cases.finish();
}

/// Sizes that a shape allows, with α and β the same everywhere.
fn runs<'s>(s: &'s Shape, sizes: &'s [Vec<u64>]) -> impl Iterator<Item = &'s [u64]> {
    sizes.iter().filter(|n| n.len() == s.rank()).map(Vec::as_slice).filter(|n| verify(n, s).is_ok())
}

/// D8: over all kinds, a refused reshape is wrong for all sizes, one without a condition right for all, and a condition
/// holds exactly for the sizes that agree.
#[test]
fn d8_reshapes_against_sizes() {
    let cases = Cases::of("d8_reshapes_against_sizes");
    let dims = [
        literal(2),
        literal(3),
        named("a", 1, Some(2)),
        named("a", 3, Some(4)),
        named("b", 2, None),
        variable(0),
        Dim::Dynamic,
    ];
    let (all, sizes) = (shapes(&dims, 2), lists(&[1, 2, 3, 4, 5, 6], 2));
    let context = context();
    for x in &all {
        for y in &all {
            let target: Vec<Target> = y.0.iter().cloned().map(Target::Dim).collect();
            let answer = reshape(&context, x, &target);
            for before in runs(x, &sizes) {
                for after in runs(y, &sizes) {
                    let mut one = Verifier::new();
                    if one.verify(before, x).is_err() || one.verify(after, y).is_err() {
                        continue;
                    }
                    let same = before.iter().product::<u64>() == after.iter().product::<u64>();
                    match &answer {
                        Err(_) => assert!(!same, "{x} to {y}: {before:?} and {after:?}"),
                        Ok(r) => match &r.obligation {
                            None => assert!(same, "{x} to {y}: {before:?} and {after:?}"),
                            Some(owed) => assert_eq!(owed.holds(before, after), same),
                        },
                    }
                }
            }
            cases.one();
        }
    }
    cases.finish();
}

/// D8: −1 over all kinds: whenever the sizes leave a whole number for it, the inferred dimension allows that number.
#[test]
fn d8_inferred_axes_against_sizes() {
    let cases = Cases::of("d8_inferred_axes_against_sizes");
    let dims = [literal(2), literal(3), named("a", 1, Some(2)), named("b", 2, None), variable(0), Dim::Dynamic];
    let (all, sizes) = (shapes(&dims, 2), lists(&[1, 2, 3, 4], 2));
    let context = context();
    for x in &all {
        for y in all.iter().filter(|y| y.rank() < 2) {
            let mut target: Vec<Target> = y.0.iter().cloned().map(Target::Dim).collect();
            target.push(Target::Infer);
            let answer = reshape(&context, x, &target);
            for before in runs(x, &sizes) {
                for after in runs(y, &sizes) {
                    let mut one = Verifier::new();
                    let consistent = one.verify(before, x).is_ok() && one.verify(after, y).is_ok();
                    let (p, q) = (before.iter().product::<u64>(), after.iter().product::<u64>());
                    if !consistent || p % q != 0 {
                        continue;
                    }
                    let r = answer.as_ref().unwrap_or_else(|error| panic!("{x} to {y}: {error}"));
                    let full = [after, &[p / q]].concat();
                    let fits = one.verify(&full, &r.shape).is_ok();
                    let owed = r.obligation.as_ref().is_some_and(|o| o.holds(before, &full));
                    // Axes of one label are taken to be equal; where they are not, the condition is what refuses it.
                    assert!(
                        fits || (owed && x.0.iter().any(|d| y.0.contains(d))),
                        "{x} to {}: {before:?} {full:?}",
                        r.shape
                    );
                }
            }
            cases.one();
        }
    }
    cases.finish();
}

#[test]
fn d8_flattening_keeps_ranges() {
    let mut context = Context::new();
    let mut flat = |from: &str, to: &str| {
        let target = lozenge::ranged::notation::parse_target(to, &mut context).expect("axes");
        let from = Shape::parse(from, &mut context).expect("a shape");
        reshape(&context, &from, &target).map(|r| (r.shape.to_string(), r.obligation.is_some()))
    };
    assert_eq!(flat("[batch:1..64, 28, 28]", "[batch:1..64, -1]"), Ok(("[batch:1..64, 784]".to_owned(), true)));
    assert_eq!(flat("[batch:1..64, 28, 28]", "[-1, 784]"), Ok(("[batch:1..64, 784]".to_owned(), false)));
    assert_eq!(flat("[batch:1..64, 10, 6]", "[-1, 6]"), Ok(("[batch:10..640, 6]".to_owned(), false)));
    assert_eq!(flat("[batch:1..64, seq:1..8, 6]", "[-1, 6]"), Ok(("[batch*seq:1..512, 6]".to_owned(), false)));
    assert_eq!(flat("[_n, 6]", "[_n, 3, 2]"), Ok(("[_n, 3, 2]".to_owned(), false)));
    let problem = flat("[4, 6]", "[-1, -1]").expect_err("two of them");
    assert_eq!(
        (problem.problem, problem.at),
        (ShapeProblem::SecondInferred, vec![Position::new(1, 0), Position::new(1, 1)])
    );
    assert!(matches!(flat("[batch:1..4, 6]", "[100]").expect_err("at most 24").problem, ShapeProblem::Elements { .. }));
    assert!(matches!(flat("[batch, 6]", "[25]").expect_err("no multiple of 6").problem, ShapeProblem::Elements { .. }));
}

/// D9: verification is the meaning of D2, axis by axis; sizes of 0 are refused.
#[test]
fn d9_verification_is_the_meaning() {
    for_all!(d9_verification_is_the_meaning, ARanged(d) in ARanged => {
        for n in 0..=LARGEST + 1 {
            let meant = n > 0 && ["a", "b"].iter().any(|label| {
                let axis = Axis { size: n, label: Some(label) };
                means(d, &[axis, axis], axis)
            });
            let checked = verify(&[n], &Shape(vec![d.clone()]));
            assert_eq!(checked.is_ok(), meant, "{n} against {d}");
            if let Err(error) = checked {
                assert_eq!(error.at, [Position::new(0, 0), Position::new(1, 0)]);
                assert!(matches!(error.problem, ShapeProblem::Actual { actual, .. } if actual == n));
            }
        }
    });
}

#[test]
fn d9_a_variable_has_one_size() {
    let square = Shape(vec![variable(0), variable(0)]);
    assert!(verify(&[3, 3], &square).is_ok() && verify(&[3, 5], &square).is_err());
    let mut run = Verifier::new();
    assert!(run.verify(&[3], &Shape(vec![variable(0)])).is_ok());
    assert!(run.verify(&[5], &Shape(vec![variable(0)])).is_err());
    assert!(matches!(verify(&[1, 2], &shape("[3]")).expect_err("two axes").problem, ShapeProblem::RankMismatch(2, 1)));
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
