//! Commitments that are taken as they come. First in, first out, the equations of a group of commitments are taken before
//! anything that they wake; so where nothing waits, each can be taken at once, and none of them has to wait.

use super::super::waiting::{Dims, Item};
use super::Configuration;
use super::quick::KnownDims;
use crate::mutant::{self, Mutant};
use lozenge_calculus::closing::Commitment;
use lozenge_calculus::policy::{Fuel, Strategy};
use lozenge_calculus::solver::Stop;
use lozenge_calculus::term::{Binding, DimTerm, Vars};

/// Does this give a variable a value without variables?
fn is_ground(binding: &Binding) -> bool {
    match binding {
        Binding::Dim(_, to) => to.is_ground(),
        Binding::Row(_, to) => to.is_closed() && to.lead.iter().chain(&to.trail).all(|t| matches!(t, DimTerm::Dim(_))),
    }
}

impl Configuration<'_> {
    /// Adds x = T for each of these commitments, of variables that are not bound, and has them all processed; each is shown
    /// as it is added.
    ///
    /// # Errors
    /// [`Stop`] at failure or at a limit, when all have been shown.
    pub fn choose(&mut self, commitments: Vec<Commitment>, mut see: impl FnMut(Commitment)) -> Result<(), Stop> {
        let at_once = self.takes_at_once() && commitments.iter().all(|(binding, _)| is_ground(binding));
        let mut stopped = None;
        for commitment in commitments {
            if !at_once {
                self.extend(commitment.0.equation(), true);
            } else if stopped.is_none() {
                stopped = self.take(&commitment.0).err();
            }
            see(commitment);
        }
        match stopped {
            Some(stop) => Err(stop),
            None => self.run(),
        }
    }

    /// Does nothing wait, and does nobody look?
    fn takes_at_once(&self) -> bool {
        let quietly = !self.is_looked_at() && !self.bounds.strays();
        quietly && self.is_solved() && self.policy.strategy == Strategy::Fifo
    }

    /// A step on x = T.
    fn take(&mut self, binding: &Binding) -> Result<(), Stop> {
        debug_assert!(!self.bindings.is_bound(binding.var()), "σ leaves what is open as it is");
        let tainted = !mutant::is(Mutant::ChosenTaint);
        self.steps += 1;
        let axes = if let Binding::Row(_, to) = binding { to.known_rank() as u64 } else { 0 };
        self.fuel.look(Fuel::LOOKS + axes)?;
        self.pay_looks()?;
        match binding {
            Binding::Dim(v, to) => {
                let dims = Dims { equal: true, s: (*v).into(), t: *to, node: 0, tainted };
                self.quick_dims(KnownDims::Bind(*v, *to), &dims)
            }
            Binding::Row(v, to) => self
                .take_closed(*v, to.clone(), tainted)
                .map_err(|refused| self.refused(refused, &Item::new(binding.equation(), 0, tainted))),
        }
    }
}
