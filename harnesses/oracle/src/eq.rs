//! `lozenge eq`: ≈ of rows (Def. 2.9), = of dimensions.

use crate::ground::{Pair, dim_json, read_pair, row_json, short};
use crate::output::{Answer, BAD, GOOD, Json, Output, TITLE, paint};
use crate::picture::{Pen, Strip, draw};
use lozenge::dim::{Dim, DimBot};
use lozenge::names::Names;
use lozenge::rigid::TwoSorted;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  lozenge eq '[3] <> [4]' '[3,4] <> []'     holds: the same axes, the markers differ
  lozenge eq '[3] <> [4]' '[3,unit] <> [4]' fails: the ranks differ
  lozenge eq 3 3:rgb                        fails: the bases differ

Exit status: 0 it holds, 1 it does not hold, 2 bad input.";

/// Are two rows ≈ (the same axes, wherever the marker is), or two dimensions equal?
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
struct EqJson {
    verdict: &'static str,
    definition: &'static str,
    left: Json,
    right: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<RankJson>,
    /// The first place where both have an axis and these differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    /// Are they the same row, marker and sort included?
    identical: bool,
}

#[derive(Serialize)]
struct RankJson {
    left: usize,
    right: usize,
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
    let holds = a == b;
    if out.json {
        let (left, right) = (dim_json(a, names), dim_json(b, names));
        let (verdict, definition) = (word(holds), "1.1");
        out.json(&EqJson { verdict, definition, left, right, rank: None, position: None, identical: holds })?;
        return Ok(holds.into());
    }
    let [a, b] = [a, b].map(|d| out.show(&d, names));
    out.line(&paint(TITLE, &format!("{a} = {b}")))?;
    out.line("")?;
    verdict(holds, "Def. 1.1", out)
}

fn rows(a: &TwoSorted, b: &TwoSorted, names: &Names, out: &mut Output) -> Answer {
    let (left, right) = (a.rigidify().0, b.rigidify().0);
    let holds = left == right;
    let position = left.iter().zip(&right).position(|(x, y)| x != y);
    if out.json {
        let (verdict, definition) = (word(holds), "2.9");
        let rank = Some(RankJson { left: left.len(), right: right.len() });
        let (left, right) = (row_json(a, names), row_json(b, names));
        out.json(&EqJson { verdict, definition, left, right, rank, position, identical: a == b })?;
        return Ok(holds.into());
    }
    let sign = out.text("≈");
    out.line(&paint(TITLE, &format!("{} {sign} {}", short(a, names, out), short(b, names, out))))?;
    out.line("")?;
    let picture = picture([(a, &left), (b, &right)], position, &Pen { names, out });
    for line in &picture {
        out.line(line)?;
    }
    if !picture.is_empty() {
        out.line("")?;
    }
    let note = difference(&left, &right, names, out).unwrap_or_else(|| out.text(relation(a, b)));
    out.line(&format!("  {note}"))?;
    verdict(holds, "Def. 2.9", out)
}

/// Why two flat sequences are not equal, if they are not.
pub fn difference(left: &[Dim], right: &[Dim], names: &Names, out: &Output) -> Option<String> {
    let sign = out.text("≠");
    if left.len() != right.len() {
        return Some(format!("the ranks differ: {} {sign} {}", left.len(), right.len()));
    }
    let (i, (x, y)) = left.iter().zip(right).enumerate().find(|(_, (x, y))| x != y)?;
    Some(format!("position {i} (from 0): {} {sign} {}", out.show(x, names), out.show(y, names)))
}

/// How rows with the same axes stand in the order.
fn relation(a: &TwoSorted, b: &TwoSorted) -> &'static str {
    use TwoSorted::{Marked, Rigid};
    match (a, b) {
        _ if a == b => "the rows are identical",
        (Marked(_), Rigid(_)) => "A is marked and B is rigid: B ⊑ A, never A ⊑ B (Def. 2.12 (c), (d))",
        (Rigid(_), Marked(_)) => "A is rigid and B is marked: A ⊑ B, never B ⊑ A (Def. 2.12 (c), (d))",
        _ => "the markers differ: neither row is ⊑ the other (Prop. 2.10 (ii))",
    }
}

/// The flat sequences under each other, with the markers between the axes.
fn picture(rows: [(&TwoSorted, &Vec<Dim>); 2], position: Option<usize>, pen: &Pen<'_>) -> Vec<String> {
    let [(_, left), (_, right)] = rows;
    let rank = left.len().max(right.len());
    if rank == 0 {
        return Vec::new();
    }
    let mut focus: Vec<usize> = position.into_iter().collect();
    let mut strip = |label, (row, flat): (&TwoSorted, &Vec<Dim>)| {
        let mut strip = Strip::flat(label, pen, flat, rank);
        if let TwoSorted::Marked(r) = row {
            strip.gap(r.lead.len(), &pen.out.text("⋄"));
            focus.push(r.lead.len());
        }
        for i in flat.len()..rank {
            strip.at(i, "_", BAD);
        }
        strip
    };
    let [first, second] = rows;
    let (a, b) = (strip("A", first), strip("B", second));
    let mut signs = Strip::new("", rank);
    for i in 0..rank {
        let equal = left.get(i) == right.get(i);
        let (sign, style) = if equal { ("=", GOOD) } else { ("≠", BAD) };
        signs.at(i, &pen.out.text(sign), style);
    }
    draw(rank, &[a, b, signs], &focus)
}

fn word(holds: bool) -> &'static str {
    if holds { "holds" } else { "fails" }
}

fn verdict(holds: bool, definition: &str, out: &mut Output) -> Answer {
    let style = if holds { GOOD } else { BAD };
    out.line(&format!("{}: {definition}", paint(style, word(holds))))?;
    Ok(holds.into())
}
