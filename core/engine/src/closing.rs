//! §6 Closing: from solved form to one ground solution, and the list of what was assumed on the way.
//!
//! Def. 6.1 with the order it leaves free fixed as in spec/decisions.md, 8. Before anything is committed
//! the caps are saturated, so that a value cannot depend on which variable came first.
//!
//! 1. Leaves that have a cap, known ones first, then open ones by what is written of them, take the join of
//!    their caps (CL-leaf); positions that no cap fills take
//!    1∅ (CL-hole), unless the leaf is a parameter: then that is an error.
//! 2. Deferred equations take their solution of least material (CL-word), or wait, by policy.
//! 3. Leaves without a cap take 1∅ or no axes (CL-bare), parameters again excepted.
//! 4. Everything else closes upward, to 1∅ or no axes (CL-up).
//!
//! After each of these the solver runs again; after the last only where an equation is deferred (Prop. 5.4).
//!
//! ```
//! use lozenge::closing::{Closing, Tags, close};
//! use lozenge::{names::Names, notation::parse_system, solver::Policy};
//! let mut names = Names::new();
//! let phi = parse_system("3 ⊑ a\nb ⊑ a", &mut names)?;
//! let tags = Tags::leaves(names.vars());
//! let Closing::Closed(closed) = close(&phi, &mut names, &tags, Policy::default()) else { panic!() };
//! assert_eq!(names.show(&closed.values).to_string(), "a ↦ 3, b ↦ 3");
//! assert_eq!(closed.assumptions.len(), 1);       // a = 3 was assumed, b = 3 follows
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```

mod looked;
mod open;
pub mod saturate;
mod words;

pub use lozenge_calculus::closing::{Assumption, CloseRule, Closed, Closing, End, Hole, Tags};

use crate::VarSet;
use crate::mutant::{self, Mutant};
use crate::solver::bindings::{Bindings, Tops};
use crate::solver::configuration::Configuration;
use crate::solver::{CapPolicy, Fuel, Policy, WordPolicy, ground};
use looked::Looked;
use lozenge_calculus::closing::{Commitment, Unknown, leaf, word};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::internal::broken;
use lozenge_calculus::names::Names;
use lozenge_calculus::rules::Store;
use lozenge_calculus::term::{Binding, DimTerm, RowTerm, Var};
use open::{Inputs, Open};
use saturate::Caps;
use std::collections::{BTreeMap, BTreeSet};
use words::Words;

/// Closes Φ₀, committing leaves oldest first.
pub fn close(phi: &[Constraint], names: &mut Names, tags: &Tags, policy: Policy) -> Closing {
    close_in_order(phi, names, tags, policy, |_| ())
}

/// The end of closing, and of the placements that solving made up a variable for, whose they are.
#[derive(Clone, Debug)]
pub struct Placing {
    /// The end.
    pub closing: Closing,
    /// The oldest of the input's variables that has such a variable in the middle of its value.
    pub within: BTreeMap<Var, Var>,
}

/// Closes Φ₀ as [`close`] does, and lists among the placements those as well that were made after a commitment. The
/// marker of a commitment itself is part of what it assumes.
pub fn close_placing(phi: &[Constraint], names: &mut Names, tags: &Tags, policy: Policy) -> Placing {
    let mut configuration = Configuration::new(phi, names, policy, false);
    let mut closing = close_within(&mut configuration, phi, tags, policy, |_| ());
    let mut within = BTreeMap::new();
    if let Closing::Closed(closed) = &mut closing {
        let assumed: BTreeSet<Var> = closed.assumptions.iter().map(|it| it.binding.var()).collect();
        let placements = configuration.all_placements().into_iter();
        closed.placements = placements.filter(|it| !assumed.contains(&it.var())).collect();
        let inputs: VarSet = phi.iter().collect();
        let middles = configuration.bindings.middles(&inputs);
        let made = closed.placements.iter().map(Binding::var).filter(|var| !inputs.contains(*var));
        within.extend(made.filter_map(|var| Some((var, *middles.get(&var)?))));
    }
    Placing { closing, within }
}

/// Closes Φ₀, committing leaves in the order that `order` puts them into. Under saturation the values do
/// not depend on it; this exists to show that.
pub fn close_in_order(
    phi: &[Constraint],
    names: &mut Names,
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> Closing {
    close_from(Configuration::new(phi, names, policy, false), phi, tags, policy, order)
}

/// Closes a configuration whose constraints, solved and not, are Φ₀.
pub fn close_from(
    mut configuration: Configuration<'_>,
    phi: &[Constraint],
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> Closing {
    close_within(&mut configuration, phi, tags, policy, order)
}

fn close_within(
    configuration: &mut Configuration<'_>,
    phi: &[Constraint],
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
) -> Closing {
    let vars = phi.iter().collect();
    let mut assumptions = Vec::new();
    match close_in_place(configuration, phi, &vars, tags, policy, order, &mut |it| assumptions.push(it)) {
        Err(end) => Closing::stopped(end, assumptions),
        Ok(()) => {
            check(phi, &mut configuration.bindings);
            let (placements, values) = (configuration.placements(), ground(&vars, &configuration.bindings));
            Closing::Closed(Box::new(Closed { values, assumptions, placements }))
        }
    }
}

/// The oldest parameter whose value has this unsolved variable.
#[must_use]
pub fn parameter_with(tags: &Tags, bindings: &Bindings, var: Var) -> Option<Var> {
    let has = |p: &&Var| {
        let mut has = false;
        bindings.each_open(**p, |v| has |= v == var);
        has
    };
    tags.params.iter().find(has).copied()
}

/// Closes a configuration whose constraints, solved and not, are Φ₀ with these variables, and shows what is committed.
///
/// # Errors
/// How else it ends.
pub fn close_in_place(
    configuration: &mut Configuration<'_>,
    phi: &[Constraint],
    vars: &VarSet,
    tags: &Tags,
    policy: Policy,
    order: impl Fn(&mut Vec<Var>),
    made: &mut dyn FnMut(Assumption),
) -> Result<(), End> {
    let (words, looked, news) = (Words::default(), None, Vec::new());
    let mut run = Close { phi, vars, tags, policy, configuration, made, words, looked, news };
    let end = run.close(&order);
    run.configuration.bindings.forget_news();
    end
}

/// Prop. 6.2: γ_close ∈ Sol(Φ₀). It is looked at before any value is answered, whatever the build. Values are read by what
/// this finds that rows lead to.
pub fn check(phi: &[Constraint], bindings: &mut Bindings) -> Tops {
    bindings.shorten_all();
    let tops = bindings.tops();
    if let Some(phi) = bindings.violated(&tops, phi) {
        broken("γ_close ∈ Sol(Φ₀) (Prop. 6.2)", format!("{phi:?} does not hold"));
    }
    tops
}

/// How much may be open for builds with debug assertions to count it anew.
const RECOUNTED: usize = 100;

/// Puts leaves into the order in which they are committed.
type Order<'o> = &'o dyn Fn(&mut Vec<Var>);

/// Closing under way.
struct Close<'a, 'c, 'n> {
    phi: &'a [Constraint],
    vars: &'a VarSet,
    tags: &'a Tags,
    policy: Policy,
    configuration: &'c mut Configuration<'n>,
    /// Takes what is committed.
    made: &'c mut dyn FnMut(Assumption),
    /// The deferred equations, as they are taken.
    words: Words,
    /// The last look at leaves that have a cap, if it would find nothing again.
    looked: Option<Looked>,
    /// What was bound after the last commitments.
    news: Vec<Var>,
}

impl Close<'_, '_, '_> {
    fn close(&mut self, order: Order<'_>) -> Result<(), End> {
        self.configuration.run()?;
        self.configuration.bindings.shorten_all();
        let inputs = Inputs::new(self.vars, self.tags);
        self.saturate(inputs.count)?;
        let mut open = inputs.under(&self.configuration.bindings, self.configuration.variables());
        self.configuration.bindings.keep_news();
        while self.close_some(&mut open, order)? {
            self.saturate(open.len())?;
            self.follow(&mut open);
        }
        self.close_interior(&mut open)
    }

    /// Saturates dimensions. Then what was open is looked at.
    fn saturate(&mut self, open: usize) -> Result<(), End> {
        if self.policy.caps == CapPolicy::Saturated {
            saturate::forward_dims(self.configuration)?;
        }
        Ok(self.configuration.fuel.look(open as u64)?)
    }

    /// What is open now, and whether another look at leaves that have a cap is worth while.
    fn follow(&mut self, open: &mut Open) {
        let (most, Configuration { bindings, bounds, .. }) = (self.configuration.variables(), &mut *self.configuration);
        bindings.take_news(&mut self.news);
        open.follow(&self.news, bindings, most);
        debug_assert!(
            open.len() > RECOUNTED || open.is(&Inputs::new(self.vars, self.tags).under(bindings, most)),
            "what is open follows from what was bound"
        );
        self.looked.take_if(|looked| !looked.holds(bounds, open, &self.news));
    }

    /// The next group of commitments; false where everything that is left is interior.
    fn close_some(&mut self, open: &mut Open, order: Order<'_>) -> Result<bool, End> {
        match self.policy.caps {
            CapPolicy::Saturated => {
                Ok(self.close_capped(open, order)? || self.close_words(open)? || self.close_bare(open, order)?)
            }
            CapPolicy::Stored => Ok(self.close_next(open, order)? || self.close_words(open)?),
        }
    }

    /// Commits values by policy, all of them, and solves again. Were it solved again after each, a value
    /// could depend on which variable came first (spec/findings/F4.md).
    fn commit(&mut self, open: &Open, commitments: Vec<Commitment>) -> Result<bool, End> {
        if commitments.is_empty() {
            return Ok(false);
        }
        let Close { configuration, made, .. } = self;
        configuration.choose(commitments, |(binding, rule)| {
            let var = binding.var();
            let within = open.owner(var).filter(|owner| *owner != var);
            made(Assumption { binding, rule, within });
        })?;
        Ok(true)
    }

    /// A parameter's dimension that nothing determines: the oldest parameter whose value it is part of.
    fn hole(&self, open: &Open, (var, position): Unknown) -> End {
        let var =
            parameter_with(self.tags, &self.configuration.bindings, var).or_else(|| open.owner(var)).unwrap_or(var);
        End::Hole(Hole::new(self.phi, var, position))
    }

    /// CL-leaf, CL-hole: leaves that have a cap, known ones first.
    fn close_capped(&mut self, open: &mut Open, order: Order<'_>) -> Result<bool, End> {
        if open.has_no_leaf() {
            return Ok(false);
        }
        if let Some(Looked { looks, .. }) = self.looked {
            debug_assert!(open.len() > RECOUNTED || self.finds_nothing(open, order, looks));
            self.configuration.fuel.look(looks)?;
            return Ok(false);
        }
        open.list_leaves(order);
        let commitments = self.capped(open)?;
        self.commit(open, commitments)
    }

    /// Would a look at the leaves that have a cap find nothing, and cost so much?
    fn finds_nothing(&mut self, open: &mut Open, order: Order<'_>, looks: u64) -> bool {
        let mut fuel = std::mem::replace(&mut self.configuration.fuel, Fuel::new(u64::MAX));
        open.list_leaves(order);
        let found = self.capped(open);
        std::mem::swap(&mut fuel, &mut self.configuration.fuel);
        let mut cost = Fuel::new(u64::MAX);
        found.is_ok_and(|found| found.is_empty()) && cost.look(looks).is_ok() && cost == fuel
    }

    /// What leaves that have a cap are given.
    fn capped(&mut self, open: &Open) -> Result<Vec<Commitment>, End> {
        let leaves = open.leaves();
        let Configuration { bounds, bindings, fuel, .. } = &mut *self.configuration;
        let rows = leaves.iter().filter_map(|var| if let Var::Row(r) = var { Some(*r) } else { None });
        let caps = Caps::on(rows, bounds, bindings);
        let known = |a| Some(Dim::Atom(bounds.lower(a)?.atom));
        let is_param = |var| open.is_param(var);
        let joins = caps.joins(known, false, fuel)?;
        let mut commitments = leaf::capped(leaves, known, |r| joins.get(r), is_param);
        if commitments.as_ref().is_ok_and(Vec::is_empty) {
            let open_joins = caps.joins(known, true, fuel)?;
            commitments = leaf::open_capped(leaves, |r| open_joins.get(r), is_param);
            // Only CL-word comes back here again and again.
            if commitments.as_ref().is_ok_and(Vec::is_empty) && bounds.has_deferred() {
                self.looked = Some(Looked::new(&caps, bounds, joins.looks + open_joins.looks));
            }
        }
        commitments.map_err(|unknown| self.hole(open, unknown))
    }

    /// Def. 6.1, step 1, to the letter: the next leaf takes what its own caps say.
    fn close_next(&mut self, open: &mut Open, order: Order<'_>) -> Result<bool, End> {
        if open.has_no_leaf() {
            return Ok(false);
        }
        open.list_leaves(order);
        let Some(var) = open.leaves().first().copied() else { return Ok(false) };
        let Configuration { bounds, bindings, fuel, .. } = &mut *self.configuration;
        let (lower, mut caps) = (if let Var::Dim(a) = var { bounds.lower(a) } else { None }, Vec::new());
        if let Var::Row(r) = var {
            for cap in bounds.caps_on(r) {
                let cap = bindings.row_value(&cap);
                fuel.look(1 + cap.known_rank() as u64)?;
                caps.push(cap);
            }
        }
        let lower = lower.map(|lower| lower.atom);
        let commitment = leaf::stored(var, lower, caps.iter(), open.is_param(var));
        let commitment = commitment.map_err(|unknown| self.hole(open, unknown))?;
        self.commit(open, vec![commitment])
    }

    /// CL-word: a deferred equation, at its solution of least material.
    fn close_words(&mut self, open: &Open) -> Result<bool, End> {
        if self.policy.words == WordPolicy::Upward {
            return Ok(false);
        }
        let Configuration { bounds, bindings, fuel, .. } = &mut *self.configuration;
        // As if all of them were looked at: how much of them there is is known.
        fuel.look(bounds.deferred_looks())?;
        let Some(equation) = self.words.first(bounds) else { return Ok(false) };
        let Some((var, value)) = word::least(&bindings.instantiate(equation).phi) else { return Ok(false) };
        self.commit(open, vec![(Binding::Row(var, value), CloseRule::Word)])
    }

    /// CL-bare: leaves without a cap, 1∅ and no axes; but a parameter's dimension must be known.
    fn close_bare(&mut self, open: &mut Open, order: Order<'_>) -> Result<bool, End> {
        open.list_leaves(order);
        let unknown = open.leaves().iter().filter(|v| matches!(v, Var::Dim(_)) && open.is_param(**v));
        if let Some(var) = unknown.min() {
            return Err(self.hole(open, (*var, None)));
        }
        self.commit(open, open.leaves().iter().map(|v| (top(*v), CloseRule::Bare)).collect())
    }

    /// CL-up: everything else. Without deferred equations all tops together are a solution (Prop. 5.4), and nothing
    /// is left to be solved.
    fn close_interior(&mut self, open: &mut Open) -> Result<(), End> {
        if self.configuration.bounds.has_deferred() && !mutant::is(Mutant::InteriorDeferred) {
            let up = open.owned().map(|(var, _)| (top(var), CloseRule::Up)).collect();
            self.commit(open, up)?;
            return Ok(());
        }
        // Nobody follows what is bound from here on.
        self.configuration.bindings.forget_news();
        for (var, owner) in open.owned() {
            self.configuration.bind_to_top(top(var));
            let within = Some(owner).filter(|owner| *owner != var);
            (self.made)(Assumption { binding: top(var), rule: CloseRule::Up, within });
        }
        Ok(())
    }
}

/// x at its top, by CL-bare or CL-up.
#[inline]
fn top(var: Var) -> Binding {
    let binding = match var {
        Var::Dim(v) => Binding::Dim(v, DimTerm::Dim(Dim::Unit)),
        Var::Row(v) => Binding::Row(v, RowTerm::default()),
    };
    debug_assert_eq!((&binding, &binding), (&leaf::interior(var).0, &leaf::leaf_bare(var).0));
    binding
}
