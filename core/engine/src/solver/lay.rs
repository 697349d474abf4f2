//! A few long paths, laid through all adjacencies at once, and for each variable where it leads on them and what on them
//! leads to it. Where most variables are on one cycle that is not merged yet, there is a path for nearly every question, but
//! two searches meet by chance, after as many adjacencies as the root of their number; from here it is known after a few.
//!
//! What is stored later changes nothing of what is said here. What is taken out may: then nothing of it is used any more,
//! until paths are laid anew.

use super::list::{END, Link};
use super::store::{Bounds, DOWN, UP};
use crate::mutant::{self, Mutant};
use lozenge_calculus::term::DimVar;

/// So many paths are laid.
const PATHS: usize = 2;

/// On each path the first place that something leads to, [`END`] where there is none; and the place after the last that
/// leads to it, 0 where there is none.
pub(super) type Reach = [[Link; PATHS]; 2];

/// Nothing is known.
pub(super) const NOTHING: Reach = [[END; PATHS], [0; PATHS]];

/// The paths that are laid.
#[derive(Clone, Debug, Default)]
pub(super) struct Laid {
    /// By the numbers of variables.
    reach: Vec<Reach>,
    /// How many adjacencies were walked to find paths since these were laid.
    sought: u64,
}

impl Laid {
    /// Where α leads ([`UP`]), or what leads to α.
    #[inline]
    fn reach(&self, DimVar(a): DimVar) -> Reach {
        self.reach.get(a as usize).copied().unwrap_or(NOTHING)
    }

    /// Adds to what one end of a search has reached what is known of α. Does a path lead from one end to the other?
    #[inline]
    pub(super) fn meet(&self, reached: &mut Reach, thread: usize, a: DimVar) -> bool {
        if self.reach.is_empty() {
            return false;
        }
        let reach = self.reach(a);
        for path in 0..PATHS {
            join(&mut reached[thread][path], thread, reach[thread][path]);
        }
        (0..PATHS).any(|path| reached[UP][path] < reached[DOWN][path])
    }

    /// α and its adjacencies are no longer there.
    pub(super) fn leave(&mut self, a: DimVar) {
        if !self.reach.is_empty() && self.reach(a) != NOTHING && !mutant::is(Mutant::LaidKept) {
            self.reach.clear();
        }
    }

    /// So many adjacencies were walked to find a path.
    pub(super) fn seek(&mut self, walked: u64) {
        self.sought += walked;
    }
}

/// The better of two places.
fn join(known: &mut Link, thread: usize, place: Link) {
    *known = if thread == UP { place.min(*known) } else { place.max(*known) };
}

/// The longest path from a variable upwards: how many variables of it have no place yet, and the next one.
#[derive(Clone, Copy)]
struct Longest {
    length: u32,
    next: Link,
}

impl Bounds {
    /// Lays paths if finding them has cost more than to look at everything a few times: so laying costs less than finding.
    #[inline]
    pub(super) fn lay_if_sought(&self, laid: &mut Laid) {
        let all = (self.adjacencies.len() + self.dims.len()) as u64;
        if laid.sought > 2 * all {
            laid.sought = 0;
            self.walked.set(self.walked.get() + self.dims.len() as u64);
            self.lay(&mut laid.reach);
        }
    }

    #[cold]
    fn lay(&self, reach: &mut Vec<Reach>) {
        let line: Vec<DimVar> = self.line.iter().collect();
        reach.clear();
        reach.resize(self.dims.len(), NOTHING);
        for path in 0..PATHS {
            let longest = self.longest(&line, reach);
            for (place, DimVar(v)) in (0..).zip(longest) {
                (reach[v as usize][UP][path], reach[v as usize][DOWN][path]) = (place, place + 1);
            }
        }
        self.spread(line.iter().rev(), UP, reach);
        self.spread(line.iter(), DOWN, reach);
    }

    /// Passes on what is known of each variable, in this order, to those behind it.
    fn spread<'a>(&self, line: impl Iterator<Item = &'a DimVar>, thread: usize, reach: &mut [Reach]) {
        for a in line {
            let mut known = reach[a.0 as usize][thread];
            for (edge, _) in self.edges(*a, thread) {
                let DimVar(next) = if thread == UP { edge.above } else { edge.below };
                let further = reach[next as usize][thread];
                known.iter_mut().zip(further).for_each(|(known, place)| join(known, thread, place));
            }
            reach[a.0 as usize][thread] = known;
        }
    }

    /// A path with as many variables as may be that are on none yet.
    fn longest(&self, line: &[DimVar], reach: &[Reach]) -> impl Iterator<Item = DimVar> + use<> {
        let mut ways = vec![Longest { length: 0, next: END }; self.dims.len()];
        let mut first = None;
        for v in line.iter().rev() {
            let mut way = Longest { length: 0, next: END };
            for (edge, _) in self.edges(*v, UP) {
                let length = ways[edge.above.0 as usize].length;
                if length > way.length {
                    way = Longest { length, next: edge.above.0 };
                }
            }
            way.length += u32::from(reach[v.0 as usize] == NOTHING);
            ways[v.0 as usize] = way;
            first = first.filter(|(most, _)| way.length < *most).or(Some((way.length, *v)));
        }
        let next = move |DimVar(v): &DimVar| Some(ways[*v as usize].next).filter(|next| *next != END).map(DimVar);
        std::iter::successors(first.map(|(_, v)| v), next)
    }
}
