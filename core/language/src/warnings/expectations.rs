//! Comments that say what is expected: `# expect: y: 4, 2` and `# expect size: n: 4`, anywhere; `# expect: 4, 2` behind
//! the statement that it is about.

use super::{Warning, WarningCode};
use crate::ast::{Declaration, Name, Program, Statement, StatementKind, Target};
use crate::shape::{Declared, DeclaredAxis, DeclaredRow, Kind, Shape};
use crate::{Inference, Span, parse_shape};
use lozenge_calculus::dim::Dim;

/// The expectations that are not met, or that cannot be read.
pub(super) fn wrong(program: &Program, source: &str, inferred: &Inference) -> Vec<Warning> {
    comments(source).filter_map(|comment| check(program, source, inferred, comment)).collect()
}

/// The comments of a text with their places, from after the `#`.
fn comments(source: &str) -> impl Iterator<Item = Span> {
    let mut start = 0;
    source.split_inclusive('\n').filter_map(move |line| {
        let begin = start;
        start += line.len();
        let mut quoted = false;
        let hash = line.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == '#' && !quoted
        });
        hash.map(|(at, _)| Span { start: begin + at + 1, end: begin + line.trim_end().len() })
    })
}

fn check(program: &Program, source: &str, inferred: &Inference, comment: Span) -> Option<Warning> {
    let said = comment.text(source).trim();
    let place = Span { start: comment.start - 1, end: comment.end };
    if let Some(said) = said.strip_prefix("expect size:") {
        return size(said.trim(), place, inferred);
    }
    let said = said.strip_prefix("expect:")?.trim();
    match said.split_once(": ") {
        Some((name, said)) => shape(name.trim(), said.trim(), place, inferred),
        None => match program.statements.iter().find(|it| is_before(it, comment, source)).and_then(defined) {
            Some(name) => shape(&name.text, said, place, inferred),
            None => Some(expected(
                place,
                "this expectation is about no tensor",
                "write `# expect: name: shape`, or put it behind the statement that it is about",
            )),
        },
    }
}

fn expected(place: Span, message: impl Into<String>, help: impl Into<String>) -> Warning {
    Warning::new(WarningCode::WrongExpectation, place, message, help)
}

/// Does a statement end in the line of a comment, before it?
fn is_before(statement: &Statement, comment: Span, source: &str) -> bool {
    let end = statement.span.end;
    end < comment.start && source.get(end..comment.start).is_some_and(|between| !between.contains('\n'))
}

/// What a statement defines or writes.
fn defined(statement: &Statement) -> Option<&Name> {
    match &statement.kind {
        StatementKind::Input(Declaration { name, .. })
        | StatementKind::Param(Declaration { name, .. })
        | StatementKind::Const(Declaration { name, .. })
        | StatementKind::Let { name, .. } => Some(name),
        StatementKind::Assign(assignment) => match &assignment.target {
            Target::Name(name) | Target::New(Declaration { name, .. }) => Some(name),
            Target::Grad(_) => None,
        },
        StatementKind::Fn { .. }
        | StatementKind::Dim { .. }
        | StatementKind::Elements { .. }
        | StatementKind::Convolution(_) => None,
    }
}

/// `name: number`.
fn size(said: &str, place: Span, inferred: &Inference) -> Option<Warning> {
    let help = "write `# expect size: name: number`";
    let Some((name, number)) = said.split_once(": ") else {
        return Some(expected(place, "this expectation is about no size", help));
    };
    let (name, number) = (name.trim(), number.trim());
    match inferred.size(name) {
        None => Some(expected(place, format!("there is no size `{name}`"), help)),
        Some(found) if number.parse() == Ok(found) => None,
        Some(found) => {
            let message = format!("`{name}` is expected to be {number}, and is {found}");
            Some(expected(place, message, format!("write `# expect size: {name}: {found}`, or change the program")))
        }
    }
}

/// `name: shape`.
fn shape(name: &str, said: &str, place: Span, inferred: &Inference) -> Option<Warning> {
    let (Some(found), Some(shown)) = (inferred.shape(name), inferred.show(name)) else {
        return Some(expected(
            place,
            format!("there is no tensor `{name}`"),
            "write the name of a tensor of the program",
        ));
    };
    match parse_shape(said) {
        Err(error) => {
            let message = format!("what is expected of `{name}` is no shape: {error}");
            Some(expected(place, message, format!("write `# expect: {name}: {shown}`")))
        }
        Ok(declared) if fits(inferred, found, &declared) => None,
        Ok(_) => {
            let message = format!("`{name}` is expected to be {said}, and is {shown}");
            Some(expected(place, message, format!("write `# expect: {name}: {shown}`, or change the program")))
        }
    }
}

/// Does a shape have the axes that a declared one writes? Markers are not compared; `?` is any axis, and `...` any axes.
fn fits(inferred: &Inference, shape: &Shape, declared: &Declared) -> bool {
    Kind::ALL.into_iter().all(|kind| {
        let dims: Vec<Dim> = shape.get(kind).flat().collect();
        row_fits(inferred, &dims, declared.rows.get(kind))
    })
}

fn row_fits(inferred: &Inference, dims: &[Dim], row: &DeclaredRow) -> bool {
    let least = row.lead.len() + row.trail.len();
    if dims.len() < least || (dims.len() > least && row.var.is_none()) {
        return false;
    }
    let (front, back) = (&dims[..row.lead.len()], &dims[dims.len() - row.trail.len()..]);
    let axis_fits = |(dim, axis): (&Dim, &DeclaredAxis)| match axis {
        DeclaredAxis::Unknown => true,
        DeclaredAxis::Named(name) => inferred.size(name) == Some(dim.elements()),
        axis => inferred.names.show(dim).ascii().to_string() == axis.to_string(),
    };
    front.iter().zip(&row.lead).chain(back.iter().zip(&row.trail)).all(axis_fits)
}
