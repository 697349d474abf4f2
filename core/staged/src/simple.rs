//! Which groups are kept from guess to guess, and what is kept of them (`kept.rs`): those whose claims are sums that hang
//! together like a tree, where nothing else speaks of an axis.

use super::claim::SizeClaim;
use super::commit::dims;
use super::kept::{Equation, Group, Kept, Turn, Unknown};
use super::linear::{Linear, Part};
use super::marks::Ready;
use super::meaning::basis;
use super::outcome::{Marks, Stopped};
use super::range::{Range, Relation};
use super::run::StagedRun;
use super::stages::{Next, Situation};
use super::sums::{Bounds, LARGEST, Term};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::rules::Bound;
use lozenge_calculus::term::{DimTerm, DimVar, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// Σ ±xᵢ + known = 0, of each claim that says that.
type Equations = BTreeMap<usize, (i128, BTreeMap<DimVar, i128>)>;

/// Groups, by their oldest variables.
type Groups = BTreeSet<Var>;

impl StagedRun<'_> {
    /// What is kept of a look that comes to these commitments: nothing where one of them is of a group that is not simple.
    pub(super) fn keep(&mut self, at: &Situation, next: &Next) -> Result<Option<Kept>, Stopped> {
        let (last, values) = (Turn::of(next), &next.1);
        if last.is_none() || self.looks_anew || self.marks == Marks::Seeds || at.ranges.moving {
            return Ok(None);
        }
        let simple = |others: &Groups, v: Var| at.held.group(v).is_some_and(|group| !others.contains(&group));
        let all_simple = |others: &Groups| values.iter().all(|(given, _)| simple(others, given.var()));
        let mut others = self.spoken_of(at)?;
        if !all_simple(&others) {
            return Ok(None);
        }
        self.look_at_claims(3 * self.active.len())?;
        let equations = self.equations(at, &mut others);
        others.extend(no_trees(&equations, at));
        if !all_simple(&others) {
            return Ok(None);
        }
        let mut kept = Kept::until(last);
        self.keep_unknowns(at, &mut kept, |v| simple(&others, v));
        self.keep_equations(equations, &mut kept);
        kept.put_in_order(0..kept.groups.len());
        Ok(Some(kept))
    }

    /// Groups with an axis that something else than a claim speaks of, that may be 0 or that is a parameter's.
    fn spoken_of(&mut self, at: &Situation) -> Result<Groups, Stopped> {
        let bounds = &self.configuration.bounds;
        let mut of: BTreeSet<Var> = bounds.lowers().map(|(v, _)| Var::Dim(v)).collect();
        of.extend(bounds.adjacencies().flat_map(|(a, b, _)| Bound::Adjacency(a, b).constraint().vars()));
        let rows: Vec<Constraint> = bounds.row_constraints().collect();
        for bound in rows {
            of.extend(self.configuration.bindings.instantiate(bound).phi.vars());
        }
        of.extend(self.configuration.deferred().vars());
        of.extend(self.zero_able.iter().map(|v| Var::Dim(*v)));
        self.configuration.fuel.look(of.len() as u64)?;
        Ok(of.iter().chain(&at.open.params).filter_map(|v| at.held.group(*v)).collect())
    }

    /// What claims say as sums. The groups of claims that say something else are others.
    fn equations(&mut self, at: &Situation, others: &mut Groups) -> Equations {
        let mut sums = Equations::new();
        for (_, relation, says) in self.relations() {
            sums.extend(sum(&relation).map(|sum| (says.by.claim, sum)));
        }
        for number in self.active.clone() {
            let vars = self.open_vars(number);
            let plain = self.open_factors(number).is_empty();
            let all = |sum: &BTreeMap<DimVar, i128>| sum.keys().copied().map(Var::Dim).eq(vars.iter().copied());
            let bounded =
                vars.iter().all(|v| matches!(v, Var::Dim(v) if at.ranges.of.get(v).and_then(bounds).is_some()));
            let said = match self.claims.get(&number) {
                Some(SizeClaim::AtLeast(..)) => true,
                _ => plain && sums.get(&number).is_some_and(|(_, sum)| all(sum)),
            };
            if !said || !bounded {
                others.extend(vars.iter().filter_map(|v| at.held.group(*v)));
            }
        }
        sums
    }

    fn keep_unknowns(&mut self, at: &Situation, kept: &mut Kept, simple: impl Fn(Var) -> bool) {
        let waiting = self.waiting();
        let ready = Ready::new(self.marks, waiting);
        let mut groups: BTreeMap<Option<Var>, usize> = BTreeMap::new();
        for var in dims(&at.held.claimed).into_iter().filter(|v| simple(Var::Dim(*v))) {
            let Some(bounds) = at.ranges.of.get(&var).and_then(bounds) else { continue };
            let group = *groups.entry(at.held.group(Var::Dim(var))).or_insert(kept.groups.len());
            if group == kept.groups.len() {
                kept.groups.push(Group::default());
            }
            let after = (!at.open.leaves.contains(&Var::Dim(var)), !ready.is(var));
            kept.number.insert(var, kept.sums.unknown(bounds));
            kept.unknowns.push(Unknown { var, group, after });
            let group = &mut kept.groups[group];
            group.open.insert(var);
            match bounds.exact().and_then(|n| u64::try_from(n).ok()) {
                Some(n) => drop(group.counted.insert(var, n)),
                None => drop(group.free.insert((after.0, after.1, var))),
            }
        }
    }

    fn keep_equations(&mut self, equations: Equations, kept: &mut Kept) {
        for (claim, (known, sum)) in equations {
            let term = |(v, sign): (&DimVar, &i128)| Some(Term { unknown: *kept.number.get(v)?, positive: *sign > 0 });
            // Those of a group that is not kept are of others alone.
            let Some(terms) = sum.iter().map(term).collect::<Option<Vec<Term>>>() else { continue };
            let Some(first) = terms.first() else { continue };
            let group = &mut kept.groups[kept.unknowns[first.unknown].group];
            group.equations += 1;
            group.places += terms.len();
            let axes: Vec<DimTerm> = self.axes(claim).into_iter().flatten().map(|(axis, _)| axis).collect();
            let open_axes: BTreeSet<Var> = axes.vars();
            let of_no_axis = |unknown: &usize| !open_axes.contains(&Var::Dim(kept.unknowns[*unknown].var));
            let kernel = terms.iter().map(|term| term.unknown).find(of_no_axis);
            let basis = axes.iter().find_map(|axis| if let DimTerm::Dim(d) = axis { basis(*d) } else { None });
            let open = terms.len();
            kept.equation.insert(claim, kept.sums.sum(known, terms));
            kept.equations.push(Equation { open, kernel, basis, odd: false });
        }
    }
}

/// A sum of unknowns, each once, with ±1 before it.
fn sum(relation: &Relation) -> Option<(i128, BTreeMap<DimVar, i128>)> {
    let Relation::Linear(linear) = relation else { return None };
    let Linear { terms, .. } = linear;
    let (known, unknown) = linear.split()?;
    let written = terms.iter().filter(|(_, part)| matches!(part, Part::Unknown(..))).count();
    let signs = unknown.values().all(|sign| sign.abs() == 1) && unknown.len() == written;
    (signs && known.abs() < LARGEST).then_some((known, unknown))
}

fn bounds(range: &Range) -> Option<Bounds> {
    let n = |n: u128| i128::try_from(n).ok().filter(|n| *n < LARGEST);
    let most = match range.most {
        Some(most) => Some(n(most.n)?),
        None => None,
    };
    Some(Bounds { least: n(range.least.n)?, most })
}

/// Groups whose sums do not hang together like a tree: that has one part more than joints.
fn no_trees(equations: &Equations, at: &Situation) -> Groups {
    let mut of: BTreeMap<Var, (usize, usize)> = BTreeMap::new();
    for group in at.held.claimed.iter().filter_map(|v| at.held.group(*v)) {
        of.entry(group).or_default().0 += 1;
    }
    for (_, sum) in equations.values() {
        let Some(group) = sum.keys().next().and_then(|v| at.held.group(Var::Dim(*v))) else { continue };
        let (parts, joints) = of.entry(group).or_default();
        (*parts, *joints) = (*parts + 1, *joints + sum.len());
    }
    of.into_iter().filter(|(_, (parts, joints))| *parts != joints + 1).map(|(group, _)| group).collect()
}
