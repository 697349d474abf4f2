//! A derivation, one line a step: what it was applied to, what came of it, and the lines it rests on.

use super::placement::Placement;
use crate::output::{FAINT, Output, paint};
use crate::system::{System, lines_text};
use lozenge::constraint::Constraint;
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::solver::Rule;
use lozenge::solver::derivation::{Node, Origin, Step, Trace};
use lozenge::term::Var;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Derivations up to this length are printed whole and with every line they rest on.
const WHOLE: usize = 400;
/// How many steps of a longer one are printed.
const TAIL: usize = 100;

/// Steps of a run, in order.
pub struct Derivation<'a> {
    pub trace: &'a Trace,
    pub names: &'a Names,
    system: &'a System,
    /// The steps listed.
    steps: Vec<usize>,
    /// The facts of a positive cycle, for a failure of the guard.
    cycle: &'a [Fact],
    all: bool,
}

impl<'a> Derivation<'a> {
    /// Every step of the run, or those that the last one rests on.
    pub fn new(trace: &'a Trace, system: &'a System, names: &'a Names, all: bool) -> Self {
        let count = trace.steps.len();
        let steps = if all { (0..count).collect() } else { trace.ancestors(count.saturating_sub(1)) };
        Derivation { trace, names, system, steps, cycle: &[], all }
    }

    /// The same, with the facts of the cycle it ends in.
    pub fn with_cycle(self, cycle: &'a [Fact]) -> Self {
        Derivation { cycle, ..self }
    }

    /// Where the constraint comes from that a step took.
    fn origin(&self, step: usize) -> Option<Origin> {
        Some(self.trace.nodes.get(self.trace.steps.get(step)?.consumed)?.origin)
    }

    /// What a step rests on, one level up.
    fn premises(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let it = self.trace.steps.get(step);
        let bindings = it.into_iter().flat_map(|it| it.used.iter().chain(&it.also)).copied();
        let from = if let Some(Origin::Step(from)) = self.origin(step) { Some(from) } else { None };
        bindings.chain(from).filter(move |premise| *premise != step)
    }

    /// The line of a constraint of the input.
    pub fn line(&self, input: usize) -> usize {
        self.system.lines.get(input).copied().unwrap_or(0)
    }

    /// The lines that a step rests on.
    pub fn lines_of(&self, step: usize) -> Vec<usize> {
        self.trace.inputs(step).into_iter().map(|i| self.line(i)).collect()
    }

    /// The lines that a fact rests on: those of the instance that its step worked on.
    pub fn lines_of_fact(&self, fact: &Fact) -> Vec<usize> {
        let used = self.trace.steps.get(fact.step).into_iter().flat_map(|it| it.used.iter().copied());
        let mut inputs: BTreeSet<usize> = used.flat_map(|step| self.trace.inputs(step)).collect();
        match self.origin(fact.step) {
            Some(Origin::Input(input)) => drop(inputs.insert(input)),
            Some(Origin::Step(from)) => inputs.extend(self.trace.inputs(from)),
            _ => {}
        }
        inputs.into_iter().map(|i| self.line(i)).collect()
    }

    /// The steps that chose a placement.
    pub fn placements(&self) -> impl Iterator<Item = Placement<'a>> {
        let numbered = self.trace.steps.iter().enumerate();
        numbered.filter_map(|(step, it)| {
            let bind = it.bind.as_ref().filter(|bind| bind.placement)?;
            Some(Placement { step, rule: it.rule, bind, tainted: it.tainted, before: &self.trace.steps[..step] })
        })
    }

    /// The number under which a step is listed, from 1.
    pub fn number(&self, step: usize) -> usize {
        self.steps.binary_search(&step).map_or(0, |place| place + 1)
    }

    /// The lines that a step rests on, or where its constraint comes from if that would be long.
    fn sources(&self, lines: Option<&BTreeSet<usize>>, step: usize) -> String {
        match (lines, self.origin(step)) {
            (Some(lines), _) => lines_text(&lines.iter().copied().collect::<Vec<_>>()),
            (None, Some(Origin::Step(from))) => format!("step {}", self.number(from)),
            (None, Some(Origin::Input(input))) => lines_text(&[self.line(input)]),
            _ => String::new(),
        }
    }

    /// The lines that each step listed rests on.
    fn all_lines(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut lines: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        if self.steps.len() > WHOLE {
            return lines;
        }
        for &step in &self.steps {
            let inherited = self.premises(step).filter_map(|premise| lines.get(&premise)).flatten().copied();
            let mut own: BTreeSet<usize> = inherited.collect();
            if let Some(Origin::Input(input)) = self.origin(step) {
                own.insert(self.line(input));
            }
            lines.insert(step, own);
        }
        lines
    }

    /// Prints the steps, one a line.
    pub fn print(&self, out: &mut Output) -> io::Result<()> {
        let lines = self.all_lines();
        let skipped = if self.all || self.steps.len() <= WHOLE { 0 } else { self.steps.len() - TAIL };
        if skipped > 0 {
            out.line(&format!("  ... {skipped} steps before these; --trace prints all"))?;
        }
        let shown = self.steps.iter().skip(skipped).filter_map(|s| Some((*s, self.trace.steps.get(*s)?)));
        let needed = self.needed();
        let rows: Vec<[String; 5]> = shown
            .map(|(number, step)| {
                let sources = self.sources(lines.get(&number), number);
                let body = self.body(number, step, &needed, out);
                [self.number(number).to_string(), step.rule.to_string(), sources, body, out.text(step.rule.words())]
            })
            .collect();
        let width = |column: usize, most: usize| {
            rows.iter().map(|row| row[column].chars().count()).filter(|w| *w <= most).max().unwrap_or(0)
        };
        let widths = [width(0, 9), width(1, 20), width(2, 20), width(3, 60)];
        for [number, rule, sources, body, words] in &rows {
            let [n, r, s, b] = widths;
            let words = paint(FAINT, words);
            out.line(&format!("  {number:>n$}  {rule:<r$}  {sources:<s$}  {body:<b$}  {words}"))?;
        }
        Ok(())
    }

    /// The constraints that steps listed take, and the steps whose bindings they use.
    fn needed(&self) -> Needed {
        let listed = || self.steps.iter().filter_map(|s| self.trace.steps.get(*s));
        Needed {
            nodes: listed().map(|it| it.consumed).collect(),
            bindings: listed().flat_map(|it| it.used.iter().copied()).collect(),
            bounds: listed().flat_map(|it| it.also.iter().copied()).collect(),
        }
    }

    /// The instance, and what came of it that is used later.
    fn body(&self, number: usize, step: &Step, needed: &Needed, out: &Output) -> String {
        let show = |phi: &Constraint| out.show(phi, self.names);
        let node = |n: &usize| self.trace.nodes.get(*n).map(|node: &Node| show(&node.constraint));
        let mut results = Vec::new();
        results.extend(step.emitted.iter().filter(|n| self.all || needed.nodes.contains(n)).filter_map(node));
        if let Some(bind) = step.bind.as_ref().filter(|_| self.all || needed.bindings.contains(&number)) {
            results.push(format!(
                "{} {} {}",
                out.show(&bind.binding.var(), self.names),
                out.text("↦"),
                out.show(&bind.binding.to(), self.names)
            ));
        }
        let taken_later = |stored: usize| stored != step.consumed && needed.nodes.contains(&stored);
        let used_as_bound = self.cycle.is_empty() && needed.bounds.contains(&number);
        let stored = step.stored.filter(|n| self.all || taken_later(*n) || used_as_bound);
        results.extend(stored.as_ref().and_then(node).map(|kept| format!("kept: {kept}")));
        let last = self.trace.steps.last().map(|last| last.rule);
        let facts = self.cycle.iter().filter(|fact| fact.step == number && step.fail.is_none());
        results.extend(facts.filter_map(|fact| Some(self.fact(last?, fact, out))));
        if step.fail.is_some() {
            results.push("fails".to_owned());
        }
        let instance = show(&step.instance);
        if results.is_empty() { instance } else { format!("{instance} {} {}", out.text("→"), results.join(", ")) }
    }

    /// greater ≥ lesser + weight.
    pub fn fact(&self, rule: Rule, fact: &Fact, out: &Output) -> String {
        let greater = self.length(rule, fact.greater, out);
        format!("{greater} {} {}", out.text("≥"), self.sum(rule, fact.lesser, fact.weight, out))
    }

    /// The length that the facts of a guard speak of.
    pub fn length(&self, rule: Rule, vertex: Vertex, out: &Output) -> String {
        let what = match rule {
            Rule::RgLead => "lead",
            Rule::RgTrail => "trail",
            _ => "rank",
        };
        vertex.map_or_else(|| "0".to_owned(), |v| format!("{what} {}", out.show(&Var::Row(v), self.names)))
    }

    /// lesser + weight.
    pub fn sum(&self, rule: Rule, vertex: Vertex, weight: i64, out: &Output) -> String {
        let length = self.length(rule, vertex, out);
        match (vertex, weight) {
            (None, weight) => out.text(&weight.to_string().replace('-', "−")),
            (_, 0) => length,
            (_, weight) if weight > 0 => format!("{length} + {weight}"),
            (_, weight) => format!("{length} {} {}", out.text("−"), weight.unsigned_abs()),
        }
    }
}

/// What the steps of a listing use.
struct Needed {
    nodes: BTreeSet<usize>,
    bindings: BTreeSet<usize>,
    bounds: BTreeSet<usize>,
}
