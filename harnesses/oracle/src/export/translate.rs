//! A whole program as steps on arrays: its leaves, then its operations in order.
//!
//! A tensor that is assigned several times has a node for each time; its name stands for the last.

use super::graph::{Graph, Id, Step, cells};
use super::limits::{check_array, check_initial, check_step, fits_table};
use super::operation::Assign;
use super::refusal::{Language, Refusal, Why};
use lozenge::interp::scalar::joins;
use lozenge::interp::{Supply, dims, supplies};
use lozenge::notation::Span;
use lozenge::program::Inference;
use lozenge::program::ast::{Accumulate, Array, BinaryOp};
use lozenge::program::generate::{Literal, Logic, Measure, Operation, Primitive, Role, TensorId};
use lozenge::projection::show::tensor_name;
use lozenge::projection::{Address, Index, Label, Projected, Projections, Slot};
use std::collections::BTreeMap;

/// A program as steps.
pub struct Translated {
    pub graph: Graph,
    /// The last node of each tensor.
    pub values: Vec<Option<Id>>,
    /// What a leaf holds where nothing is given: parameters with an initialiser.
    pub initial: BTreeMap<TensorId, Id>,
    /// The nodes of indices from outside.
    pub indices: BTreeMap<String, Id>,
}

/// Refuses a program that reads a gradient.
pub fn no_gradients(inferred: &Inference, language: Language) -> Result<(), Refusal> {
    let generated = &inferred.generated;
    let read = generated.tensors.iter().find_map(|tensor| match tensor.role {
        Role::Gradient(of) => Some((tensor.span, tensor_name(generated, of))),
        _ => None,
    });
    read.map_or(Ok(()), |(span, of)| Err(Refusal { language, why: Why::Gradient(of), span }))
}

/// Translates every operation.
pub fn translate(inferred: &Inference, nests: &[Projected], language: Language) -> Result<Translated, Refusal> {
    let refuse = |span: Span| move |why: Why| Refusal { language, why, span };
    no_gradients(inferred, language)?;
    let tensors = &inferred.generated.tensors;
    for (id, tensor) in tensors.iter().enumerate() {
        check_array(&dims(inferred, id)).map_err(refuse(tensor.span))?;
    }
    let made = begin(inferred, nests);
    for (id, node) in &made.initial {
        check_initial(&made.graph.nodes[*node], language).map_err(refuse(tensors[*id].span))?;
    }
    let mut to = Translator { inferred, language, made };
    for nest in nests {
        let op = &inferred.generated.operations[nest.operation];
        let before = to.made.graph.nodes.len();
        to.operation(op, &nest.record).map_err(refuse(op.span))?;
        let steps = &to.made.graph.nodes[before..];
        steps.iter().try_for_each(|node| check_step(node, language)).map_err(refuse(op.span))?;
    }
    Ok(to.made)
}

/// The leaves, literals and indices of a program.
fn begin(inferred: &Inference, nests: &[Projected]) -> Translated {
    let tensors = &inferred.generated.tensors;
    let (mut graph, mut initial, mut indices) = (Graph::default(), BTreeMap::new(), BTreeMap::new());
    let mut values = vec![None; tensors.len()];
    for (id, (tensor, supply)) in tensors.iter().zip(supplies(&inferred.generated)).enumerate() {
        let begins = tensor.value.as_ref().map(|literal| literal_step(inferred, literal));
        let dims = dims(inferred, id);
        values[id] = match tensor.role {
            Role::Literal => begins.map(|step| graph.push(step, &[], dims)),
            Role::Input | Role::Param | Role::Const if !matches!(supply, Supply::Overwritten(_)) => {
                if let Some(step) = begins {
                    initial.insert(id, graph.push(step, &[], dims.clone()));
                }
                Some(graph.push(Step::Leaf(id), &[], dims))
            }
            _ => None,
        };
    }
    for axis in nests.iter().flat_map(|nest| nest.record.slots().flat_map(|slot| nest.record.map(slot))) {
        if let Label::At(Index::External(name)) = &axis.label {
            indices.entry(name.clone()).or_insert_with(|| graph.push(Step::Index(name.clone()), &[], Vec::new()));
        }
    }
    Translated { graph, values, initial, indices }
}

fn literal_step(inferred: &Inference, literal: &Literal) -> Step {
    match literal {
        Literal::Number(x) => Step::Full(x.value()),
        Literal::Range => Step::Range,
        Literal::Array(array) => {
            let mut cells = Vec::new();
            flatten(array, &mut cells);
            Step::Constant(cells)
        }
        Literal::Size(_, measure) => Step::Full(size_value(inferred, measure)),
    }
}

/// A size as a number.
#[allow(clippy::cast_precision_loss)]
pub fn size_value(inferred: &Inference, measure: &Measure) -> f64 {
    match measure {
        Measure::Dim(dim) => inferred.size_of(*dim) as f64,
        Measure::Row(row) => inferred.row(row).flat().map(|dim| dim.elements() as f64).product(),
    }
}

fn flatten(array: &Array, cells: &mut Vec<f64>) {
    match array {
        Array::Number(x) => cells.push(x.value()),
        Array::List(list) => list.iter().for_each(|inner| flatten(inner, cells)),
    }
}

struct Translator<'a> {
    inferred: &'a Inference,
    language: Language,
    made: Translated,
}

impl Translator<'_> {
    /// The value of a tensor now; one that nothing has written holds 0.
    fn now(&mut self, id: TensorId) -> Id {
        let zeros = dims(self.inferred, id);
        let graph = &mut self.made.graph;
        *self.made.values[id].get_or_insert_with(|| graph.full(0.0, &zeros))
    }

    fn operation(&mut self, op: &Operation, record: &Projections) -> Result<(), Why> {
        let operands: Vec<Id> = op.operands.iter().map(|id| self.now(*id)).collect();
        let value = if op.begun {
            // c counts once for each cell.
            let product = Primitive::Binary(BinaryOp::Mul);
            let sum = self.assign(record, vec![vec![0, 1]], (product, Accumulate::Add), op, &operands)?;
            let once = record.once(&[Slot::Lhs, Slot::Rhs(2)]);
            let begun = self.assign(&once, vec![vec![2]], (Primitive::Copy, Accumulate::Replace), op, &operands)?;
            self.made.graph.binary(BinaryOp::Add, sum, begun)
        } else {
            let all: Vec<usize> = (0..operands.len()).collect();
            let block = op.logic == Logic::Block;
            let turns = if block { all.iter().map(|i| vec![*i]).collect() } else { vec![all] };
            let primitive = if block { Primitive::Copy } else { op.primitive };
            let value = self.assign(record, turns, (primitive, op.accumulate), op, &operands)?;
            self.kept(op, record, value)?
        };
        self.made.values[op.result] = Some(value);
        Ok(())
    }

    fn assign(
        &mut self,
        record: &Projections,
        turns: Vec<Vec<usize>>,
        (primitive, accumulate): (Primitive, Accumulate),
        op: &Operation,
        operands: &[Id],
    ) -> Result<Id, Why> {
        let Translated { graph, indices, .. } = &mut self.made;
        let padding = op.accumulate.neutral();
        let language = self.language;
        Assign { record, turns, primitive, accumulate, padding, language, indices }.value(graph, operands)
    }

    /// What the target held before, joined with what is written now.
    fn kept(&mut self, op: &Operation, record: &Projections, value: Id) -> Result<Id, Why> {
        let Some(join) = joins(op.accumulate) else {
            return if op.erase { Ok(value) } else { self.where_written(op, record, value) };
        };
        if !op.erase {
            let old = self.now(op.result);
            let joined = self.made.graph.binary(join, old, value);
            // With its neutral element every other accumulation leaves a cell as it is; these two make it 0 or 1.
            let truth = matches!(op.accumulate, Accumulate::And | Accumulate::Or);
            return if truth { self.where_written(op, record, joined) } else { Ok(joined) };
        }
        match op.accumulate {
            Accumulate::Sub | Accumulate::Div | Accumulate::Pow => {
                let neutral = self.made.graph.full(op.accumulate.neutral(), &[]);
                Ok(self.made.graph.binary(join, neutral, value))
            }
            _ => Ok(value),
        }
    }

    /// A value in the cells that some point writes; what was there in the others.
    fn where_written(&mut self, op: &Operation, record: &Projections, value: Id) -> Result<Id, Why> {
        if record.is_surjective() {
            return Ok(value);
        }
        let (mask, old) = (written(record)?, self.now(op.result));
        let dims = self.made.graph.dims(value).to_vec();
        Ok(self.made.graph.push(Step::Overlay(mask), &[value, old], dims))
    }
}

/// The cells that some point writes.
fn written(record: &Projections) -> Result<Vec<bool>, Why> {
    let cells = cells(&record.lhs.iter().map(|axis| axis.size).collect::<Vec<_>>());
    fits_table(cells.max(record.points()))?;
    let mut mask = vec![false; usize::try_from(cells).map_err(|_| Why::Table(cells))?];
    let (factors, externals) = (record.factors(), BTreeMap::new());
    let mut point = record.first_point();
    while let Some(at) = &mut point {
        if let Address::Cell(cell) = lozenge::projection::affine::address(&record.lhs, at, &externals)
            && let Some(it) = mask.get_mut(cell)
        {
            *it = true;
        }
        if !record.next_point(&factors, at) {
            break;
        }
    }
    Ok(mask)
}
