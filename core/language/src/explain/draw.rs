//! Errors as text, with the operands' rows drawn one above the other, aligned at their outer edges.

use super::words::one_line;
use super::{Clash, ClashClaim, HoleError, IndexError, Link, Words};
use crate::generate::{Generated, Marker, Operation, Role, TensorId};
use crate::shape::{ByKind, Kind, ShapeTerm, axes_of};
use lozenge_calculus::names::Names;
use lozenge_calculus::term::RowTerm;
use lozenge_notation::Span;
use lozenge_notation::text;
use std::fmt::Write;

/// A tensor of the operation, with what is known of its rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Drawn {
    /// The tensor.
    pub tensor: Words,
    /// Its rows.
    pub rows: ByKind<DrawnRow>,
    /// For a leaf: what it is, and where it is declared.
    pub declared: Option<(&'static str, Span)>,
}

/// A row as text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DrawnRow {
    /// Axes from the front.
    pub lead: Vec<String>,
    /// Are there further axes?
    pub open: bool,
    /// Axes from the back.
    pub trail: Vec<String>,
}

/// The operands of an operation, then its result.
pub(super) fn of_operation(
    generated: &Generated,
    operation: &Operation,
    shapes: &[ShapeTerm],
    names: &Names,
) -> Vec<Drawn> {
    let mut ids: Vec<TensorId> = Vec::new();
    for id in operation.operands.iter().chain([&operation.result]) {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    let drawn = ids.into_iter().filter_map(|id| {
        let shape = shapes.get(id)?;
        let rows = ByKind::of(|kind| row(shape.get(kind), names));
        let it = &generated.tensors[id];
        let leaf = it.role.is_leaf() && it.role != Role::Literal;
        let declared = leaf.then_some((it.role.name(), it.span));
        Some(Drawn { tensor: Words(Vec::new()).tensor(generated, id), rows, declared })
    });
    drawn.collect()
}

fn row(row: &RowTerm, names: &Names) -> DrawnRow {
    let flank =
        |terms: &[lozenge_calculus::term::DimTerm]| axes_of(&RowTerm::new(terms.to_vec(), None, Vec::new()), names);
    DrawnRow { lead: flank(&row.lead), open: row.var.is_some(), trail: flank(&row.trail) }
}

/// The rows of one kind, each as text of one width.
fn column(drawn: &[Drawn], kind: Kind) -> Vec<String> {
    let rows: Vec<&DrawnRow> = drawn.iter().map(|d| d.rows.get(kind)).collect();
    let most = |count: fn(&DrawnRow) -> usize| rows.iter().map(|r| count(r)).max().unwrap_or(0);
    let (lead, trail) = (most(|r| r.lead.len()), most(|r| r.trail.len()));
    let open = usize::from(rows.iter().any(|r| r.open));
    let cells = |r: &DrawnRow| {
        let mut cells = vec![String::new(); lead + open + trail];
        cells[..r.lead.len()].clone_from_slice(&r.lead);
        let back = cells.len() - r.trail.len();
        cells[back..].clone_from_slice(&r.trail);
        if r.open {
            cells[lead] = "...".to_owned();
        }
        cells
    };
    let table: Vec<Vec<String>> = rows.iter().map(|r| cells(r)).collect();
    let width = |i: usize| table.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let line = |r: &Vec<String>| {
        let padded = r.iter().enumerate().map(|(i, cell)| text::right(cell, width(i)));
        padded.collect::<Vec<_>>().join("  ")
    };
    table.iter().map(line).collect()
}

/// `tensor   batch | input -> output`, a line each.
fn table(drawn: &[Drawn], source: &str) -> String {
    let titles: Vec<String> = drawn.iter().map(|d| d.tensor.render(source)).collect();
    let width = titles.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let [batch, input, output] = Kind::ALL.map(|kind| column(drawn, kind));
    let mut out = String::new();
    for (i, title) in titles.iter().enumerate() {
        let title = text::left(title, width);
        let declared = match drawn[i].declared {
            Some((role, span)) if span.is_known() => format!("   ({role}, line {})", span.position(source).0),
            _ => String::new(),
        };
        let line = format!("  {title}   {} | {} -> {}{declared}", batch[i], input[i], output[i]);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn place(span: Span, source: &str) -> String {
    if !span.is_known() {
        return String::new();
    }
    format!("{}\n", span.excerpt(source))
}

fn head(message: &str, span: Span, source: &str) -> String {
    if !span.is_known() {
        return format!("{message}\n");
    }
    let (line, column) = span.position(source);
    format!("{line}:{column}: {message}\n{}", place(span, source))
}

fn at_line(link: &Link, source: &str) -> String {
    if !link.span.is_known() {
        return link.words.render(source);
    }
    let (line, _) = link.span.position(source);
    let text = one_line(link.span.text(source));
    format!("line {line}, `{text}`: {}", link.words.render(source))
}

/// Where a row takes further axes, for what rests on that.
fn grows(marker: Marker) -> &'static str {
    match marker {
        Marker::Ellipsis => "; axes are inserted at its ellipsis",
        Marker::LeftEdge => "; axes would be inserted at its left edge",
        Marker::Slice => "; axes are inserted behind the one that is taken off",
        Marker::Open | Marker::Literal | Marker::Inherited => "",
    }
}

pub(super) fn clash(clash: &Clash, source: &str) -> String {
    let mut text = head(&clash.message, clash.span, source);
    for call in clash.calls.iter().rev().filter(|call| call.is_known()) {
        let _ =
            writeln!(text, "in the application `{}`, line {}", one_line(call.text(source)), call.position(source).0);
    }
    if !clash.operands.is_empty() {
        let _ = write!(text, "\nthe shapes there (batch | input -> output):\n{}", table(&clash.operands, source));
    }
    let distinct = clash.claims.len() == 2 && clash.claims[0].because != clash.claims[1].because;
    if distinct {
        text.push_str("\nthe two claims:\n");
        for ClashClaim { value, because } in &clash.claims {
            let links: Vec<String> = because.iter().map(|link| at_line(link, source)).collect();
            let _ = writeln!(text, "  {value}  from {}", links.join("\n        and "));
        }
    }
    let shown: usize = if distinct { clash.claims.iter().map(|c| c.because.len()).sum() } else { 0 };
    if clash.chain.len() > shown.max(1) {
        text.push_str("\nall that it rests on:\n");
        for link in &clash.chain {
            let grows = if clash.certain { "" } else { grows(link.marker) };
            let _ = writeln!(text, "  {}{grows}", at_line(link, source));
        }
    }
    if clash.closing {
        text.push_str("\nIt shows only when what is left open is given the least it needs.\n");
    }
    text += &clash.behind.render(source);
    for remedy in &clash.remedies {
        let _ = writeln!(text, "\nhelp: {remedy}");
    }
    text
}

pub(super) fn hole(hole: &HoleError, source: &str) -> String {
    let message = format!("nothing says how large an axis of the {} row of `{}` is", hole.kind, hole.tensor);
    let mut text = head(&message, hole.span, source);
    let _ = writeln!(text, "\nwhat is known of it: {}", hole.known);
    if !hole.uses.is_empty() {
        text.push_str("\nwhat uses it:\n");
        for link in &hole.uses {
            let _ = writeln!(text, "  {}", at_line(link, source));
        }
    }
    let name = hole.tensor.rsplit('.').next().unwrap_or("w");
    let shape = match hole.kind {
        Kind::Input => "64 -> ...",
        _ => "... -> 64",
    };
    let _ = writeln!(
        text,
        "\nhelp: a hidden dimension must be given somewhere: write it where the parameter is declared, as in `{name}: {shape}`"
    );
    text
}

pub(super) fn index(index: &IndexError, source: &str) -> String {
    let tensor = index.tensor.render(source);
    let message = format!(
        "index {} is outside an axis of the {} row of {tensor}, which has size {}",
        index.index, index.kind, index.size
    );
    let mut text = head(&message, index.span, source);
    let _ = writeln!(text, "\nthe shape of {tensor}: {}", index.shape);
    let what =
        if index.slice { "a slice takes the outermost batch axis" } else { "in a specification a number is an index" };
    let last = index.size.saturating_sub(1);
    let _ = writeln!(text, "\nhelp: {what}, and here indices go from 0 to {last}");
    text + &index.behind.without(&format!("index {}", index.index), index.span).render(source)
}
