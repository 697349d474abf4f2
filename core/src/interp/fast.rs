//! Floating-point kernels for the plans of [`super::plan`].

use super::plan::Plan;
use super::point::Point;
use super::scalar::{Computed, Scalar};
use super::value::Value;
use super::walk::Assign;
use crate::program::ast::{Accumulate, BinaryOp, TernaryOp};

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
    let plan = Plan::of(it);
    if it.erase {
        target.data.fill(beginning(it.accumulate)?);
    }
    Some(kernel(it, &plan, &mut target.data))
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
            runs(plan, out, |r: [usize; 3]| a[r[0]] * b[r[1]] * c[r[2]], |old, new| old + new)
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

/// Σ a · b. Where the innermost loop walks the target and one operand step by step and the loop around it is a
/// reduction, four of its rounds are done at once: each cell still adds its products in their order.
fn sum_of_products(plan: &Plan, out: &mut [f64], [a, b]: [&[f64]; 2]) -> Computed<()> {
    let plain = |out: &mut [f64]| runs(plan, out, |r: [usize; 2]| a[r[0]] * b[r[1]], |old, new| old + new);
    let depth = plan.sizes.len();
    if depth < 2 || plan.target.steps[depth - 1] != 1 || !plan.reduces[depth - 2] {
        return plain(out);
    }
    let (n, rounds) = (plan.sizes[depth - 1], plan.sizes[depth - 2]);
    let inner = |i: usize| (plan.reads[i].steps[depth - 1], plan.reads[i].steps[depth - 2]);
    // x is constant along the innermost loop and y is contiguous; products commute to the bit.
    let (x, y, swap) = match (inner(0), inner(1)) {
        ((0, by), (1, rows)) => ((a, by), (b, rows), false),
        ((1, rows), (0, by)) => ((b, by), (a, rows), true),
        _ => return plain(out),
    };
    plan.outer(2, |target, at| {
        let (x_at, y_at) = if swap { (at[1], at[0]) } else { (at[0], at[1]) };
        let cells = &mut out[target..target + n];
        let row = |j: usize| &y.0[y_at + j * y.1..][..n];
        let mut j = 0;
        while j + 4 <= rounds {
            let factor: [f64; 4] = std::array::from_fn(|k| x.0[x_at + (j + k) * x.1]);
            let rows: [&[f64]; 4] = std::array::from_fn(|k| row(j + k));
            let [r0, r1, r2, r3] = rows;
            for ((((cell, y0), y1), y2), y3) in cells.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
                let mut sum = *cell;
                sum += factor[0] * y0;
                sum += factor[1] * y1;
                sum += factor[2] * y2;
                sum += factor[3] * y3;
                *cell = sum;
            }
            j += 4;
        }
        for j in j..rounds {
            let factor = x.0[x_at + j * x.1];
            for (cell, y) in cells.iter_mut().zip(row(j)) {
                *cell += factor * y;
            }
        }
        Ok(())
    })
}
