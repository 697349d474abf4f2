//! The mean: a sum, divided by the number of cells that are summed into each cell of the result.

use super::walk::{Walk, Walked, wrong};
use super::{Logic, Measure, Operation, Primitive, TensorId};
use crate::ast::{Accumulate, BinaryOp};
use crate::einsum::{Axis, Spec, SpecRow, SpecSlot};
use crate::error::ProgramProblem;
use crate::shape::Kind;
use lozenge_notation::Span;
use std::collections::BTreeSet;

/// Labels and row variables of a slot.
#[derive(Default)]
struct Named<'s> {
    labels: BTreeSet<&'s str>,
    rows: BTreeSet<&'s str>,
}

impl Walk<'_> {
    /// A sum by a specification, divided by the sizes of all that its result lacks: `(x ++ "...") /. (dim h *. dim w)`,
    /// without names for these sizes.
    pub(super) fn divided(&mut self, sum: TensorId, span: Span) -> Walked<TensorId> {
        let made = self.out.tensors[sum].by.and_then(|by| self.out.operations.get(by));
        let sizes = made.map(summed).transpose();
        let sizes = sizes.or_else(|axis| wrong(ProgramProblem::Mean(axis), span))?.unwrap_or_default();
        let mut count = None;
        for (name, size) in sizes {
            let size = self.divisor(name, size, span);
            count = Some(match count {
                None => size,
                Some(count) => self.each(BinaryOp::Mul, count, size, span)?,
            });
        }
        // Where nothing is left out, nothing is summed.
        count.map_or(Ok(sum), |count| self.each(BinaryOp::Div, sum, count, span))
    }

    fn each(&mut self, op: BinaryOp, lhs: TensorId, rhs: TensorId, span: Span) -> Walked<TensorId> {
        self.plain(Logic::Pointwise, Primitive::Binary(op), Accumulate::Replace, vec![lhs, rhs], span)
    }
}

/// What an operation sums over, as it is written and as it is measured; else the axis whose cells cannot be counted so.
fn summed(operation: &Operation) -> Result<Vec<(String, Measure)>, String> {
    let Some(Spec { operands, result }) = operation.spec.as_ref().map(|it| &it.spec) else { return Ok(Vec::new()) };
    let (mut from, mut to) = (Named::default(), Named::default());
    operands.iter().try_for_each(|slot| from.of_operand(slot))?;
    to.of_result(result)?;
    let template = &operation.template;
    let label = |name: &&str| template.label(name).map(|v| ((*name).to_owned(), Measure::Dim(v.into())));
    let row = |name: &&str| template.row_var(name).map(|v| (written(name), Measure::Row(v.into())));
    let (labels, rows) = (from.labels.difference(&to.labels), from.rows.difference(&to.rows));
    Ok(labels.filter_map(label).chain(rows.filter_map(row)).collect())
}

/// A row variable as in a specification, where `...` has the name of its kind.
fn written(name: &str) -> String {
    if Kind::ALL.into_iter().any(|kind| kind.name() == name) { "...".to_owned() } else { name.to_owned() }
}

fn rows(slot: &SpecSlot) -> impl Iterator<Item = &SpecRow> {
    Kind::ALL.into_iter().map(|kind| slot.row(kind))
}

impl<'s> Named<'s> {
    /// A window over an operand is summed cell by cell. An axis without a label has no size to divide by, and of `a^b`
    /// the cells that count differ from place to place.
    fn of_operand(&mut self, slot: &'s SpecSlot) -> Result<(), String> {
        for axis in rows(slot).flat_map(SpecRow::axes) {
            match axis {
                Axis::Fixed(_) => {}
                Axis::Label(label) => drop(self.labels.insert(label)),
                Axis::Affine(affine) => {
                    self.labels.insert(&affine.over);
                    self.labels.extend(affine.kernel.iter().map(|kernel| kernel.label.as_str()));
                }
                Axis::Anonymous | Axis::Concat(_) => return Err(axis.to_string()),
            }
        }
        self.rows.extend(rows(slot).filter_map(|row| row.var.as_deref()));
        Ok(())
    }

    /// Where windows are written they overlap, and each cell gets a number of its own.
    fn of_result(&mut self, slot: &'s SpecSlot) -> Result<(), String> {
        for axis in rows(slot).flat_map(SpecRow::axes) {
            match axis {
                Axis::Fixed(_) | Axis::Anonymous => {}
                Axis::Label(label) => drop(self.labels.insert(label)),
                Axis::Affine(_) | Axis::Concat(_) => return Err(axis.to_string()),
            }
        }
        self.rows.extend(rows(slot).filter_map(|row| row.var.as_deref()));
        Ok(())
    }
}
