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

use super::{Atom, Equation, Index, Proj};
use std::fmt;

/// A class of ids that have one index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The size of its axes.
    pub size: u64,
    /// Its pin.
    pub pin: Option<Index>,
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
pub enum Conflict {
    /// PS-union: two ids of one class have different sizes.
    Sizes(u64, u64),
    /// PS-pin: one class has two pins.
    Pins(Index, Index),
    /// PS-check: two given indices are not the same.
    Given(Index, Index),
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

impl Class {
    /// What two classes become when they are one. The paper checks pins only when one arrives; merging must
    /// check them as well, or the verdict would depend on the order (spec/7-projections.md, 7.3).
    fn merged(&self, other: &Class) -> Result<Class, Conflict> {
        if self.size != other.size {
            return Err(Conflict::Sizes(self.size, other.size));
        }
        let pin = match (&self.pin, &other.pin) {
            (Some(i), Some(j)) if i != j => return Err(Conflict::Pins(i.clone(), j.clone())),
            (i, j) => i.as_ref().or(j.as_ref()).cloned(),
        };
        Ok(Class { size: self.size, pin, iterate: self.iterate || other.iterate })
    }
}

/// The state of a pass, a union–find: `parent[p] < p`, or p is the root of its class, and so its first id.
struct Pass {
    parent: Vec<usize>,
    /// The class of each root; what stands at other ids is out of date.
    classes: Vec<Class>,
}

impl Pass {
    fn new(sizes: &[u64]) -> Self {
        let classes = sizes.iter().map(|size| Class { size: *size, pin: None, iterate: false });
        Pass { parent: (0..sizes.len()).collect(), classes: classes.collect() }
    }

    /// The root of p's class. The way there is halved for the next time.
    fn root(&mut self, Proj(p): Proj) -> Result<usize, Conflict> {
        let mut at = p as usize;
        if at >= self.parent.len() {
            return Err(Conflict::Unknown(Proj(p)));
        }
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        Ok(at)
    }

    /// PS-union: Eq(Proj p, Proj q) merges the classes.
    fn union(&mut self, p: Proj, q: Proj) -> Result<(), Conflict> {
        let (p, q) = (self.root(p)?, self.root(q)?);
        if p != q {
            let (first, second) = (p.min(q), p.max(q));
            self.classes[first] = self.classes[p].merged(&self.classes[q])?;
            self.parent[second] = first;
        }
        Ok(())
    }

    /// PS-pin: Eq(Proj p, Sol i) pins the class of p.
    fn pin(&mut self, p: Proj, index: &Index) -> Result<(), Conflict> {
        let p = self.root(p)?;
        match &self.classes[p].pin {
            Some(pin) if pin != index => Err(Conflict::Pins(pin.clone(), index.clone())),
            Some(_) => Ok(()),
            None => {
                self.classes[p].pin = Some(index.clone());
                Ok(())
            }
        }
    }

    /// PS-check: Eq(Sol i, Sol j) is a check.
    fn check(i: &Index, j: &Index) -> Result<(), Conflict> {
        if i == j { Ok(()) } else { Err(Conflict::Given(i.clone(), j.clone())) }
    }

    /// PS-iter: Iter(Proj p) puts the class of p into I.
    fn iterate(&mut self, p: Proj) -> Result<(), Conflict> {
        let p = self.root(p)?;
        self.classes[p].iterate = true;
        Ok(())
    }

    fn step(&mut self, equation: &Equation) -> Result<(), Conflict> {
        match equation {
            Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => self.union(*p, *q),
            Equation::Eq(Atom::Proj(p), Atom::Sol(i)) | Equation::Eq(Atom::Sol(i), Atom::Proj(p)) => self.pin(*p, i),
            Equation::Eq(Atom::Sol(i), Atom::Sol(j)) => Self::check(i, j),
            Equation::Iter(Atom::Proj(p)) => self.iterate(*p),
            Equation::Iter(Atom::Sol(_)) => Ok(()),
        }
    }

    /// Numbers the classes in order of their roots. A parent comes before its children, so its number is known.
    fn finish(self) -> Classes {
        let ids = self.parent.len();
        let (mut of, mut classes) = (Vec::with_capacity(ids), Vec::with_capacity(ids));
        for ((p, parent), class) in self.parent.into_iter().enumerate().zip(self.classes) {
            if parent == p {
                of.push(classes.len());
                classes.push(class);
            } else {
                of.push(of[parent]);
            }
        }
        Classes { of, classes }
    }
}

/// Def. 7.3: a single pass over the equations; sz(p) = `sizes[p]`.
///
/// # Errors
/// A [`Conflict`]: whether there is one does not depend on the order of the equations (Thm. 7.4).
pub fn solve<'a>(sizes: &[u64], equations: impl IntoIterator<Item = &'a Equation>) -> Result<Classes, Conflict> {
    let mut pass = Pass::new(sizes);
    for equation in equations {
        pass.step(equation)?;
    }
    Ok(pass.finish())
}
