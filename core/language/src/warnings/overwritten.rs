//! Warnings about assignments that write a cell several times, of which only the last stays.

use super::stretched::called;
use super::{Warning, WarningCode, nests};
use crate::Inference;
use crate::ast::Accumulate;
use crate::generate::{Logic, Operation};
use crate::projection::Writes;

/// `=:` over a reduction axis (Def. 7.5): every value of it replaces the one before.
pub(super) fn overwritten(inferred: &Inference) -> Vec<Warning> {
    let operations = &inferred.generated.operations;
    if !operations.iter().any(may_replace) {
        return Vec::new();
    }
    // What has no loop nest is an error where one is asked for.
    let Ok(projected) = nests(inferred) else { return Vec::new() };
    let mut found = Vec::new();
    for (op, nest) in operations.iter().zip(&projected).filter(|(op, _)| may_replace(op)) {
        let record = &nest.record;
        let sizes = record.reductions().into_iter().map(|i| u128::from(record.loops[i].size));
        let times = sizes.fold(1_u128, u128::saturating_mul);
        if times > 1 {
            let name = called(inferred, op.result, "the result");
            let which = match Writes::of(record, op.logic).surjective {
                true => format!("each element of {name} is"),
                false => format!("some elements of {name} are"),
            };
            found.push(last_stays(&which, times, op));
        }
    }
    found
}

/// Is this an assignment that replaces, of a logic that can have reduction axes?
fn may_replace(op: &Operation) -> bool {
    op.accumulate == Accumulate::Replace && !matches!(op.logic, Logic::Pointwise | Logic::Transpose | Logic::Slice)
}

fn last_stays(which: &str, times: u128, op: &Operation) -> Warning {
    let message = format!("{which} written {times} times, and the last value stays");
    let help = "write `=:+` for the sum of the values, `=:@^` for the largest; to mean the last one, write its index in the specification";
    Warning::new(WarningCode::Overwritten, op.span, message, help)
}
