//! Caps saturated before any commitment (Remark 6.3; spec/decisions.md, 8).
//!
//! Dimensions: an atom below α goes on to everything above α, as an entailed constraint, until nothing is
//! new. Rows: J_σ is the join of what its caps are known to be, J_σ := J_σ ∨ l·J_ρ·r for each cap l·⟨ρ⟩·r.
//! A cap whose variable has no caps of its own says nothing yet. Joins only shorten flanks and raise
//! entries, so both end.

use crate::certificate::Edge;
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::row::Row;
use crate::solver::configuration::{Configuration, Stop};
use crate::term::{DimTerm, DimVar, RowTerm, RowVar};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the join of a row variable's caps; `None` at a position is a hole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Joined {
    lead: Vec<Option<Dim>>,
    /// From the back.
    trail: Vec<Option<Dim>>,
}

impl Joined {
    /// The positions that no cap fills.
    pub(crate) fn holes(&self) -> impl Iterator<Item = (Edge, usize)> + '_ {
        let of = |edge: Edge, flank: &'_ [Option<Dim>]| {
            let holes: Vec<_> = flank.iter().enumerate().filter(|(_, d)| d.is_none()).map(|(i, _)| (edge, i)).collect();
            holes
        };
        of(Edge::Front, &self.lead).into_iter().chain(of(Edge::Back, &self.trail))
    }

    /// The row with 1∅ in its holes.
    pub(crate) fn filled(&self) -> Row {
        let fill = |d: &Option<Dim>| d.unwrap_or(Dim::Unit);
        Row::new(self.lead.iter().map(fill).collect(), self.trail.iter().rev().map(fill).collect())
    }

    /// The row as a term, its holes made by `hole`, first to last.
    pub(crate) fn term(&self, mut hole: impl FnMut() -> DimTerm) -> RowTerm {
        let mut fill = |d: &Option<Dim>| d.map_or_else(&mut hole, DimTerm::Dim);
        let lead = self.lead.iter().map(&mut fill).collect();
        RowTerm::new(lead, None, self.trail.iter().rev().map(&mut fill).collect())
    }

    /// Prop. 2.7, with holes that any known entry fills.
    fn join(&self, other: &Joined) -> Joined {
        let flank = |a: &[Option<Dim>], b: &[Option<Dim>]| {
            a.iter()
                .zip(b)
                .map(|(x, y)| match (x, y) {
                    (Some(x), Some(y)) => Some(x.join(*y)),
                    (known, None) | (None, known) => *known,
                })
                .collect()
        };
        Joined { lead: flank(&self.lead, &other.lead), trail: flank(&self.trail, &other.trail) }
    }
}

/// The saturated caps of a solved form.
#[derive(Debug)]
pub(crate) struct Caps {
    dims: BTreeMap<DimVar, Dim>,
    rows: BTreeMap<RowVar, Joined>,
    /// The same, where a variable without caps counts as no axes.
    open: BTreeMap<RowVar, Joined>,
}

impl Caps {
    /// Saturates the store. What is forwarded at dimension sort is entailed and goes through the solver.
    pub(crate) fn saturate(configuration: &mut Configuration<'_>) -> Result<Caps, Stop> {
        forward_dims(configuration)?;
        let dims = configuration.bounds.lowers().map(|(a, l)| (a, Dim::Atom(l.atom))).collect();
        let caps = row_caps(configuration);
        let (rows, open) = (join_rows(&dims, &caps, false), join_rows(&dims, &caps, true));
        Ok(Caps { dims, rows, open })
    }

    /// The atom below a dimension variable.
    pub(crate) fn dim(&self, a: DimVar) -> Option<Dim> {
        self.dims.get(&a).copied()
    }

    /// The join of a row variable's caps.
    pub(crate) fn row(&self, r: RowVar) -> Option<&Joined> {
        self.rows.get(&r)
    }

    /// The join of what is written of a row variable's caps, where those are open.
    pub(crate) fn open_row(&self, r: RowVar) -> Option<&Joined> {
        self.open.get(&r)
    }
}

/// d ⊑ α and α ⊑ β give d ⊑ β, until nothing is new.
fn forward_dims(configuration: &mut Configuration<'_>) -> Result<(), Stop> {
    let mut sent = BTreeSet::new();
    loop {
        let bounds = &configuration.bounds;
        let news: Vec<(Constraint, bool)> = bounds
            .adjacencies()
            .filter_map(|(a, b, by)| Some((bounds.lower(a)?, b, by)))
            .filter(|(lower, b, _)| bounds.lower(*b).is_none_or(|l| l.atom != lower.atom))
            .filter(|(lower, b, _)| sent.insert((*b, lower.atom.size(), lower.atom.basis().number())))
            .map(|(lower, b, by)| {
                let forwarded = Constraint::DimLe(DimTerm::Dim(Dim::Atom(lower.atom)), b.into());
                (forwarded, lower.by.tainted || by.tainted)
            })
            .collect();
        if news.is_empty() {
            return Ok(());
        }
        news.into_iter().for_each(|(phi, tainted)| configuration.extend(phi, tainted));
        configuration.run()?;
    }
}

/// The caps R ⊑ ⟨ρ⟩ under σ.
fn row_caps(configuration: &mut Configuration<'_>) -> Vec<(RowVar, RowTerm)> {
    let caps: Vec<Constraint> = configuration.bounds.caps().map(|(cap, _)| cap.clone()).collect();
    let instances = caps.into_iter().map(|cap| configuration.bindings.instantiate(cap).phi);
    instances
        .filter_map(|phi| match phi {
            Constraint::RowLe(res, op) => Some((op.var?, res)),
            _ => None,
        })
        .collect()
}

/// The least J with J_σ = ∨ { l·J_ρ·r : l·⟨ρ⟩·r a cap on σ }.
fn join_rows(dims: &BTreeMap<DimVar, Dim>, caps: &[(RowVar, RowTerm)], open: bool) -> BTreeMap<RowVar, Joined> {
    let capped: BTreeSet<RowVar> = caps.iter().map(|(var, _)| *var).collect();
    let mut joins: BTreeMap<RowVar, Joined> = BTreeMap::new();
    loop {
        let mut changed = false;
        for (var, cap) in caps {
            let Some(value) = known(dims, &joins, cap, |v| open && !capped.contains(&v)) else { continue };
            let joined = joins.get(var).map_or(value.clone(), |j| j.join(&value));
            if joins.get(var) != Some(&joined) {
                joins.insert(*var, joined);
                changed = true;
            }
        }
        if !changed {
            return joins;
        }
    }
}

/// What is known of a cap; nothing while its variable has no caps.
fn known(
    dims: &BTreeMap<DimVar, Dim>,
    joins: &BTreeMap<RowVar, Joined>,
    cap: &RowTerm,
    empty: impl Fn(RowVar) -> bool,
) -> Option<Joined> {
    let axis = |t: &DimTerm| match t {
        DimTerm::Dim(d) => Some(*d),
        DimTerm::Var(v) => dims.get(v).copied(),
    };
    let mut lead: Vec<Option<Dim>> = cap.lead.iter().map(axis).collect();
    let mut trail: Vec<Option<Dim>> = cap.trail.iter().rev().map(axis).collect();
    if let Some(var) = cap.var.filter(|v| !empty(*v)) {
        let inner = joins.get(&var)?;
        lead.extend(&inner.lead);
        trail.extend(&inner.trail);
    }
    Some(Joined { lead, trail })
}
