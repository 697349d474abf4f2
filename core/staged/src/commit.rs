//! Commitments: what is decided beyond what follows, and the list of them.

use super::outcome::Stopped;
use super::rule::StageRule;
use super::run::StagedRun;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use lozenge_engine::closing::{self, CloseRule};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a variable was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// A dimension or a row.
    Is(Binding),
    /// 0: the component is discarded.
    Zero(DimVar),
}

impl Given {
    /// The variable.
    #[must_use]
    pub fn var(&self) -> Var {
        match self {
            Given::Is(binding) => binding.var(),
            Given::Zero(v) => Var::Dim(*v),
        }
    }

    /// This dimension.
    pub(super) fn dim(v: DimVar, d: impl Into<DimTerm>) -> Self {
        Given::Is(Binding::Dim(v, d.into()))
    }

    /// This row.
    pub(super) fn row(v: RowVar, row: RowTerm) -> Self {
        Given::Is(Binding::Row(v, row))
    }

    /// 1∅.
    pub(super) fn one(v: DimVar) -> Self {
        Given::dim(v, Dim::Unit)
    }

    /// A row without axes.
    pub(super) fn no_axes(v: RowVar) -> Self {
        Given::row(v, RowTerm::default())
    }
}

/// The rule behind an assumption: one of Def. 6.1, or one for what waits for a claim.
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

impl From<CloseRule> for AssumedRule {
    fn from(rule: CloseRule) -> Self {
        AssumedRule::Close(rule)
    }
}

impl From<StageRule> for AssumedRule {
    fn from(rule: StageRule) -> Self {
        AssumedRule::Stage(rule)
    }
}

/// A value that was committed without being entailed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The variable and its value.
    pub given: Given,
    /// The rule.
    pub rule: AssumedRule,
    /// For a variable that the solver made: the input's variable whose value it is part of.
    pub within: Option<Var>,
}

impl From<closing::Assumption> for Assumption {
    fn from(closing::Assumption { binding, rule, within }: closing::Assumption) -> Self {
        Assumption { given: Given::Is(binding), rule: rule.into(), within }
    }
}

/// What is open before a commitment.
#[derive(Debug, Default)]
pub(super) struct Unsolved {
    /// For each unsolved variable, the oldest variable of the input whose value it is part of.
    pub owner: BTreeMap<Var, Var>,
    /// Those of leaves.
    pub leaves: BTreeSet<Var>,
    /// Those of parameters.
    pub params: BTreeSet<Var>,
}

/// The dimension variables among these.
pub(super) fn dims<'v>(vars: impl IntoIterator<Item = &'v Var>) -> Vec<DimVar> {
    vars.into_iter().filter_map(|v| if let Var::Dim(d) = v { Some(*d) } else { None }).collect()
}

/// The row variables among these.
pub(super) fn rows<'v>(vars: impl IntoIterator<Item = &'v Var>) -> Vec<RowVar> {
    vars.into_iter().filter_map(|v| if let Var::Row(r) = v { Some(*r) } else { None }).collect()
}

/// A value, and the rule that gives it.
pub(super) type Commitment = (Given, AssumedRule);

impl StagedRun<'_> {
    pub(super) fn unsolved(&mut self) -> Result<Unsolved, Stopped> {
        let mut open = Unsolved::default();
        for var in self.input.iter() {
            self.configuration.fuel.look(1)?;
            for part in self.configuration.bindings.value(var).to().vars() {
                if matches!(part, Var::Dim(v) if self.zeros.contains_key(&v)) {
                    continue;
                }
                open.owner.entry(part).or_insert(var);
                if self.tags.leaves.contains(&var) {
                    open.leaves.insert(part);
                }
                if self.tags.params.contains(&var) {
                    open.params.insert(part);
                }
            }
        }
        Ok(open)
    }

    /// Commits values, all of them. What follows is worked out afterwards.
    pub(super) fn commit(&mut self, open: &Unsolved, values: Vec<Commitment>) {
        for (given, rule) in values {
            match &given {
                Given::Is(binding) => self.configuration.extend(binding.equation(), true),
                Given::Zero(v) => {
                    self.zeros.insert(*v, true);
                    self.zeroed(*v);
                }
            }
            let var = given.var();
            let within = open.owner.get(&var).copied().filter(|owner| *owner != var);
            self.note(rule, None, given.clone());
            self.assumptions.push(Assumption { given, rule, within });
        }
    }
}
