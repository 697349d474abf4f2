//! Values of tensors.

use super::scalar::{Computed, Scalar};

/// The value of a tensor: row-major, axes in the order batch, output, input.
#[derive(Clone, PartialEq, Debug)]
pub struct Value<S> {
    /// The sizes of the axes.
    pub dims: Vec<u64>,
    /// The cells.
    pub data: Vec<S>,
}

/// A way to make up data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fill {
    /// The same number in every cell.
    Constant(f64),
    /// start, start + step, start + 2·step, …, in the order of storage.
    Range {
        /// The first cell.
        start: f64,
        /// What each cell adds.
        step: f64,
    },
}

/// How many cells these axes have, if that fits.
#[must_use]
pub fn cells(dims: &[u64]) -> Option<usize> {
    let product = dims.iter().try_fold(1_u64, |product, n| product.checked_mul(*n))?;
    usize::try_from(product).ok()
}

impl<S: Scalar> Value<S> {
    /// The same scalar in every cell; none if there are too many.
    #[must_use]
    pub fn full(dims: Vec<u64>, cell: &S) -> Option<Self> {
        let data = vec![cell.clone(); cells(&dims)?];
        Some(Value { dims, data })
    }

    /// Made-up data; none if there are too many cells.
    ///
    /// # Errors
    /// A number that is not one of these scalars.
    pub fn filled(dims: Vec<u64>, fill: Fill) -> Computed<Option<Self>> {
        let Some(count) = cells(&dims) else { return Ok(None) };
        let data = match fill {
            Fill::Constant(x) => vec![S::number(x)?; count],
            #[allow(clippy::cast_precision_loss)]
            Fill::Range { start, step } => {
                (0..count).map(|i| S::number(start + step * i as f64)).collect::<Computed<_>>()?
            }
        };
        Ok(Some(Value { dims, data }))
    }
}
