//! The findings on the paper's own algorithm: the calculus under `Policy::paper()`, and the engine beside it.
#![allow(missing_docs)]

use lozenge::calculus::closing::close_in_order;
use lozenge::calculus::solver::{Run, Verdict, solve};
use lozenge::closing::{Closing, Tags};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_system};
use lozenge::policy::{Limit, Limits, Policy, Strategy};
use lozenge::rules::Rule;
use lozenge::semantics::holds;
use lozenge::term::Var;
use lozenge_harnesses::layers::{same_closing, same_run};
use lozenge_harnesses::systems::STRATEGIES;
use std::collections::BTreeSet;

pub fn parsed(text: &str) -> (Names, Vec<Constraint>) {
    let mut names = Names::new();
    let phi = parse_system(text, &mut names).unwrap_or_else(|e| panic!("{}", e.render(text)));
    (names, phi)
}

/// The paper's policy with limits that a run without end reaches soon.
fn briefly(strategy: Strategy) -> Policy {
    Policy { strategy, limits: Limits { rank: 16, size: 500, ..Limits::default() }, ..Policy::paper() }
}

/// Solves in the calculus, and sees the engine do the same.
fn run(text: &str, policy: Policy) -> Run {
    let (mut names, phi) = parsed(text);
    same_run(&names, &phi, policy).unwrap_or_else(|differs| panic!("{text}: {differs}"));
    solve(&phi, &mut names, policy)
}

/// Closes in the calculus, leaves in this order, and sees the engine do the same. How that ends, values shown.
fn close(text: &str, leaves: &[&str]) -> Result<String, Option<Rule>> {
    let (mut names, phi) = parsed(text);
    let ordered: Vec<Var> = leaves.iter().map(|name| names.lookup(name).expect("a variable")).collect();
    let place = |var: &Var| ordered.iter().position(|v| v == var);
    let order = |vars: &mut Vec<Var>| vars.sort_by_key(place);
    let tags = Tags { leaves: ordered.iter().copied().collect(), params: BTreeSet::new() };
    same_closing(&names, &phi, &tags, Policy::paper(), order).unwrap_or_else(|differs| panic!("{text}: {differs}"));
    match close_in_order(&phi, &mut names, &tags, Policy::paper(), order) {
        Closing::Closed(closed) => Ok(names.show(&closed.values).to_string()),
        Closing::Rejected(failure, _) => Err(Some(failure.rule)),
        _ => Err(None),
    }
}

/// Closes with these leaves, to the letter in their order, or as it is done here: the values, or the rule that failed.
pub fn closed(text: &str, leaves: &[&str], letter: bool) -> Result<String, Option<Rule>> {
    let (mut names, phi) = parsed(text);
    let ordered: Vec<Var> = leaves.iter().map(|name| names.lookup(name).expect("a variable")).collect();
    let tags = Tags { leaves: ordered.iter().copied().collect(), params: BTreeSet::new() };
    let closing = if letter {
        let order = |vars: &mut Vec<Var>| vars.sort_by_key(|var| ordered.iter().position(|v| v == var));
        close_in_order(&phi, &mut names, &tags, Policy::paper(), order)
    } else {
        lozenge::closing::close(&phi, &mut names, &tags, Policy::default())
    };
    match closing {
        Closing::Closed(closed) => Ok(names.show(&closed.values).ascii().to_string()),
        Closing::Rejected(failure, _) => Err(Some(failure.rule)),
        _ => Err(None),
    }
}

pub fn is_solved_by(text: &str, values: &str) -> bool {
    let (mut names, phi) = parsed(text);
    let gamma = parse_ground(values, &mut names).expect("values");
    phi.iter().all(|c| holds(&gamma, c))
}

/// F1: the guard of Def. 4.5 lets a run go on for ever; R1 refutes the set.
#[test]
fn finding_f1_on_the_paper() {
    let without_a_rank_model = "[2] <p> <= <q> [3]\n[2] <q> <= <p> [3,3]";
    for strategy in STRATEGIES {
        let ended = run(without_a_rank_model, briefly(strategy)).verdict;
        assert!(matches!(ended, Verdict::Limit(Limit::Rank | Limit::Size)), "{ended:?}");
    }
    let text = "[2] <q> <= <p>\n[2] <p> <= <q> [3]";
    assert!(matches!(run(text, briefly(Strategy::Fifo)).verdict, Verdict::Limit(_)));
    assert!(matches!(run(text, Policy::default()).verdict, Verdict::Unsat(f) if f.rule == Rule::RgTrail));
}

/// F2: the same guard rejects a set that has a solution.
#[test]
fn finding_f2_on_the_paper() {
    let text = "<a> <= <b>\n<b> [3] <= [2] <c>\n[2] <c> <= <a> [3]";
    assert!(matches!(run(text, Policy::paper()).verdict, Verdict::Rejected(f) if f.rule == Rule::RgRank));
    assert!(is_solved_by(text, "a := [2] <> []\nb := [2] <> []\nc := [] <> [3]"));
}

/// Def. 4.2 without §10's repair: a cycle of adjacencies stays open (F11).
#[test]
fn finding_f11_on_the_paper() {
    let Verdict::Solved(solved) = run("a <= b\nb <= a", Policy::paper()).verdict else { panic!("solved") };
    assert_eq!(solved.residual.below.len(), 2);
    let Verdict::Solved(solved) = run("a <= b\nb <= a", Policy::default()).verdict else { panic!("solved") };
    assert!(solved.residual.is_empty());
}

/// Remark 6.3: closing β first rejects a set that has a solution; α first does not.
#[test]
fn remark_6_3_on_the_paper() {
    let text = "3 <= a\na <= b\n5 <= b";
    assert_eq!(close(text, &["a", "b"]), Ok("a ↦ 3, b ↦ 1∅".to_owned()));
    assert_eq!(close(text, &["b", "a"]), Err(Some(Rule::DiGround)));
    assert!(is_solved_by(text, "a := 3\nb := unit"));
}

/// F4: the values depend on which leaf comes first.
#[test]
fn finding_f4_on_the_paper() {
    let text = "3 <= a\n5 <= b\nc <= a\nc <= b";
    assert_eq!(close(text, &["a", "b"]), Ok("a ↦ 3, b ↦ 1∅, c ↦ 3".to_owned()));
    assert_eq!(close(text, &["b", "a"]), Ok("a ↦ 1∅, b ↦ 5, c ↦ 5".to_owned()));
}

/// F6: closed upward, a deferred equation rejects what its solution of least material solves.
#[test]
fn finding_f6_on_the_paper() {
    let text = "[2] <x> ~ <y> [3]";
    assert!(close(text, &[]).is_err());
    assert!(is_solved_by(text, "x := [] <> [3]\ny := [] <> [2]"));
}

/// 6.2: step 3 of closing can fail, where an equation is deferred.
#[test]
fn finding_6_2_on_the_paper() {
    assert!(close("[3] <r> ~ <r> [5]", &[]).is_err());
    assert_eq!(close("[3] <r> ~ <r> [3]", &[]), Ok("⟨r⟩ ↦ []·⋄·[]".to_owned()));
}

/// F15, second part: committing z gives x an axis, the deferred equation then ties q to x, and the re-solve
/// goes on for ever under the guard of Def. 4.5, which stays silent; R1 ends it. All rows empty solve the set.
/// Where by Def. 4.1 `x ⊑ z` is an adjacency of z and no cap, it has no part in z's value: caps as by default.
#[test]
fn finding_f15_on_the_paper() {
    let end = |text: &str, policy: Policy| {
        let (mut names, phi) = parsed(text);
        let tags = Tags { leaves: names.lookup("z").into_iter().collect(), params: BTreeSet::new() };
        same_closing(&names, &phi, &tags, policy, |_| ()).unwrap_or_else(|differs| panic!("{text}: {differs}"));
        close_in_order(&phi, &mut names, &tags, policy, |_| ())
    };
    let adjacent = "[2] <q> ~ <x> [2]\n<x> <= <p>\n[2] <p> <= <q>\n<x> <= <z>\n[2] <> [] <= <z>";
    // To the letter x ⊑ z is a cap without a ground part: z is empty, and closing ends.
    assert!(matches!(end(adjacent, Policy::paper()), Closing::Closed(_)));
    // What is below z is ground: all of the paper's policy.
    let letter = "[2] <q> ~ <x> [2]\n<x> <= <p>\n[2] <p> <= <q>\n<x> <= <u>\n<u> [2] ~ [2] <z>\n[] <> [2] <= <z>";
    for strategy in STRATEGIES {
        let caps = Policy::default().caps;
        for ended in [end(adjacent, Policy { caps, ..briefly(strategy) }), end(letter, briefly(strategy))] {
            assert!(matches!(ended, Closing::Limit(Limit::Rank | Limit::Size)), "{ended:?}");
        }
    }
    for (text, vars) in [(adjacent, "qxpz"), (letter, "qxpuz")] {
        assert!(matches!(end(text, Policy::default()), Closing::Rejected(failure, _) if failure.rule == Rule::RgTrail));
        let empty: Vec<String> = vars.chars().map(|v| format!("{v} := [] <> []")).collect();
        assert!(is_solved_by(text, &empty.join("\n")));
    }
}

/// F20: a reader that asks for nothing takes a leaf's axis away; with bare caps left out it does not.
#[test]
fn finding_f20_on_the_paper() {
    let (alone, read) = ("<r> [3] <= <b>", "<r> [3] <= <b>\n<s> <= <b>");
    let b = |text: &str, policy: Policy| {
        let (mut names, phi) = parsed(text);
        let b = names.lookup("b").expect("a variable");
        let tags = Tags { leaves: BTreeSet::from([b]), params: BTreeSet::new() };
        same_closing(&names, &phi, &tags, policy, |_| ()).unwrap_or_else(|differs| panic!("{text}: {differs}"));
        match close_in_order(&phi, &mut names, &tags, policy, |_| ()) {
            Closing::Closed(closed) => {
                let row = names.row_var("b").expect("a row");
                closed.values.rows.get(&row).map(ToString::to_string)
            }
            other => panic!("{text}: {other:?}"),
        }
    };
    assert_eq!(b(alone, Policy::paper()).as_deref(), Some("[]·⋄·[3]"));
    assert_eq!(b(read, Policy::paper()).as_deref(), Some("[]·⋄·[]"));
    for text in [alone, read, "<r> [3] <= <b>\n<s> <= <b>\n<t> <= <s>"] {
        assert_eq!(b(text, Policy::default()).as_deref(), Some("[]·⋄·[3]"), "{text}");
    }
    // What is written below the reader counts.
    assert_eq!(b("<r> [3] <= <b>\n<s> <= <b>\n[] <> [] <= <s>", Policy::default()).as_deref(), Some("[]·⋄·[]"));
}
