//! Two parts of Φ that are alike: the same but for the numbers of variables, some of which stay and the others of which are
//! moved, all by the same. Order by age is kept, and that is all that the rules see of a number.

use super::Likeness;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Sort;
use lozenge_calculus::term::{DimTerm, DimVar, Flank, RowTerm, RowVar, Var};

/// How numbers are moved, found from pairs that face each other: the older ones stay, and the younger ones are moved. The
/// variables that were there from the start and those that runs make are moved apart from each other.
#[derive(Clone, Debug)]
pub(super) struct Shift {
    /// The first number of those that runs make.
    made: u32,
    given: Moved,
    fresh: Moved,
}

#[derive(Clone, Copy, Debug)]
struct Moved {
    /// The first number that was not seen to stay.
    stay: u32,
    /// The first that is moved, larger than all numbers where none is, and by how much.
    from: u32,
    by: u32,
}

/// No number is as large.
const NONE: u32 = u32::MAX;

impl Moved {
    const NOTHING: Self = Moved { stay: 0, from: NONE, by: 0 };

    /// Does this number face that one?
    #[inline]
    fn pair(&mut self, one: u32, other: u32) -> bool {
        if one == other && one < self.from {
            self.stay = self.stay.max(one + 1);
            return true;
        }
        let by = other.wrapping_sub(one);
        let moved = other > one && (self.by == by || self.by == 0);
        if moved {
            (self.by, self.from) = (by, self.from.min(one));
        }
        moved
    }

    #[inline]
    fn number(self, one: u32) -> u32 {
        if one >= self.from { one + self.by } else { one }
    }

    /// Are those that stay older than those that are moved?
    fn keeps_order(self) -> bool {
        self.stay <= self.from
    }
}

impl Shift {
    /// A part during which variables were made from this number on faces one during which they are made from that one on.
    /// The first variable that any run made has the number `made`.
    pub(super) fn new(made: u32, one: u32, other: u32) -> Self {
        let by = other.saturating_sub(one);
        let fresh = Moved { from: if by > 0 { one } else { NONE }, by, ..Moved::NOTHING };
        Shift { made, given: Moved::NOTHING, fresh }
    }

    fn moved(&mut self, number: u32) -> &mut Moved {
        if number < self.made { &mut self.given } else { &mut self.fresh }
    }

    #[inline]
    fn pair(&mut self, one: u32, other: u32) -> bool {
        (one < self.made) == (other < self.made) && self.moved(one).pair(one, other)
    }

    pub(super) fn dims(&mut self, one: DimTerm, other: DimTerm) -> bool {
        match (one, other) {
            (DimTerm::Var(one), DimTerm::Var(other)) => self.pair(one.0, other.0),
            (one, other) => one == other,
        }
    }

    pub(super) fn rows(&mut self, one: &RowTerm, other: &RowTerm) -> bool {
        let vars = match (one.var, other.var) {
            (Some(one), Some(other)) => self.pair(one.0, other.0),
            (one, other) => one == other,
        };
        let mut flanks = |one: &[DimTerm], other: &[DimTerm]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.dims(*one, *other))
        };
        vars && flanks(&one.lead, &other.lead) && flanks(&one.trail, &other.trail)
    }

    pub(super) fn constraints(&mut self, one: &Constraint, other: &Constraint) -> bool {
        use Constraint::{DimEq, DimLe, RowEq, RowLe};
        match (one, other) {
            (DimEq(s, t), DimEq(u, v)) | (DimLe(s, t), DimLe(u, v)) => self.dims(*s, *u) && self.dims(*t, *v),
            (RowEq(s, t), RowEq(u, v)) | (RowLe(s, t), RowLe(u, v)) => self.rows(s, u) && self.rows(t, v),
            _ => false,
        }
    }

    /// Parts of which it is known that they are alike, if they are by a shift.
    pub(super) fn likenesses(&mut self, one: Likeness<'_>, other: Likeness<'_>) -> bool {
        let (these, those) = (one.variables, other.variables);
        one.kind == other.kind && these.iter().zip(those).all(|(one, other)| self.pair(*one, *other)) && self.holds()
    }

    /// Is every pair that was seen one of the same shift, and is the order by age kept?
    pub(super) fn holds(&self) -> bool {
        self.given.keeps_order() && self.fresh.keeps_order()
    }

    #[inline]
    fn number(&self, number: u32) -> u32 {
        if number < self.made { self.given.number(number) } else { self.fresh.number(number) }
    }

    #[inline]
    pub(super) fn dim_var(&self, DimVar(number): DimVar) -> DimVar {
        DimVar(self.number(number))
    }

    #[inline]
    pub(super) fn row_var(&self, RowVar(number): RowVar) -> RowVar {
        RowVar(self.number(number))
    }

    pub(super) fn var(&self, var: Var) -> Var {
        let sort: Sort = var.sort();
        Var::new(sort, self.number(var.id()))
    }

    #[inline]
    pub(super) fn dim(&self, term: DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(v) => DimTerm::Var(self.dim_var(v)),
            ground => ground,
        }
    }

    #[inline]
    pub(super) fn row(&self, row: &RowTerm) -> RowTerm {
        let var = row.var.map(|v| self.row_var(v));
        // Most are variables.
        if row.known_rank() == 0 {
            return RowTerm { var, ..RowTerm::default() };
        }
        let flank = |flank: &[DimTerm]| -> Flank {
            if flank.is_empty() { Flank::default() } else { flank.iter().map(|t| self.dim(*t)).collect() }
        };
        RowTerm { lead: flank(&row.lead), var, trail: flank(&row.trail) }
    }
}
