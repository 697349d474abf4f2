//! What a rule does with the constraint it consumes: said as data, carried out by the configuration.
//!
//! Because an effect is data, Lemma 5.1 can be checked rule by rule: the consumed constraint must
//! have the solutions of what replaces it ([`Effect::denotation`]), up to values for fresh variables.
//!
//! Chapter: spec/4-solver.md.

use super::Rule;
use crate::constraint::Constraint;
use crate::dim::{Atom, Dim};
use crate::term::{Binding, DimTerm, DimVar, RowTerm, RowVar};

/// Where a stored bound comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct By {
    /// The step that stored it.
    pub step: usize,
    /// The constraint it is, by its number in the derivation.
    pub node: usize,
    /// Was it derived through a placement?
    pub tainted: bool,
}

/// lb(α) = d.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lower {
    /// The atom below α.
    pub atom: Atom,
    /// Where it comes from.
    pub by: By,
}

/// A binding that a rule makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bind {
    /// x ↦ T.
    pub binding: Binding,
    /// Is the placement of the marker a choice? Then only the flat content is entailed.
    pub placement: bool,
}

/// What goes into the bound store B (Def. 4.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// d ⊑ α: lb(α) = d.
    Lower(Atom, DimVar),
    /// α ⊑ β: an adjacency of both.
    Adjacency(DimVar, DimVar),
    /// R ⊑ ⟨ρ⟩: a cap on ρ.
    Cap(RowTerm, RowVar),
    /// R₁ ≈ R₂: an equation that waits for its variables.
    Deferred(RowTerm, RowTerm),
}

impl Bound {
    /// The constraint that it stands for.
    #[must_use]
    pub fn constraint(&self) -> Constraint {
        match self {
            Bound::Lower(d, a) => Constraint::DimLe(DimTerm::Dim(Dim::Atom(*d)), (*a).into()),
            Bound::Adjacency(a, b) => Constraint::DimLe((*a).into(), (*b).into()),
            Bound::Cap(res, on) => Constraint::RowLe(res.clone(), (*on).into()),
            Bound::Deferred(r1, r2) => Constraint::RowEq(r1.clone(), r2.clone()),
        }
    }
}

/// Why a rule fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// Two dimensions that are not equal.
    Differ(Dim, Dim),
    /// A dimension that does not refine another.
    NotBelow(Dim, Dim),
    /// Closed rows of different rank.
    Ranks(usize, usize),
    /// An open row with more axes than the closed row it should equal.
    Overflow {
        /// Axes written on the open side.
        open: usize,
        /// Axes of the closed side.
        closed: usize,
    },
    /// A row that would equal itself with this many more axes.
    Occurs(usize),
    /// A closed result with too few leading or trailing axes.
    Short {
        /// Leading axes it lacks.
        lead: usize,
        /// Trailing axes it lacks.
        trail: usize,
    },
    /// A cycle of facts with this total weight.
    Cycle {
        /// How many axes the cycle would gain.
        weight: i64,
    },
}

/// What replaces the consumed constraint.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// Constraints that go back into Φ.
    pub emit: Vec<Constraint>,
    /// A binding.
    pub bind: Option<Bind>,
    /// A bound for the store.
    pub store: Option<Bound>,
    /// Is the consumed constraint processed again, under the binding?
    pub again: bool,
    /// Failure.
    pub fail: Option<Box<Why>>,
    /// Stored bounds that the rule used as well.
    pub also: Vec<By>,
}

/// A rule with its effect on one constraint.
pub type Fired = (Rule, Effect);

impl Effect {
    /// The constraint is true already.
    #[must_use]
    #[inline]
    pub fn discard() -> Self {
        Effect::default()
    }

    /// The constraint is false.
    #[must_use]
    #[inline]
    pub fn fail(why: Why) -> Self {
        Effect { fail: Some(Box::new(why)), ..Effect::default() }
    }

    /// Replaced by another constraint.
    #[must_use]
    #[inline]
    pub fn replace(by: Constraint) -> Self {
        Effect { emit: vec![by], ..Effect::default() }
    }

    /// Kept in the store.
    #[must_use]
    #[inline]
    pub fn keep(bound: Bound) -> Self {
        Effect { store: Some(bound), ..Effect::default() }
    }

    /// The axes that it writes: what the limit on size counts. A dimension constraint counts for two.
    #[must_use]
    #[inline]
    pub fn axes(&self) -> u64 {
        let emitted = self.emit.iter().map(|phi| match phi {
            Constraint::DimEq(..) | Constraint::DimLe(..) => 2,
            Constraint::RowEq(..) | Constraint::RowLe(..) => phi.axes(),
        });
        let stored = match &self.store {
            Some(Bound::Cap(res, _)) => res.known_rank() as u64,
            Some(Bound::Deferred(r1, r2)) => (r1.known_rank() + r2.known_rank()) as u64,
            Some(Bound::Lower(..) | Bound::Adjacency(..)) | None => 0,
        };
        let bound = match self.bind.as_ref().map(|bind| &bind.binding) {
            Some(Binding::Row(_, to)) => to.known_rank() as u64,
            Some(Binding::Dim(..)) | None => 0,
        };
        emitted.sum::<u64>() + stored + bound
    }

    /// The constraints that this effect puts in place of the consumed one: those emitted, the bound
    /// stored, and the consumed one itself where it is processed again. The binding apart.
    #[must_use]
    pub fn denotation(&self, consumed: &Constraint) -> Vec<Constraint> {
        let mut all = self.emit.to_vec();
        all.extend(self.store.as_ref().map(Bound::constraint));
        if self.again {
            all.push(consumed.clone());
        }
        all
    }
}
