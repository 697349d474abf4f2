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
use lozenge::term::{DimTerm, RowTerm, RowVar, Term, Var};
use std::collections::BTreeSet;

/// A row variable's value in γ, if it has one.
pub(super) fn row_value(gamma: &Ground, var: RowVar) -> Option<&Row> {
    gamma.rows.get(&var)
}

/// Extends γ so that the term has this value; false where none of its extensions does.
pub fn match_dim(gamma: &mut Ground, term: DimTerm, value: Dim) -> bool {
    match term {
        DimTerm::Dim(d) => d == value,
        DimTerm::Var(v) => *gamma.dims.entry(v).or_insert(value) == value,
    }
}

/// Extends γ so that the term is this very row, marker included; false where none of its extensions is.
pub fn match_row(gamma: &mut Ground, term: &RowTerm, value: &Row) -> bool {
    let (l, r) = (term.lead.len(), term.trail.len());
    if value.lead.len() < l || value.trail.len() < r {
        return false;
    }
    let inner = value.trail.len() - r;
    let lead = term.lead.iter().zip(&value.lead);
    let trail = term.trail.iter().zip(&value.trail[inner..]);
    if !lead.chain(trail).all(|(t, d)| match_dim(gamma, *t, *d)) {
        return false;
    }
    match term.var {
        None => value.lead.len() == l && inner == 0,
        Some(v) => {
            let middle = Row::new(value.lead[l..].to_vec(), value.trail[..inner].to_vec());
            *gamma.rows.entry(v).or_insert_with(|| middle.clone()) == middle
        }
    }
}

/// Extends γ so that the term has this row's content; false where none of its extensions has.
pub fn match_content(gamma: &mut Ground, term: &RowTerm, value: &Row) -> bool {
    let content: Vec<Dim> = value.flat().collect();
    let (l, r) = (term.lead.len(), term.trail.len());
    if content.len() < l + r {
        return false;
    }
    let middle = l..content.len() - r;
    let lead = term.lead.iter().zip(&content);
    let trail = term.trail.iter().zip(&content[middle.end..]);
    if !lead.chain(trail).all(|(t, d)| match_dim(gamma, *t, *d)) {
        return false;
    }
    match term.var {
        None => middle.is_empty(),
        Some(v) => {
            let inner = Row::split_at(&content[middle], 0);
            gamma.rows.entry(v).or_insert_with(|| inner.clone()).flat_eq(&inner)
        }
    }
}

/// Extends γ so that T is what γ gives x.
///
/// # Panics
/// When γ gives x no value.
pub fn match_binding(gamma: &mut Ground, var: Var, to: &Term) -> bool {
    match (var, to) {
        (Var::Dim(v), Term::Dim(to)) => {
            let value = gamma.dims[&v];
            match_dim(gamma, *to, value)
        }
        (Var::Row(v), Term::Row(to)) => {
            let value = gamma.rows[&v].clone();
            match_row(gamma, to, &value)
        }
        _ => panic!("a binding respects sorts"),
    }
}

/// What a configuration denotes (Lemma 5.1): σ on the input's variables, and the constraints of Φ and B under σ.
#[derive(Clone, Debug)]
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
