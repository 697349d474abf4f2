//! What closing is asked and what it answers.
//!
//! Chapter: spec/6-closing.md.

use crate::constraint::Constraint;
use crate::policy::Limit;
use crate::row::Edge;
use crate::semantics::Ground;
use crate::solver::{Failure, Stop};
use crate::term::{Binding, Var, Vars};
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
    /// The variable and the value it was given.
    pub binding: Binding,
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
    /// Placements of markers that solving chose.
    pub placements: Vec<Binding>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// Why closing stops early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The solver stopped.
    Stop(Stop),
    /// A parameter has an unspecified dimension.
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

impl Closing {
    /// What an early end says, with what was committed before it.
    #[must_use]
    pub fn stopped(end: End, assumptions: Vec<Assumption>) -> Self {
        match end {
            End::Stop(Stop::Limit(limit)) => Closing::Limit(limit),
            End::Stop(Stop::Failed(failure)) if failure.tainted => Closing::Rejected(failure, assumptions),
            End::Stop(Stop::Failed(failure)) => Closing::Unsat(failure),
            End::Hole(hole) => Closing::Hole(hole),
        }
    }
}

impl Hole {
    /// A parameter's dimension that nothing determines, and the constraints of Φ that mention it.
    #[must_use]
    pub fn new(phi: &[Constraint], var: Var, position: Option<(Edge, usize)>) -> Self {
        let uses = phi.iter().enumerate().filter(|(_, c)| c.vars().contains(&var)).map(|(i, _)| i).collect();
        Hole { var, position, uses }
    }
}
