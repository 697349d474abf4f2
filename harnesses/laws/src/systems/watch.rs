//! A run watched step by step: what §5 says of every step and of the end, for given values.

use super::denotation::row_value;
use super::{Denotation, with};
use crate::layers::same_run;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::row::Row;
use lozenge::semantics::{Ground, holds};
use lozenge::solver::derivation::{Step, Trace};
use lozenge::solver::guard::Guard;
use lozenge::solver::{Fact, differences::Differences};
use lozenge::solver::{Failure, Rule, Solved, Standing, Strategy, Verdict, solve};
use lozenge::solver::{Stop, configuration::Configuration};
use lozenge::subst::Map;
use lozenge::term::{Binding, RowTerm, RowVar, Term, Var, Vars};
use lozenge_statements::meaning::{match_binding, match_content, match_dim, match_row};
use std::collections::BTreeSet;

/// How a watched run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// In solved form.
    Solved,
    /// Failed on entailed facts.
    Unsat,
    /// Failed on a placement.
    Rejected,
}

/// What was seen of a run.
#[derive(Clone, Debug)]
pub struct Watched {
    /// How it ended.
    pub ending: Ending,
    /// How many solutions Φ₀ has in the universe.
    pub solutions: usize,
    /// How many steps were taken.
    pub steps: usize,
    /// How many of them chose a placement.
    pub placements: usize,
    /// The rules that fired.
    pub rules: BTreeSet<Rule>,
}

/// Sends a system through the solver and holds every step to Lemma 5.1, and the end to what §5 says of it, for every
/// one of these values of its variables.
struct Watch<'a> {
    names: &'a Names,
    phi: &'a [Constraint],
    input: BTreeSet<Var>,
    all: &'a [Ground],
    /// Which of them solve Φ₀.
    initial: Vec<bool>,
}

impl Watch<'_> {
    fn text(&self) -> String {
        let lines: Vec<String> = self.phi.iter().map(|c| self.names.show(c).to_string()).collect();
        lines.join("; ")
    }

    fn blame(&self, what: &str, gamma: &Ground) -> String {
        format!("{what}: {{ {} }} at {}", self.text(), self.names.show(gamma))
    }

    fn solutions(&self) -> impl Iterator<Item = &Ground> {
        self.all.iter().zip(&self.initial).filter(|(_, solves)| **solves).map(|(gamma, _)| gamma)
    }

    /// Lemma 5.1 for one step that did not fail: which values each of the two configurations admits.
    fn step(
        &self,
        rule: Rule,
        placed: Option<(RowVar, &RowTerm)>,
        old: (&Denotation, &[bool]),
        new: (&Denotation, &[bool]),
    ) {
        let ((old, before), (new, after)) = (old, new);
        for (gamma, (was, is)) in self.all.iter().zip(before.iter().zip(after)) {
            let Some((var, to)) = placed else {
                assert_eq!(was, is, "{}", self.blame(&format!("5.1(i), {rule}"), gamma));
                continue;
            };
            assert!(*was || !is, "{}", self.blame(&format!("5.1(ii), {rule}"), gamma));
            if *was {
                self.replaced(rule, var, to, gamma, old, new);
            }
        }
    }

    /// 5.1(iii): with the bound variable's marker moved, a solution survives iff the marked inequalities let it.
    fn replaced(&self, rule: Rule, var: RowVar, to: &RowTerm, gamma: &Ground, old: &Denotation, new: &Denotation) {
        let mut hat = old.extend(gamma).expect("a solution extends");
        let (is, placed) = (hat.rows[&var].clone(), hat.row(to));
        assert!(is.flat_eq(&placed), "{}", self.blame(&format!("5.1(iii), content, {rule}"), gamma));
        hat.rows.insert(var, placed);
        let marked = old.constraints.iter().filter(|phi| matches!(phi, Constraint::RowLe(..)));
        let told_apart = !marked.into_iter().all(|phi| holds(&hat, phi));
        let moved = hat.after(&old.map(), self.input.iter().copied());
        assert_eq!(new.admits(&moved), !told_apart, "{}", self.blame(&format!("5.1(iii), {rule}"), gamma));
    }

    /// 5.6(2), 5.7 and R1a for what is derived without placements, along the whole run: a solution of Φ₀ extends
    /// to every binding, satisfies every constraint taken up, and obeys every recorded fact about lengths.
    fn entailed(&self, trace: &Trace, guard: &Guard) {
        for gamma in self.solutions() {
            let mut hat = gamma.clone();
            for step in trace.steps.iter().filter(|step| !step.tainted) {
                let known = step.instance.vars().into_iter().all(|v| hat.assigns(v));
                assert!(known, "{}", self.blame("an untainted step on a tainted variable", gamma));
                assert!(holds(&hat, &step.instance), "{}", self.blame("an untainted step not entailed", gamma));
                if let Some(bind) = step.bind.as_ref().filter(|bind| !bind.placement) {
                    let fits = match_binding(&mut hat, &bind.binding);
                    assert!(fits, "{}", self.blame("5.6(2): an untainted binding not entailed", gamma));
                }
            }
            let value = |v: RowVar| row_value(&hat, v).cloned();
            self.facts(gamma, guard, |f| !f.tainted, value);
        }
    }

    /// R1a: every fact of a kind holds of the lengths of these values.
    fn facts(&self, gamma: &Ground, guard: &Guard, which: fn(&Fact) -> bool, value: impl Fn(RowVar) -> Option<Row>) {
        assert!(matches!(guard, Guard::Signed(_)), "the signed guard");
        for (rule, facts) in guard.facts() {
            let leading = rule == Rule::RgLead;
            let length = |x: Option<RowVar>| {
                let row = x.map_or(Some(Row::EMPTY), &value);
                let row = row.unwrap_or_else(|| panic!("{}", self.blame("R1a: a fact on an unknown variable", gamma)));
                i64::try_from(if leading { row.lead.len() } else { row.trail.len() }).expect("a small length")
            };
            for fact in facts.iter().filter(|f| which(f)) {
                let holds = length(fact.greater) >= length(fact.lesser) + fact.weight;
                assert!(holds, "{}", self.blame(&format!("R1a: {fact:?}"), gamma));
            }
        }
    }

    /// R1: no positive cycle among all recorded facts, those included that the guard passes over.
    fn cycle_free(&self, guard: &Guard) {
        for (rule, facts) in guard.facts() {
            let mut graph = Differences::default();
            let added = facts.into_iter().rev().try_for_each(|fact| graph.add(fact));
            assert!(added.is_ok(), "R1, {rule}: a solved form with a positive cycle: {}", self.text());
        }
    }

    /// Def. 5.3, Prop. 5.4, Cor. 5.5(i) and Cor. 5.7 for a solved form, whose solutions are `now`.
    fn solved(&self, solved: &Solved, last: &Denotation, now: &[bool], placements: usize) {
        let residual = solved.residual();
        let sigma = solved.sigma();
        assert_eq!(last.map(), restricted(&sigma, &self.input), "σ⋆ with and without the trace: {}", self.text());
        let stored: Vec<Constraint> = residual.constraints().collect();
        assert!(stored.vars().is_disjoint(&sigma.domain()), "5.3, a bound on a bound variable: {}", self.text());
        let capped: BTreeSet<_> = residual.dim_caps.iter().map(|(a, _)| *a).collect();
        assert_eq!(capped.len(), residual.dim_caps.len(), "5.3, two atoms below one variable: {}", self.text());

        // 5.4(i). The tops satisfy all bounds; a deferred equation may say otherwise.
        let top = Ground::default();
        let bounds = stored.iter().filter(|phi| !residual.deferred.contains(phi));
        assert!(bounds.into_iter().all(|phi| holds(&top, phi)), "5.4(i): {}", self.text());
        let highest = top.after(&sigma, self.input.iter().copied());
        let greatest = solved.greatest();
        assert!(greatest.is_some() || !residual.deferred.is_empty(), "5.4(i), no γ↑: {}", self.text());
        if let Some(greatest) = &greatest {
            assert_eq!(*greatest, highest, "γ↑: {}", self.text());
            assert!(self.phi.iter().all(|phi| holds(greatest, phi)), "{}", self.blame("5.5(i)", greatest));
        }
        // 5.4(ii), whether or not equations are deferred.
        for (gamma, _) in self.all.iter().zip(now).filter(|(_, solves)| **solves) {
            let below = self.input.iter().all(|x| match x {
                Var::Dim(v) => gamma.dims[v].le(highest.dims[v]),
                Var::Row(v) => gamma.rows[v].le(&highest.rows[v]),
            });
            assert!(below, "{}", self.blame("5.4(ii)", gamma));
        }
        // 5.6(1).
        for ((gamma, is), was) in self.all.iter().zip(now).zip(&self.initial) {
            let same = if placements == 0 { is == was } else { *was || !is };
            assert!(same, "{}", self.blame("5.6(1)", gamma));
        }
        self.forced(solved);
    }

    /// Cor. 5.7: in every solution, what is said to be entailed has that value, and what is said to have entailed
    /// content has that content, for one choice of the free variables.
    fn forced(&self, solved: &Solved) {
        let forced = solved.forced();
        for gamma in self.solutions() {
            let mut hat = Ground::default();
            for standing in [Standing::Entailed, Standing::Content] {
                for (x, _) in forced.iter().filter(|(_, s)| *s == standing) {
                    let fits = match (x, solved.value(*x)) {
                        (Var::Dim(v), Term::Dim(t)) => match_dim(&mut hat, t, gamma.dims[v]),
                        (Var::Row(v), Term::Row(t)) if standing == Standing::Entailed => {
                            match_row(&mut hat, &t, &gamma.rows[v])
                        }
                        (Var::Row(v), Term::Row(t)) => match_content(&mut hat, &t, &gamma.rows[v]),
                        _ => false,
                    };
                    let name = self.names.show(&Term::from(*x)).to_string();
                    assert!(fits, "{}", self.blame(&format!("5.7, {name} is {standing:?}"), gamma));
                }
            }
        }
    }
}

/// A map on these variables only.
fn restricted(map: &Map, vars: &BTreeSet<Var>) -> Map {
    vars.iter().fold(Map::identity(), |out, x| match x {
        Var::Dim(v) => out.with_dim(*v, map.dim(*v)),
        Var::Row(v) => out.with_row(*v, map.row(*v)),
    })
}

/// The placement that the first of these steps makes.
fn placement(steps: &[Step]) -> Option<(RowVar, &RowTerm)> {
    match &steps.first().filter(|s| s.is_policy())?.bind.as_ref()?.binding {
        Binding::Row(var, to) => Some((*var, to)),
        Binding::Dim(..) => None,
    }
}

/// A run to its end: how it ended, what the last configuration denotes, and which values it admits.
struct Ran {
    ending: Ending,
    last: Denotation,
    now: Vec<bool>,
}

impl Watch<'_> {
    /// Every step to the end, each held to Lemma 5.1.
    fn run(&self, configuration: &mut Configuration) -> Ran {
        let mut now = self.initial.clone();
        let mut old = Denotation::of(configuration, &self.input);
        let ending = loop {
            let taken = configuration.trace.as_ref().map_or(0, |t| t.steps.len());
            let end = configuration.step();
            let new = Denotation::of(configuration, &self.input);
            let steps = configuration.trace.as_ref().map_or(&[][..], |t| &t.steps[taken..]);
            let placed = placement(steps);
            match end {
                Ok(false) => break Ending::Solved,
                Ok(true) => {
                    // What is written alike admits the same.
                    let admits = |gamma| new.admits(gamma);
                    let next = if new == old { now.clone() } else { self.all.iter().map(admits).collect() };
                    self.step(steps[0].rule, placed, (&old, &now), (&new, &next));
                    (old, now) = (new, next);
                }
                Err(Stop::Failed(failure)) => break self.failed(&failure, placed.is_some(), &now, &new),
                Err(Stop::Limit(limit)) => panic!("R1b, {limit:?}: {}", self.text()),
            }
        };
        Ran { ending, last: old, now }
    }

    /// 5.1(i) and 5.5(ii) for a step that failed.
    fn failed(&self, failure: &Failure, placed: bool, now: &[bool], new: &Denotation) -> Ending {
        // A placement may itself close a cycle; then nothing solves what it leads to.
        for (gamma, was) in self.all.iter().zip(now) {
            let solves = if placed { new.admits(gamma) } else { *was };
            assert!(!solves, "{}", self.blame(&format!("5.1(i), failure by {}", failure.rule), gamma));
        }
        if failure.tainted {
            return Ending::Rejected;
        }
        if let Some(gamma) = self.solutions().next() {
            panic!("{}", self.blame(&format!("5.5(ii), unsat by {}", failure.rule), gamma));
        }
        Ending::Unsat
    }

    /// R1a for all facts, those of placements included: they hold of what the last configuration admits.
    fn facts_at_the_end(&self, ran: &Ran, configuration: &Configuration) {
        for (gamma, _) in self.all.iter().zip(&ran.now).filter(|(_, solves)| **solves) {
            let hat = ran.last.extend(gamma).unwrap_or_default();
            let bindings = std::cell::RefCell::new(configuration.bindings.clone());
            let value = |v: RowVar| Some(hat.row(&bindings.borrow_mut().row_value(&v.into())));
            self.facts(gamma, &configuration.guard, |_| true, value);
        }
    }
}

/// Runs Φ under the signed guard and checks every step and the end against these values of its variables.
///
/// # Panics
/// When a claim of §5 fails, with its number, the system and the values; and when a limit is reached.
#[must_use]
pub fn watch(names: &Names, phi: &[Constraint], strategy: Strategy, all: &[Ground]) -> Watched {
    let initial: Vec<bool> = all.iter().map(|gamma| phi.iter().all(|c| holds(gamma, c))).collect();
    let watch = Watch { names, phi, input: phi.vars(), all, initial };
    let mut supply = names.clone();
    let mut configuration = Configuration::new(phi, &mut supply, with(strategy), true);
    let ran = watch.run(&mut configuration);
    // The engine is watched; the calculus takes the same steps.
    if let Err(differs) = same_run(names, phi, with(strategy)) {
        panic!("{}: {differs}", watch.text());
    }
    let trace = configuration.trace.take().unwrap_or_default();
    watch.entailed(&trace, &configuration.guard);
    if ran.ending == Ending::Solved {
        watch.cycle_free(&configuration.guard);
    }
    if ran.ending != Ending::Rejected {
        watch.facts_at_the_end(&ran, &configuration);
    }
    let placements = trace.steps.iter().filter(|s| s.is_policy()).count();
    match (solve(phi, &mut names.clone(), with(strategy)), ran.ending) {
        (Verdict::Solved(solved), Ending::Solved) => watch.solved(&solved, &ran.last, &ran.now, placements),
        (Verdict::Unsat(_), Ending::Unsat) | (Verdict::Rejected(_), Ending::Rejected) => {}
        (other, ending) => panic!("{ending:?} with the trace, {other:?} without: {}", watch.text()),
    }
    Watched {
        ending: ran.ending,
        solutions: watch.initial.iter().filter(|solves| **solves).count(),
        steps: trace.steps.len(),
        placements,
        rules: trace.steps.iter().map(|s| s.rule).collect(),
    }
}
