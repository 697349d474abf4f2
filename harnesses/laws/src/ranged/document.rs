//! The document's algorithm as it is printed, for the witnesses of F30 to F33. Nothing else uses it.

use lozenge::ranged::{Dim, Range};
use std::collections::BTreeMap;

/// The printed context: a dictionary that is written to and never looked at while unifying.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    bindings: BTreeMap<u32, Dim>,
}

impl Printed {
    /// The printed `resolve`; `None` where it would not end.
    #[must_use]
    pub fn resolve(&self, dim: &Dim) -> Option<Dim> {
        let mut at = dim;
        for _ in 0..=self.bindings.len() {
            let Dim::Var(var) = at else { return Some(at.clone()) };
            match self.bindings.get(&var.id()) {
                Some(next) => at = next,
                None => return Some(at.clone()),
            }
        }
        None
    }

    /// The printed `unify_dims`, case by case in its order; `None` where it fails.
    pub fn unify(&mut self, d1: &Dim, d2: &Dim) -> Option<Dim> {
        match (d1, d2) {
            (Dim::Literal(n), Dim::Literal(m)) => (n == m).then(|| d1.clone()),
            (Dim::Var(var), d) | (d, Dim::Var(var)) => {
                self.bindings.insert(var.id(), d.clone());
                Some(d.clone())
            }
            (Dim::Dynamic, d) | (d, Dim::Dynamic) => Some(d.clone()),
            (Dim::Broadcast, Dim::Literal(_)) => Some(d2.clone()),
            (Dim::Literal(_), Dim::Broadcast) => Some(d1.clone()),
            (Dim::Broadcast, Dim::Broadcast) => Some(Dim::Broadcast),
            (Dim::Named(n1, r1), Dim::Named(n2, r2)) if n1 == n2 => {
                r1.meet(*r2).map(|range| Dim::Named(n1.clone(), range))
            }
            (Dim::Named(_, range), Dim::Literal(v)) if *range != Range::ANY => range.contains(*v).then(|| d2.clone()),
            _ => None,
        }
    }

    /// The printed rule for one column of a broadcast.
    pub fn broadcast(&mut self, column: &[Dim]) -> Option<Dim> {
        let mut non_one: Option<Dim> = None;
        for d in column.iter().filter(|d| !d.is_one()) {
            non_one = Some(match non_one {
                None => d.clone(),
                Some(d2) => self.unify(d, &d2)?,
            });
        }
        Some(non_one.unwrap_or_else(|| super::literal(1)))
    }
}
