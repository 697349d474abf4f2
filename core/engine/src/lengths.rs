//! Judging the lengths of rows by numbers: [`lozenge_calculus::decide::lengths::Literal`] without looking rows up.
//!
//! A search over lengths asks the same constraints about thousands of lengths. What they say of these is a handful of
//! numbers each, and those are read off once.

use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::decide::lengths::Judge;
use lozenge_calculus::term::{RowTerm, RowVar};
use std::collections::BTreeMap;

/// What row constraints say of lengths.
#[derive(Debug)]
pub struct Measures {
    /// What can be judged once the first i variables have lengths.
    checks: Vec<Vec<Check>>,
}

/// What one of them says.
#[derive(Clone, Copy, Debug)]
enum Check {
    /// R_res ⊑ R_op: on each side the flank of R_op is not the longer one (Def. 2.3).
    Le(Measure, Measure),
    /// R₁ ≈ R₂: the ranks are equal (Def. 2.9).
    Eq(Measure, Measure),
}

/// The lengths of a row.
#[derive(Clone, Copy, Debug)]
struct Measure {
    /// How many axes its flanks have.
    lead: usize,
    trail: usize,
    /// Which of the variables it has.
    var: Option<usize>,
}

impl Judge<'_> for Measures {
    fn of(phi: &[Constraint], vars: &[RowVar]) -> Self {
        let place: BTreeMap<RowVar, usize> = vars.iter().enumerate().map(|(i, v)| (*v, i)).collect();
        let measure = |row: &RowTerm| {
            let var = row.var.and_then(|v| place.get(&v)).copied();
            Measure { lead: row.lead.len(), trail: row.trail.len(), var }
        };
        let mut checks = vec![Vec::new(); vars.len() + 1];
        for constraint in phi {
            let check = match constraint {
                Constraint::RowLe(res, op) => Check::Le(measure(res), measure(op)),
                Constraint::RowEq(a, b) => Check::Eq(measure(a), measure(b)),
                Constraint::DimEq(..) | Constraint::DimLe(..) => continue,
            };
            checks[check.after()].push(check);
        }
        Measures { checks }
    }

    fn judged_at(&self, vars: usize) -> usize {
        self.checks[vars].len()
    }

    fn allow(&self, chosen: &[(usize, usize)]) -> bool {
        self.checks[chosen.len()].iter().all(|check| check.allows(chosen))
    }
}

impl Check {
    /// How many of the variables must have lengths.
    fn after(self) -> usize {
        match self {
            Check::Eq(s, _) if mutant::is(Mutant::LengthsEarly) => s.after(),
            Check::Le(s, t) | Check::Eq(s, t) => s.after().max(t.after()),
        }
    }

    fn allows(self, chosen: &[(usize, usize)]) -> bool {
        match self {
            Check::Le(res, op) => {
                let ((l2, r2), (l1, r1)) = (res.within(chosen), op.within(chosen));
                (l1 <= l2 || mutant::is(Mutant::LengthsFlank)) && r1 <= r2
            }
            Check::Eq(a, b) => {
                let ((l1, r1), (l2, r2)) = (a.within(chosen), b.within(chosen));
                l1 + r1 == l2 + r2
            }
        }
    }
}

impl Measure {
    fn after(self) -> usize {
        self.var.map_or(0, |i| i + 1)
    }

    /// With the lengths that were chosen for its variable.
    fn within(self, chosen: &[(usize, usize)]) -> (usize, usize) {
        let (lead, trail) = self.var.and_then(|i| chosen.get(i)).copied().unwrap_or((0, 0));
        (self.lead + lead, self.trail + trail)
    }
}
