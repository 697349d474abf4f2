//! Scalars at their ends: an operation has a result that is one of them, or is an error.
#![allow(missing_docs)]

use lozenge::interp::{Fill, Inputs, Options, Outcome, Rational, RunError, Scalar, ScalarError, Tropical, Value, run};
use lozenge::program::ast::{Accumulate, BinaryOp, TernaryOp, UnaryOp};
use lozenge::program::{Inference, Numeral, infer, parse};
use lozenge::projection::project_all;
use std::collections::BTreeMap;

/// Every result of every operation on these scalars.
fn results<S: Scalar>(of: &[S]) -> Vec<S> {
    let mut results = Vec::new();
    for x in of {
        results.extend(UnaryOp::ALL.iter().flat_map(|op| S::unary(*op, x)));
        results.extend(Accumulate::ALL.iter().flat_map(|how| S::first(*how, x.clone())));
        for y in of {
            results.extend(BinaryOp::ALL.iter().flat_map(|op| S::binary(*op, x, y)));
            results.extend(Accumulate::ALL.iter().flat_map(|how| S::accumulate(*how, x, y.clone())));
            results.extend(of.iter().flat_map(|z| TernaryOp::ALL.iter().flat_map(|op| S::ternary(*op, x, y, z))));
        }
    }
    results
}

/// By a plan and by the definition.
fn both_ways<S: Scalar>(
    text: &str,
    data: &[(&str, S)],
    fill: Option<Fill>,
) -> (Inference, [Result<Outcome<S>, RunError>; 2]) {
    let program = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    let inferred = infer(&program).unwrap_or_else(|error| panic!("{}", error.render(text)));
    let nests = project_all(&inferred).expect("projections");
    let value = |(name, cell): &(&str, S)| {
        (inferred.generated.tensor(name).expect("a tensor"), Value { dims: vec![1], data: vec![cell.clone()] })
    };
    let values: BTreeMap<_, _> = data.iter().map(value).collect();
    let inputs = Inputs { values, fill, ..Inputs::default() };
    let ran =
        [false, true].map(|naive| run(&inferred, &nests, inputs.clone(), &Options { naive, ..Options::default() }));
    (inferred, ran)
}

const ENDS: [f64; 11] =
    [f64::NEG_INFINITY, f64::MIN, -1.7e308, -1.0, -0.0, 0.0, f64::MIN_POSITIVE, 1.0, 2.5, 1.7e308, f64::MAX];

#[test]
fn every_tropical_result_is_a_number_or_the_least() {
    let all = results(&ENDS.map(Tropical));
    assert!(all.len() > 2_000, "{} results", all.len());
    assert!(all.iter().all(|x| x.0 < f64::INFINITY), "what is not a number is not less either");
}

/// −∞ is the semiring's zero: a product has it where a factor has it, and nowhere else.
#[test]
fn no_number_rounds_to_the_tropical_zero() {
    let zero = f64::NEG_INFINITY;
    for (x, y) in ENDS.iter().flat_map(|x| ENDS.map(|y| (*x, y))) {
        let of = |op| Tropical::binary(op, &Tropical(x), &Tropical(y)).map(|it| it.0);
        let overflow = |result| matches!(result, Err(ScalarError::Overflow { .. }));
        for op in [BinaryOp::Mul, BinaryOp::Compose] {
            match (x == zero || y == zero, (x + y).is_finite()) {
                (true, _) => assert_eq!(of(op), Ok(zero), "{x} {y}"),
                (_, true) => assert_eq!(of(op), Ok(x + y)),
                (_, false) => assert!(overflow(of(op)), "{x} {y}"),
            }
        }
        match (y == zero, x == zero, (x - y).is_finite()) {
            (true, ..) => assert!(matches!(of(BinaryOp::Div), Err(ScalarError::DivisionByZero { .. })), "{x} {y}"),
            (_, true, _) => assert_eq!(of(BinaryOp::Div), Ok(zero), "{x} {y}"),
            (.., true) => assert_eq!(of(BinaryOp::Div), Ok(x - y)),
            (.., false) => assert!(overflow(of(BinaryOp::Div)), "{x} {y}"),
        }
    }
}

#[test]
fn tropical_programs_refuse_what_does_not_fit() {
    let least = Tropical(f64::NEG_INFINITY);
    let text = "input a: 1\ninput b: 1\nlet s = a *. a\nlet t = s *. b\nlet u = t + a";
    for large in [1.7e308, -1.7e308] {
        let (_, ran) = both_ways(text, &[("a", Tropical(large)), ("b", least)], None);
        for refused in ran {
            let refused = refused.expect_err("2a does not fit").to_string();
            assert_eq!(refused, format!("overflow: `*.` of {large:?} and {large:?}"));
        }
    }
    // A factor of zero comes first.
    let text = "input a: 1\ninput b: 1\nlet s = a *. b\nlet t = a *. s";
    let (inferred, ran) = both_ways(text, &[("a", Tropical(1.7e308)), ("b", least)], None);
    for outcome in ran {
        let t = inferred.generated.tensor("t").expect("t");
        assert_eq!(outcome.expect("it runs").values[t].as_ref().map(|value| value.data.clone()), Some(vec![least]));
    }
}

/// A range ends where the numbers do; it may begin at −∞ all the same.
#[test]
fn a_tropical_range_does_not_run_into_the_least() {
    let range = |start: &str, step: &str| {
        let number = |text: &str| Numeral::float(text.parse().expect("a number"));
        let fill = Fill::Range { start: number(start), step: number(step) };
        both_ways::<Tropical>("input x: 3\nlet y = x *. 0", &[], Some(fill)).1
    };
    for refused in range("-1.7e308", "-1.7e308").into_iter().chain(range("1.7e308", "1.7e308")) {
        let refused = refused.expect_err("the second cell does not fit");
        assert!(
            matches!(&refused, RunError::Scalar { error: ScalarError::Overflow { op: "range", .. }, .. }),
            "{refused}"
        );
    }
    assert!(range("-inf", "1").iter().all(Result::is_ok));
}

/// An accumulation that scalars do not have is refused at its first value, where it would begin at a neutral element.
#[test]
fn an_accumulation_that_is_not_there_does_not_begin() {
    for (how, is_there) in [("-", false), ("**", false), ("&&", false), ("||", false), ("/", true), ("@-", true)] {
        let (_, ran) = both_ways(&format!("input x: 1\n{{ m }} =:{how} x"), &[("x", Tropical(3.0))], None);
        for outcome in ran {
            let refused = matches!(&outcome, Err(RunError::Scalar { error: ScalarError::Unsupported { .. }, .. }));
            assert_eq!((outcome.is_ok(), refused), (is_there, !is_there), "{how}: {outcome:?}");
        }
    }
}

/// Also the least numerator, which has no negative and is not read.
#[test]
fn every_fraction_that_is_computed_is_read_back() {
    let most = i128::MAX;
    let whole = [0, 1, 2, 3, most / 2 + 1, most - 1, most].into_iter().flat_map(|n| [n, -n]);
    let ends: Vec<Rational> =
        whole.flat_map(|n| [1, 2, 3, most].into_iter().flat_map(move |d| Rational::new(n, d))).collect();
    // Once more on what they make.
    let mut more: Vec<Rational> = Vec::new();
    for it in BinaryOp::ALL.iter().flat_map(|op| ends.iter().flat_map(|x| Rational::binary(*op, x, &ends[2]))) {
        if !more.contains(&it) {
            more.push(it);
        }
    }
    for results in [results(&ends), results(&more)] {
        assert!(results.len() > 10_000, "{} results", results.len());
        for it in results {
            assert_eq!(Rational::read(&it.to_string()), Ok(it));
        }
    }
    let third = Rational::new(1, 3).expect("a third");
    let least = Rational::binary(BinaryOp::Sub, &Rational::new(-most, 3).expect("it fits"), &third);
    assert!(matches!(least, Err(ScalarError::Overflow { .. })), "{least:?}");
}

#[test]
fn every_operation_on_the_ends_of_whole_numbers_ends() {
    let ends = [i64::MIN, i64::MIN + 1, -3, -2, -1, 0, 1, 2, 3, 63, 64, i64::MAX - 1, i64::MAX];
    assert!(results(&ends).len() > 2_000);
}

/// 0 has no reciprocal; other numbers have one that may not be there.
#[test]
fn a_negative_power_of_zero_is_a_division_by_zero() {
    fn power<S: Scalar>(x: f64, y: f64) -> Result<S, ScalarError> {
        let number = |x| S::number(x).expect("a number");
        S::binary(BinaryOp::Pow, &number(x), &number(y))
    }
    for y in [-1.0, -2.0, -3_000_000_001.0] {
        assert!(matches!(power::<i64>(0.0, y), Err(ScalarError::DivisionByZero { .. })), "{y}");
        assert!(matches!(power::<Rational>(0.0, y), Err(ScalarError::DivisionByZero { .. })), "{y}");
        assert!(matches!(power::<i64>(2.0, y), Err(ScalarError::NotExact { .. })), "{y}");
    }
}
