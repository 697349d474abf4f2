//! The client in OCaml: its tests pass, and an engine that is written with it conforms.
#![allow(missing_docs)]

use lozenge_tests::{corpus, lozenge, root, run, scratch};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A program with the client, built from its source.
fn built(source: &str, name: &str) -> PathBuf {
    let program = scratch(name).join("program");
    let made = Command::new("tests/engines/ocaml/build").arg(source).arg(&program).current_dir(root()).output();
    let made = made.expect("sh runs");
    let log = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{source} is built; this needs ocamlfind and ocamlopt:\n{log}");
    program
}

#[test]
fn the_ocaml_client_passes_its_tests() {
    let program = built("clients/ocaml/test.ml", "ocaml-client");
    let output = Command::new(program).arg(lozenge()).arg("oracle").output().expect("the tests run");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.ends_with(" tests\n"), "{printed}");
}

#[test]
fn the_ocaml_engine_conforms() {
    let engine = format!("'{}'", built("tests/engines/ocaml/engine.ml", "ocaml-engine").display());
    let (status, out, err) = run(&["conform", "--engine", &engine, "--json"], "");
    assert_eq!(status, Some(0), "{out}{err}");
    let report: Value = serde_json::from_str(&out).expect("a report");
    // Operations that it answers, and lines that are no requests.
    let op = |case: &Value| case["request"]["op"].as_str().map(str::to_owned);
    let answered = |case: &&Value| op(case).is_none_or(|op| op == "check" || op == "version");
    let cases = corpus();
    let answered = cases.iter().filter(answered).count();
    assert!(answered > 250, "{answered} cases");
    assert!(report["passed"].as_u64() >= Some(answered as u64), "{report}");
    assert_eq!(report["failed"], 0, "{report}");
    let counted = ["passed", "unsupported", "reading"].map(|field| report[field].as_u64().unwrap_or(0));
    assert_eq!(counted.iter().sum::<u64>(), cases.len() as u64, "{report}");
}

#[test]
fn random_values_are_checked_alike() {
    let engine = format!("'{}'", built("tests/engines/ocaml/engine.ml", "ocaml-fuzz").display());
    let (status, out, err) = run(&["fuzz", "--engine", &engine, "--ops", "check", "--cases", "5000"], "");
    assert_eq!(status, Some(0), "{out}{err}");
}
