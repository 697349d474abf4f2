//! Thm. 7.4: the solver in every order, against its definition.

use lozenge::projection::{Atom, Equation, Index, Proj};
use lozenge_harnesses::cases::{Blame, Cases};
use lozenge_statements::canonicity;

/// All orders of so many things.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(n - 1);
    let insert = |p: &Vec<usize>, at: usize| {
        let mut p = p.clone();
        p.insert(at, n - 1);
        p
    };
    shorter.iter().flat_map(|p| (0..n).map(|at| insert(p, at))).collect()
}

/// Equations over three ids, three given indices: each up to symmetry.
fn equations() -> Vec<Equation> {
    let ids = (0..3).map(|p| Atom::Proj(Proj(p)));
    let given = [Index::Fix(0), Index::Fix(1), Index::External("s".to_owned())].map(Atom::Sol);
    let atoms: Vec<Atom> = ids.chain(given).collect();
    let pairs = (0..atoms.len()).flat_map(|i| (i + 1..atoms.len()).map(move |j| (i, j)));
    let eq = pairs.map(|(i, j)| Equation::Eq(atoms[i].clone(), atoms[j].clone()));
    let iter = atoms.iter().take(4).map(|a| Equation::Iter(a.clone()));
    let same = Equation::Eq(atoms[3].clone(), atoms[3].clone());
    eq.chain(iter).chain([same]).collect()
}

/// Every set of up to four equations over three ids, every order of it, every size of the ids.
#[test]
fn thm_7_4_canonicity() {
    let cases = Cases::of("thm_7_4_canonicity");
    let all = equations();
    let orders: Vec<Vec<Vec<usize>>> = (0..=4).map(permutations).collect();
    let mut chosen: Vec<usize> = Vec::new();
    subsets(all.len(), 4, 0, &mut chosen, &mut |set| {
        let equations: Vec<&Equation> = set.iter().map(|i| &all[*i]).collect();
        for bits in 0..8_u64 {
            let sizes: Vec<u64> = (0..3).map(|p| 1 + (bits >> p & 1)).collect();
            for order in &orders[equations.len()] {
                let turned = |i: &usize| match equations[*i] {
                    // Eq is symmetric: every other order has its sides turned.
                    Equation::Eq(a, b) if order.first() == Some(&1) => Equation::Eq(b.clone(), a.clone()),
                    e => e.clone(),
                };
                let inorder: Vec<Equation> = order.iter().map(turned).collect();
                let _blame = Blame(|| format!("{inorder:?} {sizes:?}"));
                canonicity::passes_by_definition([sizes[0], sizes[1], sizes[2]], &inorder);
                cases.law(canonicity::solved_by_definition(&sizes, &inorder));
            }
        }
    });
    cases.finish();
}

fn subsets(n: usize, most: usize, from: usize, chosen: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
    visit(chosen);
    if chosen.len() == most {
        return;
    }
    for i in from..n {
        chosen.push(i);
        subsets(n, most, i + 1, chosen, visit);
        chosen.pop();
    }
}
