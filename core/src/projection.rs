//! §7 Projection inference: from solved shapes to loop nests and index maps.
//!
//! [`project`] does it for one operation of a program ([`local`]): fresh ids for its axes, its own constraints
//! derived again and read as equations ([`elaborate`], Def. 7.2), the union–find solver ([`solve()`], Def. 7.3),
//! and what is read off the result ([`Projections`], Def. 7.5, Prop. 7.6).
//!
//! ```
//! use lozenge::program::{infer, parse};
//! use lozenge::projection::project;
//! let program = parse("input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => ik\" b")?;
//! let inferred = infer(&program)?;
//! let nest = project(&inferred, 0)?;
//! assert_eq!(nest.record.loops.iter().map(|l| (l.name.as_str(), l.size)).collect::<Vec<_>>(), [("i", 2), ("k", 4), ("j", 3)]);
//! assert_eq!(nest.record.reductions(), [2]);            // j: the result's map does not mention it
//! assert!(nest.record.is_surjective() && !nest.record.is_injective());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod affine;
mod again;
pub mod elaborate;
mod error;
mod label;
pub mod local;
pub mod record;
pub mod show;
mod situation;
pub mod solve;

pub use affine::{Address, AffineLabel, Sure};
pub use error::ProjectError;
pub use local::{Nest, Projected, project, project_all};
pub use record::{Label, Loop, MapAxis, Projections, Slot};
pub use solve::{Classes, Conflict, solve};

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

/// Def. 7.1: q ::= Proj(p) | Sol(idx).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// An axis whose index this operation determines.
    Proj(Proj),
    /// An index from outside.
    Sol(Index),
}

/// Def. 7.1: e ::= Eq(q₁, q₂) | Iter(q). Eq is symmetric.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Equation {
    /// The two have one index.
    Eq(Atom, Atom),
    /// It is iterated.
    Iter(Atom),
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
