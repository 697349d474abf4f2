//! Clashes: where two claims come from, and what they are about.

use super::remedy::remedies;
use super::words::link;
use super::{Clash, ClashClaim, InferError, draw, trace};
use crate::generate::{Generated, Operand, Operation, Origin};
use crate::told::{Failed, Log};
use lozenge_calculus::names::Names;
use lozenge_calculus::term::Var;
use lozenge_engine::closing::Assumption;
use lozenge_engine::solver::{Failure, Policy, Why};

/// The clash of a prefix of the constraints.
pub(crate) fn clash(generated: &Generated, upto: usize, failure: &Failure, policy: Policy) -> InferError {
    let found = trace::online(generated, upto, policy);
    InferError::Clash(Box::new(build(generated, upto, failure, found, false)))
}

/// A clash of which no more is known yet.
pub(crate) fn bare_clash(generated: &Generated, upto: usize, failure: &Failure) -> InferError {
    InferError::Clash(Box::new(build(generated, upto, failure, None, false)))
}

/// A clash of the stages, with the derivation of the very run that failed.
pub(crate) fn clash_of(generated: &Generated, failed: &Failed, log: &Log, names: Names) -> InferError {
    let Failed { failure, upto, shapes } = failed;
    let found = trace::of(&log.trace, &log.numbers, failure, names, shapes.clone());
    InferError::Clash(Box::new(build(generated, *upto, failure, found, false)))
}

/// A clash that shows only when closing commits values.
pub(crate) fn at_closing(
    generated: &Generated,
    failure: &Failure,
    assumptions: &[Assumption],
    policy: Policy,
) -> InferError {
    let found = trace::closing(generated, assumptions, policy);
    InferError::Clash(Box::new(build(generated, generated.constraints.len(), failure, found, true)))
}

fn build(generated: &Generated, upto: usize, failure: &Failure, found: Option<trace::Found>, closing: bool) -> Clash {
    // The traced run sees what the first did; where it does not, there is no derivation to show.
    let found = found.unwrap_or_else(|| trace::Found::bare(failure, generated));
    let trace::Found { failure, names, shapes, inputs, vars, claims } = found;
    let at = if closing { inputs.last().copied() } else { inputs.iter().rev().find(|i| **i < upto).copied() };
    let at = at.or(upto.checked_sub(1)).unwrap_or(0);
    let origin = &generated.origins[at];
    let operation = origin.operation.and_then(|o| generated.operations.get(o));
    let operands = operation.map_or(Vec::new(), |o| draw::of_operation(generated, o, &shapes, &names));
    let claims = claims
        .into_iter()
        .map(|(value, from)| ClashClaim { value, because: from.into_iter().map(|i| link(generated, i)).collect() });
    let of_spec = |o: &Operation| {
        o.template.labels.iter().find(|(_, v)| vars.contains(&Var::Dim(**v))).map(|(label, _)| label.clone())
    };
    let label = origin.label.clone().or_else(|| operation.and_then(of_spec));
    let mut clash = Clash {
        rule: failure.rule,
        why: failure.why.clone(),
        constraint: names.show(&failure.constraint).to_string(),
        certain: !failure.tainted,
        closing,
        kind: origin.kind,
        message: message(&failure.why, origin, label.as_deref(), &names),
        label,
        span: operation.map_or(origin.span, |o| o.span),
        calls: operation.map_or(Vec::new(), |o| o.calls.to_vec()),
        operands,
        claims: claims.collect(),
        chain: inputs.iter().map(|i| link(generated, *i)).collect(),
        remedies: Vec::new(),
    };
    clash.remedies = remedies(generated, &clash, operation, origin, &shapes);
    clash
}

fn message(why: &Why, origin: &Origin, label: Option<&str>, names: &Names) -> String {
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

fn axes(n: usize) -> String {
    format!("{n} {}", if n == 1 { "axis" } else { "axes" })
}
