//! Every place of a program that names a size.

use crate::Span;
use crate::ast::{Assignment, Declaration, DimValue, Expr, ExprKind, Name, Program, SpecUse, StatementKind, Target};
use crate::einsum::{Axis, Factor, Spec};
use crate::shape::{Declared, DeclaredAxis, Kind, RowName};
use std::collections::{BTreeMap, BTreeSet};

/// How a place names a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Left of `=`.
    Set,
    /// In a shape, in a list of captures, right of `=`, after `dim`, or as a stride.
    Used,
    /// In a list of captures of a function that is never applied while the name is in use: there it is another size, of
    /// each application its own.
    Own,
}

/// A place that names a size.
pub(super) struct Mention {
    pub name: String,
    pub span: Span,
    pub how: How,
}

/// All of them, in the program's order.
pub(super) fn mentions(program: &Program) -> Vec<Mention> {
    let mut all = Mentions::default();
    program.statements.iter().for_each(|statement| all.statement(&statement.kind));
    let met = &all.met;
    all.found.iter_mut().filter(|it| it.how == How::Own && met.contains(&it.name)).for_each(|it| it.how = How::Used);
    all.found
}

#[derive(Default)]
struct Mentions {
    found: Vec<Mention>,
    /// The names that are in use for sizes.
    known: BTreeSet<String>,
    /// What the bodies of functions capture, by the functions' names.
    captures: BTreeMap<String, BTreeSet<String>>,
    /// The function whose body is looked at.
    inside: Option<String>,
    /// Captures of functions that were in use when one was applied.
    met: BTreeSet<String>,
}

impl Mentions {
    fn used(&mut self, name: &str, span: Span) {
        self.known.insert(name.to_owned());
        self.found.push(Mention { name: name.to_owned(), span, how: How::Used });
    }

    fn captured(&mut self, name: &Name) {
        let Some(function) = self.inside.clone() else { return self.used(&name.text, name.span) };
        self.captures.entry(function).or_default().insert(name.text.clone());
        self.found.push(Mention { name: name.text.clone(), span: name.span, how: How::Own });
    }

    /// A function is applied: what its body captures is what is in use, where that has the name.
    fn applied(&mut self, function: &str) {
        let Some(captures) = self.captures.get(function).cloned() else { return };
        match &self.inside {
            Some(outer) => self.captures.entry(outer.clone()).or_default().extend(captures),
            None => self.met.extend(captures.intersection(&self.known).cloned()),
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Input(it) | StatementKind::Param(it) | StatementKind::Const(it) => self.declaration(it),
            StatementKind::Let { value, .. } => self.expr(value),
            StatementKind::Fn { name, body, .. } => {
                self.inside = Some(name.text.clone());
                self.expr(body);
                self.inside = None;
            }
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
        self.known.insert(name.text.clone());
        self.found.push(Mention { name: name.text.clone(), span: name.span, how: How::Set });
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
        spec.captures.iter().for_each(|name| self.captured(name));
        self.factors(&spec.text.text, spec.text.span);
    }

    /// Strides and dilations that have names.
    fn factors(&mut self, text: &str, span: Span) {
        // Most specifications have none, and are not read again.
        let Some(spec) = text.contains('*').then(|| text.parse::<Spec>().ok()).flatten() else { return };
        for axis in spec.axes() {
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
            ExprKind::Call { function, args } => {
                args.iter().for_each(|arg| self.expr(arg));
                self.applied(&function.text);
            }
            ExprKind::Let { value, body, .. } => {
                self.expr(value);
                self.expr(body);
            }
        }
    }
}
