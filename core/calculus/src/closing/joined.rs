//! What is known of the join of a row variable's caps (Prop. 2.7), holes included.
//!
//! Chapter: spec/6-closing.md.

use crate::dim::Dim;
use crate::row::{Edge, Row};
use crate::term::{DimTerm, DimVar, Flank, RowTerm};

/// What is known of the join of a row variable's caps; `None` at a position is a hole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Joined {
    /// The leading flank.
    pub lead: Vec<Option<Dim>>,
    /// The trailing flank, from the back.
    pub trail: Vec<Option<Dim>>,
}

impl Joined {
    /// The positions that no cap fills.
    pub fn holes(&self) -> impl Iterator<Item = (Edge, usize)> + '_ {
        let of = |edge: Edge, flank: &'_ [Option<Dim>]| {
            let holes: Vec<_> = flank.iter().enumerate().filter(|(_, d)| d.is_none()).map(|(i, _)| (edge, i)).collect();
            holes
        };
        of(Edge::Front, &self.lead).into_iter().chain(of(Edge::Back, &self.trail))
    }

    /// Does no cap write an axis?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lead.is_empty() && self.trail.is_empty()
    }

    /// The row with 1∅ in its holes.
    #[must_use]
    pub fn filled(&self) -> Row {
        let fill = |d: &Option<Dim>| d.unwrap_or(Dim::Unit);
        Row::new(self.lead.iter().map(fill).collect(), self.trail.iter().rev().map(fill).collect())
    }

    /// The row as a term, its holes made by `hole`, first to last.
    pub fn term(&self, mut hole: impl FnMut() -> DimTerm) -> RowTerm {
        let mut fill = |d: &Option<Dim>| d.map_or_else(&mut hole, DimTerm::Dim);
        let lead: Flank = self.lead.iter().map(&mut fill).collect();
        RowTerm::new(lead, None, self.trail.iter().rev().map(&mut fill).collect::<Flank>())
    }

    /// Prop. 2.7, with holes that any known entry fills. Does it change anything?
    pub fn join(&mut self, other: &Joined) -> bool {
        let mut changed = false;
        for (mine, theirs) in [(&mut self.lead, &other.lead), (&mut self.trail, &other.trail)] {
            changed |= theirs.len() < mine.len();
            mine.truncate(theirs.len());
            for (x, y) in mine.iter_mut().zip(theirs) {
                let joined = match (*x, *y) {
                    (Some(x), Some(y)) => Some(x.join(y)),
                    (known, None) | (None, known) => known,
                };
                changed |= joined != *x;
                *x = joined;
            }
        }
        changed
    }
}

/// l·inner·r.
#[must_use]
pub fn around(dim: impl Fn(DimVar) -> Option<Dim>, cap: &RowTerm, inner: &Joined) -> Joined {
    let axis = |t: &DimTerm| match t {
        DimTerm::Dim(d) => Some(*d),
        DimTerm::Var(v) => dim(*v),
    };
    let lead = cap.lead.iter().map(axis).chain(inner.lead.iter().copied()).collect();
    let trail = cap.trail.iter().rev().map(axis).chain(inner.trail.iter().copied()).collect();
    Joined { lead, trail }
}
