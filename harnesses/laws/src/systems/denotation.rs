//! What a configuration means, and how values extend to fresh variables.
//!
//! A configuration ⟨Φ; σ; B⟩ denotes Φ ∪ eqns(σ) ∪ constr(B), with eqns(σ) read as identity
//! (spec/findings/F12.md). Every fresh variable hangs off a variable of the input through σ, so a value of the
//! input's variables extends to the fresh ones in at most one way: [`Denotation::extend`] computes it, and no
//! universe has to be large enough to hold it.

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Dim};
use lozenge::row::Row;
use lozenge::semantics::{Ground, holds};
use lozenge::solver::configuration::Configuration;
use lozenge::subst::Map;
use lozenge::term::{DimTerm, RowVar, Term, Var};
use lozenge_statements::meaning::{match_dim, match_row};
use std::collections::BTreeSet;

/// A row variable's value in γ, if it has one.
pub(super) fn row_value(gamma: &Ground, var: RowVar) -> Option<&Row> {
    gamma.rows.get(&var)
}

/// What a configuration denotes (Lemma 5.1): σ on the input's variables, and the constraints of Φ and B under σ.
#[derive(Clone, PartialEq, Debug)]
pub struct Denotation {
    /// x ↦ σ(x), for every variable of the input.
    pub sigma: Vec<(Var, Term)>,
    /// Φ and constr(B), over unbound variables only.
    pub constraints: Vec<Constraint>,
}

impl Denotation {
    /// The denotation of a configuration whose input has these variables.
    pub fn of(configuration: &mut Configuration<'_>, input: &BTreeSet<Var>) -> Self {
        let bounds = &configuration.bounds;
        let atom = |a: Atom| DimTerm::Dim(Dim::Atom(a));
        let mut all: Vec<Constraint> = configuration.unsolved().collect();
        all.extend(bounds.lowers().map(|(a, lower)| Constraint::DimLe(atom(lower), a.into())));
        all.extend(bounds.adjacencies().map(|(a, b, _)| Constraint::DimLe(a.into(), b.into())));
        all.extend(bounds.row_constraints());
        let bindings = &mut configuration.bindings;
        let constraints = all.into_iter().map(|phi| bindings.instantiate(phi).phi).collect();
        let sigma = input.iter().map(|x| (*x, bindings.value(*x).to())).collect();
        Denotation { sigma, constraints }
    }

    /// σ as a map.
    #[must_use]
    pub fn map(&self) -> Map {
        self.sigma.iter().fold(Map::identity(), |map, (x, t)| match (x, t) {
            (Var::Dim(v), Term::Dim(t)) => map.with_dim(*v, *t),
            (Var::Row(v), Term::Row(t)) => map.with_row(*v, t.clone()),
            _ => map,
        })
    }

    /// The values of the unbound variables with γ(x) = γ̂(σ(x)) for every x of the input, if there are any.
    #[must_use]
    pub fn extend(&self, gamma: &Ground) -> Option<Ground> {
        let mut hat = Ground::default();
        let fits = self.sigma.iter().all(|(x, t)| match (x, t) {
            (Var::Dim(v), Term::Dim(t)) => match_dim(&mut hat, *t, gamma.dims[v]),
            (Var::Row(v), Term::Row(t)) => match_row(&mut hat, t, &gamma.rows[v]),
            _ => false,
        });
        fits.then_some(hat)
    }

    /// Does γ, on the input's variables, extend to a solution?
    #[must_use]
    pub fn admits(&self, gamma: &Ground) -> bool {
        self.extend(gamma).is_some_and(|hat| self.constraints.iter().all(|phi| holds(&hat, phi)))
    }
}
