//! Def. 4.3, R_res ⊑ R_op: the rules for row inequality, read flank by flank (spec/decisions.md, 3).
//!
//! Chapter: spec/4-solver.md.

use super::{Bind, Bound, Effect, Fired, Fresh, Rule, Why};
use crate::constraint::Constraint;
use crate::term::{Binding, DimTerm, RowTerm, RowVar};

/// The rules for R_res ⊑ R_op. Fresh variables come from `names`.
pub fn row_le(names: &mut impl Fresh, res: &RowTerm, op: &RowTerm) -> Fired {
    let lead = op.lead.len().saturating_sub(res.lead.len());
    let trail = op.trail.len().saturating_sub(res.trail.len());
    match (lead + trail, res.var, op.var) {
        (0, _, Some(var)) => ri_open_op(res, op, var),
        (0, _, None) => ri_closed_op(res, op),
        (_, None, _) => ri_short_closed(lead, trail),
        (_, Some(var), _) => ri_deficit(names, var, lead, trail),
    }
}

/// The outer-aligned dimension inequalities, where the result covers the operand's flanks.
fn aligned(res: &RowTerm, op: &RowTerm) -> Vec<Constraint> {
    let (lead, inner) = (op.lead.len(), res.trail.len() - op.trail.len());
    let at = |i: usize| match i.checked_sub(lead) {
        None => Constraint::DimLe(res.lead[i], op.lead[i]),
        Some(i) => Constraint::DimLe(res.trail[inner + i], op.trail[i]),
    };
    (0..op.known_rank()).map(at).collect()
}

/// What the result has inside the operand's flanks.
fn residue(res: &RowTerm, op: &RowTerm) -> RowTerm {
    let inner = res.trail.len() - op.trail.len();
    RowTerm::new(&res.lead[op.lead.len()..], res.var, &res.trail[..inner])
}

/// RI-cap, case (i): the residue is a cap on the operand's variable. RI-refl: it is that very variable.
fn ri_open_op(res: &RowTerm, op: &RowTerm, var: RowVar) -> Fired {
    let (emit, residue) = (aligned(res, op), residue(res, op));
    if residue.bare() == Some(var) {
        return (Rule::RiRefl, Effect { emit, ..Effect::default() });
    }
    let store = Some(Bound::Cap(residue, var));
    (Rule::RiCap, Effect { emit, store, ..Effect::default() })
}

/// RI-closed-op, case (ii): inside a closed operand's flanks its expansion is 1∅, and anything may be there.
fn ri_closed_op(res: &RowTerm, op: &RowTerm) -> Fired {
    (Rule::RiClosedOp, Effect { emit: aligned(res, op), ..Effect::default() })
}

/// RI-short-closed, case (iii): a closed result cannot grow.
fn ri_short_closed(lead: usize, trail: usize) -> Fired {
    (Rule::RiShortClosed, Effect::fail(Why::Short { lead, trail }))
}

/// RI-deficit, case (iv): ρ_res ↦ α₁…α_kl·⟨ρ′⟩·β₁…β_kr, all fresh, and the constraint is processed again.
fn ri_deficit(names: &mut impl Fresh, var: RowVar, lead: usize, trail: usize) -> Fired {
    let mut fresh = |count: usize| -> Vec<DimTerm> { (0..count).map(|_| names.fresh_dim().into()).collect() };
    let (lead, trail) = (fresh(lead), fresh(trail));
    let to = RowTerm::new(lead, Some(names.fresh_row()), trail);
    let bind = Bind { binding: Binding::Row(var, to), placement: false };
    (Rule::RiDeficit, Effect { bind: Some(bind), again: true, ..Effect::default() })
}
