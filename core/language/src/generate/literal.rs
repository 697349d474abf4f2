//! Written numbers: literals, and what parameters begin with. Lists are inside each other in the order of storage: batch,
//! output, input.

use super::walk::{Walk, Walked, wrong};
use super::{Literal, Marker, Measure, Role, TensorId};
use crate::ast::{Array, Init};
use crate::error::{ProgramError, ProgramProblem};
use crate::numeral::Numeral;
use crate::shape::{ByKind, Declared, DeclaredAxis, DeclaredRow, Kind, RowName, ShapeTerm};
use lozenge_calculus::dim::Dim;
use lozenge_calculus::projection::record::STORAGE;
use lozenge_calculus::term::{DimTerm, RowTerm};
use lozenge_notation::Span;

impl Walk<'_> {
    /// A scalar: one output axis, which stretches.
    pub(super) fn scalar(&mut self, value: Literal, span: Span) -> Walked<TensorId> {
        if let Literal::Number(n) = &value {
            finite(n, span)?;
        }
        let output = RowTerm::new(Vec::new(), None, vec![DimTerm::Dim(Dim::Unit)]);
        Ok(self.literal(value, ByKind { output, ..ShapeTerm::default() }, span))
    }

    /// A size to divide by: no axes, so that the quotient has none but those of what is divided.
    pub(super) fn divisor(&mut self, name: String, size: Measure, span: Span) -> TensorId {
        self.literal(Literal::Size(name, size), ShapeTerm::default(), span)
    }

    /// Nested lists: output axes, or those of a written shape. None of them stretches unless it is `unit`.
    pub(super) fn tensor_literal(&mut self, array: &Array, shape: Option<&Declared>, span: Span) -> Walked<TensorId> {
        match (array, shape) {
            (Array::Number(n), None) => return self.scalar(Literal::Number(n.clone()), span),
            (Array::Number(_), Some(_)) => return wrong(ProgramProblem::Irregular, span),
            (Array::List(_), _) => {}
        }
        let rows = self.written_rows(array, shape, span)?;
        Ok(self.literal(Literal::Array(array.clone()), rows, span))
    }

    fn literal(&mut self, value: Literal, shape: ShapeTerm, span: Span) -> TensorId {
        let tensor = self.tensor(Role::Literal, shape, span);
        self.out.tensors[tensor].value = Some(value);
        self.out.tensors[tensor].markers = ByKind::of(|_| Marker::Literal);
        tensor
    }

    /// The rows of nested lists.
    pub(super) fn written_rows(&mut self, array: &Array, shape: Option<&Declared>, span: Span) -> Walked<ShapeTerm> {
        let Some(lengths) = lengths(array) else { return wrong(ProgramProblem::Irregular, span) };
        let Some(shape) = shape else {
            let output = lengths.iter().map(|n| size(*n, span)).collect::<Walked<Vec<_>>>()?;
            return Ok(ByKind { output: RowTerm::new(Vec::new(), None, output), ..ShapeTerm::default() });
        };
        if let Some(text) = Kind::ALL.into_iter().find_map(|kind| row_variable(shape.rows.get(kind))) {
            return wrong(ProgramProblem::LiteralRow(text), shape.span);
        }
        let axes = |kind: Kind| shape.rows.get(kind).lead.iter().chain(&shape.rows.get(kind).trail);
        let count = Kind::ALL.into_iter().map(|kind| axes(kind).count()).sum();
        if count != lengths.len() {
            return wrong(ProgramProblem::LiteralAxes { shape: count, lists: lengths.len() }, shape.span);
        }
        let mut rest = lengths.into_iter();
        let mut rows = ShapeTerm::default();
        for kind in STORAGE {
            let written = axes(kind).zip(rest.by_ref().take(axes(kind).count()).collect::<Vec<_>>());
            let row = written.map(|(axis, n)| self.written_axis(axis, n, shape.span)).collect::<Walked<Vec<_>>>()?;
            *rows.get_mut(kind) = RowTerm::new(Vec::new(), None, row);
        }
        Ok(rows)
    }

    /// An axis of a written shape, with lists of this length.
    fn written_axis(&mut self, axis: &DeclaredAxis, length: u64, span: Span) -> Walked<DimTerm> {
        match axis {
            DeclaredAxis::Unknown => size(length, span),
            DeclaredAxis::Named(name) => {
                let (dim, length) = (self.named_dim(name, span)?, size(length, span)?);
                self.equate(name, dim, length, span);
                Ok(dim)
            }
            DeclaredAxis::Size(n, _) if *n == length => self.declared_axis(axis, span),
            DeclaredAxis::Unit if length == 1 => self.declared_axis(axis, span),
            DeclaredAxis::Size(..) | DeclaredAxis::Unit => {
                wrong(ProgramProblem::LiteralSize { axis: axis.to_string(), length }, span)
            }
        }
    }
}

/// The value that a parameter begins with.
pub(super) fn initial(init: &Init, span: Span) -> Walked<Literal> {
    match init {
        Init::Range => Ok(Literal::Range),
        Init::Values(Array::Number(n)) => finite(n, span).map(|()| Literal::Number(n.clone())),
        Init::Values(array) => Ok(Literal::Array(array.clone())),
    }
}

fn finite(n: &Numeral, span: Span) -> Walked<()> {
    if n.value().is_finite() { Ok(()) } else { wrong(ProgramProblem::Number("this".to_owned()), span) }
}

fn size(n: u64, span: Span) -> Walked<DimTerm> {
    Dim::size(n).map(DimTerm::Dim).map_err(|_| ProgramError::new(ProgramProblem::Irregular, span))
}

/// `...` or `..r..`, where a row has it.
fn row_variable(row: &DeclaredRow) -> Option<String> {
    row.var.as_ref().map(|var| match var {
        RowName::Any => "...".to_owned(),
        RowName::Named(name) => format!("..{name}.."),
    })
}

/// The lengths of nested lists: those of the first list of each depth, if all others agree with them.
fn lengths(array: &Array) -> Option<Vec<u64>> {
    let (mut axes, mut first) = (Vec::new(), array);
    while let Array::List(list) = first {
        axes.push(list.len() as u64);
        first = list.first()?;
    }
    regular(array, &axes).then_some(axes)
}

fn regular(array: &Array, axes: &[u64]) -> bool {
    match (array, axes) {
        (Array::Number(n), []) => n.value().is_finite(),
        (Array::List(list), [n, rest @ ..]) => list.len() as u64 == *n && list.iter().all(|item| regular(item, rest)),
        _ => false,
    }
}
