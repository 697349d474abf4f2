//! The law between the layers: engine = calculus, step by step (spec/architecture.md).
//!
//! `LOZENGE_LAYERS=10000000` asks for that many random systems.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::policy::{GuardPolicy, Limits, Policy};
use lozenge::term::Var;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::random::{policy, system, tags};
use lozenge_harnesses::layers::{
    self, Differs, Ran, is_permutation, same_closing, same_decision, same_lengths, same_run,
};
use lozenge_harnesses::systems::{dim_constraints, flanks, row_constraints, row_terms, two};

/// Panics with the system where something differs.
fn agree<T>(names: &Names, phi: &[Constraint], policy: Policy, compared: Result<T, Differs>) -> T {
    let text = || phi.iter().map(|c| names.show(c).ascii().to_string()).collect::<Vec<_>>().join("\n");
    compared.unwrap_or_else(|differs| panic!("{}\nunder {policy:?}\n{differs}", text()))
}

/// Policies under which every run ends soon.
fn policies() -> Vec<Policy> {
    layers::policies(Limits { rank: 8, size: 300, ..Limits::default() })
}

/// One constraint between the small terms, under every policy.
#[test]
fn layers_on_one_constraint() {
    let cases = Cases::of("layers_on_one_constraint");
    for phi in row_constraints(&TERMS.rows).chain(dim_constraints(&TERMS.dims)) {
        for policy in policies() {
            let phi = std::slice::from_ref(&phi);
            agree(&TERMS.names, phi, policy, same_run(&TERMS.names, phi, policy));
            cases.one();
        }
    }
    cases.finish();
}

/// Two row constraints with flanks up to one over one atom and two row variables.
#[test]
fn layers_on_two_constraints() {
    let cases = Cases::of("layers_on_two_constraints");
    let terms = row_terms(&flanks(&[two()], 1), &TERMS.row_vars);
    let all: Vec<Constraint> = row_constraints(&terms).collect();
    let signed: Vec<Policy> = policies().into_iter().filter(|p| p.guard == GuardPolicy::Signed && p.antisym).collect();
    for one in &all {
        for other in &all {
            let phi = [one.clone(), other.clone()];
            for policy in &signed {
                agree(&TERMS.names, &phi, *policy, same_run(&TERMS.names, &phi, *policy));
                cases.one();
            }
        }
    }
    cases.finish();
}

/// Three constraints between dimensions: three variables would be one too many to show all, so a, b, 1∅ and two atoms.
#[test]
fn layers_on_three_dimension_constraints() {
    let cases = Cases::of("layers_on_three_dimension_constraints");
    let all: Vec<Constraint> = dim_constraints(&TERMS.dims).collect();
    let policies: Vec<Policy> = policies().into_iter().filter(|p| p.guard == GuardPolicy::Signed).collect();
    for (i, one) in all.iter().enumerate() {
        for (j, two) in all.iter().enumerate() {
            for (k, three) in all.iter().enumerate() {
                let phi = [one.clone(), two.clone(), three.clone()];
                let policy = policies[(i + j + k) % policies.len()];
                agree(&TERMS.names, &phi, policy, same_run(&TERMS.names, &phi, policy));
                cases.one();
            }
        }
    }
    cases.finish();
}

fn asked() -> u64 {
    std::env::var("LOZENGE_LAYERS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000)
}

/// Random systems of many sizes under policies of every kind.
#[test]
fn layers_at_random() {
    let cases = Cases::of("layers_at_random");
    let (mut steps, mut limited) = (0_usize, 0_u64);
    for number in 0..asked() {
        let (System { names, constraints }, policy) = (system(number), policy(number));
        match agree(&names, &constraints, policy, same_run(&names, &constraints, policy)) {
            Ran::Steps(n) => steps += n,
            Ran::Limited => limited += 1,
        }
        cases.one();
    }
    eprintln!("layers_at_random: {steps} steps, {limited} runs at a limit of one layer");
    assert!(limited * 100 < cases.covered(), "most runs are compared");
    cases.finish();
}

/// Closing random systems: every policy, leaves in the order of age and against it.
#[test]
fn closing_layers_at_random() {
    let cases = Cases::of("closing_layers_at_random");
    for number in 0..asked() / 10 {
        let (System { names, constraints }, policy) = (system(number), policy(number));
        let tags = tags(&constraints, number);
        let backwards = |vars: &mut Vec<Var>| {
            if number % 2 == 1 {
                vars.reverse();
            }
        };
        agree(&names, &constraints, policy, same_closing(&names, &constraints, &tags, policy, backwards));
        cases.one();
    }
    cases.finish();
}

/// Deciding random systems, small ones: the search is long where rows are open.
#[test]
fn deciding_layers_at_random() {
    let cases = Cases::of("deciding_layers_at_random");
    for number in 0..asked() / 100 {
        let System { names, constraints } = system(number - number % 100 + number % 62);
        let policy = Policy { strategy: policy(number).strategy, ..Policy::default() };
        agree(&names, &constraints, policy, same_decision(&names, &constraints, policy, 2));
        cases.one();
    }
    cases.finish();
}

/// The lengths that a search tries, of random systems up to rank 3: all of them, or as many as the fuel is for.
#[test]
fn lengths_layers_at_random() {
    let cases = Cases::of("lengths_layers_at_random");
    let mut tried = 0;
    for number in 0..asked() / 10 {
        let System { names, constraints } = system(number);
        let (longest, policy) = (if number % 4 == 0 { 1 } else { usize::MAX }, policy(number));
        tried += agree(&names, &constraints, policy, same_lengths(&constraints, 3, longest, 100));
        cases.one();
    }
    assert!(tried > asked() / 10, "{tried} lengths");
    cases.finish();
}

/// What waits is compared without its order, but each constraint as often as it is there.
#[test]
fn order_does_not_matter_and_number_does() {
    let [one, two] = [1, 2].map(|i| dim_constraints(&TERMS.dims).nth(i).expect("some constraints"));
    let of = |which: &[bool]| which.iter().map(|i| if *i { one.clone() } else { two.clone() }).collect::<Vec<_>>();
    assert!(is_permutation(&of(&[true, false, true]), &of(&[false, true, true])));
    assert!(!is_permutation(&of(&[true, false, true]), &of(&[false, true, false])));
    assert!(!is_permutation(&of(&[true]), &of(&[true, true])) && !is_permutation(&of(&[true, true]), &of(&[true])));
}
