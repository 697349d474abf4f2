//! The part of a program that a failure is about, and the search for other choices in it.

use super::behind::Rests;
use crate::generate::{Generated, Tensor};
use crate::shape::Kind;
use crate::told::Log;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{Var, Vars};
use lozenge_engine::solver::Policy;
use lozenge_staged::{Assumption, SearchBounds, Searched, SizeClaim, StagedSystem, Valuation, connected, search};
use std::collections::BTreeSet;

/// The part of a program that a failure is about. What has nothing to do with it is not looked at, and so does not change
/// what is said.
pub(super) struct Part {
    pub(super) phi: Vec<Constraint>,
    pub(super) claims: Vec<(usize, SizeClaim)>,
}

impl Part {
    pub(super) fn of(system: &StagedSystem<'_>, rests: &Rests) -> Self {
        let (phi, claims) = connected((system.phi, system.claims), (&rests.constraints, &rests.claims));
        Part { phi, claims }
    }

    fn vars(&self) -> BTreeSet<Var> {
        let claims = self.claims.iter().flat_map(|(_, claim)| claim.vars());
        self.phi.vars().into_iter().chain(claims).collect()
    }

    /// What was committed of its variables.
    pub(super) fn made(&self, log: &Log) -> Vec<Assumption> {
        let vars = self.vars();
        let mine = |a: &&Assumption| vars.contains(&a.given.var()) || a.within.is_some_and(|v| vars.contains(&v));
        log.made.iter().filter(mine).cloned().collect()
    }

    /// Do other choices fit?
    pub(super) fn search(
        &self,
        system: &StagedSystem<'_>,
        names: &Names,
        (policy, bounds): (Policy, SearchBounds),
    ) -> Searched {
        let claims: Vec<SizeClaim> = self.claims.iter().map(|(_, claim)| claim.clone()).collect();
        let discardable = system.discardable.clone();
        let part = StagedSystem { phi: &self.phi, claims: &claims, discardable, ..StagedSystem::default() };
        search(&part, names, policy, bounds)
    }

    /// A solution as one of whole shapes: the other rows of the tensors that it speaks of have to fit as well.
    pub(super) fn whole(
        &self,
        generated: &Generated,
        system: &StagedSystem<'_>,
        found: Box<Valuation>,
        bounds: (Policy, SearchBounds),
    ) -> Searched {
        let whole = self.with_whole_tensors(generated, system);
        if whole.phi.len() == self.phi.len() && whole.claims.len() == self.claims.len() {
            return Searched::Solution(found);
        }
        whole.search(system, &generated.names, bounds)
    }

    /// The part with all rows of its tensors, and with what these are connected to.
    fn with_whole_tensors(&self, generated: &Generated, system: &StagedSystem<'_>) -> Part {
        let (mut vars, mut part) = (self.vars(), None);
        loop {
            let mine = generated.tensors.iter().map(of_tensor).filter(|of| of.iter().any(|v| vars.contains(v)));
            let all: BTreeSet<Var> = mine.flatten().chain(vars.iter().copied()).collect();
            if let Some(part) = part.filter(|_| all.len() == vars.len()) {
                return part;
            }
            let has = |it: &dyn Vars| it.vars().iter().any(|v| all.contains(v));
            let of_phi = (0..system.phi.len()).filter(|i| has(&system.phi[*i])).collect();
            let of_claims = (0..system.claims.len()).filter(|i| has(&system.claims[*i])).collect();
            let (phi, claims) = connected((system.phi, system.claims), (&of_phi, &of_claims));
            let next = Part { phi, claims };
            vars = next.vars().union(&all).copied().collect();
            part = Some(next);
        }
    }
}

/// The variables of a tensor's rows.
fn of_tensor(tensor: &Tensor) -> BTreeSet<Var> {
    Kind::ALL.into_iter().flat_map(|kind| tensor.shape.get(kind).vars()).collect()
}
