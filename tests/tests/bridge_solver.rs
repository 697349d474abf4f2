//! The bridge from Coq to Rust for §4: core/calculus and the solver that is extracted from proofs/coq, step by step.
//!
//! Rule, instance, effect and taint of every step; verdict, σ with its standings, store and facts at the end.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::policy::{GuardPolicy, Limits, Policy};
use lozenge::program::generate;
use lozenge::wire;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::inputs::{self, programs, requests};
use lozenge_harnesses::layers::policies;
use lozenge_harnesses::layers::random::{policy, system};
use lozenge_harnesses::programs::program;
use lozenge_harnesses::systems::{STRATEGIES, dim_constraints, flanks, row_constraints, row_terms, two};
use lozenge_tests::bridge::large;
use lozenge_tests::derivation::{self, STEPS, derivation};
use lozenge_tests::extracted::{Engine, model, variables};
use serde_json::{Value, json};
use std::process::Command;

/// So many systems go into one request.
const BATCH: usize = 500;

/// The model, and how many systems and steps have agreed.
struct Bridge {
    model: Engine,
    cases: Cases,
    steps: usize,
    limited: u64,
}

impl Bridge {
    fn of(harness: &'static str) -> Self {
        Bridge { model: Engine::start(&mut Command::new(model())), cases: Cases::of(harness), steps: 0, limited: 0 }
    }

    /// Systems over the same variables, under one policy.
    fn compare(&mut self, names: &Names, systems: &[Vec<Constraint>], policy: Policy) {
        for systems in systems.chunks(BATCH) {
            let written = |phi: &Vec<Constraint>| phi.iter().map(|c| wire::constraint(c, names)).collect::<Value>();
            let request = json!({
                "op": "derivation",
                "vars": variables(names.vars(), names),
                "systems": systems.iter().map(written).collect::<Value>(),
                "policy": derivation::policy(&policy),
                "steps": STEPS,
            });
            let answer = self.model.ask(&request.to_string());
            let ours: Vec<Option<String>> = systems.iter().map(|phi| derivation(names, phi, policy)).collect();
            self.agree(names, systems, policy, &ours, &answer);
        }
    }

    /// All at once, and one by one where they differ or core has reached a limit.
    fn agree(
        &mut self,
        names: &Names,
        systems: &[Vec<Constraint>],
        policy: Policy,
        ours: &[Option<String>],
        answer: &str,
    ) {
        self.cases.many(systems.len() as u64);
        self.steps += ours.iter().flatten().map(|text| text.matches("\"again\":").count()).sum::<usize>();
        let all: Option<Vec<&str>> = ours.iter().map(Option::as_deref).collect();
        let whole = |all: Vec<&str>| format!("{{\"verdict\":\"values\",\"values\":[{}]}}", all.join(","));
        if all.map(whole).as_deref() == Some(answer) {
            return;
        }
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        let Value::Array(theirs) = &answer["values"] else { panic!("{answer}") };
        assert_eq!(theirs.len(), systems.len(), "an answer for every system");
        for ((phi, ours), theirs) in systems.iter().zip(ours).zip(theirs) {
            let Some(ours) = ours else {
                self.limited += 1;
                continue;
            };
            let ours: Value = serde_json::from_str(ours).expect("JSON");
            let text = || phi.iter().map(|c| names.show(c).ascii().to_string()).collect::<Vec<_>>().join("\n");
            assert!(ours == *theirs, "{}\nunder {policy:?}: core\n{ours}\nmodel\n{theirs}", text());
        }
    }

    fn finish(self) {
        eprintln!("{} steps; {} runs at a limit that only core has", self.steps, self.limited);
        assert!(self.limited * 20 < self.cases.covered(), "most runs are compared");
        if !large() {
            self.cases.finish();
        }
    }
}

/// Deals systems out to policies, one each in turn; or, where more is asked for, all to all.
fn dealt(systems: Vec<Vec<Constraint>>, policies: Vec<Policy>) -> Vec<(Policy, Vec<Vec<Constraint>>)> {
    if large() {
        return policies.into_iter().map(|policy| (policy, systems.clone())).collect();
    }
    let mut dealt: Vec<_> = policies.into_iter().map(|policy| (policy, Vec::new())).collect();
    let count = dealt.len();
    for (i, system) in systems.into_iter().enumerate() {
        dealt[i % count].1.push(system);
    }
    dealt
}

/// One constraint between the small terms, under every guard; the strategies in turn.
#[test]
fn bridge_solver_one_constraint() {
    let mut bridge = Bridge::of("bridge_solver_one_constraint");
    let all: Vec<_> = row_constraints(&TERMS.rows).chain(dim_constraints(&TERMS.dims)).map(|phi| vec![phi]).collect();
    for of_guard in policies(Limits::default()).chunks(STRATEGIES.len()) {
        for (policy, systems) in dealt(all.clone(), of_guard.to_vec()) {
            bridge.compare(&TERMS.names, &systems, policy);
        }
    }
    bridge.finish();
}

/// Two row constraints with flanks up to one over one atom and two row variables, the strategies in turn.
#[test]
fn bridge_solver_two_constraints() {
    let mut bridge = Bridge::of("bridge_solver_two_constraints");
    let terms = row_terms(&flanks(&[two()], 1), &TERMS.row_vars);
    let one: Vec<Constraint> = row_constraints(&terms).collect();
    let pairs = one.iter().flat_map(|a| one.iter().map(|b| vec![a.clone(), b.clone()]));
    let pairs: Vec<Vec<Constraint>> = pairs.collect();
    let signed = STRATEGIES.map(|strategy| Policy { strategy, ..Policy::default() });
    for (policy, systems) in dealt(pairs, signed.to_vec()) {
        bridge.compare(&TERMS.names, &systems, policy);
    }
    bridge.finish();
}

/// Three constraints between dimensions.
#[test]
fn bridge_solver_three_dimension_constraints() {
    let mut bridge = Bridge::of("bridge_solver_three_dimension_constraints");
    let all: Vec<Constraint> = dim_constraints(&TERMS.dims).collect();
    let signed: Vec<Policy> =
        policies(Limits::default()).into_iter().filter(|p| p.guard == GuardPolicy::Signed).collect();
    let pairs = all.iter().flat_map(|one| all.iter().map(move |two| [one, two]));
    let triples = pairs.flat_map(|[one, two]| all.iter().map(|three| vec![one.clone(), two.clone(), three.clone()]));
    for (policy, systems) in dealt(triples.collect(), signed) {
        bridge.compare(&TERMS.names, &systems, policy);
    }
    bridge.finish();
}

/// Random systems of one to hundreds of constraints, under policies of every kind.
#[test]
fn bridge_solver_at_random() {
    let mut bridge = Bridge::of("bridge_solver_at_random");
    let count = if large() { 200_000 } else { 5_000 };
    for number in 0..count {
        let System { names, constraints } = system(number);
        bridge.compare(&names, &[constraints], policy(number));
    }
    bridge.finish();
}

/// Every system of the corpus, under the default policy and the paper's, by every strategy.
#[test]
fn bridge_solver_on_the_corpus() {
    let mut bridge = Bridge::of("bridge_solver_on_the_corpus");
    for request in requests() {
        let Some((names, phi)) = inputs::system(&request) else { continue };
        // A few cases have rows of thousands of axes: the model counts in unary.
        if phi.iter().map(Constraint::axes).sum::<u64>() > 500 {
            continue;
        }
        for policy in [Policy::default(), Policy::paper()] {
            for strategy in STRATEGIES {
                bridge.compare(&names, std::slice::from_ref(&phi), Policy { strategy, ..policy });
            }
        }
    }
    bridge.finish();
}

/// What the model is asked for of one program.
const LONGEST: usize = 150;

/// The constraints of the example programs, and of programs at random.
#[test]
fn bridge_solver_on_programs() {
    let mut bridge = Bridge::of("bridge_solver_on_programs");
    for program in programs().into_iter().chain((0..500).map(|case| program(11, case))) {
        let Ok(mut generated) = generate(&program) else { continue };
        generated.constraints.truncate(LONGEST);
        bridge.compare(&generated.names, &[generated.constraints], Policy::default());
    }
    bridge.finish();
}
