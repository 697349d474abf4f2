//! Inference of programs with strides, convolutions, concatenations and products of sizes: the stages of
//! spec/8-staged.md over the same constraints.

use super::explain::{self, IndexError, InferError};
use super::generate::Generated;
use super::infer::{Commitments, Found, Partial, fixed_indices, known, shapes, sizes, unused_parameters};
use super::shape::{ByKind, show_partial};
use super::told::{Failed, Log};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::internal::broken;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, DimVar};
use lozenge_engine::closing::Hole;
use lozenge_engine::solver::Policy;
use lozenge_engine::solver::Stop;
use lozenge_notation::Span;
use lozenge_staged::{SizeClaim, SizeFailure, Stage, StageRule, StagedRun, StagedSystem, Stopped};
use std::collections::BTreeMap;

/// A claim about sizes that cannot hold.
#[derive(Clone, Debug)]
pub struct SizeError {
    /// The rule that failed.
    pub rule: StageRule,
    /// The size equation, with what is known put in.
    pub equation: String,
    /// Why it cannot hold.
    pub why: String,
    /// The axis or statement, as written.
    pub text: String,
    /// Is it certain that there are no shapes? If not, an assumption led here.
    pub certain: bool,
    /// Where the specification or statement is.
    pub span: Span,
    /// The applications of functions that it is part of, outermost first.
    pub calls: Vec<Span>,
}

impl std::fmt::Display for SizeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SizeError { rule, equation, why, text, .. } = self;
        write!(f, "the size of `{text}`: {equation} cannot hold, because {why} ({rule})")
    }
}

impl SizeError {
    /// The message over the line it concerns.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        let (line, column) = self.span.position(source);
        let mut text = format!("{line}:{column}: {self}\n{}\n", self.span.excerpt(source));
        for call in self.calls.iter().rev() {
            let (line, column) = call.position(source);
            text += &format!("in the application at {line}:{column}\n{}\n", call.excerpt(source));
        }
        if !self.certain {
            text += "an assumption about a size that is not given led here: give the sizes of inputs and kernels\n";
        }
        text
    }
}

/// All claims of a program: those about sizes, then the indices that axes are read at.
pub(super) fn all_claims(generated: &Generated) -> Vec<SizeClaim> {
    let indices = generated.fixed.iter().map(|fixed| SizeClaim::AtLeast(fixed.axis, fixed.index.saturating_add(1)));
    generated.claims.iter().cloned().chain(indices).collect()
}

struct Infer<'g> {
    generated: &'g Generated,
    policy: Policy,
}

impl Infer<'_> {
    /// All stages, the first of them operation by operation.
    fn stages(
        &self,
        run: &mut StagedRun<'_>,
        system: &StagedSystem<'_>,
        mut log: Option<&mut Log>,
    ) -> Result<(), InferError> {
        self.online(run, system.claims, log.as_deref_mut()).map_err(|error| self.blame(error, system))?;
        run.configuration().set_mark();
        Log::solved(&mut log, run.configuration());
        run.stages(Stage::Seven).map_err(|stop| {
            let upto = self.generated.constraints.len();
            note(&mut log, &stop, self.generated, run, upto);
            let partial = known(self.generated, &run.configuration().bindings);
            self.error(stop, upto, &partial)
        })
    }

    /// Stage 1, operation by operation, in the program's order.
    fn online(
        &self,
        run: &mut StagedRun<'_>,
        claims: &[SizeClaim],
        mut log: Option<&mut Log>,
    ) -> Result<(), InferError> {
        let Generated { constraints, origins, claim_origins, .. } = self.generated;
        let mut of_operation: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut others = Vec::new();
        for number in 0..claims.len() {
            let fixed = number.checked_sub(claim_origins.len()).and_then(|i| self.generated.fixed.get(i));
            let operation = match claim_origins.get(number) {
                Some(origin) => origin.operation,
                None => fixed.map(|f| f.operation),
            };
            match operation {
                Some(operation) => of_operation.entry(operation).or_default().push(number),
                None => others.push(number),
            }
        }
        for range in self.generated.by_operation(constraints.len()) {
            let mine = origins[range.start].operation.and_then(|o| of_operation.remove(&o)).unwrap_or_default();
            if let Some(log) = &mut log {
                log.number(range.clone(), run.configuration());
            }
            self.add(run, constraints[range.clone()].to_vec(), numbered(&mine, claims), range.end, log.as_deref_mut())?;
        }
        let rest: Vec<usize> = of_operation.into_values().flatten().chain(others).collect();
        self.add(run, Vec::new(), numbered(&rest, claims), constraints.len(), log)
    }

    fn add(
        &self,
        run: &mut StagedRun<'_>,
        phi: Vec<Constraint>,
        claims: Vec<(usize, SizeClaim)>,
        upto: usize,
        mut log: Option<&mut Log>,
    ) -> Result<(), InferError> {
        run.add_numbered(phi, claims).map_err(|stop| {
            note(&mut log, &stop, self.generated, run, upto);
            self.error(stop, upto, &[])
        })
    }

    /// A size that was worked out clashes with a later statement. Were the statement known first, the size
    /// equation itself would fail, and it says more.
    fn blame(&self, error: InferError, system: &StagedSystem<'_>) -> InferError {
        if !matches!(error, InferError::Clash(_)) {
            return error;
        }
        let mut names = self.generated.names.clone();
        let mut run = StagedRun::new(system, &mut names, self.policy);
        let end = run.add(system.phi.iter().cloned(), system.claims.iter().cloned());
        match end.and_then(|()| run.stages(Stage::Two)) {
            Err(Stopped::Size(failure)) if failure.rule != StageRule::Least => {
                InferError::Size(Box::new(self.size(&failure)))
            }
            _ => error,
        }
    }

    /// What stopped a run, in the program's terms.
    fn error(&self, stop: Stopped, upto: usize, partial: &[super::shape::ShapeTerm]) -> InferError {
        match stop {
            Stopped::Core(Stop::Limit(limit)) => InferError::Limit(limit),
            Stopped::Core(Stop::Failed(failure)) => explain::bare_clash(self.generated, upto, &failure),
            Stopped::Hole(hole) => {
                let hole = Hole::new(&self.generated.constraints, hole.var, hole.position);
                explain::hole(self.generated, partial, &hole)
            }
            Stopped::Size(failure) if failure.rule == StageRule::Least => self.index(&failure, partial),
            Stopped::Size(failure) => InferError::Size(Box::new(self.size(&failure))),
        }
    }

    /// An index that is outside its axis.
    fn index(&self, failure: &SizeFailure, partial: &[super::shape::ShapeTerm]) -> InferError {
        let number = failure.claim.saturating_sub(self.generated.claims.len());
        let (Some(fixed), SizeClaim::AtLeast(DimTerm::Dim(dim), _)) =
            (self.generated.fixed.get(number), &failure.instance)
        else {
            return InferError::Size(Box::new(self.size(failure)));
        };
        let shape = |id: usize| partial.get(id).map_or_else(String::new, |s| show_partial(s, &self.generated.names));
        InferError::Index(Box::new(IndexError::with(self.generated, fixed, *dim, shape)))
    }

    fn size(&self, failure: &SizeFailure) -> SizeError {
        let origin = self.generated.claim_origins.get(failure.claim);
        let operation = origin.and_then(|o| o.operation).and_then(|o| self.generated.operations.get(o));
        let mut names: BTreeMap<DimVar, String> = BTreeMap::new();
        for capture in &self.generated.captures {
            if let super::generate::Measure::Dim(DimTerm::Var(v)) = capture.of {
                names.insert(v, capture.name.clone());
            }
        }
        for (label, v) in operation.into_iter().flat_map(|o| &o.template.labels) {
            names.insert(*v, label.clone());
        }
        SizeError {
            rule: failure.rule,
            equation: named(&failure.instance.show(&self.generated.names), &names),
            why: failure.why.to_string(),
            text: origin.map_or_else(String::new, |o| o.text.clone()),
            certain: !failure.tainted,
            span: origin.map_or(Span::default(), |o| o.span),
            calls: operation.map_or(Vec::new(), |o| o.calls.to_vec()),
        }
    }
}

/// These claims with their numbers.
fn numbered(numbers: &[usize], claims: &[SizeClaim]) -> Vec<(usize, SizeClaim)> {
    numbers.iter().filter_map(|i| Some((*i, claims.get(*i)?.clone()))).collect()
}

/// Keeps what a failure of the core knows beyond its derivation.
fn note(log: &mut Option<&mut Log>, stop: &Stopped, generated: &Generated, run: &mut StagedRun<'_>, upto: usize) {
    let Stopped::Core(stop) = stop else { return };
    Log::failed(log, stop);
    if let (Some(log), Stop::Failed(failure)) = (log, stop) {
        let bindings = &mut run.configuration().bindings;
        let shape = |t: &super::generate::Tensor| ByKind::of(|kind| bindings.row_value(t.shape.get(kind)));
        let shapes = generated.tensors.iter().map(shape).collect();
        log.failed = Some(Failed { failure: (**failure).clone(), upto, shapes });
    }
}

/// Text with variables as `?7`, with the names that labels have.
fn named(text: &str, names: &BTreeMap<DimVar, String>) -> String {
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

/// Inference of a program that has claims; with a log its steps are kept. A clash is explained by the derivation of
/// the run that failed: without a log the same run is done again with one.
pub(super) fn solution(
    generated: &Generated,
    names: &mut Names,
    policy: Policy,
    mut log: Option<&mut Log>,
) -> Result<Found, InferError> {
    let mut own = Log::new(policy.limits);
    let mut found = attempt(generated, names, policy, log.as_deref_mut());
    if log.is_none() && matches!(found, Err(InferError::Clash(_))) {
        *names = generated.names.clone();
        found = attempt(generated, names, policy, Some(&mut own));
    }
    let log = log.unwrap_or(&mut own);
    match (found, &log.failed) {
        (Err(InferError::Clash(_)), Some(failed)) => Err(explain::clash_of(generated, failed, log, names.clone())),
        (found, _) => found,
    }
}

fn attempt(
    generated: &Generated,
    names: &mut Names,
    policy: Policy,
    mut log: Option<&mut Log>,
) -> Result<Found, InferError> {
    let claims = all_claims(generated);
    let system = system(generated, &claims);
    let of = Infer { generated, policy };
    let mut run = StagedRun::new(&system, names, Log::limited(&log, policy));
    if log.is_some() {
        run.keep_trace();
    }
    let ended = of.stages(&mut run, &system, log.as_deref_mut());
    if let Some(log) = log {
        log.trace = run.configuration().trace.take().unwrap_or_default();
        log.stages = run.steps().to_vec();
        log.made = Commitments::Stages(run.assumptions().to_vec());
    }
    ended?;
    let made = run.assumptions().to_vec();
    let values = match run.values() {
        Ok(Some(values)) => values,
        Ok(None) => broken("after stage 7 everything has a value", format!("{claims:?}")),
        Err(stop) => return Err(of.error(stop, generated.constraints.len(), &[])),
    };
    run.check(&values, &generated.constraints);
    let zeros = values.zeros;
    let bindings = std::mem::take(&mut run.configuration().bindings);
    drop(run);
    let shapes = shapes(generated, &bindings);
    unused_parameters(generated, &generated.constraints.iter().collect())?;
    fixed_indices(generated, &bindings, &shapes, names)?;
    let mut sizes = sizes(generated, &bindings, names)?;
    for (size, capture) in sizes.iter_mut().zip(&generated.captures) {
        if matches!(capture.of, super::generate::Measure::Dim(DimTerm::Var(v)) if zeros.contains(&v)) {
            (size.size, size.text) = (0, "0".to_owned());
        }
    }
    let (made, limits) = (Commitments::Stages(made), policy.limits);
    Ok(Found { shapes, sizes, bindings, zeros, made, limits })
}

fn system<'a>(generated: &'a Generated, claims: &'a [SizeClaim]) -> StagedSystem<'a> {
    let (tags, discardable) = (generated.tags.clone(), generated.discardable.clone());
    StagedSystem { phi: &generated.constraints, claims, tags, discardable, ..StagedSystem::default() }
}

/// What is known of the shapes of such a program after stage 1.
pub(super) fn partial(generated: Generated, policy: Policy) -> Result<Partial, InferError> {
    let claims = all_claims(&generated);
    let mut names = generated.names.clone();
    let known = {
        let system = system(&generated, &claims);
        let mut run = StagedRun::new(&system, &mut names, policy);
        let of = Infer { generated: &generated, policy };
        let ended = of.online(&mut run, &claims, None).map_err(|error| of.blame(error, &system));
        ended.map(|()| known(&generated, &run.configuration().bindings))
    };
    match known {
        Ok(shapes) => Ok(Partial { generated, shapes, names }),
        // Inference fails at the same place, and explains it.
        Err(error @ InferError::Clash(_)) => {
            names = generated.names.clone();
            Err(solution(&generated, &mut names, policy, None).err().unwrap_or(error))
        }
        Err(error) => Err(error),
    }
}
