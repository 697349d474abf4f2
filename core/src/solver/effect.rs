//! What a rule does with the constraint it consumes: said as data, carried out by the configuration.
//!
//! Because an effect is data, Lemma 5.1 can be checked rule by rule: the consumed constraint must
//! have the solutions of what replaces it ([`Effect::denotation`]), up to values for fresh variables.

use super::Rule;
use super::store::By;
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::term::{RowTerm, RowVar, Term, Var};
use thin_vec::{ThinVec, thin_vec};

/// A binding x ↦ T.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bind {
    /// The variable.
    pub var: Var,
    /// Its value.
    pub to: Term,
    /// Is the placement of the marker a choice? Then only the flat content is entailed.
    pub placement: bool,
}

/// What goes into the bound store B (Def. 4.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// d ⊑ α or α ⊑ β: the consumed constraint itself.
    Dim,
    /// R ⊑ ⟨ρ⟩: a cap on ρ.
    Cap(RowTerm, RowVar),
    /// R₁ ≈ R₂: an equation that waits for its variables.
    Deferred(RowTerm, RowTerm),
}

impl Bound {
    /// The constraint that it stands for, where the consumed one is this.
    #[must_use]
    pub fn constraint(&self, consumed: &Constraint) -> Constraint {
        match self {
            Bound::Dim => consumed.clone(),
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

/// What replaces the consumed constraint. Every step makes one, and most of it is empty, so it is kept small.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// Constraints that go back into Φ.
    pub emit: ThinVec<Constraint>,
    /// A binding.
    pub bind: Option<Bind>,
    /// A bound for the store.
    pub store: Option<Bound>,
    /// Is the consumed constraint processed again, under the binding?
    pub again: bool,
    /// Failure.
    pub fail: Option<Box<Why>>,
    /// Stored bounds that the rule used as well.
    pub also: ThinVec<By>,
}

/// A rule with its effect on one constraint.
pub type Fired = (Rule, Effect);

impl Effect {
    /// The constraint is true already.
    #[must_use]
    pub fn discard() -> Self {
        Effect::default()
    }

    /// The constraint is false.
    #[must_use]
    pub fn fail(why: Why) -> Self {
        Effect { fail: Some(Box::new(why)), ..Effect::default() }
    }

    /// Replaced by another constraint.
    #[must_use]
    pub fn replace(by: Constraint) -> Self {
        Effect { emit: thin_vec![by], ..Effect::default() }
    }

    /// Kept in the store as it is.
    #[must_use]
    pub fn keep() -> Self {
        Effect { store: Some(Bound::Dim), ..Effect::default() }
    }

    /// The constraints that this effect puts in place of the consumed one: those emitted, the bound
    /// stored, and the consumed one itself where it is kept or processed again. The binding apart.
    #[must_use]
    pub fn denotation(&self, consumed: &Constraint) -> Vec<Constraint> {
        let mut all = self.emit.to_vec();
        all.extend(self.store.as_ref().map(|bound| bound.constraint(consumed)));
        if self.again {
            all.push(consumed.clone());
        }
        all
    }
}

/// A bare row variable.
pub(super) fn bare(term: &RowTerm) -> Option<RowVar> {
    term.var.filter(|_| term.known_rank() == 0)
}
