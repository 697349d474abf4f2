//! The caps of the store: R ⊑ ⟨ρ⟩, kept until ρ is bound, or R where it is a variable.

use super::super::list::{END, Entry, List, Short, short, slot, stored};
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::internal::broken;
use lozenge_calculus::rules::By;
use lozenge_calculus::term::{RowTerm, RowVar};
use std::borrow::Cow;
use std::num::NonZeroU32;

/// R ⊑ ⟨ρ⟩, taken out.
#[derive(Clone, Debug)]
pub(in super::super) enum Cap {
    Bare { of: RowVar, on: RowVar },
    Row { res: Box<RowTerm>, on: RowVar },
}

impl Cap {
    /// R and ρ.
    pub(in super::super) fn into_rows(self) -> (RowTerm, RowVar) {
        match self {
            Cap::Bare { of, on } => (of.into(), on),
            Cap::Row { res, on } => (*res, on),
        }
    }

    /// R, if it is a variable, and ρ.
    pub(in super::super) fn of(&self) -> Option<RowVar> {
        match self {
            Cap::Bare { of, .. } => Some(*of),
            Cap::Row { .. } => None,
        }
    }

    pub(in super::super) fn on(&self) -> RowVar {
        let (Cap::Bare { on, .. } | Cap::Row { on, .. }) = self;
        *on
    }

    pub(in super::super) fn constraint(self) -> Constraint {
        let (res, on) = self.into_rows();
        Constraint::RowLe(res, on.into())
    }
}

/// R ⊑ ⟨ρ⟩, looked at: with the step that stored it, and does it rest on a placement?
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct Around {
    pub(in super::super) res: RowTerm,
    pub(in super::super) on: RowVar,
    pub(in super::super) step: usize,
    pub(in super::super) tainted: bool,
}

/// R ⊑ ⟨ρ⟩ in the store. Most R are variables, and there is one for every inequality between rows.
#[derive(Clone, Copy, Debug)]
struct Stored {
    /// Twice the number of a variable, or twice a place among the rows and one more; and another one more.
    res: NonZeroU32,
    on: RowVar,
}

const _: () = assert!(size_of::<Entry<Stored>>() == 24);

/// What [`Stored`] says of R.
enum Res {
    Var(RowVar),
    Row(usize),
}

impl Stored {
    #[inline]
    fn new(number: u32, is_row: bool, on: RowVar) -> Self {
        let code = 2 * u64::from(number) + u64::from(is_row) + 1;
        Stored { res: u32::try_from(code).ok().and_then(NonZeroU32::new).unwrap_or_else(|| too_many(number)), on }
    }

    #[inline]
    fn res(self) -> Res {
        let code = self.res.get() - 1;
        if code.is_multiple_of(2) { Res::Var(RowVar(code / 2)) } else { Res::Row((code / 2) as usize) }
    }
}

/// The threads of caps R ⊑ ⟨ρ⟩: those on ρ, and those where R is ⟨ρ⟩ itself, adjacencies stored for both.
const ON: usize = 0;
const OF: usize = 1;

/// Caps, in the order stored.
#[derive(Clone, Debug, Default)]
pub(super) struct Caps {
    entries: Vec<Entry<Stored>>,
    /// The caps on each row variable, and the caps that are this variable, by its number.
    lists: Vec<[List; 2]>,
    /// The rows that are no variables, and the places among them that are free.
    rows: Vec<RowTerm>,
    free: Vec<u32>,
}

impl Caps {
    /// None, with room for those of so many variables.
    pub(super) fn new(room: usize) -> Self {
        Caps { entries: Vec::with_capacity(room), lists: Vec::with_capacity(room), ..Caps::default() }
    }

    /// How many were ever stored.
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Was no cap on ρ or of ⟨ρ⟩ stored that ρ has not taken out?
    pub(super) fn has_none(&self, RowVar(number): RowVar) -> bool {
        self.lists.get(number as usize).is_none_or(|lists| lists.iter().all(|list| list.first == END))
    }

    /// Stores R ⊑ ⟨ρ⟩.
    pub(super) fn add(&mut self, res: Cow<'_, RowTerm>, on: RowVar, by: Short) {
        let of = res.bare();
        let it = match of {
            Some(RowVar(number)) => Stored::new(number, false, on),
            None => Stored::new(self.keep(res.into_owned()), true, on),
        };
        let id = stored(&mut self.entries, it, by);
        for (var, thread) in [Some(on), of].into_iter().zip([ON, OF]) {
            if let Some(RowVar(number)) = var {
                slot(&mut self.lists, number, Default::default)[thread].push(&mut self.entries, thread, id);
            }
        }
    }

    /// Keeps a row, and says where.
    fn keep(&mut self, row: RowTerm) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.rows[place as usize] = row;
                place
            }
            None => {
                self.rows.push(row);
                short(self.rows.len() - 1)
            }
        }
    }

    /// Takes out the caps on ρ, then those that are ⟨ρ⟩, in the order stored.
    pub(super) fn take(&mut self, RowVar(number): RowVar, mut give: impl FnMut(Cap, Short)) {
        let Some(lists) = self.lists.get_mut(number as usize).map(std::mem::take) else { return };
        let Caps { entries, rows, free, .. } = self;
        for thread in [ON, OF] {
            if thread == OF && mutant::is(Mutant::TakeBare) {
                continue;
            }
            lists[thread].take(entries, thread, |stored: Stored, by| {
                let cap = match stored.res() {
                    Res::Var(of) => Cap::Bare { of, on: stored.on },
                    Res::Row(place) => {
                        free.push(short(place));
                        Cap::Row { res: Box::new(std::mem::take(&mut rows[place])), on: stored.on }
                    }
                };
                give(cap, by);
            });
        }
    }

    /// The caps on ρ, then those that are ⟨ρ⟩, in the order stored.
    pub(super) fn around(&self, RowVar(number): RowVar) -> Vec<Around> {
        let lists = self.lists.get(number as usize).copied().unwrap_or_default();
        let both = [ON, OF].into_iter().flat_map(|thread| lists[thread].iter(&self.entries, thread));
        let live = both.filter_map(|entry| entry.it.map(|stored| (stored, entry.by.by())));
        let cap = |(stored, by): (Stored, By)| Around {
            res: self.row(stored).into_owned(),
            on: stored.on,
            step: by.step,
            tainted: by.tainted,
        };
        live.map(cap).collect()
    }

    fn row(&self, stored: Stored) -> Cow<'_, RowTerm> {
        match stored.res() {
            Res::Var(of) => Cow::Owned(RowTerm { var: Some(of), ..RowTerm::default() }),
            Res::Row(place) => Cow::Borrowed(&self.rows[place]),
        }
    }

    /// Reads what is kept of ρ, and nothing comes of it.
    #[inline]
    pub(super) fn touch(&self, RowVar(number): RowVar) -> u32 {
        self.lists.get(number as usize).map_or(0, |lists| lists[ON].last)
    }

    /// The same of the caps that one more is threaded to.
    #[inline]
    pub(super) fn touch_last(&self, RowVar(number): RowVar, of: bool) -> u32 {
        let last = self.lists.get(number as usize).map_or(0, |lists| lists[if of { OF } else { ON }].last);
        self.entries.get(last as usize).map_or(0, |entry| entry.next[ON])
    }

    /// Every cap, as R and ρ.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Cow<'_, RowTerm>, RowVar)> + '_ {
        self.entries.iter().filter_map(|e| e.it.map(|stored| (self.row(stored), stored.on)))
    }

    /// The caps R on ρ, in the order stored.
    pub(super) fn on(&self, RowVar(number): RowVar) -> impl Iterator<Item = Cow<'_, RowTerm>> + '_ {
        let list = self.lists.get(number as usize).map_or(List::default(), |lists| lists[ON]);
        list.iter(&self.entries, ON).filter_map(|e| e.it.map(|stored| self.row(stored)))
    }
}

#[cold]
fn too_many(number: u32) -> NonZeroU32 {
    broken("caps are on fewer than 2³¹ rows", number.to_string())
}
