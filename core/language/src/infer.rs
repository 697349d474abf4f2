//! Whole-program inference: solve as the program is built, close at the end.

use super::ast::Program;
use super::explain::{self, HoleError, IndexError, InferError};
use super::generate::{Generated, Measure, Role, TensorId, generate};
use super::shape::{ByKind, Kind, Shape, ShapeTerm, show, show_partial};
use super::staged;
use super::told::Log;
use lozenge_calculus::names::Names;
use lozenge_calculus::row::Row;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, Var};
use lozenge_engine::VarSet;
use lozenge_engine::closing::{Assumption, CloseRule, End, check, close_in_place};
use lozenge_engine::solver::bindings::Bindings;
use lozenge_engine::solver::configuration::Configuration;
use lozenge_engine::solver::{Limit, Limits, Policy};
use lozenge_engine::solver::{Stop, ground};
use lozenge_staged::{Assumption as StageAssumption, Given, StageRule};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Sizes that have names.
    pub sizes: Vec<SolvedSize>,
    /// The variables that are 0: parts of concatenations that are projected away.
    pub zeros: BTreeSet<DimVar>,
    /// Names of variables and bases.
    pub names: Names,
    /// The value of every variable, as it was found, marked where closing begins.
    pub(super) bindings: Bindings,
    /// What was committed, in its own terms.
    pub(super) made: Commitments,
    /// The limits of its solver, for what is solved again of it.
    pub(crate) limits: Limits,
}

/// What closing or the stages committed.
#[derive(Clone, Debug)]
pub(super) enum Commitments {
    /// Closing.
    Close(Vec<Assumption>),
    /// The stages.
    Stages(Vec<StageAssumption>),
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

    /// What was known of each tensor's shape before closing.
    #[must_use]
    pub fn partial(&self) -> Vec<ShapeTerm> {
        known(&self.generated, &self.bindings)
    }

    /// What closing assumed beyond what follows, said of tensors.
    #[must_use]
    pub fn assumptions(&self) -> Vec<Assumed> {
        let Inference { generated, names, .. } = self;
        let places = Places::new(generated, &self.partial());
        let shown = |value: &Binding| match value {
            Binding::Row(_, row) if row.is_closed() && row.known_rank() == 0 => "no further axes".to_owned(),
            value => names.show(&value.to()).to_string(),
        };
        let closing = |a: &Assumption| {
            assumed(generated, &places, (a.binding.var(), a.within), shown(&a.binding), AssumedRule::Close(a.rule))
        };
        let stages = |a: &StageAssumption| {
            let value = match &a.given {
                Given::Zero(_) => "0".to_owned(),
                Given::Is(binding) => shown(binding),
            };
            assumed(generated, &places, (a.given.var(), a.within), value, AssumedRule::Stage(a.rule))
        };
        match &self.made {
            Commitments::Close(made) => made.iter().map(closing).collect(),
            Commitments::Stages(made) => made.iter().map(stages).collect(),
        }
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
    let generated = generate(program)?;
    if !generated.claims.is_empty() {
        return staged::partial(generated, policy);
    }
    let mut names = generated.names.clone();
    let mut configuration = Configuration::new(&[], &mut names, policy, false);
    online(&generated, &mut configuration, policy, None)?;
    let shapes = known(&generated, &configuration.bindings);
    Ok(Partial { generated, shapes, names })
}

/// The shapes of a program, with the choices of a policy.
///
/// # Errors
/// As [`infer`].
pub fn infer_with(program: &Program, policy: Policy) -> Result<Inference, InferError> {
    let generated = generate(program)?;
    let mut names = generated.names.clone();
    let found = solution(&generated, &mut names, policy, None)?;
    Ok(found.inference(generated, names))
}

/// What inference finds: an [`Inference`] without the program.
pub(super) struct Found {
    pub shapes: Vec<Shape>,
    pub sizes: Vec<SolvedSize>,
    pub zeros: BTreeSet<DimVar>,
    pub bindings: Bindings,
    pub made: Commitments,
    pub limits: Limits,
}

impl Found {
    pub(super) fn inference(self, generated: Generated, names: Names) -> Inference {
        let Found { shapes, sizes, zeros, bindings, made, limits } = self;
        Inference { generated, shapes, sizes, zeros, names, bindings, made, limits }
    }
}

/// Inference itself, the same for every caller; with a log its steps are kept.
pub(super) fn solution(
    generated: &Generated,
    names: &mut Names,
    policy: Policy,
    mut log: Option<&mut Log>,
) -> Result<Found, InferError> {
    if !generated.claims.is_empty() {
        return staged::solution(generated, names, policy, log);
    }
    let mut configuration = Configuration::new(&[], names, Log::limited(&log, policy), log.is_some());
    let ended = closed(generated, &mut configuration, policy, log.as_deref_mut());
    if let Some(log) = log {
        log.trace = configuration.trace.take().unwrap_or_default();
    }
    let (made, Configuration { bindings, .. }) = (ended?, configuration);
    let vars = generated.constraints.iter().collect();
    check(&generated.constraints, &bindings);
    unused_parameters(generated, &vars)?;
    let shapes = shapes(generated, &bindings);
    fixed_indices(generated, &bindings, &shapes, names)?;
    let sizes = sizes(generated, &bindings, names)?;
    let (made, limits) = (Commitments::Close(made), policy.limits);
    Ok(Found { shapes, sizes, bindings, zeros: BTreeSet::new(), made, limits })
}

/// Solves operation by operation and closes: what closing committed.
fn closed<'n>(
    generated: &'n Generated,
    configuration: &mut Configuration<'n>,
    policy: Policy,
    mut log: Option<&mut Log>,
) -> Result<Vec<Assumption>, InferError> {
    online(generated, configuration, policy, log.as_deref_mut())?;
    configuration.set_mark();
    Log::solved(&mut log, configuration);
    let phi = &generated.constraints;
    let (end, made) = close_in_place(configuration, phi, &phi.iter().collect(), &generated.tags, policy, |_| ());
    if let Some(log) = &mut log {
        log.made = Commitments::Close(made.clone());
    }
    if let Err(End::Stop(stop)) = &end {
        Log::failed(&mut log, stop);
    }
    match end {
        Ok(()) => Ok(made),
        Err(End::Hole(hole)) => Err(explain::hole(generated, &known(generated, &configuration.bindings), &hole)),
        Err(End::Stop(Stop::Limit(limit))) => Err(InferError::Limit(limit)),
        Err(End::Stop(Stop::Failed(failure))) => {
            let made = if failure.tainted { made } else { Vec::new() };
            Err(explain::at_closing(generated, &failure, &made, policy))
        }
    }
}

/// Solves operation after operation, in the program's order.
fn online<'n>(
    generated: &'n Generated,
    configuration: &mut Configuration<'n>,
    policy: Policy,
    mut log: Option<&mut Log>,
) -> Result<(), InferError> {
    let phi = &generated.constraints;
    for range in generated.by_operation(phi.len()) {
        let upto = range.end;
        if let Some(log) = &mut log {
            log.number(range.clone(), configuration);
        }
        configuration.feed(&phi[range]);
        let ended = configuration.run().inspect_err(|stop| Log::failed(&mut log, stop));
        match ended {
            Ok(()) => {}
            Err(Stop::Limit(limit)) => return Err(InferError::Limit(limit)),
            Err(Stop::Failed(failure)) => return Err(explain::clash(generated, upto, &failure, policy)),
        }
    }
    Ok(())
}

/// What is known of each tensor's shape, or was known of it at the mark.
pub(super) fn known(generated: &Generated, bindings: &Bindings) -> Vec<ShapeTerm> {
    generated.tensors.iter().map(|t| ByKind::of(|kind| bindings.row_at_mark(t.shape.get(kind)))).collect()
}

pub(super) fn shapes(generated: &Generated, bindings: &Bindings) -> Vec<Shape> {
    generated.tensors.iter().map(|t| ByKind::of(|kind| bindings.row_at_top(t.shape.get(kind)))).collect()
}

/// Closing sees only what is in a constraint; a parameter that nothing uses must be known all the same.
pub(super) fn unused_parameters(generated: &Generated, used: &VarSet) -> Result<(), InferError> {
    for (tensor, it) in generated.tensors.iter().enumerate().filter(|(_, t)| t.role == Role::Param) {
        for kind in Kind::ALL {
            let mut free = false;
            it.shape.get(kind).each_var(|v| free |= matches!(v, Var::Dim(_)) && !used.contains(v));
            if free {
                return Err(InferError::Hole(Box::new(HoleError::unused(generated, tensor, kind))));
            }
        }
    }
    Ok(())
}

/// An index must be less than the size of its axis.
pub(super) fn fixed_indices(
    generated: &Generated,
    bindings: &Bindings,
    shapes: &[Shape],
    names: &Names,
) -> Result<(), InferError> {
    for fixed in &generated.fixed {
        let dim = bindings.dim_at_top(fixed.axis);
        if fixed.index >= dim.elements() {
            return Err(InferError::Index(Box::new(IndexError::new(generated, fixed, dim, shapes, names))));
        }
    }
    Ok(())
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

/// The rows of tensors where each variable is left.
struct Places(BTreeMap<Var, (TensorId, Kind, Option<usize>)>);

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
        Places(places)
    }
}

fn assumed(
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
