//! §6 Closing: from solved form to one ground solution, and the list of what was assumed on the way.
//!
//! Def. 6.1 with the order it leaves free fixed as in spec/decisions.md, 8. Before anything is committed
//! the caps are saturated, so that a value cannot depend on which variable came first.
//!
//! 1. Leaves that have a cap, known ones first, then open ones by what is written of them, take the join of
//!    their caps (CL-leaf); positions that no cap fills take
//!    1∅ (CL-hole), unless the leaf is a parameter: then that is an error.
//! 2. Deferred equations take their solution of least material (CL-word), or wait, by policy.
//! 3. Leaves without a cap take 1∅ or no axes (CL-bare), parameters again excepted.
//! 4. Everything else closes upward, to 1∅ or no axes (CL-up).
//!
//! After each of these the solver runs again; after the last only where an equation is deferred (Prop. 5.4).
//!
//! ```
//! use lozenge::closing::{Closing, Tags, close};
//! use lozenge::{names::Names, notation::parse_system, solver::Policy};
//! let mut names = Names::new();
//! let phi = parse_system("3 ⊑ a\nb ⊑ a", &mut names)?;
//! let tags = Tags::leaves(names.vars());
//! let Closing::Closed(closed) = close(&phi, &mut names, &tags, Policy::default()) else { panic!() };
//! assert_eq!(names.show(&closed.values).to_string(), "a ↦ 3, b ↦ 3");
//! assert_eq!(closed.assumptions.len(), 1);       // a = 3 was assumed, b = 3 follows
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```

mod leaves;
mod open;
pub(crate) mod saturate;
pub(crate) mod word;

use crate::certificate::Edge;
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::internal::broken;
use crate::names::Names;
use crate::semantics::Ground;
use crate::solver::bindings::Bindings;
use crate::solver::configuration::{Configuration, Stop};
use crate::solver::{Failure, Limit, Policy, WordPolicy};
use crate::term::{DimTerm, RowTerm, Term, Var, VarSet};
use leaves::{Leaves, hole};
use open::Open;
use saturate::Caps;
use std::collections::BTreeSet;
use std::fmt;

/// Provenance (Def. 6.1): which variables belong to leaves, and which of these to parameters. All
/// others are interior.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags {
    /// Variables of terminal tensors' shapes.
    pub leaves: BTreeSet<Var>,
    /// The leaves that are parameters.
    pub params: BTreeSet<Var>,
}

impl Tags {
    /// These leaves, no parameters.
    pub fn leaves(vars: impl IntoIterator<Item = Var>) -> Self {
        Tags { leaves: vars.into_iter().collect(), params: BTreeSet::new() }
    }
}

/// The rule by which closing committed a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CloseRule {
    /// A leaf takes the join of its caps.
    Leaf,
    /// A leaf's row takes the join of its caps, with 1∅ where no cap is known.
    Hole,
    /// A deferred equation takes its solution of least material.
    Word,
    /// A leaf without a cap takes the top.
    Bare,
    /// An interior variable takes the top.
    Up,
}

impl CloseRule {
    /// Every rule of closing.
    pub const ALL: [CloseRule; 5] = [CloseRule::Leaf, CloseRule::Hole, CloseRule::Word, CloseRule::Bare, CloseRule::Up];

    /// The name, as in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CloseRule::Leaf => "CL-leaf",
            CloseRule::Hole => "CL-hole",
            CloseRule::Word => "CL-word",
            CloseRule::Bare => "CL-bare",
            CloseRule::Up => "CL-up",
        }
    }

    /// Why that value, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            CloseRule::Leaf => "the lowest value above everything that must fit below it",
            CloseRule::Hole => {
                "the lowest value above everything that must fit below it, with 1∅ where nothing is known"
            }
            CloseRule::Word => "the equation's solution with the fewest axes",
            CloseRule::Bare => "nothing says more about this leaf, so it gets no size and no further axes",
            CloseRule::Up => "nothing says more, so it stays as general as it can",
        }
    }
}

impl fmt::Display for CloseRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value that was committed without being entailed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The variable.
    pub var: Var,
    /// The value it was given.
    pub value: Term,
    /// The rule.
    pub rule: CloseRule,
    /// For a variable that the solver made: the input's variable whose value it is part of.
    pub within: Option<Var>,
}

/// The end of closing that succeeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closed {
    /// γ_close on the input's variables.
    pub values: Ground,
    /// Every commitment beyond entailment, in order.
    pub assumptions: Vec<Assumption>,
    /// Placements of markers that solving chose: variable and value.
    pub placements: Vec<(Var, Term)>,
}

/// A parameter's dimension that nothing determines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hole {
    /// The parameter's variable.
    pub var: Var,
    /// The axis of its row, from 0 in the leading flank or from the back in the trailing one; none for a
    /// dimension variable.
    pub position: Option<(Edge, usize)>,
    /// The constraints of the input that mention it, none of which pins it.
    pub uses: Vec<usize>,
}

/// How closing ends.
#[derive(Clone, Debug)]
pub enum Closing {
    /// With a solution.
    Closed(Box<Closed>),
    /// A parameter has an unspecified dimension.
    Hole(Hole),
    /// There is no solution.
    Unsat(Box<Failure>),
    /// A commitment or placement led to failure: there may be a solution.
    Rejected(Box<Failure>, Vec<Assumption>),
    /// A limit was reached.
    Limit(Limit),
}

/// Closes Φ₀, committing leaves oldest first.
pub fn close(phi: &[Constraint], names: &mut Names, tags: &Tags, policy: Policy) -> Closing {
    close_in_order(phi, names, tags, policy, |_| ())
}

/// Closes Φ₀, committing leaves in the order that `order` puts them into. Under saturation the values do
/// not depend on it; this exists to show that.
pub fn close_in_order(
    phi: &[Constraint],
    names: &mut Names,
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> Closing {
    let mut configuration = Configuration::new(phi, names, policy, false);
    let vars = phi.iter().collect();
    let (end, assumptions) = close_in_place(&mut configuration, phi, &vars, tags, policy, order);
    match end {
        Err(End::Stop(Stop::Limit(limit))) => Closing::Limit(limit),
        Err(End::Stop(Stop::Failed(failure))) if failure.tainted => Closing::Rejected(failure, assumptions),
        Err(End::Stop(Stop::Failed(failure))) => Closing::Unsat(failure),
        Err(End::Hole(hole)) => Closing::Hole(hole),
        Ok(()) => {
            check(phi, &configuration.bindings);
            let (placements, values) = (configuration.placements(), ground(&vars, &configuration.bindings));
            Closing::Closed(Box::new(Closed { values, assumptions, placements }))
        }
    }
}

/// Closes a configuration whose constraints, solved and not, are Φ₀ with these variables: how that ends, and what
/// was committed.
pub(crate) fn close_in_place(
    configuration: &mut Configuration<'_>,
    phi: &[Constraint],
    vars: &VarSet,
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> (Result<(), End>, Vec<Assumption>) {
    let open = Open::inputs(vars, tags, configuration.variables());
    let mut run = Close { phi, policy, configuration, assumptions: Vec::new() };
    let end = run.close(open, order);
    (end, run.assumptions)
}

/// Prop. 6.2: γ_close ∈ Sol(Φ₀). It is looked at before any value is answered, whatever the build.
pub(crate) fn check(phi: &[Constraint], bindings: &Bindings) {
    if let Some(phi) = bindings.violated_at_top(phi) {
        broken("γ_close ∈ Sol(Φ₀) (Prop. 6.2)", format!("{phi:?} does not hold"));
    }
}

/// The values of the input's variables, all bound by now.
pub(crate) fn ground(vars: &VarSet, bindings: &Bindings) -> Ground {
    let (mut dims, mut rows) = (Vec::new(), Vec::new());
    for var in vars.iter() {
        match var {
            Var::Dim(v) => dims.push((v, bindings.dim_at_top(v.into()))),
            Var::Row(v) => rows.push((v, bindings.row_at_top(&v.into()))),
        }
    }
    Ground { dims: dims.into_iter().collect(), rows: rows.into_iter().collect() }
}

/// Why closing stops early.
pub(crate) enum End {
    Stop(Stop),
    Hole(Hole),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stop(stop)
    }
}

impl From<Limit> for End {
    fn from(limit: Limit) -> Self {
        End::Stop(limit.into())
    }
}

/// Closing under way.
struct Close<'a, 'c, 'n> {
    phi: &'a [Constraint],
    policy: Policy,
    configuration: &'c mut Configuration<'n>,
    assumptions: Vec<Assumption>,
}

/// A variable, the value it is to have, and the rule.
type Commitment = (Var, Term, CloseRule);

impl Close<'_, '_, '_> {
    fn close(&mut self, mut open: Open, order: impl Fn(&mut Vec<Var>)) -> Result<(), End> {
        self.configuration.run()?;
        loop {
            saturate::forward_dims(self.configuration)?;
            self.configuration.fuel.look(open.len() as u64)?;
            open = open.under(&self.configuration.bindings, self.configuration.variables());
            order(&mut open.leaves);
            if self.close_capped(&open)? || self.close_words(&open)? || self.close_bare(&open)? {
                continue;
            }
            return self.close_interior(&open);
        }
    }

    /// Commits values by policy, all of them, and solves again. Were it solved again after each, a value
    /// could depend on which variable came first (spec/findings/F4.md).
    fn commit(&mut self, open: &Open, commitments: Vec<Commitment>) -> Result<bool, End> {
        if commitments.is_empty() {
            return Ok(false);
        }
        self.assumptions.reserve(commitments.len());
        for (var, value, rule) in commitments {
            match (&value, var) {
                (Term::Dim(t), Var::Dim(v)) => self.configuration.extend(Constraint::DimEq(v.into(), *t), true),
                (Term::Row(t), Var::Row(v)) => self.configuration.extend(Constraint::RowEq(v.into(), t.clone()), true),
                _ => broken("a variable is given a value of its sort", format!("{var:?} := {value:?}")),
            }
            self.assume(open, (var, value, rule));
        }
        self.configuration.run()?;
        Ok(true)
    }

    fn assume(&mut self, open: &Open, (var, value, rule): Commitment) {
        let within = open.owner(var).filter(|owner| *owner != var);
        self.assumptions.push(Assumption { var, value, rule, within });
    }

    /// CL-leaf, CL-hole: leaves that have a cap, known ones first.
    fn close_capped(&mut self, open: &Open) -> Result<bool, End> {
        if open.leaves.is_empty() {
            return Ok(false);
        }
        let Configuration { bounds, bindings, fuel, .. } = &mut *self.configuration;
        let rows = open.leaves.iter().filter_map(|var| if let Var::Row(r) = var { Some(*r) } else { None });
        let caps = Caps::on(rows, bounds, bindings);
        let known = |a| Some(Dim::Atom(bounds.lower(a)?.atom));
        let leaves = Leaves { phi: self.phi, open };
        let mut commitments = leaves.capped(known, &caps.joins(known, false, fuel)?)?;
        if commitments.is_empty() {
            commitments = leaves.open_capped(&caps.joins(known, true, fuel)?)?;
        }
        self.commit(open, commitments)
    }

    /// CL-word: a deferred equation, at its solution of least material.
    fn close_words(&mut self, open: &Open) -> Result<bool, End> {
        if self.policy.words == WordPolicy::Upward {
            return Ok(false);
        }
        // The one that asks for the most axes first: what it gets is enough for shorter ones on the same row,
        // and the order in which they were written does not matter.
        let equations = self.configuration.deferred();
        let axes = equations.iter().map(|e| 1 + word::demand(e) as u64);
        self.configuration.fuel.look(axes.sum())?;
        let Some(equation) = equations.iter().rev().max_by_key(|e| word::demand(e)) else { return Ok(false) };
        let Some((var, value)) = word::least(equation) else { return Ok(false) };
        self.commit(open, vec![(Var::Row(var), Term::Row(value), CloseRule::Word)])
    }

    /// CL-bare: leaves without a cap, 1∅ and no axes; but a parameter's dimension must be known.
    fn close_bare(&mut self, open: &Open) -> Result<bool, End> {
        let unknown = open.leaves.iter().filter(|v| matches!(v, Var::Dim(_)) && open.is_param(**v));
        if let Some(var) = unknown.min() {
            return Err(End::Hole(hole(self.phi, open, *var, None)));
        }
        self.commit(open, open.leaves.iter().map(|v| (*v, top(*v), CloseRule::Bare)).collect())
    }

    /// CL-up: everything else. Without deferred equations all tops together are a solution (Prop. 5.4), and nothing
    /// is left to be solved.
    fn close_interior(&mut self, open: &Open) -> Result<(), End> {
        let vars = open.vars();
        self.assumptions.reserve(vars.len());
        let up = vars.into_iter().map(|v| (v, top(v), CloseRule::Up));
        if self.configuration.bounds.deferred().next().is_some() {
            self.commit(open, up.collect())?;
            return Ok(());
        }
        for commitment in up {
            self.configuration.settle(commitment.0, commitment.1.clone());
            self.assume(open, commitment);
        }
        Ok(())
    }
}

/// 1∅ or the empty row.
fn top(var: Var) -> Term {
    match var {
        Var::Dim(_) => Term::Dim(DimTerm::Dim(Dim::Unit)),
        Var::Row(_) => Term::Row(RowTerm::default()),
    }
}
