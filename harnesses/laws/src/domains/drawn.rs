//! The domains as what bolero draws: every value once in an exhaustive run.

use super::{TERMS, TWO_SORTED, dims, rows, stands_for};
use bolero::generator::bolero_generator::{Driver, TypeGenerator};
use lozenge::dim::{Dim, DimBot};
use lozenge::rigid::TwoSorted;
use lozenge::row::Row;
use lozenge::subst::Map;
use lozenge::term::RowTerm;
use std::ops::Bound::{Excluded, Included};
use std::sync::LazyLock;

/// Draws one item of a table: every item once in an exhaustive run.
pub fn pick<'t, T, D: Driver>(driver: &mut D, table: &'t [T]) -> Option<&'t T> {
    table.get(driver.gen_usize(Included(&0), Excluded(&table.len()))?)
}

/// Any dimension: 1∅ and three atoms.
#[derive(Clone, Copy, Debug)]
pub struct ADim(pub Dim);

impl TypeGenerator for ADim {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        static TABLE: LazyLock<Vec<Dim>> = LazyLock::new(|| dims(3));
        pick(driver, &TABLE).copied().map(ADim)
    }
}

/// Any element of D⊥: ⊥, 1∅ and three atoms.
#[derive(Clone, Copy, Debug)]
pub struct ADimBot(pub DimBot);

impl TypeGenerator for ADimBot {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        let bottom = driver.gen_usize(Included(&0), Included(&1))? == 1;
        if bottom {
            return Some(ADimBot(DimBot::Bot));
        }
        driver.produce().map(|ADim(dim)| ADimBot(DimBot::Dim(dim)))
    }
}

/// Any row with flanks of at most `LONGEST` over 1∅ and `ATOMS_USED` atoms. A reference, so that drawing is cheap.
#[derive(Clone, Copy, Debug)]
pub struct ARow<const ATOMS_USED: usize, const LONGEST: usize>(pub &'static Row);

/// Flanks up to three over three atoms: 7,225 rows.
pub type WideRow = ARow<3, 3>;
/// Flanks up to two over three atoms: 441 rows.
pub type TripleRow = ARow<3, 2>;
/// Flanks up to two over two atoms: 169 rows.
pub type SmallRow = ARow<2, 2>;

impl<const A: usize, const L: usize> TypeGenerator for ARow<A, L> {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        let table = match (A, L) {
            (3, 3) => &ROWS_3_3,
            (3, 2) => &ROWS_3_2,
            _ => &ROWS_2_2,
        };
        pick(driver, table).map(ARow)
    }
}

static ROWS_3_3: LazyLock<Vec<Row>> = LazyLock::new(|| rows(3, 3));
static ROWS_3_2: LazyLock<Vec<Row>> = LazyLock::new(|| rows(3, 2));
static ROWS_2_2: LazyLock<Vec<Row>> = LazyLock::new(|| rows(2, 2));

/// The first row of a pair or triple, over three atoms: one for all that renaming atoms makes of it, and how many these
/// are. With every other row beside it that is every pair, up to renaming (spec/small-models.md (e)).
#[derive(Clone, Copy, Debug)]
pub struct FirstRow<const LONGEST: usize> {
    /// The row.
    pub row: &'static Row,
    /// How many it stands for.
    pub times: u64,
}

/// For flanks up to three.
pub type FirstWide = FirstRow<3>;
/// For flanks up to two.
pub type FirstTriple = FirstRow<2>;

type First = (&'static Row, u64);

fn firsts(rows: &'static [Row]) -> Vec<First> {
    rows.iter().filter_map(|row| Some((row, stands_for(row, 3)?))).collect()
}

static FIRST_3: LazyLock<Vec<First>> = LazyLock::new(|| firsts(&ROWS_3_3));
static FIRST_2: LazyLock<Vec<First>> = LazyLock::new(|| firsts(&ROWS_3_2));

impl<const L: usize> TypeGenerator for FirstRow<L> {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        let table = if L == 3 { &FIRST_3 } else { &FIRST_2 };
        pick(driver, table).map(|(row, times)| FirstRow { row, times: *times })
    }
}

/// Any row of either sort: marked rows with flanks up to two and rigid rows up to
/// rank four, over 1∅ and two atoms: 290 rows.
#[derive(Clone, Copy, Debug)]
pub struct ATwoSorted(pub &'static TwoSorted);

impl TypeGenerator for ATwoSorted {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        pick(driver, &TWO_SORTED).map(ATwoSorted)
    }
}

/// Any small row term of [`TERMS`].
#[derive(Clone, Copy, Debug)]
pub struct ARowTerm(pub &'static RowTerm);

impl TypeGenerator for ARowTerm {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        pick(driver, &TERMS.rows).map(ARowTerm)
    }
}

/// Any small map of [`TERMS`].
#[derive(Clone, Copy, Debug)]
pub struct AMap(pub &'static Map);

impl TypeGenerator for AMap {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        pick(driver, &TERMS.maps).map(AMap)
    }
}
