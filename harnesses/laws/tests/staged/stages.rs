//! The stages, each with its effect.

use super::{Given, conv, size, strided};
use lozenge::staged::{
    Affine, Conv, Exact, Factor, Marks, Numerator, Outcome, Refusal, Searched, SizeClaim, SizeTerm, SizeWhy, Stage,
    StageRule, Total,
};
use lozenge::term::{Var, Vars};
use std::collections::BTreeSet;

#[test]
fn stage_one_only_propagates() {
    // Forwards, backwards, and to the kernel.
    let mut forward = Given::new("o = 13\nk = 3").claim(|g| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        SizeClaim::Size(g.dim("i"), conv(2, o, 1, k, false))
    });
    let Outcome::Closed(closed) = forward.run(Stage::One) else { panic!() };
    assert_eq!(closed.values.count(forward.dim("i")), Some(27));
    assert!(closed.assumptions.is_empty());
    assert_eq!(
        closed.steps.iter().map(|s| (s.stage, s.rule)).collect::<Vec<_>>(),
        [(Stage::One, StageRule::Valid.into())]
    );
    for (given, unknown, expected) in [("i = 27\nk = 3", "o", 13), ("i = 27\no = 13", "k", 3)] {
        let mut given = Given::new(given).claim(|g| {
            let (o, k) = (g.dim("o"), g.dim("k"));
            SizeClaim::Size(g.dim("i"), conv(2, o, 1, k, false))
        });
        let Outcome::Closed(closed) = given.run(Stage::One) else { panic!() };
        assert_eq!(closed.values.count(given.dim(unknown)), Some(expected));
    }
    // With two unknowns stage 1 waits, and says so.
    let mut open = Given::new("i = 27").claim(|g| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        SizeClaim::Size(g.dim("i"), conv(2, o, 1, k, false))
    });
    let Outcome::Open(open) = open.run(Stage::One) else { panic!() };
    assert_eq!(open.waiting, [0]);
    assert!(open.assumptions.is_empty());
}

#[test]
fn refusals_name_the_size_equation() {
    let not_divisible = |g: &mut Given| SizeClaim::Size(g.dim("i"), strided(2, g.dim("o")));
    assert_eq!(
        Given::new("i = 7").claim(not_divisible).why(),
        (StageRule::Stride, SizeWhy::NotDivisible(7, 2), "7 = 2·o".to_owned())
    );
    let negative = |g: &mut Given| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        SizeClaim::Size(g.dim("i"), conv(1, o, 2, k, false))
    };
    assert_eq!(
        Given::new("i = 3\nk = 5").claim(negative).why(),
        (StageRule::Valid, SizeWhy::TooSmall(-5, 1), "3 = 1·(o − 1) + 1 + 2·(5 − 1)".to_owned())
    );
    let padded = |g: &mut Given| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        SizeClaim::Size(g.dim("i"), conv(3, o, 1, k, true))
    };
    assert_eq!(Given::new("i = 7\nk = 5").claim(padded).why().0, StageRule::Pad);
    let sum = |g: &mut Given| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")]));
    assert_eq!(
        Given::new("x = 5\na = 5").claim(sum).why(),
        (StageRule::Concat, SizeWhy::TooSmall(0, 1), "5 = 5 + b".to_owned())
    );
    assert_eq!(Given::new("x = 5\na = 2\nb = 2").claim(sum).why().1, SizeWhy::Differ(5, 4));
    let total = |g: &mut Given| {
        let numerator = Numerator::Count(10);
        SizeClaim::Total(Total { rows: vec![g.row("r")], numerator, divided_by: BTreeSet::new(), keep: None })
    };
    let (rule, why, text) = Given::new("<r> ~ [] <> [4, a]").claim(total).why();
    assert_eq!((rule, why), (StageRule::Total, SizeWhy::NotDivisible(10, 4)));
    assert_eq!(text, "elements of []·⋄·[4,a] = 10");
    let exact =
        |g: &mut Given| SizeClaim::Exact(Exact { rows: vec![g.row("r")], dims: vec![size(2), size(3)], keep: None });
    assert_eq!(Given::new("<r> ~ [] <> [a]").claim(exact).why(), {
        (StageRule::Exact, SizeWhy::Axes(1, 2), "axes of []·⋄·[a] = [2, 3]".to_owned())
    });
    // Entailed refusals are unsat, those that rest on a guess are rejections.
    assert!(matches!(Given::new("i = 7").claim(not_divisible).run(Stage::Seven), Outcome::Unsat(_)));
}

#[test]
fn each_stage_has_its_effect() {
    // What a claim waits for, in one group each: a leaf row with a cap (3), an axis of known size (4), a leaf's
    // axis (5), an axis of an open row (6, and 7 for the axis), an interior axis (7). What no claim waits for closes last.
    let text = "[] <> [2, 3] <= <p>\n<t> ~ [] <> [a, 3]\nb = b\n<s> ~ <u> [c]\nd = d\n5 <= e";
    let total = |g: &mut Given, row: &str, n: u64| {
        let numerator = Numerator::Count(n);
        SizeClaim::Total(Total { rows: vec![g.row(row)], numerator, divided_by: BTreeSet::new(), keep: None })
    };
    let known_after = |stage: Stage| {
        let mut given = Given::new(text)
            .claim(|g| total(g, "p", 6))
            .claim(|g| total(g, "t", 12))
            .claim(|g| SizeClaim::AtLeast(g.dim("b"), 2))
            .claim(|g| SizeClaim::AtLeast(g.dim("c"), 2))
            .claim(|g| SizeClaim::AtLeast(g.dim("d"), 2))
            .leaves(&["p", "b", "e"]);
        match given.run(stage) {
            Outcome::Open(open) => {
                let solved = open.known.iter().filter(|b| b.to().vars().is_empty());
                solved.map(|b| given.names.show(&b.var()).to_string()).collect::<Vec<_>>()
            }
            Outcome::Closed(_) => vec!["all".to_owned()],
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(known_after(Stage::Two), [""; 0]);
    assert_eq!(known_after(Stage::Three), ["⟨p⟩"]);
    assert_eq!(known_after(Stage::Four), ["⟨p⟩", "⟨t⟩", "a"]);
    assert_eq!(known_after(Stage::Five), ["⟨p⟩", "⟨t⟩", "a", "b"]);
    assert_eq!(known_after(Stage::Six), ["⟨p⟩", "⟨t⟩", "a", "b"]);
    assert_eq!(known_after(Stage::Seven), ["all"]);
}

#[test]
fn stage_two_looks_up_late_factors() {
    let late = |g: &mut Given| {
        let affine = Affine { stride: Factor::Late(g.dim("s")), over: g.dim("o"), conv: None, offset: 0 };
        SizeClaim::Size(g.dim("i"), SizeTerm::Affine(affine))
    };
    let mut given = Given::new("s = 3\no = 4").claim(late);
    assert!(matches!(given.run(Stage::One), Outcome::Open(_)), "stage 1 does not look");
    assert!(matches!(given.run(Stage::Two), Outcome::Closed(_)));
    assert_eq!(given.sizes(&["i"]), [12]);
    // Where nothing determines it, it is refused, and nothing is guessed that would.
    for open in ["o = 4", "i = 8"] {
        assert_eq!(Given::new(open).claim(late).why().1, SizeWhy::NoFactor, "{open}");
    }
}

#[test]
fn a_late_factor_is_worked_out() {
    let of = |mode: Option<bool>, offset: u64| {
        move |g: &mut Given| {
            let late = Factor::Late(g.dim("s"));
            let conv = mode.map(|padded| Conv { dilation: late, kernel: g.dim("k"), padded });
            let stride = if conv.is_some_and(|conv| !conv.padded) { Factor::Known(1) } else { late };
            let affine = Affine { stride, over: g.dim("o"), conv, offset };
            SizeClaim::Size(g.dim("i"), SizeTerm::Affine(affine))
        }
    };
    // As a stride, with or without padding, and as a dilation.
    for (text, mode, s) in [
        ("i = 8\no = 4", None, 2),
        ("i = 8\no = 8", None, 1),
        ("i = 9\no = 3\nk = 3", Some(true), 3),
        ("i = 9\no = 3\nk = 3", Some(false), 3),
    ] {
        let mut given = Given::new(text).claim(of(mode, 0));
        assert_eq!(given.sizes(&["s"]), [s], "{text}");
        // 1 is 1∅ or an atom; all else follows.
        let follows = given.run(Stage::Two);
        assert_eq!(matches!(follows, Outcome::Closed(closed) if closed.assumptions.is_empty()), s > 1, "{text}");
    }
    // As a coefficient.
    let coefficient = |g: &mut Given| {
        let numerator = Numerator::Scaled { coeff: Factor::Late(g.dim("s")), var: g.var("v"), denom: 1 };
        SizeClaim::Total(Total { rows: vec![g.row("r")], numerator, divided_by: BTreeSet::new(), keep: None })
    };
    assert_eq!(Given::new("v = 4\n<r> ~ [] <> [2, 6]").claim(coefficient).sizes(&["s"]), [3]);
    // No whole number, or one that is not more than the offset.
    let unsat = |text: &str, offset: u64| match Given::new(text).claim(of(None, offset)).run(Stage::Seven) {
        Outcome::Unsat(Refusal::Size(failure)) => failure.why,
        other => panic!("{other:?}"),
    };
    assert_eq!(unsat("i = 8\no = 3", 0), SizeWhy::NotDivisible(8, 3));
    assert_eq!(unsat("i = 8\no = 8", 1), SizeWhy::BadOffset(1, 1));
    // A size that does not depend on it says nothing of it.
    assert_eq!(Given::new("i = 9\no = 9\nk = 1").claim(of(Some(false), 0)).why().1, SizeWhy::NoFactor);
}

#[test]
fn totals_and_exact_rows_are_resolved_in_stages() {
    let total = |n: u64| {
        move |g: &mut Given| {
            let numerator = Numerator::Count(n);
            SizeClaim::Total(Total { rows: vec![g.row("r")], numerator, divided_by: BTreeSet::new(), keep: None })
        }
    };
    let value = |given: &mut Given, stage: Stage| match given.run(stage) {
        Outcome::Closed(closed) => closed.values.ground.rows[&given.names.row_var("r").expect("right")].to_string(),
        _ => "open".to_owned(),
    };
    // A leaf gets one axis in stage 3, any other row in stage 5.
    let mut leaf = Given::new("<r> <= <r>").claim(total(12)).leaves(&["r"]);
    assert_eq!(value(&mut leaf, Stage::Two), "open");
    assert_eq!(value(&mut leaf, Stage::Three), "[]·⋄·[12]");
    let mut inner = Given::new("<r> <= <r>").claim(total(12));
    assert_eq!(value(&mut inner, Stage::Four), "open");
    assert_eq!(value(&mut inner, Stage::Five), "[]·⋄·[12]");
    // A written axis and the rest.
    let mut partly = Given::new("<r> ~ [3] <s>").claim(total(12));
    assert_eq!(value(&mut partly, Stage::Five), "[3]·⋄·[4]");
    // Resolved rows make a total an equation: dim = n.
    // Elements have no basis, so which atom of that size it is stays open until nothing else can say.
    let mut one = Given::new("<r> ~ [] <> [a, 3]").claim(total(12));
    assert_eq!(value(&mut one, Stage::Three), "open");
    assert_eq!(value(&mut one, Stage::Four), "[]·⋄·[4,3]");
    let mut square = Given::new("<r> ~ [] <> [a, a]").claim(total(16));
    assert_eq!(value(&mut square, Stage::Four), "[]·⋄·[4,4]");
    // Two rows: the output row keeps the axes.
    let exact = |g: &mut Given| {
        let rows = vec![g.row("b"), g.row("r")];
        SizeClaim::Exact(Exact { rows, dims: vec![size(2), size(3)], keep: Some(1) })
    };
    let mut given = Given::new("<r> <= <r>\n<b> <= <b>").claim(exact);
    assert_eq!(value(&mut given, Stage::Four), "open");
    assert_eq!(value(&mut given, Stage::Five), "[]·⋄·[2,3]");
    let both = |g: &mut Given| {
        let rows = vec![g.row("b"), g.row("r")];
        SizeClaim::Total(Total { rows, numerator: Numerator::Count(6), divided_by: BTreeSet::new(), keep: Some(1) })
    };
    let mut given = Given::new("<r> <= <r>\n<b> <= <b>").claim(both);
    assert_eq!(value(&mut given, Stage::Five), "[]·⋄·[6]");
}

pub fn scaled(g: &mut Given, row: &str, coeff: u64, var: &str, by: &[&str]) -> SizeClaim {
    let numerator = Numerator::Scaled { coeff: Factor::Known(coeff), var: g.var(var), denom: 1 };
    let divided_by = by.iter().map(|n| g.var(n)).collect();
    SizeClaim::Total(Total { rows: vec![g.row(row)], numerator, divided_by, keep: None })
}

#[test]
fn a_numerator_is_not_guessed_before_its_divisors() {
    // elements of r = 64·v/d, r = [16], v and d leaves: v = 1 forces d = 4, d = 1 has no v.
    let mut given = Given::new("<r> ~ [] <> [16]").claim(|g| scaled(g, "r", 64, "v", &["d"])).leaves(&["v", "d"]);
    let v = given.var("v");
    // Older or not, the numerator waits. What is guessed for d is not 1: 16·d is at least 64.
    assert_eq!(given.sizes(&["v", "d"]), [1, 4]);
    given.marks = Marks::Seeds;
    let Outcome::Rejected(Refusal::Size(_), _, Searched::Solution(_)) = given.run(Stage::Seven) else { panic!() };
    // With 4·v/d both orders end well, and the rule decides which: d = 1, v = 4.
    let mut given = Given::new("v = v\n<r> ~ [] <> [16]").claim(|g| scaled(g, "r", 4, "v", &["d"])).leaves(&["v", "d"]);
    let Outcome::Closed(closed) = given.run(Stage::Seven) else { panic!() };
    let guessed: Vec<Var> = closed.assumptions.iter().map(|a| a.given.var()).collect();
    assert!(!guessed.contains(&Var::Dim(v)) && guessed.contains(&Var::Dim(given.var("d"))), "{guessed:?}");
    assert_eq!(given.sizes(&["v", "d"]), [4, 1]);
}

#[test]
fn finding_the_cycle_breaking_fires_on_chains() {
    // elements of r = 4·u/v and of s = 4·v/w: u waits for v, v waits for w. No cycle. The seeds let u be
    // guessed because v is marked: u = 1, and r = [16] needs v = 1/4.
    let make = |marks: Marks| {
        let mut given = Given::new("u = u\n<r> ~ [] <> [16]\n<s> ~ [] <> [8]")
            .claim(|g| scaled(g, "r", 4, "u", &["v"]))
            .claim(|g| scaled(g, "s", 4, "v", &["w"]))
            .leaves(&["u", "v", "w"]);
        given.marks = marks;
        given
    };
    let Outcome::Rejected(Refusal::Size(failure), assumed, Searched::Solution(_)) =
        make(Marks::Seeds).run(Stage::Seven)
    else {
        panic!()
    };
    assert_eq!((failure.claim, assumed.len()), (0, 1));
    assert_eq!(make(Marks::Cycles).sizes(&["u", "v", "w"]), [8, 2, 1]);
    // On a true cycle both give way.
    for marks in [Marks::Seeds, Marks::Cycles] {
        let mut given = Given::new("<r> ~ [] <> [4]\n<s> ~ [] <> [1]")
            .claim(|g| scaled(g, "r", 4, "u", &["v"]))
            .claim(|g| scaled(g, "s", 1, "v", &["u"]))
            .leaves(&["u", "v"]);
        given.marks = marks;
        assert_eq!(given.sizes(&["u", "v"]), [1, 1]);
    }
}

#[test]
fn finding_a_strided_leaf_is_guessed_before_what_it_is_a_multiple_of() {
    // n = 2·o and nothing else, n a leaf. n = 2, o = 1 is a solution; the seeds guess n = 1.
    let make = |marks: Marks| {
        let mut given =
            Given::new("n = n").claim(|g| SizeClaim::Size(g.dim("n"), strided(2, g.dim("o")))).leaves(&["n"]);
        given.marks = marks;
        given
    };
    assert!(matches!(make(Marks::Seeds).run(Stage::Seven), Outcome::Rejected(Refusal::Size(_), ..)));
    assert_eq!(make(Marks::Cycles).sizes(&["n", "o"]), [2, 1]);
}

/// The value that the notes give a numerator, elements·denom/coeff, needs that it is whole and that nothing divides.
#[test]
fn finding_f39_a_numerator_needs_divisibility() {
    let odd = Given::new("<r> ~ [] <> [5]").claim(|g| scaled(g, "r", 2, "v", &[])).why();
    assert!(matches!(odd, (StageRule::Total, SizeWhy::NotDivisible(5, 2), _)), "{odd:?}: 5/2 is not 2");
    let mut divided = Given::new("<r> ~ [] <> [4]\nd = 3").claim(|g| scaled(g, "r", 2, "v", &["d"])).leaves(&["v"]);
    assert_eq!(divided.sizes(&["v", "d"]), [6, 3], "4·3/2, and not 4/2");
}

/// A numerator without divisors waits too: else v = 1 is guessed, and 6 = 2·1 fails.
#[test]
fn finding_f67_a_numerator_without_divisors_waits() {
    let make = |marks: Marks| {
        let mut given = Given::new("v = v\n<z> <= [] <> [6]").claim(|g| scaled(g, "z", 2, "v", &[])).leaves(&["v"]);
        given.marks = marks;
        given
    };
    // The marks of the seeds have a numerator with something to wait for only.
    let Outcome::Rejected(Refusal::Size(_), _, Searched::Solution(_)) = make(Marks::Seeds).run(Stage::Seven) else {
        panic!()
    };
    assert_eq!(make(Marks::Cycles).sizes(&["v"]), [3]);
}

/// Divisors are counted: two of one size divide twice.
#[test]
fn finding_f67_divisors_have_a_multiplicity() {
    let of = |by: &'static [&'static str]| {
        let total = move |g: &mut Given| {
            let divided_by = by.iter().map(|name| g.var(name)).collect();
            SizeClaim::Total(Total { rows: vec![g.row("r")], numerator: Numerator::Count(8), divided_by, keep: None })
        };
        Given::new("<r> ~ [] <> [n]\na = 2\nb = a").claim(total).sizes(&["n"])
    };
    assert_eq!((of(&["a", "b"]), of(&["a"])), (vec![2], vec![4]));
}
