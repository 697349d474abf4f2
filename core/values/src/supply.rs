//! What a program takes from outside: which tensors need data, and which data and indices it has no use for.

use super::error::RunError;
use super::run::Inputs;
use lozenge_language::ast::Index;
use lozenge_language::generate::{Generated, Operation, Role, TensorId};
use lozenge_language::projection::show::tensor_name;
use lozenge_language::{Inference, Span};
use std::collections::BTreeSet;

/// What becomes of the value that a leaf begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supply {
    /// It is read, so there must be one.
    Needed,
    /// Nothing reads or writes the leaf.
    Idle,
    /// The whole leaf is assigned before anything reads it; the place of that assignment.
    Overwritten(Span),
}

/// The supply of every tensor, by the operation that touches it first. Operands are read before the result is written;
/// an assignment that does not erase its target reads it, and one that does writes all of it.
#[must_use]
pub fn supplies(generated: &Generated) -> Vec<Supply> {
    let mut supplies = vec![Supply::Idle; generated.tensors.len()];
    let mut touch = |id: TensorId, supply: Supply| {
        if let Some(first @ Supply::Idle) = supplies.get_mut(id) {
            *first = supply;
        }
    };
    for Operation { operands, result, erase, span, .. } in &generated.operations {
        for id in operands {
            touch(*id, Supply::Needed);
        }
        touch(*result, if *erase { Supply::Overwritten(*span) } else { Supply::Needed });
    }
    supplies
}

/// Is it data that such a tensor holds before the program runs?
pub(super) fn takes_data(role: Role) -> bool {
    matches!(role, Role::Input | Role::Param | Role::Const)
}

/// Refuses numbers that no tensor of the program has.
pub(super) fn known(inferred: &Inference, ids: impl IntoIterator<Item = TensorId>) -> Result<(), RunError> {
    let count = inferred.generated.tensors.len();
    let unknown = ids.into_iter().find(|id| *id >= count);
    unknown.map_or(Ok(()), |id| Err(RunError::NoTensor { id, count }))
}

/// Refuses data and indices that the program does not use.
pub(super) fn check<S>(inferred: &Inference, supplies: &[Supply], inputs: &Inputs<S>) -> Result<(), RunError> {
    let generated = &inferred.generated;
    let name = |id: TensorId| tensor_name(generated, id);
    for id in inputs.values.keys() {
        let (tensor, supply) = (&generated.tensors[*id], supplies[*id]);
        if !takes_data(tensor.role) {
            let leaves = generated.tensors.iter().enumerate();
            let wanted = leaves.filter(|(i, t)| takes_data(t.role) && !matches!(supplies[*i], Supply::Overwritten(_)));
            let takes = wanted.map(|(i, _)| name(i)).collect();
            return Err(RunError::Computed { tensor: name(*id), takes, span: tensor.span });
        }
        if let Supply::Overwritten(span) = supply {
            return Err(RunError::Overwritten { tensor: name(*id), span });
        }
    }
    let indices: BTreeSet<&String> = generated.operations.iter().filter_map(index_name).collect();
    match inputs.externals.keys().find(|name| !indices.contains(name)) {
        None => Ok(()),
        Some(name) => Err(RunError::UnusedIndex { name: name.clone(), known: indices.into_iter().cloned().collect() }),
    }
}

/// The index that a slice takes from outside.
fn index_name(op: &Operation) -> Option<&String> {
    if let Some(Index::Name(name)) = &op.index { Some(name) } else { None }
}
