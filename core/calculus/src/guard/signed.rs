//! R1, the repair of Def. 4.5: leading and trailing lengths apart, with their signs, in every case. Every fact is
//! entailed by the constraint it comes from (Def. 2.3), and every run ends.
//!
//! Chapter: spec/4-solver.md.

use super::{Difference, length};
use crate::term::{RowTerm, RowVar};

/// What R_res ⊑ R_op says about leading and trailing lengths. Of two closed rows the rule itself compares them.
#[must_use]
pub fn of_inequality(res: &RowTerm, op: &RowTerm) -> Option<Difference<2>> {
    if res.is_closed() && op.is_closed() {
        return None;
    }
    let weights = [length(&op.lead) - length(&res.lead), length(&op.trail) - length(&res.trail)];
    Some(Difference { greater: res.var, lesser: op.var, weights })
}

/// What the binding ρ ↦ l·⟨ρ′⟩·r says: an equality of lengths, in both directions.
#[must_use]
pub fn of_binding(var: RowVar, to: &RowTerm) -> [Difference<2>; 2] {
    let (lead, trail) = (length(&to.lead), length(&to.trail));
    [
        Difference { greater: Some(var), lesser: to.var, weights: [lead, trail] },
        Difference { greater: to.var, lesser: Some(var), weights: [-lead, -trail] },
    ]
}
