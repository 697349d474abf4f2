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

/// What is open before a group of commitments.
pub(super) struct Open {
    /// The unsolved variables, in no order.
    parts: Vec<Part>,
    /// The place of each in `parts`, by its number; [`END`] for all others.
    places: Vec<Link>,
    /// Those of leaves, in the order of commitment, and whether these are the ones that are left.
    leaves: Vec<Var>,
    listed: bool,
    /// How many of them there are.
    leaf_count: usize,
    /// What has become part of a leaf since the last commitments.
    new_leaves: Vec<Var>,
}

impl Open {
    /// The variables of the input and of leaves, among so many, where σ is still to be looked at.
    pub(super) fn inputs(vars: &VarSet, tags: &Tags, most: usize) -> Self {
        let (leaves, params): (VarSet, VarSet) = (tags.leaves.iter().collect(), tags.params.iter().collect());
        let part = |var| Part { var, owner: var, leaf: leaves.contains(var), param: params.contains(var) };
        let unused = leaves.iter().filter(|var| !vars.contains(*var));
        let mut parts = Vec::with_capacity(most);
        parts.extend(vars.iter().chain(unused).map(part));
        Open { parts, places: Vec::new(), leaves: Vec::new(), listed: false, leaf_count: 0, new_leaves: Vec::new() }
    }

    /// What is open of this under σ, with so many variables. What is part of an open variable's value is part of all
    /// that the variable is part of, so only what was open needs to be looked at.
    pub(super) fn under(mut self, bindings: &Bindings, most: usize) -> Self {
        let room = Vec::with_capacity(self.parts.len());
        let wholes = std::mem::replace(&mut self.parts, room);
        for whole in &wholes {
            if let Some(place) = self.places.get_mut(whole.var.id() as usize) {
                *place = END;
            }
        }
        self.places.resize(most, END);
        (self.listed, self.leaf_count) = (false, 0);
        for whole in &wholes {
            bindings.each_open(whole.var, |var| {
                self.join(var, whole);
            });
        }
        self
    }

    /// The same where only these variables were bound since, in this order. A value has no variable that was bound
    /// before it, so each is looked at once.
    pub(super) fn follow(mut self, bound: &[Var], bindings: &Bindings, most: usize) -> Self {
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
        self
    }

    /// A variable is part of all that another one was part of. Does that make it a leaf?
    fn join(&mut self, var: Var, whole: &Part) -> bool {
        let Open { parts, places, .. } = self;
        let place = &mut places[var.id() as usize];
        let new = match parts.get_mut(*place as usize) {
            Some(part) => {
                let was_leaf = part.leaf;
                part.join(whole);
                part.leaf && !was_leaf
            }
            None => {
                *place = short(parts.len());
                let owner = if mutant::is(Mutant::OpenOwner) { var } else { whole.owner };
                parts.push(Part { var, owner, ..*whole });
                whole.leaf
            }
        };
        self.leaf_count += usize::from(new);
        new
    }

    /// Takes a variable out.
    fn take(&mut self, var: Var) -> Option<Part> {
        let Open { parts, places, .. } = self;
        let place = std::mem::replace(places.get_mut(var.id() as usize)?, END);
        parts.get(place as usize)?;
        let part = parts.swap_remove(place as usize);
        if let Some(moved) = parts.get(place as usize) {
            places[moved.var.id() as usize] = place;
        }
        self.leaf_count -= usize::from(part.leaf);
        Some(part)
    }

    /// Is no leaf open?
    pub(super) fn has_no_leaf(&self) -> bool {
        self.leaf_count == 0
    }

    /// Lists the leaves that are open, in the order that `order` puts them into.
    pub(super) fn list_leaves(&mut self, order: impl Fn(&mut Vec<Var>)) {
        if !self.listed {
            let Open { parts, places, leaves, .. } = self;
            leaves.clear();
            leaves.extend(by_age(parts, places).filter(|part| part.leaf).map(|part| part.var));
            debug_assert_eq!(leaves.len(), self.leaf_count, "leaves are counted as they come and go");
            order(leaves);
            self.listed = true;
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
        self.parts.len() == other.parts.len()
            && by_age(&self.parts, &self.places).eq(by_age(&other.parts, &other.places))
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
