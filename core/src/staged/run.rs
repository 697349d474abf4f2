//! The staged run: the core's solver, the claims that are not discharged yet, and the stage.

use super::claim::{Affine, Claim, Exact, Factor, Numerator, SizeTerm, Total};
use super::commit::{Assumption, Value};
use super::linear::{Derived, Linear, Part, SizeWhy};
use super::meaning::{Valuation, may_be_zero, plain};
use super::outcome::{Closed, Marks, Open, Outcome, Problem, Refusal, SizeFailure, StageStep, Stopped};
use super::product::{Product, exact};
use super::rule::{Stage, StageRule};
use crate::closing::Tags;
use crate::constraint::Constraint;
use crate::dim::{Atom, Basis, Dim};
use crate::internal::broken;
use crate::names::Names;
use crate::semantics::Ground;
use crate::solver::configuration::{Configuration, Stop};
use crate::solver::{Limit, Policy};
use crate::term::{DimTerm, DimVar, RowTerm, Term, Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// A staged run under way.
#[derive(Debug)]
pub struct Run<'n> {
    pub(super) configuration: Configuration<'n>,
    pub(super) claims: BTreeMap<usize, Claim>,
    /// The claims that are not discharged.
    pub(super) active: BTreeSet<usize>,
    pub(super) input: BTreeSet<Var>,
    pub(super) tags: Tags,
    /// The variables that are 0, and whether that was a commitment.
    pub(super) zeros: BTreeMap<DimVar, bool>,
    pub(super) zero_able: BTreeSet<DimVar>,
    pub(super) marks: Marks,
    pub(super) stage: Stage,
    pub(super) steps: Vec<StageStep>,
    pub(super) assumptions: Vec<Assumption>,
}

/// Runs the stages up to one of them.
pub fn solve(problem: &Problem<'_>, names: &mut Names, policy: Policy, upto: Stage) -> Outcome {
    let mut run = Run::new(problem, names, policy);
    let end = run.add(problem.phi.iter().cloned(), problem.claims.iter().cloned()).and_then(|()| run.stages(upto));
    run.outcome(problem.phi, end)
}

impl<'n> Run<'n> {
    /// Nothing yet. What is known of the whole problem from the start is which variables are leaves and which
    /// may be 0.
    pub fn new(problem: &Problem<'_>, names: &'n mut Names, policy: Policy) -> Self {
        Run {
            configuration: Configuration::new(&[], names, policy, false),
            claims: BTreeMap::new(),
            active: BTreeSet::new(),
            input: problem.tags.leaves.clone(),
            tags: problem.tags.clone(),
            zeros: BTreeMap::new(),
            zero_able: may_be_zero(problem.phi, problem.claims, &problem.discardable),
            marks: problem.marks,
            stage: Stage::One,
            steps: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// Keeps the derivation of the core from here on; for a run that has not begun.
    pub(crate) fn keep_trace(&mut self) {
        self.configuration.keep_trace();
    }

    /// Stage 1, online: adds constraints and claims and propagates.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add(
        &mut self,
        phi: impl IntoIterator<Item = Constraint>,
        claims: impl IntoIterator<Item = Claim>,
    ) -> Result<(), Stopped> {
        let from = self.claims.len();
        self.add_numbered(phi, claims.into_iter().enumerate().map(|(i, claim)| (from + i, claim)))
    }

    /// The same, for claims that have numbers already.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add_numbered(
        &mut self,
        phi: impl IntoIterator<Item = Constraint>,
        claims: impl IntoIterator<Item = (usize, Claim)>,
    ) -> Result<(), Stopped> {
        for constraint in phi {
            constraint.collect_vars(&mut self.input);
            self.configuration.extend(constraint, false);
        }
        for (number, claim) in claims {
            claim.collect_vars(&mut self.input);
            self.active.insert(number);
            self.claims.insert(number, claim);
        }
        self.settle()
    }

    /// Solves and propagates until nothing is new.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn settle(&mut self) -> Result<(), Stopped> {
        self.configuration.run()?;
        loop {
            let mut progress = false;
            for number in self.active.clone() {
                self.configuration.fuel.look(1)?;
                progress |= self.propagate(number)?;
            }
            if !progress {
                return Ok(());
            }
        }
    }

    /// The core's configuration.
    pub fn configuration(&mut self) -> &mut Configuration<'n> {
        &mut self.configuration
    }

    /// What was done so far.
    #[must_use]
    pub fn steps(&self) -> &[StageStep] {
        &self.steps
    }

    /// What was committed so far.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// The value of a term, and whether it rests on a commitment.
    pub(super) fn look(&mut self, term: DimTerm) -> (DimTerm, bool) {
        let instance = self.configuration.bindings.instantiate(Constraint::DimEq(term, term));
        match instance.phi {
            Constraint::DimEq(value, _) => (value, instance.tainted),
            other => other_kind(&other),
        }
    }

    pub(super) fn look_row(&mut self, row: &RowTerm) -> (RowTerm, bool) {
        let instance = self.configuration.bindings.instantiate(Constraint::RowEq(row.clone(), RowTerm::default()));
        match instance.phi {
            Constraint::RowEq(value, _) => (value, instance.tainted),
            other => other_kind(&other),
        }
    }

    fn part(&mut self, term: DimTerm) -> (Part, bool) {
        match self.look(term) {
            (DimTerm::Var(v), tainted) => match self.zeros.get(&v) {
                Some(committed) => (Part::Count(0), tainted || *committed),
                None => (Part::Unknown(v, u64::from(!self.zero_able.contains(&v))), tainted),
            },
            (DimTerm::Dim(d), tainted) => (plain(d).map_or(Part::Based(d), Part::Count), tainted),
        }
    }

    /// ST-force: a late factor is looked up from stage 2 on.
    fn factor(&mut self, factor: Factor) -> Result<Option<(u64, bool)>, SizeWhy> {
        match factor {
            Factor::Known(0) => Err(SizeWhy::BadFactor),
            Factor::Known(n) => Ok(Some((n, false))),
            Factor::Late(_) if self.stage < Stage::Two => Ok(None),
            Factor::Late(t) => match self.part(t) {
                (Part::Count(n), tainted) if n > 0 => Ok(Some((n, tainted))),
                _ => Err(SizeWhy::BadFactor),
            },
        }
    }

    /// One claim; true when something new follows.
    fn propagate(&mut self, number: usize) -> Result<bool, Stopped> {
        match self.claim(number) {
            Claim::Size(d, SizeTerm::Affine(affine)) if affine.is_identity() && affine.offset == 0 => {
                self.active.remove(&number);
                self.configuration.extend(Constraint::DimEq(d, affine.over), false);
                self.configuration.run()?;
                if let (DimTerm::Var(v), (value, _)) = (d, self.look(d)) {
                    self.note(StageRule::Same, Some(number), Var::Dim(v), Value::Term(Term::Dim(value)));
                }
                Ok(true)
            }
            Claim::Size(d, SizeTerm::Affine(affine)) => self.affine(number, d, &affine),
            Claim::Size(d, SizeTerm::Concat(parts)) => {
                let (d, mut tainted) = self.part(d);
                let mut known = Vec::new();
                for part in parts {
                    let (part, t) = self.part(part);
                    tainted |= t;
                    known.push(part);
                }
                self.derived(number, StageRule::Concat, Linear::concat(d, known).derive(), tainted)
            }
            Claim::Total(total) => {
                let mut tainted = false;
                match self.product(&total, &mut tainted) {
                    // Elements have no basis: which one an axis gets is a choice.
                    Ok(Some(product)) => match product.derive() {
                        Derived::Fail(why) => self.refuse(number, StageRule::Total, why, tainted),
                        derived => self.derived(number, StageRule::Total, derived, true),
                    },
                    Ok(None) => Ok(false),
                    Err(why) => self.refuse(number, StageRule::Total, why, tainted),
                }
            }
            Claim::Exact(Exact { rows, dims, .. }) => {
                let looked: Vec<(RowTerm, bool)> = rows.iter().map(|row| self.look_row(row)).collect();
                let tainted = looked.iter().any(|(_, t)| *t);
                let rows: Vec<RowTerm> = looked.into_iter().map(|(row, _)| row).collect();
                match exact(&rows, &dims) {
                    Err(why) => self.refuse(number, StageRule::Exact, why, tainted),
                    Ok(None) => Ok(false),
                    Ok(Some(equations)) => {
                        self.active.remove(&number);
                        for equation in equations {
                            if let Constraint::RowEq(RowTerm { var: Some(v), .. }, value) = &equation {
                                let value = Value::Term(Term::Row(value.clone()));
                                self.note(StageRule::Exact, Some(number), Var::Row(*v), value);
                            }
                            self.configuration.extend(equation, tainted);
                        }
                        self.configuration.run()?;
                        Ok(true)
                    }
                }
            }
            Claim::AtLeast(d, least) => match self.look(d) {
                (DimTerm::Var(_), _) => Ok(false),
                (DimTerm::Dim(d), _) if d.elements() >= least => {
                    self.active.remove(&number);
                    Ok(false)
                }
                (DimTerm::Dim(d), tainted) => {
                    let why = SizeWhy::TooSmall(i128::from(d.elements()), least);
                    self.refuse(number, StageRule::Least, why, tainted)
                }
            },
        }
    }

    fn affine(&mut self, number: usize, d: DimTerm, affine: &Affine) -> Result<bool, Stopped> {
        // Only a valid convolution has its kernel in its size.
        let conv = affine.conv.filter(|conv| !conv.padded);
        let dilation = conv.map_or(Factor::Known(1), |conv| conv.dilation);
        let factors = self.factor(affine.stride).and_then(|s| Ok((s, self.factor(dilation)?)));
        let ((stride, s), (dilation, k)) = match factors {
            Ok((Some(stride), Some(dilation))) => (stride, dilation),
            Ok(_) => return Ok(false),
            Err(why) => return self.refuse(number, StageRule::Force, why, self.stage > Stage::Two),
        };
        let ((d, t), (over, o)) = (self.part(d), self.part(affine.over));
        let (kernel, c) = conv.map_or((Part::Count(1), false), |conv| self.part(conv.kernel));
        let tainted = s || k || t || o || c;
        match Linear::affine(d, affine, (stride, dilation), over, kernel) {
            Ok((rule, linear)) => self.derived(number, rule, linear.derive(), tainted),
            Err(why) => self.refuse(number, StageRule::Force, why, tainted),
        }
    }

    /// A total with what is known of it; none while a coefficient is late.
    pub(super) fn product(&mut self, total: &Total, tainted: &mut bool) -> Result<Option<Product>, SizeWhy> {
        let mut product = Product::default();
        for row in &total.rows {
            let (row, t) = self.look_row(row);
            *tainted |= t;
            product.open.extend(row.var);
            for axis in row.lead.iter().chain(&row.trail) {
                self.times(&mut product, true, *axis, tainted)?;
            }
        }
        for divisor in &total.divided_by {
            self.times(&mut product, true, (*divisor).into(), tainted)?;
        }
        match total.numerator {
            Numerator::Count(n) => product.known(false, n)?,
            Numerator::Scaled { coeff, var, denom } => {
                let Some((coeff, t)) = self.factor(coeff)? else { return Ok(None) };
                *tainted |= t;
                product.known(false, coeff)?;
                product.known(true, denom)?;
                self.times(&mut product, false, var.into(), tainted)?;
            }
        }
        Ok(Some(product))
    }

    fn times(
        &mut self,
        product: &mut Product,
        on_left: bool,
        term: DimTerm,
        tainted: &mut bool,
    ) -> Result<(), SizeWhy> {
        let (value, t) = self.look(term);
        *tainted |= t;
        match value {
            DimTerm::Dim(d) => product.known(on_left, d.elements())?,
            DimTerm::Var(v) => product.unknown(on_left, v),
        }
        Ok(())
    }

    /// Carries out what a rule derived.
    fn derived(&mut self, number: usize, rule: StageRule, derived: Derived, tainted: bool) -> Result<bool, Stopped> {
        match derived {
            Derived::Wait => Ok(false),
            Derived::Done => {
                self.active.remove(&number);
                Ok(false)
            }
            Derived::Fail(why) => self.refuse(number, rule, why, tainted),
            Derived::Sizes(sizes) => {
                self.active.remove(&number);
                for (v, n) in sizes {
                    let value = match Atom::new(n, Basis::DEFAULT) {
                        Err(_) => {
                            self.zeros.insert(v, tainted);
                            Value::Zero
                        }
                        Ok(atom) => {
                            let dim = self.of_size(v, atom);
                            // One element can be 1∅ or the atom 1: which of them is a choice.
                            self.configuration.extend(Constraint::DimEq(v.into(), dim.into()), tainted || n == 1);
                            Value::Term(Term::Dim(dim.into()))
                        }
                    };
                    self.note(rule, Some(number), Var::Dim(v), value);
                }
                self.configuration.run()?;
                Ok(true)
            }
        }
    }

    /// An unknown of known size: an axis whose size is worked out does not stretch, unless another size must
    /// fit below it.
    fn of_size(&self, v: DimVar, atom: Atom) -> Dim {
        let other = self.configuration.bounds.lower(v).is_some_and(|lower| lower.atom != atom);
        if atom.size() == 1 && other { Dim::Unit } else { Dim::Atom(atom) }
    }

    pub(super) fn note(&mut self, rule: StageRule, claim: Option<usize>, var: Var, value: Value) {
        let at = self.configuration.steps();
        self.steps.push(StageStep { stage: self.stage, rule, claim, var, value, at });
    }

    fn refuse(&mut self, claim: usize, rule: StageRule, why: SizeWhy, tainted: bool) -> Result<bool, Stopped> {
        // A number that does not fit says nothing of solutions.
        if why == SizeWhy::TooLarge {
            return Err(Limit::Size.into());
        }
        let instance = self.claim(claim);
        let instance = self.instance(instance);
        Err(Stopped::Size(Box::new(SizeFailure { claim, rule, why, instance, tainted })))
    }

    /// The claim with this number.
    fn claim(&self, number: usize) -> Claim {
        let claim = self.claims.get(&number).cloned();
        claim.unwrap_or_else(|| broken("a claim that is active is there", number.to_string()))
    }

    /// A claim with the values that are known.
    fn instance(&mut self, claim: Claim) -> Claim {
        let mut dim = |t: DimTerm| self.look(t).0;
        match claim {
            Claim::Size(d, SizeTerm::Concat(parts)) => {
                Claim::Size(dim(d), SizeTerm::Concat(parts.into_iter().map(dim).collect()))
            }
            Claim::Size(d, SizeTerm::Affine(mut affine)) => {
                affine.over = dim(affine.over);
                if let Factor::Late(t) = affine.stride {
                    affine.stride = Factor::Late(dim(t));
                }
                if let Some(conv) = &mut affine.conv {
                    conv.kernel = dim(conv.kernel);
                    if let Factor::Late(t) = conv.dilation {
                        conv.dilation = Factor::Late(dim(t));
                    }
                }
                Claim::Size(dim(d), SizeTerm::Affine(affine))
            }
            Claim::AtLeast(d, n) => Claim::AtLeast(dim(d), n),
            Claim::Total(total) => {
                let rows = total.rows.iter().map(|row| self.look_row(row).0).collect();
                Claim::Total(Total { rows, ..total })
            }
            Claim::Exact(exact) => {
                let rows = exact.rows.iter().map(|row| self.look_row(row).0).collect();
                Claim::Exact(Exact { rows, ..exact })
            }
        }
    }

    /// The values of the input's variables, if all have one.
    ///
    /// # Errors
    /// [`Stopped`] where a limit is reached.
    pub fn values(&mut self) -> Result<Option<Valuation>, Stopped> {
        if !self.unsolved()?.owner.is_empty() {
            return Ok(None);
        }
        let (top, mut ground) = (Ground::default(), Ground::default());
        let mut zeros = BTreeSet::new();
        for var in self.input.clone() {
            match (var, self.configuration.bindings.value(var)) {
                (Var::Dim(v), Term::Dim(DimTerm::Var(_))) => {
                    zeros.insert(v);
                }
                (Var::Dim(v), Term::Dim(t)) => {
                    ground.dims.insert(v, top.dim(t));
                }
                (Var::Row(v), Term::Row(t)) => {
                    ground.rows.insert(v, top.row(&t));
                }
                (var, to) => broken("a variable is bound to a term of its sort", format!("{var:?} ↦ {to:?}")),
            }
        }
        Ok(Some(Valuation { ground, zeros }))
    }

    /// Conj. 8.4 (a): every success satisfies Φ₀ and the claims. It is looked at before anything is answered, whatever
    /// the build. The check knows nothing of the rules, so a rule that is wrong shows here.
    pub fn check(&self, values: &Valuation, phi: &[Constraint]) {
        if let Some(what) = values.violated(phi, self.claims.values()) {
            broken("every success satisfies Φ₀ (Conj. 8.4 (a))", what);
        }
    }

    /// How the run ended.
    pub fn outcome(mut self, phi: &[Constraint], end: Result<(), Stopped>) -> Outcome {
        match end.and_then(|()| self.values()) {
            Err(Stopped::Core(Stop::Limit(limit))) => Outcome::Limit(limit),
            Err(Stopped::Core(Stop::Failed(failure))) if failure.tainted => {
                Outcome::Rejected(Refusal::Core(failure), self.assumptions)
            }
            Err(Stopped::Core(Stop::Failed(failure))) => Outcome::Unsat(Refusal::Core(failure)),
            Err(Stopped::Size(failure)) if failure.tainted => {
                Outcome::Rejected(Refusal::Size(failure), self.assumptions)
            }
            Err(Stopped::Size(failure)) => Outcome::Unsat(Refusal::Size(failure)),
            Err(Stopped::Hole(hole)) => Outcome::Hole(hole),
            Ok(Some(values)) => {
                self.check(&values, phi);
                let Run { assumptions, steps, .. } = self;
                Outcome::Closed(Box::new(Closed { values, assumptions, steps }))
            }
            Ok(None) => {
                let input = self.input.clone();
                let known = input.into_iter().map(|v| (v, self.configuration.bindings.value(v))).collect();
                let Run { assumptions, steps, active, zeros, .. } = self;
                let zeros = zeros.into_keys().collect();
                let waiting = active.into_iter().collect();
                Outcome::Open(Box::new(Open { known, zeros, waiting, assumptions, steps }))
            }
        }
    }
}

fn other_kind(phi: &Constraint) -> ! {
    broken("σ leaves a constraint's kind as it is (Def. 3.2)", format!("{phi:?}"))
}
