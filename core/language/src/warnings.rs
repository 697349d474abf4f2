//! What a program says and perhaps does not mean: accepted, and told (spec/warnings.md).
//!
//! One function for each code. All of them read the program and what was inferred; none changes an answer.
//!
//! ```
//! use lozenge::program::{infer, parse, warnings};
//! let text = "input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => il\" b";
//! let program = parse(text)?;
//! let found = warnings(&program, Some(text), &infer(&program)?);
//! assert_eq!(found[0].code.name(), "result-only-label");
//! assert_eq!(found[0].span.text(text), "l");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod expectations;
mod functions;
mod mentions;
mod ordered;
mod overwritten;
mod parameters;
mod sizes;
mod specifications;
mod stretched;

use crate::ast::Program;
use crate::diagnostic::Diagnostic;
use crate::projection::local::project_within;
use crate::projection::{ProjectError, Projected};
use crate::{Inference, Span};
use lozenge_engine::solver::Limits;
use std::collections::BTreeSet;
use std::fmt;

/// The kinds of warning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum WarningCode {
    /// A label that only the result of a specification has, and that got no size.
    ResultOnlyLabel,
    /// A parameter whose output row got no axes because nothing says that it has some.
    ParameterWithoutAxes,
    /// A result of which less than half is written.
    MostlyUnwritten,
    /// A parameter that no operation reads or writes.
    UnusedParameter,
    /// A size that has a name and is used nowhere.
    UnusedSize,
    /// A comment `# expect:` that is not true.
    WrongExpectation,
    /// Two operands that are stretched along each other, so that a size stands twice in the result.
    BothStretched,
    /// A written size 1 that gives the result an axis that the other operand does not have.
    AddedAxis,
    /// Two labels of one size, each in one operand only and summed by itself.
    SummedApart,
    /// An assignment that replaces what it has just written.
    Overwritten,
    /// An operation whose loop nest rests on the order in which statements are taken up.
    OrderOfStatements,
    /// A function whose body was not looked at.
    UnappliedFunction,
}

impl WarningCode {
    /// All of them.
    pub const ALL: [WarningCode; 12] = [
        WarningCode::ResultOnlyLabel,
        WarningCode::ParameterWithoutAxes,
        WarningCode::MostlyUnwritten,
        WarningCode::UnusedParameter,
        WarningCode::UnusedSize,
        WarningCode::WrongExpectation,
        WarningCode::BothStretched,
        WarningCode::AddedAxis,
        WarningCode::SummedApart,
        WarningCode::Overwritten,
        WarningCode::OrderOfStatements,
        WarningCode::UnappliedFunction,
    ];

    /// The name, as in the specification and in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WarningCode::ResultOnlyLabel => "result-only-label",
            WarningCode::ParameterWithoutAxes => "parameter-without-axes",
            WarningCode::MostlyUnwritten => "mostly-unwritten",
            WarningCode::UnusedParameter => "unused-parameter",
            WarningCode::UnusedSize => "unused-size",
            WarningCode::WrongExpectation => "wrong-expectation",
            WarningCode::BothStretched => "both-stretched",
            WarningCode::AddedAxis => "added-axis",
            WarningCode::SummedApart => "summed-apart",
            WarningCode::Overwritten => "overwritten",
            WarningCode::OrderOfStatements => "order-of-statements",
            WarningCode::UnappliedFunction => "unapplied-function",
        }
    }
}

impl fmt::Display for WarningCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that was accepted and perhaps not meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Of what kind.
    pub code: WarningCode,
    /// Where; none in a program that was built.
    pub span: Span,
    /// What is strange.
    pub message: String,
    /// What to write to mean it, and what to write instead.
    pub help: String,
}

impl Warning {
    fn new(code: WarningCode, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Warning { code, span, message: message.into(), help: help.into() }
    }

    /// All there is to say, but for what to write instead.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let mut told = Diagnostic::new(self.code.into(), format!("{} ({})", self.message, self.code), self.span);
        told.helps.push(self.help.clone());
        told
    }

    /// The message over the line it concerns, with carets under the place, and the help.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        self.diagnostic().render(None, source)
    }
}

/// The loop nests of a program, within the usual limits: what is told of it does not depend on those of the question.
fn nests(inferred: &Inference) -> Result<Vec<Projected>, ProjectError> {
    project_within(inferred, Limits::default())
}

/// The warnings about a program, in the order of their places. `source` is the text that the program was read from,
/// for its comments; none where it was built or came as JSON.
///
/// A place is told once, however often a function that has it is applied.
#[must_use]
pub fn warnings(program: &Program, source: Option<&str>, inferred: &Inference) -> Vec<Warning> {
    let mut found = specifications::result_only_labels(inferred);
    found.extend(parameters::without_axes(inferred));
    found.extend(specifications::mostly_unwritten(inferred));
    found.extend(parameters::unused(inferred));
    found.extend(sizes::unused(program, source));
    found.extend(stretched::both(inferred));
    found.extend(stretched::added(inferred));
    found.extend(stretched::summed_apart(inferred));
    found.extend(overwritten::overwritten(inferred));
    found.extend(ordered::by_order(inferred));
    found.extend(functions::unapplied(program, inferred));
    found.extend(source.into_iter().flat_map(|source| expectations::wrong(program, source, inferred)));
    let mut told = BTreeSet::new();
    found.retain(|it| !it.span.is_known() || told.insert((it.code, it.span.range().start, it.span.range().end)));
    found.sort_by_key(|it| (it.span.start, it.span.end, it.code));
    found
}
