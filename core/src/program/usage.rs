//! Shapes from usage: the rows that leaves get from results that are still open.
//!
//! In `relu (w * x + b)` the row that must fit under b's is ⟨ρ⟩·[128]: one axis is known, and nothing fits
//! under ρ. Def. 6.1 binds b to the join of the ground parts of its caps, so to [128]. `closing::close`
//! takes a cap for known only when its variable has caps of its own (spec/program.md, Inference), so these
//! commitments are made here, before it: first what has known caps, then what has open ones, and last, with
//! 1∅ in the holes, what has positions that nothing fills.

use super::generate::Generated;
use crate::closing::saturate::{Joins, join_rows, row_caps};
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::row::Row;
use crate::solver::configuration::{Configuration, Stop};
use crate::solver::effect::bare;
use crate::term::{DimVar, RowTerm, RowVar, Var, VarSet};
use std::collections::BTreeSet;

/// A row that a leaf gets from its uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Committed {
    pub var: RowVar,
    pub value: Row,
    /// Were there positions that nothing fills?
    pub holes: bool,
}

/// Why a commitment could not be made.
pub(super) enum Failed {
    Stop(Stop, Vec<Committed>),
    /// A parameter's row with a position that nothing fills.
    Hole(RowVar),
}

/// Commits rows of leaves until nothing is left that uses say anything about. `configuration` is in
/// solved form, before and after.
pub(super) fn commit(generated: &Generated, configuration: &mut Configuration<'_>) -> Result<Vec<Committed>, Failed> {
    let mut made: Vec<Committed> = Vec::new();
    let input = generated.constraints.iter().collect();
    loop {
        let next = step(generated, configuration, &input)?;
        if next.is_empty() {
            return Ok(made);
        }
        for it in &next {
            let value = RowTerm::from(&it.value);
            configuration.extend(Constraint::RowEq(it.var.into(), value), true);
        }
        made.extend(next);
        if let Err(stop) = configuration.run() {
            return Err(Failed::Stop(stop, made));
        }
    }
}

/// The next rows to commit, all that are equally sure.
fn step(
    generated: &Generated,
    configuration: &mut Configuration<'_>,
    input: &VarSet,
) -> Result<Vec<Committed>, Failed> {
    let leaves = open_rows(&generated.tags.leaves, configuration, input);
    if leaves.is_empty() {
        return Ok(Vec::new());
    }
    let dims = lower_dims(configuration);
    let Configuration { bounds, bindings, .. } = configuration;
    let mut caps = row_caps(bounds, bindings);
    caps.retain(|(var, cap)| bare(cap) != Some(*var));
    let joins = |open: bool| join_rows(|a| dims.get(a.0 as usize).copied().flatten(), &caps, open);
    let of = |joins: &Joins, holes: bool| -> Vec<Committed> {
        let found = leaves.iter().filter_map(|var| Some((*var, joins.get(*var)?)));
        let found = found.filter(|(_, joined)| joined.holes().next().is_some() == holes && !joined.is_empty());
        found.map(|(var, joined)| Committed { var, value: joined.filled(), holes }).collect()
    };
    let sure = of(&joins(false), false);
    if !sure.is_empty() {
        return Ok(sure);
    }
    let open = joins(true);
    let sure = of(&open, false);
    if !sure.is_empty() {
        return Ok(sure);
    }
    let holey = of(&open, true);
    let params = open_rows(&generated.tags.params, configuration, input);
    match holey.iter().find(|it| params.contains(&it.var)) {
        Some(it) => Err(Failed::Hole(it.var)),
        None => Ok(holey),
    }
}

/// The program's own row variables that are left open in these variables' values.
fn open_rows(vars: &BTreeSet<Var>, configuration: &Configuration<'_>, input: &VarSet) -> Vec<RowVar> {
    let mut open = BTreeSet::new();
    for var in vars.iter().filter(|v| matches!(v, Var::Row(_))) {
        configuration.bindings.each_open(*var, |part| {
            if let Var::Row(row) = part
                && input.contains(part)
            {
                open.insert(row);
            }
        });
    }
    open.into_iter().collect()
}

/// What is known of dimension variables, by their number: the atoms below them, forwarded along the
/// inequalities between them.
fn lower_dims(configuration: &Configuration<'_>) -> Vec<Option<Dim>> {
    let bounds = &configuration.bounds;
    let mut dims: Vec<Option<Dim>> = Vec::new();
    let mut waiting: Vec<(DimVar, Dim)> = bounds.lowers().map(|(a, l)| (a, Dim::Atom(l.atom))).collect();
    while let Some((a, lower)) = waiting.pop() {
        let index = a.0 as usize;
        if dims.len() <= index {
            dims.resize(index + 1, None);
        }
        let joined = dims[index].map_or(lower, |d| d.join(lower));
        if dims[index].replace(joined) != Some(joined) {
            waiting.extend(bounds.above(a).map(|b| (b, joined)));
        }
    }
    dims
}
