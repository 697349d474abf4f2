//! Def. 5.3, solved form: σ⋆ and the residual store, and what can be read off them.

use super::bindings::{Bindings, Standing};
use super::store::Bounds;
use crate::constraint::Constraint;
use crate::internal::broken;
use crate::semantics::{Ground, holds};
use crate::subst::{Map, Subst};
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var, VarSet};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// ⟨∅; σ⋆; B⋆⟩.
#[derive(Clone, Debug)]
pub struct Solved {
    bindings: RefCell<Bindings>,
    bounds: Bounds,
    /// vars(Φ₀), and Φ₀ itself where γ↑ has to be checked against it.
    vars: VarSet,
    phi: Vec<Constraint>,
    steps: usize,
}

/// B⋆, with σ⋆ applied: what is left open.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Residual {
    /// d ⊑ α.
    pub dim_caps: Vec<(DimVar, DimTerm)>,
    /// α ⊑ β.
    pub below: Vec<(DimVar, DimVar)>,
    /// R ⊑ ⟨ρ⟩.
    pub row_caps: Vec<(RowVar, RowTerm)>,
    /// Equations that no rule decides.
    pub deferred: Vec<Constraint>,
}

impl Residual {
    /// The residual store as constraints.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        let caps = self.dim_caps.iter().map(|(a, d)| Constraint::DimLe(*d, (*a).into()));
        let below = self.below.iter().map(|(a, b)| Constraint::DimLe((*a).into(), (*b).into()));
        let rows = self.row_caps.iter().map(|(r, cap)| Constraint::RowLe(cap.clone(), (*r).into()));
        caps.chain(below).chain(rows).chain(self.deferred.iter().cloned())
    }

    /// Is nothing left open?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.constraints().next().is_none()
    }
}

impl Solved {
    /// Solved form claims a solution (Prop. 5.4) unless an equation is deferred; so the claim is looked at here,
    /// whatever the build.
    pub(super) fn new(phi: &[Constraint], bindings: Bindings, bounds: Bounds, steps: usize) -> Self {
        let vars = phi.iter().collect();
        let deferred = bounds.deferred().next().is_some();
        if let Some(phi) = bindings.violated_at_top(phi).filter(|_| !deferred) {
            broken("γ↑ ∈ Sol(Φ₀) (Prop. 5.4)", format!("{phi:?} does not hold"));
        }
        let phi = if deferred { phi.to_vec() } else { Vec::new() };
        Solved { bindings: RefCell::new(bindings), bounds, vars, phi, steps }
    }

    /// How many steps the run took.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The input's variables.
    #[must_use]
    pub fn input_vars(&self) -> BTreeSet<Var> {
        self.vars.iter().collect()
    }

    /// σ⋆(x).
    #[must_use]
    pub fn value(&self, var: Var) -> Term {
        self.bindings.borrow_mut().value(var)
    }

    /// σ⋆: every bound variable with its value in full, so idempotent by construction.
    #[must_use]
    pub fn sigma(&self) -> Subst {
        let bound: Vec<Var> = self.bindings.borrow().bound().collect();
        let map = bound.into_iter().fold(Map::identity(), |map, var| match (var, self.value(var)) {
            (Var::Dim(v), Term::Dim(t)) => map.with_dim(v, t),
            (Var::Row(v), Term::Row(t)) => map.with_row(v, t),
            (var, to) => other_sort(var, &to),
        });
        // Values are in full, and no variable is bound twice.
        Subst::try_from(map).unwrap_or_else(|error| broken("σ⋆ is idempotent (Def. 3.2)", format!("{error:?}")))
    }

    /// B⋆ under σ⋆. A cap that became ⟨ρ⟩ ⊑ ⟨ρ⟩ says nothing and is left out.
    #[must_use]
    pub fn residual(&self) -> Residual {
        let mut residual = Residual::default();
        residual.dim_caps.extend(self.bounds.lowers().map(|(a, l)| (a, DimTerm::Dim(crate::dim::Dim::Atom(l.atom)))));
        residual.below.extend(self.bounds.adjacencies().map(|(a, b, _)| (a, b)));
        let mut bindings = self.bindings.borrow_mut();
        for (res, on) in self.bounds.caps() {
            let cap = bindings.row_value(res);
            residual.row_caps.extend((cap != RowTerm::from(on)).then_some((on, cap)));
        }
        residual.deferred.extend(self.bounds.deferred().map(|(eq, _)| bindings.instantiate(eq.clone()).phi));
        residual
    }

    /// γ↑ of Prop. 5.4 on the input's variables: every unsolved variable at its top. It solves Φ₀ unless
    /// a deferred equation says otherwise; then there is none.
    #[must_use]
    pub fn greatest(&self) -> Option<Ground> {
        let gamma = self.at_top();
        let mut deferred = self.bounds.deferred().peekable();
        if deferred.peek().is_none() {
            return Some(gamma);
        }
        self.phi.iter().all(|phi| holds(&gamma, phi)).then_some(gamma)
    }

    /// γ↑, whether or not it satisfies the deferred equations.
    fn at_top(&self) -> Ground {
        let (top, mut gamma) = (Ground::default(), Ground::default());
        for var in self.vars.iter() {
            match (var, self.value(var)) {
                (Var::Dim(v), Term::Dim(t)) => drop_it(gamma.dims.insert(v, top.dim(t))),
                (Var::Row(v), Term::Row(t)) => drop_it(gamma.rows.insert(v, top.row(&t))),
                (var, to) => other_sort(var, &to),
            }
        }
        gamma
    }

    /// Cor. 5.7: which of the input's variables were bound, and how firmly.
    #[must_use]
    pub fn forced(&self) -> Vec<(Var, Standing)> {
        let bindings = self.bindings.borrow();
        self.vars.iter().filter_map(|v| Some((v, bindings.standing_in_full(v)?))).collect()
    }

    /// Cor. 5.8, repaired (spec/findings/F11.md): σ⋆ is the principal model when nothing is left open and
    /// no placement was chosen.
    #[must_use]
    pub fn is_principal(&self) -> bool {
        let bindings = self.bindings.borrow();
        let all_entailed = bindings.bound().all(|v| bindings.standing(v) == Some(Standing::Entailed));
        drop(bindings);
        all_entailed && self.residual().is_empty()
    }
}

fn other_sort(var: Var, to: &Term) -> ! {
    broken("a variable is bound to a term of its sort", format!("{var:?} ↦ {to:?}"))
}

/// Forgets what an insertion replaced.
fn drop_it<T>(_: Option<T>) {}
