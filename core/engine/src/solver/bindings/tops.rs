//! What rows lead to, found once for all that only read.

use super::super::list::{Link, short};
use super::Bindings;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, RowTerm};

/// For each binding of a row the first that it leads to which has axes, or the last.
#[derive(Clone, Debug)]
pub struct Tops(Vec<At>);

/// A row that σ makes the same of as of another one that it was looked for.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) row: &'a RowTerm,
    /// Does σ put no axes at its marker? Then it stands here with all that it has.
    pub(super) is_whole: bool,
}

/// The same of what a variable is bound to, by the place of that binding.
#[derive(Clone, Copy, Debug)]
struct At {
    at: Link,
    is_whole: bool,
}

impl Bindings {
    /// What rows lead to, as long as nothing more is bound.
    #[must_use]
    pub fn tops(&self) -> Tops {
        let places = 0..short(self.rows.len());
        let mut found: Vec<At> = places.clone().map(|at| At { at, is_whole: false }).collect();
        // A row is bound to variables that are bound after it: the last ones first.
        for at in places.rev() {
            let to = &self.rows[at as usize].to;
            let inner = to.var.and_then(|v| self.link(v)).map(|inner| found[inner as usize]);
            found[at as usize] = match inner {
                None => At { at, is_whole: true },
                Some(inner) if to.known_rank() == 0 => inner,
                Some(inner) => At { at, is_whole: self.is_empty(inner) },
            };
        }
        Tops(found)
    }

    /// σ(R) with the variables that are left at their tops, where it is known what rows lead to.
    #[must_use]
    pub fn row_by(&self, tops: &Tops, term: &RowTerm) -> Row {
        let Found { row, is_whole } = self.find(tops, term);
        if !is_whole {
            return self.row_at_top(row);
        }
        // Most rows stand here with all that they have.
        let flank = |flank: &[DimTerm]| flank.iter().map(|t| self.dim_at_top(*t)).collect();
        let row = Row::new(flank(&row.lead), flank(&row.trail));
        debug_assert_eq!(row, self.row_at_top(term), "{term:?} by what it leads to");
        row
    }

    /// Is this the row that [`row_by`](Self::row_by) makes of R? Nothing is made where R stands with all that it has.
    #[must_use]
    pub fn is_row_by(&self, tops: &Tops, term: &RowTerm, row: &Row) -> bool {
        let Found { row: at, is_whole } = self.find(tops, term);
        if !is_whole {
            return self.row_at_top(at) == *row;
        }
        let is = |(t, d): (&DimTerm, &Dim)| self.dim_at_top(*t) == *d;
        let flank = |terms: &[DimTerm], dims: &[Dim]| terms.len() == dims.len() && terms.iter().zip(dims).all(is);
        let same = flank(&at.lead, &row.lead) && flank(&at.trail, &row.trail);
        debug_assert_eq!(same, self.row_at_top(term) == *row, "{term:?} by what it leads to");
        same
    }

    /// What R is bound to, past variables alone.
    #[inline]
    pub(super) fn find<'a>(&'a self, Tops(tops): &Tops, row: &'a RowTerm) -> Found<'a> {
        let Some(inner) = row.var.and_then(|v| self.link(v)) else { return Found { row, is_whole: true } };
        let At { at, is_whole } = tops[inner as usize];
        match row.known_rank() {
            0 => Found { row: &self.rows[at as usize].to, is_whole },
            _ => Found { row, is_whole: self.is_empty(tops[inner as usize]) },
        }
    }

    /// Has this no axes, nor any further in?
    fn is_empty(&self, At { at, is_whole }: At) -> bool {
        is_whole && self.rows[at as usize].to.known_rank() == 0
    }
}
