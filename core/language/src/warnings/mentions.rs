//! Every place of a program that names a size.

use crate::Span;
use crate::ast::{Assignment, Declaration, DimValue, Expr, ExprKind, Name, Program, SpecUse, StatementKind, Target};
use crate::einsum::{Axis, Factor, Spec};
use crate::shape::{Declared, DeclaredAxis, Kind, RowName};

/// How a place names a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Left of `=`.
    Set,
    /// In a shape, in a list of captures, right of `=`, after `dim`, or as a stride.
    Used,
}

/// A place that names a size.
pub(super) struct Mention {
    pub name: String,
    pub span: Span,
    pub how: How,
}

/// All of them, in the program's order.
pub(super) fn mentions(program: &Program) -> Vec<Mention> {
    let mut all = Mentions(Vec::new());
    program.statements.iter().for_each(|statement| all.statement(&statement.kind));
    all.0
}

struct Mentions(Vec<Mention>);

impl Mentions {
    fn used(&mut self, name: &str, span: Span) {
        self.0.push(Mention { name: name.to_owned(), span, how: How::Used });
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Input(it) | StatementKind::Param(it) | StatementKind::Const(it) => self.declaration(it),
            StatementKind::Let { value, .. } => self.expr(value),
            StatementKind::Fn { body, .. } => self.expr(body),
            StatementKind::Dim { name, value } => self.dimension(name, value),
            StatementKind::Elements { value, .. } => self.value(value),
            StatementKind::Convolution(_) => {}
            StatementKind::Assign(Assignment { target, value, logic, .. }) => {
                if let Target::New(declaration) = target {
                    self.declaration(declaration);
                }
                self.expr(value);
                if let Some(quoted) = logic {
                    self.factors(&quoted.text, quoted.span);
                }
            }
        }
    }

    fn dimension(&mut self, name: &Name, value: &DimValue) {
        self.0.push(Mention { name: name.text.clone(), span: name.span, how: How::Set });
        self.value(value);
    }

    fn value(&mut self, value: &DimValue) {
        match value {
            DimValue::Size(_) => {}
            DimValue::Same(other) | DimValue::Scaled(_, other) => self.used(&other.text, other.span),
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        if let Some(shape) = &declaration.shape {
            self.shape(shape);
        }
    }

    fn shape(&mut self, shape: &Declared) {
        for row in Kind::ALL.map(|kind| shape.rows.get(kind)) {
            for axis in row.lead.iter().chain(&row.trail) {
                if let DeclaredAxis::Named(name) = axis {
                    self.used(name, shape.span);
                }
            }
            if let Some(RowName::Named(name)) = &row.var {
                self.used(name, shape.span);
            }
        }
    }

    fn spec(&mut self, spec: &SpecUse) {
        spec.captures.iter().for_each(|name| self.used(&name.text, name.span));
        self.factors(&spec.text.text, spec.text.span);
    }

    /// Strides and dilations that have names.
    fn factors(&mut self, text: &str, span: Span) {
        // Most specifications have none, and are not read again.
        let Some(spec) = text.contains('*').then(|| text.parse::<Spec>().ok()).flatten() else { return };
        let axes = spec.slots().flat_map(|slot| Kind::ALL.into_iter().flat_map(move |kind| slot.row(kind).axes()));
        for axis in axes {
            let Axis::Affine(affine) = axis else { continue };
            let dilation = affine.kernel.as_ref().and_then(|kernel| kernel.dilation.as_ref());
            for factor in affine.stride.iter().chain(dilation) {
                if let Factor::Name(name) = factor {
                    self.used(name, span);
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Grad(_) | ExprKind::Number(_) | ExprKind::Tensor(_) => {}
            ExprKind::Literal { shape, .. } => self.shape(shape),
            ExprKind::Size(name) => self.used(name, expr.span),
            ExprKind::Param(declaration) => self.declaration(declaration),
            ExprKind::Unary { spec, arg, .. } => {
                spec.iter().for_each(|spec| self.spec(spec));
                self.expr(arg);
            }
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Primitive { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Einsum { spec, lhs, rhs, .. } => {
                self.expr(lhs);
                self.spec(spec);
                self.expr(rhs);
            }
            ExprKind::Permute { spec, arg, .. } => {
                self.expr(arg);
                self.spec(spec);
            }
            ExprKind::Concat { spec, args } => {
                args.iter().for_each(|arg| self.expr(arg));
                self.spec(spec);
            }
            ExprKind::Slice { arg, .. } => self.expr(arg),
            ExprKind::Ternary { spec, args, .. } => {
                spec.iter().for_each(|spec| self.spec(spec));
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Call { args, .. } => args.iter().for_each(|arg| self.expr(arg)),
            ExprKind::Let { value, body, .. } => {
                self.expr(value);
                self.expr(body);
            }
        }
    }
}
