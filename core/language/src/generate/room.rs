//! How much a program makes, as far as it can be told before it is made: room for it is asked for once.

use super::walk::DEEPEST;
use crate::ast::{Expr, ExprKind, Program, StatementKind};
use std::collections::HashMap;

/// Room is asked for up to this many tensors; a few nested functions can stand for any number.
const MOST: usize = 1 << 16;

/// About how many tensors a program has.
pub(super) fn tensors(program: &Program) -> usize {
    let mut room = Room { functions: HashMap::new() };
    let mut count = 0;
    for statement in &program.statements {
        match &statement.kind {
            StatementKind::Fn { name, body, .. } => {
                let made = room.made(body, 0);
                room.functions.insert(&name.text, made);
            }
            StatementKind::Let { value, .. } => count += room.made(value, 0),
            StatementKind::Assign(assignment) => count += room.made(&assignment.value, 0),
            _ => count += 1,
        }
    }
    count.min(MOST)
}

struct Room<'p> {
    /// What one application of each function makes.
    functions: HashMap<&'p str, usize>,
}

impl Room<'_> {
    /// The tensors that an expression makes, those of the functions that it applies included.
    fn made(&self, expr: &Expr, depth: usize) -> usize {
        if depth > DEEPEST {
            // Nothing will be made of it.
            return 0;
        }
        let one = |arg: &Expr| self.made(arg, depth + 1);
        let all = |args: &[Expr]| args.iter().map(one).sum::<usize>();
        let count = match &expr.kind {
            ExprKind::Name(_) | ExprKind::Grad(_) => 0,
            ExprKind::Number(_) | ExprKind::Tensor(_) | ExprKind::Literal { .. } => 1,
            ExprKind::Size(_) | ExprKind::Param(_) => 1,
            ExprKind::Unary { arg, .. } | ExprKind::Permute { arg, .. } | ExprKind::Slice { arg, .. } => 1 + one(arg),
            ExprKind::Binary { lhs, rhs, .. }
            | ExprKind::Primitive { lhs, rhs, .. }
            | ExprKind::Einsum { lhs, rhs, .. } => 1 + one(lhs) + one(rhs),
            ExprKind::Concat { args, .. } => 1 + all(args),
            ExprKind::Ternary { args, .. } => 1 + all(&args[..]),
            ExprKind::Call { function, args } => {
                all(args) + self.functions.get(function.text.as_str()).copied().unwrap_or(0)
            }
            ExprKind::Let { value, body, .. } => one(value) + one(body),
        };
        count.min(MOST)
    }
}
