//! The staged run: the core's solver, the claims that are not discharged yet, and the stage.

use super::claim::SizeClaim;
use super::commit::{AssumedRule, Assumption, Given};
use super::kept::Kept;
use super::meaning::{Valuation, may_be_zero};
use super::outcome::{By, Closed, Marks, Open, Outcome, Refusal, StageStep, StagedSystem, Stopped};
use super::rule::Stage;
use super::search::{SearchBounds, Searched, search};
use super::watch::Watch;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::internal::broken;
use lozenge_calculus::names::Names;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, Var, Vars};
use lozenge_engine::VarSet;
use lozenge_engine::closing::{Tags, check};
use lozenge_engine::solver::bindings::Tops;
use lozenge_engine::solver::configuration::{Configuration, Likeness};
use lozenge_engine::solver::{Limit, Policy, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// Up to how many claims builds with debug assertions look at once more.
pub(super) const RECOUNTED: usize = 40;

/// A staged run under way.
#[derive(Debug)]
pub struct StagedRun<'n> {
    pub(super) configuration: Configuration<'n>,
    /// Φ₀, all of it.
    pub(super) phi: &'n [Constraint],
    pub(super) policy: Policy,
    pub(super) claims: BTreeMap<usize, SizeClaim>,
    /// The claims that are not discharged.
    pub(super) active: BTreeSet<usize>,
    pub(super) watch: Watch,
    /// What is followed from one guess to the next, between two looks at everything.
    pub(super) kept: Option<Box<Kept>>,
    pub(super) looks_anew: bool,
    /// The variables of Φ₀, of the claims and of leaves.
    pub(super) input: VarSet,
    pub(super) tags: &'n Tags,
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
    let end = run.add(system.phi, system.claims.iter().cloned().enumerate()).and_then(|()| run.stages(upto));
    concluded(run.outcome(end), system, names, policy)
}

/// What rests on a commitment or a placement says nothing of other choices: those are tried before it is final. Where
/// a number does not fit, and nothing else is found, the answer is that limit.
#[must_use]
pub fn concluded(outcome: Outcome, system: &StagedSystem<'_>, names: &Names, policy: Policy) -> Outcome {
    match outcome {
        Outcome::Rejected(refusal, assumptions, _) => match search(system, names, policy, SearchBounds::default()) {
            Searched::None { choices } => Outcome::Unsat(Refusal::Exhausted(choices)),
            Searched::Unknown { .. } if refusal.is_too_large() => Outcome::Limit(Limit::Size),
            searched => Outcome::Rejected(refusal, assumptions, searched),
        },
        outcome => outcome,
    }
}

impl<'n> StagedRun<'n> {
    /// Nothing yet. What is known of the whole system from the start is which variables are leaves and which
    /// may be 0.
    pub fn new(system: &'n StagedSystem<'n>, names: &'n mut Names, policy: Policy) -> Self {
        let zero_able = may_be_zero(system.phi, system.claims, &system.discardable);
        let vars = VarSet::of(system.phi, names.len());
        let run = Self::of((system.phi, vars), system.claims, &system.tags, zero_able, names, policy);
        StagedRun { marks: system.marks, ..run }
    }

    /// The same of a system that is not put together: Φ₀ has these variables, and those may be 0.
    pub fn of(
        (phi, mut input): (&'n [Constraint], VarSet),
        claims: &[SizeClaim],
        tags: &'n Tags,
        zero_able: BTreeSet<DimVar>,
        names: &'n mut Names,
        policy: Policy,
    ) -> Self {
        for claim in claims {
            match claim {
                SizeClaim::AtLeast(DimTerm::Var(v), _) => drop(input.insert(Var::Dim(*v))),
                other => input.extend(other.vars()),
            }
        }
        input.extend(tags.leaves.iter().copied());
        StagedRun {
            phi,
            policy,
            configuration: Configuration::new(&[], names, policy, false),
            claims: BTreeMap::new(),
            active: BTreeSet::new(),
            watch: Watch::default(),
            kept: None,
            looks_anew: false,
            input,
            tags,
            zeros: BTreeMap::new(),
            zero_able,
            marks: Marks::default(),
            stage: Stage::One,
            steps: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// Keeps the derivation of the core from here on; for a run that has not begun.
    pub fn keep_trace(&mut self) {
        self.configuration.keep_trace();
    }

    /// Looks at everything after each commitment: what is kept from one to the next changes nothing but the fuel.
    pub fn look_anew(&mut self) {
        self.looks_anew = true;
    }

    /// Stage 1, online: adds the next constraints of Φ₀, and claims by their numbers, and propagates. What follows from
    /// bounds is left for [`StagedRun::settle`].
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add(
        &mut self,
        phi: &'n [Constraint],
        claims: impl IntoIterator<Item = (usize, SizeClaim)>,
    ) -> Result<(), Stopped> {
        self.configuration.feed(phi);
        self.take_claims(claims);
        self.propagate_all()
    }

    fn take_claims(&mut self, claims: impl IntoIterator<Item = (usize, SizeClaim)>) {
        for (number, claim) in claims {
            let asks = !asks_for_nothing(&claim);
            self.claims.insert(number, claim);
            if asks {
                self.active.insert(number);
                self.watch(number);
            }
        }
    }

    /// Adds the constraints and claims of several operations, if they are like others that were written down; or nothing.
    /// Claims may say something between operations, so it is only where they do not.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn again(
        &mut self,
        phi: &'n [Constraint],
        likeness: Option<Likeness<'n>>,
        claims: &[(usize, SizeClaim)],
    ) -> Result<bool, Stopped> {
        if !self.is_quiet(claims) || !self.configuration.again(phi, likeness) {
            return Ok(false);
        }
        self.take_claims(claims.iter().cloned());
        self.propagate_all().map(|()| true)
    }

    /// Writes down what these constraints do, which are added next, for [`StagedRun::again`].
    pub fn write_down(&mut self, phi: &'n [Constraint], likeness: Option<Likeness<'n>>, claims: &[(usize, SizeClaim)]) {
        if self.is_quiet(claims) {
            self.configuration.write_down(phi, likeness);
        }
    }

    /// Does no claim say anything, of those that were added and of these?
    fn is_quiet(&self, claims: &[(usize, SizeClaim)]) -> bool {
        self.active.is_empty() && self.zeros.is_empty() && claims.iter().all(|(_, claim)| asks_for_nothing(claim))
    }

    /// Solves, and propagates each claim by itself, one after the other and again, until nothing is new.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn propagate_all(&mut self) -> Result<(), Stopped> {
        self.configuration.run()?;
        self.follow();
        while self.watch.is_due() {
            let mut last = None;
            while let Some(number) = self.watch.next(last) {
                last = Some(number);
                if self.active.contains(&number) && !self.passes_over(number) {
                    self.look_at_claims(1)?;
                    self.propagate(number)?;
                    self.follow();
                }
            }
        }
        debug_assert!(self.nothing_is_new(), "claims that nothing has changed for say nothing new");
        Ok(())
    }

    /// Looks at all claims, where they are few: does none say anything new?
    fn nothing_is_new(&mut self) -> bool {
        if self.active.len() > RECOUNTED {
            return true;
        }
        let (fuel, active) = (self.configuration.fuel, self.active.clone());
        let quiet = active.iter().all(|number| matches!(self.propagate(*number), Ok(false)));
        self.configuration.fuel = fuel;
        quiet && self.active == active && !self.watch.is_due()
    }

    /// So many claims, or variables of claims, are looked at with what is known put in: a unit of fuel for each.
    pub(super) fn look_at_claims(&mut self, count: usize) -> Result<(), Stopped> {
        Ok(self.configuration.fuel.look(8 * count as u64)?)
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

    /// What was committed, of a run that is done.
    #[must_use]
    pub fn take_assumptions(&mut self) -> Vec<Assumption> {
        std::mem::take(&mut self.assumptions)
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

    pub(super) fn note(&mut self, rule: impl Into<AssumedRule>, by: Option<By>, given: Given) {
        let (at, rule) = (self.configuration.steps(), rule.into());
        self.steps.push(StageStep { stage: self.stage, rule, by, given, at });
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
        for var in self.input.iter() {
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
    pub fn check(&self, values: &Valuation) {
        if let Some(what) = values.violated(self.phi, self.claims.values()) {
            broken("every success satisfies Φ₀ (Conj. 8.4 (a))", what);
        }
    }

    /// Conj. 8.4 (a) of a run that is done: Φ₀ and every claim hold of what is bound. Then the variables that are 0, and what
    /// rows lead to.
    pub fn checked(&mut self) -> (BTreeSet<DimVar>, Tops) {
        let tops = check(self.phi, &mut self.configuration.bindings);
        let zeros = self.all_zeros();
        let mut values = Valuation::default();
        let bindings = &self.configuration.bindings;
        // Most claims are the least sizes of axes, which are read where they are.
        let elements = |d: &DimTerm| match d {
            DimTerm::Var(v) if zeros.contains(v) => 0,
            d => bindings.dim_at_top(*d).elements(),
        };
        let is_seen = |claim: &&SizeClaim| matches!(claim, SizeClaim::AtLeast(d, n) if elements(d) >= *n);
        let others: Vec<&SizeClaim> = self.claims.values().filter(|claim| !is_seen(claim)).collect();
        let mut claimed = BTreeSet::new();
        others.iter().for_each(|claim| claim.collect_vars(&mut claimed));
        for var in claimed {
            match var {
                Var::Dim(v) if zeros.contains(&v) => drop(values.zeros.insert(v)),
                Var::Dim(v) => drop(values.ground.dims.insert(v, bindings.dim_at_top(v.into()))),
                Var::Row(v) => drop(values.ground.rows.insert(v, bindings.row_by(&tops, &v.into()))),
            }
        }
        if let Some(what) = values.violated(&[], others) {
            broken("every success satisfies the claims (Conj. 8.4 (a))", what);
        }
        (zeros, tops)
    }

    /// The input's variables that are 0: those that were found to be, and what equals them.
    pub(super) fn all_zeros(&mut self) -> BTreeSet<DimVar> {
        let Self { configuration, input, zeros, .. } = self;
        let zero = |v: Var| match configuration.bindings.value(v) {
            Binding::Dim(v, DimTerm::Var(u)) => zeros.contains_key(&u).then_some(v),
            _ => None,
        };
        if zeros.is_empty() { BTreeSet::new() } else { input.iter().filter_map(zero).collect() }
    }

    /// How the run ended; nothing has been searched.
    pub fn outcome(mut self, end: Result<(), Stopped>) -> Outcome {
        let unsearched = Searched::Unknown { choices: 0, size: 0, limit: None };
        match end.and_then(|()| self.values()) {
            Err(Stopped::Core(Stop::Limit(limit))) => Outcome::Limit(limit),
            Err(Stopped::Core(Stop::Failed(failure))) if failure.tainted => {
                Outcome::Rejected(Refusal::Core(failure), self.assumptions, unsearched)
            }
            Err(Stopped::Core(Stop::Failed(failure))) => Outcome::Unsat(Refusal::Core(failure)),
            Err(Stopped::Size(failure)) if failure.tainted => {
                Outcome::Rejected(Refusal::Size(failure), self.assumptions, unsearched)
            }
            Err(Stopped::Size(failure)) => Outcome::Unsat(Refusal::Size(failure)),
            Err(Stopped::Hole(hole)) => Outcome::Hole(hole),
            Ok(Some(values)) => {
                self.check(&values);
                let StagedRun { assumptions, steps, .. } = self;
                Outcome::Closed(Box::new(Closed { values, assumptions, steps }))
            }
            Ok(None) => {
                let known = self.input.iter().map(|v| self.configuration.bindings.value(v)).collect();
                let zeros = self.all_zeros();
                let StagedRun { assumptions, steps, active, .. } = self;
                let waiting = active.into_iter().collect();
                Outcome::Open(Box::new(Open { known, zeros, waiting, assumptions, steps }))
            }
        }
    }
}

/// Every axis has an element: an index 0 asks for nothing.
fn asks_for_nothing(claim: &SizeClaim) -> bool {
    matches!(claim, SizeClaim::AtLeast(_, 0 | 1))
}

fn other_kind(phi: &Constraint) -> ! {
    broken("σ leaves a constraint's kind as it is (Def. 3.2)", format!("{phi:?}"))
}
