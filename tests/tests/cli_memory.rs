//! `lozenge memory` and `lozenge lean`.
#![allow(missing_docs)]

use lozenge_tests::{read, root, run as lozenge};
use serde_json::Value;

fn json(args: &[&str], stdin: &str) -> (Option<i32>, Value) {
    let (status, out, err) = lozenge(args, stdin);
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}{err}")))
}

/// F35: the worked example of the document, with the right product.
#[test]
fn the_worked_example() {
    let (status, answer) = json(&["memory", "tests/models/mnist.txt", "--json"], "");
    assert_eq!(status, Some(0));
    assert_eq!(answer["parameter_count"]["min"], 203_264);
    assert_eq!(answer["total"]["min"], 3_253_248);
    assert_eq!(answer["total"]["max"], 3_317_760);
    assert_eq!(answer["verdict"], "fits");
    let (_, all) = json(&["memory", "tests/models/mnist.txt", "--activations", "all", "--json"], "");
    assert_eq!(all["activations"]["max"], (784 + 256 + 10) * 4 * 64);
}

#[test]
fn every_model_is_read_and_its_shapes_are_shown() {
    let shapes = |model: &str| {
        let (_, answer) = json(&["memory", model, "--json"], "");
        let layers = answer["layers"].as_array().expect("layers").clone();
        layers.iter().map(|l| l["shape"].as_str().expect("a shape").to_owned()).collect::<Vec<_>>()
    };
    let mlp = shapes("tests/models/mlp.txt");
    assert_eq!(mlp[2], "[256]", "the size of b1 is inferred");
    assert_eq!(mlp.last().map(String::as_str), Some("[batch:1..128, 10]"));
    let transformer = shapes("tests/models/transformer.txt");
    assert!(transformer.contains(&"[batch:1..32, 8, seq:1..1024, seq:1..1024]".to_owned()), "{transformer:?}");
    assert_eq!(transformer.last().map(String::as_str), Some("[batch:1..32, seq:1..1024, 50000]"));
}

#[test]
fn a_device_is_compared_with_both_bounds() {
    let verdict = |device: &str| {
        let (status, answer) = json(&["memory", "tests/models/mnist.txt", "--device", device, "--json"], "");
        (status, answer["verdict"].as_str().map(str::to_owned))
    };
    assert_eq!(verdict("3317760"), (Some(0), Some("fits".to_owned())));
    assert_eq!(verdict("3317759 B"), (Some(1), Some("may not fit".to_owned())));
    assert_eq!(verdict("3 MB"), (Some(1), Some("does not fit".to_owned())));
}

#[test]
fn no_upper_bound_is_said() {
    let (status, answer) = json(&["memory", "tests/models/unbounded.txt", "--json"], "");
    assert_eq!(status, Some(1));
    assert_eq!(answer["total"]["max"], Value::Null);
    let (_, out, _) = lozenge(&["memory", "tests/models/unbounded.txt"], "");
    assert!(out.contains("no upper bound") && out.contains("may not fit"), "{out}");
}

#[test]
fn shapes_that_do_not_fit_are_shown_with_both_sides() {
    let (status, out, _) = lozenge(&["memory", "tests/models/clash.txt"], "");
    assert_eq!(status, Some(1));
    let expected = "4:5: matmul: 784 and 768 are different sizes\n  |\n4 | y = matmul x w\n  |     ^^^^^^\n  \
                    [batch:1..64, 784]\n                ^^^\n  [768, 256]\n   ^^^\n";
    assert_eq!(out, expected);
    let (status, answer) = json(&["memory", "tests/models/clash.txt", "--json"], "");
    assert_eq!((status, &answer["verdict"], &answer["position"]), (Some(1), &"unsat".into(), &vec![4, 5].into()));
}

#[test]
fn bad_models_are_refused_with_their_place() {
    let (status, out, err) = lozenge(&["memory", "-"], "input x [3\n");
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("error: 1:11: found the end of the line, expected `,` or `]`\n"), "{err}");
    let (status, answer) = json(&["memory", "-", "--json"], "input x [0]\n");
    assert_eq!((status, &answer["kind"]), (Some(2), &"parse".into()));
    let at = serde_json::json!({"line": 1, "column": 10, "start": 9, "end": 10});
    assert_eq!((&answer["argument"], &answer["at"]), (&"standard input".into(), &at), "{answer}");
    let (status, _, err) = lozenge(&["memory", "-", "--optimizer", "magic"], "");
    assert!(status == Some(2) && err.contains("one of sgd, momentum"), "{err}");
    let huge = format!("param w [{0}, {0}, 4]\n", u64::MAX);
    assert_eq!(lozenge(&["memory", "-"], &huge).0, Some(3));
    assert_eq!(lozenge(&["memory", "-"], "").0, Some(0), "nothing takes nothing");
}

/// A number that does not fit is a limit, wherever it comes up: it does not say that the shapes are wrong.
#[test]
fn what_does_not_fit_is_a_limit() {
    let most = u64::MAX;
    for model in [
        format!("input x [*]\ny = reshape x [{most},{most},4]\n"),
        format!("input x [a:1..{most}]\nc = concat 0 x x\n"),
        format!("input x [{most}]\nc = concat 0 x x\n"),
        format!("input x [{most},2]\ny = reshape x [-1]\n"),
        format!("input x [1{}]\ny = stack 0 x\n", ", 1".repeat(63)),
        format!("input x [1{}]\ny = embedding x 2 2\n", ", 1".repeat(63)),
    ] {
        let (status, answer) = json(&["memory", "-", "--json"], &model);
        assert_eq!((status, &answer["verdict"]), (Some(3), &"limit".into()), "{model}: {answer}");
        assert_eq!(answer["position"], Value::from(vec![2, 5]), "{model}");
    }
    // In what is written it is one of the text.
    for model in ["input x [18446744073709551616]\n", "input x [a:1..18446744073709551616]\n"] {
        let (status, answer) = json(&["memory", "-", "--json"], model);
        assert_eq!((status, &answer["kind"]), (Some(3), &"limit".into()), "{model}: {answer}");
    }
    let (status, answer) = json(&["memory", "-", "--json"], &format!("input x [1{}]\n", ", 1".repeat(64)));
    assert_eq!((status, &answer["kind"]), (Some(3), &"limit".into()), "{answer}");
    // What an operation lacks is no clash of shapes.
    let (status, answer) = json(&["memory", "-", "--json"], "input x [2]\ny = concat 0\n");
    assert_eq!((status, &answer["kind"]), (Some(2), &"parse".into()), "{answer}");
}

/// D12: a `dim` line counts for the whole file, and what is wrong with it is said at its place.
#[test]
fn a_range_is_known_before_its_line() {
    let lines = ["input x [a]", "y = relu x", "z = reshape y [a]", "dim a 1..5"];
    let of = |model: &str| json(&["memory", "-", "--json"], model).1;
    let whole = of(&(lines.join("\n") + "\n"));
    assert_eq!(whole["layers"][0]["shape"], "[a:1..5]", "{whole}");
    for turn in 1..lines.len() {
        let mut turned = lines;
        turned[turn..].rotate_right(1);
        assert_eq!(of(&(turned.join("\n") + "\n"))["layers"], whole["layers"], "{turned:?}");
    }
    let (status, _, err) = lozenge(&["memory", "-"], "input x [a]\ndim a 1..5\ndim a 2..3\n");
    assert!(status == Some(2) && err.starts_with("error: 3:5: `a` is there already"), "{err}");
    let (status, _, err) = lozenge(&["memory", "-"], "input x [a\ndim a 5..3\n");
    assert!(status == Some(2) && err.starts_with("error: 1:11: "), "{err}");
}

#[test]
fn ascii_has_no_other_signs() {
    for model in ["mnist", "transformer", "unbounded"] {
        let (_, out, _) = lozenge(&["memory", &format!("tests/models/{model}.txt"), "--ascii"], "");
        assert!(out.is_ascii(), "{out}");
        assert!(out.contains('#'), "{out}");
    }
}

/// What is in proofs/lean is what the definitions in Rust say now.
#[test]
fn the_lean_project_is_current() {
    let (status, out, _) = lozenge(&["lean", "--check"], "");
    assert_eq!(status, Some(0), "run lozenge lean\n{out}");
    assert!(out.contains("Ranged/Definitions.lean") && out.contains("Ranged/Conformance.lean"), "{out}");
}

#[test]
fn the_lean_project_is_written_anywhere() {
    let folder = std::env::temp_dir().join(format!("lozenge-lean-{}", std::process::id()));
    let path = folder.to_str().expect("UTF-8");
    assert_eq!(lozenge(&["lean", path, "--check"], "").0, Some(1), "nothing is there");
    let (status, written) = json(&["lean", path, "--json"], "");
    assert!(status == Some(0) && written[0]["written"] == true && written[0]["current"] == false, "{written}");
    assert_eq!(lozenge(&["lean", path, "--check"], "").0, Some(0));
    let same =
        |file: &str| std::fs::read_to_string(folder.join(file)).ok() == Some(read(&format!("proofs/lean/{file}")));
    assert!(same("Ranged/Definitions.lean") && same("Ranged/Theorems.lean") && same("lakefile.toml"));
    // What cannot be read is neither current nor not.
    std::fs::remove_file(folder.join("Ranged.lean")).expect("it was written here");
    std::fs::create_dir(folder.join("Ranged.lean")).expect("a folder in its place");
    assert_eq!(lozenge(&["lean", path, "--check"], "").0, Some(2));
    std::fs::remove_dir_all(&folder).expect("it was written here");
    assert!(root().join("proofs/lean/Ranged/Definitions.lean").is_file());
}

/// No gap, no axiom, and nothing that goes round the kernel.
#[test]
fn the_lean_files_have_no_gaps() {
    for file in ["Definitions", "Conformance", "Theorems"] {
        let text = read(&format!("proofs/lean/Ranged/{file}.lean"));
        for word in
            ["sorry", "admit", "axiom", "native_decide", "unsafe", "implemented_by", "extern", "opaque", "run_cmd"]
        {
            let found = text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
            assert!(!found, "{file}.lean: {word}");
        }
    }
}
