//! What is no request, or no good one.

use super::{Expected, Hostile, pick, request};
use lozenge_harnesses::fuzz::mutate::mutated;
use lozenge_harnesses::programs::Numbers;
use serde_json::{Value, json};

/// Garbage number `case` under a seed.
pub fn garbage(seed: u64, case: u64, numbers: &mut Numbers) -> Hostile {
    let (op, good) = request(seed, case, numbers);
    let line = Value::Object(good.clone()).to_string();
    let mut expected = Expected::Error("");
    let line = match numbers.below(14) {
        0 => line.as_bytes()[..numbers.below(line.len())].to_vec(),
        1 => {
            expected = Expected::Any;
            let other = Value::Object(request(seed, case + 1, numbers).1).to_string();
            let mut bytes = mutated(line.as_bytes(), other.as_bytes(), numbers);
            bytes.retain(|byte| *byte != b'\n');
            // A request that lost its limits may go on for long: it becomes another one.
            if bytes.windows(8).any(|part| part == b"\"limits\"") { bytes } else { b"{\"op\":\"version\"}".to_vec() }
        }
        2 => {
            let (key, _) = good.iter().filter(|(key, _)| *key != "id").nth(numbers.below(good.len() - 1)).expect("op");
            // These are looked at only where the program has shapes.
            if ["fill", "scalar", "trace"].contains(&key.as_str()) {
                expected = Expected::Any;
            }
            let mut wrong = good.clone();
            // No field is a number with a part, or a list with one.
            wrong.insert(key.clone(), pick(&[json!([-0.5]), json!(-0.5), json!({ "?": [] })], numbers));
            Value::Object(wrong).to_string().into_bytes()
        }
        3 => repeated(&line, numbers),
        4 => deep(numbers, &mut expected),
        5 => huge(numbers),
        6 => bytes(&line, numbers),
        7 => giant(case, numbers, &mut expected),
        8 => ["", " ", "\t \r", "null", "17", "[]", "\"solve\"", "true", "{}", "{\"id\":1}", "\u{feff}{}"]
            [numbers.below(11)]
        .as_bytes()
        .to_vec(),
        9 => unknown(op, good, numbers, &mut expected),
        10 => {
            expected = Expected::Error("sort");
            let row = json!({ "lead": [1], "trail": [] });
            let mixed = [json!({ "le": [3, row] }), json!({ "eq": [row, { "var": "a" }] })][numbers.below(2)].clone();
            json!({ "id": case, "op": "solve", "constraints": [mixed] }).to_string().into_bytes()
        }
        11 => named(case, numbers),
        12 => [line.as_bytes(), [&b"}"[..], b" {}", b",", b"\0", b"\r\r x"][numbers.below(5)]].concat(),
        _ => (0..=numbers.below(60)).map(|_| 128 + u8::try_from(numbers.below(128)).unwrap_or(0)).collect(),
    };
    Hostile { line, expected }
}

/// An object with a key twice, on the outside or further in.
fn repeated(line: &str, numbers: &mut Numbers) -> Vec<u8> {
    let twice = match numbers.below(3) {
        0 => line.replacen('{', "{\"op\":\"version\",", 1),
        1 => line.replacen('{', "{\"id\":1,\"id\":1,", 1),
        _ => r#"{"op":"solve","constraints":[{"eq":[{"n":3,"n":4},5]}],"limits":{"fuel":9}}"#.to_owned(),
    };
    twice.into_bytes()
}

/// Much in each other.
fn deep(numbers: &mut Numbers, expected: &mut Expected) -> Vec<u8> {
    let depth = [130, 1_000, 20_000][numbers.below(3)];
    let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", "{\"var\":".repeat(depth), "}".repeat(depth));
    let program = |text: String| json!({ "op": "infer", "program": text, "limits": { "fuel": 100 } }).to_string();
    let unary = format!(r#"{}{{"name":"x"}}{}"#, r#"{"unary":{"op":"relu","arg":"#.repeat(depth), "}}".repeat(depth));
    let text = match numbers.below(9) {
        0 => lists,
        1 => "[".repeat(depth),
        2 => objects,
        3 => format!(r#"{{"op":"solve","constraints":{lists}}}"#),
        4 => format!(r#"{{"op":"solve","constraints":[{{"eq":[{objects},3]}}]}}"#),
        5 => program(format!("input x: 3\nlet y = {}x{}", "(".repeat(depth), ")".repeat(depth))),
        6 => program(format!("input x: 3\nlet y = {} x", "relu ".repeat(depth))),
        7 => format!(
            r#"{{"op":"infer","program":{{"statements":[{{"input":"x"}},{{"let":{{"name":"y","value":{unary}}}}}]}}}}"#
        ),
        _ => {
            // An id may be anything.
            *expected = Expected::Any;
            format!(r#"{{"id":{lists},"op":"version"}}"#)
        }
    };
    text.into_bytes()
}

/// Numbers that do not fit.
fn huge(numbers: &mut Numbers) -> Vec<u8> {
    let number =
        ["18446744073709551616", "1e30", "-1", "1e999", "0.5", "0", &"9".repeat(500)][numbers.below(7)].to_owned();
    let places = [
        format!(r#"{{"op":"solve","constraints":[{{"eq":[{number},{{"var":"a"}}]}}]}}"#),
        format!(r#"{{"op":"solve","constraints":[{{"eq":[{{"n":{number},"basis":"b"}},2]}}]}}"#),
        format!(r#"{{"op":"check","constraints":[],"values":{{"a":{number}}}}}"#),
        format!(r#"{{"op":"infer","program":"input x: {number}"}}"#),
        format!(r#"{{"op":"close","constraints":[],"leaves":[{number}]}}"#),
    ];
    places[numbers.below(places.len())].clone().into_bytes()
}

/// Bytes that are no text, or signs that JSON forbids.
fn bytes(line: &str, numbers: &mut Numbers) -> Vec<u8> {
    let at = 1 + numbers.below(line.len() - 1);
    let bad = [&b"\xff"[..], b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\0", b"\x1b[2J"][numbers.below(6)];
    [&line.as_bytes()[..at], bad, &line.as_bytes()[at..]].concat()
}

/// Names of many characters; rarely, for they take long to write.
fn giant(case: u64, numbers: &mut Numbers, expected: &mut Expected) -> Vec<u8> {
    *expected = Expected::Any;
    let length = if numbers.percent(2) { [65_535, 65_536, 200_000][numbers.below(3)] } else { 300 };
    let name = "x".repeat(length);
    let requests = [
        json!({ "op": "solve", "constraints": [{ "le": [{ "var": name }, 3] }, { "le": [{ "var": name }, 5] }] }),
        json!({ "op": "solve", "constraints": [{ "eq": [{ "n": 3, "basis": name }, 5] }] }),
        json!({ "op": "close", "constraints": [{ "le": [{ "var": name }, { "var": "b" }] }], "params": [name] }),
        json!({ "op": "infer", "program": format!("input {name}: 3\ninput b: 4\nlet y = {name} + b") }),
        json!({ "op": "run", "program": format!("input {name}: 3\nlet y = {name} + b"), "data": { name.as_str(): [1] } }),
        json!({ "op": name }),
        json!({ "op": "version", name.as_str(): 1 }),
    ];
    let mut request = requests[numbers.below(requests.len())].clone();
    request["id"] = json!(case);
    request.to_string().into_bytes()
}

/// A field or an operation that there is not.
fn unknown(op: &str, good: serde_json::Map<String, Value>, numbers: &mut Numbers, expected: &mut Expected) -> Vec<u8> {
    let mut request = good;
    match numbers.below(4) {
        0 => drop(request.insert(["Op", "", "constraint", "op\u{0}", "../op"][numbers.below(5)].to_owned(), json!(1))),
        1 => {
            *expected = Expected::Error("unsupported");
            let ops = ["fly", "", "SOLVE", "solve\u{0}", "__proto__"];
            request.insert("op".to_owned(), json!(ops[numbers.below(5)]));
        }
        2 => drop(request.remove("op")),
        _ if op == "version" || op == "check" => drop(request.insert("limits".to_owned(), json!({}))),
        _ => drop(request.insert("limits".to_owned(), json!({ "fuel": 1, "time": 1 }))),
    }
    Value::Object(request).to_string().into_bytes()
}

/// Names that are none.
fn named(case: u64, numbers: &mut Numbers) -> Vec<u8> {
    let bad =
        ["", "x + x", "x#", "x\nlet z = x", "3", "?7", "a b", "\u{0}", "\u{202e}x", "\"", "⟨r⟩"][numbers.below(11)];
    let declared = json!({ "input": { "name": bad, "shape": "3" } });
    let computed = json!({ "let": { "name": "y", "value": { "name": bad } } });
    let requests = [
        json!({ "op": "solve", "constraints": [{ "eq": [{ "var": bad }, 3] }] }),
        json!({ "op": "solve", "constraints": [{ "eq": [{ "n": 2, "basis": bad }, 3] }] }),
        json!({ "op": "check", "constraints": [], "values": { bad: 3 } }),
        json!({ "op": "close", "constraints": [], "leaves": [bad] }),
        json!({ "op": "infer", "program": { "statements": [declared, computed] } }),
        json!({ "op": "infer", "program": { "statements": [{ "input": { "name": "x", "shape": "3" } }, computed] } }),
    ];
    let mut request = requests[numbers.below(requests.len())].clone();
    request["id"] = json!(case);
    request.to_string().into_bytes()
}
