//! Small terms, constraints and systems, all of them or at random.

use crate::domains::{ATOMS, TERMS};
use crate::generators::shrink_constraint;
use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Dim};
use lozenge::semantics::{Ground, Universe, sol_on};
use lozenge::term::{DimTerm, RowTerm, RowVar, Vars};
use quickcheck::{Arbitrary, Gen};
use std::sync::OnceLock;

/// Every value, in a small universe, of some of the variables of [`TERMS`]: computed once for each set of variables.
#[derive(Debug)]
pub struct Values {
    universe: Universe,
    by_vars: [OnceLock<Vec<Ground>>; 16],
}

impl Values {
    /// Values over 1∅ and these sizes, up to this rank.
    ///
    /// # Panics
    /// When that is too many.
    #[must_use]
    pub fn new(sizes: &[u64], rank: usize) -> Self {
        let universe = Universe::of_sizes(sizes, rank).expect("small");
        Values { universe, by_vars: [const { OnceLock::new() }; 16] }
    }

    /// The values of the variables of Φ.
    ///
    /// # Panics
    /// When Φ has other variables than [`TERMS`].
    #[must_use]
    pub fn of(&self, phi: &[Constraint]) -> &[Ground] {
        let vars = phi.vars();
        let number = vars.iter().map(|v| 1 << v.id()).sum::<usize>();
        self.by_vars[number].get_or_init(|| sol_on(&[], &self.universe, &vars).collect())
    }
}

/// The atom 2 of [`TERMS`], as a term.
#[must_use]
pub fn two() -> DimTerm {
    DimTerm::Dim(Dim::Atom(ATOMS[2]))
}

/// The atom 3.
#[must_use]
pub fn three() -> DimTerm {
    DimTerm::Dim(Dim::Atom(Atom::nth(ATOMS[2].basis(), 2)))
}

/// Every sequence of these terms of at most this length, shortest first.
#[must_use]
pub fn flanks(of: &[DimTerm], longest: usize) -> Vec<Vec<DimTerm>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|s| of.iter().map(|d| [s.as_slice(), &[*d]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Every row term with these flanks, closed or around one of these variables.
#[must_use]
pub fn row_terms(flanks: &[Vec<DimTerm>], vars: &[RowVar]) -> Vec<RowTerm> {
    let middles: Vec<Option<RowVar>> = std::iter::once(None).chain(vars.iter().copied().map(Some)).collect();
    let mut terms = Vec::new();
    for lead in flanks {
        for var in &middles {
            terms.extend(flanks.iter().map(|trail| RowTerm::new(lead.clone(), *var, trail.clone())));
        }
    }
    terms
}

/// R₁ ≈ R₂ and R₁ ⊑ R₂ for every two of these terms.
pub fn row_constraints(terms: &[RowTerm]) -> impl Iterator<Item = Constraint> + '_ {
    terms.iter().flat_map(move |s| {
        terms
            .iter()
            .flat_map(move |t| [Constraint::RowEq(s.clone(), t.clone()), Constraint::RowLe(s.clone(), t.clone())])
    })
}

/// t₁ = t₂ and t₁ ⊑ t₂ for every two of these terms.
pub fn dim_constraints(terms: &[DimTerm]) -> impl Iterator<Item = Constraint> + '_ {
    terms
        .iter()
        .flat_map(move |s| terms.iter().flat_map(move |t| [Constraint::DimEq(*s, *t), Constraint::DimLe(*s, *t)]))
}

/// One to four random constraints over the variables of [`TERMS`], flanks of at most two over a, b, 1∅ and 2.
#[derive(Clone, Debug)]
pub struct SmallSystem(pub Vec<Constraint>);

fn one_of<'t, T>(g: &mut Gen, table: &'t [T]) -> &'t T {
    let number = u64::arbitrary(g) % table.len() as u64;
    &table[usize::try_from(number).unwrap_or(0)]
}

impl Arbitrary for SmallSystem {
    fn arbitrary(g: &mut Gen) -> Self {
        fn flank(g: &mut Gen) -> Vec<DimTerm> {
            let length = *one_of(g, &[0, 0, 0, 1, 1, 2]);
            let [a, b] = TERMS.dim_vars.map(DimTerm::from);
            (0..length).map(|_| *one_of(g, &[two(), two(), a, b, Dim::Unit.into()])).collect()
        }
        fn row(g: &mut Gen) -> RowTerm {
            let [p, q] = TERMS.row_vars.map(Some);
            RowTerm::new(flank(g), *one_of(g, &[p, p, q, q, None]), flank(g))
        }
        let count = *one_of(g, &[1, 2, 2, 3, 3, 4]);
        let constraint = |g: &mut Gen| match u64::arbitrary(g) % 8 {
            0 => Constraint::DimLe(*one_of(g, &TERMS.dims), *one_of(g, &TERMS.dims)),
            1..=3 => Constraint::RowEq(row(g), row(g)),
            _ => Constraint::RowLe(row(g), row(g)),
        };
        SmallSystem((0..count).map(|_| constraint(g)).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(simpler(&self.0).into_iter().map(SmallSystem))
    }
}

/// Simpler systems, for types that wrap one.
#[must_use]
pub fn simpler(phi: &[Constraint]) -> Vec<Vec<Constraint>> {
    let fewer = (0..phi.len()).map(|i| [&phi[..i], &phi[i + 1..]].concat());
    let smaller = phi.iter().enumerate().flat_map(|(i, c)| {
        shrink_constraint(c).into_iter().map(move |s| {
            let mut all = phi.to_vec();
            all[i] = s;
            all
        })
    });
    fewer.chain(smaller).collect()
}
