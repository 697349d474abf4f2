//! A program whose operations are all sums of products, as einsum strings.

use super::index::{At, cases};
use super::operation::{Letters, is_product};
use super::refusal::{Language, Refusal, Why};
use super::translate::{no_gradients, size_value};
use crate::output::Json;
use lozenge::program::Inference;
use lozenge::program::ast::{Accumulate, Array};
use lozenge::program::generate::{Literal, Logic, Operation, Primitive, Role};
use lozenge::projection::show::tensor_name;
use lozenge::projection::{Projected, Projections};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// One operation as an einsum.
#[derive(Serialize)]
pub struct Einsum {
    result: String,
    spec: String,
    operands: Vec<String>,
}

impl Einsum {
    /// `c = einsum("ij,jk->ik", a, b)`.
    pub fn text(&self) -> String {
        format!("{} = einsum(\"{}\", {})", self.result, self.spec, self.operands.join(", "))
    }
}

/// A literal that has a name, given or made up: its value as text and in JSON.
pub struct Given {
    name: String,
    text: String,
    value: Value,
}

impl Given {
    /// `t1 = [1, 2, 3]`.
    pub fn text(&self) -> String {
        format!("{} = {}", self.name, self.text)
    }
}

/// The literals that operations read by a name: nothing else says what they are.
pub fn literals(inferred: &Inference, nests: &[Projected]) -> Vec<Given> {
    let generated = &inferred.generated;
    let read: BTreeSet<usize> = nests.iter().flat_map(|nest| nest.tensors.iter().skip(1).copied()).collect();
    let given = |id: usize| {
        let tensor = &generated.tensors[id];
        let (text, value) = match tensor.value.as_ref().filter(|_| tensor.role == Role::Literal)? {
            Literal::Array(array) => (listed(array), nested(array)),
            // A number without a name is written where it is read.
            _ if tensor.name.is_none() => return None,
            Literal::Number(x) => (x.brief(), x.value().into()),
            Literal::Size(_, measure) => {
                let size = size_value(inferred, measure);
                (size.to_string(), size.into())
            }
            Literal::Range => return None,
        };
        Some(Given { name: tensor_name(generated, id), text, value })
    };
    read.into_iter().filter_map(given).collect()
}

/// The same by their names.
pub fn literals_json(literals: Vec<Given>) -> Json {
    Json(literals.into_iter().map(|given| (given.name, given.value)).collect::<Map<_, _>>().into())
}

fn listed(array: &Array) -> String {
    match array {
        Array::Number(x) => x.brief(),
        Array::List(list) => format!("[{}]", list.iter().map(listed).collect::<Vec<_>>().join(", ")),
    }
}

fn nested(array: &Array) -> Value {
    match array {
        Array::Number(x) => x.value().into(),
        Array::List(list) => list.iter().map(nested).collect(),
    }
}

/// Every operation.
pub fn all(inferred: &Inference, nests: &[Projected]) -> Result<Vec<Einsum>, Refusal> {
    no_gradients(inferred, Language::Einsum)?;
    let one = |nest: &Projected| {
        let op = &inferred.generated.operations[nest.operation];
        let refused = |why| Refusal { language: Language::Einsum, why, span: op.span };
        let spec = spec(op, &nest.record).map_err(refused)?;
        let mut names = nest.tensors.iter().map(|id| tensor_name(&inferred.generated, *id));
        let result = names.next().unwrap_or_default();
        Ok(Einsum { result, spec, operands: names.collect() })
    };
    nests.iter().map(one).collect()
}

/// What an operation does with its elements, as it is written.
fn primitive(op: &Operation) -> &'static str {
    match op.primitive {
        Primitive::Copy => op.accumulate.text(),
        Primitive::Unary(op) => op.text(),
        Primitive::Binary(_) if is_product(op.primitive) => op.accumulate.text(),
        Primitive::Binary(op) => op.text(),
        Primitive::Ternary(op) => op.text(),
    }
}

/// `ij,jk->ik`. An axis of size 1 at 0 has no letter: it is left out.
fn spec(op: &Operation, record: &Projections) -> Result<String, Why> {
    let joins = op.accumulate == Accumulate::Add || (op.accumulate == Accumulate::Replace && record.is_injective());
    if !is_product(op.primitive) || !joins {
        return Err(Why::Primitive(primitive(op)));
    }
    if !op.erase && op.accumulate != Accumulate::Replace {
        return Err(Why::Keeps);
    }
    let [case] = cases(record).try_into().map_err(|_| Why::Concatenated)?;
    let slots = record.slots().map(|slot| {
        let (mut axes, mut letters) = (record.map(slot).iter(), Vec::new());
        let at = |axis: &lozenge::projection::MapAxis| match case.at(&axis.label) {
            Some(At::Iter(j)) => Ok(Some(j)),
            Some(At::Fix(0)) if axis.size == 1 => Ok(None),
            Some(At::Fix(c)) => Err(Why::Index(c.to_string())),
            Some(At::External(name)) => Err(Why::Index(format!("!{name}"))),
            Some(At::Affine(..)) => Err(Why::Index(lozenge::projection::show::access(record, "", slot))),
            None => Err(Why::Concatenated),
        };
        axes.try_for_each(|axis| at(axis).map(|j| letters.extend(j)))?;
        Ok(letters)
    });
    let slots: Vec<Vec<usize>> = slots.collect::<Result<_, Why>>()?;
    let (result, operands) = slots.split_first().ok_or(Why::Concatenated)?;
    let used: BTreeSet<usize> = operands.iter().flatten().copied().collect();
    let name = |j: &usize| record.loops[*j].name.clone();
    if let Some(j) = result.iter().find(|j| !used.contains(j)) {
        return Err(Why::Stretched(name(j)));
    }
    if let Some(j) = result.iter().find(|j| result.iter().filter(|i| i == j).count() > 1) {
        return Err(Why::Index(format!("{0}, {0}", name(j))));
    }
    // The operands of a block are summed, not multiplied.
    if op.logic == Logic::Block {
        return Err(Why::Concatenated);
    }
    let letters = Letters::of(&used, record)?;
    let terms: Vec<String> = operands.iter().map(|axes| letters.text(axes)).collect();
    Ok(format!("{}->{}", terms.join(","), letters.text(result)))
}
