//! Rows drawn under each other, one column per axis.
//!
//! A picture has `rank` places, and a gap before, between and after them. Axes stand at places,
//! markers and empty flanks in gaps. Every character counts as one column wide.

use crate::output::{BAD, FAINT, Output, PLAIN, paint};
use clap::builder::styling::Style;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::row::Row;

/// Pictures up to this rank are drawn whole.
const WHOLE: usize = 32;
/// How many places are drawn at each edge of a cut picture.
const EDGE: usize = 6;

/// A text and how it looks.
#[derive(Clone)]
struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    const BLANK: Cell = Cell { text: String::new(), style: PLAIN };

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// One line of a picture.
pub struct Strip {
    label: String,
    gaps: Vec<Cell>,
    places: Vec<Cell>,
}

/// What is drawn with: names and spelling.
pub struct Pen<'a> {
    /// Names of bases.
    pub names: &'a Names,
    /// The spelling.
    pub out: &'a Output,
}

impl Pen<'_> {
    fn dim(&self, d: Dim) -> String {
        self.out.show(&d, self.names)
    }
}

impl Strip {
    /// A line with nothing on it yet.
    pub fn new(label: impl Into<String>, rank: usize) -> Self {
        Strip { label: label.into(), gaps: vec![Cell::BLANK; rank + 1], places: vec![Cell::BLANK; rank] }
    }

    fn place(&mut self, at: usize, text: String, style: Style) {
        if let Some(cell) = self.places.get_mut(at) {
            *cell = Cell { text, style };
        }
    }

    /// Writes into a gap, beside what is there.
    pub fn gap(&mut self, at: usize, text: &str) {
        if let Some(cell) = self.gaps.get_mut(at) {
            if !cell.text.is_empty() {
                cell.text.push(' ');
            }
            cell.text.push_str(text);
        }
    }

    /// A flank in brackets from this place on; an empty one goes into the gap `empty_at`.
    fn flank(&mut self, pen: &Pen<'_>, dims: &[Dim], from: usize, empty_at: usize, close: &str) {
        if dims.is_empty() {
            self.gap(empty_at, &format!("[{close}"));
        }
        for (i, d) in dims.iter().enumerate() {
            let before = if i == 0 { "[" } else { " " };
            let after = if i + 1 == dims.len() { close } else { "," };
            self.place(from + i, format!("{before}{}{after}", pen.dim(*d)), PLAIN);
        }
    }

    /// R↑rank: the flanks in brackets, the padding at the marker without.
    pub fn expanded(label: &str, pen: &Pen<'_>, row: &Row, rank: usize) -> Self {
        let mut strip = Strip::new(label, rank);
        let (lead, trail) = (row.lead.len(), rank.saturating_sub(row.trail.len()));
        strip.flank(pen, &row.lead, 0, 0, "]");
        strip.gap(lead, &pen.out.text("⋄"));
        for i in lead..trail {
            strip.place(i, format!(" {}", pen.dim(Dim::Unit)), FAINT);
        }
        strip.flank(pen, &row.trail, trail, rank, "]");
        strip
    }

    /// A row in a picture with `lead` leading and `trail` trailing places, flanks at the outer edges.
    pub fn outer(label: &str, pen: &Pen<'_>, row: &Row, lead: usize, trail: usize) -> Self {
        let rank = lead + trail;
        let mut strip = Strip::new(label, rank);
        strip.flank(pen, &row.lead, 0, 0, "]");
        strip.gap(lead, &pen.out.text("⋄"));
        strip.flank(pen, &row.trail, rank.saturating_sub(row.trail.len()), rank, "]");
        strip
    }

    /// A rigid row, from the left.
    pub fn rigid(label: &str, pen: &Pen<'_>, dims: &[Dim], rank: usize) -> Self {
        let mut strip = Strip::new(label, rank);
        strip.flank(pen, dims, 0, 0, &format!("]{}", pen.out.text("•")));
        strip
    }

    /// A flat sequence without brackets, from the left.
    pub fn flat(label: &str, pen: &Pen<'_>, dims: &[Dim], rank: usize) -> Self {
        let mut strip = Strip::new(label, rank);
        for (i, d) in dims.iter().enumerate() {
            strip.place(i, pen.dim(*d), PLAIN);
        }
        strip
    }

    /// Writes under an axis, in line with its dimension.
    pub fn under(&mut self, at: usize, text: &str, style: Style) {
        self.place(at, format!(" {text}"), style);
    }

    /// Writes at a place of a flat sequence.
    pub fn at(&mut self, at: usize, text: &str, style: Style) {
        self.place(at, text.to_owned(), style);
    }

    /// An axis that would have to be there.
    pub fn missing(&mut self, at: usize) {
        self.under(at, "_", BAD);
    }

    /// The same line in a picture of this rank, with blank places after it.
    pub fn widened(mut self, rank: usize) -> Self {
        self.places.resize(rank, Cell::BLANK);
        self.gaps.resize(rank + 1, Cell::BLANK);
        self
    }

    fn is_blank(&self) -> bool {
        self.places.iter().chain(&self.gaps).all(|cell| cell.text.is_empty())
    }
}

/// Draws the strips, all of this rank, as indented lines. Of a long picture only the edges and
/// the surroundings of the places in `focus` are drawn.
pub fn draw(rank: usize, strips: &[Strip], focus: &[usize]) -> Vec<String> {
    let strips: Vec<&Strip> = strips.iter().filter(|s| !s.is_blank()).collect();
    let shown = |i: usize| rank <= WHOLE || i < EDGE || i + EDGE >= rank || focus.iter().any(|f| f.abs_diff(i) <= 1);
    let mut columns: Vec<Vec<Cell>> = Vec::new();
    let mut cut = false;
    for i in 0..=rank {
        let gaps = strips.iter().map(|s| s.gaps.get(i));
        if gaps.clone().flatten().any(|cell| !cell.text.is_empty()) {
            columns.push(gaps.map(|cell| cell.cloned().unwrap_or(Cell::BLANK)).collect());
            cut = false;
        }
        if i < rank {
            let places = strips.iter().map(|s| s.places.get(i).cloned().unwrap_or(Cell::BLANK));
            if shown(i) {
                columns.push(places.collect());
            } else if !cut {
                columns.push(places.map(ellipsis).collect());
            }
            cut = !shown(i);
        }
    }
    let labels = strips.iter().map(|s| s.label.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(|c| c.iter().map(Cell::width).max().unwrap_or(0)).collect();
    let line = |(n, strip): (usize, &&Strip)| {
        let label = Cell { text: strip.label.clone(), style: FAINT };
        let cells = columns.iter().map(|column| &column[n]);
        join_cells(&label, labels + 1, cells.zip(widths.iter().copied()))
    };
    strips.iter().enumerate().map(line).collect()
}

fn ellipsis(cell: Cell) -> Cell {
    if cell.text.is_empty() { cell } else { Cell { text: "...".to_owned(), style: FAINT } }
}

/// A label and cells, padded to their widths, without blanks at the end.
fn join_cells<'c>(label: &'c Cell, width: usize, cells: impl Iterator<Item = (&'c Cell, usize)>) -> String {
    let mut line = "  ".to_owned();
    let mut owed = 0;
    for (cell, width) in std::iter::once((label, width)).chain(cells) {
        if !cell.text.is_empty() {
            line.push_str(&" ".repeat(owed));
            line.push_str(&paint(cell.style, &cell.text));
            owed = 0;
        }
        owed += width.saturating_sub(cell.width()) + 1;
    }
    line
}

/// A flank, cut in the middle when it is long.
pub fn short_flank(dims: &[Dim], names: &Names, out: &Output) -> String {
    if dims.len() <= WHOLE {
        return out.show(dims, names);
    }
    let text = |d: &Dim| out.show(d, names);
    let edge = |dims: &[Dim]| dims.iter().map(text).collect::<Vec<_>>().join(",");
    let (front, back) = (&dims[..EDGE], &dims[dims.len() - EDGE..]);
    format!("[{},...,{}]", edge(front), edge(back))
}
