//! Warnings about programs: what spec/warnings.md shows is told, the examples have none, and answers stay the same.
#![allow(missing_docs)]

use lozenge::program::{WarningCode, infer, parse, warnings};
use lozenge_tests::{ask, blocks, loz_files, read, run as lozenge};
use serde_json::{Value, json};

/// The programs of the specification with what is told about them.
fn shown() -> Vec<(String, String)> {
    let all = blocks(&read("spec/warnings.md"));
    let pairs = all.windows(2).filter(|pair| pair[0].tag == "warned");
    pairs
        .map(|pair| {
            assert_eq!(pair[1].tag, "told", "{}", pair[0].text);
            (pair[0].text.clone(), pair[1].text.clone())
        })
        .collect()
}

fn codes(program: &str) -> Vec<&'static str> {
    let read = parse(program).unwrap_or_else(|error| panic!("{}", error.render(program)));
    let inferred = infer(&read).unwrap_or_else(|error| panic!("{}", error.render(program)));
    warnings(&read, Some(program), &inferred).iter().map(|it| it.code.name()).collect()
}

#[test]
fn the_specification_shows_what_is_told() {
    let shown = shown();
    for (program, told) in &shown {
        for command in [&["infer", "-"][..], &["project", "-"], &["run", "-", "--fill", "1"]] {
            let (status, out, err) = lozenge(command, program);
            assert_eq!((status, err.trim_end()), (Some(0), told.trim_end()), "{command:?}\n{program}");
            let (status, same, again) = lozenge(&[command, &["--deny-warnings"]].concat(), program);
            assert_eq!((status, same, again), (Some(1), out, err), "{command:?}\n{program}");
        }
    }
    let page = read("spec/warnings.md");
    for code in WarningCode::ALL {
        let name = code.name();
        assert!(shown.iter().any(|(_, told)| told.contains(&format!("({name})"))), "{name} is not shown");
        assert!(page.contains(&format!("| `{name}` |")) && page.contains(&format!("## {name}\n")), "{name}");
    }
}

#[test]
fn the_examples_have_no_warnings() {
    for file in loz_files("tests/programs").into_iter().chain(loz_files("tests/sources")) {
        assert_eq!(codes(&read(&file)), [""; 0], "{file}");
    }
}

#[test]
fn what_is_meant_is_not_told() {
    for program in [
        "input a: 2, 3\nlet c = a ++ \"ij => i0\"",
        "input a: 2, 3\nlet c = a ++ \"ij => il\" [\"l\"]\nl = 5",
        "input a: 2\n{ c: 2, 5 } =: a ~logic:\"i => ij\"",
        "input a: 2\n{ c: 2, 1 } =: a ~logic:\"i => ij\"",
        "input a: 3\ninput b: 3\nlet c = a @^+ \"i; j => 0\" b",
        "input a: 3\ninput b: 3\n{ y } =:@^ a - b ~logic:\"i; j => 0\"",
        "param h: ->\nlet r = relu h",
        "input x: 3\nparam w: 3 ->\nlet y = w * x",
        "input x: 32 | 3\nlet y = { w: ... -> 5 } * x + { b }",
        "input x: 4\nlet y = x ++ \"i => 2*i\"",
        "input x: 4\n{ y: 12 } =:+ x ~logic:\"i => 3*i\"",
        "input x: 4\nlet y = x ++ \"i => ii\"",
        "const y: 3, 4\ninput x: 4\ny =+ x ~logic:\"i => 0i\"",
        "param w: 3\nw =- w.grad",
        "input x: 3, 4\n{ y } =: x ~logic:\"i, 3 => i\"\n{ z } =:+ x ~logic:\"i, j => i\"",
        "input x: 3, 1\n{ y } =: x ~logic:\"i, j => i\"\n{ z } =: x + 1\n{ t } =: x ~logic:\"T\"",
        "input p: 2, ..., 2\ninput q: 2, ..., 2, 2\nlet a = p ++ \"i...j => i\"\nlet b = p ++ \"ij => i\"\nlet c = p + q",
        "input p\ninput q: 2, ..., 2\nlet a = p ++ \"i...j => i\"\nlet b = p ++ \"ij => i\"\nlet c = p + q",
        "input x: 4\nlet y = x ++ \"i => i\" [\"i\"]",
        "input x: 4\ns = 2\nlet y = x ++ \"s*i => i\"",
        "input x: dim1, dim2\nlet y = x + 1",
        "input x: 3:rgb, unit # expect: 3:rgb, 1∅\nlet y = x + 1 # expect: ...",
        "input x: 3 # expected: 4\nlet y = x ++ \"i => i\" # a note, expect: 4",
    ] {
        assert_eq!(codes(program), [""; 0], "{program}");
    }
}

/// A label that only the result has is said to have the size that it has.
#[test]
fn a_label_of_the_result_alone_has_the_size_that_is_said() {
    for (program, says) in [
        ("input x: 3\nlet t = x ++ \"i => j^i\"", "and its part is empty"),
        ("input x: 3\nlet t = x ++ \"i => ij\"", "and the axis has one element"),
        ("input x: 3\nlet t = x ++ \"i => i<+j\"", "and it has one element"),
    ] {
        let (_, _, told) = lozenge(&["infer", "-"], program);
        assert!(told.contains("W0601") && told.contains(says), "{program}: {told}");
        assert!(says.contains("axis") || !told.contains("write `0`"), "{program}: {told}");
    }
}

#[test]
fn what_is_told_is_told_once() {
    for (program, told) in [
        ("fn f(x) = x ++ \"i => il\"\ninput a: 3\nlet b = f(a) + 1\nlet c = f(a)", &["result-only-label"][..]),
        ("fn f(x) = x *. { w }\ninput a: ->\nlet b = f(a)\nlet c = f(a)", &["parameter-without-axes"]),
        ("input a: 2\nlet b = a ++ \"2*i => i\"\nparam h\nlet r = relu h", &["parameter-without-axes"]),
        ("input a: 3\nlet b = a ++ \"i => ll, i\"", &["result-only-label"]),
        ("input a: 2, 3\nlet b = a ++ \"i, j => 2*i, 2*j\"", &["mostly-unwritten"]),
        ("input a: 2, 3\n{ b } =: a ~logic:\"i, j => i\"\n{ c } =: a ~logic:\"i, j => 0\"", &["overwritten"; 2]),
        (
            "input p\ninput q: 2, ..., 2, 2\nlet b = p ++ \"ij => i\"\nlet a = p ++ \"i...j => i\"\nlet c = p + q\nlet d = q - p",
            &["order-of-statements"; 2],
        ),
        ("input a: 2\nhidden = 3\nhiden = 3\nlet b = a + 1", &["unused-size", "unused-size"]),
        ("input a: 2, abc\ninput b: 2, abcd\nlet c = a + b", &["unused-size"]),
        (
            "input a: 2\n# expect: 2\n# expect size: 2\n# expect size: n: 3\n# expect: a: 0\n# expect: a: 2, 2",
            &["wrong-expectation"; 5],
        ),
    ] {
        assert_eq!(codes(program), told, "{program}");
    }
}

/// What to write to mean it is said with the program's own names, accumulation and specification.
#[test]
fn a_result_that_is_mostly_not_written_is_shown_as_it_is() {
    for (program, says) in [
        ("input x: 3\nlet m = max(x, \"i => 2\")\n", "as in `{ m: 3 } =:@^ x ~logic:\"i => 2\"`;"),
        ("input x: 3\nlet m = x +* \"i; i => 2\" x\n", "as in `{ m: 3 } =:+ … ~logic:\"i; i => 2\"`;"),
        (
            "input x: 3\nlet m = mean(x, \"i => 2\") + 1\n",
            "declare the shape of what is written, `3`, in an assignment;",
        ),
    ] {
        let (_, _, told) = lozenge(&["infer", "-"], program);
        assert!(told.contains("W0603") && told.contains(says), "{told}");
    }
}

#[test]
fn answers_list_them_and_stay_the_same() {
    let program = "input a: 2, 3\nlet b = a ++ \"ij => il\"\n";
    for (op, rest) in [("infer", json!({})), ("project", json!({})), ("run", json!({"fill": "range"}))] {
        let mut request = rest;
        (request["op"], request["program"]) = (op.into(), program.into());
        let answer = &ask(&[request.to_string()])[0];
        let warning = &answer["warnings"][0];
        assert_eq!(
            (&warning["code"], &warning["position"]),
            (&json!("result-only-label"), &json!([2, 22])),
            "{answer}"
        );
        assert_eq!((&warning["span"], warning.get("at")), (&json!([35, 36]), None));
        assert!(warning["message"].is_string() && warning["help"].is_string());
        request["program"] = json!(parse(program).expect("a program"));
        let of_json = &ask(&[request.to_string()])[0];
        assert_eq!(of_json["warnings"][0]["at"], "/program/statements/1/let/value/permute/spec/text", "{of_json}");
        let mut without = (answer.clone(), of_json.clone());
        let drop = |value: &mut Value| {
            value.as_object_mut().expect("an object").remove("warnings");
            for operation in value["operations"].as_array_mut().into_iter().flatten() {
                operation["position"] = Value::Null;
            }
        };
        drop(&mut without.0);
        drop(&mut without.1);
        assert_eq!(without.0, without.1, "{op}");
        request["program"] = program.replace("il", "i0").into();
        let fine = &ask(&[request.to_string()])[0];
        assert!(fine.get("warnings").is_none(), "{fine}");
    }
}

#[test]
fn with_json_nothing_goes_to_standard_error() {
    let program = "input a: 2, 3\nlet b = a ++ \"ij => il\"\n";
    for command in [&["infer", "-", "--json"][..], &["project", "-", "--json"], &["run", "-", "--json", "--fill", "1"]]
    {
        let (status, out, err) = lozenge(&[command, &["--deny-warnings"]].concat(), program);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!((status, err.as_str()), (Some(1), ""), "{out}");
        assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(1), "{out}");
    }
    let (status, _, err) = lozenge(&["infer", "-", "--partial", "--deny-warnings"], program);
    assert!(status == Some(2) && err.contains("--partial"), "{err}");
}

#[test]
fn what_is_not_written_is_not_counted() {
    let (_, _, err) = lozenge(&["infer", "-"], "input v: 3\n{ w: 3 } =: v ~logic:\"i=>0\"\n");
    assert!(err.contains("some elements of `w` are written 3 times"), "{err}");
}
