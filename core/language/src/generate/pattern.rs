//! Specifications as rows. What a specification says is worked out once, over variables of its own; each use of it has
//! new variables in their place.

use super::{FixedIndex, Marker, Operand};
use crate::einsum::{Axis, Spec, SpecRow};
use crate::shape::{ByKind, Kind};
use lozenge_calculus::names::{Names, Sort};
use lozenge_calculus::term::{DimTerm, DimVar, Flank, RowTerm, RowVar, Var};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A specification as rows. Its variables are numbered from 0, in the order of appearance.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// The sorts of its variables.
    sorts: Vec<Sort>,
    /// The slots, the result's last.
    slots: Vec<(Operand, PatternRows)>,
    /// The dimension of each label.
    labels: BTreeMap<String, DimVar>,
    /// The row of each row variable.
    row_vars: BTreeMap<String, RowVar>,
    /// Axes whose size is worked out, in order of appearance.
    sized: Vec<SizedAxis>,
    /// Axes at fixed indices, the number of the operation still to be filled in.
    fixed: Vec<FixedIndex>,
}

/// The rows of a slot with their markers.
type PatternRows = ByKind<(RowTerm, Marker)>;

/// An axis of a specification whose size is worked out.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SizedAxis {
    /// As written.
    axis: Axis,
    /// What stands for it in the rows. An axis that is written twice is one size.
    var: DimVar,
}

/// The variables of one use of a specification: labels and row variables are local to it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Template {
    /// None where there is no specification.
    pattern: Option<Arc<Pattern>>,
    /// The number of the first variable. The others of the pattern have the numbers after it.
    first: u32,
}

impl Template {
    /// New variables for a pattern.
    pub(super) fn new(names: &mut Names, pattern: &Arc<Pattern>) -> Self {
        let mut first = None;
        for sort in &pattern.sorts {
            let var = match sort {
                Sort::Dim => Var::Dim(names.fresh_dim()),
                Sort::Row => Var::Row(names.fresh_row()),
            };
            first.get_or_insert(var.id());
        }
        Template { pattern: Some(pattern.clone()), first: first.unwrap_or(0) }
    }

    /// The same pattern with other variables.
    pub(super) fn moved(&self, to: impl Fn(u32) -> u32) -> Self {
        let has_variables = self.pattern.as_ref().is_some_and(|it| !it.sorts.is_empty());
        Template { pattern: self.pattern.clone(), first: if has_variables { to(self.first) } else { self.first } }
    }

    /// The labels, by name, with their dimensions.
    pub fn labels(&self) -> impl DoubleEndedIterator<Item = (&str, DimVar)> {
        let labels = self.pattern.iter().flat_map(|it| &it.labels);
        labels.map(|(label, v)| (label.as_str(), self.dim_var(*v)))
    }

    /// The dimension of a label.
    #[must_use]
    pub fn label(&self, label: &str) -> Option<DimVar> {
        Some(self.dim_var(*self.pattern.as_ref()?.labels.get(label)?))
    }

    /// The row of a row variable.
    #[must_use]
    pub fn row_var(&self, name: &str) -> Option<RowVar> {
        Some(self.row_of(*self.pattern.as_ref()?.row_vars.get(name)?))
    }

    /// Axes whose size is worked out, in order of appearance, and what stands for them in the rows.
    pub fn sized(&self) -> impl Iterator<Item = (&Axis, DimVar)> {
        let sized = self.pattern.iter().flat_map(|it| &it.sized);
        sized.map(|it| (&it.axis, self.dim_var(it.var)))
    }

    /// Does it have such axes?
    #[must_use]
    pub fn is_sized(&self) -> bool {
        self.pattern.as_ref().is_some_and(|it| !it.sized.is_empty())
    }

    /// Axes at fixed indices, the number of the operation still to be filled in.
    pub(super) fn fixed(&self) -> Vec<FixedIndex> {
        let fixed = self.pattern.iter().flat_map(|it| &it.fixed);
        fixed.map(|at| FixedIndex { axis: self.dim(&at.axis), ..at.clone() }).collect()
    }

    /// This use's variable for one of the pattern.
    fn dim_var(&self, v: DimVar) -> DimVar {
        DimVar(self.first + v.0)
    }

    fn row_of(&self, v: RowVar) -> RowVar {
        RowVar(self.first + v.0)
    }

    fn dim(&self, term: &DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(v) => self.dim_var(*v).into(),
            DimTerm::Dim(_) => *term,
        }
    }

    /// This use's row for one of the pattern.
    pub(super) fn row(&self, row: &RowTerm) -> RowTerm {
        let flank = |axes: &Flank| -> Flank { axes.iter().map(|axis| self.dim(axis)).collect() };
        RowTerm::new(flank(&row.lead), row.var.map(|v| self.row_of(v)), flank(&row.trail))
    }
}

impl Pattern {
    /// What a specification says.
    #[must_use]
    pub fn of(spec: &Spec) -> Self {
        let pattern = Pattern {
            sorts: Vec::new(),
            slots: Vec::new(),
            labels: BTreeMap::new(),
            row_vars: BTreeMap::new(),
            sized: Vec::new(),
            fixed: Vec::new(),
        };
        let mut reader = Reader { names: Names::new(), pattern };
        let arguments = (0..spec.operands.len()).map(Operand::Argument);
        for (slot, operand) in spec.slots().zip(arguments.chain([Operand::Result])) {
            let rows = ByKind::of(|kind| {
                let row = reader.row(slot.row(kind), operand, kind);
                let marker = if row.var.is_some() { Marker::Ellipsis } else { Marker::LeftEdge };
                (row, marker)
            });
            reader.pattern.slots.push((operand, rows));
        }
        Pattern { sorts: reader.names.vars().map(Var::sort).collect(), ..reader.pattern }
    }

    /// The rows of each slot with their markers, the result's last.
    pub(super) fn slots(&self) -> impl Iterator<Item = (Operand, &PatternRows)> {
        self.slots.iter().map(|(operand, rows)| (*operand, rows))
    }
}

/// Reads a specification, and gives out its variables.
struct Reader {
    names: Names,
    pattern: Pattern,
}

impl Reader {
    fn row(&mut self, row: &SpecRow, operand: Operand, kind: Kind) -> RowTerm {
        let mut flank = |axes: &[Axis]| -> Flank { axes.iter().map(|axis| self.axis(axis, operand, kind)).collect() };
        let (lead, trail) = (flank(&row.lead), flank(&row.trail));
        let var = row.var.as_ref().map(|name| {
            let known = self.pattern.row_vars.entry(name.clone());
            *known.or_insert_with(|| self.names.fresh_row())
        });
        RowTerm::new(lead, var, trail)
    }

    fn axis(&mut self, axis: &Axis, operand: Operand, kind: Kind) -> DimTerm {
        match axis {
            Axis::Label(label) => self.label(label).into(),
            Axis::Fixed(index) => {
                let axis = DimTerm::Var(self.names.fresh_dim());
                self.pattern.fixed.push(FixedIndex { axis, index: *index, operation: 0, operand, kind });
                axis
            }
            Axis::Anonymous => self.names.fresh_dim().into(),
            Axis::Concat(labels) => self.sized(axis, labels),
            Axis::Affine(affine) => {
                let kernel = affine.kernel.as_ref().map(|kernel| &kernel.label);
                self.sized(axis, [&affine.over].into_iter().chain(kernel))
            }
        }
    }

    fn label(&mut self, label: &str) -> DimVar {
        *self.pattern.labels.entry(label.to_owned()).or_insert_with(|| self.names.fresh_dim())
    }

    /// The variable of a sized axis; its labels get theirs.
    fn sized<'s>(&mut self, axis: &Axis, labels: impl IntoIterator<Item = &'s String>) -> DimTerm {
        if let Some(known) = self.pattern.sized.iter().find(|it| it.axis == *axis) {
            return known.var.into();
        }
        for label in labels {
            self.label(label);
        }
        let var = self.names.fresh_dim();
        self.pattern.sized.push(SizedAxis { axis: axis.clone(), var });
        var.into()
    }
}
