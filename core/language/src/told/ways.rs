//! How the two sides of a clash came about, and what was known of the shapes when it showed.

use super::{Source, Told};
use crate::generate::Measure;
use crate::shape::{ByKind, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, Var, Vars};
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
        let mut values = self.values();
        let dims = self.trace.steps.iter().filter_map(|step| match step.bind.as_ref()?.binding {
            Binding::Dim(v, _) => Some((v, values.dim_value(v.into()))),
            Binding::Row(..) => None,
        });
        let walk = Walk { told: self, sources: self.sources(), bound, dims: dims.collect() };
        Some([true, false].map(|left| walk.way(last.consumed, left)))
    }

    fn values(&self) -> Bindings {
        let mut bindings = Bindings::new(false, 0);
        for (step, bind, tainted) in self.trace.bindings() {
            bindings.bind(bind, step, tainted);
        }
        bindings
    }

    /// What was known of each size that has a name after the last step that was kept.
    #[must_use]
    pub fn known_sizes(&self) -> Vec<Option<u64>> {
        let mut values = self.values();
        let mut size = |of: &Measure| match of {
            Measure::Dim(dim) => elements(values.dim_value(*dim)),
            Measure::Row(row) => {
                let row = values.row_value(row);
                let mut axes = row.lead.iter().chain(&row.trail).filter(|_| row.is_closed());
                let product = axes.try_fold(1_u64, |product, axis| product.checked_mul(elements(*axis)?));
                product.filter(|_| row.is_closed())
            }
        };
        self.generated.captures.iter().map(|capture| size(&capture.of)).collect()
    }

    /// What was known of each tensor's shape after the last step that was kept.
    #[must_use]
    pub fn known(&self) -> Vec<ShapeTerm> {
        let mut bindings = self.values();
        let mut shape = |rows: &ShapeTerm| ByKind::of(|kind| bindings.row_value(rows.get(kind)));
        self.generated.tensors.iter().map(|tensor| &tensor.shape).map(&mut shape).collect()
    }
}

fn elements(dim: DimTerm) -> Option<u64> {
    match dim {
        DimTerm::Dim(dim) => Some(dim.elements()),
        DimTerm::Var(_) => None,
    }
}

/// Walks a derivation backwards from one side.
struct Walk<'t> {
    told: &'t Told,
    sources: Vec<Source>,
    /// The step that bound each variable.
    bound: BTreeMap<Var, usize>,
    /// The values of dimensions.
    dims: BTreeMap<DimVar, DimTerm>,
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
            Some(Source::Claim(by, _)) => way.claims.extend(by.claims()),
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

    /// The variables that stood on one side; for an entry of a row, those of that row that brought it.
    fn side(&self, node: usize, left: bool) -> Vec<Var> {
        let Some(Node { constraint, origin }) = self.told.trace.nodes.get(node) else { return Vec::new() };
        match constraint {
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => {
                (if left { s } else { t }).vars().into_iter().collect()
            }
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => match (if left { s } else { t }, origin) {
                (DimTerm::Var(v), _) => vec![Var::Dim(*v)],
                (DimTerm::Dim(_), Origin::Step(step)) => self.entry(*step, if left { *s } else { *t }, left),
                (DimTerm::Dim(_), _) => Vec::new(),
            },
        }
    }

    /// The variable of the row that this step cut an entry out of, and those of its axes that are the entry.
    fn entry(&self, step: usize, entry: DimTerm, left: bool) -> Vec<Var> {
        let Some(it) = self.told.trace.steps.get(step) else { return Vec::new() };
        let above = self.told.trace.nodes.get(it.consumed).map(|node| &node.constraint);
        let (Some(rows), Some(values)) = (above.and_then(rows), rows(&it.instance)) else { return Vec::new() };
        // Sides change places in some rules: the row that has the entry is the one, if only one has it.
        let has = values.map(|row| row.lead.iter().chain(&row.trail).any(|axis| *axis == entry));
        let row = rows[match has {
            [true, false] => 0,
            [false, true] => 1,
            _ => usize::from(!left),
        }];
        let is = |axis: &DimTerm| match axis {
            DimTerm::Var(v) => self.dims.get(v).is_some_and(|value| *value == entry).then_some(Var::Dim(*v)),
            DimTerm::Dim(_) => None,
        };
        let axes = row.lead.iter().chain(&row.trail).filter_map(is);
        row.var.map(Var::Row).into_iter().chain(axes).collect()
    }
}

fn rows(phi: &Constraint) -> Option<[&RowTerm; 2]> {
    match phi {
        Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => Some([s, t]),
        Constraint::DimEq(..) | Constraint::DimLe(..) => None,
    }
}
