//! The two ends of a search along adjacencies, and what each has reached. Their tables are kept from one search to the next:
//! most searches reach a few variables of many.

use super::lay::{Laid, NOTHING, Reach};
use super::list::{END, Link, short, slot};
use super::paths::Paths;
use super::store::{DOWN, UP};
use lozenge_calculus::term::DimVar;

/// Where two ends met: what was reached from below, and what from above. Between them is a known path, or nothing; if neither
/// is named, somewhere on a path that was laid.
pub(super) type Met = Option<(DimVar, DimVar)>;

/// What is known before a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    pub(super) paths: Paths,
    pub(super) laid: Laid,
}

impl Ways {
    /// α is no longer part of a path.
    pub(super) fn leave(&mut self, a: DimVar) {
        self.paths.leave(a);
        self.laid.leave(a);
    }

    /// Keeps what two ends found. Where they met on a path that was laid, that is known already.
    pub(super) fn keep(&mut self, met: Met, ends: &Ends) {
        let Some((low, high)) = met else { return };
        let (before, after) = (ends.back(UP, low), ends.back(DOWN, high));
        match (self.paths.spot(low), self.paths.spot(high)) {
            (Some(to), Some(on)) if low != high => self.paths.extend((to, &before[1..]), (on, &after[1..])),
            _ => self.paths.keep(before.into_iter().rev().chain(after.into_iter().skip(1))),
        }
    }
}

/// For each number, a place in what each end has reached. They are counted on from search to search, so that those of
/// earlier ones need not be taken out.
#[derive(Clone, Debug, Default)]
struct Marks(Vec<[Link; 2]>);

impl Marks {
    fn get(&self, number: u32, thread: usize, since: Link) -> Option<Link> {
        self.0.get(number as usize)?[thread].checked_sub(since)
    }

    fn set(&mut self, number: u32, thread: usize, mark: Link) {
        slot(&mut self.0, number, || [0; 2])[thread] = mark;
    }
}

/// One end of a search.
#[derive(Clone, Debug)]
struct End {
    /// What was reached, and the place in this list of what that was reached from; where this end began, its own.
    reached: Vec<(DimVar, Link)>,
    /// The places of what was reached and not looked at.
    open: Vec<Link>,
    /// The place of what is looked at, and the next of its edges.
    at: Link,
    edge: Link,
}

impl Default for End {
    fn default() -> Self {
        End { reached: Vec::new(), open: Vec::new(), at: 0, edge: END }
    }
}

/// Both ends.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    ends: [End; 2],
    /// Where variables are among what was reached, and of each known path the variable that says most.
    vars: Marks,
    on: Marks,
    /// Where both ends lead on paths that were laid.
    laid: Reach,
    /// Marks of this search begin here.
    since: Link,
    /// If the ends of the last search did not meet, the one that had nowhere left to go.
    missed: Option<usize>,
    /// How many adjacencies the last search walked.
    pub(super) cost: u64,
}

impl Default for Ends {
    fn default() -> Self {
        Ends {
            ends: Default::default(),
            vars: Marks::default(),
            on: Marks::default(),
            laid: NOTHING,
            since: 0,
            missed: None,
            cost: 0,
        }
    }
}

impl Ends {
    /// Nothing is reached yet.
    pub(super) fn begin(&mut self) {
        let reached = self.ends.iter().map(|end| end.reached.len()).max().unwrap_or(0);
        self.since = match self.since.max(1).checked_add(short(reached)) {
            Some(since) if since < Link::MAX / 2 => since,
            _ => self.count_anew(),
        };
        for end in &mut self.ends {
            end.reached.clear();
            end.open.clear();
            (end.at, end.edge) = (0, END);
        }
        (self.missed, self.laid) = (None, NOTHING);
    }

    #[cold]
    fn count_anew(&mut self) -> Link {
        [&mut self.on, &mut self.vars].into_iter().for_each(|marks| marks.0.clear());
        1
    }

    /// Has one end been there?
    #[inline]
    pub(super) fn has(&self, thread: usize, DimVar(v): DimVar) -> bool {
        self.vars.get(v, thread, self.since).is_some()
    }

    /// The next edge of what an end looks at.
    #[inline]
    pub(super) fn edge(&self, thread: usize) -> Link {
        self.ends[thread].edge
    }

    #[inline]
    pub(super) fn go_on(&mut self, thread: usize, edge: Link) {
        self.ends[thread].edge = edge;
    }

    /// What an end looks at next, if there is more.
    #[inline]
    pub(super) fn open(&mut self, thread: usize) -> Option<DimVar> {
        let end = &mut self.ends[thread];
        end.at = end.open.pop()?;
        Some(end.reached[end.at as usize].0)
    }

    /// One end reaches a variable. Has the other been there, or further along a path that both are on?
    #[inline]
    pub(super) fn reach(&mut self, thread: usize, v: DimVar, ways: &Ways) -> Option<Met> {
        let end = &mut self.ends[thread];
        let place = short(end.reached.len());
        end.reached.push((v, end.at));
        end.open.push(place);
        self.vars.set(v.0, thread, self.since + place);
        if self.has(UP + DOWN - thread, v) {
            return Some(Some((v, v)));
        }
        if ways.laid.meet(&mut self.laid, thread, v) {
            return Some(None);
        }
        self.reach_path(thread, (v, place), &ways.paths).map(Some)
    }

    #[inline]
    fn reach_path(&mut self, thread: usize, (v, place): (DimVar, Link), paths: &Paths) -> Option<(DimVar, DimVar)> {
        let (path, _) = paths.spot(v)?;
        let better = |best| if thread == UP { paths.lead(v, best) } else { paths.lead(best, v) };
        if self.on_path(path, thread).is_none_or(better) {
            self.on.set(path, thread, self.since + place);
        }
        let met = self.on_path(path, UP + DOWN - thread)?;
        let (low, high) = if thread == UP { (v, met) } else { (met, v) };
        paths.lead(low, high).then_some((low, high))
    }

    /// What an end reached of a known path, the one that says most.
    fn on_path(&self, path: u32, thread: usize) -> Option<DimVar> {
        let place = self.on.get(path, thread, self.since)?;
        Some(self.ends[thread].reached[place as usize].0)
    }

    /// From a variable that an end reached back to where this end began, the latter included.
    pub(super) fn back(&self, thread: usize, DimVar(from): DimVar) -> Vec<DimVar> {
        let reached = &self.ends[thread].reached;
        let mut at = self.vars.get(from, thread, self.since).unwrap_or(0);
        let mut path = Vec::new();
        loop {
            let (v, next) = reached[at as usize];
            path.push(v);
            if next == at {
                return path;
            }
            at = next;
        }
    }

    /// The ends do not meet: one has nowhere left to go.
    pub(super) fn miss(&mut self, thread: usize) {
        self.missed = Some(thread);
    }

    /// The end that had nowhere left to go in the last search, if that one began here and nobody has asked since.
    pub(super) fn take_missed(&mut self, starts: [DimVar; 2]) -> Option<usize> {
        let began = |thread: usize| self.ends[thread].reached.first().map(|(v, _)| *v);
        self.missed.take().filter(|_| [UP, DOWN].map(began) == starts.map(Some))
    }

    /// All that one end reached, in no order that matters.
    pub(super) fn reached(&self, thread: usize) -> impl Iterator<Item = DimVar> {
        self.ends[thread].reached.iter().map(|(v, _)| *v)
    }
}
