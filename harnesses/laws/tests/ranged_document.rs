//! Every example of the document on tensor dimension inference, in its order. Where it is wrong, the test says so and
//! names the finding.
#![allow(missing_docs)]

use lozenge::ranged::memory::{Bounds, bytes, elements};
use lozenge::ranged::ops::{broadcast, matmul, reduce, transpose, unify_shapes};
use lozenge::ranged::reshape::reshape;
use lozenge::ranged::spec::{DimSpec, SpecError};
use lozenge::ranged::verify::verify;
use lozenge::ranged::{Clash, Context, Dim, Position, Range, Shape, ShapeProblem, Size, notation, unify_dims};
use lozenge_harnesses::ranged::{literal, named};

/// Reads several shapes in one context.
fn read<const N: usize>(context: &mut Context, texts: [&str; N]) -> [Shape; N] {
    texts.map(|text| Shape::parse(text, context).unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn meet(x: &Dim, y: &Dim) -> Result<Dim, ShapeProblem> {
    let mut context = Context::new();
    let answer = unify_dims(&mut context, x, y).map_err(|error| error.problem)?;
    Ok(context.resolve(&answer))
}

#[test]
fn literals() {
    assert_eq!(meet(&literal(64), &literal(64)), Ok(literal(64)));
    assert!(matches!(meet(&literal(64), &literal(32)), Err(ShapeProblem::Clash(Clash::LiteralMismatch(..)))));
}

#[test]
fn variables() {
    let mut context = Context::new();
    let (alpha, beta) = (context.named_var("α"), context.named_var("β"));
    assert_eq!(alpha.to_string(), "_α");
    assert_eq!(unify_dims(&mut context, &alpha, &beta), Ok(alpha.clone()));
    let bound = unify_dims(&mut context, &beta, &named("batch", 1, Some(64))).expect("nothing known yet");
    assert_eq!(context.resolve(&bound), named("batch", 1, Some(64)));
    assert_eq!(context.resolve(&alpha), named("batch", 1, Some(64)));
}

#[test]
fn names() {
    let batch = |lo, hi| named("batch", lo, Some(hi));
    assert_eq!(meet(&batch(1, 64), &batch(32, 128)), Ok(batch(32, 64)));
    assert!(matches!(meet(&batch(1, 8), &batch(16, 64)), Err(ShapeProblem::Clash(Clash::RangeEmpty { .. }))));
    // Printed: the literal alone. F30 says why the name stays; the size is the same.
    let kept = meet(&batch(1, 64), &literal(32)).expect("32 is in the range");
    assert_eq!((kept.size(), kept.label()), (literal(32).size(), Some("batch")));
    assert!(matches!(meet(&batch(1, 64), &literal(65)), Err(ShapeProblem::Clash(Clash::OutOfRange { .. }))));
}

#[test]
fn dynamic_matches_anything() {
    for d in [literal(3), named("batch", 1, None), Dim::Dynamic, Dim::Broadcast] {
        assert_eq!(meet(&Dim::Dynamic, &d), Ok(d.clone()));
        assert_eq!(meet(&d, &Dim::Dynamic), Ok(d));
    }
}

#[test]
fn broadcast_dimension() {
    for d in [literal(1), literal(7), Dim::Broadcast] {
        assert_eq!(meet(&Dim::Broadcast, &d), Ok(d.clone()));
        assert_eq!(meet(&d, &Dim::Broadcast), Ok(d));
    }
}

fn spec(name: Option<&str>, sample: u64, min: Option<u64>, max: Option<u64>) -> Result<Dim, SpecError> {
    DimSpec { name: name.map(str::to_owned), sample, min, max }.dim()
}

#[test]
fn conversion_of_declarations() {
    assert_eq!(spec(None, 64, Some(64), Some(64)), Ok(literal(64)));
    assert_eq!(spec(Some("batch"), 32, None, None), Ok(Dim::named("batch", Range::ANY)));
    assert_eq!(spec(Some("batch"), 32, Some(1), Some(64)), Ok(named("batch", 1, Some(64))));
    assert_eq!(spec(None, 1, None, None), Ok(Dim::Dynamic));
}

/// D3: the declarations that the document leaves out.
#[test]
fn conversion_of_other_declarations() {
    assert_eq!(spec(Some("batch"), 32, Some(8), None), Ok(named("batch", 8, None)));
    assert_eq!(spec(Some("batch"), 32, None, Some(64)), Ok(named("batch", 1, Some(64))));
    assert_eq!(spec(Some("batch"), 32, Some(32), Some(32)), Ok(named("batch", 32, Some(32))));
    assert!(matches!(spec(None, 32, Some(1), Some(64)), Err(SpecError::RangeWithoutName(_))));
    assert!(matches!(spec(Some("batch"), 65, Some(1), Some(64)), Err(SpecError::Sample { .. })));
    assert!(matches!(spec(Some("batch"), 1, Some(64), Some(1)), Err(SpecError::EmptyRange(_))));
    assert!(matches!(spec(Some("batch"), 0, None, None), Err(SpecError::SizeZero("sample"))));
    assert!(matches!(spec(Some("batch"), 1, Some(0), None), Err(SpecError::SizeZero("lower bound"))));
    assert!(matches!(spec(Some("batch"), 1, None, Some(0)), Err(SpecError::SizeZero("upper bound"))));
    assert!(matches!(spec(Some(""), 1, None, None), Err(SpecError::NoName)));
}

#[test]
fn shape_unification() {
    let mut context = Context::new();
    let [s1, s2, s3] = read(&mut context, ["[_a, 3]", "[2, 3]", "[2, 3, 4]"]);
    let unified = unify_shapes(&mut context, &s1, &s2).expect("they fit");
    assert_eq!(context.resolve_shape(&unified), s2);
    let error = unify_shapes(&mut context, &s2, &s3).expect_err("ranks 2 and 3");
    assert_eq!((error.problem, error.shapes), (ShapeProblem::RankMismatch(2, 3), vec![s2, s3]));
}

#[test]
fn matrix_products() {
    let mut context = Context::new();
    let [a, b, open, short] = read(&mut context, ["[4, 8]", "[8, 16]", "[4, _α]", "[10, 16]"]);
    assert_eq!(matmul(&mut context, &a, &b).map(|s| s.to_string()).as_deref(), Ok("[4, 16]"));
    let product = matmul(&mut context, &open, &b).expect("α = 8");
    assert_eq!(product.to_string(), "[4, 16]");
    assert_eq!(context.resolve(&open.0[1]), literal(8));
    let error = matmul(&mut context, &a, &short).expect_err("8 and 10");
    assert_eq!(error.at, [Position::new(0, 1), Position::new(1, 0)]);
    assert_eq!(error.problem.to_string(), "8 and 10 are different sizes");
    let [cube] = read(&mut context, ["[2, 4, 8]"]);
    assert!(matches!(
        matmul(&mut context, &cube, &b).expect_err("rank 3").problem,
        ShapeProblem::Rank { found: 3, .. }
    ));
}

#[test]
fn broadcasting() {
    let mut context = Context::new();
    let mut sum = |a: &str, b: &str| {
        let [a, b] = read(&mut context, [a, b]);
        broadcast(&mut context, &[&a, &b]).map(|s| s.to_string())
    };
    assert_eq!(sum("[3, 4]", "[1, 4]").as_deref(), Ok("[3, 4]"));
    assert_eq!(sum("[3, 4]", "[3, 1]").as_deref(), Ok("[3, 4]"));
    assert_eq!(sum("[2, 3, 4]", "[4]").as_deref(), Ok("[2, 3, 4]"));
    let error = sum("[3, 4]", "[5, 4]").expect_err("3 and 5");
    assert_eq!(error.at, [Position::new(0, 0), Position::new(1, 0)]);
    assert_eq!(error.shapes.iter().map(ToString::to_string).collect::<Vec<_>>(), ["[3, 4]", "[5, 4]"]);
}

/// F37: the printed rule refuses a product that it cannot compute; the example beside it asks for a check at run time.
#[test]
fn finding_f37_reshape() {
    let mut context = Context::new();
    let mut reshaped = |from: &str, to: &str| {
        let [from] = read(&mut context, [from]);
        let to = notation::parse_target(to, &mut context).expect("axes");
        reshape(&context, &from, &to)
    };
    assert!(reshaped("[4, 6]", "[2, 12]").expect("24 both").obligation.is_none());
    let error = reshaped("[4, 6]", "[3, 10]").expect_err("24 and 30");
    assert_eq!(error.problem, ShapeProblem::Elements { input: "24".to_owned(), output: "30".to_owned() });
    let later = reshaped("[batch, 6]", "[batch, 3, 2]").expect("that is for run time");
    let owed = later.obligation.expect("a condition");
    assert!(owed.holds(&[5, 6], &[5, 3, 2]) && !owed.holds(&[5, 6], &[4, 3, 2]));
}

#[test]
fn transposition_and_reduction() {
    let mut context = Context::new();
    let [s] = read(&mut context, ["[2, 3, 4]"]);
    assert_eq!(transpose(&context, &s, 0, 2).map(|s| s.to_string()).as_deref(), Ok("[4, 3, 2]"));
    assert!(matches!(
        transpose(&context, &s, 0, 3).expect_err("no axis 3").problem,
        ShapeProblem::Axis { axis: 3, rank: 3 }
    ));
    assert_eq!(reduce(&context, &s, 1, false).map(|s| s.to_string()).as_deref(), Ok("[2, 4]"));
    assert_eq!(reduce(&context, &s, 1, true).map(|s| s.to_string()).as_deref(), Ok("[2, 1, 4]"));
    assert!(matches!(
        reduce(&context, &s, 5, true).expect_err("no axis 5").problem,
        ShapeProblem::Axis { axis: 5, rank: 3 }
    ));
}

#[test]
fn run_time_verification() {
    let [declared] = read(&mut Context::new(), ["[batch:1..64, 784, *, _k]"]);
    assert!(verify(&[32, 784, 7, 9], &declared).is_ok());
    let error = verify(&[65, 784, 7, 9], &declared).expect_err("65");
    assert_eq!(error.problem.to_string(), "the size is 65, and batch:1..64 is declared");
    assert!(verify(&[32, 783, 7, 9], &declared).is_err());
    assert!(verify(&[32, 784, 7], &declared).is_err());
}

#[test]
fn memory_of_a_tensor() {
    let [exact, ranged, open, any] =
        read(&mut Context::new(), ["[784, 256]", "[batch:1..64, 256]", "[*, 4]", "[batch, 4]"]);
    assert_eq!(bytes(&exact, 4), Ok(Bounds::exactly(802_816)));
    assert_eq!(bytes(&ranged, 4), Ok(Bounds { min: 1_024, max: Some(65_536) }));
    // Printed: some large value. Here it is said that there is no bound.
    assert_eq!(elements(&open), Ok(Bounds { min: 4, max: None }));
    assert_eq!(elements(&any), Ok(Bounds { min: 4, max: None }));
}

/// F36: the printed correctness of unification says that the answer equals one of the two; a range cut on both sides
/// equals neither. And ranges that are upside down, which refute the printed min ≤ max, cannot be made.
#[test]
fn finding_f36_printed_theorems() {
    let (x, y) = (named("batch", 1, Some(64)), named("batch", 32, Some(128)));
    let answer = meet(&x, &y).expect("32..64");
    assert!(answer != x && answer != y);
    let size = |n: u64| lozenge::ranged::Size::new(n).expect("one or more");
    assert!(Range::new(size(5), Some(size(3))).is_err());
}

/// F38: what the printed algorithms raise and the printed list of errors lacks, each with what it is here.
#[test]
fn finding_f38_errors_that_the_list_lacks() {
    let listed = [
        "LiteralMismatch",
        "RankMismatch",
        "MatmulShapeMismatch",
        "BroadcastIncompatible",
        "ReshapeElementsMismatch",
        "DimensionOutOfRange",
        "InferenceError",
    ];
    let raised = [
        "LiteralMismatch",
        "RankMismatch",
        "ReshapeElementsMismatch",
        "RangeEmpty",
        "OutOfRange",
        "Incompatible",
        "MatmulRankError",
        "CannotComputeProduct",
        "InvalidTransposeDims",
        "InvalidReductionDim",
        "DimMismatch",
    ];
    assert_eq!(raised.iter().filter(|name| !listed.contains(name)).count(), 8);
    assert_eq!(listed.iter().filter(|name| !raised.contains(name)).count(), 4, "and these are never raised");
    let batch = |lo, hi| named("batch", lo, Some(hi));
    let clash = |x: &Dim, y: &Dim| meet(x, y).expect_err("no size in common");
    assert!(matches!(clash(&batch(1, 8), &batch(16, 64)), ShapeProblem::Clash(Clash::RangeEmpty { .. })));
    assert!(matches!(clash(&batch(1, 8), &literal(9)), ShapeProblem::Clash(Clash::OutOfRange { .. })));
    assert!(matches!(clash(&batch(1, 8), &named("seq", 1, Some(8))), ShapeProblem::Clash(Clash::NameMismatch(..))));
    let mut context = Context::new();
    let [cube, matrix] = read(&mut context, ["[2, 3, 4]", "[4, 5]"]);
    let problem = |result: Result<Shape, lozenge::ranged::ShapeError>| result.expect_err("refused").problem;
    assert!(matches!(problem(matmul(&mut context, &cube, &matrix)), ShapeProblem::Rank { found: 3, .. }));
    assert!(matches!(problem(transpose(&context, &matrix, 0, 2)), ShapeProblem::Axis { axis: 2, rank: 2 }));
    assert!(matches!(problem(reduce(&context, &matrix, 2, true)), ShapeProblem::Axis { axis: 2, rank: 2 }));
    let actual = |sizes: &[u64]| verify(sizes, &matrix).expect_err("not as declared").problem;
    assert!(matches!(actual(&[4, 6]), ShapeProblem::Actual { actual: 6, .. }));
    assert_eq!(actual(&[4]), ShapeProblem::RankMismatch(1, 2), "ranks, where the list has shapes");
    // A product that is not known is no error here (F37), and no sample stands for a size (D10).
    let [open] = read(&mut context, ["[batch, 4]"]);
    assert_eq!(elements(&open), Ok(Bounds { min: 4, max: None }), "printed: 4 times a large value");
}

/// F38 iii: the printed check of a run keeps no size of a variable.
#[test]
fn finding_f38_variables_at_run_time() {
    let mut context = Context::new();
    let twice = Shape::parse("[_a, _a]", &mut context).expect("a shape");
    let printed = |actual: &[u64], declared: &Shape| {
        let accepts = |(n, d): (&u64, &Dim)| Size::new(*n).is_some_and(|n| d.range().contains(n));
        actual.len() == declared.rank() && actual.iter().zip(&declared.0).all(accepts)
    };
    assert!(printed(&[3, 5], &twice) && verify(&[3, 5], &twice).is_err() && verify(&[3, 3], &twice).is_ok());
    let left = Shape::parse("[4, _k]", &mut context).expect("a shape");
    let right = Shape::parse("[8, 16]", &mut context).expect("a shape");
    matmul(&mut context, &left, &right).expect("_k is 8");
    let known = context.resolve_shape(&left);
    assert!(printed(&[4, 9], &left) && verify(&[4, 9], &known).is_err() && verify(&[4, 8], &known).is_ok());
}
