//! Laws of programs with size claims, on random programs and on the examples.
#![allow(missing_docs)]

mod applications;
mod brute_force;
mod consumer;
mod neighbours;

use lozenge::program::{InferError, Inference, infer, infer_with, parse};
use lozenge::solver::Policy;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::sized::{Program, shrink};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Random programs, or pairs of them, for each law.
const PROGRAMS: u64 = 100_000;
/// Enough for two random programs, and for the examples beside their neighbours.
const FUEL: u64 = 100_000;
/// Failures that are shrunk and shown.
const SHOWN: usize = 6;

/// How many times more random programs than usual: `LOZENGE_SIZED`.
fn scale() -> u64 {
    std::env::var("LOZENGE_SIZED").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// The index states the usual number of cases.
fn finish(cases: Cases) {
    if scale() == 1 {
        cases.finish();
    }
}

fn inferred(text: &str) -> Result<Inference, InferError> {
    infer(&parse(text).unwrap_or_else(|e| panic!("{text}\n{}", e.render(text))))
}

/// What a law says of a program, where a panic is a failure like any other: it is shrunk as well.
fn held<T>(law: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(law)).unwrap_or_else(|panic| {
        let broken = panic.downcast_ref::<lozenge::internal::Broken>().map(ToString::to_string);
        let said = panic.downcast_ref::<String>().cloned();
        Err(format!("a panic: {}", broken.or(said).unwrap_or_default()))
    })
}

/// Shrinks and shows what fails, if anything does.
fn none_fails(failed: &[Program], law: &dyn Fn(&Program) -> Result<(), String>) {
    let mut text = String::new();
    for program in failed.iter().take(SHOWN) {
        let least = shrink(program.clone(), &|p| law(p).is_err());
        let why = law(&least).err().unwrap_or_default();
        let _ = writeln!(text, "{}{why}\n", least.text("t"));
    }
    assert!(failed.is_empty(), "{} fail, for example\n{text}", failed.len());
}

/// What is assumed of a tensor: the rule, the value, the tensor's name, all of it in words.
type Assumed = (String, String, Option<String>, String);

/// What inference says of a program with shapes: named shapes, and assumptions in an order of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    shapes: BTreeMap<String, String>,
    assumed: Vec<Assumed>,
}

impl Said {
    /// Without the tensors of such names.
    fn without(mut self, other: impl Fn(&str) -> bool) -> Said {
        self.shapes.retain(|name, _| !other(name));
        self.assumed.retain(|(_, _, tensor, _)| !tensor.as_ref().is_some_and(|name| other(name)));
        self
    }
}

/// What inference says, or its message. The search for other choices after a failure ends early: its length is what
/// most failures cost, and here only matters that it is the same.
fn said(text: &str) -> Result<Said, String> {
    let program = parse(text).unwrap_or_else(|e| panic!("{text}\n{}", e.render(text)));
    let mut policy = Policy::default();
    policy.limits.fuel = FUEL;
    let inference = infer_with(&program, policy).map_err(|error| {
        assert!(!matches!(error, InferError::Limit(_)), "{error}\n{text}");
        error.to_string()
    })?;
    let named = inference.named().into_iter();
    let shapes = named.map(|(name, _)| (name.to_owned(), inference.show(name).unwrap_or_default())).collect();
    let name = |tensor: Option<usize>| inference.generated.tensors.get(tensor?)?.name.as_ref().map(ToString::to_string);
    let assumptions = inference.assumptions().into_iter();
    let mut assumed: Vec<Assumed> =
        assumptions.map(|a| (a.rule.to_string(), a.value, name(a.tensor), a.text)).collect();
    assumed.sort();
    Ok(Said { shapes, assumed })
}
