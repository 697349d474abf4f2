//! `lozenge explain` of a program: its source with shapes beside the lines, or why there are none.
#![allow(missing_docs)]

use lozenge_tests::{json, loz_files, read, run};
use serde_json::{Value, json};

fn explain(args: &[&str], text: &str) -> (Option<i32>, String) {
    let (status, out, err) = run(&[&["explain"], args].concat(), text);
    assert_eq!(err, "", "{args:?}");
    (status, out)
}

#[test]
fn programs_have_shapes_beside_their_lines() {
    for name in ["layer_norm", "sizes", "sgd", "conv_net"] {
        let (status, text) = explain(&[&format!("tests/programs/{name}.loz")], "");
        assert_eq!(status, Some(0), "{name}");
        insta::assert_snapshot!(format!("program_{name}"), text);
    }
}

#[test]
fn failures_are_told_in_the_names_of_tensors() {
    let files = [
        "attention_heads",
        "across_functions",
        "captured_size",
        "forgotten_hidden",
        "index_too_large",
        "kernel_too_long",
        "row_variable_shared",
        "self_growth",
    ];
    for name in files {
        let (status, text) = explain(&[&format!("tests/broken/{name}.loz")], "");
        assert_eq!(status, Some(1), "{name}");
        insta::assert_snapshot!(format!("broken_{name}"), text);
    }
}

#[test]
fn applications_that_differ_are_told() {
    let program = "\
input x: 8 | 20
fn layer(x, n) =
  let h = { w: ... -> 30 } * x in
  relu (h + n)
let a = layer(x, 1)
let b = layer(a, a)
let c = layer(b, 2)
fn unused(x) = x + 1
";
    let (status, text) = explain(&["-", "--program"], program);
    assert_eq!(status, Some(0), "{text}");
    insta::assert_snapshot!("applications", text);
}

/// A function that another applies has its first shapes from there; what nothing applies is applied by nobody.
#[test]
fn applications_inside_of_functions_are_told() {
    let program = "\
fn g(x) = relu x
fn f(x) = g(x) + 1
fn idle(x) = x + 1
fn never(x) = idle(x)
input x: 3
input z: 4
let y = f(x)
let w = g(z)
";
    let (status, text) = explain(&["-", "--program"], program);
    assert_eq!(status, Some(0), "{text}");
    let beside = |line: &str| text.lines().find(|shown| shown.contains(line)).map(str::to_owned).unwrap_or_default();
    assert!(beside("fn g(x)").contains("as applied in line 2, through line 7   g(…): 3 (line 8: 4)"), "{text}");
    assert!(beside("fn f(x)").contains("  applied in line 7"), "{text}");
    for line in ["fn idle(x)", "fn never(x)"] {
        assert!(beside(line).ends_with("never applied"), "{text}");
    }
}

#[test]
fn a_name_that_is_used_again_is_another_tensor() {
    let program = "\
input x: 2, 3
let a = (let t = x ++ \"ij => i\" in t + t)
let b = (let t = x ++ \"ij => j\" in t + t)
";
    let (_, text) = explain(&["-", "--program"], program);
    for shown in ["t: 2   a: 2\n", "t: 3   b: 3\n"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

#[test]
fn programs_fit_a_screen() {
    for file in loz_files("tests/programs") {
        let source = read(&file).lines().count();
        let shown = explain(&[&file], "").1.lines().count();
        let most = if source <= 40 { 50 } else { source + 20 };
        assert!(shown <= most, "{file}: {shown} lines for {source}");
    }
    assert!(explain(&["tests/programs/layer_norm.loz"], "").1.lines().count() <= 50);
}

#[test]
fn json_has_lines_with_shapes_and_keeps_what_it_had() {
    let (status, told) = json(&["explain", "tests/programs/layer_norm.loz"], "");
    assert_eq!(status, Some(0));
    let shapes = json!([{"name": "mean", "shape": "8, 20 | 1∅"}]);
    let mean = &told["source"][5];
    assert_eq!((&mean["line"], &mean["shapes"]), (&json!(6), &shapes));
    assert_eq!(mean["sizes"], json!([{"name": "d", "size": 512}]));
    let fields = ["title", "input", "steps", "all_steps", "whole", "ending", "verdict", "says", "bindings", "guard"];
    for field in fields.iter().chain(&["assumptions", "shapes", "values", "closing"]) {
        assert!(told.get(field).is_some(), "no {field}");
    }
    let (status, told) = json(&["explain", "tests/broken/attention_heads.loz"], "");
    assert_eq!(status, Some(1));
    let claims = told["why"]["claims"].as_array().expect("claims");
    let values: Vec<&Value> = claims.iter().map(|claim| &claim["value"]).collect();
    assert_eq!(values, ["32", "64"]);
    assert_eq!((&claims[1]["way"][0]["line"], &claims[1]["routine"]), (&json!(2), &json!(6)));
    assert_eq!(told["source"][5]["fails"], json!(true));
}

#[test]
fn a_program_in_json_is_written_as_text() {
    let program = r#"{"statements": [{"input": {"name": "x", "shape": "n | 3"}}, {"dim": {"name": "n", "value": {"size": 5}}},
        {"let": {"name": "y", "value": {"unary": {"op": "relu", "arg": {"name": "x"}}}}}]}"#;
    let (status, text) = explain(&["-", "--program"], program);
    let lines = "  1  input x: n | 3   x: 5 | 3\n  2  n = 5            n = 5\n  3  let y = relu x   y: 5 | 3\n";
    assert!(status == Some(0) && text.contains(lines), "{text}");
}

#[test]
fn the_calculus_is_one_flag_below() {
    let (_, text) = explain(&["tests/programs/mlp.loz"], "");
    assert!(!text.contains("step 1 "), "{text}");
    let (status, text) = explain(&["tests/programs/mlp.loz", "--calculus", "--steps", "3"], "");
    assert!(status == Some(0) && text.contains("\nstep 3  ") && text.contains(" steps more: --steps N"), "{text}");
    let (_, page) = explain(&["tests/programs/mlp.loz", "--html"], "");
    let (above, below) = page.split_once("<details>").expect("one click below");
    assert!(above.contains("<li><span class=\"number\">2</span>") && !above.contains("section class=\"step\""));
    assert!(below.contains("<section class=\"step\"") && below.contains("<h2>The guard's graph</h2>"));
    assert!(page.contains("<html lang=\"en\">") && page.contains("@media print"));
    let (_, ascii) = explain(&["tests/programs/layer_norm.loz", "--ascii"], "");
    assert!(ascii.is_ascii(), "{ascii}");
    let (status, _, err) = run(&["explain", "tests/programs/mlp.loz", "--calculus", "--json"], "");
    assert!(status == Some(2), "{err}");
}
