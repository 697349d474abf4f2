//! Two rows under each other: leading axes from the left edge, trailing axes from the right, the marker between.

use crate::output::Output;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::term::{DimTerm, RowTerm, Var};
use serde::Serialize;

/// Longer flanks are cut in the middle.
const MOST_AXES: usize = 12;

/// One row of a picture.
#[derive(Serialize)]
pub struct Strip {
    /// `result` and `operand`, or `left` and `right`.
    pub label: &'static str,
    /// The leading axes, outermost first.
    pub lead: Vec<String>,
    /// ⋄, or the row variable.
    pub marker: String,
    /// Is there a row variable?
    pub open: bool,
    /// The trailing axes, outermost last.
    pub trail: Vec<String>,
}

/// A picture of a constraint between rows.
#[derive(Serialize)]
pub struct Grid {
    /// How many columns the leading flanks take.
    pub lead: usize,
    /// How many columns the trailing flanks take.
    pub trail: usize,
    /// The rows.
    pub rows: [Strip; 2],
    /// ⊑ or ≈.
    pub relation: String,
}

fn cut(axes: Vec<String>) -> Vec<String> {
    if axes.len() <= MOST_AXES {
        return axes;
    }
    let edge = MOST_AXES / 2;
    let skipped = format!("…{}", axes.len() - 2 * edge);
    [&axes[..edge], &[skipped], &axes[axes.len() - edge..]].concat()
}

fn strip(label: &'static str, row: &RowTerm, names: &Names, out: &Output) -> Strip {
    let flank = |axes: &[DimTerm]| cut(axes.iter().map(|axis| out.show(axis, names)).collect());
    let marker = row.var.map_or_else(|| out.text("⋄"), |v| out.show(&Var::Row(v), names));
    Strip { label, lead: flank(&row.lead), marker, open: row.var.is_some(), trail: flank(&row.trail) }
}

impl Grid {
    /// The picture of a constraint; none for dimensions.
    pub fn of(phi: &Constraint, names: &Names, out: &Output) -> Option<Self> {
        let (labels, relation, s, t) = match phi {
            Constraint::RowLe(s, t) => (["result", "operand"], "⊑", s, t),
            Constraint::RowEq(s, t) => (["left", "right"], "≈", s, t),
            Constraint::DimEq(..) | Constraint::DimLe(..) => return None,
        };
        let rows = [strip(labels[0], s, names, out), strip(labels[1], t, names, out)];
        let widest = |of: fn(&Strip) -> usize| rows.iter().map(of).max().unwrap_or(0);
        let (lead, trail) = (widest(|row| row.lead.len()), widest(|row| row.trail.len()));
        Some(Grid { lead, trail, rows, relation: out.text(relation) })
    }

    /// The columns of a row: leading axes, the marker, trailing axes; blank where the other row has more.
    pub fn cells<'a>(&self, row: &'a Strip) -> Vec<Option<&'a str>> {
        let blank = |count: usize| std::iter::repeat_n(None, count);
        let axes = |flank: &'a [String]| flank.iter().map(|axis| Some(axis.as_str()));
        let lead = axes(&row.lead).chain(blank(self.lead - row.lead.len()));
        let trail = blank(self.trail - row.trail.len()).chain(axes(&row.trail));
        lead.chain([Some(row.marker.as_str())]).chain(trail).collect()
    }
}
