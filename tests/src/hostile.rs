//! Hostile requests: nine in ten are well formed, of every operation with every option; the others are garbage.
//! Request number n of a seed is always the same.

mod garbage;

use lozenge::names::Names;
use lozenge::term::Var;
use lozenge::wire;
use lozenge_harnesses::generators::{System, Weights, vars_of};
use lozenge_harnesses::programs::{Numbers, program};
use quickcheck::Gen;
use serde_json::{Map, Value, json};

/// What the answer to a line must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// One of the verdicts of this operation, or a limit.
    Answer(&'static str),
    /// An error, of this kind unless it is empty.
    Error(&'static str),
    /// Some verdict: it may be a request all the same.
    Any,
}

/// A line, and what must come back.
#[derive(Clone, Debug)]
pub struct Hostile {
    /// The bytes, without the end of the line.
    pub line: Vec<u8>,
    /// What the answer must be.
    pub expected: Expected,
}

/// The operations, some of them more often.
const OPS: [&str; 12] =
    ["solve", "solve", "solve", "close", "close", "decide", "check", "check", "infer", "project", "run", "version"];

/// Request number `case` under a seed.
#[must_use]
pub fn hostile(seed: u64, case: u64) -> Hostile {
    let mut numbers = Numbers::of(seed, case);
    if numbers.percent(10) {
        return garbage::garbage(seed, case, &mut numbers);
    }
    let (op, request) = request(seed, case, &mut numbers);
    Hostile { line: Value::Object(request).to_string().into_bytes(), expected: Expected::Answer(op) }
}

/// A well-formed request.
fn request(seed: u64, case: u64, numbers: &mut Numbers) -> (&'static str, Map<String, Value>) {
    let op = OPS[numbers.below(OPS.len())];
    let mut request = Map::new();
    request.insert("op".to_owned(), op.into());
    if let Some(id) = id(case, numbers) {
        request.insert("id".to_owned(), id);
    }
    match op {
        "version" => {}
        "infer" | "project" | "run" => about_program(&mut request, op, seed, case, numbers),
        _ => about_system(&mut request, op, seed, case, numbers),
    }
    (op, request)
}

/// An id with the number of the case in it; rarely none.
fn id(case: u64, numbers: &mut Numbers) -> Option<Value> {
    Some(match numbers.below(50) {
        0 => return None,
        1 => json!({ "case": case, "of": [null, true, -1.5] }),
        2 => json!([case, "ρ\u{0}\"\\ \u{1f600}"]),
        3..20 => json!(case.to_string()),
        _ => json!(case),
    })
}

/// One of some.
fn pick<T: Clone>(from: &[T], numbers: &mut Numbers) -> T {
    from[numbers.below(from.len())].clone()
}

/// Limits, always with little fuel: some runs have no end.
fn limits(numbers: &mut Numbers, more: &[&str]) -> Value {
    let mut limits = json!({ "fuel": pick(&[0, 1, 10, 100, 500, 500], numbers) });
    for key in [&["rank", "elements"], more].concat() {
        if numbers.percent(30) {
            limits[key] = json!(pick(&[0, 1, 3, 50, 1000], numbers));
        }
    }
    limits
}

/// Guard, strategy and seed, each at times.
fn policy(numbers: &mut Numbers) -> Value {
    let mut policy = json!({});
    if numbers.percent(50) {
        policy["guard"] = json!(pick(&["signed", "paper", "none"], numbers));
    }
    if numbers.percent(50) {
        policy["strategy"] = json!(pick(&["fifo", "lifo", "random", "rounds"], numbers));
    }
    if numbers.percent(20) {
        policy["seed"] = json!(pick(&[0, 7, u64::MAX], numbers));
    }
    policy
}

/// A random system.
fn system(seed: u64, case: u64, numbers: &mut Numbers) -> System {
    let (vars, constraints) = (1 + numbers.below(3), 1 + numbers.below(6));
    let weights = Weights { flank: numbers.below(3), constraints, vars, sizes: 3, bases: 2, ..Weights::default() };
    weights.system(&mut Gen::from_size_and_seed(20, seed ^ case))
}

fn name(var: Var, names: &Names) -> String {
    names.show(&var).to_string().trim_matches(['⟨', '⟩']).to_owned()
}

/// `solve`, `close`, `decide`, `check`.
fn about_system(request: &mut Map<String, Value>, op: &str, seed: u64, case: u64, numbers: &mut Numbers) {
    let mut system = system(seed, case, numbers);
    let constraints = system.constraints.iter().map(|phi| wire::constraint(phi, &system.names)).collect();
    request.insert("constraints".to_owned(), Value::Array(constraints));
    if op == "check" {
        request.insert("values".to_owned(), values(&mut system, seed ^ case));
        return;
    }
    if numbers.percent(70) {
        request.insert("policy".to_owned(), policy(numbers));
    }
    request.insert("limits".to_owned(), limits(numbers, &[]));
    match op {
        "solve" => {
            for key in ["trace", "certificate"] {
                if numbers.percent(20) {
                    request.insert(key.to_owned(), json!(numbers.percent(80)));
                }
            }
        }
        "close" => {
            for key in ["leaves", "params"] {
                let vars = vars_of(&system).into_iter().filter(|_| numbers.percent(40));
                let names: Vec<String> = vars.map(|var| name(var, &system.names)).collect();
                request.insert(key.to_owned(), json!(names));
            }
        }
        _ => {
            request.insert("rank_bound".to_owned(), json!(numbers.below(4)));
        }
    }
}

/// Some value for every variable.
fn values(system: &mut System, seed: u64) -> Value {
    let (weights, mut g) = (Weights { flank: 2, ..Weights::default() }, Gen::from_size_and_seed(20, seed));
    let value = |var: Var, names: &mut Names| match var {
        Var::Dim(_) => wire::dim_term(weights.dim(&mut g, names).into(), names),
        Var::Row(_) => wire::row(&weights.row(&mut g, names), names),
    };
    let vars = vars_of(system);
    let mut value = value;
    vars.into_iter().map(|var| (name(var, &system.names), value(var, &mut system.names))).collect()
}

/// `infer`, `project`, `run`.
fn about_program(request: &mut Map<String, Value>, op: &str, seed: u64, case: u64, numbers: &mut Numbers) {
    // Few programs, so that they cost little to make.
    let made = program(seed, case % 1000);
    let form = if numbers.percent(70) { json!(made.to_string()) } else { json!(made) };
    request.insert("program".to_owned(), form);
    if numbers.percent(50) {
        request.insert("policy".to_owned(), policy(numbers));
    }
    request.insert("limits".to_owned(), limits(numbers, if op == "run" { &["points"] } else { &[] }));
    match op {
        "infer" if numbers.percent(30) => drop(request.insert("trace".to_owned(), json!(true))),
        "run" => {
            let fills = [json!(1.5), json!("range"), json!("range:1:0.5"), json!(-3)];
            request.insert("fill".to_owned(), fills[numbers.below(4)].clone());
            if numbers.percent(50) {
                request.insert("scalar".to_owned(), json!(pick(&["f64", "i64", "rational", "tropical"], numbers)));
            }
        }
        _ => {}
    }
}
