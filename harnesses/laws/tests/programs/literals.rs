//! Literals with a written shape.

use super::{cells, inferred, read, refused, round_trip};
use lozenge::program::ast::{Array, Expr, ExprKind};
use lozenge::program::{Program, infer, parse_shape};

#[test]
fn literals_with_shapes_are_read_built_and_written() {
    let text = "let a = ([[1.0, 2.0], [3.0, 4.0]]: 2 -> 2)\nlet b = relu ([1.0, 2.0, 3.0]: 3:rgb |)\n";
    assert_eq!(read(text).to_string(), text.replace("3:rgb |)", "3:rgb | ->)"));
    round_trip(&text.replace("3:rgb |)", "3:rgb | ->)"));
    let values = Array::List(vec![Array::Number(1.0.into()), Array::Number(2.0.into())]);
    let built = Program::builder().bind("a", Expr::literal(values, parse_shape("2 -> unit").expect("a shape")));
    let mut nested = built.clone().build();
    assert_eq!(nested, read("let a = ([1, 2]: 2 -> unit)"));
    assert!(matches!(nested.statements.remove(0).kind, lozenge::program::ast::StatementKind::Let { value, .. }
        if matches!(value.kind, ExprKind::Literal { .. })));
    let json =
        r#"{"statements": [{"let": {"name": "a", "value": {"literal": {"values": [1, 2], "shape": "2 -> unit"}}}}]}"#;
    assert_eq!(serde_json::from_str::<Program>(json).expect("JSON"), built.build());
    let json = json.replace("[1, 2]", "1");
    let error = serde_json::from_str::<Program>(&json).expect_err("no lists").to_string();
    assert!(error.contains("expected lists of numbers"), "{error}");
    let json = r#"{"statements": [{"let": {"name": "a", "value": {"tensor": 3}}}]}"#;
    let scalar: Program = serde_json::from_str(json).expect("JSON");
    assert_eq!(infer(&scalar).expect("a scalar").show("a").as_deref(), Some("1∅"));
}

#[test]
fn literals_have_the_rows_that_are_written() {
    let shown = |literal: &str| inferred(&format!("let y = {literal}")).show("y").expect("a shape");
    assert_eq!(shown("([[1, 2, 3], [4, 5, 6]]: 2 | 3)"), "2 | 3");
    assert_eq!(shown("([[1, 2, 3], [4, 5, 6]]: 3 -> 2)"), "3 -> 2");
    assert_eq!(shown("([[1, 2, 3], [4, 5, 6]]: ? -> ?)"), "3 -> 2");
    assert_eq!(shown("([[[1, 2], [3, 4], [5, 6]]]: unit | 2:xy -> 3:rgb)"), "1∅ | 2:xy -> 3:rgb");
    assert_eq!(shown("([[1, 2, 3], [4, 5, 6]]: 2, 3 ->)"), "2, 3 ->");
    let named = inferred("let l = ([1, 2, 3]: n)\ninput x: n | 2\nlet y = relu x");
    assert_eq!((named.show("y").as_deref(), named.size("n")), (Some("3 | 2"), Some(3)));
}

#[test]
fn literals_have_their_values_in_the_order_of_storage() {
    // A matrix is written row by row, and its columns are its input.
    assert_eq!(cells("input x: 3\nlet y = ([[1, 2, 3], [4, 5, 6]]: 3 -> 2) * x", "y"), [8.0, 17.0]);
    assert_eq!(cells("let b = ([[1, 2], [3, 4]]: 2 | 2)\nlet y = b @| 1", "y"), [3.0, 4.0]);
    assert_eq!(cells("input c: 3:rgb\nlet y = c *. ([2, 3, 4]: 3:rgb)", "y"), [0.0, 3.0, 8.0]);
    // `unit` stretches, and 1 does not.
    assert_eq!(cells("input x: 3\nlet y = x + ([5]: unit)", "y"), [5.0, 6.0, 7.0]);
    assert!(
        refused("input x: 3\nlet y = x + ([5]: 1)")
            .contains("output axis 1 of `x` is 3, and output axis 1 of `([5]: 1)` is 1")
    );
}

#[test]
fn literals_that_do_not_have_their_shape_are_refused_at_its_place() {
    let starts = |text: &str, message: &str| {
        let refused = refused(text);
        assert!(refused.starts_with(message), "{refused}");
    };
    starts("let y = ([1, 2, 3]: 4)", "1:21: the axis `4` has lists of 3 here");
    starts("let y = ([1, 2, 3]: 2 | 3)", "1:21: the shape has 2 axes, and the numbers have 1");
    starts("let y = ([1, 2, 3]: ...)", "1:21: `...` in the shape of written numbers");
    starts("let y = ([[1], [2, 3]]: 2, 2)", "1:9: the lists of a tensor literal");
    starts("let y = [1, 2]: 2", "1:15: found `:`, expected an operator; a literal with its shape stands in brackets");
    starts("let y = ([1, 2]: 2", "1:19: found the end, expected `)` after the shape of a literal");
    starts("let y = ([1, 2]: 2:a)\nlet z = y + ([1, 2]: 2:b)", "2:9: ");
    starts("n = 4\nlet y = ([1, 2]: n)\nlet z = relu y", "2:18: ");
}
