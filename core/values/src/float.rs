//! Floating-point numbers. Every operation on them has a result.

use super::scalar::{Computed, Scalar, ScalarError};
use super::value::Value;
use super::walk::Assign;
use lozenge_language::ast::{Accumulate, BinaryOp, UnaryOp};
use lozenge_language::overflows;

/// 1 or 0.
fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// The larger; what is not a number stays that.
fn larger(x: f64, y: f64) -> f64 {
    if x.is_nan() || x >= y { x } else { y }
}

/// The smaller; what is not a number stays that.
fn smaller(x: f64, y: f64) -> f64 {
    if x.is_nan() || x <= y { x } else { y }
}

/// A function of one.
#[inline(always)]
pub(super) fn one(op: UnaryOp, x: f64) -> f64 {
    match op {
        UnaryOp::Relu => larger(x, 0.0),
        UnaryOp::Exp => libm::exp(x),
        UnaryOp::Log => libm::log(x),
        UnaryOp::Sin => libm::sin(x),
        UnaryOp::Cos => libm::cos(x),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Tanh => libm::tanh(x),
        UnaryOp::Recip => 1.0 / x,
        UnaryOp::Neg => -x,
        UnaryOp::Not => truth(x == 0.0),
    }
}

/// A function of two.
#[inline(always)]
#[allow(clippy::float_cmp)]
pub(super) fn two(op: BinaryOp, x: f64, y: f64) -> f64 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul | BinaryOp::Compose => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Pow => libm::pow(x, y),
        BinaryOp::Lt => truth(x < y),
        BinaryOp::Eq => truth(x == y),
        BinaryOp::Ne => truth(x != y),
        BinaryOp::And => truth(x.is_true() && y.is_true()),
        BinaryOp::Or => truth(x.is_true() || y.is_true()),
        BinaryOp::Max => larger(x, y),
        BinaryOp::Min => smaller(x, y),
        BinaryOp::Gate => {
            if x > 0.0 {
                y
            } else {
                0.0
            }
        }
    }
}

impl Scalar for f64 {
    const NAME: &'static str = "floating-point numbers";

    fn number(x: f64) -> Computed<Self> {
        Ok(x)
    }

    fn read(text: &str) -> Computed<Self> {
        match text.parse() {
            Ok(value) if overflows(value, text) => {
                Err(ScalarError::OutOfRange { text: text.to_owned(), range: "f64 ends at 1.8e308; infinity is inf" })
            }
            Ok(value) => Ok(value),
            Err(_) => Err(ScalarError::NotANumber { text: text.to_owned(), scalar: Self::NAME }),
        }
    }

    fn unary(op: UnaryOp, x: &Self) -> Computed<Self> {
        Ok(one(op, *x))
    }

    fn binary(op: BinaryOp, x: &Self, y: &Self) -> Computed<Self> {
        Ok(two(op, *x, *y))
    }

    fn is_true(&self) -> bool {
        *self != 0.0
    }

    fn planned(it: &Assign<'_, Self>, target: &mut Value<Self>) -> Option<Computed<()>> {
        super::fast::assign(it, target)
    }

    fn joined(all: &[Assign<'_, Self>], dims: &[u64]) -> Option<Vec<Self>> {
        super::joined::joined(all, dims)
    }

    fn neutral(accumulate: Accumulate) -> Option<Self> {
        Some(accumulate.neutral())
    }
}
