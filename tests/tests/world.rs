//! Against the world: NumPy's einsum and broadcasting to the last bit, JAX's gradients up to rounding.
//!
//! The test makes a virtual environment of its own and installs tests/world/requirements.txt into it. Where that
//! cannot be done it fails.

use lozenge_harnesses::programs::Numbers;
use lozenge_tests::root;
use lozenge_tests::world::{data, differentiable, einsum, operands, pointwise, prepared, python, ran, value_json};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Sends the cases to compare.py and expects no difference.
fn compare(cases: &[Value]) {
    let script = root().join("tests/world/compare.py");
    let mut child = Command::new(python())
        .arg(script)
        .env("JAX_PLATFORMS", "cpu")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("python ends");
    writer.join().expect("the writer ends").expect("the cases are read");
    assert!(output.status.success(), "compare.py failed");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["failed"], 0, "{report:#}");
    let counted: u64 = report["counts"].as_object().expect("counts").values().filter_map(Value::as_u64).sum();
    assert_eq!(counted, cases.len() as u64, "{report}");
    let _ = writeln!(std::io::stderr(), "{}", report["counts"]);
}

/// One case: the program runs here, and its result goes along.
fn case(kind: &str, key: &str, made: (String, String, usize), numbers: &mut Numbers, cell: fn(usize) -> f64) -> Value {
    let (program, other, count) = made;
    let (inferred, nests) = prepared(&program);
    let ids = operands(&inferred, count);
    let inputs = data(&inferred, &ids, numbers, cell);
    let given: Vec<Value> = ids.iter().map(|id| value_json(&inputs.values[id])).collect();
    let outcome = ran(&inferred, &nests, inputs, None);
    let result = inferred.generated.tensor("y").expect("a result");
    let expect = value_json(outcome.values[result].as_ref().expect("a value"));
    json!({ "kind": kind, "program": program, key: other, "operands": given, "expect": expect })
}

/// Whole numbers, so that sums are exact in any order.
#[allow(clippy::cast_precision_loss)]
fn whole(n: usize) -> f64 {
    (n % 13) as f64 - 6.0
}

#[test]
fn numpy_computes_the_same() {
    let mut cases = Vec::new();
    for i in 0..2_000 {
        let mut numbers = Numbers::of(21, i);
        let made = einsum(&mut numbers);
        cases.push(case("einsum", "spec", made, &mut numbers, whole));
    }
    for i in 0..1_000 {
        let mut numbers = Numbers::of(22, i);
        let made = pointwise(&mut numbers);
        // No zeros: NumPy and we agree on 1 / 0, and JSON has no infinity.
        cases.push(case("pointwise", "code", made, &mut numbers, |n| if whole(n) == 0.0 { 7.0 } else { whole(n) }));
    }
    compare(&cases);
}

#[test]
fn jax_has_the_same_gradients() {
    let mut cases = Vec::new();
    for i in 0..200 {
        let mut numbers = Numbers::of(23, i);
        let (program, code) = differentiable(&mut numbers);
        let (inferred, nests) = prepared(&program);
        let ids = operands(&inferred, 4);
        #[allow(clippy::cast_precision_loss)]
        let inputs = data(&inferred, &ids, &mut numbers, |n| (n as f64 - 500.3) / 300.0);
        let given: Vec<Value> = ids.iter().map(|id| value_json(&inputs.values[id])).collect();
        let outcome = ran(&inferred, &nests, inputs, Some("loss"));
        let loss = outcome.values[inferred.generated.tensor("loss").expect("a loss")].as_ref().expect("a value");
        let expect: Vec<Value> = ids.iter().map(|id| value_json(&outcome.gradients[id])).collect();
        let value = loss.data[0];
        cases.push(json!({ "kind": "gradient", "program": program, "code": code, "operands": given, "value": value, "expect": expect }));
    }
    compare(&cases);
}
