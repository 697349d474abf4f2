//! One strict reader: what comes as JSON is read as it stands, or refused with its place.
#![allow(missing_docs)]

use lozenge::json;
use lozenge::program::ast::{Accumulate, StatementKind};
use lozenge::program::{Program, parse, parse_json};
use lozenge_harnesses::programs::program;
use lozenge_tests::mutate::{mutants, with_a_field_twice};
use lozenge_tests::{ask, blocks, programs, read, run as lozenge};
use serde_json::{Value, json};

/// The requests that the protocol shows, and one for each part of the format that it does not.
fn requests() -> Vec<Value> {
    let blocks = blocks(&read("spec/protocol.md"));
    let lines = blocks.iter().filter(|block| block.tag == "jsonl").flat_map(|block| block.text.lines().step_by(2));
    let mut all: Vec<Value> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
    let program = parse("input x: 2\nlet y = x @| i + x").map(|program| json!(program)).expect("a program");
    let sliced = "input x: 2 | 2\nlet y = x @| i";
    all.extend([
        json!({"id": 1, "op": "infer", "program": program, "trace": true, "policy": {"seed": 1, "strategy": "lifo"}}),
        json!({"op": "run", "program": sliced, "indices": {"i": 1}, "data": {"x": {"dims": [2, 2], "data": [1, 2, 3, 4]}}, "scalar": "i64"}),
        json!({"op": "run", "program": sliced, "indices": {"i": 1}, "data": {"x": [["1/2", 2], [3, 4.5]]}, "scalar": "rational"}),
        json!({"op": "run", "program": "param w: 2\nlet y = w *. w", "fill": 0.5, "grad": "y", "limits": {"points": 100, "elements": 10}}),
        json!({"op": "check", "constraints": [{"eq": [{"var": "a"}, {"n": 3, "basis": "rgb"}]}], "values": {"a": {"n": 3, "basis": "rgb"}}}),
        json!({"op": "decide", "constraints": [{"le": [3, {"var": "a"}]}], "rank_bound": 2, "limits": {"fuel": 9, "rank": 9}}),
    ]);
    assert!(all.len() > 25, "{}", all.len());
    all
}

fn is_read(answer: &Value) -> bool {
    answer["verdict"] != "error" || answer["kind"].is_null()
}

/// The whole of a text is read as `serde_json` reads it, and every part stands where it says.
#[test]
fn the_reader_reads_what_serde_json_reads() {
    fn parts(node: &json::Node, text: &str) -> usize {
        let alone = json::read(node.span.text(text)).expect("a part is JSON");
        assert_eq!(alone.clone().into_value(), node.clone().into_value(), "{}", node.span.text(text));
        let items = node.items().into_iter().flatten().map(|item| parts(item, text)).sum::<usize>();
        1 + items + node.fields().into_iter().flatten().map(|(_, inner)| parts(inner, text)).sum::<usize>()
    }
    let texts = [
        r#" { "a" : [ 1 , -2.50e+3 , "q\"\\[\u00e9{" , { } ] , "b\n" : { "c" : null , "d" : [ true , false ] } } "#,
        "[]",
        r#""é""#,
        "  -0  ",
        "[[[1e2]],0.1]",
    ];
    for text in texts {
        let node = json::read(text).expect("JSON");
        assert_eq!(node.clone().into_value(), serde_json::from_str::<Value>(text).expect("JSON"), "{text}");
        assert!(parts(&node, text) >= 1);
        // Everything that a missing or further byte makes of it is judged alike.
        for (i, c) in text.char_indices() {
            let (before, after) = (&text[..i], &text[i + c.len_utf8()..]);
            for new in ["", ",", "}", "]", "\"", "0", "\\", "x"] {
                let changed = format!("{before}{new}{after}");
                let (ours, theirs) = (json::value(&changed), serde_json::from_str::<Value>(&changed));
                assert_eq!(ours.ok(), theirs.ok(), "{changed}");
            }
        }
    }
}

#[test]
fn what_is_no_json_has_a_place_and_a_kind() {
    let error = json::read(r#"{"a": [1, {"b/c": 01}]}"#).expect_err("no JSON");
    assert_eq!((error.at.as_str(), error.limit), ("/a/1/b~1c", false), "{error}");
    for text in ["", "[1] 2", "{\"a\":1}}", "[1,]", "nul", "\"\\ud800\"", "[1e999]"] {
        assert!(!json::read(text).expect_err(text).limit, "{text}");
    }
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    assert!(json::read(&deep).expect_err("too deep").limit);
    assert!(json::read(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_ok());
}

/// Text → tree → JSON → tree is the identity, and both forms get the same answers.
#[test]
fn every_example_is_the_same_by_both_doors() {
    let all: Vec<(String, String)> = ["tests/programs", "tests/broken"].into_iter().flat_map(programs).collect();
    let (mut requests, mut names) = (Vec::new(), Vec::new());
    for (name, text) in &all {
        let Ok(program) = parse(text) else { continue };
        let tree = serde_json::to_value(&program).expect("JSON");
        for written in [tree.to_string(), format!("{tree:#}")] {
            assert_eq!(parse_json(&written).as_ref(), Ok(&program), "{name}");
        }
        assert_eq!(serde_json::from_value::<Program>(tree.clone()).ok().as_ref(), Some(&program), "{name}");
        for program in [json!(text), tree] {
            requests.push(json!({"op": "infer", "program": program}).to_string());
        }
        names.push(name);
    }
    assert!(names.len() > 50, "{}", names.len());
    for (pair, name) in ask(&requests).chunks(2).zip(names) {
        // What is said of places differs, and nothing else.
        let [mut text, mut tree] = [pair[0].clone(), pair[1].clone()];
        if tree["verdict"] != "inferred" {
            assert!(tree["at"].as_str().is_some_and(|at| at.starts_with("/program/statements/")), "{name}: {tree}");
            for answer in [&mut text, &mut tree] {
                let fields = answer.as_object_mut().expect("an object");
                fields.retain(|key, _| !["at", "position", "text", "message"].contains(&key.as_str()));
                for equation in fields.get_mut("equations").and_then(Value::as_array_mut).into_iter().flatten() {
                    equation.as_object_mut().expect("an object").remove("position");
                }
            }
        }
        for answer in [&mut text, &mut tree] {
            for warning in answer["warnings"].as_array_mut().into_iter().flatten() {
                let fields = warning.as_object_mut().expect("an object");
                fields.retain(|key, _| !["at", "position", "span"].contains(&key.as_str()));
            }
        }
        assert_eq!(text, tree, "{name}");
    }
}

#[test]
fn random_programs_are_the_same_by_both_doors() {
    for case in 0..2_000 {
        let mut program = program(17, case);
        for statement in &mut program.statements {
            // The generator leaves out the colon of `=:`, which cannot be written.
            if let StatementKind::Assign(it) = &mut statement.kind {
                it.op.erase |= it.op.accumulate == Accumulate::Replace;
            }
        }
        let written = serde_json::to_string(&program).expect("JSON");
        assert_eq!(parse_json(&written).as_ref(), Ok(&program), "{written}");
        assert_eq!(parse(&program.to_string()).as_ref(), Ok(&program), "{program}");
    }
}

/// What was read as another program, or changed its meaning, when programs went through text.
#[test]
fn names_that_are_none_are_refused_with_their_place() {
    let statement = |statement: Value| json!({"statements": [{"input": {"name": "x", "shape": "2"}}, statement]});
    let named = |value: Value| statement(json!({"let": {"name": "y", "value": value}}));
    let x = json!({"name": "x"});
    let assign = |target: Value, op: Value| statement(json!({"assign": {"target": target, "op": op, "value": x}}));
    let add = json!({"erase": false, "accumulate": "+"});
    let mut cases = Vec::new();
    for bad in ["x + x", "x#", "x\nlet z = x", "x ", " x", "", "relu", "in", "unit", "1", "x.grad", "_", "é", "x\u{0}"]
    {
        cases.extend([
            (named(json!({"name": bad})), "/statements/1/let/value/name"),
            (named(json!({"grad": bad})), "/statements/1/let/value/grad"),
            (named(json!({"size": bad})), "/statements/1/let/value/size"),
            (named(json!({"param": {"name": bad}})), "/statements/1/let/value/param/name"),
            (named(json!({"call": {"function": bad, "args": []}})), "/statements/1/let/value/call/function"),
            (named(json!({"slice": {"arg": x, "index": bad}})), "/statements/1/let/value/slice/index"),
            (named(json!({"let": {"name": bad, "value": x, "body": x}})), "/statements/1/let/value/let/name"),
            (statement(json!({"let": {"name": bad, "value": x}})), "/statements/1/let/name"),
            (statement(json!({"input": {"name": bad}})), "/statements/1/input/name"),
            (statement(json!({"fn": {"name": "f", "params": ["a", bad], "body": x}})), "/statements/1/fn/params/1"),
            (statement(json!({"dim": {"name": "n", "value": {"same": bad}}})), "/statements/1/dim/value/same"),
            (statement(json!({"elements": {"name": bad, "value": {"size": 3}}})), "/statements/1/elements/name"),
            (statement(json!({"param": {"name": bad, "init": "range"}})), "/statements/1/param/name"),
            (
                statement(json!({"dim": {"name": "n", "value": {"scaled": [2, bad]}}})),
                "/statements/1/dim/value/scaled/1",
            ),
            (assign(json!({"name": bad}), add.clone()), "/statements/1/assign/target/name"),
            (assign(json!({"new": bad}), add.clone()), "/statements/1/assign/target/new"),
            (assign(json!({"new": {"name": bad}}), add.clone()), "/statements/1/assign/target/new/name"),
        ]);
    }
    cases.extend([
        (json!({"statements": {}}), "/statements"),
        (json!({}), ""),
        (named(json!({"number": "1; x"})), "/statements/1/let/value/number"),
        (named(json!({"number": "inf"})), "/statements/1/let/value/number"),
        (named(json!({"number": null})), "/statements/1/let/value/number"),
        (named(json!({"tensor": [1, "x"]})), "/statements/1/let/value/tensor/1"),
        (named(json!({"name": "x", "grad": "x"})), "/statements/1/let/value"),
        (
            named(json!({"unary": {"op": "relu", "arg": x, "spec": {"text": "i => i", "more": 1}}})),
            "/statements/1/let/value/unary/spec/more",
        ),
        (named(json!({"concat": {"spec": {"text": "i => i"}, "args": []}})), "/statements/1/let/value/concat/args"),
        // As text this would say that `x` is a size.
        (assign(x.clone(), json!({"erase": false, "accumulate": ""})), "/statements/1/assign/op"),
        (statement(json!({"dim": {"name": "n", "value": {"size": 0}}})), "/statements/1/dim/value/size"),
        (statement(json!({"input": {"name": "z", "shape": "2 # 3"}})), "/statements/1/input/shape"),
        (statement(json!({"input": {"name": "z", "shape": "2\nlet y = x"}})), "/statements/1/input/shape"),
        (
            named(json!({"permute": {"op": "++", "spec": {"text": "i => i\" x"}, "arg": x}})),
            "/statements/1/let/value/permute/spec/text",
        ),
    ]);
    let lines: Vec<String> =
        cases.iter().map(|(program, _)| json!({"id": 1, "op": "infer", "program": program}).to_string()).collect();
    for (answer, (program, at)) in ask(&lines).iter().zip(&cases) {
        assert_eq!((&answer["verdict"], &answer["kind"]), (&json!("error"), &json!("parse")), "{program}: {answer}");
        assert_eq!(answer["at"], format!("/program{at}"), "{program}: {answer}");
    }
}

/// A place inside a shape or a specification is told by its character; and later errors point into the JSON as well.
#[test]
fn errors_in_embedded_text_say_the_character() {
    let shape = |shape: &str| json!({"statements": [{"input": {"name": "x", "shape": shape}}]});
    let permuted = |spec: &str| {
        let value = json!({"permute": {"op": "++", "spec": {"text": spec}, "arg": {"name": "x"}}});
        json!({"statements": [{"input": {"name": "x", "shape": "2, 3"}}, {"let": {"name": "y", "value": value}}]})
    };
    let unknown = json!({"statements": [{"let": {"name": "y", "value": {"name": "nothing"}}}]});
    let lines: Vec<String> =
        [shape("2, 0"), shape("2 \u{2205}"), shape("2 3"), permuted("ij => i("), permuted("ij"), unknown]
            .iter()
            .map(|program| json!({"op": "infer", "program": program}).to_string())
            .collect();
    let answers = ask(&lines);
    let text = "/program/statements/1/let/value/permute/spec/text";
    for (answer, (at, end)) in answers.iter().zip([
        ("/program/statements/0/input/shape", "(character 4 of the text)"),
        ("/program/statements/0/input/shape", "(character 3 of the text)"),
        ("/program/statements/0/input/shape", "(character 3 of the text)"),
        (text, "(character 8 of the text)"),
        (text, "(character 3 of the text)"),
        ("/program/statements/0/let/value", "here"),
    ]) {
        assert_eq!(answer["at"], at, "{answer}");
        assert!(answer["message"].as_str().is_some_and(|message| message.ends_with(end)), "{answer}");
    }
}

/// Files and requests in JSON: what is no program is not tried as text.
#[test]
fn a_file_in_json_is_read_as_json() {
    let good = r#"{"statements": [{"input": {"name": "x", "shape": "2"}}]}"#;
    assert_eq!(lozenge(&["infer", "-"], good).0, Some(0));
    let (status, _, err) = lozenge(&["infer", "-"], &good.replace("\"x\"", "\"x + x\""));
    assert!(
        status == Some(2)
            && err.contains("found \"x + x\", expected a name")
            && err.contains("--> standard input:1:36")
            && err.contains('^'),
        "{err}"
    );
    let (status, out, _) = lozenge(&["infer", "-", "--json"], &good.replace("\"x\"", "\"x + x\""));
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(status == Some(2) && message.starts_with("at /statements/0/input/name: found"), "{answer}");
    for bad in ["{}", "{", "{\"statements\":[]", "{\"statements\":[],\"statements\":[]}", "{\"statements\":[]} x"] {
        assert_eq!(lozenge(&["infer", "-"], bad).0, Some(2), "{bad}");
    }
    assert_eq!(lozenge(&["infer", "-"], "{ x: 2 } =: 1\n").0, Some(0), "a text may begin with a brace");
}

/// A key that stands twice is refused wherever it stands; `id` alone is not looked into.
#[test]
fn duplicate_keys_are_refused_at_any_depth() {
    let mut cases: Vec<(String, String)> = requests().iter().flat_map(with_a_field_twice).collect();
    cases.retain(|(_, at)| !at.starts_with("/id/"));
    assert!(cases.len() > 100, "{}", cases.len());
    let lines: Vec<String> = cases.iter().map(|(text, _)| text.clone()).collect();
    for (answer, (text, at)) in ask(&lines).iter().zip(&cases) {
        let found = (&answer["verdict"], &answer["kind"], &answer["at"]);
        assert_eq!(found, (&json!("error"), &json!("parse"), &json!(at)), "{text}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|m| m.contains("twice")), "{answer}");
    }
    let ids = [r#"{"id":1,"op":"version","op":"version"}"#, r#"{"id":1,"id":2,"op":"version"}"#].map(str::to_owned);
    let answers = ask(&ids);
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &Value::Null), "of two ids neither is the one");
}

/// A letter has the property Alphabetic, in the schemas as in the notation.
#[test]
fn names_in_all_scripts_are_valid_by_the_schemas() {
    let validator = |of: &str| {
        let schema: Value = serde_json::from_str(&read(&format!("spec/schema/{of}.v1.json"))).expect("JSON");
        jsonschema::validator_for(&schema).expect("a schema")
    };
    let (sent, answered) = (validator("request"), validator("answer"));
    for name in ["का", "ⓐ", "Ⅻ", "é2_'′"] {
        let row = json!({"lead": [], "var": format!("{name}r"), "trail": [{"var": name}]});
        let closed = json!({"lead": [], "trail": [{"n": 3, "basis": name}]});
        let request = json!({
            "op": "solve", "constraints": [{"eq": [row, closed]}, {"le": [{"var": name}, {"var": format!("{name}b")}]}],
        });
        let answer = &ask(&[request.to_string()])[0];
        assert_eq!(answer["verdict"], "solved", "{answer}");
        assert!(sent.is_valid(&request), "{request}");
        assert!(answered.is_valid(answer), "{answer}");
    }
    let request = json!({"op": "solve", "constraints": [{"eq": [3, {"var": "_a"}]}]});
    assert!(!sent.is_valid(&request));
}

/// Requests with one place changed: what is answered is valid by the schema, so what the schema refuses is refused.
#[test]
fn what_is_answered_is_valid_by_the_schema() {
    let schema: Value = serde_json::from_str(&read("spec/schema/request.v1.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let requests = requests();
    let known = ["solve", "close", "decide", "check", "infer", "project", "run", "parse", "version"];
    for request in requests.iter().filter(|r| r["op"].as_str().is_some_and(|op| known.contains(&op))) {
        let answer = &ask(&[request.to_string()])[0];
        assert!(!is_read(answer) || validator.is_valid(request), "{request}");
    }
    let mutants: Vec<Value> = requests.iter().flat_map(mutants).collect();
    let lines: Vec<String> = mutants.iter().map(Value::to_string).collect();
    let (mut answered, mut refused) = (0, 0);
    for (answer, request) in ask(&lines).iter().zip(&mutants) {
        if is_read(answer) {
            answered += 1;
            let why = || validator.iter_errors(request).next().map(|e| e.to_string());
            assert!(validator.is_valid(request), "{request} is answered {answer}: {:?}", why());
        } else {
            refused += 1;
        }
    }
    assert!(answered > 200 && refused > 3_000, "{answered} answered, {refused} refused");
}
