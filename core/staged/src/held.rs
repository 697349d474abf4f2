//! What waits for claims: the order of commitments (spec/8-staged.md, Def. 8.5).
//!
//! Two unsolved variables are connected when a stored bound, a deferred equation or a claim that is not discharged has
//! both. A group of connected variables waits while it has such a claim; the others close by Def. 6.1, and what happens
//! in one group never depends on another.

use super::outcome::Stopped;
use super::run::StagedRun;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::rules::Bound;
use lozenge_calculus::term::{Binding, DimVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// The groups that wait for a claim.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// The group of each variable that waits, by its oldest variable.
    group: BTreeMap<Var, Var>,
    /// The unsolved variables of claims.
    pub claimed: BTreeSet<Var>,
    /// The dimensions that an unsolved one of a claim must fit below.
    above: BTreeSet<DimVar>,
    /// The rows that are connected to a row of a claim by bounds on rows alone.
    rows: BTreeSet<Var>,
}

impl Held {
    /// Does anything wait?
    pub fn is_empty(&self) -> bool {
        self.claimed.is_empty()
    }

    /// The group of a variable, if that waits.
    pub fn group(&self, var: Var) -> Option<Var> {
        self.group.get(&var).copied()
    }

    /// Is what must fit below this variable still waiting for a claim?
    pub fn waits_below(&self, var: Var) -> bool {
        match var {
            Var::Dim(v) => self.above.contains(&v),
            Var::Row(_) => self.rows.contains(&var) && !self.claimed.contains(&var),
        }
    }
}

/// Sets of variables that are merged.
#[derive(Default)]
struct Groups(BTreeMap<Var, Var>);

impl Groups {
    fn find(&mut self, var: Var) -> Var {
        let mut at = var;
        while let Some(up) = self.0.get(&at).copied().filter(|up| *up != at) {
            at = up;
        }
        let mut from = var;
        while from != at {
            from = self.0.insert(from, at).unwrap_or(at);
        }
        self.0.insert(at, at);
        at
    }

    /// The oldest variable stands for the group.
    fn merge(&mut self, vars: impl IntoIterator<Item = Var>) {
        let mut first: Option<Var> = None;
        for var in vars {
            let mine = self.find(var);
            let other = first.unwrap_or(mine);
            let (low, high) = (mine.min(other), mine.max(other));
            self.0.insert(high, low);
            first = Some(low);
        }
    }
}

impl StagedRun<'_> {
    /// What waits for claims.
    pub(super) fn held(&mut self) -> Result<Held, Stopped> {
        self.look_at_claims(2 * self.active.len())?;
        let claimed = self.claimed();
        if claimed.is_empty() {
            return Ok(Held::default());
        }
        let (mut groups, mut rows) = (Groups::default(), Groups::default());
        let mut edges: BTreeMap<DimVar, Vec<DimVar>> = BTreeMap::new();
        let bounds = self.configuration.bounds.row_constraints().collect::<Vec<_>>();
        for (below, above, _) in self.configuration.bounds.adjacencies() {
            groups.merge(Bound::Adjacency(below, above).constraint().vars());
            edges.entry(below).or_default().push(above);
        }
        self.configuration.fuel.look((bounds.len() + edges.len()) as u64)?;
        for bound in bounds {
            let vars = self.configuration.bindings.instantiate(bound).phi.vars();
            rows.merge(vars.iter().copied().filter(|v| matches!(v, Var::Row(_))));
            groups.merge(vars);
        }
        for number in self.active.clone() {
            let vars = self.open_vars(number);
            groups.merge(vars);
        }
        let waiting: BTreeSet<Var> = claimed.iter().map(|v| groups.find(*v)).collect();
        let all: Vec<Var> = groups.0.keys().copied().collect();
        let group = all.into_iter().map(|v| (v, groups.find(v))).filter(|(_, g)| waiting.contains(g)).collect();
        let of_rows: BTreeSet<Var> =
            claimed.iter().filter(|v| matches!(v, Var::Row(_))).map(|v| rows.find(*v)).collect();
        let all: Vec<Var> = rows.0.keys().copied().collect();
        let rows = all.into_iter().filter(|v| of_rows.contains(&rows.find(*v))).collect();
        let above = reached(&edges, &claimed);
        Ok(Held { group, claimed, above, rows })
    }

    /// The unsolved variables of a claim.
    pub(super) fn open_vars(&mut self, number: usize) -> BTreeSet<Var> {
        let mut open = BTreeSet::new();
        let Some(claim) = self.claims.get(&number) else { return open };
        for var in claim.vars() {
            match self.configuration.bindings.value(var) {
                Binding::Dim(_, value) => value.collect_vars(&mut open),
                Binding::Row(_, value) => value.collect_vars(&mut open),
            }
        }
        if !self.zeros.is_empty() {
            open.retain(|v| !matches!(v, Var::Dim(d) if self.zeros.contains_key(d)));
        }
        open
    }
}

/// What lies above one of these, however far.
fn reached(edges: &BTreeMap<DimVar, Vec<DimVar>>, from: &BTreeSet<Var>) -> BTreeSet<DimVar> {
    let mut open: Vec<DimVar> = from.iter().filter_map(|v| if let Var::Dim(d) = v { Some(*d) } else { None }).collect();
    let mut seen = BTreeSet::new();
    while let Some(v) = open.pop() {
        for up in edges.get(&v).into_iter().flatten() {
            if seen.insert(*up) {
                open.push(*up);
            }
        }
    }
    seen
}

/// Is an equation about something that waits?
pub(super) fn concerns(equation: &Constraint, held: &Held) -> bool {
    equation.vars().iter().any(|v| held.group(*v).is_some())
}
