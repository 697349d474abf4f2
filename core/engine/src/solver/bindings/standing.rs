//! Cor. 5.7: which variables are bound, and how firmly.

use super::Bindings;
use super::chains::Rests;
use lozenge_calculus::solver::Standing;
use lozenge_calculus::term::{DimVar, RowVar, Var, Vars};
use std::collections::BTreeSet;

impl Bindings {
    /// What is known of a bound variable's full value: the worst of what is known of every binding that its
    /// value is read through.
    #[must_use]
    pub fn standing_in_full(&self, var: Var) -> Option<Standing> {
        let mut worst = self.standing(var)?;
        let (mut open, mut seen) = (vec![var], BTreeSet::new());
        while let Some(at) = open.pop() {
            match at {
                _ if !seen.insert(at) => {}
                Var::Dim(v) => {
                    let Some(slot) = self.dim_slot(v) else { continue };
                    worst = worst.max(standing(Rests::of(slot)));
                    open.extend(slot.to.vars());
                }
                Var::Row(v) => {
                    let Some((to, rests)) = self.led(v) else { continue };
                    worst = worst.max(standing(rests));
                    to.each_var(|v| open.push(v));
                }
            }
        }
        Some(worst)
    }

    /// What is known of a binding by itself: is the value entailed, or its content only, or neither?
    #[must_use]
    pub fn standing(&self, var: Var) -> Option<Standing> {
        Some(standing(match var {
            Var::Dim(v) => Rests::of(self.dim_slot(v)?),
            Var::Row(v) => Rests::of(self.row_slot(v)?),
        }))
    }

    /// Was the marker of a binding placed by choice, whatever else it rests on?
    #[must_use]
    pub fn is_placed(&self, var: Var) -> bool {
        matches!(var, Var::Row(v) if self.row_slot(v).is_some_and(|slot| slot.placement))
    }

    /// The bound variables, oldest first.
    pub fn bound(&self) -> impl Iterator<Item = Var> + '_ {
        let numbers = 0..self.dims.len().max(self.row_at.len());
        numbers.filter_map(|number| u32::try_from(number).ok()).filter_map(|number| {
            let (dim, row) = (DimVar(number), RowVar(number));
            let dim = self.dim_slot(dim).map(|_| Var::Dim(dim));
            dim.or_else(|| self.row_slot(row).map(|_| Var::Row(row)))
        })
    }
}

/// How firm is what rests on this?
fn standing(Rests { placement, tainted }: Rests) -> Standing {
    match (tainted, placement) {
        (true, _) => Standing::Policy,
        (false, true) => Standing::Content,
        (false, false) => Standing::Entailed,
    }
}
