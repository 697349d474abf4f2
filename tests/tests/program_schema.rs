//! The JSON Schema of programs.
#![allow(missing_docs)]

use lozenge::program::{Program, parse, schema};
use lozenge_tests::{read, root, run as lozenge};
use serde_json::{Value, json};

fn examples(folder: &str) -> Vec<(String, Program)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).filter(|name| name.ends_with(".loz"));
    let parsed = names.filter_map(|name| Some((parse(&read(&format!("{folder}/{name}"))).ok()?, name)));
    parsed.map(|(program, name)| (name, program)).collect()
}

#[test]
fn every_example_is_valid_by_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let all: Vec<(String, Program)> =
        ["tests/programs", "tests/broken", "tests/sources"].into_iter().flat_map(examples).collect();
    assert!(all.len() >= 40, "{}", all.len());
    for (name, program) in all {
        let json = serde_json::to_value(&program).expect("JSON");
        assert!(validator.is_valid(&json), "{name}: {:?}", validator.iter_errors(&json).next().map(|e| e.to_string()));
    }
}

#[test]
fn what_the_schema_refuses_is_refused() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    for json in [
        json!({}),
        json!({"statements": [{"input": {"shape": "3"}}]}),
        json!({"statements": [{"output": {"name": "x"}}]}),
        json!({"statements": [{"input": {"name": "x", "size": 3}}]}),
        json!({"statements": [{"let": {"name": "y", "value": {"unary": {"op": "gelu", "arg": {"name": "x"}}}}}]}),
        json!({"statements": [{"let": {"name": "y", "value": {"ternary": {"op": "fma", "args": [{"name": "x"}]}}}}]}),
        json!({"statements": [{"assign": {"target": {"new": 3}, "op": {"erase": true, "accumulate": "+"}, "value": {"name": "x"}}}]}),
        json!({"statements": [], "version": 1}),
    ] {
        assert!(!validator.is_valid(&json), "{json}");
        assert!(serde_json::from_value::<Program>(json.clone()).is_err(), "{json}");
    }
}

#[test]
fn the_command_prints_it() {
    let (status, out, _) = lozenge(&["schema", "program", "--json"], "");
    assert_eq!((status, serde_json::from_str::<Value>(&out).expect("JSON")), (Some(0), schema()));
    let (_, constraint, _) = lozenge(&["schema", "--json"], "");
    assert_eq!(serde_json::from_str::<Value>(&constraint).expect("JSON"), lozenge::wire::schema());
}
