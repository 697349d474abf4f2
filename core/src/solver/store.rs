//! The bound store B of Def. 4.1.
//!
//! A dimension variable has at most one atom below it and adjacencies α ⊑ β on both sides; a row
//! variable has caps R ⊑ ⟨ρ⟩ and takes part in deferred equations. Adjacencies are kept in a
//! topological order (Pearce and Kelly), so that DI-antisym notices a cycle without walking the graph.

use super::effect::bare;
use crate::constraint::Constraint;
use crate::dim::Atom;
use crate::term::{DimTerm, DimVar, RowVar, Var, Vars};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Where a stored bound comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct By {
    /// The step that stored it.
    pub step: usize,
    /// The constraint it is, for the trace.
    pub node: usize,
    /// Was it derived through a placement?
    pub tainted: bool,
}

/// lb(α) = d.
#[derive(Clone, Copy, Debug)]
pub struct Lower {
    /// The atom below α.
    pub atom: Atom,
    /// Where it comes from.
    pub by: By,
}

/// A stored constraint that can leave the store again.
#[derive(Clone, Debug)]
struct Entry<T> {
    it: T,
    by: By,
    alive: bool,
}

/// α ⊑ β.
#[derive(Clone, Copy, Debug)]
struct Adjacency {
    below: DimVar,
    above: DimVar,
}

#[derive(Clone, Debug, Default)]
struct DimBounds {
    lower: Option<Lower>,
    above: Vec<usize>,
    below: Vec<usize>,
    /// Place in the topological order; none without adjacencies.
    order: Option<i64>,
}

#[derive(Clone, Debug, Default)]
struct RowBounds {
    /// Caps R ⊑ ⟨ρ⟩.
    caps: Vec<usize>,
    /// Caps ⟨ρ⟩ ⊑ ⟨σ⟩ on another variable: adjacencies, stored for both.
    adjacent: Vec<usize>,
    /// Deferred equations.
    deferred: Vec<usize>,
}

/// The bound store.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    dims: Vec<DimBounds>,
    rows: Vec<RowBounds>,
    adjacencies: Vec<Entry<Adjacency>>,
    known: HashMap<(DimVar, DimVar), usize>,
    caps: Vec<Entry<Constraint>>,
    deferred: Vec<Entry<Constraint>>,
    first: i64,
    last: i64,
}

/// The slot of a variable, made if it is new.
fn slot<T: Default>(slots: &mut Vec<T>, id: u32) -> &mut T {
    let index = id as usize;
    if slots.len() <= index {
        slots.resize_with(index + 1, T::default);
    }
    &mut slots[index]
}

impl Bounds {
    /// lb(α).
    #[must_use]
    pub fn lower(&self, a: DimVar) -> Option<Lower> {
        self.dims.get(a.0 as usize)?.lower
    }

    fn order(&self, a: DimVar) -> Option<i64> {
        self.dims.get(a.0 as usize)?.order
    }

    /// The live adjacencies of α on one side.
    fn edges(&self, a: DimVar, upwards: bool) -> impl Iterator<Item = &Entry<Adjacency>> {
        let bounds = self.dims.get(a.0 as usize);
        let list = bounds.map_or(&[][..], |b| if upwards { &b.above } else { &b.below });
        list.iter().map(|&e| &self.adjacencies[e]).filter(|e| e.alive)
    }

    /// The stored adjacencies of a path from ⊑ … ⊑ to, if there is one.
    #[must_use]
    pub fn path(&self, from: DimVar, to: DimVar) -> Option<Vec<By>> {
        let (lowest, highest) = (self.order(from)?, self.order(to)?);
        if lowest > highest {
            return None;
        }
        let mut came: BTreeMap<DimVar, (DimVar, By)> = BTreeMap::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for edge in self.edges(at, true) {
                let next = edge.it.above;
                if self.order(next).is_some_and(|o| o <= highest) && next != from && !came.contains_key(&next) {
                    came.insert(next, (at, edge.by));
                    open.push(next);
                }
            }
        }
        let (mut edges, mut at) = (Vec::new(), to);
        while at != from {
            let (previous, by) = came.get(&at)?;
            edges.push(*by);
            at = *previous;
        }
        edges.reverse();
        Some(edges)
    }

    /// Stores d ⊑ α or α ⊑ β.
    pub(super) fn add_dim(&mut self, s: DimTerm, t: DimTerm, by: By) {
        match (s, t) {
            (DimTerm::Dim(crate::dim::Dim::Atom(atom)), DimTerm::Var(a)) => {
                let lower = &mut slot(&mut self.dims, a.0).lower;
                if lower.is_none_or(|known| known.by.tainted) {
                    *lower = Some(Lower { atom, by });
                }
            }
            (DimTerm::Var(a), DimTerm::Var(b)) => self.add_adjacency(a, b, by),
            _ => {}
        }
    }

    fn add_adjacency(&mut self, below: DimVar, above: DimVar, by: By) {
        if let Some(&edge) = self.known.get(&(below, above)) {
            let known = &mut self.adjacencies[edge];
            if known.by.tainted && !by.tainted {
                known.by = by;
            }
            return;
        }
        self.known.insert((below, above), self.adjacencies.len());
        self.place(below, above);
        let edge = self.adjacencies.len();
        self.adjacencies.push(Entry { it: Adjacency { below, above }, by, alive: true });
        slot(&mut self.dims, below.0).above.push(edge);
        slot(&mut self.dims, above.0).below.push(edge);
    }

    /// Keeps the order topological for a new edge that closes no cycle.
    fn place(&mut self, below: DimVar, above: DimVar) {
        match (self.order(below), self.order(above)) {
            (Some(b), Some(a)) if b < a => {}
            (Some(b), Some(a)) => self.reorder(below, b, above, a),
            (Some(_), None) => self.set_last(above),
            (None, Some(_)) => {
                self.first -= 1;
                slot(&mut self.dims, below.0).order = Some(self.first);
            }
            (None, None) => {
                self.set_last(below);
                self.set_last(above);
            }
        }
    }

    fn set_last(&mut self, a: DimVar) {
        self.last += 1;
        slot(&mut self.dims, a.0).order = Some(self.last);
    }

    /// Pearce and Kelly: what is below `below` and what is above `above`, within the affected
    /// stretch of the order, change places.
    fn reorder(&mut self, below: DimVar, highest: i64, above: DimVar, lowest: i64) {
        let affected = lowest..=highest;
        let mut moved = self.within(below, false, &affected);
        moved.extend(self.within(above, true, &affected));
        let mut places: Vec<i64> = moved.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        for (place, (_, var)) in places.into_iter().zip(moved) {
            slot(&mut self.dims, var.0).order = Some(place);
        }
    }

    /// What is reachable on one side within a stretch of the order, in order.
    fn within(&self, start: DimVar, upwards: bool, stretch: &std::ops::RangeInclusive<i64>) -> Vec<(i64, DimVar)> {
        let mut seen = HashSet::from([start]);
        let (mut open, mut found) = (vec![start], Vec::new());
        while let Some(at) = open.pop() {
            found.extend(self.order(at).map(|o| (o, at)));
            for edge in self.edges(at, upwards) {
                let next = if upwards { edge.it.above } else { edge.it.below };
                if self.order(next).is_some_and(|o| stretch.contains(&o)) && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Stores R ⊑ ⟨ρ⟩.
    pub(super) fn add_cap(&mut self, cap: Constraint, by: By) {
        let Constraint::RowLe(res, op) = &cap else { return };
        let id = self.caps.len();
        if let Some(var) = op.var {
            slot(&mut self.rows, var.0).caps.push(id);
        }
        if let Some(var) = bare(res) {
            slot(&mut self.rows, var.0).adjacent.push(id);
        }
        self.caps.push(Entry { it: cap, by, alive: true });
    }

    /// Stores an equation until one of its row variables is bound.
    pub(super) fn add_deferred(&mut self, equation: Constraint, by: By) {
        let id = self.deferred.len();
        for var in equation.vars() {
            if let Var::Row(RowVar(row)) = var {
                slot(&mut self.rows, row).deferred.push(id);
            }
        }
        self.deferred.push(Entry { it: equation, by, alive: true });
    }

    /// Def. 4.1: takes out every bound and adjacency stored for x, in the order it was stored.
    pub(super) fn take(&mut self, var: Var) -> Vec<(Constraint, By)> {
        let mut out = Vec::new();
        match var {
            Var::Dim(a) => {
                let Some(bounds) = self.dims.get_mut(a.0 as usize).map(std::mem::take) else { return out };
                if let Some(Lower { atom, by }) = bounds.lower {
                    out.push((Constraint::DimLe(DimTerm::Dim(crate::dim::Dim::Atom(atom)), a.into()), by));
                }
                for edge in bounds.above.into_iter().chain(bounds.below) {
                    let Entry { it: Adjacency { below, above }, by, alive } = &mut self.adjacencies[edge];
                    if std::mem::take(alive) {
                        out.push((Constraint::DimLe((*below).into(), (*above).into()), *by));
                    }
                }
            }
            Var::Row(r) => {
                let Some(bounds) = self.rows.get_mut(r.0 as usize).map(std::mem::take) else { return out };
                for (list, ids) in
                    [(&mut self.caps, [bounds.caps, bounds.adjacent].concat()), (&mut self.deferred, bounds.deferred)]
                {
                    for id in ids {
                        let entry = &mut list[id];
                        if std::mem::take(&mut entry.alive) {
                            out.push((entry.it.clone(), entry.by));
                        }
                    }
                }
            }
        }
        out
    }

    /// Every atom lower bound, oldest variable first.
    pub fn lowers(&self) -> impl Iterator<Item = (DimVar, Lower)> + '_ {
        let indexed = self.dims.iter().enumerate();
        indexed.filter_map(|(i, b)| Some((DimVar(u32::try_from(i).ok()?), b.lower?)))
    }

    /// Every adjacency α ⊑ β, in the order stored.
    pub fn adjacencies(&self) -> impl Iterator<Item = (DimVar, DimVar, By)> + '_ {
        self.adjacencies.iter().filter(|e| e.alive).map(|e| (e.it.below, e.it.above, e.by))
    }

    /// Every cap R ⊑ ⟨ρ⟩, in the order stored. Bindings made since are not applied to R.
    pub fn caps(&self) -> impl Iterator<Item = (&Constraint, By)> + '_ {
        self.caps.iter().filter(|e| e.alive).map(|e| (&e.it, e.by))
    }

    /// Every deferred equation, in the order stored. Bindings made since are not applied.
    pub fn deferred(&self) -> impl Iterator<Item = (&Constraint, By)> + '_ {
        self.deferred.iter().filter(|e| e.alive).map(|e| (&e.it, e.by))
    }
}
