//! Which rules and which pairs of rules cases exercise, as the reference runs them.

use crate::made::Made;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::solver::{Policy, Rule, solve_traced};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most steps of a run that is looked at.
const FUEL: u64 = 2_000;

/// A rule, and the rule of the step that made what it took: none for a constraint of the input.
pub type Pair = (Option<Rule>, Rule);

/// The pairs of rules of the reference's run.
pub fn pairs(phi: &[Constraint], names: &Names) -> BTreeSet<Pair> {
    let mut policy = Policy::default();
    policy.limits.fuel = policy.limits.fuel.min(FUEL);
    let run = solve_traced(phi, &mut names.clone(), policy);
    let mut made: BTreeMap<usize, Rule> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for step in &run.trace.steps {
        all.insert((made.get(&step.consumed).copied(), step.rule));
        // The guard is no step of its own: it has its say where it fails one.
        let guard = step.fail.as_ref().map(|_| step.facts.iter().map(|(rule, _)| *rule));
        all.extend(guard.into_iter().flatten().map(|rule| (Some(step.rule), rule)));
        made.extend(step.emitted.iter().chain(&step.stored).map(|node| (*node, step.rule)));
    }
    all
}

/// The rules that the reference may use: that of the guard to the letter of Def. 4.5 is not among them.
pub fn rules() -> impl Iterator<Item = Rule> {
    Rule::ALL.iter().copied().filter(|rule| *rule != Rule::RgRank)
}

/// How many cases exercised what.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// By the name of the rule.
    pub rules: BTreeMap<String, u64>,
    /// By the number of the definition.
    pub definitions: BTreeMap<String, u64>,
    /// Pairs of rules, one making what the other takes: `RI-deficit>DI-pin`.
    pub pairs: BTreeMap<String, u64>,
}

impl Coverage {
    /// One more case.
    pub fn add(&mut self, made: &Made) {
        let Made::System { names, phi, op, .. } = made else { return self.add_op(made.op()) };
        self.add_op(op);
        let pairs = pairs(phi, names);
        let rules: BTreeSet<Rule> = pairs.iter().map(|(_, rule)| *rule).collect();
        let definitions: BTreeSet<&str> = rules.iter().map(|rule| rule.definition()).collect();
        count(&mut self.rules, rules.iter().map(|rule| rule.name().to_owned()));
        count(&mut self.definitions, definitions.into_iter().map(str::to_owned));
        let named =
            pairs.iter().filter_map(|(first, then)| Some(format!("{}>{}", first.as_ref()?.name(), then.name())));
        count(&mut self.pairs, named);
    }

    fn add_op(&mut self, op: &str) {
        let definition = match op {
            "check" => "3.4",
            "close" | "infer" => "6.1",
            "decide" => "6.7",
            "project" => "7.1",
            "run" => "7.8",
            _ => return,
        };
        count(&mut self.definitions, [definition.to_owned()]);
    }

    /// Those of another run beside.
    pub fn merge(&mut self, other: &Coverage) {
        let all = [
            (&mut self.rules, &other.rules),
            (&mut self.definitions, &other.definitions),
            (&mut self.pairs, &other.pairs),
        ];
        for (here, there) in all {
            for (name, cases) in there {
                *here.entry(name.clone()).or_default() += cases;
            }
        }
    }

    /// The rules that no case exercised.
    pub fn missing(&self) -> Vec<&'static str> {
        rules().map(Rule::name).filter(|name| !self.rules.contains_key(*name)).collect()
    }
}

fn count(counts: &mut BTreeMap<String, u64>, names: impl IntoIterator<Item = String>) {
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
}
