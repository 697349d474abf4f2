//! §6 Closing: from solved form to one ground solution, and the list of what was assumed on the way (Def. 6.1).
//!
//! The one departure from Def. 6.1 is Remark 6.3's: caps are saturated before anything is committed, so that a value
//! cannot depend on which variable came first. [`CapPolicy::Stored`] closes without, leaf by leaf, as the definition says.
//! The order that Def. 6.1 leaves free is that of spec/decisions.md, 8:
//!
//! 1. Leaves that have a cap, known ones first, then open ones by what is written of them, take the join of
//!    their caps (CL-leaf); positions that no cap fills take 1∅ (CL-hole), unless the leaf is a parameter: then that is
//!    an error.
//! 2. Deferred equations take their solution of least material (CL-word), or wait, by policy.
//! 3. Leaves without a cap take 1∅ or no axes (CL-bare), parameters again excepted.
//! 4. Everything else closes upward, to 1∅ or no axes (CL-up).
//!
//! After each of these the solver runs again.
//!
//! Chapter: spec/6-closing.md.

mod joined;
pub mod leaf;
mod types;
pub mod word;

pub use joined::{Joined, around};
pub use leaf::{Commitment, Unknown};
pub use types::{Assumption, CloseRule, Closed, Closing, End, Hole, Tags};

use crate::constraint::Constraint;
use crate::dim::{Atom, Dim};
use crate::internal::broken;
use crate::names::Names;
use crate::policy::{CapPolicy, Policy, WordPolicy};
use crate::rules::{Bound, Store};
use crate::semantics::{Ground, holds};
use crate::solver::Configuration;
use crate::term::{Binding, DimVar, RowVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// Closes Φ₀, committing leaves oldest first.
pub fn close(phi: &[Constraint], names: &mut Names, tags: &Tags, policy: Policy) -> Closing {
    close_in_order(phi, names, tags, policy, |_| ())
}

/// Closes Φ₀, committing leaves in the order that `order` puts them into. Under saturation the values do
/// not depend on it; without, they do (spec/findings/F4.md).
pub fn close_in_order(
    phi: &[Constraint],
    names: &mut Names,
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> Closing {
    close_from(Configuration::new(phi, names, policy), phi, tags, policy, order)
}

/// Closes a configuration whose constraints, solved and not, are Φ₀.
pub fn close_from(
    configuration: Configuration<'_>,
    phi: &[Constraint],
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> Closing {
    let mut run = Close { phi, tags, policy, configuration, assumptions: Vec::new() };
    match run.close(order) {
        Err(end) => Closing::stopped(end, run.assumptions),
        Ok(()) => {
            let values = Ground::default().after(&run.configuration.sigma, phi.vars());
            if let Some(phi) = phi.iter().find(|c| !holds(&values, c)) {
                broken("γ_close ∈ Sol(Φ₀) (Prop. 6.2)", format!("{phi:?} does not hold"));
            }
            let placements = run.configuration.placements();
            Closing::Closed(Box::new(Closed { values, assumptions: run.assumptions, placements }))
        }
    }
}

/// An unsolved variable, as part of the input.
struct Part {
    /// The oldest variable of the input whose value it is part of.
    owner: Var,
    /// Is it part of a leaf, and of a parameter?
    leaf: bool,
    param: bool,
}

/// The unsolved variables.
type Open = BTreeMap<Var, Part>;

/// Closing under way.
struct Close<'a, 'n> {
    phi: &'a [Constraint],
    tags: &'a Tags,
    policy: Policy,
    configuration: Configuration<'n>,
    assumptions: Vec<Assumption>,
}

impl Close<'_, '_> {
    fn close(&mut self, order: impl Fn(&mut Vec<Var>)) -> Result<(), End> {
        self.configuration.run()?;
        loop {
            if self.policy.caps == CapPolicy::Saturated {
                self.forward_dims()?;
            }
            let open = self.open();
            let mut leaves: Vec<Var> = open.iter().filter(|(_, part)| part.leaf).map(|(var, _)| *var).collect();
            order(&mut leaves);
            let committed = match self.policy.caps {
                CapPolicy::Saturated => {
                    self.close_capped(&open, &leaves)? || self.close_words(&open)? || self.close_bare(&open, &leaves)?
                }
                CapPolicy::Stored => self.close_next(&open, &leaves)? || self.close_words(&open)?,
            };
            if !committed {
                return self.commit(&open, open.keys().map(|v| leaf::interior(*v)).collect()).map(|_| ());
            }
        }
    }

    /// The variables that are left in the values of the input's variables and of leaves.
    fn open(&self) -> Open {
        let inputs: BTreeSet<Var> = self.phi.vars().union(&self.tags.leaves).copied().collect();
        let mut open = Open::new();
        for owner in inputs {
            let (is_leaf, is_param) = (self.tags.leaves.contains(&owner), self.tags.params.contains(&owner));
            for var in self.configuration.value(owner).vars() {
                let part = open.entry(var).or_insert(Part { owner, leaf: false, param: false });
                part.leaf |= is_leaf;
                part.param |= is_param;
            }
        }
        open
    }

    /// Commits values by policy, all of them, and solves again. Were it solved again after each, a value
    /// could depend on which variable came first (spec/findings/F4.md).
    fn commit(&mut self, open: &Open, commitments: Vec<Commitment>) -> Result<bool, End> {
        let any = !commitments.is_empty();
        for (binding, rule) in commitments {
            self.configuration.extend(binding.equation(), true);
            let within = open.get(&binding.var()).map(|part| part.owner).filter(|owner| *owner != binding.var());
            self.assumptions.push(Assumption { binding, rule, within });
        }
        self.configuration.run()?;
        Ok(any)
    }

    fn is_param(open: &Open, var: Var) -> bool {
        open.get(&var).is_some_and(|part| part.param)
    }

    /// A parameter's dimension that nothing determines: the oldest parameter whose value it is part of.
    fn hole(&self, open: &Open, (var, position): Unknown) -> End {
        let has = |p: &&Var| self.configuration.value(**p).vars().contains(&var);
        let owner = || open.get(&var).map_or(var, |part| part.owner);
        let var = self.tags.params.iter().find(has).copied().unwrap_or_else(owner);
        End::Hole(Hole::new(self.phi, var, position))
    }

    /// lb(α).
    fn lower(&self, a: DimVar) -> Option<Dim> {
        self.configuration.bounds.lowers().get(&a).copied().map(Dim::Atom)
    }

    /// Remark 6.3, dimensions: d ⊑ α and α ⊑ β give d ⊑ β, until nothing is new. That is entailed.
    fn forward_dims(&mut self) -> Result<(), End> {
        let mut sent: Vec<(DimVar, Atom)> = Vec::new();
        loop {
            let bounds = &self.configuration.bounds;
            let lowers = bounds.lowers();
            let mut news: Vec<(Constraint, bool)> = Vec::new();
            for (below, above, by) in bounds.adjacencies() {
                if let Some(lower) = bounds.lower(below)
                    && lowers.get(&above) != Some(&lower.atom)
                    && !sent.contains(&(above, lower.atom))
                {
                    sent.push((above, lower.atom));
                    news.push((Bound::Lower(lower.atom, above).constraint(), lower.by.tainted || by.tainted));
                }
            }
            if news.is_empty() {
                return Ok(());
            }
            news.into_iter().for_each(|(phi, tainted)| self.configuration.extend(phi, tainted));
            self.configuration.run()?;
        }
    }

    /// Remark 6.3, rows: the least J with J_σ = ∨ { l·J_ρ·r : l·⟨ρ⟩·r a cap on σ }. A variable whose caps say nothing
    /// counts as no axes if `open`, and else makes the whole cap unknown; a cap that is such a variable says nothing
    /// itself (spec/findings/F20.md). Joins only shorten flanks and raise entries, so the rounds end.
    fn joins(&self, open: bool) -> BTreeMap<RowVar, Joined> {
        let caps = || self.configuration.bounds.caps();
        let telling = self.telling();
        let mut joins: BTreeMap<RowVar, Joined> = BTreeMap::new();
        loop {
            let mut changed = false;
            for (cap, on) in caps() {
                let inner = match cap.var {
                    None => Joined::default(),
                    Some(v) if open && !telling.contains(&v) => match cap.bare() {
                        Some(_) => continue,
                        None => Joined::default(),
                    },
                    Some(v) => match joins.get(&v) {
                        Some(inner) => inner.clone(),
                        None => continue,
                    },
                };
                let value = around(|a| self.lower(a), cap, &inner);
                changed |= match joins.get_mut(&on) {
                    Some(joined) => joined.join(&value),
                    None => joins.insert(on, value).is_none(),
                };
            }
            if !changed {
                return joins;
            }
        }
    }

    /// The row variables that something must fit below of which an axis is written, or which is closed.
    fn telling(&self) -> BTreeSet<RowVar> {
        let mut telling = BTreeSet::new();
        loop {
            let before = telling.len();
            for (cap, on) in self.configuration.bounds.caps() {
                if cap.bare().is_none_or(|v| telling.contains(&v)) {
                    telling.insert(on);
                }
            }
            if telling.len() == before {
                return telling;
            }
        }
    }

    /// CL-leaf, CL-hole: leaves that have a cap, known ones first.
    fn close_capped(&mut self, open: &Open, leaves: &[Var]) -> Result<bool, End> {
        let is_param = |var| Self::is_param(open, var);
        let known = self.joins(false);
        let mut commitments = leaf::capped(leaves, |a| self.lower(a), |r| known.get(&r), is_param)
            .map_err(|unknown| self.hole(open, unknown))?;
        if commitments.is_empty() {
            let joins = self.joins(true);
            commitments =
                leaf::open_capped(leaves, |r| joins.get(&r), is_param).map_err(|unknown| self.hole(open, unknown))?;
        }
        self.commit(open, commitments)
    }

    /// CL-word: the deferred equation that asks for the most axes, the oldest of these, at its solution of least material.
    /// What it gets is often enough for shorter ones on the same row, and not always: spec/findings/F45.md.
    fn close_words(&mut self, open: &Open) -> Result<bool, End> {
        if self.policy.words == WordPolicy::Upward {
            return Ok(false);
        }
        let equations: Vec<Constraint> = self.configuration.bounds.deferred().map(Bound::constraint).collect();
        let largest = equations.iter().rev().max_by_key(|e| word::demand(e));
        let least = largest.and_then(word::least).map(|(var, value)| (Binding::Row(var, value), CloseRule::Word));
        self.commit(open, least.into_iter().collect())
    }

    /// CL-bare: leaves without a cap; but a parameter's dimension must be known.
    fn close_bare(&mut self, open: &Open, leaves: &[Var]) -> Result<bool, End> {
        let unknown = leaves.iter().filter(|v| matches!(v, Var::Dim(_)) && Self::is_param(open, **v));
        if let Some(var) = unknown.min() {
            return Err(self.hole(open, (*var, None)));
        }
        self.commit(open, leaves.iter().map(|v| leaf::leaf_bare(*v)).collect())
    }

    /// Def. 6.1, step 1, to the letter: the next leaf takes what its own caps say.
    fn close_next(&mut self, open: &Open, leaves: &[Var]) -> Result<bool, End> {
        let Some(var) = leaves.first() else { return Ok(false) };
        let bounds = &self.configuration.bounds;
        let lower = if let Var::Dim(a) = var { bounds.lowers().get(a).copied() } else { None };
        let caps = bounds.caps().filter(|(_, on)| Var::Row(*on) == *var).map(|(cap, _)| cap);
        let commitment = leaf::stored(*var, lower, caps, Self::is_param(open, *var));
        let commitment = commitment.map_err(|unknown| self.hole(open, unknown))?;
        self.commit(open, vec![commitment])
    }
}
