//! Commitments: what a stage decides beyond what follows, and the list of them.

use super::outcome::Stopped;
use super::rule::{Stage, StageRule};
use super::run::Run;
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::internal::broken;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// What a variable was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A dimension or a row.
    Term(Term),
    /// 0: the component is discarded.
    Zero,
}

/// A value that was committed without being entailed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The variable.
    pub var: Var,
    /// Its value.
    pub value: Value,
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

impl Run<'_> {
    pub(super) fn unsolved(&mut self) -> Result<Unsolved, Stopped> {
        let mut open = Unsolved::default();
        for var in self.input.clone() {
            self.configuration.fuel.look(1)?;
            for part in self.configuration.bindings.value(var).vars() {
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
    pub(super) fn commit(&mut self, open: &Unsolved, values: Vec<(Var, Value, StageRule)>) -> Result<bool, Stopped> {
        let any = !values.is_empty();
        for (var, value, rule) in values {
            match (var, &value) {
                (Var::Dim(v), Value::Zero) => {
                    self.zeros.insert(v, true);
                }
                (Var::Dim(v), Value::Term(Term::Dim(t))) => {
                    self.configuration.extend(Constraint::DimEq(v.into(), *t), true);
                }
                (Var::Row(v), Value::Term(Term::Row(t))) => {
                    self.configuration.extend(Constraint::RowEq(v.into(), t.clone()), true);
                }
                (var, value) => broken("a variable is given a value of its sort", format!("{var:?} := {value:?}")),
            }
            let within = open.owner.get(&var).copied().filter(|owner| *owner != var);
            self.note(rule, None, var, value.clone());
            self.assumptions.push(Assumption { var, value, stage: self.stage, rule, within });
        }
        if any {
            self.settle()?;
        }
        Ok(any)
    }
}

/// 1∅.
pub(super) fn one() -> Value {
    Value::Term(Term::Dim(DimTerm::Dim(Dim::Unit)))
}

/// A row without axes.
pub(super) fn no_axes() -> Value {
    Value::Term(Term::Row(RowTerm::default()))
}
