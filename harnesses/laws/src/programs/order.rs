//! Names that statements define and use, and other orders of the statements.

use super::Numbers;
use lozenge::program::Program;
use lozenge::program::ast::{Assignment, Expr, ExprKind, Statement, StatementKind, Target};
use std::collections::BTreeSet;

fn uses(expr: &Expr, out: &mut BTreeSet<String>) {
    if let ExprKind::Name(name) = &expr.kind {
        out.insert(name.clone());
    }
    if let ExprKind::Call { function, .. } = &expr.kind {
        out.insert(function.text.clone());
    }
    operands(expr).into_iter().for_each(|operand| uses(operand, out));
}

/// The expressions right inside one.
#[must_use]
pub fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Unary { arg, .. } | ExprKind::Permute { arg, .. } | ExprKind::Slice { arg, .. } => vec![&**arg],
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Primitive { lhs, rhs, .. }
        | ExprKind::Einsum { lhs, rhs, .. } => {
            vec![&**lhs, &**rhs]
        }
        ExprKind::Concat { args, .. } | ExprKind::Call { args, .. } => args.iter().collect(),
        ExprKind::Ternary { args, .. } => args.iter().collect(),
        ExprKind::Let { value, body, .. } => vec![&**value, &**body],
        _ => Vec::new(),
    }
}

fn defines(kind: &StatementKind) -> Option<&str> {
    match kind {
        StatementKind::Input(d) | StatementKind::Param(d) | StatementKind::Const(d) => Some(&d.name.text),
        StatementKind::Let { name, .. } | StatementKind::Fn { name, .. } => Some(&name.text),
        StatementKind::Assign(Assignment { target: Target::New(new), .. }) => Some(&new.name.text),
        StatementKind::Dim { .. }
        | StatementKind::Elements { .. }
        | StatementKind::Convolution(_)
        | StatementKind::Assign(_) => None,
    }
}

fn needs(kind: &StatementKind) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    match kind {
        StatementKind::Let { value, .. } => uses(value, &mut out),
        StatementKind::Fn { params, body, .. } => {
            uses(body, &mut out);
            out.retain(|name| params.iter().all(|p| p.text != *name));
        }
        StatementKind::Elements { name, .. } => {
            out.insert(name.text.clone());
        }
        StatementKind::Assign(Assignment { target, value, .. }) => {
            uses(value, &mut out);
            match target {
                Target::Name(name) | Target::Grad(name) => out.insert(name.text.clone()),
                Target::New(new) => out.remove(&new.name.text),
            };
        }
        _ => {}
    }
    out
}

/// The statements in another order, each after what it uses.
#[must_use]
pub fn reorder(program: &Program, numbers: &mut Numbers) -> Program {
    let mut left: Vec<&Statement> = program.statements.iter().collect();
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut statements = Vec::new();
    while !left.is_empty() {
        let ready = |s: &Statement| needs(&s.kind).iter().all(|name| defined.contains(name.as_str()));
        let open: Vec<usize> = (0..left.len()).filter(|i| ready(left[*i])).collect();
        if open.is_empty() {
            return program.clone();
        }
        let next = left.remove(open[numbers.below(open.len())]);
        defined.extend(defines(&next.kind));
        statements.push(next.clone());
    }
    Program { statements }
}
