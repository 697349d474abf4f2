//! Warnings about programs (spec/warnings.md): told to people on standard error, and in answers as a list.

use crate::output::{Exit, Output};
use crate::system::Source;
use crate::told::{FixJson, Told};
use lozenge::program::{Code, Inference, Program, Span, Warning, advise, warnings};
use lozenge::solver::Policy;
use schemars::JsonSchema;
use serde::Serialize;

/// What commands on programs understand.
#[derive(clap::Args)]
pub struct WarningArgs {
    /// End with status 1 when there is a warning
    #[arg(long)]
    deny_warnings: bool,
}

impl WarningArgs {
    /// The status of a command that did its work.
    pub fn exit(&self, told: &[Warning]) -> Exit {
        if self.deny_warnings && !told.is_empty() { Exit::No } else { Exit::Yes }
    }
}

/// The warnings about a program that was read from this text. JSON has no comments.
pub fn of(program: &Program, text: &str, inferred: &Inference) -> Vec<Warning> {
    let source = (!crate::infer::is_json(text)).then_some(text);
    warnings(program, source, inferred)
}

/// What to write instead is looked for in the first of many warnings: each of them infers the program again.
const MOST_ADVISED: usize = 10;

/// All there is to say about each.
pub fn told<'a>(warnings: &'a [Warning], source: &'a Source, policy: Policy) -> impl Iterator<Item = Told> + 'a {
    warnings.iter().enumerate().map(move |(i, warning)| {
        let it = match crate::infer::is_json(&source.text) || i >= MOST_ADVISED {
            true => warning.diagnostic(),
            false => advise(&source.text, warning, policy),
        };
        Told::of(it, source)
    })
}

/// Tells people; a caller that asked for JSON has them in its answer.
pub fn tell(warnings: &[Warning], source: &Source, policy: Policy, out: &Output) {
    if out.speaks() {
        told(warnings, source, policy).for_each(|it| out.tell(&it));
    }
}

/// A warning in an answer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Warning")]
pub struct WarningJson {
    /// Of what kind: one of the codes of spec/warnings.md.
    code: &'static str,
    /// The number of the kind, for `lozenge explain`. Engines need not say it.
    #[schemars(with = "Option<String>")]
    number: &'static str,
    message: String,
    /// What to write to mean it, or instead.
    help: String,
    /// Line and column in the program, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[usize; 2]>,
    /// The first byte in the program, and the one after the last, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[usize; 2]>,
    /// The place in the request, as a JSON pointer, for a program that came as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// What to write instead, as edits of the program; commands say it, and answers of the oracle do not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<FixJson>>")]
    fixes: Vec<FixJson>,
}

/// Warnings about the program of a file, as they stand in answers.
pub fn in_file(warnings: &[Warning], source: &Source, policy: Policy) -> Vec<WarningJson> {
    let mut all = json(warnings, &source.text, |_| None);
    for (one, (warning, told)) in all.iter_mut().zip(warnings.iter().zip(told(warnings, source, policy))) {
        let Span { start, end } = source.in_file(warning.span);
        one.span = one.span.map(|_| [start, end]);
        one.fixes = told.fixes();
    }
    all
}

/// Warnings as they stand in answers.
pub fn json(told: &[Warning], text: &str, at: impl Fn(Span) -> Option<String>) -> Vec<WarningJson> {
    let one = |warning: &Warning| {
        let Warning { code, span, message, help } = warning;
        let known = span.is_known();
        let (line, column) = span.position(text);
        WarningJson {
            code: code.name(),
            number: Code::from(*code).text(),
            message: message.clone(),
            help: help.clone(),
            position: known.then_some([line, column]),
            span: known.then_some([span.start, span.end]),
            at: at(*span).filter(|_| known),
            fixes: Vec::new(),
        }
    };
    told.iter().map(one).collect()
}
