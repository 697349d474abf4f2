//! The tropical semiring: sums are maxima, products are sums.

use super::scalar::{Computed, Scalar, ScalarError, both};
use lozenge_language::ast::{Accumulate, BinaryOp, UnaryOp};
use std::fmt;

/// A number, or −∞. Its sum is the larger of two and its product their sum, so that zero is −∞ and one is 0.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Tropical(pub f64);

impl fmt::Display for Tropical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an operation made of two numbers: where it is none, it did not fit.
fn finite(x: f64, op: &'static str, of: [f64; 2]) -> Computed<Tropical> {
    if x.is_finite() {
        return Ok(Tropical(x));
    }
    // With exponents: these have 309 digits.
    Err(ScalarError::Overflow { op, operands: format!("{:?} and {:?}", of[0], of[1]) })
}

impl Scalar for Tropical {
    const NAME: &'static str = "the tropical semiring";

    fn number(x: f64) -> Computed<Self> {
        if x.is_nan() || x == f64::INFINITY {
            return Err(ScalarError::NotANumber { text: x.to_string(), scalar: Self::NAME });
        }
        Ok(Tropical(x))
    }

    fn read(text: &str) -> Computed<Self> {
        f64::read(text).and_then(Self::number)
    }

    fn zero() -> Computed<Self> {
        Ok(Tropical(f64::NEG_INFINITY))
    }

    fn one() -> Computed<Self> {
        Ok(Tropical(0.0))
    }

    fn nth(start: f64, step: f64, i: f64) -> Computed<Self> {
        let x = start + step * i;
        if start.is_finite() && step.is_finite() {
            return finite(x, "range", [start, step]);
        }
        Self::number(x)
    }

    fn unary(op: UnaryOp, x: &Self) -> Computed<Self> {
        match op {
            UnaryOp::Recip => Self::binary(BinaryOp::Div, &Tropical(0.0), x).map_err(|error| error.of_one(op, x)),
            _ => Err(ScalarError::Unsupported { op: op.text(), scalar: Self::NAME }),
        }
    }

    fn binary(op: BinaryOp, x: &Self, y: &Self) -> Computed<Self> {
        match op {
            BinaryOp::Add | BinaryOp::Max => Ok(if x.0 >= y.0 { *x } else { *y }),
            BinaryOp::Min => Ok(if x.0 <= y.0 { *x } else { *y }),
            BinaryOp::Div if !y.is_true() => Err(ScalarError::DivisionByZero { operands: both(x, y) }),
            // The semiring's zero, whatever the other is.
            BinaryOp::Mul | BinaryOp::Compose | BinaryOp::Div if !x.is_true() || !y.is_true() => Self::zero(),
            BinaryOp::Mul | BinaryOp::Compose => finite(x.0 + y.0, op.text(), [x.0, y.0]),
            BinaryOp::Div => finite(x.0 - y.0, op.text(), [x.0, y.0]),
            _ => Err(ScalarError::Unsupported { op: op.text(), scalar: Self::NAME }),
        }
    }

    fn is_true(&self) -> bool {
        self.0 != f64::NEG_INFINITY
    }

    fn neutral(accumulate: Accumulate) -> Option<Self> {
        match accumulate {
            Accumulate::Replace | Accumulate::Add | Accumulate::Max => Some(Tropical(f64::NEG_INFINITY)),
            Accumulate::Mul | Accumulate::Div => Some(Tropical(0.0)),
            _ => None,
        }
    }
}
