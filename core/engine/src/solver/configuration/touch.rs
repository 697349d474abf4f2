//! The next constraints are known, and so are the variables they speak of. In a system whose tables are larger than the
//! caches, what is kept of these is read some steps ahead, for several constraints at once: the processor then waits for all
//! of it together, and not for each in turn.

use super::super::waiting::Waiting;
use super::Configuration;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{DimTerm, DimVar, RowVar, Var};
use std::hint::black_box;

/// A system of so many variables may have tables larger than the caches. Where the laws run, a few are enough.
const LARGE: usize = if cfg!(debug_assertions) { 16 } else { 1 << 14 };

/// So many constraints are looked at ahead. A few are not worth it.
const AHEAD: usize = 32;

/// Variables whose numbers differ by no more stand close together in the tables.
const CLOSE: u32 = 256;

/// The step at which to begin; none, where there are so few variables.
pub(super) fn beginning(variables: usize) -> usize {
    if variables < LARGE { usize::MAX } else { 0 }
}

/// What two sides of a constraint ask for: the smaller side, and the larger.
enum Sides {
    Dims(DimTerm, DimTerm),
    Rows(Option<RowVar>, Option<RowVar>),
}

impl Sides {
    fn of(phi: &Constraint) -> Self {
        match phi {
            Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => Sides::Dims(*s, *t),
            Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => Sides::Rows(s.var, t.var),
        }
    }

    fn of_waiting(waiting: &Waiting) -> Self {
        match waiting {
            Waiting::Dims(dims) => Sides::Dims(dims.s, dims.t),
            Waiting::Cap(cap, _) => Sides::Rows(cap.of(), Some(cap.on())),
            Waiting::Rows(_) => Sides::Rows(None, None),
        }
    }
}

impl Sides {
    /// The numbers of the variables.
    fn numbers(&self) -> [Option<u32>; 2] {
        match self {
            Sides::Dims(s, t) => [*s, *t].map(|term| dim(term).map(|DimVar(number)| number)),
            Sides::Rows(s, t) => [*s, *t].map(|var| var.map(|RowVar(number)| number)),
        }
    }

    /// Is no variable of one close to one of the other?
    fn is_far(&self, other: &Sides) -> bool {
        let far = |s: &Option<u32>, t: &Option<u32>| matches!((s, t), (Some(s), Some(t)) if s.abs_diff(*t) > CLOSE);
        self.numbers().iter().all(|s| other.numbers().iter().all(|t| far(s, t)))
    }
}

fn dim(term: DimTerm) -> Option<DimVar> {
    match term {
        DimTerm::Var(a) => Some(a),
        DimTerm::Dim(_) => None,
    }
}

impl Configuration<'_> {
    /// Reads what the next constraints will ask for, unless it stands close together: then it is found in the caches.
    #[inline(never)]
    pub(super) fn touch_ahead(&mut self) {
        let far = self.is_far();
        self.touch_at = self.steps + if far { AHEAD } else { 4 * AHEAD };
        if !far {
            return;
        }
        let next: [Option<Sides>; AHEAD] = std::array::from_fn(|at| self.ahead(at));
        // What stands in tables by variables first; then what that leads to.
        black_box(next.iter().flatten().map(|sides| self.touch(sides)).fold(0, u32::wrapping_add));
        black_box(next.iter().flatten().map(|sides| self.touch_further(sides)).fold(0, u32::wrapping_add));
    }

    /// Are there so many constraints, with variables far from each other?
    fn is_far(&self) -> bool {
        let [Some(first), Some(middle), Some(last)] = [0, AHEAD / 2, AHEAD - 1].map(|at| self.ahead(at)) else {
            return false;
        };
        first.is_far(&middle) && middle.is_far(&last)
    }

    /// A constraint that comes after so many others.
    #[inline]
    fn ahead(&self, at: usize) -> Option<Sides> {
        match self.input.as_slice() {
            [] => self.queue.ahead().get(at).map(Sides::of_waiting),
            input => input.get(at).map(Sides::of),
        }
    }

    #[inline]
    fn touch(&self, sides: &Sides) -> u32 {
        match *sides {
            Sides::Dims(s, t) => {
                let touch = |a| u32::from(self.bindings.is_bound(Var::Dim(a))).wrapping_add(self.bounds.touch_dim(a));
                dim(s).map_or(0, touch).wrapping_add(dim(t).map_or(0, touch))
            }
            Sides::Rows(s, t) => {
                let both = |r| self.bindings.touch_row(r).wrapping_add(self.bounds.touch_row(r));
                let touch = |r| u32::from(self.guard.mentions(r)).wrapping_add(both(r));
                s.map_or(0, touch).wrapping_add(t.map_or(0, touch))
            }
        }
    }

    #[inline]
    fn touch_further(&self, sides: &Sides) -> u32 {
        match *sides {
            Sides::Dims(s, t) => self.bounds.touch_adjacencies(dim(s), dim(t)),
            Sides::Rows(s, t) => self.bounds.touch_caps(s, t),
        }
    }
}
