//! The JSON Schema of programs.
#![allow(missing_docs)]

use lozenge::program::{Program, parse, schema};
use lozenge_tests::mutate::mutants;
use lozenge_tests::{programs, run as lozenge};
use serde_json::{Value, json};

fn examples(folder: &str) -> Vec<(String, Program)> {
    programs(folder).into_iter().filter_map(|(name, text)| Some((name, parse(&text).ok()?))).collect()
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
        json!({"statements": [{"param": {"name": "w", "init": "uniform"}}]}),
        json!({"statements": [{"param": {"name": "w", "init": {"range": 1}}}]}),
        json!({"statements": [{"convolution": "same"}]}),
        json!({"statements": [{"elements": {"name": "x", "value": 3}}]}),
        json!({"statements": [{"let": {"name": "y", "value": {"literal": {"values": [1, 2]}}}}]}),
        json!({"statements": [], "version": 1}),
    ] {
        assert!(!validator.is_valid(&json), "{json}");
        assert!(serde_json::from_value::<Program>(json.clone()).is_err(), "{json}");
    }
}

/// Every field dropped, renamed and given every other type, in small programs that use every part of the format.
#[test]
fn what_is_accepted_is_valid_by_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let texts = [
        "input x: n | 3\nn = 5\nd = n\ne = 2 * n\nparam w\nconst c: ?\nfn f(a, b) = where(a, b, 1)",
        "input x: 3\nlet y = relu \"i => i\" x +* \"i; i => i\" [\"i\"] x\nlet z = let a = x in (a, a) ++^ \"i; j => i^j\"",
        "input x: 3\n{ s: 3 } =:+ x / 2 ~logic:\".\"\n{ t } =: x\nx =+ x ++ \"i => i\"\nx.grad =- [1, 2.5, -3]",
        "input x: 3 | 4\nlet y = x @| i\nlet z = x @| 2 + { w } *. x.grad - dim n\nn = 9007199254740993\nlet g = y **. 0.1000000000000000000001",
        "param w: 3 = range\nparam v = 0.5\nparam u: 2 | ? = [[1], [2]]\nlet y = ([1, 2]: 2 ->) +* \"i -> ; j => ij\" { t = [1, 2] }\nelements y = 4",
        "input x: 6\nconvolution valid\nlet y = (x, x, x) +* \"o+k; k; o => o\" [\"k\"]\nlet z = where \"i; i; i => i\" x x x\nelements x = 2 * n",
    ];
    let (mut accepted, mut refused) = (0, 0);
    for text in texts {
        let program = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
        for json in mutants(&serde_json::to_value(&program).expect("JSON")) {
            if serde_json::from_value::<Program>(json.clone()).is_ok() {
                accepted += 1;
                let why = || validator.iter_errors(&json).next().map(|e| format!("{e} at {}", e.instance_path()));
                assert!(validator.is_valid(&json), "{json}: {:?}", why());
            } else {
                refused += 1;
            }
        }
    }
    assert!(accepted > 50 && refused > 1000, "{accepted} accepted, {refused} refused");
}

#[test]
fn the_command_prints_it() {
    let (status, out, _) = lozenge(&["schema", "program", "--json"], "");
    assert_eq!((status, serde_json::from_str::<Value>(&out).expect("JSON")), (Some(0), schema()));
    let (_, constraint, _) = lozenge(&["schema", "--json"], "");
    assert_eq!(serde_json::from_str::<Value>(&constraint).expect("JSON"), lozenge::wire::schema());
}
