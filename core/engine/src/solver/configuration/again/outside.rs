//! What a part of Φ finds outside: all that its steps can read of σ, B and the guard as they are when it begins.

use super::super::super::store::Around;
use super::super::Configuration;
use super::alike::Shift;
use crate::VarSet;
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use std::ops::Range;

/// What is known of a variable that is not new.
#[derive(Clone, PartialEq, Debug)]
enum Known {
    /// α is this, and does that rest on a placement?
    Dim(DimTerm, bool),
    /// ρ is this; does that rest on a placement where markers do not count, and where they do?
    Row(RowTerm, [bool; 2]),
    /// α is not bound.
    OpenDim,
    /// ρ is not bound: its least lengths, and is it part of a fact?
    OpenRow([i64; 2], bool),
    /// The caps that come back when ρ is bound, and do they rest on a placement?
    Caps(Vec<Around>),
}

/// The variables that a part can read, and what is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    /// Those of which nothing is known, most of those of its constraints.
    new: Vec<Var>,
    is_new: VarSet,
    /// The others: those of its constraints, those of their values and caps, and so on. Each comes after what it was
    /// seen in.
    known: Vec<(Var, Known)>,
    seen: VarSet,
}

impl Outside {
    /// What these constraints find.
    pub(super) fn of(phi: &[Constraint], configuration: &mut Configuration<'_>) -> Self {
        let mut outside = Outside::default();
        for constraint in phi {
            let mut open = Vec::new();
            constraint.each_var(|v| open.push(v));
            outside.look_at(open, configuration);
        }
        outside
    }

    /// Looks at variables, at those of what is known of them, and so on.
    fn look_at(&mut self, mut open: Vec<Var>, configuration: &mut Configuration<'_>) {
        while let Some(var) = open.pop() {
            if !self.seen.insert(var) {
                continue;
            }
            if configuration.is_new(var) {
                self.is_new.insert(var);
                self.new.push(var);
                continue;
            }
            let known = configuration.known(var);
            known.each_var(|v| open.push(v));
            self.known.push((var, known));
        }
    }

    /// Is a variable that was there when the part began one of those that something is known of?
    pub(super) fn has(&self, var: Var) -> bool {
        !self.is_new.contains(var)
    }

    /// The part, whose first step this was, binds a row that something is known of: what was stored for it comes back. What
    /// the part changes it has looked at, so of what is seen now for the first time all is as it was.
    pub(super) fn binds(&mut self, var: RowVar, first: usize, configuration: &mut Configuration<'_>) {
        let mut around = configuration.bounds.around(var);
        around.retain(|cap| cap.step < first);
        let caps = Known::Caps(around);
        let mut open = Vec::new();
        caps.each_var(|v| open.push(v));
        self.known.push((Var::Row(var), caps));
        self.look_at(open, configuration);
    }

    /// Are the least lengths of what was open what they were?
    pub(super) fn has_kept_lengths(&self, configuration: &Configuration<'_>) -> bool {
        self.known.iter().all(|(var, known)| match (var, known) {
            (Var::Row(v), Known::OpenRow(least, _)) => configuration.guard.least(*v) == *least,
            _ => true,
        })
    }

    /// Does a part that is alike find the same? What faces what is added to the shift.
    pub(super) fn is_found(&self, shift: &mut Shift, configuration: &mut Configuration<'_>) -> bool {
        if mutant::is(Mutant::AgainOutside) {
            return true;
        }
        self.known.iter().all(|(var, known)| {
            let facing = shift.var(*var);
            match (known, facing) {
                (Known::Caps(caps), Var::Row(v)) => caps_face(shift, caps, &configuration.bounds.around(v)),
                (known, facing) => known.faces(shift, &configuration.known(facing)),
            }
        })
    }

    /// Is nothing known of what faces the new variables, but for those with these numbers? They are a part's own, of which
    /// nothing is known before it.
    pub(super) fn is_new(&self, shift: &Shift, configuration: &Configuration<'_>, own: Range<u32>) -> bool {
        self.new.iter().all(|var| own.contains(&var.id()) || configuration.is_new(shift.var(*var)))
    }
}

fn caps_face(shift: &mut Shift, caps: &[Around], found: &[Around]) -> bool {
    let mut faces = |one: &Around, other: &Around| {
        let on = shift.rows(&one.on.into(), &other.on.into());
        on && one.tainted == other.tainted && shift.rows(&one.res, &other.res)
    };
    caps.len() == found.len() && caps.iter().zip(found).all(|(one, other)| faces(one, other))
}

impl Known {
    fn each_var(&self, mut see: impl FnMut(Var)) {
        match self {
            Known::Dim(DimTerm::Var(v), _) => see(Var::Dim(*v)),
            Known::Row(row, _) => row.each_var(see),
            Known::Caps(caps) => caps.iter().for_each(|cap| {
                see(Var::Row(cap.on));
                cap.res.each_var(&mut see);
            }),
            Known::Dim(..) | Known::OpenDim | Known::OpenRow(..) => (),
        }
    }

    /// Is this the same as what is found elsewhere, up to the shift?
    fn faces(&self, shift: &mut Shift, found: &Known) -> bool {
        match (self, found) {
            (Known::Dim(s, tainted), Known::Dim(t, t_tainted)) => tainted == t_tainted && shift.dims(*s, *t),
            (Known::Row(s, tainted), Known::Row(t, t_tainted)) => tainted == t_tainted && shift.rows(s, t),
            (Known::OpenDim, Known::OpenDim) => true,
            (Known::OpenRow(..), Known::OpenRow(..)) => self == found,
            _ => false,
        }
    }
}

impl Configuration<'_> {
    /// Is nothing known of a variable?
    fn is_new(&self, var: Var) -> bool {
        let mentioned = matches!(var, Var::Row(v) if self.guard.mentions(v));
        !mentioned && !self.bindings.is_bound(var) && self.bounds.has_none(var)
    }

    fn known(&mut self, var: Var) -> Known {
        match var {
            Var::Dim(v) => self.known_dim(v),
            Var::Row(v) => self.known_row(v),
        }
    }

    fn known_dim(&mut self, v: DimVar) -> Known {
        if !self.bindings.is_bound(Var::Dim(v)) {
            return Known::OpenDim;
        }
        let (to, tainted) = self.bindings.read_dim(v);
        Known::Dim(to, tainted)
    }

    fn known_row(&mut self, v: RowVar) -> Known {
        if self.bindings.is_bound(Var::Row(v)) {
            let (to, tainted) = self.bindings.read_row(v);
            return Known::Row(to, tainted);
        }
        Known::OpenRow(self.guard.least(v), self.guard.mentions(v))
    }
}
