//! Whole-program inference: solve as the program is built, close at the end.

mod assumed;
mod online;
mod solve;

use super::ast::Program;
use super::explain::InferError;
use super::generate::{Generated, Measure, Tensor, generate};
use super::known::Known;
use super::shape::{ByKind, Kind, Shape, ShapeTerm, show, show_partial};
use lozenge_calculus::names::Names;
use lozenge_calculus::row::Row;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm};
use lozenge_engine::solver::bindings::{Bindings, Tops};
use lozenge_engine::solver::{Limit, Limits, Policy, ground};
use lozenge_staged::{Assumption, SearchBounds};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

pub use assumed::Assumed;
pub(super) use assumed::said;
pub use lozenge_staged::AssumedRule;
pub(super) use solve::{all_claims, fits_with, solution, system};
use solve::{solution_if_any, solution_or};

/// What is known of a program's shapes before closing.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The program's tensors, operations and constraints.
    pub generated: Generated,
    /// The shape of each tensor, with what is unknown as variables.
    pub shapes: Vec<ShapeTerm>,
    /// Names of variables and bases.
    pub names: Names,
}

/// The shapes of a program.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The program's tensors, operations and constraints.
    pub generated: Generated,
    /// The shape of each tensor; equal ones are shared.
    pub shapes: Vec<Arc<Shape>>,
    /// Sizes that have names.
    pub sizes: Vec<SolvedSize>,
    /// The variables that are 0: parts of concatenations that are projected away.
    pub zeros: BTreeSet<DimVar>,
    /// Names of variables and bases.
    pub names: Names,
    /// The value of every variable, as it was found, marked where closing begins.
    pub(super) bindings: Bindings,
    /// What was committed, in its own terms.
    pub(super) made: Vec<Assumption>,
    /// The choices of its solver, for what is solved again of it.
    pub(crate) policy: Policy,
}

/// A size that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedSize {
    /// The name.
    pub name: String,
    /// The size of an axis, or the product of the sizes of a row.
    pub size: u64,
    /// The axis or row, as text.
    pub text: String,
}

impl Partial {
    /// The shape of the tensor of this name, `?` and `...` where it is not known.
    #[must_use]
    pub fn show(&self, name: &str) -> Option<String> {
        let tensor = self.generated.tensor(name)?;
        self.shapes.get(tensor).map(|shape| show_partial(shape, &self.names))
    }
}

impl Inference {
    /// The shape of the tensor of this name.
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&Shape> {
        self.shapes.get(self.generated.tensor(name)?).map(Arc::as_ref)
    }

    /// That shape as text.
    #[must_use]
    pub fn show(&self, name: &str) -> Option<String> {
        self.shape(name).map(|shape| show(shape, &self.names))
    }

    /// Every name with its shape, in order of definition.
    #[must_use]
    pub fn named(&self) -> Vec<(&str, &Shape)> {
        let bindings = self.generated.bindings.iter();
        bindings.filter_map(|(name, id)| Some((&**name, &**self.shapes.get(*id)?))).collect()
    }

    /// What was known of each tensor's shape before closing.
    #[must_use]
    pub fn partial(&self) -> Vec<ShapeTerm> {
        known(&self.generated, &self.bindings)
    }

    /// The number of elements of a dimension: 0 for a part of a concatenation that is projected away.
    #[must_use]
    pub fn size_of(&self, term: DimTerm) -> u64 {
        match term {
            DimTerm::Var(v) if self.zeros.contains(&v) => 0,
            term => self.bindings.dim_at_top(term).elements(),
        }
    }

    /// The value of a row.
    #[must_use]
    pub fn row(&self, term: &RowTerm) -> Row {
        self.bindings.row_at_top(term)
    }

    /// The values of the variables of Φ: a solution of every constraint.
    #[must_use]
    pub fn values(&self) -> Ground {
        ground(&self.generated.constraints.iter().collect(), &self.bindings)
    }

    /// The size of this name.
    #[must_use]
    pub fn size(&self, name: &str) -> Option<u64> {
        self.sizes.iter().find(|s| s.name == name).map(|s| s.size)
    }
}

/// The shapes of a program.
///
/// # Errors
/// An [`InferError`] that explains itself: see [`InferError::render`].
pub fn infer(program: &Program) -> Result<Inference, InferError> {
    infer_with(program, Policy::default())
}

/// What is known of a program's shapes before closing.
///
/// # Errors
/// As [`infer`].
pub fn partial(program: &Program, policy: Policy) -> Result<Partial, InferError> {
    solve::partial(generate(program)?, policy)
}

/// The shapes of a program, with the choices of a policy.
///
/// # Errors
/// As [`infer`].
pub fn infer_with(program: &Program, policy: Policy) -> Result<Inference, InferError> {
    infer_or(program, policy, SearchBounds::default())
}

/// The same for a program of which only the place of an error is asked: what else would fit is looked for a little way.
pub(crate) fn infer_briefly(program: &Program, policy: Policy) -> Result<Inference, InferError> {
    let usual = SearchBounds::default();
    infer_or(program, policy, SearchBounds { fuel: usual.fuel / 100, ..usual })
}

/// The same, where other choices are looked for so far if there is no solution.
fn infer_or(program: &Program, policy: Policy, bounds: SearchBounds) -> Result<Inference, InferError> {
    let generated = generate(program)?;
    let mut names = generated.names.clone();
    let found = solution_or(&generated, &mut names, policy, None, bounds)?;
    Ok(found.inference(generated, names))
}

/// The shapes of a program whose statements are taken up in reverse order. Its operations and tensors have the numbers
/// that they had. The limits are the usual ones: what is told of a program does not depend on those of the question.
pub(crate) fn reversed(inferred: &Inference) -> Option<Inference> {
    let mut generated = inferred.generated.clone();
    let all: Vec<Range<usize>> = generated.by_operation(generated.constraints.len()).collect();
    let (mut constraints, mut origins) = (Vec::new(), Vec::new());
    for range in all.into_iter().rev() {
        if let Some(operation) = generated.origins[range.start].operation {
            generated.operations[operation].constraints = constraints.len()..constraints.len() + range.len();
        }
        constraints.extend_from_slice(&generated.constraints[range.clone()]);
        origins.extend_from_slice(&generated.origins[range]);
    }
    (generated.constraints, generated.origins) = (constraints, origins);
    generated.alike.clear();
    let mut names = generated.names.clone();
    let policy = Policy { limits: Limits::default(), ..inferred.policy };
    let found = solution_if_any(&generated, &mut names, policy)?;
    Some(found.inference(generated, names))
}

/// What inference finds: an [`Inference`] without the program.
pub(crate) struct Found {
    pub shapes: Vec<Arc<Shape>>,
    pub sizes: Vec<SolvedSize>,
    pub zeros: BTreeSet<DimVar>,
    pub bindings: Bindings,
    pub made: Vec<Assumption>,
    pub policy: Policy,
}

impl Found {
    pub(super) fn inference(self, generated: Generated, names: Names) -> Inference {
        let Found { shapes, sizes, zeros, bindings, made, policy } = self;
        Inference { generated, shapes, sizes, zeros, names, bindings, made, policy }
    }
}

/// What is known of each tensor's shape, or was known of it at the mark.
pub(super) fn known(generated: &Generated, bindings: &Bindings) -> Vec<ShapeTerm> {
    generated.tensors.iter().map(|t| ByKind::of(|kind| bindings.row_at_mark(t.shape.get(kind)))).collect()
}

/// The shape of each tensor. Most are the shape of another one, and are not made again.
pub(super) fn shapes(generated: &Generated, bindings: &Bindings, tops: &Tops) -> Vec<Arc<Shape>> {
    let mut all: Vec<Arc<Shape>> = Vec::with_capacity(generated.tensors.len());
    let mut known = Known::default();
    for Tensor { shape: term, .. } in &generated.tensors {
        let is =
            |shape: &Shape| Kind::ALL.iter().all(|kind| bindings.is_row_by(tops, term.get(*kind), shape.get(*kind)));
        let made = || Arc::new(ByKind::of(|kind| bindings.row_by(tops, term.get(kind))));
        let shape = known.find(|earlier| is(&all[earlier]), made);
        all.push(shape.map_or_else(|new| new, |earlier| Arc::clone(&all[earlier])));
    }
    all
}

/// The sizes that have names. A product that does not fit is a limit, not another number.
pub(super) fn sizes(generated: &Generated, bindings: &Bindings, names: &Names) -> Result<Vec<SolvedSize>, InferError> {
    let solved = generated.captures.iter().map(|capture| {
        let (size, text) = match &capture.of {
            Measure::Dim(dim) => {
                let dim = bindings.dim_at_top(*dim);
                (dim.elements(), names.show(&dim).to_string())
            }
            Measure::Row(row) => {
                let row = bindings.row_at_top(row);
                let product = row.flat().try_fold(1_u64, |product, dim| product.checked_mul(dim.elements()));
                (product.ok_or(InferError::Limit(Limit::Size))?, names.show(&row).to_string())
            }
        };
        Ok(SolvedSize { name: capture.name.clone(), size, text })
    });
    solved.collect()
}
