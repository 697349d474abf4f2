//! Whole-program inference: solve as the program is built, close at the end.

use super::ast::Program;
use super::explain::{self, HoleError, IndexError, InferError};
use super::generate::{Generated, Measure, Role, TensorId, generate};
use super::shape::{ByKind, Kind, Shape, ShapeTerm, show, show_partial};
use super::staged;
use crate::closing::{Assumption, CloseRule, Closing, close};
use crate::constraint::Constraint;
use crate::names::Names;
use crate::semantics::Ground;
use crate::solver::bindings::Bindings;
use crate::solver::configuration::{Configuration, Stop};
use crate::solver::{Policy, Verdict, solve};
use crate::staged::StageRule;
use crate::term::{DimTerm, DimVar, RowTerm, Term, Var, Vars};
use std::collections::BTreeSet;
use std::fmt;

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
    /// The shape of each tensor.
    pub shapes: Vec<Shape>,
    /// What was known of each before closing.
    pub partial: Vec<ShapeTerm>,
    /// Sizes that have names.
    pub sizes: Vec<SolvedSize>,
    /// What closing assumed beyond what follows.
    pub assumptions: Vec<Assumed>,
    /// The values of all variables: a solution of every constraint.
    pub values: Ground,
    /// The variables that are 0: parts of concatenations that are projected away.
    pub zeros: BTreeSet<DimVar>,
    /// Names of variables and bases.
    pub names: Names,
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

/// What closing assumed, in the program's terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// The tensor, if the variable is part of one's shape.
    pub tensor: Option<TensorId>,
    /// The kind of its row.
    pub kind: Option<Kind>,
    /// The axis, from the front of what is known of the row, if it is about one.
    pub position: Option<usize>,
    /// The value, in the notation.
    pub value: String,
    /// The rule.
    pub rule: AssumedRule,
    /// All of it, in words.
    pub text: String,
}

/// The rule behind an assumption.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AssumedRule {
    /// Of closing.
    Close(CloseRule),
    /// Of the stages.
    Stage(StageRule),
}

impl AssumedRule {
    /// The name, as in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AssumedRule::Close(rule) => rule.name(),
            AssumedRule::Stage(rule) => rule.name(),
        }
    }

    /// Why that value, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            AssumedRule::Close(rule) => rule.words(),
            AssumedRule::Stage(rule) => rule.words(),
        }
    }
}

impl fmt::Display for AssumedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
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
        self.shapes.get(self.generated.tensor(name)?)
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
        bindings.filter_map(|(name, id)| Some((name.as_str(), self.shapes.get(*id)?))).collect()
    }

    /// The number of elements of a dimension: 0 for a part of a concatenation that is projected away.
    #[must_use]
    pub fn size_of(&self, term: DimTerm) -> u64 {
        match term {
            DimTerm::Var(v) if self.zeros.contains(&v) => 0,
            term => self.values.dim(term).elements(),
        }
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
    let generated = generate(program)?;
    if !generated.claims.is_empty() {
        return staged::partial(generated, policy);
    }
    let mut names = generated.names.clone();
    let mut configuration = online(&generated, &mut names, policy)?;
    let shapes = known(&generated, &mut configuration);
    Ok(Partial { generated, shapes, names })
}

/// The shapes of a program, with the choices of a policy.
///
/// # Errors
/// As [`infer`].
pub fn infer_with(program: &Program, policy: Policy) -> Result<Inference, InferError> {
    let generated = generate(program)?;
    if !generated.claims.is_empty() {
        return staged::infer(generated, policy);
    }
    let mut solving = generated.names.clone();
    let mut configuration = online(&generated, &mut solving, policy)?;
    let partial = known(&generated, &mut configuration);
    let mut names = generated.names.clone();
    let closed = match close(&generated.constraints, &mut names, &generated.tags, policy) {
        Closing::Closed(closed) => *closed,
        Closing::Hole(hole) => return Err(explain::hole(&generated, &partial, &hole)),
        Closing::Limit(limit) => return Err(InferError::Limit(limit)),
        Closing::Unsat(failure) => return Err(explain::at_closing(&generated, &failure, &[], policy)),
        Closing::Rejected(failure, assumptions) => {
            return Err(explain::at_closing(&generated, &failure, &assumptions, policy));
        }
    };
    unused_parameters(&generated)?;
    let shapes = shapes(&generated, &closed.values);
    fixed_indices(&generated, &closed.values, &shapes, &names)?;
    let sizes = sizes(&generated, &closed.values, &names);
    let assumptions = assumptions(&generated, &closed.assumptions, policy, &names);
    let (values, zeros) = (closed.values, BTreeSet::new());
    Ok(Inference { shapes, partial, sizes, assumptions, values, zeros, names, generated })
}

/// Solves operation after operation, in the program's order.
fn online<'n>(generated: &Generated, names: &'n mut Names, policy: Policy) -> Result<Configuration<'n>, InferError> {
    let mut configuration = Configuration::new(&[], names, policy, false);
    let (phi, origins) = (&generated.constraints, &generated.origins);
    for (i, constraint) in phi.iter().enumerate() {
        configuration.extend(constraint.clone(), false);
        let last = i + 1 == phi.len() || origins[i].operation != origins[i + 1].operation;
        if !last {
            continue;
        }
        match configuration.run() {
            Ok(()) => {}
            Err(Stop::Limit(limit)) => return Err(InferError::Limit(limit)),
            Err(Stop::Failed(failure)) => return Err(explain::clash(generated, i + 1, &failure, policy)),
        }
    }
    Ok(configuration)
}

/// What is known of each tensor's shape.
pub(super) fn known(generated: &Generated, configuration: &mut Configuration<'_>) -> Vec<ShapeTerm> {
    let bindings = &mut configuration.bindings;
    generated.tensors.iter().map(|t| ByKind::of(|kind| value(bindings, t.shape.get(kind)))).collect()
}

/// A row under the bindings.
pub(super) fn value(bindings: &mut Bindings, row: &RowTerm) -> RowTerm {
    match bindings.instantiate(Constraint::RowEq(row.clone(), RowTerm::default())).phi {
        Constraint::RowEq(row, _) => row,
        _ => row.clone(),
    }
}

pub(super) fn shapes(generated: &Generated, values: &Ground) -> Vec<Shape> {
    generated.tensors.iter().map(|t| ByKind::of(|kind| values.row(t.shape.get(kind)))).collect()
}

/// Closing sees only what is in a constraint; a parameter that nothing uses must be known all the same.
pub(super) fn unused_parameters(generated: &Generated) -> Result<(), InferError> {
    let used = generated.constraints.vars();
    for (tensor, it) in generated.tensors.iter().enumerate().filter(|(_, t)| t.role == Role::Param) {
        for kind in Kind::ALL {
            let free = |v: &Var| matches!(v, Var::Dim(_)) && !used.contains(v);
            if it.shape.get(kind).vars().iter().any(free) {
                return Err(InferError::Hole(Box::new(HoleError::unused(generated, tensor, kind))));
            }
        }
    }
    Ok(())
}

/// An index must be less than the size of its axis.
pub(super) fn fixed_indices(
    generated: &Generated,
    values: &Ground,
    shapes: &[Shape],
    names: &Names,
) -> Result<(), InferError> {
    for fixed in &generated.fixed {
        let dim = values.dim(fixed.axis);
        if fixed.index >= dim.elements() {
            return Err(InferError::Index(Box::new(IndexError::new(generated, fixed, dim, shapes, names))));
        }
    }
    Ok(())
}

pub(super) fn sizes(generated: &Generated, values: &Ground, names: &Names) -> Vec<SolvedSize> {
    let solved = generated.captures.iter().map(|capture| {
        let (size, text) = match &capture.of {
            Measure::Dim(dim) => {
                let dim = values.dim(*dim);
                (dim.elements(), names.show(&dim).to_string())
            }
            Measure::Row(row) => {
                let row = values.row(row);
                let product = row.flat().fold(1_u64, |product, dim| product.saturating_mul(dim.elements()));
                (product, names.show(&row).to_string())
            }
        };
        SolvedSize { name: capture.name.clone(), size, text }
    });
    solved.collect()
}

/// Closing's assumptions, said of tensors.
fn assumptions(generated: &Generated, made: &[Assumption], policy: Policy, names: &Names) -> Vec<Assumed> {
    if made.is_empty() {
        return Vec::new();
    }
    // Closing begins with this very run, so that the variables it made are the same.
    let mut again = generated.names.clone();
    let Verdict::Solved(solved) = solve(&generated.constraints, &mut again, policy) else { return Vec::new() };
    let sigma = solved.sigma();
    let places = Places::new(generated, |row| sigma.apply_row(row));
    let shown = |value: &Term| match value {
        Term::Row(row) if row.is_closed() && row.known_rank() == 0 => "no further axes".to_owned(),
        value => names.show(value).to_string(),
    };
    let one =
        |a: &Assumption| assumed(generated, &places, (a.var, a.within), shown(&a.value), AssumedRule::Close(a.rule));
    made.iter().map(one).collect()
}

/// The rows of tensors where each variable is left.
pub(super) struct Places(std::collections::BTreeMap<Var, (TensorId, Kind, Option<usize>)>);

impl Places {
    pub(super) fn new(generated: &Generated, value: impl Fn(&RowTerm) -> RowTerm) -> Self {
        let mut places = std::collections::BTreeMap::new();
        // Leaves first: what is assumed is most often about them; then what has a name.
        let mut order: Vec<TensorId> = (0..generated.tensors.len()).collect();
        let rank = |id: &TensorId| {
            let tensor = &generated.tensors[*id];
            (!tensor.role.is_leaf(), tensor.name.is_none())
        };
        order.sort_by_key(rank);
        for id in order {
            for kind in Kind::ALL {
                let row = value(generated.tensors[id].shape.get(kind));
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
        Places(places)
    }
}

pub(super) fn assumed(
    generated: &Generated,
    places: &Places,
    (var, within): (Var, Option<Var>),
    shown: String,
    rule: AssumedRule,
) -> Assumed {
    let place = places.0.get(&var).or_else(|| places.0.get(&within?)).copied();
    let of = |id: TensorId| match &generated.tensors[id].name {
        Some(name) => format!("`{name}`"),
        None => "an unnamed tensor".to_owned(),
    };
    let what = match place {
        None => "a label of a specification".to_owned(),
        Some((id, kind, Some(position))) => format!("{kind} axis {} of {}", position + 1, of(id)),
        Some((id, kind, None)) => format!("{kind} row of {}", of(id)),
    };
    let text = format!("{what}: {shown} ({rule}: {})", rule.words());
    let (tensor, kind) = (place.map(|p| p.0), place.map(|p| p.1));
    Assumed { tensor, kind, position: place.and_then(|p| p.2), value: shown, rule, text }
}
