//! The request `parse`: a specification or a shape as a tree.

use super::{Body, ErrorJson, Request, body, wrong};
use crate::answer;
use crate::parse::read_spec;
use lozenge::notation::{Problem, SyntaxError};
use lozenge::program::einsum::{is_multi_character, ours};
use lozenge::program::parse_shape;
use serde_json::Value;

/// One of `spec` and `shape`.
pub fn parse(request: &Request<'_>) -> Body {
    match (text(request, "spec")?, text(request, "shape")?) {
        (Some(spec), None) => {
            let read = read_spec(&spec).map_err(|error| misread(&spec, &error, "/spec"))?;
            body(&answer::spec_json(&read, is_multi_character(&ours(&spec))))
        }
        (None, Some(shape)) => {
            let read = parse_shape(&shape).map_err(|error| misread(&shape, &error, "/shape"))?;
            body(&answer::shape_json(&read))
        }
        (None, None) => Err(ErrorJson::new("parse", "one of the fields `spec` and `shape` is needed", "")),
        (Some(_), Some(_)) => Err(ErrorJson::new("parse", "`spec` and `shape` are two questions: ask one", "")),
    }
}

fn text(request: &Request<'_>, key: &str) -> Result<Option<String>, ErrorJson> {
    match request.get(key)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(&other, "a text", format!("/{key}"))),
    }
}

/// A text that is not read; characters are counted from 1, as in shapes and specifications inside a program.
fn misread<P: Problem>(text: &str, error: &SyntaxError<P>, at: &str) -> ErrorJson {
    let kind = if error.problem.is_limit() { "limit" } else { "parse" };
    let character = 1 + text.get(..error.span.start).unwrap_or(text).chars().count();
    ErrorJson::new(kind, format!("{error} (character {character} of the text)"), at)
}
