//! σ one binding after the other, as a derivation shows it.

use super::{Bindings, Instance, To};
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::subst::Map;
use lozenge_calculus::term::{Binding, Var, Vars};

impl Bindings {
    /// Replaces φ by σ(φ), one binding after the other, oldest first: a bound value mentions only variables
    /// that were unbound when it was made, so each binding is applied once.
    pub(super) fn apply_step_by_step(&self, Instance { phi, tainted, used }: &mut Instance) {
        let marked = matches!(phi, Constraint::RowLe(..));
        loop {
            let bound = phi.vars().into_iter().filter_map(|v| self.entry(v));
            let latest = mutant::is(Mutant::ChainMark);
            let Some(entry) = bound.min_by_key(|entry| if latest { u32::MAX - entry.step } else { entry.step }) else {
                break;
            };
            *phi = Map::single(&entry.to).apply_constraint(phi);
            *tainted |= entry.tainted || (marked && entry.placement);
            used.get_or_insert_default().push(entry.step as usize);
        }
    }

    /// A variable's binding as it is kept.
    pub(super) fn entry(&self, var: Var) -> Option<To<Binding>> {
        match var {
            Var::Dim(v) => self.dim_slot(v).map(|slot| slot.with(Binding::Dim(v, slot.to))),
            Var::Row(v) => self.row_slot(v).map(|slot| slot.with(Binding::Row(v, slot.to.clone()))),
        }
    }
}

impl<T> To<T> {
    /// The same, of something else.
    fn with<U>(&self, to: U) -> To<U> {
        To { to, step: self.step, placement: self.placement, tainted: self.tainted }
    }
}
