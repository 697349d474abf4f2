//! Paths of adjacencies that DI-antisym has found, kept while they last.
//!
//! A cycle α₁ ⊑ … ⊑ αₙ ⊑ α₁ is merged one variable at a time, and each time the rule asks for a path that is what is left of
//! the one before. So a path that was found is kept: the places of its variables on it, and the stretch that is still
//! whole. A variable that is bound shortens that stretch.

use super::list::slot;
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::DimVar;

/// A place on a path: which path, and how far along it.
type Spot = (u32, i32);

/// No place: there are never so many paths.
const NOWHERE: Spot = (u32::MAX, 0);

/// The paths that are known, no two of them through one variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    /// By the numbers of variables.
    spots: Vec<Spot>,
    whole: Vec<Whole>,
}

/// What is whole of a path: all adjacencies between the first place and the last are stored.
#[derive(Clone, Copy, Debug)]
struct Whole {
    first: i32,
    last: i32,
    /// Where the path broke there are variables beyond that still have their places, so nothing is added there.
    broken: [bool; 2],
}

impl Paths {
    /// The place of α on a path that is known.
    pub(super) fn spot(&self, DimVar(a): DimVar) -> Option<Spot> {
        let (path, place) = *self.spots.get(a as usize)?;
        let Whole { first, last, .. } = *self.whole.get(path as usize)?;
        (first <= place && place <= last).then_some((path, place))
    }

    /// Reads what is kept of α, and nothing comes of it.
    #[inline]
    pub(super) fn touch(&self, DimVar(a): DimVar) -> u32 {
        self.spots.get(a as usize).map_or(0, |(path, _)| *path)
    }

    /// Does a path that is known lead from one to the other?
    pub(super) fn lead(&self, from: DimVar, to: DimVar) -> bool {
        let (Some((one, start)), Some((other, end))) = (self.spot(from), self.spot(to)) else { return false };
        one == other && start <= end
    }

    /// α is no longer part of a path. What is left of the path on its longer side stays.
    pub(super) fn leave(&mut self, a: DimVar) {
        if mutant::is(Mutant::PathKept) {
            return;
        }
        let Some((path, place)) = self.spot(a) else { return };
        let Whole { first, last, broken } = &mut self.whole[path as usize];
        if place - *first < *last - place {
            broken[0] |= place > *first;
            *first = place + 1;
        } else {
            broken[1] |= place < *last;
            *last = place - 1;
        }
    }

    fn put(&mut self, a: DimVar, spot: Spot) {
        self.leave(a);
        *slot(&mut self.spots, a.0, || NOWHERE) = spot;
    }

    /// Keeps a path that was found: these variables, each directly below the next.
    pub(super) fn keep(&mut self, path: impl IntoIterator<Item = DimVar>) {
        let Ok(number) = u32::try_from(self.whole.len()) else { return };
        self.whole.push(Whole { first: 0, last: -1, broken: [false; 2] });
        for a in path {
            self.above(number, a);
        }
    }

    /// Keeps what leads to a path that is known, from near to far, and what goes on from it. Only at its ends: what leads
    /// to its middle is not kept.
    pub(super) fn extend(&mut self, to: (Spot, &[DimVar]), on: (Spot, &[DimVar])) {
        let (((path, start), before), ((_, end), after)) = (to, on);
        let Whole { first, last, broken } = self.whole[path as usize];
        if start == first && !broken[0] {
            for a in before {
                let place = self.whole[path as usize].first - 1;
                self.put(*a, (path, place));
                self.whole[path as usize].first = place;
            }
        }
        if end == last && !broken[1] {
            after.iter().for_each(|a| self.above(path, *a));
        }
    }

    /// α comes next on a path.
    fn above(&mut self, path: u32, a: DimVar) {
        let place = self.whole[path as usize].last + 1;
        self.put(a, (path, place));
        self.whole[path as usize].last = place;
    }
}
