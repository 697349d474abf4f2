//! What one application of a function made, made again for the next: a function is a macro, and its body says the same of
//! other operands. What was made then is copied, with its own tensors, operations and variables under new numbers and
//! those of its operands in the place of the operands that it had.
//!
//! That is so where the body speaks of nothing but its operands and what it makes; where it reaches out to the program's
//! own names it is walked again. [`super::generate_walking`] walks every body, and both make the same.

use super::alike::Alike;
use super::walk::Walk;
use super::{Capture, ClaimOrigin, FixedIndex, Generated, Literal, Measure, Operation, Origin, Tensor, TensorId};
use crate::shape::{ByKind, Kind, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::{Names, Sort};
use lozenge_calculus::subst::Map;
use lozenge_calculus::term::{DimTerm, DimVar, Flank, RowTerm, RowVar, Var, Vars};
use lozenge_notation::Span;
use lozenge_staged::SizeClaim;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How much there is of everything.
#[derive(Clone, Copy)]
struct Lengths {
    variables: usize,
    tensors: usize,
    bindings: usize,
    operations: usize,
    constraints: usize,
    captures: usize,
    fixed: usize,
    claims: usize,
    /// The names of sizes among the program's own.
    sizes: usize,
}

/// An application that is being walked.
pub(super) struct Begun {
    before: Lengths,
    operands: Vec<TensorId>,
    /// What stands before the names that it makes: so many bytes for those of tensors and for those of rows.
    prefixes: [usize; 2],
    depth: usize,
}

/// An application that was walked.
pub(super) struct Application {
    begun: Begun,
    after: Lengths,
    result: TensorId,
    /// The variables that it made, with what comes after the application in their names. Most functions are applied once.
    variables: OnceCell<Vec<(Sort, Option<String>)>>,
    discardable: Vec<DimVar>,
}

impl Application {
    fn variables(&self, names: &Names) -> &[(Sort, Option<String>)] {
        let Begun { before, prefixes: [_, prefix], .. } = &self.begun;
        self.variables.get_or_init(|| {
            let made = names.vars().take(self.after.variables).skip(before.variables);
            made.map(|var| (var.sort(), names.var_name(var.id()).map(|name| name[*prefix..].to_owned()))).collect()
        })
    }
}

impl<'p> Walk<'p> {
    /// An application begins, if it is an outermost one: nothing has reached out so far.
    pub(super) fn begin(&mut self, operands: &[TensorId]) -> Option<Begun> {
        if self.scopes.len() > 1 || self.walks_all {
            return None;
        }
        self.reached_out.set(false);
        Some(Begun {
            before: self.lengths(),
            operands: operands.to_vec(),
            prefixes: self.trail.lengths(),
            depth: self.depth,
        })
    }

    /// It has ended, and can be made again if its body speaks of nothing else.
    pub(super) fn end(&mut self, function: usize, begun: Begun, result: TensorId) {
        self.made.remove(&function);
        if self.reached_out.get() {
            return;
        }
        let first = DimVar(u32::try_from(begun.before.variables).unwrap_or(u32::MAX));
        let discardable = self.out.discardable.range(first..).copied().collect();
        let after = self.lengths();
        if let Some(moved) = Moved::of(&self.out.tensors, &begun, &begun.operands, begun.before) {
            self.alike(&begun.before, &after, &moved);
        }
        let variables = OnceCell::new();
        self.made.insert(function, Application { begun, after, result, variables, discardable });
    }

    /// Writes down that the constraints of an application are those of the one that was walked, moved.
    fn alike(&mut self, before: &Lengths, after: &Lengths, moved: &Moved) {
        let (first, length) = (moved.now.constraints, after.constraints - before.constraints);
        if length == 0 || before.variables == after.variables {
            return;
        }
        let (Ok(own), Ok(made)) =
            (u32::try_from(moved.now.variables), u32::try_from(after.variables - before.variables))
        else {
            return;
        };
        let variables = moved.variables.iter().map(|(_, now)| *now).chain([own]).collect();
        let alike = Alike { constraints: first..first + length, kind: before.constraints, variables, made };
        self.out.alike.push(alike);
    }

    /// What an application of this function makes of these operands, if an earlier one made the same of others.
    pub(super) fn again(&mut self, function: usize, operands: &[TensorId], span: Span) -> Option<TensorId> {
        if self.scopes.len() > 1 {
            return None;
        }
        let application = self.made.remove(&function)?;
        let result = self.made_again(&application, operands, span);
        self.made.insert(function, application);
        result
    }

    fn made_again(&mut self, application: &Application, operands: &[TensorId], span: Span) -> Option<TensorId> {
        let Application { begun, after, result, discardable, .. } = application;
        let (before, now) = (&begun.before, self.lengths());
        // A name that the program has given to a size since can be one that the body looks for.
        if now.sizes != before.sizes || self.depth > begun.depth {
            return None;
        }
        self.has_room(after.operations - before.operations, span).ok()?;
        let moved = Moved::of(&self.out.tensors, begun, operands, now)?;
        let mut full = String::new();
        for (sort, name) in application.variables(&self.out.names) {
            match (name, sort) {
                (Some(name), sort) => {
                    self.trail.write_row(name, &mut full);
                    self.out.names.new_var(*sort, &full);
                }
                (None, Sort::Dim) => drop(self.out.names.fresh_dim()),
                (None, Sort::Row) => drop(self.out.names.fresh_row()),
            }
        }
        self.copy(before, after, &moved, span);
        for i in before.bindings..after.bindings {
            let (name, tensor) = &self.out.bindings[i];
            self.trail.write_name(&name[begun.prefixes[0]..], &mut full);
            let tensor = moved.tensor(*tensor);
            self.name(full.as_str().into(), tensor);
        }
        for i in before.captures..after.captures {
            let Capture { name, of, span } = &self.out.captures[i];
            let name = self.trail.name(&name[begun.prefixes[0]..]);
            self.out.captures.push(Capture { name, of: moved.measure(of), span: *span });
        }
        self.out.discardable.extend(discardable.iter().map(|v| moved.dim_var(*v)));
        self.alike(before, after, &moved);
        Some(moved.tensor(*result))
    }

    /// All that has no name.
    fn copy(&mut self, before: &Lengths, after: &Lengths, moved: &Moved, span: Span) {
        let Generated { tensors, operations, constraints, origins, fixed, claims, claim_origins, .. } = &mut self.out;
        for i in before.tensors..after.tensors {
            tensors.push(moved.made(&tensors[i]));
        }
        let mut calls = Calls { span, last: None };
        for i in before.operations..after.operations {
            operations.push(moved.operation(&operations[i], &mut calls));
        }
        for i in before.constraints..after.constraints {
            constraints.push(moved.constraint(&constraints[i]));
            origins.push(moved.origin(&origins[i]));
        }
        for i in before.fixed..after.fixed {
            fixed.push(moved.fixed(&fixed[i]));
        }
        for i in before.claims..after.claims {
            claims.push(moved.claim(&claims[i]));
            claim_origins.push(moved.claim_origin(&claim_origins[i]));
        }
    }

    fn lengths(&self) -> Lengths {
        let out = &self.out;
        Lengths {
            variables: out.names.len(),
            tensors: out.tensors.len(),
            bindings: out.bindings.len(),
            operations: out.operations.len(),
            constraints: out.constraints.len(),
            captures: out.captures.len(),
            fixed: out.fixed.len(),
            claims: out.claims.len(),
            sizes: self.scopes.first().map_or(0, |scope| scope.sizes.len()),
        }
    }
}

/// The applications that an operation is part of, where the outermost is another one. Operations share them.
struct Calls {
    span: Span,
    /// Those of the last operation, and what stands for them.
    last: Option<[Arc<[Span]>; 2]>,
}

impl Calls {
    fn of(&mut self, calls: &Arc<[Span]>) -> Arc<[Span]> {
        match &self.last {
            Some([of, moved]) if Arc::ptr_eq(of, calls) => moved.clone(),
            _ => {
                let moved: Arc<[Span]> = [self.span].into_iter().chain(calls.iter().skip(1).copied()).collect();
                self.last = Some([calls.clone(), moved.clone()]);
                moved
            }
        }
    }
}

/// What stands for what: numbers from some on are moved, and those before are an operand's.
struct Moved {
    before: Lengths,
    now: Lengths,
    tensors: Vec<(TensorId, TensorId)>,
    variables: Vec<(u32, u32)>,
}

/// With more operands, or more variables in them, an application is walked: for each use all are looked through.
const MOST_PAIRS: usize = 16;

/// Adds a pair, if there is room and the first of them does not stand for something else.
fn pair<T: Copy + PartialEq>(pairs: &mut Vec<(T, T)>, one: T, other: T) -> bool {
    match pairs.iter().find(|(known, _)| *known == one) {
        Some((_, known)) => *known == other,
        None if pairs.len() == MOST_PAIRS => false,
        None => {
            pairs.push((one, other));
            true
        }
    }
}

fn stands_for<T: Copy + PartialEq>(pairs: &[(T, T)], one: T) -> T {
    pairs.iter().find(|(known, _)| *known == one).map_or(one, |(_, other)| *other)
}

impl Moved {
    /// These operands for those, if their rows are the same up to variables.
    fn of(tensors: &[Tensor], begun: &Begun, operands: &[TensorId], now: Lengths) -> Option<Self> {
        let mut moved = Moved { before: begun.before, now, tensors: Vec::new(), variables: Vec::new() };
        let alike = begun.operands.iter().zip(operands).all(|(one, other)| {
            pair(&mut moved.tensors, *one, *other) && moved.shapes(&tensors[*one].shape, &tensors[*other].shape)
        });
        alike.then_some(moved)
    }

    fn shapes(&mut self, one: &ShapeTerm, other: &ShapeTerm) -> bool {
        Kind::ALL.into_iter().all(|kind| self.rows(one.get(kind), other.get(kind)))
    }

    fn rows(&mut self, one: &RowTerm, other: &RowTerm) -> bool {
        let middles = match (one.var, other.var) {
            (Some(one), Some(other)) => pair(&mut self.variables, one.0, other.0),
            (one, other) => one == other,
        };
        let mut flanks = |one: &[DimTerm], other: &[DimTerm]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.dims(*one, *other))
        };
        middles && flanks(&one.lead, &other.lead) && flanks(&one.trail, &other.trail)
    }

    fn dims(&mut self, one: DimTerm, other: DimTerm) -> bool {
        match (one, other) {
            (DimTerm::Var(one), DimTerm::Var(other)) => pair(&mut self.variables, one.0, other.0),
            (one, other) => one == other,
        }
    }

    #[inline]
    fn variable(&self, number: u32) -> u32 {
        match (number as usize).checked_sub(self.before.variables) {
            Some(_) => number + (self.now.variables - self.before.variables) as u32,
            None => stands_for(&self.variables, number),
        }
    }

    fn dim_var(&self, v: DimVar) -> DimVar {
        DimVar(self.variable(v.0))
    }

    #[inline]
    fn dim(&self, term: DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(v) => self.dim_var(v).into(),
            ground => ground,
        }
    }

    #[inline]
    fn row(&self, row: &RowTerm) -> RowTerm {
        let flank = |flank: &[DimTerm]| -> Flank {
            if flank.is_empty() { Flank::default() } else { flank.iter().map(|t| self.dim(*t)).collect() }
        };
        RowTerm { lead: flank(&row.lead), var: row.var.map(|v| RowVar(self.variable(v.0))), trail: flank(&row.trail) }
    }

    #[inline]
    fn constraint(&self, constraint: &Constraint) -> Constraint {
        match constraint {
            Constraint::DimEq(s, t) => Constraint::DimEq(self.dim(*s), self.dim(*t)),
            Constraint::DimLe(s, t) => Constraint::DimLe(self.dim(*s), self.dim(*t)),
            Constraint::RowEq(s, t) => Constraint::RowEq(self.row(s), self.row(t)),
            Constraint::RowLe(s, t) => Constraint::RowLe(self.row(s), self.row(t)),
        }
    }

    fn claim(&self, claim: &SizeClaim) -> SizeClaim {
        let mut vars = BTreeSet::new();
        claim.collect_vars(&mut vars);
        let map = vars.into_iter().fold(Map::identity(), |map, var| match var {
            Var::Dim(v) => map.with_dim(v, self.dim_var(v)),
            Var::Row(v) => map.with_row(v, RowVar(self.variable(v.0)).into()),
        });
        claim.apply(&map)
    }

    fn measure(&self, measure: &Measure) -> Measure {
        match measure {
            Measure::Dim(dim) => Measure::Dim(self.dim(*dim)),
            Measure::Row(row) => Measure::Row(self.row(row)),
        }
    }

    fn tensor(&self, tensor: TensorId) -> TensorId {
        match tensor.checked_sub(self.before.tensors) {
            Some(own) => self.now.tensors + own,
            None => stands_for(&self.tensors, tensor),
        }
    }

    #[inline]
    fn number(&self, operation: usize) -> usize {
        self.now.operations + (operation - self.before.operations)
    }

    /// A tensor that it made, without its name.
    fn made(&self, Tensor { name: _, role, shape, span, value, by, markers }: &Tensor) -> Tensor {
        Tensor {
            name: None,
            role: *role,
            shape: ByKind::of(|kind| self.row(shape.get(kind))),
            span: *span,
            value: value.as_ref().map(|value| match value {
                Literal::Size(name, measure) => Literal::Size(name.clone(), self.measure(measure)),
                other => other.clone(),
            }),
            by: by.map(|by| self.number(by)),
            markers: markers.clone(),
        }
    }

    fn operation(&self, of: &Operation, calls: &mut Calls) -> Operation {
        let constraint = |number: usize| self.now.constraints + (number - self.before.constraints);
        Operation {
            result: self.tensor(of.result),
            operands: of.operands.iter().map(|id| self.tensor(*id)).collect(),
            spec: of.spec.clone(),
            template: of.template.moved(|number| self.variable(number)),
            factors: of.factors.iter().map(|(name, t)| (name.clone(), self.dim(*t))).collect(),
            index: of.index.clone(),
            calls: calls.of(&of.calls),
            constraints: constraint(of.constraints.start)..constraint(of.constraints.end),
            ..*of
        }
    }

    #[inline]
    fn origin(&self, origin: &Origin) -> Origin {
        Origin { operation: origin.operation.map(|it| self.number(it)), label: origin.label.clone(), ..*origin }
    }

    fn fixed(&self, at: &FixedIndex) -> FixedIndex {
        FixedIndex { axis: self.dim(at.axis), operation: self.number(at.operation), ..*at }
    }

    fn claim_origin(&self, origin: &ClaimOrigin) -> ClaimOrigin {
        ClaimOrigin { operation: origin.operation.map(|it| self.number(it)), ..origin.clone() }
    }
}
