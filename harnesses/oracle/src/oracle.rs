//! `lozenge oracle`: requests in JSON lines on standard input, answers on standard output
//! (spec/protocol.md).

pub mod limits;
pub mod lines;
pub mod pool;
mod request;

use crate::contained::{contained, fault, provoke};
use crate::interrupt;
use crate::output::{Answer, Exit, Failure};
use limits::{PerRequest, Served};
use lines::{Line, Lines};
use serde::Serialize;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  echo '{\"id\":1,\"op\":\"version\"}' | lozenge oracle
  echo '{\"op\":\"solve\",\"constraints\":[{\"le\":[3,{\"var\":\"a\"}]}]}' | lozenge oracle
  lozenge oracle < requests.jsonl > answers.jsonl
  lozenge oracle --jobs 4 < requests.jsonl > answers.jsonl
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
    /// How many requests are answered at a time; answers are the same and in the same order, whatever the number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = pool::jobs)]
    jobs: usize,
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
    // Most answers are no longer.
    let mut text = Text(Vec::with_capacity(1024));
    // Only string keys and finite numbers are written, so nothing can fail here.
    serde_json::to_writer(&mut text, answer).map_err(|error| ErrorJson::new("limit", error.to_string(), ""))?;
    Ok(text.0)
}

/// What is written, in many small pieces: a call for each of them would cost more than what it does.
struct Text(Vec<u8>);

impl Write for Text {
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline(always)]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match bytes {
            [one] => self.0.push(*one),
            some => self.0.extend_from_slice(some),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Answers until the input ends.
pub fn run(args: &Args) -> Answer {
    let limits = args.limits.unwrap_or_default();
    limits.enforce();
    if let Some(parent) = args.worker {
        return work(parent, &limits, answer);
    }
    interrupt::end_between_answers();
    pool::run(args.jobs, || {
        let mut worker = limits.worker("oracle");
        move |line: Option<&[u8]>, to: &mut Vec<u8>| match (line, &mut worker) {
            (None, _) => too_long(to),
            (Some(line), None) => answer_to(line, to),
            (Some(line), Some(worker)) => served(line, worker, to),
        }
    })
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
        match line {
            Line::TooLong => {
                let mut said = Vec::new();
                too_long(&mut said);
                write(&said)?;
            }
            Line::Text(bytes) => write(&answer(bytes))?,
        }
    }
    Ok(Exit::Yes)
}

fn too_long(to: &mut Vec<u8>) {
    let message = format!("a line with more than {} bytes", lines::MOST_BYTES);
    with_id(Some("null"), Err(ErrorJson::new("limit", message, "")), to);
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
fn served(line: &[u8], worker: &mut limits::Worker, to: &mut Vec<u8>) {
    let id = match request::fields(line) {
        Ok(mut fields) => fields.take_id(),
        Err(error) => return with_id(Some("null"), Err(error), to),
    };
    // What is read as UTF-8 above is one line.
    match worker.answer(std::str::from_utf8(line).unwrap_or_default()) {
        Served::Answer(answer) => {
            to.extend_from_slice(answer.as_bytes());
            to.push(b'\n');
        }
        Served::Limit(which) => with_id(id, body(&LimitJson { verdict: "limit", which }), to),
        Served::Ended(how) => with_id(id, Err(internal(fault(&how))), to),
    }
}

/// The answer of the reference to a request, as JSON.
pub fn reference(request: &serde_json::Value) -> serde_json::Value {
    reference_line(&request.to_string())
}

/// The answer of the reference to a line, as JSON. A fault of our own is not contained here: an engine must not be held
/// to it.
pub fn reference_line(line: &str) -> serde_json::Value {
    let mut said = Vec::new();
    answered(line.as_bytes(), &mut said);
    serde_json::from_slice(&said).unwrap_or(serde_json::Value::Null)
}

/// The answer to one line, its end included. A panic on the way is an answer too.
pub fn answer(line: &[u8]) -> Vec<u8> {
    let mut said = Vec::new();
    answer_to(line, &mut said);
    said
}

/// The same, put at the end of what there is.
fn answer_to(line: &[u8], to: &mut Vec<u8>) {
    let before = to.len();
    if let Err(what) = contained(|| answered(line, to)) {
        to.truncate(before);
        let id = contained(|| request::fields(line).ok().map(|mut fields| fields.take_id()));
        let id = id.ok().flatten().unwrap_or(Some("null"));
        with_id(id, Err(internal(what)), to);
    }
}

fn answered(line: &[u8], to: &mut Vec<u8>) {
    if cfg!(debug_assertions) {
        provoke(&String::from_utf8_lossy(line));
    }
    if let Some((id, answer)) = request::usual(line) {
        return with_id(id, answer, to);
    }
    match request::fields(line) {
        Ok(mut fields) => {
            let id = fields.take_id();
            with_id(id, request::answer(&fields), to);
        }
        Err(error) => with_id(Some("null"), Err(error), to),
    }
}

/// A fault of our own.
fn internal(what: String) -> ErrorJson {
    ErrorJson::new("internal", what, "")
}

/// `{"id":…,` and the rest of the answer. The id is written as it was read.
fn with_id(id: Option<&str>, answer: Body, line: &mut Vec<u8>) {
    let rest = answer.or_else(|error| body(&error)).unwrap_or_default();
    line.push(b'{');
    if let Some(id) = id {
        line.extend_from_slice(b"\"id\":");
        line.extend_from_slice(id.as_bytes());
        line.push(b',');
    }
    line.extend_from_slice(rest.get(1..).unwrap_or_default());
    line.push(b'\n');
}
