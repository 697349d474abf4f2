//! The second stratum of projection inference (Conj. 8.2): affine and concatenated indices, evaluated on the
//! classes of the first.
//!
//! The first stratum is Def. 7.3. Then each derived term is evaluated: a class that is pinned is a constant, one
//! of size 1 is 0, any other is its iterator. Classes that stand in one concatenation are coupled, and so are
//! classes that are coupled with a common one: connected components. Last, a class that has two terms, or a term
//! and a pin, is checked: the two must be the same.

use lozenge_calculus::projection::{Classes, Conflict, Equation, Index, Proj};
use lozenge_engine::projection::solve;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A derived index over ids.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DerivedIndex {
    /// Σ cᵢ·sᵢ + o.
    Affine {
        /// The factors and ids.
        terms: Vec<(u64, Proj)>,
        /// The constant.
        offset: i64,
    },
    /// s₁, then s₂, ….
    Concat(Vec<Proj>),
}

/// A derived index on classes, in normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evaluated {
    /// Classes with their factors, and the constant.
    Affine {
        /// No factor is 0.
        terms: BTreeMap<usize, u64>,
        /// The constant.
        offset: i64,
    },
    /// Classes, in order.
    Concat(Vec<usize>),
}

/// Both strata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strata {
    /// The first: each id's class.
    pub classes: Classes,
    /// The second: the classes that are indexed by a derived term, and so not iterated.
    pub derived: BTreeMap<usize, Evaluated>,
    /// Classes that are iterated one after the other.
    pub coupled: Vec<Vec<usize>>,
}

/// Why there is no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StrataConflict {
    /// In the first stratum.
    First(Conflict),
    /// Deferred check: one class has two different terms.
    Differ(Proj),
    /// Deferred check: a class has a term and another index from outside.
    Pinned(Proj),
    /// A term over a class that has a term itself, or over an index that is only known later.
    Nested(Proj),
    /// A number of an index that does not fit.
    TooLarge,
}

impl fmt::Display for StrataConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StrataConflict::First(conflict) => conflict.fmt(f),
            StrataConflict::Differ(Proj(p)) => write!(f, "the axis p{p} would have two different indices"),
            StrataConflict::Pinned(Proj(p)) => {
                write!(f, "the axis p{p} would be read at one index and at one that is worked out")
            }
            StrataConflict::Nested(Proj(p)) => write!(f, "the index of p{p} would be worked out from one that is"),
            StrataConflict::TooLarge => {
                f.write_str("the numbers of an index are too large: offsets and paddings go up to 9223372036854775807")
            }
        }
    }
}

impl std::error::Error for StrataConflict {}

/// Solves the first stratum, evaluates the second on it, couples, and checks.
///
/// # Errors
/// A [`StrataConflict`].
pub fn solve_strata<'a>(
    sizes: &[u64],
    equations: impl IntoIterator<Item = &'a Equation>,
    indexed: &[(Proj, DerivedIndex)],
) -> Result<Strata, StrataConflict> {
    let classes = solve(sizes, equations).map_err(StrataConflict::First)?;
    let class = |p: Proj| classes.of.get(p.0 as usize).copied().ok_or(StrataConflict::First(Conflict::Unknown(p)));
    let mut heads = BTreeSet::new();
    for (axis, _) in indexed {
        heads.insert(class(*axis)?);
    }
    let mut in_concat = BTreeSet::new();
    for (_, term) in indexed {
        if let DerivedIndex::Concat(parts) = term {
            for part in parts {
                in_concat.insert(class(*part)?);
            }
        }
    }
    let mut derived: BTreeMap<usize, Evaluated> = BTreeMap::new();
    for (axis, term) in indexed {
        let evaluated = evaluate(&classes, &heads, &in_concat, *axis, term, &class)?;
        let head = class(*axis)?;
        match derived.get(&head) {
            Some(other) if *other != evaluated => return Err(StrataConflict::Differ(*axis)),
            _ => {}
        }
        check_pin(&classes, head, &evaluated, *axis)?;
        derived.insert(head, evaluated);
    }
    let coupled = couple(&derived);
    Ok(Strata { classes, derived, coupled })
}

/// One term on the classes.
fn evaluate(
    classes: &Classes,
    heads: &BTreeSet<usize>,
    in_concat: &BTreeSet<usize>,
    axis: Proj,
    term: &DerivedIndex,
    class: &impl Fn(Proj) -> Result<usize, StrataConflict>,
) -> Result<Evaluated, StrataConflict> {
    let plain = |p: Proj| {
        let number = class(p)?;
        if heads.contains(&number) { Err(StrataConflict::Nested(axis)) } else { Ok(number) }
    };
    match term {
        DerivedIndex::Concat(parts) => {
            let numbers = parts.iter().map(|p| plain(*p)).collect::<Result<Vec<_>, _>>()?;
            // Each component needs an iterator of its own, so none can be pinned or stand twice.
            let distinct: BTreeSet<&usize> = numbers.iter().collect();
            let pinned = numbers.iter().any(|n| classes.classes[*n].pin.is_some());
            if pinned || distinct.len() != numbers.len() {
                return Err(StrataConflict::Nested(axis));
            }
            Ok(Evaluated::Concat(numbers))
        }
        DerivedIndex::Affine { terms, offset } => {
            let (mut sum, mut constant) = (BTreeMap::new(), *offset);
            for (factor, p) in terms {
                let number = plain(*p)?;
                let it = &classes.classes[number];
                match &it.pin {
                    Some(Index::Fix(at)) => {
                        let product = factor.checked_mul(*at).and_then(|n| i64::try_from(n).ok());
                        constant = product.and_then(|n| constant.checked_add(n)).ok_or(StrataConflict::TooLarge)?;
                    }
                    Some(Index::External(_)) => return Err(StrataConflict::Nested(axis)),
                    // A component of size 1 keeps its iterator: whether it is its turn matters.
                    None if it.size <= 1 && !in_concat.contains(&number) => {}
                    None => {
                        let entry: &mut u64 = sum.entry(number).or_insert(0);
                        *entry = entry.checked_add(*factor).ok_or(StrataConflict::TooLarge)?;
                    }
                }
            }
            sum.retain(|_, factor| *factor != 0);
            Ok(Evaluated::Affine { terms: sum, offset: constant })
        }
    }
}

/// A class that is pinned and has a term: the term must be that constant.
fn check_pin(classes: &Classes, head: usize, term: &Evaluated, axis: Proj) -> Result<(), StrataConflict> {
    match (&classes.classes[head].pin, term) {
        (None, _) => Ok(()),
        (Some(Index::Fix(at)), Evaluated::Affine { terms, offset })
            if terms.is_empty() && u64::try_from(*offset) == Ok(*at) =>
        {
            Ok(())
        }
        _ => Err(StrataConflict::Pinned(axis)),
    }
}

/// Connected components of the hypergraph whose edges are the concatenations.
fn couple(derived: &BTreeMap<usize, Evaluated>) -> Vec<Vec<usize>> {
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for term in derived.values() {
        let Evaluated::Concat(parts) = term else { continue };
        let mut merged: BTreeSet<usize> = parts.iter().copied().collect();
        let (touching, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|g| !g.is_disjoint(&merged));
        touching.into_iter().for_each(|group| merged.extend(group));
        groups = apart;
        groups.push(merged);
    }
    groups.sort();
    groups.into_iter().map(|group| group.into_iter().collect()).collect()
}
