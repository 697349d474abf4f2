//! §8: the staged extension. Meaning first, then the stages against brute force.
#![allow(missing_docs)]

use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::semantics::{Ground, Universe};
use lozenge::solver::Policy;
use lozenge::staged::{
    Affine, AxisLabels, Claim, Conv, Exact, Factor, Marks, Mode, Numerator, Outcome, Problem, Refusal, SizeTerm,
    SizeWhy, Stage, StageRule, Total, Valuation, Value, discardable, may_be_zero, sol, solve,
};
use lozenge::term::{DimTerm, DimVar, RowTerm, Term, Var, Vars};
use lozenge_harnesses::cases::Cases;
use std::collections::{BTreeMap, BTreeSet};

fn size(n: u64) -> DimTerm {
    Dim::size(n).expect("sizes start at one").into()
}

fn strided(stride: u64, over: DimTerm) -> SizeTerm {
    SizeTerm::Affine(Affine { stride: Factor::Known(stride), over, conv: None, offset: 0 })
}

fn conv(stride: u64, over: DimTerm, dilation: u64, kernel: DimTerm, padded: bool) -> SizeTerm {
    let conv = Some(Conv { dilation: Factor::Known(dilation), kernel, padded });
    SizeTerm::Affine(Affine { stride: Factor::Known(stride), over, conv, offset: 0 })
}

/// A problem under construction: names, Φ, claims.
struct Given {
    names: Names,
    phi: Vec<Constraint>,
    claims: Vec<Claim>,
    leaves: Vec<&'static str>,
    params: Vec<&'static str>,
    discard: Vec<&'static str>,
    marks: Marks,
}

impl Given {
    fn new(text: &str) -> Self {
        let mut names = Names::new();
        let phi = parse_system(text, &mut names).unwrap_or_else(|e| panic!("{}", e.render(text)));
        let none = Vec::new;
        Given { names, phi, claims: none(), leaves: vec![], params: vec![], discard: vec![], marks: Marks::default() }
    }

    fn dim(&mut self, name: &str) -> DimTerm {
        self.names.dim_var(name).expect("a dimension").into()
    }

    fn var(&mut self, name: &str) -> DimVar {
        self.names.dim_var(name).expect("a dimension")
    }

    fn row(&mut self, name: &str) -> RowTerm {
        self.names.row_var(name).expect("a row").into()
    }

    fn claim(mut self, make: impl FnOnce(&mut Self) -> Claim) -> Self {
        let claim = make(&mut self);
        self.claims.push(claim);
        self
    }

    fn leaves(mut self, leaves: &[&'static str]) -> Self {
        self.leaves = leaves.to_vec();
        self
    }

    fn problem(&mut self) -> Problem<'_> {
        let look = |names: &Names, list: &[&str]| -> BTreeSet<Var> {
            list.iter().map(|n| names.lookup(n).unwrap_or_else(|| panic!("{n}"))).collect()
        };
        let mut leaves = look(&self.names, &self.leaves);
        let params = look(&self.names, &self.params);
        leaves.extend(&params);
        let discardable = self.discard.iter().map(|n| self.names.dim_var(n).expect("a dimension")).collect();
        let tags = Tags { leaves, params };
        Problem { phi: &self.phi, claims: &self.claims, tags, discardable, marks: self.marks }
    }

    fn run(&mut self, upto: Stage) -> Outcome {
        let mut names = self.names.clone();
        let outcome = solve(&self.problem(), &mut names, Policy::default(), upto);
        self.names = names;
        outcome
    }

    /// The sizes of these variables after all stages.
    fn sizes(&mut self, names: &[&str]) -> Vec<u64> {
        match self.run(Stage::Seven) {
            Outcome::Closed(closed) => {
                names.iter().map(|n| closed.values.count(self.dim(n)).expect("a plain size")).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn why(&mut self) -> (StageRule, SizeWhy, String) {
        match self.run(Stage::Seven) {
            Outcome::Unsat(Refusal::Size(f)) | Outcome::Rejected(Refusal::Size(f), _) => {
                (f.rule, f.why.clone(), f.instance.show(&self.names))
            }
            other => panic!("{other:?}"),
        }
    }
}

// Meaning.

#[test]
fn the_three_size_equations() {
    // Convolutions as they are usually tabled: (mode, stride, dilation, output, kernel) and the input.
    let ground = Valuation::default();
    let table = [
        (Mode::Strided, 3, 1, 4, 1, 12),
        (Mode::Padded, 1, 1, 28, 3, 28),
        (Mode::Padded, 2, 1, 14, 3, 28),
        (Mode::Padded, 2, 2, 14, 5, 28),
        (Mode::Valid, 1, 1, 26, 3, 28),
        (Mode::Valid, 2, 1, 13, 3, 27),
        (Mode::Valid, 2, 2, 12, 3, 27),
        (Mode::Valid, 3, 1, 9, 4, 28),
        (Mode::Valid, 1, 1, 1, 1, 1),
    ];
    for (mode, stride, dilation, output, kernel, input) in table {
        let over = size(output);
        let term = match mode {
            Mode::Strided => strided(stride, over),
            mode => conv(stride, over, dilation, size(kernel), mode == Mode::Padded),
        };
        let SizeTerm::Affine(affine) = &term else { unreachable!() };
        assert_eq!(affine.mode(), mode);
        assert_eq!(ground.affine(affine), Some(input), "{term:?}");
        assert!(ground.holds(&Claim::Size(size(input), term.clone())));
        assert!(!ground.holds(&Claim::Size(size(input + 1), term)));
    }
    // The valid equation is what the addresses need: the last one is the last element.
    for (s, o, k, d) in itertools4([1, 2, 3], [1, 2, 5], [1, 2, 3], [1, 2, 3]) {
        let affine = Affine { stride: Factor::Known(s), over: size(o), conv: None, offset: 0 };
        let conv = Some(Conv { dilation: Factor::Known(d), kernel: size(k), padded: false });
        let last = s * (o - 1) + d * (k - 1);
        assert_eq!(ground.affine(&Affine { conv, ..affine }), Some(last + 1));
    }
}

fn itertools4<const N: usize>(a: [u64; N], b: [u64; N], c: [u64; N], d: [u64; N]) -> Vec<(u64, u64, u64, u64)> {
    let mut out = Vec::new();
    for x in a {
        for y in b {
            for z in c {
                out.extend(d.map(|w| (x, y, z, w)));
            }
        }
    }
    out
}

#[test]
fn affine_terms_that_mean_nothing() {
    let ground = Valuation::default();
    let bad = |affine: Affine| {
        assert_eq!(ground.affine(&affine), None, "{affine:?}");
        let claim = Claim::Size(size(6), SizeTerm::Affine(affine));
        assert!(!ground.holds(&claim));
        let problem = Problem { claims: std::slice::from_ref(&claim), ..Problem::default() };
        let outcome = solve(&problem, &mut Names::new(), Policy::default(), Stage::Seven);
        assert!(matches!(outcome, Outcome::Unsat(Refusal::Size(_))), "{outcome:?}");
    };
    let good = Affine { stride: Factor::Known(2), over: size(3), conv: None, offset: 0 };
    assert_eq!(ground.affine(&Affine { offset: 1, ..good }), Some(6), "an offset below the stride changes no size");
    bad(Affine { stride: Factor::Known(0), ..good });
    bad(Affine { offset: 2, ..good });
    let valid = Some(Conv { dilation: Factor::Known(1), kernel: size(2), padded: false });
    bad(Affine { conv: valid, offset: 1, ..good });
    let still = Some(Conv { dilation: Factor::Known(0), kernel: size(2), padded: false });
    bad(Affine { conv: still, ..good });
    // An atom with a basis is no plain size.
    let mut names = Names::new();
    let rgb = Dim::Atom(lozenge::dim::Atom::new(3, names.basis("rgb")).expect("3"));
    bad(Affine { over: rgb.into(), ..good });
    // Stride 1 without a kernel that takes anything is the axis itself, basis included.
    let same = Affine { stride: Factor::Known(1), over: rgb.into(), ..good };
    assert!(same.is_identity() && ground.holds(&Claim::Size(rgb.into(), SizeTerm::Affine(same))));
}

#[test]
fn concatenation_is_a_sum_and_totals_are_products() {
    let ground = Valuation::default();
    assert!(ground.holds(&Claim::Size(size(6), SizeTerm::Concat(vec![size(1), size(2), size(3)]))));
    assert!(!ground.holds(&Claim::Size(size(5), SizeTerm::Concat(vec![size(1), size(2), size(3)]))));
    let row = |dims: &[u64]| RowTerm::new(vec![], None, dims.iter().map(|n| size(*n)).collect());
    let mut names = Names::new();
    let (v, d1, d2) = (names.dim_var("v").unwrap(), names.dim_var("d1").unwrap(), names.dim_var("d2").unwrap());
    let mut values = Ground::default();
    values.dims.extend([(v, Dim::size(1).unwrap()), (d1, Dim::size(4).unwrap()), (d2, Dim::size(1).unwrap())]);
    let valuation = Valuation { ground: values, zeros: BTreeSet::new() };
    // total = (64·v)/(d1·d2) with v = 1, d1 = 4, d2 = 1 is 16.
    let total = |rows: &[&[u64]], denom| {
        Claim::Total(Total {
            rows: rows.iter().map(|r| row(r)).collect(),
            numerator: Numerator::Scaled { coeff: Factor::Known(64), var: v, denom },
            divided_by: BTreeSet::from([d1, d2]),
            keep: None,
        })
    };
    assert!(valuation.holds(&total(&[&[4, 4]], 1)));
    assert!(valuation.holds(&total(&[&[4], &[], &[4]], 1)));
    assert!(valuation.holds(&total(&[&[2, 2]], 4)));
    assert!(!valuation.holds(&total(&[&[64]], 1)));
    let exact = |rows: &[&[u64]], dims: &[u64]| {
        let dims = dims.iter().map(|n| size(*n)).collect();
        Claim::Exact(Exact { rows: rows.iter().map(|r| row(r)).collect(), dims, keep: None })
    };
    assert!(valuation.holds(&exact(&[&[2], &[], &[3, 4]], &[2, 3, 4])));
    assert!(!valuation.holds(&exact(&[&[2], &[3, 4]], &[2, 4, 3])));
    assert!(!valuation.holds(&exact(&[&[2]], &[2, 1])));
    assert!(valuation.holds(&Claim::AtLeast(size(3), 3)) && !valuation.holds(&Claim::AtLeast(size(3), 4)));
}

/// A side of a specification: slots by `;`, axes by `,`, components by `^`.
fn side(text: &str) -> Vec<Vec<AxisLabels>> {
    let axis = |axis: &str| -> AxisLabels {
        axis.split('^').map(|label| BTreeSet::from([label.trim().to_owned()])).collect()
    };
    text.split(';').map(|slot| slot.split(',').filter(|a| !a.trim().is_empty()).map(axis).collect()).collect()
}

fn discarded(spec: &str) -> Vec<String> {
    let (operands, result) = spec.split_once("=>").expect("an arrow");
    discardable(&side(operands), &side(result)).into_iter().collect()
}

#[test]
fn the_four_quantifier_test() {
    // The six examples of the seeds, then more.
    assert_eq!(discarded("a^b => a"), ["b"]);
    assert_eq!(discarded("a^b => b"), ["a"]);
    assert_eq!(discarded("a^b => a^b"), [""; 0]);
    assert_eq!(discarded("b^c => a"), [""; 0]);
    assert_eq!(discarded("a; b => a^b"), [""; 0]);
    assert_eq!(discarded("a; b => a^c"), [""; 0]);
    assert_eq!(discarded("a => a^b"), ["b"]);
    assert_eq!(discarded("a^b^c => b"), ["a", "c"]);
    assert_eq!(discarded("a^b^c => a^c"), ["b"]);
    assert_eq!(discarded("a^b, c => c"), [""; 0]);
    assert_eq!(discarded("a^b, i => a, i"), ["b"]);
    assert_eq!(discarded("a; a => a^c"), ["c"]);
    assert_eq!(discarded("a^b, c^d => a, c"), ["b", "d"]);
}

#[test]
fn finding_a_discarded_label_can_be_an_axis() {
    // b is projected away from the concatenation and is an axis of the second operand all the same.
    assert_eq!(discarded("a^b; b => a"), ["b"]);
    let mut given = Given::new("x = 5\n<y> ~ [] <> [b]");
    given = given.claim(|g| Claim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["b"];
    let b = given.var("b");
    assert!(may_be_zero(&given.phi, &given.claims, &BTreeSet::from([b])).is_empty());
    // So b is 1∅ and a is what is left.
    assert_eq!(given.sizes(&["a", "b"]), [4, 1]);
    // Where b is a component and nothing else, it is 0.
    let mut given = Given::new("x = 5");
    given = given.claim(|g| Claim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["b"];
    assert_eq!(given.sizes(&["a", "b"]), [5, 0]);
}

// The stages.

#[test]
fn stage_one_only_propagates() {
    // Forwards, backwards, and to the kernel.
    let mut forward = Given::new("o = 13\nk = 3").claim(|g| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        Claim::Size(g.dim("i"), conv(2, o, 1, k, false))
    });
    let Outcome::Closed(closed) = forward.run(Stage::One) else { panic!() };
    assert_eq!(closed.values.count(forward.dim("i")), Some(27));
    assert!(closed.assumptions.is_empty());
    assert_eq!(closed.steps.iter().map(|s| (s.stage, s.rule)).collect::<Vec<_>>(), [(Stage::One, StageRule::Valid)]);
    for (given, unknown, expected) in [("i = 27\nk = 3", "o", 13), ("i = 27\no = 13", "k", 3)] {
        let mut given = Given::new(given).claim(|g| {
            let (o, k) = (g.dim("o"), g.dim("k"));
            Claim::Size(g.dim("i"), conv(2, o, 1, k, false))
        });
        let Outcome::Closed(closed) = given.run(Stage::One) else { panic!() };
        assert_eq!(closed.values.count(given.dim(unknown)), Some(expected));
    }
    // With two unknowns stage 1 waits, and says so.
    let mut open = Given::new("i = 27").claim(|g| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        Claim::Size(g.dim("i"), conv(2, o, 1, k, false))
    });
    let Outcome::Open(open) = open.run(Stage::One) else { panic!() };
    assert_eq!(open.waiting, [0]);
    assert!(open.assumptions.is_empty());
}

#[test]
fn refusals_name_the_size_equation() {
    let not_divisible = |g: &mut Given| Claim::Size(g.dim("i"), strided(2, g.dim("o")));
    assert_eq!(
        Given::new("i = 7").claim(not_divisible).why(),
        (StageRule::Stride, SizeWhy::NotDivisible(7, 2), "7 = 2·o".to_owned())
    );
    let negative = |g: &mut Given| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        Claim::Size(g.dim("i"), conv(1, o, 2, k, false))
    };
    assert_eq!(
        Given::new("i = 3\nk = 5").claim(negative).why(),
        (StageRule::Valid, SizeWhy::TooSmall(-5, 1), "3 = 1·(o − 1) + 1 + 2·(5 − 1)".to_owned())
    );
    let padded = |g: &mut Given| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        Claim::Size(g.dim("i"), conv(3, o, 1, k, true))
    };
    assert_eq!(Given::new("i = 7\nk = 5").claim(padded).why().0, StageRule::Pad);
    let sum = |g: &mut Given| Claim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")]));
    assert_eq!(
        Given::new("x = 5\na = 5").claim(sum).why(),
        (StageRule::Concat, SizeWhy::TooSmall(0, 1), "5 = 5 + b".to_owned())
    );
    assert_eq!(Given::new("x = 5\na = 2\nb = 2").claim(sum).why().1, SizeWhy::Differ(5, 4));
    let total = |g: &mut Given| {
        let numerator = Numerator::Count(10);
        Claim::Total(Total { rows: vec![g.row("r")], numerator, divided_by: BTreeSet::new(), keep: None })
    };
    let (rule, why, text) = Given::new("<r> ~ [] <> [4, a]").claim(total).why();
    assert_eq!((rule, why), (StageRule::Total, SizeWhy::NotDivisible(10, 4)));
    assert_eq!(text, "elements of []·⋄·[4,a] = 10");
    let exact = |g: &mut Given| {
        Claim::Exact(Exact { rows: vec![g.row("r")], dims: vec![size(2), size(3)], keep: None })
    };
    assert_eq!(Given::new("<r> ~ [] <> [a]").claim(exact).why(), {
        (StageRule::Exact, SizeWhy::Axes(1, 2), "axes of []·⋄·[a] = [2, 3]".to_owned())
    });
    // Entailed refusals are unsat, those that rest on a guess are rejections.
    assert!(matches!(Given::new("i = 7").claim(not_divisible).run(Stage::Seven), Outcome::Unsat(_)));
}

#[test]
fn each_stage_has_its_effect() {
    // A leaf row with a cap (3), a leaf dimension with a cap (4), a leaf row without (4), a leaf dimension
    // without (5), an interior row (6), an interior dimension (7).
    let text = "[] <> [2, 3] <= <p>\n5 <= a\n<q> <= <q>\nb = b\n<s> <= <s>\nc = c\n2 <= e\n";
    let known_after = |stage: Stage| {
        let mut given = Given::new(text).leaves(&["p", "a", "q", "b"]);
        match given.run(stage) {
            Outcome::Open(open) => {
                let solved = |(v, t): &&(Var, Term)| t.vars().is_empty() && !Term::from(*v).eq(t);
                open.known.iter().filter(solved).map(|(v, _)| given.names.show(v).to_string()).collect::<Vec<_>>()
            }
            Outcome::Closed(closed) => {
                let rules: BTreeSet<_> = closed.assumptions.iter().map(|a| (a.stage, a.rule)).collect();
                assert_eq!(rules.len(), closed.assumptions.iter().map(|a| a.rule).collect::<BTreeSet<_>>().len());
                vec!["all".to_owned()]
            }
            other => panic!("{other:?}"),
        }
    };
    let after: Vec<usize> = Stage::ALL.into_iter().map(|s| known_after(s).len()).collect();
    assert_eq!(after[..6], [0, 0, 1, 3, 4, 5], "how much is known after each stage");
    assert_eq!(known_after(Stage::Seven), ["all"]);
    // Which variable is known when.
    assert_eq!(known_after(Stage::Three), ["⟨p⟩"]);
    assert_eq!(known_after(Stage::Six).len(), 5);
}

#[test]
fn stage_two_looks_up_late_factors() {
    let late = |g: &mut Given| {
        let affine = Affine { stride: Factor::Late(g.dim("s")), over: g.dim("o"), conv: None, offset: 0 };
        Claim::Size(g.dim("i"), SizeTerm::Affine(affine))
    };
    let mut given = Given::new("s = 3\no = 4").claim(late);
    assert!(matches!(given.run(Stage::One), Outcome::Open(_)), "stage 1 does not look");
    assert!(matches!(given.run(Stage::Two), Outcome::Closed(_)));
    assert_eq!(given.sizes(&["i"]), [12]);
    // Without a value it is refused.
    assert_eq!(Given::new("o = 4").claim(late).why().1, SizeWhy::BadFactor);
}

#[test]
fn totals_and_exact_rows_are_resolved_in_stages() {
    let total = |n: u64| move |g: &mut Given| {
        let numerator = Numerator::Count(n);
        Claim::Total(Total { rows: vec![g.row("r")], numerator, divided_by: BTreeSet::new(), keep: None })
    };
    let value = |given: &mut Given, stage: Stage| match given.run(stage) {
        Outcome::Closed(closed) => closed.values.ground.rows[&given.names.row_var("r").unwrap()].to_string(),
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
    let mut one = Given::new("<r> ~ [] <> [a, 3]").claim(total(12));
    assert_eq!(value(&mut one, Stage::One), "[]·⋄·[4,3]");
    let mut square = Given::new("<r> ~ [] <> [a, a]").claim(total(16));
    assert_eq!(value(&mut square, Stage::One), "[]·⋄·[4,4]");
    // Two rows: the output row keeps the axes.
    let exact = |g: &mut Given| {
        let rows = vec![g.row("b"), g.row("r")];
        Claim::Exact(Exact { rows, dims: vec![size(2), size(3)], keep: Some(1) })
    };
    let mut given = Given::new("<r> <= <r>\n<b> <= <b>").claim(exact);
    assert_eq!(value(&mut given, Stage::Four), "open");
    assert_eq!(value(&mut given, Stage::Five), "[]·⋄·[2,3]");
    let both = |g: &mut Given| {
        let rows = vec![g.row("b"), g.row("r")];
        Claim::Total(Total { rows, numerator: Numerator::Count(6), divided_by: BTreeSet::new(), keep: Some(1) })
    };
    let mut given = Given::new("<r> <= <r>\n<b> <= <b>").claim(both);
    assert_eq!(value(&mut given, Stage::Five), "[]·⋄·[6]");
}

fn scaled(g: &mut Given, row: &str, coeff: u64, var: &str, by: &[&str]) -> Claim {
    let numerator = Numerator::Scaled { coeff: Factor::Known(coeff), var: g.var(var), denom: 1 };
    let divided_by = by.iter().map(|n| g.var(n)).collect();
    Claim::Total(Total { rows: vec![g.row(row)], numerator, divided_by, keep: None })
}

#[test]
fn a_numerator_is_not_guessed_before_its_divisors() {
    // elements of r = 64·v/d, r = [16], v and d leaves: v = 1 forces d = 4, d = 1 has no v.
    let mut given = Given::new("<r> ~ [] <> [16]").claim(|g| scaled(g, "r", 64, "v", &["d"])).leaves(&["v", "d"]);
    let v = given.var("v");
    // Older or not, the numerator waits: d is guessed, and then 16·1 = 64·v has no solution. The stages
    // guess, and a guess can be wrong (8.4(c)).
    assert!(matches!(given.run(Stage::Seven), Outcome::Rejected(Refusal::Size(_), _)));
    // With 4·v/d both orders end well, and the rule decides which: d = 1, v = 4.
    let mut given = Given::new("v = v\n<r> ~ [] <> [16]").claim(|g| scaled(g, "r", 4, "v", &["d"])).leaves(&["v", "d"]);
    let Outcome::Closed(closed) = given.run(Stage::Seven) else { panic!() };
    let guessed: Vec<Var> = closed.assumptions.iter().map(|a| a.var).collect();
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
    let Outcome::Rejected(Refusal::Size(failure), assumed) = make(Marks::Seeds).run(Stage::Seven) else { panic!() };
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
        let mut given = Given::new("n = n").claim(|g| Claim::Size(g.dim("n"), strided(2, g.dim("o")))).leaves(&["n"]);
        given.marks = marks;
        given
    };
    assert!(matches!(make(Marks::Seeds).run(Stage::Seven), Outcome::Rejected(Refusal::Size(_), _)));
    assert_eq!(make(Marks::Cycles).sizes(&["n", "o"]), [2, 1]);
}
