//! The bound store B of Def. 4.1.
//!
//! A dimension variable has at most one atom below it and adjacencies α ⊑ β on both sides; a row
//! variable has caps R ⊑ ⟨ρ⟩ and takes part in deferred equations. Adjacencies are kept in a
//! topological order (`order.rs`): most of the time DI-antisym sees from it that there is no cycle.

mod caps;
mod deferred;
mod touch;

pub(super) use caps::{Around, Cap};

use super::ends::{Ends, Ways};
use super::line::Line;
use super::list::{END, Entry, Link, List, Short, slot, stored};
use super::table::Table;
use super::waiting::Waiting;
use crate::mutant::{self, Mutant};
use caps::Caps;
use deferred::Deferred;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Atom;
use lozenge_calculus::rules::{Bound, By, Lower, Store};
use lozenge_calculus::term::{DimVar, RowTerm, RowVar, Var};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// α ⊑ β.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjacency {
    pub(super) below: DimVar,
    pub(super) above: DimVar,
}

/// Is an adjacency stored, and if not, must it go into the table?
enum Known {
    At(Link),
    Not,
    Busy,
}

/// The threads of adjacencies: those that lead up from α, and those that lead down.
pub(super) const UP: usize = 0;
pub(super) const DOWN: usize = 1;

#[derive(Clone, Debug, Default)]
pub(super) struct DimBounds {
    lower: Option<(Atom, Short)>,
    /// Adjacencies upwards and downwards.
    edges: [List; 2],
}

/// How many adjacencies of a variable are looked through before the table is asked.
const FEW: usize = 8;

/// The bound store.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub(super) dims: Vec<DimBounds>,
    pub(super) adjacencies: Vec<Entry<Adjacency>>,
    /// How many of the live ones are tainted, and those that were when they were stored.
    tainted: usize,
    pub(super) doubtful: Vec<Link>,
    /// Paths through adjacencies, as DI-antisym found them, and what it searches with. It only reads the store, and finds
    /// them all the same.
    pub(super) ways: RefCell<Ways>,
    pub(super) ends: RefCell<Ends>,
    /// Are the adjacencies of a path looked at by someone?
    pub(super) in_full: bool,
    /// The adjacencies that came when both sides had [`FEW`] already.
    busy: Table<(DimVar, DimVar), Link>,
    caps: Caps,
    deferred: Deferred,
    /// How many variables there may be.
    room: usize,
    /// Are adjacencies kept in a topological order? And that order.
    ordered: bool,
    pub(super) line: Line,
    /// Variables with a new atom below, and the first new adjacency, since saturation looked.
    risen: Vec<DimVar>,
    looked: usize,
    /// How many atoms were ever stored.
    lowers: usize,
    /// How many adjacencies have been walked since it was asked. Rules that only read the store walk them too.
    pub(super) walked: Cell<u64>,
    /// How many of them in all to keep the order, and how many may be before it is drawn anew.
    pub(super) strayed: u64,
    pub(super) patience: u64,
}

impl Bounds {
    /// An empty store, with room for the bounds of so many variables. Adjacencies are kept in order where DI-antisym
    /// sees to it that they have no cycle.
    #[must_use]
    pub fn new(room: usize, ordered: bool) -> Self {
        let (dims, caps) = (Vec::with_capacity(room), Caps::new(room));
        Bounds { dims, caps, room, ordered, ..Bounds::default() }
    }

    /// How many adjacencies have been walked, and places given anew, since this was last asked: what looking for paths
    /// and keeping the order cost.
    pub fn take_looks(&mut self) -> u64 {
        self.walked.take() + self.line.take_spread()
    }

    /// The first adjacency of α on one side, live or not.
    pub(super) fn first_edge(&self, a: DimVar, thread: usize) -> Link {
        self.dims.get(a.0 as usize).map_or(END, |b| b.edges[thread].first)
    }

    /// The live adjacencies of α on one side.
    pub(super) fn edges(&self, a: DimVar, thread: usize) -> impl Iterator<Item = (Adjacency, Short)> {
        let list = self.dims.get(a.0 as usize).map_or(List::default(), |b| b.edges[thread]);
        let entries = list.iter(&self.adjacencies, thread).inspect(|_| self.walked.set(self.walked.get() + 1));
        entries.filter_map(|e| Some((e.it?, e.by)))
    }

    /// The variables stored directly below α, and by what.
    pub fn below(&self, a: DimVar) -> impl Iterator<Item = (DimVar, By)> {
        self.edges(a, DOWN).map(|(edge, by)| (edge.below, by.by()))
    }

    /// Stores a bound, and takes its rows.
    pub(super) fn add(&mut self, bound: &mut Bound, by: By) {
        let by = Short::new(by);
        match bound {
            Bound::Lower(atom, a) => self.add_lower(*atom, *a, by),
            Bound::Adjacency(a, b) => self.add_adjacency(*a, *b, by),
            Bound::Cap(res, on) => self.add_cap(Cow::Owned(std::mem::take(res)), *on, by),
            Bound::Deferred(r1, r2) => {
                self.deferred.reserve(self.room / 4);
                self.deferred.add(std::mem::take(r1), std::mem::take(r2), by);
            }
        }
    }

    fn add_lower(&mut self, atom: Atom, a: DimVar, by: Short) {
        let lower = &mut slot(&mut self.dims, a.0, DimBounds::default).lower;
        if lower.is_none_or(|(_, known)| known.tainted()) {
            *lower = Some((atom, by));
            self.risen.push(a);
            self.lowers += 1;
        }
    }

    fn add_adjacency(&mut self, below: DimVar, above: DimVar, by: Short) {
        let known = self.adjacency(below, above);
        if let Known::At(edge) = known {
            let known = &mut self.adjacencies[edge as usize];
            if known.by.tainted() && !by.tainted() && !mutant::is(Mutant::FirmerBy) {
                known.by = by;
                self.firmer();
            }
            return;
        }
        if self.adjacencies.is_empty() {
            // Many systems have about one for each variable: a table that grows is copied, and for a while there twice.
            self.adjacencies.reserve(self.room / 2);
            self.line.reserve(if self.ordered { self.room } else { 0 });
        }
        if self.ordered {
            self.place(below, above);
        }
        let edge = stored(&mut self.adjacencies, Adjacency { below, above }, by);
        if by.tainted() {
            self.tainted += 1;
            self.doubtful.push(edge);
        }
        if let Known::Busy = known {
            self.busy.insert((below, above), edge);
        }
        for (var, thread) in [(below, UP), (above, DOWN)] {
            slot(&mut self.dims, var.0, DimBounds::default).edges[thread].push(&mut self.adjacencies, thread, edge);
        }
    }

    /// A tainted adjacency is gone, or no longer tainted.
    fn firmer(&mut self) {
        self.tainted -= 1;
        if self.tainted == 0 {
            self.doubtful.clear();
        }
    }

    /// Looks for α ⊑ β. Lists grow at the end and lose only what is dead at the front, so an adjacency that came when one of
    /// the two had few is among its first.
    fn adjacency(&self, below: DimVar, above: DimVar) -> Known {
        for (var, thread) in [(below, UP), (above, DOWN)] {
            let mut link = self.first_edge(var, thread);
            for _ in 0..FEW {
                let Some(entry) = self.adjacencies.get(link as usize) else { return Known::Not };
                if matches!(entry.it, Some(it) if it.below == below && it.above == above) {
                    return Known::At(link);
                }
                link = entry.next[thread];
            }
        }
        if mutant::is(Mutant::BusyTable) {
            return Known::Busy;
        }
        self.busy.get(&(below, above)).map_or(Known::Busy, |edge| Known::At(*edge))
    }

    /// Stores R ⊑ ⟨ρ⟩.
    pub(super) fn add_cap(&mut self, res: Cow<'_, RowTerm>, on: RowVar, by: Short) {
        self.caps.add(res, on, by);
    }

    /// Def. 4.1: takes out every bound and adjacency stored for α, in the order it was stored.
    pub(super) fn take_dim(&mut self, a: DimVar, mut give: impl FnMut(Waiting)) {
        let Some(bounds) = self.dims.get_mut(a.0 as usize).map(std::mem::take) else { return };
        if let Some((atom, by)) = bounds.lower {
            give(Waiting::new(Bound::Lower(atom, a).constraint(), by.node(), by.tainted()));
        }
        self.ways.get_mut().leave(a);
        self.line.remove(a);
        for thread in [UP, DOWN] {
            if thread == DOWN && mutant::is(Mutant::TakeBelow) {
                continue;
            }
            self.take_edges(bounds.edges[thread], thread, &mut give);
        }
    }

    /// The same for ρ.
    pub(super) fn take_row(&mut self, r: RowVar, mut give: impl FnMut(Waiting)) {
        self.caps.take(r, |cap, by| give(Waiting::Cap(cap, by)));
        self.deferred.take(r, |equation, by| give(Waiting::new(equation, by.node(), by.tainted())));
    }

    /// Takes out the adjacencies of a variable on one side. They stay in the lists of their other sides, but for those
    /// that are first there: a variable with many neighbours is asked for its first ones again and again.
    fn take_edges(&mut self, list: List, thread: usize, give: &mut impl FnMut(Waiting)) {
        let mut link = list.first;
        while let Some(entry) = self.adjacencies.get_mut(link as usize) {
            let (this, by) = (link, entry.by);
            link = entry.next[thread];
            let Some(Adjacency { below, above }) = entry.it.take() else { continue };
            if by.tainted() {
                self.firmer();
            }
            let Bounds { adjacencies, dims, .. } = self;
            give(Waiting::new(Constraint::DimLe(below.into(), above.into()), by.node(), by.tainted()));
            let (far, back) = if thread == UP { (above, DOWN) } else { (below, UP) };
            if let Some(list) = dims.get_mut(far.0 as usize).map(|b| &mut b.edges[back]).filter(|l| l.first == this) {
                list.skip_dead(adjacencies, back);
            }
        }
    }

    /// The adjacencies that saturation has not looked at with the atoms that are below now, in the order
    /// stored: those of variables with a new atom below, and those that are new.
    pub fn unseen(&mut self) -> Vec<(DimVar, DimVar, By)> {
        let new = std::mem::replace(&mut self.looked, self.adjacencies.len())..self.adjacencies.len();
        let mut risen: Vec<usize> = Vec::new();
        for a in std::mem::take(&mut self.risen) {
            if mutant::is(Mutant::UnseenRisen) {
                continue;
            }
            let mut link = self.first_edge(a, UP) as usize;
            while let Some(entry) = self.adjacencies.get(link) {
                if !new.contains(&link) {
                    risen.push(link);
                }
                link = entry.next[UP] as usize;
            }
        }
        risen.sort_unstable();
        risen.dedup();
        let entries = risen.into_iter().chain(new).map(|e| &self.adjacencies[e]);
        entries.filter_map(|e| e.it.map(|it| (it.below, it.above, e.by.by()))).collect()
    }

    /// Every atom lower bound, oldest variable first.
    pub fn lowers(&self) -> impl Iterator<Item = (DimVar, Atom)> + '_ {
        let indexed = self.dims.iter().enumerate();
        indexed.filter_map(|(i, b)| Some((DimVar(u32::try_from(i).ok()?), b.lower?.0)))
    }

    /// Every adjacency α ⊑ β, in the order stored.
    pub fn adjacencies(&self) -> impl Iterator<Item = (DimVar, DimVar, By)> + '_ {
        self.adjacencies.iter().filter_map(|e| e.it.map(|it| (it.below, it.above, e.by.by())))
    }

    /// Every cap R ⊑ ⟨ρ⟩, as R and ρ, in the order stored. Bindings made since are not applied to R.
    pub fn caps(&self) -> impl Iterator<Item = (Cow<'_, RowTerm>, RowVar)> + '_ {
        self.caps.iter()
    }

    /// The caps R on ρ, in the order stored. Bindings made since are not applied.
    pub fn caps_on(&self, r: RowVar) -> impl Iterator<Item = Cow<'_, RowTerm>> + '_ {
        self.caps.on(r)
    }

    /// Everything stored about rows, as constraints: caps, then deferred equations.
    pub fn row_constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        let caps = self.caps().map(|(res, on)| Constraint::RowLe(res.into_owned(), on.into()));
        caps.chain(self.deferred().map(|(equation, _)| equation))
    }

    /// Every deferred equation, in the order stored. Bindings made since are not applied.
    pub fn deferred(&self) -> impl Iterator<Item = (Constraint, By)> + '_ {
        self.deferred.iter()
    }

    /// Was nothing stored for a variable since it was there, but for deferred equations?
    pub(super) fn has_none(&self, var: Var) -> bool {
        match var {
            Var::Dim(v) => self
                .dims
                .get(v.0 as usize)
                .is_none_or(|b| b.lower.is_none() && b.edges.iter().all(|list| list.first == END)),
            Var::Row(v) => self.caps.has_none(v),
        }
    }

    /// The caps that come back when ρ is bound, in their order.
    pub(super) fn around(&self, var: RowVar) -> Vec<Around> {
        self.caps.around(var)
    }

    /// Is an equation deferred?
    #[must_use]
    pub fn has_deferred(&self) -> bool {
        self.deferred.looks() > 0
    }

    /// The deferred equation that was stored as this one, if it is still there; and the axes that it asks for.
    pub(crate) fn deferred_as(&self, id: Link) -> Option<Constraint> {
        self.deferred.equation(id)
    }

    pub(crate) fn deferred_demand(&self, id: Link) -> Option<usize> {
        self.deferred.demand(id)
    }

    /// The number of the next.
    pub(crate) fn next_deferred(&self) -> Link {
        self.deferred.next()
    }

    /// What it costs to look at every deferred equation.
    pub(crate) fn deferred_looks(&self) -> u64 {
        self.deferred.looks()
    }

    /// How many atoms were ever stored.
    #[must_use]
    pub fn lowers_stored(&self) -> usize {
        self.lowers
    }

    /// How many caps and atoms were ever stored.
    pub(crate) fn told(&self) -> (usize, usize) {
        (self.caps.count(), self.lowers)
    }
}

impl Store for Bounds {
    #[inline]
    fn lower(&self, a: DimVar) -> Option<Lower> {
        let (atom, by) = self.dims.get(a.0 as usize)?.lower?;
        Some(Lower { atom, by: by.by() })
    }

    /// Most of the time the order alone says that there is none.
    #[inline]
    fn path(&self, from: DimVar, to: DimVar) -> Option<Vec<By>> {
        let (lowest, highest) = (self.order(from)?, self.order(to)?);
        if lowest > highest { None } else { self.search(from, to, (lowest, highest)) }
    }
}
