//! Group 1: §1.

use super::symbolic::{dim, dim_bot, proofs};
use crate::lattice;

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
