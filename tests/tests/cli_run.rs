//! `lozenge run` for people: numbers that are read easily, and what to pass where data is missing.
#![allow(missing_docs)]

use lozenge_tests::{exports, run};

#[test]
fn numbers_are_short_and_read_back() {
    let program = "let y = [0.1, 100000000, 0.000000125, 1000, 1e300, 0.3333333333333333]\n";
    let (status, out, _) = run(&["run", "-", "--only", "y"], program);
    assert_eq!(status, Some(0));
    assert_eq!(out, "y  6\n  0.1  1e8  1.25e-7  1000  1e300  0.3333333333333333\n");
    let (_, out, _) = run(&["run", "-", "--only", "y", "--precision", "3"], program);
    assert_eq!(out, "y  6\n  0.100  1.00e8  1.25e-7  1.00e3  1.00e300  0.333\n");
    let (status, _, err) = run(&["run", "-", "--precision", "0"], program);
    assert_eq!(status, Some(2), "{err}");
    let (_, out, _) = run(&["run", "-", "--only", "y", "--scalar", "i64", "--precision", "2"], "let y = [123456, 7]\n");
    assert_eq!(out, "y  2\n  123456  7\n", "whole numbers are exact");
}

#[test]
fn what_is_missing_can_be_pasted() {
    let program = "tests/programs/run/training.loz";
    let (status, out, err) = run(&["run", program], "");
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("error: no data for `x` (4×3), "), "{err}");
    assert!(err.contains("\n  --data x=range          4×3, in the order batch, output, input\n"), "{err}");
    assert!(err.contains("\n  --data b1=range         5 numbers\n"), "{err}");
    let flags = err.lines().find_map(|line| line.strip_prefix("in one line: ")).expect("the flags");
    let args: Vec<&str> = ["run", program].into_iter().chain(flags.split(' ')).collect();
    assert_eq!(run(&args, "").0, Some(0), "{flags}");
}

#[test]
fn names_of_applications_are_quoted_and_indices_are_asked_for() {
    let program = "input x: 3 | 2\nfn f(x) = { w } + x\nlet y = f(x) @| i\n";
    let (status, _, err) = run(&["run", "-"], program);
    assert_eq!(status, Some(2));
    assert!(err.contains("--data 'f#1.w=range'") && err.contains("--index i=0"), "{err}");
    let (status, _, err) = run(&["run", "-", "--fill", "1"], program);
    assert!(status == Some(2) && err.ends_with("in one line: --index i=0\n"), "{err}");
    let (status, out, _) = run(&["run", "-", "--fill", "1", "--json"], program);
    assert!(status == Some(2) && out.contains("\"kind\":\"data\"") && !out.contains("--index"), "{out}");
}

#[test]
fn expectations_are_checked() {
    let program = "input x: 3\nlet y = relu x\n# expect: y: 4\n";
    let (status, out, err) = run(&["run", "-", "--fill", "1"], program);
    assert!(status == Some(0) && out.contains("y  3") && err.contains("expect"), "{err}");
    let (status, _, _) = run(&["run", "-", "--fill", "1", "--deny-warnings"], program);
    assert_eq!(status, Some(1));
}

#[test]
fn an_index_is_a_whole_number_from_0() {
    for value in ["-1", "1.5", "one", ""] {
        let (status, _, err) = run(&["run", "-", "--fill", "1", "--index", &format!("i={value}")], "input x: 3\n");
        assert_eq!((status, err), (Some(2), format!("error: i={value}: expected a whole number from 0\n")));
    }
}

/// What is written in the program is no result, as spec/interpreter.md says.
#[test]
fn values_are_what_operations_make() {
    let program = "let half = 0.5\nlet pair = [1, 2]\nlet y = half + pair\n";
    let (_, out, _) = run(&["run", "-"], program);
    assert_eq!(out, "y  2\n  1.5  2.5\n");
    let (_, out, _) = run(&["run", "-", "--only", "pair", "--only", "half"], program);
    assert_eq!(out, "pair  2\n  1  2\n\nhalf  1\n  0.5\n");
}

#[test]
fn the_ascii_twin_is_ascii() {
    let said = |name: &str, command: &[&str], text: &str| {
        let (_, out, err) = run(&[command, &["--ascii"]].concat(), text);
        assert!(out.is_ascii() && err.is_ascii(), "{name}: {command:?}\n{out}{err}");
    };
    for (name, text) in exports::files() {
        for command in [&["infer", "-"][..], &["project", "-"], &["explain", "-", "--program"]] {
            said(&name, command, &text);
        }
        if name.contains("/run/") {
            said(&name, &["run", "-", "--fill", "range"], &text);
        }
    }
}

/// 2 cells for `w`, 2 for `y`, and as many for their gradients; 2 points for `y`, and 2 for each factor's gradient.
#[test]
fn limits_count_gradients_too() {
    let program = "param w: 2\nlet y = w *. w\n";
    let asked = |grad: bool, elements: &str, points: &str| {
        let limits = ["--max-elements", elements, "--max-points", points];
        let grad: &[&str] = if grad { &["--grad", "y"] } else { &[] };
        let (status, out, _) = run(&[&["run", "-", "--fill", "1"], grad, &limits[..]].concat(), program);
        (status, out)
    };
    assert_eq!(asked(false, "4", "2").0, Some(0));
    assert_eq!(asked(true, "8", "6").0, Some(0));
    let (status, said) = asked(true, "7", "6");
    assert!(status == Some(3) && said.contains("the limit of 7 elements is reached: 8 would be needed"), "{said}");
    let (status, said) = asked(true, "8", "5");
    assert!(status == Some(3) && said.contains("the limit of 5 points is reached: 6 would be needed"), "{said}");
    // What the loss does not depend on has a gradient as well: 3 cells, and 3 more.
    let beside = format!("{program}param u: 3\n");
    for (elements, status) in [("14", 0), ("13", 3)] {
        let args = ["run", "-", "--fill", "1", "--grad", "y", "--max-elements", elements];
        assert_eq!(run(&args, &beside).0, Some(status), "{elements}");
    }
}

#[test]
fn data_that_does_not_fit_says_what_would() {
    let told = |data: &str, program: &str| {
        let (status, _, err) = run(&["run", "-", "--data", data], program);
        assert_eq!(status, Some(2), "{data}: {err}");
        err
    };
    let too_large = |err: &str, number: &str| {
        assert!(err.contains(number) && err.contains("f64 ends at 1.8e308; infinity is inf"), "{err}");
    };
    for number in ["1e400", "-1e400"] {
        for data in [number.to_owned(), format!("range:{number}:1"), format!("range:0:{number}")] {
            too_large(&told(&format!("x={data}"), "input x: 2\n"), number);
            let (status, _, err) = run(&["run", "-", "--fill", &data], "input x: 2\n");
            assert_eq!(status, Some(2), "{err}");
            too_large(&err, number);
        }
    }
    let err = told("x=[2]", "input x: ->\n");
    assert!(err.contains("the data for `x` is 1, expected a scalar"), "{err}");
    let err = told("x=[1, 2, 3]", "input x: 2, 2\n");
    assert!(err.contains("has 3 cells, and its sizes ask for 4"), "{err}");
}

/// A maximum's gradient compares values, which tropical numbers do not: the message says whose code that is.
#[test]
fn a_gradient_that_scalars_do_not_have_is_named() {
    let program = "param x: 4\nlet y = x @^^ \"2*o<+k => o\" [\"k\"]\nk = 2\n";
    let args = ["run", "-", "--fill", "range", "--grad", "y", "--scalar", "tropical"];
    let (status, out, _) = run(&args, program);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("no gradient") && out.contains("`g1 =+ where (v = v1) g 0`"), "{out}");
}
