//! What `conform`, `fuzz` and `certify` read is bounded, and so is what they keep of it.
#![allow(missing_docs)]

use lozenge_tests::{python, read, run, scratch};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An engine that says who it is, and answers everything else with what this expression of Python makes of the request.
fn engine(folder: &Path, answer: &str) -> String {
    let path = folder.join("engine.py");
    let text = format!(
        "import json, sys
for line in sys.stdin:
    request = json.loads(line)
    version = json.dumps({{'verdict': 'version', 'name': 'e', 'version': '1', 'wire': 1}})
    print(version if request.get('op') == 'version' else {answer}, flush=True)
"
    );
    std::fs::write(&path, text).expect("an engine");
    format!("{} '{}'", python(), path.display())
}

/// The first cases of a file of the corpus, without an inventory.
fn few(folder: &Path, cases: usize) -> PathBuf {
    let path = folder.join("few.jsonl");
    let text: String = read("tests/conformance/paper.jsonl").lines().take(cases).map(|l| format!("{l}\n")).collect();
    std::fs::write(&path, text).expect("cases");
    path
}

fn conform(engine: &str, options: &[&str]) -> (Option<i32>, Value) {
    let (status, out, err) =
        run(&[&["conform", "--json", "--time-limit", "60000", "--engine", engine], options].concat(), "");
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

#[test]
fn a_device_that_never_ends_is_a_limit() {
    let folder = scratch("endless");
    let cases = few(&folder, 1).display().to_string();
    for command in ["conform", "fuzz"] {
        let (status, _, err) = run(&[command, "--engine", "cat", "--known", "/dev/zero"], "");
        assert!(status == Some(3) && err.contains("has more than 67108864 bytes"), "{command}: {status:?} {err}");
    }
    std::os::unix::fs::symlink("/dev/zero", folder.join("inventory.json")).expect("a link");
    let (status, _, err) = run(&["conform", "--engine", "cat", "--corpus", &cases], "");
    assert!(status == Some(3) && err.contains("inventory.json has more than"), "{status:?} {err}");
    let certificate = folder.join("certificate.json").display().to_string();
    std::fs::write(&certificate, "{}").expect("a file");
    let (status, _, err) = run(&["certify", "--checker", "/dev/zero", &certificate], "");
    assert!(status == Some(2) && err.contains("it is no file"), "{status:?} {err}");
}

#[test]
fn a_file_of_known_differences_may_have_a_mark_before_it() {
    let folder = scratch("known-mark");
    let (known, cases) = (folder.join("known.json"), few(&folder, 1).display().to_string());
    std::fs::write(&known, "\u{feff}{\"version\":1,\"known\":[]}").expect("a file");
    let known = known.display().to_string();
    let (status, report) = conform(&engine(&folder, "'nope'"), &["--corpus", &cases, "--known", &known]);
    assert_eq!((status, &report["failed"]), (Some(1), &Value::from(1)), "{report:#}");
}

#[test]
fn garbage_is_grouped_and_known_again() {
    let folder = scratch("known-garbage");
    let known = folder.join("known.json").display().to_string();
    let engine = engine(&folder, "'nope'");
    let only = ["--definition", "CL-hole", "--known", &known];
    let (status, learnt) = conform(&engine, &[&only[..], &["--learn", "--note", "why"]].concat());
    let found = learnt["findings"].as_array().expect("findings");
    assert_eq!((status, &learnt["failed"]), (Some(0), &Value::from(9)), "{learnt:#}");
    assert!(found.len() < 9 && found.iter().all(|finding| finding["class"] == "garbage"), "{learnt:#}");
    let (status, again) = conform(&engine, &[&only[..], &["--strict-known"]].concat());
    assert_eq!((status, &again["known"], again["gone"].as_array().map(Vec::len)), (Some(0), &9.into(), Some(0)));
    let before = std::fs::read_to_string(&known).expect("a file");
    assert!(before.contains("\"why\""), "{before}");
    conform(&engine, &[&only[..], &["--learn"]].concat());
    assert_eq!(std::fs::read_to_string(&known).expect("a file"), before, "notes stay");
}

#[test]
fn of_a_long_answer_the_beginning_is_kept() {
    let folder = scratch("long-answers");
    let (cases, page) = (few(&folder, 3).display().to_string(), folder.join("r.xml"));
    let long = "json.dumps({'id': request.get('id'), 'verdict': 'error', 'kind': 'x', 'message': 'é' * 1000000})";
    let junit = page.display().to_string();
    let (status, report) = conform(&engine(&folder, long), &["--corpus", &cases, "--junit", &junit]);
    assert_eq!((status, &report["failed"]), (Some(1), &Value::from(3)), "{report:.2000}");
    for wrong in report["failures"].as_array().expect("failures").iter().chain(report["findings"].as_array().expect(""))
    {
        let text = |field: &str| wrong[field].as_str().unwrap_or_default().to_owned();
        let (answer, what) = (text("answer"), text("what"));
        assert!(answer.len() < 17_000 && what.len() < 3_000, "{} {}", answer.len(), what.len());
        assert!(answer.contains(" ... (cut after 16384 of 60000") && what.contains(" ... (cut after "), "{what}");
    }
    assert!(std::fs::metadata(&page).expect("a report").len() < 100_000);
}

#[test]
fn an_answer_with_a_key_twice_is_malformed() {
    let folder = scratch("twice");
    let cases = few(&folder, 2).display().to_string();
    let oracle =
        format!("subprocess.run([{:?}, 'oracle'], input=line, capture_output=True, text=True).stdout.strip()", {
            lozenge_tests::lozenge().display().to_string()
        });
    let engine = engine(&folder, &format!("({oracle})[:-1] + ',\"verdict\":\"solved\"}}'"));
    let path = folder.join("engine.py");
    let text = std::fs::read_to_string(&path).expect("an engine");
    std::fs::write(&path, format!("import subprocess\n{text}")).expect("an engine");
    let (status, report) = conform(&engine, &["--corpus", &cases]);
    let kinds: Vec<&Value> = report["findings"].as_array().expect("findings").iter().map(|it| &it["kind"]).collect();
    assert_eq!((status, &report["passed"]), (Some(1), &Value::from(0)), "{report:#}");
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| **kind == "malformed"), "{kinds:?}");
}

#[test]
fn random_cases_come_one_by_one() {
    let mut corpus = Command::new(lozenge_tests::lozenge());
    let corpus = corpus.args(["corpus", "--random", "18446744073709551615"]).stdout(Stdio::piped()).spawn();
    let mut corpus = corpus.expect("lozenge starts");
    let mut line = String::new();
    BufReader::new(corpus.stdout.take().expect("stdout")).read_line(&mut line).expect("a line");
    corpus.kill().expect("ended");
    corpus.wait().expect("ended");
    assert!(line.starts_with("{\"id\":\"random/solve-0-0\""), "{line}");
}

#[test]
fn a_definition_that_no_case_exercises_is_named() {
    let (status, _, err) = run(&["conform", "--engine", "true", "--definition", "9.9"], "");
    assert!(status == Some(2) && err.contains("no case exercises `9.9`: there are cases for 1.1, 1.2"), "{err}");
    let (_, _, err) = run(&["spec", "nope"], "");
    assert!(err.contains("`lozenge spec` lists them") && !err.contains("nearest"), "{err}");
    let (_, out, _) = run(&["oracle"], r#"{"op":"solve","constraints":[],"limits":{"fuel":18446744073709551616}}"#);
    assert!(out.contains("found 18446744073709551616, expected"), "{out}");
}
