//! `lozenge explain E0501`: what a code means (spec/diagnostics.md).

use crate::output::{Answer, Exit, Failure, GOOD, Output, TITLE, paint};
use lozenge::program::Code;
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct CodeJson {
    code: &'static str,
    title: &'static str,
    text: &'static str,
}

/// The code that is asked for, where the argument is one and no file of that name is there; or what would be one.
pub fn asked(file: &Path) -> Option<Result<Code, Failure>> {
    let text = file.to_str().filter(|_| !file.exists())?;
    if let Some(code) = Code::read(text) {
        return Some(Ok(code));
    }
    let like_one =
        text.len() == 5 && text.starts_with(['E', 'W', 'e', 'w']) && text[1..].bytes().all(|b| b.is_ascii_digit());
    like_one.then(|| {
        let all: Vec<&str> = Code::ALL.iter().map(|code| code.text()).collect();
        Err(Failure::input("unknown", format!("there is no code {text}; the codes are {}", all.join(", "))))
    })
}

/// Prints its section: programs are indented, and what is to be read in them is said before.
pub fn print(code: Code, out: &mut Output) -> Answer {
    let text = lozenge_spec::diagnostics::section(code.text()).unwrap_or_default();
    if out.json {
        out.json(&CodeJson { code: code.text(), title: code.title(), text })?;
        return Ok(Exit::Yes);
    }
    out.line(&format!("{}: {}", paint(TITLE, code.text()), code.title()))?;
    out.line("")?;
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some("") => inside = false,
            Some(tag) => {
                inside = true;
                out.line(&paint(GOOD, if tag == "fixed" { "as it may be meant:" } else { "a program that gets it:" }))?;
            }
            None if inside => out.line(&format!("  {line}"))?,
            None => out.line(&plain(line))?,
        }
    }
    Ok(Exit::Yes)
}

/// Links as their words.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(words, after)| Some((words, after.split_once(')')?.1)));
        match link {
            Some((words, after)) => {
                out += before;
                out += words;
                rest = after;
            }
            None => {
                out += before;
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}
