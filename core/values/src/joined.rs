//! Tensors one after the other: their rows, in the order of the result.

use super::parts::parts;
use super::plan::Plan;
use super::point::Point;
use super::value::cells;
use super::walk::Assign;
use super::wide::Wide;
use lozenge_language::ast::Accumulate;

/// A row of the result: where it begins there, whose it is, where it begins there, and its length.
type Row = (usize, usize, usize, usize);

/// The shortest rows that are worth it, on average.
const SHORT: usize = 8;

/// The result of these assignments one after the other, of which the first erases; none where they do not write each cell
/// once, or not by rows.
pub(super) fn joined(all: &[Assign<'_, f64>], dims: &[u64]) -> Option<Vec<f64>> {
    let count = cells::<f64>(dims)?;
    let mut rows: Vec<Row> = Vec::new();
    for (i, it) in all.iter().enumerate() {
        collect(&mut rows, it, i, count / SHORT)?;
    }
    rows.sort_unstable();
    let end = rows.iter().try_fold(0, |end, (at, .., n)| (*at == end).then_some(end + n));
    if end != Some(count) {
        return None;
    }
    let mut result = Vec::with_capacity(count);
    for (_, i, from, n) in rows {
        let row = &all[i].reads[0].1.data[from..from + n];
        if i == 0 {
            result.extend_from_slice(row);
        } else {
            // What the first leaves of a sum is 0, and 0 + −0 is 0.
            Wide::here().run(
                #[inline(always)]
                || result.extend(row.iter().map(|x| 0.0 + x)),
            );
        }
    }
    Some(result)
}

/// The rows of one of them, of which there may be so many.
fn collect(rows: &mut Vec<Row>, it: &Assign<'_, f64>, i: usize, most: usize) -> Option<()> {
    let parts = parts(it)?.records;
    let [record] = parts.as_slice() else { return None };
    let plain = it.accumulate == Accumulate::Add && it.value == Point::Read(0) && it.reads.len() == 1;
    let empty = record.loops.iter().any(|it| it.size == 0);
    if !plain || empty || record.is_padded(it.target) || record.is_padded(it.reads[0].0) {
        return None;
    }
    let plan = Plan::of(&Assign { record, reads: it.reads.clone(), value: it.value.clone(), ..*it })?;
    let last = plan.last().filter(|_| !plan.ordered.contains(&true))?;
    let n = plan.sizes[last];
    let count = plan.sizes[..last].iter().fold(rows.len() + 1, |count, n| count.saturating_mul(*n));
    if (plan.target.steps[last], plan.reads[0].steps[last]) != (1, 1) || count > most {
        return None;
    }
    let Ok(()) = plan.outer(1, |target, at| {
        rows.push((target, i, at[0], n));
        Ok::<(), std::convert::Infallible>(())
    });
    Some(())
}
