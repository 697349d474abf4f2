//! Every example of the paper's §§2–5 and every witness of the findings, by name.
#![allow(missing_docs)]

use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_system};
use lozenge::row::Row;
use lozenge::semantics::{Ground, Universe, holds, models, sol};
use lozenge::solver::{GuardPolicy, Limit, Limits, Policy, Rule, Solved, Strategy, Verdict, solve};
use lozenge::subst::Map;
use lozenge::term::Vars;
use lozenge_harnesses::domains::rows;

const STRATEGIES: [Strategy; 4] = [Strategy::Fifo, Strategy::Lifo, Strategy::Random(7), Strategy::Rounds];

fn run(text: &str, policy: Policy) -> (Names, Verdict) {
    let mut names = Names::new();
    let phi = parse_system(text, &mut names).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let verdict = solve(&phi, &mut names, policy);
    if let Verdict::Solved(solved) = &verdict
        && let Some(gamma) = solved.greatest()
    {
        for constraint in &phi {
            assert!(holds(&gamma, constraint), "γ↑ violates {}", names.show(constraint));
        }
    }
    (names, verdict)
}

fn with(strategy: Strategy) -> Policy {
    Policy { strategy, ..Policy::default() }
}

fn solved(text: &str) -> (Names, Box<Solved>) {
    match run(text, Policy::default()) {
        (names, Verdict::Solved(solved)) => (names, solved),
        (_, other) => panic!("{text}: {other:?}"),
    }
}

/// γ↑ in the notation.
fn greatest(text: &str) -> String {
    let (names, solved) = solved(text);
    names.show(&solved.greatest().expect("γ↑ is a solution")).to_string()
}

fn unsat(text: &str) -> Rule {
    match run(text, Policy::default()) {
        (_, Verdict::Unsat(failure)) => failure.rule,
        (_, other) => panic!("{text}: {other:?}"),
    }
}

fn rejected(text: &str) -> Rule {
    match run(text, Policy::default()) {
        (_, Verdict::Rejected(failure)) => failure.rule,
        (_, other) => panic!("{text}: {other:?}"),
    }
}

/// Every order of the lines of a text.
fn orders(text: &str) -> Vec<String> {
    fn go(lines: &[&str]) -> Vec<Vec<String>> {
        if lines.is_empty() {
            return vec![vec![]];
        }
        (0..lines.len())
            .flat_map(|i| {
                let rest: Vec<&str> = [&lines[..i], &lines[i + 1..]].concat();
                go(&rest).into_iter().map(move |tail| [vec![lines[i].to_owned()], tail].concat())
            })
            .collect()
    }
    go(&text.lines().collect::<Vec<_>>()).into_iter().map(|lines| lines.join("\n")).collect()
}

/// Within so many steps and axes, to see a run that does not end.
fn briefly(guard: GuardPolicy) -> Policy {
    Policy { guard, limits: Limits { fuel: 20_000, rank: 200, ..Limits::default() }, ..Policy::default() }
}

#[test]
fn remark_2_11_is_a_policy_rejection() {
    assert_eq!(rejected("<r> ~ [] <> [3,5]\n[3] <> [9,5] <= <r>"), Rule::DiGround);
}

#[test]
fn einsum_template_against_a_literal() {
    assert_eq!(greatest("[3] <r> [4] ~ [] <> [3,5,4]"), "⟨r⟩ ↦ []·⋄·[5]");
    assert_eq!(greatest("<r> [3] ~ [2,3] <> []"), "⟨r⟩ ↦ []·⋄·[2]");
    assert_eq!(greatest("<r> ~ [2] <> [3]"), "⟨r⟩ ↦ [2]·⋄·[3]");
}

#[test]
fn example_3_5_has_no_principal_model() {
    let (names, solved) = solved("3:b <= a");
    assert!(!solved.is_principal() && solved.forced().is_empty());
    assert_eq!(names.show(&solved.greatest().expect("γ↑")).to_string(), "a ↦ 1∅");
}

#[test]
fn example_4_5a_is_unsatisfiable_and_diverges_without_a_guard() {
    let text = "<p> <= [2] <q>\n<q> <= [3] <p>";
    assert_eq!(unsat(text), Rule::RgLead);
    assert!(matches!(run(text, briefly(GuardPolicy::None)).1, Verdict::Limit(Limit::Rank | Limit::Fuel)));
    assert!(matches!(run(text, Policy::paper()).1, Verdict::Rejected(f) if f.rule == Rule::RgRank));
    assert_eq!(unsat("<p> <= [2] <p>"), Rule::RgLead);
}

#[test]
fn remark_4_5b_the_cycle_of_three() {
    let text = "<p> <= <q> [2]\n<q> <= <r> [3]\n<r> <= <p> [5]";
    for strategy in STRATEGIES {
        assert!(matches!(run(text, with(strategy)).1, Verdict::Unsat(f) if f.rule == Rule::RgTrail));
        let paper = Policy { guard: GuardPolicy::Paper, strategy, ..Policy::default() };
        assert!(matches!(run(text, paper).1, Verdict::Rejected(f) if f.rule == Rule::RgRank));
    }
}

#[test]
fn rotational_and_cross_surplus_equations_wait() {
    // 4.3(d): [3]·⟨ρ⟩ ≈ ⟨ρ⟩·[5] has no solution, and no rule decides it.
    let (_, rotated) = solved("[3] <r> ~ <r> [5]");
    assert!(rotated.greatest().is_none() && rotated.residual().deferred.len() == 1);
    // Conjugate words: any power of [3] will do, the empty row among them.
    assert_eq!(greatest("[3] <r> ~ <r> [3]"), "⟨r⟩ ↦ []·⋄·[]");
    // Once the variable is known the check is exact, in both orders.
    for text in orders("[3] <r> ~ <r> [5]\n<r> ~ [] <> [3]") {
        assert_eq!(unsat(&text), Rule::DeClash);
    }
    for text in orders("[3] <x> ~ <y> [5]\n<y> ~ [] <> [3,7]") {
        assert_eq!(greatest(&text).matches("⟨x⟩ ↦ []·⋄·[7,5]").count(), 1, "{text}");
    }
    assert_eq!(unsat("[3] <r> ~ [3] <r> [4]"), Rule::ReSameOccurs);
}

#[test]
fn finding_f1_the_paper_guard_lets_a_run_go_on() {
    let text = "[2] <q> <= <p>\n[2] <p> <= <q> [3]";
    assert!(matches!(run(text, briefly(GuardPolicy::Paper)).1, Verdict::Limit(_)));
    for strategy in STRATEGIES {
        assert!(matches!(run(text, with(strategy)).1, Verdict::Unsat(f) if f.rule == Rule::RgTrail));
    }
}

#[test]
fn finding_f2_the_paper_guard_rejects_a_satisfiable_set() {
    let text = "<a> <= <b>\n<b> [3] <= [2] <c>\n[2] <c> <= <a> [3]";
    assert!(matches!(run(text, Policy::paper()).1, Verdict::Rejected(f) if f.rule == Rule::RgRank));
    let lifo = Policy { strategy: Strategy::Lifo, ..Policy::paper() };
    assert!(matches!(run(text, lifo).1, Verdict::Solved(_)));
    for text in orders(text) {
        for strategy in STRATEGIES {
            assert!(matches!(run(&text, with(strategy)).1, Verdict::Solved(_)), "{text}");
        }
    }
}

#[test]
fn finding_f3_a_rank_model_is_not_enough() {
    let text = "<p> [3] <= [2] <p>";
    assert!(matches!(run(text, briefly(GuardPolicy::None)).1, Verdict::Limit(_)));
    assert_eq!(unsat(text), Rule::RgLead);
    // A satisfiable set that no check at all lets run for ever: the placement is what cannot be kept.
    let satisfiable = "<p> ~ <q>\n<p> [2] <= [2] <q>";
    assert!(matches!(run(satisfiable, briefly(GuardPolicy::None)).1, Verdict::Limit(_)));
    assert_eq!(rejected(satisfiable), Rule::RgLead);
    let mut names = Names::new();
    let phi = parse_system(satisfiable, &mut names).expect("constraints");
    let gamma = parse_ground("p := [2] <> []\nq := [] <> [2]", &mut names).expect("values");
    assert!(phi.iter().all(|c| holds(&gamma, c)));
}

#[test]
fn finding_f5_variable_to_variable_is_a_choice() {
    assert!(matches!(
        rejected("<p> ~ <q>\n<p> <= [3] <> []\n[] <> [3] <= <q>"),
        Rule::RgLead | Rule::RgTrail | Rule::RiShortClosed
    ));
}

#[test]
fn finding_f10_a_placement_changes_content() {
    assert_eq!(greatest("<p> ~ [] <> [3,5]\n<q> <= <p>"), "⟨p⟩ ↦ []·⋄·[3,5], ⟨q⟩ ↦ []·⋄·[3,5]");
    let first = "<p> ~ [3] <> [5]\n<p> ~ [] <> [3,5]\n<q> <= <p>\n<q> <= [3,7] <> []";
    let second = "<p> ~ [] <> [3,5]\n<p> ~ [3] <> [5]\n<q> <= <p>\n<q> <= [3,7] <> []";
    assert!(greatest(first).ends_with("⟨q⟩ ↦ [3,7]·⋄·[5]"));
    assert!(greatest(second).ends_with("⟨q⟩ ↦ [3,7]·⋄·[3,5]"));
}

#[test]
fn finding_f11_adjacencies_are_not_harmless() {
    let mut names = Names::new();
    let phi = parse_system("a <= b", &mut names).expect("a constraint");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    let residual = solved.residual();
    assert!(residual.dim_caps.is_empty() && residual.row_caps.is_empty() && residual.below.len() == 1);
    assert!(!models(&solved.sigma(), &phi), "Cor. 5.8 as stated calls this a principal model");
    assert!(!solved.is_principal());
}

#[test]
fn finding_f22_a_cap_and_a_principal_model() {
    let mut names = Names::new();
    let phi = parse_system("[] <> [] <= <p>", &mut names).expect("a constraint");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    assert_eq!(solved.residual().row_caps.len(), 1);
    let p = names.row_var("p").expect("p");
    let only = Map::identity().with_row(p, (&Row::EMPTY).into());
    assert!(models(&only, &phi) && !models(&Map::identity(), &phi));
    // No other value solves it, so no other map is a model, and the only one is the least.
    for row in rows(2, 2) {
        let mut gamma = Ground::default();
        gamma.rows.insert(p, row.clone());
        assert_eq!(holds(&gamma, &phi[0]), row == Row::EMPTY);
    }
}

/// F22, the other half: an empty store, and no least model, where a marker was placed.
#[test]
fn finding_f22_an_empty_store_without_a_principal_model() {
    let mut names = Names::new();
    let phi = parse_system("<p> ~ [] <> [3,5]", &mut names).expect("a constraint");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    assert_eq!(solved.residual(), lozenge::solver::Residual::default());
    let p = names.row_var("p").expect("p");
    let content = [3, 5].map(|n| Dim::size(n).expect("a size"));
    let placed = |at| Map::identity().with_row(p, (&Row::split_at(&content, at)).into());
    for (at, other) in [(0, 1), (1, 2), (0, 2), (1, 0), (2, 1), (2, 0)] {
        let (one, two) = (placed(at), placed(other));
        assert!(models(&one, &phi) && models(&two, &phi));
        assert!(one.le_on(&two, phi.vars()).is_none(), "{at} {other}");
    }
}

#[test]
fn finding_f12_bindings_are_identities() {
    let mut names = Names::new();
    let phi = parse_system("<p> <= [3] <> []", &mut names).expect("a constraint");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    let sigma = solved.sigma();
    let p = names.row_var("p").expect("p");
    assert_eq!(names.show(&sigma.row(p)).to_string(), "[3]·⟨?2⟩");
    let gamma = parse_ground("p := [] <> [3]", &mut names).expect("a value");
    // Up to ≈ that value satisfies p ≈ [3]·⟨?2⟩ with ?2 empty, and still violates the input.
    let read_as_flat = lozenge::constraint::Constraint::RowEq(p.into(), sigma.row(p));
    assert!(holds(&gamma, &read_as_flat) && !holds(&gamma, &phi[0]));
    // So γ↑ is not the greatest solution of what is left, either (5.4(ii)).
    let greatest = solved.greatest().expect("nothing is deferred");
    assert!(!gamma.rows[&p].le(&greatest.rows[&p]));
}

#[test]
fn witness_w1() {
    assert_eq!(unsat("[2] <p> <= <q> [3]\n[2] <q> <= <p> [3,3]"), Rule::RgTrail);
    assert_eq!(unsat("<p> <= <q> [3]\n[2] <q> <= <r> [3]\n[2] <r> <= <p> [3]"), Rule::RgTrail);
}

#[test]
fn witness_w2() {
    for third in ["[2] <> [] <= <w>", "[] <> [] <= <w>"] {
        for text in orders(&format!("[2] <x> ~ <y> [2]\n<w> <= <x>\n{third}")) {
            for strategy in STRATEGIES {
                let (_, verdict) = run(&text, with(strategy));
                assert!(matches!(verdict, Verdict::Solved(s) if s.greatest().is_some()), "{text}");
            }
        }
    }
}

#[test]
fn witness_w3() {
    let text = "<p> <= [2] <q>\n<q> [2] <= [2,2] <r>\n<r> [2,2] <= <p>\n[2,2] <q> [2] <= <p>";
    assert_eq!(unsat(text), Rule::RgLead);
}

#[test]
fn witness_w4() {
    assert_eq!(greatest("<p> [3] <= <p>"), "⟨p⟩ ↦ []·⋄·[]");
}

#[test]
fn witness_w6() {
    let text = "[2] <q> [2] <= <p>\n[2] <q> [2,3] <= [2] <r>\n[2] <r> <= <p>";
    let mut names = Names::new();
    let phi = parse_system(text, &mut names).expect("constraints");
    let gamma = parse_ground("q := [] <> []\np := [2] <> [2,3]\nr := [] <> [2,3]", &mut names).expect("values");
    assert!(!phi.iter().all(|c| holds(&gamma, c)), "the values violate the input");
    assert!(matches!(run(text, Policy::default()).1, Verdict::Solved(_)));
}

/// Do these values solve the constraints?
fn solve_it(text: &str, values: &str) -> bool {
    let mut names = Names::new();
    let phi = parse_system(text, &mut names).expect("constraints");
    let gamma = parse_ground(values, &mut names).expect("values");
    phi.iter().all(|c| holds(&gamma, c))
}

#[test]
fn finding_f23_a_deferred_equation_commits_content() {
    use lozenge::closing::{Closing, Tags, close};
    for (text, values, closed) in [
        ("[3] <r> ~ <r> [3]", "r := [] <> [3]", "⟨r⟩ ↦ []·⋄·[]"),
        ("[3] <p> ~ <q> [3]", "p := [] <> [3]\nq := [3] <> []", "⟨p⟩ ↦ []·⋄·[], ⟨q⟩ ↦ []·⋄·[]"),
    ] {
        let (_, form) = solved(text);
        assert!(form.forced().is_empty() && form.residual().deferred.len() == 1, "{text} is deferred");
        assert!(solve_it(text, values), "other content solves {text}");
        let mut names = Names::new();
        let phi = parse_system(text, &mut names).expect("constraints");
        let end = close(&phi, &mut names, &Tags::default(), Policy::default());
        let Closing::Closed(end) = end else { panic!("{text} closes") };
        assert_eq!(names.show(&end.values).to_string(), closed);
    }
}

#[test]
fn finding_f24_the_tops_and_a_crossing_equation() {
    let text = "[3] <p> ~ <q> [5]";
    let (_, form) = solved(text);
    assert!(form.residual().deferred.len() == 1 && form.greatest().is_none(), "the tops are no solution");
    assert!(!solve_it(text, "p := [] <> []\nq := [] <> []"));
    assert!(solve_it(text, "p := [] <> [5]\nq := [3] <> []"));
}

#[test]
fn witness_w7() {
    assert_eq!(greatest("<r> [2] ~ [2] <> []"), "⟨r⟩ ↦ []·⋄·[]");
    assert_eq!(greatest("[2] <r> ~ [] <> [2]"), "⟨r⟩ ↦ []·⋄·[]");
}

#[test]
fn witness_w8() {
    use lozenge::closing::{Closing, Tags, close};
    let mut names = Names::new();
    let phi = parse_system("<r> [5] <= [3] <> []", &mut names).expect("constraints");
    let leaves = names.vars().collect();
    let tags = Tags { leaves, ..Tags::default() };
    let Closing::Closed(closed) = close(&phi, &mut names, &tags, Policy::default()) else { panic!("it closes") };
    assert_eq!(names.show(&closed.values).to_string(), "⟨r⟩ ↦ [3]·⋄·[]");
}

#[test]
fn witness_w9() {
    // Nothing is bound, and every line is kept: so no solution is lost.
    for text in ["[] <> [1∅] <= <r>\n[] <> [1∅] <= <r>", "[1∅] <> [] <= <r>\n<s> [1∅] <= <r>"] {
        let (_, solved) = solved(text);
        assert!(solved.forced().is_empty(), "{text}");
        assert_eq!(solved.residual().constraints().count(), 2, "{text}");
    }
}

/// What is said to be unsatisfiable has no small solution.
#[test]
fn unsatisfiable_witnesses_have_no_small_solution() {
    for text in [
        "<p> <= [2] <q>\n<q> <= [3] <p>",
        "[2] <q> <= <p>\n[2] <p> <= <q> [3]",
        "<p> [3] <= [2] <p>",
        "[2] <p> <= <q> [3]\n[2] <q> <= <p> [3,3]",
        "<p> <= [2] <q>\n<q> [2] <= [2,2] <r>\n<r> [2,2] <= <p>\n[2,2] <q> [2] <= <p>",
    ] {
        let phi = parse_system(text, &mut Names::new()).expect("constraints");
        let universe = Universe::of_sizes(&[2, 3], if text.contains("<r>") { 2 } else { 3 }).expect("small");
        assert!(sol(&phi, &universe).next().is_none(), "{text}");
    }
}

/// The same bound twice, once through a placement and once without: what rests on it is not a policy's fault.
#[test]
fn an_entailed_bound_replaces_the_same_one_through_a_placement() {
    let placed = "<r> ~ [] <> [3]\n<r> <= [] <> [a]\n[] <> [b] <= <r>";
    // The first two lines give a ⊒ 3 through the placed marker; the next line says it outright.
    let text = format!("{placed}\n3 <= a\na <= c\nc <= 5");
    for order in orders(&text) {
        assert!(matches!(run(&order, Policy::default()).1, Verdict::Unsat(_)), "{order}");
    }
}

/// 5.2(b) and F1: a set without a rank model on which no strategy makes the guard of Def. 4.5 fire.
#[test]
fn finding_f1_without_a_rank_model() {
    let text = "[2] <p> <= <q> [3]\n[2] <q> <= <p> [3,3]";
    let phi = parse_system(text, &mut Names::new()).expect("constraints");
    assert!(!lozenge::guard::ranks::has_rank_model(&phi));
    for strategy in STRATEGIES {
        let policy = Policy { strategy, ..briefly(GuardPolicy::Paper) };
        assert!(matches!(run(text, policy).1, Verdict::Limit(_)), "{strategy:?}");
    }
}
