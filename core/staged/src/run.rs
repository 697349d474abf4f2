//! The staged run: the core's solver, the claims that are not discharged yet, and the stage.

use super::claim::SizeClaim;
use super::commit::{Assumption, Given};
use super::meaning::{Valuation, may_be_zero};
use super::outcome::{Closed, Marks, Open, Outcome, Refusal, StageStep, StagedSystem, Stopped};
use super::rule::{Stage, StageRule};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::internal::broken;
use lozenge_calculus::names::Names;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, Var, Vars};
use lozenge_engine::closing::Tags;
use lozenge_engine::solver::configuration::Configuration;
use lozenge_engine::solver::{Policy, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// A staged run under way.
#[derive(Debug)]
pub struct StagedRun<'n> {
    pub(super) configuration: Configuration<'n>,
    pub(super) claims: BTreeMap<usize, SizeClaim>,
    /// The claims that are not discharged.
    pub(super) active: BTreeSet<usize>,
    pub(super) input: BTreeSet<Var>,
    pub(super) tags: Tags,
    /// The variables that are 0, and whether that was a commitment.
    pub(super) zeros: BTreeMap<DimVar, bool>,
    pub(super) zero_able: BTreeSet<DimVar>,
    pub(super) marks: Marks,
    pub(super) stage: Stage,
    pub(super) steps: Vec<StageStep>,
    pub(super) assumptions: Vec<Assumption>,
}

/// Runs the stages up to one of them.
pub fn solve(system: &StagedSystem<'_>, names: &mut Names, policy: Policy, upto: Stage) -> Outcome {
    let mut run = StagedRun::new(system, names, policy);
    let end = run.add(system.phi.iter().cloned(), system.claims.iter().cloned()).and_then(|()| run.stages(upto));
    run.outcome(system.phi, end)
}

impl<'n> StagedRun<'n> {
    /// Nothing yet. What is known of the whole system from the start is which variables are leaves and which
    /// may be 0.
    pub fn new(system: &StagedSystem<'_>, names: &'n mut Names, policy: Policy) -> Self {
        StagedRun {
            configuration: Configuration::new(&[], names, policy, false),
            claims: BTreeMap::new(),
            active: BTreeSet::new(),
            input: system.tags.leaves.clone(),
            tags: system.tags.clone(),
            zeros: BTreeMap::new(),
            zero_able: may_be_zero(system.phi, system.claims, &system.discardable),
            marks: system.marks,
            stage: Stage::One,
            steps: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// Keeps the derivation of the core from here on; for a run that has not begun.
    pub fn keep_trace(&mut self) {
        self.configuration.keep_trace();
    }

    /// Stage 1, online: adds constraints and claims and propagates.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add(
        &mut self,
        phi: impl IntoIterator<Item = Constraint>,
        claims: impl IntoIterator<Item = SizeClaim>,
    ) -> Result<(), Stopped> {
        let from = self.claims.len();
        self.add_numbered(phi, claims.into_iter().enumerate().map(|(i, claim)| (from + i, claim)))
    }

    /// The same, for claims that have numbers already.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add_numbered(
        &mut self,
        phi: impl IntoIterator<Item = Constraint>,
        claims: impl IntoIterator<Item = (usize, SizeClaim)>,
    ) -> Result<(), Stopped> {
        for constraint in phi {
            constraint.collect_vars(&mut self.input);
            self.configuration.extend(constraint, false);
        }
        for (number, claim) in claims {
            claim.collect_vars(&mut self.input);
            self.active.insert(number);
            self.claims.insert(number, claim);
        }
        self.propagate_all()
    }

    /// Solves and propagates until nothing is new.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn propagate_all(&mut self) -> Result<(), Stopped> {
        self.configuration.run()?;
        loop {
            let mut progress = false;
            for number in self.active.clone() {
                self.configuration.fuel.look(1)?;
                progress |= self.propagate(number)?;
            }
            if !progress {
                return Ok(());
            }
        }
    }

    /// The core's configuration.
    pub fn configuration(&mut self) -> &mut Configuration<'n> {
        &mut self.configuration
    }

    /// What was done so far.
    #[must_use]
    pub fn steps(&self) -> &[StageStep] {
        &self.steps
    }

    /// What was committed so far.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// The value of a term, and whether it rests on a commitment.
    pub(super) fn look(&mut self, term: DimTerm) -> (DimTerm, bool) {
        let instance = self.configuration.bindings.instantiate(Constraint::DimEq(term, term));
        match instance.phi {
            Constraint::DimEq(value, _) => (value, instance.tainted),
            other => other_kind(&other),
        }
    }

    pub(super) fn look_row(&mut self, row: &RowTerm) -> (RowTerm, bool) {
        let instance = self.configuration.bindings.instantiate(Constraint::RowEq(row.clone(), RowTerm::default()));
        match instance.phi {
            Constraint::RowEq(value, _) => (value, instance.tainted),
            other => other_kind(&other),
        }
    }

    pub(super) fn note(&mut self, rule: StageRule, claim: Option<usize>, given: Given) {
        let at = self.configuration.steps();
        self.steps.push(StageStep { stage: self.stage, rule, claim, given, at });
    }

    /// The values of the input's variables, if all have one.
    ///
    /// # Errors
    /// [`Stopped`] where a limit is reached.
    pub fn values(&mut self) -> Result<Option<Valuation>, Stopped> {
        if !self.unsolved()?.owner.is_empty() {
            return Ok(None);
        }
        let (top, mut ground) = (Ground::default(), Ground::default());
        let mut zeros = BTreeSet::new();
        for var in self.input.clone() {
            match self.configuration.bindings.value(var) {
                Binding::Dim(v, DimTerm::Var(_)) => {
                    zeros.insert(v);
                }
                Binding::Dim(v, t) => {
                    ground.dims.insert(v, top.dim(t));
                }
                Binding::Row(v, t) => {
                    ground.rows.insert(v, top.row(&t));
                }
            }
        }
        Ok(Some(Valuation { ground, zeros }))
    }

    /// Conj. 8.4 (a): every success satisfies Φ₀ and the claims. It is looked at before anything is answered, whatever
    /// the build. The check knows nothing of the rules, so a rule that is wrong shows here.
    pub fn check(&self, values: &Valuation, phi: &[Constraint]) {
        if let Some(what) = values.violated(phi, self.claims.values()) {
            broken("every success satisfies Φ₀ (Conj. 8.4 (a))", what);
        }
    }

    /// How the run ended.
    pub fn outcome(mut self, phi: &[Constraint], end: Result<(), Stopped>) -> Outcome {
        match end.and_then(|()| self.values()) {
            Err(Stopped::Core(Stop::Limit(limit))) => Outcome::Limit(limit),
            Err(Stopped::Core(Stop::Failed(failure))) if failure.tainted => {
                Outcome::Rejected(Refusal::Core(failure), self.assumptions)
            }
            Err(Stopped::Core(Stop::Failed(failure))) => Outcome::Unsat(Refusal::Core(failure)),
            Err(Stopped::Size(failure)) if failure.tainted => {
                Outcome::Rejected(Refusal::Size(failure), self.assumptions)
            }
            Err(Stopped::Size(failure)) => Outcome::Unsat(Refusal::Size(failure)),
            Err(Stopped::Hole(hole)) => Outcome::Hole(hole),
            Ok(Some(values)) => {
                self.check(&values, phi);
                let StagedRun { assumptions, steps, .. } = self;
                Outcome::Closed(Box::new(Closed { values, assumptions, steps }))
            }
            Ok(None) => {
                let input = self.input.clone();
                let known = input.into_iter().map(|v| self.configuration.bindings.value(v)).collect();
                let StagedRun { assumptions, steps, active, zeros, .. } = self;
                let zeros = zeros.into_keys().collect();
                let waiting = active.into_iter().collect();
                Outcome::Open(Box::new(Open { known, zeros, waiting, assumptions, steps }))
            }
        }
    }
}

fn other_kind(phi: &Constraint) -> ! {
    broken("σ leaves a constraint's kind as it is (Def. 3.2)", format!("{phi:?}"))
}
