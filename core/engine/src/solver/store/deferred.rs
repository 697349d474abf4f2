//! The deferred equations of the store: R₁ ≈ R₂ with an open row on both sides, kept until one of the two is bound.

use super::super::list::{Entry, Link, List, Short, short, slot, stored};
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::internal::broken;
use lozenge_calculus::rules::By;
use lozenge_calculus::term::{Flank, RowTerm, RowVar};

/// s·⟨x⟩ ≈ ⟨y⟩·t, without the flanks that are empty: what faces each other at the outer edges is no longer there, and a
/// variable with nothing beside it would be bound.
#[derive(Clone, Debug)]
struct Crossed {
    s: Flank,
    x: RowVar,
    y: RowVar,
    t: Flank,
    /// Was it written as ⟨y⟩·t ≈ s·⟨x⟩?
    turned: bool,
}

impl Crossed {
    fn new(r1: RowTerm, r2: RowTerm) -> Self {
        let turned = r1.lead.is_empty();
        match if turned { (r2, r1) } else { (r1, r2) } {
            (RowTerm { lead: s, var: Some(x), trail: none }, RowTerm { lead: nor, var: Some(y), trail: t })
                if none.is_empty() && nor.is_empty() =>
            {
                Crossed { s, x, y, t, turned }
            }
            (r1, r2) => broken("deferred equations cross (Def. 4.3)", format!("{r1:?} ≈ {r2:?}")),
        }
    }

    fn equation(self) -> Constraint {
        let Crossed { s, x, y, t, turned } = self;
        let front = RowTerm { lead: s, var: Some(x), trail: Flank::default() };
        let back = RowTerm { lead: Flank::default(), var: Some(y), trail: t };
        if turned { Constraint::RowEq(back, front) } else { Constraint::RowEq(front, back) }
    }

    /// |s| and |t|. They stay as many for as long as it is deferred.
    fn demand(&self) -> usize {
        self.s.len() + self.t.len()
    }

    /// What it costs to look at it: itself, and its axes.
    fn looks(&self) -> u64 {
        1 + self.demand() as u64
    }
}

/// Deferred equations, in the order stored.
///
/// An equation is in a list for each of its variables. Their places are numbered one after the other: x and y of entry n
/// are 2n and 2n + 1, and `next[0]` and `next[1]` lead to the next place of the same variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    entries: Vec<Entry<Crossed>>,
    /// The places of each row variable, by its number. Where nothing is deferred there are none.
    of: Vec<List>,
    /// What looking at all that is deferred costs.
    looks: u64,
}

impl Deferred {
    /// Makes room for so many, before the first.
    pub(super) fn reserve(&mut self, room: usize) {
        if self.entries.is_empty() {
            self.entries.reserve(room);
        }
    }

    /// Stores R₁ ≈ R₂.
    pub(super) fn add(&mut self, r1: RowTerm, r2: RowTerm, by: Short) {
        let crossed = Crossed::new(r1, r2);
        let vars = [Some(crossed.x), Some(crossed.y).filter(|y| *y != crossed.x)];
        self.looks += crossed.looks();
        let id = stored(&mut self.entries, crossed, by);
        for (place, RowVar(number)) in (2 * id..).zip(vars).filter_map(|(place, var)| Some((place, var?))) {
            let last = std::mem::replace(&mut slot(&mut self.of, number, List::default).last, place);
            match self.entries.get_mut(last as usize / 2) {
                Some(entry) => entry.next[last as usize % 2] = place,
                None => self.of[number as usize].first = place,
            }
        }
    }

    /// Takes out the equations of ρ, in the order stored.
    pub(super) fn take(&mut self, RowVar(number): RowVar, mut give: impl FnMut(Constraint, Short)) {
        let Some(list) = self.of.get_mut(number as usize).map(std::mem::take) else { return };
        let mut place = list.first;
        while let Some(entry) = self.entries.get_mut(place as usize / 2) {
            if let Some(crossed) = entry.it.take_if(|_| !mutant::is(Mutant::TakeDeferred)) {
                self.looks -= crossed.looks();
                give(crossed.equation(), entry.by);
            }
            place = entry.next[place as usize % 2];
        }
    }

    /// How many were ever stored: the number of the next.
    pub(super) fn next(&self) -> Link {
        short(self.entries.len())
    }

    fn get(&self, id: Link) -> Option<&Crossed> {
        self.entries.get(id as usize)?.it.as_ref()
    }

    /// The equation with this number, if it is still deferred; and the axes that it asks for.
    pub(super) fn equation(&self, id: Link) -> Option<Constraint> {
        self.get(id).cloned().map(Crossed::equation)
    }

    pub(super) fn demand(&self, id: Link) -> Option<usize> {
        self.get(id).map(Crossed::demand)
    }

    pub(super) fn looks(&self) -> u64 {
        let all = self.entries.iter().filter_map(|e| e.it.as_ref());
        debug_assert_eq!(self.looks, all.map(Crossed::looks).sum::<u64>());
        self.looks
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Constraint, By)> + '_ {
        self.entries.iter().filter_map(|e| Some((e.it.clone()?.equation(), e.by.by())))
    }
}
