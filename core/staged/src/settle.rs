//! Settling: claims propagated, and bounds read off all of them together, until nothing is new. All of it is entailed
//! by what was there before.

use super::cancel::cancelled;
use super::claim::{Affine, SizeClaim, SizeTerm};
use super::commit::Given;
use super::meaning::basis;
use super::outcome::{By, Marks, Stopped};
use super::range::{Limit, Range, Ranges, Read, Relation, Says};
use super::rule::StageRule;
use super::run::{RECOUNTED, StagedRun};
use super::turns::Turns;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::rules::Store;
use lozenge_calculus::term::{DimTerm, DimVar, Var};
use std::collections::{BTreeMap, BTreeSet};

/// How many elements dimensions have at least, and at most.
pub type SizeBounds = BTreeMap<DimVar, (u128, Option<u128>)>;

impl StagedRun<'_> {
    /// Solves and propagates until nothing is new, bounds included.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn settle(&mut self) -> Result<(), Stopped> {
        self.settled().map(|_| ())
    }

    /// The same, with the ranges that are left in the end.
    pub(super) fn settled(&mut self) -> Result<Ranges, Stopped> {
        loop {
            self.propagate_all()?;
            let ranges = if self.active.is_empty() { Ranges::default() } else { self.ranges()? };
            if !self.bound(&ranges)? {
                return Ok(ranges);
            }
        }
    }

    /// Settles. What is then known of the sizes of the input's dimensions; none where bounds still moved when it was
    /// left at that.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn bounds(&mut self) -> Result<Option<SizeBounds>, Stopped> {
        let ranges = self.settled()?;
        if ranges.moving {
            return Ok(None);
        }
        let dims: Vec<DimVar> =
            self.input.iter().filter_map(|v| if let Var::Dim(v) = v { Some(v) } else { None }).collect();
        let mut bound = |v: DimVar| match self.look(v.into()).0 {
            DimTerm::Dim(d) => (u128::from(d.elements()), Some(u128::from(d.elements()))),
            DimTerm::Var(u) if self.zeros.contains_key(&u) => (0, Some(0)),
            DimTerm::Var(u) => {
                let range = ranges.of.get(&u).copied().unwrap_or_else(|| self.unclaimed(u));
                (range.least.n, range.most.map(|most| most.n))
            }
        };
        Ok(Some(dims.into_iter().map(|v| (v, bound(v))).collect()))
    }

    /// The relations of the claims that are not discharged.
    pub(super) fn relations(&mut self) -> Vec<Read> {
        let mut out = Vec::new();
        for claim in self.active.clone() {
            let mut tainted = false;
            let found = match self.claims.get(&claim).cloned() {
                Some(SizeClaim::Size(d, term)) => match self.equation(d, &term) {
                    Ok(Some((rule, linear, t))) => {
                        tainted = t;
                        Some((rule, Relation::Linear(linear)))
                    }
                    _ => None,
                },
                Some(SizeClaim::Total(total)) => match self.product(&total, &mut tainted) {
                    Ok(Some(product)) => Some((StageRule::Total, Relation::Product(product))),
                    _ => None,
                },
                Some(SizeClaim::AtLeast(d, n)) => match self.look(d) {
                    (DimTerm::Var(v), t) => {
                        tainted = t;
                        Some((StageRule::Least, Relation::Least(v, n)))
                    }
                    _ => None,
                },
                Some(SizeClaim::Exact(_)) | None => None,
            };
            out.extend(found.map(|(rule, relation)| (rule, relation, Says { by: claim.into(), tainted })));
        }
        out
    }

    /// What the unknowns of claims are before any claim is looked at.
    fn unbounded(&mut self) -> Ranges {
        let dims = self.claimed().into_iter().filter_map(|v| if let Var::Dim(v) = v { Some(v) } else { None });
        Ranges { of: dims.map(|v| (v, self.unclaimed(v))).collect(), ..Ranges::default() }
    }

    /// What an unknown is without claims: at least one element, none where that may be, and with an atom below no more
    /// than it has.
    fn unclaimed(&self, v: DimVar) -> Range {
        let least = Limit { n: u128::from(!self.zero_able.contains(&v)), tainted: false, by: None };
        let below = self.configuration.bounds.lower(v);
        let most = below.map(|l| Limit { n: u128::from(l.atom.size()), tainted: l.by.tainted, by: None });
        Range { least, most }
    }

    /// ST-bounds, ST-cancel: the ranges of all unknowns of claims. The seeds read off none.
    fn ranges(&mut self) -> Result<Ranges, Stopped> {
        self.look_at_claims(2 * self.active.len())?;
        let mut relations = self.relations();
        let mut ranges = self.unbounded();
        if self.marks == Marks::Seeds {
            return Ok(ranges);
        }
        let claims = relations.len();
        relations.extend(cancelled(&relations, &ranges));
        loop {
            self.read_off(&relations, &mut ranges)?;
            // A range that has become one number is no term any more: more may cancel.
            let differences = cancelled(&relations[..claims], &ranges);
            if differences.iter().map(by).eq(relations[claims..].iter().map(by)) {
                return Ok(ranges);
            }
            relations.truncate(claims);
            relations.extend(differences);
        }
    }

    /// Reads bounds off all of these until nothing is new.
    fn read_off(&mut self, relations: &[Read], ranges: &mut Ranges) -> Result<(), Stopped> {
        let mut turns = Turns::of(relations);
        while let Some(at) = turns.next() {
            let (rule, relation, says) = &relations[at];
            self.configuration.fuel.look(relation.terms())?;
            if let Err((why, tainted)) = relation.narrow(ranges, *says) {
                let refused = self.refuse(says.by.claim, *rule, why, tainted);
                refused.map_err(|stopped| stopped.bounded_by(behind(relations, ranges, at)))?;
            }
            turns.narrowed(ranges.news.drain(..));
        }
        ranges.moving = !turns.is_over();
        debug_assert!(
            ranges.moving || nothing_is_narrowed(relations, ranges),
            "bounds of which nothing is new are passed over"
        );
        Ok(())
    }

    /// What follows from bounds: is anything new?
    fn bound(&mut self, ranges: &Ranges) -> Result<bool, Stopped> {
        let before = self.steps.len();
        self.look_at_claims(ranges.of.len())?;
        for (v, range) in &ranges.of {
            if range.least.n >= 2 {
                self.no_unit(*v, range.least);
            }
            let by = range.least.by.or(range.most.and_then(|most| most.by));
            // With an atom below, two elements or more have been said.
            let said = range.least.n >= 2 && self.configuration.bounds.lower(*v).is_some();
            if let Some((n, tainted)) = range.count().filter(|_| !said) {
                self.counted(*v, n, tainted, rule_of(by), by);
            }
        }
        if self.steps.len() == before {
            return Ok(false);
        }
        self.configuration.run()?;
        Ok(true)
    }

    /// An axis of two elements or more is no 1∅: what must fit below it is equal to it.
    fn no_unit(&mut self, v: DimVar, least: Limit) {
        let mut equal: Vec<(DimVar, DimTerm, bool)> = Vec::new();
        if let Some(below) = self.configuration.bounds.lower(v) {
            equal.push((v, DimTerm::Dim(Dim::Atom(below.atom)), below.by.tainted));
        }
        equal.extend(self.configuration.bounds.below(v).map(|(u, by)| (u, v.into(), by.tainted)));
        for (u, value, tainted) in equal {
            self.configuration.extend(Constraint::DimEq(u.into(), value), tainted || least.tainted);
            self.note(rule_of(least.by), least.by, Given::dim(u, value));
        }
    }

    /// An axis has so many elements: binds it where that says which dimension it is.
    pub(super) fn counted(&mut self, v: DimVar, n: u64, tainted: bool, rule: StageRule, by: Option<By>) -> bool {
        if n == 0 {
            let new = self.zeros.insert(v, tainted).is_none();
            if new {
                self.zeroed(v);
                self.note(rule, by, Given::Zero(v));
            }
            return new;
        }
        let Some((dim, t)) = self.of_count(v, n) else { return false };
        self.configuration.extend(Constraint::DimEq(v.into(), dim.into()), tainted || t);
        self.note(rule, by, Given::dim(v, dim));
        true
    }

    /// The dimension that has n ≥ 1 elements, is no less than what must fit below v, and has the basis of v's size
    /// equations, and whether that rests on a commitment. None where there are several: which one is a choice.
    pub(super) fn of_count(&mut self, v: DimVar, n: u64) -> Option<(Dim, bool)> {
        let (basis, tainted) = match self.configuration.bounds.lower(v) {
            Some(below) if n == 1 && below.atom.size() != 1 => return Some((Dim::Unit, below.by.tainted)),
            _ if n == 1 => return None,
            Some(below) => (below.atom.basis(), below.by.tainted),
            None => self.basis_of(v)?,
        };
        Some((Dim::Atom(Atom::new(n, basis).ok()?), tainted))
    }

    /// The basis that size equations give an unknown of two elements or more: that of an axis which one of them has
    /// beside it. An axis further off says nothing: what lies between may be 1∅.
    pub(super) fn basis_of(&mut self, v: DimVar) -> Option<(Basis, bool)> {
        // A kernel counts distances, and a factor is a number.
        if self.is_kernel(v) || self.factor_of(v).is_some() {
            return Some((Basis::DEFAULT, false));
        }
        let equations = self.size_equations(&[v]);
        let mut beside = equations.iter().flatten();
        beside.find_map(|(term, tainted)| Some((known_basis(*term)?, *tainted)))
    }

    /// The basis to choose for an unknown: that of its size equations, or of the nearest axis they connect it to.
    pub(super) fn likely_basis(&mut self, v: DimVar) -> Option<Basis> {
        if let Some((basis, _)) = self.basis_of(v) {
            return Some(basis);
        }
        let (mut reached, mut last) = (BTreeSet::from([v]), vec![v]);
        while !last.is_empty() {
            // The equations of what was reached before have no basis to give.
            let near: Vec<_> = self.size_equations(&last).into_iter().flatten().collect();
            if let Some(basis) = near.iter().find_map(|(term, _)| known_basis(*term)) {
                return Some(basis);
            }
            let unknown = near.iter().filter_map(|(term, _)| if let DimTerm::Var(u) = term { Some(*u) } else { None });
            last = unknown.filter(|u| reached.insert(*u)).collect();
        }
        None
    }

    /// The axes of every size equation that is not discharged and has one of these.
    fn size_equations(&mut self, of: &[DimVar]) -> Vec<Vec<(DimTerm, bool)>> {
        let numbers: BTreeSet<usize> = of.iter().flat_map(|v| self.claims_with(*v)).collect();
        let mut all: Vec<_> = numbers.into_iter().filter_map(|number| self.axes(number)).collect();
        all.retain(|axes| axes.iter().any(|(term, _)| matches!(term, DimTerm::Var(u) if of.contains(u))));
        // Where that is too much, what comes next is stopped.
        let _ = self.configuration.fuel.look(all.iter().map(|axes| axes.len() as u64).sum());
        all
    }

    /// Is this the kernel of a valid convolution?
    fn is_kernel(&mut self, v: DimVar) -> bool {
        self.claims_with(v).into_iter().any(|number| match self.claims.get(&number) {
            Some(SizeClaim::Size(_, SizeTerm::Affine(Affine { conv: Some(conv), .. }))) if !conv.padded => {
                let kernel = conv.kernel;
                self.look(kernel).0 == DimTerm::Var(v)
            }
            _ => false,
        })
    }

    /// The axes of a size equation, which have one basis, as far as they are known; its kernel is none of them.
    pub(super) fn axes(&mut self, number: usize) -> Option<Vec<(DimTerm, bool)>> {
        let Some(SizeClaim::Size(d, term)) = self.claims.get(&number).cloned() else { return None };
        let mut axes = match term {
            SizeTerm::Affine(affine) => vec![affine.over],
            SizeTerm::Concat(parts) => parts,
        };
        axes.push(d);
        Some(axes.into_iter().map(|t| self.look(t)).collect())
    }

    /// The unsolved variables of claims that are not discharged.
    pub(super) fn claimed(&mut self) -> BTreeSet<Var> {
        self.active.clone().into_iter().flat_map(|number| self.open_vars(number)).collect()
    }
}

/// The claims that the ranges of this relation's unknowns are from, and those that their ranges are from in turn.
fn behind(relations: &[Read], ranges: &Ranges, at: usize) -> BTreeSet<usize> {
    let (mut found, mut open) = (BTreeSet::new(), vec![at]);
    while let Some((_, relation, _)) = open.pop().and_then(|at| relations.get(at)) {
        let of = relation.unknowns().into_iter().filter_map(|v| ranges.of.get(&v));
        for by in of.flat_map(|range| [range.least.by, range.most.and_then(|most| most.by)]).flatten() {
            if found.insert(by) {
                open.extend(relations.binary_search_by_key(&order(by), |read| order(self::by(read))));
            }
        }
    }
    let own = relations.get(at).and_then(|(.., says)| says.by.less);
    found.into_iter().flat_map(By::claims).chain(own).collect()
}

/// Looks at all relations, where they are few: does none narrow anything?
fn nothing_is_narrowed(relations: &[Read], ranges: &Ranges) -> bool {
    if relations.len() > RECOUNTED {
        return true;
    }
    let mut ranges = ranges.clone();
    let quiet = relations.iter().all(|(_, relation, says)| relation.narrow(&mut ranges, *says).is_ok());
    quiet && ranges.news.is_empty()
}

fn by((.., says): &Read) -> By {
    says.by
}

/// Claims come first, and then their differences.
fn order(by: By) -> (bool, By) {
    (by.less.is_some(), by)
}

/// A bound of a difference has the rule that made it.
fn rule_of(by: Option<By>) -> StageRule {
    if by.is_some_and(|by| by.less.is_some()) { StageRule::Cancel } else { StageRule::Bounds }
}

fn known_basis(term: DimTerm) -> Option<Basis> {
    match term {
        DimTerm::Dim(d) => basis(d),
        DimTerm::Var(_) => None,
    }
}
