//! `lozenge oracle`: every operation, every kind of error, one answer a line.
#![allow(missing_docs)]

use lozenge_tests::oracle::answers_to;
use lozenge_tests::{blocks, read};
use serde_json::{Value, json};

fn answers(lines: &[&str]) -> Vec<String> {
    answers_to(lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect())
}

fn parsed(lines: &[&str]) -> Vec<Value> {
    answers(lines).iter().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

#[test]
fn the_examples_of_the_protocol_are_answered_as_shown() {
    let mut exchanges = 0;
    for block in blocks(&read("spec/protocol.md")).iter().filter(|block| block.tag == "jsonl") {
        let lines: Vec<&str> = block.text.lines().collect();
        let requests: Vec<&str> = lines.iter().step_by(2).copied().collect();
        let shown: Vec<&str> = lines.iter().skip(1).step_by(2).copied().collect();
        assert_eq!(answers(&requests), shown, "in the block that begins with {:?}", requests.first());
        exchanges += requests.len();
    }
    assert!(exchanges >= 10, "exchanges are shown: {exchanges}");
}

#[test]
fn every_operation_is_answered_or_refused_by_name() {
    let unknown = &parsed(&[r#"{"id":1,"op":"fly"}"#])[0];
    assert_eq!(unknown["kind"], "unsupported");
    for op in ["solve", "close", "decide", "check", "infer", "project", "run", "parse", "version"] {
        let answer = &parsed(&[&json!({"id": 1, "op": op}).to_string()])[0];
        assert!(op == "version" || answer["kind"] == "parse", "{op} says what it lacks: {answer}");
        assert!(unknown["message"].as_str().is_some_and(|m| m.contains(op)), "{op} in {unknown}");
    }
}

#[test]
fn policies_and_limits() {
    // Finding F1: nothing but the guard of R1 ends this.
    let f1 = r#"[{"le":[{"lead":[2],"var":"q","trail":[]},{"lead":[],"var":"p","trail":[]}]},{"le":[{"lead":[2],"var":"p","trail":[]},{"lead":[],"var":"q","trail":[3]}]}]"#;
    let grow = r#"[{"le":[{"lead":[],"var":"p","trail":[]},{"lead":[2],"var":"p","trail":[]}]}]"#;
    for (constraints, policy, limits, verdict) in [
        (f1, r#"{}"#, r#"{}"#, json!({"verdict": "unsat", "rule": "RG-trail"})),
        (f1, r#"{"guard":"signed"}"#, r#"{}"#, json!({"verdict": "unsat", "rule": "RG-trail"})),
        (f1, r#"{"guard":"paper"}"#, r#"{"fuel":300}"#, json!({"verdict": "limit", "which": "fuel"})),
        (grow, r#"{"guard":"none"}"#, r#"{"rank":20}"#, json!({"verdict": "limit", "which": "rank"})),
        (grow, r#"{"guard":"none"}"#, r#"{"elements":20}"#, json!({"verdict": "limit", "which": "elements"})),
        (grow, r#"{"strategy":"lifo"}"#, r#"{}"#, json!({"verdict": "unsat", "rule": "RG-lead"})),
        (grow, r#"{"strategy":"random","seed":18446744073709551615}"#, r#"{}"#, json!({"verdict": "unsat"})),
        (grow, r#"{"strategy":"rounds","guard":"paper"}"#, r#"{}"#, json!({"verdict": "rejected", "rule": "RG-rank"})),
    ] {
        let request = format!(r#"{{"op":"solve","constraints":{constraints},"policy":{policy},"limits":{limits}}}"#);
        let answer = &parsed(&[&request])[0];
        for (field, value) in verdict.as_object().expect("fields") {
            assert_eq!(&answer[field], value, "{field} of {answer} for {request}");
        }
    }
}

#[test]
fn a_trace_tells_what_each_step_used() {
    let request = json!({"op": "solve", "trace": true, "constraints": [
        {"eq": [{"lead": [], "var": "p", "trail": []}, {"lead": [], "trail": [3]}]},
        {"le": [{"lead": [], "var": "q", "trail": []}, {"lead": [], "var": "p", "trail": []}]},
    ]});
    let answer = &parsed(&[&request.to_string()])[0];
    let steps = answer["trace"].as_array().expect("steps");
    let fields = ["rule", "definition", "consumed", "from", "instance", "used", "also", "emitted", "stored", "bind"];
    for step in steps {
        for field in fields.iter().chain(&["facts", "policy", "tainted"]) {
            assert!(step.get(field).is_some(), "{field} in {step}");
        }
    }
    assert_eq!((&steps[0]["rule"], &steps[0]["policy"]), (&json!("RE-open-closed"), &json!(true)));
    assert_eq!(steps[0]["bind"], json!({"var": "p", "to": {"lead": [], "trail": [3]}, "placement": true}));
    assert_eq!((&steps[1]["rule"], &steps[1]["tainted"]), (&json!("RI-deficit"), &json!(true)));
    assert_eq!((&steps[1]["used"], &steps[1]["from"]), (&json!([0]), &json!({"input": 1})));
    let fact = json!({"rule": "RG-trail", "greater": "q", "lesser": null, "weight": 1});
    assert!(steps[1]["facts"].as_array().is_some_and(|facts| facts.contains(&fact)), "{}", steps[1]);
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    for id in [
        "null",
        "0",
        "-0.0",
        "1.0",
        "1e2",
        "123456789012345678901234567890",
        r#""a\u0041\ud800 \/""#,
        r#"{"b": 1,  "a":[true, {}]}"#,
        "\"\u{85}\u{9b}31mé🎉\"",
    ] {
        let answer = &answers(&[&format!(r#" {{ "op" : "version", "id" : {id} }} "#)])[0];
        assert!(answer.starts_with(&format!(r#"{{"id":{id},"verdict":"version","#)), "{answer}");
    }
    let without = &answers(&[r#"{"op":"version"}"#])[0];
    assert!(without.starts_with(r#"{"verdict":"version","#), "{without}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = &answers(&[&format!(r#"{{"id":{deep},"op":"version"}}"#)])[0];
    assert!(answer.starts_with(&format!(r#"{{"id":{deep},"verdict":"version""#)), "a deep id is no matter");
}

/// Kind and place of the error that each of these gets.
#[test]
fn bad_requests_get_errors_with_their_place() {
    let solve = |rest: &str| format!(r#"{{"id":1,"op":"solve",{rest}}}"#);
    let check = |values: &str| {
        let constraints =
            r#"[{"le":[{"var":"a"},{"var":"b"}]},{"eq":[{"lead":[],"var":"r","trail":[]},{"lead":[],"trail":[]}]}]"#;
        format!(r#"{{"id":1,"op":"check","constraints":{constraints},"values":{values}}}"#)
    };
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for (request, kind, at) in [
        (r#"{"id":1}"#.to_owned(), "parse", ""),
        (r#"{"id":1,"op":7}"#.to_owned(), "parse", "/op"),
        (r#"{"id":1,"op":"\ud800"}"#.to_owned(), "parse", "/op"),
        (r#"{"id":1,"op":"version","x":1}"#.to_owned(), "parse", ""),
        (r#"{"id":1,"op":"solve"}"#.to_owned(), "parse", ""),
        (solve(r#""constraints":{}"#), "parse", "/constraints"),
        (solve(r#""constraints":1e999"#), "parse", "/constraints"),
        (solve(r#""constraints":[{"eq":[3,3]},{"eq":[0,3]}]"#), "parse", "/constraints/1/eq/0"),
        (solve(r#""constraints":[{"eq":[{"var":"?7"},3]}]"#), "parse", "/constraints/0/eq/0/var"),
        (solve(r#""constraints":[{"le":[3,{"lead":[],"trail":[]}]}]"#), "sort", "/constraints/0/le"),
        (
            solve(
                r#""constraints":[{"eq":[{"var":"a"},3]},{"eq":[{"lead":[],"var":"a","trail":[]},{"lead":[],"trail":[]}]}]"#,
            ),
            "sort",
            "/constraints/1/eq/0/var",
        ),
        (solve(&format!(r#""constraints":{deep}"#)), "limit", "/constraints"),
        (solve(r#""constraints":[],"values":{}"#), "parse", ""),
        (solve(r#""constraints":[],"policy":null"#), "parse", "/policy"),
        (solve(r#""constraints":[],"policy":{"gard":"signed"}"#), "parse", "/policy"),
        (solve(r#""constraints":[],"policy":{"guard":"strong"}"#), "parse", "/policy/guard"),
        (solve(r#""constraints":[],"policy":{"strategy":1}"#), "parse", "/policy/strategy"),
        (solve(r#""constraints":[],"policy":{"seed":-1}"#), "parse", "/policy/seed"),
        (solve(r#""constraints":[],"limits":[]"#), "parse", "/limits"),
        (solve(r#""constraints":[],"limits":{"steps":1}"#), "parse", "/limits"),
        (solve(r#""constraints":[],"limits":{"fuel":1.5}"#), "parse", "/limits/fuel"),
        (solve(r#""constraints":[],"trace":"yes""#), "parse", "/trace"),
        (solve(r#""constraints":[],"certificate":0"#), "parse", "/certificate"),
        (r#"{"id":1,"op":"check","constraints":[]}"#.to_owned(), "parse", ""),
        (check("[]"), "parse", "/values"),
        (check(r#"{"a":3}"#), "parse", "/values"),
        (check(r#"{"a/~b":3}"#), "parse", "/values/a~1~0b"),
        (check(r#"{"a":0}"#), "parse", "/values/a"),
        (check(r#"{"r":{"lead":[],"trail":[3,0]}}"#), "parse", "/values/r/trail/1"),
        (check(r#"{"a":{"var":"b"}}"#), "parse", "/values/a"),
        (check(r#"{"r":{"lead":[{"var":"b"}],"trail":[]}}"#), "parse", "/values/r"),
        (check(r#"{"r":3}"#), "sort", "/values/r"),
        (check(r#"{"a":{"lead":[],"trail":[]}}"#), "sort", "/values/a"),
    ] {
        let answer = &parsed(&[&request])[0];
        assert_eq!((&answer["id"], &answer["verdict"]), (&json!(1), &json!("error")), "{request}");
        assert_eq!((&answer["kind"], &answer["at"]), (&json!(kind), &json!(at)), "{request}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|m| !m.is_empty() && m.len() < 400), "{answer}");
    }
}

#[test]
fn lines_that_are_no_requests_get_the_id_null() {
    let mut input: Vec<u8> = Vec::new();
    let bad: [&[u8]; 11] = [
        b"",
        b"   ",
        b"solve this",
        b"[1]",
        b"3",
        b"{\"id\":1,\"op\":\"version\"",
        b"{\"id\":1,\"op\":\"version\"} {}",
        b"{\"id\":1,\"op\":\"version\",\"x\":\"\xff\"}",
        b"\0\0\0",
        &[b'['; 200_000],
        &b"{\"a\":".repeat(50_000),
    ];
    for line in bad {
        input.extend_from_slice(line);
        input.extend_from_slice(b"\n{\"id\":\"next\",\"op\":\"version\"}\r\n");
    }
    let answers = answers_to(input);
    assert_eq!(answers.len(), 2 * bad.len());
    for pair in answers.chunks(2) {
        let error: Value = serde_json::from_str(&pair[0]).expect("JSON");
        assert_eq!(
            (&error["id"], &error["kind"], &error["at"]),
            (&json!(null), &json!("parse"), &json!("")),
            "{error}"
        );
        assert!(error.as_object().is_some_and(|fields| fields.contains_key("id")), "{error}");
        assert!(pair[1].starts_with(r#"{"id":"next","verdict":"version""#), "{}", pair[1]);
    }
}

#[test]
fn a_trace_that_is_too_long_is_refused() {
    let grow = r#"[{"le":[{"lead":[],"var":"p","trail":[]},{"lead":[2],"var":"p","trail":[]}]}]"#;
    let request = format!(r#"{{"op":"solve","constraints":{grow},"policy":{{"guard":"none"}},"trace":true}}"#);
    let answer = &parsed(&[&request])[0];
    assert_eq!((&answer["kind"], &answer["at"]), (&json!("limit"), &json!("/trace")), "{answer}");
}

#[test]
fn a_byte_order_mark_before_the_first_request_is_skipped() {
    let version = r#"{"id":1,"op":"version"}"#;
    for jobs in ["1", "2"] {
        let requests = format!("\u{feff}{version}\n\u{feff}{version}\n");
        let (_, out, _) = lozenge_tests::run(&["oracle", "--jobs", jobs], &requests);
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines[0].starts_with(r#"{"id":1,"verdict":"version""#), "{out}");
        assert!(lines[1].contains("not JSON"), "only at the beginning: {out}");
    }
}
