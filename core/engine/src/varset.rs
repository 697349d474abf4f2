//! Sets of variables, as tables.

use crate::solver::list::slot;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Sort;
use lozenge_calculus::term::Var;

/// A set of variables kept as a table by number: they are given out one after the other, so asking is one
/// look, and going through the set is in order of age.
#[derive(Clone, Debug, Default)]
pub struct VarSet(Vec<Option<Sort>>);

impl VarSet {
    /// vars(Φ), among so many variables.
    #[must_use]
    pub fn of(phi: &[Constraint], most: usize) -> Self {
        let mut set = VarSet(vec![None; most]);
        set.extend_by(phi);
        set
    }

    /// Adds vars(Φ).
    pub fn extend_by<'a>(&mut self, phi: impl IntoIterator<Item = &'a Constraint>) {
        phi.into_iter().for_each(|c| {
            c.each_var(|v| {
                self.insert(v);
            });
        });
    }

    /// The sort of the variable with this number, if it is there.
    #[must_use]
    #[inline]
    pub fn sort(&self, id: u32) -> Option<Sort> {
        self.0.get(id as usize).copied().flatten()
    }

    /// Adds a variable; false if it was there.
    #[inline]
    pub fn insert(&mut self, var: Var) -> bool {
        slot(&mut self.0, var.id(), || None).replace(var.sort()).is_none()
    }

    /// Takes a variable out; false if it was not there.
    #[inline]
    pub fn remove(&mut self, var: Var) -> bool {
        self.0.get_mut(var.id() as usize).is_some_and(|sort| sort.take().is_some())
    }

    /// Is the variable there?
    #[inline]
    pub fn contains(&self, var: Var) -> bool {
        self.0.get(var.id() as usize).is_some_and(Option::is_some)
    }

    /// The variables, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Var> + '_ {
        let numbered = self.0.iter().zip(0_u32..);
        numbered.filter_map(|(sort, id)| sort.map(|sort| Var::new(sort, id)))
    }
}

impl Extend<Var> for VarSet {
    fn extend<I: IntoIterator<Item = Var>>(&mut self, vars: I) {
        vars.into_iter().for_each(|v| {
            self.insert(v);
        });
    }
}

impl<'a> FromIterator<&'a Var> for VarSet {
    fn from_iter<I: IntoIterator<Item = &'a Var>>(vars: I) -> Self {
        let mut set = VarSet::default();
        set.extend(vars.into_iter().copied());
        set
    }
}

impl<'a> FromIterator<&'a Constraint> for VarSet {
    /// vars(Φ).
    fn from_iter<I: IntoIterator<Item = &'a Constraint>>(phi: I) -> Self {
        let mut set = VarSet::default();
        set.extend_by(phi);
        set
    }
}
