//! Commitments: what a stage decides beyond what follows, and the list of them.

use super::outcome::Stopped;
use super::rule::{Stage, StageRule};
use super::run::StagedRun;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

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

/// A value that was committed without being entailed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The variable and its value.
    pub given: Given,
    /// The stage.
    pub stage: Stage,
    /// The rule.
    pub rule: StageRule,
    /// For a variable that the solver made: the input's variable whose value it is part of.
    pub within: Option<Var>,
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

impl Unsolved {
    /// The dimension variables among these.
    pub fn dims(vars: &BTreeSet<Var>) -> Vec<DimVar> {
        vars.iter().filter_map(|v| if let Var::Dim(d) = v { Some(*d) } else { None }).collect()
    }

    /// The row variables among these.
    pub fn rows(vars: &BTreeSet<Var>) -> Vec<RowVar> {
        vars.iter().filter_map(|v| if let Var::Row(r) = v { Some(*r) } else { None }).collect()
    }

    /// All of them.
    pub fn all(&self) -> BTreeSet<Var> {
        self.owner.keys().copied().collect()
    }
}

impl StagedRun<'_> {
    pub(super) fn unsolved(&mut self) -> Result<Unsolved, Stopped> {
        let mut open = Unsolved::default();
        for var in self.input.clone() {
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

    /// Commits values, all of them, and settles. False when there are none.
    pub(super) fn commit(&mut self, open: &Unsolved, values: Vec<(Given, StageRule)>) -> Result<bool, Stopped> {
        let any = !values.is_empty();
        for (given, rule) in values {
            match &given {
                Given::Is(binding) => self.configuration.extend(binding.equation(), true),
                Given::Zero(v) => {
                    self.zeros.insert(*v, true);
                }
            }
            let var = given.var();
            let within = open.owner.get(&var).copied().filter(|owner| *owner != var);
            self.note(rule, None, given.clone());
            self.assumptions.push(Assumption { given, stage: self.stage, rule, within });
        }
        if any {
            self.propagate_all()?;
        }
        Ok(any)
    }
}
