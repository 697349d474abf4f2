//! What an operation writes (Prop. 7.6). A point writes one cell, once; in a block it does so once for each operand that
//! has a place there, and not at all where none has.

use super::turns::lacks;
use crate::ast::Accumulate;
use crate::generate::{Logic, Operation};
use lozenge_calculus::projection::record::{MapAxis, Projections};
use std::collections::BTreeSet;

/// The most choices of parts that are looked at.
const CHEAP: usize = 1 << 14;

/// What is known of the cells of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Writes {
    /// Is no cell written twice?
    pub injective: bool,
    /// Is every cell written?
    pub surjective: bool,
}

impl Writes {
    /// Of an operation of this logic.
    #[must_use]
    pub fn of(record: &Projections, logic: Logic) -> Self {
        let (injective, surjective) = (record.is_injective(), record.is_surjective());
        if logic != Logic::Block {
            return Writes { injective, surjective };
        }
        let result = parts_of_result(record);
        let of_result = |map: &Vec<MapAxis>| parts(record, map).iter().zip(&result).map(|(a, b)| a & b).collect();
        let operands: Vec<Parts> = record.rhs.iter().map(of_result).collect();
        let apart = |i: usize, j: usize| operands[i].iter().zip(&operands[j]).any(|(a, b)| a.is_disjoint(b));
        let once = (0..operands.len()).all(|i| (0..i).all(|j| apart(i, j)));
        Writes { injective: injective && once, surjective: surjective && are_all(&operands, &result) }
    }

    /// Prop. 7.6 (iii), as [`Projections::needs_init`] where the neutral element is one on both sides. What replaces
    /// leaves a cell of its own wherever it writes; what joins with the neutral element has to find it.
    #[must_use]
    pub fn needs_init(self, accumulate: Accumulate, erase: bool) -> bool {
        let enough = match accumulate {
            Accumulate::Replace => self.surjective,
            accumulate => accumulate.is_two_sided() && self.surjective && self.injective,
        };
        erase && !enough
    }

    /// Prop. 7.6 (iii), as [`Projections::reads_back`] where the neutral element is one on both sides.
    #[must_use]
    pub fn reads_back(self, accumulate: Accumulate, erase: bool) -> bool {
        accumulate != Accumulate::Replace && !(erase && self.injective && accumulate.is_two_sided())
    }

    /// Can a target that is read as well be read while it is written? It can where every point reads of it the cell that it
    /// writes, no other point does, and nothing was put there before (spec/findings/F65.md). Elsewhere that is not looked at.
    #[must_use]
    pub fn in_place(self, record: &Projections, op: &Operation) -> bool {
        let mut reads = record.rhs.iter().zip(&op.operands).filter(|(_, id)| **id == op.result);
        self.injective && !self.needs_init(op.accumulate, op.erase) && reads.all(|(map, _)| *map == record.lhs)
    }
}

/// For each group of coupled loops, those at whose turn a tensor has a place.
type Parts = Vec<BTreeSet<usize>>;

fn parts(record: &Projections, map: &[MapAxis]) -> Parts {
    let has = |group: &[usize], part: usize| !map.iter().any(|axis| lacks(&axis.label, group, part));
    let of = |group: &Vec<usize>| group.iter().copied().filter(|part| has(group, *part)).collect();
    record.coupled.iter().map(of).collect()
}

/// The same of the result, without parts that run over nothing.
fn parts_of_result(record: &Projections) -> Parts {
    let mut all = parts(record, &record.lhs);
    all.iter_mut().for_each(|group| group.retain(|part| record.loops[*part].size > 0));
    all
}

/// Whatever part of each group has its turn, does some operand have a place? No where there are too many to look at.
fn are_all(operands: &[Parts], result: &Parts) -> bool {
    let choices = result.iter().fold(1_usize, |n, group| n.saturating_mul(group.len()));
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for group in result.iter().filter(|_| choices <= CHEAP) {
        chosen = chosen.iter().flat_map(|before| group.iter().map(|part| [&before[..], &[*part]].concat())).collect();
    }
    let has = |operand: &Parts, turn: &Vec<usize>| operand.iter().zip(turn).all(|(group, part)| group.contains(part));
    choices <= CHEAP && chosen.iter().all(|turn| operands.iter().any(|operand| has(operand, turn)))
}
