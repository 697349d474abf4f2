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

/// A variable: its least value, and the facts it takes part in.
#[derive(Clone, Copy, Debug)]
struct Place {
    value: i64,
    /// The fact that the value rests on; [`END`] where it rests on 0.
    through: Link,
    /// The last fact whose lesser side is this variable; each leads to the one before.
    last: Link,
}

const AT_ZERO: Place = Place { value: 0, through: END, last: END };

/// A fact with its vertices by number, [`END`] for 0, and the one before with the same lesser side. There is one for
/// every step that touches a row, so it is kept small.
#[derive(Clone, Copy, Debug)]
struct Kept {
    weight: i32,
    step: u32,
    greater: u32,
    lesser: u32,
    before: Link,
    tainted: bool,
}

impl Kept {
    fn new(Fact { greater, lesser, weight, step, tainted }: Fact) -> Self {
        let number = |x: Vertex| x.map_or(END, |RowVar(id)| id);
        // No flank has as many axes, and no derivation as many steps, as do not fit.
        let weight = i32::try_from(weight).unwrap_or(if weight < 0 { i32::MIN } else { i32::MAX });
        let step = u32::try_from(step).unwrap_or(u32::MAX);
        Kept { weight, step, greater: number(greater), lesser: number(lesser), before: END, tainted }
    }

    fn fact(&self) -> Fact {
        let vertex = |id: u32| (id != END).then_some(RowVar(id));
        let Kept { weight, step, greater, lesser, tainted, .. } = *self;
        let (greater, lesser) = (vertex(greater), vertex(lesser));
        Fact { greater, lesser, weight: weight.into(), step: step as usize, tainted }
    }
}

/// Facts without a positive cycle, and their least solution.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    kept: Vec<Kept>,
    /// The variables, by number.
    places: Vec<Place>,
    /// How many values have been raised so far.
    raised: u64,
    /// What a repair works with, empty between repairs.
    wanted: Table<RowVar, (i64, usize)>,
    heap: BinaryHeap<(i64, RowVar)>,
    violated: Vec<usize>,
}

impl Differences {
    /// The least value of a variable in a solution of the facts.
    #[must_use]
    pub fn value(&self, x: Vertex) -> i64 {
        x.and_then(|v| self.places.get(v.0 as usize)).map_or(0, |place| place.value)
    }

    /// How many values have been raised so far: what repairing has cost.
    #[must_use]
    pub fn raised(&self) -> u64 {
        self.raised
    }

    /// The facts, in the order they came.
    pub fn facts(&self) -> impl DoubleEndedIterator<Item = Fact> {
        self.kept.iter().map(Kept::fact)
    }

    fn place(&mut self, RowVar(id): RowVar) -> &mut Place {
        let index = id as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, AT_ZERO);
        }
        &mut self.places[index]
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// The facts of a cycle of positive weight, untainted ones where there is such a cycle.
    pub fn add(&mut self, fact: Fact) -> Result<(), Vec<Fact>> {
        // Four thousand million facts do not fit a machine that could get here.
        let number = Link::try_from(self.kept.len()).unwrap_or(END);
        let least = self.value(fact.greater);
        let (mut needed, mut kept) = (fact.weight, Kept::new(fact));
        if let Some(y) = fact.lesser {
            let place = self.place(y);
            needed += place.value;
            kept.before = std::mem::replace(&mut place.last, number);
        }
        self.kept.push(kept);
        if needed <= least {
            return Ok(());
        }
        self.repair(number as usize).map_err(|cycle| self.preferably_untainted(cycle))
    }

    fn fact(&self, number: usize) -> Fact {
        self.kept[number].fact()
    }

    /// The fact that a variable's value rests on.
    fn through(&self, x: Vertex) -> Option<usize> {
        x.map(|v| self.places[v.0 as usize].through).filter(|link| *link != END).map(|link| link as usize)
    }

    /// The facts whose lesser side is this variable, the last first.
    fn rising(&self, x: RowVar) -> impl Iterator<Item = usize> {
        let some = |link: Link| (link != END).then_some(link as usize);
        std::iter::successors(some(self.places[x.0 as usize].last), move |n| some(self.kept[*n].before))
    }

    /// Raises what the new fact asks to be raised; the numbers of a positive cycle's facts if it cannot.
    fn repair(&mut self, new: usize) -> Result<(), Vec<usize>> {
        let Fact { greater, lesser, .. } = self.fact(new);
        self.wanted.clear();
        self.heap.clear();
        self.violated.clear();
        self.violated.push(new);
        loop {
            while let Some(number) = self.violated.pop() {
                self.want(number, lesser, new)?;
            }
            let Some((_, x)) = self.heap.pop() else { return Ok(()) };
            let Some((value, number)) = self.wanted.remove(&x) else { continue };
            self.raised += 1;
            let place = self.place(x);
            (place.value, place.through) = (value, Link::try_from(number).unwrap_or(END));
            // In the order they came: what is pushed last is taken first.
            let mut violated = std::mem::take(&mut self.violated);
            violated.extend(self.rising(x));
            self.violated = violated;
            debug_assert!(Some(x) != lesser || greater == lesser);
        }
    }

    /// Notes by how much a fact wants its greater side raised; a positive cycle if that cannot be.
    fn want(&mut self, number: usize, lesser: Vertex, new: usize) -> Result<(), Vec<usize>> {
        let fact = self.fact(number);
        let (needed, least) = (self.value(fact.lesser) + fact.weight, self.value(fact.greater));
        if needed <= least {
            return Ok(());
        }
        let Some(x) = fact.greater else { return Err(self.down_to_zero(number, new)) };
        if fact.greater == lesser {
            return Err(self.back_to(number, new));
        }
        if self.wanted.get(&x).is_none_or(|(value, _)| *value < needed) {
            self.wanted.insert(x, (needed, number));
            self.heap.push((needed - least, x));
        }
        Ok(())
    }

    /// 0 ≥ y + k is violated: that fact, then the facts that y's value rests on, back to 0. If they lead
    /// back to the new fact instead, that closes a positive cycle that does not pass through 0.
    fn down_to_zero(&self, last: usize, new: usize) -> Vec<usize> {
        let mut cycle = vec![last];
        let mut at = self.fact(last).lesser;
        while let Some(number) = self.through(at) {
            if number == new
                && let Some(start) = cycle.iter().position(|n| *n == new)
            {
                return cycle.split_off(start);
            }
            cycle.push(number);
            at = self.fact(number).lesser;
        }
        cycle
    }

    /// The lesser side of the new fact would rise: that fact, then what it rests on, to the new one.
    fn back_to(&self, last: usize, new: usize) -> Vec<usize> {
        let mut cycle = vec![last];
        let mut at = last;
        while at != new {
            let Some(number) = self.through(self.fact(at).lesser) else { break };
            cycle.push(number);
            at = number;
        }
        cycle
    }

    fn preferably_untainted(&self, cycle: Vec<usize>) -> Vec<Fact> {
        let facts: Vec<Fact> = cycle.into_iter().map(|number| self.fact(number)).collect();
        if facts.iter().any(|f| f.tainted) { self.untainted_cycle().unwrap_or(facts) } else { facts }
    }

    /// A positive cycle of untainted facts, found by adding those alone.
    fn untainted_cycle(&self) -> Option<Vec<Fact>> {
        let mut untainted = Differences::default();
        self.facts().filter(|f| !f.tainted).find_map(|f| untainted.add(f).err())
    }
}
