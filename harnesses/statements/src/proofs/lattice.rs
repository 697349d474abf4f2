//! Group 1: §1, and the contracts of dimensions.

use super::symbolic::{dim, dim_bot, proofs};
use crate::lattice;
use lozenge_calculus::dim::{Dim, DimBot};

proofs! { 2:
    lattice_partial_order => lattice::partial_order(dim_bot(), dim_bot(), dim_bot());
    lattice_bounded => lattice::bounded(dim_bot());
    lattice_meet => lattice::meet_is_greatest_lower_bound(dim_bot(), dim_bot(), dim_bot());
    lattice_join => lattice::join_is_least_upper_bound(dim_bot(), dim_bot(), dim_bot());
    lattice_formulas => lattice::formulas(dim_bot(), dim_bot());
    lattice_height_two => lattice::height_two(dim_bot(), dim_bot(), dim_bot(), dim_bot());
    lattice_covers => lattice::covers(dim_bot(), dim_bot(), dim_bot());
    lattice_join_stays_in_d => lattice::join_stays_in_d(dim(), dim());
    lattice_distributive_unless_diamond => lattice::distributive_unless_diamond(dim_bot(), dim_bot(), dim_bot());
    lattice_modular => lattice::modular(dim_bot(), dim_bot(), dim_bot());
    lattice_operators => lattice::operators(dim_bot(), dim_bot());
}

/// A contract of core, for every argument; and that both of these results occur.
macro_rules! contracts {
    ($($name:ident: $function:path, $any:ident, $one:expr, $other:expr;)*) => { $(
        #[kani::proof_for_contract($function)]
        fn $name() {
            let (a, b) = ($any(), $any());
            let r = $function(a, b);
            kani::cover!($one(a, b, r));
            kani::cover!($other(a, b, r));
        }
    )* };
}

contracts! {
    lattice_contract_dim_le: Dim::le, dim, |a, b, r: bool| r && a != b, |_, _, r: bool| !r;
    lattice_contract_dim_join: Dim::join, dim, |a, _, r: Dim| r == a && r != Dim::Unit, |a, b, r: Dim| r != a && r != b;
    lattice_contract_dim_meet: Dim::meet, dim, |_, _, r: DimBot| r == DimBot::Bot, |_, _, r: DimBot| r.is_atom();
    lattice_contract_le: DimBot::le, dim_bot, |a, b, r: bool| r && a != b, |_, _, r: bool| !r;
    lattice_contract_meet: DimBot::meet, dim_bot, |a, b, r: DimBot| r != a && r != b, |_, _, r: DimBot| r.is_atom();
    lattice_contract_join: DimBot::join, dim_bot, |a, b, r: DimBot| r != a && r != b, |_, _, r: DimBot| r.is_atom();
    lattice_contract_covers: DimBot::covers, dim_bot, |_, b, r: bool| r && b == DimBot::Bot, |a, _, r: bool| r && a == DimBot::TOP;
}
