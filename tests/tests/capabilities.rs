//! What an engine says that it can say is what it is held to; a difference of reading is called so only after a search.
#![allow(missing_docs)]

use lozenge_tests::{lozenge, python, run};
use serde_json::Value;

const BOUNDARIES: &str = "tests/conformance/boundaries.jsonl";
const PAPER: &str = "tests/conformance/paper.jsonl";

fn conform(engine: &str, corpus: &str) -> (Option<i32>, Value) {
    let options = ["conform", "--json", "--engine", engine, "--time-limit", "60000", "--corpus", corpus];
    let (status, out, err) = run(&options, "");
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

/// Our own oracle that says this of itself, its answers changed by `sed`.
fn altered(capabilities: &str, changes: &[&str]) -> String {
    let changes: String = changes.iter().map(|change| format!(" -e '{change}'")).collect();
    let says = match capabilities {
        "" => String::new(),
        said => format!(" -e 's/\"wire\":1/\"wire\":1,\"capabilities\":{said}/'"),
    };
    format!("'{}' oracle | sed -u{says}{changes}", lozenge().display())
}

const FAILED: &str = r#"s/"verdict":"\(unsat\|rejected\)"/"verdict":"failed"/"#;
const UNDECIDED: &str = r#"s/"verdict":"\(rejected\|unknown\)".*/"verdict":"undecided"}/"#;
const VERDICT_ONLY: &str = r#"s/\("verdict":"\(solved\|closed\|sat\|unsat\|rejected\|holds\|violated\)"\).*/\1}/"#;
const NO_RESIDUAL: &str = r#"s/"residual":.*,"greatest":/"greatest":/"#;
const NO_GREATEST: &str = r#"s/,"greatest":.*/}/"#;

#[test]
fn an_engine_is_held_to_what_it_says() {
    for (capabilities, changes) in [
        (r#"{"failed":true}"#, &[FAILED][..]),
        (r#"{"undecided":true}"#, &[UNDECIDED]),
        (r#"{"failed":true,"undecided":true}"#, &[UNDECIDED, FAILED]),
        (r#"{"verdict_only":true}"#, &[VERDICT_ONLY]),
        (r#"{"verdict_only":true,"failed":true}"#, &[VERDICT_ONLY, FAILED]),
        (r#"{"residual":false}"#, &[NO_RESIDUAL]),
        (r#"{"greatest":false}"#, &[NO_GREATEST]),
        (r#"{"order":"marked"}"#, &[]),
    ] {
        for corpus in [BOUNDARIES, PAPER] {
            let (status, report) = conform(&altered(capabilities, changes), corpus);
            assert_eq!((status, &report["failed"]), (Some(0), &0.into()), "{capabilities}: {:#}", report["findings"]);
            assert!(report["passed"].as_u64() > Some(100), "{capabilities}: {}", report["passed"]);
        }
        if !changes.is_empty() {
            let (status, report) = conform(&altered("", changes), PAPER);
            assert_eq!(status, Some(1), "without a word it is wrong: {changes:?}");
            let what = report["failures"][0]["what"].as_str().expect("what");
            assert!(what.starts_with('/'), "the path into the answer: {what}");
        }
    }
}

#[test]
fn what_is_wrong_stays_wrong() {
    // Everything failed, or is solved: a verdict is compared all the same.
    for (capabilities, change) in [
        (r#"{"verdict_only":true}"#, r#"s/"verdict":"\(solved\|unsat\|rejected\)".*/"verdict":"solved"}/"#),
        (r#"{"failed":true}"#, r#"s/"verdict":"\(solved\|closed\|sat\)".*/"verdict":"failed"}/"#),
        (r#"{"residual":false}"#, r#"s/"sigma":{[^{}]*}.*"greatest"/"sigma":{},"residual":{},"greatest"/"#),
    ] {
        let (status, report) = conform(&altered(capabilities, &[change]), PAPER);
        let (failed, cases) = (report["failed"].as_u64(), report["cases"].as_u64());
        if capabilities.contains("residual") {
            // With nothing bound and no residual nothing is claimed that could be wrong.
            assert_eq!(status, Some(0), "{:#}", report["findings"]);
        } else {
            assert!(status == Some(1) && failed > Some(20) && failed < cases, "{capabilities}: {failed:?}");
        }
    }
}

/// What is deferred, with `greatest` null, claims no solution; a solved form does, and it has a greatest.
#[test]
fn a_deferred_constraint_claims_no_solution() {
    let engine = format!("{} tests/engines/python/lazy.py", python());
    for corpus in [BOUNDARIES, PAPER, "tests/conformance/findings.jsonl"] {
        let (status, report) = conform(&engine, corpus);
        assert_eq!((status, &report["failed"]), (Some(0), &0.into()), "{corpus}: {:#}", report["findings"]);
        assert!(report["passed"].as_u64() > Some(10), "{corpus}: {}", report["passed"]);
    }
    let (status, found) = fuzz(&engine, &["--cases", "300", "--ops", "solve"]);
    assert_eq!(status, Some(0), "{found:#}");
    let (status, report) = conform(&format!("{engine} --forget"), BOUNDARIES);
    let failures = report["failures"].as_array().expect("failures");
    let says = |what: &str| failures.iter().any(|failure| failure["what"].as_str().is_some_and(|w| w.contains(what)));
    assert_eq!(status, Some(1), "{report:#}");
    assert!(says("solved, but there is no solution") && says("greatest is null, but there is one"), "{report:#}");
}

#[test]
fn capabilities_are_read_strictly() {
    for (capabilities, says) in [
        (r#"{"fails":true}"#, "unknown field `fails`"),
        (r#"{"failed":1}"#, "invalid type: integer"),
        (r#"{"order":"flat"}"#, "unknown variant `flat`"),
        ("17", "/capabilities: "),
    ] {
        for op in ["conform", "fuzz"] {
            let (status, _, err) = run(&[op, "--engine", &altered(capabilities, &[])], "");
            assert!(status == Some(2) && err.contains(says), "{op} {capabilities}: {err}");
        }
    }
    let only = altered(r#"{"ops":["check"]}"#, &[]);
    let (status, report) = conform(&only, BOUNDARIES);
    assert_eq!(status, Some(0));
    let solves = report["definitions"]["4.2"]["passed"].as_u64();
    assert!(solves == Some(0) && report["unsupported"].as_u64() > Some(100), "only check is asked: {report}");
}

fn fuzz(engine: &str, options: &[&str]) -> (Option<i32>, Value) {
    let head = ["fuzz", "--json", "--engine", engine, "--seed", "1", "--findings", "30", "--time-limit", "60000"];
    let (status, out, err) = run(&[&head[..], options].concat(), "");
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

/// The engine in Python with a bug, which says that it has this order.
fn mutant(bug: &str, order: &str) -> String {
    let says = format!(r#"s/"wire":1/"wire":1,"capabilities":{{"order":"{order}"}}/"#);
    let says = if order.is_empty() { String::new() } else { format!(" | sed -u '{says}'") };
    format!("{} tests/engines/python/mutant.py --bug {bug}{says}", python())
}

#[test]
fn one_reading_of_the_order_is_held_to_that_one() {
    let options = ["--cases", "400", "--ops", "check"];
    let count = |order: &str| {
        let (status, found) = fuzz(&mutant("reading", order), &options);
        (status, found["findings"].as_array().map(Vec::len), found["findings"][0]["class"].clone())
    };
    assert_eq!(count(""), (Some(0), Some(1), "reading".into()));
    assert_eq!(count("one-shot"), (Some(0), Some(0), Value::Null));
    assert_eq!(count("marked"), (Some(1), Some(1), "difference".into()));
}

/// Audit C3: of the answers that lose a bound none may pass as a reading.
#[test]
fn a_fault_in_both_readings_is_no_reading() {
    for bug in ["residue-dropped", "bounds-lost-at-binding", "adjacency-dropped"] {
        let (status, found) = fuzz(&mutant(bug, ""), &["--cases", "500", "--ops", "solve"]);
        let findings = found["findings"].as_array().expect("findings");
        assert!(status == Some(1) && !findings.is_empty(), "{bug}: {found}");
        assert!(findings.iter().all(|finding| finding["class"] == "difference"), "{bug}: {found:#}");
    }
}
