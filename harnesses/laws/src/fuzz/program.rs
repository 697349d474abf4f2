//! Programs as text and as JSON, and their specifications.

use super::{inside, policy, text};
use lozenge::program::einsum::Spec;
use lozenge::program::shape::Kind;
use lozenge::program::{InferError, Program, ProgramError, infer_with, margins, parse, parse_shape, warnings};

/// The longest program whose shapes are asked for.
const MOST_INFERRED: usize = 1024;

/// Reads any bytes as a program and as a shape; a program has shapes or an error with a place.
pub fn program(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match parse_shape(text) {
        Err(error) => placed(text, &error),
        Ok(shape) => assert_eq!(parse_shape(&shape.to_string()).as_ref(), Ok(&shape), "printed as {shape}"),
    }
    match parse(text) {
        Err(error) => placed(text, &error),
        Ok(program) => {
            printed(&program);
            written(&program);
            if text.len() <= MOST_INFERRED {
                inferred(&program, text);
            }
        }
    }
}

/// Reads any bytes as the JSON form of a program.
pub fn json_program(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(program) = serde_json::from_str::<Program>(text) else { return };
    printed(&program);
    written(&program);
    if text.len() <= MOST_INFERRED {
        inferred(&program, &program.to_string());
    }
}

/// Reads any bytes as a specification.
pub fn spec(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match text.parse::<Spec>() {
        Ok(spec) => {
            let printed = spec.to_string();
            assert_eq!(printed.parse::<Spec>().as_ref(), Ok(&spec), "printed as {printed:?}");
        }
        Err(error) => {
            inside(text, error.span.range());
            assert!(!error.render(text).is_empty());
        }
    }
}

/// The text of a program is read back as this program.
fn printed(program: &Program) {
    let text = program.to_string();
    assert_eq!(parse(&text).as_ref(), Ok(program), "printed as {text:?}");
}

/// The JSON form of a program is read back as this program.
fn written(program: &Program) {
    let text = serde_json::to_string(program).expect("every program has a JSON form");
    let read = serde_json::from_str::<Program>(&text);
    assert_eq!(read.as_ref().ok(), Some(program), "written as {text}: {:?}", read.as_ref().err());
}

/// The program has shapes, or says why not.
fn inferred(program: &Program, text: &str) {
    match infer_with(program, policy()) {
        Ok(inferred) => {
            assert!(inferred.generated.tensor("").is_none(), "a tensor without a name");
            for warning in warnings(program, Some(text), &inferred) {
                inside(text, warning.span.range());
                assert!(!warning.render(text).is_empty());
            }
            let ranks = |id: usize| Kind::ALL.map(|kind| inferred.shapes[id].get(kind).rank());
            for (id, rows) in margins(&inferred) {
                assert_eq!(Kind::ALL.map(|kind| rows.get(kind).len()), ranks(id), "a margin for each axis");
            }
        }
        Err(InferError::Program(error)) => placed(text, &error),
        Err(error) => assert!(!error.render(text).is_empty()),
    }
}

/// An error says where, and it can be drawn.
fn placed(text: &str, error: &ProgramError) {
    inside(text, error.span.start..error.span.end);
    assert!(!error.render(text).is_empty());
}
