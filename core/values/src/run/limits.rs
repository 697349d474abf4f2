//! How much a run uses, counted before any of it is done.

use super::backward::Step;
use super::{Machine, dims, product};
use crate::error::RunError;
use crate::scalar::Scalar;
use lozenge_language::generate::TensorId;
use lozenge_language::projection::Projected;
use lozenge_language::{Inference, Span};
use std::collections::BTreeSet;

/// How much a run may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunLimits {
    /// Cells of all tensors together, and of their gradients.
    pub elements: u128,
    /// Points of all product spaces together; a backward assignment has those of its operation once more.
    pub points: u128,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits { elements: 1 << 25, points: 1 << 32 }
    }
}

/// The cells of all tensors together, if they are few enough. To be asked before any is made.
///
/// # Errors
/// [`RunError::Limit`].
pub fn small_enough(inferred: &Inference, limits: &RunLimits) -> Result<u128, RunError> {
    let tensors = 0..inferred.generated.tensors.len();
    cells(inferred, tensors, 0, limits)
}

/// The cells of these tensors, beside so many others.
fn cells(
    inferred: &Inference,
    of: impl IntoIterator<Item = TensorId>,
    beside: u128,
    limits: &RunLimits,
) -> Result<u128, RunError> {
    let mut total = beside;
    for id in of {
        total = total.saturating_add(product(dims(inferred, id).into_iter()));
        limit("elements", total, limits.elements, inferred.generated.tensors[id].span)?;
    }
    Ok(total)
}

impl<S: Scalar> Machine<'_, S> {
    /// What is left of the limit on cells.
    pub(super) fn spare(&self) -> u128 {
        self.options.limits.elements.saturating_sub(self.cells)
    }

    /// The points of all operations and all backward assignments, before any runs. The cells of tensors were counted; here
    /// are those of gradients.
    pub(super) fn within_limits(&mut self, nests: &[Projected], steps: &[Step<'_>]) -> Result<u128, RunError> {
        let limits = &self.options.limits;
        let mut gradients: BTreeSet<TensorId> = steps.iter().map(|step| step.target).collect();
        if let Some(loss) = self.options.grad {
            gradients.extend(self.given_anyway().chain([loss]));
        }
        self.cells = cells(self.inferred, gradients, self.cells, limits)?;
        let forward = nests.iter().map(|nest| (nest.record.points(), self.operation(nest)));
        let backward = steps.iter().map(|step| (step.points(), self.operation(step.nest)));
        let mut total: u128 = 0;
        for (points, op) in forward.chain(backward) {
            total = total.saturating_add(points);
            limit("points", total, limits.points, op.span)?;
        }
        Ok(total)
    }
}

fn limit(which: &'static str, needed: u128, allowed: u128, span: Span) -> Result<(), RunError> {
    if needed > allowed { Err(RunError::Limit { which, needed, allowed, span }) } else { Ok(()) }
}
