//! Random values with shrinking: the one place that every crate's tests and the fuzzers share.
//!
//! [`Weights`] says how large and how entangled things get. The `Any…` types carry the default
//! weights into quickcheck.

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::rigid::{Rigid, TwoSorted};
use lozenge::row::Row;
use lozenge::subst::Map;
use lozenge::term::{DimTerm, RowTerm, Var, Vars};
use quickcheck::{Arbitrary, Gen};

/// How large random values get, and how much they share.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// The longest flank.
    pub flank: usize,
    /// How many constraints a system has at the most.
    pub constraints: usize,
    /// How many variables of each sort there are: fewer means more sharing.
    pub vars: usize,
    /// How many sizes: fewer means that dimensions agree more often.
    pub sizes: u64,
    /// How many bases, `default` included.
    pub bases: u32,
    /// Out of ten axes, how many are variables.
    pub variable_axes: u32,
    /// Out of ten rows, how many are open.
    pub open_rows: u32,
    /// Out of ten constraints, how many are equalities.
    pub equalities: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Weights { flank: 3, constraints: 6, vars: 4, sizes: 3, bases: 2, variable_axes: 3, open_rows: 6, equalities: 4 }
    }
}

/// Below `n`; 0 when `n` is 0.
fn below(g: &mut Gen, n: u64) -> u64 {
    if n == 0 { 0 } else { u64::arbitrary(g) % n }
}

fn out_of_ten(g: &mut Gen, chances: u32) -> bool {
    below(g, 10) < u64::from(chances)
}

/// A name for the basis of this number, as [`Names`] of a system have them.
fn basis_name(number: u64) -> String {
    if number == 0 { "default".to_owned() } else { format!("b{number}") }
}

impl Weights {
    /// A dimension; one in five is 1∅.
    pub fn dim(&self, g: &mut Gen, names: &mut Names) -> Dim {
        if below(g, 5) == 0 {
            return Dim::Unit;
        }
        let basis = names.basis(&basis_name(below(g, u64::from(self.bases))));
        let size = 1 + below(g, self.sizes);
        Atom::new(size, basis).map_or(Dim::Unit, Dim::Atom)
    }

    fn flank<T>(&self, g: &mut Gen, mut item: impl FnMut(&mut Gen) -> T) -> Vec<T> {
        let length = below(g, self.flank as u64 + 1);
        (0..length).map(|_| item(g)).collect()
    }

    /// A ground row.
    pub fn row(&self, g: &mut Gen, names: &mut Names) -> Row {
        Row::new(self.flank(g, |g| self.dim(g, names)), self.flank(g, |g| self.dim(g, names)))
    }

    /// A dimension term.
    pub fn dim_term(&self, g: &mut Gen, names: &mut Names) -> DimTerm {
        if !out_of_ten(g, self.variable_axes) {
            return self.dim(g, names).into();
        }
        let name = format!("a{}", below(g, self.vars as u64));
        names.dim_var(&name).map_or(DimTerm::Dim(Dim::Unit), DimTerm::Var)
    }

    /// A row term.
    pub fn row_term(&self, g: &mut Gen, names: &mut Names) -> RowTerm {
        let lead = self.flank(g, |g| self.dim_term(g, names));
        let name = format!("r{}", below(g, self.vars as u64));
        let var = if out_of_ten(g, self.open_rows) { names.row_var(&name).ok() } else { None };
        RowTerm::new(lead, var, self.flank(g, |g| self.dim_term(g, names)))
    }

    /// A constraint; three in four relate rows.
    pub fn constraint(&self, g: &mut Gen, names: &mut Names) -> Constraint {
        let equality = out_of_ten(g, self.equalities);
        if below(g, 4) == 0 {
            let (s, t) = (self.dim_term(g, names), self.dim_term(g, names));
            return if equality { Constraint::DimEq(s, t) } else { Constraint::DimLe(s, t) };
        }
        let (s, t) = (self.row_term(g, names), self.row_term(g, names));
        if equality { Constraint::RowEq(s, t) } else { Constraint::RowLe(s, t) }
    }

    /// A system of constraints.
    pub fn system(&self, g: &mut Gen) -> System {
        let mut names = Names::new();
        let count = 1 + below(g, self.constraints as u64);
        let constraints = (0..count).map(|_| self.constraint(g, &mut names)).collect();
        System { names, constraints }
    }

    /// Rows in a circle, each below the next or equal to it, with an axis more here and there: what the guard watches. A
    /// further constraint may take part of the growth elsewhere.
    pub fn circle(&self, g: &mut Gen) -> System {
        let mut names = Names::new();
        let around = 1 + below(g, self.vars.min(self.constraints.max(1)) as u64);
        let mut side = |g: &mut Gen, i: u64| {
            let few = |g: &mut Gen, names: &mut Names| -> Vec<DimTerm> {
                (0..below(g, 5) / 3).map(|_| self.dim_term(g, names)).collect()
            };
            let lead = few(g, &mut names);
            let var = names.row_var(&format!("r{}", i % around)).ok();
            RowTerm::new(lead, var, few(g, &mut names))
        };
        let mut constraints: Vec<Constraint> = (0..around)
            .map(|i| {
                let (s, t) = (side(g, i), side(g, i + 1));
                if below(g, 5) == 0 { Constraint::RowEq(s, t) } else { Constraint::RowLe(s, t) }
            })
            .collect();
        if constraints.len() < self.constraints && bool::arbitrary(g) {
            constraints.push(self.constraint(g, &mut names));
        }
        System { names, constraints }
    }

    /// A map on the variables that `names` has so far.
    pub fn map(&self, g: &mut Gen, names: &mut Names) -> Map {
        let vars: Vec<Var> = names.vars().collect();
        vars.into_iter().fold(Map::identity(), |map, var| match var {
            _ if bool::arbitrary(g) => map,
            Var::Dim(v) => map.with_dim(v, self.dim_term(g, names)),
            Var::Row(v) => map.with_row(v, self.row_term(g, names)),
        })
    }
}

/// Constraints with their names.
#[derive(Clone, Debug)]
pub struct System {
    /// What the variables and bases are called.
    pub names: Names,
    /// The constraints.
    pub constraints: Vec<Constraint>,
}

impl Arbitrary for System {
    fn arbitrary(g: &mut Gen) -> Self {
        Weights::default().system(g)
    }

    /// Fewer constraints, then fewer variables and sizes, then one axis of two rows alone, then two axes less, then shorter
    /// flanks, closed rows and ground axes.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let with = |constraints| System { names: self.names.clone(), constraints };
        let mut smaller = Vec::new();
        for i in 0..self.constraints.len() {
            let mut fewer = self.constraints.clone();
            fewer.remove(i);
            smaller.push(with(fewer));
        }
        smaller.extend(everywhere(&self.constraints).into_iter().map(with));
        for (i, phi) in self.constraints.iter().enumerate() {
            for part in parts(phi).into_iter().chain(without_two(phi)) {
                let mut simpler = self.constraints.clone();
                simpler[i] = part;
                smaller.push(with(simpler));
            }
        }
        for (i, phi) in self.constraints.iter().enumerate() {
            for shrunk in shrink_constraint(phi) {
                let mut simpler = self.constraints.clone();
                simpler[i] = shrunk;
                smaller.push(with(simpler));
            }
        }
        Box::new(smaller.into_iter())
    }
}

/// The same with a variable replaced everywhere: by an earlier one of its sort, or by the unit or the empty row; or with a
/// size replaced everywhere.
fn everywhere(constraints: &[Constraint]) -> Vec<Vec<Constraint>> {
    let vars: Vec<Var> = constraints.vars().into_iter().collect();
    let mut maps = Vec::new();
    for (i, later) in vars.iter().enumerate() {
        maps.push(match later {
            Var::Dim(v) => Map::identity().with_dim(*v, Dim::Unit),
            Var::Row(v) => Map::identity().with_row(*v, RowTerm::new(Vec::new(), None, Vec::new())),
        });
        for earlier in &vars[..i] {
            maps.extend(match (later, earlier) {
                (Var::Dim(later), Var::Dim(earlier)) => Some(Map::identity().with_dim(*later, *earlier)),
                (Var::Row(later), Var::Row(earlier)) => {
                    Some(Map::identity().with_row(*later, RowTerm::new(Vec::new(), Some(*earlier), Vec::new())))
                }
                _ => None,
            });
        }
    }
    let replaced = maps.iter().map(|map| constraints.iter().map(|phi| map.apply_constraint(phi)).collect());
    let mut all: Vec<Vec<Constraint>> = replaced.collect();
    let mut seen = Vec::new();
    for atom in constraints.iter().flat_map(lozenge::semantics::atoms) {
        if seen.contains(&atom) {
            continue;
        }
        seen.push(atom);
        for simpler in shrink_dim(Dim::Atom(atom)) {
            let to = |t| if t == DimTerm::Dim(Dim::Atom(atom)) { simpler.into() } else { t };
            all.push(constraints.iter().map(|phi| with_axes(phi, to)).collect());
        }
    }
    all
}

/// A constraint with each dimension term replaced.
fn with_axes(phi: &Constraint, to: impl Fn(DimTerm) -> DimTerm) -> Constraint {
    let row = |row: &RowTerm| {
        let flank = |axes: &[DimTerm]| axes.iter().map(|t| to(*t)).collect::<Vec<_>>();
        RowTerm::new(flank(&row.lead), row.var, flank(&row.trail))
    };
    match phi {
        Constraint::DimEq(s, t) => Constraint::DimEq(to(*s), to(*t)),
        Constraint::DimLe(s, t) => Constraint::DimLe(to(*s), to(*t)),
        Constraint::RowEq(s, t) => Constraint::RowEq(row(s), row(t)),
        Constraint::RowLe(s, t) => Constraint::RowLe(row(s), row(t)),
    }
}

/// A constraint between rows without an axis of each.
fn without_two(phi: &Constraint) -> Vec<Constraint> {
    let (s, t, make): (_, _, fn(RowTerm, RowTerm) -> Constraint) = match phi {
        Constraint::RowEq(s, t) => (s, t, Constraint::RowEq),
        Constraint::RowLe(s, t) => (s, t, Constraint::RowLe),
        Constraint::DimEq(..) | Constraint::DimLe(..) => return Vec::new(),
    };
    let shorter = |row: &RowTerm| -> Vec<RowTerm> {
        let without = |flank: &[DimTerm], i: usize| [&flank[..i], &flank[i + 1..]].concat();
        let leads = (0..row.lead.len()).map(|i| RowTerm::new(without(&row.lead, i), row.var, row.trail.clone()));
        let trails = (0..row.trail.len()).map(|i| RowTerm::new(row.lead.clone(), row.var, without(&row.trail, i)));
        leads.chain(trails).collect()
    };
    let (left, right) = (shorter(s), shorter(t));
    left.iter().flat_map(|s| right.iter().map(move |t| make(s.clone(), t.clone()))).collect()
}

/// What a constraint between rows says of two axes that face each other.
fn parts(phi: &Constraint) -> Vec<Constraint> {
    let (s, t, make): (_, _, fn(DimTerm, DimTerm) -> Constraint) = match phi {
        Constraint::RowEq(s, t) => (s, t, Constraint::DimEq),
        Constraint::RowLe(s, t) => (s, t, Constraint::DimLe),
        Constraint::DimEq(..) | Constraint::DimLe(..) => return Vec::new(),
    };
    let leads = s.lead.iter().zip(t.lead.iter());
    let trails = s.trail.iter().rev().zip(t.trail.iter().rev());
    leads.chain(trails).map(|(s, t)| make(*s, *t)).collect()
}

/// Constraints that are simpler in one place.
#[must_use]
pub fn shrink_constraint(phi: &Constraint) -> Vec<Constraint> {
    let dims = |s: DimTerm, t: DimTerm, make: fn(DimTerm, DimTerm) -> Constraint| {
        let left = shrink_dim_term(s).into_iter().map(move |s| make(s, t));
        left.chain(shrink_dim_term(t).into_iter().map(move |t| make(s, t))).collect()
    };
    let rows = |s: &RowTerm, t: &RowTerm, make: fn(RowTerm, RowTerm) -> Constraint| {
        let left = shrink_row_term(s).into_iter().map(|s| make(s, t.clone()));
        left.chain(shrink_row_term(t).into_iter().map(|t| make(s.clone(), t))).collect()
    };
    match phi {
        Constraint::DimEq(s, t) => dims(*s, *t, Constraint::DimEq),
        Constraint::DimLe(s, t) => dims(*s, *t, Constraint::DimLe),
        Constraint::RowEq(s, t) => rows(s, t, Constraint::RowEq),
        Constraint::RowLe(s, t) => rows(s, t, Constraint::RowLe),
    }
}

fn shrink_dim_term(t: DimTerm) -> Vec<DimTerm> {
    match t {
        DimTerm::Dim(Dim::Unit) => Vec::new(),
        DimTerm::Dim(d) => shrink_dim(d).into_iter().map(DimTerm::Dim).collect(),
        DimTerm::Var(_) => vec![DimTerm::Dim(Dim::Unit)],
    }
}

/// Towards 1∅, the default basis and size 1.
fn shrink_dim(d: Dim) -> Vec<Dim> {
    let Dim::Atom(atom) = d else { return Vec::new() };
    let plain = Dim::Atom(Atom::nth(Basis::DEFAULT, 0));
    let default = Atom::new(atom.size(), Basis::DEFAULT).map_or(Dim::Unit, Dim::Atom);
    [Dim::Unit, plain, default].into_iter().filter(|e| *e != d).collect()
}

fn shrink_flank<T: Copy>(flank: &[T], item: impl Fn(T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut smaller = Vec::new();
    for i in 0..flank.len() {
        smaller.push([&flank[..i], &flank[i + 1..]].concat());
        smaller.extend(item(flank[i]).into_iter().map(|t| [&flank[..i], &[t], &flank[i + 1..]].concat()));
    }
    smaller
}

fn shrink_row_term(row: &RowTerm) -> Vec<RowTerm> {
    let RowTerm { lead, var, trail } = row;
    let closed = var.map(|_| RowTerm::new(lead.clone(), None, trail.clone()));
    let leads = shrink_flank(lead, shrink_dim_term).into_iter().map(|l| RowTerm::new(l, *var, trail.clone()));
    let trails = shrink_flank(trail, shrink_dim_term).into_iter().map(|r| RowTerm::new(lead.clone(), *var, r));
    closed.into_iter().chain(leads).chain(trails).collect()
}

/// A ground row for quickcheck, over sizes and numbered bases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnyRow(pub Row);

impl Arbitrary for AnyRow {
    fn arbitrary(g: &mut Gen) -> Self {
        AnyRow(Weights::default().row(g, &mut Names::new()))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let Row { lead, trail } = self.0.clone();
        let leads = shrink_flank(&lead, shrink_dim);
        let trails = shrink_flank(&trail, shrink_dim);
        let left = leads.into_iter().map({
            let trail = trail.clone();
            move |l| AnyRow(Row::new(l, trail.clone()))
        });
        Box::new(left.chain(trails.into_iter().map(move |r| AnyRow(Row::new(lead.clone(), r)))))
    }
}

/// A ground row of either sort for quickcheck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnyTwoSorted(pub TwoSorted);

impl Arbitrary for AnyTwoSorted {
    fn arbitrary(g: &mut Gen) -> Self {
        let AnyRow(row) = AnyRow::arbitrary(g);
        AnyTwoSorted(if bool::arbitrary(g) { TwoSorted::Rigid(row.rigidify()) } else { row.into() })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        match &self.0 {
            TwoSorted::Marked(row) => Box::new(AnyRow(row.clone()).shrink().map(|r| AnyTwoSorted(r.0.into()))),
            TwoSorted::Rigid(Rigid(flat)) => {
                let smaller = shrink_flank(flat, shrink_dim).into_iter();
                Box::new(smaller.map(|f| AnyTwoSorted(Rigid(f).into())))
            }
        }
    }
}

/// A system with two maps on its variables, for laws about substitutions.
#[derive(Clone, Debug)]
pub struct WithMaps {
    /// The system.
    pub system: System,
    /// One map.
    pub sigma: Map,
    /// Another.
    pub tau: Map,
}

impl Arbitrary for WithMaps {
    fn arbitrary(g: &mut Gen) -> Self {
        let weights = Weights { flank: 2, ..Weights::default() };
        let mut system = weights.system(g);
        let sigma = weights.map(g, &mut system.names);
        let tau = weights.map(g, &mut system.names);
        WithMaps { system, sigma, tau }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let (sigma, tau) = (self.sigma.clone(), self.tau.clone());
        let systems = self.system.shrink();
        Box::new(systems.map(move |system| WithMaps { system, sigma: sigma.clone(), tau: tau.clone() }))
    }
}

/// The variables of a system, for tests that quantify over them.
#[must_use]
pub fn vars_of(system: &System) -> Vec<Var> {
    system.constraints.vars().into_iter().collect()
}
