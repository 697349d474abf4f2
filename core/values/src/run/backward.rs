//! The gradients of one tensor.

use super::{Machine, dims};
use crate::error::RunError;
use crate::gradient::{Backward, backward, named};
use crate::point::Point;
use crate::scalar::Scalar;
use crate::value::{Value, zeros};
use crate::walk::Assign;
use lozenge_language::ast::Accumulate;
use lozenge_language::generate::{Logic, Operation, Role, TensorId};
use lozenge_language::projection::{Projected, Slot};

impl<S: Scalar> Machine<'_, S> {
    /// Reverse mode: the operations up to the loss, last first, each with its backward code.
    pub(super) fn backward(&mut self, nests: &[Projected]) -> Result<(), RunError> {
        let Some(loss) = self.options.grad else { return Ok(()) };
        let wanted = self.wanted(nests);
        let failed = |span| move |error| RunError::Scalar { error, span };
        let span = self.inferred.generated.tensors[loss].span;
        let one = S::one().map_err(failed(span))?;
        self.gradients.extend(Value::full(self.dims(loss), &one).map(|ones| (loss, ones)));
        // The tensors that were written after the operation at hand: what it read or wrote is no longer there.
        let mut later = vec![false; wanted.len()];
        for (at, nest) in nests.iter().enumerate().rev() {
            let op = self.operation(nest);
            let reached = self.gradients.contains_key(&op.result);
            let flows = op.operands.iter().any(|id| wanted[*id]);
            if reached && self.inferred.generated.tensors[op.result].by != Some(nest.operation) {
                if wanted[op.result] {
                    self.passes(&nests[..at], op, flows)?;
                }
            } else if reached && flows {
                for line in backward(op).map_err(|why| RunError::NoGradient { why, span: op.span })? {
                    self.consume(nest, op, &line, (&wanted, &later))?;
                }
            }
            later[op.result] = true;
        }
        for (id, tensor) in self.inferred.generated.tensors.iter().enumerate() {
            if let Role::Gradient(of) = tensor.role {
                let value = match self.gradients.get(&of) {
                    Some(gradient) => gradient.clone(),
                    None => zeros(self.dims(id)).map_err(failed(tensor.span))?,
                };
                self.values[id] = Some(value);
            }
        }
        self.keep(loss)
    }

    /// Whose gradients stay: those of parameters, of what the program asks for with `.grad`, and of what was asked for
    /// from outside.
    fn asked(&self) -> Vec<bool> {
        let tensors = &self.inferred.generated.tensors;
        let mut asked: Vec<bool> = tensors.iter().map(|t| t.role == Role::Param).collect();
        let named = tensors.iter().filter_map(|t| if let Role::Gradient(of) = t.role { Some(of) } else { None });
        for id in named.chain(self.options.wrt.iter().copied()) {
            // A number that no tensor has asks for nothing.
            if let Some(it) = asked.get_mut(id) {
                *it = true;
            }
        }
        asked
    }

    /// Which tensors' gradients are needed: those that stay, and of what depends on one of them.
    fn wanted(&self, nests: &[Projected]) -> Vec<bool> {
        let mut wanted = self.asked();
        for nest in nests {
            let op = self.operation(nest);
            if op.operands.iter().any(|id| wanted[*id]) {
                wanted[op.result] = true;
            }
        }
        wanted
    }

    /// Only the gradients of leaves, and of what was asked for, are left. Where the loss does not depend on one, it is 0.
    fn keep(&mut self, loss: TensorId) -> Result<(), RunError> {
        let tensors = &self.inferred.generated.tensors;
        let asked = self.asked();
        for (id, tensor) in tensors.iter().enumerate() {
            let sure = tensor.role == Role::Param || self.options.wrt.contains(&id);
            if sure && !self.gradients.contains_key(&id) {
                let failed = |error| RunError::Scalar { error, span: tensor.span };
                self.gradients.insert(id, zeros(dims(self.inferred, id)).map_err(failed)?);
            }
        }
        self.gradients.retain(|id, _| asked[*id] || *id == loss);
        Ok(())
    }

    /// Is the gradient of a tensor that is assigned to the same before the assignment? So it is where something is added
    /// that no gradient is wanted of, and where all of it is replaced before anything was made of it: then its value
    /// begins here. Other assignments read their target, so that the gradient before them is another.
    fn passes(&self, before: &[Projected], op: &Operation, flows: bool) -> Result<(), RunError> {
        let adds = !op.erase && matches!(op.accumulate, Accumulate::Add | Accumulate::Sub);
        let begins = || {
            let mut before = before.iter().map(|nest| self.operation(nest));
            before.all(|earlier| earlier.result != op.result && !earlier.operands.contains(&op.result))
        };
        if !flows && (adds || op.erase && begins()) {
            return Ok(());
        }
        let why = format!("there is no gradient through the assignment to `{}`", self.name(op.result));
        Err(RunError::NoGradient { why, span: op.span })
    }

    /// One backward assignment: the forward record with another map for the target.
    fn consume(
        &mut self,
        nest: &Projected,
        op: &Operation,
        line: &Backward,
        (wanted, later): (&[bool], &[bool]),
    ) -> Result<(), RunError> {
        let tensor = |slot: Slot| match slot {
            Slot::Lhs => op.result,
            Slot::Rhs(i) => op.operands[i],
        };
        let id = tensor(line.target);
        if !wanted[id] {
            return Ok(());
        }
        let failed = |error| RunError::Scalar { error, span: op.span };
        let mut target = match self.gradients.remove(&id) {
            Some(target) => target,
            None => self.unwritten(id).map_err(failed)?,
        };
        let mut names = Vec::new();
        let mut read = |name: &str| {
            let named = named(name)?;
            let known = names.iter().position(|other| *other == named);
            known.or_else(|| {
                names.push(named);
                Some(names.len() - 1)
            })
        };
        let no_code =
            || RunError::NoGradient { why: format!("`{}` is not a scalar expression", line.text), span: op.span };
        let value = Point::expression(&line.assignment.value, &mut read).map_err(failed)?.ok_or_else(no_code)?;
        let mut reads = Vec::new();
        for named in &names {
            let id = tensor(named.slot);
            if !named.gradient && later[id] {
                let why =
                    format!("its gradient needs the value that `{}` had before it was assigned to", self.name(id));
                return Err(RunError::NoGradient { why, span: op.span });
            }
            let value = if named.gradient { self.gradients.get(&id) } else { self.values[id].as_ref() };
            reads.push((named.slot, value.ok_or_else(no_code)?));
        }
        let once = line.once.then(|| nest.record.once(&[Slot::Lhs, line.target]));
        // Each operand of a block has a part of its own, and the third of `fma` is joined by itself.
        let apart = op.logic == Logic::Block || line.once;
        let also: Vec<Slot> = if apart { vec![Slot::Lhs] } else { nest.record.slots().collect() };
        let it = Assign {
            record: once.as_ref().unwrap_or(&nest.record),
            target: line.target,
            reads,
            value,
            accumulate: line.assignment.op.accumulate,
            erase: line.assignment.op.erase,
            also: &also,
            padding: op.accumulate,
            externals: &self.externals,
        };
        self.walk(&it, &mut target).map_err(failed)?;
        self.gradients.insert(id, target);
        Ok(())
    }
}
