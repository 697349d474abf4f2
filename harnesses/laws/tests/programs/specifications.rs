//! Specifications: read, printed, refused.

use super::{below, is_solution, pick};
use lozenge::program::ast::Convolution;
use lozenge::program::einsum::{Affine, Axis, Factor, Kernel, Spec, SpecRow, SpecSlot};
use lozenge::program::shape::Kind;
use lozenge::program::{infer, parse};
use lozenge_harnesses::cases::sampled;
use quickcheck::{Arbitrary, Gen};

#[test]
fn both_lexical_modes() {
    let spec = |text: &str| text.parse::<Spec>().unwrap_or_else(|e| panic!("{}", e.render(text)));
    let canonical = |text: &str| spec(text).to_string();
    assert_eq!(canonical("i12 => i"), "i12 => i");
    assert_eq!(canonical("i 1 2 => i"), "i1 2 => i");
    assert_eq!(canonical("row, col => col, row"), "row,col => col,row");
    assert_eq!(canonical("row, => row"), "row, => row");
    assert_eq!(canonical("a, ..., b, | -> x => ...b"), spec("a...b|x, => ...,b").to_string());
    assert_eq!(canonical("ab => ba"), "ab => ba");
    assert_eq!(canonical("...|...->... => 0"), "...|...->... => 0");
    assert_eq!(canonical("..batch.., | i => i"), "...|i => i");
    assert_eq!(canonical("..b..|i => i ..b.."), "..b..|i => i ..b..");
    assert_eq!(canonical("2*o=+1+3*k => o"), "2*o=+1+3*k => o");
    assert_eq!(canonical("o<+k; k => o"), "o<+k; k => o");
    assert_eq!(canonical("a^b => a"), "a^b => a");
    // A kind that is not written is the closed empty row.
    assert_eq!(spec("i => i"), spec("|->i => |i"));
}

#[test]
fn specifications_are_refused_at_the_place() {
    let caret = |text: &str| {
        let error = text.parse::<Spec>().expect_err("refused");
        (error.span.start, error.problem.to_string())
    };
    assert_eq!(caret("ij").0, 2);
    assert_eq!(caret("i => j => k"), (7, "a second `=>`: one result stands on the right of one `=>`".to_owned()));
    assert_eq!(caret("i => j; k").0, 6);
    assert_eq!(caret("i -> j -> k => i").0, 7);
    assert_eq!(caret("i | j | k => i").0, 6);
    assert_eq!(caret("i -> j | k => i").0, 2);
    assert_eq!(caret("i, , j => i").0, 3);
    assert_eq!(caret(", i => i").0, 0);
    assert_eq!(caret("i..j => i").0, 5);
    assert_eq!(caret("..rs.. => i").0, 3);
    assert_eq!(caret("..i.. i => i").0, 6);
    assert_eq!(caret("99999999999999999999 => 0").0, 0);
    assert_eq!(caret("2* => i").0, 3);
    assert_eq!(caret("o<k => i").0, 2);
    assert_eq!(caret("a^ => a").0, 3);
}

#[derive(Clone, Debug)]
struct AnySpec(Spec);

fn any_axis(g: &mut Gen, long: bool) -> Axis {
    let labels: &[&str] = if long { &["i", "row", "c_2"] } else { &["i", "j", "k"] };
    let label = |g: &mut Gen| pick(g, labels).to_owned();
    let factor = |g: &mut Gen| match below(g, 3) {
        0 => None,
        1 => Some(Factor::Number(below(g, 5))),
        _ => Some(Factor::Name("s".to_owned())),
    };
    match below(g, if long { 8 } else { 4 }) {
        0 => Axis::Fixed(below(g, 12)),
        1 => Axis::Anonymous,
        4 => Axis::Concat((0..2 + below(g, 2)).map(|_| label(g)).collect()),
        5 => {
            let offset = if bool::arbitrary(g) { Some(below(g, 4)) } else { None };
            let stride = Some(factor(g).unwrap_or(Factor::Number(2)));
            Axis::Affine(Affine { stride, over: label(g), offset, kernel: None })
        }
        6 => {
            let offset = if bool::arbitrary(g) { Some(below(g, 4)) } else { None };
            let kernel = Kernel {
                mode: pick(g, &[None, Some(Convolution::Padded), Some(Convolution::Valid)]),
                dilation: factor(g),
                label: label(g),
            };
            Axis::Affine(Affine { stride: factor(g), over: label(g), offset, kernel: Some(kernel) })
        }
        _ => Axis::Label(label(g)),
    }
}

impl Arbitrary for AnySpec {
    fn arbitrary(g: &mut Gen) -> Self {
        let long = bool::arbitrary(g);
        let row = |g: &mut Gen, kind: Kind| {
            let flank = |g: &mut Gen| (0..below(g, 3)).map(|_| any_axis(g, long)).collect::<Vec<_>>();
            let var = match below(g, 3) {
                0 => None,
                1 => Some(kind.name().to_owned()),
                _ => Some(if long { pick(g, &["rows", "r", "batch"]) } else { "r" }.to_owned()),
            };
            let lead = if var.is_some() { flank(g) } else { Vec::new() };
            SpecRow { lead, var, trail: flank(g) }
        };
        let slot = |g: &mut Gen| SpecSlot {
            batch: row(g, Kind::Batch),
            input: row(g, Kind::Input),
            output: row(g, Kind::Output),
        };
        let operands = (0..1 + below(g, 3)).map(|_| slot(g)).collect();
        AnySpec(Spec { operands, result: slot(g) })
    }
}

#[test]
fn specifications_are_read_back_as_printed() {
    sampled("specifications_are_read_back_as_printed", 20_000, |AnySpec(spec): AnySpec| {
        let text = spec.to_string();
        let again = text.parse::<Spec>().unwrap_or_else(|e| panic!("{}", e.render(&text)));
        again == spec && again.to_string() == text
    });
}

#[test]
fn no_text_makes_the_readers_panic() {
    sampled("no_text_makes_the_readers_panic", 20_000, |pieces: Vec<u8>| {
        const PIECES: [&str; 46] = [
            "input ", "param ", "let ", "fn ", "x", "y", "w", " = ", "\n", "\n", "(", ")", "+", "*", "*.", "++", "+*",
            "\"", "=>", "...", "..", "|", "->", ",", "[", "]", "{", "}", "relu ", "where ", "3", "0", "1e9", ":",
            "~logic:", "=:+", "in ", "@|", "∅", "#", "range", "-", "@", "sum(", "mean(", "i",
        ];
        let text: String = pieces.iter().map(|i| PIECES[usize::from(*i) % PIECES.len()]).collect();
        let _ = text.parse::<Spec>();
        match parse(&text) {
            Err(error) => !error.render(&text).is_empty(),
            Ok(program) => match infer(&program) {
                Ok(inference) => is_solution(&inference),
                Err(error) => !error.render(&text).is_empty(),
            },
        }
    });
}
