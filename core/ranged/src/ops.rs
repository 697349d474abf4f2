//! The shape rules of operations (D6). Each is all or nothing: a failed one leaves the context as it was.

use super::context::Context;
use super::dim::{Dim, Range, Size};
use super::error::{Operation, Position, ShapeError, ShapeProblem};
use super::shape::{MAX_RANK, Shape};

/// What an operation without reshaping gives.
pub type Inferred = Result<Shape, ShapeError>;

/// An error of this operation on these shapes.
pub(super) fn refuse(
    context: &Context,
    operation: Operation,
    shapes: &[&Shape],
    at: Vec<Position>,
    problem: ShapeProblem,
) -> ShapeError {
    let shapes = shapes.iter().map(|s| context.resolve_shape(s)).collect();
    ShapeError { operation, shapes, at, problem }
}

/// Unifies one axis with another, for this operation.
fn unify_at(
    context: &mut Context,
    operation: Operation,
    shapes: &[&Shape],
    (left, x): (Position, &Dim),
    (right, y): (Position, &Dim),
) -> Result<Dim, ShapeError> {
    context.unify(x, y).map_err(|problem| refuse(context, operation, shapes, vec![left, right], problem))
}

/// Axis by axis; the ranks must agree. The axis that is put aside may differ: what is known of it in each shape, when its
/// turn comes, is the second answer.
fn together(
    context: &mut Context,
    operation: Operation,
    shapes: &[&Shape],
    aside: Option<usize>,
) -> Result<(Shape, Vec<Dim>), ShapeError> {
    let Some((first, rest)) = shapes.split_first() else {
        return Err(refuse(context, operation, shapes, vec![], ShapeProblem::NoOperands));
    };
    let piece = |context: &Context, shape: &Shape| aside.and_then(|i| shape.0.get(i)).map(|d| context.resolve(d));
    let mut pieces = Vec::from_iter(piece(context, first));
    let mut dims = first.0.clone();
    let mut at: Vec<Position> = (0..dims.len()).map(|axis| Position::new(0, axis)).collect();
    for (i, shape) in rest.iter().enumerate() {
        if shape.rank() != first.rank() {
            let problem = ShapeProblem::RankMismatch(first.rank(), shape.rank());
            return Err(refuse(context, operation, shapes, vec![], problem));
        }
        pieces.extend(piece(context, shape));
        for (axis, dim) in shape.0.iter().enumerate().filter(|(axis, _)| Some(*axis) != aside) {
            let here = Position::new(i + 1, axis);
            let met = unify_at(context, operation, shapes, (at[axis], &dims[axis]), (here, dim))?;
            at[axis] = claimed(&dims[axis], at[axis], here);
            dims[axis] = met;
        }
    }
    Ok((Shape(dims), pieces))
}

/// Where what is known of an axis is from: not from a side that asks for nothing.
fn claimed(so_far: &Dim, first: Position, here: Position) -> Position {
    if matches!(so_far, Dim::Dynamic | Dim::Broadcast) { here } else { first }
}

/// The two shapes made equal.
///
/// # Errors
/// Different ranks, or an axis that clashes.
pub fn unify_shapes(context: &mut Context, left: &Shape, right: &Shape) -> Inferred {
    context.transact(|context| Ok(together(context, Operation::Unify, &[left, right], None)?.0))
}

/// [M, K] @ [K, N] → [M, N].
///
/// # Errors
/// Other ranks, or inner axes that clash.
pub fn matmul(context: &mut Context, left: &Shape, right: &Shape) -> Inferred {
    let shapes = [left, right];
    let ([m, k1], [k2, n]) = (left.0.as_slice(), right.0.as_slice()) else {
        let found = if left.rank() == 2 { right.rank() } else { left.rank() };
        let problem = ShapeProblem::Rank { found, needed: "a matrix, of rank 2," };
        return Err(refuse(context, Operation::Matmul, &shapes, vec![], problem));
    };
    unify_at(context, Operation::Matmul, &shapes, (Position::new(0, 1), k1), (Position::new(1, 0), k2))?;
    Ok(Shape(vec![m.clone(), n.clone()]))
}

/// […, M, K] @ […, K, N] → […, M, N], where the axes before the last two broadcast.
///
/// # Errors
/// Ranks below 2, inner axes that clash, leading axes that do not broadcast.
pub fn matmul_batched(context: &mut Context, left: &Shape, right: &Shape) -> Inferred {
    let shapes = [left, right];
    let ([before_left @ .., m, k1], [before_right @ .., k2, n]) = (left.0.as_slice(), right.0.as_slice()) else {
        let problem = ShapeProblem::Rank { found: left.rank().min(right.rank()), needed: "at least rank 2" };
        return Err(refuse(context, Operation::Matmul, &shapes, vec![], problem));
    };
    context.transact(|context| {
        let inner = (Position::new(0, before_left.len() + 1), Position::new(1, before_right.len()));
        unify_at(context, Operation::Matmul, &shapes, (inner.0, k1), (inner.1, k2))?;
        let mut dims = broadcast_dims(context, Operation::Matmul, &shapes, &[before_left, before_right])?;
        dims.extend([m.clone(), n.clone()]);
        Ok(Shape(dims))
    })
}

/// NumPy's broadcasting: shapes are aligned at their last axes; a literal 1, as written, and a missing axis stretch,
/// everything else is unified (F33 says why only what is written).
///
/// # Errors
/// No shapes, or axes that clash.
pub fn broadcast(context: &mut Context, shapes: &[&Shape]) -> Inferred {
    if shapes.is_empty() {
        return Err(refuse(context, Operation::Broadcast, shapes, vec![], ShapeProblem::NoOperands));
    }
    let parts: Vec<&[Dim]> = shapes.iter().map(|s| s.0.as_slice()).collect();
    context.transact(|context| broadcast_dims(context, Operation::Broadcast, shapes, &parts).map(Shape))
}

/// Broadcasts `parts`, which are the first axes of `shapes`.
fn broadcast_dims(
    context: &mut Context,
    operation: Operation,
    shapes: &[&Shape],
    parts: &[&[Dim]],
) -> Result<Vec<Dim>, ShapeError> {
    let rank = parts.iter().map(|p| p.len()).max().unwrap_or(0);
    let mut dims = Vec::with_capacity(rank);
    for column in 0..rank {
        let here = parts.iter().enumerate().filter_map(|(i, part)| {
            let axis = (column + part.len()).checked_sub(rank)?;
            Some((Position::new(i, axis), part.get(axis)?))
        });
        let mut result: Option<(Position, Dim)> = None;
        for (position, dim) in here.filter(|(_, dim)| !dim.is_one()) {
            result = Some(match result {
                None => (position, dim.clone()),
                Some((first, so_far)) => {
                    let met = unify_at(context, operation, shapes, (first, &so_far), (position, dim))?;
                    (claimed(&so_far, first, position), met)
                }
            });
        }
        dims.push(result.map_or(Dim::Literal(Size::MIN), |(_, dim)| dim));
    }
    Ok(dims)
}

/// The axis of a shape, or why there is none.
fn axis<'s>(context: &Context, operation: Operation, shape: &'s Shape, axis: usize) -> Result<&'s Dim, ShapeError> {
    let problem = || ShapeProblem::Axis { axis, rank: shape.rank() };
    shape.0.get(axis).ok_or_else(|| refuse(context, operation, &[shape], vec![], problem()))
}

/// Two axes change places.
///
/// # Errors
/// An axis that is not there.
pub fn transpose(context: &Context, shape: &Shape, first: usize, second: usize) -> Inferred {
    axis(context, Operation::Transpose, shape, first)?;
    axis(context, Operation::Transpose, shape, second)?;
    let mut dims = shape.0.clone();
    dims.swap(first, second);
    Ok(Shape(dims))
}

/// Axis i of the result is axis `order[i]` of the shape.
///
/// # Errors
/// An order that does not name every axis once.
pub fn permute(context: &Context, shape: &Shape, order: &[usize]) -> Inferred {
    let mut seen = vec![false; shape.rank()];
    let mut dims = Vec::with_capacity(shape.rank());
    for &from in order {
        let dim = axis(context, Operation::Permute, shape, from)?;
        if !std::mem::replace(&mut seen[from], true) {
            dims.push(dim.clone());
        }
    }
    if dims.len() != shape.rank() || order.len() != shape.rank() {
        let problem = ShapeProblem::NotAPermutation(order.to_vec());
        return Err(refuse(context, Operation::Permute, &[shape], vec![], problem));
    }
    Ok(Shape(dims))
}

/// An axis is summed away; with `keepdim` a literal 1 stays in its place.
///
/// # Errors
/// An axis that is not there.
pub fn reduce(context: &Context, shape: &Shape, along: usize, keepdim: bool) -> Inferred {
    axis(context, Operation::Reduce, shape, along)?;
    let kept = keepdim.then_some(Dim::Literal(Size::MIN));
    let mut dims = shape.0.clone();
    dims.splice(along..=along, kept);
    Ok(Shape(dims))
}

/// Tensors one behind the other along an axis: there the sizes add up, elsewhere they must agree.
///
/// # Errors
/// No shapes, an axis that is not there, other axes that clash, a sum that does not fit.
pub fn concat(context: &mut Context, shapes: &[&Shape], along: usize) -> Inferred {
    let Some((first, rest)) = shapes.split_first() else {
        return Err(refuse(context, Operation::Concat, shapes, vec![], ShapeProblem::NoOperands));
    };
    axis(context, Operation::Concat, first, along)?;
    context.transact(|context| {
        let (mut result, pieces) = together(context, Operation::Concat, shapes, Some(along))?;
        let sum = sum(&pieces).ok_or_else(|| {
            let at = (0..shapes.len()).map(|i| Position::new(i, along)).collect();
            refuse(context, Operation::Concat, shapes, at, ShapeProblem::TooLarge)
        })?;
        result.0[along] = if rest.is_empty() { first.0[along].clone() } else { sum };
        Ok(result)
    })
}

/// The size of pieces one behind the other: ranges add up, labels are kept, and different ones joined. Where a
/// piece is known at run time only, so is the sum.
fn sum(pieces: &[Dim]) -> Option<Dim> {
    if pieces.iter().any(|d| matches!(d, Dim::Var(_) | Dim::Dynamic | Dim::Broadcast)) {
        return Some(Dim::Dynamic);
    }
    let ranges = || pieces.iter().map(Dim::range);
    let lo = ranges().try_fold(0u64, |sum, r| sum.checked_add(r.lo().get()))?;
    let hi = match ranges().map(Range::hi).collect::<Option<Vec<Size>>>() {
        Some(ends) => Some(ends.iter().try_fold(0u64, |sum, hi| sum.checked_add(hi.get()))?),
        None => None,
    };
    let range = Range::new(Size::new(lo)?, hi.and_then(Size::new)).ok()?;
    Some(labelled(pieces, "+", range))
}

/// How long a label may get that is made of others.
const LONGEST_LABEL: usize = 60;

/// A name made of the labels of pieces, each once; where none has one, a literal. A label that would get too long is
/// dropped: another in its place could be that of another axis.
pub(super) fn labelled(pieces: &[Dim], sign: &str, range: Range) -> Dim {
    let mut labels: Vec<&str> = Vec::new();
    for label in pieces.iter().filter_map(Dim::label) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let joined = labels.join(sign);
    if !labels.is_empty() && joined.len() <= LONGEST_LABEL {
        return Dim::named(&joined, range);
    }
    range.only().map_or(Dim::Dynamic, Dim::Literal)
}

/// Tensors of one shape side by side along a new axis.
///
/// # Errors
/// No shapes, shapes that clash, an axis beyond the rank, a rank beyond the limit.
pub fn stack(context: &mut Context, shapes: &[&Shape], along: usize) -> Inferred {
    let Some(first) = shapes.first() else {
        return Err(refuse(context, Operation::Stack, shapes, vec![], ShapeProblem::NoOperands));
    };
    let rank = first.rank() + 1;
    if along >= rank || rank > MAX_RANK {
        let problem =
            if along >= rank { ShapeProblem::Axis { axis: along, rank } } else { ShapeProblem::RankLimit(rank) };
        return Err(refuse(context, Operation::Stack, &[first], vec![], problem));
    }
    context.transact(|context| {
        let (mut result, _) = together(context, Operation::Stack, shapes, None)?;
        let count = u64::try_from(shapes.len()).ok().and_then(Size::new).unwrap_or(Size::MIN);
        result.0.insert(along, Dim::Literal(count));
        Ok(result)
    })
}
