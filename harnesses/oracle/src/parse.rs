//! `lozenge parse`: a specification or a shape as the tree that it is read as, for engines that test their parser.

use crate::answer;
use crate::output::{Answer, Exit, FAINT, Failure, Output, TITLE, paint};
use crate::system::Source;
use lozenge::notation::{Problem, SyntaxError};
use lozenge::program::ast::Convolution;
use lozenge::program::einsum::{Affine, Axis, Spec, SpecError, SpecRow, is_multi_character, ours};
use lozenge::program::parse_shape;
use lozenge::program::shape::{Declared, DeclaredAxis, DeclaredRow, Kind, RowName};
use lozenge::text::left;
use std::io;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  lozenge parse 'ij; jk => ik'                          operands, result, rows, axes
  lozenge parse '...| 2*o=+k, c; k, c -> d => ...| o, d'
  lozenge parse --shape 'n | 28, 28 -> ...'             a shape as a program declares it
  lozenge parse 'ij; jk => ik' --json                   the tree as JSON (spec/protocol.md)

A row without a row variable is closed, and its axes are trailing.
Exit status: 0 it was read, 2 it is wrong, 3 a limit was reached.";

/// Show a specification, or a shape, as the tree that it is read as
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The specification; - is standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// Read a shape instead: batch | input -> output
    #[arg(long)]
    shape: bool,
}

/// Reads and prints.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut source = if args.text == "-" { Source::read(Path::new("-"))? } else { Source::new("", args.text.as_str()) };
    source.name = if args.shape { "the shape" } else { "the specification" }.to_owned();
    source.text.truncate(source.text.trim_end_matches(['\n', '\r']).len());
    let text = source.text.as_str();
    if args.shape {
        let shape = parse_shape(text).map_err(|error| failure(&source, &error))?;
        show_shape(&shape, out)?;
    } else {
        let spec = read_spec(text).map_err(|error| failure(&source, &error))?;
        show_spec(&spec, is_multi_character(&ours(text)), out)?;
    }
    Ok(Exit::Yes)
}

/// Reads a specification that is not too long.
pub fn read_spec(text: &str) -> Result<Spec, SpecError> {
    SpecError::check_text(text)?;
    text.parse()
}

fn failure<P: Problem>(source: &Source, error: &SyntaxError<P>) -> Failure {
    Failure::Text {
        kind: if error.problem.is_limit() { "limit" } else { "parse" },
        source: Box::new(source.clone()),
        message: error.problem.to_string(),
        span: error.span,
    }
}

/// One line of a tree: which slot, which row, which flank, the axis, and what that is.
struct Line {
    slot: String,
    row: &'static str,
    flank: &'static str,
    axis: String,
    what: String,
}

fn show_spec(spec: &Spec, multi: bool, out: &mut Output) -> io::Result<()> {
    if out.json {
        return out.json(&answer::spec_json(spec, multi));
    }
    let mode = if multi { "multi-character: names, with commas between axes" } else { "single-character" };
    let operands = (1..=spec.operands.len()).map(|i| format!("operand {i}"));
    let slots = spec.slots().zip(operands.chain(["result".to_owned()]));
    let mut lines = Vec::new();
    for (slot, name) in slots {
        let rows = Kind::ALL.map(|kind| (kind.name(), spec_row(slot.row(kind), kind)));
        lines.extend(in_slot(&name, rows));
    }
    show(&[("canonical", &spec.to_string()), ("mode", mode)], &lines, out)
}

fn show_shape(shape: &Declared, out: &mut Output) -> io::Result<()> {
    if out.json {
        return out.json(&answer::shape_json(shape));
    }
    let rows = Kind::ALL.map(|kind| (kind.name(), shape_row(shape.rows.get(kind))));
    show(&[("canonical", &shape.to_string())], &in_slot("shape", rows), out)
}

/// Flank, axis and meaning of everything in a row.
type Row = Vec<(&'static str, String, String)>;

/// The lines of a slot; what is the same as in the line before is not said again.
fn in_slot(name: &str, rows: [(&'static str, Row); 3]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (kind, mut row) in rows {
        if row.is_empty() {
            row.push(("", "-".to_owned(), "closed, no axes".to_owned()));
        }
        for (i, (flank, axis, what)) in row.into_iter().enumerate() {
            let slot = if lines.is_empty() { name.to_owned() } else { String::new() };
            lines.push(Line { slot, row: if i == 0 { kind } else { "" }, flank, axis, what });
        }
    }
    lines
}

fn spec_row(row: &SpecRow, kind: Kind) -> Row {
    let axis = |flank: &'static str| move |axis: &Axis| (flank, axis.to_string(), axis_words(axis));
    let var = row.var.as_ref().map(|name| {
        let written = if name == kind.name() { "...".to_owned() } else { format!("..{name}..") };
        ("", written, format!("row variable {name}"))
    });
    row.lead.iter().map(axis("lead")).chain(var).chain(row.trail.iter().map(axis("trail"))).collect()
}

fn axis_words(axis: &Axis) -> String {
    match axis {
        Axis::Label(_) => "label".to_owned(),
        Axis::Fixed(index) => format!("fixed index {index}"),
        Axis::Anonymous => "anonymous".to_owned(),
        Axis::Concat(labels) => format!("concatenation of {}", labels.join(", ")),
        Axis::Affine(affine) => affine_words(affine),
    }
}

fn affine_words(Affine { stride, over, offset, kernel }: &Affine) -> String {
    let mode = match kernel {
        None => "strided",
        Some(kernel) => match kernel.mode {
            None => "convolved, mode unspecified",
            Some(Convolution::Padded) => "padded",
            Some(Convolution::Valid) => "valid",
        },
    };
    let mut words = vec![mode.to_owned()];
    words.extend(stride.as_ref().map(|stride| format!("stride {stride}")));
    words.push(format!("over {over}"));
    words.extend(offset.map(|offset| format!("offset {offset}")));
    if let Some(kernel) = kernel {
        words.extend(kernel.dilation.as_ref().map(|dilation| format!("dilation {dilation}")));
        words.push(format!("kernel {}", kernel.label));
    }
    words.join(", ")
}

fn shape_row(row: &DeclaredRow) -> Row {
    let what = |axis: &DeclaredAxis| match axis {
        DeclaredAxis::Size(n, None) => format!("size {n}"),
        DeclaredAxis::Size(n, Some(basis)) => format!("size {n}, basis {basis}"),
        DeclaredAxis::Unit => "one element, stretches".to_owned(),
        DeclaredAxis::Unknown => "any dimension".to_owned(),
        DeclaredAxis::Named(name) => format!("the size {name}"),
    };
    let axis = |flank: &'static str| move |axis: &DeclaredAxis| (flank, axis.to_string(), what(axis));
    let var = row.var.as_ref().map(|var| match var {
        RowName::Any => ("", "...".to_owned(), "any further axes".to_owned()),
        RowName::Named(name) => ("", format!("..{name}.."), format!("row variable {name}")),
    });
    row.lead.iter().map(axis("lead")).chain(var).chain(row.trail.iter().map(axis("trail"))).collect()
}

fn show(heads: &[(&str, &str)], lines: &[Line], out: &mut Output) -> io::Result<()> {
    for (name, value) in heads {
        let blanks = " ".repeat("canonical".len().saturating_sub(name.len()));
        out.line(&format!("{}{blanks}  {value}", paint(TITLE, name)))?;
    }
    out.line("")?;
    let width = |of: fn(&Line) -> usize| lines.iter().map(of).max().unwrap_or(0);
    let (slots, axes) = (width(|line| line.slot.len()), width(|line| line.axis.chars().count()));
    for Line { slot, row, flank, axis, what } in lines {
        let slot = left(slot, slots);
        out.line(&format!("{slot}  {row:<6}  {flank:<5}  {}  {}", left(axis, axes), paint(FAINT, what)))?;
    }
    Ok(())
}
