//! A program whose operations are all sums of products, as einsum strings.

use super::index::{At, cases};
use super::operation::{Letters, is_product};
use super::refusal::{Language, Refusal, Why};
use lozenge::program::Inference;
use lozenge::program::ast::Accumulate;
use lozenge::program::generate::{Operation, Primitive};
use lozenge::projection::show::tensor_name;
use lozenge::projection::{Projected, Projections};
use serde::Serialize;
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

/// Every operation.
pub fn all(inferred: &Inference, nests: &[Projected]) -> Result<Vec<Einsum>, Refusal> {
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
    let letters = Letters::of(&used, record)?;
    let terms: Vec<String> = operands.iter().map(|axes| letters.text(axes)).collect();
    Ok(format!("{}->{}", terms.join(","), letters.text(result)))
}
