//! σ while the run goes on: each variable bound at most once, chains followed on demand.

mod by_step;
mod chains;
mod holds;
mod news;
mod read;
mod rows;
mod standing;
mod tops;

pub use tops::Tops;

use super::list::{END, Link, short, slot};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::rules::Bind;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar, Var};
use std::collections::HashMap;

/// One binding and what it rests on.
#[derive(Clone, Debug)]
struct To<T> {
    to: T,
    /// The step that bound it; a short number.
    step: u32,
    /// Is the placement of its marker a choice, so that only the flat content is entailed?
    placement: bool,
    /// Was it derived through a placement, so that not even the content is entailed?
    tainted: bool,
}

/// The accumulated bindings.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By the numbers of dimension variables.
    dims: Vec<Option<To<DimTerm>>>,
    /// Those of them that are bound to variables.
    led: Vec<DimVar>,
    /// One after the other as they are bound, and where each is by the numbers of row variables: most variables are
    /// dimensions, and a row takes much more room.
    rows: Vec<To<RowTerm>>,
    row_at: Vec<Link>,
    /// How many rows are bound to variables alone: no chain of these is longer.
    bare: usize,
    /// Past long chains of rows, by the place of a binding in `rows`.
    past: HashMap<Link, chains::Past>,
    /// Chains are shortened as they are followed, unless every step must stay visible.
    keep_chains: bool,
    /// What was bound before this step stays visible too: no chain is shortened across it.
    mark: Option<u32>,
    /// What was bound since someone looked, where someone does.
    news: Option<Vec<Var>>,
}

/// A constraint under σ.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The constraint with every bound variable replaced.
    pub phi: Constraint,
    /// Does it rest on a placement? Placements count where markers are looked at: in R ⊑ R′.
    pub tainted: bool,
    /// Boxed: most runs keep none, and there is one of these for every constraint in flight.
    #[allow(clippy::box_collection)]
    used: Option<Box<Vec<usize>>>,
}

impl Instance {
    /// The steps whose bindings were used, in the order applied (only when chains are kept).
    #[must_use]
    pub fn used(&self) -> &[usize] {
        self.used.as_deref().map_or(&[], Vec::as_slice)
    }

    /// φ, to which σ is still to be applied.
    #[must_use]
    pub(super) fn new(phi: Constraint, tainted: bool) -> Self {
        Instance { phi, tainted, used: None }
    }
}

impl Bindings {
    /// No bindings, with room for those of so many variables. With `keep_chains` every binding stays as it
    /// was made.
    #[must_use]
    pub fn new(keep_chains: bool, room: usize) -> Self {
        let (dims, rows) = (Vec::with_capacity(room), Vec::with_capacity(room / 4 * 3));
        Bindings { dims, rows, keep_chains, ..Bindings::default() }
    }

    /// What α is bound to.
    fn dim_slot(&self, DimVar(number): DimVar) -> Option<&To<DimTerm>> {
        self.dims.get(number as usize)?.as_ref()
    }

    /// What ρ is bound to.
    fn row_slot(&self, RowVar(number): RowVar) -> Option<&To<RowTerm>> {
        self.rows.get(*self.row_at.get(number as usize)? as usize)
    }

    /// Reads where it stands what ρ is bound to, and nothing comes of it.
    #[inline]
    pub(super) fn touch_row(&self, RowVar(number): RowVar) -> u32 {
        self.row_at.get(number as usize).copied().unwrap_or(0)
    }

    /// Is the variable bound?
    #[must_use]
    pub fn is_bound(&self, var: Var) -> bool {
        match var {
            Var::Dim(v) => self.dim_slot(v).is_some(),
            Var::Row(v) => self.row_slot(v).is_some(),
        }
    }

    /// Binds a variable, once.
    pub fn bind(&mut self, Bind { binding, placement }: Bind, step: usize, tainted: bool) {
        match binding {
            Binding::Dim(var, to) => self.bind_dim(var, to, step, tainted),
            Binding::Row(var, to) => self.bind_row(var, to, (step, placement), tainted),
        }
    }

    /// α ↦ t. A dimension has no marker to place.
    #[inline]
    pub(super) fn bind_dim(&mut self, DimVar(number): DimVar, to: DimTerm, step: usize, tainted: bool) {
        *slot(&mut self.dims, number, || None) = Some(To { to, step: short(step), placement: false, tainted });
        if matches!(to, DimTerm::Var(_)) {
            self.led.push(DimVar(number));
        }
        self.note(Var::Dim(DimVar(number)));
    }

    /// ρ ↦ R. The marker is placed by choice or not.
    #[inline]
    pub(super) fn bind_row(
        &mut self,
        RowVar(number): RowVar,
        to: RowTerm,
        (step, placement): (usize, bool),
        tainted: bool,
    ) {
        *slot(&mut self.row_at, number, || END) = short(self.rows.len());
        self.bare += usize::from(to.bare().is_some());
        self.rows.push(To { to, step: short(step), placement, tainted });
        self.note(Var::Row(RowVar(number)));
    }

    /// Keeps what is known by this step apart from what will be known later: see [`row_at_mark`](Self::row_at_mark).
    pub fn set_mark(&mut self, step: usize) {
        self.mark = Some(short(step));
    }

    fn is_after_mark(&self, step: u32) -> bool {
        self.mark.is_some_and(|mark| step >= mark)
    }

    /// The variables that two dimensions are under σ, if they are two.
    pub(super) fn adjacent(&self, s: DimTerm, t: DimTerm) -> Option<(DimVar, DimVar)> {
        match (self.end(s).0, self.end(t).0) {
            (DimTerm::Var(a), DimTerm::Var(b)) if a != b => Some((a, b)),
            _ => None,
        }
    }

    /// Replaces t by σ(t); does that rest on a placement?
    #[inline]
    fn dim(&mut self, term: &mut DimTerm) -> bool {
        let DimTerm::Var(v) = *term else { return false };
        match self.dim_slot(v) {
            None => false,
            // Most chains end in a ground dimension at once.
            Some(To { to: to @ DimTerm::Dim(_), tainted, .. }) => {
                *term = *to;
                *tainted
            }
            Some(_) => self.dim_through(term),
        }
    }

    /// The same where the chain goes on.
    fn dim_through(&mut self, term: &mut DimTerm) -> bool {
        let (end, tainted, long) = self.end(*term);
        if long && !self.keep_chains {
            self.shorten(*term);
        }
        *term = end;
        tainted
    }

    /// σ(α), and whether that rests on a placement.
    pub(super) fn read_dim(&mut self, var: DimVar) -> (DimTerm, bool) {
        let mut term = DimTerm::Var(var);
        let tainted = self.dim(&mut term);
        (term, tainted)
    }

    /// What α is bound to by itself.
    pub(super) fn kept_dim(&self, var: DimVar) -> (DimTerm, bool) {
        self.dim_slot(var).map_or((var.into(), false), |slot| (slot.to, slot.tainted))
    }

    /// Replaces two dimensions by what they are under σ; does that rest on a placement?
    #[inline]
    pub(super) fn dims(&mut self, s: &mut DimTerm, t: &mut DimTerm) -> bool {
        self.dim(s) | self.dim(t)
    }

    /// σ(φ).
    pub fn instantiate(&mut self, phi: Constraint) -> Instance {
        let mut instance = Instance::new(phi, false);
        self.apply(&mut instance);
        instance
    }

    /// Replaces φ by σ(φ).
    pub(super) fn apply(&mut self, instance: &mut Instance) {
        if self.keep_chains {
            return self.apply_step_by_step(instance);
        }
        let marked = matches!(instance.phi, Constraint::RowLe(..));
        instance.tainted |= match &mut instance.phi {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => self.dim(s) | self.dim(t),
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => self.row(s, marked) | self.row(t, marked),
        };
    }

    /// σ(α) in full.
    #[must_use]
    pub fn dim_value(&mut self, mut term: DimTerm) -> DimTerm {
        self.dim(&mut term);
        term
    }

    /// x ↦ σ(x) in full.
    #[must_use]
    pub fn value(&mut self, var: Var) -> Binding {
        match var {
            Var::Dim(v) => Binding::Dim(v, self.dim_value(v.into())),
            Var::Row(v) => Binding::Row(v, self.row_value(&v.into())),
        }
    }
}
