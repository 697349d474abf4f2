//! Index maps beyond Def. 7.3 (§8): affine and concatenated labels, coupled loops, and what a point addresses.
//!
//! Injectivity and surjectivity of such maps are answered exactly where that is cheap, and else with
//! [`Sure::Unknown`]: then nothing is promised, and code that asks acts as if the answer were no.
//!
//! Chapter: spec/8-staged.md.

use super::Index;
use super::record::{Label, MapAxis, Projections, Slot};
use crate::internal::broken;
use std::collections::{BTreeMap, BTreeSet};

/// Σ cᵢ·sᵢ + o over loops.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AffineLabel {
    /// Factors and loops.
    pub terms: Vec<(u64, usize)>,
    /// The constant, negative for padding.
    pub offset: i64,
}

impl AffineLabel {
    /// The index at a point; none when one of its loops is not having its turn.
    fn at(&self, point: &[Option<u64>]) -> Option<i128> {
        self.terms.iter().try_fold(i128::from(self.offset), |sum, (factor, j)| {
            Some(sum + i128::from(*factor) * i128::from((*point.get(*j)?)?))
        })
    }

    /// The least and the greatest index.
    #[must_use]
    pub fn range(&self, record: &Projections) -> (i128, i128) {
        let low = i128::from(self.offset);
        let span: i128 = self.terms.iter().map(|(factor, j)| i128::from(*factor) * i128::from(last(record, *j))).sum();
        (low, low + span)
    }
}

fn last(record: &Projections, j: usize) -> u64 {
    record.loops.get(j).map_or(0, |it| it.size.saturating_sub(1))
}

/// What a point addresses in a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// This cell.
    Cell(usize),
    /// Outside the tensor, in its padding.
    Padding,
    /// Nothing: a concatenated part is having its turn that this tensor does not have.
    Nowhere,
}

/// A point of the product space: the value of each loop, none for a coupled loop that is not having its turn.
pub type Point = [Option<u64>];

/// What a point addresses through a map.
pub fn address(map: &[MapAxis], point: &Point, externals: &BTreeMap<String, u64>) -> Address {
    let (mut cell, mut padding) = (0_u64, false);
    for axis in map {
        let index = match &axis.label {
            Label::Iter(j) => match point.get(*j).copied().flatten() {
                Some(i) => i128::from(i),
                None => return Address::Nowhere,
            },
            Label::At(Index::Fix(c)) => i128::from(*c),
            Label::At(Index::External(name)) => i128::from(external(externals, name)),
            Label::Affine(affine) => match affine.at(point) {
                Some(index) => index,
                None => return Address::Nowhere,
            },
            Label::Concat(parts) => {
                let active = parts.iter().find_map(|(j, start)| Some(start + point.get(*j).copied().flatten()?));
                match active {
                    Some(index) => i128::from(index),
                    None => return Address::Nowhere,
                }
            }
        };
        match u64::try_from(index) {
            Ok(index) if index < axis.size => cell = cell * axis.size + index,
            _ => padding = true,
        }
    }
    if padding { Address::Padding } else { Address::Cell(usize::try_from(cell).unwrap_or(usize::MAX)) }
}

/// The value of an index from outside, which whoever runs the loops has looked up before.
#[must_use]
pub fn external(externals: &BTreeMap<String, u64>, name: &str) -> u64 {
    let value = externals.get(name).copied();
    value.unwrap_or_else(|| broken("every index from outside has a value before loops run", name))
}

/// An answer about a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sure {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Nobody looked far enough.
    Unknown,
}

/// The most points that are looked at to answer exactly.
const CHEAP: u128 = 1 << 14;

impl Projections {
    /// Are all labels those of Def. 7.3, and no loops coupled?
    #[must_use]
    pub fn is_core(&self) -> bool {
        self.coupled.is_empty() && self.slots().all(|slot| Self::is_core_map(self.map(slot)))
    }

    pub(super) fn is_core_map(map: &[MapAxis]) -> bool {
        map.iter().all(|axis| matches!(axis.label, Label::Iter(_) | Label::At(_)))
    }

    /// Can an index of this map be outside its axis?
    #[must_use]
    pub fn is_padded(&self, slot: Slot) -> bool {
        self.map(slot).iter().any(|axis| match &axis.label {
            Label::Affine(affine) => {
                let (low, high) = affine.range(self);
                low < 0 || high >= i128::from(axis.size)
            }
            _ => false,
        })
    }

    /// The factors of the product space, in order: single loops, and groups of coupled ones.
    #[must_use]
    pub fn factors(&self) -> Vec<Vec<usize>> {
        let mut seen = BTreeSet::new();
        let mut factors = Vec::new();
        for j in 0..self.loops.len() {
            if seen.contains(&j) {
                continue;
            }
            let factor = self.coupled.iter().find(|group| group.contains(&j)).cloned().unwrap_or_else(|| vec![j]);
            seen.extend(factor.iter().copied());
            factors.push(factor);
        }
        factors
    }

    /// The first point, if there is one.
    #[must_use]
    pub fn first_point(&self) -> Option<Vec<Option<u64>>> {
        let mut point = vec![None; self.loops.len()];
        for factor in self.factors() {
            let first = factor.into_iter().find(|j| self.loops[*j].size > 0)?;
            point[first] = Some(0);
        }
        Some(point)
    }

    /// The point after this one, in lexicographic order; false after the last. A coupled group runs through its
    /// loops one after the other.
    pub fn next_point(&self, factors: &[Vec<usize>], point: &mut Point) -> bool {
        for factor in factors.iter().rev() {
            let Some(turn) = factor.iter().position(|j| point[*j].is_some()) else { continue };
            let j = factor[turn];
            let next = point[j].map_or(0, |i| i + 1);
            if next < self.loops[j].size {
                point[j] = Some(next);
                return true;
            }
            point[j] = None;
            if let Some(other) = factor[turn + 1..].iter().find(|j| self.loops[**j].size > 0) {
                point[*other] = Some(0);
                return true;
            }
            if let Some(first) = factor.iter().find(|j| self.loops[**j].size > 0) {
                point[*first] = Some(0);
            }
        }
        false
    }

    /// Is the map injective where it addresses a cell?
    #[must_use]
    pub fn injective_at(&self, written: Slot) -> Sure {
        if Self::is_core_map(self.map(written)) && self.coupled.is_empty() {
            let summed = (0..self.loops.len()).any(|i| self.is_reduction_of(written, i));
            return if summed { Sure::No } else { Sure::Yes };
        }
        if self.decodes(written) {
            return Sure::Yes;
        }
        match self.cells(written) {
            Some(cells) => {
                if cells.iter().all(|n| *n <= 1) {
                    Sure::Yes
                } else {
                    Sure::No
                }
            }
            None => Sure::Unknown,
        }
    }

    /// Does the map address every cell?
    #[must_use]
    pub fn surjective_at(&self, written: Slot) -> Sure {
        match self.cells(written) {
            Some(cells) => {
                if cells.iter().all(|n| *n >= 1) {
                    Sure::Yes
                } else {
                    Sure::No
                }
            }
            None if self.covers(written) => Sure::Yes,
            None => Sure::Unknown,
        }
    }

    /// How often each cell is addressed, if that is cheap to find out.
    fn cells(&self, written: Slot) -> Option<Vec<u32>> {
        let map = self.map(written);
        let size = map.iter().fold(1_u128, |n, axis| n.saturating_mul(u128::from(axis.size)));
        if self.points() > CHEAP || size > CHEAP {
            return None;
        }
        let mut cells = vec![0_u32; usize::try_from(size).ok()?];
        let (factors, externals) = (self.factors(), BTreeMap::new());
        let Some(mut point) = self.first_point() else { return Some(cells) };
        loop {
            if let Address::Cell(cell) = address(map, &point, &externals) {
                let n = cells.get_mut(cell)?;
                *n = n.saturating_add(1);
            }
            if !self.next_point(&factors, &mut point) {
                return Some(cells);
            }
        }
    }

    /// Enough for injectivity: the loops can be read off the indices one after the other. An iterator or a
    /// concatenation gives its factor; an affine index gives its loops when the others are known and the factors
    /// are those of a number system, each larger than all that the smaller ones reach together.
    fn decodes(&self, written: Slot) -> bool {
        let factors = self.factors();
        let factor_of = |j: usize| factors.iter().position(|f| f.contains(&j));
        let map = self.map(written);
        let mut known: BTreeSet<usize> = BTreeSet::new();
        for axis in map {
            match &axis.label {
                Label::Iter(j) => known.extend(factor_of(*j)),
                Label::Concat(parts) => known.extend(parts.iter().filter_map(|(j, _)| factor_of(*j))),
                _ => {}
            }
        }
        loop {
            let before = known.len();
            for axis in map {
                let Label::Affine(affine) = &axis.label else { continue };
                let mut open: Vec<(u64, usize)> = affine.terms.clone();
                open.retain(|(_, j)| factor_of(*j).is_some_and(|f| !known.contains(&f)));
                open.sort_unstable();
                let mut reach = 0_u128;
                let digits = open.iter().all(|(factor, j)| {
                    let larger = u128::from(*factor) > reach;
                    reach += u128::from(*factor) * u128::from(last(self, *j));
                    larger
                });
                // A loop of a coupled group may not be having its turn; only a plain loop is read off.
                if digits && open.iter().all(|(_, j)| self.coupled.iter().all(|g| !g.contains(j))) {
                    known.extend(open.iter().filter_map(|(_, j)| factor_of(*j)));
                }
            }
            if known.len() == before {
                break;
            }
        }
        (0..factors.len()).all(|f| known.contains(&f) || self.size_of(&factors[f]) <= 1)
    }

    /// How many values a factor has.
    fn size_of(&self, factor: &[usize]) -> u128 {
        factor.iter().map(|j| u128::from(self.loops[*j].size)).sum()
    }

    /// Enough for surjectivity: no two axes share a factor, and each axis is covered: by an iterator, by a whole
    /// coupled group, or by factors that leave no gap.
    fn covers(&self, written: Slot) -> bool {
        let factors = self.factors();
        let factor_of = |j: usize| factors.iter().position(|f| f.contains(&j));
        let mut used = BTreeSet::new();
        self.map(written).iter().all(|axis| match &axis.label {
            Label::At(_) => axis.size <= 1,
            Label::Iter(j) => {
                let alone = self.coupled.iter().all(|g| !g.contains(j));
                alone && factor_of(*j).is_some_and(|f| used.insert(f)) && self.loops[*j].size == axis.size
            }
            Label::Concat(parts) => {
                let whole = parts.first().and_then(|(j, _)| factor_of(*j));
                // A part without a turn runs over nothing.
                let reached = |f: usize| self.size_of(&factors[f]) == u128::from(axis.size);
                whole.is_some_and(|f| used.insert(f) && factors[f].len() == parts.len() && reached(f))
            }
            Label::Affine(affine) => {
                let mut terms = affine.terms.clone();
                terms.sort_unstable();
                let own = terms.iter().all(|(_, j)| factor_of(*j).is_some_and(|f| used.insert(f)));
                let plain = terms.iter().all(|(_, j)| self.coupled.iter().all(|g| !g.contains(j)));
                let mut reach = 0_u128;
                let no_gap = terms.iter().all(|(factor, j)| {
                    let close = u128::from(*factor) <= reach + 1;
                    reach += u128::from(*factor) * u128::from(last(self, *j));
                    close
                });
                let (low, high) = affine.range(self);
                own && plain && no_gap && low <= 0 && high >= i128::from(axis.size) - 1
            }
        })
    }
}
