//! The finite domains that exhaustive runs walk.
//!
//! Three atoms stand for all (spec/small-models.md). They are chosen to be easily confused: 1 and 1
//! in another basis differ from 1∅ and from each other by nothing but what they are.

use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::rigid::{Rigid, TwoSorted};
use lozenge::row::Row;
use lozenge::subst::Map;
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar};
use std::sync::LazyLock;

#[cfg(feature = "exhaustive")]
mod drawn;
#[cfg(feature = "exhaustive")]
pub use drawn::{
    ADim, ADimBot, AMap, ARow, ARowTerm, ATwoSorted, FirstRow, FirstTriple, FirstWide, SmallRow, TripleRow, WideRow,
    pick,
};

/// 1 with basis default, 1 with another basis, 2 with basis default.
pub const ATOMS: [Atom; 3] =
    [Atom::nth(Basis::DEFAULT, 0), Atom::nth(Basis::numbered(1), 0), Atom::nth(Basis::DEFAULT, 1)];

/// 1∅ and the first `atoms` of [`ATOMS`].
#[must_use]
pub fn dims(atoms: usize) -> Vec<Dim> {
    std::iter::once(Dim::Unit).chain(ATOMS.iter().take(atoms).map(|a| Dim::Atom(*a))).collect()
}

/// Every sequence over `dims` of at most this length, shortest first.
#[must_use]
pub fn sequences(dims: &[Dim], longest: usize) -> Vec<Vec<Dim>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|s| dims.iter().map(|d| [s.as_slice(), &[*d]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Every row over 1∅ and `atoms` atoms with flanks of at most this length.
#[must_use]
pub fn rows(atoms: usize, longest: usize) -> Vec<Row> {
    let flanks = sequences(&dims(atoms), longest);
    flanks.iter().flat_map(|l| flanks.iter().map(|r| Row::new(l.clone(), r.clone()))).collect()
}

/// How many rows renaming the atoms makes of a row over the first `atoms` of [`ATOMS`], itself among them, if it is the
/// one that stands for them: its atoms, read from the front, come up in the order of [`ATOMS`]. Spec/small-models.md (e).
#[must_use]
pub fn stands_for(row: &Row, atoms: usize) -> Option<u64> {
    let mut met = 0;
    for dim in row.flat() {
        let Dim::Atom(atom) = dim else { continue };
        let place = ATOMS.iter().position(|a| *a == atom)?;
        if place > met {
            return None;
        }
        met = met.max(place + 1);
    }
    Some((0..met).map(|i| (atoms - i) as u64).product())
}

/// Rows of either sort: marked ones with flanks up to two and rigid ones up to rank four, over 1∅ and two atoms: 290 rows.
pub static TWO_SORTED: LazyLock<Vec<TwoSorted>> = LazyLock::new(|| {
    let marked = rows(2, 2).into_iter().map(TwoSorted::Marked);
    marked.chain(sequences(&dims(2), 4).into_iter().map(|f| TwoSorted::Rigid(Rigid(f)))).collect()
});

/// The small terms: dimension variables a, b and row variables p, q, one atom and 1∅.
#[derive(Debug)]
pub struct Terms {
    /// What they are called.
    pub names: Names,
    /// a, b
    pub dim_vars: [DimVar; 2],
    /// p, q
    pub row_vars: [RowVar; 2],
    /// a, b, 1∅, 2.
    pub dims: Vec<DimTerm>,
    /// Flanks of at most one over these, closed or around p or q: 75 row terms.
    pub rows: Vec<RowTerm>,
    /// 324 maps: a to three terms, p to eighteen, q to six.
    pub maps: Vec<Map>,
}

/// Row terms with these leading flanks, middles and trailing flanks.
fn row_terms(leads: &[Vec<DimTerm>], vars: &[Option<RowVar>], trails: &[Vec<DimTerm>]) -> Vec<RowTerm> {
    let mut terms = Vec::new();
    for lead in leads {
        for var in vars {
            terms.extend(trails.iter().map(|trail| RowTerm::new(lead.clone(), *var, trail.clone())));
        }
    }
    terms
}

/// The terms that the harnesses of §3 walk.
pub static TERMS: LazyLock<Terms> = LazyLock::new(|| {
    let mut names = Names::new();
    let mut dim = |name| names.dim_var(name).expect("a new name");
    let dim_vars @ [a, b] = [dim("a"), dim("b")];
    let mut row = |name| names.row_var(name).expect("a new name");
    let row_vars @ [p, q] = [row("p"), row("q")];
    let two = DimTerm::Dim(Dim::Atom(ATOMS[2]));
    let dims = vec![a.into(), b.into(), Dim::Unit.into(), two];
    let flanks: Vec<Vec<DimTerm>> = std::iter::once(vec![]).chain(dims.iter().map(|d| vec![*d])).collect();
    let vars = [None, Some(p), Some(q)];
    let rows = row_terms(&flanks, &vars, &flanks);

    let images_of_p = row_terms(&[vec![], vec![a.into()], vec![two]], &vars, &[vec![], vec![b.into()]]);
    let images_of_q = row_terms(&[vec![], vec![a.into()]], &vars, &[vec![]]);
    let mut maps = Vec::new();
    for image_of_a in [a.into(), b.into(), two] {
        for image_of_p in &images_of_p {
            for image_of_q in &images_of_q {
                let map = Map::identity().with_dim(a, image_of_a);
                maps.push(map.with_row(p, image_of_p.clone()).with_row(q, image_of_q.clone()));
            }
        }
    }
    Terms { names, dim_vars, row_vars, dims, rows, maps }
});
