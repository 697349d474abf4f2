//! The bound store B of Def. 4.1, as a list.
//!
//! Chapter: spec/4-solver.md.

use crate::dim::Atom;
use crate::rules::{Bound, By, Lower, Store};
use crate::subst::Map;
use crate::term::{Binding, DimVar, RowTerm, RowVar, Var, Vars};
use std::collections::BTreeMap;

/// A stored bound, under σ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// The bound.
    pub bound: Bound,
    /// Where it comes from.
    pub by: By,
    /// The steps that have replaced variables in it since.
    pub used: Vec<usize>,
}

/// B. Everything in it mentions unsolved variables only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounds(pub Vec<Stored>);

impl Bounds {
    /// Stores a bound. For dimensions B is a set: lb(α) and an adjacency are there once, the firmer of two origins
    /// kept. (DI-cap has seen to it that a second lb(α) is the same atom.)
    pub fn add(&mut self, bound: Bound, by: By) {
        let same = |stored: &&mut Stored| match (&stored.bound, &bound) {
            (Bound::Lower(_, a), Bound::Lower(_, b)) => a == b,
            (Bound::Adjacency(..), Bound::Adjacency(..)) => stored.bound == bound,
            _ => false,
        };
        match self.0.iter_mut().find(same) {
            Some(known) if known.by.tainted && !(by.tainted && matches!(bound, Bound::Adjacency(..))) => known.by = by,
            Some(_) => {}
            None => self.0.push(Stored { bound, by, used: Vec::new() }),
        }
    }

    /// Def. 4.1: takes out everything stored for x, kind by kind: lb(x), x ⊑ β, α ⊑ x for a dimension; R ⊑ ⟨x⟩,
    /// ⟨x⟩ ⊑ ⟨ρ⟩, equations with x for a row. Each kind in the order stored.
    pub fn take(&mut self, x: Var) -> Vec<Stored> {
        let kinds: [fn(&Bound, Var) -> bool; 3] = match x {
            Var::Dim(_) => [is_lower_of, is_below, is_above],
            Var::Row(_) => [is_cap_on, is_bare_cap, is_equation_with],
        };
        let mut taken = Vec::new();
        for is_kind in kinds {
            let (out, rest) = std::mem::take(&mut self.0).into_iter().partition(|stored| is_kind(&stored.bound, x));
            taken.extend::<Vec<Stored>>(out);
            self.0 = rest;
        }
        taken
    }

    /// Applies [x ↦ T], bound by a step, to every bound that mentions x. Those stored for x have been taken out, so it
    /// is an axis or the variable of a cap, or an axis of an equation.
    pub fn replace(&mut self, binding: &Binding, step: usize, tainted: impl Fn(&Bound) -> bool) {
        let map = Map::single(binding);
        for stored in self.0.iter_mut().filter(|stored| stored.bound.constraint().vars().contains(&binding.var())) {
            stored.by.tainted |= tainted(&stored.bound);
            stored.used.push(step);
            match &mut stored.bound {
                Bound::Cap(res, _) => *res = map.apply_row(res),
                Bound::Deferred(r1, r2) => (*r1, *r2) = (map.apply_row(r1), map.apply_row(r2)),
                Bound::Lower(..) | Bound::Adjacency(..) => {}
            }
        }
    }

    /// Every lb(α), oldest variable first.
    #[must_use]
    pub fn lowers(&self) -> BTreeMap<DimVar, Atom> {
        let lower = |stored: &Stored| if let Bound::Lower(d, a) = stored.bound { Some((a, d)) } else { None };
        self.0.iter().filter_map(lower).collect()
    }

    /// Every adjacency α ⊑ β, in the order stored.
    pub fn adjacencies(&self) -> impl Iterator<Item = (DimVar, DimVar, By)> + '_ {
        self.0.iter().filter_map(|stored| match stored.bound {
            Bound::Adjacency(a, b) => Some((a, b, stored.by)),
            _ => None,
        })
    }

    /// Every cap R ⊑ ⟨ρ⟩, as R and ρ, in the order stored.
    pub fn caps(&self) -> impl Iterator<Item = (&RowTerm, RowVar)> + '_ {
        self.0.iter().filter_map(|stored| if let Bound::Cap(res, on) = &stored.bound { Some((res, *on)) } else { None })
    }

    /// Every deferred equation, in the order stored.
    pub fn deferred(&self) -> impl Iterator<Item = &Bound> + '_ {
        self.0.iter().map(|stored| &stored.bound).filter(|bound| matches!(bound, Bound::Deferred(..)))
    }
}

fn is_lower_of(bound: &Bound, x: Var) -> bool {
    matches!(bound, Bound::Lower(_, a) if Var::Dim(*a) == x)
}

/// x ⊑ β.
fn is_below(bound: &Bound, x: Var) -> bool {
    matches!(bound, Bound::Adjacency(a, _) if Var::Dim(*a) == x)
}

/// α ⊑ x.
fn is_above(bound: &Bound, x: Var) -> bool {
    matches!(bound, Bound::Adjacency(_, b) if Var::Dim(*b) == x)
}

/// R ⊑ ⟨x⟩.
fn is_cap_on(bound: &Bound, x: Var) -> bool {
    matches!(bound, Bound::Cap(_, on) if Var::Row(*on) == x)
}

/// ⟨x⟩ ⊑ ⟨ρ⟩: an adjacency, and so stored for both. What was a longer cap when it was stored is not.
fn is_bare_cap(bound: &Bound, x: Var) -> bool {
    matches!(bound, Bound::Cap(res, _) if res.bare().map(Var::Row) == Some(x))
}

/// An equation that waits for x.
fn is_equation_with(bound: &Bound, x: Var) -> bool {
    matches!(bound, Bound::Deferred(r1, r2) if [r1.var, r2.var].contains(&if let Var::Row(r) = x { Some(r) } else { None }))
}

impl Store for Bounds {
    fn lower(&self, a: DimVar) -> Option<Lower> {
        self.0.iter().find_map(|stored| match stored.bound {
            Bound::Lower(atom, b) if a == b => Some(Lower { atom, by: stored.by }),
            _ => None,
        })
    }

    fn path(&self, from: DimVar, to: DimVar) -> Option<Vec<By>> {
        // For each variable that was met, the one it was met from.
        let mut came: BTreeMap<DimVar, (DimVar, By)> = BTreeMap::new();
        let mut open = vec![from];
        while let Some(at) = open.pop()
            && !came.contains_key(&to)
        {
            for (_, above, by) in self.adjacencies().filter(|(below, ..)| *below == at) {
                if above != from && !came.contains_key(&above) {
                    came.insert(above, (at, by));
                    open.push(above);
                }
            }
        }
        let (mut path, mut at) = (Vec::new(), to);
        while at != from {
            let (previous, by) = came.get(&at)?;
            path.insert(0, *by);
            at = *previous;
        }
        Some(path)
    }
}
