//! The bound store B of Def. 4.1.
//!
//! A dimension variable has at most one atom below it and adjacencies α ⊑ β on both sides; a row
//! variable has caps R ⊑ ⟨ρ⟩ and takes part in deferred equations. Adjacencies are kept in a
//! topological order (Pearce and Kelly), so that DI-antisym notices a cycle without walking the graph.

use super::effect::bare;
use super::list::{END, Entry, Link, List, short, slot, stored};
use super::table::Table;
use crate::constraint::Constraint;
use crate::dim::{Atom, Dim};
use crate::internal::broken;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::num::NonZeroI64;
use thin_vec::ThinVec;

/// Where a stored bound comes from. There is one for every bound, so the numbers are short; only a derivation reads
/// them, and one with four thousand million steps fits no machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct By {
    step: u32,
    node: u32,
    /// Was it derived through a placement?
    pub tainted: bool,
}

impl By {
    /// Stored by this step, as this constraint.
    #[must_use]
    pub fn new(step: usize, node: usize, tainted: bool) -> Self {
        By { step: short(step), node: short(node), tainted }
    }

    /// The step that stored it.
    #[must_use]
    pub fn step(self) -> usize {
        self.step as usize
    }

    /// The constraint it is, for the trace.
    #[must_use]
    pub fn node(self) -> usize {
        self.node as usize
    }
}

/// lb(α) = d.
#[derive(Clone, Copy, Debug)]
pub struct Lower {
    /// The atom below α.
    pub atom: Atom,
    /// Where it comes from.
    pub by: By,
}

/// α ⊑ β.
#[derive(Clone, Copy, Debug)]
struct Adjacency {
    below: DimVar,
    above: DimVar,
}

/// Is an adjacency stored, and if not, must it go into the table?
enum Known {
    At(Link),
    Not,
    Busy,
}

/// The threads of adjacencies: those that lead up from α, and those that lead down.
const UP: usize = 0;
const DOWN: usize = 1;
/// The threads of caps R ⊑ ⟨ρ⟩: those on ρ, and those where R is ⟨ρ⟩ itself, adjacencies stored for both.
const ON: usize = 0;
const OF: usize = 1;

#[derive(Clone, Debug, Default)]
struct DimBounds {
    lower: Option<Lower>,
    /// Adjacencies upwards and downwards.
    edges: [List; 2],
    /// Place in the topological order; none without adjacencies.
    order: Option<Place>,
}

/// A place in the topological order: above 0 in the order given out, below 0 where something came before all others.
type Place = NonZeroI64;

/// R ⊑ ⟨ρ⟩.
#[derive(Clone, Debug)]
struct Cap {
    res: RowTerm,
    on: RowVar,
}

impl Cap {
    fn constraint(self) -> Constraint {
        Constraint::RowLe(self.res, self.on.into())
    }
}

/// How many adjacencies of a variable are looked through before the table is asked.
const FEW: usize = 8;

#[derive(Clone, Debug, Default)]
struct RowBounds {
    /// Caps on this variable, and caps that are this variable.
    caps: [List; 2],
    /// Deferred equations.
    deferred: ThinVec<Link>,
}

/// The bound store.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    dims: Vec<DimBounds>,
    rows: Vec<RowBounds>,
    adjacencies: Vec<Entry<Adjacency>>,
    /// The adjacencies that came when both sides had [`FEW`] already.
    busy: Table<(DimVar, DimVar), Link>,
    caps: Vec<Entry<Cap>>,
    deferred: Vec<Entry<Constraint>>,
    first: i64,
    last: i64,
    /// Variables with a new atom below, and the first new adjacency, since saturation looked.
    risen: Vec<DimVar>,
    looked: usize,
    /// How many adjacencies have been walked since it was asked. Rules that only read the store walk them too.
    walked: Cell<u64>,
}

impl Bounds {
    /// An empty store, with room for the bounds of so many variables.
    #[must_use]
    pub fn new(room: usize) -> Self {
        let (dims, rows, caps) = (Vec::with_capacity(room), Vec::with_capacity(room), Vec::with_capacity(room));
        Bounds { dims, rows, caps, ..Bounds::default() }
    }

    /// How many adjacencies have been walked since this was last asked: what looking for paths and keeping the order
    /// cost.
    pub fn take_looks(&mut self) -> u64 {
        self.walked.take()
    }

    /// lb(α).
    #[must_use]
    pub fn lower(&self, a: DimVar) -> Option<Lower> {
        self.dims.get(a.0 as usize)?.lower
    }

    fn order(&self, a: DimVar) -> Option<Place> {
        self.dims.get(a.0 as usize)?.order
    }

    /// The live adjacencies of α on one side.
    fn edges(&self, a: DimVar, thread: usize) -> impl Iterator<Item = (Adjacency, By)> {
        let list = self.dims.get(a.0 as usize).map_or(List::default(), |b| b.edges[thread]);
        let entries = list.iter(&self.adjacencies, thread).inspect(|_| self.walked.set(self.walked.get() + 1));
        entries.filter_map(|e| Some((e.it?, e.by)))
    }

    /// The stored adjacencies of a path from ⊑ … ⊑ to, if there is one.
    #[must_use]
    pub fn path(&self, from: DimVar, to: DimVar) -> Option<Vec<By>> {
        let (lowest, highest) = (self.order(from)?, self.order(to)?);
        if lowest > highest {
            return None;
        }
        let mut came: Table<DimVar, (DimVar, By)> = Table::default();
        let mut open = vec![from];
        while let Some(at) = open.pop()
            && !came.contains_key(&to)
        {
            for (edge, by) in self.edges(at, UP) {
                let next = edge.above;
                if self.order(next).is_some_and(|o| o <= highest) && next != from && !came.contains_key(&next) {
                    came.insert(next, (at, by));
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
            (DimTerm::Dim(Dim::Atom(atom)), DimTerm::Var(a)) => {
                let lower = &mut slot(&mut self.dims, a.0, DimBounds::default).lower;
                if lower.is_none_or(|known| known.by.tainted) {
                    *lower = Some(Lower { atom, by });
                    self.risen.push(a);
                }
            }
            (DimTerm::Var(a), DimTerm::Var(b)) => self.add_adjacency(a, b, by),
            (s, t) => broken("what is stored of dimensions is d ⊑ α or α ⊑ β", format!("{s:?} ⊑ {t:?}")),
        }
    }

    fn add_adjacency(&mut self, below: DimVar, above: DimVar, by: By) {
        let known = self.adjacency(below, above);
        if let Known::At(edge) = known {
            let known = &mut self.adjacencies[edge as usize];
            if known.by.tainted && !by.tainted {
                known.by = by;
            }
            return;
        }
        self.place(below, above);
        let edge = stored(&mut self.adjacencies, Adjacency { below, above }, by);
        if let Known::Busy = known {
            self.busy.insert((below, above), edge);
        }
        for (var, thread) in [(below, UP), (above, DOWN)] {
            slot(&mut self.dims, var.0, DimBounds::default).edges[thread].push(&mut self.adjacencies, thread, edge);
        }
    }

    /// Looks for α ⊑ β. Lists only grow, so an adjacency that came when one of the two had few is among its first.
    fn adjacency(&self, below: DimVar, above: DimVar) -> Known {
        for (var, thread) in [(below, UP), (above, DOWN)] {
            let mut link = self.dims.get(var.0 as usize).map_or(END, |b| b.edges[thread].first);
            for _ in 0..FEW {
                let Some(entry) = self.adjacencies.get(link as usize) else { return Known::Not };
                if matches!(entry.it, Some(it) if it.below == below && it.above == above) {
                    return Known::At(link);
                }
                link = entry.next[thread];
            }
        }
        self.busy.get(&(below, above)).map_or(Known::Busy, |edge| Known::At(*edge))
    }

    /// Keeps the order topological for a new edge that closes no cycle.
    fn place(&mut self, below: DimVar, above: DimVar) {
        match (self.order(below), self.order(above)) {
            (Some(b), Some(a)) if b < a => {}
            (Some(b), Some(a)) => self.reorder(below, b, above, a),
            (Some(_), None) => self.set_last(above),
            (None, Some(_)) => {
                self.first -= 1;
                slot(&mut self.dims, below.0, DimBounds::default).order = Place::new(self.first);
            }
            (None, None) => {
                self.set_last(below);
                self.set_last(above);
            }
        }
    }

    fn set_last(&mut self, a: DimVar) {
        self.last += 1;
        slot(&mut self.dims, a.0, DimBounds::default).order = Place::new(self.last);
    }

    /// Pearce and Kelly: what is below `below` and what is above `above`, within the affected
    /// stretch of the order, change places.
    fn reorder(&mut self, below: DimVar, highest: Place, above: DimVar, lowest: Place) {
        let affected = lowest..=highest;
        let mut moved = self.within(below, DOWN, &affected);
        moved.extend(self.within(above, UP, &affected));
        let mut places: Vec<Place> = moved.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        for (place, (_, var)) in places.into_iter().zip(moved) {
            slot(&mut self.dims, var.0, DimBounds::default).order = Some(place);
        }
    }

    /// What is reachable on one side within a stretch of the order, in order.
    fn within(&self, start: DimVar, thread: usize, stretch: &std::ops::RangeInclusive<Place>) -> Vec<(Place, DimVar)> {
        let mut seen: Table<DimVar, ()> = Table::from_iter([(start, ())]);
        let (mut open, mut found) = (vec![start], Vec::new());
        while let Some(at) = open.pop() {
            found.extend(self.order(at).map(|o| (o, at)));
            for (edge, _) in self.edges(at, thread) {
                let next = if thread == UP { edge.above } else { edge.below };
                if self.order(next).is_some_and(|o| stretch.contains(&o)) && seen.insert(next, ()).is_none() {
                    open.push(next);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Stores R ⊑ ⟨ρ⟩.
    pub(super) fn add_cap(&mut self, res: RowTerm, on: RowVar, by: By) {
        let vars = [Some(on), bare(&res)];
        let id = stored(&mut self.caps, Cap { res, on }, by);
        for (var, thread) in vars.into_iter().zip([ON, OF]) {
            if let Some(var) = var {
                slot(&mut self.rows, var.0, RowBounds::default).caps[thread].push(&mut self.caps, thread, id);
            }
        }
    }

    /// Stores R₁ ≈ R₂ until one of its row variables is bound.
    pub(super) fn add_deferred(&mut self, r1: RowTerm, r2: RowTerm, by: By) {
        let equation = Constraint::RowEq(r1, r2);
        let vars = equation.vars();
        let id = stored(&mut self.deferred, equation, by);
        for var in vars {
            if let Var::Row(RowVar(row)) = var {
                slot(&mut self.rows, row, RowBounds::default).deferred.push(id);
            }
        }
    }

    /// Def. 4.1: takes out every bound and adjacency stored for x, in the order it was stored.
    pub(super) fn take(&mut self, var: Var, mut give: impl FnMut(Constraint, By)) {
        match var {
            Var::Dim(a) => {
                let Some(bounds) = self.dims.get_mut(a.0 as usize).map(std::mem::take) else { return };
                if let Some(Lower { atom, by }) = bounds.lower {
                    give(Constraint::DimLe(DimTerm::Dim(Dim::Atom(atom)), a.into()), by);
                }
                for thread in [UP, DOWN] {
                    let le = |Adjacency { below, above }| Constraint::DimLe(below.into(), above.into());
                    bounds.edges[thread].take(&mut self.adjacencies, thread, |it, by| give(le(it), by));
                }
            }
            Var::Row(r) => {
                let Some(bounds) = self.rows.get_mut(r.0 as usize).map(std::mem::take) else { return };
                for thread in [ON, OF] {
                    bounds.caps[thread].take(&mut self.caps, thread, |cap, by| give(cap.constraint(), by));
                }
                for id in bounds.deferred {
                    let entry = &mut self.deferred[id as usize];
                    if let Some(equation) = entry.it.take() {
                        give(equation, entry.by);
                    }
                }
            }
        }
    }

    /// The adjacencies that saturation has not looked at with the atoms that are below now, in the order
    /// stored: those of variables with a new atom below, and those that are new.
    pub(crate) fn unseen(&mut self) -> Vec<(DimVar, DimVar, By)> {
        let mut edges: BTreeSet<Link> =
            (self.looked..self.adjacencies.len()).filter_map(|e| e.try_into().ok()).collect();
        for a in std::mem::take(&mut self.risen) {
            let mut link = self.dims.get(a.0 as usize).map_or(END, |b| b.edges[UP].first);
            while let Some(entry) = self.adjacencies.get(link as usize) {
                edges.insert(link);
                link = entry.next[UP];
            }
        }
        self.looked = self.adjacencies.len();
        let entries = edges.into_iter().map(|e| &self.adjacencies[e as usize]);
        entries.filter_map(|e| e.it.map(|it| (it.below, it.above, e.by))).collect()
    }

    /// Every atom lower bound, oldest variable first.
    pub fn lowers(&self) -> impl Iterator<Item = (DimVar, Lower)> + '_ {
        let indexed = self.dims.iter().enumerate();
        indexed.filter_map(|(i, b)| Some((DimVar(u32::try_from(i).ok()?), b.lower?)))
    }

    /// Every adjacency α ⊑ β, in the order stored.
    pub fn adjacencies(&self) -> impl Iterator<Item = (DimVar, DimVar, By)> + '_ {
        self.adjacencies.iter().filter_map(|e| e.it.map(|it| (it.below, it.above, e.by)))
    }

    /// Every cap R ⊑ ⟨ρ⟩, as R and ρ, in the order stored. Bindings made since are not applied to R.
    pub fn caps(&self) -> impl Iterator<Item = (&RowTerm, RowVar)> + '_ {
        self.caps.iter().filter_map(|e| e.it.as_ref().map(|cap| (&cap.res, cap.on)))
    }

    /// The caps R on ρ, in the order stored. Bindings made since are not applied.
    pub(crate) fn caps_on(&self, RowVar(id): RowVar) -> impl Iterator<Item = &RowTerm> + '_ {
        let list = self.rows.get(id as usize).map_or(List::default(), |b| b.caps[ON]);
        list.iter(&self.caps, ON).filter_map(|e| e.it.as_ref().map(|cap| &cap.res))
    }

    /// Everything stored about rows, as constraints: caps, then deferred equations.
    pub fn row_constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        let caps = self.caps().map(|(res, on)| Constraint::RowLe(res.clone(), on.into()));
        caps.chain(self.deferred().map(|(equation, _)| equation.clone()))
    }

    /// Every deferred equation, in the order stored. Bindings made since are not applied.
    pub fn deferred(&self) -> impl Iterator<Item = (&Constraint, By)> + '_ {
        self.deferred.iter().filter_map(|e| Some((e.it.as_ref()?, e.by)))
    }
}
