//! Cases that are made: every small constraint, and random ones from a seed.

use super::case::Case;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::Program;
use lozenge::wire;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_harnesses::programs;
use quickcheck::Gen;
use serde_json::{Value, json};

/// A seed for one case of a seeded run, so that cases do not depend on each other.
pub fn mix(seed: u64, case: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(case).wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The system of a number under a seed.
pub fn system(weights: Weights, seed: u64, case: u64) -> System {
    weights.system(&mut Gen::from_size_and_seed(100, mix(seed, case)))
}

/// The constraints of a system as JSON.
pub fn json_of(phi: &[Constraint], names: &Names) -> Value {
    phi.iter().map(|c| wire::constraint(c, names)).collect::<Vec<_>>().into()
}

/// Every constraint between two small dimensions, and every one between two rows with flanks of one axis at most.
pub fn boundaries() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut push = |kind: &str, request: Value| {
        let id = format!("boundary/{kind}-{}", cases.len() + 1);
        cases.push(Case::new(&id, "every constraint of this size", request, &[]));
    };
    let dims =
        [json!(2), json!(3), json!({"n": 2, "basis": "rgb"}), json!("unit"), json!({"var": "a"}), json!({"var": "b"})];
    for s in &dims {
        for t in &dims {
            for relation in ["eq", "le"] {
                push("dims", json!({"op": "solve", "constraints": [{relation: [s, t]}]}));
            }
        }
    }
    let mut rows = Vec::new();
    for var in [Value::Null, json!("p"), json!("q")] {
        for lead in [json!([]), json!([2])] {
            for trail in [json!([]), json!([3])] {
                let mut row = json!({"lead": lead, "trail": trail});
                if !var.is_null() {
                    row["var"] = var.clone();
                }
                rows.push(row);
            }
        }
    }
    for s in &rows {
        for t in &rows {
            // q on the left and p on the right is the same with the names changed.
            if s["var"] == "q" {
                continue;
            }
            for relation in ["eq", "le"] {
                push("rows", json!({"op": "solve", "constraints": [{relation: [s, t]}]}));
            }
        }
    }
    let flanks = [json!([]), json!(["unit"]), json!([2]), json!([2, 3])];
    let closed: Vec<Value> =
        flanks.iter().flat_map(|lead| flanks.iter().map(move |trail| json!({"lead": lead, "trail": trail}))).collect();
    for s in closed.iter().step_by(3) {
        for t in closed.iter().step_by(2) {
            for relation in ["eq", "le"] {
                push("check", json!({"op": "check", "constraints": [{relation: [s, t]}], "values": {}}));
            }
        }
    }
    cases
}

/// Random systems: what is asked of each, and how large they are.
const SYSTEMS: [(&str, Weights); 4] = [
    (
        "solve",
        Weights {
            flank: 2,
            constraints: 4,
            vars: 3,
            sizes: 2,
            bases: 1,
            variable_axes: 3,
            open_rows: 8,
            equalities: 0,
        },
    ),
    (
        "solve",
        Weights {
            flank: 2,
            constraints: 5,
            vars: 3,
            sizes: 2,
            bases: 2,
            variable_axes: 4,
            open_rows: 7,
            equalities: 3,
        },
    ),
    (
        "close",
        Weights {
            flank: 2,
            constraints: 4,
            vars: 3,
            sizes: 2,
            bases: 1,
            variable_axes: 4,
            open_rows: 8,
            equalities: 2,
        },
    ),
    (
        "decide",
        Weights {
            flank: 1,
            constraints: 4,
            vars: 2,
            sizes: 2,
            bases: 1,
            variable_axes: 2,
            open_rows: 7,
            equalities: 4,
        },
    ),
];

/// So many random systems of each kind, and as many `check` requests.
pub fn systems(seed: u64, count: u64) -> impl Iterator<Item = Case> {
    let random = SYSTEMS.iter().enumerate().flat_map(move |(kind, (op, weights))| {
        // Searching is slower than solving.
        let count = if *op == "decide" { count / 2 } else { count };
        (0..count).map(move |number| system_case(seed, (kind, op, *weights), number))
    });
    let checks = (0..count).map(move |number| {
        let request = check_request(SYSTEMS[1].1, seed, number);
        Case::new(&format!("random/check-{number}"), &format!("seed {seed}"), request, &[])
    });
    random.chain(checks)
}

/// One random system of a kind.
fn system_case(seed: u64, (kind, op, weights): (usize, &str, Weights), number: u64) -> Case {
    let System { names, constraints } = system(weights, seed ^ (kind as u64) << 32, number);
    let mut request = json!({"op": op, "constraints": json_of(&constraints, &names)});
    if op == "close" {
        let used = lozenge::term::Vars::vars(constraints.as_slice());
        let leaves: Vec<String> = used.iter().step_by(2).map(|v| crate::answer::name(*v, &names)).collect();
        request["leaves"] = leaves.into();
    }
    if op == "decide" {
        request["rank_bound"] = 3.into();
    }
    Case::new(&format!("random/{op}-{kind}-{number}"), &format!("seed {seed}"), request, &[])
}

/// A system with values: a solution where one is known, then changed a little, or anything.
pub fn check_request(weights: Weights, seed: u64, number: u64) -> Value {
    let System { mut names, constraints } = system(weights, seed, number);
    let mut g = Gen::from_size_and_seed(100, mix(seed, number) ^ 1);
    let phi = json_of(&constraints, &names);
    let solved = crate::oracle::reference(
        &json!({"op": "decide", "constraints": phi, "rank_bound": 2, "limits": {"fuel": 2000}}),
    );
    let mut values = solved["values"].as_object().cloned().unwrap_or_default();
    for var in lozenge::term::Vars::vars(constraints.as_slice()) {
        let name = crate::answer::name(var, &names);
        if values.contains_key(&name) && !number.is_multiple_of(3) {
            continue;
        }
        if values.contains_key(&name) && u64::from(var.id()) % 2 == number % 2 {
            continue;
        }
        let value = match var {
            lozenge::term::Var::Dim(_) => wire::dim_term(weights.dim(&mut g, &mut names).into(), &names),
            lozenge::term::Var::Row(_) => wire::row(&weights.row(&mut g, &mut names), &names),
        };
        values.insert(name, value);
    }
    json!({"op": "check", "constraints": phi, "values": values})
}

/// A program as its text.
pub fn program_text(program: &Program) -> String {
    program.to_string()
}

/// Random programs.
pub fn programs(seed: u64, count: u64) -> impl Iterator<Item = Case> {
    (0..count).flat_map(move |number| {
        let text = program_text(&programs::program(seed, number));
        super::source::program(&format!("random/program-{number}"), &format!("seed {seed}"), &text)
    })
}
