//! Findings F29 and F45 to F51: a placement that changes values, and statements about deferred equations, the guard,
//! shifted inequalities and the order of closing.

use super::paper::{is_solved_by, parsed};
use lozenge::calculus::closing::close_in_order;
use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::decide::{Decision, decide};
use lozenge::guard::{Difference, Fact, paper, positive_cycle};
use lozenge::interp::{Inputs, Options, Value, dims, run};
use lozenge::names::Names;
use lozenge::notation::parse_row;
use lozenge::policy::{GuardPolicy, Limits, Policy, Strategy};
use lozenge::program::{infer, parse};
use lozenge::projection::project_all;
use lozenge::rules::{Bind, Rule};
use lozenge::semantics::{Ground, holds};
use lozenge::solver::{Verdict, solve, solve_traced};
use lozenge::term::{Binding, Var};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::systems::STRATEGIES;
use std::collections::BTreeMap;

/// The shapes of p, q, a, b and c in a program, and the values of `c` where p is 1, 2, 3, 4 and q is 0 everywhere.
fn computed(text: &str) -> ([Vec<u64>; 5], Vec<f64>) {
    let inferred = infer(&parse(text).expect("a program")).expect("shapes");
    let nests = project_all(&inferred).expect("loop nests");
    let id = |name: &str| inferred.generated.tensor(name).expect("a tensor");
    let value = |name: &str, data: Vec<f64>| (id(name), Value { dims: dims(&inferred, id(name)), data });
    let values = BTreeMap::from([value("p", vec![1.0, 2.0, 3.0, 4.0]), value("q", vec![0.0; 8])]);
    let inputs = Inputs { values, fill: None, externals: BTreeMap::new() };
    let outcome = run(&inferred, &nests, inputs, &Options::default()).expect("values");
    let shapes = ["p", "q", "a", "b", "c"].map(|name| dims(&inferred, id(name)));
    (shapes, outcome.values[id("c")].as_ref().expect("a value").data.clone())
}

/// 2.15(v), §10 (iii): two statements in the other order give the same shapes and other values.
#[test]
fn finding_f29_a_placement_changes_values_and_no_shape() {
    let program = |uses: [&str; 2]| format!("input p\ninput q: 2, ..., 2, 2\n{}let c = p + q\n", uses.concat());
    let (a, b) = ("let a = p ++ \"i...j => i\"\n", "let b = p ++ \"ij => i\"\n");
    let (shapes, values) = computed(&program([a, b]));
    let (same, others) = computed(&program([b, a]));
    assert_eq!(shapes, same);
    assert_eq!(values, [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
    assert_eq!(others, [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    // The ground reason: one row below two that are equal, with its axes facing different ones.
    let row = |text: &str| parse_row(text, &mut Names::new()).expect("a row");
    let (result, split, behind) = (row("[2] <> [2,2]"), row("[2] <> [2]"), row("[] <> [2,2]"));
    assert!(result.le(&split) && result.le(&behind) && split.flat_eq(&behind) && split != behind);
}

/// 5.5: satisfiable sets without an inequality that are rejected, for their deferred equations.
#[test]
fn finding_f45_a_deferred_equation_can_be_rejected() {
    let one = "[2] <x> ~ <y> [3]";
    let (mut names, phi) = parsed(one);
    let rejected = close_in_order(&phi, &mut names, &Tags::default(), Policy::paper(), |_| ());
    assert!(matches!(rejected, Closing::Rejected(f, _) if f.rule == Rule::DeClash));
    assert!(is_solved_by(one, "x := [3] <> []\ny := [2] <> []"));
    // Where each equation takes its least solution as well (F6), and two equations.
    let two = "[2] <x> ~ <y> [2]\n[3] <x> ~ <z> [2]";
    let (mut names, phi) = parsed(two);
    assert!(matches!(solve(&phi, &mut names, Policy::default()), Verdict::Solved(_)), "the run itself ends");
    let (mut names, phi) = parsed(two);
    let closing = close(&phi, &mut names, &Tags::default(), Policy::default());
    assert!(matches!(closing, Closing::Rejected(f, _) if f.rule == Rule::DeClash));
    assert!(is_solved_by(two, "x := [2] <> []\ny := [2] <> []\nz := [3] <> []"));
}

/// Steps of a run without a guard, until its facts close a positive cycle by Def. 4.5, with bindings recorded in one
/// direction or in both: at which step, and does the run end by itself before?
fn noticed(phi: &[Constraint], names: &Names, strategy: Strategy, both: bool) -> (Option<usize>, bool) {
    let limits = Limits { fuel: 120, rank: 60, ..Limits::default() };
    let policy = Policy { strategy, guard: GuardPolicy::None, limits, ..Policy::paper() };
    let run = solve_traced(phi, &mut names.clone(), policy);
    let mut facts: Vec<Fact> = Vec::new();
    let fact = |Difference { greater, lesser, weights: [weight] }: Difference<1>, step| Fact {
        greater,
        lesser,
        weight,
        step,
        tainted: false,
    };
    for (at, step) in run.trace.steps.iter().enumerate() {
        let before = facts.len();
        if let Constraint::RowLe(res, op) = &step.instance {
            facts.extend(paper::of_inequality(res, op).map(|said| fact(said, at)));
        }
        if let Some(Bind { binding: Binding::Row(var, to), .. }) = &step.bind
            && let Some(said) = paper::of_binding(*var, to)
        {
            facts.push(fact(said, at));
            if both {
                let Difference { greater, lesser, weights: [weight] } = said;
                facts.push(fact(Difference { greater: lesser, lesser: greater, weights: [-weight] }, at));
            }
        }
        if facts.len() > before && positive_cycle(&facts).is_some() {
            return (Some(at), false);
        }
    }
    (None, !matches!(run.verdict, Verdict::Limit(_)))
}

/// 4.5, first kind of fact: one direction of a binding's equality is not enough.
#[test]
fn finding_f46_a_binding_is_an_equality_in_both_directions() {
    let cases = Cases::of("finding_f46_a_binding_is_an_equality_in_both_directions");
    for text in ["[2] <q> <= <p>\n[2] <p> <= <q> [3]", "[2] <p> <= <q> [3]\n[2] <q> <= <p> [3,3]"] {
        let (names, phi) = parsed(text);
        for strategy in STRATEGIES {
            assert_eq!(noticed(&phi, &names, strategy, false), (None, false), "{text}: on and on");
            assert!(noticed(&phi, &names, strategy, true).0.is_some(), "{text}: noticed");
        }
    }
    // Every two inequalities between terms with at most one axis on each side of p or q.
    let terms: Vec<String> = ["<p>", "<q>"]
        .iter()
        .flat_map(|v| [("", ""), ("[3]", ""), ("", "[3]"), ("[3]", "[3]")].map(|(l, r)| format!("{l} {v} {r}")))
        .collect();
    let lines: Vec<String> =
        terms.iter().flat_map(|res| terms.iter().map(move |op| format!("{res} <= {op}\n"))).collect();
    let mut endless = [0, 0];
    for (i, first) in lines.iter().enumerate() {
        for second in &lines[i..] {
            let (names, phi) = parsed(&format!("{first}{second}"));
            for (count, both) in endless.iter_mut().zip([false, true]) {
                *count += u64::from(noticed(&phi, &names, Strategy::Fifo, both) == (None, false));
            }
            cases.one();
        }
    }
    println!("without end where bindings are recorded in one direction, in both: {endless:?}");
    assert!(endless[0] > 0 && endless[1] == 0, "{endless:?}");
    cases.finish();
}

/// The words over 2 and 3 up to this length that solve an equation for r.
fn words(text: &str, longest: usize) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut last, mut found) = (words.clone(), Vec::new());
    for _ in 0..longest {
        last = last.iter().flat_map(|word| [format!("{word}2"), format!("{word}3")]).collect();
        words.extend(last.iter().cloned());
    }
    for word in words {
        let axes: Vec<String> = word.chars().map(|axis| axis.to_string()).collect();
        if is_solved_by(text, &format!("r := [{}] <> []", axes.join(","))) {
            found.push(word);
        }
    }
    found
}

/// 5.5, 6.7(ii): a pair of word equations has unboundedly many branches, and no rank fact cuts them off.
#[test]
fn finding_f47_word_equations_have_no_finite_branching() {
    let (one, other) = ("[2] <r> ~ <r> [2]", "[3,2] <r> ~ <r> [2,3]");
    let (powers, alternating) = (words(one, 9), words(other, 9));
    assert_eq!(powers, (0..=9).map(|k| "2".repeat(k)).collect::<Vec<_>>());
    assert_eq!(alternating, (0..=4).map(|k| format!("3{}", "23".repeat(k))).collect::<Vec<_>>());
    assert!(powers.iter().all(|word| !alternating.contains(word)));
    let (mut names, phi) = parsed(&format!("{one}\n{other}"));
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("both are deferred") };
    assert_eq!(solved.residual().deferred.len(), 2);
    let (mut names, phi) = parsed(&format!("{one}\n{other}"));
    let decided = decide(&phi, &mut names, Policy::default(), 6).decision;
    assert!(matches!(decided, Decision::Unknown { .. }), "{decided:?}");
}

/// Flanks with up to two axes over 1∅, 3 and 5.
fn flanks() -> Vec<Vec<&'static str>> {
    let axes = ["1∅", "3", "5"];
    let mut all = vec![vec![]];
    all.extend(axes.map(|a| vec![a]));
    all.extend(axes.iter().flat_map(|a| axes.map(|b| vec![*a, b])));
    all
}

/// §10: inequalities between two rows of one variable.
#[test]
fn finding_f48_shifted_inequalities_of_one_variable_are_never_satisfiable() {
    let cases = Cases::of("finding_f48_shifted_inequalities_of_one_variable_are_never_satisfiable");
    assert!(!is_solved_by("[3] <r> <= <r> [1∅]", "r := [] <> []"), "the example of the text");
    let all = flanks();
    for (l, r) in all.iter().flat_map(|l| all.iter().map(move |r| (l, r))) {
        for (m, s) in all.iter().flat_map(|m| all.iter().map(move |s| (m, s))) {
            let text = format!("[{}] <r> [{}] <= [{}] <r> [{}]", l.join(","), r.join(","), m.join(","), s.join(","));
            let (mut names, phi) = parsed(&text);
            let var = names.row_var("r").expect("r");
            let mut empty = Ground::default();
            empty.rows.insert(var, lozenge::row::Row::EMPTY);
            let fits = phi.iter().all(|c| holds(&empty, c));
            let shifted = m.len() > l.len() || s.len() > r.len();
            let solved = match solve(&phi, &mut names, Policy::default()) {
                Verdict::Solved(_) => true,
                Verdict::Unsat(_) => false,
                other => panic!("{text}: {other:?}"),
            };
            assert!(solved == fits && !(shifted && fits), "{text}");
            cases.one();
        }
    }
    cases.finish();
}

/// 6.5(ii): at a hole whose variable has bounds there may be a least value, and there may be no atom.
#[test]
fn finding_f13_holes_with_bounds_of_their_own() {
    let unsat = |text: &str| {
        let (mut names, phi) = parsed(text);
        matches!(solve(&phi, &mut names, Policy::default()), Verdict::Unsat(_))
    };
    let to_the_letter = |text: &str| {
        let (mut names, phi) = parsed(text);
        let p = names.row_var("p").expect("p");
        let tags = Tags { leaves: [Var::Row(p)].into(), params: [].into() };
        match close_in_order(&phi, &mut names, &tags, Policy::paper(), |_| ()) {
            Closing::Closed(closed) => names.show(&closed.values.rows[&p]).ascii().to_string(),
            other => panic!("{text}: {other:?}"),
        }
    };
    let capped = "3 <= a\n[a] <> [] <= <p>\n";
    let torn = "3 <= c\n5 <= d\nc <= a\nd <= a\n[a] <> [] <= <p>\n";
    assert_eq!((to_the_letter(capped), to_the_letter(torn)), ("[unit] <> []".to_owned(), "[unit] <> []".to_owned()));
    assert!(is_solved_by(capped, "a := 3\np := [3] <> []"), "strictly below what is committed");
    for n in [2, 3, 5, 7] {
        assert_eq!(unsat(&format!("{capped}<p> <= [{n}] <> []")), n != 3, "3 is the only atom: [3] is least");
        assert!(unsat(&format!("{torn}<p> <= [{n}] <> []")), "no atom at all");
    }
}

/// {p ⊑ q, q ⊑ p} read as p ≈ q accepts values that violate both.
#[test]
fn finding_f50_a_cycle_of_rows_is_an_identity() {
    let cycle = "<p> <= <q>\n<q> <= <p>\n<p> ~ [3] <> []\n<q> ~ [] <> [3]";
    let values = "p := [3] <> []\nq := [] <> [3]";
    let collapsed = "<p> ~ [3] <> []\n<q> ~ [] <> [3]\n<p> ~ <q>";
    let (mut names, phi) = parsed(collapsed);
    assert!(matches!(solve(&phi, &mut names, Policy::default()), Verdict::Solved(_)));
    assert!(is_solved_by(collapsed, values) && !is_solved_by(cycle, values));
    // As they stand the inequalities are kept: what is accepted satisfies them.
    for strategy in STRATEGIES {
        let (mut names, phi) = parsed(cycle);
        if let Verdict::Solved(solved) = solve(&phi, &mut names, Policy { strategy, ..Policy::default() }) {
            let values = solved.greatest().expect("no equation is deferred");
            assert!(phi.iter().all(|c| holds(&values, c)));
        }
    }
}

fn shape_of(text: &str, name: &str) -> Vec<u64> {
    let inferred = infer(&parse(text).expect("a program")).expect("shapes");
    dims(&inferred, inferred.generated.tensor(name).expect("a tensor"))
}

/// 8.3: closing with two units has no greatest answer.
#[test]
fn finding_f51_two_unit_closing_is_not_greatest() {
    let dropped = "input x: 5\nlet y = x ++ \"a^b => a\" [\"a\"; \"b\"]\n";
    assert_eq!((shape_of(dropped, "y"), shape_of(&format!("{dropped}b = 1\n"), "y")), (vec![5], vec![4]));
    // Nothing can be discarded here, the tops do not add up, and two solutions have nothing above both.
    let swapped = "input x: 5\nlet y = x ++ \"a^b => b^a\" [\"a\"; \"b\"]\n";
    for a in [1, 4] {
        assert_eq!(shape_of(&format!("{swapped}a = {a}\n"), "y"), [5]);
    }
    let size = |text: &str| lozenge::notation::parse_dim(text, &mut Names::new()).expect("a size");
    assert!(!size("4").le(size("5")) && !size("1").le(size("4")) && !size("4").le(size("1")));
}

/// 2.15, upgrade path: a tensor that is defined and sliced has two declarations, and they race.
#[test]
fn finding_f49_a_definition_and_a_slice_race() {
    let (head, last) = ("input c: 3 | 2\ninput x\n", "let z = c + y\n");
    let pinned = "let e = c +* \"...|...; ...|... => ...|...\" x\n";
    let defined = "let y = x ++ \"...|... => ...|...\"\nlet s = y @| t\n";
    assert_eq!(shape_of(&format!("{head}{pinned}{defined}{last}"), "z"), [3, 2]);
    assert_eq!(shape_of(&format!("{head}{defined}{pinned}{last}"), "z"), [3, 3, 2]);
}
