//! How the two sides of a clash came about, and what was known of the shapes when it showed.

use super::{Source, Told};
use crate::shape::{ByKind, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{DimTerm, RowTerm, Var, Vars};
use lozenge_engine::solver::bindings::Bindings;
use lozenge_engine::solver::derivation::{Node, Origin};
use std::collections::{BTreeMap, BTreeSet};

/// The way from the program to one side of a clash.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// The constraints of the program that it goes through, in order.
    pub constraints: BTreeSet<usize>,
    /// The claims about sizes that it goes through, in order.
    pub claims: BTreeSet<usize>,
    /// How many steps of the solver it has.
    pub steps: usize,
}

impl Told {
    /// The ways to the left and to the right side of the constraint that failed; none where no constraint did.
    #[must_use]
    pub fn ways(&self) -> Option<[Way; 2]> {
        let last = self.trace.steps.last().filter(|step| step.fail.is_some() && self.whole)?;
        let bound = self.trace.steps.iter().enumerate();
        let bound = bound.filter_map(|(i, step)| Some((step.bind.as_ref()?.binding.var(), i))).collect();
        let walk = Walk { told: self, sources: self.sources(), bound };
        Some([true, false].map(|left| walk.way(last.consumed, left)))
    }

    /// What was known of each tensor's shape after the last step that was kept.
    #[must_use]
    pub fn known(&self) -> Vec<ShapeTerm> {
        let mut bindings = Bindings::new(false, 0);
        for (step, bind, tainted) in self.trace.bindings() {
            bindings.bind(bind, step, tainted);
        }
        let shape = |rows: &ShapeTerm| ByKind::of(|kind| bindings.row_value(rows.get(kind)));
        self.generated.tensors.iter().map(|tensor| &tensor.shape).map(shape).collect()
    }
}

/// Walks a derivation backwards from one side.
struct Walk<'t> {
    told: &'t Told,
    sources: Vec<Source>,
    /// The step that bound each variable.
    bound: BTreeMap<Var, usize>,
}

impl Walk<'_> {
    fn way(&self, node: usize, left: bool) -> Way {
        let mut way = Way::default();
        let mut steps: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = self.side(node, left).iter().filter_map(|v| self.bound.get(v).copied()).collect();
        if open.is_empty() {
            // Nothing was put in: the side is as the constraint has it that the node was cut out of.
            steps.extend(self.cut(node));
            steps.iter().for_each(|step| self.source(self.told.trace.steps[*step].consumed, &mut way, &mut open));
            self.source(node, &mut way, &mut Vec::new());
        }
        while let Some(step) = open.pop() {
            let Some(it) = self.told.trace.steps.get(step).filter(|_| steps.insert(step)) else { continue };
            open.extend(it.used.iter().chain(&it.also));
            self.source(it.consumed, &mut way, &mut open);
        }
        way.steps = steps.len();
        way
    }

    /// Where a node comes from: the program, a claim, or one more step to look at.
    fn source(&self, node: usize, way: &mut Way, open: &mut Vec<usize>) {
        match self.sources.get(node) {
            Some(Source::Constraint(number)) => drop(way.constraints.insert(*number)),
            Some(Source::Claim(number, _)) => drop(way.claims.insert(*number)),
            Some(Source::Step(step)) => open.push(*step),
            Some(Source::Committed(_) | Source::Forwarded) | None => {}
        }
    }

    /// The steps that a node was cut out by, one after the other.
    fn cut(&self, mut node: usize) -> Vec<usize> {
        let mut steps = Vec::new();
        while let Some(Node { origin: Origin::Step(step), .. }) = self.told.trace.nodes.get(node) {
            steps.push(*step);
            let Some(it) = self.told.trace.steps.get(*step) else { break };
            node = it.consumed;
        }
        steps
    }

    /// The variables that stood on one side; for an entry of a row, the variable of that row.
    fn side(&self, node: usize, left: bool) -> Vec<Var> {
        let Some(Node { constraint, origin }) = self.told.trace.nodes.get(node) else { return Vec::new() };
        let row = |row: &RowTerm| row.vars().into_iter().collect();
        match constraint {
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => row(if left { s } else { t }),
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => match (if left { s } else { t }, origin) {
                (DimTerm::Var(v), _) => vec![Var::Dim(*v)],
                (DimTerm::Dim(_), Origin::Step(step)) => {
                    let above = self.told.trace.steps.get(*step).and_then(|it| self.told.trace.nodes.get(it.consumed));
                    match above.map(|node| &node.constraint) {
                        Some(Constraint::RowEq(s, t) | Constraint::RowLe(s, t)) => row(if left { s } else { t }),
                        _ => Vec::new(),
                    }
                }
                (DimTerm::Dim(_), _) => Vec::new(),
            },
        }
    }
}
