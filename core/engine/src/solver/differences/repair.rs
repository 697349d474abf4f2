//! Values raised until a new fact holds, or the positive cycle that it closes.

use super::{Differences, Fact, NOWHERE, Vertex, small};
use crate::mutant::{self, Mutant};
use crate::solver::list::{END, Link, short};
use lozenge_calculus::term::RowVar;

impl<const N: usize> Differences<N> {
    /// The edge that a variable's value rests on.
    fn through(&self, graph: usize, x: Vertex) -> Option<usize> {
        x.map(|v| self.places[v.0 as usize].through[graph]).filter(|link| *link != END).map(|link| link as usize)
    }

    /// The edges that a graph has taken up whose lesser side is this variable, the last first.
    fn rising(&self, graph: usize, x: RowVar) -> impl Iterator<Item = usize> {
        let some = |link: Link| (link < NOWHERE).then_some(link as usize);
        let last = self.places.get(x.0 as usize).map_or(END, |place| place.last);
        let edges = std::iter::successors(some(last), move |n| some(self.kept[*n].before));
        edges.filter(move |n| *n < self.taken[graph] as usize)
    }

    /// The repair that most facts need: raises the greater side of a new one, where nothing else must rise with it.
    pub(super) fn raise(&mut self, graph: usize, new: usize, needed: i64) -> bool {
        let Fact { greater: Some(x), lesser, .. } = self.fact(graph, new) else { return false };
        if lesser == Some(x) {
            return false;
        }
        let mut looks = 1;
        let all_hold = self.rising(graph, x).all(|number| {
            looks += 1;
            let fact = self.fact(graph, number);
            needed + fact.weight <= self.value_in(graph, fact.greater)
        });
        self.looks += looks;
        if !all_hold && !mutant::is(Mutant::GuardRepair) {
            return false;
        }
        self.set(graph, x, needed, new);
        true
    }

    fn set(&mut self, graph: usize, x: RowVar, value: i64, edge: usize) {
        let place = self.place(x);
        (place.values[graph], place.through[graph]) = (small(value), short(edge));
    }

    /// Raises what the new fact asks to be raised; the edges of a positive cycle if it cannot.
    pub(super) fn repair(&mut self, graph: usize, new: usize) -> Result<(), Vec<usize>> {
        let Fact { greater, lesser, .. } = self.fact(graph, new);
        self.wanted.clear();
        self.heap.clear();
        self.violated.clear();
        self.violated.push(new);
        loop {
            while let Some(number) = self.violated.pop() {
                self.want(graph, number, lesser, new)?;
            }
            let Some((_, x)) = self.heap.pop() else { return Ok(()) };
            let Some((value, number)) = self.wanted.remove(&x) else { continue };
            self.set(graph, x, value, number);
            // In the order they came: what is pushed last is taken first.
            let mut violated = std::mem::take(&mut self.violated);
            violated.extend(self.rising(graph, x));
            self.looks += 1 + violated.len() as u64;
            self.violated = violated;
            debug_assert!(Some(x) != lesser || greater == lesser);
        }
    }

    /// Notes by how much a fact wants its greater side raised; a positive cycle if that cannot be.
    fn want(&mut self, graph: usize, number: usize, lesser: Vertex, new: usize) -> Result<(), Vec<usize>> {
        let fact = self.fact(graph, number);
        let (needed, least) = (self.value_in(graph, fact.lesser) + fact.weight, self.value_in(graph, fact.greater));
        if needed <= least {
            return Ok(());
        }
        let Some(x) = fact.greater else { return Err(self.down_to_zero(graph, number, new)) };
        if fact.greater == lesser {
            return Err(self.back_to(graph, number, new));
        }
        if self.wanted.get(&x).is_none_or(|(value, _)| *value < needed) {
            self.wanted.insert(x, (needed, number));
            self.heap.push((needed - least, x));
        }
        Ok(())
    }

    /// 0 ≥ y + k is violated: that edge, then the edges that y's value rests on, back to 0. If they lead
    /// back to the new edge instead, that closes a positive cycle that does not pass through 0.
    fn down_to_zero(&self, graph: usize, last: usize, new: usize) -> Vec<usize> {
        let mut cycle = vec![last];
        let mut at = self.fact(graph, last).lesser;
        while let Some(number) = self.through(graph, at) {
            if number == new
                && let Some(start) = cycle.iter().position(|n| *n == new)
            {
                return cycle.split_off(start);
            }
            cycle.push(number);
            at = self.fact(graph, number).lesser;
        }
        cycle
    }

    /// The lesser side of the new edge would rise: that edge, then what it rests on, to the new one.
    fn back_to(&self, graph: usize, last: usize, new: usize) -> Vec<usize> {
        let mut cycle = vec![last];
        let mut at = last;
        while at != new {
            let Some(number) = self.through(graph, self.fact(graph, at).lesser) else { break };
            cycle.push(number);
            at = number;
        }
        cycle
    }

    pub(super) fn preferably_untainted(&self, graph: usize, cycle: Vec<usize>) -> Vec<Fact> {
        let facts: Vec<Fact> = cycle.into_iter().map(|number| self.fact(graph, number)).collect();
        if facts.iter().any(|f| f.tainted) && !mutant::is(Mutant::GuardTaint) {
            self.untainted_cycle(graph).unwrap_or(facts)
        } else {
            facts
        }
    }

    /// A positive cycle of untainted facts, found by adding those alone.
    fn untainted_cycle(&self, graph: usize) -> Option<Vec<Fact>> {
        let mut untainted = Differences::default();
        self.facts(graph).filter(|f| !f.tainted).find_map(|f| untainted.add(f).err())
    }
}
