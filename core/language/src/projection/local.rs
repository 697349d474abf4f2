//! Global sizes, local identities: the projections of one operation, and of all.
//!
//! The sizes are those of the closed shapes. The identities are new: what an operation identifies is what its own
//! constraints say, and nothing that another one does (Lemma 7.7 (b)). So the answer depends on little, which a
//! situation lists, and operations in one situation share one answer.

use super::error::ProjectError;
use super::names::Taken;
use super::situation::{Situation, tensors};
use crate::Inference;
use crate::generate::TensorId;
use crate::known::Known;
use crate::shape::Kind;
use lozenge_calculus::projection::elaborate::Elaborated;
use lozenge_calculus::projection::record::{Projections, Slot};
use lozenge_engine::solver::Limits;
use std::ops::Deref;
use std::sync::Arc;

/// An axis of one occurrence of a tensor: what an id stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    /// The occurrence.
    pub slot: Slot,
    /// The kind of the row.
    pub kind: Kind,
    /// The place in that row, from 0.
    pub position: usize,
    /// The size.
    pub size: u64,
}

/// An operation with its projections: those of its loop nest, whose fields are read as if they were its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projected {
    /// The number of the operation.
    pub operation: usize,
    /// The tensors, by slot: the result, then the operands.
    pub tensors: Vec<TensorId>,
    /// The rest, which operations in the same situation share.
    pub nest: Arc<Nest>,
}

impl Deref for Projected {
    type Target = Nest;

    fn deref(&self) -> &Nest {
        &self.nest
    }
}

/// The loop nest of an operation, whatever its tensors are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nest {
    /// What each id stands for.
    pub axes: Vec<Axis>,
    /// E, with the rule for each equation.
    pub equations: Vec<Elaborated>,
    /// The outcome.
    pub record: Projections,
}

/// The projections of every operation.
///
/// # Errors
/// As [`project`].
pub fn project_all(inferred: &Inference) -> Result<Vec<Projected>, ProjectError> {
    project_within(inferred, inferred.policy.limits)
}

/// The same, within limits of its own.
pub(crate) fn project_within(inferred: &Inference, limits: Limits) -> Result<Vec<Projected>, ProjectError> {
    let operations = &inferred.generated.operations;
    let taken = Taken::of(inferred);
    let mut all: Vec<Projected> = Vec::with_capacity(operations.len());
    let mut known = Known::default();
    for (operation, op) in operations.iter().enumerate() {
        let next = Situation::of(inferred, op);
        let nest = match known.find(|earlier| Situation::of(inferred, &operations[earlier]) == next, || next) {
            Ok(earlier) => Arc::clone(&all[earlier].nest),
            Err(situation) => Arc::new(situation.nest(op.span, limits, &taken)?),
        };
        all.push(Projected { operation, tensors: tensors(op).collect(), nest });
    }
    Ok(all)
}

/// The projections of one operation of a program whose shapes are inferred.
///
/// # Errors
/// A [`ProjectError`].
pub fn project(inferred: &Inference, operation: usize) -> Result<Projected, ProjectError> {
    let op = inferred.generated.operations.get(operation).ok_or(ProjectError::NoSuchOperation(operation))?;
    let nest = Situation::of(inferred, op).nest(op.span, inferred.policy.limits, &Taken::of(inferred))?;
    Ok(Projected { operation, tensors: tensors(op).collect(), nest: Arc::new(nest) })
}
