//! Convolutions, as ONNX has them.
//!
//! Iterators fall into five groups: those that only the tensor and the result have (a batch), those that both operands and
//! not the result have (channels), those that only the kernel and the result have (features), and for each axis of space a
//! place and an offset in the kernel. Where an iterator is in none of them, the operation is no `Conv`.

use super::graph::{Conv, Fold, Graph, Id, Step};
use super::index::{At, margins};
use super::operation::{Assign, is_product};
use super::refusal::Language;
use lozenge::program::generate::Primitive;

/// An axis of space: where it is in the tensor, and its loops.
struct Space {
    axis: usize,
    place: usize,
    kernel: usize,
    stride: u64,
    dilation: u64,
    before: u64,
    after: u64,
}

/// The operation as a convolution, axes in the order of `kept`; none where it is no such thing.
pub fn recognise(
    assign: &Assign<'_>,
    graph: &mut Graph,
    given: &[(Id, &[At])],
    kept: &[usize],
) -> Option<(Id, Vec<usize>)> {
    let sums = Fold::of(assign.accumulate) == Some(Fold::Sum);
    if assign.language != Language::Onnx || !sums || !is_product(assign.primitive) {
        return None;
    }
    let (Primitive::Binary(_), [one, other]) = (assign.primitive, given) else { return None };
    convolve(assign, graph, *one, *other, kept).or_else(|| convolve(assign, graph, *other, *one, kept))
}

/// The axes of space of a tensor.
fn spaces(assign: &Assign<'_>, dims: &[u64], map: &[At]) -> Option<Vec<Space>> {
    let size = |j: usize| assign.record.loops[j].size;
    let mut found = Vec::new();
    for (axis, at) in map.iter().enumerate() {
        let At::Affine(terms, offset) = at else { continue };
        let [(stride, place), (dilation, kernel)] = terms.as_slice() else { return None };
        let (before, after) = margins(terms, *offset, dims[axis], assign.record).ok()?;
        let reached = (dims[axis] + before + after).checked_sub(dilation * (size(*kernel) - 1) + 1)?;
        if *offset > 0 || reached / stride + 1 != size(*place) {
            return None;
        }
        let (place, kernel, stride, dilation) = (*place, *kernel, *stride, *dilation);
        found.push(Space { axis, place, kernel, stride, dilation, before, after });
    }
    (1..=3).contains(&found.len()).then_some(found)
}

/// The axis of each plain iterator of a map; none where one comes twice or an axis has no iterator.
fn plain(map: &[At], except: &[Space]) -> Option<Vec<(usize, usize)>> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (axis, at) in map.iter().enumerate() {
        match at {
            At::Iter(j) if found.iter().all(|(i, _)| i != j) => found.push((*j, axis)),
            At::Affine(..) if except.iter().any(|space| space.axis == axis) => {}
            _ => return None,
        }
    }
    Some(found)
}

fn convolve(
    assign: &Assign<'_>,
    graph: &mut Graph,
    (x, map): (Id, &[At]),
    (w, kernel): (Id, &[At]),
    kept: &[usize],
) -> Option<(Id, Vec<usize>)> {
    let spaces = spaces(assign, graph.dims(x), map)?;
    let (in_x, in_w) = (plain(map, &spaces)?, plain(kernel, &[])?);
    let has = |of: &[(usize, usize)], j: usize| of.iter().any(|(i, _)| *i == j);
    let places: Vec<usize> = spaces.iter().map(|space| space.place).collect();
    let kernels: Vec<usize> = spaces.iter().map(|space| space.kernel).collect();
    let distinct = |j: &usize| places.iter().chain(&kernels).filter(|i| *i == j).count() == 1 && !has(&in_x, *j);
    let good = places.iter().all(|j| distinct(j) && kept.contains(j) && !has(&in_w, *j))
        && kernels.iter().all(|j| distinct(j) && !kept.contains(j) && has(&in_w, *j));
    let known = |j: &usize| places.contains(j) || has(&in_x, *j) || has(&in_w, *j);
    // What both operands and the result have would be groups; what one operand alone has is not summed by Conv.
    let both = |j: usize| has(&in_x, j) && has(&in_w, j);
    let fits = |(j, _): &(usize, usize)| kernels.contains(j) || both(*j) != kept.contains(j);
    if !good || !kept.iter().all(known) || !in_x.iter().chain(&in_w).all(fits) {
        return None;
    }
    let batch: Vec<(usize, usize)> = in_x.iter().copied().filter(|(j, _)| !has(&in_w, *j)).collect();
    let channels: Vec<(usize, usize)> = in_x.iter().copied().filter(|(j, _)| has(&in_w, *j)).collect();
    let features: Vec<(usize, usize)> =
        in_w.iter().copied().filter(|(j, _)| !has(&in_x, *j) && !kernels.contains(j)).collect();
    let in_kernel = |j: usize| in_w.iter().find(|(i, _)| *i == j).map(|(_, axis)| *axis);
    let of_x: Vec<usize> = spaces.iter().map(|space| space.axis).collect();
    let of_w: Vec<usize> = kernels.iter().filter_map(|j| in_kernel(*j)).collect();
    let same: Vec<usize> = channels.iter().filter_map(|(j, _)| in_kernel(*j)).collect();
    let axes = |of: &[(usize, usize)]| of.iter().map(|(_, axis)| *axis).collect::<Vec<_>>();
    let x = grouped(graph, x, &[&axes(&batch), &axes(&channels)], &of_x);
    let w = grouped(graph, w, &[&axes(&features), &same], &of_w);
    let size = |j: usize| assign.record.loops[j].size;
    let mut dims = vec![graph.dims(x)[0], graph.dims(w)[0]];
    dims.extend(places.iter().map(|j| size(*j)));
    let each = |of: fn(&Space) -> u64| spaces.iter().map(of).collect::<Vec<u64>>();
    let (strides, dilations) = (each(|s| s.stride), each(|s| s.dilation));
    let conv = Conv { strides, dilations, before: each(|s| s.before), after: each(|s| s.after) };
    let value = graph.push(Step::Conv(conv), &[x, w], dims);
    let made: Vec<usize> = batch.iter().chain(&features).map(|(j, _)| *j).chain(places).collect();
    let value = ungrouped(graph, value, [batch.len(), features.len()], made.iter().map(|j| size(*j)).collect());
    let order: Option<Vec<usize>> = kept.iter().map(|j| made.iter().position(|i| i == j)).collect();
    Some((graph.transpose(value, &order?), kept.to_vec()))
}

/// One axis for each of two groups, then axes of space.
fn grouped(graph: &mut Graph, x: Id, groups: &[&[usize]; 2], space: &[usize]) -> Id {
    let order: Vec<usize> =
        groups.iter().flat_map(|group| group.iter().copied()).chain(space.iter().copied()).collect();
    let x = graph.transpose(x, &order);
    let mut dims = Vec::new();
    let mut rest = graph.dims(x).to_vec();
    // An array has fewer than 2⁶³ cells, and so has a part of its axes.
    for group in groups {
        dims.push(rest.drain(..group.len()).product());
    }
    dims.extend(rest);
    graph.reshape(x, dims)
}

/// The axes of the groups again.
fn ungrouped(graph: &mut Graph, x: Id, counts: [usize; 2], dims: Vec<u64>) -> Id {
    if counts == [1, 1] { x } else { graph.reshape(x, dims) }
}
