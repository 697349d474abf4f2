//! `lozenge project`: the operations of a program as loop nests (§7).

use crate::infer::{self, Inferred};
use crate::margins::{self, MarginsJson};
use crate::output::{Answer, FAINT, Failure, Json, Output, TITLE, paint};
use crate::policy::PolicyArgs;
use crate::system::Source;
use crate::warnings::{self, WarningArgs, WarningJson};
use lozenge::interp::gradient::{Backward, of_definition};
use lozenge::program::Inference;
use lozenge::program::generate::Operation;
use lozenge::projection::show::{Line, access, nest, tensor_name};
use lozenge::projection::{
    Index, Label, MapAxis, ProjectError, Projected, Projections, Slot, Writes, has_idle_part, project_all,
};
use lozenge::text::WIDEST;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge project tests/programs/mlp.loz                 every operation as a loop nest
  lozenge project program.loz --equations                with the equations of Def. 7.2
  lozenge project program.loz --backward                 with the gradients' loops
  lozenge project program.loz --tensor logits            only what makes logits

Axes are in the order of storage: batch, output, input. An index !i is supplied from outside.
Warnings go to standard error; spec/warnings.md lists them.
Exit status: 0 projected, 1 the shapes do not fit or --deny-warnings found one, 2 bad input, 3 a limit was reached.";

/// Show a program's operations as loop nests with index maps
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A program, as text or in its JSON form; - is standard input
    file: PathBuf,
    /// Only the operations that write this tensor
    #[arg(long, value_name = "NAME")]
    tensor: Option<String>,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    warnings: WarningArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// What is shown with each nest.
#[derive(Clone, Copy, Default, clap::Args)]
pub struct Shown {
    /// Show the projection equations, each with its rule
    #[arg(long)]
    equations: bool,
    /// Show the assignments of the gradients, over the same loops
    #[arg(long)]
    backward: bool,
}

/// Infers, projects and prints.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let policy = args.policy.policy(false);
    let (inferred, source, told) = match infer::inferred(&args.file, policy, out) {
        Ok(Inferred { inference, source, warnings }) => (inference, source, warnings),
        Err(answer) => return answer,
    };
    let wanted = match &args.tensor {
        None => None,
        Some(name) => Some(tensor(&inferred, name)?),
    };
    let mut nests = nests(&inferred, &source)?;
    nests.retain(|nest| wanted.is_none_or(|id| nest.tensors.first() == Some(&id)));
    if out.json {
        out.json(&json(&inferred, &nests, &source.text, warnings::in_file(&told, &source, policy)))?;
        return Ok(args.warnings.exit(&told));
    }
    warnings::tell(&told, &source, policy, out);
    print_all(&inferred, &nests, &source.text, args.shown, out)?;
    if wanted.is_none() {
        margins::print(&inferred, out)?;
    }
    Ok(args.warnings.exit(&told))
}

/// The loop nests of a program.
pub fn nests(inferred: &Inference, source: &Source) -> Result<Vec<Projected>, Failure> {
    project_all(inferred).map_err(|error: ProjectError| {
        let kind = if matches!(error, ProjectError::Limit { .. }) { "limit" } else { "project" };
        let (message, source) = (error.to_string(), Box::new(source.clone()));
        match error.span() {
            Some(span) => Failure::Text { kind, source, message, span },
            None => Failure::input(kind, message),
        }
    })
}

/// All of them, for people.
pub fn print_all(
    inferred: &Inference,
    nests: &[Projected],
    text: &str,
    shown: Shown,
    out: &mut Output,
) -> io::Result<()> {
    for (i, nest) in nests.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        print(shown, inferred, nest, text, out)?;
    }
    Ok(())
}

/// The tensor of this name, or what would be right.
pub fn tensor(inferred: &Inference, name: &str) -> Result<usize, Failure> {
    inferred.generated.tensor(name).ok_or_else(|| {
        let mut nearest: Vec<String> = inferred.generated.bindings.iter().map(|(name, _)| name.to_string()).collect();
        nearest.sort_by_key(|other| strsim::levenshtein(name, other));
        nearest.truncate(3);
        let message = format!("the program has no tensor `{}`", crate::output::visible(name));
        Failure::Input { kind: "unknown", message, at: None, nearest }
    })
}

/// The text of an operation, on one line.
fn written(inferred: &Inference, nest: &Projected, text: &str) -> String {
    let span = inferred.generated.operations[nest.operation].span;
    let words = text.get(span.start..span.end).unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn print(shown: Shown, inferred: &Inference, it: &Projected, text: &str, out: &mut Output) -> io::Result<()> {
    let op = &inferred.generated.operations[it.operation];
    let (line, _) = op.span.position(text);
    let place = if op.span.is_known() { format!("line {line}, ") } else { String::new() };
    let head = format!("{}: {}", tensor_name(&inferred.generated, op.result), written(inferred, it, text));
    out.line(&format!("{}  {}", paint(TITLE, &head), paint(FAINT, &format!("{place}{}", op.logic.name()))))?;
    if shown.equations {
        print_equations(inferred, it, out)?;
    }
    print_lines(&nest(inferred, it), out)?;
    let maps = it.record.slots().zip(&it.tensors).map(|(slot, id)| {
        let name = tensor_name(&inferred.generated, *id);
        format!("{slot} {}", access(&it.record, &name, slot))
    });
    let maps = maps.collect::<Vec<_>>().join("   ");
    out.line(&paint(FAINT, &format!("  maps: {maps}")))?;
    out.line(&paint(FAINT, &format!("  {}", read_off(&it.record, op))))?;
    if shown.backward {
        match of_definition(&inferred.generated, it.operation) {
            Ok(lines) => lines.iter().try_for_each(|line| print_backward(inferred, it, line, out))?,
            Err(why) => out.line(&paint(FAINT, &format!("  backward: {why}")))?,
        }
    }
    Ok(())
}

/// What follows from π_LHS (Def. 7.5, Prop. 7.6).
fn read_off(record: &Projections, op: &Operation) -> String {
    let writes = Writes::of(record, op.logic);
    let names: Vec<&str> = record.reductions().iter().map(|i| record.loops[*i].name.as_str()).collect();
    let reductions = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    format!(
        "reductions: {reductions}   injective: {}   surjective: {}   initialise first: {}   read back: {}",
        yes(writes.injective),
        yes(writes.surjective),
        yes(writes.needs_init(op.accumulate, op.erase)),
        yes(writes.reads_back(op.accumulate, op.erase)),
    )
}

fn print_lines(lines: &[Line], out: &mut Output) -> io::Result<()> {
    let width = |line: &Line| 2 * line.depth + line.code.chars().count();
    let widest = lines.iter().filter(|line| !line.note.is_empty()).map(width).max().unwrap_or(0);
    for line in lines {
        let indent = "  ".repeat(line.depth + 1);
        if line.note.is_empty() {
            out.line(&format!("{indent}{}", line.code))?;
        } else {
            let gap = " ".repeat(widest.min(WIDEST).saturating_sub(width(line)) + 2);
            out.line(&format!("{indent}{}{gap}{}", line.code, paint(FAINT, &format!("# {}", line.note))))?;
        }
    }
    Ok(())
}

fn print_equations(inferred: &Inference, it: &Projected, out: &mut Output) -> io::Result<()> {
    for (p, axis) in it.axes.iter().enumerate() {
        let slot = axis.slot.number();
        let name = tensor_name(&inferred.generated, it.tensors[slot]);
        let text =
            format!("  p{p} = {} axis {} of {name} ({}), size {}", axis.kind, axis.position, axis.slot, axis.size);
        out.line(&paint(FAINT, &text))?;
    }
    for equation in &it.equations {
        out.line(&paint(FAINT, &format!("  {}  {}", equation.rule, equation.equation)))?;
    }
    Ok(())
}

/// A backward assignment: its text, where it writes, and what it sums.
fn print_backward(inferred: &Inference, it: &Projected, line: &Backward, out: &mut Output) -> io::Result<()> {
    let record = line.record(&it.record);
    let slot = line.target.number();
    let name = format!("{}.grad", tensor_name(&inferred.generated, it.tensors[slot]));
    let sums: Vec<&str> = record.reductions_of(line.target).iter().map(|i| record.loops[*i].name.as_str()).collect();
    let sums = match sums.as_slice() {
        [] if record.is_injective_at(line.target) => "nothing".to_owned(),
        // Windows that overlap, and diagonals: several points have one cell.
        [] => "points of the same cell".to_owned(),
        sums => sums.join(", "),
    };
    let text =
        format!("  backward: {}   g{slot} is {}, sums over {sums}", line.text, access(&record, &name, line.target));
    out.line(&text)
}

fn label_json(record: &Projections, axis: &MapAxis) -> Value {
    match &axis.label {
        Label::Iter(i) => json!({ "iter": record.loops[*i].name }),
        Label::At(Index::Fix(c)) => json!({ "fix": c }),
        Label::At(Index::External(name)) => json!({ "external": name }),
        Label::Affine(affine) => {
            let term = |(factor, i): &(u64, usize)| json!({ "iter": record.loops[*i].name, "times": factor });
            json!({ "affine": affine.terms.iter().map(term).collect::<Vec<_>>(), "offset": affine.offset })
        }
        Label::Concat(parts) => {
            let names: Vec<&str> = parts.iter().map(|(i, _)| record.loops[*i].name.as_str()).collect();
            match has_idle_part(record, parts) {
                true => json!({ "concat": names, "starts": parts.iter().map(|(_, start)| start).collect::<Vec<_>>() }),
                false => json!({ "concat": names }),
            }
        }
    }
}

/// The answer to `project`.
#[derive(Serialize)]
pub struct ProjectJson {
    verdict: &'static str,
    operations: Vec<Json>,
    /// What padded axes are read beyond their ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    margins: Option<MarginsJson>,
    /// What was accepted and perhaps not meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningJson>,
}

/// Every operation with its product space and maps.
pub fn json(inferred: &Inference, nests: &[Projected], text: &str, warnings: Vec<WarningJson>) -> ProjectJson {
    let operation = |it: &Projected| {
        let (record, op) = (&it.record, &inferred.generated.operations[it.operation]);
        let writes = Writes::of(record, op.logic);
        let name = |i: usize| record.loops[i].name.clone();
        let by_slot = |value: &dyn Fn(usize, Slot) -> Value| -> Map<String, Value> {
            record.slots().enumerate().map(|(i, slot)| (slot.to_string(), value(i, slot))).collect()
        };
        let maps = by_slot(&|_, slot| record.map(slot).iter().map(|axis| label_json(record, axis)).collect());
        let tensors = by_slot(&|i, _| tensor_name(&inferred.generated, it.tensors[i]).into());
        let product: Map<String, Value> = record.loops.iter().map(|l| (l.name.clone(), l.size.into())).collect();
        let position = op.span.is_known().then(|| op.span.position(text));
        let mut answer = json!({
            "logic": op.logic.name(),
            "position": position.map(|(line, column)| [line, column]),
            "tensors": tensors,
            "product": product,
            "order": record.loops.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(),
            "maps": maps,
            "reductions": record.reductions().into_iter().map(name).collect::<Vec<_>>(),
            "injective": writes.injective,
            "surjective": writes.surjective,
            "needs_init": writes.needs_init(op.accumulate, op.erase),
            "reads_back": writes.reads_back(op.accumulate, op.erase),
        });
        if !record.coupled.is_empty() {
            let group = |group: &Vec<usize>| group.iter().map(|i| name(*i)).collect::<Vec<_>>();
            answer["coupled"] = record.coupled.iter().map(group).collect();
        }
        answer
    };
    let operations = nests.iter().map(|it| Json(operation(it))).collect();
    ProjectJson { verdict: "projected", operations, margins: margins::json(inferred), warnings }
}
