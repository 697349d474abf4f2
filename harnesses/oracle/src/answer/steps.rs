//! A derivation, step by step.

use super::name;
use crate::output::Json;
use lozenge::constraint::Constraint;
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::rules::Bind;
use lozenge::solver::Rule;
use lozenge::solver::derivation::{Origin, Step, Trace};
use lozenge::term::Var;
use lozenge::wire;
use serde::Serialize;

/// One step of a derivation.
#[derive(Serialize)]
pub struct StepJson {
    rule: &'static str,
    definition: &'static str,
    /// The constraint taken, as it was made.
    consumed: Json,
    /// Where that comes from.
    from: Option<FromJson>,
    /// The same under the bindings at the time.
    instance: Json,
    emitted: Vec<Json>,
    stored: Option<Json>,
    bind: Option<BindJson>,
    facts: Vec<FactJson>,
    /// Does the step choose a placement?
    policy: bool,
    /// Does it rest on a placement?
    tainted: bool,
    /// Steps whose bindings were applied, in order.
    used: Vec<usize>,
    /// Other steps it rests on.
    also: Vec<usize>,
}

/// The number of a constraint of the input, or of a step, from 0.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum FromJson {
    Input(usize),
    Step(usize),
}

#[derive(Serialize)]
struct BindJson {
    var: String,
    to: Json,
    placement: bool,
}

/// greater ≥ lesser + weight, for lengths; null is the number 0.
#[derive(Serialize)]
struct FactJson {
    rule: &'static str,
    greater: Option<String>,
    lesser: Option<String>,
    weight: i64,
}

pub fn trace_json(trace: &Trace, names: &Names) -> Vec<StepJson> {
    let numbered = trace.steps.iter().enumerate();
    numbered.map(|(number, step)| step_json(trace, number, step, names)).collect()
}

fn step_json(trace: &Trace, number: usize, step: &Step, names: &Names) -> StepJson {
    let constraint = |phi: &Constraint| Json(wire::constraint(phi, names));
    let node = |n: usize| trace.nodes.get(n).map(|node| constraint(&node.constraint));
    let length = |x: Vertex| x.map(|r| name(Var::Row(r), names));
    let fact = |(rule, f): &(Rule, Fact)| FactJson {
        rule: rule.name(),
        greater: length(f.greater),
        lesser: length(f.lesser),
        weight: f.weight,
    };
    let bind = |Bind { binding, placement }: &Bind| BindJson {
        var: name(binding.var(), names),
        to: Json(wire::term(&binding.to(), names)),
        placement: *placement,
    };
    StepJson {
        rule: step.rule.name(),
        definition: step.rule.definition(),
        consumed: node(step.consumed).unwrap_or_else(|| constraint(&step.instance)),
        from: match trace.nodes.get(step.consumed).map(|node| node.origin) {
            Some(Origin::Step(from)) => Some(FromJson::Step(from)),
            Some(Origin::Input(i)) => Some(FromJson::Input(i)),
            _ => None,
        },
        instance: constraint(&step.instance),
        emitted: step.emitted.iter().filter_map(|n| node(*n)).collect(),
        stored: step.stored.and_then(node),
        bind: step.bind.as_ref().map(bind),
        facts: step.facts.iter().map(fact).collect(),
        policy: step.is_policy(),
        tainted: step.tainted,
        used: step.used.clone(),
        also: step.also.iter().copied().filter(|also| *also != number).collect(),
    }
}
