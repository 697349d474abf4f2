//! ST-cancel: what two size equations share cancels in their difference.
//!
//! d = a + b and e = b + a have the same parts, so d and e have as many elements; 3 = a + b and 5 = b + c + a leave 2 for
//! c. Bounds that are read off one equation at a time see none of it: what is shared lies on a cycle. A difference of
//! equations that hold holds as well, whatever was shared, also where a part is 0. It speaks of numbers of elements only:
//! where a and b are 1∅, d and e may have different bases.

use super::linear::{Linear, Part};
use super::outcome::By;
use super::range::{Read, Relation, Says};
use super::rule::StageRule;
use lozenge_calculus::term::DimVar;
use std::collections::{BTreeMap, BTreeSet};

/// Equations that share fewer unknowns hang together like a tree: their bounds say as much as their difference.
const SHARED: usize = 2;

/// Σ cᵢ·xᵢ + known = 0, each unknown once.
#[derive(Clone, Debug, Default)]
struct Sum {
    unknown: BTreeMap<DimVar, i128>,
    known: i128,
    says: Option<Says>,
}

/// The differences of neighbours among equations that are the same up to one term each, and up to the sign. So there are
/// no more of them than there are terms, and with each other they say what all differences say.
pub(super) fn cancelled(relations: &[Read]) -> Vec<Read> {
    let sums: Vec<Sum> = relations.iter().filter_map(Sum::of).collect();
    let mut prints: Vec<(u128, usize)> = Vec::new();
    for (at, sum) in sums.iter().enumerate() {
        let all = sum.unknown.iter().fold(0_u128, |all, (v, c)| all.wrapping_add(print(*v, *c)));
        prints.push((either_sign(all), at));
        if sum.unknown.len() > SHARED {
            let but_one = sum.unknown.iter().map(|(v, c)| all.wrapping_sub(print(*v, *c)));
            prints.extend(but_one.map(|print| (either_sign(print), at)));
        }
    }
    prints.sort_unstable();
    let neighbours = prints.windows(2).filter_map(|two| match two {
        [(print, i), (other, j)] if print == other && i < j => Some((*i, *j)),
        _ => None,
    });
    // Two that share everything are neighbours several times.
    let pairs: BTreeSet<(usize, usize)> = neighbours.collect();
    pairs.into_iter().filter_map(|(i, j)| sums[j].less(&sums[i])).collect()
}

/// What stands for a term. That of a sum is the sum of these, so that one term can be taken off it. Two sums that have
/// the same by chance have a difference like any others, with more terms: it is dropped.
fn print(v: DimVar, coefficient: i128) -> u128 {
    let mixed = u128::from(v.0).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let mixed = (mixed ^ (mixed >> 61)).wrapping_mul(0xbf58_476d_1ce4_e5b9_94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 59)).wrapping_mul(coefficient.cast_unsigned())
}

fn either_sign(print: u128) -> u128 {
    print.min(print.wrapping_neg())
}

impl Sum {
    /// A size equation that can share something.
    fn of((_, relation, says): &Read) -> Option<Sum> {
        let Relation::Linear(linear) = relation else { return None };
        let (known, unknown) = linear.split()?;
        (unknown.len() >= SHARED).then_some(Sum { unknown, known, says: Some(*says) })
    }

    /// ST-cancel: this less the other, or both together, whichever leaves a term of each at most; none where the other
    /// says the same.
    fn less(&self, other: &Sum) -> Option<Read> {
        let (linear, says) = [-1, 1].into_iter().find_map(|times| self.plus(times, other))?;
        Some((StageRule::Cancel, Relation::Linear(linear), says))
    }

    fn plus(&self, times: i128, other: &Sum) -> Option<(Linear, Says)> {
        let (mine, others) = (self.says?, other.says?);
        let known = self.known.checked_add(times.checked_mul(other.known)?)?;
        let mut unknown = self.unknown.clone();
        for (v, coefficient) in &other.unknown {
            let entry = unknown.entry(*v).or_insert(0);
            *entry = entry.checked_add(times.checked_mul(*coefficient)?)?;
        }
        unknown.retain(|_, coefficient| *coefficient != 0);
        if unknown.len() > 2 || unknown.is_empty() && known == 0 {
            return None;
        }
        let terms = unknown.into_iter().map(|(v, coefficient)| (coefficient, Part::Unknown(v, 0))).collect();
        let by = By { claim: mine.by.claim, less: Some(others.by.claim) };
        Some((Linear { terms, constant: known }, Says { by, tainted: mine.tainted || others.tainted }))
    }
}
