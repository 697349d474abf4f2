//! Which values and gradients a run shows, and under which names.

use super::Job;
use crate::output::Failure;
use crate::project::tensor;
use lozenge::interp::Outcome;
use lozenge::program::Inference;
use lozenge::program::generate::Role;
use lozenge::projection::show::tensor_name;

/// The tensors to show: those asked for, or everything computed that has a name.
pub(super) fn shown(only: &[String], inferred: &Inference) -> Result<Vec<(String, usize)>, Failure> {
    if !only.is_empty() {
        return only.iter().map(|name| Ok((name.clone(), tensor(inferred, name)?))).collect();
    }
    Ok(computed(inferred))
}

/// What a program computes under a name.
pub fn computed(inferred: &Inference) -> Vec<(String, usize)> {
    let tensors = &inferred.generated.tensors;
    // A leaf that an assignment writes is computed as well.
    let written = |id: usize| inferred.generated.operations.iter().any(|op| op.result == id);
    let named = inferred.generated.bindings.iter();
    let wanted = named.filter(|(_, id)| tensors[*id].role == Role::Interior || written(*id));
    wanted.map(|(name, id)| (name.to_string(), *id)).collect()
}

/// The gradients of leaves that are there in any case, by their names; and of what was asked for, as it was called.
pub(super) fn gradients<S>(inferred: &Inference, outcome: &Outcome<S>, job: &Job) -> Vec<(String, usize)> {
    let tensors = &inferred.generated.tensors;
    let read = |id: usize| tensors.iter().any(|it| it.role == Role::Gradient(id));
    let anyway = |id: usize| tensors[id].role == Role::Param || job.options.grad == Some(id) || read(id);
    let leaves = outcome.gradients.keys().filter(|id| tensors[**id].role.is_leaf() && anyway(**id));
    let mut named: Vec<(String, usize)> = leaves.map(|id| (tensor_name(&inferred.generated, *id), *id)).collect();
    for asked in &job.wrt {
        if !named.contains(asked) {
            named.push(asked.clone());
        }
    }
    named.sort_by_key(|(_, id)| *id);
    named
}
