//! §7 Projections: from the constraints of one operation, its shapes known, to a loop nest and index maps.
//!
//! [`elaborate`] reads constraints as equations (Def. 7.2, P1 to P6), [`solve()`] merges what is one loop (Def. 7.3), and
//! [`Projections`] is what is read off the result (Def. 7.5, Prop. 7.6). Labels beyond Def. 7.3, of §8, are in [`affine`].
//!
//! Chapter: spec/7-projections.md.

pub mod affine;
pub mod elaborate;
mod kind;
pub mod record;
pub mod solve;

pub use affine::{Address, AffineLabel, Sure};
pub use elaborate::Elaboration;
pub use kind::Kind;
pub use record::{Label, Loop, MapAxis, Projections, Slot};
pub use solve::{Class, Classes, Conflict, Labelled, Partition, pass, solve};

use std::fmt;

/// An id p ∈ P: one axis of one occurrence of a tensor, used by one operation only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Proj(pub u32);

/// An index that is given from outside (Def. 7.1).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Index {
    /// A constant.
    Fix(u64),
    /// A symbol that gets its value when the program runs.
    External(String),
}

/// Def. 7.1: q ::= Proj(p) | Sol(idx). §7 asks of indices only whether they are the same, so they may be of any type I.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom<I = Index> {
    /// An axis whose index this operation determines.
    Proj(Proj),
    /// An index from outside.
    Sol(I),
}

/// Def. 7.1: e ::= Eq(q₁, q₂) | Iter(q). Eq is symmetric.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Equation<I = Index> {
    /// The two have one index.
    Eq(Atom<I>, Atom<I>),
    /// It is iterated.
    Iter(Atom<I>),
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Fix(c) => write!(f, "{c}"),
            Index::External(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Proj(Proj(p)) => write!(f, "Proj(p{p})"),
            Atom::Sol(Index::Fix(c)) => write!(f, "Sol(Fix {c})"),
            Atom::Sol(Index::External(name)) => write!(f, "Sol({name})"),
        }
    }
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Equation::Eq(a, b) => write!(f, "Eq({a}, {b})"),
            Equation::Iter(a) => write!(f, "Iter({a})"),
        }
    }
}
