//! Bounds of elements and bytes from ranges (D10). No bound is said to be none, and a product that does not fit
//! 128 bits is an error.

use super::dim::Dim;
use super::shape::Shape;
use std::fmt;

/// At least `min`, and at the most `max`; without `max` there is no upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The lower bound.
    pub min: u128,
    /// The upper bound, if there is one.
    pub max: Option<u128>,
}

/// A number that does not fit 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} elements or bytes: that does not fit 128 bits", u128::MAX)
    }
}

impl std::error::Error for TooLarge {}

impl Bounds {
    /// Nothing at all.
    pub const ZERO: Bounds = Bounds::exactly(0);

    /// This number.
    #[must_use]
    pub const fn exactly(n: u128) -> Self {
        Bounds { min: n, max: Some(n) }
    }

    /// All of these together. Where one has no upper bound there is none, whatever the others come to.
    fn combine(
        all: impl Iterator<Item = Bounds> + Clone,
        none: u128,
        with: fn(u128, u128) -> Option<u128>,
    ) -> Result<Bounds, TooLarge> {
        let min = all.clone().map(|b| b.min).try_fold(none, with).ok_or(TooLarge)?;
        if all.clone().any(|b| b.max.is_none()) {
            return Ok(Bounds { min, max: None });
        }
        let max = all.filter_map(|b| b.max).try_fold(none, with).ok_or(TooLarge)?;
        Ok(Bounds { min, max: Some(max) })
    }

    /// The sum of all.
    ///
    /// # Errors
    /// [`TooLarge`] when it does not fit.
    pub fn sum(all: impl Iterator<Item = Bounds> + Clone) -> Result<Bounds, TooLarge> {
        Bounds::combine(all, 0, u128::checked_add)
    }

    /// The sum.
    ///
    /// # Errors
    /// [`TooLarge`] when it does not fit.
    pub fn plus(self, other: Bounds) -> Result<Bounds, TooLarge> {
        Bounds::sum([self, other].into_iter())
    }

    /// The product with a number of copies.
    ///
    /// # Errors
    /// [`TooLarge`] when it does not fit.
    pub fn times(self, n: u128) -> Result<Bounds, TooLarge> {
        match n {
            // Nothing of what has no bound is nothing.
            0 => Ok(Bounds::ZERO),
            n => Bounds::combine([self, Bounds::exactly(n)].into_iter(), 1, u128::checked_mul),
        }
    }

    /// The larger of the two, bound by bound.
    #[must_use]
    pub fn or_larger(self, other: Bounds) -> Bounds {
        let max = self.max.zip(other.max).map(|(a, b)| a.max(b));
        Bounds { min: self.min.max(other.min), max }
    }

    /// Is this number within the bounds?
    #[must_use]
    pub fn contains(self, n: u128) -> bool {
        self.min <= n && self.max.is_none_or(|max| n <= max)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max {
            Some(max) if max == self.min => write!(f, "{max}"),
            Some(max) => write!(f, "{} to {max}", self.min),
            None => write!(f, "{} or more", self.min),
        }
    }
}

/// How many elements an axis has.
fn axis(dim: &Dim) -> Bounds {
    let range = dim.range();
    Bounds { min: range.lo().get().into(), max: range.hi().map(|hi| hi.get().into()) }
}

/// How many elements a tensor of this shape has (D10). Resolve the shape first: what a variable stands for is the
/// context's to say.
///
/// # Errors
/// [`TooLarge`] when a bound does not fit 128 bits.
pub fn elements(shape: &Shape) -> Result<Bounds, TooLarge> {
    Bounds::combine(shape.0.iter().map(axis), 1, u128::checked_mul)
}

/// How many bytes it takes with elements of this size.
///
/// # Errors
/// [`TooLarge`] when a bound does not fit 128 bits.
pub fn bytes(shape: &Shape, element: u64) -> Result<Bounds, TooLarge> {
    elements(shape)?.times(element.into())
}
