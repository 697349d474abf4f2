//! What nothing determines, and indices outside of their axes.

use super::words::{link, words};
use super::{Behind, HoleError, IndexError, InferError};
use crate::generate::{FixedIndex, Generated, Logic, Operand, Role, TensorId};
use crate::shape::{Kind, ShapeTerm, show_partial};
use lozenge_calculus::dim::Dim;
use lozenge_calculus::term::{Var, Vars};
use lozenge_engine::closing::Hole;
use lozenge_notation::Span;
use std::fmt;

/// A parameter's hole.
pub(crate) fn hole(generated: &Generated, partial: &[ShapeTerm], hole: &Hole) -> InferError {
    let has = |kind: Kind, id: &TensorId| generated.tensors[*id].shape.get(kind).vars().contains(&hole.var);
    let params = || (0..generated.tensors.len()).filter(|id| generated.tensors[*id].role == Role::Param);
    let direct = params().find_map(|id| Kind::ALL.into_iter().find(|kind| has(*kind, &id)).map(|kind| (id, kind)));
    // The hole may be a label that the parameter's row was bound to.
    let open = |id: &TensorId, kind: Kind| {
        partial
            .get(*id)
            .is_some_and(|shape| shape.get(kind).vars().iter().any(|v| *v == hole.var || matches!(v, Var::Dim(_))))
    };
    let bound = || params().find_map(|id| Kind::ALL.into_iter().find(|kind| open(&id, *kind)).map(|kind| (id, kind)));
    let Some((id, kind)) = direct.or_else(bound) else {
        return InferError::Hole(Box::new(HoleError {
            tensor: "a parameter".to_owned(),
            span: Span::default(),
            kind: Kind::Output,
            known: "?".to_owned(),
            uses: hole.uses.iter().map(|i| link(generated, *i)).collect(),
        }));
    };
    let mut error = HoleError::unused(generated, id, kind);
    if let Some(shape) = partial.get(id) {
        error.known = show_partial(shape, &generated.names);
    }
    error.uses = hole.uses.iter().map(|i| link(generated, *i)).collect();
    InferError::Hole(Box::new(error))
}

impl HoleError {
    pub(crate) fn unused(generated: &Generated, id: TensorId, kind: Kind) -> Self {
        let tensor = &generated.tensors[id];
        HoleError {
            tensor: tensor.name.as_deref().unwrap_or("a parameter").to_owned(),
            span: tensor.span,
            kind,
            known: show_partial(&tensor.shape, &generated.names),
            uses: Vec::new(),
        }
    }
}

impl fmt::Display for HoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing says how large an axis of the {} row of `{}` is", self.kind, self.tensor)
    }
}

impl IndexError {
    pub(super) fn headline(&self, source: &str) -> String {
        let IndexError { index, kind, size, .. } = self;
        let tensor = self.tensor.render(source);
        format!("index {index} is outside an axis of the {kind} row of {tensor}, which has size {size}")
    }

    /// For shapes as text.
    pub(crate) fn with(
        generated: &Generated,
        fixed: &FixedIndex,
        dim: Dim,
        shape: impl Fn(TensorId) -> String,
        (certain, behind): (bool, Behind),
    ) -> Self {
        let operation = &generated.operations[fixed.operation];
        let tensor = match fixed.operand {
            Operand::Argument(i) => operation.operands.get(i).copied().unwrap_or(operation.result),
            _ => operation.result,
        };
        IndexError {
            index: fixed.index,
            size: dim.elements(),
            kind: fixed.kind,
            tensor: words().tensor(generated, tensor),
            shape: shape(tensor),
            slice: operation.logic == Logic::Slice,
            span: operation.span,
            certain,
            behind,
        }
    }
}
