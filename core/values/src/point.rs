//! What is computed at one point of a product space from the cells that are read there.

use super::scalar::{Computed, Scalar};
use lozenge_language::ast::{BinaryOp, Expr, ExprKind, TernaryOp, UnaryOp};
use lozenge_language::generate::Primitive;

/// A scalar expression over the cells that are read.
#[derive(Clone, PartialEq, Debug)]
pub enum Point<S> {
    /// The cell of this read.
    Read(usize),
    /// A constant.
    Number(S),
    /// A function of one.
    Unary(UnaryOp, Box<Point<S>>),
    /// A function of two.
    Binary(BinaryOp, Box<[Point<S>; 2]>),
    /// A function of three.
    Ternary(TernaryOp, Box<[Point<S>; 3]>),
}

impl<S: Scalar> Point<S> {
    /// The primitive of an operation on its operands, in order.
    #[must_use]
    pub fn primitive(primitive: Primitive) -> Self {
        match primitive {
            Primitive::Copy => Point::Read(0),
            Primitive::Unary(op) => Point::Unary(op, Box::new(Point::Read(0))),
            Primitive::Binary(op) => Point::Binary(op, Box::new([Point::Read(0), Point::Read(1)])),
            Primitive::Ternary(op) => Point::Ternary(op, Box::new([Point::Read(0), Point::Read(1), Point::Read(2)])),
        }
    }

    /// An expression over slots, as the consumer regime writes it. `read` numbers the names.
    ///
    /// # Errors
    /// A number that is not one of these scalars; `None` for what is no scalar expression.
    pub fn expression(expr: &Expr, read: &mut impl FnMut(&str) -> Option<usize>) -> Computed<Option<Self>> {
        let mut of = |expr: &Expr| Self::expression(expr, read);
        Ok(match &expr.kind {
            ExprKind::Number(x) => Some(Point::Number(S::literal(x)?)),
            ExprKind::Unary { op, spec: None, arg } => of(arg)?.map(|x| Point::Unary(*op, Box::new(x))),
            ExprKind::Binary { op, lhs, rhs } => {
                of(lhs)?.zip(of(rhs)?).map(|(x, y)| Point::Binary(*op, Box::new([x, y])))
            }
            ExprKind::Ternary { op, spec: None, args } => {
                let [x, y, z] = &**args;
                let xy = of(x)?.zip(of(y)?);
                xy.zip(of(z)?).map(|((x, y), z)| Point::Ternary(*op, Box::new([x, y, z])))
            }
            ExprKind::Name(name) => read(name).map(Point::Read),
            _ => None,
        })
    }

    /// Its value.
    ///
    /// # Errors
    /// A [`super::ScalarError`].
    pub fn at(&self, reads: &[&S]) -> Computed<S> {
        match self {
            Point::Read(i) => Ok(reads[*i].clone()),
            Point::Number(x) => Ok(x.clone()),
            Point::Unary(op, x) => S::unary(*op, &x.at(reads)?),
            Point::Binary(op, xy) => S::binary(*op, &xy[0].at(reads)?, &xy[1].at(reads)?),
            // Only the branch that is taken: the other may have no value.
            Point::Ternary(TernaryOp::Where, xyz) => xyz[if xyz[0].at(reads)?.is_true() { 1 } else { 2 }].at(reads),
            Point::Ternary(op, xyz) => S::ternary(*op, &xyz[0].at(reads)?, &xyz[1].at(reads)?, &xyz[2].at(reads)?),
        }
    }
}
