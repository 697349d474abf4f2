//! What there is to tell about a run: the steps, the bounds after each, the guard's graph, the end.

use super::grid::Grid;
use crate::answer;
use crate::output::Output;
use crate::system::System;
use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::solver::configuration::{Configuration, Stop};
use lozenge::solver::differences::{Fact, Vertex};
use lozenge::solver::trace::{Origin, Step, Trace};
use lozenge::solver::{Failure, Policy, Rule};
use lozenge::term::{DimTerm, Term, Var};
use serde::Serialize;

/// How the run ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    Solved,
    Unsat,
    Rejected,
    Limit,
}

/// A constraint of the input.
#[derive(Serialize)]
pub struct Input {
    pub line: usize,
    pub text: String,
    /// The part of a program it comes from.
    pub from: String,
}

/// One step.
#[derive(Serialize)]
pub struct Scene {
    pub rule: &'static str,
    pub definition: &'static str,
    pub words: String,
    /// The constraint, under the bindings at the time.
    pub constraint: String,
    pub picture: Option<Grid>,
    /// Where the constraint comes from.
    pub from: String,
    /// What came of it.
    pub results: Vec<String>,
    /// The bounds after it, and which of them are new.
    pub bounds: Vec<(String, bool)>,
    /// What the guard learnt.
    pub facts: Vec<String>,
    /// Does it choose where a marker stands?
    pub policy: bool,
    /// Does it rest on such a choice?
    pub tainted: bool,
    /// Why it failed.
    pub fails: Option<String>,
}

/// An edge of the guard's graph: greater ≥ lesser + weight.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    pub greater: String,
    pub lesser: String,
    pub weight: i64,
    /// Is it part of the cycle that the run failed by?
    pub in_cycle: bool,
}

/// The guard's graph of one flank.
#[derive(Serialize)]
pub struct Graph {
    pub name: &'static str,
    pub edges: Vec<Edge>,
}

/// The whole.
#[derive(Serialize)]
pub struct Story {
    pub title: String,
    pub input: Vec<Input>,
    pub steps: Vec<Scene>,
    /// How many steps there were.
    pub all_steps: usize,
    pub ending: Ending,
    /// What the end means, in a sentence.
    pub says: String,
    /// Bindings of the input's variables.
    pub bindings: Vec<String>,
    pub guard: Vec<Graph>,
    /// What closing chose beyond what follows, and by which rule.
    pub assumptions: Vec<(String, String)>,
    /// The values after closing.
    pub values: Vec<String>,
    /// Why closing ended without values.
    pub closing: Option<String>,
}

/// The bounds at one moment.
type Bounds = Vec<Constraint>;

struct Teller<'a> {
    system: &'a System,
    names: &'a Names,
    out: &'a Output,
}

fn bounds(configuration: &mut Configuration<'_>) -> Bounds {
    let store = &configuration.bounds;
    let mut all: Vec<Constraint> = Vec::new();
    all.extend(store.lowers().map(|(a, lower)| Constraint::DimLe(DimTerm::Dim(Dim::Atom(lower.atom)), a.into())));
    all.extend(store.adjacencies().map(|(a, b, _)| Constraint::DimLe(a.into(), b.into())));
    all.extend(store.row_constraints());
    all.into_iter().map(|phi| configuration.bindings.instantiate(phi).phi).collect()
}

impl Story {
    /// Solves and closes, watching.
    pub fn tell(
        title: &str,
        system: &System,
        labels: &[String],
        tags: &Tags,
        policy: Policy,
        most: usize,
        out: &Output,
    ) -> Self {
        let mut names = system.names.clone();
        let mut configuration = Configuration::new(&system.phi, &mut names, policy, true);
        let mut seen: Vec<Bounds> = Vec::new();
        let end = loop {
            let stepped = configuration.step();
            if seen.len() < most {
                seen.push(bounds(&mut configuration));
            }
            match stepped {
                Ok(true) => {}
                Ok(false) => break None,
                Err(stop) => break Some(stop),
            }
        };
        let input = lozenge::term::Vars::vars(system.phi.as_slice());
        let bound: Vec<(Var, Term)> = input
            .iter()
            .map(|v| (*v, configuration.bindings.value(*v)))
            .filter(|(v, t)| *t != Term::from(*v))
            .collect();
        let trace = configuration.trace.take().unwrap_or_default();
        drop(configuration);
        let failure = match &end {
            Some(Stop::Failed(failure)) => Some(failure.as_ref()),
            _ => None,
        };
        let teller = Teller { system, names: &names, out };
        let steps = teller.scenes(&trace, &seen, failure, most);
        let (ending, says) = teller.ending(&end);
        let mut story = Story {
            title: title.to_owned(),
            input: teller.input(labels),
            steps,
            all_steps: trace.steps.len(),
            ending,
            says,
            bindings: bound.iter().map(|(v, t)| teller.maps_to(*v, t, &names)).collect(),
            guard: teller.guard(&trace, failure),
            assumptions: Vec::new(),
            values: Vec::new(),
            closing: None,
        };
        if ending == Ending::Solved {
            story.close(system, tags, policy, out);
        }
        story
    }

    /// What closing makes of it.
    fn close(&mut self, system: &System, tags: &Tags, policy: Policy, out: &Output) {
        let mut names = system.names.clone();
        let end = close(&system.phi, &mut names, tags, policy);
        let teller = Teller { system, names: &names, out };
        let why = |failure: &Failure| {
            let why = answer::message(&failure.why, |d| out.show(&d, &names));
            format!("{} on {}: {why}", failure.rule, out.show(&failure.constraint, &names))
        };
        match &end {
            Closing::Closed(closed) => {
                let values = answer::ground_terms(&closed.values);
                self.values = values.iter().map(|(v, t)| teller.maps_to(*v, t, &names)).collect();
                let chosen = closed.assumptions.iter().map(|a| {
                    let within = a.within.map_or_else(String::new, |x| format!(" (part of {})", out.show(&x, &names)));
                    let text = teller.maps_to(a.var, &a.value, &names) + &within;
                    (text, format!("{}: {}", a.rule, out.text(a.rule.words())))
                });
                self.assumptions = chosen.collect();
            }
            Closing::Hole(hole) => {
                let var = out.show(&hole.var, &names);
                self.closing = Some(format!("parameter {var}: you forgot to specify this dimension"));
            }
            Closing::Unsat(failure) => self.closing = Some(format!("unsat: {}", why(failure))),
            Closing::Rejected(failure, _) => self.closing = Some(format!("rejected: {}", why(failure))),
            Closing::Limit(limit) => self.closing = Some(format!("limit: {}", limit.name())),
        }
    }
}

impl Teller<'_> {
    fn show(&self, phi: &Constraint) -> String {
        self.out.show(phi, self.names)
    }

    fn maps_to(&self, var: Var, to: &Term, names: &Names) -> String {
        format!("{} {} {}", self.out.show(&var, names), self.out.text("↦"), self.out.show(to, names))
    }

    fn input(&self, labels: &[String]) -> Vec<Input> {
        let lines = self.system.lines.iter().zip(&self.system.phi).zip(labels);
        lines.map(|((line, phi), from)| Input { line: *line, text: self.show(phi), from: from.clone() }).collect()
    }

    fn scenes(&self, trace: &Trace, seen: &[Bounds], failure: Option<&Failure>, most: usize) -> Vec<Scene> {
        let nothing = Bounds::new();
        let last = trace.steps.len().saturating_sub(1);
        let shown = trace.steps.iter().take(most).enumerate();
        shown
            .map(|(number, step)| {
                let now = seen.get(number).unwrap_or(&nothing);
                let before = number.checked_sub(1).and_then(|i| seen.get(i)).unwrap_or(&nothing);
                let fails = failure
                    .filter(|_| number == last && step.fail.is_some())
                    .map(|failure| answer::message(&failure.why, |d| self.out.show(&d, self.names)));
                self.scene(trace, step, before, now, fails)
            })
            .collect()
    }

    fn scene(&self, trace: &Trace, step: &Step, before: &Bounds, now: &Bounds, fails: Option<String>) -> Scene {
        let node = |n: &usize| trace.nodes.get(*n).map(|node| self.show(&node.constraint));
        let mut results: Vec<String> = step.emitted.iter().filter_map(node).collect();
        if let Some(bind) = &step.bind {
            results.push(self.maps_to(bind.var, &bind.to, self.names));
        }
        results.extend(step.stored.as_ref().and_then(node).map(|kept| format!("kept: {kept}")));
        let from = match trace.nodes.get(step.consumed).map(|node| node.origin) {
            Some(Origin::Input(i)) => format!("line {}", self.system.lines.get(i).copied().unwrap_or(0)),
            Some(Origin::Step(from)) => format!("step {}", from + 1),
            _ => String::new(),
        };
        Scene {
            rule: step.rule.name(),
            definition: step.rule.definition(),
            words: self.out.text(step.rule.words()),
            constraint: self.show(&step.instance),
            picture: Grid::of(&step.instance, self.names, self.out),
            from,
            results,
            bounds: now.iter().map(|phi| (self.show(phi), !before.contains(phi))).collect(),
            facts: step.facts.iter().rev().map(|(rule, fact)| self.fact(*rule, fact)).collect(),
            policy: step.is_policy(),
            tainted: step.tainted,
            fails,
        }
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

    fn guard(&self, trace: &Trace, failure: Option<&Failure>) -> Vec<Graph> {
        let cycle: &[Fact] = failure.map_or(&[], |failure| &failure.cycle);
        let failed = failure.map(|failure| failure.rule);
        let graphs = [(Rule::RgLead, "leading lengths"), (Rule::RgTrail, "trailing lengths"), (Rule::RgRank, "ranks")];
        let graph = |(rule, name)| {
            let mut edges: Vec<Edge> = Vec::new();
            let facts = trace.steps.iter().flat_map(|step| step.facts.iter().rev()).filter(|(r, _)| *r == rule);
            let of_cycle = cycle.iter().filter(|_| failed == Some(rule)).map(|fact| (fact, true));
            for (fact, in_cycle) in facts.map(|(_, fact)| (fact, cycle.contains(fact))).chain(of_cycle) {
                let edge = Edge {
                    greater: self.vertex(fact.greater),
                    lesser: self.vertex(fact.lesser),
                    weight: fact.weight,
                    in_cycle: in_cycle && failed == Some(rule),
                };
                let same =
                    |e: &&mut Edge| (&e.greater, &e.lesser, e.weight) == (&edge.greater, &edge.lesser, edge.weight);
                match edges.iter_mut().find(same) {
                    Some(known) => known.in_cycle |= edge.in_cycle,
                    None => edges.push(edge),
                }
            }
            Graph { name, edges }
        };
        graphs.into_iter().map(graph).filter(|graph: &Graph| !graph.edges.is_empty()).collect()
    }

    fn ending(&self, end: &Option<Stop>) -> (Ending, String) {
        match end {
            None => (Ending::Solved, "every constraint was taken up: solved form (Def. 5.3)".to_owned()),
            Some(Stop::Limit(limit)) => (Ending::Limit, format!("the limit on {} was reached", limit.name())),
            Some(Stop::Failed(failure)) => {
                let why = answer::message(&failure.why, |d| self.out.show(&d, self.names));
                let phi = self.show(&failure.constraint);
                match failure.tainted {
                    false => (Ending::Unsat, format!("there is no solution: {phi}: {why}")),
                    true => (
                        Ending::Rejected,
                        format!("a chosen placement led to failure, there may be a solution: {phi}: {why}"),
                    ),
                }
            }
        }
    }
}

/// The length that a graph is about.
fn flank(rule: Rule) -> &'static str {
    match rule {
        Rule::RgLead => "lead",
        Rule::RgTrail => "trail",
        _ => "rank",
    }
}
