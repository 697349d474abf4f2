//! Smaller programs.

use super::operands;
use lozenge::program::Program;
use lozenge::program::ast::{
    Accumulate, AssignOp, Assignment, BinaryOp, Declaration, Expr, ExprKind, SpecUse, StatementKind, Target,
};
use lozenge::program::shape::{ByKind, Declared, DeclaredAxis, DeclaredRow, Kind, RowName};

/// Programs one step smaller. Some may not be well formed.
#[must_use]
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut out = Vec::new();
    let all = &program.statements;
    for i in 0..all.len() {
        let mut statements = all.clone();
        statements.remove(i);
        out.push(Program { statements });
    }
    for (i, statement) in all.iter().enumerate() {
        for kind in smaller_kinds(&statement.kind) {
            let mut statements = all.clone();
            statements[i].kind = kind;
            out.push(Program { statements });
        }
    }
    out
}

fn smaller_kinds(kind: &StatementKind) -> Vec<StatementKind> {
    let declared = |d: &Declaration| -> Vec<Declaration> {
        let with = |shape| Declaration { shape, ..d.clone() };
        let Some(shape) = &d.shape else { return Vec::new() };
        [None].into_iter().chain(smaller_shapes(shape).into_iter().map(Some)).map(with).collect()
    };
    match kind {
        StatementKind::Input(d) => declared(d).into_iter().map(StatementKind::Input).collect(),
        StatementKind::Param(d) | StatementKind::Const(d) => {
            let input = StatementKind::Input(d.clone());
            let same = |d| match kind {
                StatementKind::Param(_) => StatementKind::Param(d),
                _ => StatementKind::Const(d),
            };
            [input].into_iter().chain(declared(d).into_iter().map(same)).collect()
        }
        StatementKind::Let { name, value } => {
            let with = |value| StatementKind::Let { name: name.clone(), value };
            smaller_exprs(value).into_iter().map(with).collect()
        }
        StatementKind::Fn { name, params, body } => {
            let with = |body| StatementKind::Fn { name: name.clone(), params: params.clone(), body };
            smaller_exprs(body).into_iter().map(with).collect()
        }
        StatementKind::Dim { .. } | StatementKind::Elements { .. } | StatementKind::Convolution(_) => Vec::new(),
        StatementKind::Assign(it) => {
            let mut out = Vec::new();
            if let Target::New(new) = &it.target
                && it.logic.is_none()
            {
                out.push(StatementKind::Let { name: new.name.clone(), value: it.value.clone() });
            }
            let plain = AssignOp { erase: false, accumulate: Accumulate::Replace };
            if it.op != plain {
                out.push(StatementKind::Assign(Assignment { op: plain, ..it.clone() }));
            }
            let logics = it.logic.iter().flat_map(|q| smaller_specs(&q.text)).map(|t| Some(t.into()));
            for logic in logics.chain(it.logic.is_some().then_some(None)) {
                out.push(StatementKind::Assign(Assignment { logic, ..it.clone() }));
            }
            for value in smaller_exprs(&it.value) {
                out.push(StatementKind::Assign(Assignment { value, ..it.clone() }));
            }
            out
        }
    }
}

fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    let mut out: Vec<Expr> = operands(expr).into_iter().cloned().collect();
    if matches!(expr.kind, ExprKind::Call { .. } | ExprKind::Ternary { .. } | ExprKind::Einsum { .. }) {
        let parts = operands(expr);
        if let [a, b, ..] = parts.as_slice() {
            out.push((*a).clone().binary(BinaryOp::Add, (*b).clone()));
        }
    }
    match &expr.kind {
        ExprKind::Permute { op, spec, arg } => {
            out.extend(smaller_exprs(arg).into_iter().map(|a| a.permute(*op, spec.clone())));
            out.extend(specs(spec).map(|spec| (**arg).clone().permute(*op, spec)));
        }
        ExprKind::Einsum { op, spec, lhs, rhs } => {
            let texts = specs(spec).map(|spec| (**lhs).clone().einsum(*op, spec, (**rhs).clone()));
            out.extend(texts);
        }
        ExprKind::Binary { op, lhs, rhs } => {
            out.extend(smaller_exprs(lhs).into_iter().map(|a| a.binary(*op, (**rhs).clone())));
            out.extend(smaller_exprs(rhs).into_iter().map(|b| (**lhs).clone().binary(*op, b)));
        }
        ExprKind::Slice { arg, index } => {
            out.extend(smaller_exprs(arg).into_iter().map(|a| a.slice(index.clone())));
        }
        _ => {}
    }
    out
}

fn specs(spec: &SpecUse) -> impl Iterator<Item = SpecUse> {
    smaller_specs(&spec.text.text).into_iter().map(|text| SpecUse::from(text.as_str()))
}

/// One label, ellipsis or bar less.
fn smaller_specs(text: &str) -> Vec<String> {
    if matches!(text, "T" | "@" | ".") {
        return Vec::new();
    }
    let mut out: Vec<String> =
        text.match_indices("...").map(|(at, found)| format!("{}{}", &text[..at], &text[at + found.len()..])).collect();
    for (at, found) in text.match_indices(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|') {
        out.push(format!("{}{}", &text[..at], &text[at + found.len()..]));
    }
    out.extend(text.contains("->").then(|| text.replacen("->", "", 1)));
    out
}

fn smaller_shapes(shape: &Declared) -> Vec<Declared> {
    let mut out = Vec::new();
    for kind in Kind::ALL {
        let row = shape.rows.get(kind);
        for smaller in smaller_rows(row) {
            let rows = ByKind::of(|k| if k == kind { smaller.clone() } else { shape.rows.get(k).clone() });
            out.push(Declared { rows, ..shape.clone() });
        }
    }
    out
}

fn smaller_rows(row: &DeclaredRow) -> Vec<DeclaredRow> {
    let mut out = Vec::new();
    if row.var.is_some() {
        let mut closed = row.clone();
        closed.var = None;
        closed.trail = [std::mem::take(&mut closed.lead), closed.trail].concat();
        out.push(closed);
    }
    if row.var == Some(RowName::Named("r".to_owned())) {
        out.push(DeclaredRow { var: Some(RowName::Any), ..row.clone() });
    }
    for i in 0..row.lead.len() {
        let mut less = row.clone();
        less.lead.remove(i);
        out.push(less);
    }
    for i in 0..row.trail.len() {
        let mut less = row.clone();
        less.trail.remove(i);
        out.push(less);
    }
    for (i, axis) in row.lead.iter().enumerate() {
        for simpler in smaller_axes(axis) {
            let mut less = row.clone();
            less.lead[i] = simpler;
            out.push(less);
        }
    }
    for (i, axis) in row.trail.iter().enumerate() {
        for simpler in smaller_axes(axis) {
            let mut less = row.clone();
            less.trail[i] = simpler;
            out.push(less);
        }
    }
    out
}

/// The size 3, which most axes have; a long axis is also shorter by half and by one.
fn smaller_axes(axis: &DeclaredAxis) -> Vec<DeclaredAxis> {
    let plain = DeclaredAxis::Size(3, None);
    match axis {
        DeclaredAxis::Unknown => Vec::new(),
        axis if *axis == plain => Vec::new(),
        DeclaredAxis::Size(n, basis) if *n > 4 => {
            let sizes = [n / 2 + 1, n - 1].map(|n| DeclaredAxis::Size(n, basis.clone()));
            [plain].into_iter().chain(sizes).collect()
        }
        _ => vec![plain],
    }
}

/// The smallest program reached from this one by single steps that keep a property.
#[must_use]
pub fn shrink(mut program: Program, keeps: impl Fn(&Program) -> bool) -> Program {
    while let Some(next) = smaller(&program).into_iter().find(&keeps) {
        program = next;
    }
    program
}
