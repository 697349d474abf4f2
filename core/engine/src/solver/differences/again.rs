//! A stretch of edges, added again between other variables: what they came to is copied, not found anew.

use super::{Differences, Kept, NOWHERE, Place};
use crate::mutant::{self, Mutant};
use crate::solver::list::{END, Link, short};
use lozenge_calculus::term::RowVar;

/// Edges that were added one after the other, and what they came to.
#[derive(Clone, Debug)]
pub struct Stretch<const N: usize> {
    first: usize,
    /// Is each of them one of those that its lesser side leads to? Those that were only written down are not.
    linked: Vec<bool>,
    /// The variables that are part of one that counts, as they are at the end; and were they part of none before?
    ends: Vec<(RowVar, Place<N>, bool)>,
}

impl<const N: usize> Differences<N> {
    /// How many edges there are.
    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// The edges from this one on; these of their variables were part of none before. The values of the others must be
    /// what they were.
    pub fn stretch(&self, first: usize, is_new: impl Fn(RowVar) -> bool) -> Stretch<N> {
        let mut linked = vec![false; self.kept.len() - first];
        let (mut ends, mut seen) = (Vec::new(), vec![false; self.places.len()]);
        for id in self.kept[first..].iter().flat_map(|kept| [kept.greater, kept.lesser]) {
            let (Some(place), Some(seen)) = (self.places.get(id as usize), seen.get_mut(id as usize)) else { continue };
            if std::mem::replace(seen, true) {
                continue;
            }
            let mut at = place.last;
            while at < NOWHERE && at as usize >= first {
                linked[at as usize - first] = true;
                at = self.kept[at as usize].before;
            }
            if place.last != NOWHERE {
                ends.push((RowVar(id), *place, is_new(RowVar(id))));
            }
        }
        Stretch { first, linked, ends }
    }

    /// Adds the edges of a stretch between other variables, so many steps later. What its steps found must be found by
    /// these: then no value rises but those of new variables, to what they were.
    pub fn add_again(&mut self, stretch: &Stretch<N>, var: impl Fn(RowVar) -> RowVar, steps: usize) {
        let Stretch { first, linked, ends } = stretch;
        let later = short(self.kept.len() - first);
        let moved = |link: Link| if link < NOWHERE { link + later } else { link };
        for (edge, linked) in (*first..).zip(linked) {
            self.copy(self.kept[edge], *linked, &var, steps);
        }
        for (v, Place { values, through, .. }, is_new) in ends {
            let place = self.place(var(*v));
            if place.last == NOWHERE {
                place.last = END;
            }
            if *is_new {
                (place.values, place.through) = (*values, through.map(moved));
            }
        }
        self.take_all();
    }

    fn copy(&mut self, mut kept: Kept<N>, linked: bool, var: &impl Fn(RowVar) -> RowVar, steps: usize) {
        let number = short(self.kept.len());
        let id = |id: u32| if id == END { END } else { var(RowVar(id)).0 };
        (kept.greater, kept.lesser) = (id(kept.greater), id(kept.lesser));
        kept.step += short(2 * steps);
        if linked && !mutant::is(Mutant::AgainFacts) {
            kept.before = std::mem::replace(&mut self.place(RowVar(kept.lesser)).last, number);
        }
        self.kept.push(kept);
    }
}
