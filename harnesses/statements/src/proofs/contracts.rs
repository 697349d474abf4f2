//! The contracts of core: for every argument, the body keeps the postcondition. Test builds check the same
//! postconditions on each call.
//!
//! A group of its own, because the model checker needs another setting for contracts (`prove` gives it).

use super::symbolic::{dim, dim_bot, marked, rigid, row};
use lozenge_calculus::dim::{Dim, DimBot};
use lozenge_calculus::rigid::{TwoSorted, minimal_upper_bounds};
use lozenge_calculus::row::Row;

/// A contract, for all arguments of these kinds; and that both of these results occur.
macro_rules! contracts {
    ($($name:ident: $function:path, $a:expr, $b:expr, [$($by:tt)?], $one:expr, $other:expr;)*) => { $(
        #[kani::proof_for_contract($function)]
        #[kani::unwind(6)]
        fn $name() {
            let (a, b) = ($a, $b);
            let r = $function($($by)? a, $($by)? b);
            kani::cover!($one(&a, &b, &r));
            kani::cover!($other(&a, &b, &r));
        }
    )* };
}

contracts! {
    contracts_dim_le: Dim::le, dim(), dim(), [], |a, b, r: &bool| *r && a != b, |_, _, r: &bool| !*r;
    contracts_dim_join: Dim::join, dim(), dim(), [], |a, _, r: &Dim| r == a && *r != Dim::Unit, |a, b, r: &Dim| r != a && r != b;
    contracts_dim_meet: Dim::meet, dim(), dim(), [], |_, _, r: &DimBot| *r == DimBot::Bot, |_, _, r: &DimBot| r.is_atom();
    contracts_le: DimBot::le, dim_bot(), dim_bot(), [], |a, b, r: &bool| *r && a != b, |_, _, r: &bool| !*r;
    contracts_meet: DimBot::meet, dim_bot(), dim_bot(), [], |a, b, r: &DimBot| r != a && r != b, |_, _, r: &DimBot| r.is_atom();
    contracts_join: DimBot::join, dim_bot(), dim_bot(), [], |a, b, r: &DimBot| r != a && r != b, |_, _, r: &DimBot| r.is_atom();
    contracts_covers: DimBot::covers, dim_bot(), dim_bot(), [], |_, b: &DimBot, r: &bool| *r && *b == DimBot::Bot, |a: &DimBot, _, r: &bool| *r && *a == DimBot::TOP;
    contracts_row_check_le: Row::check_le, row::<2, 1>(), row::<1, 1>(), [&], |_, _, r: &Result<_, _>| r.is_ok(), |_, _, r: &Result<_, _>| r.is_err();
    contracts_row_flat_eq: Row::flat_eq, row::<2, 1>(), row::<1, 2>(), [&], |_, _, r: &bool| *r, |_, _, r: &bool| !*r;
    contracts_row_join: Row::join, row::<2, 1>(), row::<1, 2>(), [&], |_, _, r: &Row| r.lead[0] == Dim::Unit, |_, _, r: &Row| r.trail[0] != Dim::Unit;
    contracts_two_sorted_le: TwoSorted::le, rigid::<2>(), marked::<1, 1>(), [&], |_, _, r: &bool| *r, |_, _, r: &bool| !*r;
}

/// The contract of `minimal_upper_bounds`, for all rows of these shapes; and that this many bounds occur.
macro_rules! bounds {
    ($($name:ident: $unwind:literal, $a:expr, $b:expr, $count:literal;)*) => { $(
        #[kani::proof_for_contract(minimal_upper_bounds)]
        #[kani::unwind($unwind)]
        fn $name() {
            let (a, b) = ($a, $b);
            let r = minimal_upper_bounds(&a, &b);
            kani::cover!(r.len() == $count);
            std::mem::forget((a, b, r));
        }
    )* };
}

bounds! {
    contracts_minimal_rigid_0_1: 3, rigid::<0>(), rigid::<1>(), 1;
    contracts_minimal_marked_10_01: 3, marked::<1, 0>(), marked::<0, 1>(), 1;
    contracts_minimal_mixed_10_1: 3, marked::<1, 0>(), rigid::<1>(), 1;
}
