//! Operands and results of one operation, as arrays whose axes are iterators.
//!
//! Loops of concatenated parts run one after the other. A [`Case`] says whose turn it is; in it a concatenation is an
//! index with an offset, and a tensor that has an iterator of another part is not there.

use super::graph::{Graph, Id};
use super::refusal::Why;
use lozenge::projection::{Index, Label, MapAxis, Projections};
use std::collections::{BTreeMap, BTreeSet};

/// Which loops have their turn.
pub struct Case(Vec<bool>);

/// Every case, in the order in which the parts run.
pub fn cases(record: &Projections) -> Vec<Case> {
    let mut all = vec![Case(record.loops.iter().map(|it| it.size > 0).collect())];
    for group in &record.coupled {
        let turn = |case: &Case, j: usize| {
            let active = case.0.iter().enumerate().map(|(i, on)| *on && (i == j || !group.contains(&i)));
            Case(active.collect())
        };
        let parts: Vec<usize> = group.iter().copied().filter(|j| record.loops[*j].size > 0).collect();
        all = all.iter().flat_map(|case| parts.iter().map(|j| turn(case, *j)).collect::<Vec<_>>()).collect();
    }
    all
}

/// How an axis is indexed in a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum At {
    Iter(usize),
    Fix(u64),
    External(String),
    /// Factors with loops, each loop once.
    Affine(Vec<(u64, usize)>, i64),
}

impl Case {
    /// The index of an axis; none when another part has its turn.
    pub fn at(&self, label: &Label) -> Option<At> {
        let on = |j: usize| self.0.get(j).copied().unwrap_or(false);
        match label {
            Label::Iter(j) => on(*j).then_some(At::Iter(*j)),
            Label::At(Index::Fix(c)) => Some(At::Fix(*c)),
            Label::At(Index::External(name)) => Some(At::External(name.clone())),
            Label::Affine(affine) => {
                let mut terms: Vec<(u64, usize)> = Vec::new();
                for (factor, j) in &affine.terms {
                    match terms.iter_mut().find(|(_, known)| known == j) {
                        Some((sum, _)) => *sum = sum.saturating_add(*factor),
                        None => terms.push((*factor, *j)),
                    }
                }
                terms.iter().all(|(_, j)| on(*j)).then_some(At::Affine(terms, affine.offset))
            }
            Label::Concat(parts) => {
                let (j, start) = parts.iter().find(|(j, _)| on(*j))?;
                Some(At::Affine(vec![(1, *j)], i64::try_from(*start).ok()?))
            }
        }
    }

    /// How many points there are for each of those that these loops have.
    pub fn times(&self, record: &Projections, mentioned: &BTreeSet<usize>) -> Result<u64, Why> {
        let mut others = self.0.iter().enumerate().filter(|(j, on)| **on && !mentioned.contains(j));
        others.try_fold(1_u64, |n, (j, _)| n.checked_mul(record.loops[j].size)).ok_or(Why::Cells)
    }

    /// The indices of all axes of a map; none when another part has its turn.
    pub fn map(&self, map: &[MapAxis]) -> Option<Vec<At>> {
        map.iter().map(|axis| self.at(&axis.label)).collect()
    }
}

/// The loops that a map mentions.
pub fn mentions(map: &[At]) -> impl Iterator<Item = usize> {
    map.iter().flat_map(|at| match at {
        At::Iter(j) => vec![*j],
        At::Affine(terms, _) => terms.iter().map(|(_, j)| *j).collect(),
        At::Fix(_) | At::External(_) => Vec::new(),
    })
}

/// An array with the iterator of each axis; none for an axis of size 1 that is read at 0.
#[derive(Clone, Debug)]
pub struct Indexed {
    pub value: Id,
    pub axes: Vec<Option<usize>>,
}

impl Indexed {
    /// The same without the axes that have no iterator.
    pub fn squeezed(mut self, graph: &mut Graph) -> (Id, Vec<usize>) {
        let none: Vec<usize> = (0..self.axes.len()).filter(|i| self.axes[*i].is_none()).collect();
        self.value = graph.squeeze(self.value, &none);
        (self.value, self.axes.into_iter().flatten().collect())
    }

    /// An array that broadcasts, from the right, against one that has these iterators in this order.
    /// Every iterator of the array is among them, and once.
    pub fn aligned(self, graph: &mut Graph, order: &[usize], size: impl Fn(usize) -> u64) -> Id {
        let wanted: Vec<u64> = order.iter().map(|j| if self.axes.contains(&Some(*j)) { size(*j) } else { 1 }).collect();
        let placed: Vec<usize> = self.axes.iter().flatten().filter_map(|j| order.iter().position(|o| o == j)).collect();
        let trimmed = |dims: &[u64]| dims.iter().copied().skip_while(|n| *n == 1).collect::<Vec<u64>>();
        let dims = graph.dims(self.value);
        if placed.is_sorted() && dims.len() <= order.len() && trimmed(dims) == trimmed(&wanted) {
            return self.value;
        }
        let (value, axes) = self.squeezed(graph);
        let mut sorted: Vec<usize> = (0..axes.len()).collect();
        sorted.sort_by_key(|i| order.iter().position(|o| *o == axes[*i]));
        let value = graph.transpose(value, &sorted);
        // Axes that are missing at the left need not be there.
        let first = order.iter().position(|j| axes.contains(j)).unwrap_or(order.len());
        let missing = (first..order.len()).filter(|i| !axes.contains(&order[*i])).map(|i| i - first);
        graph.unsqueeze(value, &missing.collect::<Vec<_>>())
    }
}

/// Reads a tensor at the indices of its map: windows, parts and single places become axes of iterators.
pub fn read(
    graph: &mut Graph,
    (mut value, map): (Id, &[At]),
    record: &Projections,
    padding: f64,
    indices: &BTreeMap<String, Id>,
) -> Result<Indexed, Why> {
    let size = |j: usize| record.loops[j].size;
    let mut axes: Vec<Option<usize>> = Vec::new();
    for at in map {
        let axis = axes.len();
        let n = graph.dims(value)[axis];
        match at {
            At::Iter(j) => axes.push(Some(*j)),
            At::Fix(0) if n == 1 => axes.push(None),
            At::Fix(c) => value = graph.pick(value, axis, *c),
            At::External(name) => {
                let index = indices.get(name).copied().ok_or_else(|| Why::Index(format!("!{name}")))?;
                value = graph.pick_at(value, axis, index);
            }
            At::Affine(terms, offset) => {
                let (padded, start) = reach(graph, (value, axis), terms, *offset, (record, padding))?;
                value = padded;
                match terms.as_slice() {
                    [] => value = graph.pick(value, axis, start),
                    [(step, j)] => value = graph.cut(value, axis, (start, *step, size(*j))),
                    terms => {
                        let sizes = terms.iter().map(|(factor, j)| (*factor, size(*j)));
                        value = graph.window(value, axis, sizes.collect(), start);
                    }
                }
                axes.extend(terms.iter().map(|(_, j)| Some(*j)));
            }
        }
    }
    Ok(Indexed { value, axes })
}

/// Pads an axis so that an affine index stays inside; and the index's offset then.
fn reach(
    graph: &mut Graph,
    (value, axis): (Id, usize),
    terms: &[(u64, usize)],
    offset: i64,
    (record, padding): (&Projections, f64),
) -> Result<(Id, u64), Why> {
    let (before, after) = margins(terms, offset, graph.dims(value)[axis], record)?;
    let at = |n: u64| (0..graph.dims(value).len()).map(|i| if i == axis { n } else { 0 }).collect::<Vec<u64>>();
    let (b, a) = (at(before), at(after));
    let start = u64::try_from(i128::from(offset) + i128::from(before)).map_err(|_| Why::Outside)?;
    Ok((graph.pad(value, b, a, padding), start))
}

/// How far an affine index goes beyond the ends of an axis; the padded axis has a size that other libraries have, too.
pub fn margins(terms: &[(u64, usize)], offset: i64, size: u64, record: &Projections) -> Result<(u64, u64), Why> {
    let last = |j: usize| i128::from(record.loops[j].size.saturating_sub(1));
    let far =
        |span: i128, (factor, j): &(u64, usize)| span.saturating_add(i128::from(*factor).saturating_mul(last(*j)));
    let span = terms.iter().fold(0, far);
    let (low, high) = (i128::from(offset), span.saturating_add(offset.into()));
    let (before, after) = ((-low).max(0), (high - i128::from(size) + 1).max(0));
    if after.saturating_add(before + i128::from(size)) > i128::from(i64::MAX) {
        return Err(Why::Outside);
    }
    let beyond = |n: i128| u64::try_from(n).map_err(|_| Why::Outside);
    Ok((beyond(before)?, beyond(after)?))
}
