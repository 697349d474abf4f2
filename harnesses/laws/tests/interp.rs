//! The interpreter: plans against the definition to the bit, the kinds of scalar against each other, Prop. 7.6 at work.
#![allow(missing_docs)]

use lozenge::interp::{
    Fill, Inputs, Options, Outcome, Rational, RunError, Scalar, ScalarError, Supply, Tropical, Value, dims, run,
    supplies,
};
use lozenge::program::ast::{Accumulate, BinaryOp, Index, TernaryOp, UnaryOp};
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Projected, Slot, project_all};
use lozenge_harnesses::programs::{self, Numbers};
use std::collections::BTreeMap;

fn prepared(text: &str) -> (Inference, Vec<Projected>) {
    let program = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let inferred = infer(&program).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let nests = project_all(&inferred).expect("projections");
    (inferred, nests)
}

fn ran<S: Scalar>(text: &str, fill: Fill) -> (Inference, Outcome<S>) {
    let (inferred, nests) = prepared(text);
    let inputs = Inputs { fill: Some(fill), ..Inputs::default() };
    let outcome = run(&inferred, &nests, inputs, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    (inferred, outcome)
}

fn value<'a, S>(inferred: &Inference, outcome: &'a Outcome<S>, name: &str) -> &'a Value<S> {
    let id = inferred.generated.tensor(name).expect("a tensor");
    outcome.values[id].as_ref().expect("a value")
}

const RANGE: Fill = Fill::range(0.0, 1.0);

/// Data for every leaf that takes some, by a function of a random number; index 0 for every index from outside.
fn data<S: Scalar>(inferred: &Inference, seed: u64, cell: impl Fn(usize) -> f64) -> Inputs<S> {
    let mut numbers = Numbers::of(11, seed);
    let mut values = BTreeMap::new();
    for (id, tensor) in inferred.generated.tensors.iter().enumerate() {
        if tensor.role.is_leaf() && tensor.value.is_none() {
            let dims = dims(inferred, id);
            let count = usize::try_from(dims.iter().product::<u64>()).expect("small");
            let data = (0..count).map(|_| S::number(cell(numbers.below(41))).expect("a number")).collect();
            values.insert(id, Value { dims, data });
        }
    }
    let supplies = supplies(&inferred.generated);
    values.retain(|id, _| !matches!(supplies[*id], Supply::Overwritten(_)));
    let names = inferred.generated.operations.iter().filter_map(|op| match &op.index {
        Some(Index::Name(name)) => Some((name.clone(), 0)),
        _ => None,
    });
    Inputs { values, fill: None, externals: names.collect() }
}

/// Programs that have shapes and few enough points.
fn small_programs(count: u64, mut visit: impl FnMut(u64, &Inference, &[Projected])) {
    for case in 0..count {
        let Ok(inferred) = infer(&programs::program(3, case)) else { continue };
        let nests = project_all(&inferred).expect("projections");
        if nests.iter().all(|nest| nest.record.points() <= 20_000) {
            visit(case, &inferred, &nests);
        }
    }
}

/// Bits of values and gradients, so that −0 is not 0 and what is not a number is itself.
fn bits(outcome: &Outcome<f64>) -> Vec<Option<Vec<u64>>> {
    let of = |value: &Value<f64>| value.data.iter().map(|x| x.to_bits()).collect();
    let gradients = outcome.gradients.values().map(Some);
    outcome.values.iter().map(Option::as_ref).chain(gradients).map(|value| value.map(of)).collect()
}

/// Runs a program by plans and by the definition, with the gradients of `loss` if it has one, and compares the bits.
fn same_bits(text: &str) {
    let (inferred, nests) = prepared(text);
    #[allow(clippy::cast_precision_loss)]
    let inputs = data::<f64>(&inferred, 5, |n| (n as f64 - 20.0) / 10.0);
    let options = Options { grad: inferred.generated.tensor("loss"), ..Options::default() };
    let planned = run(&inferred, &nests, inputs.clone(), &options).expect("planned");
    let naive = run(&inferred, &nests, inputs, &Options { naive: true, ..options }).expect("naive");
    assert_eq!(bits(&planned), bits(&naive), "{text}");
}

#[test]
fn plans_compute_the_same_bits_as_the_definition() {
    let mut compared = 0;
    small_programs(6_000, |case, inferred, nests| {
        // Tenths are not exact, so that another order of summation shows; −0 is among them.
        #[allow(clippy::cast_precision_loss)]
        let inputs = data::<f64>(inferred, case, |n| if n == 20 { -0.0 } else { (n as f64 - 20.0) / 10.0 });
        let planned = run(inferred, nests, inputs.clone(), &Options::default());
        let naive = run(inferred, nests, inputs, &Options { naive: true, ..Options::default() });
        match (planned, naive) {
            (Ok(planned), Ok(naive)) => assert_eq!(bits(&planned), bits(&naive), "program {case}"),
            (planned, naive) => panic!("program {case}: {planned:?} {naive:?}"),
        }
        compared += 1;
    });
    assert!(compared > 1_000, "{compared} programs ran");
}

/// Every loop order that a plan may take is on a kernel of its own: products, sums, maxima, diagonals, reductions.
#[test]
fn kernels_compute_the_same_bits_as_the_definition() {
    let texts = [
        "input a: 7, 9\ninput b: 9, 5\nlet c = a +* \"ij; jk => ik\" b",
        "input a: 7, 9\ninput b: 9, 5\nlet c = a +* \"ij; jk => ki\" b",
        "input a: 9, 7\ninput b: 5, 9\nlet c = a +* \"ji; kj => ik\" b",
        "input a: 3, 4, 9\ninput b: 3, 9, 4\nlet c = a +* \"bij; bji => b\" b",
        "input a: 6, 6\nlet c = a ++ \"ii => i\"\nlet d = a ++ \"ij => j\"\nlet e = a @^^ \"ij => i\"\nlet f = c ++ \"i => ii\"",
        "input a: 4, 3\ninput b: 3, 5\ninput c: 5, 2\n{ d } =:+ mul3 a b c ~logic:\"ij; jk; kl => il\"",
        "param a: 4, 3\nparam b: 3, 9\nparam c: 9, 2\nlet d = (a, b, c) +* \"ij; jk; kl => il\"\nlet loss = (d *. d) ++ \"... => 0\"",
        "param a: 9\nparam b: 3\nparam c: 9\nlet d = (a, b, c) +* \"o=+k; k; o => o\"\nlet loss = (d *. d) ++ \"... => 0\"",
        "param a: 4\nparam b: 4, 5\nparam c: 5\nlet d = where \"i; ij; j => ji\" (a < 0) b c\nlet loss = (d *. d) ++ \"... => 0\"",
        "input a: 4, 3\ninput b: 3, 5\nlet d = a @^+ \"ij; jk => ik\" b\nlet e = a +++ \"ij; jk => ik\" b",
        "input x: 8 | 3\nparam w: 3 -> 4\nparam b: 4\nlet y = tanh (w * x + b)\nlet z = fma w x b\nlet s = x @| 2",
        "input x: 5\n{ m } =: x\nm =+ x\nm =- x *. x\nm =* x\nm =@^ x\nm =@- x\nm =/ x + 3\nm =&& x\nm =|| x",
    ];
    texts.into_iter().for_each(same_bits);
}

/// Sums of products with sizes around the ends of blocks and tiles, in every order of the axes.
#[test]
fn blocks_compute_the_same_bits_as_the_definition() {
    for (rows, columns, rounds) in [
        (1, 9, 5),
        (2, 8, 4),
        (3, 9, 5),
        (5, 7, 17),
        (2, 63, 255),
        (3, 65, 257),
        (4, 64, 256),
        (5, 130, 3),
        (9, 2, 600),
    ] {
        for (left, a) in [("ij", [rows, rounds]), ("ji", [rounds, rows])] {
            for (right, b) in [("jk", [rounds, columns]), ("kj", [columns, rounds])] {
                for result in ["ik", "ki"] {
                    let inputs = format!("input a: {}, {}\ninput b: {}, {}", a[0], a[1], b[0], b[1]);
                    same_bits(&format!(
                        "{inputs}\nlet c = a +* \"{left}; {right} => {result}\" b\nc =+ a * b ~logic:\"{left}; {right} => {result}\""
                    ));
                }
            }
        }
    }
    let rest = [
        "input q: 2, 3, 11, 6\ninput k: 2, 3, 13, 6\nlet c = q +* \"bhqd; bhkd => bhqk\" k",
        "input q: 2, 11, 3, 6\ninput k: 2, 13, 3, 6\nlet c = q +* \"bqhd; bkhd => bhqk\" k",
        "input a: 5, 4, 6\ninput b: 6, 3, 9, 4\nlet c = a +* \"ijk; kxyj => ixy\" b\nlet d = a +* \"ijk; kxyj => yix\" b",
        "input a: 6, 5\ninput b: 5, 7\ninput c: 7, 9\n{ d } =:+ mul3 a b c ~logic:\"ij; jk; kl => il\"",
        "input a: 6, 5\ninput b: 5, 7\ninput c: 7, 9\n{ d } =:+ mul3 a b c ~logic:\"ij; jk; kl => lijk\"",
        "input a: 6, 9\ninput b: 6, 7\ninput c: 7, 9\n{ d } =:+ mul3 a b c ~logic:\"ij; ik; kj => ij\"",
        "input a: 6, 6\ninput b: 6, 9\nlet c = a +* \"ii; ij => ij\" b\nlet d = a +* \"ij; jk => iik\" b",
        "input x: 5 | 9\nparam w: 9 -> 12\nlet y = w * x\nlet loss = (y *. y) ++ \"...|...->... => 0\"",
    ];
    rest.into_iter().for_each(same_bits);
}

/// Affine indices, with and without padding, forwards and backwards: strides, dilations, kernels of even size.
#[test]
fn convolutions_compute_the_same_bits_as_the_definition() {
    let mut specs = Vec::new();
    for mode in ["<+", "=+"] {
        for (stride, dilation) in [(1, 1), (2, 1), (1, 2), (3, 2)] {
            specs.push((format!("{stride}*oh{mode}{dilation}*kh"), format!("{stride}*ow{mode}{dilation}*kw")));
        }
        specs.push((format!("oh{mode}kh"), format!("2*ow{mode}kw")));
    }
    specs.push(("2*oh=+1+kh".to_owned(), "3*ow=+2+2*kw".to_owned()));
    let loss = "let loss = (c *. c) ++ \"...|...->... => 0\"";
    for (h, w) in &specs {
        for (kh, kw, ic, oc) in [(3, 3, 2, 9), (2, 1, 1, 3), (4, 2, 3, 8)] {
            let sizes = format!("oh = 4\now = 5\nkh = {kh}\nkw = {kw}");
            let names = "[\"oh\"; \"ow\"; \"kh\"; \"kw\"]";
            let of = |slots: &str| slots.replace("@", &format!("...| {h}, {w}, ic"));
            let result = "...| oh, ow, oc";
            let (conv, max) = (of("@; kh, kw, ic -> oc"), of("@ => ...| oh, ow, ic"));
            let heads = format!("param x: 2 | ..., {ic}\nparam w: ..., {ic} -> {oc}");
            same_bits(&format!("{heads}\nlet c = x +* \"{conv} => {result}\" {names} w\n{sizes}\n{loss}"));
            same_bits(&format!("{heads}\nlet c = x @^+ \"{conv} => {result}\" {names} w\n{sizes}"));
            same_bits(&format!("param x: 2 | ..., {ic}\nlet c = x @^^ \"{max}\" {names}\n{sizes}\n{loss}"));
        }
    }
}

/// With whole numbers as data, whole numbers, fractions and floating point agree wherever they all have a result.
#[test]
fn kinds_of_scalar_agree_on_whole_numbers() {
    let mut agreed = 0;
    small_programs(3_000, |case, inferred, nests| {
        #[allow(clippy::cast_precision_loss)]
        let cell = |n: usize| (n % 5) as f64 - 2.0;
        let whole = run(inferred, nests, data::<i64>(inferred, case, cell), &Options::default());
        let Ok(whole) = whole else { return };
        let fractions = run(inferred, nests, data::<Rational>(inferred, case, cell), &Options::default());
        let fractions = fractions.unwrap_or_else(|e| panic!("program {case}: {e}"));
        let floats = run(inferred, nests, data::<f64>(inferred, case, cell), &Options::default()).expect("floats");
        for ((whole, fraction), float) in whole.values.iter().zip(&fractions.values).zip(&floats.values) {
            let (Some(whole), Some(fraction), Some(float)) = (whole, fraction, float) else { continue };
            for ((n, q), x) in whole.data.iter().zip(&fraction.data).zip(&float.data) {
                assert_eq!(n.to_string(), q.to_string(), "program {case}");
                #[allow(clippy::cast_precision_loss)]
                let n = *n as f64;
                // The neutral elements of maxima are different, and cells that are never written hold them.
                assert!(n == *x || x.is_infinite() || n.abs() > 9e15, "program {case}: {n} {x}");
            }
        }
        agreed += 1;
    });
    assert!(agreed > 300, "{agreed} programs ran in whole numbers");
}

#[test]
fn the_tropical_semiring_is_max_plus() {
    let text = "input a: 2, 3\ninput b: 3, 2\nlet c = a +* \"ij; jk => ik\" b\nlet d = a @^+ \"ij; jk => ik\" b";
    let (inferred, tropical) = ran::<Tropical>(text, RANGE);
    let c: Vec<f64> = value(&inferred, &tropical, "c").data.iter().map(|x| x.0).collect();
    // The same as the tropical product of ordinary numbers.
    let (inferred, floats) = ran::<f64>(text, RANGE);
    assert_eq!(c, value(&inferred, &floats, "d").data);
    assert_eq!(c, [6.0, 7.0, 9.0, 10.0]);
}

#[test]
fn whole_numbers_never_wrap_and_fractions_never_round() {
    let overflow = i64::binary(BinaryOp::Mul, &i64::MAX, &2);
    assert!(matches!(overflow, Err(ScalarError::Overflow { .. })), "{overflow:?}");
    assert!(matches!(i64::binary(BinaryOp::Div, &7, &2), Err(ScalarError::NotExact { .. })));
    assert!(matches!(i64::binary(BinaryOp::Div, &i64::MIN, &-1), Err(ScalarError::Overflow { .. })));
    assert!(matches!(i64::binary(BinaryOp::Div, &7, &0), Err(ScalarError::DivisionByZero { .. })));
    assert_eq!(i64::binary(BinaryOp::Pow, &-1, &i64::MAX), Ok(-1));
    assert_eq!(i64::binary(BinaryOp::Pow, &-1, &-2), Ok(1));
    assert!(i64::binary(BinaryOp::Pow, &2, &-1).is_err() && i64::binary(BinaryOp::Pow, &0, &-1).is_err());
    let third = Rational::read("1/3").expect("a third");
    let tenth = Rational::number(0.1).expect("a tenth");
    assert_eq!(tenth.to_string(), "1/10");
    assert_eq!(Rational::binary(BinaryOp::Add, &third, &tenth).expect("a sum").to_string(), "13/30");
    assert_eq!(
        Rational::binary(BinaryOp::Pow, &third, &Rational::number(-3.0).expect("-3")).expect("27").to_string(),
        "27"
    );
    assert_eq!((Rational::neutral(Accumulate::Max), i64::neutral(Accumulate::Max)), (None, None));
    for bad in ["", "1/0", "x", "1/", "nan", "1e400", "--1", "1.-5"] {
        assert!(Rational::read(bad).is_err(), "{bad}");
    }
    assert!(matches!(Tropical::unary(UnaryOp::Exp, &Tropical(0.0)), Err(ScalarError::Unsupported { .. })));
    assert_eq!(f64::ternary(TernaryOp::Where, &0.0, &1.0, &2.0), Ok(2.0));
    assert!(f64::binary(BinaryOp::Max, &f64::NAN, &1.0).expect("max").is_nan());
    assert!(f64::binary(BinaryOp::Max, &1.0, &f64::NAN).expect("max").is_nan());
}

/// In whole numbers nothing is below all others: padding changes no maximum, and what nothing reaches is refused.
#[test]
fn a_maximum_of_whole_numbers_has_no_least_one() {
    let padded = "input x: 2\ninput y: 3\nlet q = x @^+ \"o=+k; k => o\" y\nlet m = x @^^ \"o=+k => o\" [\"k\"]\nk = 3";
    let (inferred, outcome) = ran::<i64>(padded, RANGE);
    let (floats, right) = ran::<f64>(padded, RANGE);
    for name in ["q", "m"] {
        #[allow(clippy::cast_precision_loss)]
        let found: Vec<f64> = value(&inferred, &outcome, name).data.iter().map(|n| *n as f64).collect();
        assert_eq!(found, value(&floats, &right, name).data, "{name}");
    }
    let (inferred, nests) = prepared("input x: 2\nlet q = x @^^ \"i => ii\"");
    let inputs = Inputs::<i64> { fill: Some(RANGE), ..Inputs::default() };
    let refused = run(&inferred, &nests, inputs, &Options::default());
    assert!(matches!(refused, Err(RunError::Scalar { error: ScalarError::NoValue { op: "@^", .. }, .. })));
}

/// Prop. 7.6 (iii) at work: `=+` keeps, `=:+` clears, a diagonal leaves the rest alone.
#[test]
fn assignments_keep_or_clear() {
    let text = "input a: 3\n{ d: 3, 3 } =+ a ~logic:\"i => ii\"\nd =+ a ~logic:\"i => ii\"\n{ e: 3, 3 } =: 5\ne =:+ a ~logic:\"i => ii\"\n{ f: 3, 3 } =: 5\nf =+ a ~logic:\"i => ii\"";
    let (inferred, outcome) = ran::<i64>(text, RANGE);
    assert_eq!(value(&inferred, &outcome, "d").data, [0, 0, 0, 0, 2, 0, 0, 0, 4]);
    assert_eq!(value(&inferred, &outcome, "e").data, [0, 0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(value(&inferred, &outcome, "f").data, [5, 5, 5, 5, 6, 5, 5, 5, 7]);
}

/// `fma a b c` adds c once, whatever is summed.
#[test]
fn fma_begins_at_its_third_operand() {
    let text = "param w: 3 -> 2\ninput x: 3\ninput c: 2\nlet y = fma w x c\nlet z = w * x + c";
    let (inferred, outcome) = ran::<i64>(text, Fill::range(1.0, 1.0));
    assert_eq!(value(&inferred, &outcome, "y"), value(&inferred, &outcome, "z"));
    assert_eq!(value(&inferred, &outcome, "y").data, [15, 34]);
    // As the primitive of an assignment it is a·b + c at each point, be the target new or not.
    let text = "input x: 3\ninput z: 2\n{ a: 1 } =:+ fma x x z ~logic:\"i; i; k => 0\"\n{ b: 1 } =+ fma x x z ~logic:\"i; i; k => 0\"\n{ c: 1 } =:- fma x x z ~logic:\"i; i; k => 0\"";
    let (inferred, outcome) = ran::<i64>(text, RANGE);
    let of = |name| value(&inferred, &outcome, name).data[0];
    assert_eq!([of("a"), of("b"), of("c")], [13, 13, -13]);
}

/// A mean has the axes of its specification, as a sum has: none, where it says none.
#[test]
fn a_mean_has_the_axes_of_its_sum() {
    let text = "input x: 2, 3\ninput b: 4, 2 |\nlet s = sum(x, \"ij->\")\nlet m = mean(x, \"ij->\")\nlet t = mean(b, \"i, j | => i |\")\n{ q: -> } =: mean(x, \"ij->\")";
    let (inferred, outcome) = ran::<f64>(text, RANGE);
    let of = |name| value(&inferred, &outcome, name);
    assert_eq!((of("s").dims.len(), of("m").dims.len(), of("q").dims.len()), (0, 0, 0));
    assert_eq!((of("m").data[0], of("q").data[0], of("t").dims.clone()), (2.5, 2.5, vec![4]));
}

/// Where a part has its turn that an operand does not have, nothing is written: the record says so, and the cell is cleared.
#[test]
fn a_turn_without_an_operand_writes_nothing() {
    let text = "input x: 3\ninput y: 2\nlet t = x +++ \"p^q; q => p\" y";
    let (inferred, nests) = prepared(text);
    let record = &nests[0].record;
    assert!(!record.is_surjective() && record.needs_init(Slot::Lhs, true), "{record:?}");
    let (_, outcome) = ran::<i64>(text, Fill::range(1.0, 1.0));
    assert_eq!(value(&inferred, &outcome, "t").data, [0]);
}

#[test]
fn an_operand_that_is_the_target_is_read_as_it_was() {
    let (inferred, outcome) = ran::<i64>("input a: 3, 3\na =: a ~logic:\"ij => ji\"", RANGE);
    assert_eq!(value(&inferred, &outcome, "a").data, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
}

#[test]
fn what_cannot_run_says_why() {
    let refused = |text: &str, inputs: Inputs<f64>, options: Options| {
        let (inferred, nests) = prepared(text);
        run(&inferred, &nests, inputs, &options).expect_err(text)
    };
    let none = Inputs::default;
    let filled = || Inputs { fill: Some(RANGE), ..Inputs::default() };
    let missing = refused("input a: 2, 3\nlet b = a + a", none(), Options::default());
    assert_eq!(missing.to_string(), "no data for `a` (2×3)");
    let index = refused("input a: 4 | 3\nlet b = a @| i", filled(), Options::default());
    assert!(matches!(&index, RunError::NoIndex { name, .. } if name == "i"), "{index}");
    let mut outside = filled();
    outside.externals.insert("i".to_owned(), 4);
    let index = refused("input a: 4 | 3\nlet b = a @| i", outside, Options::default());
    assert_eq!(index.to_string(), "the index `i` is 4, and the axis has 4: indices count from 0");
    let large = refused("input a: 100000, 100000", filled(), Options::default());
    assert!(matches!(large, RunError::Limit { which: "elements", .. }), "{large}");
    let text = "input a: 5000\ninput b: 5000\ninput c: 5000\n{ d } =:+ mul3 a b c ~logic:\"i; j; k => 0\"";
    let long = refused(text, filled(), Options::default());
    assert!(matches!(long, RunError::Limit { which: "points", .. }), "{long}");
    for id in [3, usize::MAX] {
        let options = Options { grad: Some(id), ..Options::default() };
        let unknown = refused("input a: 2\nlet b = a + 1", filled(), options);
        assert_eq!(unknown, RunError::NoTensor { id, count: 3 });
    }
    let mut beyond = filled();
    beyond.values.insert(7, Value { dims: vec![], data: vec![0.0] });
    let unknown = refused("input a: 2\nlet b = a + 1", beyond, Options::default());
    assert_eq!(unknown.to_string(), "there is no tensor 7: the program has 3, and they count from 0");
    let (inferred, _) = prepared("param a: 2\n{ b } =+ a\nlet l = b + b");
    let grad = inferred.generated.tensor("l");
    let through = refused("param a: 2\n{ b } =+ a\nlet l = b + b", filled(), Options { grad, ..Options::default() });
    assert!(matches!(through, RunError::NoGradient { .. }), "{through}");
}
