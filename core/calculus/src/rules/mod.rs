//! §4 Rules: Defs. 4.2 and 4.3, one function a rule, each named as in the specification.
//!
//! [`dim`] has those for dimensions, [`row_eq`] and [`row_ineq`] those for rows. A rule looks at one constraint, and at as
//! much of B as [`Store`] shows; it returns an [`Effect`], and whoever keeps the configuration carries that out.
//!
//! Chapter: spec/4-solver.md.

pub mod dim;
mod effect;
mod name;
pub mod row_eq;
pub mod row_ineq;

pub use effect::{Bind, Bound, By, Effect, Fired, Lower, Why};
pub use name::Rule;

use crate::constraint::Constraint;
use crate::policy::Policy;
use crate::term::{DimVar, RowVar};

/// What a rule may look at of the bound store B (Def. 4.1).
pub trait Store {
    /// lb(α).
    fn lower(&self, a: DimVar) -> Option<Lower>;

    /// The stored adjacencies of a path from ⊑ … ⊑ to, if there is one: the first that a search finds which looks at
    /// what it met last first, and at the adjacencies of one variable in the order stored.
    fn path(&self, from: DimVar, to: DimVar) -> Option<Vec<By>>;
}

/// Where a rule takes its fresh variables from.
pub trait Fresh {
    /// A dimension variable that occurs nowhere yet.
    fn fresh_dim(&mut self) -> DimVar;

    /// A row variable that occurs nowhere yet.
    fn fresh_row(&mut self) -> RowVar;
}

/// The rule for a constraint under σ, and what it does. Fresh variables come from `names`.
#[inline]
pub fn fire(phi: &Constraint, store: &impl Store, names: &mut impl Fresh, policy: &Policy) -> Fired {
    match phi {
        Constraint::DimEq(s, t) => dim::dim_eq(*s, *t),
        Constraint::DimLe(s, t) => dim::dim_le(store, policy.antisym, *s, *t),
        Constraint::RowEq(s, t) => row_eq::row_eq(s, t),
        Constraint::RowLe(s, t) => row_ineq::row_le(names, s, t),
    }
}
