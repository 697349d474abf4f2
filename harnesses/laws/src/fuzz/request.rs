//! Requests to the oracle, and data for programs.

use super::{MOST_BYTES, pointed, text};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

/// Every verdict of spec/protocol.md.
const VERDICTS: [&str; 18] = [
    "solved",
    "unsat",
    "rejected",
    "limit",
    "closed",
    "error",
    "sat",
    "unknown",
    "holds",
    "violated",
    "version",
    "inferred",
    "projected",
    "ran",
    "failed",
    "undecided",
    "partial",
    "parsed",
];

/// The kinds of error that a request can get. An `internal` one is a bug.
const KINDS: [&str; 4] = ["parse", "sort", "limit", "unsupported"];

/// The operations that can grow.
const GROWING: [&str; 6] = ["solve", "close", "decide", "infer", "project", "run"];

/// Asks for any bytes, held to small limits, and looks at the answer.
pub fn request(bytes: &[u8], answer: impl Fn(&[u8]) -> Vec<u8>) {
    if bytes.contains(&b'\n') || bytes.len() > MOST_BYTES {
        return;
    }
    let line = bounded(bytes);
    let answer = answer(&line);
    if let Err(why) = well_formed(&line, &answer) {
        panic!("{why}: {} gets {}", line.escape_ascii(), answer.escape_ascii());
    }
}

/// The same request with small limits, where it is one.
fn bounded(line: &[u8]) -> Vec<u8> {
    let Ok(mut request) = serde_json::from_slice::<Map<String, Value>>(line) else { return line.to_vec() };
    if request.get("op").and_then(Value::as_str).is_some_and(|op| GROWING.contains(&op)) {
        request.insert("limits".to_owned(), json!({ "fuel": 2_000, "rank": 8, "elements": 2_000 }));
        if request["op"] == "run" {
            request["limits"]["points"] = json!(2_000);
        }
    }
    Value::Object(request).to_string().into_bytes()
}

/// A line as JSON. Here it is compiled to be fast, and tests read millions.
#[must_use]
pub fn read(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

/// Is this one line of JSON with the request's id and a verdict that the protocol knows?
///
/// # Errors
/// What is wrong with the answer.
pub fn well_formed(line: &[u8], answer: &[u8]) -> Result<(), String> {
    let Some(answer) = answer.strip_suffix(b"\n").filter(|answer| !answer.contains(&b'\n')) else {
        return Err("the answer is not one line".to_owned());
    };
    serde_json::from_slice::<IgnoredAny>(answer).map_err(|error| format!("the answer is no JSON: {error}"))?;
    // An id that this reader cannot hold comes back as it was written.
    let request = serde_json::from_slice::<Map<String, Value>>(line);
    let answer = match (serde_json::from_slice::<Map<String, Value>>(answer), &request) {
        (Ok(answer), _) => answer,
        (Err(_), Err(_)) => return Ok(()),
        (Err(error), Ok(_)) => return Err(format!("the answer is no object: {error}")),
    };
    let verdict = answer.get("verdict").and_then(Value::as_str).ok_or("the answer has no verdict")?;
    if !VERDICTS.contains(&verdict) {
        return Err(format!("the verdict {verdict} is unknown"));
    }
    let refused = verdict == "error" && answer.get("id") == Some(&Value::Null);
    match &request {
        Ok(request) if answer.get("id") != request.get("id") && !refused => {
            return Err("the answer has another id".to_owned());
        }
        Err(_) if verdict != "error" => return Err("what is no JSON object gets no error".to_owned()),
        _ => {}
    }
    // The hole of a parameter has a rule, and no kind.
    if verdict != "error" || answer.contains_key("rule") {
        return Ok(());
    }
    error(&answer, request.ok().map(Value::Object).as_ref())
}

/// An error has a kind, a message, and a place in the request.
fn error(answer: &Map<String, Value>, request: Option<&Value>) -> Result<(), String> {
    let field = |key| answer.get(key).and_then(Value::as_str).ok_or_else(|| format!("the error has no `{key}`"));
    let (kind, at) = (field("kind")?, field("at")?);
    if !KINDS.contains(&kind) {
        return Err(format!("an error of kind {kind}"));
    }
    if field("message")?.is_empty() {
        return Err("an error without a message".to_owned());
    }
    match request {
        Some(request) if !pointed(request, at) => Err(format!("the request has no place {at}")),
        _ => Ok(()),
    }
}

/// The program that data are for.
const PROGRAM: &str = "input a: 2, 3\nconst b\nlet c = a +* \"ij; j => i\" b";

/// Reads any bytes as a .npy file, or as JSON data of a `run`.
pub fn data(
    bytes: &[u8],
    npy: impl Fn(&[u8]) -> Result<Value, String>,
    write: impl Fn(&[u64], &[f64]) -> Vec<u8>,
    answer: impl Fn(&[u8]) -> Vec<u8>,
) {
    match npy(bytes) {
        Ok(array) => {
            // What is no number in JSON is text there.
            let number = |cell: &Value| cell.as_f64().or_else(|| cell.as_str()?.parse().ok());
            let numbers =
                |list: &Value| list.as_array().map(|list| list.iter().filter_map(number).collect::<Vec<f64>>());
            let bits = |cells: Vec<f64>| cells.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            let cells = numbers(&array["data"]).unwrap_or_default();
            let dims: Vec<u64> = serde_json::from_value(array["dims"].clone()).unwrap_or_default();
            let again = npy(&write(&dims, &cells)).expect("what is written is read");
            assert_eq!((&again["dims"], numbers(&again["data"]).map(bits)), (&array["dims"], Some(bits(cells))));
        }
        Err(why) => assert!(!why.is_empty()),
    }
    let Some(json) = text(bytes).and_then(|text| serde_json::from_str::<Value>(text).ok()) else { return };
    for (scalar, fill) in [("f64", json!("range")), ("i64", json!(2)), ("rational", json!("range:1:2"))] {
        let ask = json!({ "op": "run", "program": PROGRAM, "data": { "a": json }, "fill": fill, "scalar": scalar });
        request(ask.to_string().as_bytes(), &answer);
    }
}
