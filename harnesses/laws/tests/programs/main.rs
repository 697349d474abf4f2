//! Tensor programs: the language, the examples, and what holds of all programs.
#![allow(missing_docs)]

mod examples;
mod language;
mod random;
mod specifications;
mod table;

use lozenge::program::shape::Kind;
use lozenge::program::{Inference, Program, infer, parse, partial};
use lozenge::semantics::{Ground, holds};
use lozenge::solver::Policy;
use lozenge_harnesses::systems::match_row;
use quickcheck::{Arbitrary, Gen};
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// The programs of a folder of tests/, each with its name.
fn files(name: &str) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder(name)).expect("the folder").map(|e| e.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "loz"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a program");
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(read).collect()
}

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

fn inferred(text: &str) -> Inference {
    infer(&read(text)).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

fn refused(text: &str) -> String {
    match parse(text) {
        Err(e) => e.render(text),
        Ok(program) => infer(&program).map(|_| ()).expect_err(text).render(text),
    }
}

/// Every constraint holds of the closed shapes.
fn is_solution(inference: &Inference) -> bool {
    let values = inference.values();
    inference.generated.constraints.iter().all(|phi| holds(&values, phi))
}

/// What inference says was known before closing is what is known without closing, and the closed shapes are instances
/// of it: one run, and closing goes on from it.
fn goes_on(program: &Program, inference: &Inference) -> bool {
    let mut gamma = Ground::default();
    let before = inference.partial();
    let shapes = before.iter().zip(&inference.shapes);
    partial(program, Policy::default()).is_ok_and(|known| known.shapes == before)
        && shapes
            .flat_map(|it| Kind::ALL.map(|kind| (it, kind)))
            .all(|((known, closed), kind)| match_row(&mut gamma, known.get(kind), closed.get(kind)))
}

fn pick<T: Clone>(g: &mut Gen, from: &[T]) -> T {
    g.choose(from).expect("as expected").clone()
}

fn below(g: &mut Gen, n: u64) -> u64 {
    u64::arbitrary(g) % n
}
