//! Reshaping (D8): the number of elements stays. Where sizes are not known that becomes a condition for run time.

use super::context::Context;
use super::dim::{Dim, DimVar, Range, Size};
use super::error::{Operation, Position, ShapeError, ShapeProblem};
use super::memory::{Bounds, elements};
use super::ops::{labelled, refuse};
use super::shape::{MAX_RANK, Shape};
use std::fmt;

/// An axis of the new shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// Given.
    Dim(Dim),
    /// −1: what is left over.
    Infer,
}

/// Two shapes that must have the same number of elements, which only a run can tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The shape before.
    pub input: Shape,
    /// The shape after.
    pub output: Shape,
}

impl Obligation {
    /// Is it met by these sizes?
    #[must_use]
    pub fn holds(&self, input: &[u64], output: &[u64]) -> bool {
        let product = |sizes: &[u64]| sizes.iter().try_fold(1u128, |p, n| p.checked_mul(u128::from(*n)));
        matches!((product(input), product(output)), (Some(a), Some(b)) if a == b)
    }
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and {} have the same number of elements", self.input, self.output)
    }
}

/// A new shape, and what must still be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reshaped {
    /// The new shape.
    pub shape: Shape,
    /// What only a run can tell; `None` when the shapes agree for all sizes.
    pub obligation: Option<Obligation>,
}

/// A product with the sizes that are known apart from those that are not.
struct Product {
    known: u128,
    unknown: Vec<Dim>,
}

impl Product {
    fn of<'d>(dims: impl Iterator<Item = &'d Dim>) -> Option<Product> {
        let mut product = Product { known: 1, unknown: Vec::new() };
        for dim in dims {
            match dim.size() {
                Some(v) => product.known = product.known.checked_mul(u128::from(v.get()))?,
                None => product.unknown.push(dim.clone()),
            }
        }
        Some(product)
    }

    /// Takes out what both have. True when all of it is certainly equal: a variable is one size, while two axes
    /// with one label may differ.
    fn cancel(&mut self, other: &mut Product) -> bool {
        let mut certain = true;
        self.unknown.retain(|dim| {
            let same = |d: &Dim| d == dim && matches!(d, Dim::Var(_) | Dim::Named(..));
            let Some(i) = other.unknown.iter().position(same) else { return true };
            certain &= matches!(dim, Dim::Var(DimVar { .. }));
            other.unknown.remove(i);
            false
        });
        certain
    }
}

/// Is the one always less than the other?
fn below(one: Bounds, other: Bounds) -> bool {
    one.max.is_some_and(|max| max < other.min)
}

/// Does a product of sizes that are not known surely differ from the other? By what they can be at least and at
/// the most, and by divisibility where one side is known.
fn differ(before: (&Product, Bounds), after: (&Product, Bounds)) -> bool {
    let indivisible = |all: &Product, part: &Product| all.unknown.is_empty() && !all.known.is_multiple_of(part.known);
    below(before.1, after.1)
        || below(after.1, before.1)
        || indivisible(before.0, after.0)
        || indivisible(after.0, before.0)
}

/// The shape with these axes and as many elements (D8).
///
/// # Errors
/// Element counts that differ whatever the unknown sizes are; a second −1; a rank beyond the limit.
pub fn reshape(context: &Context, shape: &Shape, target: &[Target]) -> Result<Reshaped, ShapeError> {
    let input = context.resolve_shape(shape);
    // A variable of the new shape stays one, so that what is learnt later reaches it.
    let axes =
        target.iter().filter_map(|t| if let Target::Dim(d) = t { Some(context.representative(d)) } else { None });
    let kept: Vec<Dim> = axes.collect();
    let given: Vec<Dim> = kept.iter().map(|d| context.resolve(d)).collect();
    let obligation = |output: &Shape| {
        let input = Shape(shape.0.iter().map(|d| context.representative(d)).collect());
        Obligation { input, output: output.clone() }
    };
    let places: Vec<usize> = (0..target.len()).filter(|i| target[*i] == Target::Infer).collect();
    let written = Shape(target.iter().map(|t| if let Target::Dim(d) = t { d.clone() } else { Dim::Dynamic }).collect());
    let fail = |at: &[usize], problem| {
        let at = at.iter().map(|axis| Position::new(1, *axis)).collect();
        Err(refuse(context, Operation::Reshape, &[shape, &written], at, problem))
    };
    if target.len() > MAX_RANK {
        return fail(&[], ShapeProblem::RankLimit(target.len()));
    }
    if places.len() > 1 {
        return fail(&places, ShapeProblem::SecondInferred);
    }
    let (Some(mut before), Some(mut after)) = (Product::of(input.0.iter()), Product::of(given.iter())) else {
        return fail(&[], ShapeProblem::TooLarge);
    };
    let (Ok(least), Ok(most)) = (elements(&input), elements(&Shape(given.clone()))) else {
        return fail(&[], ShapeProblem::TooLarge);
    };
    let mismatch = || ShapeProblem::Elements { input: least.to_string(), output: most.to_string() };
    let Some(&place) = places.first() else {
        if differ((&before, least), (&after, most)) {
            return fail(&[], mismatch());
        }
        let certain = before.cancel(&mut after);
        let left_over = !before.unknown.is_empty() || !after.unknown.is_empty();
        if certain && !left_over && before.known != after.known {
            return fail(&[], mismatch());
        }
        let output = Shape(kept);
        let obligation = (left_over || !certain).then(|| obligation(&output));
        return Ok(Reshaped { shape: output, obligation });
    };
    if below(least, most) {
        return fail(&[], mismatch());
    }
    let certain = before.cancel(&mut after);
    let inferred = match quotient(&before, &after) {
        Some(Ok(inferred)) => inferred,
        Some(Err(problem)) => return fail(&[place], problem),
        None if certain => return fail(&[place], mismatch()),
        // Two axes of one label were taken to be equal; if they differ, a quotient may exist.
        None => Dim::Dynamic,
    };
    let exact = certain && after.unknown.is_empty() && before.known.is_multiple_of(after.known);
    let mut dims = kept;
    dims.insert(place, inferred);
    let output = Shape(dims);
    let obligation = (!exact).then(|| obligation(&output));
    Ok(Reshaped { shape: output, obligation })
}

/// What −1 stands for: nothing when no size does, and Dynamic when nothing better can be said.
fn quotient(before: &Product, after: &Product) -> Option<Result<Dim, ShapeProblem>> {
    let divides = before.known.is_multiple_of(after.known);
    if before.unknown.is_empty() && !divides {
        return None;
    }
    if !after.unknown.is_empty() || !divides {
        return Some(Ok(Dim::Dynamic));
    }
    let factor = before.known / after.known;
    Some(match before.unknown.as_slice() {
        [] => u64::try_from(factor).ok().and_then(Size::new).map(Dim::Literal).ok_or(ShapeProblem::TooLarge),
        [one] if factor == 1 => Ok(one.clone()),
        several => Ok(scaled(several, factor).unwrap_or(Dim::Dynamic)),
    })
}

/// The product of named axes and a factor, as a name with its range.
fn scaled(dims: &[Dim], factor: u128) -> Option<Dim> {
    let times = |ends: Option<Vec<Size>>| -> Option<Option<Size>> {
        let Some(ends) = ends else { return Some(None) };
        let product = ends.iter().try_fold(factor, |p, end| p.checked_mul(u128::from(end.get())))?;
        Some(Some(Size::new(u64::try_from(product).ok()?)?))
    };
    if !dims.iter().all(|d| matches!(d, Dim::Named(..))) {
        return None;
    }
    let lo = times(Some(dims.iter().map(|d| d.range().lo()).collect()))??;
    let hi = times(dims.iter().map(|d| d.range().hi()).collect())?;
    Some(labelled(dims, "*", Range::new(lo, hi).ok()?))
}
