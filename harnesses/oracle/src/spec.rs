//! `lozenge spec`: the index of claims, as a table or one statement in full: what is printed beside what holds.

use crate::output::{Answer, BAD, Exit, FAINT, Failure, GOOD, Output, PLAIN, TITLE, paint};
use clap::builder::styling::Style;
use lozenge_spec::{CLAIMS, Claim, FINDINGS, Finding, FindingKind, Status, kani};
use serde::{Serialize, Serializer};
use std::io;

/// Where running text is broken.
const WIDTH: usize = 100;
/// How wide the names of fields are.
const FIELD: usize = 12;
/// How many ids are suggested beside an unknown one.
const SUGGESTIONS: usize = 5;
/// What a table shows where the paper says nothing.
const UNPRINTED: &str = "-";

const EXAMPLES: &str = "\
Examples:
  lozenge spec                              every statement, one a line: as printed, what holds
  lozenge spec 2.7                          one statement with its evidence
  lozenge spec 2.10                         a statement with all its parts
  lozenge spec --status refuted             those of one status, as printed or as it holds
  lozenge spec F12                          a finding, its kind, the statements that it is about
  lozenge spec --findings                   every finding, one a line

Exit status: 0 printed, 2 no such statement.";

/// The index of claims, or one statement with all that belongs to it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A statement's number, or the beginning of one: 2.7, 2.10, 2; or a finding: F12
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
}

impl Found {
    /// Claims with the findings about them.
    fn claims(claims: Vec<&'static Claim>) -> Self {
        let about = |finding: &&Finding| claims.iter().any(|claim| claim.findings.contains(&finding.id));
        let findings = FINDINGS.iter().filter(about).collect();
        Found { claims, findings, by_finding: false }
    }

    /// Findings with the claims that they are about.
    fn findings(findings: Vec<&'static Finding>) -> Self {
        let about = |claim: &&Claim| findings.iter().any(|finding| claim.findings.contains(&finding.id));
        let claims = CLAIMS.iter().filter(about).collect();
        Found { claims, findings, by_finding: true }
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
    let Found { claims, findings, by_finding } = found;
    if out.json {
        let kani = SeenJson::of(&claims);
        out.json(&SpecJson { claims: &claims, findings: &findings, kani, counts: BothCounts::of(&claims) })?;
    } else if args.findings {
        list(&findings, out)?;
    } else if by_finding {
        for finding in findings {
            finding_in_full(finding, out)?;
        }
        out.line("")?;
        table(&claims, out)?;
    } else if args.id.is_some() && !claims.is_empty() {
        for (i, claim) in claims.iter().enumerate() {
            if i > 0 {
                out.line("")?;
            }
            in_full(claim, out)?;
        }
    } else {
        table(&claims, out)?;
    }
    Ok(Exit::Yes)
}

/// The statement of this number with its parts, or the finding; `R1` finds R1a as well.
fn find(id: &str) -> Result<Found, Failure> {
    let id = id.trim();
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
    let mut nearest: Vec<&String> =
        CLAIMS.iter().map(|claim| &claim.id).chain(FINDINGS.iter().map(|finding| &finding.id)).collect();
    nearest.sort_by_cached_key(|known| strsim::damerau_levenshtein(known, id));
    let nearest = nearest.into_iter().take(SUGGESTIONS).cloned().collect();
    let mut shown: String = id.chars().take(40).collect();
    if shown.len() < id.len() {
        shown.push('…');
    }
    Err(Failure::Input { kind: "unknown", message: format!("no statement `{shown}` in the index"), nearest })
}

/// Lines of cells under each other; all but the last cell are padded. Each cell has its style.
fn columns<const N: usize>(rows: &[[(String, Style); N]], out: &mut Output) -> io::Result<()> {
    let wide = |text: &str| text.chars().count();
    let shown: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|(text, _)| out.text(text))).collect();
    let widths: [usize; N] =
        std::array::from_fn(|i| shown.iter().map(|row| wide(&row[i])).max().filter(|_| i + 1 < N).unwrap_or(0));
    for (texts, row) in shown.iter().zip(rows) {
        let cells: [String; N] = std::array::from_fn(|i| {
            let pad = widths[i].saturating_sub(wide(&texts[i]));
            format!("{}{}", paint(row[i].1, &texts[i]), " ".repeat(pad))
        });
        out.line(&cells.join("  "))?;
    }
    Ok(())
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

/// One statement with all that belongs to it.
fn in_full(claim: &Claim, out: &mut Output) -> io::Result<()> {
    let title = out.text(&format!("{}  {}", claim.id, claim.title));
    out.line(&paint(TITLE, &title))?;
    field("kind", &[&claim.kind], PLAIN, out)?;
    match (&claim.printed, claim.printed_status) {
        (Some(printed), Some(status)) => {
            field("as printed", &[&status.to_string()], colour(status), out)?;
            field("", &[printed], PLAIN, out)?;
            for (name, text) in [("caveats", &claim.caveats), ("reading", &claim.reading)] {
                if let Some(text) = text {
                    field(name, &[text], PLAIN, out)?;
                }
            }
            let label = if claim.paper == "none" { "no label".to_owned() } else { format!("labelled {}", claim.paper) };
            field("paper", &[&label], PLAIN, out)?;
        }
        _ => field("as printed", &["a statement of this project"], FAINT, out)?,
    }
    field("what holds", &[&claim.status.to_string()], colour(claim.status), out)?;
    if claim.printed.as_ref() == Some(&claim.holds) {
        field("", &["the same"], FAINT, out)?;
    } else {
        field("", &[&claim.holds], PLAIN, out)?;
    }
    let findings: Vec<String> = claim
        .findings
        .iter()
        .filter_map(|id| lozenge_spec::finding(id))
        .map(|finding| format!("{} ({}): {}", finding.id, finding.kind, finding.title))
        .collect();
    if !findings.is_empty() {
        field("findings", &findings.iter().map(String::as_str).collect::<Vec<_>>(), PLAIN, out)?;
    }
    field("chapter", &[&claim.chapter], PLAIN, out)?;
    field("code", &claim.code.iter().map(|place| &*place.0).collect::<Vec<_>>(), PLAIN, out)?;
    let harnesses: Vec<[String; 2]> =
        claim.harness.iter().map(|h| [h.test.0.clone(), format!("{} cases: {}", h.cases, h.domain)]).collect();
    field("harness", &harnesses.iter().flatten().map(String::as_str).collect::<Vec<_>>(), PLAIN, out)?;
    field("tests", &claim.tests.iter().map(|place| &*place.0).collect::<Vec<_>>(), PLAIN, out)?;
    field("proof", &claim.proof.iter().map(|place| &*place.0).collect::<Vec<_>>(), PLAIN, out)?;
    let kani: Vec<String> = kani::about(&claim.id).map(seen).collect();
    if !kani.is_empty() {
        field("kani", &kani.iter().map(String::as_str).collect::<Vec<_>>(), PLAIN, out)?;
    }
    match &claim.because {
        Some(because) => field("because", &[because], PLAIN, out),
        None => Ok(()),
    }
}

/// A law with what Kani was seen to verify of it.
fn seen(law: &kani::Law) -> String {
    let shapes: Vec<&str> = law.proofs.iter().filter(|proof| proof.seen).map(|proof| &*proof.shape).collect();
    let (seen, all, version) = (law.seen(), law.proofs.len(), &kani::KANI.version);
    format!("{}: {seen} of {all} proofs seen with {version}: {}", law.law, shapes.join("; "))
}

/// A named field: its lines under each other, long ones broken between words.
fn field(name: &str, lines: &[&str], style: Style, out: &mut Output) -> io::Result<()> {
    let mut name = name;
    let (lines, style) = if lines.is_empty() { (&["none"][..], FAINT) } else { (lines, style) };
    for line in lines {
        for piece in wrap(&out.text(line)) {
            out.line(&format!("  {}{}{}", paint(FAINT, name), " ".repeat(FIELD - name.len()), paint(style, &piece)))?;
            name = "";
        }
    }
    Ok(())
}

/// Pieces no wider than the page, unless a word is.
fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut width = 0;
    for word in text.split_whitespace() {
        let long = word.chars().count();
        if width > 0 && width + 1 + long > WIDTH - FIELD - 2 {
            lines.push(String::new());
            width = 0;
        }
        if let Some(line) = lines.last_mut() {
            if width > 0 {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += long;
        }
    }
    lines
}

fn colour(status: Status) -> Style {
    match status {
        Status::Proved | Status::Complete => GOOD,
        Status::Refuted => BAD,
        Status::NotYet => FAINT,
        Status::Bounded | Status::Tested | Status::Open | Status::Defined => PLAIN,
    }
}

fn kind_colour(kind: FindingKind) -> Style {
    match kind {
        FindingKind::Error => BAD,
        FindingKind::Omission | FindingKind::Wording | FindingKind::Conceded => PLAIN,
    }
}
