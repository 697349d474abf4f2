//! How much a program makes, as far as it can be told before it is made: room for it is asked for once, and what is too
//! much is not begun.

use super::walk::DEEPEST;
use crate::ast::{Expr, ExprKind, Program, StatementKind};
use std::collections::HashMap;
use std::iter::Sum;
use std::ops::Add;

/// Room is asked for up to this many tensors; a few nested functions can stand for any number.
const MOST: usize = 1 << 16;

/// What is made: about so many tensors, and not fewer than so many operations.
#[derive(Clone, Copy)]
pub(super) struct Made {
    tensors: usize,
    pub(super) operations: usize,
}

impl Add for Made {
    type Output = Made;

    fn add(self, other: Made) -> Made {
        let Made { tensors, operations } = other;
        Made { tensors: self.tensors.saturating_add(tensors), operations: self.operations.saturating_add(operations) }
    }
}

impl Sum for Made {
    fn sum<I: Iterator<Item = Made>>(all: I) -> Made {
        all.fold(NOTHING, Add::add)
    }
}

/// Nothing new.
const NOTHING: Made = Made { tensors: 0, operations: 0 };

/// A tensor that no operation makes.
const GIVEN: Made = Made { tensors: 1, operations: 0 };

/// An operation with its result.
const OPERATION: Made = Made { tensors: 1, operations: 1 };

/// What one application of each function of a program makes.
#[derive(Default)]
pub(super) struct Room<'p> {
    functions: HashMap<&'p str, Made>,
}

impl<'p> Room<'p> {
    /// That of a program, and about how many tensors it has in all.
    pub(super) fn of(program: &'p Program) -> (Self, usize) {
        let (mut room, mut all) = (Room::default(), NOTHING);
        for statement in &program.statements {
            match &statement.kind {
                StatementKind::Fn { name, body, .. } => {
                    let made = room.made(body, 0);
                    room.functions.insert(&name.text, made);
                }
                StatementKind::Let { value, .. } => all = all + room.made(value, 0),
                StatementKind::Assign(assignment) => all = all + room.made(&assignment.value, 0),
                _ => all = all + GIVEN,
            }
        }
        (room, all.tensors.min(MOST))
    }

    /// What one application of this function makes.
    pub(super) fn of_function(&self, name: &str) -> Made {
        self.functions.get(name).copied().unwrap_or(NOTHING)
    }

    /// What an expression makes, with the functions that it applies.
    fn made(&self, expr: &Expr, depth: usize) -> Made {
        if depth > DEEPEST {
            // Nothing will be made of it.
            return NOTHING;
        }
        let one = |arg: &Expr| self.made(arg, depth + 1);
        let all = |args: &[Expr]| args.iter().map(one).sum::<Made>();
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Grad(_) => NOTHING,
            ExprKind::Number(_) | ExprKind::Tensor(_) | ExprKind::Literal { .. } => GIVEN,
            ExprKind::Size(_) | ExprKind::Param(_) => GIVEN,
            ExprKind::Unary { arg, .. } | ExprKind::Permute { arg, .. } | ExprKind::Slice { arg, .. } => {
                OPERATION + one(arg)
            }
            ExprKind::Binary { lhs, rhs, .. }
            | ExprKind::Primitive { lhs, rhs, .. }
            | ExprKind::Einsum { lhs, rhs, .. } => OPERATION + one(lhs) + one(rhs),
            ExprKind::Concat { args, .. } => OPERATION + all(args),
            ExprKind::Ternary { args, .. } => OPERATION + all(&args[..]),
            ExprKind::Call { function, args } => all(args) + self.of_function(&function.text),
            ExprKind::Let { value, body, .. } => one(value) + one(body),
        }
    }
}
