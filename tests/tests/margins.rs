//! Margins in answers: what 8.1 says, and what the loops address.
#![allow(missing_docs)]

use lozenge::program::shape::Kind;
use lozenge::program::{Inference, infer, margins, parse};
use lozenge::projection::{Label, Slot, project_all};
use lozenge_tests::{ask, run as lozenge};
use serde_json::{Value, json};

fn inferred(text: &str) -> Inference {
    let program = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    infer(&program).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

/// How far the first operand of the first operation is read below 0 and beyond its end.
fn addressed(inferred: &Inference) -> (u128, u128) {
    let nests = project_all(inferred).expect("loops");
    let record = &nests[0].record;
    let axis = &record.map(Slot::Rhs(0))[0];
    let Label::Affine(affine) = &axis.label else { return (0, 0) };
    let (low, high) = affine.range(record);
    let beyond = |n: i128| n.max(0).cast_unsigned();
    (beyond(-low), beyond(high + 1 - i128::from(axis.size)))
}

#[test]
fn margins_hold_what_the_loops_address() {
    let mut cases = 0;
    for (stride, dilation, kernel, outputs) in
        (1..=3).flat_map(|s| (1..=3).flat_map(move |e| (1..=5).flat_map(move |k| (1..=4).map(move |o| (s, e, k, o)))))
    {
        for offset in 0..stride {
            let size = stride * outputs;
            let text = format!(
                "input x: {size}\nparam w: {kernel}\nlet y = x +* \"{stride}*o=+{offset}+{dilation}*k; k => o\" w"
            );
            let inferred = inferred(&text);
            let found = margins(&inferred);
            let margin = found.get(&0).map(|rows| rows.get(Kind::Output)[0]).unwrap_or_default();
            let (left, right) = addressed(&inferred);
            assert_eq!((margin.left, margin.right), (left, right), "{text}");
            cases += 1;
        }
    }
    assert_eq!(cases, 3 * 5 * 4 * (1 + 2 + 3));
}

const SHARED: &str = "input x: 8 | 6, 6, 2
param w: 3
param v: 5
let a = x +* \"...| o=+k, ...; k => ...| o, ...\" w
let b = x +* \"...| ..., o=+2*k, c; k => ...| ..., o, c\" v
let c = relu x +* \"...| 2*o=+k, ...; k => ...| o, ...\" w
let d = x +* \"...| o<+k, ...; k => ...| o, ...\" w
";

#[test]
fn a_margin_is_the_maximum_over_all_uses() {
    let rows = |answer: &Value| answer["margins"].clone();
    let answers: Vec<Value> =
        ["infer", "project"].iter().flat_map(|op| ask(&[json!({"op": op, "program": SHARED}).to_string()])).collect();
    let expected = json!({"x": {"output": [[1, 1], [4, 4], [0, 0]]}, "t5": {"output": [[1, 0], [0, 0], [0, 0]]}});
    assert_eq!(rows(&answers[0]), rows(&answers[1]));
    assert_eq!(rows(&answers[0])["x"], expected["x"], "{}", rows(&answers[0]));
    assert_eq!(rows(&answers[0]).as_object().map(serde_json::Map::len), Some(2), "{}", rows(&answers[0]));
    // The order of the uses does not matter.
    let mut lines: Vec<&str> = SHARED.lines().collect();
    lines[3..].reverse();
    let turned = ask(&[json!({"op": "infer", "program": lines.join("\n")}).to_string()]);
    assert_eq!(rows(&turned[0])["x"], expected["x"]);
}

#[test]
fn people_see_margins_where_there_are_some() {
    for command in ["infer", "project"] {
        let (status, out, _) = lozenge(&[command, "-"], SHARED);
        assert!(status == Some(0) && out.contains("\nmargins of padded axes, left + size + right\n"), "{out}");
        assert!(out.contains("output  1 + 6 + 1, 4 + 6 + 4, 2\n"), "{out}");
        let (_, out, _) = lozenge(&[command, "-"], "input x: 6\nparam w: 3\nlet d = x +* \"o<+k; k => o\" w\n");
        assert!(!out.contains("margins"), "{out}");
    }
    let answer = &ask(&[json!({"op": "infer", "program": "input x: 3\nlet y = x + 1"}).to_string()])[0];
    assert!(answer.get("margins").is_none(), "{answer}");
}

#[test]
fn a_result_that_is_written_through_a_padded_axis_has_a_margin() {
    let text = "input g: 6\nparam w: 3\n{ x: 6 } =:+ g * w ~logic:\"o; k => o=+k\"\n";
    let answer = &ask(&[json!({"op": "infer", "program": text}).to_string()])[0];
    assert_eq!(answer["margins"], json!({"x": {"output": [[1, 1]]}}), "{answer}");
}

#[test]
fn an_index_that_does_not_fit_is_told_and_never_left_out() {
    let dilated = |by: &str| format!("input x: 5\nlet z = x ++ \"o=+{by}*k => o\" [\"k\"]\nk = 3\n");
    // The last padding that fits: the middle of the window alone is inside.
    let fits = dilated("9223372036854775808");
    for naive in [&["--naive"][..], &[]] {
        let (status, out, _) = lozenge(&[&["run", "-", "--fill", "range"], naive].concat(), &fits);
        assert_eq!((status, out.as_str()), (Some(0), "z  5\n  0  1  2  3  4\n"));
    }
    let (status, out, _) = lozenge(&["export", "-", "--numpy"], &fits);
    assert!(status == Some(1) && out.contains("no index so far outside an axis"), "{out}");
    let strided = "input x: 9223372036854775810\nlet z = x ++ \"9223372036854775810*o+9223372036854775809 => o\"\n";
    for text in [dilated("9223372036854775809"), dilated("18446744073709551615"), strided.to_owned()] {
        let (status, _, err) = lozenge(&["project", "-"], &text);
        assert!(status == Some(2) && err.contains("2:9: the numbers of an index are too large"), "{err}");
    }
    let (status, out, _) = lozenge(&["run", "-", "--fill", "range"], &dilated("9223372036854775809"));
    assert!(status == Some(1) && out.starts_with("error: 2:9: the numbers of an index are too large"), "{out}");
    let request = json!({"op": "project", "program": dilated("18446744073709551615")});
    assert_eq!(ask(&[request.to_string()])[0]["position"], json!([2, 9]));
}

#[test]
fn margins_beyond_64_bits_are_whole() {
    let text = "input x: 5\nlet z = x ++ \"o=+18446744073709551615*k => o\" [\"k\"]\nk = 5\n";
    let side = "36893488147419103230";
    let (_, out, _) = lozenge(&["infer", "-"], text);
    assert!(out.contains(&format!("x  output  {side} + 5 + {side}\n")), "{out}");
    let (_, out, _) = lozenge(&["--json", "infer", "-"], text);
    assert!(out.contains(&format!("\"margins\":{{\"x\":{{\"output\":[[{side},{side}]]}}}}")), "{out}");
}
