//! Def. 4.5 to the letter: total ranks, weights ≥ 0, three kinds of facts. It is neither sound nor enough for
//! termination (spec/findings/F1.md, F2.md); [`signed`](super::signed) repairs it.
//!
//! Chapter: spec/4-solver.md.

use super::{Difference, length};
use crate::term::{RowTerm, RowVar};

/// What R_res ⊑ R_op records.
#[must_use]
pub fn of_inequality(res: &RowTerm, op: &RowTerm) -> Option<Difference<1>> {
    let (greater, lesser) = (Some(res.var?), Some(op.var?));
    let lead = length(&op.lead) - length(&res.lead);
    let trail = length(&op.trail) - length(&res.trail);
    let weight = match (lead, trail) {
        (0, 0) => 0,                                              // (ii) equal flanks
        _ if lead > 0 || trail > 0 => lead.max(0) + trail.max(0), // (iii) deficit
        _ => return None,                                         // a surplus records nothing
    };
    Some(Difference { greater, lesser, weights: [weight] })
}

/// What the binding ρ ↦ l·⟨ρ′⟩·r records.
#[must_use]
pub fn of_binding(var: RowVar, to: &RowTerm) -> Option<Difference<1>> {
    let weight = length(&to.lead) + length(&to.trail); // (i) one direction: said to suffice (spec/findings/F46.md)
    Some(Difference { greater: Some(var), lesser: Some(to.var?), weights: [weight] })
}
