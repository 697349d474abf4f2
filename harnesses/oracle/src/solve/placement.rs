//! Placements: bindings whose marker was placed by choice (Remark 2.11, decision 6), and what is known of other places.

use crate::output::Output;
use lozenge::constraint::Constraint;
use lozenge::decide::{Decision, decide};
use lozenge::names::Names;
use lozenge::rules::Bind;
use lozenge::solver::derivation::Step;
use lozenge::solver::{Limits, Policy, Rule};
use lozenge::subst::Map;
use lozenge::term::{Binding, DimTerm, RowTerm, RowVar, Var, Vars};
use std::collections::BTreeSet;

/// How many other places are written out.
const MOST_SHOWN: usize = 4;
/// The most places that are tried, the fuel for each, and the rank up to which the other rows are searched: nobody asked
/// for it.
const MOST_TRIED: usize = 32;
const FUEL: u64 = 20_000;
/// The most bindings times constraints that are gone through for a variable that the solver made.
const MOST_APPLIED: usize = 100_000;
const RANK: usize = 4;

/// A step that chose where a marker stands.
pub struct Placement<'a> {
    /// The step, from 0.
    pub step: usize,
    /// Its rule.
    pub rule: Rule,
    /// What it bound.
    pub bind: &'a Bind,
    /// Does it rest on another choice?
    pub tainted: bool,
    /// The steps before it.
    pub before: &'a [Step],
}

/// What is known of other places for a marker.
pub enum Others {
    /// With the marker at any of these there is a solution.
    Places(Vec<RowTerm>),
    /// There is a solution in which it is not where the marker of the variable inside is.
    Apart,
    /// There is no solution with the marker anywhere else.
    Nowhere,
    /// Nothing.
    Unknown,
}

impl Placement<'_> {
    /// The binding in words.
    pub fn words(&self, names: &Names, out: &Output) -> String {
        let (var, to) = (&self.bind.binding.var(), &self.bind.binding.to());
        format!("{} {} {}", out.show(var, names), out.text("↦"), out.show(to, names))
    }

    /// What else would have been possible, in words.
    pub fn others(&self, others: &Others, names: &Names, out: &Output) -> String {
        let shown = out.show(&self.bind.binding.var(), names);
        match (others, &self.bind.binding) {
            (Others::Places(places), _) => {
                let places: Vec<String> = places.iter().map(|place| out.show(place, names)).collect();
                format!("the marker could also stand at {}", list(places))
            }
            (Others::Apart, Binding::Row(_, RowTerm { var: Some(inner), .. })) => {
                format!("the markers of {shown} and {} need not agree", out.show(inner, names))
            }
            (Others::Nowhere, _) => "there is no solution with the marker anywhere else".to_owned(),
            (Others::Unknown | Others::Apart, _) => "no other place is known".to_owned(),
        }
    }
}

/// `a, b or c`; of many the first.
fn list(mut shown: Vec<String>) -> String {
    if shown.len() > MOST_SHOWN {
        let more = shown.split_off(MOST_SHOWN).len();
        return format!("{}, and {more} more", shown.join(", "));
    }
    match (shown.pop(), shown.is_empty()) {
        (Some(last), false) => format!("{} or {last}", shown.join(", ")),
        (Some(only), true) => only,
        (None, _) => String::new(),
    }
}

/// The content of a row with the marker at every other place.
fn moved(row: &RowTerm) -> impl Iterator<Item = RowTerm> {
    let (content, own) = ([row.lead.as_ref(), &row.trail].concat(), row.lead.len());
    (0..=content.len()).filter(move |split| *split != own).map(move |split| {
        let (lead, trail) = content.split_at(split);
        RowTerm::new(lead.to_vec(), None, trail.to_vec())
    })
}

/// A look at other places: the constraints are decided with the marker there.
pub struct Elsewhere<'a> {
    phi: &'a [Constraint],
    vars: BTreeSet<Var>,
    names: &'a Names,
    policy: Policy,
    /// How many places may still be tried.
    left: usize,
}

impl<'a> Elsewhere<'a> {
    /// For these constraints, with the names of a run on them.
    pub fn of(phi: &'a [Constraint], names: &'a Names, policy: Policy) -> Self {
        let left = if phi.len() as u64 > FUEL { 0 } else { MOST_TRIED };
        let policy = Policy { limits: Limits { fuel: FUEL, ..Limits::default() }, ..policy };
        Elsewhere { phi, vars: phi.vars(), names, policy, left }
    }

    /// What is known of other places for a marker. Of a variable that the solver made, the constraints say something under
    /// the bindings before it.
    pub fn others(&mut self, placement: &Placement<'_>) -> Others {
        let Binding::Row(var, to) = &placement.bind.binding else { return Others::Unknown };
        if self.vars.contains(&Var::Row(*var)) {
            return self.others_of(*var, to, placement.tainted);
        }
        let bound: Vec<&Step> = placement.before.iter().filter(|step| step.bind.is_some()).collect();
        if bound.len().saturating_mul(self.phi.len()) > MOST_APPLIED {
            return Others::Unknown;
        }
        let binds = || bound.iter().filter_map(|step| step.bind.as_ref());
        let under =
            |phi: &Constraint| binds().fold(phi.clone(), |phi, bind| Map::single(&bind.binding).apply_constraint(&phi));
        let phi: Vec<Constraint> = self.phi.iter().map(under).collect();
        let chosen = bound.iter().any(|step| step.tainted || step.is_policy());
        let mut there = Elsewhere { vars: phi.vars(), phi: &phi, ..*self };
        let others = there.others_of(*var, to, placement.tainted || chosen);
        self.left = there.left;
        others
    }

    /// The same of a variable of these constraints.
    fn others_of(&mut self, var: RowVar, to: &RowTerm, tainted: bool) -> Others {
        match to.var {
            _ if !self.vars.contains(&Var::Row(var)) => Others::Unknown,
            None => self.other_places(var, to, tainted),
            Some(inner) => self.apart(var, to, inner),
        }
    }

    /// The other places of the marker in a row that is known.
    fn other_places(&mut self, var: RowVar, to: &RowTerm, tainted: bool) -> Others {
        let (mut places, mut refuted) = (Vec::new(), true);
        for place in moved(to) {
            let solvable = self.solvable(|_| Map::identity().with_row(var, place.clone()));
            refuted &= solvable == Some(false);
            places.extend(Some(place).filter(|_| solvable == Some(true)));
        }
        match places.is_empty() {
            false => Others::Places(places),
            // What rests on another choice need not have this content.
            true if refuted && !tainted => Others::Nowhere,
            true => Others::Unknown,
        }
    }

    /// Can ρ, which was bound to l·⟨ρ′⟩·r, have its marker elsewhere? Either ρ′ is empty, or it has one axis.
    fn apart(&mut self, var: RowVar, to: &RowTerm, inner: RowVar) -> Others {
        let inside = |map: Map, row: RowTerm| map.with_row(inner, row);
        let empty = moved(to).any(|place| {
            self.solvable(|_| inside(Map::identity().with_row(var, place), RowTerm::default())) == Some(true)
        });
        let one_axis = |before: bool| {
            move |names: &mut Names| {
                let axis: DimTerm = names.fresh_dim().into();
                let (lead, trail) = (to.lead.to_vec(), to.trail.to_vec());
                let (whole, part) = match before {
                    true => (RowTerm::new([lead, vec![axis]].concat(), None, trail), RowTerm::new([], None, [axis])),
                    false => (RowTerm::new(lead, None, [vec![axis], trail].concat()), RowTerm::new([axis], None, [])),
                };
                inside(Map::identity().with_row(var, whole), part)
            }
        };
        let known = self.vars.contains(&Var::Row(inner));
        let apart =
            empty || known && [true, false].into_iter().any(|before| self.solvable(one_axis(before)) == Some(true));
        if apart { Others::Apart } else { Others::Unknown }
    }

    /// Do the constraints have a solution under a map? None where that is not known.
    fn solvable(&mut self, map: impl FnOnce(&mut Names) -> Map) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let mut names = self.names.clone();
        let map = map(&mut names);
        let phi: Vec<Constraint> = self.phi.iter().map(|phi| map.apply_constraint(phi)).collect();
        match decide(&phi, &mut names, self.policy, RANK).decision {
            Decision::Sat(_) => Some(true),
            Decision::Unsat => Some(false),
            Decision::Unknown { .. } => None,
        }
    }
}
