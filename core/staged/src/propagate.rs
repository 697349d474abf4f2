//! Claims propagated, one function a rule: what follows from a claim and the sizes that are known.

use super::claim::{Affine, Exact, Factor, Numerator, SizeClaim, SizeTerm, Total};
use super::commit::Given;
use super::linear::{Derived, Linear, Part, SizeWhy};
use super::meaning::{basis, plain};
use super::outcome::{SizeFailure, Stopped};
use super::product::{Product, exact};
use super::rule::{Stage, StageRule};
use super::run::StagedRun;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::internal::broken;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm};
use lozenge_engine::solver::Limit;
use std::collections::BTreeSet;

/// A size equation: its rule, itself, and whether what is put in rests on a commitment.
pub(super) type Equation = (StageRule, Linear, bool);

/// A size equation that is not well formed.
pub(super) type Wrong = (StageRule, SizeWhy, bool);

impl StagedRun<'_> {
    /// How many positions an axis has.
    fn part(&mut self, term: DimTerm) -> (Part, bool) {
        match self.look(term) {
            (DimTerm::Var(v), tainted) => match self.zeros.get(&v) {
                Some(committed) => (Part::Count(0), tainted || *committed),
                None => (Part::Unknown(v, u64::from(!self.zero_able.contains(&v))), tainted),
            },
            (DimTerm::Dim(d), tainted) => (Part::Count(d.elements()), tainted),
        }
    }

    /// A number, or how many distances a kernel has: neither has a basis.
    fn plain_part(&mut self, term: DimTerm) -> (Part, bool) {
        match self.look(term) {
            (DimTerm::Dim(d), tainted) if plain(d).is_none() => (Part::Based(d), tainted),
            _ => self.part(term),
        }
    }

    /// ST-force: a late factor is looked up from stage 2 on. What has no value yet is one more unknown.
    fn factor(&mut self, factor: Factor) -> Result<Option<(Part, bool)>, SizeWhy> {
        match factor {
            Factor::Known(0) => Err(SizeWhy::BadFactor),
            Factor::Known(n) => Ok(Some((Part::Count(n), false))),
            Factor::Late(_) if self.stage < Stage::Two => Ok(None),
            Factor::Late(t) => match self.plain_part(t) {
                (Part::Count(0) | Part::Based(_), _) => Err(SizeWhy::BadFactor),
                found => Ok(Some(found)),
            },
        }
    }

    /// The strides, dilations and coefficients of a claim that are unknown. The dilation of a padded convolution is not in
    /// its size.
    pub(super) fn open_factors(&mut self, number: usize) -> Vec<DimVar> {
        let factors = match self.claims.get(&number) {
            Some(SizeClaim::Size(_, SizeTerm::Affine(affine))) => {
                [Some(affine.stride), affine.conv.filter(|conv| !conv.padded).map(|conv| conv.dilation)]
            }
            Some(SizeClaim::Total(Total { numerator: Numerator::Scaled { coeff, .. }, .. })) => [Some(*coeff), None],
            _ => [None, None],
        };
        let late = factors.into_iter().flatten().filter_map(|f| if let Factor::Late(t) = f { Some(t) } else { None });
        late.filter_map(|t| if let DimTerm::Var(v) = self.look(t).0 { Some(v) } else { None }).collect()
    }

    /// The claim that has this as a stride, dilation or coefficient.
    pub(super) fn factor_of(&mut self, v: DimVar) -> Option<usize> {
        self.claims_with(v).into_iter().find(|number| self.open_factors(*number).contains(&v))
    }

    /// One claim; true when something new follows.
    pub(super) fn propagate(&mut self, number: usize) -> Result<bool, Stopped> {
        match self.claim(number) {
            SizeClaim::Size(d, SizeTerm::Affine(affine)) if affine.is_identity() && affine.offset == 0 => {
                self.same(number, d, affine.over)
            }
            SizeClaim::Size(d, term) => self.size(number, d, &term),
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
            self.note(StageRule::Same, Some(number.into()), Given::dim(v, value));
        }
        Ok(true)
    }

    /// ST-stride, ST-pad, ST-valid, ST-concat: a size equation.
    fn size(&mut self, number: usize, d: DimTerm, term: &SizeTerm) -> Result<bool, Stopped> {
        match self.equation(d, term) {
            Err((rule, why, tainted)) => self.refuse(number, rule, why, tainted),
            Ok(None) => Ok(false),
            Ok(Some((rule, linear, tainted))) => {
                if let Some((why, t)) = self.bases(number) {
                    return self.refuse(number, rule, why, t);
                }
                let derived = linear.derive();
                match self.too_small_a_stride(term, &derived) {
                    Some(why) => self.refuse(number, StageRule::Force, why, tainted),
                    None => self.derived(number, rule, derived, tainted),
                }
            }
        }
    }

    /// A stride that is worked out is more than the offset.
    fn too_small_a_stride(&mut self, term: &SizeTerm, derived: &Derived) -> Option<SizeWhy> {
        let (SizeTerm::Affine(affine), Derived::Size(v, n)) = (term, derived) else { return None };
        let Factor::Late(stride) = affine.stride else { return None };
        let small = affine.offset >= *n && self.look(stride).0 == DimTerm::Var(*v);
        small.then_some(SizeWhy::BadOffset(affine.offset, *n))
    }

    /// Two axes of a size equation whose bases differ.
    fn bases(&mut self, number: usize) -> Option<(SizeWhy, bool)> {
        let mut first: Option<(Dim, bool)> = None;
        for (term, tainted) in self.axes(number)? {
            let DimTerm::Dim(d) = term else { continue };
            let Some(mine) = basis(d) else { continue };
            match first {
                Some((other, t)) if basis(other) != Some(mine) => {
                    return Some((SizeWhy::Bases(other, d), t || tainted));
                }
                Some(_) => {}
                None => first = Some((d, tainted)),
            }
        }
        None
    }

    /// A size equation with what is known put in, and whether that rests on a commitment; none while a factor is late,
    /// or is unknown as what it is multiplied with.
    pub(super) fn equation(&mut self, d: DimTerm, term: &SizeTerm) -> Result<Option<Equation>, Wrong> {
        match term {
            SizeTerm::Affine(affine) => self.affine(d, affine),
            SizeTerm::Concat(parts) => Ok(Some(self.concat(d, parts))),
        }
    }

    /// d = d₁ + d₂ + …
    fn concat(&mut self, d: DimTerm, parts: &[DimTerm]) -> Equation {
        let (d, mut tainted) = self.part(d);
        let mut known = Vec::new();
        for part in parts {
            let (part, t) = self.part(*part);
            tainted |= t;
            known.push(part);
        }
        (StageRule::Concat, Linear::concat(d, known), tainted)
    }

    /// ST-total: the elements of rows, multiplied.
    fn total(&mut self, number: usize, total: &Total) -> Result<bool, Stopped> {
        let mut tainted = false;
        match self.product(total, &mut tainted) {
            Ok(Some(product)) => self.derived(number, StageRule::Total, product.derive(), tainted),
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
                self.note(StageRule::Exact, Some(number.into()), Given::row(*v, value.clone()));
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

    /// d = stride·o + dilation·(k − 1) + …
    fn affine(&mut self, d: DimTerm, affine: &Affine) -> Result<Option<Equation>, Wrong> {
        // Only a valid convolution has its kernel in its size.
        let conv = affine.conv.filter(|conv| !conv.padded);
        let dilation = conv.map_or(Factor::Known(1), |conv| conv.dilation);
        let factors = self.factor(affine.stride).and_then(|s| Ok((s, self.factor(dilation)?)));
        let ((stride, s), (dilation, k)) = match factors {
            Ok((Some(stride), Some(dilation))) => (stride, dilation),
            Ok(_) => return Ok(None),
            Err(why) => return Err((StageRule::Force, why, self.stage > Stage::Two)),
        };
        let ((d, t), (over, o)) = (self.part(d), self.part(affine.over));
        let (kernel, c) = conv.map_or((Part::Count(1), false), |conv| self.plain_part(conv.kernel));
        let tainted = s || k || t || o || c;
        match Linear::affine(d, affine, (stride, dilation), over, kernel) {
            Ok(found) => Ok(found.map(|(rule, linear)| (rule, linear, tainted))),
            Err(why) => Err((StageRule::Force, why, tainted)),
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
                match coeff {
                    Part::Unknown(v, _) => product.unknown(false, v),
                    Part::Count(n) => product.known(false, n)?,
                    Part::Based(_) => return Err(SizeWhy::BadFactor),
                }
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
            // Which dimension of that size it is may be a choice: then the claim waits for it. Its basis may be from
            // another claim, so this one is looked at once more.
            Derived::Size(v, n) => {
                let new = self.counted(v, n, tainted, rule, Some(number.into()));
                if new {
                    self.configuration.run()?;
                } else {
                    self.watch.decide_later(number);
                }
                Ok(new)
            }
        }
    }

    pub(super) fn refuse(
        &mut self,
        claim: usize,
        rule: StageRule,
        why: SizeWhy,
        tainted: bool,
    ) -> Result<bool, Stopped> {
        // A number that does not fit says nothing of solutions; after a commitment other choices are tried.
        if why == SizeWhy::TooLarge && !tainted {
            return Err(Limit::Size.into());
        }
        let instance = self.claim(claim);
        let instance = self.instance(instance);
        Err(Stopped::Size(Box::new(SizeFailure { claim, rule, why, instance, tainted, bounded_by: BTreeSet::new() })))
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
