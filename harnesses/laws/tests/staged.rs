//! §8: the staged extension. Meaning first, then the stages against brute force.
#![allow(missing_docs)]

use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::semantics::{Ground, Universe};
use lozenge::solver::Policy;
use lozenge::staged::Given as Assigned;
use lozenge::staged::{
    Affine, AxisLabels, Conv, Exact, Factor, Marks, Mode, Numerator, Outcome, Refusal, SizeClaim, SizeTerm, SizeWhy,
    Stage, StageRule, StagedSystem, Total, Valuation, discardable, may_be_zero, sol, solve,
};
use lozenge::term::{Binding, DimTerm, DimVar, RowTerm, Var, Vars};
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
    claims: Vec<SizeClaim>,
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

    fn claim(mut self, make: impl FnOnce(&mut Self) -> SizeClaim) -> Self {
        let claim = make(&mut self);
        self.claims.push(claim);
        self
    }

    fn leaves(mut self, leaves: &[&'static str]) -> Self {
        self.leaves = leaves.to_vec();
        self
    }

    fn problem(&mut self) -> StagedSystem<'_> {
        let look = |names: &Names, list: &[&str]| -> BTreeSet<Var> {
            list.iter().map(|n| names.lookup(n).unwrap_or_else(|| panic!("{n}"))).collect()
        };
        let mut leaves = look(&self.names, &self.leaves);
        let params = look(&self.names, &self.params);
        leaves.extend(&params);
        let discardable = self.discard.iter().map(|n| self.names.dim_var(n).expect("a dimension")).collect();
        let tags = Tags { leaves, params };
        StagedSystem { phi: &self.phi, claims: &self.claims, tags, discardable, marks: self.marks }
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
        assert!(ground.holds(&SizeClaim::Size(size(input), term.clone())));
        assert!(!ground.holds(&SizeClaim::Size(size(input + 1), term)));
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
        let claim = SizeClaim::Size(size(6), SizeTerm::Affine(affine));
        assert!(!ground.holds(&claim));
        let problem = StagedSystem { claims: std::slice::from_ref(&claim), ..StagedSystem::default() };
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
    assert!(same.is_identity() && ground.holds(&SizeClaim::Size(rgb.into(), SizeTerm::Affine(same))));
}

#[test]
fn concatenation_is_a_sum_and_totals_are_products() {
    let ground = Valuation::default();
    assert!(ground.holds(&SizeClaim::Size(size(6), SizeTerm::Concat(vec![size(1), size(2), size(3)]))));
    assert!(!ground.holds(&SizeClaim::Size(size(5), SizeTerm::Concat(vec![size(1), size(2), size(3)]))));
    let row = |dims: &[u64]| RowTerm::new(vec![], None, dims.iter().map(|n| size(*n)).collect::<Vec<_>>());
    let mut names = Names::new();
    let (v, d1, d2) =
        (names.dim_var("v").expect("right"), names.dim_var("d1").expect("right"), names.dim_var("d2").expect("right"));
    let mut values = Ground::default();
    values.dims.extend([
        (v, Dim::size(1).expect("right")),
        (d1, Dim::size(4).expect("right")),
        (d2, Dim::size(1).expect("right")),
    ]);
    let valuation = Valuation { ground: values, zeros: BTreeSet::new() };
    // total = (64·v)/(d1·d2) with v = 1, d1 = 4, d2 = 1 is 16.
    let total = |rows: &[&[u64]], denom| {
        SizeClaim::Total(Total {
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
        SizeClaim::Exact(Exact { rows: rows.iter().map(|r| row(r)).collect(), dims, keep: None })
    };
    assert!(valuation.holds(&exact(&[&[2], &[], &[3, 4]], &[2, 3, 4])));
    assert!(!valuation.holds(&exact(&[&[2], &[3, 4]], &[2, 4, 3])));
    assert!(!valuation.holds(&exact(&[&[2]], &[2, 1])));
    assert!(valuation.holds(&SizeClaim::AtLeast(size(3), 3)) && !valuation.holds(&SizeClaim::AtLeast(size(3), 4)));
}

/// A side of a specification: slots by `;`, axes by `,`, components by `^`.
fn side(text: &str) -> Vec<Vec<AxisLabels>> {
    let axis =
        |axis: &str| -> AxisLabels { axis.split('^').map(|label| BTreeSet::from([label.trim().to_owned()])).collect() };
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
    given = given.claim(|g| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["b"];
    let b = given.var("b");
    assert!(may_be_zero(&given.phi, &given.claims, &BTreeSet::from([b])).is_empty());
    // So b is 1∅ and a is what is left.
    assert_eq!(given.sizes(&["a", "b"]), [4, 1]);
    // Where b is a component and nothing else, it is 0.
    let mut given = Given::new("x = 5");
    given = given.claim(|g| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["b"];
    assert_eq!(given.sizes(&["a", "b"]), [5, 0]);
}

// The stages.

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
    assert_eq!(closed.steps.iter().map(|s| (s.stage, s.rule)).collect::<Vec<_>>(), [(Stage::One, StageRule::Valid)]);
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
    // A leaf row with a cap (3), a leaf dimension with a cap (4), a leaf row without (4), a leaf dimension
    // without (5), an interior row (6), an interior dimension (7).
    let text = "[] <> [2, 3] <= <p>\n5 <= a\n<q> <= <q>\nb = b\n<s> <= <s>\nc = c\n2 <= e\n";
    let known_after = |stage: Stage| {
        let mut given = Given::new(text).leaves(&["p", "a", "q", "b"]);
        match given.run(stage) {
            Outcome::Open(open) => {
                let solved = open.known.iter().filter(|b| b.to().vars().is_empty());
                solved.map(|b| given.names.show(&b.var()).to_string()).collect::<Vec<_>>()
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
        SizeClaim::Size(g.dim("i"), SizeTerm::Affine(affine))
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
    let mut one = Given::new("<r> ~ [] <> [a, 3]").claim(total(12));
    assert_eq!(value(&mut one, Stage::One), "[]·⋄·[4,3]");
    let mut square = Given::new("<r> ~ [] <> [a, a]").claim(total(16));
    assert_eq!(value(&mut square, Stage::One), "[]·⋄·[4,4]");
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

fn scaled(g: &mut Given, row: &str, coeff: u64, var: &str, by: &[&str]) -> SizeClaim {
    let numerator = Numerator::Scaled { coeff: Factor::Known(coeff), var: g.var(var), denom: 1 };
    let divided_by = by.iter().map(|n| g.var(n)).collect();
    SizeClaim::Total(Total { rows: vec![g.row(row)], numerator, divided_by, keep: None })
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
        let mut given =
            Given::new("n = n").claim(|g| SizeClaim::Size(g.dim("n"), strided(2, g.dim("o")))).leaves(&["n"]);
        given.marks = marks;
        given
    };
    assert!(matches!(make(Marks::Seeds).run(Stage::Seven), Outcome::Rejected(Refusal::Size(_), _)));
    assert_eq!(make(Marks::Cycles).sizes(&["n", "o"]), [2, 1]);
}

// Conj. 8.4: bounded-exhaustive.

/// The catalogue of claims about three dimension variables.
fn claims_of(d: [DimTerm; 3]) -> Vec<SizeClaim> {
    let mut out = Vec::new();
    for [x, y, z] in [[0, 1, 2], [1, 0, 2], [2, 0, 1]].map(|p| p.map(|i: usize| d[i])) {
        out.extend([1, 2, 3].map(|s| SizeClaim::Size(x, strided(s, y))));
        for (s, k) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            out.push(SizeClaim::Size(x, conv(s, y, k, z, false)));
        }
        out.push(SizeClaim::Size(x, conv(2, y, 1, z, true)));
        out.push(SizeClaim::Size(x, SizeTerm::Concat(vec![y, z])));
        out.push(SizeClaim::Size(x, SizeTerm::Concat(vec![y, y])));
        out.push(SizeClaim::Size(x, SizeTerm::Concat(vec![x, y])));
        out.push(SizeClaim::AtLeast(x, 3));
    }
    out
}

/// The invariant of 8.4(a), per mode: the equation that generated a claim, the one the rules use and the one
/// the check uses are the same function of stride, dilation, output and kernel.
#[test]
fn conj_8_4_a_modes_agree() {
    let cases = Cases::of("conj_8_4_a_modes_agree");
    let ground = Valuation::default();
    for padded in [None, Some(true), Some(false)] {
        for (s, k, o, n) in (1..=4)
            .flat_map(|s| (1..=3).map(move |k| (s, k)))
            .flat_map(|(s, k)| (1..=6).flat_map(move |o| (1..=5).map(move |n| (s, k, o, n))))
        {
            let term = padded.map_or_else(|| strided(s, size(o)), |p| conv(s, size(o), k, size(n), p));
            let SizeTerm::Affine(affine) = &term else { unreachable!() };
            // As generated: from the surface notation, through the template.
            let text = match padded {
                None => format!("{s}*o => o"),
                Some(p) => format!("{s}*o{}+{k}*k; k => o", if p { "=" } else { "<" }),
            };
            let input = match affine.mode() {
                Mode::Strided | Mode::Padded => s * o,
                Mode::Valid => s * (o - 1) + 1 + (n - 1) * k,
            };
            // As checked.
            assert_eq!(ground.affine(affine), Some(input), "{text}");
            for wrong in [input - 1, input + 1].into_iter().filter(|n| *n > 0) {
                assert!(!ground.holds(&SizeClaim::Size(size(wrong), term.clone())), "{text}");
            }
            // As solved: forwards and backwards, from the program.
            let operand = if padded.is_some() { format!("input w: {n}\n") } else { String::new() };
            let op = if padded.is_some() { format!("x +* \"{text}\" w") } else { format!("x ++ \"{text}\"") };
            let backwards = format!("input x: {input}\n{operand}let y = {op}");
            let inferred = infer_text(&backwards).unwrap_or_else(|e| panic!("{backwards}\n{e}"));
            assert_eq!(inferred.show("y"), Some(o.to_string()), "{backwards}");
            let forwards = format!("input x\n{operand}input z: {o}\nlet y = {op}\nlet e = y +* \"o; o => o\" z");
            let inferred = infer_text(&forwards).unwrap_or_else(|e| panic!("{forwards}\n{e}"));
            assert_eq!(inferred.show("x"), Some(input.to_string()), "{forwards}");
            cases.one();
        }
    }
    cases.finish();
}

fn infer_text(text: &str) -> Result<lozenge::program::Inference, lozenge::program::InferError> {
    lozenge::program::infer(&lozenge::program::parse(text).unwrap_or_else(|e| panic!("{}", e.render(text))))
}

/// What runs against brute force end in.
#[derive(Default, Debug)]
struct Tally {
    closed: u64,
    unsat: u64,
    rejected: u64,
    /// Of these, how many have a solution in the universe.
    incomplete: u64,
}

/// One run against all solutions: a success is one of them, and `unsat` has none.
fn against(
    problem: &StagedSystem<'_>,
    names: &Names,
    universe: &Universe,
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    let mut names = names.clone();
    let outcome = solve(problem, &mut names, Policy::default(), Stage::Seven);
    let mut solutions = sol(problem.phi, problem.claims, &problem.discardable, universe);
    match outcome {
        Outcome::Closed(closed) => {
            assert!(closed.values.solves(problem.phi, problem.claims), "{}: {closed:?}", what());
            tally.closed += 1;
        }
        Outcome::Unsat(refusal) => {
            let found = solutions.next();
            assert!(found.is_none(), "{}: unsat, but {found:?}\n{refusal:?}", what());
            tally.unsat += 1;
        }
        Outcome::Rejected(..) => {
            tally.rejected += 1;
            tally.incomplete += u64::from(solutions.next().is_some());
        }
        other => panic!("{}: {other:?}", what()),
    }
}

#[test]
fn conj_8_4_a_every_success_satisfies_everything() {
    let cases = Cases::of("conj_8_4_a_every_success_satisfies_everything");
    let facts = [
        "",
        "a = 1",
        "a = 2",
        "a = 3",
        "a = 4",
        "a = 6",
        "b = 2",
        "c = unit",
        "a <= b",
        "b <= a\n4 <= a",
        "3 <= c\nc <= b",
    ];
    let universe = Universe::of_sizes(&[1, 2, 3, 4, 5, 6, 7, 8], 0).expect("small");
    let mut tally = Tally::default();
    for fact in facts {
        let mut names = Names::new();
        let d = ["a", "b", "c"].map(|n| DimTerm::Var(names.dim_var(n).expect("a dimension")));
        let phi = parse_system(fact, &mut names).expect("facts parse");
        let catalogue = claims_of(d);
        for (i, first) in catalogue.iter().enumerate() {
            for second in catalogue[i..].iter() {
                for leaves in [0, 1, 7] {
                    let claims = [first.clone(), second.clone()];
                    let in_set = |(i, t): (usize, &DimTerm)| match t {
                        DimTerm::Var(v) if leaves >> i & 1 == 1 => Some(Var::Dim(*v)),
                        _ => None,
                    };
                    let tags = Tags::leaves(d.iter().enumerate().filter_map(in_set));
                    let problem = StagedSystem { phi: &phi, claims: &claims, tags, ..StagedSystem::default() };
                    let what = || format!("{fact} | {} | {}", names.show(first), names.show(second));
                    against(&problem, &names, &universe, &mut tally, &what);
                    cases.one();
                }
            }
        }
    }
    eprintln!("8.4(a), sizes: {tally:?}");
    assert!(tally.closed > 5_000 && tally.unsat > 5_000 && tally.incomplete > 0, "{tally:?}");
    cases.finish();
}

#[test]
fn conj_8_4_a_totals_and_exact_rows() {
    let cases = Cases::of("conj_8_4_a_totals_and_exact_rows");
    let universe = Universe::of_sizes(&[2, 3, 6], 2).expect("small");
    let facts =
        ["", "<r> ~ [] <> [a]", "<r> ~ [2] <s>", "[] <> [2, 3] <= <r>", "<s> <= <r>\n[] <> [3] <= <s>", "a = 2"];
    let mut tally = Tally::default();
    for fact in facts {
        let mut names = Names::new();
        let phi = parse_system(fact, &mut names).expect("facts parse");
        let (a, b) = (names.dim_var("a").expect("a"), names.dim_var("b").expect("b"));
        let (r, s): (RowTerm, RowTerm) = (names.row_var("r").expect("r").into(), names.row_var("s").expect("s").into());
        let mut catalogue = Vec::new();
        for rows in [vec![r.clone()], vec![s.clone(), r.clone()]] {
            let keep = (rows.len() > 1).then_some(1);
            for n in [1, 2, 6] {
                let numerator = Numerator::Count(n);
                let total = Total { rows: rows.clone(), numerator, divided_by: BTreeSet::new(), keep };
                catalogue.push(SizeClaim::Total(total.clone()));
                catalogue.push(SizeClaim::Total(Total { divided_by: BTreeSet::from([b]), ..total }));
            }
            for (coeff, denom) in [(1, 1), (4, 1), (3, 2)] {
                let numerator = Numerator::Scaled { coeff: Factor::Known(coeff), var: a, denom };
                let total = Total { rows: rows.clone(), numerator, divided_by: BTreeSet::new(), keep };
                catalogue.push(SizeClaim::Total(total.clone()));
                catalogue.push(SizeClaim::Total(Total { divided_by: BTreeSet::from([b]), ..total }));
            }
            for dims in [vec![], vec![size(2)], vec![a.into(), size(3)]] {
                catalogue.push(SizeClaim::Exact(Exact { rows: rows.clone(), dims, keep }));
            }
        }
        for (i, first) in catalogue.iter().enumerate() {
            for second in catalogue[i..].iter() {
                for leaves in [false, true] {
                    let claims = [first.clone(), second.clone()];
                    let all = claims.iter().flat_map(Vars::vars).chain(phi.vars());
                    let tags = if leaves { Tags::leaves(all) } else { Tags::default() };
                    let problem = StagedSystem { phi: &phi, claims: &claims, tags, ..StagedSystem::default() };
                    let what = || format!("{fact} | {} | {}", names.show(first), names.show(second));
                    against(&problem, &names, &universe, &mut tally, &what);
                    cases.one();
                }
            }
        }
    }
    eprintln!("8.4(a), rows: {tally:?}");
    assert!(tally.closed > 1_000 && tally.unsat > 100, "{tally:?}");
    cases.finish();
}

#[test]
fn plain_systems_close_as_they_do_without_stages() {
    // Without claims the stages are closing in another order: the same values, or a difference that is listed.
    let lines = ["3 <= a", "a <= b", "5 <= b", "b <= c", "c = 3", "[] <> [a] <= <p>", "<p> <= <q>", "<q> ~ [b] <s>"];
    let (mut compared, mut other) = (0_u32, Vec::new());
    for subset in 0..1_u32 << lines.len() {
        let text: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, l)| *l).collect();
        let mut names = Names::new();
        let phi = parse_system(&text.join("\n"), &mut names).expect("lines parse");
        for leaves in [Vec::new(), phi.vars().into_iter().collect::<Vec<_>>(), phi.vars().into_iter().take(2).collect()]
        {
            let tags = Tags::leaves(leaves);
            let (mut one, mut two) = (names.clone(), names.clone());
            let plain = close(&phi, &mut one, &tags, Policy::default());
            let problem = StagedSystem { phi: &phi, tags, ..StagedSystem::default() };
            let staged = solve(&problem, &mut two, Policy::default(), Stage::Seven);
            match (plain, staged) {
                (Closing::Closed(a), Outcome::Closed(b)) => {
                    compared += 1;
                    if a.values.dims != b.values.ground.dims {
                        other.push(text.join("; "));
                    }
                }
                (Closing::Unsat(_), Outcome::Unsat(_)) => {}
                (Closing::Rejected(..), Outcome::Rejected(..)) => {}
                (Closing::Rejected(..), Outcome::Closed(_)) | (Closing::Closed(_), Outcome::Rejected(..)) => {
                    other.push(text.join("; "));
                }
                (plain, staged) => panic!("{}: {plain:?}\n{staged:?}", text.join("; ")),
            }
        }
    }
    assert!(compared > 200, "{compared}");
    assert!(other.len() <= 8, "{}: {other:?}", other.len());
}

#[test]
fn conj_8_3_two_unit_closing() {
    let cases = Cases::of("conj_8_3_two_unit_closing");
    // Concatenations of two and three parts on either side, plain axes, and every way to know some sizes.
    let slots = ["a", "b", "a^b", "b^c", "a^b^c", "a, b", "a^b, c", "b^c, a"];
    let mut zeros = 0_u64;
    for operand in slots {
        for result in slots {
            if !format!("{operand}{result}").contains('^') {
                continue;
            }
            let labels = discardable(&side(operand), &side(result));
            for known in 0..3_u64.pow(3) {
                let mut given = Given::new("a = a\nb = b\nc = c");
                given.phi.clear();
                let size_of = |i: u32| known / 3_u64.pow(i) % 3;
                for (i, label) in ["a", "b", "c"].into_iter().enumerate() {
                    let n = size_of(u32::try_from(i).expect("small"));
                    if n > 0 {
                        let d = given.dim(label);
                        given.phi.push(Constraint::DimEq(d, size(n)));
                    }
                }
                let (mut axes, mut rows) = (BTreeMap::new(), Vec::new());
                for axis in operand.split(',').chain(result.split(',')).map(str::trim) {
                    let parts: Vec<DimTerm> = axis.split('^').map(|l| given.dim(l)).collect();
                    match parts.as_slice() {
                        [one] => rows.push(*one),
                        _ => {
                            let d = *axes.entry(axis).or_insert_with(|| given.names.fresh_dim());
                            given.claims.push(SizeClaim::Size(d.into(), SizeTerm::Concat(parts)));
                            rows.push(d.into());
                        }
                    }
                }
                // Plain axes are axes of tensors: they stand in a row.
                let tensor = given.row("t");
                given.phi.push(Constraint::RowEq(tensor, RowTerm::new(vec![], None, rows)));
                let vars: BTreeSet<DimVar> = labels.iter().map(|l| given.var(l)).collect();
                let problem = StagedSystem {
                    phi: &given.phi,
                    claims: &given.claims,
                    discardable: vars.clone(),
                    ..StagedSystem::default()
                };
                let mut names = given.names.clone();
                let outcome = solve(&problem, &mut names, Policy::default(), Stage::Seven);
                let Outcome::Closed(closed) = outcome else { panic!("{operand} => {result}, {known}: {outcome:?}") };
                assert!(closed.values.solves(&given.phi, &given.claims));
                // Only what the test calls discardable is 0, and it is where nothing says otherwise.
                assert!(closed.values.zeros.is_subset(&vars));
                let free = may_be_zero(&given.phi, &given.claims, &vars);
                // All that may be, but for the last part of a concatenation that would be left without elements.
                let mut parts = given.claims.iter().filter_map(|c| match c {
                    SizeClaim::Size(_, SizeTerm::Concat(parts)) => Some(parts.clone()),
                    _ => None,
                });
                for v in free.difference(&closed.values.zeros) {
                    let last = |parts: Vec<DimTerm>| {
                        let gone =
                            |t: &DimTerm| matches!(t, DimTerm::Var(u) if u == v || closed.values.zeros.contains(u));
                        parts.contains(&DimTerm::Var(*v)) && parts.iter().all(gone)
                    };
                    assert!(parts.any(last), "{operand} => {result}, {known}");
                }
                zeros += closed.values.zeros.len() as u64;
                // Greatest within the order: every variable that stayed unknown and is on it is 1∅, or worked out.
                for assumed in &closed.assumptions {
                    match &assumed.given {
                        Assigned::Zero(_) => assert!(matches!(assumed.rule, StageRule::ZeroUp | StageRule::GuessZero)),
                        Assigned::Is(Binding::Dim(_, t)) => assert_eq!(*t, DimTerm::Dim(Dim::Unit)),
                        Assigned::Is(Binding::Row(..)) => {}
                    }
                }
                cases.one();
            }
        }
    }
    assert!(zeros > 100, "{zeros}");
    cases.finish();
}

#[test]
fn finding_parts_that_are_each_projected_away_and_not_together() {
    // For a and b the axis c of the result meets the complement, for c the axis a^b does: all three are
    // discardable. All three at 0, and already a and b, leave an axis of the result without elements.
    assert_eq!(discarded("a^b^c => a^b, c"), ["a", "b", "c"]);
    let mut given = Given::new("c = 2\n<t> ~ [] <> [d, e, c]")
        .claim(|g| SizeClaim::Size(g.dim("d"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b"), g.dim("c")])))
        .claim(|g| SizeClaim::Size(g.dim("e"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["a", "b", "c"];
    let (a, b) = (given.var("a"), given.var("b"));
    let eligible = may_be_zero(&given.phi, &given.claims, &BTreeSet::from([a, b]));
    assert_eq!(eligible, BTreeSet::from([a, b]));
    let universe = Universe::of_sizes(&[1, 2, 3, 4], 3).expect("small");
    let both = sol(&given.phi, &given.claims, &eligible, &universe).find(|s| s.zeros.len() == 2);
    assert!(both.is_none(), "{both:?}");
    assert_eq!(given.sizes(&["a", "b", "c", "d", "e"]), [0, 1, 2, 3, 1]);
}

#[test]
fn conj_8_3_axes_of_rows_never_change_the_test() {
    // What a row variable stands for adds axes without labels: the test asks for an axis that meets the
    // complement in all components, and such an axis never does.
    let specs = ["a^b => a", "a^b => a^b", "a; b => a^c", "a^b^c => b", "a => a^b", "b^c => a"];
    for spec in specs {
        let (operands, result) = spec.split_once("=>").expect("an arrow");
        let plain = discardable(&side(operands), &side(result));
        for extra in 1..3 {
            let grow = |mut side: Vec<Vec<AxisLabels>>| {
                side.iter_mut().for_each(|slot| slot.extend(vec![vec![BTreeSet::new()]; extra]));
                side
            };
            assert_eq!(discardable(&grow(side(operands)), &grow(side(result))), plain, "{spec}");
        }
    }
}

#[test]
fn conj_8_4_c_just_outside() {
    // Each has a solution, and a guess forecloses it.
    let valid = |g: &mut Given| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        SizeClaim::Size(g.dim("i"), conv(2, o, 1, k, false))
    };
    let universe = Universe::of_sizes(&[1, 2, 3, 4, 5, 6, 7, 8], 1).expect("small");
    let mut outside: Vec<(&str, Given)> = vec![
        // 8 = 2·(o − 1) + 1 + (k − 1): k = 1 is odd, k = 2 and o = 4 would do.
        ("parity of a kernel", Given::new("i = 8").claim(valid).leaves(&["k"])),
        // a + b = 6 and a = 2·b: 4 and 2. A guess of b = 1 makes a = 2.
        (
            "two equations",
            Given::new("x = 6")
                .claim(|g| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])))
                .claim(|g| SizeClaim::Size(g.dim("a"), strided(2, g.dim("b")))),
        ),
        // elements of r = 6·v/d with r = [4]: d = 3, v = 2. A divisor of 1 needs v = 2/3.
        ("a divisor", Given::new("<r> ~ [] <> [4]").claim(|g| scaled(g, "r", 6, "v", &["d"])).leaves(&["v", "d"])),
        // One axis is too few: r ⊑ [2]·⋄·[] and six elements need [2]·⋄·[3].
        (
            "more than one axis",
            Given::new("<r> <= [2] <> []\n<r> <= <r>").claim(|g| {
                let numerator = Numerator::Scaled { coeff: Factor::Known(1), var: g.var("v"), denom: 4 };
                SizeClaim::Total(Total { rows: vec![g.row("r")], numerator, divided_by: BTreeSet::new(), keep: None })
            }),
        ),
    ];
    let mut foreclosed = Vec::new();
    for (name, given) in &mut outside {
        let outcome = given.run(Stage::Seven);
        let solution = sol(&given.phi, &given.claims, &BTreeSet::new(), &universe).next();
        assert!(solution.is_some(), "{name} has a solution");
        if matches!(outcome, Outcome::Rejected(..)) {
            foreclosed.push(*name);
        } else {
            assert!(matches!(outcome, Outcome::Closed(_)), "{name}: {outcome:?}");
        }
    }
    assert_eq!(foreclosed, ["parity of a kernel", "two equations", "a divisor"], "the boundary as it stands");
}
