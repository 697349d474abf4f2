//! §1 Dimensions: the set D, the broadcast order ⊑, and the lattice D⊥.
//!
//! ```
//! use lozenge::dim::{Dim, DimBot};
//! let (two, three) = (Dim::size(2)?, Dim::size(3)?);
//! assert!(three <= Dim::Unit && !(two <= three));        // 1∅ is the top, atoms are incomparable
//! assert_eq!(two.join(three), Dim::Unit);                // so two atoms join at the top
//! assert_eq!(two.meet(three), DimBot::Bot);              // and meet at the bottom, outside D
//! # Ok::<(), lozenge::dim::SizeZero>(())
//! ```
//!
//! Chapter: spec/1-dimensions.md.

use crate::contract::{contract, predicate};
use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU64;

/// A basis tag b ∈ 𝓑 (Def. 1.1): a small number, named by [`Names`](crate::names::Names).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Basis(pub(crate) u32);

impl Basis {
    /// The distinguished tag `default`.
    pub const DEFAULT: Basis = Basis(0);

    /// The tag with this number; 0 is `default`. For code that enumerates bases without names.
    #[must_use]
    pub const fn numbered(number: u32) -> Self {
        Basis(number)
    }

    /// The number of this tag.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// An atom n_b of Def. 1.1: a size n ≥ 1 with a basis. Packed, so that a dimension term takes sixteen bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(Rust, packed(4))]
pub struct Atom {
    size: NonZeroU64,
    basis: Basis,
}

/// Sizes start at one (Def. 1.1): there is no atom of size zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeZero;

impl fmt::Display for SizeZero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "size 0: sizes are whole numbers from 1 to {}", u64::MAX)
    }
}

impl std::error::Error for SizeZero {}

impl Atom {
    /// n_b.
    ///
    /// # Errors
    /// [`SizeZero`] when n = 0.
    pub fn new(size: u64, basis: Basis) -> Result<Self, SizeZero> {
        let size = NonZeroU64::new(size).ok_or(SizeZero)?;
        Ok(Atom { size, basis })
    }

    /// The k-th atom of a basis, from 0: its size is k + 1. For code that needs many distinct atoms.
    #[must_use]
    pub const fn nth(basis: Basis, k: u32) -> Self {
        Atom { size: NonZeroU64::MIN.saturating_add(k as u64), basis }
    }

    /// The size n ≥ 1.
    #[must_use]
    pub const fn size(self) -> u64 {
        self.size.get()
    }

    /// The basis b.
    #[must_use]
    pub const fn basis(self) -> Basis {
        self.basis
    }
}

/// Def. 1.1: D = {1∅} ∪ {n_b}.
///
/// Three dimensions have one element and are three different dimensions: the claim-free unit
/// 1∅, the atom 1 with basis default, and the atom 1 with another basis. Only 1∅ stretches.
///
/// `<=` is the broadcast order ⊑ of Def. 1.2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// The claim-free unit 1∅: the top.
    Unit,
    /// An atom n_b.
    Atom(Atom),
}

impl Dim {
    /// n with basis default.
    ///
    /// # Errors
    /// [`SizeZero`] when n = 0.
    pub fn size(n: u64) -> Result<Self, SizeZero> {
        Atom::new(n, Basis::DEFAULT).map(Dim::Atom)
    }

    /// How many elements an axis of this dimension has: n for n_b, one for 1∅.
    #[must_use]
    pub const fn elements(self) -> u64 {
        match self {
            Dim::Unit => 1,
            Dim::Atom(a) => a.size(),
        }
    }

    contract! {
        /// Def. 1.2: d₁ ⊑ d₂ iff d₂ = 1∅ or d₁ = d₂.
        #[must_use]
        ensures(r) *r == below(DimBot::Dim(self), DimBot::Dim(other));
        pub fn le(self, other: Dim) -> bool {
            other == Dim::Unit || self == other
        }
    }

    contract! {
        /// d₁ ∨ d₂ in D: never ⊥, since two distinct atoms join at 1∅ (Prop. 1.3).
        #[must_use]
        ensures(r) join_post(DimBot::Dim(self), DimBot::Dim(other), DimBot::Dim(*r));
        pub fn join(self, other: Dim) -> Dim {
            if self == other { self } else { Dim::Unit }
        }
    }

    contract! {
        /// d₁ ∧ d₂ in D⊥ (Prop. 1.3).
        #[must_use]
        ensures(r) meet_post(DimBot::Dim(self), DimBot::Dim(other), *r);
        pub fn meet(self, other: Dim) -> DimBot {
            DimBot::Dim(self).meet(DimBot::Dim(other))
        }
    }
}

/// Def. 1.1: D⊥ = D ∪ {⊥}. `<=` is ⊑ extended by ⊥ ⊑ d (Def. 1.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DimBot {
    /// ⊥, the bottom: no dimension at all.
    Bot,
    /// A dimension of D.
    Dim(Dim),
}

impl From<Dim> for DimBot {
    fn from(d: Dim) -> Self {
        DimBot::Dim(d)
    }
}

impl DimBot {
    /// The top 1∅ of D⊥.
    pub const TOP: DimBot = DimBot::Dim(Dim::Unit);

    /// Is this an atom? The atoms are the elements strictly between ⊥ and 1∅.
    #[must_use]
    pub const fn is_atom(self) -> bool {
        matches!(self, DimBot::Dim(Dim::Atom(_)))
    }

    contract! {
        /// Def. 1.2 on D⊥.
        #[must_use]
        ensures(r) *r == below(self, other);
        pub fn le(self, other: DimBot) -> bool {
            match (self, other) {
                (DimBot::Bot, _) => true,
                (DimBot::Dim(a), DimBot::Dim(b)) => a.le(b),
                (DimBot::Dim(_), DimBot::Bot) => false,
            }
        }
    }

    contract! {
        /// Prop. 1.3: the greatest lower bound.
        #[must_use]
        ensures(r) meet_post(self, other, *r);
        pub fn meet(self, other: DimBot) -> DimBot {
            match (self, other) {
                (DimBot::TOP, d) | (d, DimBot::TOP) => d,
                (d, e) if d == e => d,
                _ => DimBot::Bot,
            }
        }
    }

    contract! {
        /// Prop. 1.3: the least upper bound.
        #[must_use]
        ensures(r) join_post(self, other, *r);
        pub fn join(self, other: DimBot) -> DimBot {
            match (self, other) {
                (DimBot::Bot, d) | (d, DimBot::Bot) => d,
                (d, e) if d == e => d,
                _ => DimBot::TOP,
            }
        }
    }

    contract! {
        /// Does `self` cover `other`: strictly above it with nothing between (Prop. 1.3)?
        #[must_use]
        ensures(r) *r == covers_post(self, other);
        pub fn covers(self, other: DimBot) -> bool {
            match (self, other) {
                (DimBot::TOP, d) => d.is_atom(),
                (a, DimBot::Bot) => a.is_atom(),
                _ => false,
            }
        }
    }
}

predicate! {
    /// What `le` promises: Def. 1.2, read off the three kinds of element.
    fn below(a: DimBot, b: DimBot) -> bool {
        match (a, b) {
            (DimBot::Bot, _) => true,
            (_, DimBot::Dim(Dim::Unit)) => true,
            (DimBot::Dim(Dim::Atom(x)), DimBot::Dim(Dim::Atom(y))) => x == y,
            _ => false,
        }
    }
}

predicate! {
    /// What `join` promises: an upper bound, and the least one. In a lattice of height 2 an upper
    /// bound is least when it is one of the arguments, or the top over two that are incomparable.
    fn join_post(a: DimBot, b: DimBot, r: DimBot) -> bool {
        below(a, r)
            && below(b, r)
            && (r == a || r == b || (r == DimBot::Dim(Dim::Unit) && !below(a, b) && !below(b, a)))
    }
}

predicate! {
    /// What `meet` promises: a lower bound, and the greatest one, by the dual argument.
    fn meet_post(a: DimBot, b: DimBot, r: DimBot) -> bool {
        below(r, a) && below(r, b) && (r == a || r == b || (r == DimBot::Bot && !below(a, b) && !below(b, a)))
    }
}

predicate! {
    /// What `covers` promises: strictly above, and not with the atoms between as 1∅ has over ⊥.
    fn covers_post(a: DimBot, b: DimBot) -> bool {
        below(b, a) && b != a && !(b == DimBot::Bot && a == DimBot::Dim(Dim::Unit))
    }
}

/// `partial_cmp` from a partial order given by `le`.
pub(crate) fn partial_cmp_by<T: ?Sized>(a: &T, b: &T, le: impl Fn(&T, &T) -> bool) -> Option<Ordering> {
    match (le(a, b), le(b, a)) {
        (true, true) => Some(Ordering::Equal),
        (true, false) => Some(Ordering::Less),
        (false, true) => Some(Ordering::Greater),
        (false, false) => None,
    }
}

impl PartialOrd for Dim {
    fn partial_cmp(&self, other: &Dim) -> Option<Ordering> {
        partial_cmp_by(self, other, |a, b| (*a).le(*b))
    }
}

impl PartialOrd for DimBot {
    fn partial_cmp(&self, other: &DimBot) -> Option<Ordering> {
        partial_cmp_by(self, other, |a, b| (*a).le(*b))
    }
}
