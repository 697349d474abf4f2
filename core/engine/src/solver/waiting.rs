//! What waits in Φ. A rule emits dimension constraints by the million, and rows come back only when a variable is bound; so
//! the former are kept as they are, and the latter behind a pointer.

use super::bindings::Instance;
use super::list::short;
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Sort;
use lozenge_calculus::term::DimTerm;

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

/// A constraint that waits.
#[derive(Clone, Debug)]
pub(super) enum Waiting {
    /// s = t, or s ⊑ t.
    Dims { equal: bool, s: DimTerm, t: DimTerm, node: u32, tainted: bool },
    /// Between rows.
    Rows(Box<Item>),
}

impl Waiting {
    /// φ, as it was emitted.
    pub(super) fn new(phi: Constraint, node: usize, tainted: bool) -> Self {
        match phi {
            Constraint::DimEq(s, t) => Waiting::Dims { equal: true, s, t, node: short(node), tainted },
            Constraint::DimLe(s, t) => Waiting::Dims { equal: false, s, t, node: short(node), tainted },
            rows => Waiting::Rows(Box::new(Item::new(rows, node, tainted))),
        }
    }

    /// A constraint that is put back before σ was applied to it.
    pub(super) fn again(item: Item) -> Self {
        debug_assert!(item.instance.used().is_empty() && item.instance.phi.sort() == Sort::Row);
        Waiting::Rows(Box::new(item))
    }

    /// φ.
    pub(super) fn phi(&self) -> Constraint {
        match self {
            Waiting::Dims { equal: true, s, t, .. } => Constraint::DimEq(*s, *t),
            Waiting::Dims { equal: false, s, t, .. } => Constraint::DimLe(*s, *t),
            Waiting::Rows(item) => item.instance.phi.clone(),
        }
    }

    /// Taken out, to be processed.
    pub(super) fn take(self) -> Item {
        match self {
            Waiting::Dims { equal, s, t, node, tainted } => {
                let phi = if equal && !mutant::is(Mutant::WaitingEqual) {
                    Constraint::DimEq(s, t)
                } else {
                    Constraint::DimLe(s, t)
                };
                Item::new(phi, node as usize, tainted)
            }
            Waiting::Rows(item) => *item,
        }
    }
}
