//! `run`: exact numbers from literal to answer, and data that is asked for, taken or refused.
#![allow(missing_docs)]

use lozenge_tests::{ask, run as lozenge, scratch};
use serde_json::{Value, json};

/// What `run` computes, as JSON: the cells of `y`; else its status and what it says.
fn cells(program: &str, options: &[&str]) -> Result<Value, (Option<i32>, String)> {
    let (status, out, err) = lozenge(&[&["run", "-", "--json"], options].concat(), program);
    let answer: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{out}{err}: {error}"));
    match status {
        Some(0) => Ok(answer["values"]["y"]["data"].clone()),
        status => Err((status, answer["message"].as_str().unwrap_or_default().to_owned())),
    }
}

/// The same by the oracle.
fn answered(request: Value) -> Value {
    ask(&[request.to_string()])[0].clone()
}

#[test]
fn whole_numbers_are_exact_from_literal_to_answer() {
    let i64 = |program: &str| cells(program, &["--scalar", "i64"]);
    assert_eq!(
        i64("let y = [9007199254740993, -9223372036854775808, 9223372036854775807, 1e3, 2.0, 1.5e1] + 0"),
        Ok(json!([9007199254740993_i64, i64::MIN, i64::MAX, 1000, 2, 15]))
    );
    assert_eq!(i64("let y = 9007199254740993 + 0"), Ok(json!([9007199254740993_i64])));
    assert_eq!(i64("n = 9007199254740993\nlet y = dim n + 0"), Ok(json!([9007199254740993_i64])));
    let (_, shown, _) = lozenge(&["run", "-", "--scalar", "i64"], "let y = 9007199254740993 + 0");
    assert!(shown.contains("9007199254740993"), "{shown}");
    for (literal, says) in [
        ("0.5", "0.5 is not among whole numbers"),
        ("9223372036854775808", "9223372036854775808 is out of range: whole numbers go from"),
        ("1e19", "out of range"),
        ("1e-400", "not among whole numbers"),
        ("9007199254740993.5", "not among whole numbers"),
    ] {
        let error = i64(&format!("let y = {literal} + 0")).expect_err(literal);
        assert!(error.0 == Some(1) && error.1.contains(says), "{literal}: {error:?}");
    }
    let error = i64("let y = 9223372036854775807 + 1").expect_err("too large");
    assert!(error.1.contains("overflow"), "{error:?}");
}

#[test]
fn fractions_are_exact_from_literal_to_answer() {
    let rational = |program: &str| cells(program, &["--scalar", "rational"]);
    assert_eq!(
        rational("let y = [0.1, 1e3, 9007199254740993, 1e-3, 0.1000000000000000000001] + 0"),
        Ok(json!(["1/10", "1000", "9007199254740993", "1/1000", "1000000000000000000001/10000000000000000000000"]))
    );
    assert_eq!(rational("let y = 0.1 + 0.2"), Ok(json!(["3/10"])));
    let error = rational("let y = 1e-39 + 0").expect_err("too small");
    assert!(error.0 == Some(1) && error.1.contains("out of range: numerator and denominator"), "{error:?}");
}

/// Floating-point numbers are the nearest ones, as before.
#[test]
fn floats_are_the_nearest() {
    assert_eq!(cells("let y = [9007199254740993, 0.1, 1e-400] + 0", &[]), Ok(json!([9007199254740992.0, 0.1, 0.0])));
    let range = cells("input x: 3\nlet y = x + 0", &["--fill", "range:-1:0.1"]);
    assert_eq!(range, Ok(json!([-1.0, -1.0 + 0.1, -1.0 + 0.1 * 2.0])));
}

#[test]
fn data_and_fill_are_exact() {
    let program = "input x: 3\nlet y = x + 0";
    let big = "9007199254740993";
    let exact = json!([9007199254740993_i64, 9007199254740994_i64, 9007199254740995_i64]);
    for data in [
        "[9007199254740993, 9007199254740994, 9007199254740995]",
        "[\"9007199254740993\", 9.007199254740994e15, 9007199254740995.0]",
        r#"{"dims": [3], "data": [9007199254740993, 9007199254740994, 9007199254740995]}"#,
        "range:9007199254740993:1",
    ] {
        assert_eq!(cells(program, &["--scalar", "i64", "--data", &format!("x={data}")]), Ok(exact.clone()), "{data}");
        // Written by hand: a JSON library may round.
        let given = if data.starts_with("range") { json!(data).to_string() } else { data.to_owned() };
        let program = json!(program);
        let line = format!(r#"{{"op":"run","program":{program},"scalar":"i64","data":{{"x":{given}}}}}"#);
        let answer = &ask(&[line])[0];
        assert_eq!(answer["values"]["y"]["data"], exact, "{answer}");
    }
    assert_eq!(cells(program, &["--scalar", "i64", "--fill", big]), Ok(json!(vec![9007199254740993_i64; 3])));
    let thirds = cells(program, &["--scalar", "rational", "--fill", "1/3"]);
    assert_eq!(thirds, Ok(json!(["1/3", "1/3", "1/3"])));
    let steps = cells(program, &["--scalar", "rational", "--fill", "range:-1:0.1"]);
    assert_eq!(steps, Ok(json!(["-1", "-9/10", "-4/5"])));
    let line =
        format!(r#"{{"op":"run","program":{},"scalar":"rational","fill":0.1000000000000000000001}}"#, json!(program));
    let answer = &ask(&[line])[0]["values"]["y"]["data"][0];
    assert_eq!(answer, "1000000000000000000001/10000000000000000000000");
    for options in [
        ["--scalar", "i64", "--fill", "0.5"],
        ["--scalar", "i64", "--fill", "range:0:0.5"],
        ["--scalar", "f64", "--fill", "1/3"],
    ] {
        assert!(cells(program, &options).is_err(), "{options:?}");
    }
    let folder = scratch("exact");
    let file = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    std::fs::write(file("x.json"), "[9007199254740993, 9007199254740994, 9007199254740995]").expect("written");
    let (status, _, err) = lozenge(
        &["run", "-", "--scalar", "i64", "--save", &file("out"), "--fill", "range:9007199254740993:1"],
        program,
    );
    assert_eq!(status, Some(0), "{err}");
    for data in [file("x.json"), file("out/y.npy")] {
        assert_eq!(cells(program, &["--scalar", "i64", "--data", &format!("x={data}")]), Ok(exact.clone()), "{data}");
    }
}

/// Data that is none says where, and what would be right.
#[test]
fn data_that_does_not_fit_is_refused_with_its_place() {
    let program = "input x: 2, 3\nparam w: 3\nlet y = x + w";
    let sliced = "input x: 2 | 3\nlet y = x @| i\nlet z = y";
    let run = |data: Value| json!({"op": "run", "program": program, "fill": 1, "data": data});
    for (request, at, says) in [
        (run(json!({"q": 1})), "/data/q", "the name of a tensor of the program"),
        (
            run(json!({"y": 1})),
            "/data/y",
            "`y` is computed by the program and takes no data: what takes data is `x`, `w`",
        ),
        (run(json!({"x": [1, 2]})), "/data/x", "has 2 cells, and its sizes ask for 6"),
        (run(json!({"x": [[1, 2], [3, 4]]})), "/data/x", "is 2×2, expected 2×3"),
        (run(json!({"x": [[1, 2, 3], [3, 4]]})), "/data/x/1", "not of the same lengths"),
        (run(json!({"x": [[1, 2, null], [3, 4, 5]]})), "/data/x/0/2", "found null, expected a number"),
        (run(json!({"x": {"dims": [2, 3]}})), "/data/x", "expected {\"dims\""),
        (run(json!({"x": {"dims": [2, 3], "data": [1], "order": "C"}})), "/data/x", "unknown field \"order\""),
        (run(json!({"x": {"dims": [2, -3], "data": [1]}})), "/data/x/dims/1", "found -3, expected a size"),
        (run(json!({"x": {"dims": [2, 3], "data": [1, true]}})), "/data/x/data/1", "found true, expected a number"),
        (run(json!({"x": {"dims": [2, 3], "data": [1, 2]}})), "/data/x", "has 2 cells, and its sizes ask for 6"),
        (run(json!({"x": null})), "/data/x", "is no data"),
        (run(json!([])), "/data", "expected an object"),
        (json!({"op": "run", "program": program}), "/data", "no data for `x` (2×3), `w` (3)"),
        (
            json!({"op": "run", "program": program, "fill": 1, "indices": {"i": 0}}),
            "/indices/i",
            "the program has no index `i`: nothing is an index",
        ),
        (json!({"op": "run", "program": sliced, "fill": 1}), "/data", "the index `i` has no value"),
        (
            json!({"op": "run", "program": sliced, "fill": 1, "indices": {"j": 0, "i": 0}}),
            "/indices/j",
            "what is an index is `i`",
        ),
        (json!({"op": "run", "program": sliced, "fill": 1, "indices": {"i": 2}}), "/indices/i", "indices count from 0"),
        (
            json!({"op": "run", "program": "input x: 2\nlet z = x", "data": {"x": 1, "z": 2}}),
            "/data/z",
            "`z` and `x` are one tensor",
        ),
    ] {
        let answer = answered(request.clone());
        assert_eq!((&answer["kind"], &answer["at"]), (&json!("parse"), &json!(at)), "{request}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|m| m.contains(says)), "{answer}");
    }
    for (options, says) in [
        (vec!["--data", "x=1", "--data", "x=2"], "`x` has data twice"),
        (vec!["--data", "y=1"], "is computed by the program"),
        (vec!["--index", "i=1"], "the program has no index `i`"),
        (vec!["--data", r#"x={"dims":[2,3],"dims":[2,3],"data":[]}"#], "the key \"dims\" stands twice"),
        (vec!["--data", "x=[[1,2,3],[4,5,6]] 7"], "not JSON"),
    ] {
        let error = cells(program, &[&["--fill", "1"], &options[..]].concat()).expect_err("refused");
        assert!(error.0 == Some(2) && error.1.contains(says), "{options:?}: {error:?}");
    }
}

/// What is assigned before it is read needs no data; what is read first does, whatever comes later.
#[test]
fn data_is_asked_for_what_is_read_first() {
    let missing = |program: &str| cells(program, &[]).expect_err(program).1;
    for program in [
        "param x: 2\nx =: 1\nlet y = x + 0",
        "param x: 2\nx =:+ [1, 1]\nlet y = x + 0",
        "param x: 2\nconst c: 2\nx =: 1\nc =: x\nlet y = c + 0",
    ] {
        assert_eq!(cells(program, &[]), Ok(json!([1.0, 1.0])), "{program}");
    }
    assert_eq!(
        cells("input x: 2\ninput idle: 3\nlet y = x + 0", &["--data", "x=1"]),
        Ok(json!([1.0, 1.0])),
        "never read"
    );
    for program in [
        "param x: 2\nx =+ 1\nlet y = x + 0",
        "param x: 2\nlet y = x + 0\nx =: 1",
        "param x: 2\nx =: x + 1\nlet y = x + 0",
        "param x: 2\nconst c: 2\nc =: x\nx =: 1\nlet y = c + 0",
    ] {
        assert!(missing(program).contains("no data for `x` (2)"), "{program}: {}", missing(program));
    }
    let assigned = "param x: 2\nx =: 1\nlet y = x + 0";
    let error = cells(assigned, &["--data", "x=3"]).expect_err("never read");
    assert!(error.0 == Some(2) && error.1.contains("the data for `x` would never be read"), "{error:?}");
    assert_eq!(cells(assigned, &["--fill", "7"]), Ok(json!([1.0, 1.0])), "a fill is for what needs it");
}

/// A parameter with an initialiser needs no data; data goes before it, and a fill after.
#[test]
fn initialisers_are_data_that_the_program_has() {
    let program = "param w: 3 = range\ninput x: 3\nlet y = w + x *. { half = 0.5 }";
    let exact = |options: &[&str]| cells(program, &[&["--scalar", "rational"], options].concat());
    assert_eq!(exact(&["--data", "x=1"]), Ok(json!(["1/2", "3/2", "5/2"])));
    assert_eq!(exact(&["--fill", "1"]), Ok(json!(["1/2", "3/2", "5/2"])));
    assert_eq!(exact(&["--fill", "1", "--data", "w=[7, 8, 9]"]), Ok(json!(["15/2", "17/2", "19/2"])));
    let error = exact(&[]).expect_err("x has no data");
    assert!(error.0 == Some(2) && error.1 == "no data for `x` (3)", "{error:?}");
    let whole =
        |data: Value| answered(json!({"op": "run", "program": program, "scalar": "i64", "fill": 2, "data": data}));
    let answer = whole(json!({}));
    assert_eq!((&answer["verdict"], &answer["position"]), (&json!("failed"), &json!([3, 18])), "{answer}");
    assert_eq!(whole(json!({"half": 1}))["values"]["y"]["data"], json!([2, 3, 4]));
    // Digits count as they are written.
    let digits = cells("param w = [9007199254740993]\nlet y = w + 0", &["--scalar", "i64"]);
    assert_eq!(digits, Ok(json!([9007199254740993_i64])));
}

/// Digits that do not fit are refused by every door; infinity has its own name.
#[test]
fn digits_never_become_infinity() {
    let program = "input x: 2\nlet y = x + 1";
    for options in [
        ["--fill", "1e400"],
        ["--fill", "range:1:1e400"],
        ["--data", "x=1e400"],
        ["--data", "x=[1e400,1]"],
        ["--data", "x=[\"1e400\",1]"],
    ] {
        let (status, said) = cells(program, &options).expect_err("1e400 does not fit");
        assert_eq!(status, Some(2), "{options:?}: {said}");
    }
    for data in [json!({ "fill": "1e400" }), json!({ "data": { "x": ["1e400", 1] } })] {
        let mut request = json!({ "op": "run", "program": program });
        request.as_object_mut().expect("an object").extend(data.as_object().expect("an object").clone());
        assert_eq!(answered(request)["verdict"], "error", "{data}");
    }
    let shown = cells(program, &["--fill", "inf"]).expect("infinity can be asked for");
    assert_eq!(shown, json!(["inf", "inf"]));
}

/// A .npy file of two cells.
fn npy(kind: &str, cells: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2,), }}\n");
    let length = u16::try_from(header.len()).expect("short").to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), cells].concat()
}

#[test]
fn files_have_infinities_and_their_own_decimals() {
    let folder = scratch("kinds");
    let file = folder.join("m.npy");
    let with = |kind: &str, data: &[u8], scalar: &str| {
        std::fs::write(&file, npy(kind, data)).expect("written");
        let given = format!("m={}", file.to_str().expect("UTF-8"));
        cells("input m: 2\nlet y = m *. 1", &["--scalar", scalar, "--data", &given])
    };
    let (low, none) =
        ([0.0, f64::NEG_INFINITY].map(f64::to_le_bytes).concat(), [0.0, f64::NAN].map(f64::to_le_bytes).concat());
    assert_eq!(with("<f8", &low, "f64"), Ok(json!([0.0, "-inf"])));
    assert_eq!(with("<f8", &none, "f64"), Ok(json!([0.0, "nan"])));
    assert_eq!(with("<f8", &low, "tropical"), Ok(json!([1.0, "-inf"])));
    for (data, scalar, says) in [
        (&none, "tropical", "NaN is not among the tropical semiring"),
        (&low, "rational", "-inf is not among fractions"),
        (&low, "i64", "-inf is not among whole numbers"),
    ] {
        let (status, message) = with("<f8", data, scalar).expect_err(says);
        assert!(status == Some(2) && message.contains(says), "{message}");
    }
    // One tenth has its own decimal in 32 bits; as a floating-point number it is what it is.
    let tenth = [0.1_f32, 1e30].map(f32::to_le_bytes).concat();
    assert_eq!(with("<f4", &tenth, "rational"), Ok(json!(["1/10", "1000000000000000000000000000000"])));
    assert_eq!(with("<f4", &tenth, "f64"), Ok(json!([f64::from(0.1_f32), f64::from(1e30_f32)])));
    let (_, message) = with("<f4", &tenth, "i64").expect_err("a fraction");
    assert!(message.contains("0.1 is not among whole numbers"), "{message}");
    for kind in ["<f2", "<c16", "|O", "<U3"] {
        let (status, message) = with(kind, &[0; 32], "f64").expect_err(kind);
        let says = format!("numbers of kind {kind}: save them as one of f8, f4, i8,");
        assert!(status == Some(2) && message.contains(&says), "{message}");
    }
}

#[test]
fn powers_of_one_have_every_exponent() {
    for (power, i64, rational) in [
        ("1 **. 2e30", None, "1"),
        ("-1 **. 3000000001", Some(-1), "-1"),
        ("-1 **. 3000000002", Some(1), "1"),
        ("0 **. 3000000001", Some(0), "0"),
        ("1 **. -3000000001", Some(1), "1"),
        ("-1 **. -3000000001", Some(-1), "-1"),
        ("-1 **. -3000000002", Some(1), "1"),
        ("0 **. 0", Some(1), "1"),
    ] {
        let (base, exponent) = power.split_once(" **. ").expect("a power");
        let program = "input x: 1\ninput n: 1\nlet y = x **. n";
        let of = |scalar| {
            let data = [format!("x=[{base}]"), format!("n=[{exponent}]")];
            cells(program, &["--scalar", scalar, "--data", &data[0], "--data", &data[1]])
        };
        assert_eq!(of("rational"), Ok(json!([rational])), "{power}");
        if let Some(i64) = i64 {
            assert_eq!(of("i64"), Ok(json!([i64])), "{power}");
        }
    }
    for (x, scalar) in [("2", "rational"), ("1/2", "rational"), ("-9223372036854775808", "i64")] {
        let program = "input x: 1\nlet y = x **. 4294967296";
        let (_, message) = cells(program, &["--scalar", scalar, "--data", &format!("x=[\"{x}\"]")]).expect_err(x);
        assert!(message.starts_with("overflow: `**.` of "), "{message}");
    }
}

#[test]
fn messages_name_the_function_that_is_written() {
    for (value, x, scalar, says) in [
        ("recip x", "3", "i64", "`recip` of 3 is not among whole numbers"),
        ("recip x", "0", "i64", "division by zero: `recip` of 0"),
        ("recip x", "0", "rational", "division by zero: `recip` of 0"),
        ("recip x", "-inf", "tropical", "division by zero: `recip` of -inf"),
        ("-x", "-9223372036854775808", "i64", "overflow: `neg` of -9223372036854775808"),
        ("1 /. x", "3", "i64", "`/.` of 1 and 3 is not among whole numbers"),
    ] {
        let program = format!("input x: 1\nlet y = {value}");
        let failed = cells(&program, &["--scalar", scalar, "--data", &format!("x=[\"{x}\"]")]);
        assert_eq!(failed, Err((Some(1), says.to_owned())), "{value}");
    }
}
