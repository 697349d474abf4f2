//! DI-antisym asks whether adjacencies lead from one variable to another.
//!
//! Most of the time their order says no, or a path that is known says yes ([`Paths`](super::paths)). Otherwise both ends are
//! searched at once, edge by edge, until they meet or one has nowhere left to go. Which path the calculus would have named
//! matters only to those who look at the step, and to its taint.

use super::ends::{Ends, Met, Ways};
use super::line::Place;
use super::list::{Entry, Link, Short};
use super::store::{Adjacency, Bounds, DOWN, UP};
use super::table::Table;
use crate::mutant::{self, Mutant};
use lozenge_calculus::rules::By;
use lozenge_calculus::term::DimVar;

/// How many tainted adjacencies are looked through.
const DOUBTFUL: usize = 16;

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
        let ways = &mut *self.ways.borrow_mut();
        if ways.paths.lead(from, to) {
            return true;
        }
        self.lay_if_sought(&mut ways.laid);
        let ends = &mut *self.ends.borrow_mut();
        let Ok(met) = self.meet(ends, [from, to], stretch, ways) else { return false };
        ways.laid.seek(ends.cost);
        ways.keep(met, ends);
        true
    }

    /// Searches upwards from one variable and downwards from another, an edge here and an edge there, so that the cheaper
    /// end decides. Where they do not meet, the end that has nowhere left to go.
    pub(super) fn meet(
        &self,
        ends: &mut Ends,
        starts: [DimVar; 2],
        stretch: (Place, Place),
        ways: &Ways,
    ) -> Result<Met, usize> {
        let walked = self.walked.get();
        let met = self.go(ends, starts, stretch, ways);
        ends.cost = self.walked.get() - walked;
        if let Err(thread) = met {
            ends.miss(thread);
        }
        met
    }

    fn go(
        &self,
        ends: &mut Ends,
        starts: [DimVar; 2],
        (lowest, highest): (Place, Place),
        ways: &Ways,
    ) -> Result<Met, usize> {
        ends.begin();
        for thread in [UP, DOWN] {
            if let Some(met) = ends.reach(thread, starts[thread], ways) {
                return Ok(met);
            }
        }
        let within = |o: Place, thread: usize| if thread == UP { o <= highest } else { o >= lowest };
        loop {
            for thread in [UP, DOWN] {
                let edge = self.next_edge(ends, thread).ok_or(thread)?;
                let Some(Adjacency { below, above }) = edge else { continue };
                let next = if thread == UP { above } else { below };
                if self.order(next).is_some_and(|o| within(o, thread))
                    && !ends.has(thread, next)
                    && let Some(met) = ends.reach(thread, next, ways)
                {
                    return Ok(met);
                }
            }
        }
    }

    /// The next edge of one end, if it is still there; none when this end has nowhere left to go.
    #[inline]
    fn next_edge(&self, ends: &mut Ends, thread: usize) -> Option<Option<Adjacency>> {
        loop {
            if let Some(entry) = self.adjacencies.get(ends.edge(thread) as usize) {
                self.walked.set(self.walked.get() + 1);
                ends.go_on(thread, entry.next[thread]);
                return Some(entry.it);
            }
            let at = ends.open(thread)?;
            ends.go_on(thread, self.first_edge(at, thread));
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
