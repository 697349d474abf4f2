//! The deferred equations of the store: R₁ ≈ R₂ with an open row on both sides, kept until one of the two is bound.

use super::super::list::{Entry, Link, List, Short, short, slot, stored};
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::rules::By;
use lozenge_calculus::term::{RowTerm, RowVar};

/// Deferred equations, in the order stored.
///
/// An equation is in a list for each of its sides, which are numbered one after the other: side 0 or 1 of entry n is
/// 2n or 2n + 1, and `next[side]` the next side of the same variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    entries: Vec<Entry<Constraint>>,
    /// The sides of each row variable, by its number. Where nothing is deferred there are none.
    of: Vec<List>,
    /// What looking at all that is deferred costs: each equation and the axes that it asks for.
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
        let vars = [r1.var, r2.var.filter(|v| r1.var != Some(*v))];
        let equation = Constraint::RowEq(r1, r2);
        self.looks += looks(&equation);
        let id = stored(&mut self.entries, equation, by);
        for (side, RowVar(number)) in (2 * id..).zip(vars).filter_map(|(side, var)| Some((side, var?))) {
            let last = std::mem::replace(&mut slot(&mut self.of, number, List::default).last, side);
            match self.entries.get_mut(last as usize / 2) {
                Some(entry) => entry.next[last as usize % 2] = side,
                None => self.of[number as usize].first = side,
            }
        }
    }

    /// Takes out the equations of ρ, in the order stored.
    pub(super) fn take(&mut self, RowVar(number): RowVar, mut give: impl FnMut(Constraint, Short)) {
        let Some(list) = self.of.get_mut(number as usize).map(std::mem::take) else { return };
        let mut side = list.first;
        while let Some(entry) = self.entries.get_mut(side as usize / 2) {
            if let Some(equation) = entry.it.take_if(|_| !mutant::is(Mutant::TakeDeferred)) {
                self.looks -= looks(&equation);
                give(equation, entry.by);
            }
            side = entry.next[side as usize % 2];
        }
    }
    /// How many were ever stored: the number of the next.
    pub(super) fn next(&self) -> Link {
        short(self.entries.len())
    }

    /// The equation with this number, if it is still deferred.
    pub(super) fn get(&self, id: Link) -> Option<&Constraint> {
        self.entries.get(id as usize)?.it.as_ref()
    }

    pub(super) fn looks(&self) -> u64 {
        debug_assert_eq!(self.looks, self.iter().map(|(equation, _)| looks(equation)).sum::<u64>());
        self.looks
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Constraint, By)> + '_ {
        self.entries.iter().filter_map(|e| Some((e.it.as_ref()?, e.by.by())))
    }
}

/// What it costs to look at an equation: itself, and its axes. They stay as many for as long as it is deferred.
fn looks(equation: &Constraint) -> u64 {
    1 + equation.axes()
}
