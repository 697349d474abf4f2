//! The outcome of projection inference for one operation: product space, index maps, and what is read off them.
//!
//! Nothing here is declared: reductions (Def. 7.5), injectivity, surjectivity and what they mean for the
//! target (Prop. 7.6) all follow from the maps.
//!
//! Chapter: spec/7-projections.md.

use super::Index;
use super::Kind;
use super::affine::{AffineLabel, Sure};
use std::collections::BTreeSet;
use std::fmt;

/// Which tensor of an operation: `lhs` is written, `rhs1`, `rhs2`, … are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// The result.
    Lhs,
    /// An operand, from 0.
    Rhs(usize),
}

impl Slot {
    /// 0 for the result, then the operands from 1: the place among the tensors of the operation.
    #[must_use]
    pub fn number(self) -> usize {
        match self {
            Slot::Lhs => 0,
            Slot::Rhs(i) => i + 1,
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Lhs => f.write_str("lhs"),
            Slot::Rhs(i) => write!(f, "rhs{}", i + 1),
        }
    }
}

/// A factor {0, …, size − 1} of the product space, with its iterator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The iterator's name.
    pub name: String,
    /// How far it runs. At least 2, unless it is part of a concatenation: that keeps parts of size 1 and 0.
    pub size: u64,
}

/// The label of a class (Def. 7.3): how an axis is indexed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// By this iterator: its number in [`Projections::loops`].
    Iter(usize),
    /// At one index, given from outside or 0.
    At(Index),
    /// At an affine function of iterators (§8).
    Affine(AffineLabel),
    /// One iterator after the other, each with where its part begins (§8).
    Concat(Vec<(usize, u64)>),
}

impl Label {
    /// Is this iterator in it?
    #[must_use]
    pub fn mentions(&self, iterator: usize) -> bool {
        match self {
            Label::Iter(i) => *i == iterator,
            Label::At(_) => false,
            Label::Affine(affine) => affine.terms.iter().any(|(_, i)| *i == iterator),
            Label::Concat(parts) => parts.iter().any(|(i, _)| *i == iterator),
        }
    }
}

/// An axis of a tensor with its label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapAxis {
    /// The label.
    pub label: Label,
    /// The size of the axis.
    pub size: u64,
    /// The kind of its row.
    pub kind: Kind,
}

/// One operation's projections: P× and π_T for every T.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projections {
    /// The product space. The iterators of the result come first, in the order of its axes, then those of
    /// the operands; the last runs fastest.
    pub loops: Vec<Loop>,
    /// π_LHS, axes in the order of storage: batch, output, input.
    pub lhs: Vec<MapAxis>,
    /// The operands' maps.
    pub rhs: Vec<Vec<MapAxis>>,
    /// Loops that run one after the other and not inside each other (§8).
    pub coupled: Vec<Vec<usize>>,
}

/// The axes of a tensor in memory, row-major.
pub const STORAGE: [Kind; 3] = [Kind::Batch, Kind::Output, Kind::Input];

impl Projections {
    /// π of the tensor in this slot.
    #[must_use]
    pub fn map(&self, slot: Slot) -> &[MapAxis] {
        match slot {
            Slot::Lhs => &self.lhs,
            Slot::Rhs(i) => self.rhs.get(i).map_or(&[], Vec::as_slice),
        }
    }

    /// Every slot.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        [Slot::Lhs].into_iter().chain((0..self.rhs.len()).map(Slot::Rhs))
    }

    fn iterators(map: &[MapAxis]) -> impl Iterator<Item = usize> + '_ {
        map.iter().flat_map(|axis| match &axis.label {
            Label::Iter(i) => vec![*i],
            Label::At(_) => Vec::new(),
            Label::Affine(affine) => affine.terms.iter().map(|(_, i)| *i).collect(),
            Label::Concat(parts) => parts.iter().map(|(i, _)| *i).collect(),
        })
    }

    /// Def. 7.5 for a map that is written: is this a factor whose iterator it does not mention?
    #[must_use]
    pub fn is_reduction_of(&self, written: Slot, i: usize) -> bool {
        let mentions = |i: usize| self.map(written).iter().any(|axis| axis.label.mentions(i));
        // Where another part has its turn, the tensor is not addressed: nothing is summed there.
        let met = |group: &Vec<usize>| group.contains(&i) && group.iter().any(|j| mentions(*j));
        !mentions(i) && !self.coupled.iter().any(met)
    }

    /// Def. 7.5 for a map that is written: the factors whose iterator it does not mention.
    #[must_use]
    pub fn reductions_of(&self, written: Slot) -> Vec<usize> {
        (0..self.loops.len()).filter(|i| self.is_reduction_of(written, *i)).collect()
    }

    /// Def. 7.5: the reduction axes.
    #[must_use]
    pub fn reductions(&self) -> Vec<usize> {
        self.reductions_of(Slot::Lhs)
    }

    /// Prop. 7.6 (i): no two points write one cell, as there is no reduction axis.
    #[must_use]
    pub fn is_injective_at(&self, written: Slot) -> bool {
        if !self.coupled.is_empty() || !Self::is_core_map(self.map(written)) {
            return self.injective_at(written) == Sure::Yes;
        }
        !(0..self.loops.len()).any(|i| self.is_reduction_of(written, i))
    }

    /// Prop. 7.6 (ii): every cell is written, as each axis of size > 1 has an iterator of its own.
    #[must_use]
    pub fn is_surjective_at(&self, written: Slot) -> bool {
        let map = self.map(written);
        if !self.coupled.is_empty() || !Self::is_core_map(map) {
            return self.surjective_at(written) == Sure::Yes;
        }
        (0..map.len()).all(|a| match map[a].label {
            Label::Iter(i) => !map[..a].iter().any(|earlier| earlier.label.mentions(i)),
            _ => map[a].size <= 1,
        })
    }

    /// [`Projections::is_injective_at`] for the result.
    #[must_use]
    pub fn is_injective(&self) -> bool {
        self.is_injective_at(Slot::Lhs)
    }

    /// [`Projections::is_surjective_at`] for the result.
    #[must_use]
    pub fn is_surjective(&self) -> bool {
        self.is_surjective_at(Slot::Lhs)
    }

    /// Prop. 7.6 (iii), as it holds: must the target be set to the neutral element first? Never when its
    /// contents are kept (spec/findings/F17.md).
    #[must_use]
    pub fn needs_init(&self, written: Slot, erase: bool) -> bool {
        erase && !(self.is_surjective_at(written) && self.is_injective_at(written))
    }

    /// Prop. 7.6 (iii), as it holds: must a cell be read before it is written? Always when its contents are
    /// kept; when they are erased, iff there is a reduction axis.
    #[must_use]
    pub fn reads_back(&self, written: Slot, erase: bool) -> bool {
        !erase || !self.is_injective_at(written)
    }

    /// The same maps over only those loops that these slots mention; the maps of other slots are left out.
    #[must_use]
    pub fn once(&self, slots: &[Slot]) -> Projections {
        let kept: BTreeSet<usize> = slots.iter().flat_map(|slot| Self::iterators(self.map(*slot))).collect();
        let map = |slot: Slot| -> Vec<MapAxis> {
            if !slots.contains(&slot) {
                return Vec::new();
            }
            let new = |i: usize| kept.range(..i).count();
            let renumbered = |axis: &MapAxis| {
                let label = match &axis.label {
                    Label::Iter(i) => Label::Iter(new(*i)),
                    Label::At(index) => Label::At(index.clone()),
                    Label::Affine(AffineLabel { terms, offset }) => {
                        let terms = terms.iter().map(|(factor, i)| (*factor, new(*i))).collect();
                        Label::Affine(AffineLabel { terms, offset: *offset })
                    }
                    Label::Concat(parts) => Label::Concat(parts.iter().map(|(i, start)| (new(*i), *start)).collect()),
                };
                MapAxis { label, ..axis.clone() }
            };
            self.map(slot).iter().map(renumbered).collect()
        };
        Projections {
            loops: kept.iter().filter_map(|i| self.loops.get(*i).cloned()).collect(),
            lhs: map(Slot::Lhs),
            rhs: (0..self.rhs.len()).map(|i| map(Slot::Rhs(i))).collect(),
            coupled: self
                .coupled
                .iter()
                .map(|group| group.iter().filter(|i| kept.contains(i)).map(|i| kept.range(..*i).count()).collect())
                .filter(|group: &Vec<usize>| group.len() > 1)
                .collect(),
        }
    }

    /// How many points the product space has.
    #[must_use]
    pub fn points(&self) -> u128 {
        let size = |factor: &Vec<usize>| factor.iter().map(|j| u128::from(self.loops[*j].size)).sum::<u128>();
        self.factors().iter().fold(1, |points, factor| points.saturating_mul(size(factor)))
    }
}
