//! An inference with its steps: what [`infer()`](super::infer()) does, kept for whoever tells it.
//!
//! ```
//! use lozenge::program::{parse, tell};
//! use lozenge::solver::{Limits, Policy};
//! let program = parse("input x: 28\nlet y = x ++ \"2*i => i\"")?;
//! let told = tell(&program, Policy::default(), Limits::default())?;
//! assert_eq!(told.stages.first().map(|step| step.rule.name()), Some("ST-stride"));
//! assert_eq!(told.ended.unwrap().show("y").as_deref(), Some("14"));
//! # Ok::<(), lozenge::program::ProgramError>(())
//! ```

mod ways;

use super::ast::Program;
use super::error::ProgramError;
use super::explain::InferError;
use super::generate::{Generated, generate};
use super::infer::{AssumedRule, Inference, all_claims, solution};
use super::shape::ShapeTerm;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{Binding, DimTerm, RowTerm};
use lozenge_engine::solver::configuration::Configuration;
use lozenge_engine::solver::derivation::{Origin, Trace};
use lozenge_engine::solver::{Fact, Stop};
use lozenge_engine::solver::{Limit, Limits, Policy};
use lozenge_staged::{Assumption, By, Given, SizeClaim, SizeTerm, StageRule, StageStep, Stopped};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
pub use ways::Way;

/// A failure, before it is explained.
pub(super) struct Failed {
    pub(super) stop: Stopped,
    /// The constraints that were read.
    pub(super) upto: usize,
    /// Had anything been committed?
    pub(super) closing: bool,
    /// What was known of the tensors' shapes.
    pub(super) shapes: Vec<ShapeTerm>,
    /// What was known of them before anything was committed.
    pub(super) before: Vec<ShapeTerm>,
}

/// What is kept of an inference while it goes on.
pub(super) struct Log {
    /// Where the log ends, however far the policy lets the run go.
    limits: Limits,
    pub(super) trace: Trace,
    /// The constraint of the program behind each node that it added.
    pub(super) numbers: BTreeMap<usize, usize>,
    pub(super) stages: Vec<StageStep>,
    pub(super) made: Vec<Assumption>,
    solved: Option<usize>,
    cycle: Vec<Fact>,
}

impl Log {
    pub(super) fn new(limits: Limits) -> Self {
        let (trace, numbers, stages) = (Trace::default(), BTreeMap::new(), Vec::new());
        Log { limits, trace, numbers, stages, made: Vec::new(), solved: None, cycle: Vec::new() }
    }

    /// The policy under the limits of the log, where there is one.
    pub(super) fn limited(log: &Option<&mut Log>, policy: Policy) -> Policy {
        let Some(Log { limits: most, .. }) = log.as_deref() else { return policy };
        let Limits { fuel, rank, size } = policy.limits;
        let limits = Limits { fuel: fuel.min(most.fuel), rank: rank.min(most.rank), size: size.min(most.size) };
        Policy { limits, ..policy }
    }

    /// The constraints that the configuration gets next.
    pub(super) fn number(&mut self, range: Range<usize>, configuration: &Configuration<'_>) {
        let next = configuration.trace.as_ref().map_or(0, |trace| trace.nodes.len());
        self.numbers.extend(range.enumerate().map(|(i, constraint)| (next + i, constraint)));
    }

    /// Everything is solved: what comes next is closing.
    pub(super) fn solved(log: &mut Option<&mut Log>, configuration: &Configuration<'_>) {
        if let Some(log) = log {
            log.solved = Some(configuration.steps());
        }
    }

    /// Keeps what a failure of the solver knows beyond its derivation.
    pub(super) fn failed(log: &mut Option<&mut Log>, stop: &Stop) {
        if let (Some(log), Stop::Failed(failure)) = (log, stop) {
            log.cycle.clone_from(&failure.cycle);
        }
    }
}

/// An inference, with its steps.
#[derive(Clone, Debug)]
pub struct Told {
    /// The program's tensors, operations and constraints.
    pub generated: Generated,
    /// Names of variables and bases; those that the run made are among them.
    pub names: Names,
    /// Every step of the solver, those after commitments included.
    pub trace: Trace,
    /// Every step of the stages (§8), each with its place among those of the solver.
    pub stages: Vec<StageStep>,
    /// The claims about sizes that the stages number.
    pub claims: Vec<SizeClaim>,
    /// How many steps the solver took before closing began, if it came so far.
    pub solved: Option<usize>,
    /// The facts of the positive cycle, for a failure of the guard.
    pub cycle: Vec<Fact>,
    /// How it ended, exactly as [`infer_with`](super::infer_with) says it.
    pub ended: Result<Inference, InferError>,
    /// Is that the end? If not, the log ended at a limit of its own, and only the beginning is told.
    pub whole: bool,
    numbers: BTreeMap<usize, usize>,
    made: Vec<Assumption>,
}

/// Where a constraint that the solver took up comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It is this constraint of the program.
    Constraint(usize),
    /// A claim about sizes gave it, or two.
    Claim(By, StageRule),
    /// It was committed by policy.
    Committed(AssumedRule),
    /// A cap that saturation forwards before a commitment (Remark 6.3).
    Forwarded,
    /// This step emitted or stored it.
    Step(usize),
}

/// Infers the shapes of a program and keeps the steps, as far as `most` allows. A run that goes on beyond that
/// ends as it would without; only its beginning is kept.
///
/// # Errors
/// A [`ProgramError`] for a program that is not well formed.
pub fn tell(program: &Program, policy: Policy, most: Limits) -> Result<Told, ProgramError> {
    let generated = generate(program)?;
    let mut log = Log::new(most);
    let mut names = generated.names.clone();
    let mut found = solution(&generated, &mut names, policy, Some(&mut log));
    let own = Log::limited(&Some(&mut log), policy) != policy;
    let whole = match found {
        Err(InferError::Limit(Limit::Derivation)) => false,
        Err(InferError::Limit(_)) => !own,
        _ => true,
    };
    let mut all = names.clone();
    if !whole {
        all = generated.names.clone();
        found = solution(&generated, &mut all, policy, None);
    }
    let claims = all_claims(&generated);
    let ended = found.map(|found| found.inference(generated.clone(), all));
    let Log { trace, numbers, stages, made, solved, cycle, .. } = log;
    Ok(Told { generated, names, trace, stages, claims, solved, cycle, ended, whole, numbers, made })
}

impl Told {
    /// Where a constraint of the derivation comes from.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let made = added(&self.claims, &self.stages, &self.made);
        let source = |(node, it): (usize, &lozenge_engine::solver::derivation::Node)| match it.origin {
            Origin::Step(step) => Source::Step(step),
            Origin::Input(i) => Source::Constraint(i),
            Origin::Added => match self.numbers.get(&node) {
                Some(number) => Source::Constraint(*number),
                None => equated(&it.constraint).and_then(|key| made.get(&key).copied()).unwrap_or(Source::Forwarded),
            },
        };
        self.trace.nodes.iter().enumerate().map(source).collect()
    }
}

/// Where equations that a run added come from: claims, and commitments.
pub(super) fn added(claims: &[SizeClaim], stages: &[StageStep], made: &[Assumption]) -> HashMap<Binding, Source> {
    let mut added: HashMap<Binding, Source> = HashMap::new();
    for (number, claim) in claims.iter().enumerate() {
        if let SizeClaim::Size(DimTerm::Var(v), SizeTerm::Affine(affine)) = claim
            && affine.is_identity()
        {
            added.insert(Binding::Dim(*v, affine.over), Source::Claim(number.into(), StageRule::Same));
        }
    }
    let of_claims = stages.iter().filter_map(|step| match (&step.given, step.by, step.rule) {
        (Given::Is(binding), Some(by), AssumedRule::Stage(rule)) => Some((binding.clone(), Source::Claim(by, rule))),
        _ => None,
    });
    added.extend(of_claims);
    let committed = made.iter().filter_map(|assumption| match &assumption.given {
        Given::Is(binding) => Some((binding.clone(), Source::Committed(assumption.rule))),
        Given::Zero(_) => None,
    });
    added.extend(committed);
    added
}

/// The variable and the value of an equation that was added.
pub(super) fn equated(phi: &Constraint) -> Option<Binding> {
    match phi {
        Constraint::DimEq(DimTerm::Var(v), to) => Some(Binding::Dim(*v, *to)),
        Constraint::RowEq(RowTerm { var: Some(v), .. }, to) => Some(Binding::Row(*v, to.clone())),
        _ => None,
    }
}
