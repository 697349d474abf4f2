//! What is said of errors, with the operands' rows drawn one above the other, aligned at their outer edges.

use super::words::one_line;
use super::{Clash, ClashClaim, HoleError, IndexError, Leaf, Link, Place, Side, SizeError, Words};
use crate::diagnostic::Diagnostic;
use crate::generate::{Generated, Marker, Operation, Role, TensorId};
use crate::shape::{ByKind, Kind, ShapeTerm, axes_of};
use crate::written;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::RowTerm;
use lozenge_notation::Span;
use lozenge_notation::text;

/// A tensor of the operation, with what is known of its rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Drawn {
    /// The tensor.
    pub tensor: Words,
    /// Its number.
    pub id: TensorId,
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
        Some(Drawn { tensor: Words(Vec::new()).tensor(generated, id), id, rows, declared })
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
fn table(drawn: &[Drawn], source: &str) -> Vec<String> {
    let titles: Vec<String> = drawn.iter().map(|d| d.tensor.render(source)).collect();
    let width = titles.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let [batch, input, output] = Kind::ALL.map(|kind| column(drawn, kind));
    let line = |(i, title): (usize, &String)| {
        let title = text::left(title, width);
        let declared = match drawn[i].declared {
            Some((role, span)) if span.is_known() => format!("   ({role}, line {})", span.position(source).0),
            _ => String::new(),
        };
        format!("{title}   {} | {} -> {}{declared}", batch[i], input[i], output[i]).trim_end().to_owned()
    };
    titles.iter().enumerate().map(line).collect()
}

/// `line 3, `, where there is a place.
pub(super) fn place_of(span: Span, source: &str) -> String {
    if span.is_known() { format!("line {}, ", span.position(source).0) } else { String::new() }
}

fn at_line(link: &Link, source: &str) -> String {
    if !link.span.is_known() {
        return link.words.render(source);
    }
    let text = one_line(link.span.text(source));
    format!("{}`{text}`: {}", place_of(link.span, source), link.words.render(source))
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

/// The axis of a declared tensor that a side is about, as it is written.
fn written(side: &Side, leaf: &Leaf, source: &str) -> Option<Span> {
    let row = written::declared(source, leaf.span)?.get(side.kind)?;
    let axes = written::axes(source, row);
    let at = match side.axis? {
        Place::Front(n) => n.checked_sub(1)?,
        Place::Back(n) => axes.len().checked_sub(n)?,
    };
    axes.get(at).copied().filter(|axis| !axis.text(source).contains(".."))
}

/// The one axis of all declared tensors that is written with this value.
fn only(value: &str, leaves: &[Leaf], source: &str) -> Option<Span> {
    let rows = leaves.iter().filter_map(|leaf| written::declared(source, leaf.span));
    let axes = rows.flat_map(|rows| Kind::ALL.into_iter().filter_map(move |kind| rows.get(kind)));
    let mut same = axes.flat_map(|row| written::axes(source, row)).filter(|axis| axis.text(source) == value);
    same.next().filter(|_| same.next().is_none())
}

/// Where each of the two values is written.
fn label_sides(clash: &Clash, source: &str, told: &mut Diagnostic) {
    let leaves = &clash.behind.leaves;
    for side in &clash.sides {
        let leaf = leaves.iter().find(|leaf| leaf.id == side.id);
        let at = match leaf {
            Some(leaf) => written(side, leaf, source),
            None if side.made => only(&side.value, leaves, source),
            None => None,
        };
        let Some(span) = at else { continue };
        let text = span.text(source);
        let value = if text == side.value { side.value.clone() } else { format!("`{text}`, which is {},", side.value) };
        told.label(span, format!("{value} is written here"));
    }
}

/// The first and the last of many steps.
fn folded(lines: Vec<String>) -> Vec<String> {
    const ENDS: usize = 3;
    if lines.len() <= 2 * ENDS + 1 {
        return lines;
    }
    let between = format!("... {} routine steps between", lines.len() - 2 * ENDS);
    let (first, last) = (lines.iter().take(ENDS), lines.iter().skip(lines.len() - ENDS));
    first.cloned().chain([between]).chain(last.cloned()).collect()
}

fn calls(calls: &[Span], source: &str, told: &mut Diagnostic) {
    for call in calls.iter().rev() {
        told.label(*call, format!("in the application `{}`", one_line(call.text(source))));
    }
}

pub(super) fn clash(clash: &Clash, source: &str, told: &mut Diagnostic) {
    label_sides(clash, source, told);
    calls(&clash.calls, source, told);
    told.section("the shapes there (batch | input -> output)", table(&clash.operands, source));
    let distinct = clash.claims.len() == 2 && clash.claims[0].because != clash.claims[1].because;
    for ClashClaim { value, because } in clash.claims.iter().filter(|_| distinct) {
        told.section(&format!("{value} comes from"), because.iter().map(|link| at_line(link, source)).collect());
    }
    let shown: usize = if distinct { clash.claims.iter().map(|c| c.because.len()).sum() } else { 0 };
    if clash.chain.len() > shown.max(1) {
        let grown = |link: &Link| if clash.certain { "" } else { grows(link.marker) };
        let lines = clash.chain.iter().map(|link| format!("{}{}", at_line(link, source), grown(link)));
        told.section("all that it rests on", folded(lines.collect()));
    }
    if clash.closing {
        told.helps.push("it shows only when what is left open is given the least it needs".to_owned());
    }
    clash.behind.tell(source, told);
    told.helps.extend(clash.remedies.iter().cloned());
}

pub(super) fn hole(hole: &HoleError, source: &str, told: &mut Diagnostic) {
    told.section("what is known of it", vec![hole.known.clone()]);
    told.section("what uses it", hole.uses.iter().map(|link| at_line(link, source)).collect());
    let name = hole.tensor.rsplit('.').next().unwrap_or("w");
    let shape = match hole.kind {
        Kind::Input => "64 -> ...",
        _ => "... -> 64",
    };
    told.helps.push(format!(
        "a hidden dimension must be given somewhere: write it where the parameter is declared, as in `{name}: {shape}`"
    ));
}

pub(super) fn index(index: &IndexError, source: &str, told: &mut Diagnostic) {
    told.section(&format!("the shape of {}", index.tensor.render(source)), vec![index.shape.clone()]);
    let what =
        if index.slice { "a slice takes the outermost batch axis" } else { "in a specification a number is an index" };
    told.helps.push(format!("{what}, and here indices go from 0 to {}", index.size.saturating_sub(1)));
    index.behind.tell(source, told);
}

pub(super) fn size(size: &SizeError, source: &str, told: &mut Diagnostic) {
    calls(&size.calls, source, told);
    size.behind.tell(source, told);
}
