//! Convolutions that take their mode from the program.

use super::{cells, inferred, read, refused, round_trip};
use lozenge::program::ast::{Convolution, EinsumOp, Expr, PermuteOp};
use lozenge::program::einsum::{Axis, Spec, unspecified};
use lozenge::program::{Program, generate};

#[test]
fn axes_without_a_mode_are_read_and_written() {
    for axis in ["o+k", "o+2*k", "2*o+k", "2*o+3*k", "2*o+1+k", "s*o+e*k"] {
        let text = format!("{axis}; k => o");
        let spec: Spec = text.parse().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(spec.to_string(), text);
        let Axis::Affine(affine) = &spec.operands[0].output.trail[0] else { panic!("{text}") };
        assert_eq!(affine.kernel.as_ref().map(|kernel| kernel.mode), Some(None), "{text}");
        assert_eq!(unspecified(&text).map(|span| span.text(&text).to_owned()).as_deref(), Some(axis));
        let padded = spec.with_mode(Convolution::Padded).to_string();
        assert_eq!(padded, format!("{}; k => o", axis.replacen('+', "=+", 1)));
        assert_eq!(unspecified(&padded), None);
    }
    // A number after `+` is an offset, as before.
    let strided: Spec = "2*o+1 => o".parse().expect("a specification");
    assert!(
        matches!(&strided.operands[0].output.trail[0], Axis::Affine(it) if it.offset == Some(1) && it.kernel.is_none())
    );
    // A mode that is written stays.
    let valid: Spec = "o<+k; k => o".parse().expect("a specification");
    assert_eq!(valid.clone().with_mode(Convolution::Padded), valid);
}

/// A convolution under a line that says its mode, and the same with the mode in its axis.
#[test]
fn the_line_before_says_the_mode() {
    for (mode, sign, size) in [("padded", "=", "6"), ("valid", "<", "4")] {
        let text = format!("input x: 6\ninput w: 3\nconvolution {mode}\nlet y = x +* \"o+k; k => o\" w\n");
        round_trip(&text);
        let written = text.replace("o+k", &format!("o{sign}+k"));
        assert_eq!(inferred(&text).show("y").as_deref(), Some(size));
        assert_eq!(cells(&text, "y"), cells(&written, "y"));
        assert_eq!(cells(&text, "y"), cells(&written.replace(&format!("convolution {mode}\n"), ""), "y"));
    }
    let built = Program::builder()
        .input("x", "6".parse().ok())
        .convolution(Convolution::Valid)
        .bind("y", Expr::name("x").permute(PermuteOp::Max, "2*o+k => o"))
        .bind("z", Expr::name("x").einsum(EinsumOp::Product, "o+2*k; k => o", Expr::name("x")));
    let text = "input x: 6\nconvolution valid\nlet y = x @^^ \"2*o+k => o\"\nlet z = x +* \"o+2*k; k => o\" x";
    assert_eq!(read(text), built.build());
    let json = r#"{"statements": [{"convolution": "valid"}]}"#;
    assert_eq!(serde_json::from_str::<Program>(json).expect("JSON"), read("convolution valid"));
    // The word stays a name.
    assert_eq!(inferred("convolution = 3\ninput x: convolution\nlet y = relu x").show("y").as_deref(), Some("3"));
}

#[test]
fn a_mode_holds_from_its_line_on_and_a_function_has_that_of_its_own_line() {
    let text = "input x: 6\ninput w: 3\nconvolution padded\nfn f(a) = a +* \"o+k; k => o\" w\nlet one = f(x)\nconvolution valid\nlet two = f(x)\nlet three = x +* \"o+k; k => o\" w\nx =: x +* \"o+k; k => o\" [7]\n";
    let inference = inferred(text);
    let shown = |name: &str| inference.show(name).expect("a shape");
    assert_eq!([shown("one"), shown("two"), shown("three")], ["6", "6", "4"]);
    // The mode of an assignment's specification is found in the same way.
    let assigned = "input x: 6\ninput w: 3\nconvolution valid\n{ y } =:+ x * w ~logic:\"o+k; k => o\"\n";
    assert_eq!(inferred(assigned).show("y").as_deref(), Some("4"));
}

#[test]
fn a_convolution_without_a_mode_is_refused_at_its_place() {
    let open = refused("input x: 6\ninput w: 3\nlet y = x +* \"2*o+k; k => o\" w");
    let first = open.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("3:15: `2*o+k` does not say which convolution it is: write `2*o=+k` (padded) or `2*o<+k`"),
        "{open}"
    );
    assert!(open.lines().last().is_some_and(|line| line.ends_with("              ^^^^^")), "{open}");
    // A function has the mode of its own line, and not that of its use.
    let early = refused("input x: 6\nfn f(a) = a @^^ \"o+k => o\"\nconvolution valid\nlet y = f(x)");
    assert!(early.starts_with("2:18: `o+k` does not say"), "{early}");
    let built =
        Program::builder().input("x", None).bind("y", Expr::name("x").permute(PermuteOp::Max, "o+k => o")).build();
    assert!(generate(&built).is_err_and(|error| error.to_string().starts_with("`o+k` does not say")));
    let alone = refused("input x: 6\nlet y = x ++ \"o+3 => o\"");
    assert!(
        alone.starts_with(
            "2:17: `o+3` has an offset and no stride: an offset is less than its stride, so write `4*o+3`"
        ),
        "{alone}"
    );
    let word = refused("convolution same\n");
    assert!(word.starts_with("1:13: found `same`, expected `padded` or `valid`"), "{word}");
    let bare = refused("convolution\ninput x");
    assert!(bare.starts_with("1:12: found the end of the statement, expected `padded` or `valid`"), "{bare}");
    let end = refused("input x: 6\nlet y = x ++ \"2*o+ => o\"");
    assert!(end.contains("expected a constant offset as in `2*o+1`, or the kernel's label"), "{end}");
}
