//! Symbolic values, and the form of a proof.

use lozenge_calculus::dim::{Atom, Basis, Dim, DimBot};
use lozenge_calculus::rigid::{Rigid, TwoSorted};
use lozenge_calculus::row::Row;

/// A proof of a law for every value of its arguments, and that it says something of some.
macro_rules! proofs {
    ($unwind:literal: $($name:ident => $law:expr;)*) => { $(
        #[kani::proof]
        #[kani::unwind($unwind)]
        fn $name() {
            let said: bool = $law;
            kani::cover!(said, "the law says something");
        }
    )* };
}

/// A proof that a law holds of these shapes because its premise never does.
macro_rules! vacuous {
    ($unwind:literal: $($name:ident => $law:expr;)*) => { $(
        #[kani::proof]
        #[kani::unwind($unwind)]
        fn $name() {
            let said: bool = $law;
            assert!(!said, "of these shapes the law says nothing");
            kani::cover!(true, "the end is reached");
        }
    )* };
}

pub(crate) use {proofs, vacuous};

/// Every dimension: each size from 1 with each basis, and 1∅ for size 0, which no atom has.
pub fn dim() -> Dim {
    let (size, basis) = (kani::any(), Basis::numbered(kani::any()));
    Atom::new(size, basis).map_or(Dim::Unit, Dim::Atom)
}

/// Every element of D⊥.
pub fn dim_bot() -> DimBot {
    if kani::any() { DimBot::Bot } else { DimBot::Dim(dim()) }
}

/// Every sequence of this length.
pub fn flank<const N: usize>() -> Vec<Dim> {
    let dims: [Dim; N] = std::array::from_fn(|_| dim());
    Vec::from(dims)
}

/// Every row with flanks of these lengths.
pub fn row<const LEAD: usize, const TRAIL: usize>() -> Row {
    Row::new(flank::<LEAD>(), flank::<TRAIL>())
}

/// The same as a row of either sort.
pub fn marked<const LEAD: usize, const TRAIL: usize>() -> TwoSorted {
    TwoSorted::Marked(row::<LEAD, TRAIL>())
}

/// Every rigid row of this rank.
pub fn rigid<const RANK: usize>() -> TwoSorted {
    TwoSorted::Rigid(Rigid(flank::<RANK>()))
}
