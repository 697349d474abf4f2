//! Def. 4.1: the configuration ⟨Φ; σ; B⟩ and its one discipline. A rule says what it does; only here
//! is it done: binding a variable re-emits every bound stored for it and replaces it everywhere.

use super::bindings::{Bindings, Instance};
use super::differences::Fact;
use super::dim_rules::{dim_eq, dim_le};
use super::effect::{Bound, Effect, Why};
use super::guard::{Cycle, Guard, Source};
use super::policy::{Limit, Policy};
use super::queue::Queue;
use super::row_eq::row_eq;
use super::row_ineq::row_le;
use super::store::{Bounds, By};
use super::trace::{Node, Origin, Step, Trace};
use super::{Failure, Rule};
use crate::constraint::Constraint;
use crate::names::Names;
use crate::term::{RowTerm, Term, Var};

/// A constraint in flight.
#[derive(Clone, Debug)]
struct Item {
    phi: Constraint,
    node: usize,
    tainted: bool,
}

/// ⟨Φ; σ; B⟩, with the guard beside it.
#[derive(Debug)]
pub struct Configuration<'n> {
    names: &'n mut Names,
    queue: Queue<Item>,
    /// σ.
    pub bindings: Bindings,
    /// B.
    pub bounds: Bounds,
    guard: Guard,
    policy: Policy,
    steps: usize,
    size: u64,
    /// The derivation, if it is wanted.
    pub trace: Option<Trace>,
}

/// Why a run stopped before solved form.
#[derive(Debug)]
pub enum Stop {
    /// fail
    Failed(Failure),
    /// A limit was reached.
    Limit(Limit),
}

impl<'n> Configuration<'n> {
    /// ⟨Φ₀; ∅; ∅⟩.
    pub fn new(phi: &[Constraint], names: &'n mut Names, policy: Policy, traced: bool) -> Self {
        let nodes = phi.iter().enumerate().map(|(i, c)| Node { constraint: c.clone(), origin: Origin::Input(i) });
        let trace = traced.then(|| Trace { nodes: nodes.collect(), steps: Vec::new() });
        let items = phi.iter().enumerate().map(|(node, c)| Item { phi: c.clone(), node, tainted: false });
        Configuration {
            names,
            queue: Queue::new(policy.strategy, items),
            bindings: Bindings::new(traced),
            bounds: Bounds::default(),
            guard: Guard::new(policy.guard),
            policy,
            steps: 0,
            size: 0,
            trace,
        }
    }

    /// How many steps have been taken.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
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
        let Some(item) = self.queue.pop() else { return Ok(false) };
        if self.steps as u64 >= self.policy.limits.fuel {
            return Err(Stop::Limit(Limit::Fuel));
        }
        let mut instance = self.bindings.instantiate(item.phi.clone());
        instance.tainted |= item.tainted;
        let step = self.steps;
        self.steps += 1;
        let facts = self.watch(&instance, &item, step)?;
        let (rule, effect) = self.fire(&instance.phi);
        self.apply(item, instance, rule, effect, facts)?;
        Ok(true)
    }

    /// The guard sees every row inequality before its rule does.
    fn watch(&mut self, instance: &Instance, item: &Item, step: usize) -> Result<(), Stop> {
        let Constraint::RowLe(res, op) = &instance.phi else { return Ok(()) };
        let limit = self.policy.limits.rank;
        if [res, op].iter().any(|r| r.lead.len().max(r.trail.len()) > limit) {
            return Err(Stop::Limit(Limit::Rank));
        }
        let source = Source { step, tainted: instance.tainted };
        match self.guard.on_inequality(res, op, source) {
            Ok(()) => Ok(()),
            Err(cycle) => Err(Stop::Failed(self.fail_by_cycle(cycle, instance.clone(), item.node))),
        }
    }

    /// The rule for a constraint.
    fn fire(&mut self, phi: &Constraint) -> (Rule, Effect) {
        match phi {
            Constraint::DimEq(s, t) => dim_eq(*s, *t),
            Constraint::DimLe(s, t) => dim_le(&self.bounds, *s, *t),
            Constraint::RowEq(s, t) => row_eq(s, t),
            Constraint::RowLe(s, t) => row_le(self.names, s, t),
        }
    }

    fn apply(&mut self, item: Item, instance: Instance, rule: Rule, effect: Effect, (): ()) -> Result<(), Stop> {
        let step = self.steps - 1;
        let tainted = instance.tainted || self.also_tainted(&effect, &instance.phi);
        if let Some(why) = effect.fail {
            let failed = Effect { fail: Some(why), ..effect };
            return Err(Stop::Failed(self.record_failure(rule, item.node, instance, tainted, failed)));
        }
        self.count(&effect)?;
        let emitted: Vec<usize> = effect.emit.iter().map(|phi| self.node(phi, step)).collect();
        let stored = self.store(&effect, &item, &instance.phi, step, tainted);
        for (phi, node) in effect.emit.iter().zip(&emitted) {
            self.queue.push(Item { phi: phi.clone(), node: *node, tainted });
        }
        let bind = effect.bind;
        if let Some(trace) = &mut self.trace {
            let Instance { phi, used, .. } = instance.clone();
            let also = effect.also;
            let facts = Vec::new();
            trace.steps.push(Step {
                rule,
                consumed: item.node,
                instance: phi,
                used,
                also,
                emitted,
                stored,
                bind: bind.clone(),
                facts,
                tainted,
                fail: None,
            });
        }
        if let Some(bind) = bind {
            let (var, to, placement) = (bind.var, bind.to.clone(), bind.placement);
            self.bindings.bind(bind, step, tainted);
            for (phi, by) in self.bounds.take(var) {
                self.queue.push(Item { phi, node: by.node, tainted: by.tainted });
            }
            if let (Var::Row(var), Term::Row(to)) = (var, &to) {
                let source = Source { step, tainted: tainted || placement };
                if let Err(cycle) = self.guard.on_binding(var, to, source) {
                    return Err(Stop::Failed(self.fail_by_cycle(cycle, instance, item.node)));
                }
            }
        }
        if effect.again {
            self.queue.push_now(item);
        }
        Ok(())
    }

    /// Do the stored bounds that a rule used as well rest on a placement?
    fn also_tainted(&self, effect: &Effect, phi: &Constraint) -> bool {
        match phi {
            Constraint::DimLe(_, crate::term::DimTerm::Var(a)) if effect.also.len() == 1 => {
                let lower = self.bounds.lower(*a).filter(|l| effect.also.contains(&l.by.step));
                lower.is_some_and(|l| l.by.tainted) || self.adjacency_tainted(effect)
            }
            _ => self.adjacency_tainted(effect),
        }
    }

    fn adjacency_tainted(&self, effect: &Effect) -> bool {
        !effect.also.is_empty()
            && self.bounds.adjacencies().any(|(_, _, by)| by.tainted && effect.also.contains(&by.step))
    }

    /// A number for a constraint that a step made.
    fn node(&mut self, phi: &Constraint, step: usize) -> usize {
        let Some(trace) = &mut self.trace else { return 0 };
        trace.nodes.push(Node { constraint: phi.clone(), origin: Origin::Step(step) });
        trace.nodes.len() - 1
    }

    fn store(&mut self, effect: &Effect, item: &Item, phi: &Constraint, step: usize, tainted: bool) -> Option<usize> {
        match effect.store.as_ref()? {
            Bound::Dim => {
                if let Constraint::DimLe(s, t) = phi {
                    self.bounds.add_dim(*s, *t, By { step, node: item.node, tainted });
                }
                Some(item.node)
            }
            Bound::Cap(cap) => {
                let node = self.node(cap, step);
                self.bounds.add_cap(cap.clone(), By { step, node, tainted });
                Some(node)
            }
            Bound::Deferred(equation) => {
                let node = self.node(equation, step);
                self.bounds.add_deferred(equation.clone(), By { step, node, tainted });
                Some(node)
            }
        }
    }

    /// Holds what is written to the limits.
    fn count(&mut self, effect: &Effect) -> Result<(), Stop> {
        let row = |r: &RowTerm| r.known_rank() as u64;
        let axes = |phi: &Constraint| match phi {
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => row(s) + row(t),
            Constraint::DimEq(..) | Constraint::DimLe(..) => 2,
        };
        self.size += effect.emit.iter().map(axes).sum::<u64>();
        if let Some(Bound::Cap(phi) | Bound::Deferred(phi)) = &effect.store {
            self.size += axes(phi);
        }
        if let Some(Term::Row(to)) = effect.bind.as_ref().map(|b| &b.to) {
            self.size += row(to);
        }
        if self.size > self.policy.limits.size { Err(Stop::Limit(Limit::Size)) } else { Ok(()) }
    }

    fn fail_by_cycle(&mut self, (rule, facts): Cycle, instance: Instance, node: usize) -> Failure {
        let tainted = facts.iter().any(|f| f.tainted);
        let weight = facts.iter().map(|f| f.weight).sum();
        let own = self.trace.as_ref().map_or(0, |t| t.steps.len());
        let steps: Vec<usize> = facts.iter().map(|f| f.step).filter(|s| *s < own).collect();
        let effect = Effect { also: steps.clone(), ..Effect::fail(Why::Cycle { weight, steps }) };
        let mut failure = self.record_failure(rule, node, instance, tainted, effect);
        failure.cycle = facts;
        failure
    }

    fn record_failure(&mut self, rule: Rule, node: usize, instance: Instance, tainted: bool, effect: Effect) -> Failure {
        let why = effect.fail.clone().unwrap_or(Why::Occurs(0));
        let Instance { phi, used, .. } = instance;
        if let Some(trace) = &mut self.trace {
            trace.steps.push(Step {
                rule,
                consumed: node,
                instance: phi.clone(),
                used,
                also: effect.also,
                emitted: Vec::new(),
                stored: None,
                bind: None,
                facts: Vec::new(),
                tainted,
                fail: effect.fail,
            });
        }
        Failure { rule, constraint: phi, why, tainted, cycle: Vec::<Fact>::new() }
    }
}
