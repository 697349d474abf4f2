//! The solution of least material of a deferred equation (spec/findings/F6.md).
//!
//! \[s\]·⟨x⟩ ≈ ⟨y⟩·\[t\] as a word equation s·x = y·t: either y is a proper prefix of s (a sporadic
//! solution, then x is what is left of t), or y = s·w and x = w·t; the least of these is y = s. With
//! x = y it is s·x = x·t: x is a prefix u of s with s = uv and t = vu. Axes that are variables are given the
//! values that this needs.
//!
//! Chapter: spec/6-closing.md.

use crate::constraint::Constraint;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar};
use std::collections::BTreeMap;

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

/// The least j such that s[j..] can be the front of t; |s| if there is none less.
fn overlap(s: &[DimTerm], t: &[DimTerm]) -> usize {
    let meets = |j: &usize| s.len() - j <= t.len() && unifiable(s[*j..].iter().zip(t));
    (0..s.len()).find(meets).unwrap_or(s.len())
}

/// The least j such that s[j..]·s[..j] can be t.
fn rotation(s: &[DimTerm], t: &[DimTerm]) -> Option<usize> {
    let is_t = |j: &usize| s.len() == t.len() && unifiable(s[*j..].iter().chain(&s[..*j]).zip(t));
    (0..s.len()).find(is_t)
}

/// Is there one value for each variable that makes the two terms of every pair equal? A dimension has no parts, so there
/// is unless two different ones are to be equal. The equation, once bound, gives the variables these values.
fn unifiable<'t>(pairs: impl Iterator<Item = (&'t DimTerm, &'t DimTerm)>) -> bool {
    let mut equal: BTreeMap<DimVar, DimTerm> = BTreeMap::new();
    for (x, y) in pairs {
        match (last(&equal, *x), last(&equal, *y)) {
            (x, y) if x == y => {}
            (DimTerm::Var(a), other) | (other, DimTerm::Var(a)) => drop(equal.insert(a, other)),
            (DimTerm::Dim(_), DimTerm::Dim(_)) => return false,
        }
    }
    true
}

/// What a term is equal to, as far as that is known.
fn last(equal: &BTreeMap<DimVar, DimTerm>, mut term: DimTerm) -> DimTerm {
    while let DimTerm::Var(a) = term
        && let Some(next) = equal.get(&a)
    {
        term = *next;
    }
    term
}
