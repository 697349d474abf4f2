//! What is open: the variables that are left in the values of the input's variables.

use super::Tags;
use crate::VarSet;
use crate::mutant::{self, Mutant};
use crate::solver::bindings::Bindings;
use crate::solver::list::{END, Link, short};
use lozenge_calculus::term::Var;

/// A variable that is left, and where.
#[derive(Clone, Copy, PartialEq, Debug)]
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

/// The variables of the input and of leaves, where σ is still to be looked at.
pub(super) struct Inputs<'a> {
    vars: &'a VarSet,
    tags: &'a Tags,
    /// How many there are.
    pub(super) count: usize,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(vars: &'a VarSet, tags: &'a Tags) -> Self {
        let mut inputs = Inputs { vars, tags, count: 0 };
        inputs.count = vars.iter().count() + inputs.unused().count();
        inputs
    }

    /// The leaves that no constraint has.
    fn unused(&self) -> impl Iterator<Item = Var> + '_ {
        self.tags.leaves.iter().copied().filter(|var| !self.vars.contains(*var))
    }

    /// What is open of this under σ, with so many variables.
    pub(super) fn under(&self, bindings: &Bindings, most: usize) -> Open {
        let (leaves, params): (VarSet, VarSet) = (self.tags.leaves.iter().collect(), self.tags.params.iter().collect());
        let mut open = Open {
            parts: Vec::with_capacity(self.count),
            places: vec![END; most],
            count: 0,
            by_age: true,
            leaves: Vec::new(),
            listed: false,
            all_leaves: Vec::new(),
            leaf_count: 0,
            new_leaves: Vec::new(),
        };
        // First what is part of itself alone: that is in order of age.
        let mut wholes = Vec::with_capacity(self.count);
        for var in self.vars.iter().chain(self.unused()) {
            let whole = Part { var, owner: var, leaf: leaves.contains(var), param: params.contains(var) };
            if bindings.is_bound(var) {
                wholes.push(whole);
            } else {
                open.join(var, &whole);
            }
        }
        for whole in &wholes {
            bindings.each_open(whole.var, |var| {
                open.join(var, whole);
            });
        }
        open
    }
}

/// What is open before a group of commitments.
pub(super) struct Open {
    /// The unsolved variables; none where one was that has been bound since.
    parts: Vec<Option<Part>>,
    /// The place of each in `parts`, by its number; [`END`] for all others.
    places: Vec<Link>,
    /// How many there are, and whether the oldest is first.
    count: usize,
    by_age: bool,
    /// Those of leaves, in the order of commitment, and whether these are the ones that are left.
    leaves: Vec<Var>,
    listed: bool,
    /// All that have been leaves, oldest first once they are listed.
    all_leaves: Vec<Var>,
    /// How many of them there are.
    leaf_count: usize,
    /// What has become part of a leaf since the last commitments.
    new_leaves: Vec<Var>,
}

impl Open {
    /// What is open of this now that these variables were bound, in this order, with so many variables. What is part of an
    /// open variable's value is part of all that the variable is part of, so only what was open needs to be looked at; and a
    /// value has no variable that was bound before it, so each is looked at once.
    pub(super) fn follow(&mut self, bound: &[Var], bindings: &Bindings, most: usize) {
        self.places.resize(most, END);
        self.new_leaves.clear();
        for var in bound {
            if let Some(whole) = self.take(*var) {
                self.listed = false;
                if mutant::is(Mutant::OpenNews) {
                    continue;
                }
                bindings.each_within(*var, |var| {
                    if self.join(var, &whole) {
                        self.new_leaves.push(var);
                    }
                });
            }
        }
    }

    /// A variable is part of all that another one was part of. Does that make it a leaf?
    fn join(&mut self, var: Var, whole: &Part) -> bool {
        let Open { parts, places, .. } = self;
        let place = &mut places[var.id() as usize];
        let new = match parts.get_mut(*place as usize) {
            Some(Some(part)) => {
                let was_leaf = part.leaf;
                part.join(whole);
                part.leaf && !was_leaf
            }
            _ => {
                *place = short(parts.len());
                let owner = if mutant::is(Mutant::OpenOwner) { var } else { whole.owner };
                self.by_age &= parts.last().is_none_or(|last| last.is_some_and(|last| last.var < var));
                parts.push(Some(Part { var, owner, ..*whole }));
                self.count += 1;
                whole.leaf
            }
        };
        if new {
            self.leaf_count += 1;
            self.all_leaves.push(var);
        }
        new
    }

    /// Takes a variable out.
    fn take(&mut self, var: Var) -> Option<Part> {
        let place = std::mem::replace(self.places.get_mut(var.id() as usize)?, END);
        let part = self.parts.get_mut(place as usize)?.take()?;
        self.count -= 1;
        self.leaf_count -= usize::from(part.leaf);
        Some(part)
    }

    /// Is no leaf open?
    pub(super) fn has_no_leaf(&self) -> bool {
        self.leaf_count == 0
    }

    /// Puts the oldest part first: the table of places is in that order.
    fn sort(&mut self) {
        if self.by_age {
            return;
        }
        let Open { parts, places, count, .. } = self;
        let mut sorted = Vec::with_capacity(*count);
        for place in places {
            if let Some(part) = parts.get(*place as usize) {
                *place = short(sorted.len());
                sorted.push(*part);
            }
        }
        (self.parts, self.by_age) = (sorted, true);
    }

    /// The parts, oldest first once they are sorted.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flatten()
    }

    /// Lists the leaves that are open, in the order that `order` puts them into.
    pub(super) fn list_leaves(&mut self, order: &dyn Fn(&mut Vec<Var>)) {
        if !self.listed {
            let mut all = std::mem::take(&mut self.all_leaves);
            all.retain(|var| self.part(*var).is_some());
            debug_assert_eq!(all.len(), self.leaf_count, "leaves are counted as they come and go");
            // Those that were there are in order, and so are most that are new.
            all.sort();
            self.leaves.clone_from(&all);
            order(&mut self.leaves);
            (self.all_leaves, self.listed) = (all, true);
        }
    }

    /// The leaves, as they were listed.
    pub(super) fn leaves(&self) -> &[Var] {
        debug_assert!(self.listed, "what was bound since is no leaf");
        &self.leaves
    }

    /// What has become part of a leaf since the last commitments.
    pub(super) fn new_leaves(&self) -> &[Var] {
        &self.new_leaves
    }

    /// Are these the same parts?
    pub(super) fn is(&self, other: &Open) -> bool {
        let same = |part: &Part| other.part(part.var) == Some(part);
        self.count == other.count && self.parts().count() == self.count && self.parts().all(same)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn part(&self, var: Var) -> Option<&Part> {
        self.parts.get(*self.places.get(var.id() as usize)? as usize)?.as_ref()
    }

    /// The unsolved variables, oldest first, each with the oldest variable of the input whose value it is part of.
    pub(super) fn owned(&mut self) -> impl Iterator<Item = (Var, Var)> + '_ {
        self.sort();
        self.parts().map(|part| (part.var, part.owner))
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
