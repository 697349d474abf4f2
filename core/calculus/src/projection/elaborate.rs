//! Def. 7.2 Elaboration: the constraints of one operation, read as projection equations.
//!
//! The rows here are closed and their axes are ids: the id p is the dimension variable numbered p.
//!
//! Chapter: spec/7-projections.md.

use super::{Atom, Equation, Index, Proj};
use crate::constraint::Constraint;
use crate::internal::broken;
use crate::term::{DimTerm, RowTerm};
use std::fmt;

/// The rules of Def. 7.2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProjectionRule {
    /// d₁ = d₂.
    P1,
    /// d_res ⊑ d_op, the operand's axis of size 1: cut off and pinned.
    P2,
    /// d_res ⊑ d_op otherwise.
    P3,
    /// R₁ ≈ R₂.
    P4,
    /// R_res ⊑ R_op.
    P5,
    /// Terminal axes.
    P6,
    /// Indices that a specification or a slice gives: Def. 7.2's side condition.
    Sol,
}

impl fmt::Display for ProjectionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// An equation, and the rule that gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elaborated {
    /// The rule.
    pub rule: ProjectionRule,
    /// The equation.
    pub equation: Equation,
}

/// Elaborates with sz(p) = `sizes[p]`.
pub struct Elaboration<'a> {
    sizes: &'a [u64],
    /// The equations so far.
    pub equations: Vec<Elaborated>,
}

impl<'a> Elaboration<'a> {
    /// No equations yet.
    #[must_use]
    pub fn new(sizes: &'a [u64]) -> Self {
        Elaboration { sizes, equations: Vec::new() }
    }

    /// ⟦φ⟧ for a constraint whose rows are closed.
    pub fn constraint(&mut self, phi: &Constraint) {
        match phi {
            Constraint::DimEq(a, b) => self.p1(*a, *b),
            Constraint::DimLe(res, op) => self.dim_le(*res, *op),
            Constraint::RowEq(a, b) => self.p4(a, b),
            Constraint::RowLe(res, op) => self.p5(res, op),
        }
    }

    fn emit(&mut self, rule: ProjectionRule, equation: Equation) {
        self.equations.push(Elaborated { rule, equation });
    }

    /// ⟦d⟧: the id that a dimension is. What is no id has no index to infer.
    fn id(d: DimTerm) -> Option<Proj> {
        match d {
            DimTerm::Var(v) => Some(Proj(v.0)),
            DimTerm::Dim(_) => None,
        }
    }

    fn size(&self, p: Proj) -> u64 {
        let size = self.sizes.get(p.0 as usize).copied();
        size.unwrap_or_else(|| broken("every id has a size (Def. 7.1)", format!("{p:?}")))
    }

    /// P1: d₁ = d₂ gives Eq.
    pub fn p1(&mut self, a: DimTerm, b: DimTerm) {
        self.eq(ProjectionRule::P1, a, b);
    }

    fn eq(&mut self, rule: ProjectionRule, a: DimTerm, b: DimTerm) {
        if let (Some(p), Some(q)) = (Self::id(a), Self::id(b))
            && p != q
        {
            self.emit(rule, Equation::Eq(Atom::Proj(p), Atom::Proj(q)));
        }
    }

    /// P2: an operand's axis of size 1 is pinned at 0, and not joined with the result's.
    fn p2(&mut self, op: Proj) {
        self.emit(ProjectionRule::P2, Equation::Eq(Atom::Proj(op), Atom::Sol(Index::Fix(0))));
    }

    /// P3: otherwise the two co-iterate.
    fn p3(&mut self, res: DimTerm, op: DimTerm) {
        self.eq(ProjectionRule::P3, res, op);
    }

    fn dim_le(&mut self, res: DimTerm, op: DimTerm) {
        match Self::id(op) {
            Some(p) if self.size(p) == 1 => self.p2(p),
            _ => self.p3(res, op),
        }
    }

    /// P4: R₁ ≈ R₂, aligned from the outer edges. The ranks are the same, so that is position by position.
    pub fn p4(&mut self, a: &RowTerm, b: &RowTerm) {
        let (a, b) = (a.lead.iter().chain(&a.trail), b.lead.iter().chain(&b.trail));
        for (a, b) in a.zip(b) {
            self.p1(*a, *b);
        }
    }

    /// P5: R_res ⊑ R_op. Pairs from the outer edges; where P2 cuts the operand off, the result's axis
    /// iterates alone, as do the result's axes that face no axis of the operand.
    pub fn p5(&mut self, res: &RowTerm, op: &RowTerm) {
        let from_end = res.known_rank().saturating_sub(op.trail.len());
        let res = || res.lead.iter().chain(&res.trail);
        for (res, op) in res().zip(&op.lead).chain(res().skip(from_end).zip(&op.trail)) {
            self.dim_le(*res, *op);
            if Self::id(*op).is_some_and(|p| self.size(p) == 1) {
                self.iterate(ProjectionRule::P5, *res);
            }
        }
        for res in res().take(from_end).skip(op.lead.len()) {
            self.iterate(ProjectionRule::P5, *res);
        }
    }

    fn iterate(&mut self, rule: ProjectionRule, d: DimTerm) {
        if let Some(p) = Self::id(d) {
            self.emit(rule, Equation::Iter(Atom::Proj(p)));
        }
    }

    /// P6: a terminal axis is iterated.
    pub fn p6(&mut self, p: Proj) {
        self.emit(ProjectionRule::P6, Equation::Iter(Atom::Proj(p)));
    }

    /// An axis whose index the specification or the slice gives.
    pub fn given(&mut self, d: DimTerm, index: Index) {
        if let Some(p) = Self::id(d) {
            self.emit(ProjectionRule::Sol, Equation::Eq(Atom::Proj(p), Atom::Sol(index)));
        }
    }
}
