//! The derivation: every step with what it used and what it made.
//!
//! Chapter: spec/4-solver.md.

use crate::constraint::Constraint;
use crate::guard::Fact;
use crate::rules::{Bind, Rule, Why};
use std::collections::BTreeSet;

/// Where a constraint comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is this constraint of the input.
    Input(usize),
    /// This step emitted or stored it.
    Step(usize),
    /// It was added to a solved form: a commitment of closing, or a cap that saturation forwards.
    Added,
}

/// A constraint that occurred in the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The constraint, as it was made.
    pub constraint: Constraint,
    /// Where it comes from.
    pub origin: Origin,
}

/// One step of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The rule.
    pub rule: Rule,
    /// The constraint it consumed, by number.
    pub consumed: usize,
    /// That constraint under the bindings at the time.
    pub instance: Constraint,
    /// The steps whose bindings were applied to get there, in order.
    pub used: Vec<usize>,
    /// Earlier steps whose stored bounds the rule used as well, or whose facts close a cycle.
    pub also: Vec<usize>,
    /// The constraints it emitted, by number.
    pub emitted: Vec<usize>,
    /// The bound it stored, by number.
    pub stored: Option<usize>,
    /// The variable it bound.
    pub bind: Option<Bind>,
    /// The facts the guard recorded.
    pub facts: Vec<(Rule, Fact)>,
    /// Does it rest on a placement?
    pub tainted: bool,
    /// Why it failed, if it did.
    pub fail: Option<Why>,
}

impl Step {
    /// Does this step itself make a choice? Otherwise it is semantic (Lemma 5.1).
    #[must_use]
    pub fn is_policy(&self) -> bool {
        self.bind.as_ref().is_some_and(|b| b.placement)
    }
}

/// Every constraint and every step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The constraints, the input's first.
    pub nodes: Vec<Node>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

impl Trace {
    /// The bindings that were made, in order: the step, the binding, and whether it rests on a placement.
    pub fn bindings(&self) -> impl Iterator<Item = (usize, Bind, bool)> + '_ {
        self.steps.iter().enumerate().filter_map(|(i, step)| Some((i, step.bind.clone()?, step.tainted)))
    }

    /// The steps that a step rests on, itself included, in order: the minimal derivation.
    #[must_use]
    pub fn ancestors(&self, step: usize) -> Vec<usize> {
        let (mut found, mut open) = (BTreeSet::new(), vec![step]);
        while let Some(at) = open.pop() {
            let Some(it) = self.steps.get(at) else { continue };
            if found.insert(at) {
                open.extend(it.used.iter().chain(&it.also));
                if let Some(Node { origin: Origin::Step(from), .. }) = self.nodes.get(it.consumed) {
                    open.push(*from);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The constraints of the input that a step rests on, in order.
    #[must_use]
    pub fn inputs(&self, step: usize) -> Vec<usize> {
        let steps = self.ancestors(step).into_iter().filter_map(|s| self.steps.get(s));
        let origins = steps.filter_map(|s| self.nodes.get(s.consumed)).map(|n| n.origin);
        let inputs = origins.filter_map(|o| if let Origin::Input(i) = o { Some(i) } else { None });
        inputs.collect::<BTreeSet<usize>>().into_iter().collect()
    }
}
