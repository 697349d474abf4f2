//! The relation to the broadcast order (D13): programs on literal shapes, run by the rules of this module, and
//! translated into constraints of the calculus.
//!
//! A shape [d₁, …, dₙ] becomes the row []·⋄·[d₁, …, dₙ]: missing axes are added in front of it, as in NumPy. A result
//! is ⊑ its operands where they broadcast, and equal to them where they are unified.

use super::context::Context;
use super::dim::{Dim, Size};
use super::error::ShapeError;
use super::ops;
use super::shape::Shape;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Atom, Basis, Dim as CoreDim};
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, RowTerm};

/// A step of a literal program. Operands are numbers of earlier steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A tensor of this shape.
    Input(Vec<Size>),
    /// Broadcasting of two.
    Broadcast(usize, usize),
    /// The product of two matrices.
    Matmul(usize, usize),
    /// Two made equal.
    Unify(usize, usize),
    /// Two axes exchanged.
    Transpose(usize, usize, usize),
    /// An axis summed away, or kept as 1.
    Reduce(usize, usize, bool),
    /// Two side by side, along a new axis.
    Stack(usize, usize, usize),
}

/// What a run of a literal program gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiteralRun {
    /// The shape of every step.
    pub shapes: Vec<Shape>,
    /// Did a literal 1 meet another size in broadcasting?
    pub stretched: bool,
}

/// Runs a literal program by the rules of D6.
///
/// # Errors
/// [`ShapeError`] of the first step that has no shape.
pub fn run(program: &[Step]) -> Result<LiteralRun, ShapeError> {
    let mut context = Context::new();
    let mut shapes: Vec<Shape> = Vec::with_capacity(program.len());
    let mut stretched = false;
    for step in program {
        let shape = |i: usize| shapes.get(i).cloned().unwrap_or_default();
        let next = match *step {
            Step::Input(ref sizes) => Shape(sizes.iter().copied().map(Dim::Literal).collect()),
            Step::Broadcast(a, b) => {
                let (a, b) = (shape(a), shape(b));
                stretched |= a.0.iter().rev().zip(b.0.iter().rev()).any(|(x, y)| x.is_one() != y.is_one());
                ops::broadcast(&mut context, &[&a, &b])?
            }
            Step::Matmul(a, b) => ops::matmul(&mut context, &shape(a), &shape(b))?,
            Step::Unify(a, b) => ops::unify_shapes(&mut context, &shape(a), &shape(b))?,
            Step::Transpose(a, i, j) => ops::transpose(&context, &shape(a), i, j)?,
            Step::Reduce(a, i, keepdim) => ops::reduce(&context, &shape(a), i, keepdim)?,
            Step::Stack(a, b, i) => ops::stack(&mut context, &[&shape(a), &shape(b)], i)?,
        };
        shapes.push(next);
    }
    Ok(LiteralRun { shapes, stretched })
}

/// What a literal 1 becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ones {
    /// 1 with basis default, which does not stretch.
    Default,
    /// 1∅, which does.
    Unit,
}

/// Constraints of a literal program, and the row of every step.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// The axes of every step.
    pub rows: Vec<Vec<DimTerm>>,
}

/// The constraints of a literal program (D13). `None` where a step has no rank to begin with: that is no matter of
/// sizes, and both systems refuse it alike.
#[must_use]
pub fn translate(program: &[Step], ones: Ones, names: &mut Names) -> Option<Translated> {
    let one = Dim::Literal(Size::MIN);
    let mut translated = Translated { constraints: Vec::new(), rows: Vec::with_capacity(program.len()) };
    for step in program {
        let next = translated.step(step, names, |size| term(size, ones), &one)?;
        translated.rows.push(next);
    }
    Some(translated)
}

/// A literal as a dimension of the calculus.
fn term(dim: &Dim, ones: Ones) -> DimTerm {
    let size = dim.size().unwrap_or(Size::MIN);
    match Atom::new(size.get(), Basis::DEFAULT) {
        Ok(atom) if !(ones == Ones::Unit && size == Size::MIN) => CoreDim::Atom(atom).into(),
        _ => CoreDim::Unit.into(),
    }
}

/// []·⋄·[…]
fn row(axes: &[DimTerm]) -> RowTerm {
    RowTerm::new(vec![], None, axes.to_vec())
}

impl Translated {
    fn axes(&self, step: usize) -> Option<Vec<DimTerm>> {
        self.rows.get(step).cloned()
    }

    fn step(
        &mut self,
        step: &Step,
        names: &mut Names,
        term: impl Fn(&Dim) -> DimTerm,
        one: &Dim,
    ) -> Option<Vec<DimTerm>> {
        Some(match *step {
            Step::Input(ref sizes) => sizes.iter().map(|v| term(&Dim::Literal(*v))).collect(),
            Step::Broadcast(a, b) => {
                let (a, b) = (self.axes(a)?, self.axes(b)?);
                let result: Vec<DimTerm> = (0..a.len().max(b.len())).map(|_| names.fresh_dim().into()).collect();
                self.constraints.extend([a, b].map(|operand| Constraint::RowLe(row(&result), row(&operand))));
                result
            }
            Step::Matmul(a, b) => {
                let (a, b) = (self.axes(a)?, self.axes(b)?);
                let ([m, k1], [k2, n]) = (a.as_slice(), b.as_slice()) else { return None };
                self.constraints.push(Constraint::DimEq(*k1, *k2));
                vec![*m, *n]
            }
            Step::Unify(a, b) => {
                let (a, b) = (self.axes(a)?, self.axes(b)?);
                self.constraints.push(Constraint::RowEq(row(&a), row(&b)));
                a
            }
            Step::Transpose(a, i, j) => {
                let mut axes = self.axes(a)?;
                if i.max(j) >= axes.len() {
                    return None;
                }
                axes.swap(i, j);
                axes
            }
            Step::Reduce(a, i, keepdim) => {
                let mut axes = self.axes(a)?;
                if i >= axes.len() {
                    return None;
                }
                axes.splice(i..=i, keepdim.then(|| term(one)));
                axes
            }
            Step::Stack(a, b, i) => {
                let (mut a, b) = (self.axes(a)?, self.axes(b)?);
                if i > a.len() {
                    return None;
                }
                self.constraints.push(Constraint::RowEq(row(&a), row(&b)));
                a.insert(i, term(&Dim::Literal(Size::MIN.saturating_add(1))));
                a
            }
        })
    }
}
