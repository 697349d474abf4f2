//! `lozenge le`: does result ⊑ operand hold, and why (Def. 1.2, 2.3, 2.12).

mod drawing;

use crate::ground::{Pair, dim_json, dims_json, read_pair, row_json, short};
use crate::output::{Answer, BAD, Exit, FAINT, GOOD, Json, Output, TITLE, paint};
use lozenge::dim::{Dim, DimBot};
use lozenge::names::Names;
use lozenge::rigid::TwoSorted;
use lozenge::row::Row;
use serde::Serialize;
use std::io;

const EXAMPLES: &str = "\
Examples:
  lozenge le '[3] <> [2,4]' '[3] <> [4]'    holds: compare [3,2,4] with [3,1∅,4]
  lozenge le '[3] <> [2,4]' '[3,4] <> []'   fails: the leading flank is too short
  lozenge le '[3,9,5]!' '[3] <> [5]'        holds: a rigid row below a marked one
  lozenge le 3 unit                         holds: 1∅ is the top

Exit status: 0 it holds, 1 it does not hold, 2 bad input, 3 a limit.";

/// Does RESULT ⊑ OPERAND hold, and why? Rows of either sort, or dimensions
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The lower side: a ground row such as '[3] <> [2,4]' or '[3,5]!', or a dimension
    #[arg(allow_negative_numbers = true)]
    result: String,
    /// The upper side, of the same sort
    #[arg(allow_negative_numbers = true)]
    operand: String,
}

/// Answers the question.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut names = Names::new();
    match read_pair(("RESULT", &args.result), ("OPERAND", &args.operand), &mut names)? {
        Pair::Dims(result, operand) => dims(result, operand, &names, out),
        Pair::Rows(result, operand) => rows(&result, &operand, &names, out),
    }
}

#[derive(Serialize)]
struct DimsJson {
    verdict: &'static str,
    definition: &'static str,
    result: Json,
    operand: Json,
    reason: String,
}

fn dims(result: DimBot, operand: DimBot, names: &Names, out: &mut Output) -> Answer {
    let holds = result.le(operand);
    let reason = out.text(reason(result, operand));
    if out.json {
        let (result, operand) = (dim_json(result, names), dim_json(operand, names));
        out.json(&DimsJson { verdict: word(holds), definition: "1.2", result, operand, reason })?;
        return Ok(holds.into());
    }
    heading(&out.show(&result, names), &out.show(&operand, names), out)?;
    out.line(&format!("  {reason}"))?;
    verdict(holds, "Def. 1.2", out)
}

/// Def. 1.2, case by case.
pub fn reason(result: DimBot, operand: DimBot) -> &'static str {
    use DimBot::{Bot, Dim as D};
    match (result, operand) {
        (a, b) if a == b => "every dimension is below itself",
        (_, DimBot::TOP) => "1∅ is above every dimension",
        (Bot, _) => "⊥ is below every dimension",
        (_, Bot) => "only ⊥ is below ⊥",
        (DimBot::TOP, _) => "only 1∅ is above 1∅",
        (D(Dim::Atom(a)), D(Dim::Atom(b))) if a.size() == b.size() => "the sizes agree, the bases differ",
        (_, D(Dim::Atom(b))) if b.size() == 1 => "1 is an atom; only 1∅ stretches",
        _ => "different atoms are incomparable",
    }
}

/// Two rows and the clause that decides about them.
struct Question<'a> {
    result: &'a TwoSorted,
    operand: &'a TwoSorted,
    names: &'a Names,
    why: Why,
}

/// What decides.
#[derive(Clone, Copy)]
enum Why {
    /// Every clause is met.
    Holds,
    /// Def. 2.3 (i).
    Flanks,
    /// The rank condition of Def. 2.12 (b) or (c).
    Ranks,
    /// The first place where the result is not below the operand's expansion.
    At(usize),
    /// Def. 2.12 (d).
    Never,
}

#[derive(Serialize)]
struct RowsJson {
    verdict: &'static str,
    definition: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    result: Json,
    operand: Json,
    /// The operand expanded to the result's rank, where the clauses come to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    expansion: Option<Json>,
    /// Lengths of the leading flanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    lead: Option<SidesJson>,
    /// Lengths of the trailing flanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<SidesJson>,
    rank: SidesJson,
    /// Does ⊑¹ hold?
    one_shot: bool,
    /// Does ≈ hold?
    flat_eq: bool,
}

#[derive(Serialize)]
struct SidesJson {
    result: usize,
    operand: usize,
}

fn rows(result: &TwoSorted, operand: &TwoSorted, names: &Names, out: &mut Output) -> Answer {
    let holds = result.le(operand);
    let why = if holds { Why::Holds } else { why_not(result, operand) };
    let question = Question { result, operand, names, why };
    if out.json {
        out.json(&question.json(holds))?;
        return Ok(holds.into());
    }
    heading(&short(result, names, out), &short(operand, names, out), out)?;
    for line in question.picture(out) {
        out.line(&line)?;
    }
    out.line("")?;
    for line in question.clauses(out) {
        let line = out.text(&line);
        out.line(&format!("  {line}"))?;
    }
    if let Some(hint) = question.hint() {
        let hint = out.text(hint);
        out.line(&format!("  {}", paint(FAINT, &hint)))?;
    }
    verdict(holds, &question.definition(), out)
}

/// The picture and the clauses for two rows of which one is not below the other.
pub fn explanation(result: &TwoSorted, operand: &TwoSorted, names: &Names, out: &Output) -> Vec<String> {
    let question = Question { result, operand, names, why: why_not(result, operand) };
    let mut lines = question.picture(out);
    lines.push(String::new());
    lines.extend(question.clauses(out).iter().map(|line| format!("  {}", out.text(line))));
    lines
}

/// The clause behind `fails`.
fn why_not(result: &TwoSorted, operand: &TwoSorted) -> Why {
    use TwoSorted::{Marked, Rigid};
    match (result, operand) {
        (Marked(_), Rigid(_)) => Why::Never,
        (Marked(r2), Marked(r1)) if r2.lead.len() < r1.lead.len() || r2.trail.len() < r1.trail.len() => Why::Flanks,
        _ => match columns(result, operand) {
            Some(columns) => columns.iter().position(|&(d2, d1)| !d2.le(d1)).map_or(Why::Ranks, Why::At),
            None => Why::Ranks,
        },
    }
}

/// The result's axes beside those of the operand's expansion, where that is defined.
fn columns(result: &TwoSorted, operand: &TwoSorted) -> Option<Vec<(Dim, Dim)>> {
    let flat = result.rigidify().0;
    let expansion: Vec<Dim> = match operand {
        TwoSorted::Marked(row) => row.expansion(flat.len()).ok()?.iter().collect(),
        TwoSorted::Rigid(f) if f.rank() == flat.len() => f.0.clone(),
        TwoSorted::Rigid(_) => return None,
    };
    Some(flat.into_iter().zip(expansion).collect())
}

impl Question<'_> {
    fn json(&self, holds: bool) -> RowsJson {
        let Question { result, operand, names, why } = self;
        let (definition, clause) = self.clause();
        let expansion = self.columns().map(|columns| {
            let operand: Vec<Dim> = columns.into_iter().map(|(_, d1)| d1).collect();
            Json(dims_json(&operand, names))
        });
        let marked = match (result, operand) {
            (TwoSorted::Marked(r2), TwoSorted::Marked(r1)) => Some((r2, r1)),
            _ => None,
        };
        let sides = |result, operand| SidesJson { result, operand };
        RowsJson {
            verdict: word(holds),
            definition,
            clause,
            position: if let Why::At(position) = why { Some(*position) } else { None },
            result: row_json(result, names),
            operand: row_json(operand, names),
            expansion,
            lead: marked.map(|(r2, r1)| sides(r2.lead.len(), r1.lead.len())),
            trail: marked.map(|(r2, r1)| sides(r2.trail.len(), r1.trail.len())),
            rank: sides(result.rank(), operand.rank()),
            one_shot: result.le_one_shot(operand),
            flat_eq: self.flat_eq(),
        }
    }

    fn flat_eq(&self) -> bool {
        self.result.rigidify() == self.operand.rigidify()
    }

    /// The definition, and the clause of it that decides.
    fn clause(&self) -> (&'static str, Option<&'static str>) {
        use TwoSorted::{Marked, Rigid};
        match (self.result, self.operand, self.why) {
            (Marked(_), Marked(_), Why::Holds) => ("2.3", None),
            (Marked(_), Marked(_), Why::At(_)) => ("2.3", Some("ii")),
            (Marked(_), Marked(_), _) => ("2.3", Some("i")),
            (Rigid(_), Rigid(_), _) => ("2.12", Some("b")),
            (Rigid(_), Marked(_), _) => ("2.12", Some("c")),
            (Marked(_), Rigid(_), _) => ("2.12", Some("d")),
        }
    }

    fn definition(&self) -> String {
        match self.clause() {
            (number, Some(clause)) => format!("Def. {number} ({clause})"),
            (number, None) => format!("Def. {number}"),
        }
    }

    /// Result and expansion side by side, where the clauses come to comparing them.
    fn columns(&self) -> Option<Vec<(Dim, Dim)>> {
        let compared = !matches!(self.why, Why::Flanks | Why::Never);
        if compared { columns(self.result, self.operand) } else { None }
    }

    /// What each clause says about these rows.
    fn clauses(&self, out: &Output) -> Vec<String> {
        use TwoSorted::{Marked, Rigid};
        let (rank2, rank1) = (self.result.rank(), self.operand.rank());
        match (self.result, self.operand) {
            (Marked(r2), Marked(r1)) => {
                let mut lines = vec![flank_fit(r2, r1)];
                if !matches!(self.why, Why::Flanks) {
                    lines.push(self.pointwise("(ii)", out));
                }
                lines
            }
            (Rigid(_), Rigid(_)) if rank2 != rank1 => {
                vec![format!("(b) ranks differ: {rank2} ≠ {rank1}")]
            }
            (Rigid(_), Rigid(_)) => {
                vec![format!("(b) ranks agree: {rank2} = {rank1}"), self.pointwise("(b)", out)]
            }
            (Rigid(_), Marked(_)) if rank2 < rank1 => {
                vec![format!("(c) rank too small: {rank2} < {rank1}: the result lacks {}", axes(rank1 - rank2, ""))]
            }
            (Rigid(_), Marked(_)) => {
                vec![format!("(c) rank fits: {rank2} ≥ {rank1}"), self.pointwise("(c)", out)]
            }
            (Marked(_), Rigid(_)) => {
                vec!["(d) a marked row is never below a rigid row".to_owned()]
            }
        }
    }

    fn pointwise(&self, clause: &str, out: &Output) -> String {
        let failing = match self.why {
            Why::At(i) => self.columns().and_then(|c| c.get(i).copied()).map(|c| (i, c)),
            _ => None,
        };
        match failing {
            Some((i, (d2, d1))) => {
                let (left, right) = (out.show(&d2, self.names), out.show(&d1, self.names));
                let reason = reason(d2.into(), d1.into());
                format!("{clause} position {i} (from 0): {left} ⋢ {right}: {reason}")
            }
            None => format!("{clause} every axis of the result is ⊑ the operand's"),
        }
    }

    /// What weaker relations say when it is not an axis that fails.
    fn hint(&self) -> Option<&'static str> {
        if !matches!(self.why, Why::Flanks | Why::Never) {
            return None;
        }
        Some(match (self.result.le_one_shot(self.operand), self.flat_eq()) {
            (_, true) => "hint: ≈ holds (Def. 2.9), and so does the one-shot ⊑¹ (Remark 2.15 (ii))",
            (true, false) => "hint: the one-shot ⊑¹ holds (Remark 2.15 (ii)), ≈ does not (Def. 2.9)",
            (false, false) => "hint: neither the one-shot ⊑¹ (Remark 2.15 (ii)) nor ≈ (Def. 2.9) holds",
        })
    }
}

/// Clause (i) of Def. 2.3 in numbers.
fn flank_fit(result: &Row, operand: &Row) -> String {
    let sides =
        [("lead", "leading ", &result.lead, &operand.lead), ("trail", "trailing ", &result.trail, &operand.trail)];
    let numbers = sides.map(|(side, _, r2, r1)| {
        let sign = if r2.len() >= r1.len() { "≥" } else { "<" };
        format!("{side} {} {sign} {}", r2.len(), r1.len())
    });
    let short: Vec<String> = sides
        .iter()
        .filter(|(_, _, r2, r1)| r2.len() < r1.len())
        .map(|(_, side, r2, r1)| axes(r1.len() - r2.len(), side))
        .collect();
    let numbers = numbers.join(", ");
    match short.is_empty() {
        true => format!("(i)  flanks fit: {numbers}"),
        false => format!("(i)  flanks do not fit: {numbers}: the result lacks {}", short.join(" and ")),
    }
}

fn axes(count: usize, side: &str) -> String {
    format!("{count} {side}{}", if count == 1 { "axis" } else { "axes" })
}

fn word(holds: bool) -> &'static str {
    if holds { "holds" } else { "fails" }
}

fn heading(result: &str, operand: &str, out: &mut Output) -> io::Result<()> {
    let sign = out.text("⊑");
    out.line(&paint(TITLE, &format!("{result} {sign} {operand}")))?;
    out.line("")
}

fn verdict(holds: bool, definition: &str, out: &mut Output) -> Answer {
    let style = if holds { GOOD } else { BAD };
    out.line(&format!("{}: {definition}", paint(style, word(holds))))?;
    Ok(Exit::from(holds))
}
