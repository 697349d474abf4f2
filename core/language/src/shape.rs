//! Shapes: three rows, `batch | input -> output`, as they are declared and as they are inferred.

use lozenge_calculus::dim::Dim;
use lozenge_calculus::names::Names;
pub use lozenge_calculus::projection::Kind;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, RowTerm};
use lozenge_notation::Span;
use std::fmt;

/// One of each kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ByKind<T> {
    /// The batch row.
    pub batch: T,
    /// The input row.
    pub input: T,
    /// The output row.
    pub output: T,
}

impl<T> ByKind<T> {
    /// The one of this kind.
    pub fn get(&self, kind: Kind) -> &T {
        match kind {
            Kind::Batch => &self.batch,
            Kind::Input => &self.input,
            Kind::Output => &self.output,
        }
    }

    /// The one of this kind, to be changed.
    pub fn get_mut(&mut self, kind: Kind) -> &mut T {
        match kind {
            Kind::Batch => &mut self.batch,
            Kind::Input => &mut self.input,
            Kind::Output => &mut self.output,
        }
    }

    /// The same for each kind, made by `make`.
    pub fn of(mut make: impl FnMut(Kind) -> T) -> Self {
        ByKind { batch: make(Kind::Batch), input: make(Kind::Input), output: make(Kind::Output) }
    }
}

/// A shape as a term: rows with variables.
pub type ShapeTerm = ByKind<RowTerm>;

/// An inferred shape: ground rows.
pub type Shape = ByKind<Row>;

/// A shape as it is declared. A kind that is not written is the closed empty row.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Declared {
    /// The rows.
    pub rows: ByKind<DeclaredRow>,
    /// Where it is written.
    pub span: Span,
}

/// A declared row.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DeclaredRow {
    /// Axes before the row variable.
    pub lead: Vec<DeclaredAxis>,
    /// `...` or `..r..`; none in a closed row.
    pub var: Option<RowName>,
    /// Axes after the row variable, or all of them.
    pub trail: Vec<DeclaredAxis>,
}

/// What stands for further axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RowName {
    /// `...`: any axes, another row at each occurrence.
    Any,
    /// `..r..`: the same row wherever the program says so.
    Named(String),
}

/// A declared axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DeclaredAxis {
    /// A size, with a basis or the basis default. Size 1 does not stretch.
    Size(u64, Option<String>),
    /// `unit`, written `1∅`: stretches to any size.
    Unit,
    /// `?` or `_`: any dimension.
    Unknown,
    /// A dimension that has a name in the program.
    Named(String),
}

/// An axis as text, or a row of axes.
fn join<T: fmt::Display>(parts: impl Iterator<Item = T>) -> String {
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for DeclaredAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeclaredAxis::Size(n, None) => n.fmt(f),
            DeclaredAxis::Size(n, Some(basis)) => write!(f, "{n}:{basis}"),
            DeclaredAxis::Unit => f.write_str("unit"),
            DeclaredAxis::Unknown => f.write_str("?"),
            DeclaredAxis::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for DeclaredRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let var = self.var.as_ref().map(|var| match var {
            RowName::Any => "...".to_owned(),
            RowName::Named(name) => format!("..{name}.."),
        });
        let axes = |flank: &[DeclaredAxis]| flank.iter().map(ToString::to_string).collect::<Vec<_>>();
        f.write_str(&join(axes(&self.lead).into_iter().chain(var).chain(axes(&self.trail))))
    }
}

/// `batch | input -> output`, rows that are empty left out; `->` when all are.
fn write_rows(f: &mut fmt::Formatter<'_>, rows: &ByKind<String>) -> fmt::Result {
    let ByKind { batch, input, output } = rows;
    if !batch.is_empty() {
        write!(f, "{batch} | ")?;
    }
    match (batch.is_empty(), input.is_empty(), output.is_empty()) {
        (_, false, false) => write!(f, "{input} -> {output}"),
        (_, false, true) => write!(f, "{input} ->"),
        (true, true, true) => f.write_str("->"),
        (false, true, true) => f.write_str("->"),
        (_, true, false) => f.write_str(output),
    }
}

/// Rows as text, to be written as a shape.
struct Rows(ByKind<String>);

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_rows(f, &self.0)
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_rows(f, &ByKind::of(|kind| self.rows.get(kind).to_string()))
    }
}

/// An inferred shape with the names of its bases: `5 | 3:rgb -> 10`.
#[must_use]
pub fn show(shape: &Shape, names: &Names) -> String {
    let axis = |d: Dim| if d == Dim::Unit { "1∅".to_owned() } else { names.show(&d).to_string() };
    Rows(ByKind::of(|kind| join(shape.get(kind).flat().map(axis)))).to_string()
}

/// The same, with ⋄ where a row has its marker, unless that is the left edge.
#[must_use]
pub fn show_marked(shape: &Shape, names: &Names) -> String {
    let axes = |row: &Row| {
        let mut axes = axes_of(&RowTerm::from(row), names);
        if !row.lead.is_empty() {
            axes.insert(row.lead.len(), "⋄".to_owned());
        }
        axes
    };
    Rows(ByKind::of(|kind| join(axes(shape.get(kind)).into_iter()))).to_string()
}

/// A shape that may have unknowns: `?` for a dimension, `...` for further axes.
#[must_use]
pub fn show_partial(shape: &ShapeTerm, names: &Names) -> String {
    Rows(ByKind::of(|kind| join(axes_of(shape.get(kind), names).into_iter()))).to_string()
}

/// The axes of a row term as text, `...` at a row variable.
#[must_use]
pub fn axes_of(row: &RowTerm, names: &Names) -> Vec<String> {
    let axis = |t: &DimTerm| match t {
        DimTerm::Dim(Dim::Unit) => "1∅".to_owned(),
        DimTerm::Dim(d) => names.show(d).to_string(),
        DimTerm::Var(_) => {
            let name = names.show(t).to_string();
            // Names that a program gives to dimensions have no quote in them.
            if name.starts_with('?') || name.contains('\'') { "?".to_owned() } else { name }
        }
    };
    let var = row.var.map(|_| "...".to_owned());
    row.lead.iter().map(axis).chain(var).chain(row.trail.iter().map(axis)).collect()
}
