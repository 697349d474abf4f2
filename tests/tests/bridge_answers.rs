//! The bridge from Coq to Rust for §§5 and 6: what `lozenge oracle` answers to solve, close and decide, and what the
//! programs extracted from proofs/coq do. The oracle runs the engine; the model is the solver that the theorems are about.
//!
//! Every field that the model gives is compared: verdict, σ, store, γ↑, the rule and constraint of a failure, values,
//! assumptions in their order, holes. Messages and witnesses of rejections are the oracle's own.
#![allow(missing_docs)]

use lozenge::closing::Tags;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::policy::{GuardPolicy, Policy};
use lozenge::term::{Var, Vars};
use lozenge::wire;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::inputs::requests;
use lozenge_harnesses::layers::random::{policy, system, tags};
use lozenge_harnesses::systems::{flanks, row_constraints, row_terms, two};
use lozenge_tests::bridge::large;
use lozenge_tests::derivation;
use lozenge_tests::extracted::{Engine, model, var_name};
use lozenge_tests::{lozenge, root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;

struct Bridge {
    oracle: Engine,
    model: Engine,
    cases: Cases,
    verdicts: BTreeMap<String, u64>,
}

impl Bridge {
    fn of(harness: &'static str) -> Self {
        let oracle = Engine::start(Command::new(lozenge()).arg("oracle"));
        let model = Engine::start(&mut Command::new(model()));
        Bridge { oracle, model, cases: Cases::of(harness), verdicts: BTreeMap::new() }
    }

    /// Asks both, and compares what the model says.
    fn ask(&mut self, request: &Value) {
        let line = request.to_string();
        let [ours, theirs] = [&mut self.oracle, &mut self.model]
            .map(|engine| serde_json::from_str::<serde_json::Map<String, Value>>(&engine.ask(&line)).expect("JSON"));
        for (field, said) in &theirs {
            assert!(ours.get(field) == Some(said), "{line}\n{field} differs: oracle {ours:?}\nmodel {theirs:?}");
        }
        let verdict = format!("{} {}", request["op"].as_str().unwrap_or(""), theirs["verdict"].as_str().unwrap_or(""));
        *self.verdicts.entry(verdict).or_default() += 1;
        self.cases.one();
    }

    /// Counts; and every verdict that there can be has occurred.
    fn finish(self, verdicts: &[&str]) {
        eprintln!("{:?}", self.verdicts);
        for verdict in verdicts {
            assert!(self.verdicts.contains_key(*verdict), "{verdict} occurs");
        }
        if !large() {
            self.cases.finish();
        }
    }
}

fn written(names: &Names, phi: &[Constraint]) -> Value {
    phi.iter().map(|c| wire::constraint(c, names)).collect()
}

/// `antisym` is no field of the protocol: there DI-antisym is always among the rules.
fn policy_json(policy: &Policy) -> Value {
    let mut json = derivation::policy(policy);
    json.as_object_mut().map(|fields| fields.remove("antisym"));
    json
}

fn close(names: &Names, phi: &[Constraint], tags: &Tags, policy: &Policy) -> Value {
    let listed = |vars: &std::collections::BTreeSet<Var>| vars.iter().map(|v| var_name(*v, names)).collect::<Value>();
    json!({
        "op": "close",
        "constraints": written(names, phi),
        "leaves": listed(&tags.leaves),
        "params": listed(&tags.params),
        "policy": policy_json(policy),
    })
}

/// Every third pair of row constraints with flanks up to one over one atom and two row variables, closed: all leaves, some
/// leaves, parameters among them. Some are decided as well.
#[test]
fn bridge_answers_two_constraints() {
    let mut bridge = Bridge::of("bridge_answers_two_constraints");
    let terms = row_terms(&flanks(&[two()], 1), &TERMS.row_vars);
    let one: Vec<Constraint> = row_constraints(&terms).collect();
    let mut number = 0;
    for a in &one {
        for b in &one {
            number += 1;
            if number % 3 != 0 && !large() {
                continue;
            }
            let phi = [a.clone(), b.clone()];
            let of = if number % 2 == 0 { Tags::leaves(phi.as_slice().vars()) } else { tags(&phi, number) };
            bridge.ask(&close(&TERMS.names, &phi, &of, &Policy::default()));
            if number % 5 == 0 {
                bridge.ask(&json!({"op": "decide", "constraints": written(&TERMS.names, &phi), "rank_bound": 2}));
            }
        }
    }
    bridge.finish(&["close closed", "close unsat", "decide sat", "decide unsat"]);
}

/// Random systems of one to hundreds of constraints: solved and closed under the signed guard by every strategy; the
/// small ones decided.
#[test]
fn bridge_answers_at_random() {
    let mut bridge = Bridge::of("bridge_answers_at_random");
    let count = if large() { 200_000 } else { 4_000 };
    for number in 0..count {
        let System { names, constraints } = system(number);
        let policy = Policy { guard: GuardPolicy::Signed, ..policy(number) };
        let asked =
            |op: &str| json!({"op": op, "constraints": written(&names, &constraints), "policy": policy_json(&policy)});
        bridge.ask(&asked("solve"));
        bridge.ask(&close(&names, &constraints, &tags(&constraints, number), &policy));
        if constraints.len() < 5 && constraints.iter().map(Constraint::axes).sum::<u64>() < 8 {
            let mut decide = asked("decide");
            decide["rank_bound"] = 2.into();
            bridge.ask(&decide);
        }
    }
    let verdicts = ["solved", "unsat", "rejected"].map(|v| format!("solve {v}"));
    let verdicts: Vec<&str> =
        verdicts.iter().map(String::as_str).chain(["close closed", "close error", "decide sat"]).collect();
    bridge.finish(&verdicts);
}

/// As an engine the model passes the conformance corpus: every case of solve, close, decide, check and version that has
/// no claims. The others it says it does not answer.
#[test]
fn the_model_passes_the_corpus() {
    let mut conform = Command::new(lozenge());
    // The model counts by ones, and the machine may be busy.
    let conform = conform
        .args(["conform", "--json", "--time-limit", "60000", "--engine"])
        .arg(model())
        .current_dir(root())
        .output();
    let conform = conform.expect("lozenge starts");
    let report: Value = serde_json::from_slice(&conform.stdout).expect("a report");
    let answered = |request: &&Value| {
        let op = request["op"].as_str().unwrap_or_default();
        ["solve", "close", "decide", "check", "version"].contains(&op) && request.get("claims").is_none()
    };
    let requests = requests();
    let answered = requests.iter().filter(answered).count();
    assert_eq!((&report["failed"], &report["reading"], &report["not_run"]), (&json!(0), &json!(0), &json!(0)));
    let passed = report["passed"].as_u64().unwrap_or(0);
    assert!(answered > 1_000 && passed >= answered as u64, "{passed} of {answered}");
    assert_eq!(conform.status.code(), Some(0));
}
