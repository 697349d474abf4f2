//! A derivation in the reader's terms: scenes, bindings and the guard's graphs.

use super::{Edge, Graph, Lines, Scene};
use crate::answer;
use crate::explain::grid::Grid;
use crate::explain::replay::Replay;
use crate::output::Output;
use lozenge::constraint::Constraint;
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::solver::bindings::Bindings;
use lozenge::solver::derivation::{Step, Trace};
use lozenge::solver::{Limits, Policy, Rule};
use lozenge::term::{Term, Var};
use std::collections::HashMap;

/// The most steps and axes of a run that are kept, however long it is.
const KEPT: Limits = Limits { fuel: 100_000, rank: usize::MAX, size: 2_000_000 };
/// The most bounds that one step lists, and the most edges of a graph.
const MOST_BOUNDS: usize = 24;
const MOST_EDGES: usize = 400;

/// How much of a run is kept.
pub fn kept() -> Limits {
    KEPT
}

/// The policy under those limits.
pub fn keeping(policy: Policy) -> Policy {
    let Limits { fuel, rank, size } = policy.limits;
    Policy { limits: Limits { fuel: fuel.min(KEPT.fuel), rank, size: size.min(KEPT.size) }, ..policy }
}

/// A step of a layer above the solver, and how many steps of the solver come before it.
pub struct Above {
    pub at: usize,
    pub scene: Scene,
}

/// A derivation in the reader's terms.
pub struct Teller<'a> {
    pub trace: &'a Trace,
    pub names: &'a Names,
    pub out: &'a Output,
    /// The facts of the cycle that the run failed by.
    pub cycle: &'a [Fact],
}

impl Teller<'_> {
    pub fn show(&self, phi: &Constraint) -> String {
        self.out.show(phi, self.names)
    }

    pub fn maps_to(&self, var: Var, to: &Term) -> String {
        maps_to(var, to, self.names, self.out)
    }

    /// The first scenes, those of the solver and those above it in the order in which they happened. `from` says
    /// where a constraint comes from, and is given the scene of each step.
    pub fn scenes(&self, above: Vec<Above>, most: usize, from: impl Fn(usize, &[usize]) -> String) -> Vec<Scene> {
        let mut replay = Replay::new();
        let mut above = above.into_iter().peekable();
        let (mut scenes, mut numbers) = (Vec::new(), Vec::new());
        for (number, step) in self.trace.steps.iter().enumerate() {
            while let Some(next) = above.next_if(|above| above.at <= number) {
                scenes.push(next.scene);
            }
            if scenes.len() >= most {
                break;
            }
            replay.step(self.trace, number, step);
            scenes.push(self.scene(step, &replay, from(step.consumed, &numbers)));
            numbers.push(scenes.len());
        }
        scenes.extend(above.map(|above| above.scene));
        scenes.truncate(most);
        scenes
    }

    fn scene(&self, step: &Step, replay: &Replay, from: String) -> Scene {
        let node = |n: &usize| self.trace.nodes.get(*n).map(|node| self.show(&node.constraint));
        let mut results: Vec<String> = step.emitted.iter().filter_map(node).collect();
        if let Some(bind) = &step.bind {
            results.push(self.maps_to(bind.binding.var(), &bind.binding.to()));
        }
        results.extend(step.stored.as_ref().and_then(node).map(|kept| format!("kept: {kept}")));
        let (bounds, more_bounds) = replay.bounds(MOST_BOUNDS);
        Scene {
            rule: step.rule.name(),
            definition: step.rule.definition(),
            words: self.out.text(step.rule.words()),
            constraint: self.show(&step.instance),
            picture: Grid::of(&step.instance, self.names, self.out),
            from,
            results,
            bounds: bounds.into_iter().map(|(phi, new)| (self.show(phi), new)).collect(),
            more_bounds,
            facts: step.facts.iter().rev().map(|(rule, fact)| self.fact(*rule, fact)).collect(),
            policy: step.is_policy(),
            tainted: step.tainted,
            fails: step.fail.as_ref().map(|why| answer::message(why, |d| self.out.show(&d, self.names))),
            stage: None,
        }
    }

    /// The values of variables after so many steps, of those that have one.
    pub fn bindings(&self, vars: impl IntoIterator<Item = Var>, upto: usize) -> Lines {
        let mut bindings = Bindings::new(false, 0);
        for (number, step) in self.trace.steps.iter().take(upto).enumerate() {
            if let Some(bind) = &step.bind {
                bindings.bind(bind.clone(), number, step.tainted);
            }
        }
        let bound: Vec<Var> = vars.into_iter().filter(|v| bindings.is_bound(*v)).collect();
        Lines::of(bound.into_iter().map(|v| self.maps_to(v, &bindings.value(v).to())))
    }

    fn vertex(&self, vertex: Vertex) -> String {
        vertex.map_or_else(|| "0".to_owned(), |v| self.out.show(&Var::Row(v), self.names))
    }

    fn fact(&self, rule: Rule, fact: &Fact) -> String {
        let what = flank(rule);
        let side = |v: Vertex| v.map_or_else(|| "0".to_owned(), |_| format!("{what} {}", self.vertex(v)));
        let minus = self.out.text("−");
        let sum = match (fact.lesser, fact.weight) {
            (None, k) if k < 0 => format!("{minus}{}", k.unsigned_abs()),
            (None, k) => k.to_string(),
            (lesser, 0) => side(lesser),
            (lesser, k) if k > 0 => format!("{} + {k}", side(lesser)),
            (lesser, k) => format!("{} {minus} {}", side(lesser), k.unsigned_abs()),
        };
        format!("{} {} {sum}", side(fact.greater), self.out.text("≥"))
    }

    /// The guard's graphs, where the whole run was kept; of a large one the first edges, and those of the cycle.
    pub fn guard(&self, whole: bool) -> Vec<Graph> {
        if !whole {
            return Vec::new();
        }
        let failed = self.trace.steps.last().filter(|step| step.fail.is_some()).map(|step| step.rule);
        let graphs = [(Rule::RgLead, "leading lengths"), (Rule::RgTrail, "trailing lengths"), (Rule::RgRank, "ranks")];
        let graphs = graphs.into_iter().map(|(rule, name)| self.graph(rule, name, failed == Some(rule)));
        graphs.filter(|graph| !graph.edges.is_empty()).collect()
    }

    fn graph(&self, rule: Rule, name: &'static str, failed: bool) -> Graph {
        let same = |fact: &Fact| (fact.greater, fact.lesser, fact.weight);
        let cycle: &[Fact] = if failed { self.cycle } else { &[] };
        let facts = self.trace.steps.iter().flat_map(|step| step.facts.iter().rev()).filter(|(r, _)| *r == rule);
        let (mut order, mut known) = (Vec::new(), HashMap::new());
        for fact in facts.map(|(_, fact)| fact).chain(cycle) {
            known.entry(same(fact)).or_insert_with(|| {
                order.push(fact);
                false
            });
        }
        for fact in cycle {
            known.insert(same(fact), true);
        }
        let all = order.len();
        let marked = order.into_iter().map(|fact| (fact, known.get(&same(fact)).copied().unwrap_or(false)));
        let shown = marked.enumerate().filter(|(i, (_, in_cycle))| *i < MOST_EDGES || *in_cycle);
        let edge = |(_, (fact, in_cycle)): (usize, (&Fact, bool))| Edge {
            greater: self.vertex(fact.greater),
            lesser: self.vertex(fact.lesser),
            weight: fact.weight,
            in_cycle,
        };
        let edges: Vec<Edge> = shown.map(edge).collect();
        Graph { name, more: all - edges.len(), edges }
    }
}

/// `x ↦ T`
pub fn maps_to(var: Var, to: &Term, names: &Names, out: &Output) -> String {
    format!("{} {} {}", out.show(&var, names), out.text("↦"), out.show(to, names))
}

/// The length that a graph is about.
fn flank(rule: Rule) -> &'static str {
    match rule {
        Rule::RgLead => "lead",
        Rule::RgTrail => "trail",
        _ => "rank",
    }
}
