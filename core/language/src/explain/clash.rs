//! Clashes: where two claims come from, and what they are about.

use super::behind::{self, Behind, Rests, Witness, rests};
use super::fits::witness;
use super::part::Part;
use super::remedy::remedies;
use super::sides::{Scene, Side, axes};
use super::slots::slot_message;
use super::words::{Words, link, words};
use super::{Clash, ClashClaim, IndexError, InferError, SizeError, draw, trace};
use crate::generate::{Generated, Operand, Operation, Origin};
use crate::infer::{all_claims, said, system};
use crate::shape::{ShapeTerm, show_partial};
use crate::told::{Failed, Log};
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, Var};
use lozenge_engine::solver::{Failure, Limit, Policy, Stop, Why};
use lozenge_notation::Span;
use lozenge_staged::{
    SearchBounds, Searched, SizeClaim, SizeFailure, Stage, StageRule, StagedRun, StagedSystem, Stopped,
};
use std::collections::BTreeSet;

/// A failure, explained by the derivation of the run that failed.
pub(crate) fn failed(
    generated: &Generated,
    failed: Failed,
    log: &Log,
    names: &Names,
    (policy, bounds): (Policy, SearchBounds),
) -> InferError {
    let claims = all_claims(generated);
    let system = system(generated, &claims);
    let (step, failure) = match &failed.stop {
        Stopped::Size(failure) => (None, Some(&**failure)),
        Stopped::Core(Stop::Failed(_)) => (log.trace.steps.len().checked_sub(1), None),
        Stopped::Core(Stop::Limit(limit)) => return InferError::Limit(*limit),
        Stopped::Hole(hole) => return super::hole(generated, &failed.shapes, hole),
    };
    let mut rests = rests(log, &claims, step, failure);
    let part = Part::of(&system, &rests);
    let mut stop = match blame(generated, &system, &part, &failed, policy) {
        Some(failure) => {
            rests = behind::rests(log, &claims, None, Some(&failure));
            Stopped::Size(failure)
        }
        None => failed.stop,
    };
    let mut behind = Behind::new(generated, log, names, &claims, &rests, &failed.before);
    if let Stopped::Size(failure) = &stop {
        behind.fails = rests.claims.iter().position(|claim| *claim == failure.claim);
    }
    if matches!(stop, Stopped::Size(_)) && !is_certain(&stop) && behind.assumed.is_empty() {
        // Bounds have no derivation: any commitment that the equation hangs together with may be behind them.
        behind.assumed = said(generated, &failed.before, names, &part.made(log));
    }
    let searched = (!is_certain(&stop)).then(|| part.search(&system, &generated.names, (policy, bounds)));
    behind.witness = match searched {
        None => None,
        Some(Searched::Solution(values)) => {
            let whole = part.whole(generated, &system, values, (policy, bounds));
            Some(match whole {
                Searched::Solution(values) => witness(generated, &values, &failed.before, policy),
                Searched::None { choices } | Searched::Unknown { choices, .. } => {
                    Witness::NotFound { choices, size: bounds.size }
                }
            })
        }
        // Nothing was found, and a number did not fit: that says nothing of solutions.
        Some(Searched::Unknown { .. }) if stop.limit() == Some(Limit::Size) => return InferError::Limit(Limit::Size),
        Some(Searched::Unknown { choices, size, .. }) => Some(Witness::NotFound { choices, size }),
        // Where sizes have no part in it, or one equation fails by itself, that says more than the number of choices.
        Some(Searched::None { .. })
            if behind.equations.is_empty() || (behind.equations.len() == 1 && behind.assumed.is_empty()) =>
        {
            behind.assumed.clear();
            make_certain(&mut stop);
            None
        }
        Some(Searched::None { choices }) => {
            let span = generated.origins.first().map_or(Span::default(), |origin| origin.span);
            return InferError::Size(Box::new(SizeError::exhausted(behind, choices, span)));
        }
    };
    match stop {
        Stopped::Size(failure) if failure.rule == StageRule::Least => {
            index(generated, &failure, &failed.shapes, behind)
        }
        Stopped::Size(failure) => InferError::Size(Box::new(SizeError::new(generated, &failure, behind))),
        Stopped::Core(Stop::Failed(failure)) => {
            let found = trace::of(&log.trace, &log.numbers, &failure, names.clone(), failed.shapes);
            let of = Of { upto: failed.upto, closing: failed.closing, rests, behind };
            InferError::Clash(Box::new(build(generated, &failure, found, of)))
        }
        Stopped::Core(Stop::Limit(limit)) => InferError::Limit(limit),
        Stopped::Hole(hole) => super::hole(generated, &failed.shapes, &hole),
    }
}

fn is_certain(stop: &Stopped) -> bool {
    match stop {
        Stopped::Size(failure) => !failure.tainted,
        Stopped::Core(Stop::Failed(failure)) => !failure.tainted,
        Stopped::Core(Stop::Limit(_)) | Stopped::Hole(_) => true,
    }
}

/// No other choice fits.
fn make_certain(stop: &mut Stopped) {
    match stop {
        Stopped::Size(failure) => failure.tainted = false,
        Stopped::Core(Stop::Failed(failure)) => failure.tainted = false,
        Stopped::Core(Stop::Limit(_)) | Stopped::Hole(_) => {}
    }
}

/// A size that was worked out clashes with a later statement. Were the statement known first, the size equation itself
/// would fail, and it says more.
fn blame(
    generated: &Generated,
    system: &StagedSystem<'_>,
    part: &Part,
    failed: &Failed,
    policy: Policy,
) -> Option<Box<SizeFailure>> {
    if failed.closing || generated.claims.is_empty() || !matches!(&failed.stop, Stopped::Core(_)) {
        return None;
    }
    let mut names = generated.names.clone();
    let mut run = StagedRun::new(system, &mut names, policy);
    let end = run.add(&part.phi, part.claims.iter().cloned());
    match end.and_then(|()| run.stages(Stage::Two)) {
        Err(Stopped::Size(failure)) if failure.rule != StageRule::Least => Some(failure),
        _ => None,
    }
}

/// An index that is outside its axis.
fn index(generated: &Generated, failure: &SizeFailure, partial: &[ShapeTerm], behind: Behind) -> InferError {
    let number = failure.claim.saturating_sub(generated.claims.len());
    let (Some(fixed), SizeClaim::AtLeast(DimTerm::Dim(dim), _)) = (generated.fixed.get(number), &failure.instance)
    else {
        return InferError::Size(Box::new(SizeError::new(generated, failure, behind)));
    };
    let shape = |id: usize| partial.get(id).map_or_else(String::new, |s| show_partial(s, &generated.names));
    let certain = !failure.tainted;
    InferError::Index(Box::new(IndexError::with(generated, fixed, *dim, shape, (certain, behind))))
}

/// Where a clash shows, and what it rests on.
struct Of {
    upto: usize,
    closing: bool,
    rests: Rests,
    behind: Behind,
}

fn build(generated: &Generated, failure: &Failure, found: Option<trace::Found>, of: Of) -> Clash {
    // The traced run sees what the first did; where it does not, there is no derivation to show.
    let found = found.unwrap_or_else(|| trace::Found::bare(failure, generated));
    let trace::Found { failure, names, shapes, vars, claims, from } = found;
    let Of { upto, closing, rests, behind } = of;
    let inputs = &rests.constraints;
    let at = site(generated, inputs, if closing { usize::MAX } else { upto }, from);
    let at = at.or(upto.checked_sub(1)).unwrap_or(0);
    let origin = &generated.origins[at];
    let operation = origin.operation.and_then(|o| generated.operations.get(o));
    let operands = operation.map_or(Vec::new(), |o| draw::of_operation(generated, o, &shapes, &names));
    let claims = claims
        .into_iter()
        .map(|(value, from)| ClashClaim { value, because: from.into_iter().map(|i| link(generated, i)).collect() });
    let of_spec = |o: &Operation| {
        o.template.labels().find(|(_, v)| vars.contains(&Var::Dim(*v))).map(|(label, _)| label.to_owned())
    };
    let label = origin.label.clone().or_else(|| operation.and_then(of_spec));
    let scene =
        |operation| Scene { generated, operation, origin, label: label.as_deref(), shapes: &shapes, names: &names };
    let sides = operation.map_or(Vec::new(), |operation| scene(operation).sides(&failure.why));
    let slot = operation.and_then(|operation| slot_message(&failure.why, generated, operation, origin, &shapes));
    let mut clash = Clash {
        rule: failure.rule,
        why: failure.why.clone(),
        constraint: names.show(&failure.constraint).to_string(),
        certain: !failure.tainted,
        closing,
        kind: origin.kind,
        message: slot.unwrap_or_else(|| message(&failure.why, origin, label.as_deref(), &sides, &names)),
        label,
        sides,
        span: operation.map_or(origin.span, |o| o.span),
        calls: operation.map_or(Vec::new(), |o| o.calls.to_vec()),
        operands,
        claims: claims.collect(),
        chain: inputs.iter().map(|i| link(generated, *i)).collect(),
        behind,
        remedies: Vec::new(),
    };
    clash.remedies = remedies(generated, &clash, operation, origin, &shapes);
    clash
}

/// Where a clash shows: at the last of the constraints that it rests on and that were read. A statement about a size is
/// no such place if what failed is not what it says: there, sizes that follow from it clash in an operation.
fn site(generated: &Generated, inputs: &BTreeSet<usize>, upto: usize, from: Option<usize>) -> Option<usize> {
    let states = |i: &usize| generated.origins.get(*i).is_some_and(|origin| origin.operation.is_none());
    let read = || inputs.range(..upto).rev().copied();
    let last = read().next()?;
    match from.filter(states) {
        Some(said) if states(&last) => Some(said),
        _ => read().find(|i| !states(i)).or(Some(last)),
    }
}

/// Both values, with whose they are where that can be told.
fn message(why: &Why, origin: &Origin, label: Option<&str>, sides: &[Side], names: &Names) -> Words {
    let [one, other] = sides else { return words().say(bare(why, origin, label, names)) };
    let verb = if one.axis.is_some() { "is" } else { "has" };
    if let Some(label) = label.filter(|_| origin.operation.is_some() && one.axis.is_some()) {
        let whose = |said: Words, side: &Side| match one.id == other.id {
            false => said.then(&side.tensor),
            true => said.say(side.what()).then(&side.tensor),
        };
        let said = words().say(format!("the label `{label}` is {} in ", one.value));
        return whose(whose(said, one).say(format!(", and {} in ", other.value)), other);
    }
    let goes = if matches!(origin.operand, Operand::Between(..)) { ", which goes into it," } else { "" };
    let said = words().say(one.what()).then(&one.tensor).say(format!(" {verb} {}, and ", one.value));
    said.say(other.what()).then(&other.tensor).say(format!("{goes} {verb} {}", other.value))
}

/// Without whose they are.
fn bare(why: &Why, origin: &Origin, label: Option<&str>, names: &Names) -> String {
    let kind = origin.kind;
    let what = match (label, origin.operand) {
        (Some(label), _) if origin.operation.is_some() => format!("the label `{label}`"),
        (Some(name), _) => format!("the size `{name}`"),
        (None, Operand::Between(..)) => "an axis that goes from an output row into an input row".to_owned(),
        (None, _) => format!("an axis of the {kind} row"),
    };
    let row = match origin.operand {
        Operand::Between(..) => "the input row that an output row goes into".to_owned(),
        _ => format!("the {kind} row"),
    };
    match why {
        Why::Differ(a, b) | Why::NotBelow(a, b) => {
            format!("{what} would have to be both {} and {}", names.show(a), names.show(b))
        }
        Why::Ranks(a, b) => format!("{row} would have to have both {a} and {}", axes(*b)),
        Why::Overflow { open, closed } => format!("{row} needs {} or more, and has {closed}", axes(*open)),
        Why::Occurs(n) => format!("{row} would have to equal itself with {} more", axes(*n)),
        Why::Short { lead, trail } => {
            let side = if *lead > 0 { "front" } else { "back" };
            format!("{row} lacks {} at the {side}", axes(lead + trail))
        }
        Why::Cycle { weight } => {
            let more = usize::try_from(*weight).map_or_else(|_| "more axes".to_owned(), axes);
            format!("{row} feeds into itself and would grow by {more} each time round")
        }
    }
}
