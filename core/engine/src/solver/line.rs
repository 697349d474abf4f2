//! Variables in a line, each of which can be moved anywhere. Which of two comes first is seen from their places.
//!
//! Order maintenance (Dietz and Sleator, 1987) with the labels of Bender, Cole, Demaine, Farach-Colton and Zito (2002):
//! neighbours are linked, and a place between two others is a number between theirs. Where no number is left, the places
//! around are spread over the smallest stretch of numbers that is not too full. What is put in costs, on average, as many
//! new places as the logarithm of the line's length.

use super::list::{END, Link, slot};
use lozenge_calculus::term::DimVar;
use std::num::NonZeroU64;

/// Where a variable stands. Only how two of these compare means anything.
pub type Place = NonZeroU64;

/// How far apart places are at the ends of the line, unless it is said otherwise, and where the line begins.
const APART: u64 = 1 << 32;
const MIDDLE: u64 = 1 << 63;

/// A variable's place and its neighbours; no place where it is not in the line.
#[derive(Clone, Copy, Debug)]
struct Seat {
    place: Option<Place>,
    before: Link,
    after: Link,
}

const EMPTY: Seat = Seat { place: None, before: END, after: END };

/// Places that are free, each `step` after the one before; the first is `step` after `start`.
#[derive(Clone, Copy)]
struct Free {
    start: u64,
    step: u64,
}

/// The line.
#[derive(Clone, Debug)]
pub struct Line {
    /// By the numbers of variables.
    seats: Vec<Seat>,
    first: Link,
    last: Link,
    apart: u64,
    /// How many variables had to be given another place since it was asked.
    spread: u64,
}

impl Default for Line {
    fn default() -> Self {
        Line::apart(APART)
    }
}

impl Line {
    /// An empty line whose places are so far apart where it grows.
    #[must_use]
    pub fn apart(apart: u64) -> Self {
        Line { seats: Vec::new(), first: END, last: END, apart, spread: 0 }
    }

    /// All variables, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = DimVar> {
        let next = |v: Link| (v != END).then_some(v);
        std::iter::successors(next(self.first), move |v| next(self.after(*v))).map(DimVar)
    }

    /// Makes room for so many variables.
    pub fn reserve(&mut self, room: usize) {
        self.seats.reserve(room);
    }

    /// Where α stands, if it does.
    #[must_use]
    #[inline]
    pub fn place(&self, DimVar(a): DimVar) -> Option<Place> {
        self.seats.get(a as usize)?.place
    }

    /// How many variables had to be given another place since this was last asked.
    pub fn take_spread(&mut self) -> u64 {
        std::mem::take(&mut self.spread)
    }

    /// α comes before all others.
    #[inline]
    pub fn push_first(&mut self, a: DimVar) {
        match self.number(self.first).unwrap_or(MIDDLE).checked_sub(self.apart).and_then(Place::new) {
            Some(place) => self.put(a, Seat { place: Some(place), before: END, after: self.first }),
            None => self.insert(&[a], END),
        }
    }

    /// α comes after all others.
    #[inline]
    pub fn push_last(&mut self, a: DimVar) {
        match self.number(self.last).unwrap_or(MIDDLE).checked_add(self.apart).and_then(Place::new) {
            Some(place) => self.put(a, Seat { place: Some(place), before: self.last, after: END }),
            None => self.insert(&[a], self.last),
        }
    }

    /// These are the line, in this order, and nothing else is.
    pub fn draw(&mut self, vars: &[DimVar]) {
        self.seats.fill(EMPTY);
        (self.first, self.last) = (END, END);
        vars.iter().for_each(|v| self.push_last(*v));
    }

    /// Puts α into a seat between two neighbours.
    #[inline]
    fn put(&mut self, DimVar(a): DimVar, seat: Seat) {
        *slot(&mut self.seats, a, || EMPTY) = seat;
        self.link(seat.before, a);
        self.link(a, seat.after);
    }

    /// Takes α out, if it is in the line.
    pub fn remove(&mut self, DimVar(a): DimVar) {
        let Some(seat) = self.seats.get_mut(a as usize).filter(|seat| seat.place.is_some()) else { return };
        let Seat { before, after, .. } = std::mem::replace(seat, EMPTY);
        self.link(before, after);
    }

    /// These come directly before α, in this order.
    pub fn move_before(&mut self, moved: &[DimVar], DimVar(a): DimVar) {
        moved.iter().for_each(|v| self.remove(*v));
        self.insert(moved, self.seats[a as usize].before);
    }

    /// These come directly after α, in this order.
    pub fn move_after(&mut self, moved: &[DimVar], DimVar(a): DimVar) {
        moved.iter().for_each(|v| self.remove(*v));
        self.insert(moved, a);
    }

    /// Puts in what is not there, directly after a variable; before all others after [`END`].
    fn insert(&mut self, vars: &[DimVar], before: Link) {
        let after = self.after(before);
        let Free { start, step } = self.free(before, after, vars.len() as u64);
        let (mut last, mut place) = (before, start);
        for v in vars {
            place += step;
            self.put(*v, Seat { place: Place::new(place), before: last, after });
            last = v.0;
        }
    }

    /// The next one; the first after [`END`].
    fn after(&self, v: Link) -> Link {
        self.seats.get(v as usize).map_or(self.first, |seat| seat.after)
    }

    /// The one before; the last before [`END`].
    fn before(&self, v: Link) -> Link {
        self.seats.get(v as usize).map_or(self.last, |seat| seat.before)
    }

    /// Makes two variables neighbours; [`END`] is before the first and after the last.
    #[inline]
    fn link(&mut self, before: Link, after: Link) {
        *self.seats.get_mut(before as usize).map_or(&mut self.first, |seat| &mut seat.after) = after;
        *self.seats.get_mut(after as usize).map_or(&mut self.last, |seat| &mut seat.before) = before;
    }

    fn number(&self, v: Link) -> Option<u64> {
        Some(self.seats.get(v as usize)?.place?.get())
    }

    /// So many free places between two neighbours.
    fn free(&mut self, before: Link, after: Link, count: u64) -> Free {
        let apart = self.apart;
        let needed = (count + 1).saturating_mul(apart);
        let free = match (self.number(before), self.number(after)) {
            (low, None) => {
                let start = low.unwrap_or(MIDDLE);
                start.checked_add(needed).map(|_| Free { start, step: apart })
            }
            (None, Some(high)) => high.checked_sub(needed).map(|start| Free { start, step: apart }),
            (Some(low), Some(high)) => Some(Free { start: low, step: (high - low) / (count + 1) }),
        };
        free.filter(|free| free.step > 0).unwrap_or_else(|| self.spread(before, after, count))
    }

    /// Gives new places to the variables around, so that there are so many free ones between these two. A stretch of 2ⁱ
    /// numbers is taken if it has no more than about 1.5ⁱ variables.
    #[cold]
    fn spread(&mut self, before: Link, after: Link, count: u64) -> Free {
        let around = self.number(before).or(self.number(after)).unwrap_or(MIDDLE);
        let (mut left, mut right, mut members, mut most) = (before, after, count, 1_u64);
        for bits in 1..=u64::BITS {
            let mask = u64::MAX >> (u64::BITS - bits);
            let (low, high) = (around & !mask, around | mask);
            while self.number(left).is_some_and(|number| number >= low) {
                (left, members) = (self.before(left), members + 1);
            }
            while self.number(right).is_some_and(|number| number <= high) {
                (right, members) = (self.after(right), members + 1);
            }
            most = most.saturating_add(most.div_ceil(2));
            let step = mask / (members + 1);
            if step > 0 && (members < most || bits == u64::BITS) {
                self.spread += members;
                return self.spread_from(Free { start: low, step }, (left, right), (before, count));
            }
        }
        unreachable_line()
    }

    /// Gives places to all between two, and says which ones are free after `before`.
    fn spread_from(&mut self, Free { start, step }: Free, (left, right): (Link, Link), gap: (Link, u64)) -> Free {
        let (before, count) = gap;
        let (mut place, mut at, mut free) = (start, left, Free { start, step });
        loop {
            if at == before {
                free.start = place;
                place += count * step;
            }
            at = self.after(at);
            if at == right {
                return free;
            }
            place += step;
            self.seats[at as usize].place = Place::new(place);
        }
    }
}

/// There are fewer than 2³² variables, and 2⁶⁴ numbers for them.
#[cold]
fn unreachable_line() -> ! {
    lozenge_calculus::internal::broken("a line has room for every variable", String::new())
}
