//! From the solver's derivation back to the program: which constraints a clash rests on, and which of
//! them brought each of its two sides.

use crate::generate::Generated;
use crate::shape::{ShapeTerm, axes_of};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, RowTerm, Var, Vars};
use lozenge_engine::solver::Failure;
use lozenge_engine::solver::Why;
use lozenge_engine::solver::derivation::{Node, Origin, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A failed run, in the program's terms.
pub(super) struct Found {
    pub failure: Failure,
    pub names: Names,
    /// What was known of the tensors' shapes.
    pub shapes: Vec<ShapeTerm>,
    /// The variables of the constraint that failed, before they were replaced by their values.
    pub vars: BTreeSet<Var>,
    /// The two sides: what each says, and the constraints that brought it.
    pub claims: Vec<(String, Vec<usize>)>,
    /// The constraint of the program that the one that failed was cut out of; none where a size equation gave it.
    pub from: Option<usize>,
}

impl Found {
    /// Without a derivation.
    pub fn bare(failure: &Failure, generated: &Generated) -> Self {
        let shapes = generated.tensors.iter().map(|t| t.shape.clone()).collect();
        let (names, failure) = (generated.names.clone(), failure.clone());
        Found { failure, names, shapes, vars: BTreeSet::new(), claims: Vec::new(), from: None }
    }
}

/// The failed run with this derivation; `numbers` has the program's constraints by node.
pub(super) fn of(
    trace: &Trace,
    numbers: &BTreeMap<usize, usize>,
    failure: &Failure,
    names: Names,
    shapes: Vec<ShapeTerm>,
) -> Option<Found> {
    let sources = Sources { trace, numbers };
    let last = trace.steps.len().checked_sub(1)?;
    let claims = sources.claims(last, failure, &names);
    let consumed = trace.steps.get(last).and_then(|s| trace.nodes.get(s.consumed));
    let vars = consumed.map_or(BTreeSet::new(), |node| node.constraint.vars());
    let from = trace.steps.get(last).and_then(|step| sources.lineage(step.consumed));
    Some(Found { failure: failure.clone(), names, shapes, vars, claims, from })
}

/// Reads a derivation backwards.
struct Sources<'t> {
    trace: &'t Trace,
    /// The program's constraint behind each added node.
    numbers: &'t BTreeMap<usize, usize>,
}

impl Sources<'_> {
    /// The constraint of the program that a node was cut out of.
    fn lineage(&self, mut node: usize) -> Option<usize> {
        loop {
            match self.trace.nodes.get(node)?.origin {
                Origin::Step(step) => node = self.trace.steps.get(step)?.consumed,
                Origin::Input(_) | Origin::Added => return self.numbers.get(&node).copied(),
            }
        }
    }

    /// The step that bound a variable.
    fn binding(&self, var: Var) -> Option<usize> {
        self.trace.steps.iter().position(|s| s.bind.as_ref().is_some_and(|b| b.binding.var() == var))
    }

    /// The two sides of the constraint that failed, and where each comes from.
    fn claims(&self, step: usize, failure: &Failure, names: &Names) -> Vec<(String, Vec<usize>)> {
        let Some(consumed) = self.trace.steps.get(step).map(|s| s.consumed) else { return Vec::new() };
        let (Some(left), Some(right)) = (self.side(consumed, true), self.side(consumed, false)) else {
            return Vec::new();
        };
        let said: [String; 2] = match (&failure.constraint, &failure.why) {
            (_, Why::Cycle { .. }) => return Vec::new(),
            (Constraint::DimEq(s, t) | Constraint::DimLe(s, t), _) => {
                [names.show(s).to_string(), names.show(t).to_string()]
            }
            (Constraint::RowEq(s, t) | Constraint::RowLe(s, t), _) => [s, t].map(|row| {
                let axes = axes_of(row, names);
                if axes.is_empty() { "no axes".to_owned() } else { axes.join(", ") }
            }),
        };
        said.into_iter().zip([left, right]).collect()
    }

    /// The constraints that brought one side of a node: those that bound its variable, or else the one
    /// that the node was cut out of.
    fn side(&self, node: usize, left: bool) -> Option<Vec<usize>> {
        let Node { constraint, origin } = self.trace.nodes.get(node)?;
        let mut found = Vec::new();
        match constraint {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => match if left { s } else { t } {
                DimTerm::Var(v) => self.bound(Var::Dim(*v), &mut found),
                DimTerm::Dim(_) => {
                    // An entry of a row: what bound the row's variable brought it, if anything did.
                    if let Origin::Step(step) = origin
                        && let Some(above) = self.trace.steps.get(*step)
                        && let Some(Node { constraint, .. }) = self.trace.nodes.get(above.consumed)
                        && let Constraint::RowEq(s, t) | Constraint::RowLe(s, t) = constraint
                    {
                        self.entry(if left { s } else { t }, &mut found);
                    }
                }
            },
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => self.entry(if left { s } else { t }, &mut found),
        }
        if found.is_empty() {
            found.extend(self.lineage(node));
        }
        Some(found)
    }

    fn entry(&self, row: &RowTerm, found: &mut Vec<usize>) {
        if let Some(v) = row.var {
            self.bound(Var::Row(v), found);
        }
    }

    /// The constraints that bound a variable, and the variables in its value.
    fn bound(&self, var: Var, found: &mut Vec<usize>) {
        let (mut open, mut seen) = (vec![var], BTreeSet::new());
        while let Some(var) = open.pop() {
            let Some(step) = self.binding(var).filter(|_| seen.insert(var)) else { continue };
            let Some(it) = self.trace.steps.get(step) else { continue };
            if let Some(from) = self.lineage(it.consumed).filter(|from| !found.contains(from)) {
                found.push(from);
            }
            open.extend(it.bind.iter().flat_map(|b| b.binding.to().vars()));
        }
    }
}
