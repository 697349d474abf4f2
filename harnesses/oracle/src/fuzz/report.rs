//! What a run found, for people and for machines; and what several runs found together.

use super::coverage::{Coverage, rules as all_rules};
use crate::answer;
use crate::corpus::inventory::wrong;
use crate::findings::cluster::{Cluster, Clusters};
use crate::findings::html;
use crate::made::Made;
use crate::output::{BAD, FAINT, Failure, GOOD, Output, paint, visible};
use crate::solve::derivation::Derivation;
use crate::system::{Source, System};
use lozenge::solver::{Policy, solve};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// How many cases were asked, and what they exercised.
#[derive(Clone, Default)]
pub struct Totals {
    pub asked: u64,
    pub unsupported: u64,
    pub coverage: Coverage,
}

/// What a run found.
pub struct Report {
    /// None for several runs.
    pub seed: Option<u64>,
    pub totals: Totals,
    pub findings: Clusters,
    /// The ids of known differences that are gone.
    pub gone: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct ReportJson {
    seed: Option<u64>,
    asked: u64,
    unsupported: u64,
    findings: Vec<Cluster>,
    gone: Vec<String>,
    exercised: Coverage,
}

/// The reports of several runs as one. A known difference is gone where no run has it.
pub fn merge(paths: &[PathBuf]) -> Result<Report, Failure> {
    let (mut totals, mut findings) = (Totals::default(), Clusters::default());
    let (mut gone, mut seeds): (Option<Vec<String>>, Vec<Option<u64>>) = (None, Vec::new());
    for path in paths {
        let text = Source::read(path)?.text;
        let report: ReportJson =
            serde_json::from_str(&text).map_err(|error| wrong(path, format!("this is no report of fuzz: {error}")))?;
        totals.asked += report.asked;
        totals.unsupported += report.unsupported;
        totals.coverage.merge(&report.exercised);
        findings.merge(report.findings);
        gone = Some(match gone {
            None => report.gone,
            Some(before) => before.into_iter().filter(|id| report.gone.contains(id)).collect(),
        });
        seeds.push(report.seed);
    }
    findings.0.sort_by(|a, b| (a.case.as_u64(), &a.id).cmp(&(b.case.as_u64(), &b.id)));
    seeds.dedup();
    let seed = if let [seed] = seeds[..] { seed } else { None };
    Ok(Report { seed, totals, findings, gone: gone.unwrap_or_default() })
}

impl Report {
    fn json(&self) -> ReportJson {
        ReportJson {
            seed: self.seed,
            asked: self.totals.asked,
            unsupported: self.totals.unsupported,
            findings: self.findings.0.clone(),
            gone: self.gone.clone(),
            exercised: self.totals.coverage.clone(),
        }
    }

    /// As JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(&self.json()).unwrap_or_default() + "\n"
    }

    /// As a page.
    pub fn page(&self, out: &Output) -> String {
        let about = [self.last_line(), self.exercised()];
        html::page("What lozenge fuzz found", &about, &self.findings.0, &self.gone, out)
    }

    /// Prints it.
    pub fn print(&self, out: &mut Output) -> io::Result<()> {
        if out.json {
            return out.json(&self.json());
        }
        for (number, finding) in self.findings.0.iter().enumerate() {
            one(number + 1, finding, out)?;
        }
        print_gone(&self.gone, out)?;
        let exercised = self.exercised();
        out.line(&paint(FAINT, &exercised))?;
        let style = if self.findings.new_ones() > 0 { BAD } else { GOOD };
        let line = self.last_line();
        let (word, rest) = line.split_once(':').unwrap_or((&line, ""));
        out.line(&format!("{}:{rest}", paint(style, word)))
    }

    fn last_line(&self) -> String {
        let (new, all) = (self.findings.new_ones(), &self.findings.0);
        let readings = all.iter().filter(|cluster| !cluster.is_fault()).count();
        let known = all.iter().filter(|cluster| cluster.known.is_some() && cluster.is_fault()).count();
        let mut beside = String::new();
        for (count, what) in [(known, "known"), (readings, "of reading")] {
            if count > 0 {
                beside.push_str(&format!(", {count} {what}"));
            }
        }
        let word = match new {
            0 if all.is_empty() => "nothing found".to_owned(),
            0 => "nothing new found".to_owned(),
            new => format!("found {new}"),
        };
        let seed = self.seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
        let Totals { asked, unsupported, .. } = &self.totals;
        format!("{word}{beside}: {asked} cases asked, {unsupported} of them unsupported{seed}")
    }

    /// Which rules and definitions the cases exercised.
    fn exercised(&self) -> String {
        let Coverage { rules, definitions, pairs } = &self.totals.coverage;
        let names: Vec<&str> = definitions.keys().map(String::as_str).collect();
        if names.is_empty() {
            return "exercised: nothing".to_owned();
        }
        let names = names.join(", ");
        if rules.is_empty() {
            return format!("exercised: Defs. {names} (of programs it is not counted which rules they take)");
        }
        let missing = self.totals.coverage.missing();
        let none = if missing.is_empty() { String::new() } else { format!(" (not {})", missing.join(", ")) };
        let (of, pairs) = (all_rules().count(), pairs.len());
        format!("exercised: {} of {of} rules{none}, {pairs} pairs of rules, Defs. {names}", rules.len())
    }
}

/// Names known differences that are gone.
pub fn print_gone(gone: &[String], out: &mut Output) -> io::Result<()> {
    for id in gone {
        let words = "it is known, and the engine does not show it any more (--learn takes it out)";
        out.line(&format!("{} {}: {words}", paint(GOOD, "gone"), visible(id)))?;
    }
    Ok(())
}

fn one(number: usize, finding: &Cluster, out: &mut Output) -> io::Result<()> {
    let definition = match finding.definition.as_str() {
        "protocol" => "spec/protocol.md".to_owned(),
        definition => format!("Def. {definition}"),
    };
    let class = if finding.kind == finding.class.name() { String::new() } else { format!(" ({})", finding.kind) };
    let title = format!("finding {number}: {}{class} in {}, {definition}", finding.class.name(), finding.op);
    out.line(&paint(if finding.is_new() { BAD } else { FAINT }, &title))?;
    let what = out.text(&visible(&finding.what));
    out.line(&format!("  {what}"))?;
    let known = finding.known.as_ref().map(|note| match note.as_str() {
        "" => ", known".to_owned(),
        note => format!(", known: {}", visible(note)),
    });
    let cases = if finding.cases == 1 { "1 case".to_owned() } else { format!("{} cases", finding.cases) };
    let line = format!(
        "  {}, {cases}, the first is {}, {} of {} left{}",
        finding.id,
        finding.case,
        finding.size,
        finding.size_before,
        known.unwrap_or_default()
    );
    out.line(&paint(FAINT, &line))?;
    out.line("")?;
    for line in &finding.text {
        let line = out.text(&visible(line));
        out.line(&format!("    {line}"))?;
    }
    out.line("")?;
    out.line(&format!("  request    {}", finding.request))?;
    out.line(&format!("  reference  {}", finding.expected))?;
    let answer = finding.answer.as_deref().map_or_else(|| "none".to_owned(), visible);
    out.line(&format!("  engine     {answer}"))?;
    for line in finding.stderr.iter().flat_map(|text| text.lines()) {
        out.line(&paint(FAINT, &format!("  stderr     {}", visible(line))))?;
    }
    derivation(&Made::of_request(&finding.request), out)?;
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
