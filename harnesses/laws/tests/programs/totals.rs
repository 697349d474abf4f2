//! How many elements a tensor has, over all its rows.

use super::{inferred, is_solution, read, refused, round_trip};
use lozenge::program::Program;
use lozenge::program::ast::DimValue;
use lozenge::staged::{Numerator, SizeClaim, Total};

#[test]
fn totals_are_read_built_and_written() {
    let text = "input x: n | ... -> 3\nelements x = 24\nelements x = n\nelements x = 2 * n\n";
    let built = Program::builder()
        .input("x", "n | ... -> 3".parse().ok())
        .elements("x", DimValue::Size(24))
        .elements("x", DimValue::Same("n".into()))
        .elements("x", DimValue::Scaled(2, "n".into()));
    assert_eq!(round_trip(text), built.build());
    let json = r#"{"statements": [{"elements": {"name": "x", "value": {"scaled": [2, "n"]}}}]}"#;
    assert_eq!(serde_json::from_str::<Program>(json).expect("JSON"), read("elements x = 2 * n"));
    let generated = lozenge::program::generate(&read("input x: 2 | 3 -> 4\nelements x = 24")).expect("as expected");
    let [SizeClaim::Total(Total { rows, numerator: Numerator::Count(24), keep: Some(2), .. })] =
        generated.claims.as_slice()
    else {
        panic!("{:?}", generated.claims)
    };
    assert_eq!(rows.len(), 3);
    // The word stays a name.
    assert_eq!(inferred("elements = 3\ninput x: elements\nlet y = relu x").show("y").as_deref(), Some("3"));
}

/// One unknown axis, in any row, is what the others leave.
#[test]
fn one_unknown_is_found() {
    for (shape, whole) in [("n | 3 -> 4", "2 | 3 -> 4"), ("2 | n -> 4", "2 | 3 -> 4"), ("2 | 3 -> n", "2 | 3 -> 4")] {
        let inference = inferred(&format!("input x: {shape}\nelements x = 24\nlet y = relu x"));
        assert_eq!(inference.show("y").as_deref(), Some(whole), "{shape}");
        assert!(is_solution(&inference));
    }
    // An open row takes what is left, and the output row where several are open.
    let shown = |text: &str| inferred(text).show("x").expect("a shape");
    assert_eq!(shown("input x: 2 | ... -> 3\nelements x = 24\nlet y = relu x"), "2 | 4 -> 3");
    assert_eq!(shown("input x\nelements x = 24\nlet y = relu x"), "24");
}

#[test]
fn totals_are_equated_and_scaled_with_other_sizes() {
    // With an axis, …
    let axis = inferred("input x: 2, 3 | 4\ninput f: n\nelements x = n\nlet y = relu f");
    assert_eq!((axis.size("n"), axis.show("f").as_deref()), (Some(24), Some("24")));
    let half = inferred("input x: 2, 3 | 4\ninput f: n\nelements x = 2 * n\nlet y = relu f");
    assert_eq!(half.size("n"), Some(12));
    // … the other way round, …
    let back = inferred("input x: 2, 3 | ?\nn = 24\nelements x = n\nlet y = relu x");
    assert_eq!(back.show("y").as_deref(), Some("2, 3 | 4"));
    // … with a captured row, …
    let row = "input a: 5 | 2, 3\ninput x: 2 | 3 -> ?\nlet s = a ++ \"b | ..r.. => b\" [\"r\"]\nelements x = 4 * r\nlet y = relu x";
    assert_eq!(inferred(row).show("y").as_deref(), Some("2 | 3 -> 4"));
    // … and with another tensor: a change of shape keeps the elements.
    let both = inferred("input a: 4, 6\ninput b: 3 | ?\nelements a = t\nelements b = t\nlet y = relu b *. dim t");
    assert_eq!((both.show("b").as_deref(), both.size("t")), (Some("3 | 8"), Some(24)));
}

#[test]
fn totals_that_cannot_hold_are_refused() {
    let wrong = refused("input x: 2 | 3 -> 4\nelements x = 25\nlet y = relu x");
    assert!(wrong.starts_with("2:1: the size of `elements x`: the elements of 2 | 3 -> 4 = 25 "), "{wrong}");
    let rest = refused("input x: 5 | ?\nelements x = 24\nlet y = relu x");
    assert!(rest.starts_with("2:1: the size of `elements x`"), "{rest}");
    let zero = refused("input x\nelements x = 0");
    assert!(zero.starts_with("2:14: size 0"), "{zero}");
    let unknown = refused("input x\nelements y = 3");
    assert!(unknown.starts_with("2:10: there is no tensor called `y` here"), "{unknown}");
    let nothing = refused("input x\nelements x = \"a\"");
    assert!(nothing.contains("expected a number of elements, the name of a size"), "{nothing}");
    let tensor = refused("input x\ninput y\nelements x = y");
    assert!(
        tensor.starts_with("3:14: `y` is a tensor (which `let` defines), and the name of a size is needed here"),
        "{tensor}"
    );
    let bare = refused("input x\nelements");
    assert!(bare.contains("expected the name of a tensor after `elements`"), "{bare}");
    // One row twice is a square, and 24 is none.
    let square = refused("input x: ..r.. -> ..r..\nelements x = 24\nlet y = relu x");
    assert!(square.starts_with("2:1: the size of `elements x`"), "{square}");
}
