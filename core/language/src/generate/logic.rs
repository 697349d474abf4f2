//! The table of spec/program.md: the constraints of each logic, one function for each.
//!
//! r is the result and a, b, c the operands; in r ⊑ a the result fits under the operand. What stands in
//! one row of the table is handed to `say` in the order batch, input, output.

pub use super::pattern::{Pattern, Template};

use super::{FixedIndex, Logic, Marker, Operand};
use crate::einsum::Spec;
use crate::shape::{Kind, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimVar, RowTerm, RowVar};
use std::sync::Arc;

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
pub(super) fn copy(row: &RowTerm) -> RowTerm {
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
    let mut derived = Derived::default();
    let mut say = |it| derived.related.push(it);
    match (logic, spec, operands) {
        (_, Some(spec), _) => {
            let shapes = operands.iter().copied().chain([r]);
            (derived.template, derived.fixed) = einsum(names, &Arc::new(Pattern::of(spec)), shapes, &mut say);
        }
        (Logic::Slice, None, [a]) => derived.sliced = Some(slice(names, r, a, &mut say)),
        _ => plain(logic, r, operands, &mut say),
    }
    derived
}

/// The constraints of the logics that make no new variables; none for the others.
pub fn plain(logic: Logic, r: &ShapeTerm, operands: &[&ShapeTerm], say: &mut impl FnMut(Related)) {
    match (logic, operands) {
        (Logic::Pointwise, all) => pointwise(r, all, say),
        (Logic::Transpose, [a]) => transpose(r, a, say),
        (Logic::Compose, [a, b]) => compose(r, a, b, say),
        (Logic::ComposeAccumulate, [a, b, c]) => compose_accumulate(r, a, b, c, say),
        _ => {}
    }
}

/// r.k ⊑ a.k for the three kinds.
fn fits(r: &ShapeTerm, a: &ShapeTerm, i: usize, say: &mut impl FnMut(Related)) {
    for kind in Kind::ALL {
        say(le(r.get(kind), a.get(kind), Operand::Argument(i), kind));
    }
}

/// Pointwise, one to three operands: r ⊑ each, kind by kind.
pub fn pointwise(r: &ShapeTerm, operands: &[&ShapeTerm], say: &mut impl FnMut(Related)) {
    operands.iter().enumerate().for_each(|(i, a)| fits(r, a, i, say));
}

/// Transpose: r.batch ⊑ a.batch, r.input ⊑ a.output, r.output ⊑ a.input.
pub fn transpose(r: &ShapeTerm, a: &ShapeTerm, say: &mut impl FnMut(Related)) {
    let which = Operand::Argument(0);
    say(le(&r.batch, &a.batch, which, Kind::Batch));
    say(le(&r.input, &a.output, which, Kind::Output));
    say(le(&r.output, &a.input, which, Kind::Input));
}

/// Compose: r.batch ⊑ a.batch, b.batch; r.input ⊑ b.input; r.output ⊑ a.output; a.input ⊑ b.output.
pub fn compose(r: &ShapeTerm, a: &ShapeTerm, b: &ShapeTerm, say: &mut impl FnMut(Related)) {
    say(le(&r.batch, &a.batch, Operand::Argument(0), Kind::Batch));
    say(le(&r.batch, &b.batch, Operand::Argument(1), Kind::Batch));
    say(le(&r.input, &b.input, Operand::Argument(1), Kind::Input));
    say(le(&r.output, &a.output, Operand::Argument(0), Kind::Output));
    say(le(&a.input, &b.output, Operand::Between(0, 1), Kind::Output));
}

/// Compose-accumulate: as compose, and r ⊑ c, kind by kind.
pub fn compose_accumulate(r: &ShapeTerm, a: &ShapeTerm, b: &ShapeTerm, c: &ShapeTerm, say: &mut impl FnMut(Related)) {
    compose(r, a, b, say);
    fits(r, c, 2, say);
}

/// Slice: a.batch ≈ \[s\]·⟨r.batch⟩, where s joins the leading flank; r ≈ a in the other kinds. Answers with s.
pub fn slice(names: &mut Names, r: &ShapeTerm, a: &ShapeTerm, say: &mut impl FnMut(Related)) -> DimVar {
    let s = names.fresh_dim();
    let longer = r.batch.within(&[s.into()], &[]);
    let mut eq = |left: &RowTerm, right: RowTerm, kind, marker| {
        let constraint = Constraint::RowEq(left.clone(), right);
        say(Related { constraint, operand: Operand::Argument(0), kind, marker });
    };
    eq(&a.batch, longer, Kind::Batch, Marker::Slice);
    eq(&r.input, a.input.clone(), Kind::Input, Marker::Inherited);
    eq(&r.output, a.output.clone(), Kind::Output, Marker::Inherited);
    s
}

/// Einsum: template row ≈ tensor row, for every operand and the result; slots share labels and row
/// variables. A permute has one operand. `shapes` are the operands' and, last, the result's. The axes at fixed indices
/// have the number of the operation still to be filled in.
pub fn einsum<'s>(
    names: &mut Names,
    pattern: &Arc<Pattern>,
    shapes: impl IntoIterator<Item = &'s ShapeTerm>,
    say: &mut impl FnMut(Related),
) -> (Template, Vec<FixedIndex>) {
    let template = Template::new(names, pattern);
    for ((operand, rows), shape) in pattern.slots().zip(shapes) {
        for kind in Kind::ALL {
            let (row, marker) = rows.get(kind);
            let constraint = Constraint::RowEq(template.row(row), copy(shape.get(kind)));
            say(Related { constraint, operand, kind, marker: *marker });
        }
    }
    let fixed = template.fixed();
    (template, fixed)
}
