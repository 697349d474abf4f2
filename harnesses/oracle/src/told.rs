//! Diagnostics as they are told: to people with colours, to machines with every place and every change.

use crate::output::{BAD, FAINT, GOOD, TITLE, paint};
use crate::system::Source;
use lozenge::program::{Diagnostic, Edit, Fix, Label, Section, Severity, Span};
use schemars::JsonSchema;
use serde::Serialize;

/// A diagnostic with the text that its places refer to.
pub struct Told {
    /// What is said.
    pub it: Diagnostic,
    /// The text.
    pub source: Source,
    /// The place as a JSON pointer, for a program that came as JSON.
    pub at: Option<String>,
}

impl Told {
    /// About this text.
    pub fn of(it: Diagnostic, source: &Source) -> Self {
        Told { it, source: source.clone(), at: None }
    }

    /// For people.
    pub fn render(&self) -> String {
        self.it.render(Some(&self.source.name), &self.source.text)
    }

    /// The first place.
    pub fn span(&self) -> Option<Span> {
        self.it.labels.first().map(|label| label.span)
    }

    /// Line and column of the first place.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.it.position(&self.source.text)
    }

    /// For people, in colours.
    pub fn painted(&self) -> String {
        let bad = if self.it.severity == Severity::Error { BAD } else { TITLE };
        let text = self.render();
        let line = |line: &str| {
            if let Some((code, rest)) = line.split_once("]: ").filter(|_| line.starts_with(self.it.severity.name())) {
                return format!("{}: {}", paint(bad, &format!("{code}]")), paint(TITLE, rest));
            }
            if let Some(rest) = line.strip_prefix("help:") {
                return format!("{}{rest}", paint(GOOD, "help:"));
            }
            match line.split_once('|') {
                Some((gutter, marks)) if is_marks(gutter, marks) => {
                    format!("{}{}", paint(FAINT, &format!("{gutter}|")), paint(bad, marks))
                }
                _ if line.trim_start().starts_with("--> ") => paint(FAINT, line),
                _ => line.to_owned(),
            }
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// For machines.
    pub fn json(&self) -> ToldJson<'_> {
        let Told { it, source, at } = self;
        ToldJson {
            severity: it.severity.name(),
            code: it.code.text(),
            headline: &it.headline,
            file: &source.name,
            at: at.as_deref(),
            labels: it.labels.iter().map(|label| LabelJson::of(label, source)).collect(),
            sections: it.sections.iter().map(|Section { title, lines }| SectionJson { title, lines }).collect(),
            helps: &it.helps,
            fixes: self.fixes(),
        }
    }

    /// What to write instead, for machines.
    pub fn fixes(&self) -> Vec<FixJson> {
        self.it.fixes.iter().map(|fix| FixJson::of(fix, &self.source)).collect()
    }
}

/// Is a line only marks under a line of the source?
fn is_marks(gutter: &str, marks: &str) -> bool {
    gutter.chars().all(|c| c == ' ') && marks.trim_start().starts_with(['^', '-'])
}

/// A place: lines and columns from 1, in characters; bytes from 0.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Place")]
struct SpanJson {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    start: usize,
    end: usize,
}

impl SpanJson {
    /// In this text.
    fn of(span: Span, source: &Source) -> Self {
        let (line, column) = span.position(&source.text);
        let (end_line, end_column) = Span { start: span.end, end: span.end }.position(&source.text);
        let Span { start, end } = source.in_file(span);
        SpanJson { line, column, end_line, end_column, start, end }
    }
}

#[derive(Serialize)]
struct LabelJson<'a> {
    span: SpanJson,
    text: &'a str,
}

impl<'a> LabelJson<'a> {
    fn of(label: &'a Label, source: &Source) -> Self {
        LabelJson { span: SpanJson::of(label.span, source), text: &label.text }
    }
}

#[derive(Serialize)]
struct SectionJson<'a> {
    title: &'a str,
    lines: &'a [String],
}

/// A change of the text: what stands at a place gives way to another text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Edit")]
struct EditJson {
    span: SpanJson,
    text: String,
}

/// What to write instead. It was inferred before it is said; `next` is the line of another error behind it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fix")]
pub struct FixJson {
    says: String,
    edits: Vec<EditJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<usize>,
}

impl FixJson {
    fn of(fix: &Fix, source: &Source) -> Self {
        let edit = |Edit { span, text }: &Edit| EditJson { span: SpanJson::of(*span, source), text: text.clone() };
        FixJson { says: fix.says.clone(), edits: fix.edits.iter().map(edit).collect(), next: fix.next }
    }
}

/// A diagnostic in an answer.
#[derive(Serialize)]
pub struct ToldJson<'a> {
    severity: &'static str,
    code: &'static str,
    headline: &'a str,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a str>,
    labels: Vec<LabelJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<SectionJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    helps: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixJson>,
}
