//! One step: a constraint is taken, σ applied to it, and the rule asked. Dimensions and rows go separate ways, and rows
//! with a derivation another one: there every binding is applied by itself, and every constraint has a number.

use super::super::bindings::Instance;
use super::super::waiting::{Dims, Item, Next, Rows, Waiting};
use super::Configuration;
use super::again::Written;
use super::quick::{KnownDims, KnownRows};
use crate::mutant::{self, Mutant};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::guard::{Cycle, Source};
use lozenge_calculus::policy::{Fuel, Limit};
use lozenge_calculus::rules::dim::{dim_eq, dim_le};
use lozenge_calculus::rules::row_eq::row_eq;
use lozenge_calculus::rules::row_ineq::row_le;
use lozenge_calculus::rules::{Bound, By, Effect, Fired, Rule, fire};
use lozenge_calculus::solver::Stop;
use lozenge_calculus::term::{DimTerm, RowTerm};

/// Why an effect was not carried out: a limit, or a positive cycle that a binding closes.
pub(super) enum Refused {
    Limit(Limit),
    Cycle(Cycle),
}

impl<'n> Configuration<'n> {
    #[inline]
    pub(super) fn step_shown(&mut self, see: impl FnOnce(&Instance, &Fired)) -> Result<bool, Stop> {
        if self.bounds.strays() {
            self.stray();
        }
        if self.steps >= self.touch_at {
            self.touch_ahead();
        }
        if let Some(dims) = self.next_dims() {
            return self.step_dims(dims, see).map(|()| true);
        }
        match self.next_rows() {
            Some(rows) => self.step_rows(rows, see).map(|()| true),
            None => self.step_other(see),
        }
    }

    /// Has the order of adjacencies drawn anew, if that is worth it.
    #[cold]
    fn stray(&mut self) {
        let Configuration { bounds, bindings, queue, input, .. } = self;
        bounds.stray(input.len() + queue.len(), || {
            let input = input.as_slice().iter().filter_map(|phi| match phi {
                Constraint::DimLe(s, t) => Some((*s, *t)),
                _ => None,
            });
            let dims = input.chain(queue.below());
            dims.filter_map(|(s, t)| bindings.adjacent(s, t)).collect()
        });
    }

    /// The next constraint, if it is one between dimensions and that is quickly seen.
    #[inline]
    fn next_dims(&mut self) -> Option<Dims> {
        if !self.is_plain() {
            return None;
        }
        let Some(phi) = self.input.as_slice().first() else { return self.queue.pop_dims() };
        let (Constraint::DimEq(s, t) | Constraint::DimLe(s, t)) = phi else { return None };
        let dims = Dims::read(matches!(phi, Constraint::DimEq(..)), *s, *t, self.read);
        self.input.next();
        self.read += 1;
        Some(dims)
    }

    /// The next constraint, if it is one between rows and that is quickly seen.
    #[inline]
    fn next_rows(&mut self) -> Option<Rows<'n>> {
        if !self.is_plain() {
            return None;
        }
        let Some(phi) = self.input.as_slice().first() else { return self.queue.pop_rows() };
        let (Constraint::RowEq(s, t) | Constraint::RowLe(s, t)) = phi else { return None };
        let rows = Rows::read(matches!(phi, Constraint::RowEq(..)), s, t, self.read);
        self.input.next();
        self.read += 1;
        Some(rows)
    }

    /// Is the input read next, or what waits, as it comes?
    #[inline]
    fn is_plain(&self) -> bool {
        self.trace.is_none() && !self.queue.has_again() && !mutant::is(Mutant::InputLast)
    }

    /// Whatever is next.
    #[inline(never)]
    fn step_other(&mut self, see: impl FnOnce(&Instance, &Fired)) -> Result<bool, Stop> {
        match self.next() {
            None => return Ok(false),
            Some(Next::Item(item)) => self.step_derived(item, see)?,
            Some(Next::Dims(dims)) if self.trace.is_some() => self.step_derived(dims.item(), see)?,
            Some(Next::Dims(dims)) => self.step_dims(dims, see)?,
            Some(Next::Rows(rows)) => self.step_rows(rows, see)?,
        }
        Ok(true)
    }

    /// A step that is part of a derivation.
    fn step_derived(&mut self, mut item: Item, see: impl FnOnce(&Instance, &Fired)) -> Result<(), Stop> {
        // A derivation looks at the constraint again as it was before σ.
        let before = item.instance.clone();
        self.bindings.apply(&mut item.instance);
        self.steps += 1;
        let axes = item.instance.phi.axes();
        self.fuel.look(Fuel::LOOKS + axes)?;
        self.keep(item.instance.used().len() as u64 * (axes + 2))?;
        if let Constraint::RowLe(res, op) = &item.instance.phi {
            let watched = self.watch(res, op, item.instance.tainted);
            watched.map_err(|refused| self.refused(refused, &item))?;
        }
        let mut fired = fire(&item.instance.phi, &self.bounds, self.names, &self.policy);
        see(&item.instance, &fired);
        self.keep(fired.1.also.len() as u64)?;
        self.pay_looks()?;
        self.apply(&item, &mut fired)?;
        if fired.1.again {
            item.instance = before;
            self.queue.push_again(Next::Item(item));
        }
        Ok(())
    }

    /// A step on rows, and the next where the constraint is processed again and nobody looks. What σ leaves alone is read
    /// where it stands.
    #[inline]
    fn step_rows(&mut self, mut rows: Rows<'n>, see: impl FnOnce(&Instance, &Fired)) -> Result<(), Stop> {
        if self.bounds.in_full {
            return self.step_rows_seen(rows, see);
        }
        loop {
            self.take_up(&mut rows)?;
            let Some(known) = KnownRows::of(&rows) else { return self.ask(rows, |_, _| ()) };
            self.pay_looks()?;
            if !self.quick_rows(known, &mut rows)? {
                return Ok(());
            }
        }
    }

    /// A step on rows that someone looks at.
    fn step_rows_seen(&mut self, mut rows: Rows<'n>, see: impl FnOnce(&Instance, &Fired)) -> Result<(), Stop> {
        self.take_up(&mut rows)?;
        self.ask(rows, see)
    }

    /// Applies σ and shows an inequality to the guard.
    #[inline]
    fn take_up(&mut self, rows: &mut Rows<'n>) -> Result<(), Stop> {
        rows.tainted |= self.bindings.row_under(&mut rows.s, !rows.equal);
        rows.tainted |= self.bindings.row_under(&mut rows.t, !rows.equal);
        self.steps += 1;
        self.fuel.look(Fuel::LOOKS + (rows.s.known_rank() + rows.t.known_rank()) as u64)?;
        if !rows.equal {
            let watched = self.watch(&rows.s, &rows.t, rows.tainted);
            watched.map_err(|refused| self.refused(refused, &rows.item()))?;
        }
        Ok(())
    }

    /// Asks the rule, and does what it says.
    fn ask(&mut self, rows: Rows<'n>, see: impl FnOnce(&Instance, &Fired)) -> Result<(), Stop> {
        let mut fired = if rows.equal { row_eq(&rows.s, &rows.t) } else { row_le(self.names, &rows.s, &rows.t) };
        if self.bounds.in_full {
            see(&rows.item().instance, &fired);
        }
        self.pay_looks()?;
        if fired.1.fail.is_some() {
            return self.apply(&rows.item(), &mut fired);
        }
        let carried = self.carry_out(rows.tainted, rows.node, &mut fired.1);
        carried.map_err(|refused| self.refused(refused, &rows.item()))?;
        if fired.1.again {
            self.queue.push_again(Next::Rows(rows));
        }
        Ok(())
    }

    /// A step on dimensions. Most of them are true already, and nothing is done.
    #[inline]
    fn step_dims(&mut self, mut dims: Dims, see: impl FnOnce(&Instance, &Fired)) -> Result<(), Stop> {
        dims.tainted |= self.bindings.dims(&mut dims.s, &mut dims.t);
        self.steps += 1;
        self.fuel.look(Fuel::LOOKS)?;
        let Dims { equal, s, t, node, tainted } = dims;
        if !self.bounds.in_full && (s == t || (!equal && t == DimTerm::Dim(Dim::Unit))) {
            // DE-refl, DI-refl or DI-top: half of all steps.
            debug_assert_eq!(self.dims_fired(equal, s, t).1, Effect::discard());
            return Ok(self.fuel.look(self.guard.take_looks())?);
        }
        if !self.bounds.in_full
            && let Some(known) = KnownDims::of(equal, s, t)
        {
            self.pay_looks()?;
            return self.quick_dims(known, &dims);
        }
        self.asks(s, t);
        let mut fired = self.dims_fired(equal, s, t);
        if fired.0 == Rule::DiAntisym {
            self.did(|| (Written::Led, tainted));
        }
        if self.bounds.in_full {
            see(&dims.item().instance, &fired);
        }
        self.pay_looks()?;
        if fired.1.fail.is_some() {
            return self.apply(&dims.item(), &mut fired);
        }
        let Effect { emit, bind, store, .. } = &fired.1;
        if emit.is_empty() && bind.is_none() && store.is_none() {
            return Ok(());
        }
        let carried = self.carry_out(tainted, node as usize, &mut fired.1);
        carried.map_err(|refused| self.refused(refused, &dims.item()))
    }

    #[inline]
    pub(super) fn dims_fired(&self, equal: bool, s: DimTerm, t: DimTerm) -> Fired {
        if equal { dim_eq(s, t) } else { dim_le(&self.bounds, self.policy.antisym, s, t) }
    }

    /// Carries out an effect that is no failure, all of it but `again`, where no derivation is kept.
    fn carry_out(&mut self, tainted: bool, node: usize, effect: &mut Effect) -> Result<(), Refused> {
        let tainted = tainted || effect.also.iter().any(|by| by.tainted);
        self.write(effect.axes()).map_err(Refused::Limit)?;
        if let Some(bound) = &mut effect.store {
            let node = if matches!(bound, Bound::Lower(..) | Bound::Adjacency(..)) { node } else { 0 };
            self.did(|| (Written::Stored(bound.clone(), node), tainted));
            self.bounds.add(bound, By { step: self.this(), node, tainted });
        }
        for phi in std::mem::take(&mut effect.emit) {
            self.queue.push(Waiting::new(phi, 0, tainted));
        }
        match effect.bind.take() {
            Some(bind) => self.bind(bind, tainted).map_err(Refused::Cycle),
            None => Ok(()),
        }
    }

    #[cold]
    pub(super) fn refused(&mut self, refused: Refused, item: &Item) -> Stop {
        match refused {
            Refused::Limit(limit) => Stop::Limit(limit),
            Refused::Cycle(cycle) => self.fail_by_cycle(item, cycle),
        }
    }

    /// The guard sees every row inequality before its rule does.
    fn watch(&mut self, res: &RowTerm, op: &RowTerm, tainted: bool) -> Result<(), Refused> {
        let longest = [res, op].iter().map(|r| r.lead.len().max(r.trail.len())).max().unwrap_or(0);
        if longest > self.policy.limits.rank {
            return Err(Refused::Limit(Limit::Rank));
        }
        let source = Source { step: self.this(), tainted };
        self.guard.on_inequality(res, op, source).map_err(Refused::Cycle)
    }

    /// The next constraint. First in, first out, the input is read before anything it emits; every other
    /// strategy has all of it in the queue from the start.
    #[inline]
    fn next(&mut self) -> Option<Next<'n>> {
        if let Some(next) = self.queue.pop_again() {
            return Some(next);
        }
        let input_first = !mutant::is(Mutant::InputLast) || self.queue.is_empty();
        if input_first && let Some(phi) = self.input.next() {
            let node = self.read;
            self.read += 1;
            return Some(match self.trace {
                None => Next::read(phi, node),
                Some(_) => Next::Item(Item::new(phi.clone(), node, false)),
            });
        }
        let waiting = self.queue.pop()?;
        if self.trace.is_some() { Some(Next::Item(waiting.item())) } else { waiting.next() }
    }
}
