//! A statement in full, and how fields and tables are laid out.

use crate::checkout::{Checkout, commands, shown};
use crate::output::{BAD, FAINT, GOOD, Output, PLAIN, TITLE, paint};
use clap::builder::styling::Style;
use lozenge_spec::{Claim, FindingKind, Harness, Place, Status, kani};
use std::io;

/// Where running text is broken.
const WIDTH: usize = 100;
/// How wide the names of fields are.
const FIELD: usize = 12;
/// What a line begins with that is to be run: it is not broken.
const PROMPT: &str = "$ ";

/// One statement with all that belongs to it. What the one before it has as well is not said again.
pub fn in_full(claim: &Claim, before: Option<&Claim>, sources: Option<&Checkout>, out: &mut Output) -> io::Result<()> {
    let title = out.text(&format!("{}  {}", claim.id, claim.title));
    out.line(&paint(TITLE, &title))?;
    field("kind", &[&claim.kind], PLAIN, out)?;
    statement(claim, out)?;
    let findings = claim.findings.iter().filter_map(|id| lozenge_spec::finding(id));
    let findings = findings.map(|it| format!("{} ({}): {}", it.id, it.kind, it.title));
    optional("findings", &findings.collect::<Vec<_>>(), out)?;
    if before.is_none_or(|before| before.chapter != claim.chapter) {
        field("chapter", &[&claim.chapter], PLAIN, out)?;
    }
    let evidence = Evidence::of(claim, sources);
    let said = before.map(|before| Evidence::of(before, sources));
    for (i, (name, lines)) in evidence.0.iter().enumerate() {
        let again = said.as_ref().is_some_and(|said| said.0[i].1 == *lines) && !lines.is_empty();
        if again {
            field(name, &["as before"], FAINT, out)?;
        } else if *name == "kani" {
            optional(name, lines, out)?;
        } else {
            field(name, lines, PLAIN, out)?;
        }
    }
    optional("because", &claim.because.iter().collect::<Vec<_>>(), out)
}

/// What is printed, and what holds.
fn statement(claim: &Claim, out: &mut Output) -> io::Result<()> {
    match (&claim.printed, claim.printed_status) {
        (Some(printed), Some(status)) => {
            field("as printed", &[&status.to_string()], colour(status), out)?;
            field("", &[printed], PLAIN, out)?;
            optional("caveats", &claim.caveats.iter().collect::<Vec<_>>(), out)?;
            optional("reading", &claim.reading.iter().collect::<Vec<_>>(), out)?;
            let label = if claim.paper == "none" { "no label".to_owned() } else { format!("labelled {}", claim.paper) };
            field("paper", &[&label], PLAIN, out)?;
        }
        _ => field("as printed", &["a statement of this project"], FAINT, out)?,
    }
    field("what holds", &[&claim.status.to_string()], colour(claim.status), out)?;
    if claim.printed.as_ref() == Some(&claim.holds) {
        field("", &["the same"], FAINT, out)
    } else {
        field("", &[&claim.holds], PLAIN, out)
    }
}

/// The lines of each kind of evidence, with the commands that run it.
struct Evidence([(&'static str, Vec<String>); 5]);

impl Evidence {
    fn of(claim: &Claim, sources: Option<&Checkout>) -> Self {
        let place = |place: &Place| shown(place, sources);
        let run = |places: &mut dyn Iterator<Item = &Place>| -> Vec<String> {
            commands(places).into_iter().map(|command| format!("{PROMPT}{command}")).collect()
        };
        let harness = |h: &Harness| [place(&h.test), format!("{} cases: {}", h.cases, h.domain)];
        let mut harnesses: Vec<String> = claim.harness.iter().flat_map(harness).collect();
        harnesses.extend(run(&mut claim.harness.iter().map(|h| &h.test)));
        let all =
            |places: &[Place]| -> Vec<String> { places.iter().map(place).chain(run(&mut places.iter())).collect() };
        Evidence([
            ("code", claim.code.iter().map(place).collect()),
            ("harness", harnesses),
            ("tests", all(&claim.tests)),
            ("proof", all(&claim.proof)),
            ("kani", checked(claim)),
        ])
    }
}

/// What Kani was seen to verify of a statement, and how it is run on it.
fn checked(claim: &Claim) -> Vec<String> {
    let mut groups: Vec<&str> = kani::about(&claim.id).map(|law| &*law.group).collect();
    groups.dedup();
    let runs = groups.into_iter().map(|group| format!("{PROMPT}harnesses/statements/prove {group}"));
    kani::about(&claim.id).map(seen).chain(runs).collect()
}

/// A field that is left out where it has no lines.
fn optional(name: &str, lines: &[impl AsRef<str>], out: &mut Output) -> io::Result<()> {
    if lines.is_empty() { Ok(()) } else { field(name, lines, PLAIN, out) }
}

/// Lines of cells under each other; all but the last cell are padded. Each cell has its style.
pub fn columns<const N: usize>(rows: &[[(String, Style); N]], out: &mut Output) -> io::Result<()> {
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

/// A law with what Kani was seen to verify of it.
fn seen(law: &kani::Law) -> String {
    let shapes: Vec<&str> = law.proofs.iter().filter(|proof| proof.seen).map(|proof| &*proof.shape).collect();
    let (seen, all, version) = (law.seen(), law.proofs.len(), &kani::KANI.version);
    format!("{}: {seen} of {all} proofs seen with {version}: {}", law.law, shapes.join("; "))
}

/// A named field: its lines under each other, long ones broken between words.
pub fn field(name: &str, lines: &[impl AsRef<str>], style: Style, out: &mut Output) -> io::Result<()> {
    let mut name = name;
    let lines: Vec<&str> = lines.iter().map(AsRef::as_ref).collect();
    let (lines, style) = if lines.is_empty() { (vec!["none"], FAINT) } else { (lines, style) };
    for line in lines {
        let whole = line.starts_with(PROMPT);
        let pieces = if whole { vec![line.to_owned()] } else { wrap(&out.text(line)) };
        for piece in pieces {
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

/// How a status looks.
pub fn colour(status: Status) -> Style {
    match status {
        Status::Proved | Status::Complete => GOOD,
        Status::Refuted => BAD,
        Status::NotYet => FAINT,
        Status::Bounded | Status::Tested | Status::Open | Status::Defined => PLAIN,
    }
}

/// How a kind looks.
pub fn kind_colour(kind: FindingKind) -> Style {
    match kind {
        FindingKind::Error => BAD,
        FindingKind::Omission | FindingKind::Wording | FindingKind::Conceded => PLAIN,
    }
}
