//! `lozenge join`: the least upper bound, or the minimal upper bounds where there is none.

use crate::ground::{Pair, dim_json, read_pair, row_json, short};
use crate::output::{Answer, BAD, Exit, Failure, GOOD, Json, Output, TITLE, paint};
use crate::picture::{Pen, Strip, draw};
use lozenge::dim::DimBot;
use lozenge::names::Names;
use lozenge::rigid::{TwoSorted, join};
use serde::Serialize;

/// Where the minimal upper bounds are explained.
const FINDING: &str = "spec/findings/F9.md";
/// How many axes the minimal upper bounds may have in all.
const LIMIT: usize = 4_000_000;

const EXAMPLES: &str = "\
Examples:
  lozenge join '[3] <> [2,4]' '[3,7] <> [5]'   [3]·⋄·[1∅]
  lozenge join '[3,5]!' '[3] <> [5]'           [3]·⋄·[5]
  lozenge join '[3]!' '[3,3]!'                 no least one; the minimal ones
  lozenge join 3 4                             1∅

Exit status: 0 there is a least upper bound, 1 there is none, 2 bad input, 3 a limit.";

/// Least upper bound of two rows or two dimensions
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A ground row such as '[3] <> [2,4]' or '[3,5]!', or a dimension
    #[arg(allow_negative_numbers = true)]
    a: String,
    /// Another of the same sort
    #[arg(allow_negative_numbers = true)]
    b: String,
}

#[derive(Serialize)]
struct JoinJson {
    verdict: &'static str,
    definition: &'static str,
    left: Json,
    right: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    join: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimal: Option<Vec<Json>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<&'static str>,
}

/// Answers the question.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut names = Names::new();
    match read_pair(("A", &args.a), ("B", &args.b), &mut names)? {
        Pair::Dims(a, b) => dims(a, b, &names, out),
        Pair::Rows(a, b) => rows(&a, &b, &names, out),
    }
}

fn dims(a: DimBot, b: DimBot, names: &Names, out: &mut Output) -> Answer {
    let least = a.join(b);
    if out.json {
        let [left, right, join] = [a, b, least].map(|d| dim_json(d, names));
        let (verdict, definition) = ("join", "1.3");
        out.json(&JoinJson { verdict, definition, left, right, join: Some(join), minimal: None, finding: None })?;
        return Ok(Exit::Yes);
    }
    let [a, b, least] = [a, b, least].map(|d| out.show(&d, names));
    let (or, label) = (out.text("∨"), paint(GOOD, "least upper bound"));
    out.line(&paint(TITLE, &format!("{a} {or} {b} = {least}")))?;
    out.line("")?;
    out.line(&format!("{label}: Prop. 1.3"))?;
    Ok(Exit::Yes)
}

fn rows(a: &TwoSorted, b: &TwoSorted, names: &Names, out: &mut Output) -> Answer {
    if bounds(a, b).saturating_mul(a.rank().min(b.rank())) > LIMIT {
        let message = format!("the minimal upper bounds have more than {LIMIT} axes in all: give shorter rows");
        return Err(Failure::input("limit", message));
    }
    let least = join(a, b);
    let both_marked = matches!((a, b), (TwoSorted::Marked(_), TwoSorted::Marked(_)));
    let definition = if both_marked { "2.7" } else { "2.14" };
    if out.json {
        let (left, right) = (row_json(a, names), row_json(b, names));
        let (verdict, join, minimal) = match &least {
            Ok(least) => ("join", Some(row_json(least, names)), None),
            Err(minimal) => ("none", None, Some(minimal.iter().map(|m| row_json(m, names)).collect())),
        };
        let finding = (!both_marked).then_some(FINDING);
        out.json(&JoinJson { verdict, definition, left, right, join, minimal, finding })?;
        return Ok(least.is_ok().into());
    }
    let source = if both_marked { "Prop. 2.7".to_owned() } else { format!("Remark 2.14, {FINDING}") };
    let or = out.text("∨");
    let title = format!("{} {or} {}", short(a, names, out), short(b, names, out));
    match &least {
        Ok(least) => {
            let shown = out.show(least, names);
            out.line(&paint(TITLE, &format!("{title} = {shown}")))?;
            out.line("")?;
            let picture = picture([a, b, least], &Pen { names, out });
            for line in &picture {
                out.line(line)?;
            }
            if !picture.is_empty() {
                out.line("")?;
            }
            out.line(&format!("{}: {source}", paint(GOOD, "least upper bound")))?;
        }
        Err(minimal) => {
            out.line(&paint(TITLE, &title))?;
            out.line("")?;
            out.line(&format!("  minimal upper bounds ({}):", minimal.len()))?;
            for bound in minimal {
                let bound = out.show(bound, names);
                out.line(&format!("    {bound}"))?;
            }
            out.line("  every upper bound is above one of these; no two are comparable")?;
            out.line(&format!("{}: {source}", paint(BAD, "no least upper bound")))?;
        }
    }
    Ok(least.is_ok().into())
}

/// How many minimal upper bounds there are, without building them: the splits p + q = n of the
/// smaller rank that fit the flanks (spec/findings/F9.md).
fn bounds(a: &TwoSorted, b: &TwoSorted) -> usize {
    use TwoSorted::{Marked, Rigid};
    let n = a.rank().min(b.rank());
    match (a, b) {
        (Marked(r), Rigid(_)) | (Rigid(_), Marked(r)) => {
            n.min(r.lead.len()) + 1 - n.saturating_sub(r.trail.len()).min(n.min(r.lead.len()))
        }
        (Rigid(_), Rigid(_)) if a.rank() != b.rank() => n + 1,
        _ => 1,
    }
}

/// The three rows in columns, where they can be aligned.
fn picture(rows: [&TwoSorted; 3], pen: &Pen<'_>) -> Vec<String> {
    let [a, b, _] = rows;
    let or = pen.out.text("A ∨ B");
    let labels = ["A", "B", &or];
    let labelled = labels.into_iter().zip(rows);
    if let (TwoSorted::Marked(r), TwoSorted::Marked(s)) = (a, b) {
        let (lead, trail) = (r.lead.len().max(s.lead.len()), r.trail.len().max(s.trail.len()));
        let strips: Vec<Strip> = labelled
            .filter_map(|(label, row)| match row {
                TwoSorted::Marked(r) => Some(Strip::outer(label, pen, r, lead, trail)),
                TwoSorted::Rigid(_) => None,
            })
            .collect();
        return draw(lead + trail, &strips, &[lead]);
    }
    // A rigid row has one rank only: marked rows are expanded to it.
    let rank = a.rank().max(b.rank());
    let fits = |row: &TwoSorted| match row {
        TwoSorted::Marked(r) => r.rank() <= rank,
        TwoSorted::Rigid(f) => f.rank() == rank,
    };
    if !rows.into_iter().all(fits) {
        return Vec::new();
    }
    let strips: Vec<Strip> = labelled
        .map(|(label, row)| match row {
            TwoSorted::Marked(r) => Strip::expanded(label, pen, r, rank),
            TwoSorted::Rigid(f) => Strip::rigid(label, pen, &f.0, rank),
        })
        .collect();
    draw(rank, &strips, &[])
}
