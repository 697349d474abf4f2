//! `lozenge spec`: the index of claims, as a table or one statement in full: what is printed beside what holds.

mod asked;
mod show;

use crate::checkout::{self, Checkout};
use crate::output::{Answer, Exit, FAINT, Failure, Output, PLAIN, TITLE, paint};
use asked::Named;
use clap::builder::styling::Style;
use lozenge_spec::{CLAIMS, Claim, FINDINGS, Finding, FindingKind, Status, kani};
use serde::{Serialize, Serializer};
use show::{colour, columns, field, in_full, kind_colour};
use std::collections::BTreeSet;
use std::io;

/// How many ids are suggested beside an unknown one.
const SUGGESTIONS: usize = 5;
/// What a table shows where the paper says nothing.
const UNPRINTED: &str = "-";

const EXAMPLES: &str = "\
Examples:
  lozenge spec                              every statement, one a line: as printed, what holds
  lozenge spec 2.7                          one statement with its evidence
  lozenge spec 2.10                         a statement with all its parts
  lozenge spec 'Lemma 5.1 (ii)'             as the paper calls it
  lozenge spec RE-open-closed               the definition of a rule
  lozenge spec --status refuted             those of one status, as printed or as it holds
  lozenge spec F12                          a finding, its kind, the statements that it is about
  lozenge spec --findings                   every finding, one a line

In a checkout each place has its line. A line that begins with $ is a command that runs what stands above it.
Exit status: 0 printed, 2 no such statement.";

/// The index of claims, or one statement with all that belongs to it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A statement's number or name: 2.7, 2, 'Def. 4.3'; a finding: F12; or a rule: RE-cross
    id: Option<String>,
    /// Only statements of this status, as printed or as what holds
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    /// The findings with their kinds: error, omission, wording, conceded
    #[arg(long, conflicts_with_all = ["id", "status"])]
    findings: bool,
}

fn status(word: &str) -> Result<Status, String> {
    let spelled = word.replace(['-', '_'], " ");
    let known = || Status::LADDER.map(|s| s.to_string().replace(' ', "-")).join(", ");
    Status::LADDER.into_iter().find(|s| s.to_string() == spelled).ok_or_else(|| format!("one of {}", known()))
}

/// How many of each status, in the order of the ladder.
struct Counts([(Status, usize); 8]);

impl Counts {
    fn of(claims: &[&Claim], status_of: fn(&Claim) -> Option<Status>) -> Self {
        Counts(Status::LADDER.map(|s| (s, claims.iter().filter(|c| status_of(c) == Some(s)).count())))
    }

    /// Those that are there, in words.
    fn words(&self) -> String {
        let words = self.0.iter().filter(|(_, n)| *n > 0).map(|(status, n)| format!("{n} {status}"));
        words.collect::<Vec<_>>().join(", ")
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0)
    }
}

#[derive(Serialize)]
struct BothCounts {
    printed: Counts,
    holds: Counts,
}

impl BothCounts {
    fn of(claims: &[&Claim]) -> Self {
        BothCounts {
            printed: Counts::of(claims, |claim| claim.printed_status),
            holds: Counts::of(claims, |claim| Some(claim.status)),
        }
    }
}

#[derive(Serialize)]
struct SpecJson<'a> {
    claims: &'a [&'a Claim],
    findings: &'a [&'a Finding],
    kani: SeenJson,
    counts: BothCounts,
    /// The rule that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Named>,
    /// Every place that the claims name, with its line in this checkout and the command that runs it.
    places: Vec<checkout::Found>,
}

/// The places that claims name, each once, in their order.
fn places(claims: &[&Claim], sources: Option<&Checkout>) -> Vec<checkout::Found> {
    let mut seen = BTreeSet::new();
    let all = claims.iter().flat_map(|claim| {
        let tests = claim.harness.iter().map(|harness| &harness.test).chain(&claim.tests);
        claim.code.iter().chain(tests).chain(&claim.proof)
    });
    all.filter(|place| seen.insert(&place.0)).map(|place| checkout::Found::of(place, sources)).collect()
}

/// The laws about these claims that Kani was run on.
#[derive(Serialize)]
struct SeenJson {
    version: &'static str,
    laws: Vec<&'static kani::Law>,
}

impl SeenJson {
    fn of(claims: &[&Claim]) -> Self {
        let about = |law: &&kani::Law| law.claims.iter().any(|id| claims.iter().any(|claim| claim.id == *id));
        SeenJson { version: &kani::KANI.version, laws: kani::KANI.laws.iter().filter(about).collect() }
    }
}

/// What was asked for.
struct Found {
    claims: Vec<&'static Claim>,
    findings: Vec<&'static Finding>,
    /// Was it asked for by a finding?
    by_finding: bool,
    /// The rule that was asked for.
    rule: Option<Named>,
}

impl Found {
    /// Claims with the findings about them.
    fn claims(claims: Vec<&'static Claim>) -> Self {
        let about = |finding: &&Finding| claims.iter().any(|claim| claim.findings.contains(&finding.id));
        let findings = FINDINGS.iter().filter(about).collect();
        Found { claims, findings, by_finding: false, rule: None }
    }

    /// Findings with the claims that they are about.
    fn findings(findings: Vec<&'static Finding>) -> Self {
        let about = |claim: &&Claim| findings.iter().any(|finding| claim.findings.contains(&finding.id));
        let claims = CLAIMS.iter().filter(about).collect();
        Found { claims, findings, by_finding: true, rule: None }
    }
}

/// Prints what was asked for.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut found = match &args.id {
        Some(id) => find(id)?,
        None if args.findings => Found::findings(FINDINGS.iter().collect()),
        None => Found::claims(CLAIMS.iter().collect()),
    };
    if let Some(status) = args.status {
        found.claims.retain(|c| c.status == status || c.printed_status == Some(status));
    }
    let Found { claims, findings, by_finding, rule } = found;
    let sources = Checkout::here();
    if out.json {
        let kani = SeenJson::of(&claims);
        let (counts, places) = (BothCounts::of(&claims), places(&claims, sources.as_ref()));
        out.json(&SpecJson { claims: &claims, findings: &findings, kani, counts, rule, places })?;
    } else if args.findings {
        list(&findings, out)?;
    } else if by_finding {
        for finding in findings {
            finding_in_full(finding, out)?;
        }
        out.line("")?;
        table(&claims, out)?;
    } else if args.id.is_some() && !claims.is_empty() {
        if let Some(rule) = rule {
            let words = out.text(rule.words);
            out.line(&format!("{}  {words}", paint(TITLE, rule.name)))?;
            out.line("")?;
        }
        for (i, claim) in claims.iter().enumerate() {
            if i > 0 {
                out.line("")?;
            }
            let before = i.checked_sub(1).and_then(|i| claims.get(i).copied());
            in_full(claim, before, sources.as_ref(), out)?;
        }
    } else {
        table(&claims, out)?;
    }
    Ok(Exit::Yes)
}

/// The statement of this number with its parts, the finding, or what defines the rule.
fn find(text: &str) -> Result<Found, Failure> {
    match asked::rule(text) {
        Some(rule) => Ok(Found { rule: Some(rule.clone()), ..numbered(&rule.statement, text)? }),
        None => numbered(&asked::id(text), text.trim()),
    }
}

/// By its id; `R1` finds R1a as well.
fn numbered(id: &str, typed: &str) -> Result<Found, Failure> {
    let lettered = |claim: &&Claim| claim.id.strip_prefix(id).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let mut claims: Vec<&Claim> = CLAIMS.iter().filter(|claim| claim.is_under(id)).collect();
    let findings: Vec<&Finding> = FINDINGS.iter().filter(|finding| finding.is_under(id)).collect();
    if claims.is_empty() && !findings.is_empty() {
        return Ok(Found::findings(findings));
    }
    if claims.is_empty() && !id.is_empty() {
        claims = CLAIMS.iter().filter(lettered).collect();
    }
    if !claims.is_empty() {
        return Ok(Found::claims(claims));
    }
    let nearest = nearest(id);
    let mut shown: String = typed.chars().take(40).collect();
    if shown.len() < typed.len() {
        shown.push('…');
    }
    let list = if nearest.is_empty() { ": `lozenge spec` lists them" } else { "" };
    let message = format!("no statement `{shown}` in the index{list}");
    Err(Failure::Input { kind: "unknown", message, at: None, nearest })
}

/// The ids that were perhaps meant: at least half of what is written is the same.
fn nearest(id: &str) -> Vec<String> {
    let all = CLAIMS.iter().map(|claim| &claim.id).chain(FINDINGS.iter().map(|finding| &finding.id));
    let apart = |known: &String| strsim::damerau_levenshtein(known, id);
    let is_near = |known: &&String| apart(known) * 2 <= known.chars().count().max(id.chars().count());
    let mut near: Vec<&String> = all.filter(is_near).collect();
    near.sort_by_cached_key(|known| apart(known));
    near.into_iter().take(SUGGESTIONS).cloned().collect()
}

fn table(claims: &[&Claim], out: &mut Output) -> io::Result<()> {
    let rows: Vec<[(String, Style); 5]> = claims
        .iter()
        .map(|claim| {
            let printed = claim
                .printed_status
                .map_or((UNPRINTED.to_owned(), FAINT), |status| (status.to_string(), colour(status)));
            let holds = (claim.status.to_string(), colour(claim.status));
            let [id, kind, title] = [(&claim.id, TITLE), (&claim.kind, PLAIN), (&claim.title, PLAIN)]
                .map(|(text, style)| (text.clone(), style));
            [id, printed, holds, kind, title]
        })
        .collect();
    if !rows.is_empty() {
        let head = ["number", "as printed", "what holds", "kind", "title"].map(|name| (name.to_owned(), FAINT));
        columns(&[&[head][..], &rows].concat(), out)?;
        out.line("")?;
    }
    let noun = if claims.len() == 1 { "statement" } else { "statements" };
    out.line(&format!("{} {noun}", claims.len()))?;
    let counts = BothCounts::of(claims);
    let unprinted = claims.iter().filter(|claim| claim.printed.is_none()).count();
    let own = if unprinted > 0 { format!("; {unprinted} are this project's") } else { String::new() };
    for (name, words) in [("as printed", counts.printed.words() + &own), ("what holds", counts.holds.words())] {
        if !claims.is_empty() {
            field(name, &[words.trim_start_matches("; ")], PLAIN, out)?;
        }
    }
    Ok(())
}

fn list(findings: &[&Finding], out: &mut Output) -> io::Result<()> {
    let row = |finding: &&Finding| {
        let kind = finding.kind;
        [(finding.id.clone(), TITLE), (kind.to_string(), kind_colour(kind)), (finding.title.clone(), PLAIN)]
    };
    columns(&findings.iter().map(row).collect::<Vec<_>>(), out)?;
    let count = |kind| findings.iter().filter(|finding| finding.kind == kind).count();
    let counted = FindingKind::ALL.map(|kind| format!("{} {kind}", count(kind)));
    out.line("")?;
    out.line(&format!("{} findings: {}", findings.len(), counted.join(", ")))
}

fn finding_in_full(finding: &Finding, out: &mut Output) -> io::Result<()> {
    let title = out.text(&format!("{}  {}", finding.id, finding.title));
    out.line(&paint(TITLE, &title))?;
    field("kind", &[&finding.kind.to_string()], kind_colour(finding.kind), out)?;
    field("page", &[&finding.page()], PLAIN, out)
}
