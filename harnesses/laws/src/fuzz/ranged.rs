//! Model files, and shapes with ranges.

use super::{inside, text};
use lozenge::program::Span;
use lozenge::ranged::context::Context;
use lozenge::ranged::model::{Model, ModelError, parse_bytes};
use lozenge::ranged::notation::{TextError, parse_target};
use lozenge::ranged::shape::Shape;

/// Reads any bytes as a model, a shape, the target of a reshape and an amount of memory.
pub fn model(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(error) = Model::parse(text).and_then(|model| model.estimate()) {
        placed(text, &error);
    }
    if let Err(error) = parse_bytes(text) {
        placed(text, &error);
    }
    match Shape::parse(text, &mut Context::new()) {
        Err(TextError { span, .. }) => within(text, span),
        Ok(shape) => {
            let printed = shape.to_string();
            let again = Shape::parse(&printed, &mut Context::new()).map(|shape| shape.to_string());
            assert_eq!(again.as_deref(), Ok(printed.as_str()));
        }
    }
    if let Err(TextError { span, .. }) = parse_target(text, &mut Context::new()) {
        within(text, span);
    }
}

fn within(text: &str, span: Span) {
    inside(text, span.start..span.end);
}

/// An error says where, and it can be drawn.
fn placed(text: &str, error: &ModelError) {
    within(text, error.span);
    assert!(!error.render(text).is_empty());
}
