//! Turns at which nothing is computed (§8): the result has the part of a concatenation whose turn it is, and an operand does
//! not; in a block, none does. Such a part runs over nothing, so that no cell counts as written for it.

use crate::generate::Logic;
use lozenge_calculus::projection::record::{Label, MapAxis, Projections, Slot};

/// Takes these turns away. In a block every operand has turns of its own.
pub(super) fn without_idle_turns(record: &mut Projections, logic: Logic) {
    for group in record.coupled.clone() {
        for part in &group {
            let absent = |map: &[MapAxis]| map.iter().any(|axis| lacks(&axis.label, &group, *part));
            let mut operands = record.rhs.iter();
            let idle = match logic {
                Logic::Block => operands.all(|map| absent(map)),
                _ => operands.any(|map| absent(map)),
            };
            if idle && !absent(record.map(Slot::Lhs)) {
                record.loops[*part].size = 0;
            }
        }
    }
}

/// Is there no index of this label when this part of a group has its turn?
pub(super) fn lacks(label: &Label, group: &[usize], part: usize) -> bool {
    let other = |j: &usize| group.contains(j) && *j != part;
    match label {
        Label::Iter(j) => other(j),
        Label::At(_) => false,
        Label::Affine(affine) => affine.terms.iter().any(|(_, j)| other(j)),
        Label::Concat(parts) => parts.iter().any(|(j, _)| other(j)) && !parts.iter().any(|(j, _)| *j == part),
    }
}

/// Does a part of this concatenation begin where the sizes of the loops do not say? One before it has no turn then.
#[must_use]
pub fn has_idle_part(record: &Projections, parts: &[(usize, u64)]) -> bool {
    let mut end = 0;
    parts.iter().any(|(i, start)| {
        let begins = end;
        end += record.loops.get(*i).map_or(0, |it| it.size);
        *start != begins
    })
}
