//! Warnings about parameters: those that nothing uses, and those that got no axes.

use super::{Warning, WarningCode};
use crate::generate::{Role, TensorId};
use crate::shape::Kind;
use crate::{AssumedRule, Inference};
use lozenge_engine::closing::CloseRule;
use std::collections::BTreeSet;

/// The parameters, with their names.
fn parameters(inferred: &Inference) -> impl Iterator<Item = (TensorId, &str)> {
    let tensors = inferred.generated.tensors.iter().enumerate();
    tensors.filter(|(_, it)| it.role == Role::Param).filter_map(|(id, it)| Some((id, it.name.as_deref()?)))
}

/// The tensors that an operation reads or writes; their gradients count for them.
fn used(inferred: &Inference) -> BTreeSet<TensorId> {
    let of_operations = inferred.generated.operations.iter().flat_map(|op| op.operands.iter().chain([&op.result]));
    let mut used: BTreeSet<TensorId> = of_operations.copied().collect();
    for tensor in &inferred.generated.tensors {
        if let Role::Gradient(of) = tensor.role {
            used.insert(of);
        }
    }
    used
}

/// A parameter that no operation reads or writes.
pub(super) fn unused(inferred: &Inference) -> Vec<Warning> {
    let used = used(inferred);
    let unused = parameters(inferred).filter(|(id, _)| !used.contains(id));
    let warning = |(id, name): (TensorId, &str)| {
        let (message, help) = (format!("nothing uses the parameter `{name}`"), "use it, or leave it out");
        Warning::new(WarningCode::UnusedParameter, inferred.generated.tensors[id].span, message, help)
    };
    unused.map(warning).collect()
}

/// A parameter whose output row was left open, and has no axes because nothing says that it has some. The input row
/// of a parameter is another matter: a bias has none.
pub(super) fn without_axes(inferred: &Inference) -> Vec<Warning> {
    let empty = |id: TensorId, kind| inferred.shapes.get(id).is_some_and(|shape| shape.get(kind).rank() == 0);
    let mut found: Vec<(TensorId, &str)> = parameters(inferred).filter(|(id, _)| empty(*id, Kind::Output)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let bare: BTreeSet<TensorId> = bare_rows(inferred);
    found.retain(|(id, _)| bare.contains(id));
    let warning = |(id, name): (TensorId, &str)| {
        let input = &inferred.shapes[id].input;
        let (message, shape) = if input.rank() == 0 {
            (format!("nothing says that `{name}` has axes, so it has none"), "->".to_owned())
        } else {
            let axes: Vec<String> = input.flat().map(|dim| inferred.names.show(&dim).ascii().to_string()).collect();
            let message = format!("nothing says that the output row of `{name}` has axes, so it has none");
            (message, format!("{} ->", axes.join(", ")))
        };
        let short = name.rsplit('.').next().unwrap_or(name);
        let help = format!("give its width, as in `{short}: ... -> 10`; to mean it, write `{short}: {shape}`");
        Warning::new(WarningCode::ParameterWithoutAxes, inferred.generated.tensors[id].span, message, help)
    };
    found.into_iter().map(warning).collect()
}

/// The tensors whose output row was closed for want of anything to go by.
fn bare_rows(inferred: &Inference) -> BTreeSet<TensorId> {
    let bare = |rule| rule == AssumedRule::Close(CloseRule::Bare);
    let of_output = inferred.assumptions().into_iter().filter(|a| a.kind == Some(Kind::Output) && a.position.is_none());
    of_output.filter(|a| bare(a.rule)).filter_map(|a| a.tensor).collect()
}
