//! What there is to tell about a run: the steps, the bounds after each, the guard's graph, the end.

use super::grid::Grid;
use super::replay::Replay;
use crate::answer::{self, InferErrorJson};
use crate::output::{Exit, Json, Output};
use lozenge::constraint::Constraint;
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::solver::bindings::Bindings;
use lozenge::solver::derivation::{Step, Trace};
use lozenge::solver::{Failure, Limit, Limits, Policy, Rule};
use lozenge::term::{Term, Var};
use lozenge::wire;
use serde::Serialize;
use std::collections::HashMap;

/// How the run ended: the verdict of `solve`, `close` or `infer` on the same file.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    Solved,
    Closed,
    Inferred,
    Unsat,
    Rejected,
    /// A parameter's dimension that nothing determines.
    Error,
    Limit,
}

impl Ending {
    /// The word, as in the answers of the other commands.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Solved => "solved",
            Ending::Closed => "closed",
            Ending::Inferred => "inferred",
            Ending::Unsat => "unsat",
            Ending::Rejected => "rejected",
            Ending::Error => "error",
            Ending::Limit => "limit",
        }
    }

    /// The status that those commands have.
    pub fn exit(self) -> Exit {
        match self {
            Ending::Solved | Ending::Closed | Ending::Inferred => Exit::Yes,
            Ending::Unsat | Ending::Rejected | Ending::Error => Exit::No,
            Ending::Limit => Exit::Limit,
        }
    }

    /// A failure that rests on a choice refutes nothing.
    pub fn of(failure: &Failure) -> Self {
        if failure.tainted { Ending::Rejected } else { Ending::Unsat }
    }
}

/// The end in the fields that the other commands answer with.
#[derive(Serialize)]
#[serde(untagged)]
pub enum End {
    /// As `infer` says it.
    Program(InferErrorJson),
    /// As `solve` and `close` say it.
    System {
        verdict: Ending,
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        constraint: Option<Json>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        which: Option<&'static str>,
    },
}

impl End {
    /// A verdict that says nothing more.
    pub fn bare(verdict: Ending) -> Self {
        End::System { verdict, rule: None, constraint: None, message: None, which: None }
    }

    /// A limit.
    pub fn limit(limit: Limit) -> Self {
        let which = Some(answer::limit_name(limit));
        End::System { verdict: Ending::Limit, rule: None, constraint: None, message: None, which }
    }

    /// A rule that failed, for reasons that are said.
    pub fn refused(verdict: Ending, rule: &'static str, message: String) -> Self {
        End::System { verdict, rule: Some(rule), constraint: None, message: Some(message), which: None }
    }

    /// A failure of the solver.
    pub fn failed(failure: &Failure, names: &Names) -> Self {
        End::System {
            verdict: Ending::of(failure),
            rule: Some(failure.rule.name()),
            constraint: Some(Json(wire::constraint(&failure.constraint, names))),
            message: Some(answer::message(&failure.why, |d| names.show(&d).to_string())),
            which: None,
        }
    }
}

/// A constraint or a claim of the input.
#[derive(Serialize)]
pub struct Input {
    pub line: usize,
    pub text: String,
    /// The part of a program it comes from.
    pub from: String,
}

/// One step.
#[derive(Default, Serialize)]
pub struct Scene {
    pub rule: &'static str,
    pub definition: &'static str,
    /// The stage, for a rule of §8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<u8>,
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
    /// How many more bounds there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_bounds: usize,
    /// What the guard learnt.
    pub facts: Vec<String>,
    /// Does it choose where a marker stands?
    pub policy: bool,
    /// Does it rest on such a choice?
    pub tainted: bool,
    /// Why it failed.
    pub fails: Option<String>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Scene {
    /// Where its rule is defined.
    pub fn place(&self) -> String {
        match self.stage {
            Some(stage) => format!("section 8, stage {stage}"),
            None if self.definition == "8" => "section 8".to_owned(),
            None if self.definition.is_empty() => "a check".to_owned(),
            None => format!("Def. {}", self.definition),
        }
    }
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
    /// How many edges are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// Lines, as many as can be read.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub struct Lines(pub Vec<String>);

/// The most lines of a list, and the most characters in all of them.
const MOST_LINES: usize = 2_000;
const MOST_TEXT: usize = 400_000;

impl Lines {
    /// These lines, and a last one that says how many are left out.
    pub fn of(lines: impl ExactSizeIterator<Item = String>) -> Self {
        let (all, mut length, mut kept) = (lines.len(), 0, Vec::new());
        for line in lines.take(MOST_LINES) {
            length += line.len();
            if length > MOST_TEXT && !kept.is_empty() {
                break;
            }
            kept.push(line);
        }
        if kept.len() < all {
            let left_out = all - kept.len();
            kept.push(format!("... and {left_out} more, left out here"));
        }
        Lines(kept)
    }
}

/// The whole.
#[derive(Serialize)]
pub struct Story {
    pub title: String,
    pub input: Vec<Input>,
    /// The claims about sizes of a program (§8).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Input>,
    pub steps: Vec<Scene>,
    /// How many steps there were; at least, where not all were kept.
    pub all_steps: usize,
    /// Was the whole run kept?
    pub whole: bool,
    pub ending: Ending,
    #[serde(flatten)]
    pub end: End,
    /// What the end means, in a sentence.
    pub says: String,
    /// The explanation that `infer` gives.
    #[serde(skip)]
    pub explanation: String,
    /// Bindings of the input's variables.
    pub bindings: Lines,
    pub guard: Vec<Graph>,
    /// What closing chose beyond what follows, and by which rule.
    pub assumptions: Vec<(String, String)>,
    /// The shapes of a program's tensors.
    #[serde(skip_serializing_if = "no_lines")]
    pub shapes: Lines,
    /// The indices that axes are read at, each with the size it is compared with.
    #[serde(skip_serializing_if = "no_lines")]
    pub checks: Lines,
    /// The values after closing.
    pub values: Lines,
    /// Why closing ended without values.
    pub closing: Option<String>,
}

impl Story {
    /// How many steps are not shown, in words; none where all are.
    pub fn more_steps(&self) -> Option<String> {
        let hidden = self.all_steps.saturating_sub(self.steps.len());
        match (hidden, self.whole) {
            (0, true) => None,
            (_, true) => Some(format!("{hidden} steps more")),
            (_, false) => Some(format!("{hidden} steps more were kept, and the run went on")),
        }
    }
}

fn no_lines(lines: &Lines) -> bool {
    lines.0.is_empty()
}

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
