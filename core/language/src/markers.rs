//! Provenance of markers (§10): which declared place put the marker of a row where it is.
//!
//! ```
//! use lozenge::program::{Placed, infer, parse, placements};
//! use lozenge::program::{generate::Marker, shape::Kind};
//! let program = parse("input x: 3, 5\nlet y = x ++ \"ij => ji\"\nlet z = relu y")?;
//! let inference = infer(&program).unwrap();
//! let all = placements(&inference.generated, lozenge::solver::Policy::default());
//! let y = inference.generated.tensor("y").unwrap();
//! let of_y = all.iter().find(|p| p.tensor == y && p.kind == Kind::Output).unwrap();
//! // The slot `ji` has no ellipsis, so its marker is at the left edge.
//! assert!(matches!(of_y.placed, Placed::Slot { marker: Marker::LeftEdge, .. }));
//! # Ok::<(), lozenge::program::ProgramError>(())
//! ```

use super::generate::{Generated, Marker, Operand, TensorId};
use super::shape::Kind;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{Binding, RowTerm, RowVar};
use lozenge_engine::solver::Policy;
use lozenge_engine::solver::configuration::Configuration;
use lozenge_engine::solver::derivation::{Origin, Trace};
use std::collections::BTreeMap;

/// What put a marker where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    /// The row of a tensor: a declared shape, or a literal.
    Declared {
        /// The tensor.
        tensor: TensorId,
        /// The kind of its row.
        kind: Kind,
        /// How the row says so.
        marker: Marker,
    },
    /// A row of a specification, or the batch row of a slice.
    Slot {
        /// The constraint that compares it with its tensor.
        constraint: usize,
        /// How it says so.
        marker: Marker,
    },
    /// The last choice of the solver, at an equation between rows none of which says where.
    Equation {
        /// The constraint.
        constraint: usize,
    },
    /// An inequality: the row got the axes of what must fit over it, on the same sides.
    Inequality {
        /// The constraint.
        constraint: usize,
    },
    /// Solving leaves it open: closing decides.
    Closing,
}

/// The marker of one row of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The tensor.
    pub tensor: TensorId,
    /// The kind of the row.
    pub kind: Kind,
    /// What put it there.
    pub placed: Placed,
    /// The constraints on the way there, nearest first.
    pub path: Vec<usize>,
}

/// The provenance of every row of every tensor, after solving all constraints. Nothing if they have no
/// solution.
#[must_use]
pub fn placements(generated: &Generated, policy: Policy) -> Vec<Placement> {
    let mut names = generated.names.clone();
    let mut configuration = Configuration::new(&generated.constraints, &mut names, policy, true);
    if configuration.run().is_err() {
        return Vec::new();
    }
    let trace = configuration.trace.take().unwrap_or_default();
    let steps = trace.steps.iter().enumerate();
    let bound = steps.filter_map(|(i, step)| match &step.bind.as_ref()?.binding {
        Binding::Row(var, _) => Some((*var, i)),
        Binding::Dim(..) => None,
    });
    let sources = Sources { generated, bound: bound.collect(), trace: &trace };
    let rows = (0..generated.tensors.len()).flat_map(|tensor| Kind::ALL.map(|kind| (tensor, kind)));
    rows.map(|(tensor, kind)| sources.of_row(tensor, kind)).collect()
}

struct Sources<'t> {
    generated: &'t Generated,
    trace: &'t Trace,
    /// The step that bound each variable.
    bound: BTreeMap<RowVar, usize>,
}

impl Sources<'_> {
    fn of_row(&self, tensor: TensorId, kind: Kind) -> Placement {
        let mut path = Vec::new();
        let it = &self.generated.tensors[tensor];
        let declared = Placed::Declared { tensor, kind, marker: *it.markers.get(kind) };
        let placed = match it.shape.get(kind) {
            RowTerm { var: None, .. } => declared,
            row @ RowTerm { var: Some(var), .. } => {
                self.of_var(*var, row.bare().is_none().then_some(declared), &mut path)
            }
        };
        Placement { tensor, kind, placed, path }
    }

    /// The variable at the end of the bindings made before a step, the steps on the way there, and the step
    /// that closed it.
    fn end(&self, mut var: RowVar, before: usize) -> (RowVar, Vec<usize>, Option<usize>) {
        let mut way = Vec::new();
        loop {
            let step = self.bound.get(&var).copied().filter(|step| *step < before);
            let Some(step) = step else { return (var, way, None) };
            match self.value(step).and_then(|row| row.var) {
                Some(next) => {
                    way.push(step);
                    var = next;
                }
                None => return (var, way, Some(step)),
            }
        }
    }

    fn value(&self, step: usize) -> Option<&RowTerm> {
        match &self.trace.steps.get(step)?.bind.as_ref()?.binding {
            Binding::Row(_, row) => Some(row),
            Binding::Dim(..) => None,
        }
    }

    /// What placed the marker of the row that is open at this variable; `declared` says so of a declared one.
    fn of_var(&self, var: RowVar, declared: Option<Placed>, path: &mut Vec<usize>) -> Placed {
        let (mut var, way, mut closed) = self.end(var, usize::MAX);
        path.extend(way.into_iter().filter_map(|step| self.input(step)));
        path.dedup();
        loop {
            let Some(step) = closed else { return self.open(path) };
            let Some(constraint) = self.input(step) else { return Placed::Closing };
            if path.last() != Some(&constraint) {
                path.push(constraint);
            }
            let Some(Constraint::RowEq(left, right)) = self.generated.constraints.get(constraint) else {
                return Placed::Inequality { constraint };
            };
            if left.is_closed() || right.is_closed() {
                let (written, value) = if left.is_closed() { (left, right) } else { (right, left) };
                // Where the two agree up to ≈ alone, the place that the row was open at before has put the marker there.
                let before = self.left_open(path).or(declared);
                let differ = self.lead(value) != Some(written.lead.len());
                let written = || self.written(constraint, left.is_closed());
                return before.filter(|_| differ).unwrap_or_else(written);
            }
            // The other side was known already: its marker came from an earlier step.
            let sides = [left, right].into_iter().filter_map(|row| row.var).map(|v| self.end(v, step));
            match sides.into_iter().find(|(end, _, at)| *end != var && at.is_some()) {
                Some((end, _, at)) => (var, closed) = (end, at),
                None => return Placed::Equation { constraint },
            }
        }
    }

    /// How many axes stand before the marker of a row that is closed in the end.
    fn lead(&self, row: &RowTerm) -> Option<usize> {
        let (mut lead, mut var) = (row.lead.len(), row.var);
        while let Some(v) = var {
            let value = self.value(*self.bound.get(&v)?)?;
            (lead, var) = (lead + value.lead.len(), value.var);
        }
        Some(lead)
    }

    /// A row that stays open: the last ellipsis or slice on the way says where it goes on, or else the last
    /// inequality.
    fn open(&self, path: &[usize]) -> Placed {
        let last = || path.last().map_or(Placed::Closing, |constraint| Placed::Inequality { constraint: *constraint });
        self.left_open(path).unwrap_or_else(last)
    }

    /// The last ellipsis or slice on the way.
    fn left_open(&self, path: &[usize]) -> Option<Placed> {
        let mut markers = path.iter().rev().map(|constraint| (*constraint, self.generated.origins[*constraint].marker));
        let (constraint, marker) = markers.find(|(_, marker)| matches!(marker, Marker::Ellipsis | Marker::Slice))?;
        Some(Placed::Slot { constraint, marker })
    }

    /// The constraint of the program that a step's constraint was cut out of.
    fn input(&self, step: usize) -> Option<usize> {
        let mut node = self.trace.steps.get(step)?.consumed;
        loop {
            match self.trace.nodes.get(node)?.origin {
                Origin::Input(i) => return Some(i),
                Origin::Step(step) => node = self.trace.steps.get(step)?.consumed,
                Origin::Added => return None,
            }
        }
    }

    /// A side that is written in full: the slot, or the tensor's own row.
    fn written(&self, constraint: usize, left: bool) -> Placed {
        let origin = &self.generated.origins[constraint];
        let operation = origin.operation.and_then(|o| self.generated.operations.get(o));
        if left && matches!(origin.marker, Marker::Ellipsis | Marker::LeftEdge) {
            return Placed::Slot { constraint, marker: origin.marker };
        }
        let tensor = operation.and_then(|o| match origin.operand {
            Operand::Argument(i) => o.operands.get(i).copied(),
            Operand::Result => Some(o.result),
            Operand::Between(..) => None,
        });
        match tensor.and_then(|id| Some((id, self.generated.tensors.get(id)?))) {
            Some((tensor, it)) => Placed::Declared { tensor, kind: origin.kind, marker: *it.markers.get(origin.kind) },
            None => Placed::Equation { constraint },
        }
    }
}

impl Placed {
    /// In words.
    #[must_use]
    pub fn words(&self, generated: &Generated) -> String {
        let tensor = |id: TensorId| match &generated.tensors[id].name {
            Some(name) => format!("`{name}`"),
            None => "an unnamed tensor".to_owned(),
        };
        let by = |constraint: usize| {
            let origin = &generated.origins[constraint];
            let Some(operation) = origin.operation.and_then(|o| generated.operations.get(o)) else {
                return "a statement about a size".to_owned();
            };
            let which = match origin.operand {
                Operand::Argument(i) => operation.operands.get(i).map_or("an operand".to_owned(), |id| tensor(*id)),
                Operand::Result => "the result".to_owned(),
                Operand::Between(..) => "the composed rows".to_owned(),
            };
            format!("{which} in the {} that makes {}", operation.logic.name(), tensor(operation.result))
        };
        match self {
            Placed::Declared { tensor: id, kind, marker: Marker::Literal } => {
                format!("the {kind} row of the literal {}", tensor(*id))
            }
            Placed::Declared { tensor: id, kind, marker } => {
                format!("the {kind} row of {}, declared: {}", tensor(*id), marker.name())
            }
            Placed::Slot { constraint, marker } => format!("the slot of {}: {}", by(*constraint), marker.name()),
            Placed::Equation { constraint } => format!("chosen at the equation of {}", by(*constraint)),
            Placed::Inequality { constraint } => format!("what must fit: {}", by(*constraint)),
            Placed::Closing => "closing".to_owned(),
        }
    }
}
