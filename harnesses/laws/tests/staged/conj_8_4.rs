//! Conj. 8.4, exhaustively up to a bound.

use super::stages::scaled;
use super::{Given, conv, size, strided};
use lozenge::closing::Tags;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::semantics::Universe;
use lozenge::solver::Policy;
use lozenge::staged::{
    Exact, Factor, Mode, Numerator, Outcome, Refusal, Searched, SizeClaim, SizeTerm, Stage, StagedSystem, Total,
    Valuation, sol, solve,
};
use lozenge::term::{DimTerm, RowTerm, Var, Vars};
use lozenge_harnesses::cases::Cases;
use std::collections::BTreeSet;

/// The catalogue of claims about three dimension variables.
pub fn claims_of(d: [DimTerm; 3]) -> Vec<SizeClaim> {
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
    /// How many of these only a search of all choices shows.
    exhausted: u64,
    /// A commitment forecloses a solution, which is shown.
    foreclosed: u64,
    /// No solution was found, and none is in the universe.
    unknown: u64,
}

/// One run against all solutions: a success is one of them, `unsat` has none, and what is rejected has none in the
/// universe unless one is shown.
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
            tally.exhausted += u64::from(matches!(refusal, Refusal::Exhausted(_)));
        }
        Outcome::Rejected(_, _, Searched::Solution(values)) => {
            assert!(values.solves(problem.phi, problem.claims), "{}: {values:?}", what());
            tally.foreclosed += 1;
        }
        Outcome::Rejected(..) => {
            let found = solutions.next();
            assert!(found.is_none(), "{}: no witness, but {found:?}", what());
            tally.unknown += 1;
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
    assert!(tally.closed > 5_000 && tally.unsat > 5_000, "{tally:?}");
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
fn conj_8_4_c_just_outside() {
    // Each has a solution. Guesses foreclosed all but the last before sizes were bounded; they foreclose the first two still.
    let valid = |g: &mut Given| {
        let (o, k) = (g.dim("o"), g.dim("k"));
        SizeClaim::Size(g.dim("i"), conv(2, o, 1, k, false))
    };
    let total = |g: &mut Given, n: u64, by: Option<&str>| {
        let divided_by = by.map(|b| g.var(b)).into_iter().collect();
        SizeClaim::Total(Total { rows: vec![g.row("r")], numerator: Numerator::Count(n), divided_by, keep: None })
    };
    let universe = Universe::of_sizes(&[1, 2, 3, 4, 5, 6, 7, 8], 1).expect("small");
    let mut outside: Vec<(&str, Given)> = vec![
        // x = 2·b and x = b + 2·(c − 1): b = 1 is odd, b = 2 and c = 2 would do. No bound shows it.
        (
            "parity of a part",
            Given::new("x = x").claim(|g| SizeClaim::Size(g.dim("x"), strided(2, g.dim("b")))).claim(|g| {
                let (b, c) = (g.dim("b"), g.dim("c"));
                SizeClaim::Size(g.dim("x"), conv(1, b, 2, c, false))
            }),
        ),
        // Two totals of one row: r has one element, so b is 2. Rows are not bounded, and b is guessed first.
        (
            "elements of a row",
            Given::new("<r> <= <r>").claim(|g| total(g, 1, None)).claim(|g| total(g, 2, Some("b"))).leaves(&["b"]),
        ),
        // 8 = 2·(o − 1) + 1 + (k − 1): k is at least 2, so it is not guessed to be 1.
        ("parity of a kernel", Given::new("i = 8").claim(valid).leaves(&["k"])),
        // a + b = 6 and a = 2·b: bounds alone say 4 and 2.
        (
            "two equations",
            Given::new("x = 6")
                .claim(|g| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])))
                .claim(|g| SizeClaim::Size(g.dim("a"), strided(2, g.dim("b")))),
        ),
        // elements of r = 6·v/d with r = [4]: d is at least 3, and then v is 2.
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
        if matches!(outcome, Outcome::Rejected(_, _, Searched::Solution(_))) {
            foreclosed.push(*name);
        } else {
            assert!(matches!(outcome, Outcome::Closed(_)), "{name}: {outcome:?}");
        }
    }
    assert_eq!(foreclosed, ["parity of a part", "elements of a row"], "the boundary as it stands");
}
