//! Gradients against central differences.

use lozenge::interp::{Inputs, Options, run};
use lozenge_harnesses::programs::Numbers;
use lozenge_tests::world::{data, differentiable, operands, prepared, ran};
use lozenge_tests::{ask, run as lozenge};
use serde_json::{Value, json};

const STEP: f64 = 1e-5;

/// The inputs with one cell moved.
fn shifted(inputs: &Inputs<f64>, id: usize, cell: usize, by: f64) -> Inputs<f64> {
    let mut inputs = inputs.clone();
    if let Some(value) = inputs.values.get_mut(&id) {
        value.data[cell] += by;
    }
    inputs
}

/// What spec/interpreter.md says of a cell that one result reads at several points.
#[test]
fn a_maximum_passes_its_gradient_on_at_every_point() {
    let program = "input x: 3\nlet y = max(x, \"o<+k => 0\" [\"k\"])\nk = 2\n";
    let (_, out, _) = lozenge(&["run", "-", "--data", "x=[1, 5, 2]", "--grad", "y", "--wrt", "x", "--json"], program);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(answer["gradients"]["x"]["data"], json!([0.0, 2.0, 0.0]), "{out}");
}

#[test]
fn gradients_agree_with_central_differences() {
    let (mut cells, mut kinks) = (0, 0);
    for i in 0..200 {
        let mut numbers = Numbers::of(23, i);
        let (program, _) = differentiable(&mut numbers);
        let (inferred, nests) = prepared(&program);
        let ids = operands(&inferred, 4);
        #[allow(clippy::cast_precision_loss)]
        let inputs = data(&inferred, &ids, &mut numbers, |n| (n as f64 - 500.3) / 300.0);
        let loss = inferred.generated.tensor("loss").expect("a loss");
        let at = |inputs: Inputs<f64>| {
            ran(&inferred, &nests, inputs, None).values[loss].as_ref().map(|v| v.data[0]).expect("a value")
        };
        let gradients = ran(&inferred, &nests, inputs.clone(), Some("loss")).gradients;
        let here = at(inputs.clone());
        for id in &ids {
            for cell in 0..inputs.values[id].data.len() {
                let moved = |by: f64| at(shifted(&inputs, *id, cell, by));
                let (up, down) = (moved(STEP), moved(-STEP));
                let difference = (up - down) / (2.0 * STEP);
                let found = gradients[id].data[cell];
                let close = (found - difference).abs() <= 1e-5 * (1.0 + found.abs() + here.abs());
                // At a kink of relu, max or where the two sides differ, and there is no derivative to agree with.
                let kink = ((up - here) - (here - down)).abs() / STEP > 1e-2 * (1.0 + found.abs());
                assert!(close || kink, "{program}x, cell {cell}: {found}, by differences {difference}");
                kinks += u64::from(!close);
                cells += 1;
            }
        }
    }
    assert!(cells >= 200 * 31 && kinks * 1000 < cells, "{kinks} kinks in {cells} cells");
}

/// What the random programs do not have: slices, compositions with batch axes, fma, sharing.
#[test]
fn gradients_of_other_operations() {
    let texts = [
        "param x0: 3 | 4\nparam x1: 4 -> 2\nlet y = x1 * x0\nlet loss = (y *. y) ++ \"...|... => 0\"",
        "param x0: 3 | 4\nparam x1: 4\nlet y = (x0 @| 1) *. x1 *. x1\nlet loss = y ++ \"... => 0\"",
        "param x0: 4 -> 3\nparam x1: 4\nparam x2: 3\nlet y = fma x0 x1 x2\nlet loss = (y *. y) ++ \"... => 0\"",
        "param x0: 3, 3\nlet d = x0 ++ \"ii => i\"\nlet e = (d *. d) ++ \"i => ii\"\nlet loss = (e *. x0) ++ \"... => 0\"",
        "param x0: 2, 3\nparam x1: 3, 2\nlet s = x0 +++ \"ij; jk => ik\" x1\nlet loss = (s *. s) ++ \"... => 0\"",
        "param x0: 2, 3\nparam x1: 3, 2\nparam x2: 2\nlet y = (x0, x1, x2) +* \"ij; jk; k => i\"\nlet loss = (y *. y) ++ \"... => 0\"",
        "param x0: 3\nlet y = (x0, x0, x0) +* \"i; j; j => ij\"\nlet loss = (y *. x0) ++ \"... => 0\"",
        "param x0: 2\nparam x1: 2, 3\nparam x2: 3\nlet y = where \"i; ij; j => j\" (x0 < 0.3) x1 x2\nlet loss = (y *. y) ++ \"... => 0\"",
        "param x0: 4\nlet y = tanh x0\nlet z = y *. y + y *. x0\nlet loss = z ++ \"... => 0\"",
    ];
    for text in texts {
        let (inferred, nests) = prepared(text);
        let count = (0..4).filter(|i| inferred.generated.tensor(&format!("x{i}")).is_some()).count();
        let ids = operands(&inferred, count);
        let mut numbers = Numbers::of(29, 1);
        #[allow(clippy::cast_precision_loss)]
        let inputs = data(&inferred, &ids, &mut numbers, |n| (n as f64 - 500.3) / 300.0);
        let loss = inferred.generated.tensor("loss").expect("a loss");
        let gradients = ran(&inferred, &nests, inputs.clone(), Some("loss")).gradients;
        for id in &ids {
            for cell in 0..inputs.values[id].data.len() {
                let at = |by: f64| ran(&inferred, &nests, shifted(&inputs, *id, cell, by), None);
                let moved = |by: f64| at(by).values[loss].as_ref().map(|v| v.data[0]).expect("a value");
                let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                let found = gradients[id].data[cell];
                assert!((found - difference).abs() <= 1e-6 * (1.0 + found.abs()), "{text}: {found} {difference}");
            }
        }
    }
}

const QUADRATIC: &str = "input x: 3\ninput idle: 2\nparam w: 3\nlet y = w *. x *. x\nlet loss = y ++ \"... => 0\"";

/// What is no parameter is asked for by name, and has the same gradient that it would have as one.
#[test]
fn inputs_have_the_gradients_of_parameters() {
    for i in 0..50 {
        let mut numbers = Numbers::of(31, i);
        let (program, _) = differentiable(&mut numbers);
        let (inferred, nests) = prepared(&program);
        let (other, other_nests) = prepared(&program.replace("param", "input"));
        let ids = operands(&inferred, 4);
        assert_eq!(ids, operands(&other, 4));
        #[allow(clippy::cast_precision_loss)]
        let inputs = data(&inferred, &ids, &mut numbers, |n| (n as f64 - 500.3) / 300.0);
        let expected = ran(&inferred, &nests, inputs.clone(), Some("loss")).gradients;
        let grad = other.generated.tensor("loss");
        let at = |wrt: &[usize]| {
            let options = Options { grad, wrt: wrt.to_vec(), ..Options::default() };
            run(&other, &other_nests, inputs.clone(), &options).unwrap_or_else(|e| panic!("{e}")).gradients
        };
        assert_eq!(at(&ids), expected, "{program}");
        // One alone has the same, and nothing is kept that was not asked for.
        let alone = at(&ids[..1]);
        assert_eq!((alone.len(), &alone[&ids[0]]), (2, &expected[&ids[0]]));
        assert_eq!(at(&[]).len(), 1, "only the loss");
        assert_eq!(at(&[usize::MAX]).len(), 1, "no such tensor");
    }
}

#[test]
fn gradients_of_inputs_on_the_command_line_and_in_requests() {
    let given = ["run", "-", "--json", "--fill", "range:1:1", "--grad", "loss"];
    let gradients = |options: &[&str]| {
        let (status, out, err) = lozenge(&[&given[..], options].concat(), QUADRATIC);
        assert_eq!(status, Some(0), "{out}{err}");
        serde_json::from_str::<Value>(&out).expect("JSON")["gradients"].clone()
    };
    let cells = |data: &[f64]| json!({ "dims": [data.len()], "data": data });
    let w = cells(&[1.0, 4.0, 9.0]);
    assert_eq!(gradients(&[]), json!({ "w": w }));
    let x = cells(&[2.0, 8.0, 18.0]);
    assert_eq!(gradients(&["--wrt", "x"]), json!({ "w": w, "x": x }));
    // Also of what is computed, and of what the loss does not depend on.
    let all = json!({ "idle": cells(&[0.0, 0.0]), "w": w, "x": x, "y": cells(&[1.0, 1.0, 1.0]) });
    assert_eq!(gradients(&["--wrt", "x", "--wrt", "idle", "--wrt", "y"]), all);
    let request = |fields: Value| {
        let mut request = json!({ "op": "run", "program": QUADRATIC, "fill": "range:1:1" });
        request.as_object_mut().expect("an object").extend(fields.as_object().expect("fields").clone());
        ask(&[request.to_string()])[0].clone()
    };
    assert_eq!(request(json!({ "grad": "loss", "wrt": ["x", "idle", "y"] }))["gradients"], all);
    // A tensor of several names has that of the question; a parameter has its own as well.
    let named = format!("{QUADRATIC}\nlet k = y\nlet v = w");
    let aliased = json!({ "w": w, "v": w, "k": cells(&[1.0, 1.0, 1.0]) });
    assert_eq!(request(json!({ "program": named, "grad": "loss", "wrt": ["k", "v"] }))["gradients"], aliased);
    let (_, out, _) = lozenge(&[&given[..], &["--wrt", "k", "--wrt", "v"]].concat(), &named);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["gradients"], aliased);
    for (fields, at, says) in [
        (json!({ "wrt": ["x"] }), "/wrt", "`wrt` goes with `grad`"),
        (json!({ "grad": "loss", "wrt": "x" }), "/wrt", "expected a list of names of tensors"),
        (json!({ "grad": "loss", "wrt": ["x", 3] }), "/wrt/1", "expected the name of a tensor"),
        (json!({ "grad": "loss", "wrt": ["z"] }), "/wrt/0", "expected the name of a tensor of the program"),
    ] {
        let answer = request(fields.clone());
        assert_eq!((&answer["kind"], &answer["at"]), (&json!("parse"), &json!(at)), "{fields}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|m| m.contains(says)), "{answer}");
    }
    let (status, _, err) = lozenge(&["run", "-", "--fill", "1", "--wrt", "x"], QUADRATIC);
    assert!(status == Some(2) && err.contains("--grad"), "{err}");
    let (status, _, err) = lozenge(&[&given[..], &["--wrt", "q"]].concat(), QUADRATIC);
    assert_eq!(status, Some(2), "{err}");
}

/// The tropical 1 is the number 0: a gradient that began with the number 1 would be larger by one everywhere.
#[test]
fn gradients_begin_with_the_one_of_their_scalars() {
    let program = "param a: 2\nparam v: 2\nlet q = v + a\nlet z = a *. a\n";
    let gradients = |scalar: &str| {
        let data = ["--data", "a=[10, 20]", "--data", "v=[1, 1]"];
        let given = ["run", "-", "--json", "--grad", "z", "--scalar", scalar];
        let (status, out, err) = lozenge(&[&given[..], &data].concat(), program);
        assert_eq!(status, Some(0), "{out}{err}");
        serde_json::from_str::<Value>(&out).expect("JSON")["gradients"].clone()
    };
    let cells = |a: Value, v: Value| json!({"a": {"dims": [2], "data": a}, "v": {"dims": [2], "data": v}});
    assert_eq!(gradients("tropical"), cells(json!([10.0, 20.0]), json!(["-inf", "-inf"])));
    assert_eq!(gradients("i64"), cells(json!([20, 40]), json!([0, 0])));
    assert_eq!(gradients("rational"), cells(json!(["20", "40"]), json!(["0", "0"])));
}
