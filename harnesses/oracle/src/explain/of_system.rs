//! The story of a system of constraints: what `solve` does with it, or `close` where leaves are named.

use super::story::{End, Ending, Input, Lines, Story, Teller, keeping, maps_to};
use crate::answer;
use crate::output::Output;
use crate::system::System;
use lozenge::closing::{Assumption, Closing, Tags, close_placing};
use lozenge::decide::witness;
use lozenge::names::Names;
use lozenge::solver::derivation::{Origin, Trace};
use lozenge::solver::{Failure, Policy, Run, Verdict, solve, solve_traced};
use lozenge::term::{Term, Vars};

/// Solves and keeps the derivation, as far as that goes. Is it the whole? The verdict is the run's in any case.
fn solved(system: &System, names: &mut Names, policy: Policy) -> (Verdict, Trace, bool) {
    let kept = keeping(policy);
    let Run { verdict, trace } = solve_traced(&system.phi, names, kept);
    if kept != policy && matches!(verdict, Verdict::Limit(_)) {
        return (solve(&system.phi, &mut system.names.clone(), policy), trace, false);
    }
    (verdict, trace, true)
}

/// Solves, closes, and tells.
pub fn tell(title: &str, system: &System, tags: &Tags, policy: Policy, most: usize, out: &Output) -> Story {
    let mut names = system.names.clone();
    let (verdict, trace, whole) = solved(system, &mut names, policy);
    let failure = match &verdict {
        Verdict::Unsat(failure) | Verdict::Rejected(failure) => Some(failure.as_ref()),
        Verdict::Solved(_) | Verdict::Limit(_) => None,
    };
    let cycle = failure.map_or(&[][..], |failure| &failure.cycle);
    let teller = Teller { trace: &trace, names: &names, out, cycle };
    let line = |i: usize| system.lines.get(i).copied().unwrap_or(0);
    let from = |node: usize, scenes: &[usize]| match trace.nodes.get(node).map(|node| node.origin) {
        Some(Origin::Input(i)) => format!("line {}", line(i)),
        Some(Origin::Step(step)) => format!("step {}", scenes.get(step).copied().unwrap_or(step + 1)),
        _ => String::new(),
    };
    let input = system.phi.iter().enumerate();
    let (ending, end, says) = ending(&verdict, &names, out);
    let mut story = Story {
        title: title.to_owned(),
        input: input.map(|(i, phi)| Input { line: line(i), text: teller.show(phi), from: String::new() }).collect(),
        claims: Vec::new(),
        steps: teller.scenes(Vec::new(), most, from),
        all_steps: trace.steps.len(),
        whole,
        ending,
        end,
        says,
        explanation: String::new(),
        program: false,
        source: Vec::new(),
        why: None,
        decided: None,
        bindings: bindings(&verdict, &teller, system, whole),
        guard: teller.guard(whole),
        assumptions: Vec::new(),
        placements: Lines::default(),
        shapes: Lines::default(),
        checks: Lines::default(),
        values: Lines::default(),
        witness: Lines::default(),
        closing: None,
    };
    if ending == Ending::Solved {
        story.close(system, tags, policy, out);
    }
    if story.ending == Ending::Rejected {
        story.search(system, policy, out);
    }
    story
}

/// The bindings at the end; of a run that was not kept to its end, those of its solved form.
fn bindings(verdict: &Verdict, teller: &Teller<'_>, system: &System, whole: bool) -> Lines {
    let vars = system.phi.as_slice().vars();
    match verdict {
        _ if whole => teller.bindings(vars, teller.trace.steps.len()),
        Verdict::Solved(solved) => {
            let values: Vec<_> = vars.into_iter().map(|v| (v, solved.value(v))).collect();
            let bound: Vec<_> = values.into_iter().filter(|(v, t)| *t != Term::from(*v)).collect();
            Lines::of(bound.iter().map(|(v, t)| maps_to(*v, t, teller.names, teller.out)))
        }
        Verdict::Unsat(_) | Verdict::Rejected(_) | Verdict::Limit(_) => Lines::default(),
    }
}

fn ending(verdict: &Verdict, names: &Names, out: &Output) -> (Ending, End, String) {
    match verdict {
        Verdict::Solved(_) => {
            let says = "every constraint was taken up: solved form (Def. 5.3)".to_owned();
            (Ending::Solved, End::bare(Ending::Solved), says)
        }
        Verdict::Limit(limit) => {
            (Ending::Limit, End::limit(*limit), format!("the limit on {} was reached", limit.name()))
        }
        Verdict::Unsat(failure) | Verdict::Rejected(failure) => {
            (Ending::of(failure), End::failed(failure, names), refusal(failure, names, out))
        }
    }
}

/// What a failure means.
fn refusal(failure: &Failure, names: &Names, out: &Output) -> String {
    let why = answer::message(&failure.why, |d| out.show(&d, names));
    let phi = out.show(&failure.constraint, names);
    match failure.tainted {
        false => format!("there is no solution: {phi}: {why}"),
        true => format!("a chosen placement led to failure, there may be a solution: {phi}: {why}"),
    }
}

/// What closing assumed, and by which rule.
fn assumed(assumptions: &[Assumption], names: &Names, out: &Output) -> Vec<(String, String)> {
    let shown = |a: &Assumption| {
        let within = a.within.map_or_else(String::new, |x| format!(" (part of {})", out.show(&x, names)));
        let text = maps_to(a.binding.var(), &a.binding.to(), names, out) + &within;
        (text, format!("{}: {}", a.rule, out.text(a.rule.words())))
    };
    assumptions.iter().map(shown).collect()
}

impl Story {
    /// What closing makes of it. Where leaves are named, closing was asked for, and its end is the end.
    fn close(&mut self, system: &System, tags: &Tags, policy: Policy, out: &Output) {
        let mut names = system.names.clone();
        let closing = close_placing(&system.phi, &mut names, tags, policy).closing;
        let (ending, end, says) = match &closing {
            Closing::Closed(closed) => {
                let values = answer::ground_terms(&closed.values);
                self.values = Lines::of(values.iter().map(|(v, t)| maps_to(*v, t, &names, out)));
                self.assumptions = assumed(&closed.assumptions, &names, out);
                let placed = closed.placements.iter();
                self.placements = Lines::of(placed.map(|it| maps_to(it.var(), &it.to(), &names, out)));
                (Ending::Closed, End::bare(Ending::Closed), "one solution (Def. 6.1)".to_owned())
            }
            Closing::Hole(hole) => {
                let rule = if hole.position.is_some() { "CL-hole" } else { "CL-bare" };
                let message =
                    format!("parameter {}: you forgot to specify this dimension", answer::name(hole.var, &names));
                let end = End::refused(Ending::Error, rule, message.clone());
                (Ending::Error, end, out.text(&message))
            }
            Closing::Unsat(failure) | Closing::Rejected(failure, _) => {
                if let Closing::Rejected(_, assumptions) = &closing {
                    self.assumptions = assumed(assumptions, &names, out);
                }
                let why = answer::message(&failure.why, |d| out.show(&d, &names));
                let says = format!("{} on {}: {why}", failure.rule, out.show(&failure.constraint, &names));
                (Ending::of(failure), End::failed(failure, &names), says)
            }
            Closing::Limit(limit) => {
                (Ending::Limit, End::limit(*limit), format!("the limit on {} was reached", limit.name()))
            }
        };
        if !tags.leaves.is_empty() {
            (self.ending, self.end, self.says) = (ending, end, says);
        } else if ending != Ending::Closed {
            self.closing = Some(format!("{}: {says}", ending.name()));
        }
    }

    /// A solution all the same, where a choice led to failure.
    fn search(&mut self, system: &System, policy: Policy, out: &Output) {
        let names = &system.names;
        let Some(found) = witness(&system.phi, names, policy).solution() else { return };
        let values = answer::ground_terms(&found);
        self.witness = Lines::of(values.iter().map(|(v, t)| maps_to(*v, t, names, out)));
        self.end.keep_witness(&found, names);
    }
}
