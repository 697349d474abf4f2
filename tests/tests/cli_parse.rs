//! `lozenge parse`, and the same operation of the oracle: trees of specifications and shapes.
#![allow(missing_docs)]

use lozenge::program::einsum::Spec;
use lozenge::program::parse_shape;
use lozenge_tests::session::Session;
use lozenge_tests::{ask, assert_session, read, run};
use serde_json::{Value, json};

#[test]
fn specifications_as_trees() {
    let wide = "... | s*oh=+1+2*kh, 2*ow<+kw, n*i+1, ic; ..r.., kh, kw, ic -> oc => ... | oh, ow, a^b, _, 0, oc";
    assert_session!(
        Session::default()
            .run(&["parse", "ij; jk => ik"])
            .run(&["parse", "... b | i2 -> o; ..r.. 01_ => ..r.."])
            .run(&["parse", wide])
            .given("ii => i\n", &["parse", "-"])
            .run(&["parse", "ii => i", "--json"])
    );
}

#[test]
fn shapes_as_trees() {
    assert_session!(
        Session::default()
            .run(&["parse", "--shape", "n, ..r.. | 28, ?, 3:rgb -> ... unit"])
            .run(&["parse", "--shape", "->"])
            .run(&["parse", "--shape", "n | 3 -> ...", "--json"])
    );
}

#[test]
fn mistakes_have_a_place() {
    assert_session!(
        Session::default()
            .run(&["parse", "ij; jk -> ik"])
            .run(&["parse", "oh=kh, c => c"])
            .run(&["parse", "i $ => i", "--json"])
            .run(&["parse", "..ab.. => i"])
            .run(&["parse", "--shape", "3 4"])
            .run(&["parse", "--shape", "0", "--json"])
            .run(&["parse", &format!("{}, i => i", "x".repeat(1001)), "--json"])
            .run(&["parse"])
    );
}

/// The tree of a text by the oracle; the command says the same.
fn tree(field: &str, text: &str) -> Value {
    let answer = ask(&[json!({"op": "parse", field: text}).to_string()]).remove(0);
    assert_eq!(answer["verdict"], "parsed", "{text}: {answer}");
    answer
}

/// The texts of a table of the sources: its second column.
fn column(file: &str) -> Vec<String> {
    let table = read(file);
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.split('\t').nth(1)?.to_owned())).collect()
}

/// A specification written from its tree, with names and commas.
fn written(spec: &Value) -> String {
    let slot = |slot: &Value| {
        let [batch, input, output] = ["batch", "input", "output"].map(|kind| row(&slot[kind], kind));
        let batch = if batch.is_empty() { batch } else { format!("{batch} | ") };
        let input = if input.is_empty() { input } else { format!("{input} -> ") };
        format!("{batch}{input}{output}")
    };
    let operands: Vec<String> = spec["operands"].as_array().into_iter().flatten().map(slot).collect();
    format!("{} => {}", operands.join("; "), slot(&spec["result"]))
}

fn row(row: &Value, kind: &str) -> String {
    let axes = |flank: &str| row[flank].as_array().into_iter().flatten().map(axis).collect::<Vec<_>>();
    let var = row["var"].as_str().map(|name| if name == kind { "...".to_owned() } else { format!("..{name}..") });
    let all: Vec<String> = axes("lead").into_iter().chain(var).chain(axes("trail")).collect();
    // A comma behind everything says that names may have several letters.
    all.iter().map(|axis| format!("{axis},")).collect()
}

fn axis(axis: &Value) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if axis == "anonymous" {
        return "_".to_owned();
    }
    if axis["label"].is_string() {
        return plain(&axis["label"]);
    }
    if axis["fix"].is_u64() {
        return plain(&axis["fix"]);
    }
    if let Some(parts) = axis["concat"].as_array() {
        return parts.iter().map(plain).collect::<Vec<_>>().join("^");
    }
    let it = &axis["affine"];
    let times = |factor: &Value| if factor.is_null() { String::new() } else { format!("{}*", plain(factor)) };
    let (stride, over) = (times(&it["stride"]), plain(&it["over"]));
    let offset = if it["offset"].is_null() { String::new() } else { plain(&it["offset"]) };
    let sign = match it["mode"].as_str() {
        Some("padded") => "=",
        Some("valid") => "<",
        mode => {
            assert_eq!(mode, Some("strided"), "{it}");
            let offset = if offset.is_empty() { offset } else { format!("+{offset}") };
            return format!("{stride}{over}{offset}");
        }
    };
    let offset = if offset.is_empty() { offset } else { format!("{offset}+") };
    format!("{stride}{over}{sign}+{offset}{}{}", times(&it["dilation"]), plain(&it["kernel"]))
}

#[test]
fn a_tree_has_everything_that_is_written() {
    let more =
        ["s*o=+1+e*k, a^b^c => o", "2*o+1 => o", "o<+3*k; k => o", "... | ..r.. -> 0_ => ..r..", "=>", "i12 => i"];
    let specs = column("tests/sources/specs.tsv").into_iter().chain(more.map(str::to_owned));
    let mut seen = 0;
    for text in specs {
        let Ok(spec) = text.parse::<Spec>() else { continue };
        let found = tree("spec", &text);
        let again = written(&found["spec"]);
        let read: Spec = again.parse().unwrap_or_else(|error| panic!("{text}: {again}: {error}"));
        assert_eq!(read, spec, "{text}: {again}");
        let canonical = found["canonical"].as_str().expect("a text");
        let of_canonical = tree("spec", canonical);
        assert_eq!(
            (&of_canonical["spec"], &of_canonical["canonical"]),
            (&found["spec"], &found["canonical"]),
            "{text}"
        );
        seen += 1;
    }
    assert!(seen > 30, "{seen} specifications");
    let shapes = column("tests/sources/shapes.tsv");
    assert!(shapes.len() > 20, "{} shapes", shapes.len());
    for text in shapes {
        let Ok(shape) = parse_shape(&text) else { continue };
        let found = tree("shape", &text);
        assert_eq!(found["canonical"], shape.to_string());
        assert_eq!(tree("shape", &shape.to_string())["shape"], found["shape"], "{text}");
    }
}

#[test]
fn the_oracle_says_what_it_needs() {
    let answers = ask(&[
        json!({"op": "parse"}).to_string(),
        json!({"op": "parse", "spec": "i => i", "shape": "3"}).to_string(),
        json!({"op": "parse", "spec": 3}).to_string(),
        json!({"op": "parse", "spec": "i => é"}).to_string(),
        json!({"op": "parse", "shape": "3,, 4"}).to_string(),
        json!({"op": "parse", "shape": format!("{}", "x".repeat(1001))}).to_string(),
    ]);
    let kinds: Vec<(&Value, &Value)> = answers.iter().map(|answer| (&answer["kind"], &answer["at"])).collect();
    let (parse, limit) = (&json!("parse"), &json!("limit"));
    let [whole, spec, shape] = [json!(""), json!("/spec"), json!("/shape")];
    assert_eq!(
        kinds,
        [(parse, &whole), (parse, &whole), (parse, &spec), (parse, &spec), (parse, &shape), (limit, &shape)]
    );
    assert!(answers[3]["message"].as_str().is_some_and(|m| m.ends_with("(character 6 of the text)")), "{}", answers[3]);
    let (_, out, _) = run(&["parse", "ij => i", "--json"], "");
    assert_eq!(serde_json::from_str::<Value>(&out).ok(), Some(tree("spec", "ij => i")));
}
