//! Staged systems, and how their runs end.

use super::claim::SizeClaim;
use super::commit::{AssumedRule, Assumption, Given};
use super::linear::SizeWhy;
use super::meaning::Valuation;
use super::rule::{Stage, StageRule};
use super::search::Searched;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{Binding, DimVar};
use lozenge_engine::closing::{Hole, Tags};
use lozenge_engine::solver::{Failure, Limit, Stop};
use std::collections::BTreeSet;

/// Which variables must not be guessed while a claim still waits for others (`has_uniq_constr_unless`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Marks {
    /// The numerators of totals only, a mark gives way as soon as one of the others is marked, and nothing is bounded
    /// before it is guessed: the seeds to the letter (spec/findings/F42.md).
    Seeds,
    /// The left sides of size equations as well, and a mark gives way only on a cycle of marks.
    #[default]
    Cycles,
}

/// Constraints, claims, and what closing needs to know of the variables.
#[derive(Clone, Debug, Default)]
pub struct StagedSystem<'a> {
    /// Φ.
    pub phi: &'a [Constraint],
    /// The claims.
    pub claims: &'a [SizeClaim],
    /// Leaves and parameters.
    pub tags: Tags,
    /// The variables that the specification projects away.
    pub discardable: BTreeSet<DimVar>,
    /// How guesses wait.
    pub marks: Marks,
}

/// Where something comes from: a claim, or two of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct By {
    /// The claim, by its number.
    pub claim: usize,
    /// The one that was taken off it (ST-cancel).
    pub less: Option<usize>,
}

impl By {
    /// The numbers of both.
    pub fn claims(self) -> impl Iterator<Item = usize> {
        [Some(self.claim), self.less].into_iter().flatten()
    }
}

impl From<usize> for By {
    fn from(claim: usize) -> Self {
        By { claim, less: None }
    }
}

/// One step of the layer: a rule, the claim it is about, and what it gave a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageStep {
    /// The stage.
    pub stage: Stage,
    /// The rule.
    pub rule: AssumedRule,
    /// The claim, or the two, that it is from.
    pub by: Option<By>,
    /// The variable, and what it was given.
    pub given: Given,
    /// How many steps the core had taken when it was noted.
    pub at: usize,
}

/// A claim that cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SizeFailure {
    /// The claim, by its number.
    pub claim: usize,
    /// The rule that failed.
    pub rule: StageRule,
    /// Why.
    pub why: SizeWhy,
    /// The claim with the values known at the time.
    pub instance: SizeClaim,
    /// Does the failure rest on a commitment?
    pub tainted: bool,
    /// The other claims that bounds on its unknowns are from.
    pub bounded_by: BTreeSet<usize>,
}

/// Why a run stopped.
#[derive(Debug)]
pub enum Stopped {
    /// The core stopped.
    Core(Stop),
    /// A claim failed.
    Size(Box<SizeFailure>),
    /// A parameter's dimension that nothing determines.
    Hole(Hole),
}

impl Stopped {
    /// The limit that was reached, also where a number that does not fit rests on a commitment.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Stopped::Core(Stop::Limit(limit)) => Some(*limit),
            Stopped::Size(failure) if failure.why == SizeWhy::TooLarge => Some(Limit::Size),
            _ => None,
        }
    }

    /// The same, where a claim failed by bounds that are from these.
    pub(super) fn bounded_by(mut self, claims: BTreeSet<usize>) -> Self {
        if let Stopped::Size(failure) = &mut self {
            failure.bounded_by = claims;
        }
        self
    }
}

impl From<Stop> for Stopped {
    fn from(stop: Stop) -> Self {
        Stopped::Core(stop)
    }
}

impl From<Limit> for Stopped {
    fn from(limit: Limit) -> Self {
        Stopped::Core(limit.into())
    }
}

/// Why there is no solution, or none that the stages found.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A constraint of the core.
    Core(Box<Failure>),
    /// A claim.
    Size(Box<SizeFailure>),
    /// All claims together: so many choices were tried, and there are no others.
    Exhausted(u64),
}

impl Refusal {
    /// Is it a number that does not fit?
    pub(super) fn is_too_large(&self) -> bool {
        matches!(self, Refusal::Size(failure) if failure.why == SizeWhy::TooLarge)
    }
}

/// The end of a run that succeeds: everything has a value.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The values of the input's variables.
    pub values: Valuation,
    /// Every commitment beyond entailment, in order.
    pub assumptions: Vec<Assumption>,
    /// Every step of the layer.
    pub steps: Vec<StageStep>,
}

/// The end of a run that was stopped after an earlier stage: some variables are open.
#[derive(Clone, Debug)]
pub struct Open {
    /// What is known of each of the input's variables.
    pub known: Vec<Binding>,
    /// The variables that are 0.
    pub zeros: BTreeSet<DimVar>,
    /// The claims that are not discharged yet.
    pub waiting: Vec<usize>,
    /// Every commitment beyond entailment, in order.
    pub assumptions: Vec<Assumption>,
    /// Every step of the layer.
    pub steps: Vec<StageStep>,
}

/// How a staged run ends.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With a solution.
    Closed(Box<Closed>),
    /// Without failure, and with open variables: the last stage was not reached.
    Open(Box<Open>),
    /// A parameter has an unspecified dimension.
    Hole(Hole),
    /// There is no solution.
    Unsat(Refusal),
    /// A commitment or a placement led to failure: here is a solution that it foreclosed, or how far one was looked for.
    Rejected(Refusal, Vec<Assumption>, Searched),
    /// A limit was reached.
    Limit(Limit),
}
