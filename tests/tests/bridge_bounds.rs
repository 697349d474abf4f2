//! The bridge from Coq to Rust for the bounds of size claims ([`lozenge_tests::bounds`]): systems of size claims.
//!
//! As tests/tests/bridge.rs: same counts on every run, held to spec/index.toml.
#![allow(missing_docs)]

use lozenge::dim::Dim;
use lozenge::staged::{Affine, Conv, Factor, Mode, Numerator, SizeClaim, SizeTerm, Total};
use lozenge::term::{DimTerm, DimVar, RowTerm};
use lozenge_harnesses::programs::Numbers;
use lozenge_tests::bounds::{System, compare, size};
use std::collections::{BTreeMap, BTreeSet};

fn strided(d: DimTerm, stride: Factor, over: DimTerm) -> SizeClaim {
    SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over, conv: None, offset: 0 }))
}

fn convolved(d: DimTerm, stride: Factor, over: DimTerm, dilation: Factor, kernel: DimTerm, padded: bool) -> SizeClaim {
    let conv = Some(Conv { dilation, kernel, padded });
    SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over, conv, offset: 0 }))
}

fn total(axes: Vec<DimTerm>, open: Option<&RowTerm>, numerator: Numerator) -> SizeClaim {
    let row = RowTerm::new(axes, open.and_then(|row| row.var), Vec::new());
    SizeClaim::Total(Total { rows: vec![row], numerator, divided_by: BTreeSet::new(), keep: None })
}

/// Claims over three variables and two sizes.
fn family(system: &System) -> Vec<SizeClaim> {
    let vars: Vec<DimTerm> = system.vars.iter().map(|v| (*v).into()).collect();
    let with = |n: u64| -> Vec<DimTerm> { vars.iter().copied().chain([size(n)]).collect() };
    let mut out = Vec::new();
    for d in with(6) {
        for (i, o) in with(2).into_iter().enumerate() {
            out.extend([2, 3].map(|s| strided(d, Factor::Known(s), o)));
            for (j, k) in with(2).into_iter().enumerate() {
                let valid = |s, e| convolved(d, Factor::Known(s), o, Factor::Known(e), k, false);
                out.extend([valid(1, 1), valid(2, 3)]);
                // A sum has no order.
                out.extend((i <= j).then(|| SizeClaim::Size(d, SizeTerm::Concat(vec![o, k]))));
            }
        }
    }
    for (i, v) in system.vars.iter().enumerate() {
        out.extend([3, 7].map(|n| SizeClaim::AtLeast((*v).into(), n)));
        out.push(total(vec![vars[i]], Some(&system.row), Numerator::Count(6)));
        for (j, u) in vars.iter().enumerate().skip(i) {
            out.push(total(vec![vars[i], *u], None, Numerator::Count(12)));
            let third = system.vars[(i + j) % 3];
            out.push(total(
                vec![vars[i], *u],
                None,
                Numerator::Scaled { coeff: Factor::Known(3), var: third, denom: 2 },
            ));
        }
    }
    out
}

/// Every two of the family, with nothing else; with parts that may be 0; with an atom below; and with two that are equal.
#[test]
fn bridge_bounds_of_two_claims() {
    let empty = System::new(3);
    let (family, vars) = (family(&empty), empty.vars.clone());
    let pairs = family.iter().enumerate().flat_map(|(i, a)| family[i..].iter().map(move |b| [a.clone(), b.clone()]));
    let systems = pairs.flat_map(|claims| {
        let plain = System { claims: claims.to_vec(), ..empty.clone() };
        let zeros = System { discardable: vars.iter().copied().collect(), ..plain.clone() };
        let below = System { below: BTreeMap::from([(vars[1], 7)]), ..plain.clone() };
        let equal = System { equal: BTreeMap::from([(vars[2], vars[0].into())]), ..zeros.clone() };
        [plain, zeros, below, equal]
    });
    let counts = compare("bridge_bounds_of_two_claims", systems);
    assert!(counts.settled > 1000 && counts.refused > 1000, "{counts:?}");
}

/// Makes random systems. Every variable has a value, which most claims keep to: else hardly anything would settle.
struct Maker {
    numbers: Numbers,
    system: System,
    values: BTreeMap<DimVar, u64>,
    /// Sizes go up to this, to begin with.
    most: usize,
}

impl Maker {
    fn system(case: u64) -> System {
        let mut numbers = Numbers::of(17, case);
        let most = numbers.pick(&[4, 12, 200, 1 << 20]);
        let mut make = Maker { numbers, system: System::new(0), values: BTreeMap::new(), most };
        for _ in 0..1 + make.numbers.below(4) {
            let value = if make.numbers.percent(10) { 0 } else { make.number(most) };
            make.var_of(value);
        }
        for _ in 0..1 + make.numbers.below(8) {
            let claim = make.claim();
            make.system.claims.push(claim);
        }
        for i in 0..make.system.vars.len() {
            make.fact(i);
        }
        make.system
    }

    fn number(&mut self, most: usize) -> u64 {
        1 + self.numbers.below(most) as u64
    }

    fn var_of(&mut self, value: u64) -> DimVar {
        let v = self.system.add();
        self.values.insert(v, value);
        v
    }

    /// What is said of this variable beside claims.
    fn fact(&mut self, i: usize) {
        let v = self.system.vars[i];
        // Now and then something else than its value.
        let n = if self.numbers.percent(90) { self.values[&v].max(1) } else { self.number(self.most) };
        match self.numbers.below(12) {
            0 if i > 0 => {
                let same: Vec<DimVar> =
                    self.system.vars[..i].iter().copied().filter(|u| self.values[u] == self.values[&v]).collect();
                let Some(u) = same.first().copied() else { return };
                self.system.equal.insert(v, u.into());
                if self.numbers.percent(50) {
                    self.system.by_claim.insert(v);
                    self.system.claims.push(strided(v.into(), Factor::Known(1), u.into()));
                }
            }
            1 | 2 if n == 1 => drop(self.system.equal.insert(v, DimTerm::Dim(Dim::Unit))),
            1 | 2 => drop(self.system.equal.insert(v, size(n))),
            3 if n == 1 => drop(self.system.below.insert(v, 7)),
            3 => drop(self.system.below.insert(v, n)),
            4 => self.system.claims.push(SizeClaim::AtLeast(v.into(), n - self.numbers.below(2) as u64)),
            _ => {}
        }
        if self.values[&v] == 0 || self.numbers.percent(30) {
            self.system.discardable.insert(v);
        }
    }

    /// A term, and its value.
    fn dim(&mut self) -> (DimTerm, u64) {
        if self.numbers.percent(15) {
            let n = self.number(self.most);
            return (if n == 1 { DimTerm::Dim(Dim::Unit) } else { size(n) }, n);
        }
        let v = self.numbers.pick(&self.system.vars);
        (v.into(), self.values[&v])
    }

    fn factor(&mut self) -> (Factor, u64) {
        if self.numbers.percent(8) {
            let (t, n) = self.dim();
            return (Factor::Late(t), n);
        }
        let n = if self.numbers.percent(10) { self.number(self.most) } else { self.number(4) };
        (Factor::Known(n), n)
    }

    /// What has this value: a size, a variable, or one that is made for it; now and then anything.
    fn of_value(&mut self, n: u64) -> DimTerm {
        let same: Vec<DimVar> = self.values.iter().filter(|(_, m)| **m == n).map(|(v, _)| *v).collect();
        match self.numbers.below(100) {
            0..=3 => self.dim().0,
            _ if n >= 1 << 40 => self.dim().0,
            4..=29 if n > 0 => size(n),
            30..=59 if !same.is_empty() => self.numbers.pick(&same).into(),
            _ => self.var_of(n).into(),
        }
    }

    fn claim(&mut self) -> SizeClaim {
        match self.numbers.below(11) {
            0..=3 => {
                let parts: Vec<_> = (0..self.numbers.below(5)).map(|_| self.dim()).collect();
                let d = self.of_value(parts.iter().map(|(_, n)| n).sum());
                SizeClaim::Size(d, SizeTerm::Concat(parts.into_iter().map(|(t, _)| t).collect()))
            }
            4..=8 => self.affine(),
            9 => {
                let (d, n) = self.dim();
                SizeClaim::AtLeast(d, (n + 1).saturating_sub(self.numbers.below(9) as u64))
            }
            _ => self.total(),
        }
    }

    fn affine(&mut self) -> SizeClaim {
        let ((stride, s), (over, o), (dilation, e), (kernel, k)) =
            (self.factor(), self.dim(), self.factor(), self.dim());
        let padded = self.numbers.percent(50);
        let conv = self.numbers.percent(70).then_some(Conv { dilation, kernel, padded });
        let mut affine = Affine { stride, over, conv, offset: 0 };
        if affine.is_identity() {
            // That is an equation of the core: facts are made of those.
            affine.conv = Some(Conv { dilation, kernel, padded: false });
        }
        let value = if affine.mode() == Mode::Valid {
            s.saturating_mul(o).saturating_add(e.saturating_mul(k)).saturating_add(1).saturating_sub(s + e)
        } else {
            // An offset chooses elements, and is in no size.
            affine.offset = if let Factor::Known(n) = stride { self.numbers.below(n as usize) as u64 } else { 0 };
            s.saturating_mul(o)
        };
        SizeClaim::Size(self.of_value(value), SizeTerm::Affine(affine))
    }

    fn total(&mut self) -> SizeClaim {
        let axes: Vec<_> = (0..self.numbers.below(3)).map(|_| self.dim()).collect();
        let row = self.numbers.percent(30).then(|| self.system.row.clone());
        let elements = axes.iter().fold(1 + u64::from(row.is_some()), |product, (_, n)| product.saturating_mul(*n));
        let axes: Vec<DimTerm> = axes.into_iter().map(|(t, _)| t).collect();
        if self.numbers.percent(50) {
            return total(axes, row.as_ref(), Numerator::Count(elements));
        }
        // elements · divisor · denom = coeff · var
        let (divisor, denom) = (self.numbers.pick(&self.system.vars), self.number(3));
        let divided = self.numbers.percent(30);
        let left = elements.saturating_mul(denom).saturating_mul(if divided { self.values[&divisor] } else { 1 });
        let coeff = (1..=6).rev().find(|n| left.is_multiple_of(*n)).unwrap_or(1);
        let DimTerm::Var(var) = self.of_value(left / coeff) else {
            return total(axes, row.as_ref(), Numerator::Count(elements));
        };
        let mut claim = total(axes, row.as_ref(), Numerator::Scaled { coeff: Factor::Known(coeff), var, denom });
        if let (SizeClaim::Total(total), true) = (&mut claim, divided) {
            total.divided_by.insert(divisor);
        }
        claim
    }
}

/// One to eight claims of every kind, with facts: most have a solution.
#[test]
fn bridge_bounds_at_random() {
    let counts = compare("bridge_bounds_at_random", (0..40_000).map(Maker::system));
    assert!(counts.settled > 5000 && counts.refused > 5000, "{counts:?}");
}
