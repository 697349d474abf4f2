//! The two sides of a clash: which axis or row of which tensor has which value.

use super::{Words, words::words};
use crate::einsum::{Axis, SpecRow};
use crate::generate::{Generated, Logic, Operand, Operation, Origin, TensorId};
use crate::shape::{Kind, ShapeTerm};
use lozenge_calculus::dim::Dim;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, RowTerm};
use lozenge_engine::solver::Why;

/// An axis of a tensor, or one of its rows, with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Side {
    /// The tensor.
    pub tensor: Words,
    /// Its number.
    pub id: TensorId,
    /// The kind of the row.
    pub kind: Kind,
    /// The axis, counted from 1 in its row; none where it is about the whole row.
    pub axis: Option<Place>,
    /// Its size, or how many axes the row has.
    pub value: String,
    /// Does an operation make the tensor, so that its sizes come from elsewhere?
    pub made: bool,
}

/// Which axis of a row, counted from 1. An open row is counted from its known end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// From the front.
    Front(usize),
    /// From the back, where axes before it are not known.
    Back(usize),
}

impl Side {
    /// `output axis 2 of `, `the output row of `; the tensor follows.
    pub(super) fn what(&self) -> String {
        match self.axis {
            Some(Place::Front(n)) => format!("{} axis {n} of ", self.kind),
            Some(Place::Back(1)) => format!("the last {} axis of ", self.kind),
            Some(Place::Back(n)) => format!("{} axis {n} from the back of ", self.kind),
            None => format!("the {} row of ", self.kind),
        }
    }

    /// `output axis 2 of `x``.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        self.what() + &self.tensor.render(source)
    }
}

/// A known axis of a row: its place from both ends where that is known, and its value.
struct Known {
    front: Option<usize>,
    back: Option<usize>,
    dim: DimTerm,
}

impl Known {
    fn place(&self) -> Option<Place> {
        self.front.map(|i| Place::Front(i + 1)).or(self.back.map(|i| Place::Back(i + 1)))
    }

    /// Does it stand where an axis of another row does? Closed rows are expanded at their markers to one rank (Def. 2.2); an
    /// open one is counted from its ends.
    fn meets(&self, row: &RowTerm, (other, at): (&RowTerm, &Known)) -> bool {
        let same = |a: Option<usize>, b: Option<usize>| a.is_some() && a == b;
        if row.var.is_some() || other.var.is_some() {
            return same(self.front, at.front) || same(self.back, at.back);
        }
        let rank = row.known_rank().max(other.known_rank());
        let expanded = |row: &RowTerm, i: usize| if i < row.lead.len() { i } else { i + rank - row.known_rank() };
        same(self.front.map(|i| expanded(row, i)), at.front.map(|i| expanded(other, i)))
    }
}

fn known(row: &RowTerm) -> Vec<Known> {
    let closed = row.var.is_none();
    let all = row.lead.len() + row.trail.len();
    let lead = row.lead.iter().enumerate().map(|(i, dim)| (i, *dim, true));
    let trail = row.trail.iter().enumerate().map(|(i, dim)| (row.lead.len() + i, *dim, closed));
    let axis = |(i, dim, from_front): (usize, DimTerm, bool)| Known {
        front: from_front.then_some(i),
        back: (closed || i >= row.lead.len()).then_some(all - 1 - i),
        dim,
    };
    lead.chain(trail).map(axis).collect()
}

/// What a clash is looked at with.
pub(super) struct Scene<'a> {
    pub generated: &'a Generated,
    pub operation: &'a Operation,
    pub origin: &'a Origin,
    pub label: Option<&'a str>,
    pub shapes: &'a [ShapeTerm],
    pub names: &'a Names,
}

/// A tensor of the operation with its row of one kind.
type Candidate<'a> = (TensorId, Kind, &'a RowTerm);

impl<'a> Scene<'a> {
    /// The two sides, where they can be told.
    pub fn sides(&self, why: &Why) -> Vec<Side> {
        let found = match why {
            Why::Differ(a, b) | Why::NotBelow(a, b) => self.sizes(*a, *b),
            Why::Ranks(..) | Why::Overflow { .. } | Why::Short { .. } => self.ranks(),
            Why::Occurs(_) | Why::Cycle { .. } => None,
        };
        found.map_or_else(Vec::new, Vec::from)
    }

    fn tensor(&self, operand: Operand) -> TensorId {
        match operand {
            Operand::Argument(i) => self.operation.operands.get(i).copied().unwrap_or(self.operation.result),
            _ => self.operation.result,
        }
    }

    fn row(&self, id: TensorId, kind: Kind) -> Option<Candidate<'a>> {
        self.shapes.get(id).map(|shape| (id, kind, shape.get(kind)))
    }

    /// The rows that meet in the constraint that failed.
    fn rows(&self) -> Vec<Candidate<'a>> {
        let kind = self.origin.kind;
        let operands = || self.operation.operands.iter().filter_map(|id| self.row(*id, kind));
        match (self.operation.logic, self.origin.operand) {
            (_, Operand::Between(i, j)) => {
                let input = self.row(self.tensor(Operand::Argument(i)), Kind::Input);
                let output = self.row(self.tensor(Operand::Argument(j)), Kind::Output);
                input.into_iter().chain(output).collect()
            }
            (Logic::Pointwise | Logic::Compose | Logic::ComposeAccumulate, _) => {
                operands().chain(self.row(self.operation.result, kind)).collect()
            }
            _ => self.row(self.tensor(self.origin.operand), kind).into_iter().collect(),
        }
    }

    fn side(&self, (id, kind, _): Candidate<'_>, axis: Option<Place>, value: String) -> Side {
        let made = self.generated.tensors.get(id).is_some_and(|tensor| tensor.by.is_some());
        Side { tensor: words().tensor(self.generated, id), id, kind, axis, value, made }
    }

    fn of_dim(&self, row: Candidate<'_>, at: &Known) -> Option<Side> {
        let DimTerm::Dim(dim) = at.dim else { return None };
        Some(self.side(row, Some(at.place()?), self.names.show(&dim).to_string()))
    }

    fn sizes(&self, a: Dim, b: Dim) -> Option<[Side; 2]> {
        if let Some(label) = self.label.filter(|_| self.operation.spec.is_some()) {
            return self.labelled(label, a, b);
        }
        let rows = self.rows();
        for (i, one) in rows.iter().enumerate() {
            for other in &rows[i + 1..] {
                for x in known(one.2) {
                    for y in known(other.2).iter().filter(|y| x.meets(one.2, (other.2, y))) {
                        let (x_is, y_is) = (x.dim, y.dim);
                        let pair = |a: Dim, b: Dim| x_is == DimTerm::Dim(a) && y_is == DimTerm::Dim(b);
                        if pair(a, b) || pair(b, a) {
                            return Some([self.of_dim(*one, &x)?, self.of_dim(*other, y)?]);
                        }
                    }
                }
            }
        }
        None
    }

    /// The axes of a label in the slots of the specification.
    fn labelled(&self, label: &str, a: Dim, b: Dim) -> Option<[Side; 2]> {
        let spec = &self.operation.spec.as_ref()?.spec;
        let ids = self.operation.operands.iter().chain([&self.operation.result]);
        let mut found: Vec<(Dim, Side)> = Vec::new();
        for (slot, id) in spec.slots().zip(ids) {
            for kind in Kind::ALL {
                let Some(row) = self.row(*id, kind) else { continue };
                let axes = known(row.2);
                for place in places(slot.row(kind), label) {
                    let at = axes.iter().find(|axis| match place {
                        Place::Front(n) => axis.front == Some(n - 1),
                        Place::Back(n) => axis.back == Some(n - 1),
                    });
                    if let Some(at) = at
                        && let DimTerm::Dim(dim) = at.dim
                    {
                        found.extend(self.of_dim(row, at).map(|side| (dim, side)));
                    }
                }
            }
        }
        let of = |wanted: Dim| found.iter().find(|(dim, _)| *dim == wanted).map(|(_, side)| side.clone());
        Some([of(a)?, of(b)?])
    }

    /// A row and its slot, or the two rows of a composition, with how many axes they have.
    fn ranks(&self) -> Option<[Side; 2]> {
        let rows = self.rows();
        let count = |row: &RowTerm| match row.var {
            None => axes(row.known_rank()),
            Some(_) => format!("at least {}", axes(row.known_rank())),
        };
        let [one, other, ..] = rows.as_slice() else { return None };
        let differ = one.2.known_rank() != other.2.known_rank();
        differ.then(|| [one, other].map(|row| self.side(*row, None, count(row.2))))
    }
}

/// Where a label stands in a row of a slot.
fn places(row: &SpecRow, label: &str) -> Vec<Place> {
    let is = |axis: &Axis| matches!(axis, Axis::Label(name) if name == label);
    let lead = row.lead.iter().enumerate().filter(|(_, axis)| is(axis)).map(|(i, _)| Place::Front(i + 1));
    let last = row.trail.len();
    let trail = row.trail.iter().enumerate().filter(|(_, axis)| is(axis)).map(|(i, _)| Place::Back(last - i));
    lead.chain(trail).collect()
}

/// `1 axis`, `3 axes`.
pub(super) fn axes(n: usize) -> String {
    format!("{n} {}", if n == 1 { "axis" } else { "axes" })
}
