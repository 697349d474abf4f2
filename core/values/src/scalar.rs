//! Scalars: what the cells of a tensor hold.
//!
//! The operations are those of programs. An operation that a kind of scalar does not have, or whose result it
//! cannot represent, is an error and never a wrong value.

use super::value::Value;
use super::walk::Assign;
use lozenge_language::ast::{Accumulate, BinaryOp, TernaryOp, UnaryOp};
use lozenge_language::{Decimal, Numeral};
use std::fmt;

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScalarError {
    /// These scalars have no such operation.
    Unsupported {
        /// The operation.
        op: &'static str,
        /// The scalars.
        scalar: &'static str,
    },
    /// No value reaches a cell, and these scalars have no neutral element to put there.
    NoValue {
        /// The accumulation.
        op: &'static str,
        /// The scalars.
        scalar: &'static str,
    },
    /// The result is too large for these scalars.
    Overflow {
        /// The operation.
        op: &'static str,
        /// The operands.
        operands: String,
    },
    /// The result exists, and is not one of these scalars: 7 / 2 in whole numbers.
    NotExact {
        /// The operation.
        op: &'static str,
        /// The operands.
        operands: String,
        /// The scalars.
        scalar: &'static str,
    },
    /// Division by zero.
    DivisionByZero {
        /// The operands.
        operands: String,
    },
    /// A number that is not one of these scalars.
    NotANumber {
        /// The number.
        text: String,
        /// The scalars.
        scalar: &'static str,
    },
    /// A number of the right kind that these scalars have no room for.
    OutOfRange {
        /// The number.
        text: String,
        /// What there is room for.
        range: &'static str,
    },
}

impl ScalarError {
    /// The same, of a function of one that is worked out by an operation on two: what the program has is named.
    pub(super) fn of_one(self, op: UnaryOp, x: &impl fmt::Display) -> Self {
        let (op, operands) = (op.text(), x.to_string());
        match self {
            ScalarError::Overflow { .. } => ScalarError::Overflow { op, operands },
            ScalarError::NotExact { scalar, .. } => ScalarError::NotExact { op, operands, scalar },
            ScalarError::DivisionByZero { .. } => {
                ScalarError::DivisionByZero { operands: format!("`{op}` of {operands}") }
            }
            other => other,
        }
    }
}

impl fmt::Display for ScalarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScalarError::Unsupported { op, scalar } => write!(f, "`{op}` is not an operation on {scalar}"),
            ScalarError::NoValue { op, scalar } => {
                write!(f, "no value reaches a cell, and `{op}` of none is not among {scalar}")
            }
            ScalarError::Overflow { op, operands } => write!(f, "overflow: `{op}` of {operands}"),
            ScalarError::NotExact { op, operands, scalar } => write!(f, "`{op}` of {operands} is not among {scalar}"),
            ScalarError::DivisionByZero { operands } => write!(f, "division by zero: {operands}"),
            ScalarError::NotANumber { text, scalar } => write!(f, "{text} is not among {scalar}"),
            ScalarError::OutOfRange { text, range } => write!(f, "{text} is out of range: {range}"),
        }
    }
}

impl std::error::Error for ScalarError {}

/// The result of an operation.
pub type Computed<S> = Result<S, ScalarError>;

/// A kind of scalar.
pub trait Scalar: Clone + PartialEq + fmt::Debug + fmt::Display + 'static {
    /// What they are called, for messages.
    const NAME: &'static str;

    /// Are these numbers exact? Then nothing is rounded on the way to them.
    const EXACT: bool = false;

    /// The scalar of a floating-point number.
    ///
    /// # Errors
    /// [`ScalarError::NotANumber`].
    fn number(x: f64) -> Computed<Self>;

    /// The scalar that a number stands for as it is written; exactly, if these scalars are exact.
    ///
    /// # Errors
    /// [`ScalarError::NotANumber`], [`ScalarError::OutOfRange`].
    fn literal(number: &Numeral) -> Computed<Self> {
        if Self::EXACT {
            return Self::read(&number.to_string());
        }
        if number.is_fraction() {
            return Err(ScalarError::NotANumber { text: number.to_string(), scalar: Self::NAME });
        }
        Self::number(number.value())
    }

    /// The scalar of this text, as [`fmt::Display`] writes it.
    ///
    /// # Errors
    /// [`ScalarError::NotANumber`].
    fn read(text: &str) -> Computed<Self>;

    /// A function of one.
    ///
    /// # Errors
    /// A [`ScalarError`].
    fn unary(op: UnaryOp, x: &Self) -> Computed<Self>;

    /// A function of two.
    ///
    /// # Errors
    /// A [`ScalarError`].
    fn binary(op: BinaryOp, x: &Self, y: &Self) -> Computed<Self>;

    /// Does a condition of this value hold?
    fn is_true(&self) -> bool;

    /// What cells hold that no point writes, after the target was erased. None where these scalars have no
    /// neutral element for the accumulation.
    fn neutral(accumulate: Accumulate) -> Option<Self>;

    /// What cells hold that nothing has written at all.
    ///
    /// # Errors
    /// As [`Scalar::number`].
    fn zero() -> Computed<Self> {
        Self::number(0.0)
    }

    /// What a product leaves as it is, and what gradients begin with.
    ///
    /// # Errors
    /// As [`Scalar::number`].
    fn one() -> Computed<Self> {
        Self::number(1.0)
    }

    /// start + i · step of floating-point numbers, a cell of a range; exact scalars compute it by themselves.
    ///
    /// # Errors
    /// As [`Scalar::number`], and where the scalars end before that.
    fn nth(start: f64, step: f64, i: f64) -> Computed<Self> {
        Self::number(start + step * i)
    }

    /// A function of three. `fma` rounds twice: it is x · y, then + z.
    ///
    /// # Errors
    /// A [`ScalarError`].
    fn ternary(op: TernaryOp, x: &Self, y: &Self, z: &Self) -> Computed<Self> {
        match op {
            TernaryOp::Where => Ok(if x.is_true() { y.clone() } else { z.clone() }),
            TernaryOp::Fma => Self::binary(BinaryOp::Add, &Self::binary(BinaryOp::Mul, x, y)?, z),
            TernaryOp::Mul3 => Self::binary(BinaryOp::Mul, &Self::binary(BinaryOp::Mul, x, y)?, z),
        }
    }

    /// Runs an assignment faster than the definition, to the same bits; none where there is no faster way.
    fn planned(_it: &Assign<'_, Self>, _target: &mut Value<Self>) -> Option<Computed<()>> {
        None
    }

    /// The cells of a new tensor that these assignments make one after the other, the first of which erases, to the same
    /// bits; none where there is no faster way.
    fn joined(_all: &[Assign<'_, Self>], _dims: &[u64]) -> Option<Vec<Self>> {
        None
    }

    /// What a cell holds after a value joins what is there.
    ///
    /// # Errors
    /// A [`ScalarError`].
    fn accumulate(how: Accumulate, old: &Self, new: Self) -> Computed<Self> {
        match joins(how) {
            None => Ok(new),
            Some(op) => Self::binary(op, old, &new),
        }
    }

    /// What an erased cell holds after its first value. For a sum that is the value itself: 0 + x would turn
    /// −0 into 0, and a cell that is written once holds what was written (Prop. 7.6 (iii)).
    ///
    /// # Errors
    /// A [`ScalarError`].
    fn first(how: Accumulate, new: Self) -> Computed<Self> {
        match how {
            Accumulate::Sub | Accumulate::Div | Accumulate::Pow | Accumulate::And | Accumulate::Or => {
                let unsupported = ScalarError::Unsupported { op: how.text(), scalar: Self::NAME };
                Self::accumulate(how, &Self::neutral(how).ok_or(unsupported)?, new)
            }
            _ => Ok(new),
        }
    }
}

/// The operation behind an accumulation; none where a value replaces what is there.
#[must_use]
pub fn joins(how: Accumulate) -> Option<BinaryOp> {
    Some(match how {
        Accumulate::Replace => return None,
        Accumulate::Add => BinaryOp::Add,
        Accumulate::Sub => BinaryOp::Sub,
        Accumulate::Mul => BinaryOp::Mul,
        Accumulate::Div => BinaryOp::Div,
        Accumulate::Pow => BinaryOp::Pow,
        Accumulate::Max => BinaryOp::Max,
        Accumulate::Min => BinaryOp::Min,
        Accumulate::And => BinaryOp::And,
        Accumulate::Or => BinaryOp::Or,
    })
}

/// The operands, for messages.
pub(super) fn both(x: &impl fmt::Display, y: &impl fmt::Display) -> String {
    format!("{x} and {y}")
}

impl Scalar for i64 {
    const NAME: &'static str = "whole numbers";
    const EXACT: bool = true;

    fn number(x: f64) -> Computed<Self> {
        Self::read(&format!("{x:?}"))
    }

    /// 2.0 and 1e3 are whole numbers as well.
    fn read(text: &str) -> Computed<Self> {
        if let Ok(n) = text.parse() {
            return Ok(n);
        }
        let Some(decimal) = Decimal::of(text).filter(|decimal| !decimal.has_part()) else {
            return Err(ScalarError::NotANumber { text: text.to_owned(), scalar: Self::NAME });
        };
        let whole = decimal.ratio().and_then(|(n, _)| n.try_into().ok());
        let range = "whole numbers go from -9223372036854775808 to 9223372036854775807";
        whole.ok_or_else(|| ScalarError::OutOfRange { text: text.to_owned(), range })
    }

    fn unary(op: UnaryOp, x: &Self) -> Computed<Self> {
        match op {
            UnaryOp::Relu => Ok((*x).max(0)),
            UnaryOp::Neg => Self::binary(BinaryOp::Sub, &0, x).map_err(|error| error.of_one(op, x)),
            UnaryOp::Recip => Self::binary(BinaryOp::Div, &1, x).map_err(|error| error.of_one(op, x)),
            UnaryOp::Not => Ok(i64::from(*x == 0)),
            _ => Err(ScalarError::Unsupported { op: op.text(), scalar: Self::NAME }),
        }
    }

    fn binary(op: BinaryOp, x: &Self, y: &Self) -> Computed<Self> {
        let overflow = || ScalarError::Overflow { op: op.text(), operands: both(x, y) };
        let not_exact = || ScalarError::NotExact { op: op.text(), operands: both(x, y), scalar: Self::NAME };
        match op {
            BinaryOp::Add => x.checked_add(*y).ok_or_else(overflow),
            BinaryOp::Sub => x.checked_sub(*y).ok_or_else(overflow),
            BinaryOp::Mul | BinaryOp::Compose => x.checked_mul(*y).ok_or_else(overflow),
            BinaryOp::Div if *y == 0 => Err(ScalarError::DivisionByZero { operands: both(x, y) }),
            BinaryOp::Div if x.checked_rem(*y).ok_or_else(overflow)? != 0 => Err(not_exact()),
            BinaryOp::Div => Ok(x / y),
            BinaryOp::Pow if *x == 0 && *y < 0 => Err(ScalarError::DivisionByZero { operands: both(x, y) }),
            // Only 1 and −1 have reciprocals.
            BinaryOp::Pow if *y < 0 => {
                let recip = Self::binary(BinaryOp::Div, &1, x).map_err(|_| not_exact())?;
                Ok(if y % 2 == 0 { 1 } else { recip })
            }
            BinaryOp::Pow => match u32::try_from(*y) {
                Ok(y) => x.checked_pow(y).ok_or_else(overflow),
                Err(_) if x.unsigned_abs() <= 1 => Ok(if *x == -1 && y % 2 == 0 { 1 } else { *x }),
                Err(_) => Err(overflow()),
            },
            BinaryOp::Lt => Ok(i64::from(x < y)),
            BinaryOp::Eq => Ok(i64::from(x == y)),
            BinaryOp::Ne => Ok(i64::from(x != y)),
            BinaryOp::And => Ok(i64::from(*x != 0 && *y != 0)),
            BinaryOp::Or => Ok(i64::from(*x != 0 || *y != 0)),
            BinaryOp::Max => Ok(*x.max(y)),
            BinaryOp::Min => Ok(*x.min(y)),
            BinaryOp::Gate => Ok(if *x > 0 { *y } else { 0 }),
        }
    }

    fn is_true(&self) -> bool {
        *self != 0
    }

    fn neutral(accumulate: Accumulate) -> Option<Self> {
        match accumulate {
            Accumulate::Replace | Accumulate::Add | Accumulate::Sub | Accumulate::Or => Some(0),
            Accumulate::Mul | Accumulate::Div | Accumulate::Pow | Accumulate::And => Some(1),
            // The least of these numbers is one of them: with it as −∞, −∞ + 1 would be another.
            Accumulate::Max | Accumulate::Min => None,
        }
    }
}
