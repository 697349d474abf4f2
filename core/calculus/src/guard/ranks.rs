//! Def. 5.2.1: the rank abstraction, what each row constraint says about total ranks.
//!
//! Chapter: spec/5-metatheory.md.

use super::{Fact, positive_cycle};
use crate::constraint::Constraint;
use crate::term::RowTerm;

/// ⌊Φ⌋: the facts rank(x) ≥ rank(y) + k, one for an inequality and two for an equality. `None` is 0, so a
/// closed row gives an absolute bound. `step` is the number of the constraint.
#[must_use]
pub fn rank_abstraction(phi: &[Constraint]) -> Vec<Fact> {
    let fact = |larger: &RowTerm, smaller: &RowTerm, step| {
        let rank = |r: &RowTerm| i64::try_from(r.known_rank()).unwrap_or(i64::MAX);
        let weight = rank(smaller).saturating_sub(rank(larger));
        Fact { greater: larger.var, lesser: smaller.var, weight, step, tainted: false }
    };
    let mut facts = Vec::new();
    for (i, constraint) in phi.iter().enumerate() {
        match constraint {
            Constraint::RowLe(res, op) => facts.push(fact(res, op, i)),
            Constraint::RowEq(r, s) => facts.extend([fact(r, s, i), fact(s, r, i)]),
            Constraint::DimEq(..) | Constraint::DimLe(..) => {}
        }
    }
    facts
}

/// Is there a rank model: ranks for the row variables that satisfy ⌊Φ⌋? Every solution gives one, so
/// without one there is no solution. The converse fails (spec/findings/F3.md).
#[must_use]
pub fn has_rank_model(phi: &[Constraint]) -> bool {
    positive_cycle(&rank_abstraction(phi)).is_none()
}
