//! Def. 5.3, solved form: σ⋆ and the residual store, and what can be read off them.

use super::bindings::Bindings;
use super::store::Bounds;
use crate::VarSet;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::internal::broken;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::solver::{Residual, Standing};
use lozenge_calculus::subst::{Map, Subst};
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Term, Var};
use std::cell::RefCell;

/// ⟨∅; σ⋆; B⋆⟩.
#[derive(Clone, Debug)]
pub struct Solved {
    bindings: RefCell<Bindings>,
    bounds: Bounds,
    /// vars(Φ₀), and whether γ↑ solves Φ₀.
    vars: VarSet,
    solves: bool,
    steps: usize,
}

impl Solved {
    /// Solved form claims a solution (Prop. 5.4) unless an equation is deferred; so the claim is looked at here,
    /// whatever the build.
    pub(super) fn new(phi: &[Constraint], mut bindings: Bindings, bounds: Bounds, steps: usize) -> Self {
        let vars = phi.iter().collect();
        bindings.shorten_for_good();
        let violated = bindings.violated(&bindings.tops(), phi);
        if let Some(phi) = violated
            && !bounds.has_deferred()
        {
            broken("γ↑ ∈ Sol(Φ₀) (Prop. 5.4)", format!("{phi:?} does not hold"));
        }
        Solved { bindings: RefCell::new(bindings), bounds, vars, solves: violated.is_none(), steps }
    }

    /// How many steps the run took.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// x ↦ σ⋆(x).
    #[must_use]
    pub fn binding(&self, var: Var) -> Binding {
        self.bindings.borrow_mut().value(var)
    }

    /// σ⋆(x).
    #[must_use]
    pub fn value(&self, var: Var) -> Term {
        self.binding(var).to()
    }

    /// σ⋆(α).
    #[must_use]
    pub fn dim(&self, var: DimVar) -> DimTerm {
        self.bindings.borrow_mut().dim_value(var.into())
    }

    /// σ⋆(ρ).
    #[must_use]
    pub fn row(&self, var: RowVar) -> RowTerm {
        self.bindings.borrow_mut().row_value(&var.into())
    }

    /// σ⋆: every bound variable with its value in full, so idempotent by construction.
    #[must_use]
    pub fn sigma(&self) -> Subst {
        let bound: Vec<Var> = self.bindings.borrow().bound().collect();
        let map = bound.into_iter().fold(Map::identity(), |map, var| match self.binding(var) {
            Binding::Dim(v, t) => map.with_dim(v, t),
            Binding::Row(v, t) => map.with_row(v, t),
        });
        // Values are in full, and no variable is bound twice.
        Subst::try_from(map).unwrap_or_else(|error| broken("σ⋆ is idempotent (Def. 3.2)", format!("{error:?}")))
    }

    /// B⋆ under σ⋆. A cap that became ⟨ρ⟩ ⊑ ⟨ρ⟩ says nothing and is left out.
    #[must_use]
    pub fn residual(&self) -> Residual {
        let mut residual = Residual::default();
        residual.dim_caps.extend(self.bounds.lowers().map(|(a, l)| (a, DimTerm::Dim(Dim::Atom(l)))));
        residual.below.extend(self.bounds.adjacencies().map(|(a, b, _)| (a, b)));
        let mut bindings = self.bindings.borrow_mut();
        for (res, on) in self.bounds.caps() {
            let cap = bindings.row_value(&res);
            residual.row_caps.extend((cap != RowTerm::from(on)).then_some((on, cap)));
        }
        residual.deferred.extend(self.bounds.deferred().map(|(eq, _)| bindings.instantiate(eq).phi));
        residual
    }

    /// γ↑ of Prop. 5.4 on the input's variables: every unsolved variable at its top. It solves Φ₀ unless
    /// a deferred equation says otherwise; then there is none.
    #[must_use]
    pub fn greatest(&self) -> Option<Ground> {
        self.solves.then(|| ground(&self.vars, &self.bindings.borrow()))
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

/// The values of these variables, those that are left at their tops.
#[must_use]
pub fn ground(vars: &VarSet, bindings: &Bindings) -> Ground {
    let (mut dims, mut rows) = (Vec::new(), Vec::new());
    for var in vars.iter() {
        match var {
            Var::Dim(v) => dims.push((v, bindings.dim_at_top(v.into()))),
            Var::Row(v) => rows.push((v, bindings.row_at_top(&v.into()))),
        }
    }
    Ground { dims: dims.into_iter().collect(), rows: rows.into_iter().collect() }
}
