//! The checker. It accepts nothing that it cannot justify by Defs. 1.2, 2.3, 2.9 and 3.2.
//!
//! Document: spec/certificates.md.

use super::infer::{aligned, fact, residue, stripped, zipped};
use super::{Edge, Ending, Inference, Line, LineClaim, Refutation};
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::semantics::{Ground, holds};
use crate::subst::Map;
use crate::term::{DimTerm, RowTerm, RowVar, Var, Vars};
use std::collections::BTreeSet;
use std::fmt;

/// Why a certificate is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// This line does not follow.
    Line(usize),
    /// The end does not follow.
    End,
    /// The solution gives this variable no value.
    Unassigned(Var),
    /// The solution violates this constraint of Φ.
    Violated(usize),
    /// Checking up to this line takes more than [`MOST_WORK`]: nothing is known about the rest.
    Limit(usize),
}

/// The most axes that the substitutions of one certificate may touch, each time counted. A certificate that is small and
/// takes long to check is made on purpose.
pub const MOST_WORK: u64 = 200_000_000;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Line(i) => write!(f, "line {i} does not follow from the lines it names"),
            Refusal::End => write!(f, "the end does not follow from the lines it names"),
            Refusal::Unassigned(var) => write!(f, "variable {var} has no value"),
            Refusal::Violated(i) => write!(f, "constraint {i} is violated"),
            Refusal::Limit(i) => write!(f, "line {i} takes too long to check"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Is γ a solution of Φ? Every variable must have a value.
///
/// # Errors
/// [`Refusal`] names the variable or the constraint.
pub fn check_solution(phi: &[Constraint], gamma: &Ground) -> Result<(), Refusal> {
    if let Some(var) = phi.vars().into_iter().find(|v| !gamma.assigns(*v)) {
        return Err(Refusal::Unassigned(var));
    }
    match phi.iter().position(|c| !holds(gamma, c)) {
        Some(i) => Err(Refusal::Violated(i)),
        None => Ok(()),
    }
}

/// Does the refutation show that Φ has no solution?
///
/// # Errors
/// [`Refusal`] names the first line that does not follow, or the end.
pub fn check_refutation(phi: &[Constraint], refutation: &Refutation) -> Result<(), Refusal> {
    let mut seen = phi.vars();
    let mut work = 0_u64;
    for (i, line) in refutation.lines.iter().enumerate() {
        work = work.saturating_add(substitution_work(line));
        if work > MOST_WORK {
            return Err(Refusal::Limit(i));
        }
        follows(phi, &refutation.lines[..i], line, &seen).ok_or(Refusal::Line(i))?;
        match &line.claim {
            LineClaim::Holds(constraint) => constraint.collect_vars(&mut seen),
            LineClaim::Is(var, row) => {
                seen.insert(Var::Row(*var));
                row.collect_vars(&mut seen);
            }
        }
    }
    ends(&refutation.lines, &refutation.end).ok_or(Refusal::End)
}

/// A condition, for `?`.
fn only(condition: bool) -> Option<()> {
    condition.then_some(())
}

/// The constraint that a line claims.
fn held(lines: &[Line], i: usize) -> Option<&Constraint> {
    match &lines.get(i)?.claim {
        LineClaim::Holds(constraint) => Some(constraint),
        LineClaim::Is(..) => None,
    }
}

/// Does a line follow from Φ and the lines before it? `seen` are the variables met so far.
fn follows(phi: &[Constraint], lines: &[Line], line: &Line, seen: &BTreeSet<Var>) -> Option<()> {
    let Line { by, claim } = line;
    match (by, claim) {
        (Inference::Input(i), LineClaim::Holds(c)) => only(phi.get(*i)? == c),
        (Inference::Substitute { into, with }, LineClaim::Holds(c)) => {
            only(substitute(lines, *into, with, axes(c))? == *claim)
        }
        (Inference::Zip { line, edge, index }, LineClaim::Holds(Constraint::DimEq(s, t))) => {
            let (x, y) = zipped(held(lines, *line)?, *edge, *index)?;
            only((*s, *t) == (x, y) || (*s, *t) == (y, x))
        }
        (Inference::Strip { line, front, back }, LineClaim::Holds(Constraint::RowEq(s, t))) => {
            let (x, y) = stripped(held(lines, *line)?, *front, *back)?;
            only((same_word(s, &x) && same_word(t, &y)) || (same_word(s, &y) && same_word(t, &x)))
        }
        (Inference::Align { line, edge, index }, LineClaim::Holds(c)) => {
            only(aligned(held(lines, *line)?, *edge, *index)? == *c)
        }
        (Inference::Residue(line), LineClaim::Holds(c)) => only(residue(held(lines, *line)?)? == *c),
        (Inference::Grow(line), LineClaim::Is(var, row)) => grows(held(lines, *line)?, *var, row, seen),
        (Inference::Empty(line), LineClaim::Is(var, row)) => {
            only(*row == RowTerm::default())?;
            match held(lines, *line)? {
                Constraint::RowEq(r, e) | Constraint::RowEq(e, r) if *r == RowTerm::from(*var) => {
                    only(*e == RowTerm::default())
                }
                _ => None,
            }
        }
        (Inference::Pin(line), LineClaim::Holds(Constraint::DimEq(s, t))) => match held(lines, *line)? {
            Constraint::DimLe(a, d) => only(is_atom(*d) && (s, t) == (a, d)),
            _ => None,
        },
        (Inference::PinTop(line), LineClaim::Holds(Constraint::DimEq(s, t))) => match held(lines, *line)? {
            Constraint::DimLe(top, a) => only(*top == DimTerm::Dim(Dim::Unit) && (s, t) == (a, top)),
            _ => None,
        },
        (Inference::Collapse(i, j), LineClaim::Holds(Constraint::DimEq(s, t))) => {
            match (held(lines, *i)?, held(lines, *j)?) {
                (Constraint::DimLe(d, a), Constraint::DimLe(e, b)) => {
                    only(is_atom(*d) && is_atom(*e) && d != e && a == b)?;
                    only(s == a && *t == DimTerm::Dim(Dim::Unit))
                }
                _ => None,
            }
        }
        (Inference::Antisym(cycle), LineClaim::Holds(Constraint::DimEq(s, t))) => antisymmetric(lines, cycle, *s, *t),
        _ => None,
    }
}

fn is_atom(t: DimTerm) -> bool {
    matches!(t, DimTerm::Dim(Dim::Atom(_)))
}

/// Equal as far as ≈ sees: closed rows by their flat content, open ones flank by flank.
fn same_word(r: &RowTerm, s: &RowTerm) -> bool {
    let word = |row: &RowTerm| [row.lead.as_ref(), &row.trail].concat();
    r == s || (r.is_closed() && s.is_closed() && word(r) == word(s))
}

/// How many axes the substitutions of a line touch at most: none makes a constraint larger than what is claimed.
fn substitution_work(line: &Line) -> u64 {
    match (&line.by, &line.claim) {
        (Inference::Substitute { with, .. }, LineClaim::Holds(claim)) => {
            u64::try_from(with.len().saturating_mul(axes(claim) + 1)).unwrap_or(u64::MAX)
        }
        _ => 1,
    }
}

/// Does a constraint have this row variable? A row that is never used is not copied.
fn mentions(constraint: &Constraint, var: RowVar) -> bool {
    match constraint {
        Constraint::DimEq(..) | Constraint::DimLe(..) => false,
        Constraint::RowEq(r, s) | Constraint::RowLe(r, s) => r.var == Some(var) || s.var == Some(var),
    }
}

/// The axes of a constraint.
fn axes(constraint: &Constraint) -> usize {
    match constraint {
        Constraint::DimEq(..) | Constraint::DimLe(..) => 2,
        Constraint::RowEq(r, s) | Constraint::RowLe(r, s) => r.known_rank() + s.known_rank(),
    }
}

/// A line with variables replaced one after the other; it has at most so many axes.
fn substitute(lines: &[Line], into: usize, with: &[(usize, Var)], most: usize) -> Option<LineClaim> {
    let LineClaim::Holds(constraint) = &lines.get(into)?.claim else { return None };
    let blind = matches!(constraint, Constraint::RowEq(..));
    let mut result = constraint.clone();
    for (line, var) in with {
        let there = |v: RowVar| mentions(&result, v);
        let map = match (&lines.get(*line)?.claim, *var) {
            (LineClaim::Is(row, _), Var::Row(v)) if *row == v && !there(v) => continue,
            (LineClaim::Is(row, to), Var::Row(v)) if *row == v => Map::identity().with_row(v, to.clone()),
            (LineClaim::Holds(Constraint::DimEq(s, t)), Var::Dim(v)) => {
                let other = if *s == DimTerm::Var(v) { *t } else { *s };
                only(*s == DimTerm::Var(v) || *t == DimTerm::Var(v))?;
                Map::identity().with_dim(v, other)
            }
            (LineClaim::Holds(Constraint::RowEq(s, t)), Var::Row(v)) if blind => {
                let bare = RowTerm::from(v);
                only(*s == bare || *t == bare)?;
                if !there(v) {
                    continue;
                }
                Map::identity().with_row(v, if *s == bare { t.clone() } else { s.clone() })
            }
            _ => return None,
        };
        result = map.apply_constraint(&result);
        // Axes are replaced and added, never lost: what is too large stays so.
        only(axes(&result) <= most)?;
    }
    Some(LineClaim::Holds(result))
}

/// l₂·⟨ρ⟩·r₂ ⊑ R₁: ρ has at least the axes it lacks, so it is that many fresh ones around a fresh variable.
fn grows(phi: &Constraint, var: RowVar, row: &RowTerm, seen: &BTreeSet<Var>) -> Option<()> {
    let Constraint::RowLe(res, op) = phi else { return None };
    only(res.var == Some(var))?;
    only(row.lead.len() <= op.lead.len().saturating_sub(res.lead.len()))?;
    only(row.trail.len() <= op.trail.len().saturating_sub(res.trail.len()))?;
    let vars = row.vars();
    // A fresh variable at the marker and at every axis, none twice.
    only(row.var.is_some() && vars.len() == row.known_rank() + 1 && vars.is_disjoint(seen))
}

/// x₁ ⊑ x₂ ⊑ … ⊑ x₁ makes all of them equal.
fn antisymmetric(lines: &[Line], cycle: &[usize], s: DimTerm, t: DimTerm) -> Option<()> {
    let links = cycle.iter().map(|i| match held(lines, *i)? {
        Constraint::DimLe(below, above) => Some((*below, *above)),
        _ => None,
    });
    let links = links.collect::<Option<Vec<_>>>()?;
    let next = links.iter().cycle().skip(1);
    only(!links.is_empty() && links.iter().zip(next).all(|(here, there)| here.1 == there.0))?;
    let member = |x: DimTerm| links.iter().any(|(below, _)| *below == x);
    only(member(s) && member(t))
}

/// Does no ground substitution survive the end?
fn ends(lines: &[Line], end: &Ending) -> Option<()> {
    match end {
        Ending::Absurd(line) => only(absurd(held(lines, *line)?)),
        Ending::Cycle { edge, facts } => positive_cycle(lines, *edge, facts),
    }
}

/// Is a constraint false of every ground substitution, for one of six plain reasons?
fn absurd(phi: &Constraint) -> bool {
    match phi {
        Constraint::DimEq(DimTerm::Dim(d), DimTerm::Dim(e)) => d != e,
        Constraint::DimLe(DimTerm::Dim(d), DimTerm::Dim(e)) => !(*d).le(*e),
        Constraint::RowEq(r, s) => match (r.var, s.var) {
            (None, None) => r.known_rank() != s.known_rank(),
            (Some(_), None) => r.known_rank() > s.known_rank(),
            (None, Some(_)) => s.known_rank() > r.known_rank(),
            (Some(p), Some(q)) => p == q && r.known_rank() != s.known_rank(),
        },
        Constraint::RowLe(r, s) => r.is_closed() && (r.lead.len() < s.lead.len() || r.trail.len() < s.trail.len()),
        _ => false,
    }
}

/// Summing the facts around the cycle gives a length that exceeds itself. Between a variable and 0 the
/// fact that lengths are not negative may be left unsaid.
fn positive_cycle(lines: &[Line], edge: Edge, facts: &[(usize, bool)]) -> Option<()> {
    let facts: Vec<_> =
        facts.iter().map(|(i, backwards)| fact(&lines.get(*i)?.claim, edge, *backwards)).collect::<Option<_>>()?;
    let next = facts.iter().cycle().skip(1);
    let linked =
        |(here, there): (&super::infer::LengthFact, &super::infer::LengthFact)| here.1 == there.0 || there.0.is_none();
    only(!facts.is_empty() && facts.iter().zip(next).all(linked))?;
    let weight = facts.iter().try_fold(0_i64, |sum, (_, _, weight)| sum.checked_add(*weight))?;
    only(weight > 0)
}
