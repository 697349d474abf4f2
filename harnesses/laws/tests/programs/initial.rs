//! What parameters begin with.

use super::{cells, inferred, read, refused, round_trip};
use lozenge::interp::{Inputs, Options, RunError, Value, run};
use lozenge::program::ast::{Array, Declaration, Init, StatementKind, Target};
use lozenge::program::{Program, generate, parse_shape};
use lozenge::projection::project_all;

#[test]
fn initialisers_are_read_built_and_written() {
    let text = "param w: 2 -> 3 = range\nparam b = -0.5\nparam m: 2 | ? = [[1.0], [2.0]]\nlet y = { v = 2.0 } *. { u: 3 = [1.0, 2.0, 3.0] }\n";
    let program = round_trip(text);
    let half = Init::Values(Array::Number((-0.5).into()));
    let built =
        Program::builder().initialised("w", parse_shape("2 -> 3").ok(), Init::Range).initialised("b", None, half);
    assert_eq!(program.statements[..2], built.build().statements);
    let json = r#"{"statements": [{"param": {"name": "w", "shape": "2 -> 3", "init": "range"}},
        {"param": {"name": "b", "init": -0.5}}]}"#;
    assert_eq!(serde_json::from_str::<Program>(json).expect("JSON").statements, program.statements[..2]);
    // `range` is a word here only.
    assert_eq!(inferred("input range: 3\nlet y = range + range").show("y").as_deref(), Some("3"));
}

#[test]
fn a_parameter_begins_with_its_values() {
    assert_eq!(cells("param w: 2 -> 3 = range\nlet y = w ++ \"i -> j => ij\"", "y"), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    assert_eq!(cells("input x: 3\nlet y = x *. { w = 0.5 }", "y"), [0.0, 0.5, 1.0]);
    assert_eq!(cells("param w: 3 = 7\nlet y = w + 0", "y"), [7.0, 7.0, 7.0]);
    // In every application its own.
    assert_eq!(cells("fn f(x) = x + { w = 2 }\nlet y = f(f([1]))", "y"), [5.0]);
    // An assignment that does not erase goes on from them; one that does never sees them.
    assert_eq!(cells("param w: 2 = 3\nw =+ 1", "w"), [4.0, 4.0]);
    assert_eq!(cells("param w: 2 = 3\nw =: 1", "w"), [1.0, 1.0]);
}

#[test]
fn lists_give_a_parameter_its_shape() {
    let shape = |text: &str, name: &str| inferred(text).show(name);
    assert_eq!(shape("param w = [[1, 2, 3], [4, 5, 6]]\nlet y = relu w", "w").as_deref(), Some("2, 3"));
    // Output rows outside, input axes inside, as in storage.
    assert_eq!(shape("param w: 3 -> 2 = [[1, 2, 3], [4, 5, 6]]\nlet y = relu w", "w").as_deref(), Some("3 -> 2"));
    assert_eq!(cells("param w: 3 -> 2 = [[1, 2, 3], [4, 5, 6]]\ninput x: 3\nlet y = w * x", "y"), [8.0, 17.0]);
    // Nothing else has to say it, and nothing stretches.
    assert_eq!(shape("param w = [1, 2]\nlet y = { v } + w", "v").as_deref(), Some("2"));
    assert!(
        refused("param w = [1]\ninput x: 2\nlet y = w + x")
            .contains("output axis 1 of `w` is 1, and output axis 1 of `x` is 2")
    );
}

#[test]
fn data_goes_before_what_a_parameter_begins_with() {
    let inference = inferred("param w: 2 = range\ninput x: 2\nlet y = w + x");
    let nests = project_all(&inference).expect("projections");
    let id = |name: &str| inference.generated.tensor(name).expect("a tensor");
    let two = |a: f64| Value { dims: vec![2], data: vec![a, a] };
    let ran = |values: &[(&str, Value<f64>)]| {
        let values = values.iter().map(|(name, value)| (id(name), value.clone())).collect();
        run(&inference, &nests, Inputs { values, ..Inputs::default() }, &Options::default())
    };
    let y = |values: &[(&str, Value<f64>)]| ran(values).expect("a run").values[id("y")].clone().expect("a value").data;
    assert_eq!(y(&[("x", two(10.0))]), [10.0, 11.0]);
    assert_eq!(y(&[("x", two(10.0)), ("w", two(5.0))]), [15.0, 15.0]);
    // Only the input is missing.
    assert_eq!(ran(&[]).err(), Some(RunError::Missing(vec![("x".to_owned(), vec![2])])));
    // A number that these scalars do not have is an error where the parameter is written, unless there is other data.
    let half = inferred("param w: 2 = 0.5\nlet y = w + 0");
    let nests = project_all(&half).expect("projections");
    let whole = |inputs: Inputs<i64>| run(&half, &nests, inputs, &Options::default());
    let error = whole(Inputs::default()).expect_err("a fraction");
    assert_eq!(error.span().map(|span| span.start), Some(0), "{error}");
    let given = Inputs { values: [(0, Value { dims: vec![2], data: vec![1, 2] })].into(), ..Inputs::default() };
    assert!(whole(given).is_ok());
}

#[test]
fn other_initialisers_are_refused_at_their_place() {
    let starts = |text: &str, message: &str| {
        let refused = refused(text);
        assert!(refused.starts_with(message), "{refused}");
    };
    starts("param w = x", "1:11: found `x`, expected what the parameter begins with: a number, `range`, or lists");
    starts("param w =-1", "1:9: found `=-`, expected `=` and a blank");
    starts("input w = 1", "1:9: only a parameter begins with values of its own");
    starts("const w: 3 = range", "1:12: only a parameter begins");
    starts("{ w = 1 } =: 3", "1:5: only a parameter begins");
    starts("param w = [[1, 2], [3]]", "1:1: the lists of a tensor literal must not be empty and must agree");
    starts("param w: 3 = [1, 2]", "1:10: the axis `3` has lists of 2 here");
    starts("param w: unit, 3 = [[1, 2, 3], [4, 5, 6]]", "1:10: the axis `unit` has lists of 2");
    starts("param w: 3 = [[1, 2, 3]]", "1:10: the shape has 1 axis, and the numbers have 2");
    starts("param w: ... -> 3 = [[1, 2, 3]]", "1:10: `...` in the shape of written numbers");
    let init = Some(Init::Range);
    let mut built = read("{ w } =: 3");
    if let StatementKind::Assign(it) = &mut built.statements[0].kind {
        it.target = Target::New(Declaration { init: init.clone(), ..Declaration::from("w") });
    }
    assert!(generate(&built).is_err_and(|error| error.to_string().starts_with("only a parameter begins")));
    let json = r#"{"statements": [{"input": {"name": "x", "init": 1}}]}"#;
    assert!(
        serde_json::from_str::<Program>(json).is_err_and(|error| error.to_string().contains("unknown field \"init\""))
    );
    let json = r#"{"statements": [{"param": {"name": "x", "init": "uniform"}}]}"#;
    let error = serde_json::from_str::<Program>(json).expect_err("a word").to_string();
    assert!(error.contains("expected what the parameter begins with: a number, \"range\" or lists"), "{error}");
}
