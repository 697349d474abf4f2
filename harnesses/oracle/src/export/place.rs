//! From iterators back to the axes of the target: parts, fixed places, diagonals and strides.

use super::graph::{Fold, Graph, Id, Step, Written, cells};
use super::index::At;
use super::limits::fits_table;
use super::operation::Assign;
use super::refusal::Why;
use lozenge::program::ast::Accumulate;

/// A block of the target.
pub struct Piece {
    value: Id,
    /// Where it begins, along every axis.
    start: Vec<u64>,
}

/// Where an axis of the target comes from.
enum Goes {
    /// This iterator, from here on.
    Own(usize, u64),
    /// One place.
    Fixed(u64),
    /// Wherever these iterators say.
    Spread(Vec<(u64, usize)>, i64),
}

fn ways(target: &[At], assign: &Assign<'_>) -> Result<Vec<Goes>, Why> {
    let mut owned: Vec<usize> = Vec::new();
    let mut way = |(at, axis): (&At, &lozenge::projection::MapAxis)| {
        let size = |j: usize| assign.record.loops[j].size;
        Ok(match at {
            At::Iter(j) if owned.contains(j) => Goes::Spread(vec![(1, *j)], 0),
            At::Iter(j) => {
                owned.push(*j);
                Goes::Own(*j, 0)
            }
            At::Fix(c) => Goes::Fixed(*c),
            At::External(name) => return Err(Why::Index(format!("!{name}"))),
            At::Affine(terms, offset) => match (terms.as_slice(), u64::try_from(*offset)) {
                ([(1, j)], Ok(start)) if !owned.contains(j) && start + size(*j) <= axis.size => {
                    owned.push(*j);
                    Goes::Own(*j, start)
                }
                _ => Goes::Spread(terms.clone(), *offset),
            },
        })
    };
    target.iter().zip(&assign.record.lhs).map(&mut way).collect()
}

/// Puts an array over iterators into the target.
pub fn place(
    graph: &mut Graph,
    assign: &Assign<'_>,
    (value, iterators): (Id, Vec<usize>),
    target: &[At],
) -> Result<Piece, Why> {
    let ways = ways(target, assign)?;
    let owned: Vec<usize> =
        ways.iter().filter_map(|way| if let Goes::Own(j, _) = way { Some(*j) } else { None }).collect();
    // The axes of the target, then the iterators that only a spread has.
    let mut others: Vec<usize> = Vec::new();
    for way in &ways {
        let Goes::Spread(terms, _) = way else { continue };
        for (_, j) in terms {
            if !owned.contains(j) && !others.contains(j) {
                others.push(*j);
            }
        }
    }
    let axis_of = |j: usize| {
        let own = ways.iter().position(|way| matches!(way, Goes::Own(i, _) if *i == j));
        own.or_else(|| others.iter().position(|i| *i == j).map(|i| ways.len() + i))
    };
    let rank = ways.len() + others.len();
    let places: Vec<usize> = iterators.iter().filter_map(|j| axis_of(*j)).collect();
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|i| places[*i]);
    let value = graph.transpose(value, &order);
    let missing: Vec<usize> = (0..rank).filter(|axis| !places.contains(axis)).collect();
    let value = graph.unsqueeze(value, &missing);
    let value = spread(graph, assign, value, &ways, axis_of)?;
    let dims = ways.iter().zip(&assign.record.lhs).map(|(way, axis)| match way {
        Goes::Own(j, _) => assign.record.loops[*j].size,
        Goes::Fixed(_) => 1,
        Goes::Spread(..) => axis.size,
    });
    let dims = dims.collect();
    let value = graph.expand(value, dims);
    let start = ways.iter().map(|way| match way {
        Goes::Own(_, start) | Goes::Fixed(start) => *start,
        Goes::Spread(..) => 0,
    });
    Ok(Piece { value, start: start.collect() })
}

/// Selects the points that write a cell, and joins what only they have.
fn spread(
    graph: &mut Graph,
    assign: &Assign<'_>,
    value: Id,
    ways: &[Goes],
    axis_of: impl Fn(usize) -> Option<usize>,
) -> Result<Id, Why> {
    let mut dims = graph.dims(value).to_vec();
    let mut written = Vec::new();
    for (at, way) in ways.iter().enumerate() {
        let Goes::Spread(terms, offset) = way else { continue };
        dims[at] = assign.record.lhs[at].size;
        let placed: Vec<(u64, usize)> = terms.iter().filter_map(|(f, j)| Some((*f, axis_of(*j)?))).collect();
        placed.iter().zip(terms).for_each(|((_, axis), (_, j))| dims[*axis] = assign.record.loops[*j].size);
        written.push(Written { at, terms: placed, offset: *offset });
    }
    if written.is_empty() {
        return Ok(value);
    }
    fits_table(cells(&dims))?;
    let fold = match Fold::of(assign.accumulate) {
        Some(fold) => fold,
        None if assign.accumulate == Accumulate::Pow => return Err(Why::Powers),
        None if !assign.record.is_injective() => return Err(Why::Replaced),
        None => Fold::Sum,
    };
    let otherwise = assign.accumulate.neutral();
    let rank = dims.len();
    let value = graph.push(Step::Select { written, otherwise }, &[value], dims);
    Ok(graph.reduce(fold, value, &(ways.len()..rank).collect::<Vec<_>>()))
}

/// The target from its blocks; cells outside of them hold the neutral element.
pub fn assemble(graph: &mut Graph, pieces: Vec<Piece>, dims: &[u64], accumulate: Accumulate) -> Result<Id, Why> {
    let neutral = accumulate.neutral();
    let mut blocks: Vec<Piece> = Vec::new();
    for piece in pieces {
        let same =
            |block: &&mut Piece| block.start == piece.start && graph.dims(block.value) == graph.dims(piece.value);
        match blocks.iter_mut().find(same) {
            None => blocks.push(piece),
            Some(block) => block.value = together(graph, block.value, piece.value, accumulate)?,
        }
    }
    let all: Vec<&Piece> = blocks.iter().collect();
    if let Some(value) = tiled(graph, &all, dims, 0) {
        return Ok(value);
    }
    let mut value = None;
    for block in &blocks {
        let after =
            dims.iter().zip(&block.start).zip(graph.dims(block.value)).map(|((n, start), size)| n - start - size);
        let after = after.collect();
        let padded = graph.pad(block.value, block.start.clone(), after, neutral);
        value = Some(match value {
            None => padded,
            Some(before) => together(graph, before, padded, accumulate)?,
        });
    }
    Ok(value.unwrap_or_else(|| graph.full(neutral, dims)))
}

/// Two values for the same cells.
fn together(graph: &mut Graph, x: Id, y: Id, accumulate: Accumulate) -> Result<Id, Why> {
    match Fold::of(accumulate) {
        Some(fold) => Ok(graph.binary(fold.binary(), x, y)),
        None if accumulate == Accumulate::Pow => Err(Why::Powers),
        None => Err(Why::Replaced),
    }
}

/// Blocks that lie beside each other without a gap, one axis after the other; none where they do not.
fn tiled(graph: &mut Graph, blocks: &[&Piece], dims: &[u64], axis: usize) -> Option<Id> {
    if axis == dims.len() {
        return if let [only] = blocks { Some(only.value) } else { None };
    }
    let mut starts: Vec<u64> = blocks.iter().map(|block| block.start[axis]).collect();
    starts.sort_unstable();
    starts.dedup();
    let (mut at, mut parts) = (0, Vec::new());
    for start in starts {
        let here: Vec<&Piece> = blocks.iter().copied().filter(|block| block.start[axis] == start).collect();
        let part = tiled(graph, &here, dims, axis + 1)?;
        if start != at {
            return None;
        }
        at += graph.dims(part)[axis];
        parts.push(part);
    }
    let same = |part: &Id| graph.dims(*part).iter().enumerate().all(|(i, n)| i <= axis || *n == dims[i]);
    (at == dims[axis] && parts.iter().all(same)).then(|| graph.concat(&parts, axis))
}
