//! What the page says about a text (`lozenge serve`, and the same page as WebAssembly): verdict, errors, and one pane for
//! each question that the commands answer.
//!
//! A question is `{"kind": "program" | "constraints", "text": …, "leaves": […]}`, an answer is JSON with the HTML of each
//! pane. What stands in a pane is what the command of the same name prints.

mod constraints;
mod program;
mod styled;

use crate::contained::contained;
use crate::explain::html::{self, code};
use crate::explain::svg::escaped;
use crate::output::{Answer, Failure, Output, error_text};
use crate::told::Told;
use lozenge::notation::Span;
use lozenge::program::Severity;
use lozenge::solver::Policy;
use serde::{Deserialize, Serialize};
use styled::styled;

/// The longest text that the page answers.
pub const MOST_BYTES: usize = 256 << 10;
/// The most steps of a derivation that are drawn.
const MOST_STEPS: usize = 200;

/// What is typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    kind: Kind,
    text: String,
    /// Names of variables that close downward; of constraints only.
    #[serde(default)]
    leaves: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Program,
    Constraints,
}

/// What the page shows.
#[derive(Default, Serialize)]
struct Page {
    /// One word.
    verdict: &'static str,
    good: bool,
    /// What it means, in a sentence.
    says: String,
    /// Errors and warnings.
    told: Vec<Note>,
    panes: Vec<Pane>,
}

/// A part of the page.
#[derive(Serialize)]
struct Pane {
    id: &'static str,
    title: &'static str,
    /// What prints the same in a terminal.
    command: &'static str,
    html: String,
}

/// An error or a warning.
#[derive(Serialize)]
struct Note {
    severity: &'static str,
    code: &'static str,
    headline: String,
    html: String,
    /// Where it is: the first and the one after the last, as the page counts (UTF-16). The first mark is the error.
    marks: Vec<[usize; 2]>,
    fixes: Vec<Change>,
}

/// What to write instead.
#[derive(Serialize)]
struct Change {
    says: String,
    /// The whole text after it.
    text: String,
}

impl Note {
    fn of(told: &Told, text: &str) -> Self {
        let fix = |fix: &lozenge::program::Fix| Change { says: fix.says.clone(), text: fix.apply(text) };
        Note {
            severity: told.it.severity.name(),
            code: told.it.code.text(),
            headline: told.it.headline.clone(),
            html: styled(&told.painted()),
            marks: told.it.labels.iter().map(|label| mark(label.span, text)).collect(),
            fixes: told.it.fixes.iter().map(fix).collect(),
        }
    }

    /// A text that is not in the notation, or another failure.
    fn failed(failure: &Failure, text: &str) -> Self {
        let marks = match failure {
            Failure::Notation { error, .. } => vec![mark(error.span, text)],
            _ => Vec::new(),
        };
        let words = error_text(failure);
        let headline = words.lines().nth(1).or(words.lines().next()).unwrap_or_default().to_owned();
        Note { severity: Severity::Error.name(), code: "", headline, html: styled(&words), marks, fixes: Vec::new() }
    }
}

/// A place as pages count.
fn mark(span: Span, text: &str) -> [usize; 2] {
    let units = |end: usize| text.get(..end).map_or(0, |before| before.encode_utf16().count());
    [units(span.start), units(span.end)]
}

impl Page {
    /// A text that is not well formed.
    fn refused(note: Note) -> Self {
        Page { verdict: "error", says: note.headline.clone(), told: vec![note], ..Page::default() }
    }
}

/// What a command prints, as HTML; where it fails, why.
fn printed(print: impl FnOnce(&mut Output) -> Answer) -> String {
    let mut out = Output::keep();
    let failed = print(&mut out).err();
    let failed = failed.map(|failure| format!("<pre class=\"bad\">{}</pre>", escaped(&error_text(&failure))));
    let text = out.kept();
    let text = if text.is_empty() { String::new() } else { format!("<pre>{}</pre>", styled(&text)) };
    text + &failed.unwrap_or_default()
}

/// The answer to a question, both as JSON. A fault of our own is an answer too.
#[must_use]
pub fn answer(question: &[u8]) -> Vec<u8> {
    let page = contained(|| page(question)).unwrap_or_else(|fault| refusal("internal", &fault));
    serde_json::to_vec(&page).unwrap_or_default()
}

/// An answer that only says why there is none.
pub fn refused(verdict: &'static str, says: &str) -> Vec<u8> {
    serde_json::to_vec(&refusal(verdict, says)).unwrap_or_default()
}

fn refusal(verdict: &'static str, says: &str) -> Page {
    Page { verdict, says: says.to_owned(), ..Page::default() }
}

fn page(question: &[u8]) -> Page {
    let question: Question = match serde_json::from_slice(question) {
        Ok(question) => question,
        Err(error) => return refusal("error", &format!("no question: {error}")),
    };
    crate::contained::provoke(&question.text);
    if question.text.len() > MOST_BYTES {
        return refusal("limit", &format!("the page takes a text of at most {} KiB", MOST_BYTES >> 10));
    }
    match question.kind {
        Kind::Program => program::page(question.text, Policy::default()),
        Kind::Constraints => constraints::page(question.text, &question.leaves, Policy::default()),
    }
}

/// Lines of a list, each with why.
fn reasons(pairs: &[(String, String)]) -> String {
    let line = |(what, why): &(String, String)| {
        format!("<li>{} <span class=\"soft\">{}</span></li>", code(what), escaped(why))
    };
    match pairs {
        [] => "<p>nothing</p>".to_owned(),
        _ => format!("<ul>{}</ul>", pairs.iter().map(line).collect::<String>()),
    }
}

/// Every step, drawn.
fn derivation(story: &crate::explain::story::Story, command: &'static str) -> Pane {
    Pane { id: "derivation", title: "Derivation", command, html: html::calculus(story) }
}
