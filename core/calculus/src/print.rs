//! Writing things in the notation. parse ∘ print is the identity, in both spellings.
//!
//! Document: spec/notation.md.

use crate::constraint::Constraint;
use crate::dim::{Atom, Basis, Dim, DimBot};
use crate::names::Names;
use crate::rigid::{Rigid, TwoSorted};
use crate::row::Row;
use crate::semantics::Ground;
use crate::subst::{Map, Subst};
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var};
use std::fmt;

/// How to write: with which names, and in which of the two spellings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    /// Names of variables and bases; without them numbers are written.
    pub names: Option<&'a Names>,
    /// The ASCII twin.
    pub ascii: bool,
}

impl Style<'_> {
    fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }
}

/// What has a notation.
pub trait Notation {
    /// Writes `self` in this style.
    ///
    /// # Errors
    /// Only what the formatter itself reports.
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result;
}

/// Something together with how to write it; made by [`Names::show`].
#[derive(Clone, Copy, Debug)]
pub struct Show<'a, T: ?Sized> {
    it: &'a T,
    style: Style<'a>,
}

impl Names {
    /// Shows `it` with these names.
    pub fn show<'a, T: Notation + ?Sized>(&'a self, it: &'a T) -> Show<'a, T> {
        Show { it, style: Style { names: Some(self), ascii: false } }
    }
}

impl<T: ?Sized> Show<'_, T> {
    /// In the ASCII twin.
    #[must_use]
    pub fn ascii(mut self) -> Self {
        self.style.ascii = true;
        self
    }
}

impl<T: Notation + ?Sized> fmt::Display for Show<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.it.write(f, self.style)
    }
}

/// `Display` without names: variables are `?7`, bases other than default `3:?1`.
macro_rules! display_by_notation {
    ($($type:ty),*) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.write(f, Style::default())
            }
        }
    )*};
}
display_by_notation!(
    Atom, Dim, DimBot, Row, Rigid, TwoSorted, DimVar, RowVar, Var, DimTerm, RowTerm, Term, Constraint, Map, Subst,
    Ground
);

impl Notation for Atom {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        write!(f, "{}", self.size())?;
        if self.basis() == Basis::DEFAULT {
            return Ok(());
        }
        match style.names.and_then(|names| names.basis_name(self.basis())) {
            Some(name) => write!(f, ":{name}"),
            None => write!(f, ":?{}", self.basis().number()),
        }
    }
}

impl Notation for Dim {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            Dim::Unit => f.write_str(style.pick("1∅", "unit")),
            Dim::Atom(atom) => atom.write(f, style),
        }
    }
}

impl Notation for DimBot {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            DimBot::Bot => f.write_str(style.pick("⊥", "bot")),
            DimBot::Dim(d) => d.write(f, style),
        }
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, style: Style<'_>, id: u32) -> fmt::Result {
    match style.names.and_then(|names| names.var_name(id)) {
        Some(name) => f.write_str(name),
        None => write!(f, "?{id}"),
    }
}

impl Notation for DimVar {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        write_name(f, style, self.0)
    }
}

impl Notation for RowVar {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        f.write_str(style.pick("⟨", "<"))?;
        write_name(f, style, self.0)?;
        f.write_str(style.pick("⟩", ">"))
    }
}

impl Notation for Var {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            Var::Dim(v) => v.write(f, style),
            Var::Row(v) => v.write(f, style),
        }
    }
}

impl Notation for DimTerm {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            DimTerm::Var(v) => v.write(f, style),
            DimTerm::Dim(d) => d.write(f, style),
        }
    }
}

impl<T: Notation> Notation for [T] {
    /// A flank: `[3,4]`.
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, item) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            item.write(f, style)?;
        }
        f.write_str("]")
    }
}

impl Notation for Row {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        self.lead.write(f, style)?;
        f.write_str(style.pick("·⋄·", " <> "))?;
        self.trail.write(f, style)
    }
}

impl Notation for Rigid {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        self.0.write(f, style)?;
        f.write_str(style.pick("•", "!"))
    }
}

impl Notation for TwoSorted {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            TwoSorted::Marked(r) => r.write(f, style),
            TwoSorted::Rigid(r) => r.write(f, style),
        }
    }
}

impl Notation for RowTerm {
    /// Empty flanks are written around a marker, so that it is seen, and left out around a variable.
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        let dot = style.pick("·", " ");
        if self.is_closed() || !self.lead.is_empty() {
            self.lead.write(f, style)?;
            f.write_str(dot)?;
        }
        match self.var {
            None => f.write_str(style.pick("⋄", "<>"))?,
            Some(v) => v.write(f, style)?,
        }
        if self.is_closed() || !self.trail.is_empty() {
            f.write_str(dot)?;
            self.trail.write(f, style)?;
        }
        Ok(())
    }
}

impl Notation for Term {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            Term::Dim(t) => t.write(f, style),
            Term::Row(t) => t.write(f, style),
        }
    }
}

impl Notation for Constraint {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        let (left, relation, right): (&dyn Notation, _, &dyn Notation) = match self {
            Constraint::DimEq(s, t) => (s, " = ", t),
            Constraint::DimLe(s, t) => (s, style.pick(" ⊑ ", " <= "), t),
            Constraint::RowEq(s, t) => (s, style.pick(" ≈ ", " ~ "), t),
            Constraint::RowLe(s, t) => (s, style.pick(" ⊑ ", " <= "), t),
        };
        left.write(f, style)?;
        f.write_str(relation)?;
        right.write(f, style)
    }
}

/// `x ↦ T` for each, oldest first, with commas between.
fn write_bindings<'a, T: Notation + 'a>(
    f: &mut fmt::Formatter<'_>,
    style: Style<'_>,
    bindings: impl Iterator<Item = (Var, T)>,
) -> fmt::Result {
    for (i, (var, value)) in bindings.enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        var.write(f, style)?;
        f.write_str(style.pick(" ↦ ", " := "))?;
        value.write(f, style)?;
    }
    Ok(())
}

impl Notation for Map {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        write_bindings(f, style, self.bindings().into_iter())
    }
}

impl Notation for Subst {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        (**self).write(f, style)
    }
}

impl Notation for Ground {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        let dims = self.dims.iter().map(|(v, d)| (Var::Dim(*v), Term::Dim(DimTerm::Dim(*d))));
        let rows = self.rows.iter().map(|(v, r)| (Var::Row(*v), Term::Row(r.into())));
        let mut all: Vec<(Var, Term)> = dims.chain(rows).collect();
        all.sort_by_key(|(v, _)| *v);
        write_bindings(f, style, all.into_iter())
    }
}
