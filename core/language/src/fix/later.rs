//! What a fix leaves behind: another error of the program, or one that the fix makes.

use super::{Edit, Fix, Quality};
use crate::error::ProgramProblem;
use crate::explain::InferError;
use crate::lexer::in_name;
use lozenge_notation::Span;

/// The quality of a fix that leaves an error: it is found further on than the first, and the fix has no part in it.
pub(super) fn later(
    first: &InferError,
    (source, fix): (&str, &Fix),
    next: &InferError,
    fixed: &str,
) -> Option<Quality> {
    let grown = fixed.lines().count().saturating_sub(source.lines().count());
    let [before, after] = [first.span().position(source).0 + grown, next.span().position(fixed).0];
    let further = next.span().is_known() && after > before && found(next) >= found(first);
    (further && !is_made(fix, source, next, fixed)).then_some(Quality::Later(after))
}

/// When an error is found: before any shape is looked at, while they are worked out, or when nothing more follows. A line
/// says nothing of what is found in another of these.
fn found(error: &InferError) -> u8 {
    match error {
        InferError::Program(_) => 0,
        InferError::Clash(_) | InferError::Index(_) | InferError::Size(_) => 1,
        InferError::Hole(_) | InferError::Limit(_) => 2,
    }
}

/// Is this error in a statement that the fix has changed, or about a name that it has?
fn is_made(fix: &Fix, source: &str, error: &InferError, fixed: &str) -> bool {
    let here = error.span();
    changed(fix).any(|span| {
        let whole = Span { start: statement(fixed, span.start).start, end: statement(fixed, span.end).end };
        whole.start <= here.start && here.start < whole.end
    }) || is_renamed(fix, source, error)
}

/// The places of a fix in the program with it.
fn changed(fix: &Fix) -> impl Iterator<Item = Span> {
    let mut moved = 0_usize;
    let mut done = 0_usize;
    fix.edits.iter().map(move |Edit { span, text }| {
        moved += span.start.saturating_sub(done);
        done = span.end;
        let start = moved;
        moved += text.len();
        Span { start, end: moved }
    })
}

/// Is the error about a name that the fix takes out or puts in?
fn is_renamed(fix: &Fix, source: &str, error: &InferError) -> bool {
    let InferError::Program(error) = error else { return false };
    let (ProgramProblem::Unknown { name, .. } | ProgramProblem::Twice(name) | ProgramProblem::WrongSort { name, .. }) =
        &error.problem
    else {
        return false;
    };
    let has = |text: &str| text.split(|c: char| !in_name(c)).any(|word| word == name);
    fix.edits.iter().any(|Edit { span, text }| has(text) || has(span.text(source)))
}

/// The statement at a place: from the line in the first column before it to the next such line.
pub(super) fn statement(source: &str, at: usize) -> Span {
    let begins = |line: &str| line.starts_with(|c: char| !c.is_whitespace() && c != '#');
    let (mut start, mut found) = (0, Span { start: 0, end: source.len() });
    for line in source.split_inclusive('\n') {
        if begins(line) {
            match start <= at {
                true => found.start = start,
                false => {
                    found.end = start;
                    break;
                }
            }
        }
        start += line.len();
    }
    found
}
