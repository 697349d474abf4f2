//! Where a value comes from: the constraint of the input it is written in, then those it passed through.
//!
//! The steps of a derivation are gone through again with every axis carrying its chain. The row rules
//! look at lengths and row variables only, so that run on axes that are all different they say
//! themselves which axis of a constraint goes where.

use super::derivation::Derivation;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::rules::row_eq::row_eq;
use lozenge::rules::row_ineq::row_le;
use lozenge::rules::{Bound, Effect};
use lozenge::solver::derivation::{Origin, Step};
use lozenge::term::{DimTerm, RowTerm, RowVar, Term, Var};
use std::collections::HashMap;

/// Derivations longer than this are not gone through again.
const MOST_STEPS: usize = 2_000;

/// Constraints of the input, by number, each once.
pub type Chain = Vec<usize>;

fn then(first: &Chain, second: &Chain) -> Chain {
    let mut all = first.clone();
    all.extend(second.iter().filter(|i| !first.contains(i)));
    all
}

/// A term whose axes carry their chains; a dimension is one leading axis.
#[derive(Clone, Default)]
struct Side {
    lead: Vec<(DimTerm, Chain)>,
    var: Option<RowVar>,
    /// The chain of the marker.
    spine: Chain,
    trail: Vec<(DimTerm, Chain)>,
}

impl Side {
    /// A term with one chain everywhere.
    fn new(term: &Term, chain: &Chain) -> Self {
        let flank = |terms: &[DimTerm]| terms.iter().map(|t| (*t, chain.clone())).collect();
        match term {
            Term::Dim(t) => Side { lead: flank(&[*t]), ..Side::default() },
            Term::Row(t) => Side { lead: flank(&t.lead), var: t.var, spine: chain.clone(), trail: flank(&t.trail) },
        }
    }

    fn axes(&self) -> impl Iterator<Item = &(DimTerm, Chain)> {
        self.lead.iter().chain(&self.trail)
    }

    /// The chains of all axes and of the marker in one.
    fn whole(&self) -> Chain {
        self.axes().map(|(_, chain)| chain).chain([&self.spine]).fold(Chain::new(), |all, chain| then(&all, chain))
    }

    /// With a variable replaced.
    fn apply(&mut self, var: Var, to: &Side) {
        match var {
            Var::Dim(v) => {
                let Some((value, from)) = to.lead.first() else { return };
                for (axis, chain) in self.lead.iter_mut().chain(&mut self.trail) {
                    if *axis == DimTerm::Var(v) {
                        *axis = *value;
                        *chain = then(from, chain);
                    }
                }
            }
            Var::Row(v) if self.var == Some(v) => {
                let through = |(axis, chain): &(DimTerm, Chain)| (*axis, then(chain, &self.spine));
                let (lead, mut trail): (Vec<_>, Vec<_>) =
                    (to.lead.iter().map(through).collect(), to.trail.iter().map(through).collect());
                self.lead.extend(lead);
                trail.append(&mut self.trail);
                self.trail = trail;
                self.var = to.var;
                self.spine = then(&to.spine, &self.spine);
            }
            Var::Row(_) => {}
        }
    }

    /// The same row with other axes, all different; `chains` learns whose chain each has.
    fn skeleton(&self, names: &mut Names, chains: &mut HashMap<DimTerm, Chain>) -> RowTerm {
        let mut flank = |axes: &[(DimTerm, Chain)]| -> Vec<DimTerm> {
            let fresh = |(_, chain): &(DimTerm, Chain)| {
                let axis = DimTerm::Var(names.fresh_dim());
                chains.insert(axis, chain.clone());
                axis
            };
            axes.iter().map(fresh).collect()
        };
        let lead = flank(&self.lead);
        RowTerm::new(lead, self.var, flank(&self.trail))
    }
}

fn sides(phi: &Constraint) -> [Term; 2] {
    match phi {
        Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => [Term::Dim(*s), Term::Dim(*t)],
        Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => [Term::Row(s.clone()), Term::Row(t.clone())],
    }
}

/// The chains of a derivation.
pub struct Chains {
    nodes: HashMap<usize, [Side; 2]>,
    binds: HashMap<usize, Side>,
    last: [Chain; 2],
}

impl Chains {
    /// Goes through the steps.
    pub fn of(derivation: &Derivation<'_>) -> Self {
        let mut chains = Chains { nodes: HashMap::new(), binds: HashMap::new(), last: [Chain::new(), Chain::new()] };
        let trace = derivation.trace;
        let Some(last) = trace.steps.len().checked_sub(1) else { return chains };
        let steps = trace.ancestors(last);
        if steps.len() > MOST_STEPS {
            return chains;
        }
        for (number, node) in trace.nodes.iter().enumerate() {
            let Origin::Input(input) = node.origin else { break };
            chains.nodes.insert(number, sides(&node.constraint).map(|t| Side::new(&t, &vec![input])));
        }
        for number in steps {
            if let Some(step) = trace.steps.get(number) {
                chains.step(number, step, derivation);
            }
        }
        chains
    }

    /// The chains of both sides of the constraint that failed.
    pub fn last(&self) -> &[Chain; 2] {
        &self.last
    }

    fn step(&mut self, number: usize, step: &Step, derivation: &Derivation<'_>) {
        let mut instance = self.nodes.get(&step.consumed).cloned().unwrap_or_default();
        for used in &step.used {
            let bind = derivation.trace.steps.get(*used).and_then(|s| s.bind.as_ref());
            if let (Some(bind), Some(to)) = (bind, self.binds.get(used)) {
                instance.iter_mut().for_each(|side| side.apply(bind.binding.var(), to));
            }
        }
        self.last = [instance[0].whole(), instance[1].whole()];
        match &step.instance {
            Constraint::RowEq(..) => self.row_step(number, step, &instance, derivation, |_, s, t| row_eq(s, t).1),
            Constraint::RowLe(..) => {
                self.row_step(number, step, &instance, derivation, |names, s, t| row_le(names, s, t).1);
            }
            Constraint::DimEq(..) | Constraint::DimLe(..) => self.dim_step(number, step, &instance, derivation),
        }
        if let (Constraint::DimLe(..), Some(stored)) = (&step.instance, step.stored) {
            // It comes back as it was kept.
            self.nodes.insert(stored, instance);
        }
    }

    fn row_step(
        &mut self,
        number: usize,
        step: &Step,
        instance: &[Side; 2],
        derivation: &Derivation<'_>,
        rule: impl Fn(&mut Names, &RowTerm, &RowTerm) -> Effect,
    ) {
        let (mut names, mut origin) = (Names::new(), HashMap::new());
        let skeletons = [&instance[0], &instance[1]].map(|side| side.skeleton(&mut names, &mut origin));
        let effect = rule(&mut names, &skeletons[0], &skeletons[1]);
        let everything = then(&instance[0].whole(), &instance[1].whole());
        let chain = |axis: &DimTerm| origin.get(axis).unwrap_or(&everything).clone();
        // The real axes with the chains that the skeleton tells.
        let real = |term: &Term, skeleton: &Term, spine: &Chain| {
            let mut side = Side::new(term, spine);
            let axes = match skeleton {
                Term::Dim(t) => vec![*t],
                Term::Row(t) => t.lead.iter().chain(&t.trail).copied().collect(),
            };
            for ((_, own), axis) in side.lead.iter_mut().chain(&mut side.trail).zip(&axes) {
                *own = chain(axis);
            }
            side
        };
        let spines = [&instance[0].spine, &instance[1].spine];
        let mut made: Vec<(usize, Constraint)> = step.emitted.iter().copied().zip(effect.emit.clone()).collect();
        if let (Some(stored), Some(bound @ (Bound::Cap(..) | Bound::Deferred(..)))) = (step.stored, &effect.store) {
            made.push((stored, bound.constraint()));
        }
        for (node, skeleton) in made {
            let Some(made) = derivation.trace.nodes.get(node) else { continue };
            let ([s, t], [skeleton_s, skeleton_t]) = (sides(&made.constraint), sides(&skeleton));
            self.nodes.insert(node, [real(&s, &skeleton_s, spines[0]), real(&t, &skeleton_t, spines[1])]);
        }
        if let (Some(bind), Some(skeleton)) = (&step.bind, &effect.bind) {
            let spine = then(spines[0], spines[1]);
            let mut to = real(&bind.binding.to(), &skeleton.binding.to(), &spine);
            for (_, own) in to.lead.iter_mut().chain(&mut to.trail) {
                *own = then(own, &spine);
            }
            self.binds.insert(number, to);
        }
    }

    fn dim_step(&mut self, number: usize, step: &Step, instance: &[Side; 2], derivation: &Derivation<'_>) {
        let [left, right] = [0, 1].map(|i| instance[i].lead.first().cloned());
        let (Some((s, from_s)), Some((t, from_t))) = (left, right) else { return };
        // What is neither side is the 1∅ above two atoms.
        let also = step.also.iter().filter_map(|s| derivation.trace.steps.get(*s)?.stored);
        let also = also.filter_map(|node| self.nodes.get(&node)).flat_map(|sides| sides.iter().map(Side::whole));
        let both = also.fold(then(&from_s, &from_t), |all, chain| then(&all, &chain));
        let chain = |axis: &DimTerm| match axis {
            axis if *axis == s => from_s.clone(),
            axis if *axis == t => from_t.clone(),
            _ => both.clone(),
        };
        for node in &step.emitted {
            let Some(made) = derivation.trace.nodes.get(*node) else { continue };
            let labelled = sides(&made.constraint).map(|term| match &term {
                Term::Dim(axis) => Side::new(&term, &chain(axis)),
                Term::Row(_) => Side::new(&term, &both),
            });
            self.nodes.insert(*node, labelled);
        }
        if let Some(bind) = &step.bind {
            let (value, through) =
                if Term::Dim(t) == bind.binding.to() { (&from_t, &from_s) } else { (&from_s, &from_t) };
            self.binds.insert(number, Side::new(&bind.binding.to(), &then(value, through)));
        }
    }
}
