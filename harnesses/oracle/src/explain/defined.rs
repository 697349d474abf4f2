//! What a program defines, and where: names of tensors, functions with their applications, statements about sizes.

use lozenge::program::ast::{Assignment, Declaration, Expr, ExprKind, Name, StatementKind, Target};
use lozenge::program::{Program, Span};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A name in the text of a program, in the order in which inference meets them.
pub struct Defined<'p> {
    /// The function whose body it stands in.
    pub function: Option<&'p str>,
    pub name: &'p str,
    pub at: Span,
    pub what: What,
}

/// What stands there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A tensor begins here.
    Tensor,
    /// A tensor that there is already is assigned.
    Assigned,
    /// The gradient of a tensor is used or assigned.
    Gradient,
    /// A size is said.
    Size,
    /// A function; its result is made by the expression at this place.
    Function(Span),
    /// A function is applied.
    Call,
}

/// All of them.
pub fn defined(program: &Program) -> Vec<Defined<'_>> {
    let mut walk = Walk { found: Vec::new(), function: None };
    program.statements.iter().for_each(|statement| walk.statement(&statement.kind));
    walk.found
}

/// The first application of a function.
pub struct First {
    /// Where it stands.
    pub at: Span,
    /// The application outside of functions that leads there, where it stands in a body.
    pub through: Option<Span>,
}

/// The first application of each function. One that only bodies apply which nothing applies has none.
pub fn first_applied<'p>(found: &[Defined<'p>]) -> BTreeMap<&'p str, First> {
    let mut calls: BTreeMap<Option<&'p str>, Vec<&Defined<'p>>> = BTreeMap::new();
    for it in found.iter().filter(|it| it.what == What::Call) {
        calls.entry(it.function).or_default().push(it);
    }
    let inside = |function: Option<&'p str>| calls.get(&function).into_iter().flatten().rev().copied();
    // In the order of evaluation: what a body applies comes before what follows the application.
    let mut open: Vec<(&Defined<'p>, Option<Span>)> = inside(None).map(|call| (call, None)).collect();
    let mut first = BTreeMap::new();
    while let Some((call, through)) = open.pop() {
        if let Entry::Vacant(it) = first.entry(call.name) {
            it.insert(First { at: call.at, through });
            let through = through.or(Some(call.at));
            open.extend(inside(Some(call.name)).map(|call| (call, through)));
        }
    }
    first
}

struct Walk<'p> {
    found: Vec<Defined<'p>>,
    function: Option<&'p str>,
}

impl<'p> Walk<'p> {
    fn add(&mut self, name: &'p Name, what: What) {
        self.found.push(Defined { function: self.function, name: &name.text, at: name.span, what });
    }

    fn declaration(&mut self, it: &'p Declaration) {
        self.add(&it.name, What::Tensor);
    }

    fn statement(&mut self, kind: &'p StatementKind) {
        match kind {
            StatementKind::Input(it) | StatementKind::Param(it) | StatementKind::Const(it) => self.declaration(it),
            StatementKind::Let { name, value } => {
                self.expression(value);
                self.add(name, What::Tensor);
            }
            StatementKind::Fn { name, body, .. } => {
                self.add(name, What::Function(last(body).span));
                self.function = Some(&name.text);
                self.expression(body);
                self.function = None;
            }
            StatementKind::Dim { name, .. } => self.add(name, What::Size),
            StatementKind::Assign(it) => self.assignment(it),
            StatementKind::Elements { .. } | StatementKind::Convolution(_) => {}
        }
    }

    fn assignment(&mut self, it: &'p Assignment) {
        match &it.target {
            Target::Name(name) => self.add(name, What::Assigned),
            Target::Grad(name) => self.add(name, What::Gradient),
            Target::New(declaration) => self.declaration(declaration),
        }
        self.expression(&it.value);
    }

    fn expression(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Grad(name) => {
                let gradient = Defined { function: self.function, name, at: expr.span, what: What::Gradient };
                self.found.push(gradient);
            }
            ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Tensor(_)
            | ExprKind::Literal { .. }
            | ExprKind::Size(_) => {}
            ExprKind::Param(it) => self.declaration(it),
            ExprKind::Unary { arg, .. } | ExprKind::Permute { arg, .. } | ExprKind::Slice { arg, .. } => {
                self.expression(arg);
            }
            ExprKind::Binary { lhs, rhs, .. }
            | ExprKind::Primitive { lhs, rhs, .. }
            | ExprKind::Einsum { lhs, rhs, .. } => {
                self.expression(lhs);
                self.expression(rhs);
            }
            ExprKind::Concat { args, .. } => args.iter().for_each(|arg| self.expression(arg)),
            ExprKind::Ternary { args, .. } => args.iter().for_each(|arg| self.expression(arg)),
            ExprKind::Call { function, args } => {
                args.iter().for_each(|arg| self.expression(arg));
                let call = Defined { function: self.function, name: &function.text, at: expr.span, what: What::Call };
                self.found.push(call);
            }
            ExprKind::Let { name, value, body } => {
                self.expression(value);
                self.add(name, What::Tensor);
                self.expression(body);
            }
        }
    }
}

/// The expression that gives a body its value.
fn last(body: &Expr) -> &Expr {
    match &body.kind {
        ExprKind::Let { body, .. } => last(body),
        _ => body,
    }
}
