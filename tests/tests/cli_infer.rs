//! `lozenge infer`, and the same operation of the oracle.
#![allow(missing_docs)]

use lozenge_tests::{ask, json as answered, read, root, run as lozenge};
use serde_json::{Value, json};

const SMALL: &str = "input x: n | 3\nn = 2\nparam b\nlet y = x + b\n";

#[test]
fn shapes_sizes_and_assumptions() {
    let (status, out, err) = lozenge(&["infer", "-"], SMALL);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let expected = "\
x  input  2 | 3
b  param  3
y  let    2 | 3

sizes with a name
  n = 2

assumed beyond what follows
  what it is used with needs so much, and nothing asks for more (CL-leaf)
    3: output row of b
  and 4 routine ones: --assumptions lists them
";
    assert_eq!(out, expected);
}

#[test]
fn every_assumption_is_listed_and_axes_count_from_one() {
    let (status, out, _) = lozenge(&["infer", "-", "--assumptions"], SMALL);
    let expected = "\
assumed beyond what follows
  CL-leaf: the lowest value above everything that must fit below it
    []·⋄·[3]: output row of b
";
    assert!(status == Some(0) && out.contains(expected), "{out}");
    let program = "input x: 2, 3\nlet y = x ++ \"ij => i0\"\ninput z: ... | 4\nlet u = relu z\n";
    let (_, out, _) = lozenge(&["infer", "-"], program);
    assert!(out.contains("\n    1∅: output axis 2 of y\n"), "{out}");
    assert!(out.contains("\n    no axes: batch row of z\n"), "an ellipsis that stands for nothing: {out}");
    let (_, json, _) = lozenge(&["infer", "-", "--json"], program);
    let all: Value = serde_json::from_str(&json).expect("JSON");
    assert!(all["assumptions"].as_array().is_some_and(|all| all.len() > 3), "{json}");
    let (_, out, _) = lozenge(&["infer", "-"], "input x: 2\n");
    assert!(out.ends_with("assumed beyond what follows\n  nothing\n"), "{out}");
}

/// A choice that decides the axis of a tensor with a name is told, though the label it is about is no axis itself.
#[test]
fn choices_about_labels_are_told() {
    let told = |program: &str| lozenge(&["infer", "-"], program).1;
    let window = told("input x: 6\nlet y = x ++ \"o<+k => k\"\n");
    assert!(window.contains("1∅: label o of y") && !window.contains("routine"), "{window}");
    let gone = told("param t: 4\nlet y = t ++ \"a^b => a\"\n");
    assert!(gone.contains("0: label b of y") && !gone.contains("routine"), "{gone}");
}

/// What spec/program.md says of fixed indices, in programs that have no other claims about sizes.
#[test]
fn an_index_asks_for_its_size() {
    let told = |program: &str| lozenge(&["infer", "-"], program);
    let (_, out, _) = told("input x: 3\nlet m = x ++ \"i => 2\"\n");
    assert!(out.contains("m  let    3\n") && out.contains("ST-dim-least"), "{out}");
    let (_, out, _) = told("input x: ?\nlet y = x ++ \"2 => 0\"\n");
    assert!(out.starts_with("x  input  3\n"), "{out}");
    let (_, out, _) = told("input x: ?\nlet y = x ++ \"0 => 0\"\n");
    assert!(out.starts_with("x  input  1∅\n"), "{out}");
    let (status, _, err) = told("param w: ?\nlet y = w ++ \"2 => 0\"\n");
    assert!(status == Some(1) && err.contains("E0505"), "{err}");
}

/// What an editor puts before a text is no part of it.
#[test]
fn a_byte_order_mark_is_skipped() {
    let (program, broken) = ("input x: 3\nlet y = x + 1\n", "input x: 3\nlet y = x + foo\n");
    for text in [program, broken] {
        assert_eq!(lozenge(&["infer", "-"], &format!("\u{feff}{text}")), lozenge(&["infer", "-"], text));
    }
    assert_eq!((lozenge(&["infer", "-"], program).0, lozenge(&["infer", "-"], broken).0), (Some(0), Some(2)));
}

/// Every place in an answer, in bytes.
fn bytes(answer: &Value) -> Vec<u64> {
    let field = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        ("start" | "end", Value::Number(at)) => at.as_u64().into_iter().collect(),
        ("span", Value::Array(both)) => both.iter().filter_map(Value::as_u64).collect(),
        _ => bytes(value),
    };
    match answer {
        Value::Object(fields) => fields.iter().flat_map(field).collect(),
        Value::Array(all) => all.iter().flat_map(bytes).collect(),
        _ => Vec::new(),
    }
}

/// Who applies a fix changes the file, so the mark counts in bytes; lines and columns are what an editor shows.
#[test]
fn bytes_count_a_byte_order_mark() {
    let texts = [
        ("infer", "input x: 2 | 3\nparam w: 4 -> 2\nlet y = w * x\n"),
        ("infer", "input x: 3\nlet y = x + foo\n"),
        ("infer", "input x: 3\nlet y = x ++ \"i => j\"\n"),
        ("project", "input x: 3\nlet y = x ++ \"i => j\"\n"),
        ("solve", "a <= \n"),
        ("decide", "a <= \n"),
        ("parse", "i => )"),
    ];
    for (command, text) in texts {
        let answer = |text: &str| answered(&[command, "-"], text).1;
        let (plain, marked) = (answer(text), answer(&format!("\u{feff}{text}")));
        let expected: Vec<u64> = bytes(&plain).iter().map(|at| at + 3).collect();
        assert!(!expected.is_empty(), "{command} {text}: {plain}");
        assert_eq!(bytes(&marked), expected, "{command} {text}");
        assert_eq!(marked["at"]["column"], plain["at"]["column"], "{command} {text}");
    }
}

#[test]
fn what_is_known_before_closing() {
    let (status, out, _) = lozenge(&["infer", "-", "--partial"], SMALL);
    assert_eq!(status, Some(0));
    assert!(out.contains("x  input  2 | 3\n") && out.contains("b  param  ..."), "{out}");
}

#[test]
fn what_is_known_before_closing_goes_over_the_wire() {
    let (_, out, _) = lozenge(&["infer", "-", "--partial", "--json"], SMALL);
    let direct: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(direct["verdict"], "partial");
    assert_eq!(direct["shapes"]["x"]["output"], json!({"lead": [], "trail": [3]}));
    assert!(direct["shapes"]["b"]["output"]["var"].is_string(), "{direct}");
    let request = |program: &str, rest: Value| {
        let mut request = json!({"op": "infer", "program": program});
        rest.as_object().expect("fields").iter().for_each(|(key, value)| request[key] = value.clone());
        request.to_string()
    };
    let known = ask(&[request(SMALL, json!({"partial": true}))]);
    assert_eq!(known, [direct]);
    let whole = ask(&[request(SMALL, json!({"partial": false})), request(SMALL, json!({}))]);
    assert!(whole[0] == whole[1] && whole[0]["verdict"] == "inferred", "{whole:?}");
    // With a stride the stages run, and they too can be asked before they close.
    let staged = "input x: 6\nparam b\nlet y = (x ++ \"2*i => i\") + b";
    let refused = "input x: 3\ninput y: 4\nlet z = x + y";
    let answers = ask(&[
        request(staged, json!({"partial": true})),
        request(refused, json!({"partial": true})),
        request("let", json!({"partial": true})),
        request(SMALL, json!({"partial": 1})),
        request(SMALL, json!({"partial": true, "trace": true})),
    ]);
    assert_eq!(answers[0]["verdict"], "partial", "{}", answers[0]);
    assert_eq!((&answers[1]["verdict"], &answers[1]["position"]), (&json!("unsat"), &json!([3, 9])), "{}", answers[1]);
    let places: Vec<&Value> = answers[2..].iter().map(|answer| &answer["at"]).collect();
    assert_eq!(places, ["/program", "/partial", "/trace"]);
}

#[test]
fn every_example_infers_and_every_broken_program_explains_itself() {
    let files = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
        let mut all: Vec<String> = entries
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".loz"))
            .map(|name| format!("{folder}/{name}"))
            .collect();
        all.sort();
        all
    };
    for file in files("tests/programs") {
        assert_eq!(lozenge(&["infer", &file], "").0, Some(0), "{file}");
    }
    let broken = files("tests/broken");
    assert!(broken.len() >= 40, "{}", broken.len());
    for file in broken {
        let (status, out, err) = lozenge(&["infer", &file], "");
        let expected = read(&file.replace(".loz", ".txt"));
        assert!(matches!(status, Some(1 | 2)), "{file}: {status:?}");
        assert_eq!((out.as_str(), err.trim_end()), ("", expected.trim_end()), "{file}");
    }
}

#[test]
fn json_and_the_oracle_say_the_same() {
    let (_, out, _) = lozenge(&["infer", "-", "--json"], SMALL);
    let direct: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(direct["verdict"], "inferred");
    assert_eq!(direct["captures"], json!({"n": 2}));
    let row = |trail: Value| json!({"lead": [], "trail": trail});
    assert_eq!(
        direct["shapes"]["y"],
        json!({"batch": row(json!([2])), "input": row(json!([])), "output": row(json!([3]))})
    );

    let request = json!({"id": 1, "op": "infer", "program": SMALL}).to_string();
    let (_, out, _) = lozenge(&["oracle"], &(request + "\n"));
    let mut answer: Value = serde_json::from_str(&out).expect("JSON");
    answer.as_object_mut().expect("an object").remove("id");
    assert_eq!(answer, direct);
}

#[test]
fn markers_have_their_origin() {
    let program = "input x: 3, 5\nlet y = x ++ \"ij => ji\"\n";
    let (status, out, _) = lozenge(&["infer", "-", "--markers"], program);
    let expected = "\
where markers come from
  output row of x  []·⋄·[3,5]  the output row of `x`, declared: left edge
  output row of y  []·⋄·[5,3]  the slot of the result in the permute that makes `y`: left edge
";
    assert!(status == Some(0) && out.ends_with(expected), "{out}");
    let (_, out, _) = lozenge(&["infer", "-", "--markers", "--json"], program);
    let direct: Value = serde_json::from_str(&out).expect("JSON");
    let by = json!({"operation": 0, "operand": "result", "kind": "output"});
    assert_eq!(direct["markers"]["y"]["output"], json!({"from": "slot", "marker": "left edge", "by": by}));
    let request = json!({"id": 1, "op": "infer", "program": program, "trace": true}).to_string();
    let (_, out, _) = lozenge(&["oracle"], &(request + "\n"));
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(answer["markers"], direct["markers"]);
}

#[test]
fn errors_have_their_kind() {
    let (status, _, err) = lozenge(&["infer", "-"], "let y = x +\n");
    assert!(status == Some(2) && err.contains('^'), "{err}");
    let clash = "input x: 3\ninput y: 4\nlet z = x + y\n";
    let (status, out, _) = lozenge(&["infer", "-", "--json"], clash);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &answer["verdict"], &answer["position"]), (Some(1), &json!("unsat"), &json!([3, 9])));
    let requests = [
        json!({"id": 1, "op": "infer", "program": "let y ="}),
        json!({"id": 2, "op": "infer", "program": 7}),
        json!({"id": 3, "op": "infer"}),
        json!({"id": 4, "op": "infer", "program": {"statements": [{"input": {"name": "x", "shape": "3"}}]}}),
    ];
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    let (_, out, _) = lozenge(&["oracle"], &(lines.join("\n") + "\n"));
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<&Value> = answers.iter().map(|a| &a["kind"]).collect();
    assert_eq!(kinds, [&json!("parse"), &json!("parse"), &json!("parse"), &Value::Null]);
    assert_eq!(answers[3]["verdict"], "inferred");
}

/// A part that an operand does not have when it is its turn runs over nothing, and what comes after begins behind it.
#[test]
fn a_part_without_a_turn_keeps_its_room() {
    let program = "input x: 7, 3\nlet y = x ++ \"b^c, c => 0\"\n";
    let (_, text, _) = lozenge(&["project", "-"], program);
    assert!(text.contains("for b in 0..0, then c in 0..3") && text.contains("y[0] += x[4 + c, c]"), "{text}");
    let (_, json, _) = lozenge(&["project", "-", "--json"], program);
    assert!(json.contains(r#""rhs1":[{"concat":["b","c"],"starts":[0,4]},{"iter":"c"}]"#), "{json}");
    let program = "input x: 10, 5\nlet y = x ++ \"a^b^c, b^c => 0\" [\"b\"]\nb = 2\n";
    let (_, text, _) = lozenge(&["project", "-"], program);
    assert!(text.contains("x[(5 + b1)^(7 + c), b1^c]"), "{text}");
    // Where every part has its turn, the sizes of the loops say where each begins.
    let (_, json, _) = lozenge(&["project", "-", "--json"], "input x: 7\nlet y = x ++ \"b^c => 0\" [\"b\"]\nb = 3\n");
    assert!(json.contains(r#"{"concat":["b1","c"]}"#), "{json}");
}

/// Shapes that fit do so in every row, not in the one that failed alone.
#[test]
fn other_choices_fit_in_all_rows() {
    let head = "input a: 2 | 4 -> 5\ninput b: 6 -> 4\n";
    let fits = |text: &str| {
        let (_, out, _) = lozenge(&["infer", "-", "--json"], text);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(answer["verdict"], "rejected", "{answer}");
        (answer["fits"].clone(), answer["searched"]["choices"].clone())
    };
    let (shapes, _) = fits(&format!("{head}let e = (a @| 0) + b *. 0\n"));
    assert_eq!(shapes, json!({"e": "4, ⋄, 6 -> 5, ⋄, 4"}));
    // The output rows alone have no solution: 5 does not fit a row that ends in 4.
    let (shapes, choices) = fits(&format!("{head}input c: 5\nlet e = where(c, a @| 0, b *. 0)\n"));
    assert!(shapes.is_null() && choices.is_number(), "{shapes}, {choices}");
}
