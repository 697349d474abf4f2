//! The conformance corpus and `lozenge conform`: the corpus is current and covers what it says, the oracle and the Python
//! engine pass, wrong engines fail.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::solver::{GuardPolicy, Policy, Rule, solve_traced};
use lozenge::wire;
use lozenge_tests::{corpus, lozenge, python, read, run, scratch};
use serde_json::Value;
use std::collections::BTreeSet;

/// Status and output of `lozenge conform`.
fn conform(engine: &str, options: &[&str]) -> (Option<i32>, String) {
    let (status, out, err) = run(&[&["conform", "--engine", engine], options].concat(), "");
    (status, format!("{out}{err}"))
}

fn report(engine: &str, options: &[&str]) -> (Option<i32>, Value) {
    let (status, out) = conform(engine, &[&["--json"], options].concat());
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}")))
}

fn oracle() -> String {
    format!("'{}' oracle", lozenge().display())
}

#[test]
fn the_corpus_is_current() {
    let (status, out, _) = run(&["corpus"], "");
    assert_eq!(status, Some(0), "run `cargo run -- corpus --write`:\n{out}");
}

#[test]
fn the_corpus_covers_the_rules_the_examples_and_the_findings() {
    let cases = corpus();
    assert!(cases.len() >= 1000, "{} cases", cases.len());
    let ids: BTreeSet<&str> = cases.iter().filter_map(|case| case["id"].as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "every case has an id of its own");
    for field in ["about", "definitions", "freedom", "expected"] {
        assert!(cases.iter().all(|case| !case[field].is_null()), "{field} in every case");
    }
    for finding in
        (1..=16).filter(|n| ![7, 8, 9].contains(n)).map(|n| format!("finding/F{n}-")).chain(["finding/W-".into()])
    {
        // F7 to F9 are about substitutions and rigid rows, which no request can say.
        assert!(ids.iter().any(|id| id.starts_with(&finding)), "{finding}");
    }
    let fired: BTreeSet<Rule> = cases.iter().flat_map(|case| rules(&case["request"])).collect();
    let missing: Vec<&Rule> = Rule::ALL.iter().filter(|rule| !fired.contains(rule)).collect();
    assert!(missing.is_empty(), "no case fires {missing:?}");
}

fn rules(request: &Value) -> Vec<Rule> {
    let mut names = Names::new();
    let list = request["constraints"].as_array().into_iter().flatten();
    let phi: Vec<Constraint> = list.filter_map(|c| wire::read_constraint(c, &mut names).ok()).collect();
    let mut policy = Policy::default();
    policy.limits.fuel = 1000;
    if request["policy"]["guard"] == "paper" {
        policy.guard = GuardPolicy::Paper;
    }
    solve_traced(&phi, &mut names, policy).trace.steps.iter().map(|step| step.rule).collect()
}

#[test]
fn messages_follow_their_schemas() {
    let schema = |of: &str| {
        let (_, printed, _) = run(&["schema", of], "");
        let file = format!("spec/schema/{of}.v1.json");
        assert_eq!(printed, read(&file), "run `cargo run -- schema {of} > {file}`");
        jsonschema::validator_for(&serde_json::from_str(&printed).expect("JSON")).expect("a schema")
    };
    let (request, answer) = (schema("request"), schema("answer"));
    let mut refused = 0;
    for case in corpus() {
        assert!(answer.is_valid(&case["expected"]), "{}", case["expected"]);
        let (sent, fine) = (&case["request"], case["expected"]["kind"].is_null());
        // A sort, an unknown name and the text of a program are beyond a schema, so it may allow what is refused.
        assert!(!fine || request.is_valid(sent), "{sent}");
        refused += usize::from(!sent.is_null() && !request.is_valid(sent));
    }
    assert!(refused > 20, "{refused} bad requests are bad by the schema");
}

#[test]
fn the_oracle_conforms() {
    let (status, report) = report(&oracle(), &[]);
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(report["passed"], report["cases"], "{report}");
}

#[test]
fn the_python_engine_conforms_and_reports_are_written() {
    let folder = scratch("conform");
    let [junit, json] = ["results.xml", "results.json"].map(|name| folder.join(name).display().to_string());
    let engine = format!("{} tests/engines/python/engine.py", python());
    let (status, table) = conform(&engine, &["--junit", &junit, "--report", &json]);
    assert_eq!(status, Some(0), "{table}");
    let last = table.lines().last().expect("a table");
    let numbers: Vec<usize> = last.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [passed, failed, unsupported, reading] = numbers[..] else { panic!("{last}") };
    assert!(passed > 900 && unsupported > 0, "{last}");
    assert_eq!((failed, reading, passed + unsupported), (0, 0, corpus().len()), "{last}");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).expect("a report")).expect("JSON");
    assert_eq!((&report["passed"], &report["failed"]), (&passed.into(), &0.into()));
    assert_eq!(report["definitions"]["6.1"]["passed"], 0, "the engine does not close");
    let junit = std::fs::read_to_string(junit).expect("a report");
    assert_eq!(junit.matches("<testcase ").count(), corpus().len());
    assert!(junit.contains(&format!("failures=\"0\" errors=\"0\" skipped=\"{unsupported}\"")), "{junit:.400}");
}

#[test]
fn wrong_engines_fail_with_the_definition() {
    let engine = format!("{} tests/engines/python/mutant.py --bug pin-dropped", python());
    let only = ["--corpus", "tests/conformance/paper.jsonl", "--definition", "4.2"];
    let (status, report) = report(&engine, &only);
    assert_eq!(status, Some(1), "{report}");
    assert!(report["failed"].as_u64() > Some(0) && report["passed"].as_u64() > Some(0), "{report}");
    let (status, text) = conform(&engine, &only);
    assert!(status == Some(1) && text.contains("paper/4.2-pin"), "{text}");
    let (status, error) = conform("no-such-program", &only);
    assert!(status == Some(2) && error.contains("`no-such-program`"), "{error}");
}

#[test]
fn engines_that_hang_crash_or_babble_do_not_end_the_run() {
    let only = ["--corpus", "tests/conformance/paper.jsonl", "--definition", "1.3", "--time-limit", "300"];
    let version = r#"read line; echo '{"verdict":"version"}';"#;
    for (engine, says) in [
        (format!("{version} read line; sleep 60"), "no answer within 300 ms"),
        (format!("{version} read line; exit 3"), "the engine ended before its answer: status 3"),
        ("while read line; do echo babble; done".to_owned(), "the answer is not JSON"),
        ("while read line; do echo 17; done".to_owned(), "the id comes back as none"),
    ] {
        let (status, report) = report(&engine, &only);
        assert_eq!((status, &report["failed"]), (Some(1), &report["cases"]), "{engine}: {report}");
        let what = report["failures"][0]["what"].as_str().expect("what");
        assert!(what.contains(says), "{engine}: {what}");
    }
    let refuses = r#"while read line; do echo "$line" | sed 's/.*"id":\("[^"]*"\).*/{"id":\1,"verdict":"error","kind":"unsupported"}/'; done"#;
    let (status, report) = report(refuses, &only);
    assert_eq!((status, &report["unsupported"]), (Some(0), &report["cases"]), "{report}");
}
