//! Assignments: which operators are part of one, and new tensors with a shape (spec/program.md).
#![allow(missing_docs)]

use lozenge::program::ast::{BinaryOp, TernaryOp, UnaryOp};
use lozenge::program::generate::{Logic, Operation, Primitive};
use lozenge::program::{Program, generate, infer, parse};

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

/// The operations of one assignment to r.
fn operations(assignment: &str) -> Vec<Operation> {
    let text = format!("input a\ninput b\ninput c\n{{ r }} {assignment}");
    generate(&read(&text)).unwrap_or_else(|e| panic!("{}", e.render(&text))).operations
}

fn refused(text: &str) -> String {
    let program = read(text);
    infer(&program).map(|_| ()).expect_err(text).render(text)
}

#[test]
fn the_outermost_operator_is_the_primitive() {
    for (sign, op) in [
        ("+", BinaryOp::Add),
        ("-", BinaryOp::Sub),
        ("/", BinaryOp::Div),
        ("**", BinaryOp::Pow),
        ("<", BinaryOp::Lt),
        ("=", BinaryOp::Eq),
        ("<>", BinaryOp::Ne),
    ] {
        let made = operations(&format!("=: a {sign} b"));
        assert_eq!(made.len(), 1, "{sign} makes no tensor of its own");
        assert_eq!((made[0].primitive, made[0].logic), (Primitive::Binary(op), Logic::Pointwise), "{sign}");
    }
    for (sign, op) in [("*.", BinaryOp::Mul), ("/.", BinaryOp::Div), ("**.", BinaryOp::Pow)] {
        let made = operations(&format!("=: a {sign} b"));
        assert_eq!(made.len(), 2, "{sign} is an operation on tensors");
        assert_eq!((made[0].primitive, made[1].primitive), (Primitive::Binary(op), Primitive::Copy), "{sign}");
    }
    assert_eq!(operations("=: relu a")[0].primitive, Primitive::Unary(UnaryOp::Relu));
    assert_eq!(operations("=: where a b c")[0].primitive, Primitive::Ternary(TernaryOp::Where));
}

#[test]
fn the_logic_goes_with_every_primitive() {
    for sign in ["*", "/", "**"] {
        for (logic, expected) in [(".", Logic::Pointwise), ("@", Logic::Compose), ("i; j => ij", Logic::Einsum)] {
            let made = operations(&format!("=:+ a {sign} b ~logic:\"{logic}\""));
            assert_eq!((made.len(), made[0].logic), (1, expected), "{sign} {logic}");
        }
    }
}

#[test]
fn operators_of_assignments_are_no_tensors() {
    for (expr, instead) in
        [("(a / b) + a", "write `/.`"), ("relu (a ** b)", "write `**.`"), ("a / b / a", "write `/.`")]
    {
        let text = format!("input a\ninput b\n{{ r }} =: {expr}\n");
        assert!(refused(&text).contains(instead), "{}", refused(&text));
    }
    assert!(refused("input a\nlet r = a / a\n").contains("`/` is the outermost operator of an assignment"));
}

#[test]
fn they_bind_like_the_operations_on_tensors() {
    let same = |short: &str, full: &str| {
        assert_eq!(read(&format!("x =: {short}")), read(&format!("x =: {full}")), "{short}");
    };
    same("a / b *. c", "(a / b) *. c");
    same("a *. b / c", "(a *. b) / c");
    same("a ** b ** c", "a ** (b ** c)");
    same("a + b ** c", "a + (b ** c)");
    same("(a / b)", "a / b");
}

#[test]
fn a_new_tensor_may_have_a_shape() {
    let text = "input a: 5\n{ r: 3 | ... } =: a\n{ s: n | 4 -> ... } =+ r\nn = 7\n{ t: } =: a\n";
    assert!(parse(text).expect_err("no shape").render(text).contains("expected a shape"));
    let text = "input a: 5\n{ r: 3 | ... } =: a\n{ s: 3 | n -> ... } =+ r\nn = 7\n";
    let program = read(text);
    let inference = infer(&program).unwrap_or_else(|e| panic!("{}", e.render(text)));
    assert_eq!(inference.show("r").as_deref(), Some("3 | 5"));
    assert_eq!(inference.show("s").as_deref(), Some("3 | 7 -> 5"));
    assert_eq!(read(&program.to_string()), program);
    let json = serde_json::to_value(&program).expect("JSON");
    assert_eq!(
        json["statements"][1]["assign"]["target"],
        serde_json::json!({"new": {"name": "r", "shape": "3 | ..."}})
    );
    assert_eq!(serde_json::from_value::<Program>(json).expect("JSON"), program);
    // Without a shape the name alone is the JSON form.
    let json = serde_json::to_value(read("{ r } =: 1")).expect("JSON");
    assert_eq!(json["statements"][0]["assign"]["target"], serde_json::json!({"new": "r"}));
}
