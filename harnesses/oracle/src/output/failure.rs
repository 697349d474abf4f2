//! Why there is no answer, in words and in JSON.

use crate::system::Source;
use crate::told::{Told, ToldJson};
use lozenge::notation::{NotationError, NotationProblem, Problem as _, Span};
use serde::Serialize;
use std::io;

/// Why there is no answer: status 2, for a limit 3, for a fault of our own 4.
pub enum Failure {
    /// An argument that is not in the notation.
    Notation {
        /// What was given: an argument or a file.
        source: Box<Source>,
        /// What is wrong with it.
        error: NotationError,
    },
    /// A text of another kind with a mistake in it.
    Text {
        /// `parse` or `limit`.
        kind: &'static str,
        /// What was given, with what it is for a name.
        source: Box<Source>,
        /// What is wrong with it, and what would be right.
        message: String,
        /// Where.
        span: Span,
    },
    /// A text that is no program.
    Program {
        /// `parse` or `limit`.
        kind: &'static str,
        /// What is wrong with it, where, and what would be right.
        told: Box<Told>,
    },
    /// Any other bad input.
    Input {
        /// `sort`, `limit`, `unknown`, `usage`, `data`, `project`, `parse`, `file`, `checker`, `engine` or `internal`.
        kind: &'static str,
        /// What is wrong and what would be right.
        message: String,
        /// The place in a JSON file, as a pointer; the message has it too.
        at: Option<String>,
        /// Ids that were perhaps meant.
        nearest: Vec<String>,
    },
    /// Stdout does not take what is written.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl Failure {
    /// Bad input of this kind.
    pub fn input(kind: &'static str, message: impl Into<String>) -> Self {
        Failure::Input { kind, message: message.into(), at: None, nearest: Vec::new() }
    }

    /// Of what kind it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Notation { error, .. } if error.problem.is_limit() => "limit",
            Failure::Notation { error, .. } if is_sort(&error.problem) => "sort",
            Failure::Notation { .. } => "parse",
            Failure::Text { kind, .. } | Failure::Program { kind, .. } | Failure::Input { kind, .. } => kind,
            Failure::Io(_) => "io",
        }
    }

    /// The status of the process.
    pub fn status(&self) -> u8 {
        match self.kind() {
            "limit" => 3,
            "internal" => 4,
            _ => 2,
        }
    }

    /// Arguments that are not understood, for a caller that asked for JSON.
    pub fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let message = lines.join(" ");
        Failure::input("usage", message.strip_prefix("error: ").unwrap_or(&message))
    }
}

/// Is a dimension where a row should be, or the other way round?
fn is_sort(problem: &NotationProblem) -> bool {
    matches!(problem, NotationProblem::SortMismatch { .. } | NotationProblem::SortClash(_))
}

/// A failure in an answer.
#[derive(Serialize)]
pub struct ErrorJson<'a> {
    verdict: &'static str,
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<&'a str>,
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    nearest: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostic: Option<ToldJson<'a>>,
}

/// A place: in a text, or in JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum At<'a> {
    Text(AtJson),
    Pointer(&'a str),
}

/// Line and column from 1, in characters; start and end in bytes from 0.
#[derive(Serialize)]
struct AtJson {
    line: usize,
    column: usize,
    start: usize,
    end: usize,
}

/// A failure for machines.
pub fn error_json(failure: &Failure) -> ErrorJson<'_> {
    let bare = |message: String| ErrorJson {
        verdict: "error",
        kind: failure.kind(),
        message,
        argument: None,
        at: None,
        nearest: &[],
        code: None,
        diagnostic: None,
    };
    let at = |(line, column): (usize, usize), span: Span, source: &Source| {
        let Span { start, end } = source.in_file(span);
        Some(At::Text(AtJson { line, column, start, end }))
    };
    match failure {
        Failure::Notation { source, error } => ErrorJson {
            argument: Some(&source.name),
            at: at((error.line, error.column), error.span, source),
            ..bare(error.problem.to_string())
        },
        Failure::Text { source, message, span, .. } => ErrorJson {
            argument: Some(&source.name),
            at: at(span.position(&source.text), *span, source),
            ..bare(message.clone())
        },
        Failure::Program { told, .. } => {
            let message = match &told.at {
                Some(pointer) => format!("at {pointer}: {}", told.it.headline),
                None => told.it.headline.clone(),
            };
            let place = told.position().zip(told.span()).and_then(|(position, span)| at(position, span, &told.source));
            ErrorJson { at: place, code: Some(told.it.code.text()), diagnostic: Some(told.json()), ..bare(message) }
        }
        Failure::Input { message, at, nearest, .. } => {
            ErrorJson { nearest, at: at.as_deref().map(At::Pointer), ..bare(message.clone()) }
        }
        Failure::Io(error) => bare(error.to_string()),
    }
}

/// A failure in words.
pub fn error_text(failure: &Failure) -> String {
    match failure {
        Failure::Notation { source, error } => format!("error in {}\n{}", source.name, error.render(&source.text)),
        Failure::Text { source, message, span, .. } => {
            let (line, column) = span.position(&source.text);
            format!("error in {}\n{line}:{column}: {message}\n{}", source.name, span.excerpt(&source.text))
        }
        Failure::Program { told, .. } => told.render(),
        Failure::Input { message, nearest, .. } if nearest.is_empty() => format!("error: {message}"),
        Failure::Input { message, nearest, .. } => format!("error: {message}\nnearest: {}", nearest.join(", ")),
        Failure::Io(error) => format!("error: {error}"),
    }
}
