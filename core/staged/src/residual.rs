//! What is left of a system when propagation is done, group by group, as small systems of their own.

use super::claim::SizeClaim;
use super::meaning::Valuation;
use super::outcome::Stopped;
use super::run::StagedRun;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::rules::Bound;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::subst::Map;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// The bounds and the claims of one group that waits, with variables of their own.
pub(super) struct Residual {
    pub phi: Vec<Constraint>,
    pub claims: Vec<SizeClaim>,
    pub names: Names,
    new: BTreeMap<Var, Var>,
}

impl Residual {
    fn of(phi: &[Constraint], claims: &[SizeClaim]) -> Self {
        let vars: BTreeSet<Var> = phi.vars().into_iter().chain(claims.iter().flat_map(Vars::vars)).collect();
        let (mut names, mut new, mut map) = (Names::new(), BTreeMap::new(), Map::identity());
        for var in vars {
            match var {
                Var::Dim(v) => {
                    let fresh = names.fresh_dim();
                    map = map.with_dim(v, fresh);
                    new.insert(var, Var::Dim(fresh));
                }
                Var::Row(v) => {
                    let fresh = names.fresh_row();
                    map = map.with_row(v, fresh.into());
                    new.insert(var, Var::Row(fresh));
                }
            }
        }
        let phi = phi.iter().map(|c| map.apply_constraint(c)).collect();
        let claims = claims.iter().map(|c| c.apply(&map)).collect();
        Residual { phi, claims, names, new }
    }

    /// These variables, as they are called here.
    pub(super) fn dims(&self, of: &BTreeSet<DimVar>) -> BTreeSet<DimVar> {
        let called = |v: &DimVar| match self.new.get(&Var::Dim(*v)) {
            Some(Var::Dim(new)) => Some(*new),
            _ => None,
        };
        of.iter().filter_map(called).collect()
    }

    /// Puts a solution of this into one of the whole.
    pub(super) fn take(&self, found: &Valuation, into: &mut Valuation) {
        for (old, new) in &self.new {
            match (*old, *new) {
                (Var::Dim(v), Var::Dim(w)) if found.zeros.contains(&w) => drop(into.zeros.insert(v)),
                (Var::Dim(v), Var::Dim(w)) => drop(into.ground.dims.insert(v, found.ground.dim(w.into()))),
                (Var::Row(v), Var::Row(w)) => drop(into.ground.rows.insert(v, found.ground.row(&RowTerm::from(w)))),
                _ => {}
            }
        }
    }
}

impl StagedRun<'_> {
    /// Every group that waits.
    pub(super) fn residuals(&mut self) -> Result<Vec<Residual>, Stopped> {
        let held = self.held()?;
        let mut parts: BTreeMap<Var, (Vec<Constraint>, Vec<SizeClaim>)> = BTreeMap::new();
        let bounds = &self.configuration.bounds;
        let dims = bounds.lowers().map(|(v, atom)| Bound::Lower(atom, v).constraint());
        let dims = dims.chain(bounds.adjacencies().map(|(a, b, _)| Bound::Adjacency(a, b).constraint()));
        let stored: Vec<Constraint> = dims.chain(bounds.row_constraints()).collect();
        for constraint in stored {
            let phi = self.configuration.bindings.instantiate(constraint).phi;
            if let Some(group) = phi.vars().into_iter().find_map(|v| held.group(v)) {
                parts.entry(group).or_default().0.push(phi);
            }
        }
        for number in self.active.clone() {
            let Some(group) = self.open_vars(number).into_iter().find_map(|v| held.group(v)) else { continue };
            let Some(claim) = self.claims.get(&number).cloned() else { continue };
            let (phi, claims) = parts.entry(group).or_default();
            // v = v would make a variable that may be 0 one of the core.
            let bound =
                claim.vars().into_iter().filter(|v| self.configuration.bindings.is_bound(*v)).collect::<Vec<_>>();
            phi.extend(bound.into_iter().map(|v| self.configuration.bindings.value(v).equation()));
            claims.push(claim);
        }
        Ok(parts.into_values().map(|(phi, claims)| Residual::of(&phi, &claims)).collect())
    }

    /// The values of the input's variables, where what is unsolved has these; the top if none.
    pub(super) fn values_under(&mut self, of: &Valuation) -> Valuation {
        let mut values = Valuation::default();
        let is_zero = |run: &Self, v: DimVar| of.zeros.contains(&v) || run.zeros.contains_key(&v);
        for var in self.input.iter() {
            match self.configuration.bindings.value(var) {
                Binding::Dim(v, DimTerm::Var(u)) if is_zero(self, u) => drop(values.zeros.insert(v)),
                Binding::Dim(v, t) => drop(values.ground.dims.insert(v, of.ground.dim(t))),
                Binding::Row(v, t) => drop(values.ground.rows.insert(v, of.ground.row(&t))),
            }
        }
        values
    }

    /// The same at the top.
    pub(super) fn values_at_top(&mut self) -> Valuation {
        self.values_under(&Valuation { ground: Ground::default(), zeros: BTreeSet::new() })
    }
}
