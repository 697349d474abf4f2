//! `*` where `*.` is meant, the reverse, operands in the wrong order, and `=:` where `=:+` is meant.

use super::Fix;
use super::scene::Scene;
use crate::ast::{Accumulate, BinaryOp};
use crate::generate::{Logic, Primitive};
use crate::lexer::{Token, tokens};
use lozenge_notation::Span;

/// `*.` for `*`.
pub(super) const POINTWISE: u8 = 12;

/// `=:+` for `=:`.
pub(super) const SUMMED: u8 = 13;

/// `=:+` for `=:` where the logic has reduction axes.
pub(super) fn summed(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let Ok(tokens) = tokens(scene.source) else { return };
    for op in scene.operations().filter(|op| op.accumulate == Accumulate::Replace) {
        // The sign of an assignment is the last before what is assigned, or inside the whole of it.
        let before = tokens.partition_point(|lexed| lexed.span.start < op.span.end);
        if let Some(sign) = tokens[..before].iter().rfind(|lexed| lexed.token == Token::Sign("=:")) {
            out.push((SUMMED, Fix::one("`=:` keeps the last value, and `=:+` adds them up", sign.span, "=:+")));
        }
    }
}

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let Ok(tokens) = tokens(scene.source) else { return };
    for op in scene.operations() {
        let product = op.primitive == Primitive::Binary(BinaryOp::Mul);
        let (sign, instead, rank, says) = match op.logic {
            Logic::Compose => ("*", "*.", POINTWISE, "`*` is the matrix product, and `*.` goes element by element"),
            Logic::Pointwise if product => {
                ("*.", "*", 8, "`*.` goes element by element, and `*` is the matrix product")
            }
            _ => continue,
        };
        let inside = |span: Span| op.span.start <= span.start && span.end <= op.span.end;
        for lexed in tokens.iter().filter(|lexed| inside(lexed.span)) {
            let matrix = sign == "*" && lexed.token == Token::Sign("@");
            if lexed.token == Token::Sign(sign) || matrix {
                out.push((rank, Fix::one(says, lexed.span, instead)));
            }
        }
    }
    exchanged(scene, out);
}

/// `x * w` for `w * x`: what takes inputs to outputs stands on the left.
fn exchanged(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let Some(generated) = &scene.generated else { return };
    for op in scene.operations().filter(|op| op.logic == Logic::Compose) {
        let [a, b] = op.operands.as_slice() else { continue };
        let place = |id: &usize| {
            let tensor = generated.tensors.get(*id)?;
            let name = tensor.name.as_ref().filter(|_| tensor.by.is_none() || tensor.span.range() != op.span.range());
            name.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned())
        };
        let (Some(left), Some(right)) = (place(a), place(b)) else { continue };
        let text = op.span.text(scene.source);
        for sign in [" * ", " @ "] {
            if text == format!("{left}{sign}{right}") {
                let says = format!(
                    "the tensor that takes inputs to outputs stands on the left: `{right}` is applied to `{left}`"
                );
                out.push((20, Fix::one(says, op.span, format!("{right}{sign}{left}"))));
            }
        }
    }
}
