//! `lozenge oracle` as a process: many requests, long lines, limits, signals, readers that leave.
#![allow(missing_docs)]

use lozenge_tests::oracle::{answers_to, start};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

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
    for options in [&[][..], &["--jobs", "3"]] {
        answers_at_once(options);
    }
}

fn answers_at_once(options: &[&str]) {
    let mut child = start(options);
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
    for options in [&[][..], &["--jobs", "3"]] {
        is_left(options);
    }
}

/// One request is enough to notice, whoever still waits for another.
#[test]
fn a_reader_that_leaves_ends_it_at_once() {
    for options in [&[][..], &["--jobs", "3"]] {
        let mut child = start(options);
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().expect("stdin");
        stdin.write_all(b"{\"op\":\"version\"}\n").expect("lozenge reads");
        assert_eq!(child.wait().expect("lozenge ends").code(), Some(0), "{options:?}");
        drop(stdin);
    }
}

fn is_left(options: &[&str]) {
    let mut child = start(options);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin");
    let request = b"{\"op\":\"version\"}\n";
    while stdin.write_all(request).is_ok() {}
    let mut err = String::new();
    child.stderr.take().expect("stderr").read_to_string(&mut err).expect("UTF-8");
    assert_eq!((child.wait().expect("lozenge ends").code(), err.as_str()), (Some(0), ""));
}

/// Good requests, bad ones, and ones that reach a limit, of every kind that is quick.
fn mixed(count: usize) -> String {
    let growing = r#"[{"le":[{"lead":[],"var":"p","trail":[]},{"lead":[2],"var":"p","trail":[]}]}]"#;
    let line = |i: usize| match i % 11 {
        0 => format!(r#"{{"id":{i},"op":"solve","constraints":[{{"eq":[{{"var":"a{i}"}},{}]}}]}}"#, i + 1),
        1 => format!(r#"{{"constraints":[{{"le":[3,{{"var":"a"}}]}}],"leaves":["a"],"op":"close","id":"{i}"}}"#),
        2 => format!(
            r#"{{"id":{i},"op":"solve","constraints":{growing},"policy":{{"guard":"none"}},"limits":{{"fuel":{i}}}}}"#
        ),
        3 => format!("garbage {i}"),
        4 => String::new(),
        5 => format!(r#"{{"id":[{i}],"op":"decide","constraints":[{{"eq":[{{"var":"x"}},4]}}],"rank_bound":2}}"#),
        6 => format!(r#"{{"id":{i},"op":"infer","program":"input x: {} | 3\nlet y = relu x"}}"#, i + 1),
        7 => format!(r#"{{"id":{i},"op":"solve","constraints":[{{"eq":[0,{{"var":"a"}}]}}]}}"#),
        8 => format!(r#"{{"id":{i},"id":{i},"op":"version"}}"#),
        9 => format!(r#"{{"id":{i},"op":"parse","shape":"{}"}}"#, vec!["3"; 1 + i % 400].join(", ")),
        _ => format!(r#"{{"op":"check","constraints":[{{"le":[{{"var":"a"}},{i}]}}],"values":{{"a":{i}}},"id":{i}}}"#),
    };
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

/// What an oracle with these options writes.
fn written(options: &[&str], input: String) -> Vec<u8> {
    let mut child = start(options);
    let mut stdin = child.stdin.take().expect("stdin");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).expect("lozenge reads"));
    let output = child.wait_with_output().expect("lozenge ends");
    writer.join().expect("the writer ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{options:?}");
    output.stdout
}

#[test]
fn answers_are_the_same_whatever_the_number_of_jobs() {
    let input = mixed(8_000);
    let one = written(&[], input.clone());
    assert_eq!(one.iter().filter(|byte| **byte == b'\n').count(), 8_000);
    for jobs in ["1", "2", "5"] {
        assert!(written(&["--jobs", jobs], input.clone()) == one, "--jobs {jobs}");
    }
    let few = mixed(100);
    let within = written(&["--limits", "time=600000,rank=50"], few.clone());
    assert!(written(&["--limits", "time=600000,rank=50", "--jobs", "3"], few) == within, "with workers");
    for bad in ["0", "1001", "many"] {
        let (status, _, err) = lozenge_tests::run(&["oracle", "--jobs", bad], "");
        assert!(status == Some(2) && err.contains("--jobs"), "{bad}: {err}");
    }
}

/// A request that takes long holds up no answer before it, is answered in its place, and loses none after it.
#[test]
fn a_slow_request_has_its_place_among_several_jobs() {
    for jobs in ["1", "2", "5"] {
        let mut child = start(&["--jobs", jobs, "--limits", "time=2000"]);
        let mut stdin = child.stdin.take().expect("stdin");
        let lines = format!("{VERSION}\n{VERSION}\n{ENDLESS}\n{}", format!("{VERSION}\n").repeat(50));
        stdin.write_all(lines.as_bytes()).expect("lozenge reads");
        drop(stdin);
        let stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let answers: Vec<Value> =
            stdout.lines().map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON")).collect();
        assert_eq!(answers.len(), 53, "--jobs {jobs}");
        for (i, answer) in answers.iter().enumerate() {
            let expected = if i == 2 { "limit" } else { "version" };
            assert_eq!(answer["verdict"], expected, "--jobs {jobs}, answer {i}");
        }
        assert_eq!(child.wait().expect("lozenge ends").code(), Some(0));
    }
}

/// A run that no guard ends, with limits that do not end it soon either.
const ENDLESS: &str = r#"{"id":1,"op":"solve","constraints":[{"le":[{"lead":[],"var":"p","trail":[]},{"lead":[2],"var":"p","trail":[]}]}],"policy":{"guard":"none"},"limits":{"fuel":1000000000000,"rank":1000000000000,"elements":1000000000000}}"#;
const VERSION: &str = r#"{"id":2,"op":"version"}"#;

fn answers_within(limits: &str, lines: &[&str]) -> Vec<Value> {
    let mut child = start(&["--limits", limits]);
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
    // A quarter of a million variables take more memory than that, most of it in small blocks.
    let many = (0..250_000).map(|i| format!(r#"{{"le":[3,{{"var":"a{i}"}}]}}"#)).collect::<Vec<_>>().join(",");
    let large = format!(r#"{{"id":1,"op":"solve","constraints":[{many}]}}"#);
    let answers = answers_within("time=600000,memory=64", &[&large, VERSION]);
    assert_eq!(answers[0], json!({"id": 1, "verdict": "limit", "which": "memory"}));
    assert_eq!(answers[1]["verdict"], "version");
    assert_eq!(answers_within("time=600000,memory=2048", &[&large])[0]["verdict"], "solved");
    for bad in ["time", "speed=3", "time=fast", "memory=1", "time=1000,rank=3,time=2000"] {
        let (status, _, err) = lozenge_tests::run(&["oracle", "--limits", bad], "");
        assert!(status == Some(2) && err.contains("--limits"), "{bad}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_between_two_answers() {
    for options in [&[][..], &["--jobs", "3"], &["--limits", "time=60000"]] {
        let mut child = start(options);
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
    for options in [&[][..], &["--jobs", "4"]] {
        stays_flat(options);
    }
}

/// Answers that are early wait in bounded memory, however long the first request takes.
#[cfg(target_os = "linux")]
#[test]
fn early_answers_are_bounded() {
    let mut child = start(&["--jobs", "2"]);
    let mut stdin = child.stdin.take().expect("stdin");
    let pid = child.id();
    let large = format!("{{\"op\":\"parse\",\"shape\":\"{}\"}}\n", vec!["3"; 3_000].join(","));
    let feeder = std::thread::spawn(move || {
        let _ = writeln!(stdin, "{ENDLESS}");
        // 90 MB of requests, with answers larger than they are; most of them are never read.
        for _ in 0..15_000 {
            if stdin.write_all(large.as_bytes()).is_err() {
                return;
            }
        }
    });
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        stat.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse::<u64>().ok()).unwrap_or_default()
    };
    // Until nothing more is read: then all that may be early is.
    let (mut before, mut same) = (0, 0);
    while same < 10 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let now = used();
        same = if now == before && now > 1 << 20 { same + 1 } else { 0 };
        before = now;
    }
    child.kill().expect("it ends");
    child.wait().expect("it ends");
    feeder.join().expect("the feeder ends");
    assert!(before < 60 << 20, "{before} bytes were read ahead of an answer that is not there");
}

fn stays_flat(options: &[&str]) {
    let mut child = start(options);
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
