//! Claims propagated, one function a rule: what follows from a claim and the sizes that are known.

use super::claim::{Affine, Exact, Factor, Numerator, SizeClaim, SizeTerm, Total};
use super::commit::Given;
use super::linear::{Derived, Linear, Part, SizeWhy};
use super::meaning::plain;
use super::outcome::{SizeFailure, Stopped};
use super::product::{Product, exact};
use super::rule::{Stage, StageRule};
use super::run::StagedRun;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::internal::broken;
use lozenge_calculus::rules::Store;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm};
use lozenge_engine::solver::Limit;

impl StagedRun<'_> {
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
    pub(super) fn propagate(&mut self, number: usize) -> Result<bool, Stopped> {
        match self.claim(number) {
            SizeClaim::Size(d, SizeTerm::Affine(affine)) if affine.is_identity() && affine.offset == 0 => {
                self.same(number, d, affine.over)
            }
            SizeClaim::Size(d, SizeTerm::Affine(affine)) => self.affine(number, d, &affine),
            SizeClaim::Size(d, SizeTerm::Concat(parts)) => self.concat(number, d, parts),
            SizeClaim::Total(total) => self.total(number, &total),
            SizeClaim::Exact(claim) => self.exact(number, &claim),
            SizeClaim::AtLeast(d, least) => self.least(number, d, least),
        }
    }

    /// ST-same: d = 1·o is d = o.
    fn same(&mut self, number: usize, d: DimTerm, over: DimTerm) -> Result<bool, Stopped> {
        self.active.remove(&number);
        self.configuration.extend(Constraint::DimEq(d, over), false);
        self.configuration.run()?;
        if let (DimTerm::Var(v), (value, _)) = (d, self.look(d)) {
            self.note(StageRule::Same, Some(number), Given::dim(v, value));
        }
        Ok(true)
    }

    /// ST-concat: d = d₁ + d₂ + …
    fn concat(&mut self, number: usize, d: DimTerm, parts: Vec<DimTerm>) -> Result<bool, Stopped> {
        let (d, mut tainted) = self.part(d);
        let mut known = Vec::new();
        for part in parts {
            let (part, t) = self.part(part);
            tainted |= t;
            known.push(part);
        }
        self.derived(number, StageRule::Concat, Linear::concat(d, known).derive(), tainted)
    }

    /// ST-total: the elements of rows, multiplied.
    fn total(&mut self, number: usize, total: &Total) -> Result<bool, Stopped> {
        let mut tainted = false;
        match self.product(total, &mut tainted) {
            // Elements have no basis: which one an axis gets is a choice.
            Ok(Some(product)) => match product.derive() {
                Derived::Fail(why) => self.refuse(number, StageRule::Total, why, tainted),
                derived => self.derived(number, StageRule::Total, derived, true),
            },
            Ok(None) => Ok(false),
            Err(why) => self.refuse(number, StageRule::Total, why, tainted),
        }
    }

    /// ST-exact: rows that have these very axes, one after the other.
    fn exact(&mut self, number: usize, Exact { rows, dims, .. }: &Exact) -> Result<bool, Stopped> {
        let looked: Vec<(RowTerm, bool)> = rows.iter().map(|row| self.look_row(row)).collect();
        let tainted = looked.iter().any(|(_, t)| *t);
        let rows: Vec<RowTerm> = looked.into_iter().map(|(row, _)| row).collect();
        let equations = match exact(&rows, dims) {
            Err(why) => return self.refuse(number, StageRule::Exact, why, tainted),
            Ok(None) => return Ok(false),
            Ok(Some(equations)) => equations,
        };
        self.active.remove(&number);
        for equation in equations {
            if let Constraint::RowEq(RowTerm { var: Some(v), .. }, value) = &equation {
                self.note(StageRule::Exact, Some(number), Given::row(*v, value.clone()));
            }
            self.configuration.extend(equation, tainted);
        }
        self.configuration.run()?;
        Ok(true)
    }

    /// ST-least: d has at least so many elements.
    fn least(&mut self, number: usize, d: DimTerm, least: u64) -> Result<bool, Stopped> {
        match self.look(d) {
            (DimTerm::Var(_), _) => Ok(false),
            (DimTerm::Dim(d), _) if d.elements() >= least => {
                self.active.remove(&number);
                Ok(false)
            }
            (DimTerm::Dim(d), tainted) => {
                let why = SizeWhy::TooSmall(i128::from(d.elements()), least);
                self.refuse(number, StageRule::Least, why, tainted)
            }
        }
    }

    /// ST-affine and its kin: d = stride·o + dilation·(k − 1) + …
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
                    let given = match Atom::new(n, Basis::DEFAULT) {
                        Err(_) => {
                            self.zeros.insert(v, tainted);
                            Given::Zero(v)
                        }
                        Ok(atom) => {
                            let dim = self.of_size(v, atom);
                            // One element can be 1∅ or the atom 1: which of them is a choice.
                            self.configuration.extend(Constraint::DimEq(v.into(), dim.into()), tainted || n == 1);
                            Given::dim(v, dim)
                        }
                    };
                    self.note(rule, Some(number), given);
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
    fn claim(&self, number: usize) -> SizeClaim {
        let claim = self.claims.get(&number).cloned();
        claim.unwrap_or_else(|| broken("a claim that is active is there", number.to_string()))
    }

    /// A claim with the values that are known.
    fn instance(&mut self, claim: SizeClaim) -> SizeClaim {
        let mut dim = |t: DimTerm| self.look(t).0;
        match claim {
            SizeClaim::Size(d, SizeTerm::Concat(parts)) => {
                SizeClaim::Size(dim(d), SizeTerm::Concat(parts.into_iter().map(dim).collect()))
            }
            SizeClaim::Size(d, SizeTerm::Affine(mut affine)) => {
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
                SizeClaim::Size(dim(d), SizeTerm::Affine(affine))
            }
            SizeClaim::AtLeast(d, n) => SizeClaim::AtLeast(dim(d), n),
            SizeClaim::Total(total) => {
                let rows = total.rows.iter().map(|row| self.look_row(row).0).collect();
                SizeClaim::Total(Total { rows, ..total })
            }
            SizeClaim::Exact(exact) => {
                let rows = exact.rows.iter().map(|row| self.look_row(row).0).collect();
                SizeClaim::Exact(Exact { rows, ..exact })
            }
        }
    }
}
