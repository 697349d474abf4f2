//! What follows from one row constraint: pure functions that builder and checker read alike.
//!
//! Document: spec/certificates.md.

use super::{Edge, LineClaim};
use crate::constraint::Constraint;
use crate::term::{DimTerm, RowTerm, RowVar};

/// The axis of a list with this number from one end.
fn nth(axes: &[DimTerm], edge: Edge, index: usize) -> Option<DimTerm> {
    match edge {
        Edge::Front => axes.get(index).copied(),
        Edge::Back => axes.get(axes.len().checked_sub(index)?.checked_sub(1)?).copied(),
    }
}

/// The axis with this number from one end: any of a closed row, one of the flank of an open one.
fn known(row: &RowTerm, edge: Edge, index: usize) -> Option<DimTerm> {
    let (near, far) = match edge {
        Edge::Front => (&row.lead, &row.trail),
        Edge::Back => (&row.trail, &row.lead),
    };
    match index.checked_sub(near.len()) {
        None => nth(near, edge, index),
        Some(further) if row.is_closed() => nth(far, edge, further),
        Some(_) => None,
    }
}

/// One flank.
fn flank(row: &RowTerm, edge: Edge) -> &[DimTerm] {
    match edge {
        Edge::Front => &row.lead,
        Edge::Back => &row.trail,
    }
}

/// R₁ ≈ R₂ makes the axes with one number from one end equal.
pub(super) fn zipped(phi: &Constraint, edge: Edge, index: usize) -> Option<(DimTerm, DimTerm)> {
    let Constraint::RowEq(r1, r2) = phi else { return None };
    Some((known(r1, edge, index)?, known(r2, edge, index)?))
}

/// R₂ ⊑ R₁ puts the axes with one number in one flank in order.
pub(super) fn aligned(phi: &Constraint, edge: Edge, index: usize) -> Option<Constraint> {
    let Constraint::RowLe(res, op) = phi else { return None };
    Some(Constraint::DimLe(nth(flank(res, edge), edge, index)?, nth(flank(op, edge), edge, index)?))
}

/// A row without so many axes at both ends. A closed row is cut as a word; its marker goes to the left.
fn cut(row: &RowTerm, front: usize, back: usize) -> Option<RowTerm> {
    if row.var.is_some() {
        let trail = row.trail.len().checked_sub(back)?;
        return Some(RowTerm::new(row.lead.get(front..)?.to_vec(), row.var, row.trail[..trail].to_vec()));
    }
    let left = row.known_rank().checked_sub(front)?.checked_sub(back)?;
    let word = row.lead.iter().chain(row.trail.iter());
    Some(RowTerm::new(Vec::new(), None, word.skip(front).take(left).copied().collect::<Vec<_>>()))
}

/// R₁ ≈ R₂ without so many axes at both ends of both.
pub(super) fn stripped(phi: &Constraint, front: usize, back: usize) -> Option<(RowTerm, RowTerm)> {
    let Constraint::RowEq(r1, r2) = phi else { return None };
    Some((cut(r1, front, back)?, cut(r2, front, back)?))
}

/// R₂ ⊑ l·⟨ρ⟩·r: what R₂ has inside is below ⟨ρ⟩.
pub(super) fn residue(phi: &Constraint) -> Option<Constraint> {
    let Constraint::RowLe(res, op) = phi else { return None };
    let var = op.var?;
    let lead = res.lead.get(op.lead.len()..)?.to_vec();
    let trail = res.trail.get(..res.trail.len().checked_sub(op.trail.len())?)?.to_vec();
    Some(Constraint::RowLe(RowTerm::new(lead, res.var, trail), var.into()))
}

/// A fact about the lengths of one flank: greater ≥ lesser + weight, `None` standing for 0.
pub(super) type LengthFact = (Option<RowVar>, Option<RowVar>, i64);

/// What a line says about the lengths of one flank.
pub(super) fn fact(claim: &LineClaim, edge: Edge, backwards: bool) -> Option<LengthFact> {
    let length = |row: &RowTerm| i64::try_from(flank(row, edge).len()).ok();
    match claim {
        LineClaim::Holds(Constraint::RowLe(res, op)) if !backwards => {
            Some((res.var, op.var, length(op)? - length(res)?))
        }
        LineClaim::Is(var, row) if !backwards => Some((Some(*var), row.var, length(row)?)),
        LineClaim::Is(var, row) => Some((row.var, Some(*var), -length(row)?)),
        LineClaim::Holds(_) => None,
    }
}
