//! Effects that are seen at a glance, carried out without being said as data first: most steps are of these kinds. Builds
//! with debug assertions ask the rule as well, and compare.

use super::super::list::Short;
use super::super::waiting::{Dims, Rows, Waiting};
use super::Configuration;
use super::again::Written;
use super::step::Refused;
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::policy::Limit;
use lozenge_calculus::rules::row_eq::row_eq;
use lozenge_calculus::rules::row_ineq::row_le;
use lozenge_calculus::rules::{Bind, Bound, By, Effect, Fresh};
use lozenge_calculus::solver::Stop;
use lozenge_calculus::term::{Binding, DimTerm, DimVar, Flank, RowTerm, RowVar};
use std::borrow::Cow;

/// What a constraint between rows comes to.
#[derive(Clone, Copy)]
pub(super) enum KnownRows {
    /// RI-refl, RI-cap and RI-closed-op: the result covers the operand's flanks.
    Covered,
    /// RI-deficit: the result's variable lacks so many leading and trailing axes.
    Deficit(RowVar, usize, usize),
    /// RE-open-closed of a variable, which is the first side or the second, and a closed row.
    Bind(RowVar, bool),
}

impl KnownRows {
    #[inline]
    pub(super) fn of(Rows { equal, s, t, .. }: &Rows<'_>) -> Option<Self> {
        if *equal {
            return match (s.bare(), t.bare()) {
                (Some(var), None) if t.is_closed() => Some(KnownRows::Bind(var, true)),
                (None, Some(var)) if s.is_closed() => Some(KnownRows::Bind(var, false)),
                _ => None,
            };
        }
        let lead = t.lead.len().saturating_sub(s.lead.len());
        let trail = t.trail.len().saturating_sub(s.trail.len());
        if lead + trail == 0 { Some(KnownRows::Covered) } else { Some(KnownRows::Deficit(s.var?, lead, trail)) }
    }

    /// The same as data, where the next variable has this number.
    fn effect(self, Rows { s, t, .. }: &Rows<'_>, next: u32) -> Effect {
        match self {
            KnownRows::Covered => {
                let emit = facing(s, t).map(|(d, e)| Constraint::DimLe(d, e)).collect();
                let store = capped(s, t).map(|on| Bound::Cap(residue(s, t), on));
                Effect { emit, store, ..Effect::default() }
            }
            KnownRows::Deficit(var, lead, trail) => {
                let binding = Binding::Row(var, lacking(&mut Numbers(next), lead, trail));
                Effect { bind: Some(Bind { binding, placement: false }), again: true, ..Effect::default() }
            }
            KnownRows::Bind(var, first) => {
                let to = if first { t } else { s };
                let (placement, binding) = (to.known_rank() > 0, Binding::Row(var, to.clone().into_owned()));
                Effect { bind: Some(Bind { binding, placement }), ..Effect::default() }
            }
        }
    }

    /// Is that what the rule says?
    fn is_right(self, rows: &Rows<'_>, next: usize) -> bool {
        let next = u32::try_from(next).unwrap_or(u32::MAX);
        let fired = match rows.equal {
            true => row_eq(&rows.s, &rows.t),
            false => row_le(&mut Numbers(next), &rows.s, &rows.t),
        };
        fired.1 == self.effect(rows, next)
    }
}

/// Numbers of variables, one after the other.
struct Numbers(u32);

impl Fresh for Numbers {
    fn fresh_dim(&mut self) -> DimVar {
        self.0 += 1;
        DimVar(self.0 - 1)
    }

    fn fresh_row(&mut self) -> RowVar {
        RowVar(self.fresh_dim().0)
    }
}

/// The axes of the operand with those of the result that are above them, from the outer edges.
fn facing<'a>(res: &'a RowTerm, op: &'a RowTerm) -> impl Iterator<Item = (DimTerm, DimTerm)> + 'a {
    let trail = &res.trail[res.trail.len() - op.trail.len()..];
    res.lead.iter().zip(&op.lead).chain(trail.iter().zip(&op.trail)).map(|(d, e)| (*d, *e))
}

/// The operand's variable, if what the result has inside the operand's flanks is a cap on it.
#[inline]
fn capped(res: &RowTerm, op: &RowTerm) -> Option<RowVar> {
    op.var.filter(|on| res.var != Some(*on) || res.known_rank() != op.known_rank())
}

/// What the result has inside the operand's flanks.
fn residue(res: &RowTerm, op: &RowTerm) -> RowTerm {
    let inner = res.trail.len() - op.trail.len();
    RowTerm { lead: res.lead[op.lead.len()..].into(), var: res.var, trail: res.trail[..inner].into() }
}

/// A row of so many leading and trailing axes and a variable, all fresh.
fn lacking(names: &mut impl Fresh, lead: usize, trail: usize) -> RowTerm {
    let mut fresh = |count: usize| -> Flank {
        if count == 0 { Flank::default() } else { (0..count).map(|_| names.fresh_dim().into()).collect() }
    };
    let (lead, trail) = (fresh(lead), fresh(trail));
    RowTerm { lead, var: Some(names.fresh_row()), trail }
}

/// What a constraint between dimensions comes to.
#[derive(Clone, Copy)]
pub(super) enum KnownDims {
    /// DE-bind of a variable and a ground dimension.
    Bind(DimVar, DimTerm),
    /// DI-pin: α ⊑ d becomes α = d.
    Pin,
}

impl KnownDims {
    #[inline]
    pub(super) fn of(equal: bool, s: DimTerm, t: DimTerm) -> Option<Self> {
        match (equal, s, t) {
            (true, DimTerm::Var(a), ground @ DimTerm::Dim(_)) | (true, ground @ DimTerm::Dim(_), DimTerm::Var(a)) => {
                Some(KnownDims::Bind(a, ground))
            }
            (false, DimTerm::Var(_), DimTerm::Dim(Dim::Atom(_))) => Some(KnownDims::Pin),
            _ => None,
        }
    }

    /// The same as data.
    fn effect(self, dims: &Dims) -> Effect {
        match self {
            KnownDims::Bind(a, to) => {
                let bind = Bind { binding: Binding::Dim(a, to), placement: false };
                Effect { bind: Some(bind), ..Effect::default() }
            }
            KnownDims::Pin => Effect::replace(Constraint::DimEq(dims.s, dims.t)),
        }
    }
}

impl Configuration<'_> {
    /// So many axes are written.
    #[inline]
    pub(super) fn write(&mut self, axes: u64) -> Result<(), Limit> {
        self.size += axes;
        if self.size > self.policy.limits.size { Err(Limit::Size) } else { Ok(()) }
    }

    /// Carries out a step on rows, and takes them; or they stay, and are processed again.
    pub(super) fn quick_rows(&mut self, known: KnownRows, rows: &mut Rows<'_>) -> Result<bool, Stop> {
        debug_assert!(known.is_right(rows, self.names.len()), "{rows:?}");
        match known {
            KnownRows::Covered => self.covered(rows).map(|()| false),
            KnownRows::Deficit(var, lead, trail) => {
                // The rule makes its variables before it is known whether there is room for them.
                let to = lacking(self.names, lead, trail);
                self.write((lead + trail) as u64)?;
                match self.bind_row(var, to, false, rows.tainted) {
                    Ok(()) => Ok(true),
                    Err(cycle) => Err(self.refused(Refused::Cycle(cycle), &rows.item())),
                }
            }
            KnownRows::Bind(var, first) => self.taken_whole(var, first, rows).map(|()| false),
        }
    }

    /// The axes that face each other are compared, and what is inside them is a cap.
    fn covered(&mut self, Rows { s, t, tainted, .. }: &mut Rows<'_>) -> Result<(), Stop> {
        let (on, tainted) = (capped(s, t), *tainted);
        let inside = if on.is_some() { s.known_rank() - t.known_rank() } else { 0 };
        self.write((2 * t.known_rank() + inside) as u64)?;
        for (d, e) in facing(s, t).skip(usize::from(mutant::is(Mutant::QuickFacing))) {
            self.queue.push(Waiting::below(d, e, tainted));
        }
        if let Some(on) = on {
            let by = Short::new(By { step: self.this(), node: 0, tainted });
            let res = if t.known_rank() == 0 { std::mem::take(s) } else { Cow::Owned(residue(s, t)) };
            self.did(|| (Written::Stored(Bound::Cap((*res).clone(), on), 0), tainted));
            self.bounds.add_cap(res, on, by);
        }
        Ok(())
    }

    /// A variable takes a closed row.
    fn taken_whole(&mut self, var: RowVar, first: bool, rows: &mut Rows<'_>) -> Result<(), Stop> {
        let (node, tainted) = (rows.node, rows.tainted);
        let to = std::mem::take(if first { &mut rows.t } else { &mut rows.s });
        self.take_closed(var, to.into_owned(), tainted).map_err(|refused| {
            let (var, to) = (Cow::Owned(var.into()), Cow::Owned(self.bindings.row_value(&var.into())));
            let (s, t) = if first { (var, to) } else { (to, var) };
            self.refused(refused, &Rows { equal: true, s, t, node, tainted }.item())
        })
    }

    /// ρ takes a closed row.
    #[inline]
    pub(super) fn take_closed(&mut self, var: RowVar, to: RowTerm, tainted: bool) -> Result<(), Refused> {
        let rank = to.known_rank();
        self.write(rank as u64).map_err(Refused::Limit)?;
        self.bind_row(var, to, rank > 0, tainted).map_err(Refused::Cycle)
    }

    /// Carries out a step on dimensions.
    #[inline]
    pub(super) fn quick_dims(&mut self, known: KnownDims, dims: &Dims) -> Result<(), Stop> {
        debug_assert_eq!(self.dims_fired(dims.equal, dims.s, dims.t).1, known.effect(dims));
        match known {
            KnownDims::Bind(a, to) => self.bind_dim(a, to, dims.tainted),
            KnownDims::Pin => {
                self.write(2)?;
                self.queue.push(Waiting::equal(dims.s, dims.t, 0, dims.tainted));
            }
        }
        Ok(())
    }
}
