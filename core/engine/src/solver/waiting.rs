//! What waits in Φ. A rule emits dimension constraints by the million, and rows come back only when a variable is bound; so
//! the former are kept as they are, and the latter behind a pointer.

use super::bindings::Instance;
use super::list::{Short, short};
use super::store::Cap;
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::policy::Strategy;
use lozenge_calculus::solver::queue::Queue;
use lozenge_calculus::term::{DimTerm, RowTerm};
use std::borrow::Cow;
use std::collections::VecDeque;

/// A constraint in flight.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// What it is under σ, once σ is applied.
    pub(super) instance: Instance,
    pub(super) node: usize,
}

impl Item {
    pub(super) fn new(phi: Constraint, node: usize, tainted: bool) -> Self {
        Item { instance: Instance::new(phi, tainted), node }
    }
}

/// s = t, or s ⊑ t, in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dims {
    pub(super) equal: bool,
    pub(super) s: DimTerm,
    pub(super) t: DimTerm,
    pub(super) node: u32,
    pub(super) tainted: bool,
}

impl Dims {
    /// A constraint of the input, by its number.
    pub(super) fn read(equal: bool, s: DimTerm, t: DimTerm, node: usize) -> Self {
        Dims { equal, s, t, node: short(node), tainted: false }
    }

    /// φ.
    pub(super) fn phi(&self) -> Constraint {
        if self.equal { Constraint::DimEq(self.s, self.t) } else { Constraint::DimLe(self.s, self.t) }
    }

    /// Taken out, to be processed.
    pub(super) fn item(&self) -> Item {
        Item::new(self.phi(), self.node as usize, self.tainted)
    }
}

/// R = R′, or R ⊑ R′, in flight where no derivation is kept. What σ leaves alone is not copied.
#[derive(Clone, Debug)]
pub(super) struct Rows<'n> {
    pub(super) equal: bool,
    pub(super) s: Cow<'n, RowTerm>,
    pub(super) t: Cow<'n, RowTerm>,
    pub(super) node: usize,
    pub(super) tainted: bool,
}

impl<'n> Rows<'n> {
    /// A constraint of the input, by its number.
    #[inline]
    pub(super) fn read(equal: bool, s: &'n RowTerm, t: &'n RowTerm, node: usize) -> Self {
        Rows { equal, s: Cow::Borrowed(s), t: Cow::Borrowed(t), node, tainted: false }
    }

    /// A constraint that has waited.
    fn taken(Item { instance, node }: Item) -> Option<Self> {
        let tainted = instance.tainted;
        let rows = |equal, s, t| Some(Rows { equal, s: Cow::Owned(s), t: Cow::Owned(t), node, tainted });
        match instance.phi {
            Constraint::RowEq(s, t) => rows(true, s, t),
            Constraint::RowLe(s, t) => rows(false, s, t),
            Constraint::DimEq(..) | Constraint::DimLe(..) => None,
        }
    }

    /// R ⊑ ⟨ρ⟩, back from the store.
    pub(super) fn capped(cap: Cap, by: Short) -> Self {
        let ((res, on), node) = (cap.into_rows(), by.node());
        Rows { equal: false, s: Cow::Owned(res), t: Cow::Owned(on.into()), node, tainted: by.tainted() }
    }

    fn phi(&self) -> Constraint {
        let (s, t) = (RowTerm::clone(&self.s), RowTerm::clone(&self.t));
        if self.equal { Constraint::RowEq(s, t) } else { Constraint::RowLe(s, t) }
    }

    /// The same as an item.
    pub(super) fn item(&self) -> Item {
        Item::new(self.phi(), self.node, self.tainted)
    }
}

/// What is taken next: σ is still to be applied.
#[derive(Clone, Debug)]
pub(super) enum Next<'n> {
    Dims(Dims),
    Rows(Rows<'n>),
    /// Rows where a derivation is kept.
    Item(Item),
}

impl<'n> Next<'n> {
    /// A constraint that is read where it stands.
    pub(super) fn read(phi: &'n Constraint, node: usize) -> Self {
        match phi {
            Constraint::DimEq(s, t) => Next::Dims(Dims::read(true, *s, *t, node)),
            Constraint::DimLe(s, t) => Next::Dims(Dims::read(false, *s, *t, node)),
            Constraint::RowEq(s, t) => Next::Rows(Rows::read(true, s, t, node)),
            Constraint::RowLe(s, t) => Next::Rows(Rows::read(false, s, t, node)),
        }
    }

    fn phi(&self) -> Constraint {
        match self {
            Next::Dims(dims) => dims.phi(),
            Next::Rows(rows) => rows.phi(),
            Next::Item(item) => item.instance.phi.clone(),
        }
    }
}

/// A constraint that waits.
#[derive(Clone, Debug)]
pub(super) enum Waiting {
    /// Between dimensions.
    Dims(Dims),
    /// A cap that is back from the store.
    Cap(Cap, Short),
    /// Between rows.
    Rows(Box<Item>),
}

impl Waiting {
    /// φ, as it was emitted.
    #[inline]
    pub(super) fn new(phi: Constraint, node: usize, tainted: bool) -> Self {
        match phi {
            Constraint::DimEq(s, t) => Waiting::equal(s, t, node, tainted),
            Constraint::DimLe(s, t) => Waiting::Dims(Dims { equal: false, s, t, node: short(node), tainted }),
            rows => Waiting::Rows(Box::new(Item::new(rows, node, tainted))),
        }
    }

    /// s ⊑ t, where no derivation is kept.
    #[inline]
    pub(super) fn below(s: DimTerm, t: DimTerm, tainted: bool) -> Self {
        Waiting::Dims(Dims { equal: false, s, t, node: 0, tainted })
    }

    /// s = t.
    #[inline]
    pub(super) fn equal(s: DimTerm, t: DimTerm, node: usize, tainted: bool) -> Self {
        Waiting::Dims(Dims { equal: !mutant::is(Mutant::WaitingEqual), s, t, node: short(node), tainted })
    }

    /// Taken out, to be processed, where no derivation is kept.
    pub(super) fn next<'n>(self) -> Option<Next<'n>> {
        match self {
            Waiting::Dims(dims) => Some(Next::Dims(dims)),
            rows => rows.rows().map(Next::Rows),
        }
    }

    /// The same of what is between rows.
    fn rows<'n>(self) -> Option<Rows<'n>> {
        match self {
            Waiting::Dims(_) => None,
            Waiting::Cap(cap, by) => Some(Rows::capped(cap, by)),
            Waiting::Rows(item) => Rows::taken(*item),
        }
    }

    /// The same as an item.
    pub(super) fn item(self) -> Item {
        match self {
            Waiting::Dims(dims) => dims.item(),
            Waiting::Cap(cap, by) => Item::new(cap.constraint(), by.node(), by.tainted()),
            Waiting::Rows(item) => *item,
        }
    }

    /// φ.
    fn phi(&self) -> Constraint {
        match self {
            Waiting::Dims(dims) => dims.phi(),
            Waiting::Cap(cap, _) => cap.clone().constraint(),
            Waiting::Rows(item) => item.instance.phi.clone(),
        }
    }
}

/// How many constraints are in one piece of a queue.
const PIECE: usize = 4096;

/// What was emitted and is not taken: first in, first out in pieces, so that a long queue is never moved; under any other
/// strategy the calculus's own queue.
#[derive(Debug)]
pub(super) struct Emitted<'n> {
    /// What is processed again before anything else.
    again: Option<Next<'n>>,
    /// First in, first out: what is next, and full pieces after it.
    first: VecDeque<Waiting>,
    later: VecDeque<VecDeque<Waiting>>,
    /// Any other strategy.
    other: Option<Queue<Waiting>>,
}

impl<'n> Emitted<'n> {
    pub(super) fn new(strategy: Strategy, items: impl IntoIterator<Item = Waiting>) -> Self {
        let other = (strategy != Strategy::Fifo).then(|| Queue::new(strategy, items));
        Emitted { again: None, first: VecDeque::new(), later: VecDeque::new(), other }
    }

    pub(super) fn is_empty(&self) -> bool {
        let others = self.other.as_ref().is_none_or(Queue::is_empty);
        self.again.is_none() && self.first.is_empty() && others
    }

    /// Everything that waits, as it was emitted, in no order that matters.
    pub(super) fn iter(&self) -> impl Iterator<Item = Constraint> {
        self.again.iter().map(Next::phi).chain(self.waiting().map(Waiting::phi))
    }

    /// How many wait, but for what is processed again.
    pub(super) fn len(&self) -> usize {
        let later: usize = self.later.iter().map(VecDeque::len).sum();
        self.first.len() + later + self.other.as_ref().map_or(0, Queue::len)
    }

    /// Of what waits, s ⊑ t, in no order that matters.
    pub(super) fn below(&self) -> impl Iterator<Item = (DimTerm, DimTerm)> {
        self.waiting().filter_map(|waiting| match waiting {
            Waiting::Dims(Dims { equal: false, s, t, .. }) => Some((*s, *t)),
            _ => None,
        })
    }

    fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        let pieces = self.first.iter().chain(self.later.iter().flatten());
        pieces.chain(self.other.iter().flat_map(Queue::iter))
    }

    #[inline]
    pub(super) fn push(&mut self, item: Waiting) {
        match &mut self.other {
            None if self.later.is_empty() && self.first.len() < PIECE => self.first.push_back(item),
            None => self.push_later(item),
            Some(queue) => queue.push(item),
        }
    }

    #[cold]
    fn push_later(&mut self, item: Waiting) {
        match self.later.back_mut().filter(|piece| piece.len() < PIECE) {
            Some(piece) => piece.push_back(item),
            None => {
                let mut piece = VecDeque::with_capacity(PIECE);
                piece.push_back(item);
                self.later.push_back(piece);
            }
        }
    }

    /// Some of what comes next, first in, first out.
    pub(super) fn ahead(&self) -> &VecDeque<Waiting> {
        &self.first
    }

    /// Puts a constraint before all others.
    pub(super) fn push_again(&mut self, item: Next<'n>) {
        debug_assert!(self.again.is_none(), "what is processed again is taken at once");
        self.again = Some(item);
    }

    /// What is to be processed before all others.
    #[inline]
    pub(super) fn pop_again(&mut self) -> Option<Next<'n>> {
        self.again.take()
    }

    #[inline]
    pub(super) fn has_again(&self) -> bool {
        self.again.is_some()
    }

    /// The next constraint, if it is one between dimensions and that is quickly seen.
    #[inline]
    pub(super) fn pop_dims(&mut self) -> Option<Dims> {
        // Under another strategy nothing is here.
        let Some(Waiting::Dims(dims)) = self.first.front() else { return None };
        let dims = *dims;
        self.first.pop_front();
        Some(dims)
    }

    /// The next constraint, if it is one between rows and that is quickly seen; where no derivation is kept.
    #[inline]
    pub(super) fn pop_rows(&mut self) -> Option<Rows<'n>> {
        // Under another strategy nothing is here.
        match self.first.front() {
            Some(Waiting::Cap(..) | Waiting::Rows(_)) => self.first.pop_front().and_then(Waiting::rows),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        if let Some(queue) = &mut self.other {
            return queue.pop();
        }
        if let Some(item) = self.first.pop_front() {
            return Some(item);
        }
        self.first = self.later.pop_front()?;
        self.first.pop_front()
    }
}
