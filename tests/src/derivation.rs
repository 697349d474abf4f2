//! A run of core/calculus as the model of proofs/coq writes it: every step, how it ends, what is left.

use crate::extracted::var_name;
use lozenge::calculus::solver::configuration::Configuration;
use lozenge::calculus::solver::derivation::{Step, Trace};
use lozenge::constraint::Constraint;
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::policy::{GuardPolicy, Policy, Strategy};
use lozenge::rules::Rule;
use lozenge::solver::{Failure, Standing, Stop};
use lozenge::term::{Binding, Var};
use lozenge::wire;
use serde_json::{Map, Value, json};

/// The most steps that are compared where a run may not end.
pub const STEPS: usize = 60;

/// A policy as the model reads it.
#[must_use]
pub fn policy(policy: &Policy) -> Value {
    let guard = match policy.guard {
        GuardPolicy::Signed => "signed",
        GuardPolicy::Paper => "paper",
        GuardPolicy::None => "none",
    };
    let (strategy, seed) = match policy.strategy {
        Strategy::Fifo => ("fifo", 0),
        Strategy::Lifo => ("lifo", 0),
        Strategy::Rounds => ("rounds", 0),
        Strategy::Random(seed) => ("random", seed),
    };
    json!({"guard": guard, "strategy": strategy, "seed": seed, "antisym": policy.antisym})
}

/// What core/calculus does with a system; none where it reaches a limit that the model does not have.
#[must_use]
pub fn derivation(names: &Names, phi: &[Constraint], policy: Policy) -> Option<Value> {
    let mut names = names.clone();
    let mut configuration = Configuration::new(phi, &mut names, policy);
    let end = run(&mut configuration, policy.guard != GuardPolicy::Signed);
    let Configuration { sigma, bounds, guard, entries, trace, .. } = &configuration;
    let (sigma, bounds, guard, entries, trace) =
        (sigma.clone(), bounds.clone(), guard.clone(), entries.clone(), trace.clone());
    drop(configuration);
    let (kept, failure) = match &end {
        Ok(true) => (trace.steps.len(), None),
        Ok(false) => (STEPS, None),
        Err(Stop::Failed(failure)) => (before_failure(&trace), Some(failure)),
        Err(Stop::Limit(_)) => return None,
    };
    let mut out = Map::new();
    let steps = trace.steps[..kept].iter().map(|step| written(step, &trace, &names));
    out.insert("steps".into(), steps.collect());
    let ended = end.as_ref().map_or("failed", |done| if *done { "solved" } else { "limit" });
    out.insert("end".into(), ended.into());
    if ended == "limit" {
        return Some(out.into());
    }
    let facts = |rule: Rule| -> Value {
        let of = guard.facts().into_iter().find(|(kind, _)| *kind == rule);
        let of = of.map_or(vec![], |(_, facts)| facts.0.iter().filter(|f| f.step < kept).collect());
        of.into_iter().map(|f| fact(f, &names)).collect()
    };
    out.insert("leads".into(), facts(Rule::RgLead));
    out.insert("trails".into(), facts(Rule::RgTrail));
    out.insert("ranks".into(), facts(Rule::RgRank));
    if let Some(failure) = failure {
        out.insert("failure".into(), failed(failure, &names));
        return Some(out.into());
    }
    let bound = trace.bindings().map(|(_, bind, _)| {
        let var = bind.binding.var();
        let standing = match entries[&var].standing {
            Standing::Entailed => "entailed",
            Standing::Content => "content",
            Standing::Policy => "policy",
        };
        json!([[var_name(var, &names), wire::term(&sigma.var(var), &names)], standing])
    });
    out.insert("sigma".into(), bound.collect());
    let stored = bounds.0.iter().map(|s| json!([wire::constraint(&s.bound.constraint(), &names), s.by.tainted]));
    out.insert("store".into(), stored.collect());
    Some(out.into())
}

/// Runs to the end, or so many steps; true where Φ is empty. As in the model, whether there is one step more is seen.
fn run(configuration: &mut Configuration<'_>, bounded: bool) -> Result<bool, Stop> {
    while configuration.step()? {
        if bounded && configuration.trace.steps.len() > STEPS {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How many steps there are before the one that failed. What the guard finds at a binding fails the step of that binding.
fn before_failure(trace: &Trace) -> usize {
    let last = trace.steps.len().saturating_sub(1);
    let (Some(failed), Some(previous)) = (trace.steps.get(last), last.checked_sub(1).and_then(|i| trace.steps.get(i)))
    else {
        return last;
    };
    let binds_row = matches!(previous.bind.as_ref().map(|bind| &bind.binding), Some(Binding::Row(..)));
    let at_binding = binds_row && previous.consumed == failed.consumed && previous.instance == failed.instance;
    if at_binding { last - 1 } else { last }
}

fn written(step: &Step, trace: &Trace, names: &Names) -> Value {
    let constraint = |node: &usize| wire::constraint(&trace.nodes[*node].constraint, names);
    let binds = step.bind.as_ref().map(|bind| {
        json!([var_name(bind.binding.var(), names), wire::term(&bind.binding.to(), names)])
    });
    json!({
        "rule": step.rule.name(),
        "on": wire::constraint(&step.instance, names),
        "tainted": step.tainted,
        "emits": step.emitted.iter().map(constraint).collect::<Value>(),
        "binds": binds,
        "placed": step.bind.as_ref().is_some_and(|bind| bind.placement),
        "stores": step.stored.iter().map(constraint).collect::<Value>(),
        "again": step.rule == Rule::RiDeficit,
    })
}

fn fact(fact: &Fact, names: &Names) -> Value {
    let vertex = |v: Vertex| v.map_or(json!(0), |r| var_name(Var::Row(r), names).into());
    json!([vertex(fact.greater), vertex(fact.lesser), fact.weight, fact.tainted])
}

fn failed(failure: &Failure, names: &Names) -> Value {
    json!({
        "by": failure.rule.name(),
        "on": wire::constraint(&failure.constraint, names),
        "tainted": failure.tainted,
    })
}
