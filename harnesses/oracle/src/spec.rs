//! `lozenge spec`: the index of claims, as a table or one statement in full.

use crate::output::{Answer, BAD, Exit, FAINT, Failure, GOOD, Output, PLAIN, TITLE, paint};
use clap::builder::styling::Style;
use lozenge_spec::{CLAIMS, Claim, Status};
use serde::{Serialize, Serializer};
use std::io;

/// The ladder of evidence, from the top.
const LADDER: [Status; 8] = [
    Status::Proved,
    Status::Complete,
    Status::Bounded,
    Status::Tested,
    Status::Refuted,
    Status::Open,
    Status::Defined,
    Status::NotYet,
];

/// Where running text is broken.
const WIDTH: usize = 100;
/// How wide the names of fields are.
const FIELD: usize = 11;
/// How many ids are suggested beside an unknown one.
const SUGGESTIONS: usize = 5;

const EXAMPLES: &str = "\
Examples:
  lozenge spec                              every statement, one a line
  lozenge spec 2.7                          one statement with its evidence
  lozenge spec 2.10                         a statement with all its parts
  lozenge spec --status refuted             those of one status

Exit status: 0 printed, 2 no such statement.";

/// The index of claims, or one statement with all that belongs to it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A statement's number, or the beginning of one: 2.7, 2.10, 2
    id: Option<String>,
    /// Only statements of this status
    #[arg(long, value_parser = status)]
    status: Option<Status>,
}

fn status(word: &str) -> Result<Status, String> {
    let spelled = word.replace(['-', '_'], " ");
    let known = || LADDER.map(|s| s.to_string().replace(' ', "-")).join(", ");
    LADDER.into_iter().find(|s| s.to_string() == spelled).ok_or_else(|| format!("one of {}", known()))
}

/// How many of each status, in the order of the ladder.
struct Counts([(Status, usize); 8]);

impl Counts {
    fn of(claims: &[&Claim]) -> Self {
        Counts(LADDER.map(|status| (status, claims.iter().filter(|c| c.status == status).count())))
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0)
    }
}

#[derive(Serialize)]
struct SpecJson<'a> {
    claims: &'a [&'a Claim],
    counts: Counts,
}

/// Prints what was asked for.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let under: Vec<&Claim> = match &args.id {
        Some(id) => find(id)?,
        None => CLAIMS.iter().collect(),
    };
    let claims: Vec<&Claim> = under.into_iter().filter(|c| args.status.is_none_or(|s| s == c.status)).collect();
    if out.json {
        out.json(&SpecJson { claims: &claims, counts: Counts::of(&claims) })?;
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

/// The statement of this number with its parts; `R1` finds R1a as well.
fn find(id: &str) -> Result<Vec<&'static Claim>, Failure> {
    let id = id.trim();
    let lettered = |claim: &&Claim| claim.id.strip_prefix(id).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let mut found: Vec<&Claim> = CLAIMS.iter().filter(|claim| claim.is_under(id)).collect();
    if found.is_empty() && !id.is_empty() {
        found = CLAIMS.iter().filter(lettered).collect();
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let mut nearest: Vec<&Claim> = CLAIMS.iter().collect();
    nearest.sort_by_cached_key(|claim| strsim::damerau_levenshtein(&claim.id, id));
    let nearest = nearest.into_iter().take(SUGGESTIONS).map(|claim| claim.id.clone()).collect();
    let mut shown: String = id.chars().take(40).collect();
    if shown.len() < id.len() {
        shown.push('…');
    }
    Err(Failure::Input { kind: "unknown", message: format!("no statement `{shown}` in the index"), nearest })
}

fn table(claims: &[&Claim], out: &mut Output) -> io::Result<()> {
    let rows: Vec<[String; 4]> =
        claims.iter().map(|c| [&c.id, &c.status.to_string(), &c.kind, &c.title].map(|text| out.text(text))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for (row, claim) in rows.iter().zip(claims) {
        let [id, status, kind, title] = row;
        let pad = |text: &str, column: usize| " ".repeat(widths[column].saturating_sub(text.chars().count()));
        let (id, id_pad) = (paint(TITLE, id), pad(id, 0));
        let (status, status_pad) = (paint(colour(claim.status), status), pad(status, 1));
        out.line(&format!("{id}{id_pad}  {status}{status_pad}  {kind}{}  {title}", pad(kind, 2)))?;
    }
    if !rows.is_empty() {
        out.line("")?;
    }
    let Counts(counts) = Counts::of(claims);
    let counted: Vec<String> =
        counts.iter().filter(|(_, n)| *n > 0).map(|(status, n)| format!("{n} {status}")).collect();
    let noun = if claims.len() == 1 { "statement" } else { "statements" };
    let tail = if counted.is_empty() { String::new() } else { format!(": {}", counted.join(", ")) };
    out.line(&format!("{} {noun}{tail}", claims.len()))
}

/// One statement with all that belongs to it.
fn in_full(claim: &Claim, out: &mut Output) -> io::Result<()> {
    let title = out.text(&format!("{}  {}", claim.id, claim.title));
    out.line(&paint(TITLE, &title))?;
    field("kind", &[&claim.kind], PLAIN, out)?;
    field("status", &[&claim.status.to_string()], colour(claim.status), out)?;
    field("paper", &[&claim.paper], PLAIN, out)?;
    field("statement", &[&claim.statement], PLAIN, out)?;
    field("chapter", &[&claim.chapter], PLAIN, out)?;
    field("code", &claim.code.iter().map(|place| &*place.0).collect::<Vec<_>>(), PLAIN, out)?;
    let harnesses: Vec<[String; 2]> =
        claim.harness.iter().map(|h| [h.test.0.clone(), format!("{} cases: {}", h.cases, h.domain)]).collect();
    field("harness", &harnesses.iter().flatten().map(String::as_str).collect::<Vec<_>>(), PLAIN, out)?;
    field("proof", &claim.proof.iter().map(|place| &*place.0).collect::<Vec<_>>(), PLAIN, out)?;
    match &claim.because {
        Some(because) => field("because", &[because], PLAIN, out),
        None => Ok(()),
    }
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
