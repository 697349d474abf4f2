//! `lozenge oracle`, run as a process: every operation, every kind of error, one answer a line.
#![allow(missing_docs)]

use lozenge_tests::{blocks, read};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

fn start() -> Child {
    start_with(&[])
}

fn start_with(options: &[&str]) -> Child {
    Command::new(lozenge_tests::lozenge())
        .arg("oracle")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lozenge starts")
}

/// The answers to these bytes; the process must end with 0 and complain about nothing.
fn answers_to(input: Vec<u8>) -> Vec<String> {
    let mut child = start();
    let mut stdin = child.stdin.take().expect("stdin");
    // Answers are read while requests are written: pipes are small.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("lozenge ends");
    writer.join().expect("the writer ends").expect("everything was read");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

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
    for op in ["solve", "close", "decide", "check", "infer", "project", "run", "version"] {
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
fn a_line_that_is_too_long_is_skipped() {
    let mut input = b"{\"id\":1,\"op\":\"version\",\"x\":\"".to_vec();
    input.resize(input.len() + (64 << 20), b'x');
    input.extend_from_slice(b"\"}\n{\"id\":2,\"op\":\"version\"}");
    let answers = answers_to(input);
    assert_eq!(answers.len(), 2);
    assert!(answers[0].starts_with(r#"{"id":null,"verdict":"error","kind":"limit""#), "{}", answers[0]);
    assert!(answers[1].starts_with(r#"{"id":2,"verdict":"version""#), "a last line needs no line feed");
}

#[test]
fn ten_thousand_requests_in_order() {
    let mut input = String::new();
    for i in 0..10_000 {
        let request = match i % 5 {
            0 => format!(r#"{{"id":{i},"op":"solve","constraints":[{{"eq":[{{"var":"a{i}"}},{}]}}]}}"#, i + 1),
            1 => format!(
                r#"{{"id":{i},"op":"check","constraints":[{{"le":[{{"var":"a"}},{i}]}}],"values":{{"a":{i}}}}}"#
            ),
            2 => format!(r#"{{"id":{i},"op":"version"}}"#),
            3 => format!(
                r#"{{"id":{i},"op":"solve","constraints":[{{"eq":[3,{{"var":"x"}}]}},{{"eq":[{{"var":"x"}},4]}}]}}"#
            ),
            _ => format!("garbage {i}"),
        };
        input.push_str(&request);
        input.push('\n');
    }
    let answers = answers_to(input.into_bytes());
    assert_eq!(answers.len(), 10_000);
    for (i, answer) in answers.iter().enumerate() {
        let expected = match i % 5 {
            0 => format!(r#"{{"id":{i},"verdict":"solved","sigma":{{"a{i}":{}}},"#, i + 1),
            1 => format!(r#"{{"id":{i},"verdict":"holds"}}"#),
            2 => format!(r#"{{"id":{i},"verdict":"version","#),
            3 => format!(r#"{{"id":{i},"verdict":"unsat","rule":"DE-clash","#),
            _ => r#"{"id":null,"verdict":"error","kind":"parse","#.to_owned(),
        };
        assert!(answer.starts_with(&expected), "{i}: {answer}");
    }
}

#[test]
fn an_answer_is_there_before_the_next_request() {
    let mut child = start();
    let mut stdin = child.stdin.take().expect("stdin");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
    for i in 0..3 {
        writeln!(stdin, r#"{{"id":{i},"op":"version"}}"#).expect("written");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("an answer");
        assert!(line.starts_with(&format!(r#"{{"id":{i},"#)), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("lozenge ends").code(), Some(0));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = start();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin");
    let request = b"{\"op\":\"version\"}\n";
    while stdin.write_all(request).is_ok() {}
    let mut err = String::new();
    child.stderr.take().expect("stderr").read_to_string(&mut err).expect("UTF-8");
    assert_eq!((child.wait().expect("lozenge ends").code(), err.as_str()), (Some(0), ""));
}

#[test]
fn a_trace_that_is_too_long_is_refused() {
    let grow = r#"[{"le":[{"lead":[],"var":"p","trail":[]},{"lead":[2],"var":"p","trail":[]}]}]"#;
    let request = format!(r#"{{"op":"solve","constraints":{grow},"policy":{{"guard":"none"}},"trace":true}}"#);
    let answer = &parsed(&[&request])[0];
    assert_eq!((&answer["kind"], &answer["at"]), (&json!("limit"), &json!("/trace")), "{answer}");
}

/// A run that no guard ends, with limits that do not end it soon either.
const ENDLESS: &str = r#"{"id":1,"op":"solve","constraints":[{"le":[{"lead":[],"var":"p","trail":[]},{"lead":[2],"var":"p","trail":[]}]}],"policy":{"guard":"none"},"limits":{"fuel":1000000000000,"rank":1000000000000,"elements":1000000000000}}"#;
const VERSION: &str = r#"{"id":2,"op":"version"}"#;

fn answers_within(limits: &str, lines: &[&str]) -> Vec<Value> {
    let mut child = start_with(&["--limits", limits]);
    let mut stdin = child.stdin.take().expect("stdin");
    for line in lines {
        writeln!(stdin, "{line}").expect("lozenge reads");
    }
    drop(stdin);
    let output = child.wait_with_output().expect("lozenge ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn limits_bound_every_request_and_the_next_one_is_served() {
    for (limits, which) in
        [("time=300", "time"), ("rank=50", "rank"), ("elements=1000", "elements"), ("fuel=100", "fuel")]
    {
        let answers = answers_within(limits, &[ENDLESS, VERSION, "not JSON", VERSION]);
        assert_eq!(answers[0], json!({"id": 1, "verdict": "limit", "which": which}), "{limits}");
        assert_eq!(
            (&answers[1]["verdict"], &answers[2]["kind"], &answers[3]["id"]),
            (&json!("version"), &json!("parse"), &json!(2)),
            "{limits}"
        );
        assert_eq!(answers.len(), 4);
    }
    // Reading half a million constraints takes more memory than that.
    let many = vec![r#"{"le":[3,{"var":"a"}]}"#; 500_000].join(",");
    let large = format!(r#"{{"id":1,"op":"solve","constraints":[{many}]}}"#);
    let answers = answers_within("time=600000,memory=64", &[&large, VERSION]);
    assert_eq!(answers[0], json!({"id": 1, "verdict": "limit", "which": "memory"}));
    assert_eq!(answers[1]["verdict"], "version");
    for bad in ["time", "speed=3", "time=fast", "memory=1"] {
        let (status, _, err) = lozenge_tests::run(&["oracle", "--limits", bad], "");
        assert!(status == Some(2) && err.contains("--limits"), "{bad}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_between_two_answers() {
    for options in [&[][..], &["--limits", "time=60000"]] {
        let mut child = start_with(options);
        let mut stdin = child.stdin.take().expect("stdin");
        writeln!(stdin, "{VERSION}").expect("lozenge reads");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("an answer");
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(kill.success());
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).expect("UTF-8");
        let mut err = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut err).expect("UTF-8");
        let status = child.wait().expect("lozenge ends").code();
        assert_eq!((status, rest.as_str(), err.as_str()), (Some(130), "", ""), "{options:?}");
        assert!(line.starts_with(r#"{"id":2,"verdict":"version""#), "{line}");
    }
}

/// Memory does not grow with the number of requests: nothing is kept from one to the next.
#[test]
fn many_requests_leave_nothing_behind() {
    let mut child = start();
    let mut stdin = child.stdin.take().expect("stdin");
    let pid = child.id();
    let resident = move || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse::<u64>().ok())
    };
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
    let request = r#"{"op":"solve","constraints":[{"le":[{"lead":[],"var":"r","trail":[]},{"lead":[3],"trail":[4]}]},{"le":[5,{"var":"a"}]}]}"#;
    let mut round = |count: usize| {
        let lines = format!("{request}\n").repeat(count);
        std::thread::scope(|scope| {
            let stdin = &mut stdin;
            scope.spawn(move || stdin.write_all(lines.as_bytes()).expect("lozenge reads"));
            for _ in 0..count {
                let mut line = String::new();
                assert!(stdout.read_line(&mut line).expect("an answer") > 0);
            }
        });
        resident()
    };
    let (early, late) = (round(2_000), round(20_000));
    if let (Some(early), Some(late)) = (early, late) {
        assert!(late < early + 4_096, "{early} KiB, then {late} KiB after ten times as many requests");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("lozenge ends").code(), Some(0));
}
