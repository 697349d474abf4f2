//! CL-leaf, CL-hole: what the leaves that have caps are given.

use super::open::Open;
use super::saturate::{Joined, Joins};
use super::{CloseRule, Commitment, End, Hole};
use crate::certificate::Edge;
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::term::{DimVar, Term, Var, Vars};

/// The leaves that are open, and the constraints they come from.
pub(super) struct Leaves<'a> {
    pub(super) phi: &'a [Constraint],
    pub(super) open: &'a Open,
}

impl Leaves<'_> {
    /// Those that have a cap, each at the join that saturation found. `known` is the atom below a dimension.
    pub(super) fn capped(&self, known: impl Fn(DimVar) -> Option<Dim>, joins: &Joins) -> Result<Vec<Commitment>, End> {
        let mut commitments = Vec::new();
        for var in self.open.leaves.iter().copied() {
            let (value, rule) = match var {
                Var::Dim(v) => match known(v) {
                    Some(dim) => (Term::Dim(dim.into()), CloseRule::Leaf),
                    None => continue,
                },
                Var::Row(v) => match joins.get(v) {
                    Some(joined) => self.row_of(var, joined)?,
                    None => continue,
                },
            };
            commitments.push((var, value, rule));
        }
        Ok(commitments)
    }

    /// Those whose caps are open: what is written of them is known, and nothing fits below their variables.
    pub(super) fn open_capped(&self, joins: &Joins) -> Result<Vec<Commitment>, End> {
        let rows = |sure: bool| {
            let found = self.open.leaves.iter().filter_map(|var| match var {
                Var::Row(v) => Some((*var, joins.get(*v)?)),
                Var::Dim(_) => None,
            });
            // A cap that writes no axis says no more than none.
            let found = found.filter(|(_, joined)| !joined.is_empty());
            found.filter(move |(_, joined)| joined.holes().next().is_none() == sure)
        };
        let mut commitments = Vec::new();
        // What has holes waits: another commitment may fill them.
        for sure in [true, false] {
            for (var, joined) in rows(sure) {
                let (value, rule) = self.row_of(var, joined)?;
                commitments.push((var, value, rule));
            }
            if !commitments.is_empty() {
                break;
            }
        }
        Ok(commitments)
    }

    /// The value of a leaf's row: the join of its caps, holes at 1∅. A parameter may have no holes.
    fn row_of(&self, var: Var, joined: &Joined) -> Result<(Term, CloseRule), End> {
        let rule = match joined.holes().next() {
            None => CloseRule::Leaf,
            Some(position) if self.open.is_param(var) => {
                return Err(End::Hole(hole(self.phi, self.open, var, Some(position))));
            }
            Some(_) => CloseRule::Hole,
        };
        Ok((Term::Row((&joined.filled()).into()), rule))
    }
}

/// A parameter's dimension that nothing determines.
pub(super) fn hole(phi: &[Constraint], open: &Open, var: Var, position: Option<(Edge, usize)>) -> Hole {
    let var = open.owner(var).unwrap_or(var);
    let uses = phi.iter().enumerate().filter(|(_, c)| c.vars().contains(&var)).map(|(i, _)| i).collect();
    Hole { var, position, uses }
}
