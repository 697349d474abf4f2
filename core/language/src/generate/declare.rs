//! Tensors: what declares them, and the rows they have.

use super::literal::initial;
use super::logic::without_axes;
use super::scope::similar;
use super::walk::{Walk, Walked, wrong};
use super::{Literal, Marker, Measure, Role, Tensor, TensorId};
use crate::ast::{Array, Declaration, Init, Name};
use crate::error::{ProgramError, ProgramProblem};
use crate::shape::{ByKind, Declared, DeclaredAxis, DeclaredRow, Kind, RowName, ShapeTerm};
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::names::Sort;
use lozenge_calculus::term::{DimTerm, Flank, RowTerm, RowVar};
use lozenge_notation::Span;
use std::sync::Arc;

impl<'p> Walk<'p> {
    pub(super) fn tensor(&mut self, role: Role, shape: ShapeTerm, span: Span) -> TensorId {
        let markers = ByKind::of(|_| Marker::Open);
        self.out.tensors.push(Tensor { name: None, role, shape, span, value: None, by: None, markers });
        self.out.tensors.len() - 1
    }

    pub(super) fn open_shape(&mut self) -> ShapeTerm {
        ByKind::of(|_| without_axes(Some(self.out.names.fresh_row())))
    }

    pub(super) fn declare(&mut self, declaration: &'p Declaration, role: Role, span: Span) -> Walked<TensorId> {
        if declaration.init.is_some() && role != Role::Param {
            return wrong(ProgramProblem::Initialiser, declaration.name.span);
        }
        let (shape, markers) = match (&declaration.shape, &declaration.init) {
            (shape, Some(Init::Values(array @ Array::List(_)))) => {
                (self.written_rows(array, shape.as_ref(), span)?, ByKind::of(|_| Marker::LeftEdge))
            }
            (Some(shape), _) => (self.declared(shape)?, ByKind::of(|kind| shape.rows.get(kind).marker())),
            (None, _) => {
                let mut shape = self.named_rows(&declaration.name.text);
                let mut markers = ByKind::of(|_| Marker::Open);
                if role == Role::Param {
                    (shape.batch, markers.batch) = (RowTerm::default(), Marker::LeftEdge);
                }
                (shape, markers)
            }
        };
        let tensor = self.tensor(role, shape, span);
        self.out.tensors[tensor].markers = markers;
        self.out.tensors[tensor].value = declaration.init.as_ref().map(|init| initial(init, span)).transpose()?;
        self.define(&declaration.name, tensor)?;
        Ok(tensor)
    }

    /// Open rows, called after the tensor.
    pub(super) fn named_rows(&mut self, name: &str) -> ShapeTerm {
        let mut full = self.trail.rows(name);
        let prefix = full.len();
        ByKind::of(|kind| {
            full.truncate(prefix);
            full.push_str(kind.name());
            without_axes(Some(RowVar(self.out.names.new_var(Sort::Row, &full).id())))
        })
    }

    pub(super) fn declared(&mut self, shape: &Declared) -> Walked<ShapeTerm> {
        let mut row = |kind| self.declared_row(shape.rows.get(kind), shape.span);
        Ok(ByKind { batch: row(Kind::Batch)?, input: row(Kind::Input)?, output: row(Kind::Output)? })
    }

    pub(super) fn declared_row(&mut self, row: &DeclaredRow, span: Span) -> Walked<RowTerm> {
        let mut flank = |axes: &[DeclaredAxis]| -> Walked<Flank> {
            let mut terms = Vec::with_capacity(axes.len());
            for axis in axes {
                terms.push(self.declared_axis(axis, span)?);
            }
            Ok(terms.into())
        };
        let (lead, trail) = (flank(&row.lead)?, flank(&row.trail)?);
        let middle = match &row.var {
            None => RowTerm::default(),
            Some(RowName::Any) => self.out.names.fresh_row().into(),
            Some(RowName::Named(name)) => self.named_row(name, span)?,
        };
        if middle.known_rank() == 0 {
            return Ok(RowTerm::new(lead, middle.var, trail));
        }
        Ok(middle.within(&lead, &trail))
    }

    pub(super) fn named_row(&mut self, name: &str, span: Span) -> Walked<RowTerm> {
        match self.measure(name).cloned() {
            Some(Measure::Row(row)) => Ok(row),
            Some(Measure::Dim(_)) => {
                let (is, needed) = ("the name of an axis", "the name of a row");
                wrong(ProgramProblem::WrongSort { name: name.to_owned(), is, needed }, span)
            }
            None => {
                let named = if self.scopes.len() == 1 { self.out.names.row_var(name).ok() } else { None };
                let row: RowTerm = named.unwrap_or_else(|| self.out.names.fresh_row()).into();
                self.define_size(&Name { text: name.to_owned(), span }, Measure::Row(row.clone()))?;
                Ok(row)
            }
        }
    }

    pub(super) fn declared_axis(&mut self, axis: &DeclaredAxis, span: Span) -> Walked<DimTerm> {
        match axis {
            DeclaredAxis::Size(n, basis) => {
                let basis = basis.as_ref().map_or(Basis::DEFAULT, |name| self.out.names.basis(name));
                let atom = Atom::new(*n, basis).map_err(|_| ProgramError::new(ProgramProblem::SizeZero, span))?;
                Ok(DimTerm::Dim(Dim::Atom(atom)))
            }
            DeclaredAxis::Unit => Ok(DimTerm::Dim(Dim::Unit)),
            DeclaredAxis::Unknown => Ok(self.out.names.fresh_dim().into()),
            DeclaredAxis::Named(name) => self.named_dim(name, span),
        }
    }

    /// The dimension of this name, new if the name is.
    pub(super) fn named_dim(&mut self, name: &str, span: Span) -> Walked<DimTerm> {
        match self.measure(name).cloned() {
            Some(Measure::Dim(dim)) => Ok(dim),
            Some(Measure::Row(_)) => {
                let (is, needed) = ("the name of a row", "the name of an axis");
                wrong(ProgramProblem::WrongSort { name: name.to_owned(), is, needed }, span)
            }
            None => {
                let named = if self.scopes.len() == 1 { self.out.names.dim_var(name).ok() } else { None };
                let dim = named.unwrap_or_else(|| self.out.names.fresh_dim());
                self.define_size(&Name { text: name.to_owned(), span }, Measure::Dim(dim.into()))?;
                // A name alone is no axis: it is 0 where what it equals is.
                self.out.discardable.insert(dim);
                Ok(dim.into())
            }
        }
    }

    pub(super) fn size(&mut self, name: &str, span: Span) -> Walked<TensorId> {
        let Some(of) = self.measure(name).cloned() else {
            let similar = similar(name, self.visible().flat_map(|scope| scope.sizes.keys().map(String::as_str)));
            return wrong(ProgramProblem::Unknown { name: name.to_owned(), what: "size", similar }, span);
        };
        self.scalar(Literal::Size(name.to_owned(), of), span)
    }

    pub(super) fn gradient(&mut self, name: &str, span: Span) -> Walked<TensorId> {
        let of = self.lookup(name, span)?;
        // There may be one already, whoever made it.
        self.reached_out.set(true);
        let role = Role::Gradient(of);
        if let Some(found) = self.out.tensors.iter().position(|t| t.role == role) {
            return Ok(found);
        }
        let tensor = self.tensor(role, self.out.tensors[of].shape.clone(), span);
        self.out.tensors[tensor].markers = self.out.tensors[of].markers.clone();
        let full = self.out.tensors[of].name.as_ref().map(|name| Arc::from(format!("{name}.grad")));
        self.out.bindings.extend(full.clone().map(|name| (name, tensor)));
        self.out.tensors[tensor].name = full;
        Ok(tensor)
    }
}

impl DeclaredRow {
    /// Where its marker is declared.
    fn marker(&self) -> Marker {
        if self.var.is_some() { Marker::Ellipsis } else { Marker::LeftEdge }
    }
}
