//! One diagnostic for everything that is said about a program: code, headline, places, the way each value came, and
//! what to write instead (spec/diagnostics.md).
//!
//! ```
//! use lozenge::program::{diagnose, infer, parse};
//! use lozenge::solver::Policy;
//! let text = "input x: 32 | 10\nparam w: 64 -> 10\nlet y = w * x";
//! let error = infer(&parse(text)?).unwrap_err();
//! let told = diagnose(text, &error, Policy::default());
//! assert_eq!(told.code.text(), "E0501");
//! assert_eq!(told.fixes[0].apply(text), "input x: 32 | 10\nparam w: 10 -> 64\nlet y = w * x");
//! # Ok::<(), lozenge::program::ProgramError>(())
//! ```

mod code;
mod picture;

pub use code::Code;

use crate::explain::InferError;
use crate::fix::{self, Fix};
use crate::warnings::Warning;
use lozenge_engine::solver::Policy;
use lozenge_notation::Span;
use std::fmt::Write;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// There are no shapes.
    Error,
    /// There are, and perhaps they are not what is meant.
    Warning,
}

impl Severity {
    /// The word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A place, and what is to be said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; nothing where the headline says it all.
    pub text: String,
}

/// Lines under a title: shapes, chains, assumptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The title.
    pub title: String,
    /// The lines.
    pub lines: Vec<String>,
}

/// All that is said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Of what kind; `lozenge explain CODE` says more.
    pub code: Code,
    /// What is wrong, in a sentence that names what it is about.
    pub headline: String,
    /// The places, the one it shows at first.
    pub labels: Vec<Label>,
    /// The shapes there, the way each value came, what was assumed.
    pub sections: Vec<Section>,
    /// What is good to know.
    pub helps: Vec<String>,
    /// What to write instead. Each was inferred before it is said.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, headline: impl Into<String>, span: Span) -> Self {
        let labels =
            if span.is_known() || span.start > 0 { vec![Label { span, text: String::new() }] } else { Vec::new() };
        let severity = if code.is_warning() { Severity::Warning } else { Severity::Error };
        let (sections, helps, fixes) = (Vec::new(), Vec::new(), Vec::new());
        Diagnostic { severity, code, headline: headline.into(), labels, sections, helps, fixes }
    }

    /// One more place, unless it is there.
    pub(crate) fn label(&mut self, span: Span, text: impl Into<String>) {
        let there = self.labels.iter().any(|it| it.span.range() == span.range());
        if span.is_known() && !there {
            self.labels.push(Label { span, text: text.into() });
        }
    }

    /// Lines under a title, where there are some.
    pub(crate) fn section(&mut self, title: &str, lines: Vec<String>) {
        if !lines.is_empty() {
            self.sections.push(Section { title: title.to_owned(), lines });
        }
    }

    /// The first place, as line and column.
    #[must_use]
    pub fn position(&self, source: &str) -> Option<(usize, usize)> {
        self.labels.first().map(|label| label.span.position(source))
    }

    /// For people: the file's name, if there is one, stands before line and column.
    #[must_use]
    pub fn render(&self, file: Option<&str>, source: &str) -> String {
        let mut text = format!("{}[{}]: {}\n", self.severity.name(), self.code.text(), self.headline);
        text += &picture::draw(&self.labels, file, source);
        for Section { title, lines } in &self.sections {
            let _ = writeln!(text, "\n{title}:");
            for line in lines {
                let _ = writeln!(text, "  {line}");
            }
        }
        if !(self.helps.is_empty() && self.fixes.is_empty()) {
            text.push('\n');
        }
        for help in &self.helps {
            let _ = writeln!(text, "help: {help}");
        }
        for fix in &self.fixes {
            text += &fix.render(source);
        }
        text
    }
}

/// Why a program in this text has no shapes, with what to write instead where that was found.
#[must_use]
pub fn diagnose(source: &str, error: &InferError, policy: Policy) -> Diagnostic {
    let mut told = error.diagnostic(source);
    told.fixes = fix::fixes(source, error, policy);
    told
}

/// What is strange about a program in this text, with what to write instead where that was found.
#[must_use]
pub fn advise(source: &str, warning: &Warning, policy: Policy) -> Diagnostic {
    let mut told = warning.diagnostic();
    told.fixes = fix::for_warning(source, warning, policy);
    told
}
