//! Def. 6.1, step 1: what a leaf is given. CL-leaf, CL-hole, CL-bare, one function each.
//!
//! Chapter: spec/6-closing.md.

use super::{CloseRule, Joined, around};
use crate::dim::{Atom, Dim};
use crate::row::{Edge, Row};
use crate::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Var};

/// A variable, the value it is to have, and the rule.
pub type Commitment = (Binding, CloseRule);

/// A position of a parameter that nothing determines: its variable, and the axis for a row.
pub type Unknown = (Var, Option<(Edge, usize)>);

/// CL-leaf for a dimension: its atom lower bound.
#[must_use]
pub fn leaf_dim(var: DimVar, lower: Dim) -> Commitment {
    (Binding::Dim(var, lower.into()), CloseRule::Leaf)
}

/// CL-leaf, CL-hole for a row: the join of its caps, holes at 1∅. A parameter may have no holes.
///
/// # Errors
/// The first hole of a parameter.
pub fn leaf_row(var: RowVar, joined: &Joined, is_param: bool) -> Result<Commitment, Unknown> {
    let rule = match joined.holes().next() {
        None => CloseRule::Leaf,
        Some(position) if is_param => return Err((Var::Row(var), Some(position))),
        Some(_) => CloseRule::Hole,
    };
    Ok((Binding::Row(var, (&joined.filled()).into()), rule))
}

/// CL-bare: a leaf without a cap takes its top.
#[must_use]
pub fn leaf_bare(var: Var) -> Commitment {
    (top(var), CloseRule::Bare)
}

/// CL-up: an interior variable takes its top.
#[must_use]
pub fn interior(var: Var) -> Commitment {
    (top(var), CloseRule::Up)
}

/// 1∅ or the empty row.
fn top(var: Var) -> Binding {
    match var {
        Var::Dim(v) => Binding::Dim(v, DimTerm::Dim(Dim::Unit)),
        Var::Row(v) => Binding::Row(v, (&Row::EMPTY).into()),
    }
}

/// Saturated caps: the leaves whose value is known, in the order given. `lower` is lb(α) and `joined` what is known of a
/// row variable's caps.
///
/// # Errors
/// The first hole of a parameter.
pub fn capped<'j>(
    leaves: &[Var],
    lower: impl Fn(DimVar) -> Option<Dim>,
    joined: impl Fn(RowVar) -> Option<&'j Joined>,
    is_param: impl Fn(Var) -> bool,
) -> Result<Vec<Commitment>, Unknown> {
    let mut commitments = Vec::new();
    for var in leaves {
        match *var {
            Var::Dim(v) => commitments.extend(lower(v).map(|d| leaf_dim(v, d))),
            Var::Row(v) => {
                if let Some(joined) = joined(v) {
                    commitments.push(leaf_row(v, joined, is_param(*var))?);
                }
            }
        }
    }
    Ok(commitments)
}

/// Saturated caps, where some are open: what is written of them is known, and nothing fits below their variables. What
/// has holes waits until nothing else is left: another commitment may fill them.
///
/// # Errors
/// The first hole of a parameter.
pub fn open_capped<'j>(
    leaves: &[Var],
    joined: impl Fn(RowVar) -> Option<&'j Joined>,
    is_param: impl Fn(Var) -> bool,
) -> Result<Vec<Commitment>, Unknown> {
    for sure in [true, false] {
        let mut commitments = Vec::new();
        for var in leaves {
            // A cap that writes no axis says no more than none.
            if let Var::Row(v) = var
                && let Some(joined) = joined(*v).filter(|joined| !joined.is_empty())
                && joined.holes().next().is_none() == sure
            {
                commitments.push(leaf_row(*v, joined, is_param(*var))?);
            }
        }
        if !commitments.is_empty() {
            return Ok(commitments);
        }
    }
    Ok(Vec::new())
}

/// Def. 6.1 to the letter: a dimension takes its atom lower bound, a row the join of the ground parts of its own caps
/// and no further axes; without a cap either takes its top, but for a parameter's dimension.
///
/// # Errors
/// The first hole of a parameter.
pub fn stored<'c>(
    var: Var,
    lower: Option<Atom>,
    caps: impl Iterator<Item = &'c RowTerm>,
    is_param: bool,
) -> Result<Commitment, Unknown> {
    match var {
        Var::Dim(v) => match lower {
            Some(atom) => Ok(leaf_dim(v, Dim::Atom(atom))),
            None if is_param => Err((var, None)),
            None => Ok(leaf_bare(var)),
        },
        Var::Row(v) => {
            let ground = |_: DimVar| None;
            let values = caps.map(|cap| around(ground, cap, &Joined::default()));
            let joined = values.reduce(|mut all, cap| {
                all.join(&cap);
                all
            });
            joined.map_or(Ok(leaf_bare(var)), |joined| leaf_row(v, &joined, is_param))
        }
    }
}
