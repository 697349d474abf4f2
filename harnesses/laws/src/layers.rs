//! The law between the layers: engine = calculus, step by step.
//!
//! The same system, policy and strategy are given to both. Every comparison returns what differs, so that the engine's
//! mutants ([`lozenge_engine::mutant`]) can be shown to be found.
//!
//! Two things are not compared. Fuel: it counts what the engine looks at, and the calculus looks at more; runs that
//! reach it say so ([`Ran::Limited`]). And which positive cycle a guard reports where there are several: that both
//! report one of the recorded facts, under the same rule and with the same taint, is.

pub mod again;
pub mod chains;
pub mod crossed;
pub mod graphs;
pub mod inputs;
pub mod random;
mod state;

use crate::systems::STRATEGIES;
use lozenge::calculus::decide::lengths::{self, Next, Search};
use lozenge::calculus::solver::configuration::Configuration as Literal;
use lozenge::calculus::solver::derivation::{Step, Trace};
use lozenge::calculus::{closing as literal_closing, decide as literal_decide};
use lozenge::closing::{Closing, Tags, close_in_order};
use lozenge::constraint::Constraint;
use lozenge::decide::decide;
use lozenge::guard::Fact;
use lozenge::names::Names;
use lozenge::policy::{Fuel, GuardPolicy, Limit, Limits, Policy};
use lozenge::projection::Equation;
use lozenge::rules::{Bound, Effect, Rule};
use lozenge::solver::configuration::Configuration as Fast;
use lozenge::solver::{Failure, Stop};
use lozenge::term::Var;
use lozenge_engine::lengths::Measures;
use state::State;
pub use state::is_permutation;
use std::fmt::Debug;

/// What two layers that agree did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ran {
    /// So many steps, to solved form or another end.
    Steps(usize),
    /// A limit of one layer was reached that the other does not have.
    Limited,
}

/// What differs.
pub type Differs = String;

/// Every guard, with and without DI-antisym, under every strategy. Without the signed guard runs may not end but at these
/// limits.
#[must_use]
pub fn policies(limits: Limits) -> Vec<Policy> {
    let mut all = Vec::new();
    for guard in [GuardPolicy::Signed, GuardPolicy::Paper, GuardPolicy::None] {
        for antisym in [true, false] {
            all.extend(STRATEGIES.map(|strategy| Policy { guard, antisym, strategy, limits, ..Policy::default() }));
        }
    }
    all
}

/// Compares two things.
fn same<T: PartialEq + Debug>(what: &str, literal: &T, fast: &T) -> Result<(), Differs> {
    if literal == fast {
        Ok(())
    } else {
        Err(format!("{what}: the calculus has\n{literal:?}\nand the engine\n{fast:?}"))
    }
}

/// Is this a limit that only one layer has?
fn is_own(end: &Result<(), Stop>) -> bool {
    matches!(end, Err(Stop::Limit(Limit::Fuel | Limit::Derivation)))
}

/// Solves Φ in both layers.
///
/// # Errors
/// The first thing that differs.
pub fn same_run(names: &Names, phi: &[Constraint], policy: Policy) -> Result<Ran, Differs> {
    let mut own = names.clone();
    let mut literal = Literal::new(phi, &mut own, policy);
    let end = literal.run();
    if is_own(&end) {
        return Ok(Ran::Limited);
    }
    let state = State::of_calculus(&literal);
    for traced in [false, true] {
        let mut own = names.clone();
        let mut fast = Fast::new(phi, &mut own, policy, traced);
        let mut seen = Vec::new();
        let fast_end = run_seen(&mut fast, &mut seen);
        if is_own(&fast_end) {
            return Ok(Ran::Limited);
        }
        if matches!(end, Err(Stop::Limit(Limit::Size))) {
            // The step that would write too much is shown, and not taken.
            seen.pop();
        }
        same_steps(&literal.trace, &seen)?;
        same_end(&literal, &end, &fast_end)?;
        state.same(&State::of_engine(&literal, &mut fast))?;
        if let Some(trace) = &fast.trace {
            same_trace(&literal.trace, trace, &end)?;
        }
    }
    same_unseen((&literal, &state), &end, names, phi, policy)
}

/// The same without anyone looking at the steps: what only they would show, the engine then does not make.
fn same_unseen(
    (literal, state): (&Literal<'_>, &State),
    end: &Result<(), Stop>,
    names: &Names,
    phi: &[Constraint],
    policy: Policy,
) -> Result<Ran, Differs> {
    let mut own = names.clone();
    let mut fast = Fast::new(phi, &mut own, policy, false);
    let fast_end = fast.run();
    if is_own(&fast_end) {
        return Ok(Ran::Limited);
    }
    same_end(literal, end, &fast_end)?;
    state.same(&State::of_engine(literal, &mut fast))?;
    Ok(Ran::Steps(literal.trace.steps.len()))
}

/// A step of the engine, as it is shown.
struct Seen {
    rule: Rule,
    phi: Constraint,
    tainted: bool,
    effect: Effect,
}

fn run_seen(fast: &mut Fast<'_>, seen: &mut Vec<Seen>) -> Result<(), Stop> {
    while fast.step_seen(|instance, (rule, effect)| {
        let (phi, tainted) = (instance.phi.clone(), instance.tainted);
        seen.push(Seen { rule: *rule, phi, tainted, effect: effect.clone() });
    })? {}
    Ok(())
}

/// The rule, the instance and the effect of every step. A guard that fails does so before or after a rule, and that step
/// of the derivation is no rule's.
fn same_steps(trace: &Trace, seen: &[Seen]) -> Result<(), Differs> {
    let guard = |step: &&Step| ![Rule::RgRank, Rule::RgLead, Rule::RgTrail].contains(&step.rule);
    let steps: Vec<&Step> = trace.steps.iter().filter(guard).collect();
    for (i, (step, seen)) in steps.iter().zip(seen).enumerate() {
        same_step(trace, step, seen).map_err(|differs| format!("step {i}, {differs}"))?;
    }
    same("steps", &steps.len(), &seen.len())
}

/// The rule, the instance and the effect of one step.
fn same_step(trace: &Trace, step: &Step, seen: &Seen) -> Result<(), Differs> {
    same("rule", &step.rule, &seen.rule)?;
    same("instance", &step.instance, &seen.phi)?;
    let tainted = seen.tainted || seen.effect.also.iter().any(|by| by.tainted);
    same("taint", &step.tainted, &tainted)?;
    let emitted: Vec<&Constraint> = step.emitted.iter().map(|n| &trace.nodes[*n].constraint).collect();
    same("emitted", &emitted, &seen.effect.emit.iter().collect())?;
    let stored = step.stored.map(|n| trace.nodes[n].constraint.clone());
    same("stored", &stored, &seen.effect.store.as_ref().map(Bound::constraint))?;
    same("bound", &step.bind, &seen.effect.bind)?;
    same("also", &step.also, &seen.effect.also.iter().map(|by| by.step).collect())?;
    same("failure", &step.fail, &seen.effect.fail.as_deref().cloned())
}

/// How a run ended.
fn same_end(literal: &Literal<'_>, end: &Result<(), Stop>, fast: &Result<(), Stop>) -> Result<(), Differs> {
    match (end, fast) {
        (Err(Stop::Failed(one)), Err(Stop::Failed(other))) => {
            let facts = literal.guard.facts().into_iter().find(|(rule, _)| *rule == one.rule);
            same_failure(one, other, facts.map_or(&[], |(_, facts)| &facts.0))
        }
        _ => same("end", end, fast),
    }
}

fn same_failure(literal: &Failure, fast: &Failure, facts: &[Fact]) -> Result<(), Differs> {
    let but_cycle = |f: &Failure| (f.rule, f.constraint.clone(), f.tainted, f.cycle.is_empty());
    same("failure", &but_cycle(literal), &but_cycle(fast))?;
    if literal.cycle.is_empty() {
        return same("failure", literal, fast);
    }
    for failure in [literal, fast] {
        is_positive_cycle(failure, facts)?;
    }
    Ok(())
}

/// Is what a guard reports a cycle of recorded facts, of positive weight, tainted iff the failure is? From 0 a cycle goes
/// on to any variable for nothing: lengths are not negative.
fn is_positive_cycle(Failure { rule, cycle, tainted, .. }: &Failure, facts: &[Fact]) -> Result<(), Differs> {
    let linked = cycle.iter().zip(cycle.iter().cycle().skip(1));
    let linked = linked.into_iter().all(|(here, next)| here.lesser == next.greater || next.greater.is_none());
    let positive = cycle.iter().map(|fact| fact.weight).sum::<i64>() > 0;
    let recorded = facts.is_empty() || cycle.iter().all(|fact| facts.contains(fact));
    let firm = *rule == Rule::RgRank || *tainted == cycle.iter().any(|fact| fact.tainted);
    let right = linked && positive && recorded && firm;
    if right { Ok(()) } else { Err(format!("no positive cycle of recorded facts: {cycle:?}")) }
}

/// The whole derivation: every constraint with its origin, every step with what it used. Of the step in which a guard
/// fails, the cycle is left out.
fn same_trace(literal: &Trace, fast: &Trace, end: &Result<(), Stop>) -> Result<(), Differs> {
    same("constraints", &literal.nodes, &fast.nodes)?;
    same("number of steps", &literal.steps.len(), &fast.steps.len())?;
    let by_cycle = matches!(end, Err(Stop::Failed(failure)) if !failure.cycle.is_empty());
    for (i, (one, other)) in literal.steps.iter().zip(&fast.steps).enumerate() {
        if by_cycle && i + 1 == literal.steps.len() {
            let but_cycle = |step: &Step| Step { also: Vec::new(), fail: None, ..step.clone() };
            same("last step", &but_cycle(one), &but_cycle(other))?;
        } else {
            same("step", one, other).map_err(|differs| format!("{i}: {differs}"))?;
        }
    }
    Ok(())
}

/// Solves Φ in both layers as inference does: some constraints, then others, each time to solved form. Then closes.
///
/// # Errors
/// The first thing that differs.
pub fn same_feed(names: &Names, parts: &[&[Constraint]], tags: &Tags, policy: Policy) -> Result<Ran, Differs> {
    let (mut own, mut others) = (names.clone(), names.clone());
    let mut literal = Literal::new(&[], &mut own, policy);
    let mut fast = Fast::new(&[], &mut others, policy, false);
    for part in parts {
        part.iter().for_each(|phi| literal.extend(phi.clone(), false));
        fast.feed(part);
        let (end, fast_end) = (literal.run(), fast.run());
        if is_own(&end) || is_own(&fast_end) {
            return Ok(Ran::Limited);
        }
        same_end(&literal, &end, &fast_end)?;
        State::of_calculus(&literal).same(&State::of_engine(&literal, &mut fast))?;
        if end.is_err() {
            return Ok(Ran::Steps(literal.trace.steps.len()));
        }
    }
    let (phi, steps) = (parts.concat(), literal.trace.steps.len());
    let closed = literal_closing::close_from(literal, &phi, tags, policy, |_| ());
    let fast = lozenge::closing::close_from(fast, &phi, tags, policy, |_| ());
    same_closed(&closed, &fast).map(|()| Ran::Steps(steps))
}

/// Solves Φ in both layers part by part, where the engine does again what it has done for a part that is like it; and in the
/// engine without that, at the same cost. Then closes. How many parts were done again.
///
/// # Errors
/// The first thing that differs.
pub fn same_again(names: &Names, parts: &[Vec<Constraint>], tags: &Tags, policy: Policy) -> Result<u64, Differs> {
    let (mut own, mut others, mut thirds) = (names.clone(), names.clone(), names.clone());
    let mut literal = Literal::new(&[], &mut own, policy);
    let mut fast = Fast::new(&[], &mut others, policy, false);
    let mut plain = Fast::new(&[], &mut thirds, policy, false);
    let mut again = 0;
    for part in parts {
        part.iter().for_each(|phi| literal.extend(phi.clone(), false));
        plain.feed(part);
        let plain_end = plain.run();
        let fast_end = if fast.again(part, None) {
            again += 1;
            Ok(())
        } else {
            fast.write_down(part, None);
            fast.feed(part);
            let end = fast.run();
            fast.written_down();
            end
        };
        if is_own(&plain_end) {
            return same("end", &plain_end, &fast_end).map(|()| again);
        }
        let end = literal.run();
        same_end(&literal, &end, &fast_end)?;
        State::of_calculus(&literal).same(&State::of_engine(&literal, &mut fast))?;
        if end.is_err() {
            return Ok(again);
        }
        same("steps", &literal.trace.steps.len(), &fast.steps())?;
        // What a step owes is paid by the next one, or when a part is written down.
        for it in [&mut plain, &mut fast] {
            // Where too little is left, the next step would have said so.
            let _ = it.pay_looks();
        }
        same("fuel", &plain.fuel.looks_left(), &fast.fuel.looks_left())?;
    }
    let phi = parts.concat();
    let closed = literal_closing::close_from(literal, &phi, tags, policy, |_| ());
    let fast = lozenge::closing::close_from(fast, &phi, tags, policy, |_| ());
    same_closed(&closed, &fast).map(|()| again)
}

/// Closes Φ in both layers, leaves in an order.
///
/// # Errors
/// The first thing that differs.
pub fn same_closing(
    names: &Names,
    phi: &[Constraint],
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>) + Copy,
) -> Result<(), Differs> {
    let literal = literal_closing::close_in_order(phi, &mut names.clone(), tags, policy, order);
    same_closed(&literal, &close_in_order(phi, &mut names.clone(), tags, policy, order))
}

fn same_closed(literal: &Closing, fast: &Closing) -> Result<(), Differs> {
    match (literal, fast) {
        (Closing::Limit(Limit::Fuel), _) | (_, Closing::Limit(Limit::Fuel)) => Ok(()),
        (Closing::Rejected(one, assumed), Closing::Rejected(other, also_assumed)) => {
            same("assumptions", assumed, also_assumed)?;
            same_failure(one, other, &[])
        }
        (Closing::Unsat(one), Closing::Unsat(other)) => same_failure(one, other, &[]),
        _ => same("closing", literal, fast),
    }
}

/// Decides Φ in both layers.
///
/// # Errors
/// What differs.
pub fn same_decision(names: &Names, phi: &[Constraint], policy: Policy, rank: usize) -> Result<(), Differs> {
    let literal = literal_decide::decide(phi, &mut names.clone(), policy, rank);
    same("decision", &literal, &decide(phi, &mut names.clone(), policy, rank))
}

/// The lengths that a search tries, judged in both layers, and what that costs. How many there were.
///
/// # Errors
/// What differs.
pub fn same_lengths(phi: &[Constraint], rank: usize, longest: usize, units: u64) -> Result<u64, Differs> {
    let (mut of_literal, mut of_fast) = (Fuel::new(units), Fuel::new(units));
    let literal = Search::<lengths::Literal<'_>>::new(phi, rank, longest, &mut of_literal);
    let fast = Search::<Measures>::new(phi, rank, longest, &mut of_fast);
    let (Ok(mut literal), Ok(mut fast)) = (literal, fast) else {
        return same("fuel for bounds", &of_literal, &of_fast).map(|()| 0);
    };
    let mut tried = 0;
    loop {
        let next = literal.next(&mut of_literal);
        same("lengths", &next, &fast.next(&mut of_fast))?;
        same("fuel for lengths", &of_literal, &of_fast)?;
        let Ok(Next::Lengths(_)) = next else { return Ok(tried) };
        tried += 1;
    }
}

/// Def. 7.3 in both layers.
///
/// # Errors
/// What differs.
pub fn same_classes(sizes: &[u64], equations: &[Equation]) -> Result<(), Differs> {
    let literal = lozenge::calculus::projection::solve(sizes, equations);
    same("classes", &literal, &lozenge::projection::solve(sizes, equations))
}
