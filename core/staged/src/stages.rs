//! The stages: what each commits. Before each commitment everything is settled, and so it is after each.

use super::caps::Caps;
use super::claim::{Exact, SizeClaim, SizeTerm, Total};
use super::commit::{Given, Unsolved};
use super::marks::{Waiting, can_guess};
use super::outcome::Stopped;
use super::product::Product;
use super::rule::{Stage, StageRule};
use super::run::StagedRun;
use lozenge_calculus::closing::{Joined, word};
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var, Vars};
use lozenge_engine::closing::Hole;
use lozenge_engine::solver::{Fuel, Limit};
use std::collections::BTreeSet;

type Commitment = (Given, StageRule);

impl StagedRun<'_> {
    /// Stages 2 up to this one.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn stages(&mut self, upto: Stage) -> Result<(), Stopped> {
        let done = self.stage;
        for stage in Stage::ALL.into_iter().filter(|s| *s > done && *s <= upto) {
            self.stage = stage;
            self.propagate_all()?;
            match stage {
                Stage::One | Stage::Two => {}
                Stage::Three => self.three()?,
                Stage::Four => self.four()?,
                Stage::Five => self.five()?,
                Stage::Six => self.six()?,
                Stage::Seven => self.seven()?,
            }
        }
        Ok(())
    }

    fn caps(&mut self) -> Result<Caps, Stopped> {
        let caps = Caps::saturate(&mut self.configuration)?;
        self.propagate_all()?;
        Ok(caps)
    }

    /// Stage 3: rows of leaves take the join of their caps; one axis where a total needs one.
    fn three(&mut self) -> Result<(), Stopped> {
        loop {
            let caps = self.caps()?;
            let open = self.unsolved()?;
            let single = self.of_total_one()?;
            let rows: Vec<RowVar> = Unsolved::rows(&open.leaves).into_iter().filter(|v| !single.contains(v)).collect();
            let known: Vec<(RowVar, Joined)> = rows.iter().filter_map(|v| Some((*v, caps.row(*v)?.clone()))).collect();
            let written: Vec<(RowVar, Joined)> = rows
                .iter()
                .filter_map(|v| Some((*v, caps.open_row(*v)?.clone())))
                // A cap that writes no axis says no more than none.
                .filter(|(_, joined)| joined.filled().rank() > 0)
                .collect();
            let of_caps = self.row_caps(known);
            if self.commit(&open, of_caps)? {
                continue;
            }
            let of_caps = self.row_caps(written);
            if self.commit(&open, of_caps)? {
                continue;
            }
            let asked = self.one_axis(&open)?;
            if !self.commit(&open, asked)? {
                return Ok(());
            }
        }
    }

    /// ST-row-caps, ST-row-holes: unknown positions stay unknown, for later stages.
    fn row_caps(&mut self, rows: Vec<(RowVar, Joined)>) -> Vec<Commitment> {
        let mut out = Vec::new();
        for (v, joined) in rows {
            let holes = joined.holes().next().is_some();
            let rule = if holes { StageRule::RowHoles } else { StageRule::RowCaps };
            let value = joined.term(|| self.configuration.fresh_dim().into());
            out.push((Given::row(v, value), rule));
        }
        out
    }

    /// The totals that are not discharged.
    fn totals(&mut self) -> Result<Vec<(Total, Product)>, Stopped> {
        let mut out = Vec::new();
        for number in self.active.clone() {
            let Some(SizeClaim::Total(total)) = self.claims.get(&number).cloned() else { continue };
            // What is wrong with it was said when it was propagated.
            if let Ok(Some(product)) = self.product(&total, &mut false) {
                out.push((total, product));
            }
        }
        Ok(out)
    }

    /// The rows of totals that are 1: the join of their caps could have more elements.
    fn of_total_one(&mut self) -> Result<BTreeSet<RowVar>, Stopped> {
        let totals = self.totals()?.into_iter();
        Ok(totals.filter(|(_, p)| p.quotient() == Ok(Some(1))).flat_map(|(_, p)| p.open).collect())
    }

    /// ST-one-axis: a leaf's row that cannot be empty. ST-others: beside the row that keeps the elements.
    fn one_axis(&mut self, open: &Unsolved) -> Result<Vec<Commitment>, Stopped> {
        let mut out: Vec<Commitment> = Vec::new();
        for (total, product) in self.totals()? {
            let rows: Vec<RowVar> = product.open.iter().copied().collect();
            match (rows.as_slice(), product.quotient()) {
                ([v], Ok(Some(n))) if n > 1 && product.unknown.is_empty() && open.leaves.contains(&Var::Row(*v)) => {
                    out.push((self.one_axis_of(*v, n), StageRule::OneAxis));
                }
                ([_, _, ..], _) => {
                    let kept = self.kept(&total);
                    let others = rows.iter().filter(|v| kept.is_some_and(|kept| **v != kept));
                    out.extend(others.map(|v| (Given::no_axes(*v), StageRule::Others)));
                }
                _ => {}
            }
        }
        out.dedup_by(|a, b| a.0.var() == b.0.var());
        Ok(out)
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

    /// Stage 4: dimensions of leaves take their caps, and so does what is read beyond its first element; then
    /// deferred equations; then rows of leaves without caps take no axes.
    fn four(&mut self) -> Result<(), Stopped> {
        loop {
            let caps = self.caps()?;
            let open = self.unsolved()?;
            let capped = |v: DimVar| Some(Given::dim(v, caps.dim(v)?));
            let mut commitments: Vec<Commitment> = Unsolved::dims(&open.leaves)
                .into_iter()
                .filter_map(|v| Some((capped(v)?, StageRule::DimCaps)))
                .collect();
            let least: Vec<DimVar> = self.at_least().into_iter().filter(|(_, n)| *n > 1).map(|(v, _)| v).collect();
            let of_least = least.into_iter().filter(|v| !open.leaves.contains(&Var::Dim(*v)));
            commitments.extend(of_least.filter_map(|v| Some((capped(v)?, StageRule::LeastCaps))));
            if self.commit(&open, commitments)? {
                continue;
            }
            let equations = self.configuration.deferred();
            let most = equations.iter().rev().max_by_key(|e| word::demand(e));
            if let Some((v, value)) = most.and_then(word::least) {
                self.commit(&open, vec![(Given::row(v, value), StageRule::Word)])?;
                continue;
            }
            let claimed = self.claimed();
            let bare = Unsolved::rows(&open.leaves).into_iter().filter(|v| !claimed.contains(&Var::Row(*v)));
            let bare = bare.map(|v| (Given::no_axes(v), StageRule::RowBare)).collect();
            if !self.commit(&open, bare)? {
                return Ok(());
            }
        }
    }

    /// The unknown axes that are read at an index, with the least size.
    fn at_least(&mut self) -> Vec<(DimVar, u64)> {
        let mut out = Vec::new();
        for number in self.active.clone() {
            let Some(SizeClaim::AtLeast(d, n)) = self.claims.get(&number).cloned() else { continue };
            if let DimTerm::Var(v) = self.look(d).0 {
                out.push((v, n));
            }
        }
        out
    }

    /// The unsolved variables of claims that are not discharged, lower bounds apart.
    fn claimed(&mut self) -> BTreeSet<Var> {
        let mut vars = BTreeSet::new();
        for number in self.active.clone() {
            let Some(claim) = self.claims.get(&number).filter(|c| !matches!(c, SizeClaim::AtLeast(..))) else {
                continue;
            };
            for var in claim.vars() {
                vars.extend(self.configuration.bindings.value(var).to().vars());
            }
        }
        vars
    }

    /// Stage 5: dimensions of leaves are guessed, but for those that a claim will determine; then rows of
    /// totals and exact rows.
    fn five(&mut self) -> Result<(), Stopped> {
        loop {
            let caps = self.caps()?;
            let open = self.unsolved()?;
            let (claimed, waiting) = (self.claimed(), self.waiting());
            let least: BTreeSet<DimVar> = self.at_least().into_iter().map(|(v, _)| v).collect();
            let candidates = Unsolved::dims(&open.leaves)
                .into_iter()
                .filter(|v| !open.params.contains(&Var::Dim(*v)) && caps.dim(*v).is_none() && !least.contains(v));
            let leaves = self.guessable(&waiting, candidates)?;
            let (bound, free): (Vec<_>, Vec<_>) = leaves.into_iter().partition(|v| claimed.contains(&Var::Dim(*v)));
            let all = free.into_iter().map(|v| (Given::one(v), StageRule::GuessOne)).collect();
            if self.commit(&open, all)? {
                continue;
            }
            // Two guesses about one claim could contradict each other: one at a time.
            if let Some(v) = bound.first() {
                let guess = self.guess(*v, StageRule::GuessZero, StageRule::GuessOne);
                self.commit(&open, vec![guess])?;
                continue;
            }
            let rows = self.resolve_rows(&caps)?;
            if !self.commit(&open, rows)? {
                return Ok(());
            }
        }
    }

    /// May this be 0? Not if a concatenation would be left without elements (spec/findings/F44.md).
    fn can_be_zero(&mut self, v: DimVar) -> bool {
        if !self.zero_able.contains(&v) {
            return false;
        }
        let concats: Vec<Vec<DimTerm>> = self
            .claims
            .values()
            .filter_map(|claim| match claim {
                SizeClaim::Size(_, SizeTerm::Concat(parts)) => Some(parts.clone()),
                _ => None,
            })
            .collect();
        concats.into_iter().all(|parts| {
            let values: Vec<DimTerm> = parts.into_iter().map(|part| self.look(part).0).collect();
            let gone = |t: &DimTerm| matches!(t, DimTerm::Var(u) if *u == v || self.zeros.contains_key(u));
            !values.contains(&v.into()) || !values.iter().all(gone)
        })
    }

    /// 0 for what is projected away, else 1∅.
    fn guess(&mut self, v: DimVar, zero: StageRule, unit: StageRule) -> Commitment {
        if self.can_be_zero(v) { (Given::Zero(v), zero) } else { (Given::one(v), unit) }
    }

    /// ST-total-row, ST-exact-row: the next row that a total or an exact row resolves.
    fn resolve_rows(&mut self, caps: &Caps) -> Result<Vec<Commitment>, Stopped> {
        for (total, product) in self.totals()? {
            let rows: Vec<RowVar> = product.open.iter().copied().collect();
            match rows.as_slice() {
                [] => {}
                [v] => {
                    return Ok(vec![(self.total_row(*v, &product, caps), StageRule::TotalRow)]);
                }
                [first, ..] => {
                    let kept = self.kept(&total).unwrap_or(*first);
                    let others = rows.iter().filter(|v| **v != kept);
                    return Ok(others.map(|v| (Given::no_axes(*v), StageRule::Others)).collect());
                }
            }
        }
        for number in self.active.clone() {
            let Some(SizeClaim::Exact(Exact { rows, keep, .. })) = self.claims.get(&number).cloned() else { continue };
            let open: Vec<Option<RowVar>> = rows.iter().map(|row| self.look_row(row).0.var).collect();
            let kept = keep.and_then(|i| open.get(i).copied().flatten()).or(open.iter().flatten().next().copied());
            let others: BTreeSet<RowVar> = open.into_iter().flatten().filter(|v| Some(*v) != kept).collect();
            if !others.is_empty() {
                return Ok(others.into_iter().map(|v| (Given::no_axes(v), StageRule::ExactRow)).collect());
            }
        }
        Ok(Vec::new())
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

    /// Stage 6: all other rows take no axes.
    fn six(&mut self) -> Result<(), Stopped> {
        loop {
            self.caps()?;
            let open = self.unsolved()?;
            let rows = Unsolved::rows(&open.all()).into_iter();
            let rows = rows.map(|v| (Given::no_axes(v), StageRule::RowUp)).collect();
            if !self.commit(&open, rows)? {
                return Ok(());
            }
        }
    }

    /// Stage 7: all other dimensions. What no claim speaks of, all at once; then what is projected away; then
    /// what is read at an index; then what does not wait; then what does. A parameter is never guessed.
    fn seven(&mut self) -> Result<(), Stopped> {
        loop {
            let open = self.unsolved()?;
            let dims: Vec<DimVar> = Unsolved::dims(&open.all());
            let Some(first) = dims.first() else { return Ok(()) };
            let (params, dims): (Vec<_>, Vec<_>) = dims.iter().partition(|v| open.params.contains(&Var::Dim(**v)));
            let Some(next) = self.next_guess(&dims)? else {
                let var = Var::Dim(params.first().copied().unwrap_or(*first));
                let var = open.owner.get(&var).copied().unwrap_or(var);
                return Err(Stopped::Hole(Hole { var, position: None, uses: Vec::new() }));
            };
            self.commit(&open, next)?;
        }
    }

    fn next_guess(&mut self, dims: &[DimVar]) -> Result<Option<Vec<Commitment>>, Stopped> {
        let (claimed, waiting): (BTreeSet<Var>, Waiting) = (self.claimed(), self.waiting());
        let least = self.at_least();
        let is_least = |v: &DimVar| least.iter().any(|(u, _)| u == v);
        let free: Vec<DimVar> =
            dims.iter().copied().filter(|v| !claimed.contains(&Var::Dim(*v)) && !is_least(v)).collect();
        let free: Vec<Commitment> =
            free.into_iter().map(|v| self.guess(v, StageRule::ZeroUp, StageRule::DimUp)).collect();
        if !free.is_empty() {
            return Ok(Some(free));
        }
        if let Some(v) = dims.iter().find(|v| self.can_be_zero(**v)) {
            return Ok(Some(vec![(Given::Zero(*v), StageRule::ZeroUp)]));
        }
        let mut fuel = self.configuration.fuel;
        let ready = dims.iter().find(|v| can_guess(self.marks, &waiting, **v, &mut fuel));
        self.spent(fuel)?;
        let Some(v) = ready.or(dims.first()) else { return Ok(None) };
        let bound = least.iter().filter(|(u, n)| u == v && *n > 1).map(|(_, n)| *n).max();
        let atom = bound.and_then(|n| Atom::new(n, Basis::DEFAULT).ok());
        Ok(Some(vec![match atom {
            Some(atom) => (Given::dim(*v, Dim::Atom(atom)), StageRule::DimLeast),
            None => (Given::one(*v), StageRule::DimUp),
        }]))
    }

    /// Those of these that may be guessed.
    fn guessable(&mut self, waiting: &Waiting, dims: impl Iterator<Item = DimVar>) -> Result<Vec<DimVar>, Stopped> {
        let mut fuel = self.configuration.fuel;
        let found = dims.filter(|v| can_guess(self.marks, waiting, *v, &mut fuel)).collect();
        self.spent(fuel)?;
        Ok(found)
    }

    /// This is what is left. Where nothing is, what was looked at last may not have been looked at to its end.
    fn spent(&mut self, left: Fuel) -> Result<(), Stopped> {
        self.configuration.fuel = left;
        if left.is_empty() { Err(Limit::Fuel.into()) } else { Ok(()) }
    }
}
