//! The table of spec/program.md: the constraints of each logic, one function for each.
//!
//! r is the result and a, b, c the operands; in r ⊑ a the result fits under the operand. What stands in
//! one row of the table is emitted in the order batch, input, output.

use super::sized::SizedAxis;
use super::{FixedIndex, Logic, Marker, Operand};
use crate::einsum::{Axis, Spec, SpecRow};
use crate::shape::{Kind, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar};
use std::collections::BTreeMap;

/// A constraint, and which rows of the operation it relates.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// The constraint.
    pub constraint: Constraint,
    /// The operand.
    pub operand: Operand,
    /// The kind of the operand's row.
    pub kind: Kind,
    /// Where a new row's marker comes from.
    pub marker: Marker,
}

/// A copy of a row; most have no axes.
#[inline]
fn copy(row: &RowTerm) -> RowTerm {
    if row.known_rank() == 0 { without_axes(row.var) } else { row.clone() }
}

/// ⋄, or ⟨ρ⟩.
#[inline]
pub(super) fn without_axes(var: Option<RowVar>) -> RowTerm {
    RowTerm { var, ..RowTerm::default() }
}

fn le(result: &RowTerm, operand: &RowTerm, which: Operand, kind: Kind) -> Related {
    let constraint = Constraint::RowLe(copy(result), copy(operand));
    Related { constraint, operand: which, kind, marker: Marker::Inherited }
}

/// What an operation derives from the shapes of its tensors.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Derived {
    /// Its constraints.
    pub related: Vec<Related>,
    /// The variables of its specification.
    pub template: Template,
    /// Axes at fixed indices, the number of the operation still to be filled in.
    pub fixed: Vec<FixedIndex>,
    /// The axis that a slice takes off.
    pub sliced: Option<DimVar>,
}

/// The whole table: the constraints of any operation. Shapes read it as an order, projections (Def. 7.2)
/// as an equivalence.
#[must_use]
pub fn derive(names: &mut Names, logic: Logic, spec: Option<&Spec>, r: &ShapeTerm, operands: &[&ShapeTerm]) -> Derived {
    match (logic, spec, operands) {
        (_, Some(spec), _) => {
            let shapes: Vec<&ShapeTerm> = operands.iter().copied().chain([r]).collect();
            let (related, template, fixed) = einsum(names, spec, &shapes);
            Derived { related, template, fixed, sliced: None }
        }
        (Logic::Slice, None, [a]) => {
            let (related, axis) = slice(names, r, a);
            Derived { related, sliced: Some(axis), ..Derived::default() }
        }
        _ => Derived { related: plain(logic, r, operands), ..Derived::default() },
    }
}

/// The constraints of the logics that make no new variables; none for the others.
#[must_use]
pub fn plain(logic: Logic, r: &ShapeTerm, operands: &[&ShapeTerm]) -> Vec<Related> {
    match (logic, operands) {
        (Logic::Pointwise, all) => pointwise(r, all),
        (Logic::Transpose, [a]) => transpose(r, a),
        (Logic::Compose, [a, b]) => compose(r, a, b),
        (Logic::ComposeAccumulate, [a, b, c]) => compose_accumulate(r, a, b, c),
        _ => Vec::new(),
    }
}

/// r.k ⊑ a.k for the three kinds.
fn fits(r: &ShapeTerm, a: &ShapeTerm, i: usize, related: &mut Vec<Related>) {
    related.extend(Kind::ALL.into_iter().map(|kind| le(r.get(kind), a.get(kind), Operand::Argument(i), kind)));
}

/// Pointwise, one to three operands: r ⊑ each, kind by kind.
#[must_use]
pub fn pointwise(r: &ShapeTerm, operands: &[&ShapeTerm]) -> Vec<Related> {
    let mut related = Vec::with_capacity(Kind::ALL.len() * operands.len());
    operands.iter().enumerate().for_each(|(i, a)| fits(r, a, i, &mut related));
    related
}

/// Transpose: r.batch ⊑ a.batch, r.input ⊑ a.output, r.output ⊑ a.input.
#[must_use]
pub fn transpose(r: &ShapeTerm, a: &ShapeTerm) -> Vec<Related> {
    let which = Operand::Argument(0);
    vec![
        le(&r.batch, &a.batch, which, Kind::Batch),
        le(&r.input, &a.output, which, Kind::Output),
        le(&r.output, &a.input, which, Kind::Input),
    ]
}

/// Compose: r.batch ⊑ a.batch, b.batch; r.input ⊑ b.input; r.output ⊑ a.output; a.input ⊑ b.output.
#[must_use]
pub fn compose(r: &ShapeTerm, a: &ShapeTerm, b: &ShapeTerm) -> Vec<Related> {
    vec![
        le(&r.batch, &a.batch, Operand::Argument(0), Kind::Batch),
        le(&r.batch, &b.batch, Operand::Argument(1), Kind::Batch),
        le(&r.input, &b.input, Operand::Argument(1), Kind::Input),
        le(&r.output, &a.output, Operand::Argument(0), Kind::Output),
        le(&a.input, &b.output, Operand::Between(0, 1), Kind::Output),
    ]
}

/// Compose-accumulate: as compose, and r ⊑ c, kind by kind.
#[must_use]
pub fn compose_accumulate(r: &ShapeTerm, a: &ShapeTerm, b: &ShapeTerm, c: &ShapeTerm) -> Vec<Related> {
    let mut related = compose(r, a, b);
    fits(r, c, 2, &mut related);
    related
}

/// Slice: a.batch ≈ \[s\]·⟨r.batch⟩, where s joins the leading flank; r ≈ a in the other kinds. Also s.
#[must_use]
pub fn slice(names: &mut Names, r: &ShapeTerm, a: &ShapeTerm) -> (Vec<Related>, DimVar) {
    let s = names.fresh_dim();
    let longer = r.batch.within(&[s.into()], &[]);
    let which = Operand::Argument(0);
    let eq = |left: &RowTerm, right: RowTerm, kind, marker| {
        let constraint = Constraint::RowEq(left.clone(), right);
        Related { constraint, operand: which, kind, marker }
    };
    let related = vec![
        eq(&a.batch, longer, Kind::Batch, Marker::Slice),
        eq(&r.input, a.input.clone(), Kind::Input, Marker::Inherited),
        eq(&r.output, a.output.clone(), Kind::Output, Marker::Inherited),
    ];
    (related, s)
}

/// The variables of one specification: labels and row variables are local to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Template {
    /// The dimension of each label.
    pub labels: BTreeMap<String, DimVar>,
    /// The row of each row variable.
    pub rows: BTreeMap<String, RowVar>,
    /// Axes whose size is worked out, in order of appearance.
    pub sized: Vec<SizedAxis>,
}

/// Einsum: template row ≈ tensor row, for every operand and the result; slots share labels and row
/// variables. `shapes` are the operands' and, last, the result's. The axes at fixed indices have the
/// number of the operation still to be filled in.
#[must_use]
pub fn einsum(names: &mut Names, spec: &Spec, shapes: &[&ShapeTerm]) -> (Vec<Related>, Template, Vec<FixedIndex>) {
    let mut related = Vec::with_capacity(Kind::ALL.len() * shapes.len());
    let (mut template, mut fixed) = (Template::default(), Vec::new());
    let arguments = (0..spec.operands.len()).map(Operand::Argument);
    let slots = spec.slots().zip(shapes).zip(arguments.chain([Operand::Result]));
    for ((slot, shape), operand) in slots {
        for kind in Kind::ALL {
            let row = slot.row(kind);
            let marker = if row.var.is_some() { Marker::Ellipsis } else { Marker::LeftEdge };
            let (term, axes) = template.row(names, row);
            let at = |(axis, index)| FixedIndex { axis, index, operation: 0, operand, kind };
            fixed.extend(axes.into_iter().map(at));
            let constraint = Constraint::RowEq(term, copy(shape.get(kind)));
            related.push(Related { constraint, operand, kind, marker });
        }
    }
    (related, template, fixed)
}

/// Permute: an einsum with one operand.
#[must_use]
pub fn permute(
    names: &mut Names,
    spec: &Spec,
    r: &ShapeTerm,
    a: &ShapeTerm,
) -> (Vec<Related>, Template, Vec<FixedIndex>) {
    einsum(names, spec, &[a, r])
}

impl Template {
    /// A row of a slot as a term, and its axes at fixed indices.
    fn row(&mut self, names: &mut Names, row: &SpecRow) -> (RowTerm, Vec<(DimTerm, u64)>) {
        let mut fixed = Vec::new();
        let mut flank = |axes: &[Axis]| axes.iter().map(|a| self.axis(names, a, &mut fixed)).collect::<Vec<_>>();
        let (lead, trail) = (flank(&row.lead), flank(&row.trail));
        let var = row.var.as_ref().map(|name| match self.rows.get(name) {
            Some(known) => *known,
            None => *self.rows.entry(name.clone()).or_insert_with(|| names.fresh_row()),
        });
        (RowTerm::new(lead, var, trail), fixed)
    }

    fn axis(&mut self, names: &mut Names, axis: &Axis, fixed: &mut Vec<(DimTerm, u64)>) -> DimTerm {
        match axis {
            Axis::Label(label) => self.label(names, label).into(),
            Axis::Fixed(index) => {
                let axis = DimTerm::Var(names.fresh_dim());
                fixed.push((axis, *index));
                axis
            }
            Axis::Anonymous => names.fresh_dim().into(),
            Axis::Concat(_) | Axis::Affine(_) => self.sized_axis(names, axis),
        }
    }
}
