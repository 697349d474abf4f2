//! §3.4 Constraints: t₁ = t₂, t₁ ⊑ t₂ on dimensions; R₁ ≈ R₂, R₁ ⊑ R₂ on rows.
//!
//! Chapter: spec/3-terms.md.

use crate::names::Sort;
use crate::term::{DimTerm, RowTerm, Var, Vars};
use std::collections::BTreeSet;

/// An atomic constraint. In an inequality the result comes first and the operand second.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// t₁ = t₂: the same dimension.
    DimEq(DimTerm, DimTerm),
    /// t₁ ⊑ t₂ in the broadcast order (Def. 1.2).
    DimLe(DimTerm, DimTerm),
    /// R₁ ≈ R₂: the same flat content (Def. 2.9).
    RowEq(RowTerm, RowTerm),
    /// R₁ ⊑ R₂ in the marked order (Def. 2.3).
    RowLe(RowTerm, RowTerm),
}

impl Constraint {
    /// The sort of its two sides.
    #[must_use]
    pub fn sort(&self) -> Sort {
        match self {
            Constraint::DimEq(..) | Constraint::DimLe(..) => Sort::Dim,
            Constraint::RowEq(..) | Constraint::RowLe(..) => Sort::Row,
        }
    }

    /// The axes that its rows write.
    #[must_use]
    pub fn axes(&self) -> u64 {
        match self {
            Constraint::DimEq(..) | Constraint::DimLe(..) => 0,
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => (s.known_rank() + t.known_rank()) as u64,
        }
    }

    /// Shows each variable; one that occurs twice is shown twice.
    pub fn each_var(&self, mut see: impl FnMut(Var)) {
        match self {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => {
                for t in [s, t] {
                    if let DimTerm::Var(v) = t {
                        see(Var::Dim(*v));
                    }
                }
            }
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => {
                s.each_var(&mut see);
                t.each_var(&mut see);
            }
        }
    }
}

impl Vars for Constraint {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        self.each_var(|v| {
            out.insert(v);
        });
    }
}
