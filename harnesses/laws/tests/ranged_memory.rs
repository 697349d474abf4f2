//! Ranged dimensions, D10 to D13: memory, training, model files, and the relation to the broadcast order.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::ranged::memory::{Bounds, TooLarge, bytes, elements};
use lozenge::ranged::model::{Model, ModelProblem};
use lozenge::ranged::relation::{Ones, Step, Translated, run, translate};
use lozenge::ranged::training::{Activations, DType, Fit, Optimizer, TrainingMemory};
use lozenge::ranged::verify::verify;
use lozenge::ranged::{Context, Dim, Shape, Size};
use lozenge::solver::{Policy, Verdict, solve};
use lozenge_harnesses::cases::{Cases, random};
use lozenge_harnesses::ranged::{DIMS, LARGEST, literal, shapes, variable};
use quickcheck::{Arbitrary, Gen};

fn shape(text: &str) -> Shape {
    Shape::parse(text, &mut Context::new()).expect("a shape")
}

/// D10: every actual number of elements is within the bounds, and bounds that exist are reached.
#[test]
fn d10_bounds_are_bounds() {
    let cases = Cases::of("d10_bounds_are_bounds");
    let sizes: Vec<Dim> = (1..=LARGEST).map(literal).collect();
    let actual: Vec<Vec<u64>> =
        shapes(&sizes, 3).iter().map(|s| s.0.iter().map(|d| d.size().expect("a literal").get()).collect()).collect();
    for s in shapes(&DIMS, 3) {
        let bounds = elements(&s).expect("small");
        let products = actual.iter().filter(|n| verify(n, &s).is_ok()).map(|n| n.iter().product::<u64>().into());
        let products: Vec<u128> = products.collect();
        assert!(products.iter().all(|p| bounds.contains(*p)), "{s}");
        assert_eq!(products.iter().min(), Some(&bounds.min), "{s}");
        assert!(bounds.max.is_none() || products.iter().max() == bounds.max.as_ref(), "{s}");
        assert_eq!(bounds.max.is_none(), s.0.iter().any(|d| d.range().hi().is_none()), "{s}");
        cases.one();
    }
    cases.finish();
}

#[test]
fn d10_what_does_not_fit_is_an_error() {
    let huge = Shape(vec![Dim::Literal(Size::MAX); 2]);
    let product = u128::from(u64::MAX) * u128::from(u64::MAX);
    assert_eq!(elements(&huge), Ok(Bounds::exactly(product)));
    assert_eq!(bytes(&huge, 4), Err(TooLarge));
    assert_eq!(elements(&Shape(vec![Dim::Literal(Size::MAX); 3])), Err(TooLarge));
    // What has no upper bound still has a lower one, and that must fit.
    let open = Shape(vec![Dim::Literal(Size::MAX), Dim::Literal(Size::MAX), Dim::Literal(Size::MAX), Dim::Dynamic]);
    assert_eq!(elements(&open), Err(TooLarge));
    assert_eq!(elements(&shape("[*, 3]")), Ok(Bounds { min: 3, max: None }));
    assert!(Bounds::exactly(u128::MAX).plus(Bounds::exactly(1)).is_err());
    assert_eq!(elements(&shape("[*]")).and_then(|b| b.times(0)), Ok(Bounds::ZERO));
}

/// F34: the printed estimate takes 1 as the greatest size of a variable and of a broadcast axis.
#[test]
fn finding_f34_variables_have_no_upper_bound() {
    for d in [variable(0), Dim::Broadcast] {
        let s = Shape(vec![d]);
        assert!(verify(&[1000], &s).is_ok(), "run time accepts it");
        assert_eq!(elements(&s), Ok(Bounds { min: 1, max: None }), "so there is no bound, where 1 is printed");
    }
}

/// The worked example of the document, with the product that is right.
#[test]
fn finding_f35_worked_example() {
    let (first, second) = (shape("[784, 256]"), shape("[256, 10]"));
    let count = |s: &Shape| elements(s).expect("small").min;
    assert_eq!((count(&first), count(&second)), (200_704, 2_560));
    assert_eq!(count(&first) + count(&second), 203_264, "printed: 203,520");
    // The printed number is the right one and the 256 biases of the first layer, without the 10 of the second.
    assert_eq!(count(&first) + count(&second) + 256, 203_520);

    let parameters = bytes(&first, 4).and_then(|a| a.plus(bytes(&second, 4)?)).expect("small");
    let activations = bytes(&shape("[batch:1..64, 256]"), DType::F32.bytes()).expect("small");
    assert_eq!(activations, Bounds { min: 1_024, max: Some(65_536) });
    let training = TrainingMemory::new(parameters, Optimizer::Adam, activations).expect("small");
    assert_eq!(training.parameters, Bounds::exactly(813_056), "printed: 814,080");
    assert_eq!(training.gradients, training.parameters);
    assert_eq!(training.optimizer, Bounds::exactly(1_626_112), "printed: 1,628,160");
    let total = training.total().expect("small");
    assert_eq!(total, Bounds { min: 3_253_248, max: Some(3_317_760) }, "printed: 3,257,344 to 3,321,856");

    // The printed numbers are right for the printed number of parameters.
    let printed = TrainingMemory::new(Bounds::exactly(814_080), Optimizer::Adam, activations).expect("small");
    assert_eq!(printed.total(), Ok(Bounds { min: 3_257_344, max: Some(3_321_856) }));

    let model = Model::parse(include_str!("../../../tests/models/mnist.txt")).expect("a model");
    assert_eq!(model.activations, Activations::Largest);
    assert_eq!(model.estimate().expect("small").total, total);
}

/// D11: a run of any size within the bounds fits where the greatest does.
#[test]
fn d11_fits_if_the_greatest_fits() {
    let bounds = |min, max| Bounds { min, max };
    assert_eq!(Fit::of(bounds(3, Some(5)), 5), Fit::Always);
    assert_eq!(Fit::of(bounds(3, Some(5)), 4), Fit::Sometimes);
    assert_eq!(Fit::of(bounds(3, Some(5)), 2), Fit::Never);
    assert_eq!(Fit::of(bounds(3, None), u128::MAX), Fit::Sometimes);
    for optimizer in Optimizer::ALL {
        let tm = TrainingMemory::new(Bounds::exactly(10), optimizer, bounds(1, Some(2))).expect("small");
        let all = 20 + 10 * u128::from(optimizer.states());
        assert_eq!(tm.total(), Ok(bounds(all + 1, Some(all + 2))), "{}", optimizer.name());
    }
}

/// The shapes that the calculus infers: the greatest solution.
fn core_shapes(program: &[Step], ones: Ones) -> Option<Vec<Vec<u64>>> {
    let mut names = Names::new();
    let Translated { constraints, rows } = translate(program, ones, &mut names)?;
    let Verdict::Solved(solved) = solve(&constraints, &mut names, Policy::default()) else { return None };
    let greatest = solved.greatest()?;
    let sizes = |row: &Vec<_>| row.iter().map(|d| greatest.dim(*d).elements()).collect();
    Some(rows.iter().map(sizes).collect())
}

/// The shapes that the rules of D6 give, and whether a 1 was stretched.
fn ranged_shapes(program: &[Step]) -> Option<(Vec<Vec<u64>>, bool)> {
    let done = run(program).ok()?;
    let sizes = |s: &Shape| s.0.iter().filter_map(|d| Some(d.size()?.get())).collect();
    Some((done.shapes.iter().map(sizes).collect(), done.stretched))
}

/// D13: the two systems agree exactly where no literal 1 is stretched; there the calculus finds no solution.
fn agree_unless_stretched(program: &[Step]) -> bool {
    let core = core_shapes(program, Ones::Default);
    match ranged_shapes(program) {
        None => core.is_none(),
        Some((shapes, false)) => core == Some(shapes),
        Some((_, true)) => core.is_none(),
    }
}

fn inputs(sizes: u64, rank: usize) -> Vec<Step> {
    let dims: Vec<Dim> = (1..=sizes).map(literal).collect();
    shapes(&dims, rank).iter().map(|s| Step::Input(s.0.iter().filter_map(Dim::size).collect())).collect()
}

/// D13 on every broadcast of two shapes; with 1∅ for a literal 1 the two systems agree on all of them.
#[test]
fn d13_broadcasts_agree() {
    let cases = Cases::of("d13_broadcasts_agree");
    let inputs = inputs(3, 3);
    for a in &inputs {
        for b in &inputs {
            let program = [a.clone(), b.clone(), Step::Broadcast(0, 1)];
            assert!(agree_unless_stretched(&program), "{program:?}");
            assert_eq!(core_shapes(&program, Ones::Unit), ranged_shapes(&program).map(|(s, _)| s), "{program:?}");
            cases.one();
        }
    }
    cases.finish();
}

/// D13 on every matrix product, unification and stack of two shapes.
#[test]
fn d13_equations_agree() {
    let cases = Cases::of("d13_equations_agree");
    let inputs = inputs(3, 2);
    for a in &inputs {
        for b in &inputs {
            for step in [Step::Matmul(0, 1), Step::Unify(0, 1), Step::Stack(0, 1, 1)] {
                let program = [a.clone(), b.clone(), step];
                assert!(agree_unless_stretched(&program), "{program:?}");
                cases.one();
            }
        }
    }
    cases.finish();
}

/// The witness: a literal 1 stretches in NumPy, 1 with basis default does not.
#[test]
fn d13_a_literal_one_is_no_unit() {
    let size = |n| Size::new(n).expect("one or more");
    let (row, column) = (Step::Input(vec![size(3), size(4)]), Step::Input(vec![size(1), size(4)]));
    let program = [row, column, Step::Broadcast(0, 1)];
    assert_eq!(ranged_shapes(&program), Some((vec![vec![3, 4], vec![1, 4], vec![3, 4]], true)));
    assert_eq!(core_shapes(&program, Ones::Default), None);
    assert_eq!(core_shapes(&program, Ones::Unit), Some(vec![vec![3, 4], vec![1, 4], vec![3, 4]]));
}

/// And the other way: a result below 1∅ is free, where a result of literal ones is 1.
#[test]
fn d13_a_result_below_the_unit_is_free() {
    let size = |n| Size::new(n).expect("one or more");
    let one = Step::Input(vec![size(1), size(1)]);
    let three = Step::Input(vec![size(3), size(2)]);
    let program = [one, Step::Broadcast(0, 0), three, Step::Matmul(1, 2)];
    assert_eq!(ranged_shapes(&program), None, "1 and 3 differ");
    assert_eq!(core_shapes(&program, Ones::Default), None);
    assert!(core_shapes(&program, Ones::Unit).is_some(), "the result of the broadcast may be 3");
}

/// A random literal program.
#[derive(Clone, Debug)]
struct Program(Vec<Step>);

impl Arbitrary for Program {
    fn arbitrary(g: &mut Gen) -> Self {
        let below = |g: &mut Gen, n: usize| usize::arbitrary(g) % n.max(1);
        let mut steps: Vec<Step> = Vec::new();
        for i in 0..2 + below(g, 6) {
            let (a, b) = (below(g, i), below(g, i));
            let size = |g: &mut Gen| *g.choose(&[1, 2, 2, 3, 3]).unwrap_or(&2);
            let input = |g: &mut Gen| {
                let rank = below(g, 4);
                Step::Input((0..rank).filter_map(|_| Size::new(size(g))).collect())
            };
            steps.push(match if i < 2 { 0 } else { below(g, 9) } {
                0 | 1 => input(g),
                2..=4 => Step::Broadcast(a, b),
                5 => Step::Matmul(a, b),
                6 => Step::Transpose(a, below(g, 2), below(g, 2)),
                7 => Step::Reduce(a, below(g, 2), bool::arbitrary(g)),
                _ if bool::arbitrary(g) => Step::Unify(a, b),
                _ => Step::Stack(a, b, below(g, 2)),
            });
        }
        Program(steps)
    }

    /// The last step at a time.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let shorter = self.0.split_last().map(|(_, rest)| Program(rest.to_vec()));
        Box::new(shorter.into_iter())
    }
}

/// D13 on random programs of up to seven steps.
#[test]
fn d13_programs_agree() {
    random("d13_programs_agree", 50_000, |Program(steps): Program| agree_unless_stretched(&steps));
}

/// Anything at all is a model or an error with a place inside the text.
/// What texts are made of.
const WORDS: [&str; 40] = [
    "input",
    "param",
    "dim",
    "dtype",
    "optimizer",
    "device",
    "activations",
    "x",
    "y",
    "h",
    "=",
    "[",
    "]",
    ",",
    ":",
    "..",
    "-1",
    "*",
    "?",
    "_",
    "_k",
    "0",
    "1",
    "2",
    "784",
    "18446744073709551615",
    "18446744073709551616",
    "f32",
    "adam",
    "GiB",
    "linear",
    "matmul",
    "add",
    "reshape",
    "transpose",
    "concat",
    "stack",
    "sum",
    "keepdim",
    "α⋄\u{0}",
];

/// Such words in any order, and other characters between them.
#[derive(Clone, Debug)]
struct Text(String);

impl Arbitrary for Text {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut text = String::new();
        for _ in 0..usize::arbitrary(g) % 40 {
            if u8::arbitrary(g) % 16 == 0 {
                text.push(char::arbitrary(g));
            }
            text.push_str(g.choose(&WORDS).unwrap_or(&""));
            text.push_str(g.choose(&[" ", " ", " ", "\n", ""]).unwrap_or(&" "));
        }
        Text(text)
    }
}

#[test]
fn d12_any_text_is_read_or_refused() {
    let cases = lozenge_harnesses::cases::sampled("d12_any_text_is_read_or_refused", 50_000, |Text(text): Text| {
        match Model::parse(&text).and_then(|model| model.estimate()) {
            Ok(_) => true,
            Err(error) => {
                let shown = error.render(&text);
                error.span.start <= text.len() && !shown.is_empty()
            }
        }
    });
    cases.finish();
}

/// The messages of D12 name what is wrong and what would be right.
#[test]
fn d12_messages() {
    let message = |text: &str| {
        let error = Model::parse(text).and_then(|m| m.estimate()).expect_err(text);
        let (line, column) = error.span.position(text);
        format!("{line}:{column}: {error}")
    };
    assert_eq!(message("input x [0]"), format!("1:10: size 0: sizes are whole numbers from 1 to {}", u64::MAX));
    assert_eq!(message("input x [a:5..3]"), "1:12: 5..3 has no sizes: the lower end comes first");
    assert_eq!(message("input x [3"), "1:11: found the end of the line, expected `,` or `]`");
    assert_eq!(message("input x [3]\ninput x [3]"), "2:7: `x` is there already: use another name");
    assert_eq!(message("input relu [3]"), "1:7: `relu` has a meaning of its own: use another name");
    assert_eq!(message("y = relu x"), "1:10: there is no tensor `x`: none is declared yet");
    assert_eq!(message("input x [3]\ny = relu z"), "2:10: there is no tensor `z`: there is x");
    assert_eq!(message("input x [3]\ny = add x"), "2:5: `add` takes two or more operands, and there is 1");
    assert_eq!(message("input x [-1]"), "1:9: -1 stands only in the shape that a reshape asks for");
    assert_eq!(
        message("device 8 GiBi"),
        "1:10: there is no unit `GiBi`: there are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB"
    );
    let clash = Model::parse("input x [4, 8]\nparam w [10, 16]\ny = matmul x w").expect_err("8 and 10");
    let shapes = [shape("[4, 8]"), shape("[10, 16]")];
    assert!(matches!(clash.problem, ModelProblem::Shape(error) if error.shapes == shapes));
    let many = "device 1\n".repeat(lozenge::ranged::model::MAX_STATEMENTS + 1);
    assert_eq!(message(&many), "10001:1: more than 10000 statements");
    let deep: String = (1..=65).map(|i| format!("x{i} = stack 0 x{}\n", i - 1)).collect();
    assert_eq!(message(&format!("input x0 []\n{deep}")), "66:7: stack: a shape of rank 65: the highest rank is 64");
    let large = format!("param w [{0}, {0}, 4]", u64::MAX);
    assert!(message(&large).starts_with("1:7: more than "), "{}", message(&large));
}
