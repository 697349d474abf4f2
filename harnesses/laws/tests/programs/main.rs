//! Tensor programs: the language, the examples, and what holds of all programs.
#![allow(missing_docs)]

mod clashes;
mod examples;
mod initial;
mod language;
mod literals;
mod modes;
mod random;
mod sizes;
mod specifications;
mod spellings;
mod table;
mod three;
mod totals;

use lozenge::interp::{Fill, Inputs, Options, run};
use lozenge::program::shape::Kind;
use lozenge::program::{InferError, Inference, Program, diagnose, infer, parse, parse_json, partial};
use lozenge::projection::project_all;
use lozenge::semantics::{Ground, holds};
use lozenge::solver::Policy;
use lozenge_harnesses::programs::{files, folder};
use lozenge_statements::meaning::match_row;
use quickcheck::{Arbitrary, Gen};

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

fn inferred(text: &str) -> Inference {
    infer(&read(text)).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

/// Line, column and headline of what is wrong, then all of it.
fn refused(text: &str) -> String {
    let error = error(text);
    let (line, column) = error.span().position(text);
    format!("{line}:{column}: {}\n{}", error.headline(text), error.render(text))
}

fn error(text: &str) -> InferError {
    parse(text).map_err(InferError::from).and_then(|program| infer(&program)).map(|_| ()).expect_err(text)
}

/// All that the command says of a broken program.
fn told(name: &str, text: &str) -> String {
    diagnose(text, &error(text), Policy::default()).render(Some(&format!("tests/broken/{name}.loz")), text)
}

/// The cells of a tensor after a run, with 0, 1, 2, … in every leaf that has no values of its own.
fn cells(text: &str, name: &str) -> Vec<f64> {
    let inference = inferred(text);
    let nests = project_all(&inference).expect("projections");
    let inputs = Inputs { fill: Some(Fill::range(0.0, 1.0)), ..Inputs::default() };
    let outcome = run::<f64>(&inference, &nests, inputs, &Options::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let id = inference.generated.tensor(name).expect("a tensor");
    outcome.values[id].as_ref().expect("a value").data.clone()
}

/// Text, tree and JSON are one program, and the tree is printed as this text.
fn round_trip(text: &str) -> Program {
    let program = read(text);
    assert_eq!(program.to_string(), text);
    let json = serde_json::to_string(&program).expect("JSON");
    assert_eq!(serde_json::from_str::<Program>(&json).expect("JSON"), program, "{json}");
    assert_eq!(parse_json(&json).map(|read| read.to_string()), Ok(text.to_owned()));
    program
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
