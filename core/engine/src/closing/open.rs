//! What is open: the variables that are left in the values of the input's variables.

use super::Tags;
use crate::VarSet;
use crate::mutant::{self, Mutant};
use crate::solver::bindings::Bindings;
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
    /// The place of each in `parts`, by its number.
    places: Vec<Option<u32>>,
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
        let mut places: Vec<Option<u32>> = vec![None; most];
        let mut parts: Vec<Part> = Vec::with_capacity(self.parts.len());
        for whole in &self.parts {
            bindings.each_open(whole.var, |var| {
                let place = &mut places[var.id() as usize];
                match place.and_then(|at| parts.get_mut(at as usize)) {
                    Some(part) => part.join(whole),
                    None => {
                        *place = u32::try_from(parts.len()).ok();
                        let owner = if mutant::is(Mutant::OpenOwner) { var } else { whole.owner };
                        parts.push(Part { var, owner, ..*whole });
                    }
                }
            });
        }
        let mut leaves: Vec<Var> = parts.iter().filter(|part| part.leaf).map(|part| part.var).collect();
        leaves.sort_unstable();
        Open { parts, places, leaves }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    fn part(&self, var: Var) -> Option<&Part> {
        let at = self.places.get(var.id() as usize).copied().flatten()?;
        self.parts.get(at as usize)
    }

    /// The unsolved variables, oldest first.
    pub(super) fn vars(&self) -> Vec<Var> {
        let mut vars: Vec<Var> = self.parts.iter().map(|part| part.var).collect();
        vars.sort_unstable();
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
