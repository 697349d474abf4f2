//! What to write where a parameter's dimension is not specified.

use crate::system::System;
use lozenge::certificate::Edge;
use lozenge::closing::{Closing, Hole, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::solver::Policy;
use lozenge::term::{DimTerm, RowTerm, Var, Vars};

/// The most examples that are tried.
const MOST_TRIED: usize = 8;

/// A constraint that specifies it. It was tried: with it, something else may be missing, but nothing fails.
pub fn example(hole: &Hole, system: &System, tags: &Tags, policy: Policy) -> Option<Constraint> {
    let uses = hole.uses.iter().filter_map(|i| system.phi.get(*i));
    // What it is part of may be mentioned elsewhere.
    let sizes = uses.chain(&system.phi).flat_map(|phi| phi.vars()).filter_map(size);
    let mut examples = row(hole).or_else(|| size(hole.var)).into_iter().chain(sizes);
    examples.by_ref().take(MOST_TRIED).find(|phi| helps(phi, hole, system, tags, policy))
}

/// The size that examples have.
fn three() -> Option<DimTerm> {
    Dim::size(3).ok().map(DimTerm::Dim)
}

/// A dimension variable has a size.
fn size(var: Var) -> Option<Constraint> {
    match var {
        Var::Dim(a) => Some(Constraint::DimEq(a.into(), three()?)),
        Var::Row(_) => None,
    }
}

/// The row has axes up to the one that is missing.
fn row(hole: &Hole) -> Option<Constraint> {
    let (Var::Row(r), Some((edge, i))) = (hole.var, hole.position) else { return None };
    let axes = vec![three()?; i + 1];
    let value = match edge {
        Edge::Front => RowTerm::new(axes, None, []),
        Edge::Back => RowTerm::new([], None, axes),
    };
    Some(Constraint::RowEq(r.into(), value))
}

/// Does closing get further with it?
fn helps(phi: &Constraint, hole: &Hole, system: &System, tags: &Tags, policy: Policy) -> bool {
    let all = [system.phi.as_slice(), std::slice::from_ref(phi)].concat();
    match close(&all, &mut system.names.clone(), tags, policy) {
        Closing::Closed(_) => true,
        Closing::Hole(next) => (next.var, next.position) != (hole.var, hole.position),
        Closing::Unsat(_) | Closing::Rejected(..) | Closing::Limit(_) => false,
    }
}
