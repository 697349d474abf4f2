//! The contracts of core as proof obligations for Kani: for every argument, the body keeps the
//! postcondition. Test builds check the same postconditions on each call.
//!
//! `cover!` guards against a proof about nothing: Kani reports whether the point can be reached.
#![cfg(kani)]
#![allow(missing_docs)]

use lozenge::dim::{Atom, Basis, Dim, DimBot};
use lozenge::row::Row;

/// Every dimension: each size from 1 with each basis, and 1∅ for size 0, which no atom has.
fn any_dim() -> Dim {
    let (size, basis) = (kani::any(), Basis::numbered(kani::any()));
    Atom::new(size, basis).map_or(Dim::Unit, Dim::Atom)
}

/// Every element of D⊥.
fn any_dim_bot() -> DimBot {
    if kani::any() { DimBot::Bot } else { DimBot::Dim(any_dim()) }
}

/// Every flank of these lengths. The lengths are fixed, one harness each: a vector of symbolic
/// length costs Kani more than all of its contents.
fn any_row<const LEAD: usize, const TRAIL: usize>() -> Row {
    let flank = |length: usize| (0..length).map(|_| any_dim()).collect();
    Row::new(flank(LEAD), flank(TRAIL))
}

#[kani::proof_for_contract(Dim::le)]
fn contract_of_dim_le() {
    let (a, b) = (any_dim(), any_dim());
    let r = Dim::le(a, b);
    kani::cover!(r && a != b, "an atom below 1∅");
    kani::cover!(!r, "incomparable");
}

#[kani::proof_for_contract(Dim::join)]
fn contract_of_dim_join() {
    let (a, b) = (any_dim(), any_dim());
    let r = Dim::join(a, b);
    kani::cover!(r == a && r != Dim::Unit, "an atom with itself");
    kani::cover!(r != a && r != b, "two atoms");
}

#[kani::proof_for_contract(Dim::meet)]
fn contract_of_dim_meet() {
    let (a, b) = (any_dim(), any_dim());
    let r = Dim::meet(a, b);
    kani::cover!(r == DimBot::Bot, "two atoms");
    kani::cover!(r.is_atom(), "an atom with itself or with 1∅");
}

#[kani::proof_for_contract(DimBot::le)]
fn contract_of_dim_bot_le() {
    let (a, b) = (any_dim_bot(), any_dim_bot());
    let r = DimBot::le(a, b);
    kani::cover!(r && a != b, "strictly below");
    kani::cover!(!r, "not below");
}

#[kani::proof_for_contract(DimBot::meet)]
fn contract_of_dim_bot_meet() {
    let (a, b) = (any_dim_bot(), any_dim_bot());
    let r = DimBot::meet(a, b);
    kani::cover!(r != a && r != b, "two atoms");
}

#[kani::proof_for_contract(DimBot::join)]
fn contract_of_dim_bot_join() {
    let (a, b) = (any_dim_bot(), any_dim_bot());
    let r = DimBot::join(a, b);
    kani::cover!(r != a && r != b, "two atoms");
}

#[kani::proof_for_contract(DimBot::covers)]
fn contract_of_dim_bot_covers() {
    let (a, b) = (any_dim_bot(), any_dim_bot());
    let r = DimBot::covers(a, b);
    kani::cover!(r && b == DimBot::Bot, "an atom over ⊥");
    kani::cover!(r && a == DimBot::TOP, "1∅ over an atom");
}

#[kani::proof_for_contract(Row::join)]
#[kani::unwind(4)]
fn contract_of_row_join_of_equal_flanks() {
    let (a, b) = (any_row::<1, 1>(), any_row::<1, 1>());
    let r = Row::join(&a, &b);
    kani::cover!(r.rank() == 2 && r != a && r != b, "both flanks joined at 1∅");
}

#[kani::proof_for_contract(Row::join)]
#[kani::unwind(4)]
fn contract_of_row_join_of_unequal_flanks() {
    let (a, b) = (any_row::<2, 0>(), any_row::<1, 2>());
    let r = Row::join(&a, &b);
    kani::cover!(r.rank() == 1, "cut to the shorter flanks");
}
