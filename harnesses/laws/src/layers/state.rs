//! ⟨Φ; σ; B⟩ and the facts of the guard, of either layer, as they are compared.

use super::{Differs, same};
use lozenge::calculus::solver::configuration::Configuration as Literal;
use lozenge::calculus::solver::solved::{Standing, standing_in_full};
use lozenge::constraint::Constraint;
use lozenge::dim::Atom;
use lozenge::guard::Fact;
use lozenge::rules::{Bound, By, Rule};
use lozenge::solver::configuration::Configuration as Fast;
use lozenge::term::{Binding, DimVar, RowTerm, RowVar};

/// A state, whichever layer it is of.
pub struct State {
    variables: usize,
    /// σ, and what is known of its full values.
    sigma: Vec<Binding>,
    standings: Vec<Option<Standing>>,
    placements: Vec<Binding>,
    lowers: Vec<(DimVar, Atom)>,
    adjacencies: Vec<(DimVar, DimVar, (usize, bool))>,
    caps: Vec<(RowTerm, RowVar)>,
    deferred: Vec<Constraint>,
    facts: Vec<(Rule, Vec<Fact>)>,
    /// Φ, in the layer's own order.
    phi: Vec<Constraint>,
}

/// An adjacency with the step it is from.
fn adjacent((lower, upper, by): (DimVar, DimVar, By)) -> (DimVar, DimVar, (usize, bool)) {
    (lower, upper, (by.step, by.tainted))
}

impl State {
    /// That of the calculus.
    #[must_use]
    pub fn of_calculus(literal: &Literal<'_>) -> Self {
        State {
            variables: literal.variables(),
            sigma: literal.all_vars().map(|var| literal.sigma.binding(var)).collect(),
            standings: literal.all_vars().map(|var| standing_in_full(&literal.entries, var)).collect(),
            placements: literal.placements(),
            lowers: literal.bounds.lowers().into_iter().collect(),
            adjacencies: literal.bounds.adjacencies().map(adjacent).collect(),
            caps: literal.bounds.caps().map(|(res, on)| (res.clone(), on)).collect(),
            deferred: literal.bounds.deferred().map(Bound::constraint).collect(),
            facts: literal.guard.facts().into_iter().map(|(rule, facts)| (rule, facts.0.clone())).collect(),
            phi: literal.unsolved.iter().map(|item| item.phi.clone()).collect(),
        }
    }

    /// That of the engine, with the variables of the calculus.
    #[must_use]
    pub fn of_engine(literal: &Literal<'_>, fast: &mut Fast<'_>) -> Self {
        let waiting: Vec<Constraint> = fast.unsolved().collect();
        let facts = fast.guard.facts().into_iter();
        State {
            variables: fast.variables(),
            sigma: literal.all_vars().map(|var| fast.bindings.value(var)).collect(),
            standings: literal.all_vars().map(|var| fast.bindings.standing_in_full(var)).collect(),
            placements: fast.placements(),
            lowers: fast.bounds.lowers().collect(),
            adjacencies: fast.bounds.adjacencies().map(adjacent).collect(),
            caps: fast.bounds.caps().map(|(res, on)| (fast.bindings.row_value(&res), on)).collect(),
            deferred: fast.deferred(),
            facts: facts.map(|(rule, facts)| (rule, facts.into_iter().rev().collect())).collect(),
            phi: waiting.into_iter().map(|phi| fast.bindings.instantiate(phi).phi).collect(),
        }
    }

    /// Compares all of it, Φ without its order.
    pub(super) fn same(&self, fast: &Self) -> Result<(), Differs> {
        same("variables", &self.variables, &fast.variables)?;
        same("σ", &self.sigma, &fast.sigma)?;
        same("standings", &self.standings, &fast.standings)?;
        same("placements", &self.placements, &fast.placements)?;
        same("lower bounds", &self.lowers, &fast.lowers)?;
        same("adjacencies", &self.adjacencies, &fast.adjacencies)?;
        same("caps", &self.caps, &fast.caps)?;
        same("deferred", &self.deferred, &fast.deferred)?;
        same("facts", &self.facts, &fast.facts)?;
        if is_permutation(&self.phi, &fast.phi) { Ok(()) } else { same("Φ", &self.phi, &fast.phi) }
    }
}

/// Are these the same constraints, each as often, in any order? They mostly come in the same one.
#[must_use]
pub fn is_permutation(these: &[Constraint], those: &[Constraint]) -> bool {
    let mut left: Vec<&Constraint> = those.iter().rev().collect();
    let taken = these.iter().all(|phi| left.iter().rposition(|other| *other == phi).map(|i| left.remove(i)).is_some());
    taken && left.is_empty()
}
