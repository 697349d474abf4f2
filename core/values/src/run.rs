//! Running programs: operations in order, and the gradients of one tensor.

mod backward;
mod limits;

use super::error::RunError;
use super::plan;
use super::point::Point;
use super::scalar::{Computed, Scalar};
use super::supply::{self, Supply, supplies, takes_data};
use super::value::{Fill, Value, cells, zeros};
use super::walk::{self, Assign, Externals};
use lozenge_language::ast::{Accumulate, Array, BinaryOp};
use lozenge_language::generate::{Literal, Logic, Measure, Operation, Role, TensorId};
use lozenge_language::projection::record::STORAGE;
use lozenge_language::projection::{Index, Label, Projected, Projections, Slot};
use lozenge_language::{Inference, Numeral};
use std::collections::BTreeMap;

pub use limits::{RunLimits, small_enough};

/// What a program gets from outside.
#[derive(Clone, Debug)]
pub struct Inputs<S> {
    /// Values of tensors.
    pub values: BTreeMap<TensorId, Value<S>>,
    /// What inputs, parameters and constants without a value get; without it they are an error.
    pub fill: Option<Fill>,
    /// Values of indices.
    pub externals: Externals,
}

impl<S> Default for Inputs<S> {
    fn default() -> Self {
        Inputs { values: BTreeMap::new(), fill: None, externals: Externals::new() }
    }
}

/// How a program runs.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The tensor whose gradients are wanted.
    pub grad: Option<TensorId>,
    /// Tensors that its gradients are wanted for, beside parameters and what the program asks for with `.grad`.
    pub wrt: Vec<TensorId>,
    /// Walk every product space as the definition says, and not by a plan.
    pub naive: bool,
    /// The limits.
    pub limits: RunLimits,
}

/// What a run leaves behind.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome<S> {
    /// The value of each tensor.
    pub values: Vec<Option<Value<S>>>,
    /// The gradients that were asked for.
    pub gradients: BTreeMap<TensorId, Value<S>>,
}

/// Runs a program. The gradients of `options.grad` are computed as soon as it has its value, so that later
/// assignments may use them.
///
/// # Errors
/// A [`RunError`].
pub fn run<S: Scalar>(
    inferred: &Inference,
    nests: &[Projected],
    inputs: Inputs<S>,
    options: &Options,
) -> Result<Outcome<S>, RunError> {
    run_with(inferred, nests, inputs, options, &mut |_, _| {})
}

/// As [`run`], and tells after each loop nest how many points it had, and how many all have, those of gradients too.
///
/// # Errors
/// A [`RunError`].
pub fn run_with<S: Scalar>(
    inferred: &Inference,
    nests: &[Projected],
    inputs: Inputs<S>,
    options: &Options,
    progress: &mut dyn FnMut(u128, u128),
) -> Result<Outcome<S>, RunError> {
    let mut machine = Machine::new(inferred, inputs, options)?;
    let last = options.grad.and_then(|loss| nests.iter().rposition(|nest| nest.tensors.first() == Some(&loss)));
    let upto = &nests[..last.map_or(0, |last| last + 1)];
    let steps = machine.steps(upto)?;
    let total = machine.within_limits(nests, &steps)?;
    let progress = &mut |points| progress(points, total);
    if options.grad.is_some() && last.is_none() {
        machine.backward(upto, &steps, progress)?;
    }
    for (i, nest) in nests.iter().enumerate() {
        machine.forward(nest)?;
        progress(nest.record.points());
        if Some(i) == last {
            machine.backward(upto, &steps, progress)?;
        }
    }
    Ok(Outcome { values: machine.values, gradients: machine.gradients })
}

struct Machine<'a, S> {
    inferred: &'a Inference,
    options: &'a Options,
    externals: Externals,
    values: Vec<Option<Value<S>>>,
    gradients: BTreeMap<TensorId, Value<S>>,
    /// The cells of all tensors, and of the gradients once these are known.
    cells: u128,
}

impl<'a, S: Scalar> Machine<'a, S> {
    /// Leaves have their values, and what assignments make begins at 0.
    fn new(inferred: &'a Inference, inputs: Inputs<S>, options: &'a Options) -> Result<Self, RunError> {
        supply::known(inferred, inputs.values.keys().chain(&options.grad).copied())?;
        let supplies = supplies(&inferred.generated);
        supply::check(inferred, &supplies, &inputs)?;
        let Inputs { values: mut given, fill, externals } = inputs;
        let values = vec![None; inferred.generated.tensors.len()];
        let cells = small_enough(inferred, &options.limits)?;
        let mut machine = Machine { inferred, options, externals, values, gradients: BTreeMap::new(), cells };
        let mut missing = Vec::new();
        for (id, tensor) in inferred.generated.tensors.iter().enumerate() {
            let dims = machine.dims(id);
            let failed = |error| RunError::Scalar { error, span: tensor.span };
            let value = match (given.remove(&id), supplies[id], &fill) {
                (Some(value), _, _) => Some(machine.checked(id, value)?),
                (None, _, _) if !takes_data(tensor.role) && tensor.role != Role::Literal => None,
                (None, Supply::Overwritten(_), _) => None,
                (None, _, _) if tensor.value.is_some() => machine.literal(id).map_err(failed)?,
                (None, _, Some(fill)) => Value::filled(dims, fill).map_err(failed)?,
                (None, Supply::Idle, None) => None,
                (None, Supply::Needed, None) => {
                    missing.push((machine.name(id), dims));
                    None
                }
            };
            machine.values[id] = value;
        }
        if missing.is_empty() { Ok(machine) } else { Err(RunError::Missing(missing)) }
    }

    fn name(&self, id: TensorId) -> String {
        lozenge_language::projection::show::tensor_name(&self.inferred.generated, id)
    }

    /// The sizes of a tensor in the order of storage.
    fn dims(&self, id: TensorId) -> Vec<u64> {
        dims(self.inferred, id)
    }

    fn checked(&self, id: TensorId, value: Value<S>) -> Result<Value<S>, RunError> {
        let expected = self.dims(id);
        if value.dims != expected {
            return Err(RunError::Dims { tensor: self.name(id), expected, found: value.dims });
        }
        match cells::<S>(&expected) {
            Some(cells) if cells == value.data.len() => Ok(value),
            cells => {
                let (expected, found) = (cells.map_or(u128::MAX, |n| n as u128), value.data.len());
                Err(RunError::Cells { tensor: self.name(id), expected, found })
            }
        }
    }

    /// The value of a literal, or what a parameter begins with.
    fn literal(&self, id: TensorId) -> Computed<Option<Value<S>>> {
        let data = match &self.inferred.generated.tensors[id].value {
            None => return Ok(None),
            Some(Literal::Number(x)) => return Ok(Value::full(self.dims(id), &S::literal(x)?)),
            Some(Literal::Array(array)) => flatten(array)?,
            Some(Literal::Range) => return Value::filled(self.dims(id), &Fill::range(0.0, 1.0)),
            Some(Literal::Size(_, of)) => {
                let size = match of {
                    Measure::Dim(dim) => self.inferred.size_of(*dim).into(),
                    Measure::Row(row) => product(self.inferred.row(row).flat().map(|d| d.elements())),
                };
                vec![S::literal(&Numeral::from(size))?]
            }
        };
        Ok(Some(Value { dims: self.dims(id), data }))
    }

    fn operation(&self, nest: &Projected) -> &'a Operation {
        &self.inferred.generated.operations[nest.operation]
    }

    /// Def. 7.2's side condition for symbols: the caller's promise, checked (Thm. 7.8 (1)).
    fn indices(&self, nest: &Projected) -> Result<(), RunError> {
        let span = self.operation(nest).span;
        for slot in nest.record.slots() {
            for axis in nest.record.map(slot) {
                let Label::At(Index::External(name)) = &axis.label else { continue };
                let name = name.clone();
                match self.externals.get(&name) {
                    None => return Err(RunError::NoIndex { name, span }),
                    Some(value) if *value >= axis.size => {
                        return Err(RunError::Index { name, value: *value, size: axis.size, span });
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// The forward assignment of an operation.
    fn forward(&mut self, nest: &Projected) -> Result<(), RunError> {
        self.indices(nest)?;
        let op = self.operation(nest);
        let record = &nest.record;
        if op.begun {
            // The sum of products begins at c: v =: v3, once for each cell; then v =+ v1 *. v2.
            let once = record.once(&[Slot::Lhs, Slot::Rhs(2)]);
            self.assign(op, &once, &[Slot::Rhs(2)], Point::Read(0), (Accumulate::Replace, true))?;
            let product = Point::primitive(lozenge_language::generate::Primitive::Binary(BinaryOp::Mul));
            return self.assign(op, record, &[Slot::Rhs(0), Slot::Rhs(1)], product, (Accumulate::Add, false));
        }
        if op.logic == Logic::Block {
            if self.joined(op, record) {
                return Ok(());
            }
            // Each operand has its own part: one after the other, and only the first erases.
            for i in 0..op.operands.len() {
                let how = (op.accumulate, op.erase && i == 0);
                self.assign(op, record, &[Slot::Rhs(i)], Point::Read(0), how)?;
            }
            return Ok(());
        }
        let reads: Vec<Slot> = (0..op.operands.len()).map(Slot::Rhs).collect();
        self.assign(op, record, &reads, Point::primitive(op.primitive), (op.accumulate, op.erase))
    }

    fn assign(
        &mut self,
        op: &Operation,
        record: &Projections,
        reads: &[Slot],
        value: Point<S>,
        (accumulate, erase): (Accumulate, bool),
    ) -> Result<(), RunError> {
        let failed = |error| RunError::Scalar { error, span: op.span };
        let aliased = op.operands.contains(&op.result);
        let mut target = match self.values[op.result].take() {
            Some(target) => target,
            None if !aliased => self.unwritten(op.result).map_err(failed)?,
            None => zeros(self.dims(op.result)).map_err(failed)?,
        };
        // An operand that is the target is read as it was before. The limit does not count this copy, of which there is one
        // at a time, no larger than a tensor that it does count; what a plan copies must fit beside it.
        let aliased = aliased.then(|| target.clone());
        let spare = self.spare().saturating_sub(aliased.as_ref().map_or(0, |before| before.data.len() as u128));
        let mut tensors = Vec::new();
        for slot in reads {
            let Slot::Rhs(i) = slot else { continue };
            let id = op.operands[*i];
            if id != op.result && self.values[id].is_none() {
                self.values[id] = Some(zeros(self.dims(id)).map_err(failed)?);
            }
            tensors.push((*slot, id));
        }
        let reads = tensors.iter().filter_map(|(slot, id)| {
            let value = if *id == op.result { aliased.as_ref() } else { self.values[*id].as_ref() };
            Some((*slot, value?))
        });
        let externals = &self.externals;
        let it = Assign {
            record,
            target: Slot::Lhs,
            reads: reads.collect(),
            value,
            accumulate,
            erase,
            also: &[],
            padding: op.accumulate,
            externals,
            spare,
        };
        self.walk(&it, &mut target).map_err(failed)?;
        self.values[op.result] = Some(target);
        Ok(())
    }

    /// A new tensor whose operands each have their own part, made at once; false where there is no plan for that.
    fn joined(&mut self, op: &Operation, record: &Projections) -> bool {
        let new = self.values[op.result].is_none() && !op.operands.contains(&op.result);
        if self.options.naive || !op.erase || !new {
            return false;
        }
        let it = |(i, id): (usize, &TensorId)| {
            Some(Assign {
                record,
                target: Slot::Lhs,
                reads: vec![(Slot::Rhs(i), self.values[*id].as_ref()?)],
                value: Point::Read(0),
                accumulate: op.accumulate,
                erase: i == 0,
                also: &[],
                padding: op.accumulate,
                externals: &self.externals,
                spare: self.spare(),
            })
        };
        let all: Option<Vec<Assign<'_, S>>> = op.operands.iter().enumerate().map(it).collect();
        let dims = self.dims(op.result);
        let data = all.and_then(|all| S::joined(&all, &dims));
        let done = data.is_some();
        self.values[op.result] = data.map(|data| Value { dims, data });
        done
    }

    /// A tensor that nothing has written. A plan makes the cells itself.
    fn unwritten(&self, id: TensorId) -> Computed<Value<S>> {
        let dims = self.dims(id);
        if self.options.naive { zeros(dims) } else { Ok(Value { dims, data: Vec::new() }) }
    }

    fn walk(&self, it: &Assign<'_, S>, target: &mut Value<S>) -> Computed<()> {
        if self.options.naive { walk::assign(it, target) } else { plan::assign(it, target) }
    }
}

/// The sizes of a tensor in the order of storage: batch, output, input.
#[must_use]
pub fn dims(inferred: &Inference, id: TensorId) -> Vec<u64> {
    let shape = &inferred.shapes[id];
    STORAGE.iter().flat_map(|kind| shape.get(*kind).flat()).map(lozenge_calculus::dim::Dim::elements).collect()
}

/// The product of sizes; as large as can be where it does not fit.
fn product(sizes: impl Iterator<Item = u64>) -> u128 {
    sizes.fold(1, |product, n| product.saturating_mul(n.into()))
}

fn flatten<S: Scalar>(array: &Array) -> Computed<Vec<S>> {
    match array {
        Array::Number(x) => Ok(vec![S::literal(x)?]),
        Array::List(list) => Ok(list.iter().map(flatten).collect::<Computed<Vec<_>>>()?.concat()),
    }
}
