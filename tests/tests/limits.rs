//! Limits cannot be lost: whatever limit a request sets, its answer is the one it gets without, or says that a limit
//! was reached. Every operation, every limit, the whole corpus, random systems and random programs.
#![allow(missing_docs)]

use lozenge_harnesses::programs::{Numbers, program};
use lozenge_tests::{ask, corpus, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The answers of one oracle to many requests.
fn answers(requests: &[Value]) -> Vec<Value> {
    ask(&requests.iter().map(Value::to_string).collect::<Vec<_>>())
}

/// Limits that small questions reach, and some that only larger ones do.
const LIMITS: [(&str, &[u64]); 4] = [
    ("fuel", &[0, 1, 2, 3, 5, 8, 13, 21, 40, 100, 300]),
    ("rank", &[0, 1, 2, 3]),
    ("elements", &[0, 1, 3, 10, 30, 100]),
    ("points", &[0, 1, 10, 100]),
];

/// An answer without its number. What a rejection carries beside its reason comes from a search that nobody asked for,
/// which has limits of its own.
fn essence(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(fields) = answer.as_object_mut() {
        fields.retain(|key, _| key != "id");
    }
    answer
}

/// Does an answer say that this limit was reached?
fn says_limit(answer: &Value, limit: &str) -> bool {
    match answer["verdict"].as_str() {
        Some("limit") => answer["which"] == limit,
        Some("unknown") => answer["which"] == limit || limit == "rank",
        Some("error") => answer["kind"] == "limit",
        _ => false,
    }
}

/// Holds every request under every limit to the request without; how often each limit was reached, by operation.
fn compare(requests: &[Value]) -> BTreeMap<(String, &'static str), (u64, u64)> {
    let mut counts = BTreeMap::new();
    let free = answers(requests);
    for (limit, values) in LIMITS {
        for value in values {
            let limited = |request: &Value| {
                let mut request = request.clone();
                let fields = request.as_object_mut().expect("an object");
                let limits = fields.entry("limits").or_insert_with(|| json!({}));
                limits[limit] = json!(value);
                request
            };
            let asked: Vec<Value> = requests.iter().map(limited).collect();
            for ((request, free), limited) in asked.iter().zip(&free).zip(answers(&asked)) {
                let reached = says_limit(&limited, limit);
                assert!(
                    reached || essence(&limited) == essence(free),
                    "{request}\nis answered {limited}\nand without the limit {free}"
                );
                let op = request["op"].as_str().unwrap_or_default().to_owned();
                let (equal, limits) = counts.entry((op, limit)).or_insert((0, 0));
                *(if reached { limits } else { equal }) += 1;
            }
        }
    }
    counts
}

/// Was every limit reached, and passed, by every operation that it bounds?
fn assert_reached(counts: &BTreeMap<(String, &'static str), (u64, u64)>, ops: &[&str], limits: &[&str]) {
    for op in ops {
        for limit in limits {
            let key = ((*op).to_owned(), *limit);
            let (_, (equal, reached)) = counts.get_key_value(&key).unwrap_or_else(|| panic!("{op} under {limit}"));
            assert!(*equal > 0 && *reached > 0, "{op} under {limit}: {equal} equal, {reached} limits");
        }
    }
}

/// Only requests without limits of their own that mean something: the free answer must be one.
fn is_free(case: &Value) -> bool {
    let ops = ["solve", "close", "decide", "infer", "project", "run"];
    let verdict = case["expected"]["verdict"].as_str();
    let endless = case["request"]["policy"]["guard"].as_str().is_some_and(|guard| guard != "signed");
    ops.iter().any(|op| case["request"]["op"] == *op)
        && case["request"].get("limits").is_none()
        && !endless
        && verdict.is_some_and(|verdict| verdict != "limit" && verdict != "error")
}

#[test]
fn the_corpus_answers_the_same_or_a_limit() {
    let requests: Vec<Value> = corpus().iter().filter(|case| is_free(case)).map(|c| c["request"].clone()).collect();
    assert!(requests.len() > 1000, "{} requests", requests.len());
    let counts = compare(&requests);
    assert_reached(&counts, &["solve", "close", "decide", "infer", "project", "run"], &["fuel"]);
}

/// A random dimension, variables more often than sizes.
fn dim(numbers: &mut Numbers) -> Value {
    match numbers.below(8) {
        0 => json!("unit"),
        1 => json!(2),
        2 => json!(3),
        n => json!({ "var": (["a", "b", "c", "d", "e"])[n - 3] }),
    }
}

fn row(numbers: &mut Numbers) -> Value {
    let mut flank = |longest: usize| (0..numbers.below(longest + 1)).map(|_| dim(numbers)).collect::<Vec<_>>();
    let (lead, trail) = (flank(2), flank(2));
    match numbers.below(5) {
        0 => json!({ "lead": lead, "trail": trail }),
        n => json!({ "lead": lead, "var": (["p", "q", "r", "s"])[n - 1], "trail": trail }),
    }
}

fn constraint(numbers: &mut Numbers) -> Value {
    let relation = if numbers.percent(35) { "eq" } else { "le" };
    let sides = if numbers.percent(35) { [dim(numbers), dim(numbers)] } else { [row(numbers), row(numbers)] };
    json!({ relation: sides })
}

#[test]
fn random_systems_answer_the_same_or_a_limit() {
    let mut requests = Vec::new();
    for case in 0..1500 {
        let numbers = &mut Numbers::of(18, case);
        let constraints: Vec<Value> = (0..1 + numbers.below(7)).map(|_| constraint(numbers)).collect();
        let strategy = ["fifo", "lifo", "rounds"][numbers.below(3)];
        let policy = json!({ "strategy": strategy });
        requests.push(json!({ "op": "solve", "constraints": constraints, "policy": policy, "certificate": true }));
        requests.push(json!({ "op": "solve", "constraints": constraints, "policy": policy, "trace": true }));
        requests.push(json!({ "op": "close", "constraints": constraints, "policy": policy }));
        requests.push(json!({ "op": "decide", "constraints": constraints, "policy": policy, "rank_bound": 2 }));
    }
    let counts = compare(&requests);
    assert_reached(&counts, &["solve", "close", "decide"], &["fuel", "rank", "elements"]);
}

#[test]
fn random_programs_answer_the_same_or_a_limit() {
    let mut requests = Vec::new();
    for case in 0..400 {
        let text = program(18, case).to_string();
        requests.push(json!({ "op": "infer", "program": text }));
        requests.push(json!({ "op": "project", "program": text }));
        requests.push(json!({ "op": "run", "program": text, "fill": 1 }));
    }
    let counts = compare(&requests);
    assert_reached(&counts, &["infer", "project", "run"], &["fuel"]);
    assert_reached(&counts, &["run"], &["elements", "points"]);
}

/// A number that does not fit is a limit, whichever rule meets it: it says nothing of solutions.
#[test]
fn numbers_that_do_not_fit_are_limits() {
    let product = "input x: 4294967296, 4294967296\nlet z = x ++ \"..r.. => ..r..\" [\"r\"]\n";
    let total = format!("{product}r = 4 * q\n");
    let requests = [product, &total].map(|program| json!({ "op": "infer", "program": program }));
    for answer in answers(&requests) {
        assert_eq!((&answer["verdict"], &answer["which"]), (&json!("limit"), &json!("elements")), "{answer}");
    }
}

/// What the limits are for: questions that cost much more than they are long. A cycle of dimensions costs no more than its
/// length, and has an answer.
#[test]
fn costly_questions_end() {
    let dims = |n: usize| {
        (0..n).map(move |i| json!({ "le": [{ "var": format!("a{i}") }, { "var": format!("a{}", (i + 1) % n) }] }))
    };
    let open = |v: &str| json!({ "lead": [], "var": v, "trail": [] });
    let wide = json!({ "lead": vec![3; 4098], "trail": [] });
    let crossing: Vec<Value> = (0..30)
        .map(|i| json!({ "eq": [{ "lead": [3], "var": format!("x{i}"), "trail": [] }, { "lead": [], "var": format!("x{}", (i + 1) % 30), "trail": [5] }] }))
        .collect();
    let requests = [
        json!({ "op": "solve", "constraints": dims(60_000).collect::<Vec<_>>() }),
        json!({ "op": "decide", "constraints": dims(60_000).collect::<Vec<_>>() }),
        json!({ "op": "decide", "constraints": [{ "le": [open("r"), wide] }] }),
        json!({ "op": "decide", "constraints": crossing, "rank_bound": 4096, "limits": { "fuel": 200_000 } }),
        json!({ "op": "solve", "policy": { "guard": "none" }, "constraints": [
            { "le": [{ "lead": [2], "var": "q", "trail": [] }, open("p")] },
            { "le": [{ "lead": [2], "var": "p", "trail": [] }, { "lead": [], "var": "q", "trail": [3] }] },
        ] }),
    ];
    let verdicts: Vec<String> =
        answers(&requests).iter().map(|answer| answer["verdict"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(verdicts, ["solved", "sat", "unknown", "unknown", "limit"]);
}

/// A copy with its padding counts: where it does not fit beside the tensors there is none, and the answer is the same. Here
/// twelve million cells, 96 MB, would be around a thousand.
#[test]
fn padding_is_within_the_limit_on_elements() {
    let program = "input x: 1000\nlet y = x ++ \"o=+1000*k => o\" [\"k\"]\nk = 12001\n";
    let request = json!({ "op": "run", "program": program, "fill": 1, "limits": { "elements": 3000 } });
    let (status, out, err) = run(&["oracle", "--limits", "memory=64"], &format!("{request}\n"));
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(answer["verdict"], "ran", "{answer}");
    assert_eq!(answer["values"]["y"]["data"], json!(vec![1.0; 1000]));
}

/// Limits may be raised beyond what memory has addresses for.
#[test]
fn tensors_beyond_all_memory_are_refused() {
    let most = u128::MAX.to_string();
    for (size, scalar) in [(1_u64 << 60, "f64"), (1 << 62, "i64"), (1 << 59, "rational"), (u64::MAX, "tropical")] {
        for naive in [&["--naive"][..], &[]] {
            let options =
                ["run", "-", "--fill", "1", "--scalar", scalar, "--max-elements", &most, "--max-points", &most];
            let text = format!("input x: {size}\nlet y = x ++ \"i => 0\"\n");
            let (status, out, err) = run(&[&options, naive].concat(), &text);
            assert_eq!((status, out), (Some(1), format!("error: 2:9: overflow: `size` of [{size}]\n")), "{err}");
        }
    }
}
