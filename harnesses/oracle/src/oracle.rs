//! `lozenge oracle`: requests in JSON lines on standard input, answers on standard output
//! (spec/protocol.md).

mod lines;
mod request;

use crate::output::{Answer, Exit, Failure};
use lines::{Line, Lines};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  echo '{\"id\":1,\"op\":\"version\"}' | lozenge oracle
  echo '{\"op\":\"solve\",\"constraints\":[{\"le\":[3,{\"var\":\"a\"}]}]}' | lozenge oracle
  lozenge oracle < requests.jsonl > answers.jsonl

Every line gets one answer, in order, as soon as it is there; a bad line gets an error.
The format is that of spec/protocol.md; options for colour and spelling change nothing.

Exit status: 0 at the end of the input.";

/// Answer requests in JSON lines, for other programs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// A request that gets an error for an answer.
#[derive(Serialize)]
struct ErrorJson {
    verdict: &'static str,
    kind: &'static str,
    message: String,
    /// The place in the request, as a JSON pointer.
    at: String,
}

impl ErrorJson {
    fn new(kind: &'static str, message: impl Into<String>, at: impl Into<String>) -> Self {
        ErrorJson { verdict: "error", kind, message: message.into(), at: at.into() }
    }
}

/// An answer, written as JSON.
type Body = Result<Vec<u8>, ErrorJson>;

fn body(answer: &impl Serialize) -> Body {
    // Only string keys and finite numbers are written, so nothing can fail here.
    serde_json::to_vec(answer).map_err(|error| ErrorJson::new("limit", error.to_string(), ""))
}

/// Answers until the input ends.
pub fn run(_: &Args) -> Answer {
    let mut lines = Lines::new(io::stdin().lock());
    let mut stdout = io::stdout().lock();
    let unreadable = |error| Failure::input("file", format!("cannot read standard input: {error}"));
    while let Some(line) = lines.next().map_err(unreadable)? {
        let answer = match line {
            Line::Text(bytes) => answer(bytes),
            Line::TooLong => {
                let message = format!("a line with more than {} bytes", lines::MOST_BYTES);
                with_id(Some("null"), Err(ErrorJson::new("limit", message, "")))
            }
        };
        stdout.write_all(&answer)?;
        stdout.flush()?;
    }
    Ok(Exit::Yes)
}

/// The answer to one line, its end included.
fn answer(line: &[u8]) -> Vec<u8> {
    match request::fields(line) {
        Ok(mut fields) => {
            let id = fields.remove("id");
            let body = request::answer(&fields);
            with_id(id.as_deref().map(RawValue::get), body)
        }
        Err(error) => with_id(Some("null"), Err(error)),
    }
}

/// `{"id":…,` and the rest of the answer. The id is written as it was read.
fn with_id(id: Option<&str>, answer: Body) -> Vec<u8> {
    let rest = answer.or_else(|error| body(&error)).unwrap_or_default();
    let mut line = b"{".to_vec();
    if let Some(id) = id {
        line.extend_from_slice(b"\"id\":");
        line.extend_from_slice(id.as_bytes());
        line.push(b',');
    }
    line.extend_from_slice(rest.get(1..).unwrap_or_default());
    line.push(b'\n');
    line
}
