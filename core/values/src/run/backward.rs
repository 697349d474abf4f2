//! The gradients of one tensor.

use super::{Machine, dims};
use crate::error::RunError;
use crate::gradient::{Backward, backward, named, through_assignment};
use crate::point::Point;
use crate::scalar::{Scalar, ScalarError};
use crate::value::{Value, zeros};
use crate::walk::Assign;
use lozenge_language::ast::Accumulate;
use lozenge_language::generate::{Logic, Operation, Role, TensorId};
use lozenge_language::projection::{Projected, Slot};
use std::collections::BTreeSet;

/// A backward assignment of an operation.
pub(super) struct Step<'p> {
    /// The place of the operation among all.
    at: usize,
    pub nest: &'p Projected,
    /// The tensor whose gradient it adds to.
    pub target: TensorId,
    line: Backward,
}

impl Step<'_> {
    /// How many points its loops have.
    pub fn points(&self) -> u128 {
        self.line.record(&self.nest.record).points()
    }
}

/// The tensor at a slot of an operation.
fn tensor(op: &Operation, slot: Slot) -> TensorId {
    match slot {
        Slot::Lhs => op.result,
        Slot::Rhs(i) => op.operands[i],
    }
}

impl<S: Scalar> Machine<'_, S> {
    /// Reverse mode: the operations up to the loss, last first, each with its backward code, as far as the gradient of the
    /// loss reaches and somebody wants it.
    pub(super) fn steps<'p>(&self, nests: &'p [Projected]) -> Result<Vec<Step<'p>>, RunError> {
        let mut steps = Vec::new();
        let wanted = self.wanted(nests);
        let mut reached: BTreeSet<TensorId> = self.options.grad.into_iter().collect();
        for (at, nest) in nests.iter().enumerate().rev() {
            let op = self.operation(nest);
            if !reached.contains(&op.result) {
                continue;
            }
            let flows = op.operands.iter().any(|id| wanted[*id]);
            if self.inferred.generated.tensors[op.result].by != Some(nest.operation) {
                if wanted[op.result] {
                    self.passes(&nests[..at], op, flows)?;
                }
            } else if flows {
                let lines = backward(op).map_err(|why| RunError::NoGradient { why, span: op.span })?;
                let mine = lines.into_iter().map(|line| Step { at, nest, target: tensor(op, line.target), line });
                for step in mine.filter(|step| wanted[step.target]) {
                    reached.insert(step.target);
                    steps.push(step);
                }
            }
        }
        Ok(steps)
    }

    /// Takes these steps, and says of each how many points it had.
    pub(super) fn backward(
        &mut self,
        nests: &[Projected],
        steps: &[Step<'_>],
        progress: &mut dyn FnMut(u128),
    ) -> Result<(), RunError> {
        let Some(loss) = self.options.grad else { return Ok(()) };
        let failed = |span| move |error| RunError::Scalar { error, span };
        let span = self.inferred.generated.tensors[loss].span;
        let one = S::one().map_err(failed(span))?;
        self.gradients.extend(Value::full(self.dims(loss), &one).map(|ones| (loss, ones)));
        // The tensors that were written after the operation at hand: what it read or wrote is no longer there.
        let mut later = BTreeSet::new();
        let mut behind = nests.len();
        for step in steps {
            later.extend(nests[step.at + 1..behind].iter().map(|nest| self.operation(nest).result));
            behind = step.at + 1;
            self.consume(step, &later)?;
            progress(step.points());
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
        for id in self.given_anyway().collect::<Vec<_>>() {
            if !self.gradients.contains_key(&id) {
                let failed = |error| RunError::Scalar { error, span: tensors[id].span };
                self.gradients.insert(id, zeros(dims(self.inferred, id)).map_err(failed)?);
            }
        }
        self.gradients.retain(|id, _| asked[*id] || *id == loss);
        Ok(())
    }

    /// The tensors that get a gradient even where the loss does not depend on them.
    pub(super) fn given_anyway(&self) -> impl Iterator<Item = TensorId> {
        let tensors = self.inferred.generated.tensors.iter().enumerate();
        let sure = |id: &TensorId, role: Role| role == Role::Param || self.options.wrt.contains(id);
        tensors.map(|(id, tensor)| (id, tensor.role)).filter(move |(id, role)| sure(id, *role)).map(|(id, _)| id)
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
        let why = through_assignment(&self.inferred.generated, op.result);
        Err(RunError::NoGradient { why, span: op.span })
    }

    /// One backward assignment: the forward record with another map for the target.
    fn consume(&mut self, step: &Step<'_>, later: &BTreeSet<TensorId>) -> Result<(), RunError> {
        let Step { nest, target: id, line, .. } = step;
        let op = self.operation(nest);
        // What the program does not ask for by itself is said with the backward code that asks for it.
        let failed = |error: ScalarError| match error {
            ScalarError::Unsupported { .. } => {
                let why = format!("there is no gradient of it here: its code is `{}`, and {error}", line.text);
                RunError::NoGradient { why, span: op.span }
            }
            error => RunError::Scalar { error, span: op.span },
        };
        let mut target = match self.gradients.remove(id) {
            Some(target) => target,
            None => self.unwritten(*id).map_err(failed)?,
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
            let id = tensor(op, named.slot);
            if !named.gradient && later.contains(&id) {
                let why =
                    format!("its gradient needs the value that `{}` had before it was assigned to", self.name(id));
                return Err(RunError::NoGradient { why, span: op.span });
            }
            let value = if named.gradient { self.gradients.get(&id) } else { self.values[id].as_ref() };
            reads.push((named.slot, value.ok_or_else(no_code)?));
        }
        // Each operand of a block has a part of its own, and the third of `fma` is joined by itself.
        let apart = op.logic == Logic::Block || line.once;
        let also: Vec<Slot> = if apart { vec![Slot::Lhs] } else { nest.record.slots().collect() };
        let it = Assign {
            record: &line.record(&nest.record),
            target: line.target,
            reads,
            value,
            accumulate: line.assignment.op.accumulate,
            erase: line.assignment.op.erase,
            also: &also,
            padding: op.accumulate,
            externals: &self.externals,
            spare: self.spare(),
        };
        self.walk(&it, &mut target).map_err(failed)?;
        self.gradients.insert(*id, target);
        Ok(())
    }
}
