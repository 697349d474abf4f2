//! What people have, to compare layers on: the corpus, and the example programs.

use crate::fuzz::seeds::files;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::{Program, parse, parse_json};
use lozenge::term::Var;
use lozenge::wire::read_constraint;
use serde_json::Value;
use std::collections::BTreeSet;

/// The requests of the conformance corpus.
///
/// # Panics
/// Where a line is no case.
#[must_use]
pub fn requests() -> Vec<Value> {
    let lines = files("tests/conformance", "jsonl");
    let cases = lines.iter().flat_map(|file| file.lines()).filter(|line| !line.is_empty());
    cases.map(|line| serde_json::from_str::<Value>(line).expect("a case")["request"].clone()).collect()
}

/// The constraints of a request, if all can be read.
#[must_use]
pub fn system(request: &Value) -> Option<(Names, Vec<Constraint>)> {
    let mut names = Names::new();
    let read = |phi: &Value| read_constraint(phi, &mut names).ok();
    let phi = request.get("constraints")?.as_array()?.iter().map(read).collect::<Option<Vec<_>>>()?;
    Some((names, phi))
}

/// The variables that a list of a request names.
#[must_use]
pub fn listed(request: &Value, key: &str, names: &Names) -> BTreeSet<Var> {
    let listed = request.get(key).and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(|name| names.lookup(name.as_str()?)).collect()
}

/// The programs of the folders and of the corpus, those that can be read.
#[must_use]
pub fn programs() -> Vec<Program> {
    let mut all: Vec<Program> = Vec::new();
    for text in files("tests/programs", "loz").into_iter().chain(files("tests/broken", "loz")) {
        all.extend(parse(&text));
    }
    for request in requests() {
        match request.get("program") {
            Some(Value::String(text)) => all.extend(parse(text)),
            Some(tree @ Value::Object(_)) => all.extend(parse_json(&tree.to_string())),
            _ => {}
        }
    }
    all
}
