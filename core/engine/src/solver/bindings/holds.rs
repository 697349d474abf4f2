//! Do constraints hold (Def. 3.4) of what is bound? Values are all that is looked at, so this knows nothing of the rules.

use super::{Bindings, Tops, read};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, RowTerm};
use std::ptr;

impl Bindings {
    /// The first of these constraints that does not hold of σ with the variables that are left at their tops.
    pub fn violated<'c>(&self, tops: &Tops, phi: impl IntoIterator<Item = &'c Constraint>) -> Option<&'c Constraint> {
        let mut check = Check { bindings: self, tops, made: Default::default() };
        phi.into_iter().find(|phi| !check.holds(phi))
    }
}

/// Constraints looked at, one after the other.
struct Check<'b> {
    bindings: &'b Bindings,
    tops: &'b Tops,
    /// Two rows for all constraints: what is looked at is cheap, and making rows is not.
    made: [Row; 2],
}

impl Check<'_> {
    fn holds(&mut self, phi: &Constraint) -> bool {
        let dim = |t: &DimTerm| self.bindings.dim_at_top(*t);
        match phi {
            Constraint::DimEq(s, t) => dim(s) == dim(t),
            Constraint::DimLe(s, t) => dim(s).le(dim(t)),
            Constraint::RowEq(s, t) => self.rows(s, t, Bindings::flat_eq_at_top, Row::flat_eq),
            Constraint::RowLe(s, t) => self.rows(s, t, Bindings::le_at_top, Row::le),
        }
    }

    /// Most rows are variables that are bound to a row with all its axes: two of these are compared where they stand.
    #[inline]
    fn rows(
        &mut self,
        s: &RowTerm,
        t: &RowTerm,
        standing: fn(&Bindings, &RowTerm, &RowTerm) -> bool,
        made: fn(&Row, &Row) -> bool,
    ) -> bool {
        let (one, other) = (self.bindings.find(self.tops, s), self.bindings.find(self.tops, t));
        // Half of all rows are the same, and what is related relates equal rows.
        if ptr::eq(one.row, other.row) {
            return true;
        }
        if !(one.is_whole && other.is_whole) {
            // What is written alike is the same under one σ.
            return one.row == other.row || self.made(s, t, made);
        }
        let related = standing(self.bindings, one.row, other.row);
        debug_assert_eq!(related, self.made(s, t, made), "{s:?} and {t:?} where they stand");
        related
    }

    /// Are σ(R) and σ(R′) related, made of what is bound?
    fn made(&mut self, s: &RowTerm, t: &RowTerm, related: fn(&Row, &Row) -> bool) -> bool {
        let [one, other] = &mut self.made;
        self.bindings.fill_at_top(one, s);
        self.bindings.fill_at_top(other, t);
        related(one, other)
    }
}

impl Bindings {
    /// Def. 2.9 of rows that stand where they are with all that they have.
    fn flat_eq_at_top(&self, s: &RowTerm, t: &RowTerm) -> bool {
        let axes = |row| read::flat(row).map(|axis| self.dim_at_top(*axis));
        s.known_rank() == t.known_rank() && axes(s).eq(axes(t))
    }

    /// Def. 2.3 of such rows: each flank of the operand faces the outer part of the result's. What the result has further
    /// in faces 1∅, and everything is below that.
    fn le_at_top(&self, result: &RowTerm, operand: &RowTerm) -> bool {
        let fits = |(result, operand): (&DimTerm, &DimTerm)| match (result, operand) {
            (DimTerm::Dim(result), DimTerm::Dim(operand)) => (*result).le(*operand),
            (result, operand) => self.dim_at_top(*result).le(self.dim_at_top(*operand)),
        };
        operand.lead.len() <= result.lead.len()
            && operand.trail.len() <= result.trail.len()
            && result.lead.iter().zip(&operand.lead).all(fits)
            && result.trail.iter().rev().zip(operand.trail.iter().rev()).all(fits)
    }

    /// Makes a row what σ(R) is with the variables that are left at their tops.
    fn fill_at_top(&self, row: &mut Row, term: &RowTerm) {
        row.lead.clear();
        row.trail.clear();
        for term in read::spine(term, |v| self.row_at_end(v)) {
            row.lead.extend(term.lead.iter().map(|t| self.dim_at_top(*t)));
            row.trail.extend(term.trail.iter().rev().map(|t| self.dim_at_top(*t)));
        }
        row.trail.reverse();
    }
}
