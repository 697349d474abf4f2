//! The saturated caps of a solved form, for the stages.

use super::held::Held;
use lozenge_calculus::closing::Joined;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::rules::Store;
use lozenge_calculus::term::{DimVar, RowVar, Var};
use lozenge_engine::closing::saturate::{self, Joins, forward_dims};
use lozenge_engine::solver::Stop;
use lozenge_engine::solver::configuration::Configuration;
use std::collections::BTreeMap;

/// What must fit below each variable.
#[derive(Debug)]
pub(super) struct Caps {
    dims: BTreeMap<DimVar, Dim>,
    rows: Joins,
    /// The same, where a variable without caps counts as no axes.
    open: Joins,
}

impl Caps {
    /// Saturates the store (Remark 6.3), and says whether that told it anything. An axis that waits for a claim fills no
    /// position of a row yet.
    pub(super) fn saturate(configuration: &mut Configuration<'_>, held: &Held) -> Result<(Caps, bool), Stop> {
        let news = forward_dims(configuration)?;
        let Configuration { bounds, bindings, fuel, .. } = configuration;
        let waits = |a| held.claimed.contains(&Var::Dim(a)) || held.waits_below(Var::Dim(a));
        let lower = |a| if waits(a) { None } else { Some(Dim::Atom(bounds.lower(a)?.atom)) };
        let caps = saturate::Caps::on(bounds.caps().map(|(_, on)| on), bounds, bindings);
        let (rows, open) = (caps.joins(lower, false, fuel)?, caps.joins(lower, true, fuel)?);
        let dims = bounds.lowers().map(|(a, l)| (a, Dim::Atom(l))).collect();
        Ok((Caps { dims, rows, open }, news))
    }

    /// The atom below a dimension variable.
    pub(super) fn dim(&self, a: DimVar) -> Option<Dim> {
        self.dims.get(&a).copied()
    }

    /// The join of a row variable's caps.
    pub(super) fn row(&self, r: RowVar) -> Option<&Joined> {
        self.rows.get(r)
    }

    /// The join of what is written of a row variable's caps, where those are open.
    pub(super) fn open_row(&self, r: RowVar) -> Option<&Joined> {
        self.open.get(r)
    }
}
