//! §7 Projections: the solver in every order, the maps by enumeration, and generated programs.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom as DimAtom, Basis, Dim};
use lozenge::names::Names;
use lozenge::program::generate::logic::derive;
use lozenge::program::generate::{Operation, TensorId};
use lozenge::program::shape::{ByKind, Kind, Shape, ShapeTerm};
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::local::Axis;
use lozenge::projection::{
    Atom, Classes, Equation, Index, Label, Loop, MapAxis, Proj, Projected, Projections, Slot, project, project_all,
    solve,
};
use lozenge::row::Row;
use lozenge::solver::{self, Policy, Verdict};
use lozenge::term::{RowTerm, Var, Vars};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

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

/// Every record with up to three loops of sizes 2 and 3 and up to three axes of the result.
fn records(mut visit: impl FnMut(&Projections)) {
    let mut loops_of = vec![Vec::new()];
    for n in 1..=3 {
        let longer = loops_of.iter().filter(|l: &&Vec<u64>| l.len() == n - 1);
        let more: Vec<Vec<u64>> = longer.flat_map(|l| [2, 3].map(|size| [l.clone(), vec![size]].concat())).collect();
        loops_of.extend(more);
    }
    for sizes in loops_of {
        let loops: Vec<Loop> =
            sizes.iter().enumerate().map(|(i, size)| Loop { name: format!("s{i}"), size: *size }).collect();
        let iterated = sizes.iter().enumerate().map(|(i, size)| (Label::Iter(i), *size));
        let fixed = [(0, 1), (0, 2), (1, 2)].map(|(c, size)| (Label::At(Index::Fix(c)), size));
        let axes: Vec<MapAxis> =
            iterated.chain(fixed).map(|(label, size)| MapAxis { label, size, kind: Kind::Output }).collect();
        let mut maps: Vec<Vec<MapAxis>> = vec![Vec::new()];
        let mut last = maps.clone();
        for _ in 0..3 {
            last = last.iter().flat_map(|m| axes.iter().map(move |a| [m.clone(), vec![a.clone()]].concat())).collect();
            maps.extend(last.iter().cloned());
        }
        for lhs in maps {
            visit(&Projections { loops: loops.clone(), lhs, rhs: Vec::new(), coupled: Vec::new() });
        }
    }
}

/// The cells that the points write, in order, and how many cells there are.
fn written(record: &Projections) -> (Vec<u64>, u64) {
    let mut points = vec![Vec::new()];
    for it in &record.loops {
        points = points.iter().flat_map(|p| (0..it.size).map(move |i| [p.clone(), vec![i]].concat())).collect();
    }
    let index = |label: &Label, p: &[u64]| match label {
        Label::Iter(i) => p[*i],
        Label::At(Index::Fix(c)) => *c,
        Label::At(Index::External(_)) => 0,
        Label::Affine(_) | Label::Concat(_) => panic!("a label of §8"),
    };
    let cell = |p: &Vec<u64>| record.lhs.iter().fold(0, |at, axis| at * axis.size + index(&axis.label, p));
    (points.iter().map(cell).collect(), record.lhs.iter().map(|axis| axis.size).product())
}

#[test]
fn prop_7_6_maps() {
    let cases = Cases::of("prop_7_6_maps");
    records(|record| {
        let (cells, total) = written(record);
        let distinct: BTreeSet<u64> = cells.iter().copied().collect();
        assert_eq!(record.is_injective(), distinct.len() == cells.len(), "{record:?}");
        assert_eq!(record.is_surjective(), distinct.len() as u64 == total, "{record:?}");
        cases.one();
    });
    cases.finish();
}

/// An implementation of `=:+` or `=+`: does it clear the target, does it read cells back? Old contents are 1000.
fn implemented(cells: &[u64], total: u64, clear: bool, back: bool) -> Vec<u64> {
    let mut target = vec![if clear { 0 } else { 1000 }; usize::try_from(total).expect("small")];
    for (i, cell) in cells.iter().enumerate() {
        let cell = &mut target[usize::try_from(*cell).expect("small")];
        *cell = (1 << i) + if back { *cell } else { 0 };
    }
    target
}

/// Prop. 7.6 (iii) is about what every right implementation must do. All four are tried on every record.
#[test]
fn prop_7_6_iii_as_it_holds() {
    let cases = Cases::of("prop_7_6_iii_as_it_holds");
    let (mut back_refuted, mut init_refuted) = (0, 0);
    records(|record| {
        let (cells, total) = written(record);
        for erase in [true, false] {
            let meant = implemented(&cells, total, erase, true);
            let right = |clear, back| implemented(&cells, total, clear, back) == meant;
            let must_clear = !right(false, true) && !right(false, false);
            let must_read = !right(true, false) && !right(false, false);
            assert_eq!(record.needs_init(Slot::Lhs, erase), must_clear, "{record:?}");
            assert_eq!(record.reads_back(Slot::Lhs, erase), must_read, "{record:?}");
            // As printed: read back iff there is a reduction; initialise iff not surjective, or erasing and not injective.
            back_refuted += u64::from(must_read == record.is_injective());
            init_refuted += u64::from(must_clear != (!record.is_surjective() || erase && !record.is_injective()));
            cases.one();
        }
    });
    assert!(back_refuted > 0 && init_refuted > 0, "F17 would be no finding");
    cases.finish();
}

/// The generated programs that have shapes, with their projections.
fn projected(count: u64, mut visit: impl FnMut(&Inference, &[Projected])) {
    for case in 0..count {
        let program = programs::program(7, case);
        let Ok(inferred) = infer(&program) else { continue };
        let nests = project_all(&inferred).unwrap_or_else(|e| panic!("Lemma 7.7 (a) fails: {e}\n{program}"));
        visit(&inferred, &nests);
    }
}

const PROGRAMS: u64 = 20_000;

fn op<'a>(inferred: &'a Inference, nest: &Projected) -> &'a Operation {
    &inferred.generated.operations[nest.operation]
}

/// The operation's own constraints on these shapes, the result's first; and the variables of its specification.
fn own(op: &Operation, shapes: &[Shape], names: &mut Names) -> (Vec<Constraint>, BTreeSet<Var>) {
    let terms: Vec<ShapeTerm> = shapes.iter().map(|s| ByKind::of(|kind| RowTerm::from(s.get(kind)))).collect();
    let operands: Vec<&ShapeTerm> = terms[1..].iter().collect();
    let derived = derive(names, op.logic, op.spec.as_ref().map(|it| &it.spec), &terms[0], &operands);
    let phi: Vec<Constraint> = derived.related.into_iter().map(|it| it.constraint).collect();
    let vars = phi.vars();
    (phi, vars)
}

fn shapes(inferred: &Inference, tensors: &[TensorId]) -> Vec<Shape> {
    tensors.iter().map(|t| inferred.shapes[*t].clone()).collect()
}

/// Lemma 7.7 (a): after a successful close the local solve succeeds and eliminates every variable.
#[test]
fn lemma_7_7_local_solve() {
    let cases = Cases::of("lemma_7_7_local_solve");
    projected(PROGRAMS, |inferred, nests| {
        for nest in nests {
            let op = op(inferred, nest);
            let mut names = inferred.names.clone();
            let (phi, vars) = own(op, &shapes(inferred, &nest.tensors), &mut names);
            let Verdict::Solved(solved) = solver::solve(&phi, &mut names, Policy::default()) else {
                panic!("the local solve fails: {:?}", op.span)
            };
            let sigma = solved.sigma();
            let ground = |v: &Var| sigma.apply(&solved.value(*v)).vars().is_empty();
            assert!(vars.iter().all(ground), "a variable of the specification is left: {:?}", op.spec);
            cases.one();
        }
    });
    cases.finish();
}

/// New sizes for the axes of an operation, by class; axes of size 1 stay as they are.
fn resized(inferred: &Inference, nest: &Projected, size: impl Fn(usize, &Axis) -> u64) -> Vec<Shape> {
    let mut shapes = shapes(inferred, &nest.tensors);
    let mut ids = 0..nest.axes.len();
    for shape in &mut shapes {
        *shape = ByKind::of(|kind| {
            let row = shape.get(kind);
            let flat: Vec<Dim> = row
                .flat()
                .map(|dim| {
                    let id = ids.next().expect("an id for each axis");
                    let axis = &nest.axes[id];
                    let fresh = DimAtom::new(size(id, axis), Basis::DEFAULT).map(Dim::Atom);
                    if axis.size == 1 { dim } else { fresh.expect("a size") }
                })
                .collect();
            Row::split_at(&flat, row.lead.len())
        });
    }
    shapes
}

fn satisfiable(inferred: &Inference, op: &Operation, shapes: &[Shape]) -> bool {
    let mut names = inferred.names.clone();
    let (phi, _) = own(op, shapes, &mut names);
    matches!(solver::solve(&phi, &mut names, Policy::default()), Verdict::Solved(_))
}

/// Thm. 7.8 (2), by meaning: ≡ is what the operation's own constraints force. With another size for every class the
/// constraints still hold; with another size for one axis of a class of several they do not.
#[test]
fn thm_7_8_2_least_equivalence() {
    let cases = Cases::of("thm_7_8_2_least_equivalence");
    projected(2_000, |inferred, nests| {
        for nest in nests {
            let op = op(inferred, nest);
            let sizes: Vec<u64> = nest.axes.iter().map(|axis| axis.size).collect();
            let classes = solve(&sizes, nest.equations.iter().map(|e| &e.equation)).expect("solved before");
            let distinct = |id: usize| 100 + classes.of[id] as u64;
            let all = resized(inferred, nest, |id, _| distinct(id));
            assert!(satisfiable(inferred, op, &all), "an identification is missing: {:?}", op.spec);
            for alone in 0..nest.axes.len() {
                let together = classes.of.iter().filter(|c| **c == classes.of[alone]).count();
                if together < 2 || nest.axes[alone].size == 1 {
                    continue;
                }
                let one = resized(inferred, nest, |id, _| if id == alone { 99 } else { distinct(id) });
                assert!(!satisfiable(inferred, op, &one), "an identification that nothing forces: {:?}", op.spec);
            }
            cases.one();
        }
    });
    cases.finish();
}

/// Thm. 7.8 (1): every index map sends every point to a cell that is there.
#[test]
fn thm_7_8_1_bounded_addressing() {
    let cases = Cases::of("thm_7_8_1_bounded_addressing");
    projected(PROGRAMS, |_, nests| {
        for nest in nests {
            for slot in nest.record.slots() {
                for axis in nest.record.map(slot) {
                    match &axis.label {
                        Label::Iter(j) => assert_eq!(nest.record.loops[*j].size, axis.size),
                        Label::At(Index::Fix(c)) => assert!(*c < axis.size),
                        // The caller's promise.
                        Label::At(Index::External(_)) => {}
                        Label::Affine(_) | Label::Concat(_) => panic!("a label of §8"),
                    }
                    cases.one();
                }
            }
            // The product space ranges over exactly the axes of size > 1 that nothing pins.
            assert!(nest.record.loops.iter().all(|it| it.size > 1));
        }
    });
    cases.finish();
}

fn nests_of(text: &str) -> (Inference, Vec<Projected>) {
    let program = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let inferred = infer(&program).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let nests = project_all(&inferred).expect("projections");
    (inferred, nests)
}

/// Operations in one situation share their answer: it is the one that each has alone, in every field.
fn each_alone(inferred: &Inference) -> usize {
    let all = project_all(inferred).expect("projections");
    assert_eq!(all.len(), inferred.generated.operations.len());
    for (i, nest) in all.iter().enumerate() {
        assert_eq!(*nest, project(inferred, i).expect("as before"), "{:?}", op(inferred, nest));
    }
    all.len() - all.iter().map(|nest| Arc::as_ptr(&nest.nest)).collect::<BTreeSet<_>>().len()
}

#[test]
fn all_at_once_is_each_alone() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let paths = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|e| e == "loz"));
    let shared = texts.map(|path| each_alone(&nests_of(&std::fs::read_to_string(path).expect("a program")).0));
    assert!(shared.sum::<usize>() > 100, "the decoder repeats its block");
    projected(5_000, |inferred, _| {
        each_alone(inferred);
    });
}

/// Whatever else two operations agree on, one difference that matters is enough for two answers.
#[test]
fn situations_are_told_apart() {
    let (inferred, nests) = nests_of(
        "input b: 5, 5 | 3\nlet s = b @| 0\nlet t = b @| 1\nlet u = b @| i\nlet v = b @| j\nlet w = b @| 0\n\
         input x: 3, 3\nlet p = x ++ \"ij => ij\"\nlet q = x ++ \"ij => ji\"\nlet r = x ++ \"ab => ba\"\n\
         input m: 3 -> 3\nlet e = m *. m\nlet f = m * m\n",
    );
    assert_eq!(each_alone(&inferred), 1);
    let different: BTreeSet<_> = nests.iter().map(|nest| format!("{:?}", nest.nest)).collect();
    assert_eq!(different.len(), nests.len() - 1, "only the slices at 0 agree");
    // One specification over the same shapes, with another window or another dilation.
    let pool = "fn f(v) = x @^^ \"2*o=+k => o\" [\"k\"] + 0 *. (v ++ \"k => 0\" [\"k\"])";
    let conv = "fn f(v) = 0 *. (v ++ \"d => 0\" [\"d\"]) + (x +* \"2*o=+d*k; k => o\" w)";
    for function in [pool, conv] {
        let calls = "let a = f([1])\nlet b = f([1, 2])\nlet c = f([3])\n";
        let (inferred, nests) = nests_of(&format!("input x: 6\ninput w: 3\n{function}\n{calls}"));
        each_alone(&inferred);
        let staged = |nest: &&Projected| op(&inferred, nest).spec.as_ref().is_some_and(|it| it.spec.is_staged());
        let found: Vec<&Projected> = nests.iter().filter(staged).collect();
        let [a, b, c] = found.as_slice() else { panic!("three calls") };
        assert!(Arc::ptr_eq(&a.nest, &c.nest) && a.record != b.record, "{function}");
    }
}

/// Lemma 7.7 (b), the contamination example: x and y get one size in another operation, and their outer sum has two
/// loops all the same.
#[test]
fn an_identification_made_elsewhere_fuses_no_loops() {
    let (inferred, nests) =
        nests_of("input x: n\ninput y: m\nn = 3\nlet dot = x +* \"i; i => 0\" y\nlet outer = x +* \"i; j => ij\" y");
    assert_eq!(inferred.size("m"), Some(3), "the sizes are one …");
    assert_eq!(nests[0].record.loops.len(), 1);
    let outer = &nests[1].record;
    assert_eq!(outer.loops.len(), 2, "… and the loops are two");
    assert!(outer.is_injective() && outer.is_surjective());
}

/// The three worked examples of the companion text.
#[test]
fn worked_examples() {
    let (_, nests) = nests_of(
        "input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => ik\" b\ninput m: 2, 3\nlet r = 2 *. m\nconst ones\nlet s = m +* \"pq; q => p\" ones",
    );
    let [matmul, broadcast, ones] = nests.as_slice() else { panic!("three operations") };
    let iter = |record: &Projections, slot: Slot| -> Vec<String> {
        let show = |axis: &MapAxis| match &axis.label {
            Label::Iter(i) => record.loops[*i].name.clone(),
            Label::At(index) => index.to_string(),
            Label::Affine(_) | Label::Concat(_) => panic!("a label of §8"),
        };
        record.map(slot).iter().map(show).collect()
    };
    let maps = |nest: &Projected| nest.record.slots().map(|slot| iter(&nest.record, slot)).collect::<Vec<_>>();
    assert_eq!(maps(matmul), [["i", "k"], ["i", "j"], ["j", "k"]]);
    assert_eq!(matmul.record.reductions(), [2]);
    assert!(!matmul.record.is_injective() && matmul.record.needs_init(Slot::Lhs, true));
    assert_eq!(maps(broadcast), [vec!["i", "j"], vec!["0"], vec!["i", "j"]]);
    assert!(broadcast.record.is_injective() && broadcast.record.is_surjective());
    assert_eq!(maps(ones), [vec!["p"], vec!["p", "q"], vec!["q"]]);
    assert_eq!(ones.record.reductions(), [1]);
}

/// With leaf axes alone as terminal, a copy between results would write one cell.
#[test]
fn finding_f19_terminal_axes() {
    let (_, nests) = nests_of("input a: 3\nlet x = a + a\nlet y = x ++ \"i => i\"");
    let copy = &nests[1];
    assert_eq!(copy.record.loops.len(), 1);
    assert!(copy.record.is_surjective());
    let sizes: Vec<u64> = copy.axes.iter().map(|axis| axis.size).collect();
    let without = copy.equations.iter().map(|e| &e.equation).filter(|e| !matches!(e, Equation::Iter(_)));
    let classes = solve(&sizes, without).expect("no conflict");
    assert!(classes.classes.iter().all(|class| !class.iterate && class.pin.is_none() && class.size == 3));
}

/// Fixed indices, diagonals, slices from outside, and results that no operand reaches.
#[test]
fn pins_diagonals_and_slices() {
    let (_, nests) = nests_of(
        "input x: 4, 4\nlet d = x ++ \"ii => i\"\nlet e = d ++ \"i => ii\"\nlet f = x ++ \"i2 => i\"\ninput b: 5 | 3\nlet s = b @| i\nlet t = d ++ \"i => ij\"\nlet u = t +* \"ij; ij => 0\" x",
    );
    let record = |i: usize| &nests[i].record;
    assert_eq!(record(0).loops.len(), 1);
    assert!(record(0).is_surjective() && record(0).is_injective());
    assert!(!record(1).is_surjective() && record(1).is_injective() && record(1).needs_init(Slot::Lhs, true));
    assert_eq!(record(2).rhs[0][1].label, Label::At(Index::Fix(2)));
    assert_eq!(record(3).rhs[0][0].label, Label::At(Index::External("i".to_owned())));
    assert_eq!(record(4).loops.len(), 2, "an axis of the result alone is iterated as well (P6)");
}
