//! What is open: the variables that are left in the values of the input's variables.

use super::Tags;
use crate::VarSet;
use crate::mutant::{self, Mutant};
use crate::solver::bindings::Bindings;
use crate::solver::list::{END, Link, short};
use lozenge_calculus::term::Var;

/// A variable that is left, and where.
#[derive(Clone, Copy)]
struct Part {
    var: Var,
    /// The oldest variable of the input whose value it is part of.
    owner: Var,
    /// Is it part of a leaf, and of a parameter (Def. 6.1)?
    leaf: bool,
    param: bool,
}

impl Part {
    fn join(&mut self, other: &Part) {
        self.owner = self.owner.min(other.owner);
        self.leaf |= other.leaf && !mutant::is(Mutant::OpenLeaf);
        self.param |= other.param;
    }
}

/// What is open before a group of commitments.
pub(super) struct Open {
    /// The unsolved variables, in no order.
    parts: Vec<Part>,
    /// The place of each in `parts`, by its number; [`END`] for all others.
    places: Vec<Link>,
    /// Those of leaves, in the order of commitment.
    pub(super) leaves: Vec<Var>,
}

impl Open {
    /// The variables of the input and of leaves, among so many, where σ is still to be looked at.
    pub(super) fn inputs(vars: &VarSet, tags: &Tags, most: usize) -> Self {
        let (leaves, params): (VarSet, VarSet) = (tags.leaves.iter().collect(), tags.params.iter().collect());
        let part = |var| Part { var, owner: var, leaf: leaves.contains(var), param: params.contains(var) };
        let unused = leaves.iter().filter(|var| !vars.contains(*var));
        let mut parts = Vec::with_capacity(most);
        parts.extend(vars.iter().chain(unused).map(part));
        Open { parts, places: Vec::new(), leaves: Vec::new() }
    }

    /// What is open of this under σ, with so many variables. What is part of an open variable's value is part of all
    /// that the variable is part of, so only what was open needs to be looked at.
    pub(super) fn under(self, bindings: &Bindings, most: usize) -> Self {
        let Open { parts: wholes, mut places, mut leaves } = self;
        for whole in &wholes {
            if let Some(place) = places.get_mut(whole.var.id() as usize) {
                *place = END;
            }
        }
        places.resize(most, END);
        let mut parts: Vec<Part> = Vec::with_capacity(wholes.len());
        for whole in &wholes {
            bindings.each_open(whole.var, |var| {
                let place = &mut places[var.id() as usize];
                match parts.get_mut(*place as usize) {
                    Some(part) => part.join(whole),
                    None => {
                        *place = short(parts.len());
                        let owner = if mutant::is(Mutant::OpenOwner) { var } else { whole.owner };
                        parts.push(Part { var, owner, ..*whole });
                    }
                }
            });
        }
        leaves.clear();
        leaves.extend(by_age(&parts, &places).filter(|part| part.leaf).map(|part| part.var));
        Open { parts, places, leaves }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    fn part(&self, var: Var) -> Option<&Part> {
        self.parts.get(*self.places.get(var.id() as usize)? as usize)
    }

    /// The unsolved variables, oldest first.
    pub(super) fn vars(&self) -> Vec<Var> {
        let mut vars = Vec::with_capacity(self.parts.len());
        vars.extend(by_age(&self.parts, &self.places).map(|part| part.var));
        vars
    }

    /// Is it part of a parameter's shape?
    pub(super) fn is_param(&self, var: Var) -> bool {
        self.part(var).is_some_and(|part| part.param)
    }

    /// The oldest variable of the input whose value it is part of.
    pub(super) fn owner(&self, var: Var) -> Option<Var> {
        self.part(var).map(|part| part.owner)
    }
}

/// Parts, oldest variable first: the table of places is in that order.
fn by_age<'a>(parts: &'a [Part], places: &'a [Link]) -> impl Iterator<Item = &'a Part> {
    places.iter().filter_map(|place| parts.get(*place as usize))
}
