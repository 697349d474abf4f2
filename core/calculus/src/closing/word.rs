//! The solution of least material of a deferred equation (spec/findings/F6.md).
//!
//! \[s\]·⟨x⟩ ≈ ⟨y⟩·\[t\] as a word equation s·x = y·t: either y is a proper prefix of s (a sporadic
//! solution, then x is what is left of t), or y = s·w and x = w·t; the least of these is y = s. With
//! x = y it is s·x = x·t: x is a prefix u of s with s = uv and t = vu.
//!
//! Chapter: spec/6-closing.md.

use crate::constraint::Constraint;
use crate::term::{DimTerm, RowTerm, RowVar};

/// A variable of a deferred equation with its value in the solution of least material.
#[must_use]
pub fn least(equation: &Constraint) -> Option<(RowVar, RowTerm)> {
    let Constraint::RowEq(left, right) = equation else { return None };
    // One side has its axes in front, the other at the back.
    let (front, back) = if left.trail.is_empty() { (left, right) } else { (right, left) };
    let (s, t) = (&front.lead, &back.trail);
    let (x, y) = (front.var?, back.var?);
    let split = if x == y { rotation(s, t) } else { Some(overlap(s, t)) };
    let value = &s[..split.unwrap_or(0)];
    Some((y, RowTerm::new(Vec::new(), None, value.to_vec())))
}

/// How many axes an equation asks of its variables: |s| and |t|.
#[must_use]
pub fn demand(equation: &Constraint) -> usize {
    match equation {
        Constraint::RowEq(left, right) => left.known_rank() + right.known_rank(),
        _ => 0,
    }
}

/// The least j such that s[j..] can be the front of t; |s| if there is none less. A variable can be
/// anything: the equation, once bound, makes it equal to what it meets.
fn overlap(s: &[DimTerm], t: &[DimTerm]) -> usize {
    let meets = |(x, y): (&DimTerm, &DimTerm)| x == y || matches!((x, y), (DimTerm::Var(_), _) | (_, DimTerm::Var(_)));
    (0..s.len()).find(|&j| s.len() - j <= t.len() && s[j..].iter().zip(t).all(meets)).unwrap_or(s.len())
}

/// The least j with t = s[j..]·s[..j].
fn rotation(s: &[DimTerm], t: &[DimTerm]) -> Option<usize> {
    (0..s.len()).find(|&j| [&s[j..], &s[..j]].concat() == t)
}
