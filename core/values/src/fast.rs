//! Floating-point kernels for the plans of [`super::plan`].

use super::block;
use super::margin::Margins;
use super::plan::Plan;
use super::point::Point;
use super::scalar::{Computed, Scalar};
use super::value::Value;
use super::walk::Assign;
use lozenge_language::ast::{Accumulate, BinaryOp, TernaryOp};

/// What an erased cell begins at, so that the first value stays as it is to the bit: −0 + x is x, 0 + x is not.
fn beginning(how: Accumulate) -> Option<f64> {
    match how {
        Accumulate::Add => Some(-0.0),
        how => f64::neutral(how),
    }
}

/// Runs a planned assignment; none where there is no plan for it.
pub(super) fn assign(it: &Assign<'_, f64>, target: &mut Value<f64>) -> Option<Computed<()>> {
    // Cells that no point writes are the definition's business.
    if it.erase && !it.record.is_surjective_at(it.target) {
        return None;
    }
    let mut slots = it.reads.iter().map(|(slot, _)| *slot).chain([it.target]);
    let margins = if slots.any(|slot| it.record.is_padded(slot)) { Some(Margins::of(it)?) } else { None };
    if it.erase {
        target.data.fill(beginning(it.accumulate)?);
    }
    let run = |it: &Assign<'_, f64>, target: &mut Value<f64>| kernel(it, &Plan::of(it), &mut target.data);
    Some(match margins {
        Some(margins) => margins.run(it, target, &f64::neutral(it.padding)?, run),
        None => run(it, target),
    })
}

/// Chooses the loop body once, outside the loops.
fn kernel(it: &Assign<'_, f64>, plan: &Plan, out: &mut [f64]) -> Computed<()> {
    let data: Vec<&[f64]> = it.reads.iter().map(|(_, value)| value.data.as_slice()).collect();
    let read = |i: usize| Point::Read(i);
    let is = |op: BinaryOp| it.value == Point::Binary(op, Box::new([read(0), read(1)]));
    match (it.accumulate, data.as_slice()) {
        (Accumulate::Add, [a, b]) if is(BinaryOp::Mul) => sum_of_products(plan, out, [a, b]),
        (Accumulate::Add, [a, b, c])
            if it.value == Point::Ternary(TernaryOp::Mul3, Box::new([read(0), read(1), read(2)])) =>
        {
            sum_of_three(plan, out, [a, b, c])
        }
        (Accumulate::Replace, [a, b]) if is(BinaryOp::Mul) => {
            runs(plan, out, |r: [usize; 2]| a[r[0]] * b[r[1]], |_, new| new)
        }
        (Accumulate::Replace, [a, b]) if is(BinaryOp::Add) => {
            runs(plan, out, |r: [usize; 2]| a[r[0]] + b[r[1]], |_, new| new)
        }
        (Accumulate::Add, [a]) if it.value == read(0) => runs(plan, out, |r: [usize; 1]| a[r[0]], |old, new| old + new),
        _ => any(it, plan, out, &data),
    }
}

/// Any body, evaluated point by point.
fn any(it: &Assign<'_, f64>, plan: &Plan, out: &mut [f64], data: &[&[f64]]) -> Computed<()> {
    let mut cells: Vec<&f64> = Vec::with_capacity(data.len());
    plan.outer(0, |target, at| {
        cells.clear();
        cells.extend(data.iter().zip(at).map(|(data, at)| &data[*at]));
        let new = it.value.at(&cells)?;
        out[target] = f64::accumulate(it.accumulate, &out[target], new)?;
        Ok(())
    })
}

/// A body that reads N cells, with the innermost loop unrolled from the odometer.
fn runs<const N: usize>(
    plan: &Plan,
    out: &mut [f64],
    value: impl Fn([usize; N]) -> f64,
    join: impl Fn(f64, f64) -> f64,
) -> Computed<()> {
    let Some(last) = plan.sizes.len().checked_sub(1) else {
        return plan.outer(0, |target, at| {
            out[target] = join(out[target], value(std::array::from_fn(|i| at[i])));
            Ok(())
        });
    };
    let (n, step) = (plan.sizes[last], plan.target.steps[last]);
    let steps: [usize; N] = std::array::from_fn(|i| plan.reads[i].steps[last]);
    plan.outer(1, |target, at| {
        for k in 0..n {
            let cell = &mut out[target + k * step];
            *cell = join(*cell, value(std::array::from_fn(|i| at[i] + k * steps[i])));
        }
        Ok(())
    })
}

/// Σ a · b, by blocks where that pays. Else, where the loop around the innermost is a reduction and one factor does not
/// change along the innermost, that one is read once a round.
fn sum_of_products(plan: &Plan, out: &mut [f64], [a, b]: [&[f64]; 2]) -> Computed<()> {
    // Products commute to the bit, so that either may be the left one.
    if block::sum(plan, out, [(0, a)], (1, b)) || block::sum(plan, out, [(1, b)], (0, a)) {
        return Ok(());
    }
    let plain = |out: &mut [f64]| runs(plan, out, |r: [usize; 2]| a[r[0]] * b[r[1]], |old, new| old + new);
    let depth = plan.sizes.len();
    if depth < 2 || plan.target.steps[depth - 1] != 1 || plan.target.steps[depth - 2] != 0 {
        return plain(out);
    }
    let (n, rounds) = (plan.sizes[depth - 1], plan.sizes[depth - 2]);
    let inner = |i: usize| (plan.reads[i].steps[depth - 1], plan.reads[i].steps[depth - 2]);
    // x is constant along the innermost loop.
    let (x, by, y, (step, to_next), swap) = match (inner(0), inner(1)) {
        ((0, by), walked) => (a, by, b, walked, false),
        (walked, (0, by)) => (b, by, a, walked, true),
        _ => return plain(out),
    };
    plan.outer(2, |target, at| {
        let (x_at, y_at) = if swap { (at[1], at[0]) } else { (at[0], at[1]) };
        let cells = &mut out[target..target + n];
        let factor = |j: usize| x[x_at + j * by];
        if step == 1 {
            add_rows(cells, rounds, factor, |j| &y[y_at + j * to_next..][..n]);
        } else {
            add_columns(cells, rounds, factor, |j, k| y[y_at + j * to_next + k * step]);
        }
        Ok(())
    })
}

/// Σ (a · b) · c, by blocks where that pays.
fn sum_of_three(plan: &Plan, out: &mut [f64], [a, b, c]: [&[f64]; 3]) -> Computed<()> {
    if block::sum(plan, out, [(0, a), (1, b)], (2, c)) {
        return Ok(());
    }
    runs(plan, out, |r: [usize; 3]| a[r[0]] * b[r[1]] * c[r[2]], |old, new| old + new)
}

/// cells += factor(j) · row(j) for every round j. Four rounds are done at once: each cell still adds its products in
/// their order.
fn add_rows<'a>(cells: &mut [f64], rounds: usize, factor: impl Fn(usize) -> f64, row: impl Fn(usize) -> &'a [f64]) {
    let mut j = 0;
    while j + 4 <= rounds {
        let f: [f64; 4] = std::array::from_fn(|k| factor(j + k));
        let [r0, r1, r2, r3]: [&[f64]; 4] = std::array::from_fn(|k| row(j + k));
        for ((((cell, y0), y1), y2), y3) in cells.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
            let mut sum = *cell;
            sum += f[0] * y0;
            sum += f[1] * y1;
            sum += f[2] * y2;
            sum += f[3] * y3;
            *cell = sum;
        }
        j += 4;
    }
    for j in j..rounds {
        let f = factor(j);
        for (cell, y) in cells.iter_mut().zip(row(j)) {
            *cell += f * y;
        }
    }
}

/// cells\[k\] += factor(j) · at(j, k) for every round j. Eight cells are done at once, each with its products in their
/// order, so that no sum waits for another.
fn add_columns(cells: &mut [f64], rounds: usize, factor: impl Fn(usize) -> f64, at: impl Fn(usize, usize) -> f64) {
    const WIDE: usize = 8;
    let whole = cells.len() / WIDE * WIDE;
    let (wide, rest) = cells.split_at_mut(whole);
    for (block, cells) in wide.chunks_exact_mut(WIDE).enumerate() {
        let mut sums: [f64; WIDE] = std::array::from_fn(|k| cells[k]);
        for j in 0..rounds {
            let f = factor(j);
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += f * at(j, block * WIDE + k);
            }
        }
        cells.copy_from_slice(&sums);
    }
    for (k, cell) in rest.iter_mut().enumerate() {
        for j in 0..rounds {
            *cell += factor(j) * at(j, whole + k);
        }
    }
}
