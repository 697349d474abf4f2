//! The same walk by a plan.
//!
//! Values of one cell must join in the order of the definition: in the lexicographic order of the loops that do
//! not tell cells apart, the reductions and those inside an affine index of the target. Where the other loops stand
//! is free, since different values of them are different cells. So a plan may move one of those innermost, where
//! memory is walked step by step. What is computed is the same to the bit; `harnesses/laws/tests/interp.rs` compares.

use super::scalar::{Computed, Scalar};
use super::value::Value;
use super::walk::{self, Assign};
use lozenge_language::projection::affine::external;
use lozenge_language::projection::{Index, Label, MapAxis, Projections};
use std::convert::Infallible;

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

fn strides<S>(it: &Assign<'_, S>, map: &[MapAxis], order: &[usize]) -> Strides {
    let (mut base, mut stride, mut by_loop) = (0_usize, 1_usize, vec![0_usize; it.record.loops.len()]);
    let small = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    for axis in map.iter().rev() {
        match &axis.label {
            Label::Iter(j) => by_loop[*j] += stride,
            // Planned only where it stays inside.
            Label::Affine(affine) => {
                base += usize::try_from(affine.offset).unwrap_or(0) * stride;
                for (factor, j) in &affine.terms {
                    by_loop[*j] += small(*factor) * stride;
                }
            }
            Label::Concat(_) => {}
            Label::At(Index::Fix(c)) => base += small(*c) * stride,
            Label::At(Index::External(name)) => base += small(external(it.externals, name)) * stride,
        }
        stride = stride.saturating_mul(small(axis.size));
    }
    Strides { base, steps: order.iter().map(|j| by_loop[*j]).collect() }
}

/// The loops whose values may meet in one cell: all that are not the whole index of an axis.
fn ordered(record: &Projections, target: &[MapAxis]) -> Vec<usize> {
    let whole = |j: usize| target.iter().any(|axis| axis.label == Label::Iter(j));
    (0..record.loops.len()).filter(|j| !whole(*j)).collect()
}

impl Plan {
    /// The plan of an assignment: the innermost loop is a free one that walks memory step by step; those that keep
    /// their order are just outside it.
    #[must_use]
    pub fn of<S>(it: &Assign<'_, S>) -> Plan {
        let record = it.record;
        let ordered = ordered(record, record.map(it.target));
        let natural: Vec<usize> = (0..record.loops.len()).collect();
        let target = strides(it, record.map(it.target), &natural);
        let reads: Vec<Strides> = it.reads.iter().map(|(slot, _)| strides(it, record.map(*slot), &natural)).collect();
        // Short steps everywhere are best; long loops break ties.
        let cost = |j: &usize| {
            let steps = reads.iter().chain([&target]).filter(|s| s.steps[*j] > 1).count();
            (steps, std::cmp::Reverse(record.loops[*j].size))
        };
        let inner = natural.iter().copied().filter(|j| !ordered.contains(j)).min_by_key(cost);
        let outer = natural.iter().copied().filter(|j| !ordered.contains(j) && Some(*j) != inner);
        let order: Vec<usize> = outer.chain(ordered.iter().copied()).chain(inner).collect();
        Plan {
            sizes: order.iter().map(|j| usize::try_from(record.loops[*j].size).unwrap_or(usize::MAX)).collect(),
            ordered: order.iter().map(|j| ordered.contains(j)).collect(),
            target: strides(it, record.map(it.target), &order),
            reads: it.reads.iter().map(|(slot, _)| strides(it, record.map(*slot), &order)).collect(),
        }
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

/// A plan has one address for every point: no loops that take turns.
fn can_plan<S>(it: &Assign<'_, S>) -> bool {
    let single = |map: &[MapAxis]| map.iter().all(|axis| !matches!(axis.label, Label::Concat(_)));
    it.record.coupled.is_empty() && it.record.slots().all(|slot| single(it.record.map(slot)))
}

/// Runs an assignment by its plan.
///
/// # Errors
/// As [`walk::assign`].
pub fn assign<S: Scalar>(it: &Assign<'_, S>, target: &mut Value<S>) -> Computed<()> {
    if !can_plan(it) {
        return walk::assign(it, target);
    }
    match S::planned(it, target) {
        Some(done) => done,
        None => walk::assign(it, target),
    }
}
