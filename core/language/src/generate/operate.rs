//! Operations: each with the constraints of its logic.

use super::logic::{self, Related, Template};
use super::pattern::Pattern;
use super::sized;
use super::walk::{Walk, Walked, wrong};
use super::{
    FixedIndex, Generated, Logic, Marker, Measure, Operand, Operation, Origin, Primitive, Role, Specification, TensorId,
};
use crate::ast::{Accumulate, DimValue, Index, Name, Quoted, SpecUse, TernaryOp};
use crate::einsum::{self, Spec};
use crate::error::{ProgramError, ProgramProblem, in_spec, within};
use crate::shape::Kind;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::term::DimTerm;
use lozenge_notation::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Operations of one program.
const MOST_OPERATIONS: usize = 1_000_000;

impl<'p> Walk<'p> {
    /// An operation without a specification, into a new tensor.
    pub(super) fn plain(
        &mut self,
        logic: Logic,
        primitive: Primitive,
        accumulate: Accumulate,
        operands: Vec<TensorId>,
        span: Span,
    ) -> Walked<TensorId> {
        let result = self.result(span);
        self.operation(logic, primitive, (true, accumulate), (result, operands), span)?;
        Ok(result)
    }

    pub(super) fn result(&mut self, span: Span) -> TensorId {
        let shape = self.open_shape();
        let result = self.tensor(Role::Interior, shape, span);
        self.out.tensors[result].by = Some(self.out.operations.len());
        result
    }

    pub(super) fn operation(
        &mut self,
        logic: Logic,
        primitive: Primitive,
        (erase, accumulate): (bool, Accumulate),
        (result, operands): (TensorId, Vec<TensorId>),
        span: Span,
    ) -> Walked<usize> {
        self.has_room(1, span)?;
        let Generated { tensors, operations, constraints, origins, .. } = &mut self.out;
        let (number, start) = (operations.len(), constraints.len());
        let shape = |id: TensorId| &tensors[id].shape;
        // Specifications and slices come with constraints of their own; the other logics have three operands at most.
        let mut shapes = [shape(result); 3];
        shapes.iter_mut().zip(&operands).for_each(|(to, id)| *to = shape(*id));
        debug_assert!(operands.len() <= shapes.len() || logic == Logic::Einsum || logic == Logic::Block);
        let count = operands.len().min(shapes.len());
        logic::plain(logic, shape(result), &shapes[..count], &mut keep(constraints, origins, number, |_| span));
        operations.push(Operation {
            logic,
            primitive,
            accumulate,
            erase,
            begun: false,
            result,
            operands,
            spec: None,
            template: Template::default(),
            factors: BTreeMap::new(),
            index: None,
            span,
            calls: self.calls.clone(),
            constraints: start..constraints.len(),
        });
        Ok(number)
    }

    /// Are so many more operations not too many?
    pub(super) fn has_room(&self, operations: usize, span: Span) -> Walked<()> {
        let all = self.out.operations.len().saturating_add(operations);
        if all > MOST_OPERATIONS { wrong(ProgramProblem::TooLarge, span) } else { Ok(()) }
    }

    pub(super) fn slice(&mut self, operand: TensorId, index: &Index, span: Span) -> Walked<TensorId> {
        // No axis has an element with that index.
        if *index == Index::Number(u64::MAX) {
            return wrong(ProgramProblem::Number(u64::MAX.to_string()), span);
        }
        let (result, with) = (self.result(span), vec![operand]);
        let number =
            self.operation(Logic::Slice, Primitive::Copy, (true, Accumulate::Replace), (result, with), span)?;
        let Generated { names, tensors, operations, constraints, origins, .. } = &mut self.out;
        let (r, a) = (&tensors[result].shape, &tensors[operand].shape);
        let axis = logic::slice(names, r, a, &mut keep(constraints, origins, number, |_| span));
        operations[number].constraints.end = constraints.len();
        operations[number].index = Some(index.clone());
        if let Index::Number(index) = index {
            let (operand, kind) = (Operand::Argument(0), Kind::Batch);
            self.out.fixed.push(FixedIndex { axis: axis.into(), index: *index, operation: number, operand, kind });
        }
        Ok(result)
    }

    /// A function of three operands, with or without a specification.
    pub(super) fn ternary(
        &mut self,
        op: TernaryOp,
        spec: Option<&'p SpecUse>,
        operands: Vec<TensorId>,
        span: Span,
    ) -> Walked<TensorId> {
        let primitive = Primitive::Ternary(op);
        match (op, spec) {
            (TernaryOp::Fma, None) => {
                let result = self.plain(Logic::ComposeAccumulate, primitive, Accumulate::Add, operands, span)?;
                if let Some(op) = self.out.operations.last_mut() {
                    op.begun = true;
                }
                Ok(result)
            }
            (TernaryOp::Fma, Some(spec)) => wrong(ProgramProblem::NoSpec(op.text()), spec.text.span),
            (_, None) => self.plain(Logic::Pointwise, primitive, Accumulate::Replace, operands, span),
            (_, Some(spec)) => self.specified(spec, primitive, Accumulate::Add, operands, span),
        }
    }

    /// An operation with a specification, into a new tensor.
    pub(super) fn specified(
        &mut self,
        spec: &'p SpecUse,
        primitive: Primitive,
        accumulate: Accumulate,
        operands: Vec<TensorId>,
        span: Span,
    ) -> Walked<TensorId> {
        let result = self.result(span);
        let number = self.by_spec(&spec.text, primitive, (true, accumulate), (result, operands), span)?;
        for name in &spec.captures {
            self.capture(name, number)?;
        }
        Ok(result)
    }

    pub(super) fn by_spec(
        &mut self,
        quoted: &'p Quoted,
        primitive: Primitive,
        how: (bool, Accumulate),
        (result, operands): (TensorId, Vec<TensorId>),
        span: Span,
    ) -> Walked<usize> {
        let specification = self.specification(quoted)?;
        let spec = &specification.spec;
        if spec.operands.len() != operands.len() {
            let (spec, operation) = (spec.operands.len(), operands.len());
            return wrong(ProgramProblem::Operands { spec, operation }, quoted.span);
        }
        let factors = self.factors(&specification)?;
        let logic = match (operands.len(), primitive) {
            (1, _) => Logic::Permute,
            (_, Primitive::Copy) => Logic::Block,
            _ => Logic::Einsum,
        };
        let number = self.operation(logic, primitive, how, (result, operands), span)?;
        let slots = &specification.slots;
        let place = |operand: Operand| match operand {
            Operand::Argument(i) => slots.get(i).copied().unwrap_or(span),
            _ => slots.last().copied().unwrap_or(span),
        };
        let Generated { names, tensors, operations, constraints, origins, .. } = &mut self.out;
        let operation = &mut operations[number];
        let shapes = operation.operands.iter().chain([&result]).map(|id| &tensors[*id].shape);
        let pattern = &specification.pattern;
        let (template, fixed) = logic::einsum(names, pattern, shapes, &mut keep(constraints, origins, number, place));
        operation.constraints.end = constraints.len();
        self.claims(number, &specification, &template, &factors);
        let operation = &mut self.out.operations[number];
        (operation.factors, operation.template, operation.spec) = (factors, template, Some(specification));
        self.out.fixed.extend(fixed.into_iter().map(|at| FixedIndex { operation: number, ..at }));
        Ok(number)
    }

    /// A specification, read where it is used first.
    fn specification(&mut self, quoted: &'p Quoted) -> Walked<Arc<Specification>> {
        if let Some(known) = self.specifications.get(&std::ptr::from_ref(quoted)) {
            return Ok(known.clone());
        }
        let spec: Spec = quoted.text.parse().map_err(|error| in_spec(error, quoted.span))?;
        let spec = match self.convolution {
            Some(mode) => spec.with_mode(mode),
            None => spec,
        };
        if let Some(affine) = sized::without_mode(&spec) {
            let at = einsum::unspecified(&quoted.text).unwrap_or_default();
            return wrong(ProgramProblem::Mode(Box::new(affine)), within(at, quoted.span));
        }
        if let Some((text, label)) = sized::repeated(&spec) {
            return wrong(ProgramProblem::RepeatedPart { text, label }, quoted.span);
        }
        let (slots, discardable, factors) =
            (slot_spans(quoted), sized::discardable(&spec), sized::named_factors(&spec));
        let pattern = Arc::new(Pattern::of(&spec));
        let new = Arc::new(Specification { spec, pattern, quoted: quoted.clone(), slots, discardable, factors });
        self.specifications.insert(quoted, new.clone());
        Ok(new)
    }

    /// `["h"]`: the name gets the label's size; a name that exists already is the same size.
    fn capture(&mut self, name: &Name, operation: usize) -> Walked<()> {
        let template = &self.out.operations[operation].template;
        let label = template.label(&name.text).map(|v| Measure::Dim(v.into()));
        let row = || template.row_var(&name.text).map(|v| Measure::Row(v.into()));
        let Some(found) = label.or_else(row) else {
            return wrong(ProgramProblem::NoSuchLabel(name.text.clone()), name.span);
        };
        match (self.measure(&name.text).cloned(), found) {
            (None, found) => self.define_size(name, found),
            (Some(Measure::Dim(old)), Measure::Dim(new)) => {
                self.equate(&name.text, old, new, name.span);
                Ok(())
            }
            (Some(old), new) => self.sizes(name, &old, 1, Some(&new), name.span),
        }
    }

    /// A statement about dimensions, outside any operation's own constraints.
    pub(super) fn equate(&mut self, label: &str, left: DimTerm, right: DimTerm, span: Span) {
        let (operand, kind, marker) = (Operand::Result, Kind::Output, Marker::Inherited);
        let origin = Origin { operation: None, operand, kind, label: Some(label.to_owned()), marker, span };
        self.out.constraints.push(Constraint::DimEq(left, right));
        self.out.origins.push(origin);
    }

    pub(super) fn dimension(&mut self, name: &Name, value: &DimValue, span: Span) -> Walked<()> {
        let left = self.size_named(name)?;
        let (times, right) = match value {
            DimValue::Size(n) => (*n, None),
            DimValue::Same(other) => (1, Some(self.size_named(other)?)),
            DimValue::Scaled(n, other) => (*n, Some(self.size_named(other)?)),
        };
        let right = match (&left, times, &right) {
            (Measure::Dim(_), n, None) => {
                DimTerm::Dim(Dim::size(n).map_err(|_| ProgramError::new(ProgramProblem::SizeZero, span))?)
            }
            (Measure::Dim(_), 1, Some(Measure::Dim(right))) => *right,
            _ => return self.sizes(name, &left, times, right.as_ref(), span),
        };
        if let Measure::Dim(left) = left {
            self.equate(&name.text, left, right, span);
        }
        Ok(())
    }

    /// What a name of sizes stands for: an axis, if it is new.
    pub(super) fn size_named(&mut self, name: &Name) -> Walked<Measure> {
        if self.scopes.iter().any(|scope| scope.tensors.has(&name.text)) {
            let (is, needed) = ("a tensor (which `let` defines)", "the name of a size");
            return wrong(ProgramProblem::WrongSort { name: name.text.clone(), is, needed }, name.span);
        }
        match self.measure(&name.text) {
            Some(measure) => Ok(measure.clone()),
            None => self.named_dim(&name.text, name.span).map(Measure::Dim),
        }
    }
}

/// Adds constraints of an operation to those of the program, each with its origin.
fn keep<'a>(
    constraints: &'a mut Vec<Constraint>,
    origins: &'a mut Vec<Origin>,
    number: usize,
    span: impl Fn(Operand) -> Span + 'a,
) -> impl FnMut(Related) + 'a {
    move |Related { constraint, operand, kind, marker }| {
        constraints.push(constraint);
        origins.push(Origin { operation: Some(number), operand, kind, label: None, marker, span: span(operand) });
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
