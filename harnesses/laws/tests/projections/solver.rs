//! Thm. 7.4: the solver in every order, against the closures by definition.

use lozenge::projection::{Atom, Classes, Equation, Index, Proj, solve};
use lozenge_harnesses::cases::Cases;
use std::collections::BTreeSet;

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

/// Size, pin, whether it is iterated, and the ids of a class.
type ByDefinition = (u64, Option<Index>, bool, BTreeSet<usize>);

/// Thm. 7.4 (a)–(c) and the closures, by their definitions: no union–find, no order.
fn by_definition(sizes: &[u64], equations: &[&Equation]) -> Option<Vec<ByDefinition>> {
    let n = sizes.len();
    let mut together = vec![vec![false; n]; n];
    (0..n).for_each(|i| together[i][i] = true);
    for equation in equations {
        if let Equation::Eq(Atom::Proj(p), Atom::Proj(q)) = equation {
            together[p.0 as usize][q.0 as usize] = true;
            together[q.0 as usize][p.0 as usize] = true;
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                together[i][j] |= together[i][k] && together[k][j];
            }
        }
    }
    let mut classes = Vec::new();
    for i in 0..n {
        let members: BTreeSet<usize> = (0..n).filter(|j| together[i][*j]).collect();
        if members.first() != Some(&i) {
            continue;
        }
        let pins: BTreeSet<Index> = equations
            .iter()
            .filter_map(|e| match e {
                Equation::Eq(Atom::Proj(p), Atom::Sol(i)) if members.contains(&(p.0 as usize)) => Some(i.clone()),
                _ => None,
            })
            .collect();
        let different = members.iter().any(|j| sizes[*j] != sizes[i]);
        if different || pins.len() > 1 {
            return None;
        }
        let iterate =
            equations.iter().any(|e| matches!(e, Equation::Iter(Atom::Proj(p)) if members.contains(&(p.0 as usize))));
        classes.push((sizes[i], pins.first().cloned(), iterate, members));
    }
    let clash = |e: &&Equation| matches!(e, Equation::Eq(Atom::Sol(i), Atom::Sol(j)) if i != j);
    (!equations.iter().any(clash)).then_some(classes)
}

fn agree(solved: &Classes, expected: &[ByDefinition]) -> bool {
    let members = |class: usize| (0..solved.of.len()).filter(|p| solved.of[*p] == class).collect::<BTreeSet<_>>();
    solved.classes.len() == expected.len()
        && solved.classes.iter().enumerate().zip(expected).all(|((number, class), (size, pin, iterate, ids))| {
            class.size == *size && class.pin == *pin && class.iterate == *iterate && members(number) == *ids
        })
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
            let expected = by_definition(&sizes, &equations);
            for order in &orders[equations.len()] {
                let turned = |i: &usize| match equations[*i] {
                    // Eq is symmetric: every other order has its sides turned.
                    Equation::Eq(a, b) if order.first() == Some(&1) => Equation::Eq(b.clone(), a.clone()),
                    e => e.clone(),
                };
                let inorder: Vec<Equation> = order.iter().map(turned).collect();
                match (solve(&sizes, &inorder), &expected) {
                    (Ok(solved), Some(expected)) => assert!(agree(&solved, expected), "{inorder:?} {sizes:?}"),
                    (Err(_), None) => {}
                    (solved, expected) => panic!("{inorder:?} {sizes:?}: {solved:?}, by definition {expected:?}"),
                }
                cases.one();
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
