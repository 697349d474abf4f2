//! A run of core/calculus as the model of proofs/coq writes it: every step, how it ends, what is left.
//!
//! It is written as text, letter for letter what the model writes, so that hundreds of thousands of runs can be compared.

use lozenge::calculus::solver::configuration::Configuration;
use lozenge::calculus::solver::derivation::{Step, Trace};
use lozenge::constraint::Constraint;
use lozenge::dim::{Basis, Dim};
use lozenge::guard::Fact;
use lozenge::names::Names;
use lozenge::policy::{GuardPolicy, Policy, Strategy};
use lozenge::rules::Rule;
use lozenge::solver::{Standing, Stop};
use lozenge::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Term, Var};
use serde_json::{Value, json};
use std::fmt::Write;

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
pub fn derivation(names: &Names, phi: &[Constraint], policy: Policy) -> Option<String> {
    let mut names = names.clone();
    let mut configuration = Configuration::new(phi, &mut names, policy);
    let end = run(&mut configuration, policy.guard != GuardPolicy::Signed);
    let Configuration { sigma, bounds, guard, entries, trace, .. } = &mut configuration;
    let (sigma, bounds, entries, trace) =
        (std::mem::take(sigma), std::mem::take(bounds), std::mem::take(entries), std::mem::take(trace));
    let facts: Vec<(Rule, Vec<Fact>)> =
        guard.facts().into_iter().map(|(rule, facts)| (rule, facts.0.clone())).collect();
    let kept = match &end {
        Ok(true) => trace.steps.len(),
        Ok(false) => STEPS,
        Err(Stop::Failed(_)) => before_failure(&trace),
        Err(Stop::Limit(_)) => return None,
    };
    let mut text = Text { out: String::new(), names: &names };
    text.add("{\"steps\":");
    text.list(&trace.steps[..kept], |text, step| text.step(step, &trace));
    match end {
        Ok(false) => text.add(",\"end\":\"limit\"}"),
        Err(Stop::Failed(failure)) => {
            text.add(",\"end\":\"failed\",\"failure\":{\"by\":\"");
            text.add(failure.rule.name());
            text.add("\",\"on\":");
            text.constraint(&failure.constraint);
            let _ = write!(text.out, ",\"tainted\":{}}}", failure.tainted);
            text.facts(&facts, kept);
        }
        Ok(true) | Err(Stop::Limit(_)) => {
            text.add(",\"end\":\"solved\",\"sigma\":");
            let bound: Vec<Var> = trace.bindings().map(|(_, bind, _)| bind.binding.var()).collect();
            text.list(&bound, |text, var| {
                text.add("[");
                text.pair(*var, &sigma.var(*var));
                text.add(match entries[var].standing {
                    Standing::Entailed => ",\"entailed\"]",
                    Standing::Content => ",\"content\"]",
                    Standing::Policy => ",\"policy\"]",
                });
            });
            text.add(",\"store\":");
            text.list(&bounds.0, |text, stored| {
                text.add("[");
                text.constraint(&stored.bound.constraint());
                let _ = write!(text.out, ",{}]", stored.by.tainted);
            });
            text.facts(&facts, kept);
        }
    }
    Some(text.out)
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

/// JSON in the model's order of fields.
struct Text<'n> {
    out: String,
    names: &'n Names,
}

impl Text<'_> {
    fn add(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.add("[");
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.add(",");
            }
            write(self, item);
        }
        self.add("]");
    }

    /// A variable of either sort, without brackets.
    fn name(&mut self, id: u32) {
        let _ = write!(self.out, "\"{}\"", self.names.show(&DimVar(id)));
    }

    fn dim(&mut self, term: DimTerm) {
        match term {
            DimTerm::Var(DimVar(id)) => {
                self.add("{\"var\":");
                self.name(id);
                self.add("}");
            }
            DimTerm::Dim(Dim::Unit) => self.add("\"unit\""),
            DimTerm::Dim(Dim::Atom(atom)) if atom.basis() == Basis::DEFAULT => {
                let _ = write!(self.out, "{}", atom.size());
            }
            DimTerm::Dim(Dim::Atom(atom)) => {
                let basis = self.names.basis_name(atom.basis()).unwrap_or_default();
                let _ = write!(self.out, "{{\"n\":{},\"basis\":\"{basis}\"}}", atom.size());
            }
        }
    }

    fn row(&mut self, row: &RowTerm) {
        self.add("{\"lead\":");
        self.list(&row.lead, |text, t| text.dim(*t));
        if let Some(RowVar(id)) = row.var {
            self.add(",\"var\":");
            self.name(id);
        }
        self.add(",\"trail\":");
        self.list(&row.trail, |text, t| text.dim(*t));
        self.add("}");
    }

    fn constraint(&mut self, phi: &Constraint) {
        self.add(match phi {
            Constraint::DimEq(..) | Constraint::RowEq(..) => "{\"eq\":[",
            Constraint::DimLe(..) | Constraint::RowLe(..) => "{\"le\":[",
        });
        match phi {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => {
                self.dim(*s);
                self.add(",");
                self.dim(*t);
            }
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => {
                self.row(s);
                self.add(",");
                self.row(t);
            }
        }
        self.add("]}");
    }

    /// x ↦ T.
    fn pair(&mut self, var: Var, to: &Term) {
        self.add("[");
        self.name(var.id());
        self.add(",");
        match to {
            Term::Dim(t) => self.dim(*t),
            Term::Row(r) => self.row(r),
        }
        self.add("]");
    }

    fn step(&mut self, step: &Step, trace: &Trace) {
        let _ = write!(self.out, "{{\"rule\":\"{}\",\"on\":", step.rule.name());
        self.constraint(&step.instance);
        let _ = write!(self.out, ",\"tainted\":{},\"emits\":", step.tainted);
        self.list(&step.emitted, |text, node| text.constraint(&trace.nodes[*node].constraint));
        self.add(",\"binds\":");
        match &step.bind {
            None => self.add("null"),
            Some(bind) => self.pair(bind.binding.var(), &bind.binding.to()),
        }
        let _ = write!(self.out, ",\"placed\":{},\"stores\":", step.is_policy());
        self.list(step.stored.as_slice(), |text, node| text.constraint(&trace.nodes[*node].constraint));
        let _ = write!(self.out, ",\"again\":{}}}", step.rule == Rule::RiDeficit);
    }

    /// The facts of each guard that the first steps recorded; the end.
    fn facts(&mut self, facts: &[(Rule, Vec<Fact>)], kept: usize) {
        for (key, rule) in [("leads", Rule::RgLead), ("trails", Rule::RgTrail), ("ranks", Rule::RgRank)] {
            let _ = write!(self.out, ",\"{key}\":");
            let of = facts.iter().filter(|(kind, _)| *kind == rule).flat_map(|(_, facts)| facts);
            let of: Vec<&Fact> = of.filter(|fact| fact.step < kept).collect();
            self.list(&of, |text, fact| {
                text.add("[");
                for vertex in [fact.greater, fact.lesser] {
                    match vertex {
                        None => text.add("0"),
                        Some(RowVar(id)) => text.name(id),
                    }
                    text.add(",");
                }
                let _ = write!(text.out, "{},{}]", fact.weight, fact.tainted);
            });
        }
        self.add("}");
    }
}
