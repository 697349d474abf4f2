//! §3.4 Semantics: ground substitutions γ, `holds`, Sol(Φ) by brute force, and σ ⊨ Φ.
//!
//! Nothing here knows the solver: this is the independent oracle that everything else is compared to.
//!
//! ```
//! use lozenge::{notation, names::Names, semantics::{Universe, sol}};
//! let mut names = Names::new();
//! let phi = notation::parse_system("3 ⊑ a", &mut names)?;
//! let universe = Universe::of_sizes(&[3, 5], 0)?;
//! let values: Vec<String> = sol(&phi, &universe).map(|g| names.show(&g).to_string()).collect();
//! assert_eq!(values, ["a ↦ 1∅", "a ↦ 3"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Chapter: spec/3-terms.md.

use crate::constraint::Constraint;
use crate::dim::{Atom, Basis, Dim, SizeZero};
use crate::row::Row;
use crate::subst::Map;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Def. 3.4: a ground substitution γ. It is total: a variable without a value here has the top,
/// 1∅ or []·⋄·[].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ground {
    /// Values of dimension variables.
    pub dims: BTreeMap<DimVar, Dim>,
    /// Values of row variables.
    pub rows: BTreeMap<RowVar, Row>,
}

impl Ground {
    /// γ(t).
    #[must_use]
    pub fn dim(&self, term: DimTerm) -> Dim {
        match term {
            DimTerm::Var(v) => self.dims.get(&v).copied().unwrap_or(Dim::Unit),
            DimTerm::Dim(d) => d,
        }
    }

    /// γ(R), spliced at the marker as in Def. 3.2.
    #[must_use]
    pub fn row(&self, term: &RowTerm) -> Row {
        let value = term.var.and_then(|v| self.rows.get(&v)).unwrap_or(const { &Row::EMPTY });
        let flank = |terms: &[DimTerm]| terms.iter().map(|t| self.dim(*t)).collect::<Vec<_>>();
        let (mut lead, mut trail) = (flank(&term.lead), value.trail.clone());
        lead.extend(&value.lead);
        trail.extend(flank(&term.trail));
        Row::new(lead, trail)
    }

    /// Does γ give this variable a value of its own?
    #[must_use]
    pub fn assigns(&self, var: Var) -> bool {
        match var {
            Var::Dim(v) => self.dims.contains_key(&v),
            Var::Row(v) => self.rows.contains_key(&v),
        }
    }

    /// γ∘σ on these variables.
    #[must_use]
    pub fn after(&self, sigma: &Map, vars: impl IntoIterator<Item = Var>) -> Ground {
        let mut composite = Ground::default();
        for var in vars {
            match var {
                Var::Dim(v) => {
                    composite.dims.insert(v, self.dim(sigma.dim(v)));
                }
                Var::Row(v) => {
                    composite.rows.insert(v, self.row(&sigma.row(v)));
                }
            }
        }
        composite
    }
}

/// Def. 3.4: γ ⊨ φ. Dimensions: identity and ⊑. Rows: ≈ for equality, the marked ⊑ for inequality.
#[must_use]
pub fn holds(gamma: &Ground, phi: &Constraint) -> bool {
    match phi {
        Constraint::DimEq(s, t) => gamma.dim(*s) == gamma.dim(*t),
        Constraint::DimLe(s, t) => gamma.dim(*s).le(gamma.dim(*t)),
        Constraint::RowEq(s, t) => gamma.row(s).flat_eq(&gamma.row(t)),
        Constraint::RowLe(s, t) => gamma.row(s).le(&gamma.row(t)),
    }
}

/// A finite universe of values: some atoms and 1∅, and every row over them up to a rank, with
/// every placement of the marker.
#[derive(Clone, Debug)]
pub struct Universe {
    dims: Vec<Dim>,
    rows: Vec<Row>,
}

/// A universe that would not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// The rank bound asked for.
    pub max_rank: usize,
    /// The dimensions asked for, 1∅ included.
    pub dims: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLarge { max_rank, dims } = self;
        let limit = Universe::MOST_ROWS;
        write!(f, "rows over {dims} dimensions up to rank {max_rank} are more than {limit}: ask for a lower rank")
    }
}

impl std::error::Error for TooLarge {}

impl Universe {
    /// The most rows a universe may hold.
    pub const MOST_ROWS: usize = 1 << 22;

    /// 1∅, these atoms, and the rows over them up to this rank.
    ///
    /// # Errors
    /// [`TooLarge`] past [`Universe::MOST_ROWS`] rows.
    pub fn new(atoms: &[Atom], max_rank: usize) -> Result<Self, TooLarge> {
        let mut dims = vec![Dim::Unit];
        dims.extend(atoms.iter().map(|a| Dim::Atom(*a)));
        let too_large = TooLarge { max_rank, dims: dims.len() };
        let (mut rows, mut flats) = (Vec::new(), vec![Vec::new()]);
        for rank in 0..=max_rank {
            if flats.len().saturating_mul(rank + 1) > Self::MOST_ROWS - rows.len() {
                return Err(too_large);
            }
            rows.extend(flats.iter().flat_map(|flat| (0..=rank).map(|split| Row::split_at(flat, split))));
            if rank < max_rank {
                if flats.len().saturating_mul(dims.len()) > Self::MOST_ROWS {
                    return Err(too_large);
                }
                flats = flats.iter().flat_map(|flat| dims.iter().map(|d| [flat.as_slice(), &[*d]].concat())).collect();
            }
        }
        Ok(Universe { dims, rows })
    }

    /// Atoms of these sizes with every one of these bases: atoms × bases × rank bound.
    ///
    /// # Errors
    /// A size of 0, or more than [`Universe::MOST_ROWS`] rows.
    pub fn with_bases(sizes: &[u64], bases: &[Basis], max_rank: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let atoms: Result<Vec<Atom>, SizeZero> =
            sizes.iter().flat_map(|&n| bases.iter().map(move |&b| Atom::new(n, b))).collect();
        Ok(Universe::new(&atoms?, max_rank)?)
    }

    /// Atoms of these sizes with basis default.
    ///
    /// # Errors
    /// A size of 0, or more than [`Universe::MOST_ROWS`] rows.
    pub fn of_sizes(sizes: &[u64], max_rank: usize) -> Result<Self, Box<dyn std::error::Error>> {
        Universe::with_bases(sizes, &[Basis::DEFAULT], max_rank)
    }

    /// The dimensions, 1∅ first.
    #[must_use]
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// The rows, by rank, the empty row first.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// Sol(Φ) within a universe, on the variables of Φ: every solution once, oldest variable slowest.
#[must_use]
pub fn sol<'a>(phi: &'a [Constraint], universe: &'a Universe) -> Sol<'a> {
    sol_on(phi, universe, &phi.vars())
}

/// Sol(Φ) within a universe, on these variables and those of Φ.
#[must_use]
pub fn sol_on<'a>(phi: &'a [Constraint], universe: &'a Universe, vars: &BTreeSet<Var>) -> Sol<'a> {
    let vars: Vec<Var> = vars.union(&phi.vars()).copied().collect();
    // A constraint is checked as soon as the last of its variables has a value.
    let mut checks = vec![Vec::new(); vars.len() + 1];
    for constraint in phi {
        let last = constraint.vars().last().and_then(|v| vars.iter().position(|w| w == v));
        checks[last.map_or(0, |i| i + 1)].push(constraint);
    }
    Sol { universe, vars, checks, choice: Vec::new(), gamma: Ground::default(), started: false }
}

/// The solutions, found one at a time by trying every value of every variable.
#[derive(Clone, Debug)]
pub struct Sol<'a> {
    universe: &'a Universe,
    vars: Vec<Var>,
    checks: Vec<Vec<&'a Constraint>>,
    /// For the first variables, which value each has.
    choice: Vec<usize>,
    gamma: Ground,
    started: bool,
}

impl Sol<'_> {
    /// Gives a variable the value with this number; false when there are no more.
    fn assign(&mut self, var: Var, number: usize) -> bool {
        let (dims, rows) = (&mut self.gamma.dims, &mut self.gamma.rows);
        match var {
            Var::Dim(v) => self.universe.dims.get(number).is_some_and(|d| {
                dims.insert(v, *d);
                true
            }),
            Var::Row(v) => self.universe.rows.get(number).is_some_and(|r| {
                rows.insert(v, r.clone());
                true
            }),
        }
    }

    /// Do the constraints hold that have just got their last value?
    fn consistent(&self) -> bool {
        self.checks[self.choice.len()].iter().all(|phi| holds(&self.gamma, phi))
    }
}

impl Iterator for Sol<'_> {
    type Item = Ground;

    fn next(&mut self) -> Option<Ground> {
        let mut deeper = !self.started && self.consistent();
        self.started = true;
        loop {
            if deeper && self.choice.len() == self.vars.len() {
                return Some(self.gamma.clone());
            }
            let number = if deeper { 0 } else { self.choice.pop()? + 1 };
            deeper = self.assign(self.vars[self.choice.len()], number) && {
                self.choice.push(number);
                self.consistent()
            };
        }
    }
}

/// Def. 3.4: σ ⊨ Φ, that is γ∘σ ∈ Sol(Φ) for every ground γ. Two groundings decide it
/// (spec/3-terms.md, under 3.4): every dimension variable at an atom of its own, and every row
/// variable at []·⋄·[], then at \[a\]·⋄·\[a′\] with two atoms of its own.
#[must_use]
pub fn models(sigma: &Map, phi: &[Constraint]) -> bool {
    let instance: Vec<Constraint> = phi.iter().map(|c| sigma.apply_constraint(c)).collect();
    fresh_groundings(&instance).iter().all(|gamma| instance.iter().all(|c| holds(gamma, c)))
}

/// The two groundings of [`models`]: at fresh atoms, with empty rows and with rows of two axes.
#[must_use]
pub fn fresh_groundings(phi: &[Constraint]) -> [Ground; 2] {
    let used: BTreeSet<u32> = phi.iter().flat_map(atoms).map(|a| a.basis().number()).collect();
    let basis = Basis((0..=u32::MAX).find(|b| !used.contains(b)).unwrap_or(u32::MAX));
    // Atoms of its own for each variable, all in a basis that Φ does not mention.
    let mut next = 0;
    let mut atom = || {
        next += 1;
        Dim::Atom(Atom::nth(basis, next))
    };
    let (mut empty, mut wide) = (Ground::default(), Ground::default());
    for var in phi.vars() {
        match var {
            Var::Dim(v) => {
                let own = atom();
                empty.dims.insert(v, own);
                wide.dims.insert(v, own);
            }
            Var::Row(v) => {
                empty.rows.insert(v, Row::EMPTY);
                wide.rows.insert(v, Row::new(vec![atom()], vec![atom()]));
            }
        }
    }
    [empty, wide]
}

/// The atoms written in a constraint.
pub fn atoms(phi: &Constraint) -> impl Iterator<Item = Atom> {
    let terms: Vec<DimTerm> = match phi {
        Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => vec![*s, *t],
        Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => {
            [s, t].into_iter().flat_map(|r| r.lead.iter().chain(&r.trail)).copied().collect()
        }
    };
    terms.into_iter().filter_map(|t| match t {
        DimTerm::Dim(Dim::Atom(a)) => Some(a),
        _ => None,
    })
}
