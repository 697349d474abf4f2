//! The bridge from Coq to Rust for the bounds of size claims ([`lozenge_tests::bounds`]): systems of size claims.
//!
//! As tests/tests/bridge.rs: same counts on every run, held to spec/index.toml.
#![allow(missing_docs)]

use lozenge::dim::{Atom, Basis, Dim};
use lozenge::row::Row;
use lozenge::staged::{Affine, Conv, Exact, Factor, Mode, Numerator, SizeClaim, SizeTerm, Valuation};
use lozenge::term::{DimTerm, DimVar, RowTerm};
use lozenge_harnesses::programs::Numbers;
use lozenge_tests::bounds::{System, compare, size};
use lozenge_tests::bridge::{Bridge, Table};
use lozenge_tests::claims::{claim_json, convolved, strided, total};
use lozenge_tests::extracted::values;
use serde_json::json;
use std::collections::BTreeMap;

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

/// Claims whose factors have names, products that may not divide, and what gives names their sizes.
fn with_names(system: &System) -> Vec<SizeClaim> {
    let vars: [DimTerm; 3] = [0, 1, 2].map(|i| system.vars[i].into());
    let [x, y, z] = vars;
    let offset = |claim: SizeClaim, n: u64| match claim {
        SizeClaim::Size(d, SizeTerm::Affine(affine)) => {
            SizeClaim::Size(d, SizeTerm::Affine(Affine { offset: n, ..affine }))
        }
        other => other,
    };
    let mut out = Vec::new();
    for (d, o) in [x, size(6)].into_iter().flat_map(|d| [y, size(1), size(3)].map(|o| (d, o))) {
        for s in [x, y, z, size(3)].map(Factor::Late) {
            out.extend([0, 2].map(|n| offset(strided(d, s, o), n)));
            for k in [y, size(1), size(2)] {
                out.extend([Factor::Known(1), Factor::Late(z)].map(|e| convolved(d, s, o, e, k, false)));
            }
        }
        out.push(convolved(d, Factor::Known(2), o, Factor::Late(z), size(2), false));
        // Neither is well formed.
        out.push(offset(convolved(d, Factor::Late(z), o, Factor::Known(1), size(2), false), 1));
        out.push(strided(d, Factor::Known(0), o));
    }
    let axes = [vec![x, y], vec![size(2), x, y], vec![size(4)]];
    for (axes, row) in axes.iter().flat_map(|axes| [(axes, None), (axes, Some(&system.row))]) {
        out.extend([6, 7, 36].map(|n| total(axes.clone(), row, Numerator::Count(n))));
        let scaled = |coeff| Numerator::Scaled { coeff, var: system.vars[1], denom: 3 };
        out.extend([Factor::Known(2), Factor::Late(z), Factor::Late(x)].map(|c| total(axes.clone(), row, scaled(c))));
    }
    for v in vars {
        out.extend([2, 4].map(|n| strided(v, Factor::Known(n), size(1))));
        out.push(SizeClaim::AtLeast(v, 5));
        out.push(SizeClaim::Size(size(7), SizeTerm::Concat(vec![v, y])));
    }
    out
}

/// Every two of a family, with nothing else; with parts that may be 0; with an atom below; and with two that are equal.
fn two_of(family: &[SizeClaim], empty: &System) -> impl Iterator<Item = System> {
    let vars = empty.vars.clone();
    let pairs = family.iter().enumerate().flat_map(|(i, a)| family[i..].iter().map(move |b| [a.clone(), b.clone()]));
    pairs.flat_map(move |claims| {
        let plain = System { claims: claims.to_vec(), ..empty.clone() };
        let zeros = System { discardable: vars.iter().copied().collect(), ..plain.clone() };
        let below = System { below: BTreeMap::from([(vars[1], 7)]), ..plain.clone() };
        let equal = System { equal: BTreeMap::from([(vars[2], vars[0].into())]), ..zeros.clone() };
        [plain, zeros, below, equal]
    })
}

#[test]
fn bridge_bounds_of_two_claims() {
    let empty = System::new(3);
    let counts = compare("bridge_bounds_of_two_claims", two_of(&family(&empty), &empty));
    assert!(counts.settled > 1000 && counts.refused > 1000, "{counts:?}");
}

/// The same of factors that have names, and of products that may not divide.
#[test]
fn bridge_bounds_of_two_with_names() {
    let empty = System::new(3);
    let counts = compare("bridge_bounds_of_two_with_names", two_of(&with_names(&empty), &empty));
    assert!(counts.settled > 1000 && counts.refused > 1000, "{counts:?}");
}

/// Values of three variables, 0 among them, and of a row.
fn valuations(system: &System, other: Basis) -> Vec<Valuation> {
    let atom = |n, basis| Dim::Atom(Atom::new(n, basis).expect("no 0"));
    let plain = |n| atom(n, Basis::DEFAULT);
    let dims = [None, Some(Dim::Unit), Some(plain(1)), Some(plain(2)), Some(plain(3)), Some(atom(2, other))];
    let rows = [Row::default(), Row::new(vec![], vec![plain(2)]), Row::new(vec![plain(3)], vec![atom(2, other)])];
    let mut out = vec![Valuation::default()];
    for v in &system.vars {
        let with = |of: &Valuation, value: Option<Dim>| {
            let mut of = of.clone();
            match value {
                Some(d) => drop(of.ground.dims.insert(*v, d)),
                None => drop(of.zeros.insert(*v)),
            }
            of
        };
        out = out.iter().flat_map(|of| dims.map(|d| with(of, d))).collect();
    }
    let with = |of: &Valuation, row: &Row| {
        let mut of = of.clone();
        of.ground.rows.extend(system.row.var.map(|v| (v, row.clone())));
        of
    };
    out.iter().flat_map(|of| rows.iter().map(|row| with(of, row)).collect::<Vec<_>>()).collect()
}

/// Claims of every kind, those among them that never hold.
fn meanings(system: &System, other: Basis) -> Vec<SizeClaim> {
    let [x, y, z]: [DimTerm; 3] = [0, 1, 2].map(|i| system.vars[i].into());
    let based = DimTerm::Dim(Dim::Atom(Atom::new(2, other).expect("no 0")));
    let one = DimTerm::Dim(Dim::Unit);
    let factors = [Factor::Known(0), Factor::Known(1), Factor::Known(2), Factor::Late(z), Factor::Late(based)];
    let mut out = Vec::new();
    for (d, stride, offset) in [x, y, size(2), based]
        .into_iter()
        .flat_map(|d| factors.map(|s| (d, s)))
        .flat_map(|(d, s)| [0, 1].map(|n| (d, s, n)))
    {
        let convs = factors.into_iter().flat_map(|e| [y, z, based].map(|k| (e, k)));
        let convs =
            convs.flat_map(|(dilation, kernel)| [true, false].map(|padded| Some(Conv { dilation, kernel, padded })));
        let affine = |conv| SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over: y, conv, offset }));
        out.extend(convs.chain([None]).map(affine));
    }
    for d in [x, size(2), based, one] {
        let parts = [vec![], vec![y], vec![y, z], vec![y, y], vec![y, one, z], vec![y, based], vec![x, z]];
        out.extend(parts.map(|parts| SizeClaim::Size(d, SizeTerm::Concat(parts))));
    }
    for (axes, open) in
        [(vec![], true), (vec![x], false), (vec![x, y], true), (vec![x, x], false), (vec![based, z], true)]
    {
        let scaled = |coeff| [1, 2].map(|denom| Numerator::Scaled { coeff, var: system.vars[1], denom });
        let numerators = factors.into_iter().flat_map(scaled).chain([0, 1, 2, 6, 12].map(Numerator::Count));
        for claim in numerators.map(|numerator| total(axes.clone(), open.then_some(&system.row), numerator)) {
            let mut divided = claim.clone();
            if let SizeClaim::Total(total) = &mut divided {
                total.divided_by.insert(system.vars[2]);
            }
            out.extend([claim, divided]);
        }
        let row = RowTerm::new(axes, open.then_some(system.row.var).flatten(), Vec::new());
        let lists = [vec![], vec![size(2)], vec![y], vec![x, y], vec![one], vec![size(3), based], vec![x, y, size(2)]];
        out.extend(lists.map(|dims| SizeClaim::Exact(Exact { rows: vec![row.clone()], dims, keep: None })));
    }
    out.extend([x, based, one].into_iter().flat_map(|d| [0, 1, 2, 3].map(|n| SizeClaim::AtLeast(d, n))));
    out
}

/// What claims mean: the check at the end of a run.
#[test]
fn bridge_what_claims_mean() {
    let mut system = System::new(3);
    let other = system.names.basis("b");
    let values = Table::new(valuations(&system, other), |of| {
        let mut json = values(&of.ground, &system.names);
        for v in &of.zeros {
            json[system.names.show(v).to_string()] = json!(0);
        }
        json
    });
    let claims = Table::new(meanings(&system, other), |claim| claim_json(claim, &system.names));
    let mut bridge = Bridge::of("bridge_what_claims_mean");
    bridge.truth("saysb", &values, &claims, Valuation::holds);
    bridge.finish();
}

/// Makes random systems. Every variable has a value, which most claims keep to: else hardly anything would settle.
struct Maker {
    numbers: Numbers,
    system: System,
    values: BTreeMap<DimVar, u64>,
    /// Sizes go up to this, to begin with.
    most: usize,
    /// Do factors have names more often than not?
    named: bool,
}

impl Maker {
    fn system(case: u64) -> System {
        let mut numbers = Numbers::of(17, case);
        let most = numbers.pick(&[4, 12, 200, 1 << 20]);
        Maker::with(numbers, most, false)
    }

    /// With factors that have names, coefficients among them, and smaller sizes.
    fn with_names(case: u64) -> System {
        let mut numbers = Numbers::of(19, case);
        let most = numbers.pick(&[4, 12, 60]);
        Maker::with(numbers, most, true)
    }

    fn with(numbers: Numbers, most: usize, named: bool) -> System {
        let mut make = Maker { numbers, system: System::new(0), values: BTreeMap::new(), most, named };
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
        if self.numbers.percent(if self.named { 60 } else { 8 }) {
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
        let kinds = if self.named { 16 } else { 11 };
        match self.numbers.below(kinds) {
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
            affine.offset = match stride {
                Factor::Known(n) => self.numbers.below(n as usize) as u64,
                // Now and then it is the stride.
                Factor::Late(_) if self.named => self.numbers.below(s as usize + 1) as u64,
                Factor::Late(_) => 0,
            };
            s.saturating_mul(o)
        };
        SizeClaim::Size(self.of_value(value), SizeTerm::Affine(affine))
    }

    /// A variable that divides this, as a coefficient.
    fn coefficient(&mut self, left: u64) -> Option<(Factor, u64)> {
        let divide = self.values.iter().filter(|(_, n)| **n > 0 && left.is_multiple_of(**n));
        let vars: Vec<(DimVar, u64)> = divide.map(|(v, n)| (*v, *n)).collect();
        let is_wanted = self.named && !vars.is_empty() && self.numbers.percent(60);
        is_wanted.then(|| self.numbers.pick(&vars)).map(|(v, n)| (Factor::Late(v.into()), n))
    }

    fn total(&mut self) -> SizeClaim {
        let axes: Vec<_> = (0..self.numbers.below(3)).map(|_| self.dim()).collect();
        let row = self.numbers.percent(30).then(|| self.system.row.clone());
        let elements = axes.iter().fold(1 + u64::from(row.is_some()), |product, (_, n)| product.saturating_mul(*n));
        let axes: Vec<DimTerm> = axes.into_iter().map(|(t, _)| t).collect();
        if self.numbers.percent(50) {
            // Now and then it does not divide.
            let more = u64::from(self.named && self.numbers.percent(20));
            return total(axes, row.as_ref(), Numerator::Count(elements + more));
        }
        // elements · divisor · denom = coeff · var
        let (divisor, denom) = (self.numbers.pick(&self.system.vars), self.number(3));
        let divided = self.numbers.percent(30);
        let left = elements.saturating_mul(denom).saturating_mul(if divided { self.values[&divisor] } else { 1 });
        let known = (1..=6).rev().find(|n| left.is_multiple_of(*n)).unwrap_or(1);
        let (coeff, n) = self.coefficient(left).unwrap_or((Factor::Known(known), known));
        let DimTerm::Var(var) = self.of_value(left / n) else {
            return total(axes, row.as_ref(), Numerator::Count(elements));
        };
        let mut claim = total(axes, row.as_ref(), Numerator::Scaled { coeff, var, denom });
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

/// The same with factors that have names.
#[test]
fn bridge_bounds_with_names_at_random() {
    let counts = compare("bridge_bounds_with_names_at_random", (0..40_000).map(Maker::with_names));
    assert!(counts.settled > 5000 && counts.refused > 5000, "{counts:?}");
}
