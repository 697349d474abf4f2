//! Def. 4.1: the configuration ⟨Φ; σ; B⟩ and its one discipline. A rule says what it does; only here is it done: binding
//! a variable re-emits every bound stored for it and replaces it everywhere, in Φ, σ and B.
//!
//! Chapter: spec/4-solver.md.

use super::derivation::{Node, Origin, Step, Trace};
use super::queue::Queue;
use super::store::{Bounds, Stored};
use super::{Failure, Standing};
use crate::constraint::Constraint;
use crate::guard::{Cycle, Guard, Source};
use crate::names::Names;
use crate::policy::{Fuel, Limit, Policy};
use crate::rules::{Bind, Bound, By, Effect, Rule, fire};
use crate::subst::Map;
use crate::term::{Binding, Term, Var, Vars};
use std::collections::BTreeMap;

/// A constraint of Φ, under σ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The constraint.
    pub phi: Constraint,
    /// Does it rest on a placement? Placements count where markers are looked at: in R ⊑ R′.
    pub tainted: bool,
    /// The constraint it was made as, by its number in the derivation.
    pub node: usize,
    /// The steps whose bindings have been applied to it since, in order.
    pub used: Vec<usize>,
}

/// One of the bindings that σ is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// x ↦ T, as it was made.
    pub binding: Binding,
    /// Is T entailed, for all that is known when it is made?
    pub standing: Standing,
}

/// ⟨Φ; σ; B⟩, with the guard beside it, and the derivation that led here.
#[derive(Debug)]
pub struct Configuration<'n> {
    names: &'n mut Names,
    policy: Policy,
    /// Φ.
    pub unsolved: Queue<Item>,
    /// σ, idempotent.
    pub sigma: Map,
    /// B.
    pub bounds: Bounds,
    /// The facts about lengths.
    pub guard: Guard,
    /// The bindings that σ is made of, by variable.
    pub entries: BTreeMap<Var, Entry>,
    /// Every step so far.
    pub trace: Trace,
    pub(crate) fuel: Fuel,
    /// The axes written so far.
    written: u64,
}

/// Why a run stopped before solved form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// fail
    Failed(Box<Failure>),
    /// A limit was reached.
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

impl<'n> Configuration<'n> {
    /// ⟨Φ₀; ∅; ∅⟩.
    #[must_use]
    pub fn new(phi: &[Constraint], names: &'n mut Names, policy: Policy) -> Self {
        let nodes = phi.iter().enumerate().map(|(i, c)| Node { constraint: c.clone(), origin: Origin::Input(i) });
        let items = phi.iter().enumerate().map(|(node, c)| Item::new(c.clone(), node, false));
        Configuration {
            names,
            policy,
            unsolved: Queue::new(policy.strategy, items),
            sigma: Map::identity(),
            bounds: Bounds::default(),
            guard: Guard::new(policy.guard),
            entries: BTreeMap::new(),
            trace: Trace { nodes: nodes.collect(), steps: Vec::new() },
            fuel: Fuel::new(policy.limits.fuel),
            written: 0,
        }
    }

    /// Adds a constraint to Φ: an entailed one, or (`policy`) a commitment.
    pub fn extend(&mut self, phi: Constraint, policy: bool) {
        let node = self.node(&phi, Origin::Added);
        let mut item = Item::new(phi, node, policy);
        // What is added later is made by whoever sees σ; what σ has bound is replaced in it as everywhere.
        for (step, Bind { binding, placement }, tainted) in self.trace.bindings() {
            item.replace(&binding, step, tainted, placement);
        }
        self.unsolved.push(item);
    }

    /// Def. 4.4: processes constraints until Φ is empty.
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
        let Some(item) = self.unsolved.pop() else { return Ok(false) };
        self.fuel.look(Fuel::LOOKS + item.phi.axes())?;
        self.watch(&item)?;
        let (rule, effect) = fire(&item.phi, &self.bounds, self.names, &self.policy);
        self.apply(item, rule, effect)?;
        Ok(true)
    }

    /// The number of the step being taken.
    fn this(&self) -> usize {
        self.trace.steps.len()
    }

    /// The guard sees every row inequality before its rule does.
    fn watch(&mut self, item: &Item) -> Result<(), Stop> {
        let Constraint::RowLe(res, op) = &item.phi else { return Ok(()) };
        if [res, op].iter().any(|r| r.lead.len().max(r.trail.len()) > self.policy.limits.rank) {
            return Err(Limit::Rank.into());
        }
        let source = Source { step: self.this(), tainted: item.tainted };
        self.guard.on_inequality(res, op, source).map_err(|cycle| self.fail_by_cycle(item, cycle))
    }

    /// Carries out an effect.
    fn apply(&mut self, item: Item, rule: Rule, effect: Effect) -> Result<(), Stop> {
        let step = self.this();
        let tainted = item.tainted || effect.also.iter().any(|by| by.tainted);
        if let Some(why) = effect.fail.as_deref().cloned() {
            let failure = Failure { rule, constraint: item.phi.clone(), why, tainted, cycle: Vec::new() };
            return Err(self.fail(&item, failure, &effect));
        }
        self.written += effect.axes();
        if self.written > self.policy.limits.size {
            return Err(Limit::Size.into());
        }
        let emitted: Vec<usize> = effect.emit.iter().map(|phi| self.node(phi, Origin::Step(step))).collect();
        let stored = effect.store.as_ref().map(|bound| self.store(bound, &item, tainted));
        for (phi, node) in effect.emit.iter().zip(&emitted) {
            self.unsolved.push(Item::new(phi.clone(), *node, tainted));
        }
        self.record(&item, rule, tainted, &effect, emitted, stored);
        if effect.again {
            self.unsolved.push_now(item.clone());
        }
        match effect.bind {
            Some(bind) => self.bind(bind, step, tainted).map_err(|cycle| self.fail_by_cycle(&item, cycle)),
            None => Ok(()),
        }
    }

    /// σ := [x ↦ T] ∘ σ. Every bound stored for x goes back into Φ, and x is replaced everywhere.
    fn bind(&mut self, Bind { binding, placement }: Bind, step: usize, tainted: bool) -> Result<(), Cycle> {
        for Stored { bound, by, used } in self.bounds.take(binding.var()) {
            self.unsolved.push(Item { phi: bound.constraint(), tainted: by.tainted, node: by.node, used });
        }
        let noted = match &binding {
            Binding::Row(var, to) => self.guard.on_binding(*var, to, Source { step, tainted: tainted || placement }),
            Binding::Dim(..) => Ok(()),
        };
        self.sigma = Map::single(&binding).after(&self.sigma);
        debug_assert!(self.sigma.is_idempotent(), "σ is idempotent (Def. 4.1)");
        for item in self.unsolved.iter_mut() {
            item.replace(&binding, step, tainted, placement);
        }
        // Placements count where markers are looked at.
        self.bounds.replace(&binding, step, |bound| tainted || (placement && matches!(bound, Bound::Cap(..))));
        debug_assert!(!self.mentions(binding.var()), "x is replaced everywhere (Def. 4.1)");
        let standing = match (tainted, placement) {
            (true, _) => Standing::Policy,
            (false, true) => Standing::Content,
            (false, false) => Standing::Entailed,
        };
        self.entries.insert(binding.var(), Entry { binding, standing });
        if let Some(it) = self.trace.steps.get_mut(step) {
            it.facts = self.guard.recorded_at(step);
        }
        noted
    }

    /// Does x occur in Φ, in B or in a value of σ?
    fn mentions(&self, x: Var) -> bool {
        self.unsolved.iter().any(|item| item.phi.vars().contains(&x))
            || self.bounds.0.iter().any(|stored| stored.bound.constraint().vars().contains(&x))
            || self.sigma.range_vars().contains(&x)
    }

    fn store(&mut self, bound: &Bound, item: &Item, tainted: bool) -> usize {
        let step = self.this();
        let node = match bound {
            // A dimension bound is the consumed constraint itself, unless σ has changed that.
            Bound::Lower(..) | Bound::Adjacency(..) if item.used.is_empty() => item.node,
            bound => self.node(&bound.constraint(), Origin::Step(step)),
        };
        self.bounds.add(bound.clone(), By { step, node, tainted });
        node
    }

    /// A number for a constraint.
    fn node(&mut self, phi: &Constraint, origin: Origin) -> usize {
        self.trace.nodes.push(Node { constraint: phi.clone(), origin });
        self.trace.nodes.len() - 1
    }

    fn record(
        &mut self,
        item: &Item,
        rule: Rule,
        tainted: bool,
        effect: &Effect,
        emitted: Vec<usize>,
        stored: Option<usize>,
    ) {
        let facts = self.guard.recorded_at(self.this());
        self.trace.steps.push(Step {
            rule,
            consumed: item.node,
            instance: item.phi.clone(),
            used: item.used.clone(),
            also: effect.also.iter().map(|by| by.step).collect(),
            emitted,
            stored,
            bind: effect.bind.clone(),
            facts,
            tainted,
            fail: effect.fail.as_deref().cloned(),
        });
    }

    fn fail_by_cycle(&mut self, item: &Item, cycle: Cycle) -> Stop {
        let (failure, effect) = Failure::by_cycle(cycle, item.phi.clone(), item.node);
        self.fail(item, failure, &effect)
    }

    fn fail(&mut self, item: &Item, failure: Failure, effect: &Effect) -> Stop {
        self.record(item, failure.rule, failure.tainted, effect, Vec::new(), None);
        Stop::Failed(Box::new(failure))
    }

    /// How many variables there are.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.names.len()
    }

    /// Every variable, oldest first.
    pub fn all_vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.names.vars()
    }

    /// σ(x).
    #[must_use]
    pub fn value(&self, var: Var) -> Term {
        self.sigma.var(var)
    }

    /// The row variables whose marker was placed by choice, with their values.
    #[must_use]
    pub fn placements(&self) -> Vec<Binding> {
        let chosen = self.entries.values().filter(|entry| entry.standing == Standing::Content);
        chosen.map(|entry| self.sigma.binding(entry.binding.var())).collect()
    }
}

impl Item {
    fn new(phi: Constraint, node: usize, tainted: bool) -> Self {
        Item { phi, tainted, node, used: Vec::new() }
    }

    /// Replaces x by T where x occurs. What rests on a choice is tainted by it, and on a placement where markers count.
    fn replace(&mut self, binding: &Binding, step: usize, tainted: bool, placement: bool) {
        if !self.phi.vars().contains(&binding.var()) {
            return;
        }
        self.tainted |= tainted || (placement && matches!(self.phi, Constraint::RowLe(..)));
        self.phi = Map::single(binding).apply_constraint(&self.phi);
        self.used.push(step);
    }
}
