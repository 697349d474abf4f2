//! The same walk by a plan.
//!
//! Values of one cell must join in the order of the definition: in the lexicographic order of the loops that the cell
//! does not tell apart. Where the other loops stand is free, since different values of them are different cells. So a plan
//! may move one of those innermost, where memory is walked step by step. What is computed is the same to the bit;
//! `harnesses/laws/tests/interp*.rs` compare.

use super::scalar::{Computed, Scalar};
use super::value::{Value, zeros};
use super::walk::{self, Assign};
use lozenge_language::projection::affine::{AffineLabel, external};
use lozenge_language::projection::{Index, Label, MapAxis, Projections, Slot};
use std::convert::Infallible;
use std::ops::Range;

/// How far a tensor's address moves with each loop, and where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strides {
    /// The address at the first point.
    pub base: usize,
    /// For each loop, in the plan's order.
    pub steps: Vec<usize>,
}

/// Loops in an order that keeps every cell's own order of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The sizes of the loops, outermost first.
    pub sizes: Vec<usize>,
    /// Which of them keep the order of the definition, as different values of them may meet in one cell.
    pub ordered: Vec<bool>,
    /// The target's strides.
    pub target: Strides,
    /// The reads'.
    pub reads: Vec<Strides>,
}

/// `at` and `n` times `stride` more, if that fits.
fn further(at: usize, n: u64, stride: usize) -> Option<usize> {
    at.checked_add(usize::try_from(n).ok()?.checked_mul(stride)?)
}

/// A tensor's strides; none where an address does not fit.
fn strides<S>(it: &Assign<'_, S>, map: &[MapAxis]) -> Option<Strides> {
    let (mut base, mut stride, mut steps) = (0_usize, 1_usize, vec![0_usize; it.record.loops.len()]);
    for axis in map.iter().rev() {
        let mut walks = |factor: u64, j: usize| {
            // A loop of size 1 never takes its step, whose factor may be larger than any tensor.
            if it.record.loops[j].size > 1 {
                steps[j] = further(steps[j], factor, stride)?;
            }
            Some(())
        };
        let first = match &axis.label {
            Label::Iter(j) => {
                walks(1, *j)?;
                0
            }
            // Planned only where it stays inside.
            Label::Affine(affine) => {
                affine.terms.iter().try_for_each(|(factor, j)| walks(*factor, *j))?;
                u64::try_from(affine.offset).ok()?
            }
            Label::Concat(_) => 0,
            Label::At(Index::Fix(c)) => *c,
            Label::At(Index::External(name)) => external(it.externals, name),
        };
        base = further(base, first, stride)?;
        stride = further(0, axis.size, stride)?;
    }
    Some(Strides { base, steps })
}

/// What the order of the loops must keep, for a target.
pub(super) struct Order {
    /// Loops that the cell alone tells the value of: they may stand anywhere.
    pub(super) free: Vec<usize>,
    /// Loops that keep the order of the definition, as different values of them may meet in one cell.
    pub(super) ordered: Vec<usize>,
    /// Loops that the cell and those before them tell the value of. Where those are fixed, different values are different
    /// cells: the place of these loops is free inside those.
    pub(super) inner: Vec<usize>,
}

/// Does a sum of these loops tell them all, as a number tells its digits? Each counts further than all that are smaller.
fn are_digits(record: &Projections, terms: &[(u64, usize)]) -> bool {
    let mut terms = terms.to_vec();
    terms.sort_unstable();
    let mut reached = 0_u128;
    terms.iter().all(|(factor, j)| {
        let further = u128::from(*factor) > reached;
        reached = reached.saturating_add(u128::from(*factor) * u128::from(record.loops[*j].size.saturating_sub(1)));
        further
    })
}

impl Order {
    /// A cell's values come in the lexicographic order of the ordered loops: where two points of one cell differ first,
    /// the loop cannot be one that the cell and the loops before tell.
    pub(super) fn of(record: &Projections, target: Slot) -> Order {
        let map = record.map(target);
        // Is the value of j known, where those of these are?
        let told = |j: usize, known: &dyn Fn(usize) -> bool| {
            map.iter().any(|axis| match &axis.label {
                Label::Iter(i) => *i == j,
                Label::Affine(AffineLabel { terms, .. }) => {
                    let own = |(factor, i): &&(u64, usize)| *i == j && *factor > 0;
                    terms.iter().filter(own).count() == 1 && terms.iter().all(|(_, i)| *i == j || known(*i))
                }
                _ => false,
            })
        };
        let digits = map.iter().filter_map(|axis| match &axis.label {
            Label::Affine(affine) if are_digits(record, &affine.terms) => Some(&affine.terms),
            _ => None,
        });
        let mut free: Vec<usize> = digits.flatten().map(|(_, j)| *j).collect();
        free.sort_unstable();
        free.dedup();
        while let Some(j) = (0..record.loops.len()).find(|j| !free.contains(j) && told(*j, &|i| free.contains(&i))) {
            free.push(j);
        }
        free.sort_unstable();
        let rest = (0..record.loops.len()).filter(|j| !free.contains(j));
        let (inner, ordered) = rest.partition(|j| told(*j, &|i| i < *j || free.contains(&i)));
        Order { free, ordered, inner }
    }
}

impl Plan {
    /// The loops in the order of the definition; none where a number does not fit.
    pub(super) fn natural<S>(it: &Assign<'_, S>, order: &Order) -> Option<Plan> {
        let record = it.record;
        Some(Plan {
            sizes: record.loops.iter().map(|it| usize::try_from(it.size).ok()).collect::<Option<_>>()?,
            ordered: (0..record.loops.len()).map(|j| order.ordered.contains(&j)).collect(),
            target: strides(it, record.map(it.target))?,
            reads: it.reads.iter().map(|(slot, _)| strides(it, record.map(*slot))).collect::<Option<_>>()?,
        })
    }

    /// The plan of an assignment: the innermost loop is a free one that walks memory step by step. The *rounds* are just
    /// outside it: the ordered loops at the end that do not move the target. Loops of size 1 are left out. None where a
    /// number does not fit.
    #[must_use]
    pub fn of<S>(it: &Assign<'_, S>) -> Option<Plan> {
        let record = it.record;
        let order = Order::of(record, it.target);
        let natural = Plan::natural(it, &order)?;
        let walked = |loops: Vec<usize>| loops.into_iter().filter(|j| natural.sizes[*j] != 1).collect::<Vec<_>>();
        let [free, ordered, inner] = [order.free, order.ordered, order.inner].map(walked);
        let Plan { target, reads, .. } = &natural;
        // Short steps everywhere are best; long loops break ties.
        let cost = |j: &usize| {
            let steps = reads.iter().chain([target]).filter(|s| s.steps[*j] > 1).count();
            (steps, std::cmp::Reverse(record.loops[*j].size))
        };
        let last = free.iter().chain(&inner).copied().min_by_key(cost);
        let moving = ordered.iter().rposition(|j| target.steps[*j] != 0).map_or(0, |i| i + 1);
        let (moving, rounds) = ordered.split_at(moving);
        let but_last = |loops: &[usize]| loops.iter().copied().filter(|j| Some(*j) != last).collect::<Vec<_>>();
        let order = [&but_last(&free), moving, &but_last(&inner), rounds, last.as_slice()].concat();
        Some(natural.part(&order).merged())
    }

    /// Two loops that together walk as one would are one.
    fn merged(mut self) -> Plan {
        for j in (1..self.sizes.len()).rev() {
            let runs_on = |s: &Strides| s.steps[j].checked_mul(self.sizes[j]) == Some(s.steps[j - 1]);
            let size = self.sizes[j].checked_mul(self.sizes[j - 1]);
            let alike = self.ordered[j] == self.ordered[j - 1] && self.reads.iter().chain([&self.target]).all(runs_on);
            if let Some(size) = size.filter(|_| alike) {
                self.sizes[j] = size;
                self.sizes.remove(j - 1);
                self.ordered.remove(j - 1);
                for s in self.reads.iter_mut().chain([&mut self.target]) {
                    s.steps.remove(j - 1);
                }
            }
        }
        self
    }

    /// The number of the innermost loop, if it is a free one.
    pub(super) fn last(&self) -> Option<usize> {
        self.sizes.len().checked_sub(1).filter(|j| !self.ordered[*j])
    }

    /// The rounds.
    pub(super) fn rounds(&self) -> Range<usize> {
        let end = self.last().unwrap_or(self.sizes.len());
        let round = |j: &usize| self.ordered[*j] && self.target.steps[*j] == 0;
        let rounds = (0..end).rev().take_while(round).count();
        end - rounds..end
    }

    /// Do different values of a loop that moves the target meet in one cell?
    pub(super) fn meets(&self) -> bool {
        (0..self.sizes.len()).any(|j| self.ordered[j] && self.target.steps[j] != 0)
    }

    /// How many cells the target has that a point writes, where no cell is met by way of an affine index of several loops.
    pub(super) fn cells(&self) -> Option<usize> {
        let moves = |j: &usize| self.target.steps[*j] != 0;
        let mut moving = (0..self.sizes.len()).filter(moves);
        moving.try_fold(1_usize, |n, j| if self.ordered[j] { None } else { n.checked_mul(self.sizes[j]) })
    }

    /// The same, with the target's cells, of which there are so many, one after the other; none where its loops do not walk
    /// them so.
    pub(super) fn in_sequence(&self, cells: usize) -> Option<Plan> {
        let (last, rounds) = (self.last()?, self.rounds());
        let mut outer: Vec<usize> = (0..rounds.start).collect();
        outer.sort_by_key(|j| std::cmp::Reverse((self.target.steps[*j], self.sizes[*j])));
        let mut within = 1_usize;
        for j in [last].iter().chain(outer.iter().rev()) {
            if self.ordered[*j] || self.target.steps[*j] != within {
                return None;
            }
            within = within.checked_mul(self.sizes[*j])?;
        }
        let order: Vec<usize> = outer.into_iter().chain(rounds).chain([last]).collect();
        (within == cells && self.target.base == 0).then(|| self.part(&order).merged())
    }

    /// Of these reads alone, in this order.
    pub(super) fn reading(&self, reads: &[usize]) -> Plan {
        Plan { reads: reads.iter().map(|i| self.reads[*i].clone()).collect(), ..self.clone() }
    }

    /// These loops alone.
    pub(super) fn part(&self, loops: &[usize]) -> Plan {
        let strides = |of: &Strides| Strides { base: of.base, steps: loops.iter().map(|j| of.steps[*j]).collect() };
        Plan {
            sizes: loops.iter().map(|j| self.sizes[*j]).collect(),
            ordered: loops.iter().map(|j| self.ordered[*j]).collect(),
            target: strides(&self.target),
            reads: self.reads.iter().map(strides).collect(),
        }
    }

    /// How many points these loops have.
    pub(super) fn points(&self, loops: impl IntoIterator<Item = usize>) -> usize {
        loops.into_iter().fold(1, |n, j| n.saturating_mul(self.sizes[j]))
    }

    /// What each point of these loops adds to the addresses, in order.
    pub(super) fn offsets<T>(&self, loops: &[usize], mut of: impl FnMut(usize, &[usize]) -> T) -> Vec<T> {
        let mut part = self.part(loops);
        part.target.base = 0;
        part.reads.iter_mut().for_each(|read| read.base = 0);
        let mut offsets = Vec::with_capacity(part.sizes.iter().product());
        part.each(|target, at| offsets.push(of(target, at)));
        offsets
    }

    /// Calls `inner` with the addresses at every point.
    pub(super) fn each(&self, mut inner: impl FnMut(usize, &[usize])) {
        let Ok(()) = self.outer(0, |target, at| {
            inner(target, at);
            Ok::<(), Infallible>(())
        });
    }

    /// Calls `inner` with the addresses at the beginning of every run of the innermost loops, `depth` of them.
    pub(super) fn outer<E>(
        &self,
        depth: usize,
        mut inner: impl FnMut(usize, &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let outer = self.sizes.len().saturating_sub(depth);
        let mut point = vec![0; outer];
        let mut target = self.target.base;
        let mut reads: Vec<usize> = self.reads.iter().map(|s| s.base).collect();
        loop {
            inner(target, &reads)?;
            let mut j = outer;
            loop {
                if j == 0 {
                    return Ok(());
                }
                j -= 1;
                let back = point[j] + 1 == self.sizes[j];
                let steps = if back { point[j] } else { 1 };
                point[j] = if back { 0 } else { point[j] + 1 };
                let moved = |at: usize, step: usize| if back { at - steps * step } else { at + step };
                target = moved(target, self.target.steps[j]);
                for (at, s) in reads.iter_mut().zip(&self.reads) {
                    *at = moved(*at, s.steps[j]);
                }
                if !back {
                    break;
                }
            }
        }
    }
}

/// Runs an assignment by its plan. A target may come without its cells, which nothing has written then.
///
/// # Errors
/// As [`walk::assign`].
pub fn assign<S: Scalar>(it: &Assign<'_, S>, target: &mut Value<S>) -> Computed<()> {
    if it.is_plain()
        && let Some(done) = S::planned(it, target)
    {
        return done;
    }
    if target.data.is_empty() {
        *target = zeros(std::mem::take(&mut target.dims))?;
    }
    walk::assign(it, target)
}
