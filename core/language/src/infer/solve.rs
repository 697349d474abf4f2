//! Inference itself: solve operation by operation, then close (spec/8-staged.md, Def. 8.5), the same for every program.

use super::online::online;
use super::{Found, Partial, known, shapes, sizes};
use crate::explain::{self, InferError};
use crate::generate::{Generated, Measure};
use crate::shape::{ByKind, ShapeTerm};
use crate::told::{Failed, Log};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::DimTerm;
use lozenge_engine::solver::{Policy, Stop};
use lozenge_staged::{SearchBounds, SizeClaim, Stage, StagedRun, StagedSystem, Stopped, may_be_zero};

/// All claims of a program: those about sizes, then the indices that axes are read at. The largest number is no index.
pub(crate) fn all_claims(generated: &Generated) -> Vec<SizeClaim> {
    let indices = generated.fixed.iter().map(|fixed| SizeClaim::AtLeast(fixed.axis, fixed.index.saturating_add(1)));
    generated.claims.iter().cloned().chain(indices).collect()
}

/// The program as a system.
pub(crate) fn system<'a>(generated: &'a Generated, claims: &'a [SizeClaim]) -> StagedSystem<'a> {
    let (tags, discardable) = (generated.tags.clone(), generated.discardable.clone());
    StagedSystem { phi: &generated.constraints, claims, tags, discardable, ..StagedSystem::default() }
}

/// Why inference did not end well.
enum Ended {
    /// With this error.
    Error(InferError),
    /// With a failure that is still to be explained.
    Failed(Box<Failed>),
}

impl From<InferError> for Ended {
    fn from(error: InferError) -> Self {
        Ended::Error(error)
    }
}

/// Inference; with a log its steps are kept. A failure is explained by the derivation of the run that failed: without a
/// log the same run is done again with one.
pub(crate) fn solution(
    generated: &Generated,
    names: &mut Names,
    policy: Policy,
    log: Option<&mut Log>,
) -> Result<Found, InferError> {
    solution_or(generated, names, policy, log, SearchBounds::default())
}

/// The same, where other choices are looked for so far if there is no solution.
pub(crate) fn solution_or(
    generated: &Generated,
    names: &mut Names,
    policy: Policy,
    mut log: Option<&mut Log>,
    bounds: SearchBounds,
) -> Result<Found, InferError> {
    let mut own = Log::new(policy.limits);
    let failed = match attempt(generated, names, policy, log.as_deref_mut()) {
        Ok(found) => return Ok(found),
        Err(Ended::Error(error)) => return Err(error),
        Err(Ended::Failed(failed)) => failed,
    };
    if log.is_none() {
        *names = generated.names.clone();
        // Where the derivation alone is too long, the failure is said without it.
        drop(attempt(generated, names, policy, Some(&mut own)));
    }
    Err(explain::failed(generated, *failed, log.unwrap_or(&mut own), names, (policy, bounds)))
}

/// Inference where a failure is nobody's question, and so is not explained.
pub(super) fn solution_if_any(generated: &Generated, names: &mut Names, policy: Policy) -> Option<Found> {
    attempt(generated, names, policy, None).ok()
}

fn attempt(
    generated: &Generated,
    names: &mut Names,
    policy: Policy,
    mut log: Option<&mut Log>,
) -> Result<Found, Ended> {
    let claims = all_claims(generated);
    let Generated { constraints, tags, discardable, .. } = generated;
    let zero_able = may_be_zero(constraints, &claims, discardable);
    let phi = (constraints.as_slice(), generated.vars());
    let mut run = StagedRun::of(phi, &claims, tags, zero_able, names, Log::limited(&log, policy));
    if log.is_some() {
        run.keep_trace();
    }
    let done = stages(generated, &claims, &mut run, log.as_deref_mut());
    let done = done.map_err(|(stop, upto)| ended(generated, &mut run, stop, upto, log.as_deref_mut()));
    if let Some(log) = log {
        log.trace = run.configuration().trace.take().unwrap_or_default();
        log.stages = run.steps().to_vec();
        log.made = run.assumptions().to_vec();
    }
    done?;
    let ((zeros, tops), made) = (run.checked(), run.take_assumptions());
    let bindings = std::mem::take(&mut run.configuration().bindings);
    drop(run);
    let shapes = shapes(generated, &bindings, &tops);
    let mut sizes = sizes(generated, &bindings, names)?;
    for (size, capture) in sizes.iter_mut().zip(&generated.captures) {
        if matches!(capture.of, Measure::Dim(DimTerm::Var(v)) if zeros.contains(&v)) {
            (size.size, size.text) = (0, "0".to_owned());
        }
    }
    Ok(Found { shapes, sizes, bindings, zeros, made, policy })
}

/// Does inference end well where these constraints come before those of the program?
pub(crate) fn fits_with(generated: &Generated, first: &[Constraint], names: &mut Names, policy: Policy) -> bool {
    let claims = all_claims(generated);
    let phi: Vec<Constraint> = first.iter().chain(&generated.constraints).cloned().collect();
    let zero_able = may_be_zero(&phi, &claims, &generated.discardable);
    let vars = phi.iter().collect();
    let mut run = StagedRun::of((&phi, vars), &claims, &generated.tags, zero_able, names, policy);
    run.add(first, []).is_ok() && stages(generated, &claims, &mut run, None).is_ok()
}

/// What stopped a run, and how many of the program's constraints it had then.
pub(super) type At = (Stopped, usize);

/// All stages, the first of them operation by operation.
fn stages<'n>(
    generated: &'n Generated,
    claims: &[SizeClaim],
    run: &mut StagedRun<'n>,
    mut log: Option<&mut Log>,
) -> Result<(), At> {
    online(generated, claims, run, log.as_deref_mut())?;
    let upto = generated.constraints.len();
    run.settle().map_err(|stop| (stop, upto))?;
    run.configuration().set_mark();
    Log::solved(&mut log, run.configuration());
    run.stages(Stage::Seven).map_err(|stop| (stop, upto))
}

/// What stopped a run, with what was known then.
fn ended(
    generated: &Generated,
    run: &mut StagedRun<'_>,
    stop: Stopped,
    upto: usize,
    mut log: Option<&mut Log>,
) -> Ended {
    match stop {
        Stopped::Core(Stop::Limit(limit)) => InferError::Limit(limit).into(),
        Stopped::Hole(hole) => explain::hole(generated, &known(generated, &run.configuration().bindings), &hole).into(),
        stop => {
            if let Stopped::Core(stop) = &stop {
                Log::failed(&mut log, stop);
            }
            let closing = !run.assumptions().is_empty();
            let before = known(generated, &run.configuration().bindings);
            let bindings = &mut run.configuration().bindings;
            let shape = |t: &crate::generate::Tensor| ByKind::of(|kind| bindings.row_value(t.shape.get(kind)));
            let shapes: Vec<ShapeTerm> = generated.tensors.iter().map(shape).collect();
            Ended::Failed(Box::new(Failed { stop, upto, closing, shapes, before }))
        }
    }
}

/// What is known of the shapes of a program before anything is committed.
pub(super) fn partial(generated: Generated, policy: Policy) -> Result<Partial, InferError> {
    let claims = all_claims(&generated);
    let mut names = generated.names.clone();
    let shapes = {
        let system = system(&generated, &claims);
        let mut run = StagedRun::new(&system, &mut names, policy);
        let ended = online(&generated, &claims, &mut run, None).is_ok() && run.settle().is_ok();
        run.configuration().bindings.shorten_all();
        ended.then(|| known(&generated, &run.configuration().bindings))
    };
    if let Some(shapes) = shapes {
        return Ok(Partial { generated, shapes, names });
    }
    // Inference fails at the same place, and explains it.
    names = generated.names.clone();
    match solution(&generated, &mut names, policy, None) {
        Err(error) => Err(error),
        Ok(found) => {
            let shapes = known(&generated, &found.bindings);
            Ok(Partial { generated, shapes, names })
        }
    }
}
