//! The lengths of the flanks of every row variable that row constraints allow, fewest axes first.
//!
//! R_res ⊑ R_op bounds each flank on its own side (Def. 2.3), R₁ ≈ R₂ makes the ranks equal (Def. 2.9). Choices are
//! made one variable after the other and taken back, without recursion: the fuel bounds what is looked at, and
//! only one choice is kept at a time.
//!
//! Chapter: spec/6-closing.md.

use crate::constraint::Constraint;
use crate::names::Names;
use crate::policy::{Fuel, Limit};
use crate::subst::Map;
use crate::term::{DimTerm, RowTerm, RowVar, Var, Vars};
use std::collections::BTreeMap;

/// For each row variable, how many leading and how many trailing axes.
pub type Lengths = BTreeMap<RowVar, (usize, usize)>;

/// What a search comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// The next lengths.
    Lengths(Lengths),
    /// There are no more; were these all there are?
    End {
        /// Were they?
        complete: bool,
    },
}

/// Who judges lengths: [`Literal`], or one that says the same.
pub trait Judge<'a>: Sized {
    /// Of the row constraints of Φ, whose row variables get lengths in this order.
    fn of(phi: &'a [Constraint], vars: &[RowVar]) -> Self;

    /// How many constraints can be judged once so many variables have lengths, and not before?
    fn judged_at(&self, vars: usize) -> usize;

    /// Do all of these allow the lengths of the first variables?
    fn allow(&self, chosen: &[(usize, usize)]) -> bool;
}

/// The row constraints themselves.
#[derive(Debug)]
pub struct Literal<'a> {
    /// The place of each variable.
    place: BTreeMap<RowVar, usize>,
    /// Those that can be judged once the first i variables have lengths.
    checks: Vec<Vec<&'a Constraint>>,
}

/// Enumerates lengths by the total number of axes.
#[derive(Debug)]
pub struct Search<J> {
    judge: J,
    vars: Vec<RowVar>,
    /// The highest rank that each variable is given, and the sum of these from each on.
    highest: Vec<usize>,
    rest: Vec<usize>,
    /// May some variable be longer than that?
    cut: bool,
    /// A longer flank is beyond a limit. Were it passed over, what is found would depend on the limit.
    longest: usize,
    /// The total being tried.
    total: usize,
    /// The lengths of the first variables, and the axes that are left for the others.
    chosen: Vec<(usize, usize)>,
    left: usize,
    /// Was a total begun?
    begun: bool,
}

/// The rows of these lengths, each axis a variable of its own.
#[must_use]
pub fn rows(lengths: &Lengths, names: &mut Names) -> Map {
    let mut fresh = |n: &usize| (0..*n).map(|_| DimTerm::Var(names.fresh_dim())).collect::<Vec<_>>();
    let values = lengths.iter().map(|(var, (lead, trail))| (*var, RowTerm::new(fresh(lead), None, fresh(trail))));
    let values: Vec<(RowVar, RowTerm)> = values.collect();
    values.into_iter().fold(Map::identity(), |map, (var, value)| map.with_row(var, value))
}

impl Literal<'_> {
    /// Does a row constraint allow these lengths?
    fn allows(&self, phi: &Constraint, chosen: &[(usize, usize)]) -> bool {
        let measure = |row: &RowTerm| {
            let of = row.var.and_then(|v| self.place.get(&v)).and_then(|i| chosen.get(*i));
            let (lead, trail) = of.copied().unwrap_or((0, 0));
            (row.lead.len() + lead, row.trail.len() + trail)
        };
        match phi {
            Constraint::RowLe(res, op) => {
                let ((l2, r2), (l1, r1)) = (measure(res), measure(op));
                l1 <= l2 && r1 <= r2
            }
            Constraint::RowEq(a, b) => {
                let ((l1, r1), (l2, r2)) = (measure(a), measure(b));
                l1 + r1 == l2 + r2
            }
            Constraint::DimEq(..) | Constraint::DimLe(..) => true,
        }
    }
}

impl<'a> Judge<'a> for Literal<'a> {
    fn of(phi: &'a [Constraint], vars: &[RowVar]) -> Self {
        let place: BTreeMap<RowVar, usize> = vars.iter().enumerate().map(|(i, v)| (*v, i)).collect();
        let mut checks = vec![Vec::new(); vars.len() + 1];
        for constraint in phi {
            if let Constraint::RowEq(s, t) | Constraint::RowLe(s, t) = constraint {
                let after = |r: &RowTerm| r.var.and_then(|v| place.get(&v)).map_or(0, |i| i + 1);
                checks[after(s).max(after(t))].push(constraint);
            }
        }
        Literal { place, checks }
    }

    fn judged_at(&self, vars: usize) -> usize {
        self.checks[vars].len()
    }

    fn allow(&self, chosen: &[(usize, usize)]) -> bool {
        self.checks[chosen.len()].iter().all(|phi| self.allows(phi, chosen))
    }
}

impl<'a, J: Judge<'a>> Search<J> {
    /// The lengths of the row variables of Φ, each up to a rank, where no flank may be longer than a limit.
    ///
    /// # Errors
    /// [`Limit::Fuel`].
    pub fn new(phi: &'a [Constraint], rank_bound: usize, longest: usize, fuel: &mut Fuel) -> Result<Self, Limit> {
        let rows = phi.vars().into_iter().filter_map(|v| if let Var::Row(r) = v { Some(r) } else { None });
        let vars: Vec<RowVar> = rows.collect();
        let judge = J::of(phi, &vars);
        let bounds = upper_bounds(phi, &vars, fuel)?;
        let cut = bounds.iter().any(|b| b.is_none_or(|b| b > rank_bound));
        let highest: Vec<usize> = bounds.iter().map(|b| b.unwrap_or(rank_bound).min(rank_bound)).collect();
        let mut rest = vec![0_usize; vars.len() + 1];
        for i in (0..vars.len()).rev() {
            rest[i] = rest[i + 1].saturating_add(highest[i]);
        }
        let (chosen, left) = (Vec::new(), 0);
        Ok(Search { judge, vars, highest, rest, cut, longest, total: 0, chosen, left, begun: false })
    }

    /// The next lengths.
    ///
    /// # Errors
    /// [`Limit::Fuel`], or [`Limit::Rank`] where they come to a flank that is too long.
    pub fn next(&mut self, fuel: &mut Fuel) -> Result<Next, Limit> {
        let mut deeper = !self.begun && self.fits(fuel)?;
        self.begun = true;
        loop {
            if deeper && self.chosen.len() == self.vars.len() && self.left == 0 {
                if self.chosen.iter().any(|(lead, trail)| *lead.max(trail) > self.longest) {
                    return Err(Limit::Rank);
                }
                let lengths = self.vars.iter().copied().zip(self.chosen.iter().copied()).collect();
                return Ok(Next::Lengths(lengths));
            }
            let moved = if deeper { self.choose_first() } else { self.choose_next() };
            deeper = match moved {
                Moved::Here => self.fits(fuel)?,
                Moved::Nowhere => false,
                Moved::Out if self.total >= self.rest[0] => return Ok(Next::End { complete: !self.cut }),
                Moved::Out => {
                    self.total += 1;
                    self.left = self.total;
                    self.fits(fuel)?
                }
            };
        }
    }

    /// Gives the next variable its shortest lengths.
    fn choose_first(&mut self) -> Moved {
        let i = self.chosen.len();
        if i == self.vars.len() {
            return Moved::Nowhere;
        }
        let rank = self.left.saturating_sub(self.rest[i + 1]);
        if rank > self.left.min(self.highest[i]) {
            return Moved::Nowhere;
        }
        self.chosen.push((0, rank));
        self.left -= rank;
        Moved::Here
    }

    /// Gives the last variable that has further lengths the next of them: the marker further on, then more axes.
    fn choose_next(&mut self) -> Moved {
        while let Some((lead, trail)) = self.chosen.pop() {
            let (i, rank) = (self.chosen.len(), lead + trail);
            self.left += rank;
            let next = if trail > 0 { (lead + 1, trail - 1) } else { (0, rank + 1) };
            if next.0 + next.1 <= self.left.min(self.highest[i]) {
                self.chosen.push(next);
                self.left -= next.0 + next.1;
                return Moved::Here;
            }
        }
        Moved::Out
    }

    /// Do the constraints allow the lengths chosen so far, as far as they can be judged?
    fn fits(&self, fuel: &mut Fuel) -> Result<bool, Limit> {
        fuel.look(1 + self.judge.judged_at(self.chosen.len()) as u64)?;
        Ok(self.judge.allow(&self.chosen))
    }
}

/// Where a choice leads.
enum Moved {
    /// To lengths for one variable more, or to others for the last.
    Here,
    /// To none: what is left does not go on here.
    Nowhere,
    /// All choices with this total are used up.
    Out,
}

/// The largest rank that the constraints allow each variable, where they allow only finitely many.
fn upper_bounds(phi: &[Constraint], vars: &[RowVar], fuel: &mut Fuel) -> Result<Vec<Option<usize>>, Limit> {
    let mut bound: BTreeMap<RowVar, usize> = BTreeMap::new();
    // The rank of a row is at most this.
    let most = |row: &RowTerm, bound: &BTreeMap<RowVar, usize>| match row.var {
        None => Some(row.known_rank()),
        Some(v) => bound.get(&v).map(|b| b + row.known_rank()),
    };
    // One round per variable carries a bound along every chain; more only sharpens bounds in cycles.
    for _ in 0..=vars.len() {
        fuel.look(1 + phi.len() as u64)?;
        let mut changed = false;
        for constraint in phi {
            let pairs: &[(&RowTerm, &RowTerm)] = match constraint {
                Constraint::RowEq(a, b) => &[(a, b), (b, a)],
                // rank(op) ≤ rank(res)
                Constraint::RowLe(res, op) => &[(res, op)],
                Constraint::DimEq(..) | Constraint::DimLe(..) => &[],
            };
            for (larger, smaller) in pairs {
                if let (Some(most), Some(v)) = (most(larger, &bound), smaller.var) {
                    let rank = most.saturating_sub(smaller.known_rank());
                    if bound.get(&v).is_none_or(|known| rank < *known) {
                        bound.insert(v, rank);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    Ok(vars.iter().map(|v| bound.get(v).copied()).collect())
}
