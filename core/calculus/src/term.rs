//! §3.1 Terms: dimension terms, and row terms with at most one row variable, at the marker.
//!
//! Chapter: spec/3-terms.md.

use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::names::Sort;
use crate::row::Row;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A dimension variable α. Numbers grow with age: the smaller is the older.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct DimVar(pub u32);

/// A row variable ρ. Numbers are shared with dimension variables: no two variables have one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RowVar(pub u32);

/// A variable of either sort. Ordered by age.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Var {
    /// α
    Dim(DimVar),
    /// ρ
    Row(RowVar),
}

impl Var {
    /// The variable of this sort and number.
    #[must_use]
    pub fn new(sort: Sort, id: u32) -> Self {
        match sort {
            Sort::Dim => Var::Dim(DimVar(id)),
            Sort::Row => Var::Row(RowVar(id)),
        }
    }

    /// The sort.
    #[must_use]
    pub fn sort(self) -> Sort {
        match self {
            Var::Dim(_) => Sort::Dim,
            Var::Row(_) => Sort::Row,
        }
    }

    /// The number, smaller for older variables.
    #[must_use]
    pub fn id(self) -> u32 {
        match self {
            Var::Dim(DimVar(id)) | Var::Row(RowVar(id)) => id,
        }
    }
}

impl PartialOrd for Var {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Var {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.id(), self.sort() as u8).cmp(&(other.id(), other.sort() as u8))
    }
}

/// Def. 3.1: t ::= α | n_b | 1∅.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DimTerm {
    /// α
    Var(DimVar),
    /// A ground dimension.
    Dim(Dim),
}

impl From<Dim> for DimTerm {
    fn from(d: Dim) -> Self {
        DimTerm::Dim(d)
    }
}

impl From<DimVar> for DimTerm {
    fn from(v: DimVar) -> Self {
        DimTerm::Var(v)
    }
}

/// A flank of a row term: a sequence that is made once and then only read.
pub type Flank = Box<[DimTerm]>;

/// Def. 3.1: R ::= l·⋄·r | l·⟨ρ⟩·r. A second row variable has nowhere to stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct RowTerm {
    /// The leading flank l.
    pub lead: Flank,
    /// The row variable at the marker; none in a closed term.
    pub var: Option<RowVar>,
    /// The trailing flank r.
    pub trail: Flank,
}

impl RowTerm {
    /// l·⋄·r, or l·⟨ρ⟩·r.
    #[must_use]
    #[inline]
    pub fn new(lead: impl Into<Flank>, var: Option<RowVar>, trail: impl Into<Flank>) -> Self {
        RowTerm { lead: lead.into(), var, trail: trail.into() }
    }

    /// l·R·r: this row inside further flanks.
    #[must_use]
    pub fn within(&self, lead: &[DimTerm], trail: &[DimTerm]) -> Self {
        RowTerm::new([lead, &self.lead].concat(), self.var, [&self.trail, trail].concat())
    }

    /// A closed term has no row variable; it may have dimension variables.
    #[must_use]
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.var.is_none()
    }

    /// Shows each variable, row variable first; one that occurs twice is shown twice.
    #[inline]
    pub fn each_var(&self, mut see: impl FnMut(Var)) {
        if let Some(v) = self.var {
            see(Var::Row(v));
        }
        for flank in [&self.lead, &self.trail] {
            for t in flank {
                if let DimTerm::Var(v) = t {
                    see(Var::Dim(*v));
                }
            }
        }
    }

    /// The variable of a bare row variable []·⟨ρ⟩·[].
    #[must_use]
    #[inline]
    pub fn bare(&self) -> Option<RowVar> {
        self.var.filter(|_| self.known_rank() == 0)
    }

    /// |l| + |r|: the axes that are written.
    #[must_use]
    #[inline]
    pub fn known_rank(&self) -> usize {
        self.lead.len() + self.trail.len()
    }

    /// The ground row this term is, if it has no variables.
    #[must_use]
    pub fn as_ground(&self) -> Option<Row> {
        let flank = |terms: &[DimTerm]| -> Option<Vec<Dim>> {
            terms
                .iter()
                .map(|t| match t {
                    DimTerm::Dim(d) => Some(*d),
                    DimTerm::Var(_) => None,
                })
                .collect()
        };
        match self.var {
            Some(_) => None,
            None => Some(Row::new(flank(&self.lead)?, flank(&self.trail)?)),
        }
    }
}

impl From<RowVar> for RowTerm {
    /// A bare row variable ρ is []·⟨ρ⟩·[] (Def. 3.1).
    #[inline]
    fn from(v: RowVar) -> Self {
        RowTerm { var: Some(v), ..RowTerm::default() }
    }
}

impl From<&Row> for RowTerm {
    fn from(row: &Row) -> Self {
        let flank = |dims: &[Dim]| -> Flank { dims.iter().copied().map(DimTerm::Dim).collect() };
        RowTerm::new(flank(&row.lead), None, flank(&row.trail))
    }
}

/// A term of either sort: what a variable is mapped to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A dimension term.
    Dim(DimTerm),
    /// A row term.
    Row(RowTerm),
}

impl From<Var> for Term {
    fn from(v: Var) -> Self {
        match v {
            Var::Dim(v) => Term::Dim(v.into()),
            Var::Row(v) => Term::Row(v.into()),
        }
    }
}

/// x ↦ T. A variable is bound to a term of its sort, so there is no other pair.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// α ↦ t
    Dim(DimVar, DimTerm),
    /// ρ ↦ R
    Row(RowVar, RowTerm),
}

impl Binding {
    /// x.
    #[must_use]
    pub fn var(&self) -> Var {
        match self {
            Binding::Dim(v, _) => Var::Dim(*v),
            Binding::Row(v, _) => Var::Row(*v),
        }
    }

    /// T.
    #[must_use]
    pub fn to(&self) -> Term {
        match self {
            Binding::Dim(_, t) => Term::Dim(*t),
            Binding::Row(_, t) => Term::Row(t.clone()),
        }
    }

    /// x = T, or ⟨ρ⟩ ≈ R: the constraint that asks for it.
    #[must_use]
    pub fn equation(&self) -> Constraint {
        match self {
            Binding::Dim(v, t) => Constraint::DimEq((*v).into(), *t),
            Binding::Row(v, t) => Constraint::RowEq((*v).into(), t.clone()),
        }
    }
}

/// vars(·): the variables that occur in something.
pub trait Vars {
    /// Adds the variables of `self` to `out`.
    fn collect_vars(&self, out: &mut BTreeSet<Var>);

    /// vars(self), oldest first.
    fn vars(&self) -> BTreeSet<Var> {
        let mut out = BTreeSet::new();
        self.collect_vars(&mut out);
        out
    }

    /// A term without variables is ground.
    fn is_ground(&self) -> bool {
        self.vars().is_empty()
    }
}

impl Vars for DimTerm {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        if let DimTerm::Var(v) = self {
            out.insert(Var::Dim(*v));
        }
    }
}

impl Vars for RowTerm {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        self.each_var(|v| {
            out.insert(v);
        });
    }
}

impl Vars for Term {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        match self {
            Term::Dim(t) => t.collect_vars(out),
            Term::Row(t) => t.collect_vars(out),
        }
    }
}

impl<T: Vars> Vars for [T] {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        self.iter().for_each(|t| t.collect_vars(out));
    }
}
