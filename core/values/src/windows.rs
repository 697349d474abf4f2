//! Sums of products into a window: the gradient of a convolution for what it reads.
//!
//! Two loops meet in an axis of the target: one keeps the order of the definition, and it and the cell tell the other. Cell
//! by cell, the values that join are those of a few *taps*, in the order of the first loop. Places with the same taps are
//! computed together, as rows of blocks; those near the ends of the axis have fewer. So a cell stays in a register until it
//! has all its values.

use super::block::{Blocks, Groups, pay};
use super::plan::{Order, Plan};
use super::walk::Assign;
use lozenge_language::projection::affine::AffineLabel;
use lozenge_language::projection::{Label, Projections, Slot};
use std::collections::BTreeMap;

/// The most points of two loops that are written down.
const MOST: usize = 1 << 16;
/// The fewest points, on average, of places that are computed together.
const FEWEST: u128 = 1 << 15;

/// Two loops that meet in an axis of the target, each with its factor.
struct Window {
    /// Keeps the order of the definition.
    outer: (u64, usize),
    /// Told by the cell and the other.
    inner: (u64, usize),
}

/// The windows of a target; none where its axes mix loops in another way.
fn windows(record: &Projections, target: Slot, order: &Order) -> Option<Vec<Window>> {
    let free = |j: &usize| !order.ordered.contains(j) && !order.inner.contains(j);
    let mut windows: Vec<Window> = Vec::new();
    for axis in record.map(target) {
        let Label::Affine(AffineLabel { terms, .. }) = &axis.label else { continue };
        if terms.iter().all(|(_, j)| free(j)) {
            continue;
        }
        let [first, second] = terms.as_slice() else { return None };
        let (outer, inner) = if order.inner.contains(&first.1) { (*second, *first) } else { (*first, *second) };
        let known = |j: usize| windows.iter().any(|it| it.outer.1 == j || it.inner.1 == j);
        let apart = order.ordered.contains(&outer.1) && order.inner.contains(&inner.1);
        if !apart || outer.0 == 0 || inner.0 == 0 || known(outer.1) || known(inner.1) {
            return None;
        }
        windows.push(Window { outer, inner });
    }
    (windows.len() == order.inner.len()).then_some(windows)
}

/// Places of a window with the same taps.
struct Places {
    /// Each place as the first value of the outer loop there.
    first: Vec<usize>,
    /// How far the outer loop is from its first value, and the value of the inner one.
    taps: Vec<(usize, usize)>,
}

fn places(window: &Window, sizes: &[usize]) -> Option<Vec<Places>> {
    let (outer, inner) = (sizes[window.outer.1], sizes[window.inner.1]);
    if outer.checked_mul(inner)? > MOST {
        return None;
    }
    let mut values: BTreeMap<u128, Vec<(usize, usize)>> = BTreeMap::new();
    for i in 0..outer {
        for j in 0..inner {
            let index = u128::from(window.outer.0) * i as u128 + u128::from(window.inner.0) * j as u128;
            values.entry(index).or_default().push((i, j));
        }
    }
    let mut places: BTreeMap<Vec<(usize, usize)>, Vec<usize>> = BTreeMap::new();
    for mut taps in values.into_values() {
        let first = taps[0].0;
        taps.iter_mut().for_each(|(i, _)| *i -= first);
        places.entry(taps).or_default().push(first);
    }
    Some(places.into_iter().map(|(taps, first)| Places { first, taps }).collect())
}

/// The loops of a sum of products into windows. The plan has the loops in their own order; it reads left and right factor.
struct Sum {
    plan: Plan,
    order: Order,
    /// Each with its places.
    windows: Vec<(Window, Vec<Places>)>,
    groups: Groups,
}

impl Sum {
    /// For the product of these reads; none where the target has no windows, or blocks would not pay.
    fn of(it: &Assign<'_, f64>, factors: [usize; 2]) -> Option<Self> {
        let order = Order::of(it.record, it.target);
        let plan = Plan::natural(it, &order)?.reading(&factors);
        let places = |window: Window| places(&window, &plan.sizes).map(|places| (window, places));
        let windows = windows(it.record, it.target, &order)?.into_iter().map(places).collect::<Option<Vec<_>>>()?;
        let moves_right = |(window, _): &(Window, Vec<Places>)| plan.reads[1].steps[window.outer.1] != 0;
        if windows.is_empty() || windows.iter().any(moves_right) {
            return None;
        }
        let groups = Groups::of(&plan, &order.free);
        let sum = Sum { plan, order, windows, groups };
        let kinds = sum.windows.iter().fold(1_u128, |n, (_, places)| n.saturating_mul(places.len() as u128));
        (it.record.points() / kinds >= FEWEST && sum.pays()).then_some(sum)
    }

    /// Do blocks of those places pay that are most?
    fn pays(&self) -> bool {
        let size = |loops: &[usize]| self.plan.points(loops.iter().copied());
        let still = self.order.ordered.iter().copied().filter(|j| self.plan.target.steps[*j] == 0);
        let (mut rows, mut rounds) = (size(&self.groups.rows), self.plan.points(still));
        for (_, places) in &self.windows {
            let most = |of: fn(&Places) -> usize| places.iter().map(of).max().unwrap_or(0);
            rows = rows.saturating_mul(most(|it| it.first.len()));
            rounds = rounds.saturating_mul(most(|it| it.taps.len()));
        }
        pay(rows, size(&self.groups.columns), rounds)
    }

    /// All choices of places, one of each window.
    fn choices(&self) -> Vec<Vec<&Places>> {
        self.windows.iter().fold(vec![vec![]], |choices, (_, places)| {
            choices.iter().flat_map(|some| places.iter().map(|it| [some.as_slice(), &[it]].concat())).collect()
        })
    }

    /// What a loop adds to the addresses of the target, the left factor and the right one.
    fn steps(&self, j: usize) -> [usize; 3] {
        [&self.plan.target, &self.plan.reads[0], &self.plan.reads[1]].map(|of| of.steps[j])
    }

    /// The blocks of these places, one of each window.
    fn blocks(&self, places: &[&Places]) -> Blocks<1> {
        let mut rows = self.plan.offsets(&self.groups.rows, |target, at| (target, at[0]));
        for ((window, _), places) in self.windows.iter().zip(places) {
            let (outer, inner) = (self.steps(window.outer.1), self.steps(window.inner.1));
            let begin = places.taps[0].1 * inner[0];
            let place = |first: &usize| (begin + first * outer[0], first * outer[1]);
            rows = sums(&rows, &places.first.iter().map(place).collect::<Vec<_>>());
        }
        let columns = self.plan.offsets(&self.groups.columns, |target, at| (target, at[1]));
        let mut rounds = vec![(0, 0)];
        for j in &self.order.ordered {
            let window = self.windows.iter().zip(places).find(|((window, _), _)| window.outer.1 == *j);
            let [_, left, right] = self.steps(*j);
            let some: Vec<(usize, usize)> = match window {
                None => (0..self.plan.sizes[*j]).map(|i| (i * left, i * right)).collect(),
                Some(((window, _), places)) => {
                    let inner = self.steps(window.inner.1);
                    let tap = |(i, k): &(usize, usize)| (i * left + k * inner[1], i * right + k * inner[2]);
                    places.taps.iter().map(tap).collect()
                }
            };
            rounds = sums(&rounds, &some);
        }
        let rows = rows.into_iter().map(|(target, left)| (target, [left])).collect();
        let rounds = rounds.into_iter().map(|(left, right)| ([left], right)).collect();
        Blocks::new(self.plan.part(&self.groups.outside), rows, columns, rounds)
    }
}

/// Each of some with each of others, in order.
fn sums(some: &[(usize, usize)], others: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut sums = Vec::with_capacity(some.len() * others.len());
    for (a, b) in some {
        sums.extend(others.iter().map(|(c, d)| (a + c, b + d)));
    }
    sums
}

/// Adds the product of two reads, each with its data, at every point; false where the target has no windows, or blocks
/// would not pay.
pub(super) fn sum(it: &Assign<'_, f64>, out: &mut [f64], left: (usize, &[f64]), right: (usize, &[f64])) -> bool {
    let sum = Sum::of(it, [left.0, right.0]);
    if let Some(sum) = &sum {
        sum.choices().iter().for_each(|places| sum.blocks(places).run(out, [left.1], right.1));
    }
    sum.is_some()
}
