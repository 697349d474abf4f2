//! What a failure rests on beside the program's constraints: size equations, commitments, and whether other choices fit.

use super::draw::place_of;
use crate::diagnostic::Diagnostic;
use crate::generate::{Generated, Measure, Role, TensorId};
use crate::infer::{Assumed, AssumedRule, said};
use crate::shape::{ByKind, ShapeTerm, show_partial};
use crate::told::{Log, Source, added, equated};
use lozenge_calculus::names::Names;
use lozenge_calculus::solver::{Origin, Trace};
use lozenge_calculus::subst::Map;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, Var, Vars};
use lozenge_notation::Span;
use lozenge_staged::{Assumption, Given, SizeClaim, SizeFailure};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A size equation that a failure rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// The axis, index or statement, as written.
    pub axis: String,
    /// The equation, with what was known put in.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// What a search for other choices found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// Shapes that fit.
    Shapes {
        /// By name.
        shapes: Vec<(String, String)>,
        /// Are these shapes of inputs and parameters that fit when they are declared? Else they are those of a solution,
        /// with their markers.
        declared: bool,
    },
    /// None, in so many choices with sizes up to this.
    NotFound {
        /// How many choices were tried.
        choices: u64,
        /// Sizes were tried up to this.
        size: u64,
    },
}

/// What is behind a failure.
#[derive(Clone, Debug, Default)]
pub struct Behind {
    /// The size equations, in the program's order.
    pub equations: Vec<Equation>,
    /// Which of them is the one that fails, if one is.
    pub fails: Option<usize>,
    /// The commitments: which value, of which tensor and axis, by which rule.
    pub assumed: Vec<Assumed>,
    /// Where it rests on a choice: do others fit?
    pub witness: Option<Witness>,
    /// The inputs, parameters and constants of the operations that it rests on.
    pub leaves: Vec<Leaf>,
    /// These operations, by number.
    pub operations: Vec<usize>,
}

/// A declared tensor that a failure rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its number.
    pub id: TensorId,
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: &'static str,
    /// Where it is declared.
    pub span: Span,
}

/// What a failure rests on, by number.
#[derive(Default)]
pub(super) struct Rests {
    pub constraints: BTreeSet<usize>,
    pub claims: BTreeSet<usize>,
    made: BTreeSet<usize>,
}

/// Walks a derivation backwards, through size equations as well.
struct Walk<'l> {
    log: &'l Log,
    claims: &'l [SizeClaim],
    added: HashMap<Binding, Source>,
    bound: BTreeMap<Var, usize>,
    steps: BTreeSet<usize>,
    found: Rests,
}

/// The step that bound each variable.
fn bound(trace: &Trace) -> BTreeMap<Var, usize> {
    let binds = trace.steps.iter().enumerate().filter_map(|(i, s)| Some((s.bind.as_ref()?.binding.var(), i)));
    binds.collect()
}

/// What this step, or this claim with those that bound its unknowns, rests on.
pub(super) fn rests(log: &Log, claims: &[SizeClaim], step: Option<usize>, failure: Option<&SizeFailure>) -> Rests {
    let added = added(claims, &log.stages, &log.made);
    let (bound, steps, found) = (bound(&log.trace), BTreeSet::new(), Rests::default());
    let mut walk = Walk { log, claims, added, bound, steps, found };
    let (mut open, mut of_claims) = (step.into_iter().collect::<Vec<_>>(), Vec::new());
    of_claims.extend(failure.into_iter().flat_map(|it| it.bounded_by.iter().chain([&it.claim])));
    loop {
        if let Some(step) = open.pop() {
            walk.step(step, &mut open, &mut of_claims);
        } else if let Some(claim) = of_claims.pop() {
            walk.claim(claim, &mut open);
        } else {
            return walk.found;
        }
    }
}

impl Walk<'_> {
    fn step(&mut self, step: usize, open: &mut Vec<usize>, claims: &mut Vec<usize>) {
        let Some(it) = self.log.trace.steps.get(step).filter(|_| self.steps.insert(step)) else { return };
        open.extend(it.used.iter().chain(&it.also));
        let Some(node) = self.log.trace.nodes.get(it.consumed) else { return };
        if let Origin::Step(from) = node.origin {
            open.push(from);
        } else if let Some(number) = self.log.numbers.get(&it.consumed) {
            self.found.constraints.insert(*number);
        } else if let Some(binding) = equated(&node.constraint) {
            match self.added.get(&binding) {
                Some(Source::Claim(by, _)) => claims.extend(by.claims()),
                Some(Source::Committed(rule)) => self.committed(&Given::Is(binding), *rule),
                _ => {}
            }
        }
    }

    fn committed(&mut self, given: &Given, rule: AssumedRule) {
        let made = self.log.made.iter().position(|a| a.given == *given && a.rule == rule);
        self.found.made.extend(made);
    }

    /// What bound the variables of a claim, and those in their values.
    fn claim(&mut self, claim: usize, open: &mut Vec<usize>) {
        let Some(it) = self.claims.get(claim).filter(|_| self.found.claims.insert(claim)) else { return };
        let (mut vars, mut seen): (Vec<Var>, BTreeSet<Var>) = (it.vars().into_iter().collect(), BTreeSet::new());
        let zeros = self.log.made.iter().filter(|a| matches!(a.given, Given::Zero(_)) && vars.contains(&a.given.var()));
        let zeros: Vec<Assumption> = zeros.cloned().collect();
        zeros.iter().for_each(|a| self.committed(&a.given, a.rule));
        while let Some(var) = vars.pop() {
            let Some(step) = self.bound.get(&var).filter(|_| seen.insert(var)) else { continue };
            open.push(*step);
            let bind = self.log.trace.steps.get(*step).and_then(|s| s.bind.as_ref());
            vars.extend(bind.iter().flat_map(|b| b.binding.to().vars()).filter(|v| !seen.contains(v)));
        }
    }
}

impl Behind {
    pub(super) fn new(
        generated: &Generated,
        log: &Log,
        names: &Names,
        claims: &[SizeClaim],
        rests: &Rests,
        partial: &[ShapeTerm],
    ) -> Self {
        let values = values(&log.trace);
        let equation = |number: &usize| {
            let claim = claims.get(*number)?;
            let (axis, span) = place(generated, *number);
            Some(Equation { axis, text: named(generated, *number, &claim.apply(&values)), span })
        };
        let made: Vec<Assumption> = rests.made.iter().filter_map(|i| log.made.get(*i).cloned()).collect();
        let equations = rests.claims.iter().filter_map(equation).collect();
        let operations = operations(generated, rests);
        let leaves = leaves(generated, &operations);
        let assumed = said(generated, partial, names, &made);
        Behind { equations, assumed, leaves, operations, ..Behind::default() }
    }

    /// Says it, but for the equation that fails, which has been said.
    pub(super) fn tell(&self, source: &str, told: &mut Diagnostic) {
        let equation = |it: &Equation| format!("{}`{}`: {}", place_of(it.span, source), it.axis, it.text);
        let others = self.equations.iter().enumerate().filter(|(i, _)| self.fails != Some(*i));
        told.section("the sizes it rests on", others.map(|(_, it)| equation(it)).collect());
        told.section("what was assumed before", self.assumed.iter().map(|it| it.text.clone()).collect());
        match &self.witness {
            None => {}
            Some(Witness::Shapes { shapes, declared }) => {
                let lines = shapes.iter().map(|(name, shape)| format!("{name}: {shape}"));
                // A marker shows only where shapes are not to be declared as they stand.
                let marked = shapes.iter().any(|(_, shape)| shape.contains('⋄'));
                let inserted = if marked { "with axes inserted at ⋄, " } else { "" };
                told.section(&format!("other choices fit, {inserted}for example"), lines.collect());
                if *declared {
                    let these = if shapes.len() == 1 { "this shape" } else { "these shapes" };
                    told.helps.push(format!("declare {these} to choose it"));
                }
            }
            Some(Witness::NotFound { choices: 0, .. }) => {
                told.helps.push("no other choice was found to fit".to_owned());
            }
            Some(Witness::NotFound { choices, size }) => {
                let were = if *choices == 1 { "was" } else { "were" };
                let tried = format!("{choices} {were} tried, with sizes up to {size}");
                told.helps.push(format!("no other choice was found to fit: {tried}"));
            }
        }
    }
}

/// The operations of constraints and claims, the last first.
fn operations(generated: &Generated, rests: &Rests) -> Vec<usize> {
    let of_constraints = rests.constraints.iter().filter_map(|i| generated.origins.get(*i)?.operation);
    let of_claims = rests.claims.iter().filter_map(|i| match generated.claim_origins.get(*i) {
        Some(origin) => origin.operation,
        None => generated.fixed.get(*i - generated.claim_origins.len()).map(|fixed| fixed.operation),
    });
    let all: BTreeSet<usize> = of_constraints.chain(of_claims).collect();
    all.into_iter().rev().collect()
}

/// The declared tensors of operations, each once.
pub(super) fn leaves(generated: &Generated, operations: &[usize]) -> Vec<Leaf> {
    let mut found: Vec<Leaf> = Vec::new();
    for operation in operations.iter().filter_map(|i| generated.operations.get(*i)) {
        for id in operation.operands.iter().chain([&operation.result]) {
            let Some(it) = generated.tensors.get(*id) else { continue };
            let leaf = it.role.is_leaf() && it.role != Role::Literal && found.iter().all(|leaf| leaf.id != *id);
            if let Some(name) = it.name.as_deref().filter(|_| leaf) {
                found.push(Leaf { id: *id, name: name.to_owned(), role: it.role.name(), span: it.span });
            }
        }
    }
    found
}

/// The place of a claim: a size equation's, or that of an index.
pub(super) fn place(generated: &Generated, number: usize) -> (String, Span) {
    if let Some(origin) = generated.claim_origins.get(number) {
        return (origin.text.clone(), origin.span);
    }
    let fixed = number.checked_sub(generated.claim_origins.len()).and_then(|i| generated.fixed.get(i));
    let operation = fixed.and_then(|fixed| generated.operations.get(fixed.operation));
    let index = fixed.map_or_else(String::new, |fixed| format!("index {}", fixed.index));
    (index, operation.map_or(Span::default(), |operation| operation.span))
}

/// A claim, with the names that labels and captured sizes have.
pub(super) fn named(generated: &Generated, number: usize, claim: &SizeClaim) -> String {
    let origin = generated.claim_origins.get(number);
    let operation = origin.and_then(|o| o.operation).and_then(|o| generated.operations.get(o));
    let mut names = captured(generated);
    for (label, v) in operation.into_iter().flat_map(|o| o.template.labels()) {
        names.insert(v, label.to_owned());
    }
    let text = with_names(&claim.show(&generated.names), &names);
    if let SizeClaim::Total(total) = claim
        && let [batch, input, output] = total.rows.as_slice()
    {
        let shape = ByKind { batch: batch.clone(), input: input.clone(), output: output.clone() };
        let count = text.rsplit_once(" = ").map_or("?", |(_, count)| count);
        return format!("the elements of {} = {count}", show_partial(&shape, &generated.names));
    }
    text
}

/// The names of captured sizes; the number of elements of a captured row has the name of the row.
fn captured(generated: &Generated) -> BTreeMap<DimVar, String> {
    let mut names: BTreeMap<DimVar, String> = BTreeMap::new();
    for capture in &generated.captures {
        match &capture.of {
            Measure::Dim(DimTerm::Var(v)) => drop(names.insert(*v, capture.name.clone())),
            Measure::Dim(DimTerm::Dim(_)) => {}
            Measure::Row(row) => {
                let counts = generated.claims.iter().filter_map(|claim| match claim {
                    SizeClaim::Total(total) if total.rows.as_slice() == std::slice::from_ref(row) => total.counts(),
                    _ => None,
                });
                names.extend(counts.map(|v| (v, capture.name.clone())));
            }
        }
    }
    names
}

/// A text with these names instead of `?` and a number.
fn with_names(text: &str, names: &BTreeMap<DimVar, String>) -> String {
    let mut parts = text.split('?');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        match number.parse().ok().and_then(|id| names.get(&DimVar(id))) {
            Some(name) => out += name,
            None => out += "?",
        }
        out += rest;
    }
    out
}

/// The sizes that a run had found.
fn values(trace: &Trace) -> Map {
    let bindings: BTreeMap<DimVar, DimTerm> = trace
        .steps
        .iter()
        .filter_map(|step| match step.bind.as_ref()?.binding {
            Binding::Dim(v, t) => Some((v, t)),
            Binding::Row(..) => None,
        })
        .collect();
    let end = |mut t: DimTerm| {
        while let DimTerm::Var(v) = t
            && let Some(next) = bindings.get(&v)
        {
            t = *next;
        }
        t
    };
    let known = bindings.keys().map(|v| (*v, end((*v).into()))).filter(|(_, t)| matches!(t, DimTerm::Dim(_)));
    known.fold(Map::identity(), |map, (v, t)| map.with_dim(v, t))
}
