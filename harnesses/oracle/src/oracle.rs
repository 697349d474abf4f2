//! `lozenge oracle`: requests in JSON lines on standard input, answers on standard output
//! (spec/protocol.md).

pub mod limits;
pub mod lines;
mod request;

use crate::contained::{contained, fault, provoke};
use crate::interrupt;
use crate::output::{Answer, Exit, Failure};
use limits::{PerRequest, Served};
use lines::{Line, Lines};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  echo '{\"id\":1,\"op\":\"version\"}' | lozenge oracle
  echo '{\"op\":\"solve\",\"constraints\":[{\"le\":[3,{\"var\":\"a\"}]}]}' | lozenge oracle
  lozenge oracle < requests.jsonl > answers.jsonl
  lozenge oracle --limits time=500,memory=256,rank=64 < requests.jsonl

Every line gets one answer, in order, as soon as it is there; a bad line gets an error.
The format is that of spec/protocol.md; options for colour and spelling change nothing.

Exit status: 0 at the end of the input, 128 + n after signal n, so 130 after Ctrl-C.";

/// Answer requests in JSON lines, for other programs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The most that one request may use: time (ms), memory (MiB), rank, elements, fuel
    #[arg(long, value_name = "NAME=NUMBER,...")]
    limits: Option<PerRequest>,
    /// Answer for the oracle of this process id, which bounds time and memory
    #[arg(long, hide = true, value_name = "PID")]
    worker: Option<u32>,
}

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
pub fn run(args: &Args) -> Answer {
    let limits = args.limits.unwrap_or_default();
    limits.enforce();
    if let Some(parent) = args.worker {
        return work(parent, &limits, answer);
    }
    interrupt::end_between_answers();
    match limits.worker("oracle") {
        None => each_line(answer),
        Some(mut worker) => each_line(|line| served(line, &mut worker)),
    }
}

/// Answers for another process, within the memory it allows.
pub fn work(parent: u32, limits: &PerRequest, answer: impl FnMut(&[u8]) -> Vec<u8>) -> Answer {
    limits::end_with(parent);
    limits.enforce_memory();
    each_line(answer)
}

/// Answers each line of standard input until it ends.
fn each_line(mut answer: impl FnMut(&[u8]) -> Vec<u8>) -> Answer {
    let mut lines = Lines::new(io::stdin().lock());
    let unreadable = |error| Failure::input("file", format!("cannot read standard input: {error}"));
    while let Some(line) = lines.next().map_err(unreadable)? {
        write(&match line {
            Line::TooLong => too_long(),
            Line::Text(bytes) => answer(bytes),
        })?;
    }
    Ok(Exit::Yes)
}

fn too_long() -> Vec<u8> {
    let message = format!("a line with more than {} bytes", lines::MOST_BYTES);
    with_id(Some("null"), Err(ErrorJson::new("limit", message, "")))
}

/// Writes a whole answer before the next request is looked at.
fn write(answer: &[u8]) -> io::Result<()> {
    let _whole = interrupt::WRITING.lock();
    let mut stdout = io::stdout().lock();
    stdout.write_all(answer)?;
    stdout.flush()
}

#[derive(Serialize)]
struct LimitJson {
    verdict: &'static str,
    which: &'static str,
}

/// The answer of a worker, or the limit that it ran into.
fn served(line: &[u8], worker: &mut limits::Worker) -> Vec<u8> {
    let fields = match request::fields(line) {
        Ok(fields) => fields,
        Err(error) => return with_id(Some("null"), Err(error)),
    };
    let id = fields.get("id").map(|id| id.get());
    // What is read as UTF-8 above is one line.
    match worker.answer(std::str::from_utf8(line).unwrap_or_default()) {
        Served::Answer(answer) => [answer.as_bytes(), b"\n"].concat(),
        Served::Limit(which) => with_id(id, body(&LimitJson { verdict: "limit", which })),
        Served::Ended(how) => with_id(id, Err(internal(fault(&how)))),
    }
}

/// The answer of the reference to a request, as JSON.
pub fn reference(request: &serde_json::Value) -> serde_json::Value {
    reference_line(&request.to_string())
}

/// The answer of the reference to a line, as JSON. A fault of our own is not contained here: an engine must not be held
/// to it.
pub fn reference_line(line: &str) -> serde_json::Value {
    serde_json::from_slice(&answered(line.as_bytes())).unwrap_or(serde_json::Value::Null)
}

/// The answer to one line, its end included. A panic on the way is an answer too.
pub fn answer(line: &[u8]) -> Vec<u8> {
    contained(|| answered(line)).unwrap_or_else(|what| {
        let id = contained(|| request::fields(line).ok().map(|mut fields| fields.remove("id")));
        let fault = Err(internal(what));
        match id {
            Ok(Some(id)) => with_id(id.as_deref().map(RawValue::get), fault),
            Ok(None) | Err(_) => with_id(Some("null"), fault),
        }
    })
}

fn answered(line: &[u8]) -> Vec<u8> {
    provoke(&String::from_utf8_lossy(line));
    match request::fields(line) {
        Ok(mut fields) => {
            let id = fields.remove("id");
            with_id(id.as_deref().map(RawValue::get), request::answer(&fields))
        }
        Err(error) => with_id(Some("null"), Err(error)),
    }
}

/// A fault of our own.
fn internal(what: String) -> ErrorJson {
    ErrorJson::new("internal", what, "")
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
