//! Lemma 7.7 and Thm. 7.8 on generated programs.

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom as DimAtom, Basis, Dim};
use lozenge::names::Names;
use lozenge::program::generate::logic::derive;
use lozenge::program::generate::{Operation, TensorId};
use lozenge::program::shape::{ByKind, Shape, ShapeTerm};
use lozenge::program::{Inference, infer};
use lozenge::projection::local::Axis;
use lozenge::projection::{Index, Label, Projected, project_all, solve};
use lozenge::row::Row;
use lozenge::solver::{self, Policy, Verdict};
use lozenge::term::{RowTerm, Var, Vars};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs;
use std::collections::BTreeSet;

/// The generated programs that have shapes, with their projections.
pub fn projected(count: u64, mut visit: impl FnMut(&Inference, &[Projected])) {
    for case in 0..count {
        let program = programs::program(7, case);
        let Ok(inferred) = infer(&program) else { continue };
        let nests = project_all(&inferred).unwrap_or_else(|e| panic!("Lemma 7.7 (a) fails: {e}\n{program}"));
        visit(&inferred, &nests);
    }
}

const PROGRAMS: u64 = 20_000;

pub fn op<'a>(inferred: &'a Inference, nest: &Projected) -> &'a Operation {
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
    tensors.iter().map(|t| (*inferred.shapes[*t]).clone()).collect()
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
