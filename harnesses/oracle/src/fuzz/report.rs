//! A finding for people and for machines: the notation, the JSON, the definition, the reference's derivation.

use super::make::Made;
use super::{Finding, Tally};
use crate::answer;
use crate::output::{BAD, FAINT, GOOD, Output, paint, visible};
use crate::solve::derivation::Derivation;
use crate::system::System;
use lozenge::solver::{Policy, solve};
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::sync::atomic::Ordering;

#[derive(Serialize)]
struct FindingJson<'a> {
    case: u64,
    class: &'static str,
    op: &'a str,
    definition: &'a str,
    what: &'a str,
    text: Vec<String>,
    size: usize,
    size_before: usize,
    request: &'a Value,
    expected: &'a Value,
    answer: Option<&'a str>,
}

#[derive(Serialize)]
struct FuzzJson<'a> {
    seed: u64,
    asked: u64,
    unsupported: u64,
    findings: Vec<FindingJson<'a>>,
}

/// Prints what was found.
pub fn print(seed: u64, findings: &[Finding], tally: &Tally, out: &mut Output) -> io::Result<()> {
    let (asked, unsupported) = (tally.asked.load(Ordering::SeqCst), tally.unsupported.load(Ordering::SeqCst));
    if out.json {
        let findings = findings.iter().map(|finding| FindingJson {
            case: finding.number,
            class: finding.observed.class.name(),
            op: finding.made.op(),
            definition: &finding.observed.difference.definition,
            what: &finding.observed.difference.what,
            text: finding.made.text(),
            size: finding.made.size(),
            size_before: finding.before,
            request: &finding.request,
            expected: &finding.expected,
            answer: finding.observed.answer.as_deref(),
        });
        return out.json(&FuzzJson { seed, asked, unsupported, findings: findings.collect() });
    }
    for (number, finding) in findings.iter().enumerate() {
        one(number + 1, finding, out)?;
    }
    let word = if findings.is_empty() { paint(GOOD, "nothing found") } else { paint(BAD, "found") };
    let count = if findings.is_empty() { String::new() } else { format!(" {}", findings.len()) };
    out.line(&format!("{word}{count}: {asked} cases asked, {unsupported} of them unsupported (seed {seed})"))
}

fn one(number: usize, finding: &Finding, out: &mut Output) -> io::Result<()> {
    let difference = &finding.observed.difference;
    let class = finding.observed.class.name();
    let definition = match difference.definition.as_str() {
        "protocol" => "spec/protocol.md".to_owned(),
        definition => format!("Def. {definition}"),
    };
    let title = format!("finding {number}: {class} in {}, {definition}", finding.made.op());
    out.line(&paint(BAD, &title))?;
    let what = out.text(&visible(&difference.what));
    out.line(&format!("  {what}"))?;
    out.line(&paint(
        FAINT,
        &format!(
            "  case {}, {} of {} left after {} questions",
            finding.number,
            finding.made.size(),
            finding.before,
            finding.questions
        ),
    ))?;
    out.line("")?;
    for line in finding.made.text() {
        let line = out.text(&line);
        out.line(&format!("    {line}"))?;
    }
    out.line("")?;
    out.line(&format!("  request    {}", finding.request))?;
    out.line(&format!("  reference  {}", finding.expected))?;
    let answer = finding.observed.answer.as_deref().map_or_else(|| "none".to_owned(), visible);
    out.line(&format!("  engine     {answer}"))?;
    derivation(&finding.made, out)?;
    out.line("")
}

/// What the reference derives from the constraints.
fn derivation(made: &Made, out: &mut Output) -> io::Result<()> {
    let Made::System { names, phi, op, .. } = made else { return Ok(()) };
    if op == "check" {
        return Ok(());
    }
    let system = System { names: names.clone(), phi: phi.clone(), lines: (1..=phi.len()).collect() };
    let mut fresh = names.clone();
    let verdict = solve(phi, &mut fresh, Policy::default());
    let derived = answer::derivation(phi, names, Policy::default(), &verdict);
    out.line("  the reference derives")?;
    Derivation::new(&derived.run.trace, &system, &fresh, true).print(out)
}
