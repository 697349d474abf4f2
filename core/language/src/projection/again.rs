//! One operation, with ids of its own, derived and solved again.
//!
//! Every axis of every occurrence of a tensor is a fresh dimension variable, so that what this operation identifies
//! is what its own constraints say (Lemma 7.7 (b)). The row variables and labels of a specification are eliminated
//! by the solver of §4, in an empty environment (Lemma 7.7 (a)).

use super::label::label;
use super::local::{Axis, Nest};
use super::names::{Namer, Taken};
use super::situation::Situation;
use super::turns::without_idle_turns;
use super::{Index, Proj, ProjectError};
use crate::Span;
use crate::ast::Convolution;
use crate::einsum::{Axis as SpecAxis, Factor};
use crate::generate::logic::{Derived, derive};
use crate::shape::{ByKind, Kind, Shape, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::names::Names;
use lozenge_calculus::projection::elaborate::{Elaborated, Elaboration};
use lozenge_calculus::projection::record::Slot;
use lozenge_calculus::projection::solve::Classes;
use lozenge_calculus::term::{DimTerm, DimVar, Flank, RowTerm, RowVar, Term, Var};
use lozenge_engine::solver::{self, Limits, Policy, Solved, Verdict};
use lozenge_staged::{DerivedIndex, StrataConflict, left_padding, solve_strata};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Situation<'_> {
    /// The loop nest of an operation in this situation; `span` is its place, for errors.
    pub(super) fn nest(&self, span: Span, limits: Limits, taken: &Taken<'_>) -> Result<Nest, ProjectError> {
        let mut local = Local::freshen(&self.shapes().map(Arc::as_ref).collect::<Vec<_>>());
        let derived = local.derive(self);
        let sigma = local.solve_again(&derived, limits, span)?;
        let sizes = local.sizes(self, &derived, &sigma);
        let equations = elaborate(self, &sizes, local.axes.len(), &derived, &sigma);
        let conflict = |conflict| match conflict {
            StrataConflict::First(conflict) => ProjectError::Conflict { span, conflict },
            conflict => ProjectError::Second { span, conflict },
        };
        let indexed = indexed(self, &derived, &sigma, &sizes, span)?;
        let strata = solve_strata(&sizes, equations.iter().map(|e| &e.equation), &indexed).map_err(conflict)?;
        let labels = labels_of(&derived, &sigma, &strata.classes);
        let namer = Namer::new(taken, derived.template.labels().map(|(label, _)| label));
        let mut record = label(self.shapes().count() - 1, &local.axes, &strata, &labels, namer);
        without_idle_turns(&mut record, self.logic());
        Ok(Nest { axes: local.axes, equations, record })
    }
}

/// The shapes of one operation, with ids.
struct Local {
    names: Names,
    axes: Vec<Axis>,
    shapes: Vec<ShapeTerm>,
}

impl Local {
    /// A new id for every axis of every occurrence. Ids are made before any other variable, so that their
    /// numbers count from 0 and the solver binds labels to them and not the other way round.
    fn freshen(shapes: &[&Shape]) -> Self {
        let count = shapes.iter().flat_map(|shape| Kind::ALL.map(|kind| shape.get(kind).rank())).sum();
        let (mut names, mut axes) = (Names::new(), Vec::with_capacity(count));
        let occurrence = |(i, shape): (usize, &&Shape)| {
            let slot = i.checked_sub(1).map_or(Slot::Lhs, Slot::Rhs);
            ByKind::of(|kind| {
                let row = shape.get(kind);
                let mut flank = |dims: &[Dim], before: usize| -> Flank {
                    let id = |(i, dim): (usize, &Dim)| {
                        axes.push(Axis { slot, kind, position: before + i, size: dim.elements() });
                        names.fresh_dim().into()
                    };
                    dims.iter().enumerate().map(id).collect()
                };
                let (lead, trail) = (flank(&row.lead, 0), flank(&row.trail, row.lead.len()));
                RowTerm::new(lead, None, trail)
            })
        };
        let shapes = shapes.iter().enumerate().map(occurrence).collect();
        Local { names, axes, shapes }
    }

    /// Φ_op: the operation's own constraints, on these shapes.
    fn derive(&mut self, of: &Situation<'_>) -> Derived {
        let (result, operands) = (&self.shapes[0], self.shapes[1..].iter().collect::<Vec<_>>());
        derive(&mut self.names, of.logic(), of.spec().map(|it| it.0), result, &operands)
    }

    /// What the variables of the specification stand for: the solver's σ on the equalities, from nothing.
    fn solve_again(&mut self, derived: &Derived, limits: Limits, span: Span) -> Result<Sigma, ProjectError> {
        let equalities = derived.related.iter().map(|it| &it.constraint);
        let equalities = equalities.filter(|phi| matches!(phi, Constraint::RowEq(..)));
        let equalities: Vec<Constraint> = equalities.cloned().collect();
        if equalities.is_empty() {
            return Ok(Sigma(None));
        }
        match solver::solve(&equalities, &mut self.names, Policy { limits, ..Policy::default() }) {
            Verdict::Solved(solved) => Ok(Sigma(Some(solved))),
            Verdict::Unsat(_) | Verdict::Rejected(_) => Err(ProjectError::Unsolved { span }),
            Verdict::Limit(limit) => Err(ProjectError::Limit { span, limit }),
        }
    }

    /// sz: the sizes of the axes, and of the labels that are no axis of any tensor but only part of an index, as
    /// the window of a pooling. The other variables are gone after the local solve.
    fn sizes(&self, of: &Situation<'_>, derived: &Derived, sigma: &Sigma) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.axes.iter().map(|axis| axis.size).collect();
        if !derived.template.is_sized() {
            return sizes;
        }
        sizes.resize(self.names.len(), 1);
        for (label, v) in derived.template.labels() {
            if let (Some(Proj(id)), Some(known)) = (sigma.id(v), of.label(label))
                && id as usize >= self.axes.len()
                && let Some(size) = sizes.get_mut(id as usize)
            {
                *size = known;
            }
        }
        sizes
    }
}

/// σ, asked only for the variables of the specification; the identity where there was nothing to solve.
struct Sigma(Option<Box<Solved>>);

impl Sigma {
    fn dim(&self, d: DimTerm) -> DimTerm {
        match (d, &self.0) {
            (DimTerm::Var(v), Some(solved)) => match solved.value(Var::Dim(v)) {
                Term::Dim(value) => value,
                Term::Row(_) => d,
            },
            _ => d,
        }
    }

    fn row(&self, var: RowVar) -> RowTerm {
        match self.0.as_ref().map(|solved| solved.value(Var::Row(var))) {
            Some(Term::Row(value)) => value,
            _ => var.into(),
        }
    }

    /// The id that a label stands for.
    fn id(&self, label: DimVar) -> Option<Proj> {
        match self.dim(label.into()) {
            DimTerm::Var(id) => Some(Proj(id.0)),
            DimTerm::Dim(_) => None,
        }
    }
}

/// E: Def. 7.2 on Φ_op under σ, indices from outside, and every axis of every occurrence as terminal (P6).
fn elaborate(of: &Situation<'_>, sizes: &[u64], axes: usize, derived: &Derived, sigma: &Sigma) -> Vec<Elaborated> {
    let mut out = Elaboration::new(sizes);
    let eliminated = |row| eliminate(row, axes, sigma);
    for related in &derived.related {
        match &related.constraint {
            Constraint::RowEq(a, b) => out.p4(&eliminated(a), &eliminated(b)),
            other => out.constraint(other),
        }
    }
    for fixed in &derived.fixed {
        out.given(sigma.dim(fixed.axis), Index::Fix(fixed.index));
    }
    if let (Some(axis), Some(index)) = (derived.sliced, of.index()) {
        out.given(sigma.dim(axis.into()), index);
    }
    (0..axes).filter_map(|p| u32::try_from(p).ok()).for_each(|p| out.p6(Proj(p)));
    if sizes.len() > axes {
        // Labels that are no axis of any tensor are iterated as well (§8).
        let ids = derived.template.labels().filter_map(|(_, v)| sigma.id(v));
        let labels: BTreeSet<Proj> = ids.filter(|id| (axes..sizes.len()).contains(&(id.0 as usize))).collect();
        labels.into_iter().for_each(|p| out.p6(p));
    }
    out.equations
}

/// A row without the variables of the specification. Ids, the oldest variables, stay: the solver has merged them, and
/// which of them are one is for the equations to say.
fn eliminate<'a>(row: &'a RowTerm, ids: usize, sigma: &Sigma) -> Cow<'a, RowTerm> {
    let is_id = |d: &DimTerm| matches!(d, DimTerm::Var(v) if (v.0 as usize) < ids);
    if row.var.is_none() && row.lead.iter().chain(&row.trail).all(is_id) {
        return Cow::Borrowed(row);
    }
    let dim = |d: &DimTerm| if is_id(d) { *d } else { sigma.dim(*d) };
    let middle = row.var.map(|var| sigma.row(var)).unwrap_or_default();
    let lead: Flank = row.lead.iter().map(dim).chain(middle.lead).collect();
    let trail: Flank = middle.trail.into_iter().chain(row.trail.iter().map(dim)).collect();
    Cow::Owned(RowTerm::new(lead, middle.var, trail))
}

/// The second stratum: the axes of the specification that are indexed by a derived term (§8).
fn indexed(
    of: &Situation<'_>,
    derived: &Derived,
    sigma: &Sigma,
    sizes: &[u64],
    span: Span,
) -> Result<Vec<(Proj, DerivedIndex)>, ProjectError> {
    // Every label has an id and every factor a size (Lemma 7.7). An index that is left out would be a loop.
    let unsolved = ProjectError::Unsolved { span };
    let label = |name: &String| {
        let id = derived.template.label(name).and_then(|v| sigma.id(v));
        id.ok_or_else(|| unsolved.clone())
    };
    let factor = |factor: &Option<Factor>| match factor {
        None => Ok(1),
        Some(Factor::Number(n)) => Ok(*n),
        Some(Factor::Name(name)) => of.factor(name).ok_or_else(|| unsolved.clone()),
    };
    let too_large = |_| ProjectError::Second { span, conflict: StrataConflict::TooLarge };
    let term = |axis: &SpecAxis| match axis {
        SpecAxis::Concat(labels) => Ok(DerivedIndex::Concat(labels.iter().map(label).collect::<Result<_, _>>()?)),
        SpecAxis::Affine(affine) => {
            let mut terms = vec![(factor(&affine.stride)?, label(&affine.over)?)];
            let mut offset = i128::from(affine.offset.unwrap_or(0));
            if let Some(kernel) = &affine.kernel {
                let (dilation, k) = (factor(&kernel.dilation)?, label(&kernel.label)?);
                terms.push((dilation, k));
                if kernel.mode == Some(Convolution::Padded) {
                    let left = left_padding(dilation, sizes.get(k.0 as usize).copied().unwrap_or(1));
                    offset -= i128::try_from(left).map_err(too_large)?;
                }
            }
            Ok(DerivedIndex::Affine { terms, offset: i64::try_from(offset).map_err(too_large)? })
        }
        _ => Err(unsolved.clone()),
    };
    let axis = |(axis, var)| Ok((sigma.id(var).ok_or_else(|| unsolved.clone())?, term(axis)?));
    derived.template.sized().map(axis).collect()
}

/// The labels of the specification as names for the classes they are in: of two labels of one class, the first.
fn labels_of<'a>(derived: &'a Derived, sigma: &Sigma, classes: &Classes) -> Vec<Option<&'a str>> {
    let mut labels = vec![None; classes.classes.len()];
    for (name, v) in derived.template.labels().rev() {
        if let Some(class) = sigma.id(v).and_then(|id| classes.of.get(id.0 as usize)) {
            labels[*class] = Some(name);
        }
    }
    labels
}
