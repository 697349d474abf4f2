//! DI-antisym asks whether adjacencies lead from one variable to another.
//!
//! Most of the time their order says no, or a path that is known says yes ([`Paths`](super::paths)). Otherwise both ends are
//! searched at once, edge by edge, until they meet or one has nowhere left to go. Which path the calculus would have named
//! matters only to those who look at the step, and to its taint.

use super::line::Place;
use super::list::{END, Entry, Link, Short};
use super::paths::Paths;
use super::store::{Adjacency, Bounds, DOWN, UP};
use super::table::Table;
use crate::mutant::{self, Mutant};
use lozenge_calculus::rules::By;
use lozenge_calculus::term::DimVar;

/// One end of a search.
pub(super) struct End {
    /// What was reached, and what that was reached from; where this end began, from itself.
    came: Table<DimVar, DimVar>,
    /// Of each known path that was reached, the place that says most.
    on: Table<u32, DimVar>,
    /// What was reached and not looked at.
    open: Vec<DimVar>,
    /// What is looked at, and the next of its edges.
    at: DimVar,
    next: Link,
}

impl End {
    /// Nothing is reached yet.
    pub(super) fn new(at: DimVar) -> Self {
        End { came: Table::default(), on: Table::default(), open: Vec::new(), at, next: END }
    }

    /// All that was reached, in no order that matters.
    pub(super) fn reached(&self) -> impl Iterator<Item = DimVar> {
        self.came.keys().copied()
    }

    /// From here back to where this end began, the latter included.
    fn back(&self, from: DimVar) -> Vec<DimVar> {
        let mut path = vec![from];
        while let Some(next) = self.came.get(&path[path.len() - 1]).filter(|next| **next != path[path.len() - 1]) {
            path.push(*next);
        }
        path
    }
}

/// How many tainted adjacencies are looked through.
const DOUBTFUL: usize = 16;

/// Where two ends met: what was reached from below, and what from above. Between them is a known path, or nothing.
type Met = (DimVar, DimVar);

impl Bounds {
    /// The adjacencies of a path, if there is one. Where nobody looks at them and none is tainted, none is named.
    #[cold]
    pub(super) fn search(&self, from: DimVar, to: DimVar, stretch: (Place, Place)) -> Option<Vec<By>> {
        if !self.leads(from, to, stretch) {
            return None;
        }
        let tainted = self.may_be_tainted(stretch) && !mutant::is(Mutant::PathTaint);
        if tainted || self.in_full {
            return self.first_path(from, to, stretch.1, tainted);
        }
        Some(Vec::new())
    }

    /// Could a path within this stretch of the order pass a tainted adjacency? Where there are many of them, it could.
    fn may_be_tainted(&self, (lowest, highest): (Place, Place)) -> bool {
        let within = |link: &Link| {
            let Entry { it: Some(Adjacency { below, above }), .. } = self.adjacencies[*link as usize] else {
                return false;
            };
            self.order(below).is_some_and(|o| o >= lowest) && self.order(above).is_some_and(|o| o <= highest)
        };
        self.walked.set(self.walked.get() + self.doubtful.len().min(DOUBTFUL) as u64);
        self.doubtful.len() > DOUBTFUL || self.doubtful.iter().any(within)
    }

    /// Is there a path? If one had to be searched for, it is kept.
    fn leads(&self, from: DimVar, to: DimVar, stretch: (Place, Place)) -> bool {
        let paths = &mut *self.paths.borrow_mut();
        if paths.lead(from, to) {
            return true;
        }
        let mut ends = [End::new(from), End::new(to)];
        let Ok((low, high)) = self.meet(&mut ends, stretch, paths) else { return false };
        let (mut before, after) = (ends[UP].back(low), ends[DOWN].back(high));
        match (paths.spot(low), paths.spot(high)) {
            (Some(to), Some(on)) if low != high => paths.extend((to, &before[1..]), (on, &after[1..])),
            _ => {
                before.reverse();
                paths.keep(before.into_iter().chain(after.into_iter().skip(1)));
            }
        }
        true
    }

    /// Searches upwards from one variable and downwards from another, an edge here and an edge there, so that the cheaper
    /// end decides. Where they do not meet, the end that has nowhere left to go.
    pub(super) fn meet(
        &self,
        ends: &mut [End; 2],
        (lowest, highest): (Place, Place),
        paths: &Paths,
    ) -> Result<Met, usize> {
        for thread in [UP, DOWN] {
            let start = ends[thread].at;
            if let Some(met) = reach(ends, thread, start, paths) {
                return Ok(met);
            }
        }
        let within = |o: Place, thread: usize| if thread == UP { o <= highest } else { o >= lowest };
        loop {
            for thread in [UP, DOWN] {
                let edge = self.next_edge(&mut ends[thread], thread).ok_or(thread)?;
                let Some(Adjacency { below, above }) = edge else { continue };
                let next = if thread == UP { above } else { below };
                if self.order(next).is_some_and(|o| within(o, thread))
                    && !ends[thread].came.contains_key(&next)
                    && let Some(met) = reach(ends, thread, next, paths)
                {
                    return Ok(met);
                }
            }
        }
    }

    /// The next edge of one end, if it is still there; none when this end has nowhere left to go.
    fn next_edge(&self, end: &mut End, thread: usize) -> Option<Option<Adjacency>> {
        loop {
            if let Some(entry) = self.adjacencies.get(end.next as usize) {
                self.walked.set(self.walked.get() + 1);
                end.next = entry.next[thread];
                return Some(entry.it);
            }
            end.at = end.open.pop()?;
            end.next = self.first_edge(end.at, thread);
        }
    }

    /// The path that the calculus names. Nothing above `to` in the order can lead to it, so that is not looked at; what
    /// is looked at comes in the order of the plain search.
    fn first_path(&self, from: DimVar, to: DimVar, highest: Place, counted: bool) -> Option<Vec<By>> {
        let walked = self.walked.get();
        let mut came: Table<DimVar, (DimVar, Short)> = Table::default();
        let mut open = vec![from];
        while let Some(at) = open.pop()
            && !came.contains_key(&to)
        {
            for (edge, by) in self.edges(at, UP) {
                let next = edge.above;
                let cut = |o| if mutant::is(Mutant::PathCut) { o < highest } else { o <= highest };
                if self.order(next).is_some_and(cut) && next != from && !came.contains_key(&next) {
                    came.insert(next, (at, by));
                    open.push(next);
                }
            }
        }
        if !counted {
            // With a derivation a run costs the fuel that it costs without.
            self.walked.set(walked);
        }
        let (mut edges, mut at) = (Vec::new(), to);
        while at != from {
            let (previous, by) = came.get(&at)?;
            edges.push(by.by());
            at = *previous;
        }
        edges.reverse();
        Some(edges)
    }
}

/// One end reaches a variable. Has the other been there, or further along a path that both are on?
fn reach(ends: &mut [End; 2], thread: usize, v: DimVar, paths: &Paths) -> Option<Met> {
    let at = ends[thread].at;
    ends[thread].came.insert(v, at);
    ends[thread].open.push(v);
    let other = UP + DOWN - thread;
    if ends[other].came.contains_key(&v) {
        return Some((v, v));
    }
    let (path, _) = paths.spot(v)?;
    let best = ends[thread].on.entry(path).or_insert(v);
    let better = if thread == UP { paths.lead(v, *best) } else { paths.lead(*best, v) };
    if better {
        *best = v;
    }
    let met = *ends[other].on.get(&path)?;
    let (low, high) = if thread == UP { (v, met) } else { (met, v) };
    paths.lead(low, high).then_some((low, high))
}
