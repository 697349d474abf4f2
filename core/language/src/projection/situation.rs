//! What the loop nest of an operation depends on.

use super::Index;
use crate::Inference;
use crate::ast::Index as Given;
use crate::einsum::Spec;
use crate::generate::{Logic, Operation, TensorId};
use crate::shape::{Kind, Shape};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

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

/// An operation as its loop nest sees it: two are equal where all that the loop nest depends on is.
#[derive(Clone, Copy)]
pub(super) struct Situation<'a> {
    inferred: &'a Inference,
    op: &'a Operation,
}

impl PartialEq for Situation<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.logic() == other.logic()
            && self.spec() == other.spec()
            && self.op.index == other.op.index
            && self.shapes().eq(other.shapes())
            && self.labels().eq(other.labels())
            && self.factors().eq(other.factors())
    }
}

impl Eq for Situation<'_> {}

impl Hash for Situation<'_> {
    /// Of the shapes the sizes only: few shapes differ in nothing else.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.logic(), self.spec(), &self.op.index).hash(state);
        self.labels().chain(self.factors()).for_each(|size| size.hash(state));
        let rows = self.shapes().flat_map(|shape| Kind::ALL.map(|kind| shape.get(kind)));
        rows.for_each(|row| row.flat().for_each(|dim| state.write_u64(dim.elements())));
    }
}

impl<'a> Situation<'a> {
    /// The situation of an operation of a program whose shapes are inferred.
    pub(super) fn of(inferred: &'a Inference, op: &'a Operation) -> Self {
        Situation { inferred, op }
    }

    pub(super) fn logic(&self) -> Logic {
        self.op.logic
    }

    pub(super) fn spec(&self) -> Option<Written<'a>> {
        self.op.spec.as_ref().map(|it| Written(&it.spec))
    }

    /// The index, for a slice.
    pub(super) fn index(&self) -> Option<Index> {
        self.op.index.as_ref().map(|index| match index {
            Given::Number(n) => Index::Fix(*n),
            Given::Name(name) => Index::External(name.clone()),
        })
    }

    /// The shapes, by slot.
    pub(super) fn shapes(&self) -> impl Iterator<Item = &'a Arc<Shape>> {
        let Situation { inferred, op } = *self;
        tensors(op).map(|t| &inferred.shapes[t])
    }

    /// The sizes of the labels, where an index is worked out from them.
    fn labels(&self) -> impl Iterator<Item = (&'a str, u64)> {
        let Situation { inferred, op } = *self;
        let labels = op.template.is_sized().then(|| op.template.labels());
        labels.into_iter().flatten().map(|(label, v)| (label, inferred.size_of(v.into())))
    }

    /// The strides and dilations that have names.
    fn factors(&self) -> impl Iterator<Item = (&'a str, u64)> {
        let Situation { inferred, op } = *self;
        op.factors.iter().map(|(name, t)| (name.as_str(), inferred.size_of(*t)))
    }

    /// The size of a label.
    pub(super) fn label(&self, label: &str) -> Option<u64> {
        self.labels().find(|(known, _)| *known == label).map(|(_, size)| size)
    }

    /// The size that a stride or dilation is.
    pub(super) fn factor(&self, name: &str) -> Option<u64> {
        self.factors().find(|(known, _)| *known == name).map(|(_, size)| size)
    }
}
