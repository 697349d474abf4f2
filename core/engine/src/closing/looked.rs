//! What CL-leaf has looked at and found nothing in.

use super::open::Open;
use super::saturate::Caps;
use crate::VarSet;
use crate::mutant::{self, Mutant};
use crate::solver::store::Bounds;
use lozenge_calculus::rules::Store;
use lozenge_calculus::term::Var;

/// A look at the caps of leaves that found no value for any. It holds until a leaf, a cap or an atom comes, or a variable
/// of the caps is bound: most equations that CL-word closes have nothing to do with them.
pub(super) struct Looked {
    /// How many caps and atoms were stored.
    told: (usize, usize),
    vars: VarSet,
    /// What it cost. The fuel of closing is what a look costs, made or not.
    pub(super) looks: u64,
}

impl Looked {
    pub(super) fn new(caps: &Caps<'_>, bounds: &Bounds, looks: u64) -> Self {
        Looked { told: bounds.told(), vars: caps.vars(), looks }
    }

    /// Would another look find nothing as well, now that these variables are bound?
    pub(super) fn holds(&self, bounds: &Bounds, open: &Open, bound: &[Var]) -> bool {
        let same = self.told == bounds.told() && !bound.iter().any(|var| self.vars.contains(*var));
        let is_bare = |var: &Var| match *var {
            Var::Dim(a) => bounds.lower(a).is_none(),
            Var::Row(r) => bounds.caps_on(r).next().is_none(),
        };
        mutant::is(Mutant::LookedOnce) || (same && open.new_leaves().iter().all(is_bare))
    }
}
