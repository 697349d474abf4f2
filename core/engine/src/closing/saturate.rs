//! Caps saturated before any commitment (Remark 6.3; spec/decisions.md, 8).
//!
//! Dimensions: an atom below α goes on to everything above α, as an entailed constraint, until nothing is
//! new. Rows: J_σ is the join of what its caps are known to be, J_σ := J_σ ∨ l·J_ρ·r for each cap l·⟨ρ⟩·r.
//! A cap whose variable has no caps of its own says nothing yet. Joins only shorten flanks and raise
//! entries, so both end, and in what order caps are looked at makes no difference.

use crate::VarSet;
use crate::mutant::{self, Mutant};
use crate::solver::bindings::Bindings;
use crate::solver::configuration::Configuration;
use crate::solver::list::{END, Link, short, slot};
use crate::solver::store::Bounds;
use crate::solver::{Fuel, Limit, Stop};
use lozenge_calculus::closing::{Joined, around};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::rules::{Bound, Store};
use lozenge_calculus::term::{DimVar, RowTerm, RowVar, Var};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

/// d ⊑ α and α ⊑ β give d ⊑ β, until nothing is new. What is forwarded is entailed and goes through the
/// solver. Was anything?
pub fn forward_dims(configuration: &mut Configuration<'_>) -> Result<bool, Stop> {
    let mut sent = BTreeSet::new();
    loop {
        let unseen = configuration.bounds.unseen();
        let bounds = &configuration.bounds;
        let news: Vec<(Constraint, bool)> = unseen
            .into_iter()
            .filter_map(|(a, b, by)| Some((bounds.lower(a)?, b, by)))
            .filter(|(lower, b, _)| bounds.lower(*b).is_none_or(|l| l.atom != lower.atom))
            .filter(|(lower, b, _)| sent.insert((*b, lower.atom.size(), lower.atom.basis().number())))
            .map(|(lower, b, by)| (Bound::Lower(lower.atom, b).constraint(), lower.by.tainted || by.tainted))
            .collect();
        if news.is_empty() {
            return Ok(!sent.is_empty());
        }
        news.into_iter().for_each(|(phi, tainted)| configuration.extend(phi, tainted));
        configuration.run()?;
    }
}

/// A cap R on ρ, under σ. Row variables that have caps go by their numbers among these.
struct Cap<'a> {
    on: usize,
    of: Of,
    row: Cow<'a, RowTerm>,
}

/// The variable of a cap.
#[derive(Clone, Copy)]
enum Of {
    None,
    /// One without caps.
    Free,
    /// One with caps.
    Capped(usize),
}

/// The caps of row variables, and which of them are inside which.
pub struct Caps<'a> {
    caps: Vec<Cap<'a>>,
    inside: Rc<Inside>,
}

/// J, for the row variables that have caps.
#[derive(Debug)]
pub struct Joins {
    inside: Rc<Inside>,
    joined: Vec<Option<Joined>>,
    /// What was looked at.
    pub(super) looks: u64,
}

impl Joins {
    /// What is known of a row variable's caps.
    pub fn get(&self, r: RowVar) -> Option<&Joined> {
        self.joined.get(self.inside.capped(r)?)?.as_ref()
    }
}

impl<'a> Caps<'a> {
    /// The caps R ⊑ ⟨ρ⟩ under σ that bear on these row variables: those on them, those on the variables of such caps,
    /// and so on.
    pub fn on(vars: impl Iterator<Item = RowVar>, bounds: &'a Bounds, bindings: &mut Bindings) -> Self {
        let (mut inside, mut open) = (Inside::default(), vars.collect::<Vec<_>>());
        // Most have one or two.
        let mut caps = Vec::with_capacity(2 * open.len());
        while let Some(var) = open.pop() {
            if inside.capped(var).is_some() {
                continue;
            }
            for res in bounds.caps_on(var) {
                let on = inside.number(var);
                let row = match bindings.leaves_alone(&res) {
                    true => res,
                    false => Cow::Owned(bindings.row_value(&res)),
                };
                open.extend(row.var);
                caps.push(Cap { on, of: Of::None, row });
            }
        }
        inside.thread(&mut caps);
        Caps { caps, inside: Rc::new(inside) }
    }

    /// The least J with J_σ = ∨ { l·J_ρ·r : l·⟨ρ⟩·r a cap on σ }, where `dim` is what is known of a dimension
    /// variable. A variable whose caps say nothing counts as no axes if `open`, and else makes the whole cap unknown; a
    /// cap that is such a variable says nothing itself (spec/findings/F20.md).
    ///
    /// # Errors
    /// [`Limit::Fuel`].
    pub fn joins(&self, dim: impl Fn(DimVar) -> Option<Dim>, open: bool, fuel: &mut Fuel) -> Result<Joins, Limit> {
        let Caps { caps, inside } = self;
        let mut joined: Vec<Option<Joined>> = vec![None; inside.vars.len()];
        // A cap is looked at again when what is known of its variable changes. The caps on that variable come after
        // it, so from the end most are looked at once.
        let mut waiting: Vec<usize> = (0..caps.len()).collect();
        let mut waits = vec![true; caps.len()];
        let (nothing, telling, mut looks) = (Joined::default(), self.telling(open), 0);
        while let Some(i) = waiting.pop() {
            waits[i] = false;
            let Cap { on, of, row: cap } = &caps[i];
            let at = if let Of::Capped(at) = *of { Some(at).filter(|at| !open || telling[*at]) } else { None };
            let inner = match (of, at) {
                (Of::None, _) => Some(&nothing),
                (_, Some(at)) => joined[at].as_ref(),
                (_, None) => Some(&nothing).filter(|_| open && cap.bare().is_none()),
            };
            let Some(inner) = inner else { continue };
            let value = around(&dim, cap, inner);
            let axes = (1 + value.lead.len() + value.trail.len()) as u64;
            looks += axes;
            fuel.look(axes)?;
            let changed = match &mut joined[*on] {
                Some(joined) => joined.join(&value),
                none => none.replace(value).is_none(),
            };
            if changed && !mutant::is(Mutant::JoinsOnce) {
                waiting.extend(inside.caps(*on).filter(|i| !std::mem::replace(&mut waits[*i], true)));
            }
        }
        Ok(Joins { inside: inside.clone(), joined, looks })
    }

    /// The variables of all of them.
    pub(super) fn vars(&self) -> VarSet {
        let mut vars = VarSet::default();
        self.inside.vars.iter().for_each(|on| {
            vars.insert(Var::Row(*on));
        });
        for cap in &self.caps {
            cap.row.each_var(|var| {
                vars.insert(var);
            });
        }
        vars
    }

    /// Which of the variables that have caps have one of which an axis is written, or which is closed, or which says
    /// something by its variable. Nobody asks where nothing counts as open.
    fn telling(&self, open: bool) -> Vec<bool> {
        let Caps { caps, inside } = self;
        let mut telling = vec![false; inside.vars.len()];
        if !open {
            return telling;
        }
        let mut found: Vec<usize> = caps.iter().filter(|cap| cap.row.bare().is_none()).map(|cap| cap.on).collect();
        while let Some(at) = found.pop() {
            if !std::mem::replace(&mut telling[at], true) {
                found
                    .extend(inside.caps(at).map(|i| &caps[i]).filter(|cap| cap.row.bare().is_some()).map(|cap| cap.on));
            }
        }
        telling
    }
}

/// The row variables that have caps, numbered one after the other, and the caps that each is inside of, threaded through
/// `next` by the number of the cap.
#[derive(Debug, Default)]
struct Inside {
    vars: Vec<RowVar>,
    /// The number among those that have caps, by the variable's own; [`END`] for all others.
    number: Vec<Link>,
    first: Vec<Link>,
    next: Vec<Link>,
}

impl Inside {
    /// The number of a variable that has caps.
    fn number(&mut self, var: RowVar) -> usize {
        let number = slot(&mut self.number, var.0, || END);
        if *number == END {
            *number = short(self.vars.len());
            self.vars.push(var);
        }
        *number as usize
    }

    /// Looks up what the caps are of.
    fn thread(&mut self, caps: &mut [Cap<'_>]) {
        (self.first, self.next) = (vec![END; self.vars.len()], vec![END; caps.len()]);
        for (i, cap) in caps.iter_mut().enumerate() {
            let Some(var) = cap.row.var else { continue };
            cap.of = self.capped(var).map_or(Of::Free, Of::Capped);
            if let Of::Capped(at) = cap.of {
                self.next[i] = std::mem::replace(&mut self.first[at], short(i));
            }
        }
    }

    fn capped(&self, r: RowVar) -> Option<usize> {
        self.number.get(r.0 as usize).filter(|number| **number != END).map(|number| *number as usize)
    }

    /// The caps that a variable is inside of.
    fn caps(&self, at: usize) -> impl Iterator<Item = usize> {
        let some = |link: Link| Some(link as usize).filter(|_| link != END);
        std::iter::successors(some(self.first[at]), move |i| some(self.next[*i]))
    }
}
