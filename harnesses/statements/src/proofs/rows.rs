//! Group 2: §2.

use super::symbolic::{marked, proofs, rigid, row, vacuous};
use crate::{rigid as two_sorted, rows};

proofs! { 6:
    rows_order_22_22 => rows::order(&row::<2, 2>(), &row::<2, 2>());
    rows_order_22_11 => rows::order(&row::<2, 2>(), &row::<1, 1>());
    rows_order_21_01 => rows::order(&row::<2, 1>(), &row::<0, 1>());
    rows_order_12_10 => rows::order(&row::<1, 2>(), &row::<1, 0>());
    rows_order_00_00 => rows::order(&row::<0, 0>(), &row::<0, 0>());
    rows_order_11_11 => rows::order(&row::<1, 1>(), &row::<1, 1>());
    rows_order_10_00 => rows::order(&row::<1, 0>(), &row::<0, 0>());
    rows_order_22_00 => rows::order(&row::<2, 2>(), &row::<0, 0>());
    rows_order_20_10 => rows::order(&row::<2, 0>(), &row::<1, 0>());
    rows_order_02_01 => rows::order(&row::<0, 2>(), &row::<0, 1>());
    rows_expansion_11_at_4 => rows::expansion(&row::<1, 1>(), 4);
    rows_monotone_21_11 => rows::expansion_is_monotone(&row::<2, 1>(), &row::<1, 1>(), 1);
    rows_antisymmetric_22_22 => rows::antisymmetric(&row::<2, 2>(), &row::<2, 2>());
    rows_transitive_22_11_10 => rows::transitive(&row::<2, 2>(), &row::<1, 1>(), &row::<1, 0>());
    rows_transitive_11_11_11 => rows::transitive(&row::<1, 1>(), &row::<1, 1>(), &row::<1, 1>());
    rows_greatest_22 => rows::greatest(&row::<2, 2>());
    rows_join_upper_21_12 => rows::join_upper(&row::<2, 1>(), &row::<1, 2>());
    rows_join_least_21_12_11 => rows::join_least(&row::<2, 1>(), &row::<1, 2>(), &row::<1, 1>());
    rows_join_least_20_10_10 => rows::join_least(&row::<2, 0>(), &row::<1, 0>(), &row::<1, 0>());
    rows_join_least_01_10_00 => rows::join_least(&row::<0, 1>(), &row::<1, 0>(), &row::<0, 0>());
    rows_two_formulations_21_12 => rows::two_formulations(&row::<2, 1>(), &row::<1, 2>());
    rows_flat_equals_21_12 => rows::flat_equals_are_incomparable(&row::<2, 1>(), &row::<1, 2>());
    rows_down_sets_21_21 => rows::down_sets_separate(&row::<2, 1>(), &row::<2, 1>());
    rows_rigid_antisymmetric_2_2 => two_sorted::antisymmetric(&rigid::<2>(), &rigid::<2>());
    rows_rigid_transitive_2_11_10 => two_sorted::transitive(&rigid::<2>(), &marked::<1, 1>(), &marked::<1, 0>());
    rows_rigid_transitive_2_2_01 => two_sorted::transitive(&rigid::<2>(), &rigid::<2>(), &marked::<0, 1>());
    rows_rigid_covered_11_2 => two_sorted::flat_is_covered(&row::<1, 1>(), &rigid::<2>());
    rows_rigid_three_formulations_21_12 => two_sorted::three_formulations(&row::<2, 1>(), &row::<1, 2>());
}

vacuous! { 6:
    rows_order_12_21 => rows::order(&row::<1, 2>(), &row::<2, 1>());
    rows_order_21_12 => rows::order(&row::<2, 1>(), &row::<1, 2>());
    rows_order_11_22 => rows::order(&row::<1, 1>(), &row::<2, 2>());
    rows_rigid_antisymmetric_11_2 => two_sorted::antisymmetric(&marked::<1, 1>(), &rigid::<2>());
}
