//! Systems of parts that are alike: constraints over variables of the part's own, of the part before and of all parts, as the
//! applications of one function have them.

use crate::generators::{System, Weights};
use lozenge::constraint::Constraint;
use lozenge::names::{Names, Sort};
use lozenge::subst::Map;
use lozenge::term::{DimVar, RowVar, Var, Vars};
use quickcheck::{Arbitrary, Gen};

/// A system in parts.
pub struct Parts {
    /// Its variables.
    pub names: Names,
    /// What is said first, and then the parts.
    pub parts: Vec<Vec<Constraint>>,
}

/// Where a part has a variable from.
#[derive(Clone, Copy)]
enum From {
    All,
    Own,
    /// What that variable was in the part before.
    Before(usize),
}

const OTHER: Weights =
    Weights { flank: 1, constraints: 4, vars: 3, sizes: 2, bases: 1, variable_axes: 5, open_rows: 9, equalities: 2 };

const PARTS: [Weights; 3] = [
    Weights { flank: 1, constraints: 6, vars: 4, sizes: 1, bases: 1, variable_axes: 7, open_rows: 9, equalities: 2 },
    Weights { flank: 2, constraints: 8, vars: 6, sizes: 2, bases: 1, variable_axes: 5, open_rows: 9, equalities: 1 },
    Weights { flank: 1, constraints: 16, vars: 12, sizes: 1, bases: 1, variable_axes: 8, open_rows: 10, equalities: 1 },
];

fn below(g: &mut Gen, n: usize) -> usize {
    usize::from(u16::arbitrary(g)) % n
}

/// The system with this number: two to five parts that are alike, something before them and perhaps something after.
#[must_use]
pub fn system(number: u64) -> Parts {
    let mut g = Gen::from_size_and_seed(100, number);
    let weights = &PARTS[below(&mut g, PARTS.len())];
    // Some go round, so that lengths may grow from part to part.
    let System { names: of_part, constraints: part } =
        if below(&mut g, 4) == 0 { weights.circle(&mut g) } else { weights.system(&mut g) };
    let vars: Vec<Var> = of_part.vars().collect();
    let froms: Vec<From> = vars.iter().map(|v| from(&mut g, &vars, *v)).collect();
    let mut names = Names::new();
    let fresh = |names: &mut Names, v: &Var| match v.sort() {
        Sort::Dim => Var::Dim(names.fresh_dim()),
        Sort::Row => Var::Row(names.fresh_row()),
    };
    let all: Vec<Var> = vars.iter().map(|v| fresh(&mut names, v)).collect();
    let mut before: Vec<Var> = vars.iter().map(|v| fresh(&mut names, v)).collect();
    let first = other(&mut g, &[&all[..], &before[..]].concat());
    let mut parts = vec![first];
    for _ in 0..2 + below(&mut g, 4) {
        let own: Vec<Var> = vars.iter().map(|v| fresh(&mut names, v)).collect();
        let of = |v: Var| match froms[v.id() as usize] {
            From::All => all[v.id() as usize],
            From::Own => own[v.id() as usize],
            From::Before(other) => before[other],
        };
        parts.push(part.iter().map(|phi| moved(phi, &of)).collect());
        before = own;
    }
    if below(&mut g, 2) == 0 {
        // What was done again is looked at once more.
        parts.push(other(&mut g, &[&all[..], &before[..]].concat()));
    }
    Parts { names, parts }
}

fn from(g: &mut Gen, vars: &[Var], var: Var) -> From {
    let other = below(g, vars.len());
    match below(g, 8) {
        0 => From::All,
        1..4 if vars[other].sort() == var.sort() => From::Before(other),
        _ => From::Own,
    }
}

/// Constraints over some of these variables.
fn other(g: &mut Gen, vars: &[Var]) -> Vec<Constraint> {
    let System { names, constraints } = OTHER.system(g);
    let to: Vec<Var> = names
        .vars()
        .map(|v| {
            let same: Vec<&Var> = vars.iter().filter(|w| w.sort() == v.sort()).collect();
            if same.is_empty() { v } else { *same[below(g, same.len())] }
        })
        .collect();
    let all_there = names.vars().zip(&to).all(|(v, w)| v.sort() == w.sort() && vars.contains(w));
    if all_there { constraints.iter().map(|phi| moved(phi, &|v| to[v.id() as usize])).collect() } else { Vec::new() }
}

fn moved(phi: &Constraint, of: &impl Fn(Var) -> Var) -> Constraint {
    let map = phi.vars().into_iter().fold(Map::identity(), |map, var| match var {
        Var::Dim(v) => map.with_dim(v, DimVar(of(var).id())),
        Var::Row(v) => map.with_row(v, RowVar(of(var).id()).into()),
    });
    map.apply_constraint(phi)
}
