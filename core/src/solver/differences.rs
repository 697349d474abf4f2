//! Facts x ≥ y + k over the natural numbers, kept satisfiable one by one.
//!
//! By Prop. 4.6 such facts have a solution iff they have no cycle of positive weight. The least
//! solution is kept and repaired when a fact is added, largest raise first, so that each variable is
//! visited at most once (Cotton and Maler, 2006); a fact that would raise what it rests on closes a
//! positive cycle.

use super::table::Table;
use crate::term::RowVar;
use std::collections::BinaryHeap;

/// A row variable's length, or the number 0.
pub type Vertex = Option<RowVar>;

/// greater ≥ lesser + weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// x
    pub greater: Vertex,
    /// y
    pub lesser: Vertex,
    /// k, which may be negative.
    pub weight: i64,
    /// The step that recorded it.
    pub step: usize,
    /// Does it rest on a placement?
    pub tainted: bool,
}

/// The number of a fact, or [`END`].
type Link = u32;
const END: Link = Link::MAX;

/// Facts without a positive cycle, and their least solution.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    facts: Vec<Fact>,
    /// The least value of each variable.
    value: Vec<i64>,
    /// The fact that a value rests on; none where it rests on 0.
    through: Vec<Option<usize>>,
    /// The facts whose lesser side is this variable, in the order they came: the first and the last, and
    /// for each fact the next one.
    rising: Vec<(Link, Link)>,
    next: Vec<Link>,
    /// How many values have been raised so far.
    raised: u64,
}

impl Differences {
    /// The least value of a variable in a solution of the facts.
    #[must_use]
    pub fn value(&self, x: Vertex) -> i64 {
        x.and_then(|v| self.value.get(v.0 as usize)).copied().unwrap_or(0)
    }

    /// How many values have been raised so far: what repairing has cost.
    #[must_use]
    pub fn raised(&self) -> u64 {
        self.raised
    }

    /// The facts, in the order they came.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    fn room(&mut self, x: Vertex) {
        if let Some(RowVar(id)) = x {
            let size = id as usize + 1;
            if self.value.len() < size {
                self.value.resize(size, 0);
                self.through.resize(size, None);
                self.rising.resize(size, (END, END));
            }
        }
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// The facts of a cycle of positive weight, untainted ones where there is such a cycle.
    pub fn add(&mut self, fact: Fact) -> Result<(), Vec<Fact>> {
        self.room(fact.greater);
        self.room(fact.lesser);
        let number = self.facts.len();
        self.facts.push(fact);
        self.next.push(END);
        if let Some(RowVar(id)) = fact.lesser {
            // Four thousand million facts do not fit a machine that could get here.
            let link = Link::try_from(number).unwrap_or(END);
            let (first, last) = &mut self.rising[id as usize];
            match self.next.get_mut(*last as usize) {
                Some(next) => *next = link,
                None => *first = link,
            }
            *last = link;
        }
        if self.value(fact.greater) >= self.value(fact.lesser) + fact.weight {
            return Ok(());
        }
        self.repair(number).map_err(|cycle| self.preferably_untainted(cycle))
    }

    /// Raises what the new fact asks to be raised; the numbers of a positive cycle's facts if it cannot.
    fn repair(&mut self, new: usize) -> Result<(), Vec<usize>> {
        let Fact { greater, lesser, .. } = self.facts[new];
        let mut wanted: Table<RowVar, (i64, usize)> = Table::default();
        let mut heap = BinaryHeap::new();
        let mut violated = vec![new];
        loop {
            for number in violated.drain(..) {
                let fact = self.facts[number];
                let needed = self.value(fact.lesser) + fact.weight;
                if needed <= self.value(fact.greater) {
                    continue;
                }
                let Some(x) = fact.greater else { return Err(self.down_to_zero(number, new)) };
                if fact.greater == lesser {
                    return Err(self.back_to(number, new));
                }
                if wanted.get(&x).is_none_or(|(value, _)| *value < needed) {
                    wanted.insert(x, (needed, number));
                    heap.push((needed - self.value(Some(x)), x));
                }
            }
            let Some((_, x)) = heap.pop() else { return Ok(()) };
            let Some((value, number)) = wanted.remove(&x) else { continue };
            self.raised += 1;
            self.value[x.0 as usize] = value;
            self.through[x.0 as usize] = Some(number);
            let first = self.rising[x.0 as usize].0;
            let follow = |link: &Link| self.next.get(*link as usize).copied();
            let links = std::iter::successors(Some(first), follow).take_while(|link| *link != END);
            violated.extend(links.map(|link| link as usize));
            debug_assert!(Some(x) != lesser || greater == lesser);
        }
    }

    /// 0 ≥ y + k is violated: that fact, then the facts that y's value rests on, back to 0. If they lead
    /// back to the new fact instead, that closes a positive cycle that does not pass through 0.
    fn down_to_zero(&self, last: usize, new: usize) -> Vec<usize> {
        let mut cycle = vec![last];
        let mut at = self.facts[last].lesser;
        while let Some(number) = at.and_then(|v| self.through[v.0 as usize]) {
            if number == new
                && let Some(start) = cycle.iter().position(|n| *n == new)
            {
                return cycle.split_off(start);
            }
            cycle.push(number);
            at = self.facts[number].lesser;
        }
        cycle
    }

    /// The lesser side of the new fact would rise: that fact, then what it rests on, to the new one.
    fn back_to(&self, last: usize, new: usize) -> Vec<usize> {
        let mut cycle = vec![last];
        let mut at = last;
        while at != new {
            let lesser = self.facts[at].lesser;
            let Some(number) = lesser.and_then(|v| self.through[v.0 as usize]) else { break };
            cycle.push(number);
            at = number;
        }
        cycle
    }

    fn preferably_untainted(&self, cycle: Vec<usize>) -> Vec<Fact> {
        let facts: Vec<Fact> = cycle.into_iter().map(|number| self.facts[number]).collect();
        if facts.iter().any(|f| f.tainted) { self.untainted_cycle().unwrap_or(facts) } else { facts }
    }

    /// A positive cycle of untainted facts, found by adding those alone.
    fn untainted_cycle(&self) -> Option<Vec<Fact>> {
        let mut untainted = Differences::default();
        self.facts.iter().filter(|f| !f.tainted).find_map(|f| untainted.add(*f).err())
    }
}
