//! The stages: Def. 6.1 for programs with claims (spec/8-staged.md, Def. 8.5). What waits for a claim is committed here, stage by stage;
//! everything else, and in the end all that is left, closes by Def. 6.1 itself.

use super::caps::Caps;
use super::commit::{Commitment, Given, Unsolved, dims, rows};
use super::held::{Held, concerns};
use super::linear::SizeWhy;
use super::outcome::Stopped;
use super::range::Ranges;
use super::rule::{Stage, StageRule};
use super::run::StagedRun;
use lozenge_calculus::closing::{Joined, word};
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::rules::Store;
use lozenge_calculus::term::{DimVar, RowVar, Var};
use lozenge_engine::VarSet;
use lozenge_engine::closing::{self, CloseRule, End, Hole, Tags, close_in_place, parameter_with};
use std::collections::{BTreeMap, BTreeSet};

/// What is committed next, all of it together, and at which stage.
pub(super) type Next = (Stage, Vec<Commitment>);

/// What a stage looks at.
pub(super) struct Situation {
    pub held: Held,
    pub open: Unsolved,
    pub caps: Caps,
    pub ranges: Ranges,
}

impl Situation {
    /// Those of these variables that wait for a claim, and have nothing waiting below them.
    fn ready<'v>(&'v self, vars: &'v BTreeSet<Var>) -> impl Iterator<Item = &'v Var> {
        vars.iter().filter(|v| self.held.group(**v).is_some() && !self.held.waits_below(**v))
    }
}

impl StagedRun<'_> {
    /// Everything up to this stage; after the last, closing.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn stages(&mut self, upto: Stage) -> Result<(), Stopped> {
        self.settle()?;
        if upto == Stage::One {
            return Ok(());
        }
        self.stage = Stage::Two;
        // From here on late factors are looked up.
        self.watch.look_at(self.active.iter().copied());
        while let Some((at, next)) = self.look_around(upto)? {
            let Some(next) = next else { return Ok(()) };
            self.carry_out(&at, next)?;
        }
        if upto == Stage::Seven { self.close() } else { Ok(()) }
    }

    /// Looks at everything, if any claim is left. What is committed next; nothing up to this stage where there is none.
    pub(super) fn look_around(&mut self, upto: Stage) -> Result<Option<(Situation, Option<Next>)>, Stopped> {
        let (mut ranges, mut held) = (self.settled()?, self.held()?);
        if held.is_empty() {
            return Ok(None);
        }
        let (caps, news) = Caps::saturate(&mut self.configuration, &held)?;
        if news {
            (ranges, held) = (self.settled()?, self.held()?);
        }
        let at = Situation { held, open: self.unsolved()?, caps, ranges };
        let next = self.next(&at, upto)?;
        Ok(Some((at, next)))
    }

    /// Commits, and what comes next as long as that follows from what is kept.
    fn carry_out(&mut self, at: &Situation, first: Next) -> Result<(), Stopped> {
        self.kept = self.keep(at, &first)?.map(Box::new);
        let mut next = Some(first);
        while let Some((stage, values)) = next {
            self.stage = stage;
            self.commit(&at.open, values);
            next = self.next_kept()?;
        }
        self.kept = None;
        Ok(())
    }

    /// The next commitments: those of the earliest stage that has any.
    fn next(&mut self, at: &Situation, upto: Stage) -> Result<Option<Next>, Stopped> {
        if at.held.is_empty() {
            return Ok(Some((self.stage, Vec::new())));
        }
        for stage in Stage::ALL.into_iter().filter(|s| *s <= upto) {
            let values = match stage {
                Stage::One | Stage::Two => Vec::new(),
                Stage::Three => self.three(at),
                Stage::Four => self.four(at),
                Stage::Five => self.five(at)?,
                Stage::Six => self.six(at),
                Stage::Seven => self.seven(at)?,
            };
            if !values.is_empty() {
                return Ok(Some((stage, values)));
            }
        }
        Ok(None)
    }

    /// Stage 3: leaves take the join of their caps; one axis where a total needs one.
    fn three(&mut self, at: &Situation) -> Vec<Commitment> {
        let ready: BTreeSet<Var> = at.ready(&at.open.leaves).copied().collect();
        let values = self.capped(at, &ready);
        if values.is_empty() { self.one_axis(&at.open) } else { values }
    }

    /// CL-leaf for what waits: positions of rows that no cap fills stay open, for later stages.
    fn capped(&mut self, at: &Situation, leaves: &BTreeSet<Var>) -> Vec<Commitment> {
        let single = self.of_total_one();
        let of_rows: Vec<RowVar> = rows(leaves).into_iter().filter(|v| !single.contains(v)).collect();
        let mut values: Vec<Commitment> = dims(leaves)
            .into_iter()
            .filter_map(|v| Some((Given::dim(v, at.caps.dim(v)?), CloseRule::Leaf.into())))
            .collect();
        for v in &of_rows {
            values.extend(at.caps.row(*v).map(|joined| self.row_cap(*v, joined)));
        }
        if values.is_empty() {
            // A cap that writes no axis says no more than none.
            let written = |v: &RowVar| Some((*v, at.caps.open_row(*v).filter(|joined| !joined.is_empty())?));
            let written: Vec<(RowVar, &Joined)> = of_rows.iter().filter_map(written).collect();
            values.extend(written.into_iter().map(|(v, joined)| self.row_cap(v, joined)));
        }
        values
    }

    fn row_cap(&mut self, v: RowVar, joined: &Joined) -> Commitment {
        let value = joined.term(|| self.configuration.fresh_dim().into());
        (Given::row(v, value), CloseRule::Leaf.into())
    }

    /// Stage 4: axes whose number of elements is known; deferred equations; rows of leaves without caps.
    fn four(&mut self, at: &Situation) -> Vec<Commitment> {
        let ready: BTreeSet<Var> = at.ready(&at.held.claimed).copied().collect();
        let sizes = self.sizes(at, &ready);
        if !sizes.is_empty() {
            return sizes;
        }
        let equations = self.configuration.deferred();
        let most = equations.iter().rev().filter(|e| concerns(e, &at.held)).max_by_key(|e| word::demand(e));
        if let Some((v, value)) = most.and_then(word::least) {
            return vec![(Given::row(v, value), CloseRule::Word.into())];
        }
        let bare = rows(at.ready(&at.open.leaves)).into_iter().filter(|v| !at.held.claimed.contains(&Var::Row(*v)));
        bare.map(|v| (Given::no_axes(v), CloseRule::Bare.into())).collect()
    }

    /// ST-size: an axis whose number of elements is known is the one that must fit below it, or has the basis of its
    /// size equations. One in a group at a time: it can tell the others their basis.
    fn sizes(&mut self, at: &Situation, vars: &BTreeSet<Var>) -> Vec<Commitment> {
        let mut chosen: BTreeMap<Var, (bool, DimVar, u64)> = BTreeMap::new();
        for v in dims(vars) {
            let count = at.ranges.of.get(&v).and_then(|range| range.count());
            let (Some((n, _)), Some(group)) = (count, at.held.group(Var::Dim(v))) else { continue };
            let capped = self.configuration.bounds.lower(v).is_some();
            if chosen.get(&group).is_none_or(|(better, ..)| capped && !better) {
                chosen.insert(group, (capped, v, n));
            }
        }
        let chosen = chosen.into_values().filter(|(_, _, n)| *n > 0).collect::<Vec<_>>();
        chosen.into_iter().map(|(_, v, n)| (Given::dim(v, self.sized(v, n)), StageRule::Size.into())).collect()
    }

    /// An axis of this size: the atom below it if it has that size, or one with the basis of its size equations.
    pub(super) fn sized(&mut self, v: DimVar, n: u64) -> Dim {
        let below = self.configuration.bounds.lower(v).map(|lower| lower.atom);
        let basis = match below {
            Some(atom) => atom.basis(),
            None => self.likely_basis(v).unwrap_or(Basis::DEFAULT),
        };
        Atom::new(n, basis).map_or(Dim::Unit, Dim::Atom)
    }

    /// Stage 5: axes of leaves that claims leave open; then rows of totals and exact rows.
    fn five(&mut self, at: &Situation) -> Result<Vec<Commitment>, Stopped> {
        let leaves = at.open.leaves.intersection(&at.held.claimed);
        let guesses = self.guesses(at, dims(leaves))?;
        Ok(if guesses.is_empty() { self.resolve_rows(at) } else { guesses })
    }

    /// Stage 6: all other rows that wait take no axes.
    fn six(&mut self, at: &Situation) -> Vec<Commitment> {
        let waiting = at.open.owner.keys().filter(|v| at.held.group(**v).is_some());
        rows(waiting).into_iter().map(|v| (Given::no_axes(v), CloseRule::Up.into())).collect()
    }

    /// Stage 7: all other axes that claims leave open; then leaves and sizes that something waiting must fit below.
    fn seven(&mut self, at: &Situation) -> Result<Vec<Commitment>, Stopped> {
        let guesses = self.guesses(at, dims(&at.held.claimed))?;
        if !guesses.is_empty() {
            return Ok(guesses);
        }
        let sizes = self.sizes(at, &at.held.claimed);
        if !sizes.is_empty() {
            return Ok(sizes);
        }
        let waiting = at.open.leaves.iter().filter(|v| at.held.group(**v).is_some()).copied().collect();
        let late = self.capped(at, &waiting);
        if !late.is_empty() {
            return Ok(late);
        }
        // Nor is a stride, dilation or coefficient guessed, …
        if let Some(claim) = dims(&at.held.claimed).into_iter().find_map(|v| self.factor_of(v)) {
            self.refuse(claim, StageRule::Force, SizeWhy::NoFactor, true)?;
        }
        // … nor a parameter.
        let var = at.held.claimed.iter().find(|v| at.open.params.contains(v)).or(at.held.claimed.first());
        match var {
            Some(var) => Err(self.hole(at, *var)),
            None => Ok(Vec::new()),
        }
    }

    /// A parameter's dimension that nothing determines.
    pub(super) fn hole(&self, at: &Situation, var: Var) -> Stopped {
        let owner = || at.open.owner.get(&var).copied();
        let var = parameter_with(self.tags, &self.configuration.bindings, var).or_else(owner).unwrap_or(var);
        Stopped::Hole(Hole::new(self.phi, var, None))
    }

    /// Def. 6.1: no claim is left, and what is open closes.
    fn close(&mut self) -> Result<(), Stopped> {
        let zeros = self.all_zeros();
        // What is 0 has its value, be it a leaf or a parameter.
        let open = |v: &Var| !matches!(v, Var::Dim(d) if zeros.contains(d));
        let some = !zeros.is_empty();
        let rest = some.then(|| self.input.iter().filter(open).collect::<Vec<Var>>().iter().collect::<VarSet>());
        let those = |tagged: &BTreeSet<Var>| tagged.iter().copied().filter(open).collect();
        let tagged = some.then(|| Tags { leaves: those(&self.tags.leaves), params: those(&self.tags.params) });
        self.stage = Stage::Seven;
        let Self { configuration, phi, tags, input, policy, assumptions, .. } = self;
        configuration.bindings.forget_news();
        let (input, tags) = (rest.as_ref().unwrap_or(input), tagged.as_ref().unwrap_or(tags));
        // Seldom more than one for each constraint.
        assumptions.reserve(phi.len());
        let made = &mut |it: closing::Assumption| assumptions.push(it.into());
        let end = close_in_place(configuration, phi, input, tags, *policy, |_| (), made);
        end.map_err(|end| match end {
            End::Stop(stop) => stop.into(),
            End::Hole(hole) => Stopped::Hole(hole),
        })
    }

    /// For each group, the oldest of the parameter axes that wait with it and that nothing bounds.
    pub(super) fn unknown_params(&self, at: &Situation) -> BTreeMap<Var, Var> {
        let counted = |v: &DimVar| at.ranges.of.get(v).is_some_and(|range| range.count().is_some());
        let open = dims(&at.open.params).into_iter().filter(|v| at.caps.dim(*v).is_none() && !counted(v));
        let mut unknown = BTreeMap::new();
        for v in open.map(Var::Dim) {
            if let Some(group) = at.held.group(v) {
                unknown.entry(group).or_insert(v);
            }
        }
        unknown
    }
}
