//! What is read quickly beside what reads everything.

use super::super::fields;
use super::{Usual, line, system};
use lozenge::constraint::Constraint;
use lozenge::json;
use lozenge::names::Names;
use lozenge::wire::read_constraint;
use serde_json::Value;
use std::path::Path;

/// What is read quickly is what the wire format reads; the same variables have the same numbers.
#[test]
fn quick_is_the_same() {
    let terms = [
        "3",
        "0",
        "1.0",
        "1e3",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "\"unit\"",
        "\"other\"",
        "null",
        r#"{"var":"a"}"#,
        r#"{"var":"\u0061"}"#,
        r#"{"var":"?1"}"#,
        r#"{"var":"unit"}"#,
        r#"{"var":null}"#,
        "{}",
        r#"{"n":3,"basis":"rgb"}"#,
        r#"{"basis":"β","n":2}"#,
        r#"{"n":3}"#,
        r#"{"n":3,"basis":"x","var":"a"}"#,
        r#"{"lead":[],"trail":[]}"#,
        r#"{"trail":[{"var":"b"}],"var":"r","lead":[{"var":"c"},"unit",2]}"#,
        r#"{ "lead" : [ 3 , {"var":"α′"} ] , "var" : null , "trail" : [ ] }"#,
        r#"{"lead":[],"var":"a","trail":[]}"#,
        r#"{"lead":[{"lead":[],"trail":[]}],"trail":[]}"#,
        r#"{"lead":[],"lead":[],"trail":[]}"#,
        r#"{"lead":[3]}"#,
    ];
    let (mut quick, mut all) = (0, 0);
    for one in terms {
        for other in terms {
            for relation in ["eq", "le", "lt"] {
                let text = format!(r#"[{{"{relation}":[{one},{other}]}},{{"le":[{{"var":"z"}},{one}]}}]"#);
                let mut names = Names::new();
                let slow = json::value(&text).ok().and_then(|list| {
                    let read = |item| read_constraint(item, &mut names).ok();
                    list.as_array()?.iter().map(read).collect::<Option<Vec<_>>>()
                });
                all += usize::from(slow.is_some());
                if let Some((phi, known)) = system(&text) {
                    assert_eq!(Some(&phi), slow.as_ref(), "{text}");
                    assert!(known.vars().eq(names.vars()), "{text}");
                    assert!(names.vars().all(|v| known.var_name(v.id()) == names.var_name(v.id())), "{text}");
                    let whole = format!(r#"{{"op":"solve","constraints":{text}}}"#);
                    assert!(line(&whole).is_some_and(|read| read.system.0 == phi), "{whole}");
                    quick += 1;
                }
            }
        }
    }
    assert!(quick > 0 && quick <= all, "{quick} of {all}");
}

#[test]
fn what_is_not_json_is_not_read() {
    let read = |text: &str| line(text).map(|read| (read.id.map(str::to_owned), read.op.to_owned()));
    let usual = |id: Option<&str>| Some((id.map(str::to_owned), "solve".to_owned()));
    assert_eq!(read(r#" { "op" : "solve" , "constraints" : [ ] } "#), usual(None));
    assert_eq!(read(r#"{"constraints":[],"id":"x y","op":"solve"}"#), usual(Some("\"x y\"")));
    assert_eq!(read(r#"{"constraints":[],"id":0,"op":"solve"}"#), usual(Some("0")));
    for text in [
        "",
        "{}",
        r#"{"op":"solve"}"#,
        r#"{"op":"solve","constraints":[]}}"#,
        r#"{"op":"solve","constraints":[],}"#,
        r#"{"op":"solve","constraints":[}"#,
        r#"{"op":"solve","op":"solve","constraints":[]}"#,
        r#"{"op":"solve","constraints":[],"constraints":[]}"#,
        r#"{"id":1,"id":1,"op":"solve","constraints":[]}"#,
        r#"{"id":01,"op":"solve","constraints":[]}"#,
        r#"{"id":1.5,"op":"solve","constraints":[]}"#,
        r#"{"id":"\n","op":"solve","constraints":[]}"#,
        "{\"id\":\"\t\",\"op\":\"solve\",\"constraints\":[]}",
        r#"{"id":1,"op":"solve","constraints":[],"limits":{}}"#,
        r#"{"op":"solve","constraints":[{"eq":[{"lead":[],"var":nul,"trail":[]},{"lead":[],"trail":[]}]}]}"#,
        r#"{"op":"solve","constraints":[{"eq":[03,3]}]}"#,
        r#"{"op":"solve","constraints":[{"eq":[3,3]"#,
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

/// The id, the operation and the constraints of a line, by the readers that need a tree; none where one of them finds a
/// mistake or a further field.
fn slowly(text: &str) -> Option<(Option<String>, String, Vec<Constraint>, Names)> {
    let mut fields = fields(text.as_bytes()).ok()?;
    let id = fields.take_id().map(str::to_owned);
    let (op, list) = (json::value(fields.get("op")?.get()).ok()?, json::value(fields.get("constraints")?.get()).ok()?);
    let mut names = Names::new();
    let phi = list.as_array()?.iter().map(|item| read_constraint(item, &mut names).ok()).collect::<Option<_>>()?;
    (fields.twice.is_none() && fields.fields.len() == 2)
        .then(|| op.as_str().map(str::to_owned))?
        .map(|op| (id, op, phi, names))
}

/// Is a line read quickly? If so, it is read as the others read it.
fn agrees(text: &str) -> bool {
    let Some(Usual { id, op, system: (phi, names) }) = line(text) else { return false };
    let Some((slow_id, slow_op, slow_phi, slow_names)) = slowly(text) else { panic!("only read quickly: {text}") };
    assert_eq!((id, op, &phi), (slow_id.as_deref(), slow_op.as_str(), &slow_phi), "{text}");
    assert!(names.vars().eq(slow_names.vars()), "{text}");
    for phi in &phi {
        assert_eq!(names.show(phi).to_string(), slow_names.show(phi).to_string(), "{text}");
    }
    true
}

/// Every request of the corpus that has constraints, cut down to those.
fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(path).expect("cases").lines() {
            let case: Value = serde_json::from_str(line).expect("a case");
            let request = &case["request"];
            if let (Some(op), Some(phi)) = (request.get("op"), request.get("constraints")) {
                all.push(format!(r#"{{"id":{},"op":{op},"constraints":{phi}}}"#, all.len()));
            }
        }
    }
    all
}

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// The requests of the corpus, as they are and with one thing changed: a byte left out, put in or replaced, or a piece of
/// the line written twice.
#[test]
fn the_corpus_is_read_the_same_whatever_is_changed_in_it() {
    const BYTES: &[u8] = b"{}[]:,\"\\ 0123456789-.eEaru?nlt\t\n\x01\xc3";
    let (mut numbers, all) = (Numbers(1), corpus());
    let (mut quick, mut changed) = (0, 0);
    for text in &all {
        quick += usize::from(agrees(text));
        for _ in 0..40 {
            let mut bytes = text.as_bytes().to_vec();
            let (at, byte) = (numbers.below(bytes.len()), BYTES[numbers.below(BYTES.len())]);
            match numbers.below(4) {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, byte),
                2 => bytes[at] = byte,
                _ => {
                    let end = at + numbers.below((bytes.len() - at).min(30));
                    bytes.splice(at..at, bytes[at..end].to_vec());
                }
            }
            changed += usize::from(String::from_utf8(bytes).is_ok_and(|text| agrees(&text)));
        }
    }
    assert!(quick > all.len() / 2 && changed > all.len(), "{quick} and {changed} of {}", all.len());
}
