//! Every `unsat` has a refutation that the independent checker accepts, and the checker accepts nothing
//! that does not follow.
#![allow(missing_docs)]

use lozenge::certificate::json::{read_refutation, refutation as to_json};
use lozenge::certificate::{Inference, LineClaim, Refusal, Refutation, check_refutation, check_solution};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::semantics::{Ground, Universe, holds, sol_on};
use lozenge::solver::{Policy, Run, Strategy, Verdict, solve_traced};
use lozenge::term::{Var, Vars};
use lozenge_harnesses::cases::{Cases, sampled};
use lozenge_harnesses::generators::{System, Weights};
use quickcheck::Gen;
use serde_json::Value;
use std::collections::BTreeSet;

const STRATEGIES: [Strategy; 4] = [Strategy::Fifo, Strategy::Lifo, Strategy::Random(3), Strategy::Rounds];

fn traced(phi: &[Constraint], names: &mut Names, strategy: Strategy) -> Run {
    solve_traced(phi, names, Policy { strategy, ..Policy::default() })
}

/// The verdict of a run has its evidence: a solution, or a refutation; a rejection claims nothing.
fn has_evidence(System { mut names, constraints }: System) -> bool {
    STRATEGIES.into_iter().all(|strategy| {
        let run = traced(&constraints, &mut names, strategy);
        match &run.verdict {
            Verdict::Solved(solved) => solved.greatest().is_none_or(|g| check_solution(&constraints, &g).is_ok()),
            Verdict::Unsat(_) => {
                let refutation = run.refutation().expect("a refutation");
                check_refutation(&constraints, &refutation).is_ok()
            }
            Verdict::Rejected(_) => run.refutation().is_none(),
            Verdict::Limit(_) => false,
        }
    })
}

#[test]
fn every_verdict_has_its_evidence() {
    sampled("every_verdict_has_its_evidence", 50_000, has_evidence);
}

/// Small systems, most of them without a solution.
fn refuted(count: usize) -> Vec<(Names, Vec<Constraint>, Refutation)> {
    let weights = Weights { flank: 1, constraints: 5, vars: 2, sizes: 2, bases: 1, ..Weights::default() };
    let mut g = Gen::from_size_and_seed(100, 11);
    let mut found = Vec::new();
    while found.len() < count {
        let System { mut names, constraints } = weights.system(&mut g);
        let run = traced(&constraints, &mut names, Strategy::Fifo);
        found.extend(run.refutation().map(|r| (names, constraints, r)));
    }
    found
}

#[test]
fn refutations_survive_json() {
    for (names, phi, refutation) in refuted(2_000) {
        let json = to_json(&refutation, &names);
        let text: Value = serde_json::from_str(&json.to_string()).expect("JSON");
        // Read by someone who knows the input only.
        let mut other = Names::new();
        let again: Vec<Constraint> = phi
            .iter()
            .map(|c| lozenge::wire::read_constraint(&lozenge::wire::constraint(c, &names), &mut other).expect("wire"))
            .collect();
        let read = read_refutation(&text, &mut other).expect("a refutation");
        assert_eq!(check_refutation(&again, &read), Ok(()), "{json}");
    }
}

/// Every way to change one leaf of a JSON value a little.
fn mutants(json: &Value) -> Vec<Value> {
    match json {
        Value::Number(n) => {
            let n = n.as_u64().unwrap_or(0);
            [Some(n + 1), n.checked_sub(1)].into_iter().flatten().map(Value::from).chain(["unit".into()]).collect()
        }
        Value::String(s) => {
            let others = ["front", "back", "a0", "a1", "r0", "r1", "unit", "pin", "pin-top", "residue"];
            others.into_iter().filter(|o| o != s).map(Value::from).collect()
        }
        Value::Bool(b) => vec![(!b).into()],
        Value::Null => vec![],
        Value::Array(items) => {
            let mut out: Vec<Value> = (0..items.len())
                .map(|i| [&items[..i], &items[i + 1..]].concat().into())
                .chain((1..items.len()).map(|i| {
                    let mut swapped = items.clone();
                    swapped.swap(i - 1, i);
                    swapped.into()
                }))
                .collect();
            for (i, item) in items.iter().enumerate() {
                out.extend(mutants(item).into_iter().map(|m| {
                    let mut changed = items.clone();
                    changed[i] = m;
                    changed.into()
                }));
            }
            out
        }
        Value::Object(object) => {
            let mut out = Vec::new();
            for (key, value) in object {
                let mut without = object.clone();
                without.remove(key);
                out.push(without.into());
                for mutant in mutants(value) {
                    let mut changed = object.clone();
                    changed.insert(key.clone(), mutant);
                    out.push(changed.into());
                }
            }
            out
        }
    }
}

/// The lines that an inference names.
fn premises(by: &Inference) -> Vec<usize> {
    match by {
        Inference::Input(_) => vec![],
        Inference::Substitute { into, with } => std::iter::once(*into).chain(with.iter().map(|(l, _)| *l)).collect(),
        Inference::Zip { line, .. } | Inference::Strip { line, .. } | Inference::Align { line, .. } => vec![*line],
        Inference::Residue(line) | Inference::Grow(line) | Inference::Empty(line) => vec![*line],
        Inference::Pin(line) | Inference::PinTop(line) => vec![*line],
        Inference::Collapse(i, j) => vec![*i, *j],
        Inference::Antisym(lines) => lines.clone(),
    }
}

fn true_of(gamma: &Ground, claim: &LineClaim) -> bool {
    match claim {
        LineClaim::Holds(constraint) => holds(gamma, constraint),
        LineClaim::Is(var, row) => gamma.rows.get(var).is_some_and(|value| *value == gamma.row(row)),
    }
}

fn vars_of(claim: &LineClaim) -> BTreeSet<Var> {
    match claim {
        LineClaim::Holds(constraint) => constraint.vars(),
        LineClaim::Is(var, row) => row.vars().into_iter().chain([Var::Row(*var)]).collect(),
    }
}

/// Is every line of a refutation entailed by the lines it names, as far as brute force sees? Lines with
/// too many variables to enumerate are passed over.
fn semantically_sound(phi: &[Constraint], refutation: &Refutation, universe: &Universe) -> bool {
    let lines = &refutation.lines;
    lines.iter().all(|line| {
        if let Inference::Input(i) = line.by {
            return LineClaim::Holds(phi[i].clone()) == line.claim;
        }
        let known: Vec<&LineClaim> = premises(&line.by).into_iter().map(|p| &lines[p].claim).collect();
        let old: BTreeSet<Var> = known.iter().flat_map(|c| vars_of(c)).collect();
        let all: BTreeSet<Var> = old.union(&vars_of(&line.claim)).copied().collect();
        let rows = all.iter().filter(|v| matches!(v, Var::Row(_))).count();
        if rows > 2 || all.len() > 4 {
            return true;
        }
        let fresh =
            if let Inference::Grow(_) = line.by { all.difference(&old).copied().collect() } else { BTreeSet::new() };
        let outer: BTreeSet<Var> = all.difference(&fresh).copied().collect();
        let premises_hold = |gamma: &Ground| known.iter().all(|c| true_of(gamma, c));
        sol_on(&[], universe, &outer).filter(premises_hold).all(|gamma| {
            sol_on(&[], universe, &fresh).any(|extension| {
                let mut both = gamma.clone();
                both.dims.extend(extension.dims);
                both.rows.extend(extension.rows);
                true_of(&both, &line.claim)
            })
        })
    })
}

/// Corrupt every field of many certificates. What is still accepted follows all the same.
#[test]
fn corrupted_certificates_are_refused_or_still_sound() {
    let universe = Universe::of_sizes(&[1, 2], 1).expect("small");
    let cases = Cases::of("corrupted_certificates_are_refused_or_still_sound");
    let mut accepted = 0;
    for (names, phi, refutation) in refuted(600) {
        for mutant in mutants(&to_json(&refutation, &names)) {
            cases.one();
            let mut names = names.clone();
            let Ok(read) = read_refutation(&mutant, &mut names) else { continue };
            if check_refutation(&phi, &read).is_ok() && read != refutation {
                accepted += 1;
                assert!(semantically_sound(&phi, &read, &universe), "{mutant}");
            }
        }
    }
    assert!(cases.covered() > 50_000, "{} mutants", cases.covered());
    assert!(accepted * 10 < cases.covered(), "{accepted} of {} accepted", cases.covered());
}

/// A refutation of one set is no refutation of a set that has a solution.
#[test]
fn a_satisfiable_set_is_not_refuted() {
    let mut tried = 0;
    for (names, phi, refutation) in refuted(3_000) {
        for i in 0..phi.len() {
            let rest: Vec<Constraint> = [&phi[..i], &phi[i + 1..]].concat();
            let mut names = names.clone();
            let run = traced(&rest, &mut names, Strategy::Fifo);
            let satisfiable = matches!(&run.verdict, Verdict::Solved(solved) if solved.greatest().is_some());
            if satisfiable {
                tried += 1;
                let mut moved = refutation.clone();
                for line in &mut moved.lines {
                    if let Inference::Input(n) = &mut line.by {
                        *n -= usize::from(*n > i);
                    }
                }
                assert!(check_refutation(&rest, &moved).is_err());
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
}

#[test]
fn refusals_name_the_place() {
    let mut names = Names::new();
    let phi = parse_system("a = 2\na = 3", &mut names).expect("constraints");
    let refutation = traced(&phi, &mut names, Strategy::Fifo).refutation().expect("unsat");
    let mut wrong = refutation.clone();
    let second = wrong.lines.iter().position(|l| l.by == Inference::Input(1)).expect("both lines are used");
    wrong.lines[second].by = Inference::Input(0);
    assert_eq!(check_refutation(&phi, &wrong), Err(Refusal::Line(second)));
    let mut wrong = refutation;
    wrong.end = lozenge::certificate::Ending::Absurd(0);
    assert_eq!(check_refutation(&phi, &wrong), Err(Refusal::End));
    let gamma = lozenge::notation::parse_ground("a := 2", &mut names).expect("a value");
    assert_eq!(check_solution(&phi, &gamma), Err(Refusal::Violated(1)));
    assert!(matches!(check_solution(&phi, &Ground::default()), Err(Refusal::Unassigned(_))));
}

/// A refutation that rests on a long chain is written without deep recursion.
#[test]
fn long_chains_have_refutations() {
    let n = 20_000;
    let mut text = String::from("a0 = 2\n");
    for i in 1..=n {
        text.push_str(&format!("a{i} <= a{}\n", i - 1));
    }
    text.push_str(&format!("a{n} = 3\n"));
    let mut names = Names::new();
    let phi = parse_system(&text, &mut names).expect("constraints");
    let refutation = traced(&phi, &mut names, Strategy::Fifo).refutation().expect("unsat");
    assert_eq!(check_refutation(&phi, &refutation), Ok(()));
}
