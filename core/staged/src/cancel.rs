//! ST-cancel: what two size equations share cancels in their difference.
//!
//! d = a + b and e = b + a have the same parts, so d and e have as many elements; 3 = a + b and 5 = b + c + a leave 2 for
//! c. Bounds that are read off one equation at a time see none of it: what is shared lies on a cycle. A difference of
//! equations that hold holds as well, whatever was shared, also where a part is 0. It speaks of numbers of elements only:
//! where a and b are 1∅, d and e may have different bases.

use super::linear::{Linear, Part};
use super::outcome::By;
use super::range::{Ranges, Read, Relation, Says};
use super::rule::StageRule;
use lozenge_calculus::term::DimVar;
use std::collections::{BTreeMap, BTreeSet};

/// Equations that share fewer unknowns hang together like a tree: their bounds say as much as their difference.
const SHARED: usize = 2;

/// Σ cᵢ·xᵢ + known = 0, each unknown once.
#[derive(Clone, Debug)]
struct Sum {
    terms: BTreeMap<DimVar, i128>,
    known: i128,
    says: Says,
}

/// The differences of neighbours among equations that are the same up to one term each, and up to the sign. So there are
/// no more of them than there are terms, and with each other they say what all differences say. An unknown whose range
/// is one number is known, and so is no term: it stays in the difference, where its bounds are read off.
pub(super) fn cancelled(relations: &[Read], ranges: &Ranges) -> Vec<Read> {
    let sums: Vec<Sum> = relations.iter().filter_map(Sum::of).collect();
    let mut prints: Vec<(u128, usize)> = Vec::new();
    for (at, sum) in sums.iter().enumerate() {
        let loose: Vec<u128> = sum.loose(ranges).map(|(v, c)| print(v, c)).collect();
        let all = loose.iter().fold(0_u128, |all, one| all.wrapping_add(*one));
        if loose.len() >= SHARED {
            prints.push((either_sign(all), at));
        }
        if loose.len() > SHARED {
            prints.extend(loose.iter().map(|one| (either_sign(all.wrapping_sub(*one)), at)));
        }
    }
    prints.sort_unstable();
    let neighbours = prints.windows(2).filter_map(|two| match two {
        [(print, i), (other, j)] if print == other && i < j => Some((*j, *i)),
        _ => None,
    });
    // Two that share everything are neighbours several times.
    let pairs: BTreeSet<(usize, usize)> = neighbours.collect();
    pairs.into_iter().filter_map(|(j, i)| less(&sums[j], &sums[i], ranges)).collect()
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

/// ST-cancel: one less the other, or both together, whichever leaves fewer terms: with the other sign what is shared
/// doubles. None where the other says the same.
fn less(one: &Sum, other: &Sum, ranges: &Ranges) -> Option<Read> {
    let left = |sum: &Sum| sum.loose(ranges).count();
    let sum = [-1, 1].into_iter().filter_map(|times| one.plus(times, other)).min_by_key(left)?;
    if left(&sum) > 2 {
        return None;
    }
    let linear = match (u64::try_from(-one.known), u64::try_from(-other.known)) {
        _ if sum.terms.is_empty() && sum.known == 0 => return None,
        // Two numbers that one sum has to be: the message shows both.
        (Ok(mine), Ok(others)) if sum.terms.is_empty() => {
            Linear { terms: vec![(-1, Part::Count(mine)), (1, Part::Count(others))], constant: 0 }
        }
        _ => {
            let terms = sum.terms.into_iter().map(|(v, coefficient)| (coefficient, Part::Unknown(v, 0)));
            Linear { terms: terms.collect(), constant: sum.known }
        }
    };
    Some((StageRule::Cancel, Relation::Linear(linear), sum.says))
}

impl Sum {
    fn of((_, relation, says): &Read) -> Option<Sum> {
        let Relation::Linear(linear) = relation else { return None };
        let (known, terms) = linear.split()?;
        Some(Sum { terms, known, says: *says })
    }

    /// The terms that can be more than one number.
    fn loose(&self, ranges: &Ranges) -> impl Iterator<Item = (DimVar, i128)> {
        let terms = self.terms.iter().map(|(v, coefficient)| (*v, *coefficient));
        terms.filter(|(v, _)| ranges.of.get(v).is_none_or(|range| range.count().is_none()))
    }

    fn plus(&self, times: i128, other: &Sum) -> Option<Sum> {
        let known = self.known.checked_add(times.checked_mul(other.known)?)?;
        let mut terms = self.terms.clone();
        for (v, coefficient) in &other.terms {
            let entry = terms.entry(*v).or_insert(0);
            *entry = entry.checked_add(times.checked_mul(*coefficient)?)?;
        }
        terms.retain(|_, coefficient| *coefficient != 0);
        let by = By { claim: self.says.by.claim, less: Some(other.says.by.claim) };
        Some(Sum { terms, known, says: Says { by, tainted: self.says.tainted || other.says.tainted } })
    }
}
