//! Gradients: the consumer regime. Each operation's backward code is a list of assignments over slots, and runs
//! over the operation's own record, re-addressed: nothing is inferred again.
//!
//! The names are slots: `v` and `g` are addressed by the result's map, `v1` and `g1` by the first operand's, and
//! so on; v is the value there and g the gradient. So in `g1 =+ g *. v2` the target is addressed as the first
//! operand was, and what its map does not mention is summed: the contraction moves by itself.

use lozenge_language::ast::{Accumulate, Assignment, BinaryOp, StatementKind, Target, TernaryOp, UnaryOp};
use lozenge_language::generate::{Generated, Logic, Operation, Primitive, TensorId};
use lozenge_language::parse;
use lozenge_language::projection::{Projections, Slot};
use std::borrow::Cow;

/// What a name of the consumer regime stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Named {
    /// Whose map addresses it.
    pub slot: Slot,
    /// Is it a gradient?
    pub gradient: bool,
}

/// The slot that a name claims.
#[must_use]
pub fn named(name: &str) -> Option<Named> {
    let (what, number) = name.split_at_checked(1)?;
    let gradient = match what {
        "g" => true,
        "v" => false,
        _ => return None,
    };
    let slot = match number {
        "" => Slot::Lhs,
        number => Slot::Rhs(number.parse::<usize>().ok()?.checked_sub(1)?),
    };
    Some(Named { slot, gradient })
}

/// One backward assignment.
#[derive(Clone, PartialEq, Debug)]
pub struct Backward {
    /// As it is written.
    pub text: String,
    /// The operand whose gradient it adds to.
    pub target: Slot,
    /// Read.
    pub assignment: Assignment,
    /// Does it run once for each cell, and not once for each point? Only the third operand of `fma` does.
    pub once: bool,
}

impl Backward {
    /// The loops that it runs over: those of its operation, or what is left of them where it runs once for each cell.
    #[must_use]
    pub fn record<'r>(&self, forward: &'r Projections) -> Cow<'r, Projections> {
        if self.once { Cow::Owned(forward.once(&[Slot::Lhs, self.target])) } else { Cow::Borrowed(forward) }
    }
}

/// The backward code of an operation.
///
/// # Errors
/// Why there is none.
pub fn backward(op: &Operation) -> Result<Vec<Backward>, String> {
    let once = if op.begun { "g3 =+ g" } else { "" };
    let read = |text: &str| {
        let assignment = parse(text).ok().and_then(|program| match program.statements.into_iter().next()?.kind {
            StatementKind::Assign(assignment) => Some(assignment),
            _ => None,
        })?;
        let Target::Name(name) = &assignment.target else { return None };
        let Named { slot, .. } = named(&name.text).filter(|named| named.gradient)?;
        Some(Backward { text: text.to_owned(), target: slot, assignment, once: text == once })
    };
    let lines: Vec<String> = if op.logic == Logic::Block && op.accumulate == Accumulate::Add {
        // Each operand has its own part of the result.
        (1..=op.operands.len()).map(|i| format!("g{i} =+ g")).collect()
    } else {
        code(op)?.iter().chain(Some(&once).filter(|text| !text.is_empty())).map(|text| (*text).to_owned()).collect()
    };
    lines.iter().map(|text| read(text).ok_or_else(|| format!("`{text}` is not an assignment over slots"))).collect()
}

/// The backward code of the operation of this number, if it is what makes its tensor: there is no gradient through an
/// assignment.
///
/// # Errors
/// Why there is none.
pub fn of_definition(generated: &Generated, number: usize) -> Result<Vec<Backward>, String> {
    let op = &generated.operations[number];
    if generated.tensors[op.result].by == Some(number) {
        return backward(op);
    }
    Err(through_assignment(generated, op.result))
}

/// Why there is no gradient through an assignment to this tensor.
pub(super) fn through_assignment(generated: &Generated, id: TensorId) -> String {
    let name = lozenge_language::projection::show::tensor_name(generated, id);
    format!("there is no gradient through the assignment to `{name}`")
}

/// The table. A maximum over axes passes its gradient on at every point that reaches it; of `max` and `min` of two, at a tie,
/// the first has it all.
fn code(op: &Operation) -> Result<&'static [&'static str], String> {
    Ok(match (op.primitive, op.accumulate) {
        (Primitive::Copy, Accumulate::Max) => &["g1 =+ where (v = v1) g 0"],
        // A maximum that is no number, as over padding alone, moves with no operand: there v − v is not 0.
        (Primitive::Binary(BinaryOp::Add), Accumulate::Max) => &[
            "g1 =+ where (v = v1 + v2) (where (v - v = 0) g 0) 0",
            "g2 =+ where (v = v1 + v2) (where (v - v = 0) g 0) 0",
        ],
        (primitive, Accumulate::Replace | Accumulate::Add) => match primitive {
            Primitive::Copy => &["g1 =+ g"],
            Primitive::Unary(op) => unary(op),
            Primitive::Binary(op) => binary(op),
            Primitive::Ternary(TernaryOp::Where) => &["g2 =+ where v1 g 0", "g3 =+ where v1 0 g"],
            Primitive::Ternary(TernaryOp::Fma) => &["g1 =+ g *. v2", "g2 =+ v1 *. g"],
            Primitive::Ternary(TernaryOp::Mul3) => {
                &["g1 =+ g *. v2 *. v3", "g2 =+ v1 *. g *. v3", "g3 =+ v1 *. v2 *. g"]
            }
        },
        (_, accumulate) => {
            return Err(format!("there is no gradient through the accumulation `{}`", accumulate.text()));
        }
    })
}

fn unary(op: UnaryOp) -> &'static [&'static str] {
    match op {
        UnaryOp::Relu => &["g1 =+ relu_gate v1 g"],
        UnaryOp::Exp => &["g1 =+ g *. exp v1"],
        UnaryOp::Log => &["g1 =+ g /. v1"],
        UnaryOp::Sin => &["g1 =+ g *. cos v1"],
        UnaryOp::Cos => &["g1 =- g *. sin v1"],
        UnaryOp::Sqrt => &["g1 =+ g /. (2 *. sqrt v1)"],
        UnaryOp::Tanh => &["g1 =+ g *. (1 - tanh v1 *. tanh v1)"],
        UnaryOp::Recip => &["g1 =- g /. (v1 *. v1)"],
        UnaryOp::Neg => &["g1 =- g"],
        UnaryOp::Not => &[],
    }
}

fn binary(op: BinaryOp) -> &'static [&'static str] {
    match op {
        BinaryOp::Add => &["g1 =+ g", "g2 =+ g"],
        BinaryOp::Sub => &["g1 =+ g", "g2 =- g"],
        BinaryOp::Mul | BinaryOp::Compose => &["g1 =+ g *. v2", "g2 =+ v1 *. g"],
        BinaryOp::Div => &["g1 =+ g /. v2", "g2 =- g *. v1 /. (v2 *. v2)"],
        BinaryOp::Pow => &[
            "g1 =+ where (v2 = 0) 0 (g *. v2 *. v1 **. (v2 - 1))",
            "g2 =+ where (0 < v1) (g *. v1 **. v2 *. log v1) 0",
        ],
        BinaryOp::Max => &["g1 =+ where (v1 < v2) 0 g", "g2 =+ where (v1 < v2) g 0"],
        BinaryOp::Min => &["g1 =+ where (v2 < v1) 0 g", "g2 =+ where (v2 < v1) g 0"],
        BinaryOp::Gate => &["g2 =+ relu_gate v1 g"],
        BinaryOp::Lt | BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or => &[],
    }
}
