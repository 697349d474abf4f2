//! Programs built, typed and read; the constraints that operations give.

use super::{inferred, read, refused};
use lozenge::program::generate::Logic;
use lozenge::program::{InferError, Program, generate, infer, parse_shape, partial};
use lozenge::solver::Policy;

#[test]
fn built_typed_and_read_from_json_are_one_program() {
    use lozenge::program::ast::{Accumulate, AssignOp, BinaryOp, DimValue, EinsumOp, Expr, Index, PermuteOp, SpecUse};
    use lozenge::program::ast::{Target, TernaryOp};
    let (x, y) = (|| Expr::name("x"), || Expr::name("y"));
    let built = Program::builder()
        .input("x", parse_shape("3, n | 20").ok())
        .param("w", None)
        .constant("c", parse_shape("... | ..r.. -> 3:rgb, ?").ok())
        .dim("n", DimValue::Size(16))
        .function("f", &["a"], (Expr::name("w").compose(Expr::name("a")) + 1.0).relu())
        .bind("y", Expr::call("f", vec![x().slice(Index::Name("t".to_owned()))]))
        .bind("z", y().einsum(EinsumOp::Product, SpecUse::from("...|i; ...|i => ...|0").capture(&["i"]), y()))
        .bind("m", x().permute(PermuteOp::Max, "...|... => ...|0").times(Expr::size("i")))
        .bind("k", Expr::ternary(TernaryOp::Where, [x().binary(BinaryOp::Lt, -1.5), x(), 0.0.into()]))
        .assign(
            Target::New("d".into()),
            AssignOp { erase: true, accumulate: Accumulate::Add },
            x().compose(x()),
            Some("."),
        )
        .build();
    let text = r#"
input x: 3, n | 20
param w
const c: ... | ..r.. -> 3:rgb, ?
n = 16
fn f(a) = relu (w * a + 1)
let y = f(x @| t)
let z = y +* "...|i; ...|i => ...|0" ["i"] y
let m = (x @^^ "...|... => ...|0") *. dim i
let k = where (x < -1.5) x 0
{ d } =:+ x * x ~logic:"."
"#;
    let json = r#"{"statements": [
        {"input": {"name": "x", "shape": "3, n | 20"}},
        {"param": {"name": "w"}},
        {"const": {"name": "c", "shape": "... | ..r.. -> 3:rgb, ?"}},
        {"dim": {"name": "n", "value": {"size": 16}}},
        {"fn": {"name": "f", "params": ["a"], "body": {"unary": {"op": "relu", "arg": {"binary": {"op": "+",
            "lhs": {"binary": {"op": "*", "lhs": {"name": "w"}, "rhs": {"name": "a"}}}, "rhs": {"number": 1}}}}}}},
        {"let": {"name": "y", "value": {"call": {"function": "f", "args": [{"slice": {"arg": {"name": "x"}, "index": "t"}}]}}}},
        {"let": {"name": "z", "value": {"einsum": {"op": "+*", "spec": {"text": "...|i; ...|i => ...|0", "captures": ["i"]},
            "lhs": {"name": "y"}, "rhs": {"name": "y"}}}}},
        {"let": {"name": "m", "value": {"binary": {"op": "*.", "lhs": {"permute": {"op": "@^^",
            "spec": {"text": "...|... => ...|0"}, "arg": {"name": "x"}}}, "rhs": {"size": "i"}}}}},
        {"let": {"name": "k", "value": {"ternary": {"op": "where", "args": [
            {"binary": {"op": "<", "lhs": {"name": "x"}, "rhs": {"number": -1.5}}}, {"name": "x"}, {"number": 0}]}}}},
        {"assign": {"target": {"new": "d"}, "op": {"erase": true, "accumulate": "+"},
            "value": {"binary": {"op": "*", "lhs": {"name": "x"}, "rhs": {"name": "x"}}}, "logic": "."}}
    ]}"#;
    assert_eq!(read(text), built);
    assert_eq!(serde_json::from_str::<Program>(json).expect("JSON"), built);
    // `z` needs one output axis of `y`, and nothing says how large.
    assert!(matches!(infer(&built), Err(InferError::Hole(hole)) if hole.tensor == "w"));
}

#[test]
fn operators_bind_as_in_ocaml() {
    let same = |short: &str, full: &str| {
        assert_eq!(read(&format!("let y = {short}")), read(&format!("let y = {full}")), "{short}");
    };
    same("a + b * c", "a + (b * c)");
    same("a - b - c", "(a - b) - c");
    same("a **. b **. c", "a **. (b **. c)");
    same("a *. b **. c", "a *. (b **. c)");
    same("a + b ++ \"i => 0\"", "(a + b) ++ \"i => 0\"");
    same("a *. b ++ \"i => 0\"", "(a *. b) ++ \"i => 0\"");
    same("a * b @^^ \"i => 0\"", "(a * b) @^^ \"i => 0\"");
    same("a + b @| t", "(a + b) @| t");
    same("relu a + b", "(relu a) + b");
    same("relu a ++ \"i => 0\"", "(relu a) ++ \"i => 0\"");
    same("a +* \"i; i => i\" b /. c", "(a +* \"i; i => i\" b) /. c");
    same("a < b + c", "a < (b + c)");
    same("-a + b", "(-a) + b");
    same("relu -1", "relu (-1)");
    same("where a b c + d", "(where a b c) + d");
    same("where(a, b, c)", "where a b c");
    same("a + let b = c in b + d", "a + (let b = c in (b + d))");
}

#[test]
fn applications_are_fresh_and_parameters_outside_are_shared() {
    let inference = inferred(
        "param shared: ... -> 4
fn f(x) = shared * x + { own: ... -> ... } * x
input a: 5
input b: 5
let y = f(a)
let z = f(b) + [1, 2, 3, 4]
",
    );
    assert_eq!(inference.show("shared").as_deref(), Some("5 -> 4"));
    assert_eq!(inference.show("f#1.own").as_deref(), Some("5 -> 4"));
    assert!(inference.shape("f#2.own").is_some());
    let shared = refused("param w: 5 -> 5\nfn f(x) = w * x\ninput a: 5\ninput b: 6\nlet y = f(a)\nlet z = f(b)\n");
    assert!(shared.contains("6 | let z = f(b)\n  |         ---- in the application `f(b)`"), "{shared}");
    // Inside one application nothing is shared with another.
    inferred("fn f(x) = { w: ... -> 3 } * x\ninput a: 5\ninput b: 6\nlet y = f(a)\nlet z = f(b)\n");
}

#[test]
fn what_is_known_before_closing() {
    let text = "input x: n | 784\nlet y = { w: ... -> 64 } * x + { b }\n";
    let known = partial(&read(text), Policy::default()).expect("as expected");
    assert_eq!(known.show("y").as_deref(), Some("..., ? | ... -> ..., 64"));
    assert_eq!(known.show("b").as_deref(), Some("... -> ..."));
    let inference = inferred(text);
    assert_eq!(inference.show("y").as_deref(), Some("1∅ | 64"));
    let said: Vec<String> = inference.assumptions().into_iter().map(|a| a.text).collect();
    assert!(said.iter().any(|text| text.starts_with("output row of `b`: []·⋄·[64] (CL-leaf")), "{said:#?}");
    assert!(said.iter().any(|text| text.starts_with("batch axis 1 of `x`: 1∅ (CL-bare")), "{said:#?}");
}

#[test]
fn logics_of_operators() {
    let logic = |expr: &str| {
        let text = format!("input a\ninput b\ninput c\nlet r = {expr}");
        generate(&read(&text)).expect("as expected").operations.last().expect("as expected").logic
    };
    for op in ["+", "-", "*.", "/.", "**.", "<", "=", "<>"] {
        assert_eq!(logic(&format!("a {op} b")), Logic::Pointwise, "{op}");
    }
    for op in ["relu", "exp", "log", "sin", "cos", "sqrt", "tanh", "recip", "neg", "not"] {
        assert_eq!(logic(&format!("{op} a")), Logic::Pointwise, "{op}");
        assert_eq!(logic(&format!("{op} \"ij => ji\" a")), Logic::Permute, "{op}");
    }
    assert_eq!(logic("a * b"), Logic::Compose);
    assert_eq!(logic("fma a b c"), Logic::ComposeAccumulate);
    assert_eq!(logic("where a b c"), Logic::Pointwise);
    for op in ["+*", "+++", "@^+"] {
        assert_eq!(logic(&format!("a {op} \"i; i => i\" b")), Logic::Einsum, "{op}");
    }
    assert_eq!(logic("a ++ \"i => 0\""), Logic::Permute);
    assert_eq!(logic("a @^^ \"i => 0\""), Logic::Permute);
    assert_eq!(logic("(a, b) ++^ \"i; i => i\""), Logic::Block);
    assert_eq!(logic("a @| t"), Logic::Slice);
}
