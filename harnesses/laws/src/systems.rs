//! Small systems, and runs watched step by step against brute force (§§4–5).
//!
//! A configuration ⟨Φ; σ; B⟩ denotes Φ ∪ eqns(σ) ∪ constr(B), with eqns(σ) read as identity
//! (spec/findings/F12.md). Every fresh variable hangs off a variable of the input through σ, so a value of the
//! input's variables extends to the fresh ones in at most one way: [`Denotation::extend`] computes it, and no
//! universe has to be large enough to hold it.

use crate::domains::{ATOMS, TERMS};
use crate::generators::shrink_constraint;
use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Dim};
use lozenge::names::Names;
use lozenge::row::Row;
use lozenge::semantics::{Ground, Universe, holds, sol_on};
use lozenge::solver::derivation::Trace;
use lozenge::solver::guard::Guard;
use lozenge::solver::{Fact, differences::Differences};
use lozenge::solver::{Policy, Rule, Solved, Standing, Strategy, Verdict, solve};
use lozenge::solver::{Stop, configuration::Configuration};
use lozenge::subst::Map;
use lozenge::term::{Binding, DimTerm, RowTerm, RowVar, Term, Var, Vars};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// One strategy of each kind (Def. 4.4).
pub const STRATEGIES: [Strategy; 4] = [Strategy::Fifo, Strategy::Lifo, Strategy::Random(7), Strategy::Rounds];

/// The default policy with another strategy.
#[must_use]
pub fn with(strategy: Strategy) -> Policy {
    Policy { strategy, ..Policy::default() }
}

/// A row variable's value in γ, if it has one.
fn row_value(gamma: &Ground, var: RowVar) -> Option<&Row> {
    gamma.rows.get(&var)
}

/// Extends γ so that the term has this value; false where none of its extensions does.
pub fn match_dim(gamma: &mut Ground, term: DimTerm, value: Dim) -> bool {
    match term {
        DimTerm::Dim(d) => d == value,
        DimTerm::Var(v) => *gamma.dims.entry(v).or_insert(value) == value,
    }
}

/// Extends γ so that the term is this very row, marker included; false where none of its extensions is.
pub fn match_row(gamma: &mut Ground, term: &RowTerm, value: &Row) -> bool {
    let (l, r) = (term.lead.len(), term.trail.len());
    if value.lead.len() < l || value.trail.len() < r {
        return false;
    }
    let inner = value.trail.len() - r;
    let lead = term.lead.iter().zip(&value.lead);
    let trail = term.trail.iter().zip(&value.trail[inner..]);
    if !lead.chain(trail).all(|(t, d)| match_dim(gamma, *t, *d)) {
        return false;
    }
    match term.var {
        None => value.lead.len() == l && inner == 0,
        Some(v) => {
            let middle = Row::new(value.lead[l..].to_vec(), value.trail[..inner].to_vec());
            *gamma.rows.entry(v).or_insert_with(|| middle.clone()) == middle
        }
    }
}

/// Extends γ so that the term has this row's content; false where none of its extensions has.
pub fn match_content(gamma: &mut Ground, term: &RowTerm, value: &Row) -> bool {
    let content: Vec<Dim> = value.flat().collect();
    let (l, r) = (term.lead.len(), term.trail.len());
    if content.len() < l + r {
        return false;
    }
    let middle = l..content.len() - r;
    let lead = term.lead.iter().zip(&content);
    let trail = term.trail.iter().zip(&content[middle.end..]);
    if !lead.chain(trail).all(|(t, d)| match_dim(gamma, *t, *d)) {
        return false;
    }
    match term.var {
        None => middle.is_empty(),
        Some(v) => {
            let inner = Row::split_at(&content[middle], 0);
            gamma.rows.entry(v).or_insert_with(|| inner.clone()).flat_eq(&inner)
        }
    }
}

/// Extends γ so that T is what γ gives x.
///
/// # Panics
/// When γ gives x no value.
pub fn match_binding(gamma: &mut Ground, var: Var, to: &Term) -> bool {
    match (var, to) {
        (Var::Dim(v), Term::Dim(to)) => {
            let value = gamma.dims[&v];
            match_dim(gamma, *to, value)
        }
        (Var::Row(v), Term::Row(to)) => {
            let value = gamma.rows[&v].clone();
            match_row(gamma, to, &value)
        }
        _ => panic!("a binding respects sorts"),
    }
}

/// What a configuration denotes (Lemma 5.1): σ on the input's variables, and the constraints of Φ and B under σ.
#[derive(Clone, Debug)]
pub struct Denotation {
    /// x ↦ σ(x), for every variable of the input.
    pub sigma: Vec<(Var, Term)>,
    /// Φ and constr(B), over unbound variables only.
    pub constraints: Vec<Constraint>,
}

impl Denotation {
    /// The denotation of a configuration whose input has these variables.
    pub fn of(configuration: &mut Configuration<'_>, input: &BTreeSet<Var>) -> Self {
        let bounds = &configuration.bounds;
        let atom = |a: Atom| DimTerm::Dim(Dim::Atom(a));
        let mut all: Vec<Constraint> = configuration.unsolved().cloned().collect();
        all.extend(bounds.lowers().map(|(a, lower)| Constraint::DimLe(atom(lower), a.into())));
        all.extend(bounds.adjacencies().map(|(a, b, _)| Constraint::DimLe(a.into(), b.into())));
        all.extend(bounds.row_constraints());
        let bindings = &mut configuration.bindings;
        let constraints = all.into_iter().map(|phi| bindings.instantiate(phi).phi).collect();
        let sigma = input.iter().map(|x| (*x, bindings.value(*x).to())).collect();
        Denotation { sigma, constraints }
    }

    /// σ as a map.
    #[must_use]
    pub fn map(&self) -> Map {
        self.sigma.iter().fold(Map::identity(), |map, (x, t)| match (x, t) {
            (Var::Dim(v), Term::Dim(t)) => map.with_dim(*v, *t),
            (Var::Row(v), Term::Row(t)) => map.with_row(*v, t.clone()),
            _ => map,
        })
    }

    /// The values of the unbound variables with γ(x) = γ̂(σ(x)) for every x of the input, if there are any.
    #[must_use]
    pub fn extend(&self, gamma: &Ground) -> Option<Ground> {
        let mut hat = Ground::default();
        let fits = self.sigma.iter().all(|(x, t)| match (x, t) {
            (Var::Dim(v), Term::Dim(t)) => match_dim(&mut hat, *t, gamma.dims[v]),
            (Var::Row(v), Term::Row(t)) => match_row(&mut hat, t, &gamma.rows[v]),
            _ => false,
        });
        fits.then_some(hat)
    }

    /// Does γ, on the input's variables, extend to a solution?
    #[must_use]
    pub fn admits(&self, gamma: &Ground) -> bool {
        self.extend(gamma).is_some_and(|hat| self.constraints.iter().all(|phi| holds(&hat, phi)))
    }
}

/// How a watched run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// In solved form.
    Solved,
    /// Failed on entailed facts.
    Unsat,
    /// Failed on a placement.
    Rejected,
}

/// What was seen of a run.
#[derive(Clone, Debug)]
pub struct Watched {
    /// How it ended.
    pub ending: Ending,
    /// How many solutions Φ₀ has in the universe.
    pub solutions: usize,
    /// How many steps were taken.
    pub steps: usize,
    /// How many of them chose a placement.
    pub placements: usize,
    /// The rules that fired.
    pub rules: BTreeSet<Rule>,
}

/// Sends a system through the solver and holds every step to Lemma 5.1, and the end to what §5 says of it, for every
/// one of these values of its variables.
struct Watch<'a> {
    names: &'a Names,
    phi: &'a [Constraint],
    input: BTreeSet<Var>,
    all: &'a [Ground],
    /// Which of them solve Φ₀.
    initial: Vec<bool>,
}

impl Watch<'_> {
    fn text(&self) -> String {
        let lines: Vec<String> = self.phi.iter().map(|c| self.names.show(c).to_string()).collect();
        lines.join("; ")
    }

    fn blame(&self, what: &str, gamma: &Ground) -> String {
        format!("{what}: {{ {} }} at {}", self.text(), self.names.show(gamma))
    }

    fn solutions(&self) -> impl Iterator<Item = &Ground> {
        self.all.iter().zip(&self.initial).filter(|(_, solves)| **solves).map(|(gamma, _)| gamma)
    }

    /// Lemma 5.1 for one step that did not fail.
    fn step(&self, rule: Rule, placed: Option<(RowVar, &RowTerm)>, now: &[bool], old: &Denotation, new: &Denotation) {
        for (gamma, was) in self.all.iter().zip(now) {
            let is = new.admits(gamma);
            let Some((var, to)) = placed else {
                assert_eq!(*was, is, "{}", self.blame(&format!("5.1(i), {rule}"), gamma));
                continue;
            };
            assert!(*was || !is, "{}", self.blame(&format!("5.1(ii), {rule}"), gamma));
            if *was {
                self.replaced(rule, var, to, gamma, old, new);
            }
        }
    }

    /// 5.1(iii): with the bound variable's marker moved, a solution survives iff the marked inequalities let it.
    fn replaced(&self, rule: Rule, var: RowVar, to: &RowTerm, gamma: &Ground, old: &Denotation, new: &Denotation) {
        let mut hat = old.extend(gamma).expect("a solution extends");
        let (is, placed) = (hat.rows[&var].clone(), hat.row(to));
        assert!(is.flat_eq(&placed), "{}", self.blame(&format!("5.1(iii), content, {rule}"), gamma));
        hat.rows.insert(var, placed);
        let marked = old.constraints.iter().filter(|phi| matches!(phi, Constraint::RowLe(..)));
        let told_apart = !marked.into_iter().all(|phi| holds(&hat, phi));
        let moved = hat.after(&old.map(), self.input.iter().copied());
        assert_eq!(new.admits(&moved), !told_apart, "{}", self.blame(&format!("5.1(iii), {rule}"), gamma));
    }

    /// 5.6(2), 5.7 and R1a for what is derived without placements, along the whole run: a solution of Φ₀ extends
    /// to every binding, satisfies every constraint taken up, and obeys every recorded fact about lengths.
    fn entailed(&self, trace: &Trace, guard: &Guard) {
        for gamma in self.solutions() {
            let mut hat = gamma.clone();
            for step in trace.steps.iter().filter(|step| !step.tainted) {
                let known = step.instance.vars().into_iter().all(|v| hat.assigns(v));
                assert!(known, "{}", self.blame("an untainted step on a tainted variable", gamma));
                assert!(holds(&hat, &step.instance), "{}", self.blame("an untainted step not entailed", gamma));
                if let Some(bind) = step.bind.as_ref().filter(|bind| !bind.placement) {
                    let fits = match_binding(&mut hat, bind.binding.var(), &bind.binding.to());
                    assert!(fits, "{}", self.blame("5.6(2): an untainted binding not entailed", gamma));
                }
            }
            let value = |v: RowVar| row_value(&hat, v).cloned();
            self.facts(gamma, guard, |f| !f.tainted, value);
        }
    }

    /// R1a: every fact of a kind holds of the lengths of these values.
    fn facts(&self, gamma: &Ground, guard: &Guard, which: fn(&Fact) -> bool, value: impl Fn(RowVar) -> Option<Row>) {
        assert!(matches!(guard, Guard::Signed(_)), "the signed guard");
        for (rule, facts) in guard.facts() {
            let leading = rule == Rule::RgLead;
            let length = |x: Option<RowVar>| {
                let row = x.map_or(Some(Row::EMPTY), &value);
                let row = row.unwrap_or_else(|| panic!("{}", self.blame("R1a: a fact on an unknown variable", gamma)));
                i64::try_from(if leading { row.lead.len() } else { row.trail.len() }).expect("a small length")
            };
            for fact in facts.iter().filter(|f| which(f)) {
                let holds = length(fact.greater) >= length(fact.lesser) + fact.weight;
                assert!(holds, "{}", self.blame(&format!("R1a: {fact:?}"), gamma));
            }
        }
    }

    /// R1: no positive cycle among all recorded facts, those included that the guard passes over.
    fn cycle_free(&self, guard: &Guard) {
        for (rule, facts) in guard.facts() {
            let mut graph = Differences::default();
            let added = facts.into_iter().rev().try_for_each(|fact| graph.add(fact));
            assert!(added.is_ok(), "R1, {rule}: a solved form with a positive cycle: {}", self.text());
        }
    }

    /// Def. 5.3, Prop. 5.4, Cor. 5.5(i) and Cor. 5.7 for a solved form, whose solutions are `now`.
    fn solved(&self, solved: &Solved, last: &Denotation, now: &[bool], placements: usize) {
        let residual = solved.residual();
        let sigma = solved.sigma();
        assert_eq!(last.map(), restricted(&sigma, &self.input), "σ⋆ with and without the trace: {}", self.text());
        let stored: Vec<Constraint> = residual.constraints().collect();
        assert!(stored.vars().is_disjoint(&sigma.domain()), "5.3, a bound on a bound variable: {}", self.text());
        let capped: BTreeSet<_> = residual.dim_caps.iter().map(|(a, _)| *a).collect();
        assert_eq!(capped.len(), residual.dim_caps.len(), "5.3, two atoms below one variable: {}", self.text());

        // 5.4(i). The tops satisfy all bounds; a deferred equation may say otherwise.
        let top = Ground::default();
        let bounds = stored.iter().filter(|phi| !residual.deferred.contains(phi));
        assert!(bounds.into_iter().all(|phi| holds(&top, phi)), "5.4(i): {}", self.text());
        let highest = top.after(&sigma, self.input.iter().copied());
        let greatest = solved.greatest();
        assert!(greatest.is_some() || !residual.deferred.is_empty(), "5.4(i), no γ↑: {}", self.text());
        if let Some(greatest) = &greatest {
            assert_eq!(*greatest, highest, "γ↑: {}", self.text());
            assert!(self.phi.iter().all(|phi| holds(greatest, phi)), "{}", self.blame("5.5(i)", greatest));
        }
        // 5.4(ii), whether or not equations are deferred.
        for (gamma, _) in self.all.iter().zip(now).filter(|(_, solves)| **solves) {
            let below = self.input.iter().all(|x| match x {
                Var::Dim(v) => gamma.dims[v].le(highest.dims[v]),
                Var::Row(v) => gamma.rows[v].le(&highest.rows[v]),
            });
            assert!(below, "{}", self.blame("5.4(ii)", gamma));
        }
        // 5.6(1).
        for ((gamma, is), was) in self.all.iter().zip(now).zip(&self.initial) {
            let same = if placements == 0 { is == was } else { *was || !is };
            assert!(same, "{}", self.blame("5.6(1)", gamma));
        }
        self.forced(solved);
    }

    /// Cor. 5.7: in every solution, what is said to be entailed has that value, and what is said to have entailed
    /// content has that content, for one choice of the free variables.
    fn forced(&self, solved: &Solved) {
        let forced = solved.forced();
        for gamma in self.solutions() {
            let mut hat = Ground::default();
            for standing in [Standing::Entailed, Standing::Content] {
                for (x, _) in forced.iter().filter(|(_, s)| *s == standing) {
                    let fits = match (x, solved.value(*x)) {
                        (Var::Dim(v), Term::Dim(t)) => match_dim(&mut hat, t, gamma.dims[v]),
                        (Var::Row(v), Term::Row(t)) if standing == Standing::Entailed => {
                            match_row(&mut hat, &t, &gamma.rows[v])
                        }
                        (Var::Row(v), Term::Row(t)) => match_content(&mut hat, &t, &gamma.rows[v]),
                        _ => false,
                    };
                    let name = self.names.show(&Term::from(*x)).to_string();
                    assert!(fits, "{}", self.blame(&format!("5.7, {name} is {standing:?}"), gamma));
                }
            }
        }
    }
}

/// A map on these variables only.
fn restricted(map: &Map, vars: &BTreeSet<Var>) -> Map {
    vars.iter().fold(Map::identity(), |out, x| match x {
        Var::Dim(v) => out.with_dim(*v, map.dim(*v)),
        Var::Row(v) => out.with_row(*v, map.row(*v)),
    })
}

/// Runs Φ under the signed guard and checks every step and the end against these values of its variables.
///
/// # Panics
/// When a claim of §5 fails, with its number, the system and the values; and when a limit is reached.
#[must_use]
pub fn watch(names: &Names, phi: &[Constraint], strategy: Strategy, all: &[Ground]) -> Watched {
    let initial: Vec<bool> = all.iter().map(|gamma| phi.iter().all(|c| holds(gamma, c))).collect();
    let mut now = initial.clone();
    let watch = Watch { names, phi, input: phi.vars(), all, initial };
    let mut supply = names.clone();
    let mut configuration = Configuration::new(phi, &mut supply, with(strategy), true);
    let mut old = Denotation::of(&mut configuration, &watch.input);
    let ending = loop {
        let taken = configuration.trace.as_ref().map_or(0, |t| t.steps.len());
        let end = configuration.step();
        let new = Denotation::of(&mut configuration, &watch.input);
        let steps = configuration.trace.as_ref().map_or(&[][..], |t| &t.steps[taken..]);
        let placed = steps.first().filter(|s| s.is_policy()).and_then(|s| match s.bind.as_ref().map(|b| &b.binding) {
            Some(Binding::Row(var, to)) => Some((*var, to)),
            _ => None,
        });
        match end {
            Ok(false) => break Ending::Solved,
            Ok(true) => {
                watch.step(steps[0].rule, placed, &now, &old, &new);
                now = all.iter().map(|gamma| new.admits(gamma)).collect();
                old = new;
            }
            Err(Stop::Failed(failure)) => {
                // A placement may itself close a cycle; then nothing solves what it leads to.
                for (gamma, was) in all.iter().zip(&now) {
                    let solves = if placed.is_some() { new.admits(gamma) } else { *was };
                    assert!(!solves, "{}", watch.blame(&format!("5.1(i), failure by {}", failure.rule), gamma));
                }
                if failure.tainted {
                    break Ending::Rejected;
                }
                if let Some(gamma) = watch.solutions().next() {
                    panic!("{}", watch.blame(&format!("5.5(ii), unsat by {}", failure.rule), gamma));
                }
                break Ending::Unsat;
            }
            Err(Stop::Limit(limit)) => panic!("R1b, {limit:?}: {}", watch.text()),
        }
    };
    let trace = configuration.trace.take().unwrap_or_default();
    watch.entailed(&trace, &configuration.guard);
    if ending == Ending::Solved {
        watch.cycle_free(&configuration.guard);
    }
    if ending != Ending::Rejected {
        for (gamma, _) in all.iter().zip(&now).filter(|(_, solves)| **solves) {
            let hat = old.extend(gamma).unwrap_or_default();
            let bindings = std::cell::RefCell::new(configuration.bindings.clone());
            watch.facts(
                gamma,
                &configuration.guard,
                |_| true,
                |v| Some(hat.row(&bindings.borrow_mut().row_value(&v.into()))),
            );
        }
    }
    let placements = trace.steps.iter().filter(|s| s.is_policy()).count();
    match solve(phi, &mut names.clone(), with(strategy)) {
        Verdict::Solved(solved) if ending == Ending::Solved => watch.solved(&solved, &old, &now, placements),
        Verdict::Unsat(_) if ending == Ending::Unsat => {}
        Verdict::Rejected(_) if ending == Ending::Rejected => {}
        other => panic!("{ending:?} with the trace, {other:?} without: {}", watch.text()),
    }
    Watched {
        ending,
        solutions: watch.initial.iter().filter(|solves| **solves).count(),
        steps: trace.steps.len(),
        placements,
        rules: trace.steps.iter().map(|s| s.rule).collect(),
    }
}

/// Every value, in a small universe, of some of the variables of [`TERMS`]: computed once for each set of variables.
#[derive(Debug)]
pub struct Values {
    universe: Universe,
    by_vars: [OnceLock<Vec<Ground>>; 16],
}

impl Values {
    /// Values over 1∅ and these sizes, up to this rank.
    ///
    /// # Panics
    /// When that is too many.
    #[must_use]
    pub fn new(sizes: &[u64], rank: usize) -> Self {
        let universe = Universe::of_sizes(sizes, rank).expect("small");
        Values { universe, by_vars: [const { OnceLock::new() }; 16] }
    }

    /// The values of the variables of Φ.
    ///
    /// # Panics
    /// When Φ has other variables than [`TERMS`].
    #[must_use]
    pub fn of(&self, phi: &[Constraint]) -> &[Ground] {
        let vars = phi.vars();
        let number = vars.iter().map(|v| 1 << v.id()).sum::<usize>();
        self.by_vars[number].get_or_init(|| sol_on(&[], &self.universe, &vars).collect())
    }
}

/// The atom 2 of [`TERMS`], as a term.
#[must_use]
pub fn two() -> DimTerm {
    DimTerm::Dim(Dim::Atom(ATOMS[2]))
}

/// The atom 3.
#[must_use]
pub fn three() -> DimTerm {
    DimTerm::Dim(Dim::Atom(Atom::nth(ATOMS[2].basis(), 2)))
}

/// Every sequence of these terms of at most this length, shortest first.
#[must_use]
pub fn flanks(of: &[DimTerm], longest: usize) -> Vec<Vec<DimTerm>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|s| of.iter().map(|d| [s.as_slice(), &[*d]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Every row term with these flanks, closed or around one of these variables.
#[must_use]
pub fn row_terms(flanks: &[Vec<DimTerm>], vars: &[RowVar]) -> Vec<RowTerm> {
    let middles: Vec<Option<RowVar>> = std::iter::once(None).chain(vars.iter().copied().map(Some)).collect();
    let mut terms = Vec::new();
    for lead in flanks {
        for var in &middles {
            terms.extend(flanks.iter().map(|trail| RowTerm::new(lead.clone(), *var, trail.clone())));
        }
    }
    terms
}

/// R₁ ≈ R₂ and R₁ ⊑ R₂ for every two of these terms.
pub fn row_constraints(terms: &[RowTerm]) -> impl Iterator<Item = Constraint> + '_ {
    terms.iter().flat_map(move |s| {
        terms
            .iter()
            .flat_map(move |t| [Constraint::RowEq(s.clone(), t.clone()), Constraint::RowLe(s.clone(), t.clone())])
    })
}

/// t₁ = t₂ and t₁ ⊑ t₂ for every two of these terms.
pub fn dim_constraints(terms: &[DimTerm]) -> impl Iterator<Item = Constraint> + '_ {
    terms
        .iter()
        .flat_map(move |s| terms.iter().flat_map(move |t| [Constraint::DimEq(*s, *t), Constraint::DimLe(*s, *t)]))
}

/// One to four random constraints over the variables of [`TERMS`], flanks of at most two over a, b, 1∅ and 2.
#[derive(Clone, Debug)]
pub struct SmallSystem(pub Vec<Constraint>);

fn one_of<'t, T>(g: &mut Gen, table: &'t [T]) -> &'t T {
    let number = u64::arbitrary(g) % table.len() as u64;
    &table[usize::try_from(number).unwrap_or(0)]
}

impl Arbitrary for SmallSystem {
    fn arbitrary(g: &mut Gen) -> Self {
        fn flank(g: &mut Gen) -> Vec<DimTerm> {
            let length = *one_of(g, &[0, 0, 0, 1, 1, 2]);
            let [a, b] = TERMS.dim_vars.map(DimTerm::from);
            (0..length).map(|_| *one_of(g, &[two(), two(), a, b, Dim::Unit.into()])).collect()
        }
        fn row(g: &mut Gen) -> RowTerm {
            let [p, q] = TERMS.row_vars.map(Some);
            RowTerm::new(flank(g), *one_of(g, &[p, p, q, q, None]), flank(g))
        }
        let count = *one_of(g, &[1, 2, 2, 3, 3, 4]);
        let constraint = |g: &mut Gen| match u64::arbitrary(g) % 8 {
            0 => Constraint::DimLe(*one_of(g, &TERMS.dims), *one_of(g, &TERMS.dims)),
            1..=3 => Constraint::RowEq(row(g), row(g)),
            _ => Constraint::RowLe(row(g), row(g)),
        };
        SmallSystem((0..count).map(|_| constraint(g)).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(simpler(&self.0).into_iter().map(SmallSystem))
    }
}

/// Simpler systems, for types that wrap one.
#[must_use]
pub fn simpler(phi: &[Constraint]) -> Vec<Vec<Constraint>> {
    let fewer = (0..phi.len()).map(|i| [&phi[..i], &phi[i + 1..]].concat());
    let smaller = phi.iter().enumerate().flat_map(|(i, c)| {
        shrink_constraint(c).into_iter().map(move |s| {
            let mut all = phi.to_vec();
            all[i] = s;
            all
        })
    });
    fewer.chain(smaller).collect()
}
