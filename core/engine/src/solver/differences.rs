//! Facts x ≥ y + k over the natural numbers, kept satisfiable one by one.
//!
//! By Prop. 4.6 such facts have a solution iff they have no cycle of positive weight. The least
//! solution is kept and repaired when a fact is added, largest raise first, so that each variable is
//! visited at most once (Cotton and Maler, 2006); a fact that would raise what it rests on closes a
//! positive cycle.
//!
//! The two flanks of a row say two facts about the same two variables. So there may be several graphs over one
//! list of edges, with a weight in each; apart from that they have nothing to do with each other.

mod again;
mod repair;

pub use again::Stretch;

use super::list::{END, Link, short, slot};
use super::table::Table;
use crate::mutant::{self, Mutant};
use lozenge_calculus::guard::{Fact, Vertex};
use lozenge_calculus::internal::broken;
use lozenge_calculus::term::RowVar;
use std::collections::BinaryHeap;

/// Facts about the same two variables, one for each graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge<const N: usize> {
    /// x
    pub greater: Vertex,
    /// y
    pub lesser: Vertex,
    /// k, in each graph.
    pub weights: [i64; N],
    /// The step that recorded them.
    pub step: usize,
    /// Do they rest on a placement?
    pub tainted: bool,
}

/// A variable: in each graph its least value, and the edges it takes part in.
#[derive(Clone, Copy, Debug)]
struct Place<const N: usize> {
    values: [i32; N],
    /// The edge that each value rests on; [`END`] where it rests on 0.
    through: [Link; N],
    /// The last edge whose lesser side is this variable; each leads to the one before. [`END`] or, where this variable
    /// is part of no edge at all, [`NOWHERE`].
    last: Link,
}

/// No edge, of a variable that is part of none.
const NOWHERE: Link = END - 1;

impl<const N: usize> Place<N> {
    const AT_ZERO: Self = Place { values: [0; N], through: [END; N], last: NOWHERE };
}

/// An edge with its vertices by number, [`END`] for 0, and the one before with the same lesser side. There is one for
/// every step that touches a row, so it is kept small.
#[derive(Clone, Copy, Debug)]
struct Kept<const N: usize> {
    weights: [i32; N],
    /// Twice the step, and one more if it is tainted.
    step: u32,
    greater: u32,
    lesser: u32,
    before: Link,
}

/// A weight or a least value: both count axes that are written somewhere.
fn small(axes: i64) -> i32 {
    i32::try_from(axes).unwrap_or_else(|_| broken("rows have fewer than 2³¹ axes", axes.to_string()))
}

impl<const N: usize> Kept<N> {
    fn new(Edge { greater, lesser, weights, step, tainted }: Edge<N>) -> Self {
        let number = |x: Vertex| x.map_or(END, |RowVar(id)| id);
        let (weights, step) = (weights.map(small), short(2 * step + usize::from(tainted)));
        Kept { weights, step, greater: number(greater), lesser: number(lesser), before: END }
    }

    fn fact(&self, graph: usize) -> Fact {
        let vertex = |id: u32| (id != END).then_some(RowVar(id));
        let Kept { weights, step, greater, lesser, .. } = *self;
        let (greater, lesser) = (vertex(greater), vertex(lesser));
        Fact { greater, lesser, weight: weights[graph].into(), step: (step / 2) as usize, tainted: step % 2 == 1 }
    }
}

/// Facts without a positive cycle, and their least solution, in each of N graphs.
#[derive(Clone, Debug)]
pub struct Differences<const N: usize = 1> {
    kept: Vec<Kept<N>>,
    /// How many of the edges each graph has taken up.
    taken: [Link; N],
    /// The variables, by number.
    places: Vec<Place<N>>,
    /// How many edges repairs have looked at since it was asked.
    looks: u64,
    /// What a repair works with, empty between repairs.
    wanted: Table<RowVar, (i64, usize)>,
    heap: BinaryHeap<(i64, RowVar)>,
    violated: Vec<usize>,
}

impl<const N: usize> Default for Differences<N> {
    fn default() -> Self {
        Differences::new(0)
    }
}

impl Differences {
    /// The least value of a variable in a solution of the facts.
    #[must_use]
    pub fn value(&self, x: Vertex) -> i64 {
        self.value_in(0, x)
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// The facts of a cycle of positive weight, untainted ones where there is such a cycle.
    pub fn add(&mut self, Fact { greater, lesser, weight, step, tainted }: Fact) -> Result<(), Vec<Fact>> {
        self.add_edges([Edge { greater, lesser, weights: [weight], step, tainted }]).map_err(|(_, cycle)| cycle)
    }
}

impl<const N: usize> Differences<N> {
    /// No facts, with room for the values of so many variables and some edges of each.
    #[must_use]
    pub fn new(room: usize) -> Self {
        Differences {
            kept: Vec::with_capacity(3 * room / 2),
            taken: [0; N],
            places: Vec::with_capacity(room),
            looks: 0,
            wanted: Table::default(),
            heap: BinaryHeap::new(),
            violated: Vec::new(),
        }
    }

    /// The least values of a variable.
    pub(super) fn values(&self, x: RowVar) -> [i64; N] {
        std::array::from_fn(|graph| self.value_in(graph, Some(x)))
    }

    fn value_in(&self, graph: usize, x: Vertex) -> i64 {
        x.and_then(|v| self.places.get(v.0 as usize)).map_or(0, |place| place.values[graph].into())
    }

    /// How many edges repairs have looked at since this was last asked: what repairing costs.
    pub fn take_looks(&mut self) -> u64 {
        std::mem::take(&mut self.looks)
    }

    /// The facts of a graph, in the order they came.
    pub fn facts(&self, graph: usize) -> impl DoubleEndedIterator<Item = Fact> {
        self.kept[..self.taken[graph] as usize].iter().map(move |kept| kept.fact(graph))
    }

    fn place(&mut self, RowVar(id): RowVar) -> &mut Place<N> {
        slot(&mut self.places, id, || Place::AT_ZERO)
    }

    /// Is there an edge that this variable is part of?
    #[must_use]
    pub fn mentions(&self, RowVar(id): RowVar) -> bool {
        self.places.get(id as usize).is_some_and(|place| place.last != NOWHERE)
    }

    /// Writes edges down that cannot matter: one of their variables is part of no other edge, and will be part of none.
    pub fn note<const M: usize>(&mut self, edges: [Edge<N>; M]) {
        self.kept.extend(edges.map(Kept::new));
        self.take_all();
    }

    fn take_all(&mut self) {
        self.taken = [short(self.kept.len()); N];
    }

    /// Adds edges: graph by graph, the fact of each in turn.
    ///
    /// # Errors
    /// The first graph where they close a cycle of positive weight, and its facts, untainted ones where there is such
    /// a cycle.
    pub fn add_edges<const M: usize>(&mut self, edges: [Edge<N>; M]) -> Result<(), (usize, Vec<Fact>)> {
        let first = self.kept.len();
        let mut hold = true;
        for edge in edges {
            hold &= self.push(edge);
        }
        if hold {
            self.take_all();
            return Ok(());
        }
        self.take(first)
    }

    /// Writes an edge down; do its facts hold of the values as they are?
    fn push(&mut self, edge: Edge<N>) -> bool {
        let mut kept = Kept::new(edge);
        let mut least = [0; N];
        if let Some(y) = edge.lesser {
            let number = short(self.kept.len());
            let place = self.place(y);
            least = place.values;
            kept.before = std::mem::replace(&mut place.last, number);
        }
        self.kept.push(kept);
        let greater = edge.greater.map_or([0; N], |x| {
            let place = self.place(x);
            if place.last == NOWHERE {
                place.last = END;
            }
            place.values
        });
        let weight = |graph: usize| edge.weights[if mutant::is(Mutant::GuardTrail) { 0 } else { graph }];
        (0..N).all(|graph| i64::from(least[graph]) + weight(graph) <= greater[graph].into())
    }

    /// Takes the edges from this one on up into each graph.
    #[cold]
    fn take(&mut self, first: usize) -> Result<(), (usize, Vec<Fact>)> {
        for graph in 0..N {
            for edge in first..self.kept.len() {
                self.taken[graph] = short(edge + 1);
                let Fact { greater, lesser, weight, .. } = self.fact(graph, edge);
                let needed = self.value_in(graph, lesser) + weight;
                if needed > self.value_in(graph, greater) && !self.raise(graph, edge, needed) {
                    let repaired = self.repair(graph, edge);
                    repaired.map_err(|cycle| (graph, self.preferably_untainted(graph, cycle)))?;
                }
            }
        }
        Ok(())
    }

    fn fact(&self, graph: usize, number: usize) -> Fact {
        self.kept[number].fact(graph)
    }
}
