//! D8: reshaping.

use super::{lists, literals};
use lozenge::ranged::reshape::{Target, reshape};
use lozenge::ranged::verify::{Verifier, verify};
use lozenge::ranged::{Context, Dim, Position, Shape, ShapeProblem};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::ranged::{context, literal, named, shapes, variable};

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
