//! Def. 4.1, fast: ⟨Φ; σ; B⟩ where σ is applied to a constraint when it is taken, and the input is read where it stands.
//! A rule says what it does; only here is it done.

mod again;
mod chosen;
mod quick;
mod step;
mod touch;

use super::bindings::{Bindings, Instance};
use super::guard::Guard;
use super::list::MOST_STEPS;
use super::store::Bounds;
use super::waiting::{Emitted, Item, Waiting};
pub use again::Likeness;
use again::{Again, Written};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::guard::{Cycle, Source};
use lozenge_calculus::names::Names;
use lozenge_calculus::policy::{Fuel, Limit, Policy, Strategy};
use lozenge_calculus::rules::{Bind, Bound, By, Effect, Fired, Rule};
use lozenge_calculus::solver::{Failure, Node, Origin, Standing, Step, Stop, Trace};
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Var};

/// ⟨Φ; σ; B⟩, with the guard beside it.
#[derive(Debug)]
pub struct Configuration<'n> {
    names: &'n mut Names,
    /// What is still unread of the input, and how much has been read.
    input: std::slice::Iter<'n, Constraint>,
    read: usize,
    queue: Emitted<'n>,
    /// σ.
    pub bindings: Bindings,
    /// B.
    pub bounds: Bounds,
    /// The facts about lengths.
    pub guard: Guard,
    policy: Policy,
    /// What is left of the work that the run may cost.
    pub fuel: Fuel,
    steps: usize,
    /// The step at which what comes next is to be touched.
    touch_at: usize,
    size: u64,
    substituted: u64,
    /// The derivation, if it is wanted.
    pub trace: Option<Trace>,
    /// What parts of Φ did, to be done again.
    again: Again<'n>,
}

/// The most axes that a derivation may replace by bindings one by one.
const MOST_SUBSTITUTED: u64 = 50_000_000;

impl<'n> Configuration<'n> {
    /// ⟨Φ₀; ∅; ∅⟩.
    pub fn new(phi: &'n [Constraint], names: &'n mut Names, policy: Policy, traced: bool) -> Self {
        let nodes = phi.iter().enumerate().map(|(i, c)| Node { constraint: c.clone(), origin: Origin::Input(i) });
        let trace = traced.then(|| Trace { nodes: nodes.collect(), steps: Vec::new() });
        let (input, queued) = if policy.strategy == Strategy::Fifo { (phi, &[][..]) } else { (&[][..], phi) };
        // A run makes about as many variables as it was given, sometimes a few more.
        let room = 5 * names.len() / 2;
        let mut bounds = Bounds::new(room, policy.antisym);
        bounds.in_full = traced;
        let items = queued.iter().enumerate().map(|(node, c)| Waiting::new(c.clone(), node, false));
        let again = Again::new(names.len());
        Configuration {
            touch_at: touch::beginning(names.len()),
            names,
            input: input.iter(),
            read: 0,
            queue: Emitted::new(policy.strategy, items),
            bindings: Bindings::new(traced, room),
            bounds,
            guard: Guard::new(policy.guard, room),
            policy,
            // Steps are numbered by short numbers, so no run takes more, whatever its fuel.
            fuel: Fuel::new(policy.limits.fuel.min(MOST_STEPS)),
            steps: 0,
            size: 0,
            substituted: 0,
            trace,
            again,
        }
    }

    /// Keeps the derivation of a run that has not begun and has no input yet.
    pub fn keep_trace(&mut self) {
        self.bindings = Bindings::new(true, 0);
        self.bounds.in_full = true;
        self.trace = Some(Trace::default());
    }

    /// How many steps have been taken.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// What is bound by now stays visible beside what will be bound later.
    pub fn set_mark(&mut self) {
        self.bindings.set_mark(self.steps);
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.names.len()
    }

    /// Is Φ empty?
    fn is_solved(&self) -> bool {
        self.input.as_slice().is_empty() && self.queue.is_empty()
    }

    /// Is every step written down, or shown to somebody?
    fn is_looked_at(&self) -> bool {
        debug_assert!(self.bounds.in_full || self.trace.is_none(), "a derivation is of whole steps");
        self.bounds.in_full
    }

    /// The unsolved constraints Φ, as they were emitted.
    pub fn unsolved(&self) -> impl Iterator<Item = Constraint> {
        self.queue.iter().chain(self.input.as_slice().iter().cloned())
    }

    /// A dimension variable that occurs nowhere yet.
    pub fn fresh_dim(&mut self) -> DimVar {
        self.names.fresh_dim()
    }

    /// Adds a constraint to Φ: an entailed one, or (`policy`) a commitment.
    pub fn extend(&mut self, phi: Constraint, policy: bool) {
        let node = self.trace.as_mut().map_or(0, |trace| {
            trace.nodes.push(Node { constraint: phi.clone(), origin: Origin::Added });
            trace.nodes.len() - 1
        });
        self.queue.push(Waiting::new(phi, node, policy));
    }

    /// Adds constraints to Φ that are entailed, where all that was there is solved.
    pub fn feed(&mut self, phi: &'n [Constraint]) {
        if self.trace.is_some() || self.policy.strategy != Strategy::Fifo {
            return phi.iter().for_each(|c| self.extend(c.clone(), false));
        }
        debug_assert!(self.is_solved(), "solved so far");
        self.input = phi.iter();
    }

    /// Binds a variable by policy where nothing stored for it can say otherwise.
    #[inline]
    pub fn bind_to_top(&mut self, binding: Binding) {
        match binding {
            Binding::Dim(v, top) => self.bindings.bind_dim(v, top, self.steps, true),
            Binding::Row(v, top) => self.bindings.bind_row(v, top, (self.steps, false), true),
        }
    }

    /// The deferred equations under σ, oldest first.
    pub fn deferred(&mut self) -> Vec<Constraint> {
        let Configuration { bounds, bindings, .. } = self;
        bounds.deferred().map(|(equation, _)| bindings.instantiate(equation).phi).collect()
    }

    /// The row variables whose marker was placed by choice, with their values.
    pub fn placements(&mut self) -> Vec<Binding> {
        self.bound_where(|bindings, v| bindings.standing(v) == Some(Standing::Content))
    }

    /// The same, with those whose content rests on a choice as well: a commitment, or another placement.
    pub fn all_placements(&mut self) -> Vec<Binding> {
        self.bound_where(Bindings::is_placed)
    }

    fn bound_where(&mut self, is: impl Fn(&Bindings, Var) -> bool) -> Vec<Binding> {
        let vars: Vec<Var> = self.bindings.bound().filter(|v| is(&self.bindings, *v)).collect();
        vars.into_iter().map(|v| self.bindings.value(v)).collect()
    }

    /// Processes constraints until Φ is empty (Def. 4.4).
    ///
    /// # Errors
    /// [`Stop`] at failure or at a limit.
    pub fn run(&mut self) -> Result<(), Stop> {
        while self.step()? {}
        Ok(())
    }

    /// Takes one constraint and applies its rule; false when Φ is empty.
    ///
    /// # Errors
    /// [`Stop`] at failure or at a limit.
    pub fn step(&mut self) -> Result<bool, Stop> {
        self.step_shown(|_, _| ())
    }

    /// [`Configuration::step`], shown to someone before it is carried out: the constraint under σ, and what the rule does
    /// with it. The laws look at the steps of a run without a derivation this way.
    ///
    /// # Errors
    /// [`Stop`] at failure or at a limit.
    pub fn step_seen(&mut self, see: impl FnOnce(&Instance, &Fired)) -> Result<bool, Stop> {
        self.bounds.in_full = true;
        self.step_shown(see)
    }

    /// The number of the step being taken.
    fn this(&self) -> usize {
        self.steps.saturating_sub(1)
    }

    /// Carries out all of an effect but `again`, and writes it down.
    fn apply(&mut self, item: &Item, (rule, effect): &mut Fired) -> Result<(), Stop> {
        let step = self.this();
        let tainted = item.instance.tainted || effect.also.iter().any(|by| by.tainted);
        if let Some(why) = effect.fail.as_deref().cloned() {
            let constraint = item.instance.phi.clone();
            let failure = Failure { rule: *rule, constraint, why, tainted, cycle: Vec::new() };
            return Err(self.fail(item, failure, effect));
        }
        self.write(effect.axes())?;
        let emitted = self.nodes(&effect.emit, step);
        let stored = effect.store.as_mut().map(|bound| self.store(bound, item, tainted));
        if !effect.emit.is_empty() {
            for (i, phi) in std::mem::take(&mut effect.emit).into_iter().enumerate() {
                self.queue.push(Waiting::new(phi, emitted.get(i).copied().unwrap_or(0), tainted));
            }
        }
        if self.trace.is_some() {
            self.record(*rule, item, tainted, effect, emitted, stored);
        }
        if let Some(bind) = effect.bind.take() {
            let bound = self.bind(bind, tainted);
            self.note_facts(step);
            bound.map_err(|cycle| self.fail_by_cycle(item, cycle))?;
        }
        Ok(())
    }

    /// σ := [x ↦ T] ∘ σ; every bound and adjacency stored for x goes back into Φ.
    fn bind(&mut self, bind: Bind, tainted: bool) -> Result<(), Cycle> {
        let Bind { binding, placement } = bind;
        match binding {
            Binding::Dim(a, to) => {
                self.bind_dim(a, to, tainted);
                Ok(())
            }
            Binding::Row(var, to) => self.bind_row(var, to, placement, tainted),
        }
    }

    /// The same for α ↦ t.
    #[inline]
    fn bind_dim(&mut self, a: DimVar, to: DimTerm, tainted: bool) {
        if self.writes() {
            let stored = !self.bounds.has_none(Var::Dim(a));
            self.did(|| (Written::Dim(a, to, stored), tainted));
        }
        let (step, queue) = (self.this(), &mut self.queue);
        self.bounds.take_dim(a, |waiting| queue.push(waiting));
        self.bindings.bind_dim(a, to, step, tainted);
    }

    /// The same for ρ ↦ R, where the marker is placed by choice or not.
    fn bind_row(&mut self, var: RowVar, to: RowTerm, placement: bool, tainted: bool) -> Result<(), Cycle> {
        self.binds(var, &to, placement, tainted);
        let (step, queue) = (self.this(), &mut self.queue);
        self.bounds.take_row(var, |waiting| queue.push(waiting));
        let source = Source { step, tainted: tainted || placement };
        let noted = self.guard.on_binding(var, &to, source);
        self.bindings.bind_row(var, to, (step, placement), tainted);
        noted
    }

    fn store(&mut self, bound: &mut Bound, Item { instance, node }: &Item, tainted: bool) -> usize {
        let step = self.this();
        let node = match &*bound {
            // What comes back from the store is the instance, not what was consumed.
            Bound::Lower(..) | Bound::Adjacency(..) if instance.used().is_empty() => *node,
            bound if self.trace.is_some() => self.node(&bound.constraint(), step),
            _ => 0,
        };
        self.bounds.add(bound, By { step, node, tainted });
        node
    }

    /// Numbers for the constraints that a step emits; none without a derivation.
    fn nodes(&mut self, emitted: &[Constraint], step: usize) -> Vec<usize> {
        if self.trace.is_none() {
            return Vec::new();
        }
        emitted.iter().map(|phi| self.node(phi, step)).collect()
    }

    /// A number for a constraint that a step made.
    fn node(&mut self, phi: &Constraint, step: usize) -> usize {
        let Some(trace) = &mut self.trace else { return 0 };
        trace.nodes.push(Node { constraint: phi.clone(), origin: Origin::Step(step) });
        trace.nodes.len() - 1
    }

    /// Holds what a derivation costs beyond the run itself, where bindings are applied one by one, to its own limit. The
    /// run must not cost more fuel for it: with a derivation it ends as it does without.
    fn keep(&mut self, substituted: u64) -> Result<(), Stop> {
        self.substituted += substituted;
        if self.substituted > MOST_SUBSTITUTED { Err(Stop::Limit(Limit::Derivation)) } else { Ok(()) }
    }

    fn record(
        &mut self,
        rule: Rule,
        Item { instance, node }: &Item,
        tainted: bool,
        effect: &Effect,
        emitted: Vec<usize>,
        stored: Option<usize>,
    ) {
        let step = self.this();
        let Some(trace) = &mut self.trace else { return };
        trace.steps.push(Step {
            rule,
            consumed: *node,
            instance: instance.phi.clone(),
            used: instance.used().to_vec(),
            also: effect.also.iter().map(|by| by.step).collect(),
            emitted,
            stored,
            bind: effect.bind.clone(),
            facts: self.guard.recorded_at(step),
            tainted,
            fail: effect.fail.as_deref().cloned(),
        });
    }

    /// A binding records facts after its step has been written down.
    fn note_facts(&mut self, step: usize) {
        if let Some(noted) = self.trace.as_mut().and_then(|trace| trace.steps.get_mut(step)) {
            noted.facts = self.guard.recorded_at(step);
        }
    }

    fn fail_by_cycle(&mut self, item: &Item, cycle: Cycle) -> Stop {
        let (failure, effect) = Failure::by_cycle(cycle, item.instance.phi.clone(), item.node);
        self.fail(item, failure, &effect)
    }

    fn fail(&mut self, item: &Item, failure: Failure, effect: &Effect) -> Stop {
        // A binding that closes a cycle has been recorded as a step of its own already.
        self.steps = self.trace.as_ref().map_or(self.steps, |t| t.steps.len() + 1);
        self.record(failure.rule, item, failure.tainted, effect, Vec::new(), None);
        Stop::Failed(Box::new(failure))
    }
}
