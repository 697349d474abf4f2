//! Exact fractions with checked overflow.

use super::scalar::{Computed, Scalar, ScalarError, both};
use lozenge_language::Decimal;
use lozenge_language::ast::{Accumulate, BinaryOp, UnaryOp};
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use std::fmt;

/// A fraction of whole numbers of 128 bits, in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rational(Ratio<i128>);

impl Rational {
    /// n / d.
    #[must_use]
    pub fn new(n: i128, d: i128) -> Option<Self> {
        // The least number has no negative, which lowest terms may need.
        let fits = |x: i128| x != i128::MIN;
        (d != 0 && fits(n) && fits(d)).then(|| Rational(Ratio::new(n, d)))
    }

    /// A result. Where it has the least number it does not fit: that is read by none, and not all operations take it.
    fn checked(result: Option<Ratio<i128>>) -> Option<Self> {
        result.filter(|it| *it.numer() != i128::MIN).map(Rational)
    }

    fn whole(n: i128) -> Self {
        Rational(Ratio::from_integer(n))
    }

    fn truth(holds: bool) -> Self {
        Self::whole(i128::from(holds))
    }

    fn power(self, exponent: Ratio<i128>) -> Option<Self> {
        let n = exponent.is_integer().then(|| exponent.to_integer())?;
        if self.0.is_integer() && n != 0 && (-1..=1).contains(self.0.numer()) {
            // These have all powers; an even one of −1 is 1.
            return Some(if n % 2 == 0 { Rational(self.0.checked_mul(&self.0)?) } else { self });
        }
        let n = i32::try_from(n).ok()?;
        let base = if n < 0 { Ratio::from_integer(1).checked_div(&self.0)? } else { self.0 };
        let mut power = Ratio::from_integer(1);
        let (mut square, mut left) = (base, n.unsigned_abs());
        while left > 0 {
            if left % 2 == 1 {
                power = power.checked_mul(&square)?;
            }
            left /= 2;
            if left > 0 {
                square = square.checked_mul(&square)?;
            }
        }
        Self::checked(Some(power))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Scalar for Rational {
    const NAME: &'static str = "fractions";
    const EXACT: bool = true;

    fn number(x: f64) -> Computed<Self> {
        // The shortest decimal of a number is the one that was written.
        Self::read(&format!("{x:?}"))
    }

    fn read(text: &str) -> Computed<Self> {
        let not_a_number = || ScalarError::NotANumber { text: text.to_owned(), scalar: Self::NAME };
        if let Some((n, d)) = text.split_once('/') {
            let both = n.trim().parse().ok().zip(d.trim().parse().ok());
            return both.and_then(|(n, d)| Self::new(n, d)).ok_or_else(not_a_number);
        }
        // A decimal, exactly: 0.1 is one tenth.
        let decimal = Decimal::of(text.trim()).ok_or_else(not_a_number)?;
        let range = "numerator and denominator have 128 bits";
        let fits = decimal.ratio().and_then(|(n, d)| Self::new(n, d));
        fits.ok_or_else(|| ScalarError::OutOfRange { text: text.to_owned(), range })
    }

    fn unary(op: UnaryOp, x: &Self) -> Computed<Self> {
        match op {
            UnaryOp::Relu => Ok((*x).max(Self::whole(0))),
            UnaryOp::Neg => Self::binary(BinaryOp::Sub, &Self::whole(0), x).map_err(|error| error.of_one(op, x)),
            UnaryOp::Recip => Self::binary(BinaryOp::Div, &Self::whole(1), x).map_err(|error| error.of_one(op, x)),
            UnaryOp::Not => Ok(Self::truth(x.0.is_zero())),
            _ => Err(ScalarError::Unsupported { op: op.text(), scalar: Self::NAME }),
        }
    }

    fn binary(op: BinaryOp, x: &Self, y: &Self) -> Computed<Self> {
        let overflow = || ScalarError::Overflow { op: op.text(), operands: both(x, y) };
        let checked = |result: Option<Ratio<i128>>| Self::checked(result).ok_or_else(overflow);
        match op {
            BinaryOp::Add => checked(x.0.checked_add(&y.0)),
            BinaryOp::Sub => checked(x.0.checked_sub(&y.0)),
            BinaryOp::Mul | BinaryOp::Compose => checked(x.0.checked_mul(&y.0)),
            BinaryOp::Div if y.0.is_zero() => Err(ScalarError::DivisionByZero { operands: both(x, y) }),
            BinaryOp::Div => checked(x.0.checked_div(&y.0)),
            BinaryOp::Pow if !y.0.is_integer() => {
                Err(ScalarError::NotExact { op: op.text(), operands: both(x, y), scalar: Self::NAME })
            }
            BinaryOp::Pow if x.0.is_zero() && y.0 < Ratio::zero() => {
                Err(ScalarError::DivisionByZero { operands: both(x, y) })
            }
            BinaryOp::Pow => x.power(y.0).ok_or_else(overflow),
            BinaryOp::Lt => Ok(Self::truth(x < y)),
            BinaryOp::Eq => Ok(Self::truth(x == y)),
            BinaryOp::Ne => Ok(Self::truth(x != y)),
            BinaryOp::And => Ok(Self::truth(x.is_true() && y.is_true())),
            BinaryOp::Or => Ok(Self::truth(x.is_true() || y.is_true())),
            BinaryOp::Max => Ok(*x.max(y)),
            BinaryOp::Min => Ok(*x.min(y)),
            BinaryOp::Gate => Ok(if *x > Self::whole(0) { *y } else { Self::whole(0) }),
        }
    }

    fn is_true(&self) -> bool {
        !self.0.is_zero()
    }

    fn neutral(accumulate: Accumulate) -> Option<Self> {
        match accumulate {
            Accumulate::Replace | Accumulate::Add | Accumulate::Sub | Accumulate::Or => Some(Self::whole(0)),
            Accumulate::Mul | Accumulate::Div | Accumulate::Pow | Accumulate::And => Some(Self::whole(1)),
            // No fraction is below or above all others.
            Accumulate::Max | Accumulate::Min => None,
        }
    }
}
