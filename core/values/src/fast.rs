//! Plans for floating-point numbers: which loop runs for which assignment.

use super::block;
use super::float::two;
use super::lanes::{self, Any, Body, Known, Out};
use super::margin::Margins;
use super::parts::parts;
use super::plan::Plan;
use super::point::Point;
use super::scalar::{Computed, Scalar};
use super::value::{Value, cells};
use super::walk::Assign;
use super::windows;
use lozenge_language::ast::{Accumulate, BinaryOp, TernaryOp};
use lozenge_language::projection::Projections;
use std::borrow::Cow;

/// What an erased cell begins at, so that the first value stays as it is to the bit: −0 + x is x, 0 + x is not.
fn beginning(how: Accumulate) -> f64 {
    if how == Accumulate::Add { -0.0 } else { how.neutral() }
}

/// Is an erased cell's first value what it then holds?
fn is_kept(how: Accumulate) -> bool {
    matches!(how, Accumulate::Replace | Accumulate::Add | Accumulate::Mul | Accumulate::Max | Accumulate::Min)
}

/// The most rounds of a cell that is made from what is read alone.
const LIGHT: usize = 8;

/// One of the product spaces of an assignment, with the margins that its indices need.
struct Part<'a> {
    record: Cow<'a, Projections>,
    margins: Option<Margins>,
    plan: Plan,
}

impl<'a> Part<'a> {
    fn of(it: &Assign<'_, f64>, record: Cow<'a, Projections>) -> Option<Self> {
        if record.loops.iter().any(|it| it.size == 0) {
            return None;
        }
        let over = part(it, &record);
        let mut slots = it.reads.iter().map(|(slot, _)| *slot).chain([it.target]);
        let margins = if slots.any(|slot| record.is_padded(slot)) { Some(Margins::of(&over)?) } else { None };
        let plan = match &margins {
            Some(margins) => Plan::of(&part(it, &margins.record))?,
            None => Plan::of(&over)?,
        };
        Some(Part { record, margins, plan })
    }

    /// How many cells it writes, where that is easily said and all are inside.
    fn cells(&self, it: &Assign<'_, f64>) -> Option<usize> {
        self.plan.cells().filter(|_| !self.record.is_padded(it.target))
    }

    /// The cells that it writes, each once: see [`marking`].
    fn mark(&self, it: &Assign<'_, f64>) -> Option<Part<'static>> {
        Part::of(&marking(it), Cow::Owned(self.record.once(&[it.target])))
    }

    /// The plan that makes the target's cells, so many, one after the other, where so little is computed for each that it
    /// matters how often they are written.
    fn making(&self, it: &Assign<'_, f64>, cells: usize) -> Option<Plan> {
        let rounds = self.plan.points(self.plan.rounds());
        let light = rounds == 1 || rounds <= LIGHT && it.value == Point::Read(0);
        if light && self.margins.is_none() { self.plan.in_sequence(cells) } else { None }
    }

    fn run(&self, it: &Assign<'_, f64>, target: &mut Value<f64>) -> Computed<()> {
        let it = part(it, &self.record);
        let run =
            |it: &Assign<'_, f64>, target: &mut Value<f64>| kernel(it, &self.plan, &mut Out::There(&mut target.data));
        match &self.margins {
            Some(margins) => margins.run(&it, target, &it.padding.neutral(), run),
            None => run(&it, target),
        }
    }
}

/// The assignment over another record.
fn part<'a>(it: &Assign<'a, f64>, record: &'a Projections) -> Assign<'a, f64> {
    Assign { record, reads: it.reads.clone(), value: it.value.clone(), ..*it }
}

/// Runs a planned assignment; none where there is no plan for it. Cells that are not there yet are 0, if nothing else.
pub(super) fn assign(it: &Assign<'_, f64>, target: &mut Value<f64>) -> Option<Computed<()>> {
    let parts = parts(it)?;
    let apart = parts.apart;
    let parts: Vec<Part<'_>> = parts.records.into_iter().map(|record| Part::of(it, record)).collect::<Option<_>>()?;
    let mut it = part(it, it.record);
    let (how, all) = (it.accumulate, cells::<f64>(&target.dims)?);
    let written = parts.iter().try_fold(0_usize, |n, part| n.checked_add(part.cells(&it)?));
    let covered = apart && written == Some(all);
    let once = apart && parts.iter().all(|part| !part.plan.ordered.contains(&true));
    if it.erase && once && is_kept(how) {
        it.accumulate = Accumulate::Replace;
    }
    let marks = if it.erase && it.accumulate == Accumulate::Add && !covered { parts.as_slice() } else { &[] };
    let marks: Vec<Part<'_>> = marks.iter().map(|part| part.mark(&it)).collect::<Option<_>>()?;
    let begin = begin(&it, how, covered);
    if target.data.len() == all {
        begin.into_iter().for_each(|cell| target.data.fill(cell));
    } else if let [only] = parts.as_slice()
        && let Some(plan) = only.making(&it, all)
    {
        target.data = Vec::with_capacity(all);
        let mut out = Out::New(&mut target.data, begin.unwrap_or(0.0));
        return Some(kernel(&part(&it, &only.record), &plan, &mut out));
    } else {
        target.data = vec![begin.unwrap_or(0.0); all];
    }
    let mark = marking(&it);
    let marked = marks.iter().try_for_each(|part| part.run(&mark, target));
    Some(marked.and_then(|()| parts.iter().try_for_each(|part| part.run(&it, target))))
}

/// What all cells are set to first, where the assignment erases and does not replace every one.
fn begin(it: &Assign<'_, f64>, how: Accumulate, covered: bool) -> Option<f64> {
    match (it.erase, it.accumulate, covered) {
        (false, ..) | (_, Accumulate::Replace, true) => None,
        (.., true) => Some(beginning(how)),
        (.., false) => Some(how.neutral()),
    }
}

/// Sets the cells that an assignment writes to what their sums begin at.
fn marking<'a>(it: &Assign<'a, f64>) -> Assign<'a, f64> {
    let value = Point::Number(beginning(Accumulate::Add));
    Assign { reads: Vec::new(), value, accumulate: Accumulate::Replace, erase: false, ..*it }
}

/// Chooses the loop body once, outside the loops.
fn kernel(it: &Assign<'_, f64>, plan: &Plan, out: &mut Out<'_>) -> Computed<()> {
    let data: Vec<&[f64]> = it.reads.iter().map(|(_, value)| value.data.as_slice()).collect();
    match (it.accumulate, factors(&it.value).as_deref(), data.as_slice()) {
        (Accumulate::Replace, Some([0]), [a]) => copies(plan, out, a),
        (Accumulate::Add, Some([0]), [a]) => walk(plan, out, [a], &Known(|[x]: [f64; 1]| x, |old, new| old + new)),
        (Accumulate::Max, Some([0]), [a]) => {
            walk(plan, out, [a], &Known(|[x]: [f64; 1]| x, |old, new| two(BinaryOp::Max, old, new)))
        }
        (Accumulate::Add, Some([i, j]), _) => sum_of_products(it, plan, out, &data, [*i, *j]),
        (Accumulate::Add, Some([i, j, k]), _) => sum_of_three(it, plan, out, &data, [*i, *j, *k]),
        _ => short(it, plan, out, &data),
    }
}

/// The bodies of a few more operations that programs are full of.
fn short(it: &Assign<'_, f64>, plan: &Plan, out: &mut Out<'_>, data: &[&[f64]]) -> Computed<()> {
    let read = |i: usize| Point::Read(i);
    let is = |op: BinaryOp| it.value == Point::Binary(op, Box::new([read(0), read(1)]));
    let equal = || Point::Binary(BinaryOp::Eq, Box::new([read(0), read(1)]));
    match (it.accumulate, data) {
        (Accumulate::Replace, [a, b]) if is(BinaryOp::Add) => {
            walk(plan, out, [a, b], &Known(|[x, y]: [f64; 2]| x + y, |_, new| new))
        }
        (Accumulate::Replace, [a, b]) if is(BinaryOp::Mul) => {
            walk(plan, out, [a, b], &Known(|[x, y]: [f64; 2]| x * y, |_, new| new))
        }
        (Accumulate::Replace, [a, b]) if is(BinaryOp::Sub) => {
            walk(plan, out, [a, b], &Known(|[x, y]: [f64; 2]| x - y, |_, new| new))
        }
        (Accumulate::Replace, [a, b]) if is(BinaryOp::Div) => {
            walk(plan, out, [a, b], &Known(|[x, y]: [f64; 2]| x / y, |_, new| new))
        }
        // The gradient of a maximum.
        (Accumulate::Add, [a, b, c])
            if it.value == Point::Ternary(TernaryOp::Where, Box::new([equal(), read(2), Point::Number(0.0)])) =>
        {
            let chosen = |[x, y, z]: [f64; 3]| if x == y { z } else { 0.0 };
            walk(plan, out, [a, b, c], &Known(chosen, |old, new| old + new))
        }
        _ => any(it, plan, out, data),
    }
}

/// The reads whose product a value is, if it is one that is computed from the left.
fn factors(value: &Point<f64>) -> Option<Vec<usize>> {
    let read = |point: &Point<f64>| if let Point::Read(i) = point { Some(*i) } else { None };
    match value {
        Point::Read(i) => Some(vec![*i]),
        Point::Binary(BinaryOp::Mul | BinaryOp::Compose, xy) => {
            let mut factors = factors(&xy[0])?;
            factors.push(read(&xy[1])?);
            Some(factors)
        }
        Point::Ternary(TernaryOp::Mul3, xyz) => xyz.iter().map(read).collect(),
        _ => None,
    }
}

fn walk<const N: usize>(plan: &Plan, out: &mut Out<'_>, data: [&[f64]; N], body: &impl Body<N>) -> Computed<()> {
    lanes::run(plan, out, data, body);
    Ok(())
}

/// Cells that are copied, whole rows at once where they lie side by side.
fn copies(plan: &Plan, out: &mut Out<'_>, from: &[f64]) -> Computed<()> {
    let last = plan.last().filter(|j| plan.rounds().is_empty() && plan.target.steps[*j] == 1);
    match last.filter(|j| plan.reads[0].steps[*j] == 1).map(|j| plan.sizes[j]) {
        None => walk(plan, out, [from], &Known(|[x]: [f64; 1]| x, |_, new| new)),
        Some(n) => plan.outer(1, |target, at| {
            let row = &from[at[0]..at[0] + n];
            match out {
                Out::There(cells) => cells[target..target + n].copy_from_slice(row),
                Out::New(cells, _) => cells.extend_from_slice(row),
            }
            Ok(())
        }),
    }
}

/// Σ a · b, by blocks where that pays.
fn sum_of_products(
    it: &Assign<'_, f64>,
    plan: &Plan,
    out: &mut Out<'_>,
    data: &[&[f64]],
    [i, j]: [usize; 2],
) -> Computed<()> {
    // Products commute to the bit, so that either may be the left one. The right one moves with neighbours of the target.
    let moves = |i: usize| plan.last().is_some_and(|last| plan.reads[i].steps[last] != 0);
    let (i, j) = if moves(i) && !moves(j) { (j, i) } else { (i, j) };
    let (a, b) = ((i, data[i]), (j, data[j]));
    if let Out::There(out) = out {
        let into_windows = plan.meets() && (windows::sum(it, out, a, b) || windows::sum(it, out, b, a));
        if into_windows || block::sum(plan, out, [a], b) || block::sum(plan, out, [b], a) {
            return Ok(());
        }
    }
    let product = Known(|[x, y]: [f64; 2]| x * y, |old, new| old + new);
    match data {
        [x, y] if i != j => walk(plan, out, [x, y], &product),
        _ => any(it, plan, out, data),
    }
}

/// Σ a · b · c, by blocks where that pays.
fn sum_of_three(
    it: &Assign<'_, f64>,
    plan: &Plan,
    out: &mut Out<'_>,
    data: &[&[f64]],
    factors: [usize; 3],
) -> Computed<()> {
    let [a, b, c] = factors.map(|i| (i, data[i]));
    if let Out::There(out) = out
        && block::sum(plan, out, [a, b], c)
    {
        return Ok(());
    }
    short(it, plan, out, data)
}

/// Any body.
fn any(it: &Assign<'_, f64>, plan: &Plan, out: &mut Out<'_>, data: &[&[f64]]) -> Computed<()> {
    let body = Any(&it.value, it.accumulate);
    // So much is computed for a cell here that it does not matter whether it is made first.
    let out = &mut Out::There(out.there(plan));
    match data {
        [] => walk(plan, out, [], &body),
        [a] => walk(plan, out, [a], &body),
        [a, b] => walk(plan, out, [a, b], &body),
        [a, b, c] => walk(plan, out, [a, b, c], &body),
        [a, b, c, d] => walk(plan, out, [a, b, c, d], &body),
        _ => by_points(it, plan, out, data),
    }
}

/// Any body with any number of reads, point by point.
fn by_points(it: &Assign<'_, f64>, plan: &Plan, out: &mut Out<'_>, data: &[&[f64]]) -> Computed<()> {
    let mut cells: Vec<&f64> = Vec::with_capacity(data.len());
    let out = out.there(plan);
    plan.outer(0, |target, at| {
        cells.clear();
        cells.extend(data.iter().zip(at).map(|(data, at)| &data[*at]));
        let new = it.value.at(&cells)?;
        out[target] = f64::accumulate(it.accumulate, &out[target], new)?;
        Ok(())
    })
}
