//! Sizes that are worked out and cannot be.

use super::behind::{Behind, named, place};
use crate::generate::Generated;
use lozenge_notation::Span;
use lozenge_staged::{SizeFailure, SizeWhy, StageRule};
use std::fmt;

/// A claim about sizes that cannot hold.
#[derive(Clone, Debug)]
pub struct SizeError {
    /// The rule that failed.
    pub rule: StageRule,
    /// The size equation, with what is known put in.
    pub equation: String,
    /// Why it cannot hold.
    pub why: String,
    /// The axis or statement, as written.
    pub text: String,
    /// Does nothing determine it? Then it could hold.
    pub open: bool,
    /// Is it certain that there are no shapes? If not, an assumption led here.
    pub certain: bool,
    /// Where the specification or statement is.
    pub span: Span,
    /// The applications of functions that it is part of, outermost first.
    pub calls: Vec<Span>,
    /// What it rests on.
    pub behind: Behind,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SizeError { rule, equation, why, text, open, .. } = self;
        let end = if *open { "is open" } else { "cannot hold" };
        write!(f, "the size of `{text}`: {equation} {end}, because {why} ({rule})")
    }
}

impl SizeError {
    pub(super) fn new(generated: &Generated, failure: &SizeFailure, behind: Behind) -> Self {
        let origin = generated.claim_origins.get(failure.claim);
        let operation = origin.and_then(|o| o.operation).and_then(|o| generated.operations.get(o));
        let (text, span) = place(generated, failure.claim);
        SizeError {
            rule: failure.rule,
            equation: named(generated, failure.claim, &failure.instance),
            why: generated.names.show(&failure.why).to_string(),
            text,
            open: failure.why == SizeWhy::NoFactor,
            certain: !failure.tainted,
            span,
            calls: operation.map_or(Vec::new(), |o| o.calls.to_vec()),
            behind,
        }
    }

    /// Every choice of sizes was tried: these equations have no solution together.
    pub(super) fn exhausted(behind: Behind, choices: u64, span: Span) -> Self {
        let equations: Vec<&str> = behind.equations.iter().map(|e| e.text.as_str()).collect();
        let first = behind.equations.first();
        SizeError {
            rule: StageRule::Search,
            equation: equations.join(" and "),
            why: SizeWhy::Exhausted(choices).to_string(),
            open: false,
            text: first.map_or_else(String::new, |e| e.axis.clone()),
            certain: true,
            span: first.map_or(span, |e| e.span),
            calls: Vec::new(),
            behind: Behind { fails: first.map(|_| 0), assumed: Vec::new(), ..behind },
        }
    }
}
