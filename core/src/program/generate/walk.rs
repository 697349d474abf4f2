//! Walks a program and writes down tensors, operations and constraints.

use super::logic::{self, Related, Template};
use super::scope::{Scope, similar};
use super::{Capture, FixedIndex, Generated, Literal, Logic, Marker, Measure, Operand, Operation, Origin};
use super::{Primitive, Role, Tensor, TensorId};
use crate::closing::Tags;
use crate::constraint::Constraint;
use crate::dim::{Atom, Basis, Dim};
use crate::names::Names;
use crate::program::ast::{
    Accumulate, Array, AssignOp, Assignment, BinaryOp, Declaration, DimValue, EinsumOp, Expr, ExprKind, Index, Name,
    PermuteOp, Program, Quoted, SpecUse, StatementKind, Target, TernaryOp,
};
use crate::program::einsum::Spec;
use crate::program::error::{Problem, ProgramError};
use crate::program::lexer::is_identifier;
use crate::program::shape::{ByKind, Declared, DeclaredAxis, DeclaredRow, Kind, RowName, ShapeTerm};
use crate::program::span::Span;
use crate::term::{DimTerm, RowTerm, Vars};
use std::collections::BTreeMap;

type Made<T> = Result<T, ProgramError>;

/// Expressions inside each other, applications included.
const DEEPEST: usize = 500;
/// Operations of one program.
const MOST_OPERATIONS: usize = 1_000_000;

/// A function: its number, its arguments' names, its body.
type Function<'p> = (usize, &'p [Name], &'p Expr);

struct Walk<'p> {
    out: Generated,
    /// The program's own names first, then those of the applications under way.
    scopes: Vec<Scope>,
    functions: BTreeMap<&'p str, Function<'p>>,
    calls: Vec<Span>,
    depth: usize,
}

pub(super) fn run(program: &Program) -> Made<Generated> {
    let out = Generated {
        names: Names::new(),
        tensors: Vec::new(),
        bindings: Vec::new(),
        operations: Vec::new(),
        constraints: Vec::new(),
        origins: Vec::new(),
        captures: Vec::new(),
        fixed: Vec::new(),
        tags: Tags::default(),
    };
    let mut walk =
        Walk { out, scopes: vec![Scope::default()], functions: BTreeMap::new(), calls: Vec::new(), depth: 0 };
    for statement in &program.statements {
        walk.statement(&statement.kind, statement.span)?;
    }
    walk.tag();
    Ok(walk.out)
}

fn wrong<T>(problem: Problem, span: Span) -> Made<T> {
    Err(ProgramError::new(problem, span))
}

impl<'p> Walk<'p> {
    fn statement(&mut self, kind: &'p StatementKind, span: Span) -> Made<()> {
        match kind {
            StatementKind::Input(declaration) => self.declare(declaration, Role::Input, span).map(|_| ()),
            StatementKind::Param(declaration) => self.declare(declaration, Role::Param, span).map(|_| ()),
            StatementKind::Const(declaration) => self.declare(declaration, Role::Const, span).map(|_| ()),
            StatementKind::Let { name, value } => {
                let tensor = self.eval(value)?;
                self.define(name, tensor)
            }
            StatementKind::Fn { name, params, body } => self.function(name, params, body),
            StatementKind::Dim { name, value } => self.dimension(name, value, span),
            StatementKind::Assign(assignment) => self.assign(assignment, span),
        }
    }

    // Names.

    fn scope(&mut self) -> &mut Scope {
        // The program's own scope is never left, so the list is not empty.
        let last = self.scopes.len().saturating_sub(1);
        &mut self.scopes[last]
    }

    /// The scopes where a name is looked for: the application's own, then the program's.
    fn visible(&self) -> impl Iterator<Item = &Scope> {
        let outer = if self.scopes.len() > 1 { self.scopes.first() } else { None };
        self.scopes.last().into_iter().chain(outer)
    }

    fn lookup(&self, name: &str, span: Span) -> Made<TensorId> {
        if let Some(id) = self.visible().find_map(|scope| scope.tensors.get(name)) {
            return Ok(*id);
        }
        let is = |is| wrong(Problem::WrongSort { name: name.to_owned(), is, needed: "a tensor" }, span);
        if self.functions.contains_key(name) {
            return is("a function");
        }
        if self.measure(name).is_some() {
            return is("the name of a size (write `dim` before it for its value)");
        }
        let known = self.visible().flat_map(|scope| scope.tensors.keys());
        let similar = similar(name, known);
        wrong(Problem::Unknown { name: name.to_owned(), what: "tensor", similar }, span)
    }

    fn measure(&self, name: &str) -> Option<&Measure> {
        self.visible().find_map(|scope| scope.sizes.get(name))
    }

    /// A name that is free in this scope, with what is before it in the program's list of names.
    fn free(&mut self, name: &Name) -> Made<String> {
        if !is_identifier(&name.text) {
            let (found, expected) = (format!("`{}`", name.text), "a name: a letter, then letters, digits and _");
            return wrong(Problem::Unexpected { found, expected }, name.span);
        }
        let function = self.scopes.len() == 1 && self.functions.contains_key(name.text.as_str());
        let scope = self.scope();
        if function || scope.tensors.contains_key(&name.text) || scope.sizes.contains_key(&name.text) {
            return wrong(Problem::Twice(name.text.clone()), name.span);
        }
        Ok(format!("{}{}", scope.prefix, name.text))
    }

    fn define(&mut self, name: &Name, tensor: TensorId) -> Made<()> {
        let full = self.free(name)?;
        self.scope().tensors.insert(name.text.clone(), tensor);
        let it = &mut self.out.tensors[tensor];
        // A name of the program's own is better than one inside an application.
        if it.name.as_ref().is_none_or(|old| old.contains('#') && !full.contains('#')) {
            it.name = Some(full.clone());
        }
        self.out.bindings.push((full, tensor));
        Ok(())
    }

    fn define_size(&mut self, name: &Name, of: Measure) -> Made<()> {
        let full = self.free(name)?;
        self.scope().sizes.insert(name.text.clone(), of.clone());
        self.out.captures.push(Capture { name: full, of, span: name.span });
        Ok(())
    }

    fn function(&mut self, name: &'p Name, params: &'p [Name], body: &'p Expr) -> Made<()> {
        self.free(name)?;
        for (i, param) in params.iter().enumerate() {
            if params[..i].contains(param) {
                return wrong(Problem::Twice(param.text.clone()), param.span);
            }
        }
        let number = self.functions.len();
        self.functions.insert(&name.text, (number, params, body));
        self.scope().functions += 1;
        Ok(())
    }

    // Tensors.

    fn tensor(&mut self, role: Role, shape: ShapeTerm, span: Span) -> TensorId {
        self.out.tensors.push(Tensor { name: None, role, shape, span, value: None, by: None });
        self.out.tensors.len() - 1
    }

    fn open_shape(&mut self) -> ShapeTerm {
        ByKind::of(|_| self.out.names.fresh_row().into())
    }

    fn declare(&mut self, declaration: &Declaration, role: Role, span: Span) -> Made<TensorId> {
        let shape = match &declaration.shape {
            Some(shape) => self.declared(shape)?,
            None => {
                let mut shape = self.named_rows(&declaration.name.text);
                if role == Role::Param {
                    shape.batch = RowTerm::default();
                }
                shape
            }
        };
        let tensor = self.tensor(role, shape, span);
        self.define(&declaration.name, tensor)?;
        Ok(tensor)
    }

    /// Open rows, called after the tensor. The quote keeps them apart from what programs name.
    fn named_rows(&mut self, name: &str) -> ShapeTerm {
        let prefix = self.scope().prefix.replace(['#', '.'], "'");
        ByKind::of(|kind| {
            let row = self.out.names.row_var(&format!("{prefix}{name}'{kind}"));
            row.unwrap_or_else(|_| self.out.names.fresh_row()).into()
        })
    }

    fn declared(&mut self, shape: &Declared) -> Made<ShapeTerm> {
        let mut row = |kind| self.declared_row(shape.rows.get(kind), shape.span);
        Ok(ByKind { batch: row(Kind::Batch)?, input: row(Kind::Input)?, output: row(Kind::Output)? })
    }

    fn declared_row(&mut self, row: &DeclaredRow, span: Span) -> Made<RowTerm> {
        let mut flank = |axes: &[DeclaredAxis]| -> Made<Vec<DimTerm>> {
            axes.iter().map(|axis| self.declared_axis(axis, span)).collect()
        };
        let (lead, trail) = (flank(&row.lead)?, flank(&row.trail)?);
        let mut term = match &row.var {
            None => RowTerm::default(),
            Some(RowName::Any) => self.out.names.fresh_row().into(),
            Some(RowName::Named(name)) => self.named_row(name, span)?,
        };
        term.lead = [lead, term.lead].concat();
        term.trail = [term.trail, trail].concat();
        Ok(term)
    }

    fn named_row(&mut self, name: &str, span: Span) -> Made<RowTerm> {
        match self.measure(name).cloned() {
            Some(Measure::Row(row)) => Ok(row),
            Some(Measure::Dim(_)) => {
                let (is, needed) = ("the name of an axis", "the name of a row");
                wrong(Problem::WrongSort { name: name.to_owned(), is, needed }, span)
            }
            None => {
                let named = if self.scopes.len() == 1 { self.out.names.row_var(name).ok() } else { None };
                let row: RowTerm = named.unwrap_or_else(|| self.out.names.fresh_row()).into();
                self.define_size(&Name { text: name.to_owned(), span }, Measure::Row(row.clone()))?;
                Ok(row)
            }
        }
    }

    fn declared_axis(&mut self, axis: &DeclaredAxis, span: Span) -> Made<DimTerm> {
        match axis {
            DeclaredAxis::Size(n, basis) => {
                let basis = basis.as_ref().map_or(Basis::DEFAULT, |name| self.out.names.basis(name));
                let atom = Atom::new(*n, basis).map_err(|_| ProgramError::new(Problem::SizeZero, span))?;
                Ok(DimTerm::Dim(Dim::Atom(atom)))
            }
            DeclaredAxis::Unit => Ok(DimTerm::Dim(Dim::Unit)),
            DeclaredAxis::Unknown => Ok(self.out.names.fresh_dim().into()),
            DeclaredAxis::Named(name) => self.named_dim(name, span),
        }
    }

    /// The dimension of this name, new if the name is.
    fn named_dim(&mut self, name: &str, span: Span) -> Made<DimTerm> {
        match self.measure(name).cloned() {
            Some(Measure::Dim(dim)) => Ok(dim),
            Some(Measure::Row(_)) => {
                let (is, needed) = ("the name of a row", "the name of an axis");
                wrong(Problem::WrongSort { name: name.to_owned(), is, needed }, span)
            }
            None => {
                let named = if self.scopes.len() == 1 { self.out.names.dim_var(name).ok() } else { None };
                let dim: DimTerm = named.unwrap_or_else(|| self.out.names.fresh_dim()).into();
                self.define_size(&Name { text: name.to_owned(), span }, Measure::Dim(dim))?;
                Ok(dim)
            }
        }
    }

    // Expressions.

    fn eval(&mut self, expr: &'p Expr) -> Made<TensorId> {
        self.depth += 1;
        let tensor = if self.depth > DEEPEST { wrong(Problem::TooDeep, expr.span) } else { self.eval_kind(expr) };
        self.depth -= 1;
        tensor
    }

    fn eval_kind(&mut self, expr: &'p Expr) -> Made<TensorId> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => self.lookup(name, span),
            ExprKind::Grad(name) => self.gradient(name, span),
            ExprKind::Number(n) => self.literal(Literal::Number(*n), &[], span),
            ExprKind::Tensor(array) => self.tensor_literal(array, span),
            ExprKind::Size(name) => self.size(name, span),
            ExprKind::Param(declaration) => self.declare(declaration, Role::Param, span),
            ExprKind::Unary { op, spec: None, arg } => {
                let operands = vec![self.eval(arg)?];
                self.plain(Logic::Pointwise, Primitive::Unary(*op), Accumulate::Replace, operands, span)
            }
            ExprKind::Unary { op, spec: Some(spec), arg } => {
                let operands = vec![self.eval(arg)?];
                self.specified(spec, Primitive::Unary(*op), Accumulate::Add, operands, span)
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let operands = vec![self.eval(lhs)?, self.eval(rhs)?];
                match op {
                    BinaryOp::Compose => {
                        self.plain(Logic::Compose, Primitive::Binary(BinaryOp::Mul), Accumulate::Add, operands, span)
                    }
                    op => self.plain(Logic::Pointwise, Primitive::Binary(*op), Accumulate::Replace, operands, span),
                }
            }
            ExprKind::Einsum { op, spec, lhs, rhs } => {
                let operands = vec![self.eval(lhs)?, self.eval(rhs)?];
                let (primitive, accumulate) = match op {
                    EinsumOp::Product => (BinaryOp::Mul, Accumulate::Add),
                    EinsumOp::Sum => (BinaryOp::Add, Accumulate::Add),
                    EinsumOp::Tropical => (BinaryOp::Add, Accumulate::Max),
                };
                self.specified(spec, Primitive::Binary(primitive), accumulate, operands, span)
            }
            ExprKind::Permute { op, spec, arg } => {
                let operands = vec![self.eval(arg)?];
                let accumulate = match op {
                    PermuteOp::Sum => Accumulate::Add,
                    PermuteOp::Max => Accumulate::Max,
                };
                self.specified(spec, Primitive::Copy, accumulate, operands, span)
            }
            ExprKind::Concat { spec, args } => {
                let operands = args.iter().map(|arg| self.eval(arg)).collect::<Made<Vec<_>>>()?;
                self.specified(spec, Primitive::Copy, Accumulate::Add, operands, span)
            }
            ExprKind::Slice { arg, index } => {
                let operand = self.eval(arg)?;
                self.slice(operand, index, span)
            }
            ExprKind::Ternary { op, args } => {
                let operands = args.iter().map(|arg| self.eval(arg)).collect::<Made<Vec<_>>>()?;
                let (logic, accumulate) = match op {
                    TernaryOp::Where => (Logic::Pointwise, Accumulate::Replace),
                    TernaryOp::Fma => (Logic::ComposeAccumulate, Accumulate::Add),
                };
                self.plain(logic, Primitive::Ternary(*op), accumulate, operands, span)
            }
            ExprKind::Call { function, args } => self.call(function, args, span),
            ExprKind::Let { name, value, body } => {
                let tensor = self.eval(value)?;
                self.define(name, tensor)?;
                let result = self.eval(body);
                self.scope().tensors.remove(&name.text);
                result
            }
        }
    }

    fn literal(&mut self, value: Literal, axes: &[u64], span: Span) -> Made<TensorId> {
        if matches!(value, Literal::Number(n) if !n.is_finite()) {
            return wrong(Problem::Number("this".to_owned()), span);
        }
        // A scalar has one output axis that stretches; the axes of a tensor literal do not.
        let dims = axes.iter().map(|n| Dim::size(*n).map(DimTerm::Dim)).collect::<Result<Vec<_>, _>>();
        let dims = dims.map_err(|_| ProgramError::new(Problem::Irregular, span))?;
        let trail = if dims.is_empty() { vec![DimTerm::Dim(Dim::Unit)] } else { dims };
        let shape = ByKind { output: RowTerm::new(Vec::new(), None, trail), ..ShapeTerm::default() };
        let tensor = self.tensor(Role::Literal, shape, span);
        self.out.tensors[tensor].value = Some(value);
        Ok(tensor)
    }

    fn tensor_literal(&mut self, array: &Array, span: Span) -> Made<TensorId> {
        let Some(axes) = sizes(array) else { return wrong(Problem::Irregular, span) };
        self.literal(Literal::Array(array.clone()), &axes, span)
    }

    fn size(&mut self, name: &str, span: Span) -> Made<TensorId> {
        let Some(of) = self.measure(name).cloned() else {
            let similar = similar(name, self.visible().flat_map(|scope| scope.sizes.keys()));
            return wrong(Problem::Unknown { name: name.to_owned(), what: "size", similar }, span);
        };
        self.literal(Literal::Size(name.to_owned(), of), &[], span)
    }

    fn gradient(&mut self, name: &str, span: Span) -> Made<TensorId> {
        let of = self.lookup(name, span)?;
        let role = Role::Gradient(of);
        if let Some(found) = self.out.tensors.iter().position(|t| t.role == role) {
            return Ok(found);
        }
        let tensor = self.tensor(role, self.out.tensors[of].shape.clone(), span);
        let full = self.out.tensors[of].name.as_ref().map(|name| format!("{name}.grad"));
        self.out.bindings.extend(full.clone().map(|name| (name, tensor)));
        self.out.tensors[tensor].name = full;
        Ok(tensor)
    }

    /// A function is a macro: every application walks its body anew, so all its variables are fresh.
    fn call(&mut self, function: &Name, args: &'p [Expr], span: Span) -> Made<TensorId> {
        let callable = self.scopes.last().map_or(0, |scope| scope.functions);
        let found = self.functions.get(function.text.as_str()).copied().filter(|(number, ..)| *number < callable);
        let Some((number, params, body)) = found else {
            let known: Vec<String> = self.functions.keys().map(|name| (*name).to_owned()).collect();
            let similar = similar(&function.text, known.iter().filter(|known| **known != function.text));
            return wrong(Problem::Unknown { name: function.text.clone(), what: "function", similar }, function.span);
        };
        if params.len() != args.len() {
            let (takes, got) = (params.len(), args.len());
            return wrong(Problem::Arguments { function: function.text.clone(), takes, got }, span);
        }
        let operands = args.iter().map(|arg| self.eval(arg)).collect::<Made<Vec<_>>>()?;
        let prefix = self.scope().apply(&function.text);
        let tensors = params.iter().map(|param| param.text.clone()).zip(operands).collect();
        self.scopes.push(Scope { tensors, prefix, functions: number, ..Scope::default() });
        self.calls.push(span);
        let result = self.eval(body);
        self.calls.pop();
        self.scopes.pop();
        result
    }

    // Operations.

    /// An operation without a specification, into a new tensor.
    fn plain(
        &mut self,
        logic: Logic,
        primitive: Primitive,
        accumulate: Accumulate,
        operands: Vec<TensorId>,
        span: Span,
    ) -> Made<TensorId> {
        let result = self.result(span);
        self.operation(logic, primitive, (true, accumulate), (result, operands), span)?;
        Ok(result)
    }

    fn result(&mut self, span: Span) -> TensorId {
        let shape = self.open_shape();
        let result = self.tensor(Role::Interior, shape, span);
        self.out.tensors[result].by = Some(self.out.operations.len());
        result
    }

    fn operation(
        &mut self,
        logic: Logic,
        primitive: Primitive,
        (erase, accumulate): (bool, Accumulate),
        (result, operands): (TensorId, Vec<TensorId>),
        span: Span,
    ) -> Made<usize> {
        let shape = |id: &TensorId| &self.out.tensors[*id].shape;
        let r = shape(&result);
        let related = match (logic, operands.as_slice()) {
            (Logic::Pointwise, all) => logic::pointwise(r, &all.iter().map(shape).collect::<Vec<_>>()),
            (Logic::Transpose, [a]) => logic::transpose(r, shape(a)),
            (Logic::Compose, [a, b]) => logic::compose(r, shape(a), shape(b)),
            (Logic::ComposeAccumulate, [a, b, c]) => logic::compose_accumulate(r, shape(a), shape(b), shape(c)),
            // Specifications and slices come with constraints of their own.
            _ => Vec::new(),
        };
        if self.out.operations.len() >= MOST_OPERATIONS {
            return wrong(Problem::TooLarge, span);
        }
        let (spec, template, index, calls) = (None, Template::default(), None, self.calls.clone());
        let constraints = self.out.constraints.len()..self.out.constraints.len();
        self.out.operations.push(Operation {
            logic,
            primitive,
            accumulate,
            erase,
            result,
            operands,
            spec,
            template,
            index,
            span,
            calls,
            constraints,
        });
        let number = self.out.operations.len() - 1;
        self.relate(number, related, |_| span);
        Ok(number)
    }

    /// Adds constraints to an operation.
    fn relate(&mut self, number: usize, related: Vec<Related>, span: impl Fn(Operand) -> Span) {
        for Related { constraint, operand, kind, marker } in related {
            let origin = Origin { operation: Some(number), operand, kind, label: None, marker, span: span(operand) };
            self.constrain(constraint, origin);
        }
        self.out.operations[number].constraints.end = self.out.constraints.len();
    }

    fn constrain(&mut self, constraint: Constraint, origin: Origin) {
        self.out.constraints.push(constraint);
        self.out.origins.push(origin);
    }

    fn slice(&mut self, operand: TensorId, index: &Index, span: Span) -> Made<TensorId> {
        let result = self.result(span);
        let shapes = (self.out.tensors[result].shape.clone(), self.out.tensors[operand].shape.clone());
        let (related, axis) = logic::slice(&mut self.out.names, &shapes.0, &shapes.1);
        let with = (result, vec![operand]);
        let number = self.operation(Logic::Slice, Primitive::Copy, (true, Accumulate::Replace), with, span)?;
        self.relate(number, related, |_| span);
        self.out.operations[number].index = Some(index.clone());
        if let Index::Number(index) = index {
            let (operand, kind) = (Operand::Argument(0), Kind::Batch);
            self.out.fixed.push(FixedIndex { axis: axis.into(), index: *index, operation: number, operand, kind });
        }
        Ok(result)
    }

    /// An operation with a specification, into a new tensor.
    fn specified(
        &mut self,
        spec: &SpecUse,
        primitive: Primitive,
        accumulate: Accumulate,
        operands: Vec<TensorId>,
        span: Span,
    ) -> Made<TensorId> {
        let result = self.result(span);
        let template = self.by_spec(&spec.text, primitive, (true, accumulate), (result, operands), span)?;
        for name in &spec.captures {
            self.capture(name, &template)?;
        }
        Ok(result)
    }

    fn by_spec(
        &mut self,
        quoted: &Quoted,
        primitive: Primitive,
        how: (bool, Accumulate),
        (result, operands): (TensorId, Vec<TensorId>),
        span: Span,
    ) -> Made<Template> {
        let spec: Spec = quoted.text.parse().map_err(|error| ProgramError::spec(error, quoted.span))?;
        if let Some((text, what)) = spec.staged() {
            return wrong(Problem::Staged { text, what }, quoted.span);
        }
        if spec.operands.len() != operands.len() {
            let (spec, operation) = (spec.operands.len(), operands.len());
            return wrong(Problem::Operands { spec, operation }, quoted.span);
        }
        let ids = operands.iter().chain([&result]);
        let shapes: Vec<ShapeTerm> = ids.map(|id| self.out.tensors[*id].shape.clone()).collect();
        let borrowed: Vec<&ShapeTerm> = shapes.iter().collect();
        let (related, template, fixed) = logic::einsum(&mut self.out.names, &spec, &borrowed);
        let logic = match (operands.len(), primitive) {
            (1, _) => Logic::Permute,
            (_, Primitive::Copy) => Logic::Block,
            _ => Logic::Einsum,
        };
        let number = self.operation(logic, primitive, how, (result, operands), span)?;
        let slots = slot_spans(quoted);
        let place = |operand: Operand| match operand {
            Operand::Argument(i) => slots.get(i).copied().unwrap_or(span),
            _ => slots.last().copied().unwrap_or(span),
        };
        self.relate(number, related, place);
        self.out.operations[number].spec = Some((spec, quoted.clone()));
        self.out.operations[number].template = template.clone();
        self.out.fixed.extend(fixed.into_iter().map(|at| FixedIndex { operation: number, ..at }));
        Ok(template)
    }

    /// `["h"]`: the name gets the label's size; a name that exists already is the same size.
    fn capture(&mut self, name: &Name, template: &Template) -> Made<()> {
        let label = template.labels.get(&name.text).map(|v| Measure::Dim((*v).into()));
        let row = || template.rows.get(&name.text).map(|v| Measure::Row((*v).into()));
        let Some(found) = label.or_else(row) else {
            return wrong(Problem::NoSuchLabel(name.text.clone()), name.span);
        };
        match (self.measure(&name.text).cloned(), found) {
            (None, found) => self.define_size(name, found),
            (Some(Measure::Dim(old)), Measure::Dim(new)) => {
                self.equate(&name.text, old, new, name.span);
                Ok(())
            }
            _ => {
                let what = "a second claim about a product of sizes";
                wrong(Problem::Staged { text: name.text.clone(), what }, name.span)
            }
        }
    }

    /// A statement about dimensions, outside any operation's own constraints.
    fn equate(&mut self, label: &str, left: DimTerm, right: DimTerm, span: Span) {
        let (operand, kind, marker) = (Operand::Result, Kind::Output, Marker::Inherited);
        let origin = Origin { operation: None, operand, kind, label: Some(label.to_owned()), marker, span };
        self.constrain(Constraint::DimEq(left, right), origin);
    }

    fn dimension(&mut self, name: &Name, value: &DimValue, span: Span) -> Made<()> {
        if self.scopes.iter().any(|scope| scope.tensors.contains_key(&name.text)) {
            let (is, needed) = ("a tensor (which `let` defines)", "the name of a size");
            return wrong(Problem::WrongSort { name: name.text.clone(), is, needed }, name.span);
        }
        if let Some(Measure::Row(_)) = self.measure(&name.text) {
            let what = "a claim about a product of sizes";
            return wrong(Problem::Staged { text: name.text.clone(), what }, span);
        }
        let left = self.named_dim(&name.text, name.span)?;
        let right = match value {
            DimValue::Size(n) => DimTerm::Dim(Dim::size(*n).map_err(|_| ProgramError::new(Problem::SizeZero, span))?),
            DimValue::Same(other) => self.named_dim(&other.text, other.span)?,
            DimValue::Scaled(n, other) => {
                let text = format!("{n} * {}", other.text);
                return wrong(Problem::Staged { text, what: "a multiple of a size" }, span);
            }
        };
        self.equate(&name.text, left, right, span);
        Ok(())
    }

    // Assignments.

    fn assign(&mut self, assignment: &'p Assignment, span: Span) -> Made<()> {
        let Assignment { target, op: AssignOp { erase, accumulate }, value, logic } = assignment;
        // The target is visible in its own right-hand side.
        let result = match target {
            Target::Name(name) => self.lookup(&name.text, name.span)?,
            Target::Grad(name) => self.gradient(&name.text, name.span)?,
            Target::New(name) => {
                let shape = self.named_rows(&name.text);
                let tensor = self.tensor(Role::Interior, shape, span);
                self.define(name, tensor)?;
                tensor
            }
        };
        let (primitive, args): (Primitive, Vec<&'p Expr>) = match &value.kind {
            ExprKind::Unary { op, spec: None, arg } => (Primitive::Unary(*op), vec![&**arg]),
            ExprKind::Binary { op: BinaryOp::Compose, lhs, rhs } => {
                if logic.is_none() {
                    return wrong(Problem::BareStar, value.span);
                }
                (Primitive::Binary(BinaryOp::Mul), vec![&**lhs, &**rhs])
            }
            // `*.`, `/.` and `**.` are operations on tensors, with a result of their own.
            ExprKind::Binary { op, lhs, rhs } if !matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow) => {
                (Primitive::Binary(*op), vec![&**lhs, &**rhs])
            }
            ExprKind::Ternary { op, args } => (Primitive::Ternary(*op), args.iter().collect()),
            _ => (Primitive::Copy, vec![value]),
        };
        let operands = args.into_iter().map(|arg| self.eval(arg)).collect::<Made<Vec<_>>>()?;
        let how = (*erase, *accumulate);
        let Some(quoted) = logic else {
            return self.operation(Logic::Pointwise, primitive, how, (result, operands), span).map(|_| ());
        };
        let logic = match (quoted.text.as_str(), operands.len()) {
            (".", _) => Logic::Pointwise,
            ("@", 2) => Logic::Compose,
            ("@", 3) => Logic::ComposeAccumulate,
            ("T", 1) => Logic::Transpose,
            ("@", got) => {
                return wrong(Problem::Logic { logic: "@".to_owned(), takes: "two or three operands", got }, span);
            }
            ("T", got) => return wrong(Problem::Logic { logic: "T".to_owned(), takes: "one operand", got }, span),
            _ => return self.by_spec(quoted, primitive, how, (result, operands), span).map(|_| ()),
        };
        self.operation(logic, primitive, how, (result, operands), span).map(|_| ())
    }

    /// Provenance for closing: the variables of leaves, and of parameters among them.
    fn tag(&mut self) {
        for tensor in self.out.tensors.iter().filter(|t| t.role.is_leaf()) {
            let vars: Vec<_> = Kind::ALL.into_iter().flat_map(|kind| tensor.shape.get(kind).vars()).collect();
            self.out.tags.leaves.extend(&vars);
            if tensor.role == Role::Param {
                self.out.tags.params.extend(&vars);
            }
        }
    }
}

/// The sizes of nested lists: those of the first list of each depth, if all others agree with them.
fn sizes(array: &Array) -> Option<Vec<u64>> {
    let (mut axes, mut first) = (Vec::new(), array);
    while let Array::List(list) = first {
        axes.push(list.len() as u64);
        first = list.first()?;
    }
    regular(array, &axes).then_some(axes)
}

fn regular(array: &Array, axes: &[u64]) -> bool {
    match (array, axes) {
        (Array::Number(n), []) => n.is_finite(),
        (Array::List(list), [n, rest @ ..]) => list.len() as u64 == *n && list.iter().all(|item| regular(item, rest)),
        _ => false,
    }
}

/// The places of the slots of a specification, the result's last.
fn slot_spans(quoted: &Quoted) -> Vec<Span> {
    let start = quoted.span.start;
    if !quoted.span.is_known() {
        return Vec::new();
    }
    let (operands, result) = quoted.text.split_once("=>").unwrap_or((&quoted.text, ""));
    let mut at = start;
    let mut spans = Vec::new();
    let mut push = |text: &str, at: usize| {
        let blanks = text.len() - text.trim_start().len();
        spans.push(Span { start: at + blanks, end: at + blanks + text.trim().len() });
    };
    for slot in operands.split(';') {
        push(slot, at);
        at += slot.len() + 1;
    }
    push(result, start + operands.len() + 2);
    spans
}
