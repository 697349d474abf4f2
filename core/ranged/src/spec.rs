//! What users write of a dimension, and the dimension it becomes (D3).

use super::dim::{Dim, EmptyRange, Range, Size};
use std::fmt;

/// A dimension as it is declared: a sample size with an optional name and optional bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DimSpec {
    /// The label.
    pub name: Option<String>,
    /// A size that the axis may have, for a first run.
    pub sample: u64,
    /// The least size.
    pub min: Option<u64>,
    /// The greatest size.
    pub max: Option<u64>,
}

/// Why a declaration is no dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecError {
    /// A size of 0: the sample or a bound.
    SizeZero(&'static str),
    /// min > max.
    EmptyRange(EmptyRange),
    /// The sample is outside the bounds.
    Sample {
        /// The sample.
        sample: Size,
        /// The bounds.
        range: Range,
    },
    /// A name that is empty.
    NoName,
    /// Bounds that leave a choice, without a name: no dimension says that.
    RangeWithoutName(Range),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::SizeZero(what) => write!(f, "the {what} is 0: sizes are whole numbers from 1 to {}", u64::MAX),
            SpecError::EmptyRange(error) => error.fmt(f),
            SpecError::Sample { sample, range } => write!(f, "the sample {sample} is not in {range}"),
            SpecError::NoName => write!(f, "the name is empty: leave it out, or write one"),
            SpecError::RangeWithoutName(range) => {
                write!(f, "the range {range} needs a name: only a named dimension has a range")
            }
        }
    }
}

impl std::error::Error for SpecError {}

impl DimSpec {
    /// The dimension that is declared (D3).
    ///
    /// # Errors
    /// [`SpecError`] says which field is wrong.
    pub fn dim(&self) -> Result<Dim, SpecError> {
        let size = |n: u64, what| Size::new(n).ok_or(SpecError::SizeZero(what));
        let sample = size(self.sample, "sample")?;
        let min = self.min.map(|n| size(n, "lower bound")).transpose()?;
        let max = self.max.map(|n| size(n, "upper bound")).transpose()?;
        let range = Range::new(min.unwrap_or(Size::MIN), max).map_err(SpecError::EmptyRange)?;
        // Without bounds and without a name the sample is no more than an example.
        if !range.contains(sample) {
            return Err(SpecError::Sample { sample, range });
        }
        match (&self.name, range.only()) {
            (Some(name), _) if name.is_empty() => Err(SpecError::NoName),
            (Some(name), _) => Ok(Dim::named(name, range)),
            (None, Some(v)) => Ok(Dim::Literal(v)),
            (None, None) if range == Range::ANY => Ok(Dim::Dynamic),
            (None, None) => Err(SpecError::RangeWithoutName(range)),
        }
    }
}
