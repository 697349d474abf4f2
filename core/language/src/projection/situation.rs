//! What the loop nest of an operation depends on.

use super::Index;
use crate::Inference;
use crate::ast::Index as Given;
use crate::einsum::Spec;
use crate::generate::{Logic, Operation, TensorId};
use crate::shape::{Kind, Shape};
use std::hash::{Hash, Hasher};

/// The tensors of an operation, by slot.
pub(super) fn tensors(op: &Operation) -> impl Iterator<Item = TensorId> {
    [op.result].into_iter().chain(op.operands.iter().copied())
}

/// A specification as the program has it: another one is another, even if it says the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written<'a>(pub(super) &'a Spec);

impl PartialEq for Written<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Written<'_> {}

impl Hash for Written<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// All that the loop nest of an operation depends on.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Situation<'a> {
    pub(super) logic: Logic,
    pub(super) spec: Option<Written<'a>>,
    /// The index, for a slice.
    pub(super) index: Option<Index>,
    /// The shapes, by slot.
    pub(super) shapes: Vec<&'a Shape>,
    /// The sizes of the labels, where an index is worked out from them.
    labels: Vec<(&'a str, u64)>,
    /// The strides and dilations that have names.
    factors: Vec<(&'a str, u64)>,
}

impl Hash for Situation<'_> {
    /// Of the shapes the sizes only: few shapes differ in nothing else.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.logic, self.spec, &self.index, &self.labels, &self.factors).hash(state);
        let rows = self.shapes.iter().flat_map(|shape| Kind::ALL.map(|kind| shape.get(kind)));
        rows.for_each(|row| row.flat().for_each(|dim| state.write_u64(dim.elements())));
    }
}

impl<'a> Situation<'a> {
    /// The situation of an operation of a program whose shapes are inferred.
    pub(super) fn of(inferred: &'a Inference, op: &'a Operation) -> Self {
        let labels = op.template.labels().filter(|_| op.template.is_sized());
        Situation {
            logic: op.logic,
            spec: op.spec.as_ref().map(|it| Written(&it.spec)),
            index: op.index.as_ref().map(|index| match index {
                Given::Number(n) => Index::Fix(*n),
                Given::Name(name) => Index::External(name.clone()),
            }),
            shapes: tensors(op).map(|t| &inferred.shapes[t]).collect(),
            labels: labels.map(|(label, v)| (label, inferred.size_of(v.into()))).collect(),
            factors: op.factors.iter().map(|(name, t)| (name.as_str(), inferred.size_of(*t))).collect(),
        }
    }

    /// The size of a label.
    pub(super) fn label(&self, label: &str) -> Option<u64> {
        self.labels.iter().find(|(known, _)| *known == label).map(|(_, size)| *size)
    }

    /// The size that a stride or dilation is.
    pub(super) fn factor(&self, name: &str) -> Option<u64> {
        self.factors.iter().find(|(known, _)| *known == name).map(|(_, size)| *size)
    }
}
