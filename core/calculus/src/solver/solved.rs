//! Def. 5.3, solved form: σ⋆ and the residual store, and what can be read off them.
//!
//! Chapter: spec/5-metatheory.md.

use super::configuration::{Configuration, Entry};
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::internal::broken;
use crate::rules::Bound;
use crate::semantics::{Ground, holds};
use crate::subst::Subst;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// How firmly a variable is bound (Cor. 5.7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// Every solution extends to one in which the variable has this value.
    Entailed,
    /// The flat content is entailed; where the marker stands was chosen.
    Content,
    /// Derived through a choice.
    Policy,
}

/// B⋆, with σ⋆ applied: what is left open.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Residual {
    /// d ⊑ α, oldest variable first.
    pub dim_caps: Vec<(DimVar, DimTerm)>,
    /// α ⊑ β, in the order stored.
    pub below: Vec<(DimVar, DimVar)>,
    /// R ⊑ ⟨ρ⟩, in the order stored.
    pub row_caps: Vec<(RowVar, RowTerm)>,
    /// Equations that no rule decides, in the order stored.
    pub deferred: Vec<Constraint>,
}

impl Residual {
    /// The residual store as constraints.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        let caps = self.dim_caps.iter().map(|(a, d)| Constraint::DimLe(*d, (*a).into()));
        let below = self.below.iter().map(|(a, b)| Constraint::DimLe((*a).into(), (*b).into()));
        let rows = self.row_caps.iter().map(|(r, cap)| Constraint::RowLe(cap.clone(), (*r).into()));
        caps.chain(below).chain(rows).chain(self.deferred.iter().cloned())
    }

    /// Is nothing left open?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.constraints().next().is_none()
    }
}

/// ⟨∅; σ⋆; B⋆⟩.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// Φ₀.
    pub phi: Vec<Constraint>,
    /// σ⋆.
    pub sigma: Subst,
    /// B⋆ under σ⋆.
    pub residual: Residual,
    /// The bindings that σ⋆ is made of.
    entries: BTreeMap<Var, Entry>,
}

impl Solved {
    /// Reads solved form off a configuration whose Φ is empty.
    pub(super) fn new(phi: &[Constraint], configuration: &Configuration<'_>) -> Self {
        let bounds = &configuration.bounds;
        let sigma = Subst::try_from(configuration.sigma.clone());
        let solved = Solved {
            phi: phi.to_vec(),
            sigma: sigma.unwrap_or_else(|error| broken("σ⋆ is idempotent (Def. 3.2)", error.to_string())),
            residual: Residual {
                dim_caps: bounds.lowers().into_iter().map(|(a, d)| (a, DimTerm::Dim(Dim::Atom(d)))).collect(),
                below: bounds.adjacencies().map(|(a, b, _)| (a, b)).collect(),
                row_caps: bounds.caps().map(|(res, on)| (on, res.clone())).collect(),
                deferred: bounds.deferred().map(Bound::constraint).collect(),
            },
            entries: configuration.entries.clone(),
        };
        // Solved form claims a solution unless an equation is deferred, so the claim is looked at.
        if solved.residual.deferred.is_empty() && solved.greatest().is_none() {
            broken("γ↑ ∈ Sol(Φ₀) (Prop. 5.4)", format!("{:?} for {phi:?}", solved.sigma));
        }
        solved
    }

    /// γ↑ of Prop. 5.4 on the input's variables: every unsolved variable at its top. It solves Φ₀ unless
    /// a deferred equation says otherwise; then there is none.
    #[must_use]
    pub fn greatest(&self) -> Option<Ground> {
        let gamma = Ground::default().after(&self.sigma, self.phi.vars());
        self.phi.iter().all(|phi| holds(&gamma, phi)).then_some(gamma)
    }

    /// Cor. 5.7: which of the input's variables were bound, and how firmly: the worst of what is known of every binding
    /// that the value is read through.
    #[must_use]
    pub fn forced(&self) -> Vec<(Var, Standing)> {
        let vars = self.phi.vars().into_iter();
        vars.filter_map(|v| Some((v, standing_in_full(&self.entries, v)?))).collect()
    }

    /// Cor. 5.8, repaired (spec/findings/F11.md): σ⋆ is the principal model when nothing is left open and
    /// no placement was chosen.
    #[must_use]
    pub fn is_principal(&self) -> bool {
        self.entries.values().all(|entry| entry.standing == Standing::Entailed) && self.residual.is_empty()
    }
}

/// What is known of a bound variable's full value.
#[must_use]
pub fn standing_in_full(entries: &BTreeMap<Var, Entry>, var: Var) -> Option<Standing> {
    let mut worst = entries.get(&var)?.standing;
    let (mut open, mut seen) = (vec![var], BTreeSet::new());
    while let Some(at) = open.pop() {
        if let Some(Entry { binding, standing }) = entries.get(&at)
            && seen.insert(at)
        {
            worst = worst.max(*standing);
            open.extend(binding.to().vars());
        }
    }
    Some(worst)
}
