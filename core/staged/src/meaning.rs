//! What claims mean on ground values, and all solutions by brute force. Nothing here knows the stages.
//!
//! Sizes are compared as numbers: 1∅ counts one, n with any basis counts n, and a discarded component counts 0.
//! A basis says what the positions of an axis mean. Every position of a strided or convolved axis is one of the axis
//! that is worked out, and so is every position of a part: their bases are the same, where 1∅ says nothing. A kernel
//! counts distances between positions, so its basis is default. Totals and least sizes count elements only.

use super::claim::{Affine, Conv, Exact, Factor, Mode, Numerator, SizeClaim, SizeTerm, Total};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Basis, Dim};
use lozenge_calculus::semantics::{Ground, Universe, holds as holds_core, sol_on};
use lozenge_calculus::term::{DimTerm, DimVar, Var, Vars};
use lozenge_engine::VarSet;
use std::collections::{BTreeMap, BTreeSet};

/// A ground substitution with discarded components: these variables have size 0, which is outside D.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Valuation {
    /// γ.
    pub ground: Ground,
    /// The variables that are 0.
    pub zeros: BTreeSet<DimVar>,
}

/// The basis of what is no 1∅.
#[must_use]
pub fn basis(d: Dim) -> Option<Basis> {
    match d {
        Dim::Unit => None,
        Dim::Atom(a) => Some(a.basis()),
    }
}

/// The number that a distance counts: 1∅ and atoms of basis default are plain.
#[must_use]
pub fn plain(d: Dim) -> Option<u64> {
    match d {
        Dim::Unit => Some(1),
        Dim::Atom(a) if a.basis() == Basis::DEFAULT => Some(a.size()),
        Dim::Atom(_) => None,
    }
}

impl Valuation {
    /// The plain size of a term.
    #[must_use]
    pub fn count(&self, term: DimTerm) -> Option<u64> {
        match term {
            DimTerm::Var(v) if self.zeros.contains(&v) => Some(0),
            term => plain(self.ground.dim(term)),
        }
    }

    /// Do the bases of these agree, 1∅ and discarded components apart?
    fn agree<'t>(&self, mut terms: impl Iterator<Item = &'t DimTerm>) -> bool {
        let mut first = None;
        terms.all(|term| match term {
            DimTerm::Var(v) if self.zeros.contains(v) => true,
            term => basis(self.ground.dim(*term)).is_none_or(|b| *first.get_or_insert(b) == b),
        })
    }

    /// The number of elements of a term, whatever the basis.
    #[must_use]
    pub fn elements(&self, term: DimTerm) -> u64 {
        match term {
            DimTerm::Var(v) if self.zeros.contains(&v) => 0,
            term => self.ground.dim(term).elements(),
        }
    }

    fn factor(&self, factor: Factor) -> Option<u64> {
        let n = match factor {
            Factor::Known(n) => n,
            Factor::Late(t) => self.count(t)?,
        };
        (n > 0).then_some(n)
    }

    /// The size of an affine axis; none where the term is not well formed.
    ///
    /// - strided: stride · over
    /// - padded: stride · over
    /// - valid: stride · (over − 1) + 1 + (kernel − 1) · dilation
    #[must_use]
    pub fn affine(&self, affine: &Affine) -> Option<u64> {
        let (stride, over) = (self.factor(affine.stride)?, Some(self.elements(affine.over)).filter(|n| *n > 0)?);
        if affine.offset >= stride {
            return None;
        }
        match (affine.mode(), affine.conv) {
            (Mode::Strided | Mode::Padded, _) | (_, None) => stride.checked_mul(over),
            (Mode::Valid, Some(_)) if affine.offset != 0 => None,
            (Mode::Valid, Some(conv)) => stride.checked_mul(over - 1)?.checked_add(1)?.checked_add(self.reach(conv)?),
        }
    }

    /// How far a kernel goes beyond its first element: (kernel − 1) · dilation.
    fn reach(&self, conv: Conv) -> Option<u64> {
        let kernel = self.count(conv.kernel).filter(|n| *n > 0)?;
        (kernel - 1).checked_mul(self.factor(conv.dilation)?)
    }

    /// The sum of the components.
    #[must_use]
    pub fn concat(&self, parts: &[DimTerm]) -> Option<u64> {
        parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(self.elements(*part)))
    }

    /// Is one of these variables 0? Then it is no dimension.
    fn has_zero(&self, of: &impl Vars) -> bool {
        !self.zeros.is_empty() && of.vars().iter().any(|v| matches!(v, Var::Dim(d) if self.zeros.contains(d)))
    }

    /// Does the claim hold? In a product nothing is rounded: both sides are multiplied out. What is 0 is a part of a
    /// concatenation, and nothing else.
    #[must_use]
    pub fn holds(&self, claim: &SizeClaim) -> bool {
        match claim {
            SizeClaim::Total(_) | SizeClaim::Exact(_) if self.has_zero(claim) => false,
            SizeClaim::Size(d, SizeTerm::Affine(affine)) if affine.is_identity() => {
                let zero = self.has_zero(d) || self.has_zero(&affine.over);
                affine.offset == 0 && !zero && self.ground.dim(*d) == self.ground.dim(affine.over)
            }
            SizeClaim::Size(d, SizeTerm::Affine(affine)) => {
                self.affine(affine) == Some(self.elements(*d)) && self.agree([*d, affine.over].iter())
            }
            SizeClaim::Size(d, SizeTerm::Concat(parts)) => {
                let sum = self.concat(parts).filter(|n| *n > 0);
                sum == Some(self.elements(*d)) && self.agree(parts.iter().chain([d]))
            }
            SizeClaim::Total(total) => self.total(total).is_some_and(|(left, right)| left == right),
            SizeClaim::Exact(Exact { rows, dims, .. }) => {
                let axes = rows.iter().flat_map(|row| self.ground.row(row).flat().collect::<Vec<_>>());
                axes.eq(dims.iter().map(|d| self.ground.dim(*d)))
            }
            SizeClaim::AtLeast(d, n) => self.elements(*d) >= *n,
        }
    }

    /// Π rows · Π divided_by · denom, and coeff · var or the count.
    fn total(&self, total: &Total) -> Option<(u128, u128)> {
        let axes = total.rows.iter().flat_map(|row| self.ground.row(row).flat().collect::<Vec<_>>());
        let divisors = total.divided_by.iter().map(|v| self.elements((*v).into()));
        let mut left = axes
            .map(Dim::elements)
            .chain(divisors)
            .try_fold(1_u128, |product, n| product.checked_mul(u128::from(n)))?;
        let right = match total.numerator {
            Numerator::Count(n) => u128::from(n),
            Numerator::Scaled { coeff, var, denom } => {
                left = left.checked_mul(u128::from(denom))?;
                u128::from(self.factor(coeff)?).checked_mul(u128::from(self.elements(var.into())))?
            }
        };
        Some((left, right))
    }

    /// Does this constraint equate two variables that are 0?
    #[must_use]
    pub fn equates_zeros(&self, phi: &Constraint) -> bool {
        matches!(equated(phi), Some((v, w)) if self.zeros.contains(&v) && self.zeros.contains(&w))
    }

    /// Is this a solution of the constraints and of the claims? A variable that is 0 has no value in D, so no
    /// constraint of the core may speak of it, but for an equation with another that is 0.
    #[must_use]
    pub fn solves(&self, phi: &[Constraint], claims: &[SizeClaim]) -> bool {
        self.violated(phi, claims).is_none()
    }

    /// What of that does not hold, if anything.
    pub fn violated<'c>(&self, phi: &[Constraint], claims: impl IntoIterator<Item = &'c SizeClaim>) -> Option<String> {
        if !self.zeros.is_empty() {
            let in_core: VarSet = phi.iter().filter(|phi| !self.equates_zeros(phi)).collect();
            if let Some(v) = self.zeros.iter().find(|v| in_core.contains(Var::Dim(**v))) {
                return Some(format!("{v:?} is 0 and a constraint speaks of it"));
            }
        }
        if let Some(phi) = phi.iter().find(|phi| !self.equates_zeros(phi) && !holds_core(&self.ground, phi)) {
            return Some(format!("{phi:?} does not hold"));
        }
        claims.into_iter().find(|claim| !self.holds(claim)).map(|claim| format!("{claim:?} does not hold"))
    }
}

/// The two variables that a constraint equates.
fn equated(phi: &Constraint) -> Option<(DimVar, DimVar)> {
    match phi {
        Constraint::DimEq(DimTerm::Var(v), DimTerm::Var(w)) => Some((*v, *w)),
        _ => None,
    }
}

/// The discardable variables that can be 0 at all: those that occur as components of concatenations and
/// nowhere else. D has no 0, so what is an axis of a tensor cannot be 0 (spec/findings/F40.md). An equation between
/// two of them is no further place: both are 0 or none is.
#[must_use]
pub fn may_be_zero(phi: &[Constraint], claims: &[SizeClaim], discardable: &BTreeSet<DimVar>) -> BTreeSet<DimVar> {
    if discardable.is_empty() || claims.is_empty() {
        return BTreeSet::new();
    }
    let mut elsewhere: VarSet = phi.iter().filter(|phi| equated(phi).is_none()).collect();
    for claim in claims {
        match claim {
            SizeClaim::Size(d, SizeTerm::Concat(_)) => elsewhere.extend(d.vars()),
            other => elsewhere.extend(other.vars()),
        }
    }
    let mut found: BTreeSet<DimVar> =
        discardable.iter().copied().filter(|v| !elsewhere.contains(Var::Dim(*v))).collect();
    let mut equal: BTreeMap<DimVar, Vec<DimVar>> = BTreeMap::new();
    for (v, w) in phi.iter().filter_map(equated) {
        equal.entry(v).or_default().push(w);
        equal.entry(w).or_default().push(v);
    }
    // What equals one that cannot be 0 cannot be 0.
    let mut not: Vec<DimVar> = equal.keys().copied().filter(|v| !found.contains(v)).collect();
    while let Some(v) = not.pop() {
        not.extend(equal.remove(&v).unwrap_or_default().into_iter().filter(|w| found.remove(w)));
    }
    found
}

/// All solutions within a universe.
pub fn sol<'a>(
    phi: &'a [Constraint],
    claims: &'a [SizeClaim],
    discardable: &BTreeSet<DimVar>,
    universe: &'a Universe,
) -> impl Iterator<Item = Valuation> + 'a {
    let eligible: Vec<DimVar> = may_be_zero(phi, claims, discardable).into_iter().collect();
    let vars: BTreeSet<Var> = claims.iter().flat_map(Vars::vars).collect();
    let subsets = (0..1_u32 << eligible.len().min(16)).map(move |subset| {
        let in_subset = |(i, v): (usize, &DimVar)| (subset >> i & 1 == 1).then_some(*v);
        eligible.iter().enumerate().filter_map(in_subset).collect::<BTreeSet<DimVar>>()
    });
    // Of two that are equal both are 0 or none is.
    let together = |zeros: &BTreeSet<DimVar>| {
        phi.iter().filter_map(equated).all(|(v, w)| zeros.contains(&v) == zeros.contains(&w))
    };
    subsets.filter(together).flat_map(move |zeros| {
        let positive = vars.iter().copied().filter(|v| !matches!(v, Var::Dim(d) if zeros.contains(d))).collect();
        // Those that are 0 and equated have no value either: what is tried for them is looked at once.
        let none = zeros.clone();
        sol_on(phi, universe, &positive)
            .filter(move |ground| none.iter().all(|v| ground.dims.get(v).is_none_or(|d| *d == Dim::Unit)))
            .map(move |mut ground| {
                ground.dims.retain(|v, _| !zeros.contains(v));
                Valuation { ground, zeros: zeros.clone() }
            })
            .filter(move |valuation| claims.iter().all(|claim| valuation.holds(claim)))
    })
}
