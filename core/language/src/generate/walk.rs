//! Walks a program and writes down tensors, operations and constraints.

use super::again::Application;
use super::apply::Function;
use super::room::Room;
use super::scope::{Scope, Trail, similar};
use super::{Capture, Generated, Literal, Logic, Measure, Primitive, Role, Specification, TensorId, is_numbered};
use crate::ast::{
    Accumulate, AssignOp, Assignment, BinaryOp, Convolution, EinsumOp, Expr, ExprKind, Name, PermuteOp, Program,
    Quoted, StatementKind, Target,
};
use crate::error::{ProgramError, ProgramProblem};
use crate::lexer::is_identifier;
use crate::shape::Kind;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::DimTerm;
use lozenge_engine::closing::Tags;
use lozenge_notation::Span;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(super) type Walked<T> = Result<T, ProgramError>;

/// Expressions inside each other, applications included.
pub(super) const DEEPEST: usize = 500;

pub(super) struct Walk<'p> {
    pub(super) out: Generated,
    /// The program's own names first, then those of the applications under way.
    pub(super) scopes: Vec<Scope<'p>>,
    pub(super) trail: Trail,
    pub(super) functions: BTreeMap<&'p str, Function<'p>>,
    pub(super) room: Room<'p>,
    pub(super) calls: Arc<[Span]>,
    /// The specifications seen so far, by where the program has them: a function's are read once.
    pub(super) specifications: HashMap<*const Quoted, Arc<Specification>>,
    /// What convolutions are that do not say it.
    pub(super) convolution: Option<Convolution>,
    pub(super) depth: usize,
    /// Is every application walked, whatever was made before?
    pub(super) walks_all: bool,
    /// The last application of each function that can be made again.
    pub(super) made: HashMap<usize, Application>,
    /// Did the application under way look at what is neither an operand of it nor made in it?
    pub(super) reached_out: Cell<bool>,
}

pub(super) fn run(program: &Program, walks_all: bool) -> Walked<Generated> {
    let (room, tensors) = Room::of(program);
    let out = Generated {
        names: Names::new(),
        tensors: Vec::with_capacity(tensors),
        bindings: Vec::with_capacity(tensors),
        numbered: std::collections::BTreeSet::new(),
        applied: Vec::new(),
        operations: Vec::with_capacity(tensors),
        // An operation relates three kinds of row, of one or two operands.
        constraints: Vec::with_capacity(4 * tensors),
        origins: Vec::with_capacity(4 * tensors),
        captures: Vec::new(),
        fixed: Vec::new(),
        claims: Vec::new(),
        claim_origins: Vec::new(),
        discardable: std::collections::BTreeSet::new(),
        tags: Tags::default(),
        alike: Vec::new(),
    };
    let (functions, specifications) = (BTreeMap::new(), HashMap::new());
    let mut walk = Walk {
        out,
        scopes: vec![Scope::default()],
        trail: Trail::default(),
        functions,
        room,
        calls: Arc::new([]),
        specifications,
        convolution: None,
        depth: 0,
        walks_all,
        made: HashMap::new(),
        reached_out: Cell::new(false),
    };
    for statement in &program.statements {
        walk.statement(&statement.kind, statement.span)?;
    }
    walk.tag();
    walk.keep_axes();
    let names = walk.out.bindings.iter().map(|(name, _)| name);
    walk.out.numbered = names.filter(|name| is_numbered(name)).map(|name| name.to_string()).collect();
    Ok(walk.out)
}

pub(super) fn wrong<T>(problem: ProgramProblem, span: Span) -> Walked<T> {
    Err(ProgramError::new(problem, span))
}

impl<'p> Walk<'p> {
    fn statement(&mut self, kind: &'p StatementKind, span: Span) -> Walked<()> {
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
            StatementKind::Elements { name, value } => self.elements(name, value, span),
            StatementKind::Convolution(mode) => {
                self.convolution = Some(*mode);
                Ok(())
            }
            StatementKind::Assign(assignment) => self.assign(assignment, span),
        }
    }

    // Names.

    pub(super) fn scope(&mut self) -> &mut Scope<'p> {
        // The program's own scope is never left, so the list is not empty.
        let last = self.scopes.len().saturating_sub(1);
        &mut self.scopes[last]
    }

    /// Finds something in a scope where names are looked for: the application's own, then the program's.
    fn find<'s, T>(&'s self, find: impl Fn(&'s Scope<'p>) -> Option<T>) -> Option<T> {
        if let Some(found) = self.scopes.last().and_then(&find) {
            return Some(found);
        }
        let found = self.visible().nth(1).and_then(find)?;
        self.reached_out.set(true);
        Some(found)
    }

    /// The scopes where a name is looked for: the application's own, then the program's.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Scope<'p>> {
        let outer = if self.scopes.len() > 1 { self.scopes.first() } else { None };
        self.scopes.last().into_iter().chain(outer)
    }

    pub(super) fn lookup(&self, name: &str, span: Span) -> Walked<TensorId> {
        if let Some(id) = self.find(|scope| scope.tensors.get(name)) {
            return Ok(id);
        }
        let is = |is| wrong(ProgramProblem::WrongSort { name: name.to_owned(), is, needed: "a tensor" }, span);
        if self.functions.contains_key(name) {
            return is("a function");
        }
        if self.measure(name).is_some() {
            return is("the name of a size (write `dim` before it for its value)");
        }
        let known = self.visible().flat_map(|scope| scope.tensors.names());
        let similar = similar(name, known);
        wrong(ProgramProblem::Unknown { name: name.to_owned(), what: "tensor", similar }, span)
    }

    pub(super) fn measure(&self, name: &str) -> Option<&Measure> {
        self.find(|scope| scope.sizes.get(name))
    }

    /// Is a name free in this scope?
    pub(super) fn free(&self, name: &Name) -> Walked<()> {
        if !is_identifier(&name.text) {
            let (found, expected) = (format!("`{}`", name.text), "a name: a letter, then letters, digits and _");
            return Err(ProgramError::unexpected(found, expected, name.span));
        }
        let function = self.scopes.len() == 1 && self.functions.contains_key(name.text.as_str());
        let known = |scope: &Scope<'_>| scope.tensors.has(&name.text) || scope.sizes.contains_key(&name.text);
        if function || self.scopes.last().is_some_and(known) {
            return wrong(ProgramProblem::Twice(name.text.clone()), name.span);
        }
        Ok(())
    }

    pub(super) fn define(&mut self, name: &'p Name, tensor: TensorId) -> Walked<()> {
        self.free(name)?;
        self.scope().tensors.add(&name.text, tensor);
        self.name(self.trail.name(&name.text).into(), tensor);
        Ok(())
    }

    /// One more name of a tensor, in the program's list of names.
    pub(super) fn name(&mut self, name: Arc<str>, tensor: TensorId) {
        let it = &mut self.out.tensors[tensor];
        // A name of the program's own is better than one inside an application.
        if it.name.as_ref().is_none_or(|old| old.contains('#') && !name.contains('#')) {
            it.name = Some(name.clone());
        }
        self.out.bindings.push((name, tensor));
    }

    pub(super) fn define_size(&mut self, name: &Name, of: Measure) -> Walked<()> {
        self.free(name)?;
        self.scope().sizes.insert(name.text.clone(), of.clone());
        let full = self.trail.name(&name.text);
        self.out.captures.push(Capture { name: full, of, span: name.span });
        Ok(())
    }

    // Expressions.

    pub(super) fn eval(&mut self, expr: &'p Expr) -> Walked<TensorId> {
        self.depth += 1;
        let tensor =
            if self.depth > DEEPEST { wrong(ProgramProblem::TooDeep, expr.span) } else { self.eval_kind(expr) };
        self.depth -= 1;
        tensor
    }

    fn eval_kind(&mut self, expr: &'p Expr) -> Walked<TensorId> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => self.lookup(name, span),
            ExprKind::Grad(name) => self.gradient(name, span),
            ExprKind::Number(n) => self.scalar(Literal::Number(n.clone()), span),
            ExprKind::Tensor(array) => self.tensor_literal(array, None, span),
            ExprKind::Literal { values, shape } => self.tensor_literal(values, Some(shape), span),
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
            ExprKind::Primitive { op, .. } => {
                wrong(ProgramProblem::Primitive { op: op.text(), instead: op.pointwise().text() }, span)
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
                    PermuteOp::Sum | PermuteOp::Mean => Accumulate::Add,
                    PermuteOp::Max => Accumulate::Max,
                    PermuteOp::Min => Accumulate::Min,
                };
                let reduced = self.specified(spec, Primitive::Copy, accumulate, operands, span)?;
                if *op == PermuteOp::Mean { self.divided(reduced, span) } else { Ok(reduced) }
            }
            ExprKind::Concat { spec, args } => {
                let operands = args.iter().map(|arg| self.eval(arg)).collect::<Walked<Vec<_>>>()?;
                self.specified(spec, Primitive::Copy, Accumulate::Add, operands, span)
            }
            ExprKind::Slice { arg, index } => {
                let operand = self.eval(arg)?;
                self.slice(operand, index, span)
            }
            ExprKind::Ternary { op, spec, args } => {
                let operands = args.iter().map(|arg| self.eval(arg)).collect::<Walked<Vec<_>>>()?;
                self.ternary(*op, spec.as_ref(), operands, span)
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

    // Assignments.

    fn assign(&mut self, assignment: &'p Assignment, span: Span) -> Walked<()> {
        let Assignment { target, op: AssignOp { erase, accumulate }, value, logic } = assignment;
        // The target is visible in its own right-hand side.
        let result = match target {
            Target::Name(name) => self.lookup(&name.text, name.span)?,
            Target::Grad(name) => self.gradient(&name.text, name.span)?,
            Target::New(declaration) => self.declare(declaration, Role::Interior, span)?,
        };
        let (primitive, args): (Primitive, Vec<&'p Expr>) = match &value.kind {
            ExprKind::Unary { op, spec: None, arg } => (Primitive::Unary(*op), vec![&**arg]),
            ExprKind::Binary { op: BinaryOp::Compose, lhs, rhs } => {
                if logic.is_none() {
                    return wrong(ProgramProblem::BareStar, value.span);
                }
                (Primitive::Binary(BinaryOp::Mul), vec![&**lhs, &**rhs])
            }
            ExprKind::Primitive { op, lhs, rhs } => (Primitive::Binary(op.pointwise()), vec![&**lhs, &**rhs]),
            // `*.`, `/.` and `**.` are operations on tensors, with a result of their own.
            ExprKind::Binary { op, lhs, rhs } if !matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow) => {
                (Primitive::Binary(*op), vec![&**lhs, &**rhs])
            }
            ExprKind::Ternary { op, spec: None, args } => (Primitive::Ternary(*op), args.iter().collect()),
            _ => (Primitive::Copy, vec![value]),
        };
        let operands = args.into_iter().map(|arg| self.eval(arg)).collect::<Walked<Vec<_>>>()?;
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
                return wrong(
                    ProgramProblem::Logic { logic: "@".to_owned(), takes: "two or three operands", got },
                    span,
                );
            }
            ("T", got) => {
                return wrong(ProgramProblem::Logic { logic: "T".to_owned(), takes: "one operand", got }, span);
            }
            _ => return self.by_spec(quoted, primitive, how, (result, operands), span).map(|_| ()),
        };
        self.operation(logic, primitive, how, (result, operands), span).map(|_| ())
    }

    /// What is an axis of a tensor is not projected away, whether or not anything uses the tensor: no axis is 0.
    fn keep_axes(&mut self) {
        let Generated { tensors, discardable, .. } = &mut self.out;
        if discardable.is_empty() {
            return;
        }
        for tensor in tensors {
            for row in Kind::ALL.map(|kind| tensor.shape.get(kind)) {
                for axis in row.lead.iter().chain(&row.trail) {
                    if let DimTerm::Var(v) = axis {
                        discardable.remove(v);
                    }
                }
            }
        }
    }

    /// Provenance for closing: the variables of leaves, and of parameters among them.
    fn tag(&mut self) {
        let (mut leaves, mut params) = (Vec::new(), Vec::new());
        for tensor in self.out.tensors.iter().filter(|tensor| tensor.role.is_leaf()) {
            let before = leaves.len();
            Kind::ALL.into_iter().for_each(|kind| tensor.shape.get(kind).each_var(|v| leaves.push(v)));
            if tensor.role == Role::Param {
                params.extend_from_slice(&leaves[before..]);
            }
        }
        self.out.tags = Tags { leaves: leaves.into_iter().collect(), params: params.into_iter().collect() };
    }
}
