//! What a look at everything found, kept from guess to guess.
//!
//! Of a group that waits one axis is chosen at a time, and little changes by that: the sizes of what stands in a claim with
//! it. So where the claims of a group are sums that hang together like a tree, and nothing else speaks of its axes, its
//! bounds are kept as numbers (`sums.rs`), and it is known what it chooses next. Whatever is not as simple as that is left
//! to the next look at everything: bounds that refuse or decide something, a group that falls apart, a variable that is
//! bound elsewhere. What is passed over here would have said nothing new.

use super::commit::Given;
use super::meaning::{basis, plain};
use super::outcome::Stopped;
use super::rule::{Stage, StageRule};
use super::run::{RECOUNTED, StagedRun};
use super::stages::Next;
use super::sums::{Lost, Sums};
use lozenge_calculus::dim::{Basis, Dim};
use lozenge_calculus::term::{Binding, DimTerm, DimVar, Var};
use std::collections::{BTreeMap, BTreeSet};

/// What a group commits next, and so when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Turn {
    /// An axis whose size is known.
    Sized,
    /// A guess of a leaf's axis.
    Leaf,
    /// A guess of another.
    Other,
}

impl Turn {
    /// That of commitments of a stage, where they are of this kind.
    pub(super) fn of((stage, values): &Next) -> Option<Self> {
        let (_, rule) = values.first()?;
        let turns = [Turn::Sized, Turn::Leaf, Turn::Other];
        turns.into_iter().find(|turn| turn.stage() == *stage && *rule == turn.rule().into())
    }

    fn stage(self) -> Stage {
        match self {
            Turn::Sized => Stage::Four,
            Turn::Leaf => Stage::Five,
            Turn::Other => Stage::Seven,
        }
    }

    fn rule(self) -> StageRule {
        if self == Turn::Sized { StageRule::Size } else { StageRule::DimLeast }
    }
}

/// An unsolved axis.
#[derive(Debug)]
pub(super) struct Unknown {
    pub var: DimVar,
    pub group: usize,
    /// Whether it is no leaf's, and whether it waits for others: what is guessed first is less.
    pub after: (bool, bool),
}

/// A size equation; its sum has the same number.
#[derive(Debug)]
pub(super) struct Equation {
    /// How many of its unknowns are open.
    pub open: usize,
    /// The unknown that is no axis of it.
    pub kernel: Option<usize>,
    /// The basis of its axes, as far as one is known.
    pub basis: Option<Basis>,
    /// Is something known in it that has to be looked at?
    pub odd: bool,
}

/// A group that waits.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub open: BTreeSet<DimVar>,
    /// Its size equations with open unknowns, and how many of these they have together.
    pub equations: usize,
    pub places: usize,
    /// What can be guessed, in that order.
    pub free: BTreeSet<(bool, bool, DimVar)>,
    /// Those whose size is known.
    pub counted: BTreeMap<DimVar, u64>,
    /// Its place among the others.
    turn: Option<(Turn, DimVar)>,
}

impl Group {
    fn turn(&self) -> Option<(Turn, DimVar)> {
        let turn = match self.free.first() {
            _ if !self.counted.is_empty() => Turn::Sized,
            Some((false, ..)) => Turn::Leaf,
            Some((true, ..)) => Turn::Other,
            None => return None,
        };
        Some((turn, *self.open.first()?))
    }

    /// A tree has one part more than it has joints. Of no part nothing is left to be looked at.
    fn fell_apart(&self) -> bool {
        self.open.len() + self.equations > self.places + 1
    }
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub number: BTreeMap<DimVar, usize>,
    pub unknowns: Vec<Unknown>,
    pub sums: Sums,
    /// By claims.
    pub equation: BTreeMap<usize, usize>,
    pub equations: Vec<Equation>,
    pub groups: Vec<Group>,
    /// The groups by their turns.
    turns: BTreeSet<(Turn, DimVar, usize)>,
    /// The last turn that is followed.
    last: Option<Turn>,
    /// Groups with unknowns that have become known, and size equations that have a basis now.
    touched: BTreeSet<usize>,
    based: Vec<usize>,
    /// Has something happened that is not followed here?
    lost: bool,
}

impl Kept {
    /// Nothing yet. After this turn groups might have theirs that are not kept here.
    pub(super) fn until(last: Option<Turn>) -> Self {
        Kept { last, ..Kept::default() }
    }

    /// The groups whose turn it is.
    pub(super) fn put_in_order(&mut self, groups: impl IntoIterator<Item = usize>) {
        for at in groups {
            let group = &mut self.groups[at];
            let turn = group.turn();
            let before = std::mem::replace(&mut group.turn, turn);
            if let Some((turn, first)) = before {
                self.turns.remove(&(turn, first, at));
            }
            self.turns.extend(turn.map(|(turn, first)| (turn, first, at)));
        }
    }

    /// A variable was bound.
    fn bound(&mut self, var: Var, value: Option<Dim>) {
        let unknown = if let Var::Dim(v) = var { self.number.remove(&v) } else { None };
        let followed = unknown.zip(value).is_some_and(|(unknown, d)| self.known(unknown, d).is_ok());
        self.lost |= !followed;
    }

    fn known(&mut self, unknown: usize, d: Dim) -> Result<(), Lost> {
        self.sums.known(unknown, d.elements())?;
        let Unknown { var, group: at, after } = self.unknowns[unknown];
        let group = &mut self.groups[at];
        self.touched.insert(at);
        group.open.remove(&var);
        group.free.remove(&(after.0, after.1, var));
        group.counted.remove(&var);
        for number in self.sums.with(unknown) {
            let equation = &mut self.equations[number];
            equation.open -= 1;
            group.places -= 1;
            group.equations -= usize::from(equation.open == 0);
            let new = basis(d).filter(|_| equation.kernel != Some(unknown));
            match (new, equation.basis) {
                (Some(new), Some(basis)) => equation.odd |= new != basis,
                (Some(_), None) => {
                    equation.basis = new;
                    self.based.push(number);
                }
                (None, _) => equation.odd |= equation.kernel == Some(unknown) && plain(d).is_none(),
            }
        }
        Ok(())
    }

    /// Would this claim say nothing, though something has changed that it speaks of?
    fn is_quiet(&self, claim: usize) -> bool {
        let equation = self.equation.get(&claim).map(|number| &self.equations[*number]);
        !self.lost && equation.is_some_and(|equation| equation.open > 1 && !equation.odd)
    }

    /// What is narrowed to one number is chosen next.
    fn count(&mut self, unknown: usize) {
        let Unknown { var, group, after } = self.unknowns[unknown];
        let Some(n) = self.sums.bounds(unknown).exact().and_then(|n| u64::try_from(n).ok()) else { return };
        if self.number.contains_key(&var) {
            let group = &mut self.groups[group];
            group.free.remove(&(after.0, after.1, var));
            group.counted.insert(var, n);
        }
    }

    /// The axes whose size is known and whose basis may be, since it was last asked.
    fn maybe_based(&mut self, narrowed: &[usize]) -> Vec<(DimVar, u64)> {
        let beside = self.based.drain(..).flat_map(|number| self.sums.unknowns(number));
        let axes = beside.chain(narrowed.iter().copied()).filter_map(|unknown| {
            let Unknown { var, group, .. } = self.unknowns[unknown];
            Some((var, *self.groups[group].counted.get(&var)?))
        });
        axes.collect()
    }

    /// What the groups commit whose turn is the earliest.
    fn chosen(&self) -> Option<(Turn, Vec<(DimVar, u64)>)> {
        let (turn, ..) = *self.turns.first().filter(|(turn, ..)| Some(*turn) <= self.last)?;
        let groups = self.turns.iter().take_while(|(other, ..)| *other == turn);
        let value = |(.., group): &(Turn, DimVar, usize)| {
            let group = &self.groups[*group];
            if let Some((v, n)) = group.counted.first_key_value() {
                return Some((*v, *n));
            }
            let (.., v) = group.free.first()?;
            Some((*v, u64::try_from(self.sums.bounds(self.number[v]).least).ok()?))
        };
        Some((turn, groups.filter_map(value).collect()))
    }
}

impl StagedRun<'_> {
    /// Variables were bound: what is kept follows.
    pub(super) fn keep_up(&mut self, news: &[Var]) {
        let Some(kept) = &mut self.kept else { return };
        for var in news {
            let value = match self.configuration.bindings.value(*var) {
                Binding::Dim(_, DimTerm::Dim(d)) => Some(d),
                _ => None,
            };
            kept.bound(*var, value);
        }
    }

    /// Would looking at this claim find nothing?
    pub(super) fn passes_over(&self, claim: usize) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_quiet(claim))
    }

    /// What is committed next, as far as that follows from what is kept.
    pub(super) fn next_kept(&mut self) -> Result<Option<Next>, Stopped> {
        if self.kept.is_none() {
            return Ok(None);
        }
        self.propagate_all()?;
        if !self.kept_bounds()? {
            return Ok(None);
        }
        let Some((turn, chosen)) = self.kept.as_ref().and_then(|kept| kept.chosen()) else { return Ok(None) };
        let values = chosen.into_iter().map(|(v, n)| (self.of_size(turn, v, n), turn.rule().into()));
        let next = (turn.stage(), values.collect());
        debug_assert!(self.finds_the_same(&next), "what is kept says what a look at everything says: {next:?}");
        Ok(Some(next))
    }

    fn of_size(&mut self, turn: Turn, v: DimVar, n: u64) -> Given {
        if n == 1 && turn != Turn::Sized { Given::one(v) } else { Given::dim(v, self.sized(v, n)) }
    }

    /// Reads off bounds, and puts the groups in order. Is everything as simple as it was?
    fn kept_bounds(&mut self) -> Result<bool, Stopped> {
        let Some(kept) = self.kept.as_mut().filter(|kept| !kept.lost) else { return Ok(false) };
        let Ok(looks) = kept.sums.settle() else { return Ok(false) };
        self.configuration.fuel.look(looks)?;
        let narrowed = kept.sums.take_news();
        narrowed.iter().for_each(|unknown| kept.count(*unknown));
        let touched = std::mem::take(&mut kept.touched);
        if touched.iter().any(|group| kept.groups[*group].fell_apart()) {
            return Ok(false);
        }
        // Of what was narrowed groups may get another turn as well.
        let of_narrowed = narrowed.iter().map(|unknown| kept.unknowns[*unknown].group);
        let groups: BTreeSet<usize> = touched.into_iter().chain(of_narrowed).collect();
        kept.put_in_order(groups);
        let axes = kept.maybe_based(&narrowed);
        // What can be bound now is bound by a rule that says by which claim.
        Ok(!axes.into_iter().any(|(v, n)| self.of_count(v, n).is_some()))
    }

    /// Looks at everything, where that is little: is the same committed next?
    fn finds_the_same(&mut self, next: &Next) -> bool {
        if self.active.len() > RECOUNTED {
            return true;
        }
        let (fuel, steps, kept) = (self.configuration.fuel, self.steps.len(), self.kept.take());
        let found = self.look_around(Stage::Seven);
        let same = matches!(found, Ok(Some((_, Some(found)))) if found == *next);
        let quiet = self.steps.len() == steps;
        (self.configuration.fuel, self.kept) = (fuel, kept);
        same && quiet
    }
}
