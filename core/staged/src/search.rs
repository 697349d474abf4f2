//! A bounded search, complete within its bounds: is there a solution where commitments led to failure?
//!
//! First the rows: how many axes each row variable has, fewest first (as Remark 6.7 does). With closed rows every
//! constraint is one on dimensions. Then the sizes: an unknown of a claim with the fewest values left is given each of
//! them in turn, and what follows is worked out by the rules that only propagate. When no claim is left, all tops are a
//! solution (Prop. 5.4).

use super::claim::SizeClaim;
use super::meaning::Valuation;
use super::outcome::{StagedSystem, Stopped};
use super::range::Range;
use super::rule::Stage;
use super::run::StagedRun;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::decide::lengths::{Next, Search as Lengths, rows};
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::names::Names;
use lozenge_calculus::policy::{Fuel, Limit, Limits, Policy};
use lozenge_calculus::rules::Store;
use lozenge_calculus::solver::Standing;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, Var, Vars};
use lozenge_engine::lengths::Measures;
use std::collections::BTreeSet;

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchBounds {
    /// An unknown that nothing bounds is tried up to this many elements, or as many more than its least.
    pub size: u64,
    /// The rank of row variables.
    pub rank: usize,
    /// The longest flank of one: where the search comes to a longer one, that is a limit.
    pub longest: usize,
    /// How many choices are tried.
    pub choices: u64,
    /// What all of them may cost.
    pub fuel: u64,
}

impl Default for SearchBounds {
    fn default() -> Self {
        SearchBounds { size: 16, rank: 3, longest: usize::MAX, choices: 2_048, fuel: 400_000 }
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Searched {
    /// A solution.
    Solution(Box<Valuation>),
    /// There is none: every choice was tried.
    None {
        /// How many choices that were.
        choices: u64,
    },
    /// None was found, and not everything was tried.
    Unknown {
        /// How many choices were tried.
        choices: u64,
        /// Sizes were tried up to this.
        size: u64,
        /// The limit that was reached: the fuel, or a number that does not fit. None where the bounds are all there was.
        limit: Option<Limit>,
    },
}

/// Searches for a solution of a system.
#[must_use]
pub fn search(system: &StagedSystem<'_>, names: &Names, policy: Policy, bounds: SearchBounds) -> Searched {
    // Its own limits, so that what it finds does not depend on those of the question.
    let (fuel, policy) = (Fuel::new(bounds.fuel), Policy { limits: Limits::default(), ..policy });
    let mut search = Search { policy, bounds, fuel, choices: 0, spent: 0, cut: false, too_large: false, placed: false };
    let mut found = search.of_residual(system, names);
    if !matches!(found, Ok(Some(_))) && search.placed {
        // What follows rests on where a marker was placed: everything once more, without that.
        (search.cut, search.too_large) = (false, false);
        found = search.of_system(system, names).map(|found| found.map(|values| values.of_system(system)));
    }
    let (choices, size) = (search.spent + search.choices, bounds.size);
    match found {
        Ok(Some(values)) => Searched::Solution(Box::new(values)),
        Ok(None) if !search.cut => Searched::None { choices },
        Ok(None) => Searched::Unknown { choices, size, limit: search.halted(Halt::Bounds).limit() },
        Err(halt) => Searched::Unknown { choices, size, limit: search.halted(halt).limit() },
    }
}

/// A search under way.
struct Search {
    policy: Policy,
    bounds: SearchBounds,
    fuel: Fuel,
    /// The choices that were tried in the group at hand, and those in groups before it.
    choices: u64,
    spent: u64,
    /// Was something left out? Was that for a number that does not fit?
    cut: bool,
    too_large: bool,
    /// Does what is left of the system rest on a choice?
    placed: bool,
}

/// Why a search ended before everything was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    /// A limit was reached.
    Limit(Limit),
    /// The bounds of the search: ranks, sizes, or the number of choices.
    Bounds,
}

impl Halt {
    fn limit(self) -> Option<Limit> {
        match self {
            Halt::Limit(limit) => Some(limit),
            Halt::Bounds => None,
        }
    }
}

impl From<Limit> for Halt {
    fn from(limit: Limit) -> Self {
        Halt::Limit(limit)
    }
}

/// What was chosen for an unknown.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Is(DimVar, Dim),
    Zero(DimVar),
}

impl Search {
    /// A number that does not fit is a limit, and says more than the bounds do.
    fn halted(&self, halt: Halt) -> Halt {
        if halt == Halt::Bounds && self.too_large { Halt::Limit(Limit::Size) } else { halt }
    }

    /// What is left after propagation, group by group; all else takes its top.
    fn of_residual(&mut self, system: &StagedSystem<'_>, names: &Names) -> Result<Option<Valuation>, Halt> {
        let mut all = names.clone();
        let mut run = StagedRun::new(system, &mut all, self.policy);
        (run.stage, run.configuration.fuel) = (Stage::Two, self.fuel);
        let end = run.add(system.phi, system.claims.iter().cloned().enumerate()).and_then(|()| run.settle());
        self.fuel = run.configuration.fuel;
        self.placed = run.is_placed();
        let residuals = match end.and_then(|()| run.residuals()) {
            Ok(residuals) => residuals,
            Err(stopped) => return stopped.limit().map_or(Ok(None), |limit| Err(limit.into())),
        };
        let mut unsolved = Valuation::default();
        let mut open: Option<Halt> = None;
        for residual in residuals {
            let discardable = residual.dims(&run.zero_able);
            let part = StagedSystem { phi: &residual.phi, claims: &residual.claims, discardable, ..Default::default() };
            // Each group has choices of its own: what is found of one does not depend on another.
            self.begin();
            let halt = match self.of_system(&part, &residual.names) {
                Ok(Some(found)) => {
                    residual.take(&found, &mut unsolved);
                    continue;
                }
                // One group without a solution leaves the whole without one.
                Ok(None) if !self.cut => return Ok(None),
                Ok(None) => self.halted(Halt::Bounds),
                Err(halt) => self.halted(halt),
            };
            // A limit in any group is said, and the first of several.
            open = open.filter(|open| *open != Halt::Bounds).or(Some(halt));
        }
        self.begin();
        if let Some(halt) = open {
            return Err(halt);
        }
        let whole = run.values_under(&unsolved);
        let solved = whole.solves(system.phi, system.claims);
        // Tops need not solve a deferred equation.
        self.placed |= !solved;
        Ok(solved.then_some(whole))
    }

    /// The next group of choices.
    fn begin(&mut self) {
        (self.spent, self.choices) = (self.spent + self.choices, 0);
        (self.cut, self.too_large) = (false, false);
    }

    /// Every choice of lengths, and of sizes for each.
    fn of_system(&mut self, system: &StagedSystem<'_>, names: &Names) -> Result<Option<Valuation>, Halt> {
        let of_claims = system.claims.iter().flat_map(Vars::vars).filter_map(|v| match v {
            Var::Row(r) => Some(Constraint::RowEq(r.into(), r.into())),
            Var::Dim(_) => None,
        });
        let phi: Vec<Constraint> = system.phi.iter().cloned().chain(of_claims).collect();
        let mut lengths = Lengths::<Measures>::new(&phi, self.bounds.rank, self.bounds.longest, &mut self.fuel)?;
        loop {
            match lengths.next(&mut self.fuel)? {
                Next::End { complete } => {
                    self.cut |= !complete;
                    return Ok(None);
                }
                Next::Lengths(lengths) => {
                    let mut names = names.clone();
                    let map = rows(&lengths, &mut names);
                    let phi: Vec<Constraint> = phi.iter().map(|c| map.apply_constraint(c)).collect();
                    let claims: Vec<SizeClaim> = system.claims.iter().map(|c| c.apply(&map)).collect();
                    let closed = StagedSystem { phi: &phi, claims: &claims, ..system.clone() };
                    if let Some(mut found) = self.of_dims(&closed, &names, &mut Vec::new())? {
                        let values = lengths.keys().map(|v| (*v, found.ground.row(&map.row(*v)))).collect::<Vec<_>>();
                        found.ground.rows.extend(values);
                        return Ok(Some(found));
                    }
                }
            }
        }
    }

    /// Every choice of sizes, for closed rows.
    fn of_dims(
        &mut self,
        system: &StagedSystem<'_>,
        names: &Names,
        chosen: &mut Vec<Choice>,
    ) -> Result<Option<Valuation>, Halt> {
        if self.choices >= self.bounds.choices {
            return Err(Halt::Bounds);
        }
        self.choices += 1;
        let values = match self.follow(system, names, chosen)? {
            Followed::Nothing => return Ok(None),
            Followed::Solution(found) => return Ok(Some(found)),
            Followed::Open(values) => values,
        };
        for value in values {
            chosen.push(value);
            let found = self.of_dims(system, names, chosen)?;
            chosen.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// What follows from what was chosen.
    fn follow(&mut self, system: &StagedSystem<'_>, names: &Names, chosen: &[Choice]) -> Result<Followed, Limit> {
        let mut names = names.clone();
        let mut run = StagedRun::new(system, &mut names, self.policy);
        (run.stage, run.configuration.fuel) = (Stage::Two, self.fuel);
        for choice in chosen {
            match choice {
                Choice::Zero(v) => drop(run.zeros.insert(*v, false)),
                Choice::Is(v, d) => run.configuration.extend(Constraint::DimEq((*v).into(), (*d).into()), false),
            }
        }
        let solved = run.configuration.run().map_err(Stopped::from);
        let end = solved.and_then(|()| run.add(system.phi, system.claims.iter().cloned().enumerate()));
        let ranges = end.and_then(|()| run.settled());
        self.fuel = run.configuration.fuel;
        let ranges = match ranges {
            Ok(ranges) => ranges,
            Err(stopped) => match stopped.limit() {
                None => return Ok(Followed::Nothing),
                // Numbers that do not fit: what they belong to is left out.
                Some(Limit::Size) => {
                    (self.cut, self.too_large) = (true, true);
                    return Ok(Followed::Nothing);
                }
                Some(limit) => return Err(limit),
            },
        };
        let mut best: Option<(DimVar, Range, u128)> = None;
        for (v, range) in &ranges.of {
            let most = range.most.map_or(u128::MAX, |most| most.n - range.least.n);
            if best.is_none_or(|(.., width)| most < width) {
                best = Some((*v, *range, most));
            }
        }
        match best {
            Some((v, range, _)) => Ok(Followed::Open(self.values(&mut run, v, range))),
            None => Ok(Followed::Solution(run.values_at_top())),
        }
    }

    /// The values that are left for an unknown, least first.
    fn values(&mut self, run: &mut StagedRun<'_>, v: DimVar, range: Range) -> Vec<Choice> {
        let (least, most) = (range.least.n, range.most.map(|most| most.n));
        let below = run.configuration.bounds.lower(v).map(|lower| lower.atom);
        let mut out = Vec::new();
        if least == 0 && run.zero_able.contains(&v) {
            out.push(Choice::Zero(v));
        }
        let is = |d: Dim| Choice::Is(v, d);
        if least <= 1 {
            out.push(is(Dim::Unit));
        }
        if let Some(atom) = below {
            // Above an atom there is itself and 1∅.
            if u128::from(atom.size()) >= least {
                out.push(is(Dim::Atom(atom)));
            }
            return out;
        }
        let top = u128::from(self.bounds.size).max(least.saturating_add(u128::from(self.bounds.size)));
        let last = most.unwrap_or(top).min(top);
        // Sizes that do not fit are left out as well.
        self.too_large |= last > u128::from(u64::MAX);
        self.cut |= self.too_large || most.is_none_or(|most| most > top);
        let bases = run.bases_for(v);
        for n in least.max(1)..=last.min(u64::MAX.into()) {
            let atoms = bases.iter().filter_map(|basis| Atom::new(u64::try_from(n).ok()?, *basis).ok());
            out.extend(atoms.map(|atom| is(Dim::Atom(atom))));
        }
        out
    }
}

impl Valuation {
    /// Without what a search made beside the system's own variables.
    fn of_system(mut self, system: &StagedSystem<'_>) -> Self {
        let vars: BTreeSet<Var> =
            system.phi.vars().into_iter().chain(system.claims.iter().flat_map(Vars::vars)).collect();
        self.ground.dims.retain(|v, _| vars.contains(&Var::Dim(*v)));
        self.ground.rows.retain(|v, _| vars.contains(&Var::Row(*v)));
        self
    }
}

enum Followed {
    /// There is no solution.
    Nothing,
    /// This is one.
    Solution(Valuation),
    /// One of these values.
    Open(Vec<Choice>),
}

impl StagedRun<'_> {
    /// The bases that an unknown can have: that of its size equations, or any that occurs, in constraints or in claims. One
    /// that occurs nowhere says no more than the default one: with that in its place every constraint still holds.
    fn bases_for(&mut self, v: DimVar) -> Vec<Basis> {
        if let Some((basis, _)) = self.basis_of(v) {
            return vec![basis];
        }
        let flanks = |row: &RowTerm| row.lead.iter().chain(&row.trail).copied().collect::<Vec<_>>();
        let of_phi = self.phi.iter().flat_map(|phi| match phi {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => vec![*s, *t],
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => [flanks(s), flanks(t)].concat(),
        });
        let mut bases = vec![Basis::DEFAULT];
        for term in of_phi.chain(self.claims.values().flat_map(SizeClaim::dims)) {
            if let DimTerm::Dim(Dim::Atom(atom)) = term
                && !bases.contains(&atom.basis())
            {
                bases.push(atom.basis());
            }
        }
        bases
    }

    /// Does anything known rest on where a marker was placed?
    fn is_placed(&self) -> bool {
        let bindings = &self.configuration.bindings;
        bindings.bound().any(|v| bindings.standing(v) != Some(Standing::Entailed))
    }
}
