//! Loops that take turns (§8), one turn at a time: each is a product space of its own without them.

use super::plan::Order;
use super::walk::Assign;
use lozenge_language::projection::affine::AffineLabel;
use lozenge_language::projection::{Label, MapAxis, Projections, Slot};
use std::borrow::Cow;

/// The most parts that are told apart.
const MOST: usize = 1 << 10;

/// The product spaces of an assignment.
pub(super) struct Parts<'a> {
    pub(super) records: Vec<Cow<'a, Projections>>,
    /// Does each write cells of its own?
    pub(super) apart: bool,
}

/// The product spaces of an assignment, to be walked one after the other; none where that is another order than the
/// definition's. Points where the target or a read has no place are in none of them.
pub(super) fn parts<'a, S>(it: &Assign<'a, S>) -> Option<Parts<'a>> {
    let record = it.record;
    let single = |slot: Slot| record.map(slot).iter().all(|axis| !matches!(axis.label, Label::Concat(_)));
    if record.coupled.is_empty() && record.slots().all(single) {
        return Some(Parts { records: vec![Cow::Borrowed(record)], apart: true });
    }
    let mut turns = vec![vec![]];
    for factor in record.factors() {
        let some: Vec<usize> = factor.into_iter().filter(|j| record.loops[*j].size > 0).collect();
        turns = turns.iter().flat_map(|turn| some.iter().map(move |j| [turn.as_slice(), &[*j]].concat())).collect();
        if turns.len() > MOST {
            return None;
        }
    }
    let parts = turns.into_iter().filter_map(|turn| Some((part(it, &turn)?, turn)));
    let (parts, turns): (Vec<Projections>, Vec<Vec<usize>>) = parts.unzip();
    let apart = keeps_order(it, &parts, &turns)?;
    Some(Parts { records: parts.into_iter().map(Cow::Owned).collect(), apart })
}

/// The points where these loops have their turn, one of each factor; none where a tensor has no place there.
fn part<S>(it: &Assign<'_, S>, turn: &[usize]) -> Option<Projections> {
    let number = |j: usize| turn.iter().position(|active| *active == j);
    let axis = |axis: &MapAxis| {
        let label = match &axis.label {
            Label::Iter(j) => Label::Iter(number(*j)?),
            Label::At(index) => Label::At(index.clone()),
            Label::Affine(AffineLabel { terms, offset }) => {
                let terms = terms.iter().map(|(factor, j)| Some((*factor, number(*j)?)));
                Label::Affine(AffineLabel { terms: terms.collect::<Option<_>>()?, offset: *offset })
            }
            Label::Concat(parts) => {
                let (j, start) = parts.iter().find_map(|(j, start)| Some((number(*j)?, *start)))?;
                // A tensor has fewer cells than that.
                let offset = i64::try_from(start).unwrap_or(i64::MAX);
                Label::Affine(AffineLabel { terms: vec![(1, j)], offset })
            }
        };
        Some(MapAxis { label, ..axis.clone() })
    };
    let map = |slot: Slot| -> Option<Vec<MapAxis>> {
        let used = slot == it.target || it.reads.iter().any(|(read, _)| *read == slot);
        if used { it.record.map(slot).iter().map(axis).collect() } else { Some(Vec::new()) }
    };
    Some(Projections {
        loops: turn.iter().map(|j| it.record.loops[*j].clone()).collect(),
        lhs: map(Slot::Lhs)?,
        rhs: (0..it.record.rhs.len()).map(|i| map(Slot::Rhs(i))).collect::<Option<_>>()?,
        coupled: Vec::new(),
    })
}

/// Do the parts, one after the other, give every cell its values in the definition's order? Where two parts write different
/// cells they do: true. Where they meet, what takes turns must be before all that a cell's values are ordered by: false, and
/// none where it is not.
fn keeps_order<S>(it: &Assign<'_, S>, parts: &[Projections], turns: &[Vec<usize>]) -> Option<bool> {
    let Some(first) = turns.first() else { return Some(true) };
    let varies = |f: &usize| turns.iter().any(|turn| turn[*f] != first[*f]);
    let meets = |f: &usize| !told_apart(it, &turns.iter().map(|turn| turn[*f]).collect::<Vec<_>>());
    let meeting: Vec<usize> = (0..first.len()).filter(varies).filter(meets).collect();
    match meeting.as_slice() {
        [] => Some(true),
        [f] => parts.iter().all(|part| Order::of(part, it.target).ordered.iter().all(|j| j >= f)).then_some(false),
        _ => None,
    }
}

/// Does the target have another place for each of these loops? Parts of one axis are disjoint: each begins where the one
/// before ends.
fn told_apart<S>(it: &Assign<'_, S>, active: &[usize]) -> bool {
    it.record.map(it.target).iter().any(|axis| match &axis.label {
        Label::Concat(parts) => active.iter().all(|j| parts.iter().any(|(part, _)| part == j)),
        _ => false,
    })
}
