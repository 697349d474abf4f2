//! What is guessed of axes that claims leave open, and how rows of totals and exact rows are resolved.

use super::caps::Caps;
use super::claim::{Exact, SizeClaim, SizeTerm, Total};
use super::commit::{Commitment, Given, Unsolved};
use super::marks::Ready;
use super::outcome::Stopped;
use super::product::Product;
use super::rule::StageRule;
use super::run::StagedRun;
use super::stages::Situation;
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use std::collections::{BTreeMap, BTreeSet};

impl StagedRun<'_> {
    /// ST-dim-least, ST-zero: for each group that waits one of these axes, at the least size that its indices and size
    /// equations allow. Two guesses about one claim could contradict each other, so it is one in a group at a time. A
    /// parameter's axis is never guessed, and nothing is guessed while that would decide one.
    pub(super) fn guesses(&mut self, at: &Situation, among: Vec<DimVar>) -> Result<Vec<Commitment>, Stopped> {
        let mut of_group: BTreeMap<Var, Vec<DimVar>> = BTreeMap::new();
        for v in among {
            let counted = at.ranges.of.get(&v).is_none_or(|range| range.count().is_some());
            // A leaf that has a cap takes it.
            let capped = at.open.leaves.contains(&Var::Dim(v)) && at.caps.dim(v).is_some();
            let fixed = counted || capped || at.open.params.contains(&Var::Dim(v));
            if let Some(group) = at.held.group(Var::Dim(v)).filter(|_| !fixed) {
                of_group.entry(group).or_default().push(v);
            }
        }
        let mut out = Vec::new();
        let unknown = self.unknown_params(at);
        let mut ready: Option<Ready> = None;
        for (group, candidates) in of_group {
            if let Some(param) = unknown.get(&group) {
                return Err(self.hole(at, *param));
            }
            let mut free = candidates;
            free.retain(|v| !self.decides_factor(*v));
            if let Some(v) = self.first_guess(at, &free, &mut ready)? {
                out.push(self.guess(at, v));
            }
        }
        Ok(out)
    }

    /// Is this a stride, dilation or coefficient, or the last unknown beside one? These are worked out, or have a value
    /// from elsewhere: none is guessed.
    fn decides_factor(&mut self, v: DimVar) -> bool {
        self.claims_with(v).into_iter().any(|number| {
            let factors = self.open_factors(number);
            if factors.is_empty() || factors.contains(&v) {
                return !factors.is_empty();
            }
            let mut others = self.open_vars(number).into_iter().filter(|u| *u != Var::Dim(v));
            match (others.next(), others.next()) {
                (Some(Var::Dim(s)), None) => factors.contains(&s),
                _ => false,
            }
        })
    }

    /// What is projected away first; then what waits for nothing; then the oldest.
    fn first_guess(
        &mut self,
        at: &Situation,
        candidates: &[DimVar],
        ready: &mut Option<Ready>,
    ) -> Result<Option<DimVar>, Stopped> {
        if let Some(v) = candidates.iter().find(|v| self.can_be_zero(at, **v)) {
            return Ok(Some(*v));
        }
        let ready = match ready {
            Some(ready) => ready,
            None => {
                let waiting = self.waiting();
                self.configuration.fuel.look(waiting.values().map(|unless| unless.len() as u64).sum())?;
                ready.insert(Ready::new(self.marks, waiting))
            }
        };
        Ok(candidates.iter().find(|v| ready.is(**v)).or(candidates.first()).copied())
    }

    /// 0 for what is projected away, else the least size; 1∅ where that is one element.
    fn guess(&mut self, at: &Situation, v: DimVar) -> Commitment {
        if self.can_be_zero(at, v) {
            return (Given::Zero(v), StageRule::Zero.into());
        }
        let least = at.ranges.of.get(&v).map_or(1, |range| range.least.n);
        let given = match u64::try_from(least) {
            Ok(n) if n > 1 => Given::dim(v, self.sized(v, n)),
            _ => Given::one(v),
        };
        (given, StageRule::DimLeast.into())
    }

    /// May this be 0? Not if its bounds ask for elements, nor if a concatenation would be left without any
    /// (spec/findings/F44.md).
    fn can_be_zero(&mut self, at: &Situation, v: DimVar) -> bool {
        let bounded = at.ranges.of.get(&v).is_some_and(|range| range.least.n > 0);
        if bounded || !self.zero_able.contains(&v) {
            return false;
        }
        let concats = self.all_with(v).into_iter().filter_map(|number| match self.claims.get(&number) {
            Some(SizeClaim::Size(_, SizeTerm::Concat(parts))) => Some(parts.clone()),
            _ => None,
        });
        let concats: Vec<Vec<DimTerm>> = concats.collect();
        concats.into_iter().all(|parts| {
            let values: Vec<DimTerm> = parts.into_iter().map(|part| self.look(part).0).collect();
            let gone = |t: &DimTerm| matches!(t, DimTerm::Var(u) if *u == v || self.zeros.contains_key(u));
            !values.contains(&v.into()) || !values.iter().all(gone)
        })
    }

    /// The totals that are not discharged.
    fn totals(&mut self) -> Vec<(Total, Product)> {
        let mut out = Vec::new();
        for number in self.active.clone() {
            let Some(SizeClaim::Total(total)) = self.claims.get(&number).cloned() else { continue };
            // A coefficient comes first.
            if !self.open_factors(number).is_empty() {
                continue;
            }
            // What is wrong with it was said when it was propagated.
            if let Ok(Some(product)) = self.product(&total, &mut false) {
                out.push((total, product));
            }
        }
        out
    }

    /// The rows of totals that are 1: the join of their caps could have more elements.
    pub(super) fn of_total_one(&mut self) -> BTreeSet<RowVar> {
        let totals = self.totals().into_iter();
        totals.filter(|(_, p)| p.quotient() == Ok(Some(1))).flat_map(|(_, p)| p.open).collect()
    }

    /// ST-one-axis: a leaf's row that cannot be empty. ST-others: beside the row that keeps the elements.
    pub(super) fn one_axis(&mut self, open: &Unsolved) -> Vec<Commitment> {
        let mut out: Vec<Commitment> = Vec::new();
        for (total, product) in self.totals() {
            let rows: Vec<RowVar> = product.open.iter().copied().collect();
            match (rows.as_slice(), product.quotient()) {
                ([v], Ok(Some(n))) if n > 1 && product.unknown.is_empty() && open.leaves.contains(&Var::Row(*v)) => {
                    out.push((self.one_axis_of(*v, n), StageRule::OneAxis.into()));
                }
                ([_, _, ..], _) => {
                    let kept = self.kept(&total);
                    let others = rows.iter().filter(|v| kept.is_some_and(|kept| **v != kept));
                    out.extend(others.map(|v| (Given::no_axes(*v), StageRule::Others.into())));
                }
                _ => {}
            }
        }
        let mut seen = BTreeSet::new();
        out.retain(|(given, _)| seen.insert(given.var()));
        out
    }

    /// The open variable of the row that keeps the elements.
    fn kept(&mut self, total: &Total) -> Option<RowVar> {
        let row = total.rows.get(total.keep?)?.clone();
        self.look_row(&row).0.var
    }

    /// A row of one axis of this size, unknown if the size does not fit.
    fn one_axis_of(&mut self, v: RowVar, n: u128) -> Given {
        let atom = u64::try_from(n).ok().and_then(|n| Atom::new(n, Basis::DEFAULT).ok());
        let axis = match atom {
            Some(atom) => DimTerm::Dim(Dim::Atom(atom)),
            None => self.configuration.fresh_dim().into(),
        };
        Given::row(v, RowTerm::new(Vec::new(), None, vec![axis]))
    }

    /// ST-total-row, ST-exact-row: the next rows that totals or exact rows resolve, one claim in a group at a time.
    pub(super) fn resolve_rows(&mut self, at: &Situation) -> Vec<Commitment> {
        let mut of_group: BTreeMap<Var, Vec<Commitment>> = BTreeMap::new();
        // What says how many elements a row has comes before what asks for it, whichever is written first.
        let mut totals = self.totals();
        let says = |product: &Product| matches!(product.quotient(), Ok(Some(_)));
        totals.sort_by_key(|(_, product)| (!says(product), !product.unknown.is_empty()));
        for (total, product) in totals {
            let rows: Vec<RowVar> = product.open.iter().copied().collect();
            let Some(group) = rows.first().and_then(|v| at.held.group(Var::Row(*v))) else { continue };
            if of_group.contains_key(&group) {
                continue;
            }
            let values = match rows.as_slice() {
                [] => continue,
                [v] => vec![(self.total_row(*v, &product, &at.caps), StageRule::TotalRow.into())],
                [first, ..] => {
                    let kept = self.kept(&total).unwrap_or(*first);
                    let others = rows.iter().filter(|v| **v != kept);
                    others.map(|v| (Given::no_axes(*v), StageRule::Others.into())).collect()
                }
            };
            of_group.insert(group, values);
        }
        for number in self.active.clone() {
            let Some(SizeClaim::Exact(Exact { rows, keep, .. })) = self.claims.get(&number).cloned() else { continue };
            let open: Vec<Option<RowVar>> = rows.iter().map(|row| self.look_row(row).0.var).collect();
            let kept = keep.and_then(|i| open.get(i).copied().flatten()).or(open.iter().flatten().next().copied());
            let Some(group) = kept.and_then(|v| at.held.group(Var::Row(v))) else { continue };
            let others: BTreeSet<RowVar> = open.into_iter().flatten().filter(|v| Some(*v) != kept).collect();
            if !others.is_empty() && !of_group.contains_key(&group) {
                let others = others.into_iter().map(|v| (Given::no_axes(v), StageRule::ExactRow.into()));
                of_group.insert(group, others.collect());
            }
        }
        of_group.into_values().flatten().collect()
    }

    /// The row of a total: the join of its caps where that is known, no axes if that fits, else one axis.
    fn total_row(&mut self, v: RowVar, product: &Product, caps: &Caps) -> Given {
        match product.quotient() {
            Ok(Some(1)) => Given::no_axes(v),
            Ok(Some(n)) if product.unknown.is_empty() => self.one_axis_of(v, n),
            // An unknown of the left side can take what is left.
            Ok(Some(_)) => Given::no_axes(v),
            _ => match caps.row(v).filter(|joined| joined.holes().next().is_none()) {
                Some(joined) => Given::row(v, (&joined.filled()).into()),
                None => Given::no_axes(v),
            },
        }
    }
}
