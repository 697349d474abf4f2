//! ST-bounds: how many elements an unknown axis has at least and at most, from all claims together.
//!
//! Every claim bounds each of its unknowns by what its other unknowns can be: a size equation Σ cᵢ·xᵢ + c = 0 by
//! intervals, a product by quotients and roots, an index from below. An atom n below x leaves n and one element. What is
//! said is exact, in whole numbers, and entailed; a number that does not fit bounds nothing.

use super::linear::{Linear, Part, SizeWhy};
use super::outcome::By;
use super::product::{Product, least_root, most_root};
use super::rule::StageRule;
use lozenge_calculus::term::DimVar;
use std::collections::BTreeMap;

/// A bound, whether it rests on a commitment, and the claims it is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limit {
    pub n: u128,
    pub tainted: bool,
    pub by: Option<By>,
}

/// How many elements an unknown axis has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub least: Limit,
    pub most: Option<Limit>,
}

impl Range {
    /// The number, where it is known, and whether that rests on a commitment.
    pub(super) fn count(self) -> Option<(u64, bool)> {
        let most = self.most.filter(|most| most.n == self.least.n)?;
        Some((u64::try_from(most.n).ok()?, most.tainted || self.least.tainted))
    }
}

/// The ranges of the unknowns of claims.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    pub of: BTreeMap<DimVar, Range>,
    /// Those that were narrowed since this was last emptied.
    pub news: Vec<DimVar>,
    /// Was it left at that while claims had more to say?
    pub moving: bool,
}

/// Who says something: a claim, or the difference of two, and whether what it has put in rests on a commitment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Says {
    pub by: By,
    pub tainted: bool,
}

/// What bounds are read off, by which rule, and who says it.
pub(super) type Read = (StageRule, Relation, Says);

/// Why nothing fits, and whether that rests on a commitment.
pub(super) type Narrowed = Result<(), (SizeWhy, bool)>;

/// What bounds are read off.
#[derive(Clone, Debug)]
pub(super) enum Relation {
    /// A size equation.
    Linear(Linear),
    /// A product.
    Product(Product),
    /// At least so many.
    Least(DimVar, u64),
}

impl Relation {
    /// How much there is to look at.
    pub(super) fn terms(&self) -> u64 {
        match self {
            Relation::Linear(linear) => linear.terms.len() as u64,
            // Every unknown is looked at beside every other.
            Relation::Product(product) => (product.unknown.len() * product.unknown.len() + 1) as u64,
            Relation::Least(..) => 1,
        }
    }

    /// The unknowns it speaks of, each once.
    pub(super) fn unknowns(&self) -> Vec<DimVar> {
        match self {
            Relation::Linear(linear) => {
                let unknown = |(_, part): &(i128, Part)| if let Part::Unknown(v, _) = part { Some(*v) } else { None };
                let mut unknowns: Vec<DimVar> = linear.terms.iter().filter_map(unknown).collect();
                unknowns.sort_unstable();
                unknowns.dedup();
                unknowns
            }
            Relation::Product(product) => product.unknown.keys().copied().collect(),
            Relation::Least(v, _) => vec![*v],
        }
    }

    /// Narrows the ranges of its unknowns.
    pub(super) fn narrow(&self, ranges: &mut Ranges, says: Says) -> Narrowed {
        match self {
            Relation::Linear(linear) => linear.narrow(ranges, says),
            Relation::Product(product) => product.narrow(ranges, says),
            Relation::Least(v, n) => ranges.raise(*v, u128::from(*n), says.tainted, says.by),
        }
    }
}

impl Ranges {
    fn get(&self, v: DimVar) -> Range {
        let nothing = Range { least: Limit { n: 0, tainted: false, by: None }, most: None };
        self.of.get(&v).copied().unwrap_or(nothing)
    }

    /// x ≥ n.
    pub(super) fn raise(&mut self, v: DimVar, n: u128, tainted: bool, by: By) -> Narrowed {
        let Some(range) = self.of.get_mut(&v) else { return Ok(()) };
        if n <= range.least.n {
            return Ok(());
        }
        range.least = Limit { n, tainted, by: Some(by) };
        self.news.push(v);
        range.check()
    }

    /// x ≤ n.
    pub(super) fn lower(&mut self, v: DimVar, n: u128, tainted: bool, by: By) -> Narrowed {
        let Some(range) = self.of.get_mut(&v) else { return Ok(()) };
        if range.most.is_some_and(|most| most.n <= n) {
            return Ok(());
        }
        range.most = Some(Limit { n, tainted, by: Some(by) });
        self.news.push(v);
        range.check()
    }
}

impl Range {
    fn check(&self) -> Narrowed {
        match self.most {
            Some(most) if most.n < self.least.n => {
                Err((SizeWhy::Empty(self.least.n, most.n), self.least.tainted || most.tainted))
            }
            _ => Ok(()),
        }
    }
}

/// A sum of bounds, and how many of them are none, do not fit, or rest on a commitment: what is left without one of them
/// is read off.
#[derive(Clone, Copy)]
struct Sum {
    n: i128,
    none: usize,
    tainted: usize,
}

impl Sum {
    fn term(coefficient: i128, bound: Option<Limit>) -> Option<i128> {
        // Half of the room: the difference of two sums fits as well.
        let term = coefficient.checked_mul(i128::try_from(bound?.n).ok()?)?;
        (term.unsigned_abs() < 1 << 100).then_some(term)
    }

    fn add(&mut self, coefficient: i128, bound: Option<Limit>) {
        match Sum::term(coefficient, bound) {
            Some(term) => self.n = self.n.saturating_add(term),
            None => self.none += 1,
        }
        self.tainted += usize::from(bound.is_some_and(|b| b.tainted));
    }

    /// The sum without this one, and whether it rests on a commitment.
    fn without(self, coefficient: i128, bound: Option<Limit>) -> (Option<i128>, bool) {
        let (term, none) = match Sum::term(coefficient, bound) {
            Some(term) => (term, self.none),
            None => (0, self.none - 1),
        };
        let fits = self.n.unsigned_abs() < 1 << 120;
        let tainted = self.tainted > usize::from(bound.is_some_and(|b| b.tainted));
        ((none == 0 && fits).then(|| self.n - term), tainted)
    }
}

impl Linear {
    /// cᵢ·xᵢ = −(c + Σ_{j≠i} cⱼ·xⱼ), for each i.
    fn narrow(&self, ranges: &mut Ranges, says: Says) -> Narrowed {
        let Some((known, unknown)) = self.split() else { return Ok(()) };
        if unknown.is_empty() && known != 0 {
            return Err((self.differ(known), says.tainted));
        }
        let start = Sum { n: known, none: 0, tainted: usize::from(says.tainted) };
        let (mut all_low, mut all_high) = (start, start);
        for (v, c) in &unknown {
            let (small, large) = ends(ranges.get(*v), *c);
            all_low.add(*c, small);
            all_high.add(*c, large);
        }
        for (v, c) in &unknown {
            let (small, large) = ends(ranges.get(*v), *c);
            let (low, high) = (all_low.without(*c, small), all_high.without(*c, large));
            // With cᵢ > 0 the largest sum gives the least xᵢ, with cᵢ < 0 the least.
            let (for_least, for_most) = if *c > 0 { (high, low) } else { (low, high) };
            let quotient = |sum: Option<i128>| Some(if *c > 0 { sum?.checked_neg()? } else { sum? });
            let c = c.abs();
            if let Some(n) = quotient(for_least.0) {
                let least = n.div_euclid(c) + i128::from(n.rem_euclid(c) != 0);
                if let Ok(least) = u128::try_from(least) {
                    ranges.raise(*v, least, for_least.1, says.by)?;
                }
            }
            if let Some(n) = quotient(for_most.0) {
                let most = n.div_euclid(c);
                let tainted = for_most.1;
                let Ok(most) = u128::try_from(most) else {
                    let least = ranges.get(*v).least;
                    let why = SizeWhy::TooSmall(most, u64::try_from(least.n).unwrap_or(u64::MAX));
                    return Err((why, tainted || least.tainted));
                };
                ranges.lower(*v, most, tainted, says.by)?;
            }
        }
        Ok(())
    }

    /// What is known together, and the unknowns with their coefficients; none where a number does not fit.
    pub(super) fn split(&self) -> Option<(i128, BTreeMap<DimVar, i128>)> {
        let (mut known, mut unknown) = (self.constant, BTreeMap::new());
        for (coefficient, part) in &self.terms {
            match part {
                // What is wrong with it was said when the claim was propagated.
                Part::Based(_) => return None,
                Part::Unknown(v, _) => *unknown.entry(*v).or_insert(0) += coefficient,
                Part::Count(n) => {
                    known = known.checked_add(coefficient.checked_mul(i128::from(*n))?)?;
                }
            }
        }
        unknown.retain(|_, coefficient| *coefficient != 0);
        Some((known, unknown))
    }
}

/// The bounds that make a term least and greatest.
fn ends(range: Range, coefficient: i128) -> (Option<Limit>, Option<Limit>) {
    let (small, large) = (Some(range.least), range.most);
    if coefficient > 0 { (small, large) } else { (large, small) }
}

/// A product of bounds: none where a part has none, or where the number does not fit.
#[derive(Clone, Copy)]
struct Times {
    n: Option<u128>,
    tainted: bool,
}

impl Times {
    fn times(&mut self, bound: Option<Limit>, power: u32) {
        let factor = bound.and_then(|b| b.n.checked_pow(power));
        self.n = self.n.zip(factor).and_then(|(n, factor)| n.checked_mul(factor));
        self.tainted |= bound.is_some_and(|b| b.tainted);
    }
}

impl Product {
    /// One side without one unknown: the least and the most it can be.
    fn side(&self, ranges: &Ranges, left: bool, without: DimVar, says: Says) -> (Times, Times) {
        let start = Times { n: Some(if left { self.left } else { self.right }), tainted: says.tainted };
        let (mut least, mut most) = (start, start);
        let others = self.unknown.iter().filter(|(v, e)| (**e > 0) == left && **v != without);
        for (v, e) in others {
            let range = ranges.get(*v);
            least.times(Some(range.least), e.unsigned_abs());
            most.times(range.most, e.unsigned_abs());
        }
        if left && !self.open.is_empty() {
            most.n = None;
        }
        (least, most)
    }

    /// x^e = (the other side) / (the rest of this side), for each x.
    fn narrow(&self, ranges: &mut Ranges, says: Says) -> Narrowed {
        for (v, exponent) in &self.unknown {
            let (power, left) = (exponent.unsigned_abs(), *exponent > 0);
            let (rest_least, rest_most) = self.side(ranges, left, *v, says);
            let (other_least, other_most) = self.side(ranges, !left, *v, says);
            // Of an open row only the least is known: what stands opposite has no most, and what stands beside it no least.
            if let (Some(n), Some(by)) = (other_least.n, rest_most.n) {
                let least = least_root(n.div_ceil(by.max(1)), power);
                ranges.raise(*v, least, other_least.tainted || rest_most.tainted, says.by)?;
            }
            if let (Some(n), Some(by)) = (other_most.n, rest_least.n) {
                let most = most_root(n / by.max(1), power);
                ranges.lower(*v, most, other_most.tainted || rest_least.tainted, says.by)?;
            }
        }
        Ok(())
    }
}
