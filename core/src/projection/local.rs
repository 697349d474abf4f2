//! Global sizes, local identities: one operation, with ids of its own, derived and solved again.
//!
//! The sizes are those of the closed shapes. The identities are new: every axis of every occurrence of a
//! tensor is a fresh dimension variable, so that what this operation identifies is what its own constraints
//! say (Lemma 7.7 (b)). The row variables and labels of a specification are eliminated by the solver of §4, in
//! an empty environment (Lemma 7.7 (a)).

use super::affine::AffineLabel;
use super::elaborate::{Elaborated, Elaboration};
use super::record::{Label, Loop, MapAxis, Projections, STORAGE, Slot};
use super::solve::{Classes, Conflict};
use super::{Index, Proj};
use crate::constraint::Constraint;
use crate::names::Names;
use crate::program::Inference;
use crate::program::Span;
use crate::program::ast::Index as Given;
use crate::program::einsum::{Axis as SpecAxis, Factor};
use crate::program::generate::logic::{Derived, derive};
use crate::program::generate::{Operation, TensorId};
use crate::program::shape::{ByKind, Kind, Shape, ShapeTerm};
use crate::solver::{self, Policy, Verdict};
use crate::staged::{DerivedIndex, Evaluated, Strata, StrataConflict, left_padding, solve_strata};
use crate::subst::Subst;
use crate::term::{DimTerm, DimVar, Flank, RowTerm};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An axis of one occurrence of a tensor: what an id stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    /// The occurrence.
    pub slot: Slot,
    /// The kind of the row.
    pub kind: Kind,
    /// The place in that row, from 0.
    pub position: usize,
    /// The size.
    pub size: u64,
}

/// An operation with its projections.
#[derive(Clone, Debug)]
pub struct Projected {
    /// The number of the operation.
    pub operation: usize,
    /// The tensors, by slot: the result, then the operands.
    pub tensors: Vec<TensorId>,
    /// What each id stands for.
    pub axes: Vec<Axis>,
    /// E, with the rule for each equation.
    pub equations: Vec<Elaborated>,
    /// The outcome.
    pub record: Projections,
}

/// Why an operation has no projections. After a successful inference this does not happen (Lemma 7.7); what is
/// left are requests for operations that are not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProjectError {
    /// There is no operation of this number.
    NoSuchOperation(usize),
    /// The local solve failed: Lemma 7.7 (a) would be refuted.
    Unsolved {
        /// The place of the operation.
        span: Span,
    },
    /// The solver of Def. 7.3 failed.
    Conflict {
        /// The place of the operation.
        span: Span,
        /// Why.
        conflict: Conflict,
    },
    /// The second stratum failed (§8).
    Second {
        /// The place of the operation.
        span: Span,
        /// Why.
        conflict: StrataConflict,
    },
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectError::NoSuchOperation(n) => write!(f, "the program has no operation {n}"),
            ProjectError::Unsolved { .. } => {
                f.write_str("the operation's own constraints have no solution (Lemma 7.7)")
            }
            ProjectError::Conflict { conflict, .. } => conflict.fmt(f),
            ProjectError::Second { conflict, .. } => conflict.fmt(f),
        }
    }
}

impl std::error::Error for ProjectError {}

/// The projections of every operation.
///
/// # Errors
/// As [`project`].
pub fn project_all(inferred: &Inference) -> Result<Vec<Projected>, ProjectError> {
    (0..inferred.generated.operations.len()).map(|i| project(inferred, i)).collect()
}

/// The projections of one operation of a program whose shapes are inferred.
///
/// # Errors
/// A [`ProjectError`].
pub fn project(inferred: &Inference, operation: usize) -> Result<Projected, ProjectError> {
    let op = inferred.generated.operations.get(operation).ok_or(ProjectError::NoSuchOperation(operation))?;
    let tensors: Vec<TensorId> = [op.result].into_iter().chain(op.operands.iter().copied()).collect();
    let mut local = Local::freshen(&tensors.iter().map(|t| &inferred.shapes[*t]).collect::<Vec<_>>());
    let derived = local.derive(op);
    let sigma = local.solve_again(&derived).ok_or(ProjectError::Unsolved { span: op.span })?;
    let sizes = local.sizes(inferred, op, &derived, &sigma);
    let equations = elaborate(&sizes, local.axes.len(), &derived, &sigma, op);
    let conflict = |conflict| match conflict {
        StrataConflict::First(conflict) => ProjectError::Conflict { span: op.span, conflict },
        conflict => ProjectError::Second { span: op.span, conflict },
    };
    let indexed = indexed(inferred, op, &derived, &sigma, &sizes);
    let strata = solve_strata(&sizes, equations.iter().map(|e| &e.equation), &indexed).map_err(conflict)?;
    let record = label(tensors.len(), &local.axes, &strata, &names_of(&derived, &sigma, &strata.classes));
    Ok(Projected { operation, tensors, axes: local.axes, equations, record })
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
        let mut local = Local { names: Names::new(), axes: Vec::new(), shapes: Vec::new() };
        for (i, shape) in shapes.iter().enumerate() {
            let slot = i.checked_sub(1).map_or(Slot::Lhs, Slot::Rhs);
            let rows = ByKind::of(|kind| {
                let row = shape.get(kind);
                let mut ids = row.flat().enumerate().map(|(position, dim)| {
                    local.axes.push(Axis { slot, kind, position, size: dim.elements() });
                    DimTerm::Var(local.names.fresh_dim())
                });
                let lead: Flank = ids.by_ref().take(row.lead.len()).collect();
                RowTerm::new(lead, None, ids.collect::<Flank>())
            });
            local.shapes.push(rows);
        }
        local
    }

    /// Φ_op: the operation's own constraints, on these shapes.
    fn derive(&mut self, op: &Operation) -> Derived {
        let (result, operands) = (&self.shapes[0], self.shapes[1..].iter().collect::<Vec<_>>());
        derive(&mut self.names, op.logic, op.spec.as_ref().map(|it| &it.spec), result, &operands)
    }

    /// sz: the sizes of the axes, and of the labels that are no axis of any tensor but only part of an index, as
    /// the window of a pooling. The other variables are gone after the local solve.
    fn sizes(&self, inferred: &Inference, op: &Operation, derived: &Derived, sigma: &Subst) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.axes.iter().map(|axis| axis.size).collect();
        if derived.template.sized.is_empty() {
            return sizes;
        }
        sizes.resize(self.names.len(), 1);
        for (label, v) in &derived.template.labels {
            if let (DimTerm::Var(id), Some(global)) = (sigma.apply_dim((*v).into()), op.template.labels.get(label))
                && id.0 as usize >= self.axes.len()
                && let Some(size) = sizes.get_mut(id.0 as usize)
            {
                *size = inferred.size_of((*global).into());
            }
        }
        sizes
    }

    /// What the variables of the specification stand for: the solver's σ on the equalities, from nothing.
    fn solve_again(&mut self, derived: &Derived) -> Option<Subst> {
        let equalities: Vec<Constraint> = derived
            .related
            .iter()
            .map(|it| &it.constraint)
            .filter(|phi| matches!(phi, Constraint::RowEq(..)))
            .cloned()
            .collect();
        if equalities.is_empty() {
            return Some(Subst::identity());
        }
        match solver::solve(&equalities, &mut self.names, Policy::default()) {
            Verdict::Solved(solved) => Some(solved.sigma()),
            _ => None,
        }
    }
}

/// E: Def. 7.2 on Φ_op under σ, indices from outside, and every axis of every occurrence as terminal (P6).
fn elaborate(sizes: &[u64], axes: usize, derived: &Derived, sigma: &Subst, op: &Operation) -> Vec<Elaborated> {
    let mut out = Elaboration::new(sizes);
    let eliminated = |row: &RowTerm| eliminate(row, axes, sigma);
    for related in &derived.related {
        match &related.constraint {
            Constraint::RowEq(a, b) => out.p4(&eliminated(a), &eliminated(b)),
            other => out.constraint(other),
        }
    }
    for fixed in &derived.fixed {
        out.given(sigma.apply_dim(fixed.axis), Index::Fix(fixed.index));
    }
    if let (Some(axis), Some(index)) = (derived.sliced, &op.index) {
        let index = match index {
            Given::Number(n) => Index::Fix(*n),
            Given::Name(name) => Index::External(name.clone()),
        };
        out.given(sigma.apply_dim(axis.into()), index);
    }
    // Labels that are no axis of any tensor are iterated as well (§8).
    let label = |v: &DimVar| match sigma.apply_dim((*v).into()) {
        DimTerm::Var(id) if id.0 as usize >= axes && (id.0 as usize) < sizes.len() => Some(id.0),
        _ => None,
    };
    let labels: BTreeSet<u32> = derived.template.labels.values().filter_map(label).collect();
    (0..axes).filter_map(|p| u32::try_from(p).ok()).chain(labels).for_each(|p| out.p6(Proj(p)));
    out.equations
}

/// The second stratum: the axes of the specification that are indexed by a derived term (§8).
fn indexed(
    inferred: &Inference,
    op: &Operation,
    derived: &Derived,
    sigma: &Subst,
    sizes: &[u64],
) -> Vec<(Proj, DerivedIndex)> {
    let id = |v: DimVar| match sigma.apply_dim(v.into()) {
        DimTerm::Var(id) => Some(Proj(id.0)),
        DimTerm::Dim(_) => None,
    };
    let label = |name: &String| derived.template.labels.get(name).and_then(|v| id(*v));
    let factor = |factor: &Option<Factor>| match factor {
        None => Some(1),
        Some(Factor::Number(n)) => Some(*n),
        Some(Factor::Name(name)) => op.factors.get(name).map(|t| inferred.size_of(*t)),
    };
    let term = |axis: &SpecAxis| -> Option<DerivedIndex> {
        match axis {
            SpecAxis::Concat(labels) => Some(DerivedIndex::Concat(labels.iter().map(label).collect::<Option<_>>()?)),
            SpecAxis::Affine(affine) => {
                let mut terms = vec![(factor(&affine.stride)?, label(&affine.over)?)];
                let mut offset = i64::try_from(affine.offset.unwrap_or(0)).ok()?;
                if let Some(kernel) = &affine.kernel {
                    let (dilation, k) = (factor(&kernel.dilation)?, label(&kernel.label)?);
                    terms.push((dilation, k));
                    if kernel.padded {
                        let left = left_padding(dilation, sizes.get(k.0 as usize).copied().unwrap_or(1));
                        offset = offset.checked_sub(i64::try_from(left).ok()?)?;
                    }
                }
                Some(DerivedIndex::Affine { terms, offset })
            }
            _ => None,
        }
    };
    derived.template.sized.iter().filter_map(|it| Some((id(it.var)?, term(&it.axis)?))).collect()
}

/// A row without the variables of the specification. Ids, the oldest variables, stay: the solver has merged them, and
/// which of them are one is for the equations to say.
fn eliminate(row: &RowTerm, ids: usize, sigma: &Subst) -> RowTerm {
    let dim = |d: &DimTerm| match d {
        DimTerm::Var(v) if (v.0 as usize) < ids => *d,
        d => sigma.apply_dim(*d),
    };
    let middle = row.var.map(|var| sigma.row(var)).unwrap_or_default();
    let lead: Flank = row.lead.iter().map(dim).chain(middle.lead).collect();
    let trail: Flank = middle.trail.into_iter().chain(row.trail.iter().map(dim)).collect();
    RowTerm::new(lead, middle.var, trail)
}

/// The labels of the specification as names for the classes they are in.
fn names_of(derived: &Derived, sigma: &Subst, classes: &Classes) -> BTreeMap<usize, String> {
    let class = |v: DimVar| match sigma.apply_dim(v.into()) {
        DimTerm::Var(id) => classes.of.get(id.0 as usize).copied(),
        DimTerm::Dim(_) => None,
    };
    let labels = derived.template.labels.iter().rev();
    labels.filter_map(|(name, v)| Some((class(*v)?, name.clone()))).collect()
}

/// Def. 7.3, labels: a pinned class has its pin; an iterated one of size > 1 a new iterator; others are at 0.
fn label(slots: usize, axes: &[Axis], strata: &Strata, names: &BTreeMap<usize, String>) -> Projections {
    let Strata { classes, derived, coupled } = strata;
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|i| (axes[*i].slot, STORAGE.iter().position(|k| *k == axes[*i].kind), axes[*i].position));
    let mut loops: Vec<Loop> = Vec::new();
    let mut iterators: BTreeMap<usize, usize> = BTreeMap::new();
    let mut iterator = |number: usize| {
        *iterators.entry(number).or_insert_with(|| {
            let name = names.get(&number).cloned().unwrap_or_else(|| fresh(&loops, names));
            loops.push(Loop { name, size: classes.classes[number].size });
            loops.len() - 1
        })
    };
    let mut maps: Vec<Vec<MapAxis>> = vec![Vec::new(); slots];
    for i in order {
        let axis = axes[i];
        let number = classes.of[i];
        let class = &classes.classes[number];
        let part = coupled.iter().any(|group| group.contains(&number));
        let label = match (derived.get(&number), &class.pin) {
            (Some(term), _) => second(term, class.size, classes, &mut iterator),
            (None, Some(index)) => Label::At(index.clone()),
            // A part of a concatenation keeps its iterator even if it has one element.
            (None, None) if class.iterate && class.size > 1 || part => Label::Iter(iterator(number)),
            (None, None) => Label::At(Index::Fix(0)),
        };
        maps[axis.slot.number()].push(MapAxis { label, size: axis.size, kind: axis.kind });
    }
    let coupled = coupled.iter().map(|group| group.iter().map(|number| iterator(*number)).collect());
    let mut coupled: Vec<Vec<usize>> = coupled.collect();
    coupled.iter_mut().for_each(|group| group.sort_unstable());
    let rhs = maps.split_off(1);
    Projections { loops, lhs: maps.pop().unwrap_or_default(), rhs, coupled }
}

/// The label of a class that has a derived term.
fn second(term: &Evaluated, size: u64, classes: &Classes, iterator: &mut impl FnMut(usize) -> usize) -> Label {
    match term {
        Evaluated::Affine { terms, offset } => {
            let terms: Vec<(u64, usize)> = terms.iter().map(|(number, factor)| (*factor, *number)).collect();
            match (terms.as_slice(), offset) {
                // The index is the iterator itself.
                ([(1, number)], 0) if classes.classes[*number].size == size => Label::Iter(iterator(*number)),
                _ => {
                    let terms = terms.into_iter().map(|(factor, number)| (factor, iterator(number))).collect();
                    Label::Affine(AffineLabel { terms, offset: *offset })
                }
            }
        }
        Evaluated::Concat(numbers) => {
            let mut start = 0_u64;
            let parts = numbers.iter().map(|number| {
                let part = (iterator(*number), start);
                start = start.saturating_add(classes.classes[*number].size);
                part
            });
            Label::Concat(parts.collect())
        }
    }
}

/// A name that no label and no loop has: i, j, …, z, then i1, j1, ….
fn fresh(loops: &[Loop], labels: &BTreeMap<usize, String>) -> String {
    let taken = |name: &String| loops.iter().any(|l| l.name == *name) || labels.values().any(|l| l == name);
    let letters =
        |round: usize| ('i'..='z').map(move |c| if round == 0 { c.to_string() } else { format!("{c}{round}") });
    (0..=loops.len() + labels.len()).flat_map(letters).find(|name| !taken(name)).unwrap_or_default()
}
