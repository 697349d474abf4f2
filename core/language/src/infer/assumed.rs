//! What closing and the stages assumed, said of tensors.

use super::Inference;
use crate::generate::{Generated, TensorId};
use crate::shape::{Kind, ShapeTerm};
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{Binding, DimTerm, Var};
use lozenge_staged::{AssumedRule, Assumption, Given};
use std::collections::BTreeMap;

/// What closing assumed, in the program's terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// The tensor, if the variable is part of one's shape.
    pub tensor: Option<TensorId>,
    /// The kind of its row.
    pub kind: Option<Kind>,
    /// The axis, from the front of what is known of the row, if it is about one.
    pub position: Option<usize>,
    /// The label of a specification, if it is about one and no tensor's axis: its text, and the result of its operation.
    pub label: Option<(String, TensorId)>,
    /// The value, in the notation.
    pub value: String,
    /// The rule.
    pub rule: AssumedRule,
    /// All of it, in words.
    pub text: String,
}

impl Inference {
    /// What was committed beyond what follows, said of tensors.
    #[must_use]
    pub fn assumptions(&self) -> Vec<Assumed> {
        said(&self.generated, &self.partial(), &self.names, &self.made)
    }
}

/// Commitments, said of tensors of which so much is known.
pub(crate) fn said(generated: &Generated, partial: &[ShapeTerm], names: &Names, made: &[Assumption]) -> Vec<Assumed> {
    let places = Places::new(generated, partial);
    let said = |a: &Assumption| {
        let value = match &a.given {
            Given::Zero(_) => "0".to_owned(),
            Given::Is(Binding::Row(_, row)) if row.is_closed() && row.known_rank() == 0 => "no further axes".to_owned(),
            Given::Is(binding) => names.show(&binding.to()).to_string(),
        };
        assumed(generated, &places, (a.given.var(), a.within), value, a.rule)
    };
    made.iter().map(said).collect()
}

/// The rows of tensors where each variable is left, and the labels of specifications.
struct Places {
    rows: BTreeMap<Var, (TensorId, Kind, Option<usize>)>,
    labels: BTreeMap<Var, (String, TensorId)>,
}

impl Places {
    fn new(generated: &Generated, partial: &[ShapeTerm]) -> Self {
        let mut places = BTreeMap::new();
        // Leaves first: what is assumed is most often about them; then what has a name.
        let mut order: Vec<TensorId> = (0..generated.tensors.len()).collect();
        let rank = |id: &TensorId| {
            let tensor = &generated.tensors[*id];
            (!tensor.role.is_leaf(), tensor.name.is_none())
        };
        order.sort_by_key(rank);
        for id in order {
            for kind in Kind::ALL {
                let row = partial[id].get(kind);
                let axes = row.lead.iter().chain(&row.trail).enumerate();
                for (position, axis) in axes {
                    if let DimTerm::Var(v) = axis {
                        places.entry(Var::Dim(*v)).or_insert((id, kind, Some(position)));
                    }
                }
                if let Some(v) = row.var {
                    places.entry(Var::Row(v)).or_insert((id, kind, None));
                }
            }
        }
        let mut labels = BTreeMap::new();
        for op in &generated.operations {
            for (label, v) in op.template.labels() {
                labels.entry(Var::Dim(v)).or_insert_with(|| (label.to_owned(), op.result));
            }
        }
        Places { rows: places, labels }
    }
}

fn assumed(
    generated: &Generated,
    places: &Places,
    (var, within): (Var, Option<Var>),
    shown: String,
    rule: AssumedRule,
) -> Assumed {
    let place = places.rows.get(&var).or_else(|| places.rows.get(&within?)).copied();
    let label = places.labels.get(&var).or_else(|| places.labels.get(&within?)).filter(|_| place.is_none()).cloned();
    let of = |id: TensorId| match &generated.tensors[id].name {
        Some(name) => format!("`{name}`"),
        None => "an unnamed tensor".to_owned(),
    };
    let what = match place {
        None => match &label {
            Some((label, result)) => format!("the label {label} in the specification of {}", of(*result)),
            None => "a label of a specification".to_owned(),
        },
        Some((id, kind, Some(position))) => format!("{kind} axis {} of {}", position + 1, of(id)),
        Some((id, kind, None)) => format!("{kind} row of {}", of(id)),
    };
    let text = format!("{what}: {shown} ({rule}: {})", rule.words());
    let (tensor, kind) = (place.map(|p| p.0), place.map(|p| p.1));
    Assumed { tensor, kind, position: place.and_then(|p| p.2), label, value: shown, rule, text }
}
