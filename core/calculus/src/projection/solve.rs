//! Def. 7.3 The projection solver: one pass, a partition, pins, and a set of iterated classes.
//!
//! ```
//! use lozenge::projection::{Atom, Equation, Index, Proj, solve};
//! let p = |i| Atom::Proj(Proj(i));
//! let classes = solve(&[3, 3, 2], &[Equation::Eq(p(0), p(1)), Equation::Iter(p(1))])?;
//! assert_eq!(classes.of, [0, 0, 1]);
//! assert!(classes.classes[0].iterate && !classes.classes[1].iterate);
//! assert!(solve(&[3, 2], &[Equation::Eq(p(0), p(1))]).is_err());      // 7.4 (a): two sizes
//! # let _ = Index::Fix(0);
//! # Ok::<(), lozenge::projection::Conflict>(())
//! ```
//!
//! Chapter: spec/7-projections.md.

use super::{Atom, Equation, Index, Proj};
use std::fmt;

/// A class of ids that have one index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class<I = Index> {
    /// The size of its axes.
    pub size: u64,
    /// Its pin.
    pub pin: Option<I>,
    /// Is it in the set I?
    pub iterate: bool,
}

/// The outcome of a pass: each id's class, and the classes in order of their first ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classes {
    /// The class of each id.
    pub of: Vec<usize>,
    /// The classes.
    pub classes: Vec<Class>,
}

/// Why a pass fails: Thm. 7.4 (a), (b), (c).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict<I = Index> {
    /// PS-union: two ids of one class have different sizes.
    Sizes(u64, u64),
    /// PS-pin: one class has two pins.
    Pins(I, I),
    /// PS-check: two given indices are not the same.
    Given(I, I),
    /// An equation speaks of an id that is not there.
    Unknown(Proj),
}

impl Conflict {
    /// The clause of Thm. 7.4, for messages.
    #[must_use]
    pub fn clause(&self) -> &'static str {
        match self {
            Conflict::Sizes(..) => "PS-union, Thm. 7.4 (a)",
            Conflict::Pins(..) => "PS-pin, Thm. 7.4 (b)",
            Conflict::Given(..) => "PS-check, Thm. 7.4 (c)",
            Conflict::Unknown(_) => "Def. 7.1",
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Sizes(m, n) => write!(f, "axes of sizes {m} and {n} would share one loop"),
            Conflict::Pins(i, j) => write!(f, "one axis would be read at {i} and at {j}"),
            Conflict::Given(i, j) => write!(f, "the indices {i} and {j} are not the same"),
            Conflict::Unknown(Proj(p)) => write!(f, "there is no axis p{p}"),
        }?;
        write!(f, " ({})", self.clause())
    }
}

impl std::error::Error for Conflict {}

/// How the axes of a class are indexed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labelled<'c> {
    /// At its pin.
    Pinned(&'c Index),
    /// By an iterator of its own.
    Iterated,
    /// At 0.
    Zero,
}

impl Class {
    /// Def. 7.3, the last step: a pinned class has its pin; an iterated one of size > 1 a new iterator; others are at 0.
    #[must_use]
    pub fn label(&self) -> Labelled<'_> {
        match &self.pin {
            Some(index) => Labelled::Pinned(index),
            None if self.iterate && self.size > 1 => Labelled::Iterated,
            None => Labelled::Zero,
        }
    }
}

impl<I: Eq + Clone> Class<I> {
    /// A class of one axis, of which nothing is known.
    #[must_use]
    pub fn of_size(size: u64) -> Self {
        Class { size, pin: None, iterate: false }
    }

    /// What two classes become when they are one. The paper checks pins only when one arrives; merging must
    /// check them as well, or the verdict would depend on the order (spec/7-projections.md, 7.3).
    ///
    /// # Errors
    /// PS-union and PS-pin: two sizes, or two pins.
    pub fn merge(&self, other: &Self) -> Result<Self, Conflict<I>> {
        if self.size != other.size {
            return Err(Conflict::Sizes(self.size, other.size));
        }
        let pin = match (&self.pin, &other.pin) {
            (Some(i), Some(j)) if i != j => return Err(Conflict::Pins(i.clone(), j.clone())),
            (i, j) => i.clone().or_else(|| j.clone()),
        };
        Ok(Class { size: self.size, pin, iterate: self.iterate || other.iterate })
    }
}

/// What a pass keeps: a partition of the ids, with what is known of each class.
pub trait Partition<I = Index> {
    /// The classes of two ids become one, by [`Class::merge`].
    ///
    /// # Errors
    /// That they cannot, or that there is no such id.
    fn union(&mut self, p: Proj, q: Proj) -> Result<(), Conflict<I>>;

    /// The class of an id is merged with what is now known of it.
    ///
    /// # Errors
    /// That it cannot be, or that there is no such id.
    fn know(&mut self, p: Proj, now: impl FnOnce(Class<I>) -> Class<I>) -> Result<(), Conflict<I>>;
}

/// PS-union: Eq(Proj p, Proj q) merges the classes.
fn ps_union<I>(partition: &mut impl Partition<I>, p: Proj, q: Proj) -> Result<(), Conflict<I>> {
    partition.union(p, q)
}

/// PS-pin: Eq(Proj p, Sol i) pins the class of p.
fn ps_pin<I: Clone>(partition: &mut impl Partition<I>, p: Proj, index: &I) -> Result<(), Conflict<I>> {
    partition.know(p, |class| Class { pin: Some(index.clone()), ..class })
}

/// PS-check: Eq(Sol i, Sol j) is a check.
fn ps_check<I: Eq + Clone>(i: &I, j: &I) -> Result<(), Conflict<I>> {
    if i == j { Ok(()) } else { Err(Conflict::Given(i.clone(), j.clone())) }
}

/// PS-iter: Iter(Proj p) puts the class of p into I.
fn ps_iter<I>(partition: &mut impl Partition<I>, p: Proj) -> Result<(), Conflict<I>> {
    partition.know(p, |class| Class { iterate: true, ..class })
}

/// Def. 7.3: a single pass over the equations, in whatever way the partition is kept.
///
/// # Errors
/// The first [`Conflict`].
pub fn pass<'a, I: Eq + Clone + 'a>(
    partition: &mut impl Partition<I>,
    equations: impl IntoIterator<Item = &'a Equation<I>>,
) -> Result<(), Conflict<I>> {
    equations.into_iter().try_for_each(|equation| match equation {
        Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => ps_union(partition, *p, *q),
        Equation::Eq(Atom::Proj(p), Atom::Sol(i)) | Equation::Eq(Atom::Sol(i), Atom::Proj(p)) => {
            ps_pin(partition, *p, i)
        }
        Equation::Eq(Atom::Sol(i), Atom::Sol(j)) => ps_check(i, j),
        Equation::Iter(Atom::Proj(p)) => ps_iter(partition, *p),
        Equation::Iter(Atom::Sol(_)) => Ok(()),
    })
}

/// The partition as a list: the ids of each class, with what is known of it.
struct Listed(Vec<(Vec<Proj>, Class)>);

impl Listed {
    /// The class of an id.
    fn find(&mut self, p: Proj) -> Result<&mut (Vec<Proj>, Class), Conflict> {
        self.0.iter_mut().find(|(ids, _)| ids.contains(&p)).ok_or(Conflict::Unknown(p))
    }
}

impl Partition for Listed {
    fn union(&mut self, p: Proj, q: Proj) -> Result<(), Conflict> {
        let (mut ids, class) = self.find(p)?.clone();
        let (others, other) = self.find(q)?.clone();
        if ids.contains(&q) {
            return Ok(());
        }
        let merged = class.merge(&other)?;
        self.0.retain(|(ids, _)| !ids.contains(&p) && !ids.contains(&q));
        ids.extend(others);
        self.0.push((ids, merged));
        Ok(())
    }

    fn know(&mut self, p: Proj, now: impl FnOnce(Class) -> Class) -> Result<(), Conflict> {
        let (_, class) = self.find(p)?;
        *class = class.merge(&now(class.clone()))?;
        Ok(())
    }
}

/// Def. 7.3, with sz(p) = `sizes[p]`.
///
/// # Errors
/// A [`Conflict`]: whether there is one does not depend on the order of the equations (Thm. 7.4).
pub fn solve<'a>(sizes: &[u64], equations: impl IntoIterator<Item = &'a Equation>) -> Result<Classes, Conflict> {
    let ids = || (0_u32..).map(Proj).take(sizes.len());
    let mut partition = Listed(ids().zip(sizes).map(|(p, size)| (vec![p], Class::of_size(*size))).collect());
    pass(&mut partition, equations)?;
    // Classes are numbered by their first ids.
    partition.0.sort_by_key(|(ids, _)| ids.iter().min().copied());
    let number = |p| partition.0.iter().position(|(ids, _)| ids.contains(&p));
    let of = ids().filter_map(number).collect();
    Ok(Classes { of, classes: partition.0.into_iter().map(|(_, class)| class).collect() })
}
