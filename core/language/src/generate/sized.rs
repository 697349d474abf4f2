//! Axes whose size is worked out, and statements about sizes: the claims of the staged layer (spec/8-staged.md).

use super::pattern::Template;
use super::walk::{Walk, Walked, wrong};
use super::{Measure, Specification};
use crate::ast::{Convolution, DimValue, Name};
use crate::einsum::{self, Axis, Spec};
use crate::error::ProgramProblem;
use crate::shape::Kind;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm};
use lozenge_notation::Span;
use lozenge_staged::{self, Affine, AxisLabels, Conv, Factor, Numerator, SizeClaim, SizeTerm, Total};
use std::collections::{BTreeMap, BTreeSet};

/// Where a claim comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimOrigin {
    /// The operation; none for a statement about sizes.
    pub operation: Option<usize>,
    /// The axis or the statement, as written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// The claim of a sized axis. Its factors that have names are looked up in `factors`.
fn claim(template: &Template, (axis, var): (&Axis, DimVar), factors: &BTreeMap<String, DimTerm>) -> Option<SizeClaim> {
    let label = |name: &String| template.label(name).map(DimTerm::Var);
    let factor = |factor: &Option<einsum::Factor>| match factor {
        None => Some(Factor::Known(1)),
        Some(einsum::Factor::Number(n)) => Some(Factor::Known(*n)),
        Some(einsum::Factor::Name(name)) => factors.get(name).map(|t| Factor::Late(*t)),
    };
    let term = match axis {
        Axis::Concat(labels) => SizeTerm::Concat(labels.iter().map(label).collect::<Option<_>>()?),
        Axis::Affine(affine) => {
            let conv = match &affine.kernel {
                None => None,
                Some(kernel) => Some(Conv {
                    dilation: factor(&kernel.dilation)?,
                    kernel: label(&kernel.label)?,
                    padded: kernel.mode? == Convolution::Padded,
                }),
            };
            let (stride, over) = (factor(&affine.stride)?, label(&affine.over)?);
            SizeTerm::Affine(Affine { stride, over, conv, offset: affine.offset.unwrap_or(0) })
        }
        _ => return None,
    };
    Some(SizeClaim::Size(var.into(), term))
}

/// The labels of a specification that are projected away (the four-quantifier test).
#[must_use]
pub fn discardable(spec: &Spec) -> BTreeSet<String> {
    // Only parts of concatenations are.
    if !spec.axes().any(|axis| matches!(axis, Axis::Concat(_))) {
        return BTreeSet::new();
    }
    let axis = |axis: &Axis| -> AxisLabels {
        let one = |label: &String| BTreeSet::from([label.clone()]);
        match axis {
            Axis::Label(label) => vec![one(label)],
            Axis::Concat(labels) => labels.iter().map(one).collect(),
            Axis::Affine(affine) => {
                let kernel = affine.kernel.iter().map(|k| k.label.clone());
                vec![[affine.over.clone()].into_iter().chain(kernel).collect()]
            }
            Axis::Fixed(_) | Axis::Anonymous => vec![BTreeSet::new()],
        }
    };
    let slot = |slot: &einsum::SpecSlot| -> Vec<AxisLabels> { slot.axes().map(axis).collect() };
    lozenge_staged::discardable(&spec.operands.iter().map(slot).collect(), &vec![slot(&spec.result)])
}

/// The names of strides and dilations.
pub(super) fn named_factors(spec: &Spec) -> BTreeSet<String> {
    let affine = spec.axes().filter_map(|axis| if let Axis::Affine(affine) = axis { Some(affine) } else { None });
    affine
        .flat_map(|affine| [affine.stride.clone(), affine.kernel.as_ref().and_then(|k| k.dilation.clone())])
        .filter_map(|factor| if let Some(einsum::Factor::Name(name)) = factor { Some(name) } else { None })
        .collect()
}

impl Walk<'_> {
    /// The strides and dilations that have names, which must be names of sizes.
    pub(super) fn factors(&mut self, of: &Specification) -> Walked<BTreeMap<String, DimTerm>> {
        of.factors.iter().map(|name| Ok((name.clone(), self.named_dim(name, of.quoted.span)?))).collect()
    }

    /// The claims of an operation's specification.
    pub(super) fn claims(
        &mut self,
        number: usize,
        of: &Specification,
        template: &Template,
        factors: &BTreeMap<String, DimTerm>,
    ) {
        let span = of.quoted.span;
        for (axis, var) in template.sized() {
            if let Some(claim) = claim(template, (axis, var), factors) {
                let text = axis.to_string();
                self.claim(claim, ClaimOrigin { operation: Some(number), text, span });
            }
        }
        self.out.discardable.extend(of.discardable.iter().filter_map(|label| template.label(label)));
    }

    pub(super) fn claim(&mut self, claim: SizeClaim, origin: ClaimOrigin) {
        self.out.claims.push(claim);
        self.out.claim_origins.push(origin);
    }

    /// `name = n`, `name = other`, `name = n * other`, where a product of sizes or a multiple is meant.
    pub(super) fn sizes(
        &mut self,
        name: &Name,
        left: &Measure,
        times: u64,
        right: Option<&Measure>,
        span: Span,
    ) -> Walked<()> {
        if times == 0 {
            return wrong(ProgramProblem::SizeZero, span);
        }
        let origin = |text: String| ClaimOrigin { operation: None, text, span };
        let text = name.text.clone();
        match (left, right) {
            (Measure::Row(row), None) => {
                self.claim(total(vec![row.clone()], Numerator::Count(times)), origin(text));
            }
            (Measure::Dim(_), None) => {}
            (left, Some(right)) => {
                let (left, right) = (self.count(left, span, &text), self.count(right, span, &text));
                let strided = Affine { stride: Factor::Known(times), over: right, conv: None, offset: 0 };
                self.claim(SizeClaim::Size(left, SizeTerm::Affine(strided)), origin(text));
            }
        }
        Ok(())
    }

    /// `elements x = n`, `elements x = h`, `elements x = n * h`: over all rows of a tensor, the output row last.
    pub(super) fn elements(&mut self, name: &Name, value: &DimValue, span: Span) -> Walked<()> {
        let tensor = self.lookup(&name.text, name.span)?;
        let text = format!("elements {}", name.text);
        let numerator = match value {
            DimValue::Size(0) | DimValue::Scaled(0, _) => return wrong(ProgramProblem::SizeZero, span),
            DimValue::Size(n) => Numerator::Count(*n),
            DimValue::Same(other) => self.multiple(1, other, span, &text)?,
            DimValue::Scaled(n, other) => self.multiple(*n, other, span, &text)?,
        };
        let shape = &self.out.tensors[tensor].shape;
        let rows = Kind::ALL.map(|kind| shape.get(kind).clone()).to_vec();
        self.claim(total(rows, numerator), ClaimOrigin { operation: None, text, span });
        Ok(())
    }

    /// So many times a size that has a name.
    fn multiple(&mut self, times: u64, name: &Name, span: Span, text: &str) -> Walked<Numerator> {
        let measure = self.size_named(name)?;
        let var = match self.count(&measure, span, text) {
            DimTerm::Var(var) => var,
            known => {
                let var = self.out.names.fresh_dim();
                self.equate(&name.text, var.into(), known, span);
                var
            }
        };
        Ok(Numerator::Scaled { coeff: Factor::Known(times), var, denom: 1 })
    }

    /// The size of a measure as a dimension: for a row, a new one that is its number of elements.
    fn count(&mut self, measure: &Measure, span: Span, text: &str) -> DimTerm {
        match measure {
            Measure::Dim(dim) => *dim,
            Measure::Row(row) => {
                let var = self.out.names.fresh_dim();
                let numerator = Numerator::Scaled { coeff: Factor::Known(1), var, denom: 1 };
                let origin = ClaimOrigin { operation: None, text: text.to_owned(), span };
                self.claim(total(vec![row.clone()], numerator), origin);
                var.into()
            }
        }
    }
}

/// Of several rows the last takes what the others do not.
fn total(rows: Vec<RowTerm>, numerator: Numerator) -> SizeClaim {
    let keep = if rows.len() > 1 { rows.len().checked_sub(1) } else { None };
    SizeClaim::Total(Total { rows, numerator, divided_by: BTreeSet::new(), keep })
}

/// The first convolution that does not say its mode.
pub(super) fn without_mode(spec: &Spec) -> Option<einsum::Affine> {
    spec.axes().find_map(|axis| match axis {
        Axis::Affine(affine) => affine.kernel.as_ref().filter(|k| k.mode.is_none()).map(|_| affine.clone()),
        _ => None,
    })
}

/// A label that stands twice in one concatenation has two places for one index.
pub(super) fn repeated(spec: &Spec) -> Option<(String, String)> {
    spec.axes().find_map(|axis| match axis {
        Axis::Concat(labels) => {
            let mut seen = BTreeSet::new();
            let twice = labels.iter().find(|label| !seen.insert(*label));
            twice.map(|label| (axis.to_string(), label.clone()))
        }
        _ => None,
    })
}
