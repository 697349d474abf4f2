//! Operations on three operands, with a specification.

use super::{cells, inferred, read, refused, round_trip};
use lozenge::program::Program;
use lozenge::program::ast::{Expr, TernaryOp};
use lozenge::program::generate::{Logic, Primitive, generate};

const PRODUCT: &str = "input a: 2, 3\ninput b: 3, 4\ninput c: 4, 2\nlet y = (a, b, c) +* \"ij; jk; kl => il\"\n";

#[test]
fn three_operands_are_one_operation() {
    let program = round_trip(PRODUCT);
    let names = ["a", "b", "c"].map(Expr::name);
    let shape = |text: &str| text.parse().ok();
    let built = Program::builder()
        .input("a", shape("2, 3"))
        .input("b", shape("3, 4"))
        .input("c", shape("4, 2"))
        .bind("y", Expr::specified(TernaryOp::Mul3, "ij; jk; kl => il", names))
        .build();
    assert_eq!(program, built);
    assert_eq!(program, read(&PRODUCT.replace("(a, b, c) +* \"ij; jk; kl => il\"", "mul3 \"ij; jk; kl => il\" a b c")));
    let generated = generate(&program).expect("as expected");
    assert_eq!(generated.operations.len(), 1);
    assert_eq!(generated.operations[0].logic, Logic::Einsum);
    assert_eq!(generated.operations[0].primitive, Primitive::Ternary(TernaryOp::Mul3));
}

#[test]
fn products_of_three_are_products_of_products() {
    let pairs = PRODUCT.replace("(a, b, c) +* \"ij; jk; kl => il\"", "(a +* \"ij; jk => ik\" b) +* \"ik; kl => il\" c");
    assert_eq!(cells(PRODUCT, "y"), cells(&pairs, "y"));
    // 0·0·0 + 1·1·1 + 2·2·2.
    assert_eq!(cells("input a: 3\nlet y = (a, a, a) +* \"i; i; i => 0\"", "y"), [9.0]);
    // Inside other expressions it binds like a bracket.
    let inside = "input a: 3\nlet y = 1 + 2 *. (a, a, a) +* \"i; i; i => i\" - a";
    assert_eq!(cells(inside, "y"), [1.0, 2.0, 15.0]);
    assert_eq!(
        inferred("input a: 5 | 3\nlet y = (a, a, a) +* \"...|i; ...|i; ...|j => ...|j\" [\"j\"]").size("j"),
        Some(3)
    );
}

#[test]
fn where_with_a_specification() {
    let text = "input c: 2\ninput a: 2, 3\nlet y = where \"i; ij; j => ji\" (c, a, [7.0, 8.0, 9.0])\n";
    let program = round_trip(text);
    assert_eq!(program, read(&text.replace("(c, a, [7.0, 8.0, 9.0])", "c a [7, 8, 9]")));
    assert_eq!(inferred(text).show("y").as_deref(), Some("3, 2"));
    // c is 0, 1: the first column is the literal, the second the second row of a.
    assert_eq!(cells(text, "y"), [7.0, 3.0, 8.0, 4.0, 9.0, 5.0]);
    // What the result lacks is summed.
    assert_eq!(cells(&text.replace("=> ji", "=> i"), "y"), [24.0, 12.0]);
}

#[test]
fn other_numbers_of_operands_are_refused_at_their_place() {
    let two = refused("input a: 3\nlet y = (a, a) +* \"i; i => i\"");
    assert!(two.starts_with("2:16: found `+*`, expected `++^`, or three operands in the brackets"), "{two}");
    let none = refused("input a: 3\nlet y = (a, a, a) + a");
    assert!(none.starts_with("2:19: found `+`, expected after operands in brackets `++^`"), "{none}");
    let slots = refused("input a: 3\nlet y = (a, a, a) +* \"i; i => i\"");
    assert!(slots.starts_with("2:23: the specification has 2 operands, the operation has 3"), "{slots}");
    let fma = refused("input a: 3\nlet y = fma \"i; i; i => i\" a a a");
    assert!(fma.starts_with("2:13: `fma` takes no specification"), "{fma}");
    let built =
        Program::builder().bind("y", Expr::specified(TernaryOp::Fma, "i; i; i => i", [(); 3].map(|()| 1.0.into())));
    assert!(generate(&built.build()).is_err_and(|error| error.to_string().starts_with("`fma` takes no specification")));
}
