//! Unification of two dimensions (D4): one rule per pair of kinds.

use super::context::Context;
use super::dim::{Dim, Kind, Range, Size};
use super::error::{Operation, Position, ShapeError, ShapeProblem};
use super::shape::Shape;
use std::fmt;
use std::sync::Arc;

/// The rules of D4. Each is symmetric: it names what it does, not which side it found what on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnifyRule {
    /// Literal, Literal: the same size.
    Literal,
    /// Literal, Named: the size must be in the range, and the label stays.
    Label,
    /// Named, Named: the same label, and a common range.
    Names,
    /// Var with a literal or a name: the variable's class gets narrower.
    Bind,
    /// Var, Var: two classes become one.
    Merge,
    /// Dynamic with anything: the other side.
    Dynamic,
    /// Broadcast with anything but Dynamic: the other side.
    Broadcast,
}

impl UnifyRule {
    /// Every rule.
    pub const ALL: [UnifyRule; 7] = [
        UnifyRule::Literal,
        UnifyRule::Label,
        UnifyRule::Names,
        UnifyRule::Bind,
        UnifyRule::Merge,
        UnifyRule::Dynamic,
        UnifyRule::Broadcast,
    ];

    /// Its name in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            UnifyRule::Literal => "RD-literal",
            UnifyRule::Label => "RD-label",
            UnifyRule::Names => "RD-names",
            UnifyRule::Bind => "RD-bind",
            UnifyRule::Merge => "RD-merge",
            UnifyRule::Dynamic => "RD-dynamic",
            UnifyRule::Broadcast => "RD-broadcast",
        }
    }

    /// The rule for a pair of kinds: all twenty-five cases.
    #[must_use]
    pub fn of(left: Kind, right: Kind) -> UnifyRule {
        use Kind::{Broadcast, Dynamic, Literal, Named, Var};
        match (left, right) {
            (Dynamic, _) | (_, Dynamic) => UnifyRule::Dynamic,
            (Broadcast, _) | (_, Broadcast) => UnifyRule::Broadcast,
            (Var, Var) => UnifyRule::Merge,
            (Var, Literal | Named) | (Literal | Named, Var) => UnifyRule::Bind,
            (Literal, Literal) => UnifyRule::Literal,
            (Literal, Named) | (Named, Literal) => UnifyRule::Label,
            (Named, Named) => UnifyRule::Names,
        }
    }
}

impl fmt::Display for UnifyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why two dimensions have no size in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clash {
    /// Two literals that differ.
    LiteralMismatch(Size, Size),
    /// A literal that is not in the range of the name.
    OutOfRange {
        /// The name.
        name: Arc<str>,
        /// The literal.
        value: Size,
        /// The range.
        range: Range,
    },
    /// Ranges of one name with nothing in common.
    RangeEmpty {
        /// The name.
        name: Arc<str>,
        /// One range.
        left: Range,
        /// The other.
        right: Range,
    },
    /// Two labels.
    NameMismatch(Arc<str>, Arc<str>),
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clash::LiteralMismatch(a, b) => write!(f, "{a} and {b} are different sizes"),
            Clash::OutOfRange { name, value, range } => write!(f, "{value} is not in the range {range} of {name}"),
            Clash::RangeEmpty { name, left, right } => {
                write!(f, "the ranges {left} and {right} of {name} have no size in common")
            }
            Clash::NameMismatch(a, b) => write!(f, "{a} and {b} are different names"),
        }
    }
}

/// x ⊔ y where neither is a variable: the rules of D4 that need no context.
///
/// # Errors
/// [`Clash`] when no axis is both.
pub fn meet(x: &Dim, y: &Dim) -> Result<Dim, Clash> {
    match (x, y) {
        // RD-dynamic, RD-broadcast: what asks for nothing gives way. Variables are the context's.
        (Dim::Dynamic, d) | (d, Dim::Dynamic) => Ok(d.clone()),
        (Dim::Broadcast, d) | (d, Dim::Broadcast) => Ok(d.clone()),
        (Dim::Var(_), d) | (d, Dim::Var(_)) => Ok(d.clone()),
        (Dim::Literal(a), Dim::Literal(b)) => rd_literal(*a, *b),
        (Dim::Literal(v), Dim::Named(name, range)) | (Dim::Named(name, range), Dim::Literal(v)) => {
            rd_label(*v, name, *range)
        }
        (Dim::Named(n1, r1), Dim::Named(n2, r2)) => rd_names(n1, *r1, n2, *r2),
    }
}

fn rd_literal(a: Size, b: Size) -> Result<Dim, Clash> {
    if a == b { Ok(Dim::Literal(a)) } else { Err(Clash::LiteralMismatch(a, b)) }
}

/// The label stays: a literal that took it away would let two labels meet behind it (F30).
fn rd_label(value: Size, name: &Arc<str>, range: Range) -> Result<Dim, Clash> {
    if range.contains(value) {
        Ok(Dim::Named(name.clone(), Range::exactly(value)))
    } else {
        Err(Clash::OutOfRange { name: name.clone(), value, range })
    }
}

fn rd_names(n1: &Arc<str>, r1: Range, n2: &Arc<str>, r2: Range) -> Result<Dim, Clash> {
    if n1 != n2 {
        return Err(Clash::NameMismatch(n1.clone(), n2.clone()));
    }
    match r1.meet(r2) {
        Some(range) => Ok(Dim::Named(n1.clone(), range)),
        None => Err(Clash::RangeEmpty { name: n1.clone(), left: r1, right: r2 }),
    }
}

/// x ⊔ y in a context (D4). Where a side is a variable the answer is the variable of its class, so that what is
/// learnt later reaches everything that met it; [`Context::resolve`] says what it stands for.
///
/// # Errors
/// [`ShapeError`] with the two dimensions; the context is as before.
pub fn unify_dims(context: &mut Context, x: &Dim, y: &Dim) -> Result<Dim, ShapeError> {
    context.unify(x, y).map_err(|problem| {
        let shapes = [x, y].map(|d| context.resolve_shape(&Shape(vec![d.clone()])));
        ShapeError {
            operation: Operation::Unify,
            shapes: shapes.to_vec(),
            at: vec![Position::new(0, 0), Position::new(1, 0)],
            problem,
        }
    })
}

impl From<Clash> for ShapeProblem {
    fn from(clash: Clash) -> Self {
        ShapeProblem::Clash(clash)
    }
}
