//! Actual shapes against declared ones (D9).

use super::dim::{Dim, Size};
use super::error::{Operation, Position, ShapeError, ShapeProblem};
use super::shape::Shape;
use std::collections::BTreeMap;

/// Checks at run time. One of them sees all tensors of a run, so that a variable has one size in all of them.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    sizes: BTreeMap<u32, u64>,
}

impl Verifier {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Verifier::default()
    }

    /// Is this the shape that was declared? Resolve the declared shape first.
    ///
    /// # Errors
    /// [`ShapeError`] with both shapes, at the first axis that is wrong.
    pub fn verify(&mut self, actual: &[u64], declared: &Shape) -> Result<(), ShapeError> {
        let fail = |at, problem| {
            // A size of 0 has no literal; it is shown by the problem.
            let seen = actual.iter().map(|n| Size::new(*n).map_or(Dim::Dynamic, Dim::Literal)).collect();
            Err(ShapeError { operation: Operation::Verify, shapes: vec![Shape(seen), declared.clone()], at, problem })
        };
        if actual.len() != declared.rank() {
            return fail(vec![], ShapeProblem::RankMismatch(actual.len(), declared.rank()));
        }
        for (axis, (&n, dim)) in actual.iter().zip(&declared.0).enumerate() {
            let at = || vec![Position::new(0, axis), Position::new(1, axis)];
            if Size::new(n).is_none_or(|n| !dim.range().contains(n)) {
                return fail(at(), ShapeProblem::Actual { actual: n, declared: dim.to_string() });
            }
            if let Dim::Var(var) = dim {
                let seen = *self.sizes.entry(var.id()).or_insert(n);
                if seen != n {
                    return fail(at(), ShapeProblem::Actual { actual: n, declared: format!("{var} = {seen}") });
                }
            }
        }
        Ok(())
    }
}

/// [`Verifier::verify`] for one tensor.
///
/// # Errors
/// As there.
pub fn verify(actual: &[u64], declared: &Shape) -> Result<(), ShapeError> {
    Verifier::new().verify(actual, declared)
}
