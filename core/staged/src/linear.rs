//! Size equations as linear equations, and the rules that propagate them: ST-same, ST-stride, ST-pad,
//! ST-valid, ST-concat.
//!
//! With the left side moved over, every size equation is Σ cᵢ·xᵢ + c = 0 over sizes. With one unknown it is
//! solved, with none it is checked; a stride or dilation can be the unknown. With several, each is bounded by what the
//! others can be: see `range.rs`. What a rule says is entailed.

use super::claim::{Affine, Mode};
use super::rule::StageRule;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::print::{Notation, Style};
use lozenge_calculus::term::DimVar;
use std::collections::BTreeMap;
use std::fmt;

/// A size as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A plain size; 0 for a discarded component.
    Count(u64),
    /// An unknown, and the least it can be: 0 or 1.
    Unknown(DimVar, u64),
    /// An atom with a basis where a distance is counted.
    Based(Dim),
}

/// Σ cᵢ·xᵢ + c = 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    pub(super) terms: Vec<(i128, Part)>,
    pub(super) constant: i128,
}

/// Why a claim cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SizeWhy {
    /// The two sides are different numbers.
    Differ(i128, i128),
    /// The rest is no multiple of the factor.
    NotDivisible(i128, i128),
    /// What is left for an unknown is less than the least size.
    TooSmall(i128, u64),
    /// A kernel with a basis.
    Based(Dim),
    /// Two axes of one size equation with different bases.
    Bases(Dim, Dim),
    /// What an unknown is at least is more than what it is at most.
    Empty(u128, u128),
    /// Every choice of sizes was looked at.
    Exhausted(u64),
    /// A stride, dilation or coefficient that is 0 or has a basis.
    BadFactor,
    /// A stride, dilation or coefficient that nothing determines.
    NoFactor,
    /// An offset that is not less than the stride, or one in a valid convolution.
    BadOffset(u64, u64),
    /// More axes than there are.
    Axes(usize, usize),
    /// A number that does not fit.
    TooLarge,
    /// No whole number has this power.
    NoRoot(u128, u32),
}

impl fmt::Display for SizeWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Style::default())
    }
}

impl Notation for SizeWhy {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            SizeWhy::Differ(a, b) => write!(f, "{a} is not {b}"),
            SizeWhy::NotDivisible(a, b) => write!(f, "{a} is not divisible by {b}"),
            SizeWhy::TooSmall(n, least) => write!(f, "a size would have to be {n}, and it is at least {least}"),
            SizeWhy::Based(d) => {
                d.write(f, style)?;
                f.write_str(" has a basis, and a kernel counts distances, which have none")
            }
            SizeWhy::Bases(a, b) => {
                a.write(f, style)?;
                f.write_str(" and ")?;
                b.write(f, style)?;
                f.write_str(" have different bases")
            }
            SizeWhy::Empty(least, most) => {
                write!(f, "a size would have to be at least {least} and at most {most}")
            }
            SizeWhy::Exhausted(choices) => write!(f, "none of the {choices} choices of sizes that are left does"),
            SizeWhy::BadFactor => write!(f, "a stride, dilation or coefficient must be a number from 1"),
            SizeWhy::NoFactor => write!(f, "nothing says what a stride, dilation or coefficient in it is"),
            SizeWhy::BadOffset(offset, 0) => {
                write!(f, "an offset of {offset} in a valid convolution reads beyond the last element")
            }
            SizeWhy::BadOffset(offset, stride) => {
                write!(f, "the offset {offset} must be less than the stride {stride}")
            }
            SizeWhy::Axes(a, b) => write!(f, "{a} axes are written and there are {b}"),
            SizeWhy::TooLarge => write!(f, "the numbers are too large"),
            SizeWhy::NoRoot(n, power) => write!(f, "{n} is not a whole number to the power {power}"),
        }
    }
}

/// What a rule derives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Derived {
    /// Nothing yet.
    Wait,
    /// The claim holds now whatever else comes.
    Done,
    /// The one unknown has this size, and then the claim holds.
    Size(DimVar, u64),
    /// There is no solution.
    Fail(SizeWhy),
}

impl Linear {
    fn term(mut self, coefficient: i128, part: Part) -> Self {
        self.terms.push((coefficient, part));
        self
    }

    /// One more term: factor·(extent − less). None while both are unknown: that is no linear equation.
    fn times(mut self, factor: Part, extent: Part, less: i128) -> Option<Self> {
        match (factor, extent) {
            (Part::Count(n), extent) => {
                self.constant -= i128::from(n) * less;
                Some(self.term(i128::from(n), extent))
            }
            (factor, Part::Count(n)) => Some(self.term(i128::from(n) - less, factor)),
            (_, Part::Based(_)) => Some(self.term(1, extent)),
            (_, Part::Unknown(..)) => None,
        }
    }

    /// d = Affine{…}; none while a factor is unknown and so is what it is multiplied with. The rule is named after the
    /// mode.
    ///
    /// # Errors
    /// [`SizeWhy`] for a term that is not well formed.
    pub fn affine(
        d: Part,
        affine: &Affine,
        (stride, dilation): (Part, Part),
        over: Part,
        kernel: Part,
    ) -> Result<Option<(StageRule, Linear)>, SizeWhy> {
        if [stride, dilation].contains(&Part::Count(0)) {
            return Err(SizeWhy::BadFactor);
        }
        if let Part::Count(stride) = stride
            && affine.offset >= stride
        {
            return Err(SizeWhy::BadOffset(affine.offset, stride));
        }
        let left = Linear::default().term(-1, d);
        match affine.mode() {
            Mode::Strided => Ok(left.times(stride, over, 0).map(|linear| (StageRule::Stride, linear))),
            Mode::Padded => Ok(left.times(stride, over, 0).map(|linear| (StageRule::Pad, linear))),
            Mode::Valid if affine.offset > 0 => Err(SizeWhy::BadOffset(affine.offset, 0)),
            // stride·(over − 1) + 1 + dilation·(kernel − 1)
            Mode::Valid => {
                let linear = left.times(stride, over, 1).and_then(|linear| linear.times(dilation, kernel, 1));
                Ok(linear.map(|linear| (StageRule::Valid, Linear { constant: linear.constant + 1, ..linear })))
            }
        }
    }

    /// d = Concat(…).
    #[must_use]
    pub fn concat(d: Part, parts: impl IntoIterator<Item = Part>) -> Linear {
        parts.into_iter().fold(Linear::default().term(-1, d), |sum, part| sum.term(1, part))
    }

    /// What follows.
    #[must_use]
    pub fn derive(&self) -> Derived {
        self.try_derive().unwrap_or_else(Derived::Fail)
    }

    fn try_derive(&self) -> Result<Derived, SizeWhy> {
        let mut known = self.constant;
        let mut unknown: BTreeMap<DimVar, (i128, u64)> = BTreeMap::new();
        for (coefficient, part) in &self.terms {
            match part {
                Part::Based(d) => return Err(SizeWhy::Based(*d)),
                Part::Count(n) => {
                    let product = coefficient.checked_mul(i128::from(*n)).ok_or(SizeWhy::TooLarge)?;
                    known = known.checked_add(product).ok_or(SizeWhy::TooLarge)?;
                }
                Part::Unknown(v, least) => {
                    let entry = unknown.entry(*v).or_insert((0, *least));
                    entry.0 += coefficient;
                }
            }
        }
        // What cancels is still a size that must be plain, once it is known.
        let written = unknown.len();
        unknown.retain(|_, (coefficient, _)| *coefficient != 0);
        let mut open = unknown.iter();
        match (open.next(), open.next()) {
            (None, _) if known == 0 && written == 0 => Ok(Derived::Done),
            (None, _) if known == 0 => Ok(Derived::Wait),
            (None, _) => Err(self.differ(known)),
            (Some((v, (coefficient, least))), None) => {
                let size = whole(-known, *coefficient, *least)?;
                Ok(Derived::Size(*v, size))
            }
            _ => Ok(Derived::Wait),
        }
    }

    /// The two sides: the first term is the left side, with coefficient −1.
    pub(super) fn differ(&self, known: i128) -> SizeWhy {
        match self.terms.first() {
            Some((_, Part::Count(left))) => SizeWhy::Differ(i128::from(*left), known + i128::from(*left)),
            _ => SizeWhy::Differ(0, known),
        }
    }
}

/// rest / coefficient, as a size.
fn whole(rest: i128, coefficient: i128, least: u64) -> Result<u64, SizeWhy> {
    let (rest, coefficient) = if coefficient < 0 { (-rest, -coefficient) } else { (rest, coefficient) };
    if rest % coefficient != 0 {
        return Err(SizeWhy::NotDivisible(rest, coefficient));
    }
    let size = rest / coefficient;
    if size < i128::from(least) {
        return Err(SizeWhy::TooSmall(size, least));
    }
    u64::try_from(size).map_err(|_| SizeWhy::TooLarge)
}
