//! A run that fails: the lines it rests on, the derivation, and what clashes in the end.

use super::chains::Chains;
use super::derivation::Derivation;
use super::placement::{Elsewhere, Others, Placement};
use super::{Report, heading};
use crate::answer::message;
use crate::output::{BAD, Output, paint};
use crate::system::lines_text;
use lozenge::constraint::Constraint;
use lozenge::decide::Decision;
use lozenge::rules::Why;
use lozenge::solver::{Failure, Rule};
use lozenge::text::left;
use std::io;

/// How many of the lines a failure rests on are printed.
const MOST_LINES: usize = 40;

impl Report<'_> {
    pub(super) fn unsat(&self, failure: &Failure, out: &mut Output) -> io::Result<()> {
        out.line(&format!("{}: there is no solution", paint(BAD, "unsat")))?;
        let derivation = self.derivation(out)?.map(|it| it.with_cycle(&failure.cycle));
        self.failed(failure, derivation.as_ref(), out)
    }

    /// A run that rests on a choice, and what a search for a solution came to.
    pub(super) fn rejected(&self, failure: &Failure, searched: &Decision, out: &mut Output) -> io::Result<()> {
        let guard = failure.rule == Rule::RgRank;
        let reason = match guard {
            // The facts of Def. 4.5 are not entailed, with or without a placement.
            true => "the guard of Def. 4.5 fails",
            false => "a placement that the solver chose leads to failure",
        };
        out.line(&format!("{}: {reason}", paint(BAD, "rejected")))?;
        let derivation = self.kept().map(|it| it.with_cycle(&failure.cycle));
        let choices = derivation.as_ref().map_or_else(Vec::new, |derivation| self.blame(failure, derivation));
        let only = !choices.is_empty() && choices.iter().all(|(_, others)| matches!(others, Others::Nowhere));
        out.line(match searched {
            Decision::Unsat => "No other placement succeeds: there is no solution (lozenge decide).",
            _ if guard => {
                "This does not show that there is no solution: its facts are not entailed (spec/findings/F2.md)."
            }
            _ if only => "This does not show that there is no solution.",
            _ => "This does not show that there is no solution: another placement may succeed.",
        })?;
        self.note_cut(out)?;
        if let Some(derivation) = &derivation {
            self.print_choices(&choices, derivation, out)?;
        }
        self.failed(failure, derivation.as_ref(), out)
    }

    /// The placements that the failure rests on, and what is known of other places for them.
    fn blame<'d>(&self, failure: &Failure, derivation: &'d Derivation<'_>) -> Vec<(Placement<'d>, Others)> {
        let Some(last) = derivation.trace.steps.len().checked_sub(1) else { return Vec::new() };
        let ancestors = derivation.trace.ancestors(last);
        // A placement counts where markers are looked at: in R ⊑ R′, and in the facts of the guard.
        let steps = ancestors.iter().filter_map(|s| derivation.trace.steps.get(*s));
        let marked = steps.filter(|step| matches!(step.instance, Constraint::RowLe(..)));
        let mut looked_at: Vec<usize> = marked.flat_map(|step| step.used.iter().copied()).collect();
        looked_at.extend(failure.cycle.iter().map(|fact| fact.step));
        let choices =
            derivation.placements().filter(|p| ancestors.binary_search(&p.step).is_ok() && looked_at.contains(&p.step));
        let mut elsewhere = Elsewhere::of(&self.system.phi, self.names, self.policy);
        let with_others = |choice: Placement<'d>| {
            let others = elsewhere.others(&choice);
            (choice, others)
        };
        choices.map(with_others).collect()
    }

    fn print_choices(
        &self,
        choices: &[(Placement<'_>, Others)],
        derivation: &Derivation<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        if choices.is_empty() {
            return Ok(());
        }
        heading(if choices.len() == 1 { "the choice" } else { "the choices" }, out)?;
        for (choice, others) in choices {
            let bind = choice.words(self.names, out);
            let (number, lines) = (derivation.number(choice.step), lines_text(&derivation.lines_of(choice.step)));
            out.line(&format!("  step {number} ({}, {lines}) chose {bind}", choice.rule))?;
            out.line(&format!("  {}", choice.others(others, self.names, out)))?;
        }
        Ok(())
    }

    /// What a failure rests on and what it comes to.
    fn failed(&self, failure: &Failure, derivation: Option<&Derivation<'_>>, out: &mut Output) -> io::Result<()> {
        if let Some(derivation) = derivation {
            self.rests_on(derivation, out)?;
            heading(if self.all { "steps" } else { "derivation" }, out)?;
            derivation.print(out)?;
        }
        heading("what clashes", out)?;
        match (derivation, failure.why.clone()) {
            (Some(derivation), Why::Cycle { weight }) => cycle(failure, weight, derivation, out)?,
            (Some(derivation), _) => self.sides(failure, derivation, out)?,
            (None, _) => {}
        }
        let why = message(&failure.why, |d| out.show(&d, self.names));
        let constraint = out.show(&failure.constraint, self.names);
        let (rule, definition) = (failure.rule, failure.rule.definition());
        let definition = if definition == "R1" { definition.to_owned() } else { format!("Def. {definition}") };
        out.line("")?;
        out.line(&format!("{constraint}: {why} ({rule}, {definition})"))
    }

    /// The constraints of the input that the failure rests on.
    fn rests_on(&self, derivation: &Derivation<'_>, out: &mut Output) -> io::Result<()> {
        let Some(last) = derivation.trace.steps.len().checked_sub(1) else { return Ok(()) };
        let (inputs, phi) = (derivation.trace.inputs(last), &self.system.phi);
        heading(&format!("rests on {} of {} constraints", inputs.len(), phi.len()), out)?;
        let width = inputs.last().map_or(1, |i| derivation.line(*i).to_string().len());
        for input in inputs.iter().take(MOST_LINES) {
            let shown = phi.get(*input).map(|phi| out.show(phi, self.names)).unwrap_or_default();
            out.line(&format!("  line {:>width$}  {shown}", derivation.line(*input)))?;
        }
        if inputs.len() > MOST_LINES {
            out.line(&format!("  ... and {} more", inputs.len() - MOST_LINES))?;
        }
        Ok(())
    }

    /// Both sides of the constraint that failed, with the lines they come from.
    fn sides(&self, failure: &Failure, derivation: &Derivation<'_>, out: &mut Output) -> io::Result<()> {
        let shown = match &failure.constraint {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => [s, t].map(|t| out.show(t, self.names)),
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => [s, t].map(|t| out.show(t, self.names)),
        };
        let chains = Chains::of(derivation);
        let width = shown.iter().map(|s| s.chars().count()).max().unwrap_or(0);
        for (side, chain) in shown.iter().zip(chains.last()) {
            let mut lines: Vec<usize> = chain.iter().map(|i| derivation.line(*i)).collect();
            lines.dedup();
            let text = match lines.split_first() {
                None => String::new(),
                Some((from, [])) => format!("from line {from}"),
                Some((from, through)) => format!("from line {from}, through {}", lines_text(through)),
            };
            out.line(format!("  {}  {text}", left(side, width)).trim_end())?;
        }
        Ok(())
    }
}

/// The facts of a positive cycle as a chain, their weights, and the sum.
fn cycle(failure: &Failure, weight: i64, derivation: &Derivation<'_>, out: &mut Output) -> io::Result<()> {
    let rule = failure.rule;
    let facts = failure.cycle.iter().map(|fact| (derivation.fact(rule, fact, out), derivation.lines_of_fact(fact)));
    let mut rows: Vec<(String, String)> = facts.map(|(fact, lines)| (fact, lines_text(&lines))).collect();
    let (first, last) = (failure.cycle.first(), failure.cycle.last());
    let start = first.and_then(|fact| fact.greater);
    let end = last.and_then(|fact| fact.lesser);
    if start.is_none() && end.is_some() {
        let length = derivation.length(rule, end, out);
        rows.push((format!("{length} {} 0", out.text("≥")), "a length".to_owned()));
    }
    let width = rows.iter().map(|(fact, _)| fact.chars().count()).max().unwrap_or(0);
    for (fact, lines) in &rows {
        out.line(&format!("  {}  {lines}", left(fact, width)))?;
    }
    let mut weights = String::new();
    for fact in &failure.cycle {
        let sign = match (weights.is_empty(), fact.weight < 0) {
            (true, false) => String::new(),
            (true, true) => out.text("−"),
            (false, false) => " + ".to_owned(),
            (false, true) => out.text(" − "),
        };
        weights.push_str(&format!("{sign}{}", fact.weight.unsigned_abs()));
    }
    let total = format!(
        "{} {} {}",
        derivation.length(rule, start, out),
        out.text("≥"),
        derivation.sum(rule, start, weight, out)
    );
    out.line(&format!("  sum of the weights: {weights} = {weight}; so {total}"))
}
