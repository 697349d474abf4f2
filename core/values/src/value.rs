//! Values of tensors.

use super::scalar::{Computed, Scalar, ScalarError};
use lozenge_language::Numeral;
use lozenge_language::ast::BinaryOp;

/// The value of a tensor: row-major, axes in the order batch, output, input.
#[derive(Clone, PartialEq, Debug)]
pub struct Value<S> {
    /// The sizes of the axes.
    pub dims: Vec<u64>,
    /// The cells.
    pub data: Vec<S>,
}

/// A way to make up data.
#[derive(Clone, PartialEq, Debug)]
pub enum Fill {
    /// The same number in every cell.
    Constant(Numeral),
    /// start, start + step, start + 2·step, …, in the order of storage.
    Range {
        /// The first cell.
        start: Numeral,
        /// What each cell adds.
        step: Numeral,
    },
}

impl Fill {
    /// start, start + step, …
    #[must_use]
    pub const fn range(start: f64, step: f64) -> Self {
        Fill::Range { start: Numeral::float(start), step: Numeral::float(step) }
    }
}

/// How many cells of these scalars these axes have, if memory has addresses for so many.
#[must_use]
pub fn cells<S>(dims: &[u64]) -> Option<usize> {
    let product = dims.iter().try_fold(1_u64, |product, n| product.checked_mul(*n))?;
    let cells = usize::try_from(product).ok()?;
    std::alloc::Layout::array::<S>(cells).is_ok().then_some(cells)
}

impl<S: Scalar> Value<S> {
    /// The same scalar in every cell; none if there are too many.
    #[must_use]
    pub fn full(dims: Vec<u64>, cell: &S) -> Option<Self> {
        let data = vec![cell.clone(); cells::<S>(&dims)?];
        Some(Value { dims, data })
    }

    /// Made-up data; none if there are too many cells.
    ///
    /// # Errors
    /// A number that is not one of these scalars.
    pub fn filled(dims: Vec<u64>, fill: &Fill) -> Computed<Option<Self>> {
        let Some(count) = cells::<S>(&dims) else { return Ok(None) };
        let data = match fill {
            Fill::Constant(x) => vec![S::literal(x)?; count],
            Fill::Range { start, step } => progression(start, step, count)?,
        };
        Ok(Some(Value { dims, data }))
    }
}

/// start + i · step for each i: in exact scalars themselves, else in floating-point numbers.
fn progression<S: Scalar>(start: &Numeral, step: &Numeral, count: usize) -> Computed<Vec<S>> {
    let (first, by) = (S::literal(start)?, S::literal(step)?);
    #[allow(clippy::cast_precision_loss)]
    let cell = |i: usize| {
        if S::EXACT {
            let times = S::literal(&Numeral::from(i as u128))?;
            return S::binary(BinaryOp::Add, &first, &S::binary(BinaryOp::Mul, &by, &times)?);
        }
        S::nth(start.value(), step.value(), i as f64)
    };
    // At its size from the start: a collection of results would grow.
    let mut cells = Vec::with_capacity(count);
    for i in 0..count {
        cells.push(cell(i)?);
    }
    Ok(cells)
}

/// Cells that nothing has written.
pub(super) fn zeros<S: Scalar>(dims: Vec<u64>) -> Computed<Value<S>> {
    let too_many = ScalarError::Overflow { op: "size", operands: format!("{dims:?}") };
    Value::full(dims, &S::zero()?).ok_or(too_many)
}
