//! §3.2–3.3 Substitutions: application with splicing, composition, the order ≤.
//!
//! Two types, because the paper's one notion does not compose (spec/findings/F7.md): a [`Map`] is
//! any finite sort-respecting map, closed under composition; a [`Subst`] is an idempotent one, the
//! substitution of Def. 3.2.
//!
//! Chapter: spec/3-terms.md.

use crate::constraint::Constraint;
use crate::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Term, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A finite, sort-respecting map from variables to terms; the identity elsewhere.
/// Bindings x ↦ x are not kept, so that `==` is equality of functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Map {
    dims: BTreeMap<DimVar, DimTerm>,
    rows: BTreeMap<RowVar, RowTerm>,
}

impl Map {
    /// The identity.
    #[must_use]
    pub fn identity() -> Self {
        Map::default()
    }

    /// \[x ↦ T\].
    #[must_use]
    pub fn single(binding: &Binding) -> Self {
        match binding {
            Binding::Dim(v, t) => Map::identity().with_dim(*v, *t),
            Binding::Row(v, t) => Map::identity().with_row(*v, t.clone()),
        }
    }

    /// This map with α ↦ t.
    #[must_use]
    pub fn with_dim(mut self, var: DimVar, term: impl Into<DimTerm>) -> Self {
        let term = term.into();
        if term == DimTerm::Var(var) {
            self.dims.remove(&var);
        } else {
            self.dims.insert(var, term);
        }
        self
    }

    /// This map with ρ ↦ R.
    #[must_use]
    pub fn with_row(mut self, var: RowVar, term: RowTerm) -> Self {
        if term == RowTerm::from(var) {
            self.rows.remove(&var);
        } else {
            self.rows.insert(var, term);
        }
        self
    }

    /// Every x ↦ T with T ≠ x, oldest variable first.
    #[must_use]
    pub fn bindings(&self) -> BTreeMap<Var, Term> {
        let dims = self.dims.iter().map(|(v, t)| (Var::Dim(*v), Term::Dim(*t)));
        let rows = self.rows.iter().map(|(v, t)| (Var::Row(*v), Term::Row(t.clone())));
        dims.chain(rows).collect()
    }

    /// dom(σ).
    #[must_use]
    pub fn domain(&self) -> BTreeSet<Var> {
        self.dims.keys().map(|v| Var::Dim(*v)).chain(self.rows.keys().map(|v| Var::Row(*v))).collect()
    }

    /// vars(ran(σ)).
    #[must_use]
    pub fn range_vars(&self) -> BTreeSet<Var> {
        let mut out = BTreeSet::new();
        self.dims.values().for_each(|t| t.collect_vars(&mut out));
        self.rows.values().for_each(|t| t.collect_vars(&mut out));
        out
    }

    /// σ(α).
    #[must_use]
    pub fn dim(&self, var: DimVar) -> DimTerm {
        self.dims.get(&var).copied().unwrap_or(DimTerm::Var(var))
    }

    /// σ(ρ).
    #[must_use]
    pub fn row(&self, var: RowVar) -> RowTerm {
        self.rows.get(&var).cloned().unwrap_or_else(|| var.into())
    }

    /// σ(x).
    #[must_use]
    pub fn var(&self, var: Var) -> Term {
        match var {
            Var::Dim(v) => Term::Dim(self.dim(v)),
            Var::Row(v) => Term::Row(self.row(v)),
        }
    }

    /// x ↦ σ(x).
    #[must_use]
    pub fn binding(&self, var: Var) -> Binding {
        match var {
            Var::Dim(v) => Binding::Dim(v, self.dim(v)),
            Var::Row(v) => Binding::Row(v, self.row(v)),
        }
    }

    /// σ(t).
    #[must_use]
    pub fn apply_dim(&self, term: DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(v) => self.dim(v),
            DimTerm::Dim(_) => term,
        }
    }

    /// Def. 3.2, at the marker: σ(l·⟨ρ⟩·r) = (σl·l′)·⟨ρ′⟩·(r′·σr) when σ(ρ) = l′·⟨ρ′⟩·r′.
    #[must_use]
    pub fn apply_row(&self, term: &RowTerm) -> RowTerm {
        let flank = |terms: &[DimTerm]| -> Vec<DimTerm> { terms.iter().map(|t| self.apply_dim(*t)).collect() };
        let (lead, trail) = (flank(&term.lead), flank(&term.trail));
        match term.var {
            None => RowTerm::new(lead, None, trail),
            Some(v) => self.row(v).within(&lead, &trail),
        }
    }

    /// σ(T).
    #[must_use]
    pub fn apply(&self, term: &Term) -> Term {
        match term {
            Term::Dim(t) => Term::Dim(self.apply_dim(*t)),
            Term::Row(t) => Term::Row(self.apply_row(t)),
        }
    }

    /// σ(φ).
    #[must_use]
    pub fn apply_constraint(&self, phi: &Constraint) -> Constraint {
        match phi {
            Constraint::DimEq(s, t) => Constraint::DimEq(self.apply_dim(*s), self.apply_dim(*t)),
            Constraint::DimLe(s, t) => Constraint::DimLe(self.apply_dim(*s), self.apply_dim(*t)),
            Constraint::RowEq(s, t) => Constraint::RowEq(self.apply_row(s), self.apply_row(t)),
            Constraint::RowLe(s, t) => Constraint::RowLe(self.apply_row(s), self.apply_row(t)),
        }
    }

    /// Lemma 3.3: σ∘τ, with (σ∘τ)(X) = σ(τ(X)) for every term X. `self` is σ.
    #[must_use]
    pub fn after(&self, tau: &Map) -> Map {
        let mut composite = self.clone();
        for (v, t) in &tau.dims {
            composite = composite.with_dim(*v, self.apply_dim(*t));
        }
        for (v, t) in &tau.rows {
            composite = composite.with_row(*v, self.apply_row(t));
        }
        composite
    }

    /// dom(σ) ∩ vars(ran(σ)) = ∅ (Def. 3.2)?
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.domain().is_disjoint(&self.range_vars())
    }

    /// σ₁ ≤ σ₂ on the variables V: a map u with u(σ₁(x)) = σ₂(x) for every x ∈ V, if there is one.
    /// Matching finds the only candidate, so no search is needed. `self` is σ₁.
    #[must_use]
    pub fn le_on(&self, other: &Map, vars: impl IntoIterator<Item = Var>) -> Option<Map> {
        let mut u = Matcher::default();
        for x in vars {
            match (self.var(x), other.var(x)) {
                (Term::Dim(pattern), Term::Dim(target)) => u.dim(pattern, target)?,
                (Term::Row(pattern), Term::Row(target)) => u.row(&pattern, &target)?,
                _ => return None,
            }
        }
        Some(u.into_map())
    }
}

/// The bindings u must have; unlike a [`Map`] it remembers x ↦ x as forced.
#[derive(Default)]
struct Matcher {
    dims: BTreeMap<DimVar, DimTerm>,
    rows: BTreeMap<RowVar, RowTerm>,
}

impl Matcher {
    fn dim(&mut self, pattern: DimTerm, target: DimTerm) -> Option<()> {
        let found = match pattern {
            DimTerm::Var(v) => *self.dims.entry(v).or_insert(target),
            ground @ DimTerm::Dim(_) => ground,
        };
        (found == target).then_some(())
    }

    /// The written flanks match the outer ends of the target's; the variable takes what is between.
    fn row(&mut self, pattern: &RowTerm, target: &RowTerm) -> Option<()> {
        let (outer_lead, inner_lead) = target.lead.split_at_checked(pattern.lead.len())?;
        let inner_trail_len = target.trail.len().checked_sub(pattern.trail.len())?;
        let (inner_trail, outer_trail) = target.trail.split_at(inner_trail_len);
        for (p, t) in pattern.lead.iter().zip(outer_lead).chain(pattern.trail.iter().zip(outer_trail)) {
            self.dim(*p, *t)?;
        }
        let middle = RowTerm::new(inner_lead.to_vec(), target.var, inner_trail.to_vec());
        let found = match pattern.var {
            Some(v) => self.rows.entry(v).or_insert_with(|| middle.clone()),
            None => &RowTerm::default(),
        };
        (*found == middle).then_some(())
    }

    fn into_map(self) -> Map {
        let map = self.dims.into_iter().fold(Map::identity(), |map, (v, t)| map.with_dim(v, t));
        self.rows.into_iter().fold(map, |map, (v, t)| map.with_row(v, t))
    }
}

/// Def. 3.2: a substitution, idempotent by construction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Subst(Map);

/// A map that is not a substitution of Def. 3.2: these variables are bound and also occur in the range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotIdempotent {
    /// dom(σ) ∩ vars(ran(σ)), not empty.
    pub vars: BTreeSet<Var>,
}

impl fmt::Display for NotIdempotent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not idempotent: {} variable(s) are bound and also occur in the range (Def. 3.2)", self.vars.len())
    }
}

impl std::error::Error for NotIdempotent {}

impl TryFrom<Map> for Subst {
    type Error = NotIdempotent;

    fn try_from(map: Map) -> Result<Self, NotIdempotent> {
        let vars: BTreeSet<Var> = map.domain().intersection(&map.range_vars()).copied().collect();
        if vars.is_empty() { Ok(Subst(map)) } else { Err(NotIdempotent { vars }) }
    }
}

impl std::ops::Deref for Subst {
    type Target = Map;

    fn deref(&self) -> &Map {
        &self.0
    }
}

impl Subst {
    /// The identity.
    #[must_use]
    pub fn identity() -> Self {
        Subst::default()
    }

    /// σ∘τ as a substitution. dom(τ) ∩ vars(ran σ) = ∅ is enough for it to be one.
    ///
    /// # Errors
    /// [`NotIdempotent`] where the composite is only a map.
    pub fn compose(&self, tau: &Subst) -> Result<Subst, NotIdempotent> {
        self.0.after(&tau.0).try_into()
    }

    /// Def. 3.4: σ₁ ≤ σ₂ iff u∘σ₁ = σ₂ for some u. On all variables, u = σ₂ is the only
    /// candidate that matters, because σ₁ is idempotent: the answer is σ₂∘σ₁ = σ₂.
    #[must_use]
    pub fn le(&self, other: &Subst) -> bool {
        other.0.after(&self.0) == other.0
    }
}
