//! Answers to requests with claims, held against all solutions in a small universe.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::semantics::Universe;
use lozenge::staged::{Affine, Conv, Exact, Factor, Numerator, SizeClaim, SizeTerm, Total, Valuation, sol};
use lozenge::term::{DimTerm, DimVar, RowTerm, Term, Var, Vars};
use lozenge::wire;
use lozenge_harnesses::programs::Numbers;
use lozenge_oracle::readers;
use lozenge_tests::claims::{claim_json, name};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How many systems: LOZENGE_CLAIMS_SYSTEMS.
fn systems() -> std::ops::Range<u64> {
    0..lozenge_tests::setting("LOZENGE_CLAIMS_SYSTEMS", 600)
}

fn ask(request: &Value) -> Value {
    let line = request.to_string();
    serde_json::from_slice(&readers::answer(line.as_bytes())).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// A small random system: three dimension variables, at most one row variable.
struct Made {
    names: Names,
    phi: Vec<Constraint>,
    claims: Vec<SizeClaim>,
    discardable: BTreeSet<DimVar>,
    based: bool,
}

/// What solutions are looked for in: sizes up to 6, in one basis, and in two.
fn universes() -> [Universe; 2] {
    let rgb = Names::new().basis("rgb");
    [&[Basis::DEFAULT][..], &[Basis::DEFAULT, rgb]]
        .map(|bases| Universe::with_bases(&[1, 2, 3, 4, 5, 6], bases, 2).expect("small"))
}

impl Made {
    fn of(case: u64) -> Self {
        let mut numbers = Numbers::of(11, case);
        let mut names = Names::new();
        let vars = ["a", "b", "c"].map(|v| names.dim_var(v).expect("a name"));
        let row = names.row_var("r").expect("a name").into();
        let rows = numbers.percent(40);
        // In a third of the systems axes have one of two bases.
        let based = numbers.percent(33).then(|| names.basis("rgb"));
        let mut make = Maker { numbers: &mut numbers, vars, row, rows, based };
        let claims = (0..1 + make.numbers.below(3)).map(|_| make.claim()).collect();
        let phi = (0..make.numbers.below(3)).map(|_| make.constraint()).collect();
        let discardable = vars.into_iter().filter(|_| make.numbers.percent(30)).collect();
        Made { names, phi, claims, discardable, based: based.is_some() }
    }

    fn request(&self, op: &str) -> Value {
        let constraints: Vec<Value> = self.phi.iter().map(|phi| wire::constraint(phi, &self.names)).collect();
        let claims: Vec<Value> = self.claims.iter().map(|claim| claim_json(claim, &self.names)).collect();
        let mut request = json!({"op": op, "constraints": constraints, "claims": claims});
        let known = |v: &&DimVar| {
            let has = |vars: BTreeSet<Var>| vars.contains(&Var::Dim(**v));
            has(self.phi.vars()) || self.claims.iter().any(|c| has(c.vars()))
        };
        let discardable: Vec<Value> = self.discardable.iter().filter(known).map(|v| name(&self.names, *v)).collect();
        request["discardable"] = json!(discardable);
        request
    }

    /// Values of an answer, read back.
    fn values(&self, json: &Value) -> Valuation {
        let (mut names, mut values) = (self.names.clone(), Valuation::default());
        for (key, value) in json.as_object().into_iter().flatten() {
            match (names.lookup(key), value.as_u64()) {
                (Some(Var::Dim(v)), Some(0)) => drop(values.zeros.insert(v)),
                (Some(var), _) => match (var, wire::read_term(value, &mut names)) {
                    (Var::Dim(v), Ok(Term::Dim(DimTerm::Dim(d)))) => drop(values.ground.dims.insert(v, d)),
                    (Var::Row(v), Ok(Term::Row(row))) => {
                        drop(values.ground.rows.insert(v, row.as_ground().expect("ground")));
                    }
                    other => panic!("{other:?}"),
                },
                (None, _) => panic!("{key} in {json}"),
            }
        }
        values
    }

    /// What an answer shows is a solution, here and by `check`.
    fn assert_solves(&self, shown: &Value) {
        assert!(self.values(shown).solves(&self.phi, &self.claims), "{shown} for {}", self.request("check"));
        let mut check = self.request("check");
        check["values"] = shown.clone();
        assert_eq!(ask(&check), json!({"verdict": "holds"}), "{check}");
    }
}

struct Maker<'n> {
    numbers: &'n mut Numbers,
    vars: [DimVar; 3],
    row: RowTerm,
    rows: bool,
    based: Option<Basis>,
}

impl Maker<'_> {
    fn size(&mut self, most: usize) -> u64 {
        1 + self.numbers.below(most) as u64
    }

    fn var(&mut self) -> DimVar {
        self.vars[self.numbers.below(3)]
    }

    fn dim(&mut self) -> DimTerm {
        match self.numbers.below(6) {
            0 => DimTerm::Dim(Dim::Unit),
            1 => self.atom(),
            _ => self.var().into(),
        }
    }

    fn atom(&mut self) -> DimTerm {
        let n = self.size(6);
        let basis = self.based.filter(|_| self.numbers.percent(50)).unwrap_or(Basis::DEFAULT);
        DimTerm::Dim(Dim::Atom(Atom::new(n, basis).expect("no 0")))
    }

    fn factor(&mut self) -> Factor {
        if self.numbers.percent(15) { Factor::Late(self.var().into()) } else { Factor::Known(self.size(3)) }
    }

    fn some_row(&mut self) -> RowTerm {
        if self.rows && self.numbers.percent(60) {
            return self.row.clone();
        }
        let trail: Vec<DimTerm> = (0..self.numbers.below(3)).map(|_| self.dim()).collect();
        RowTerm::new(Vec::new(), None, trail)
    }

    fn claim(&mut self) -> SizeClaim {
        let d = self.dim();
        match self.numbers.below(if self.rows { 8 } else { 6 }) {
            0 | 1 => SizeClaim::Size(d, SizeTerm::Concat((0..2).map(|_| self.dim()).collect())),
            2 | 3 => {
                let conv = (self.numbers.percent(60)).then(|| Conv {
                    dilation: self.factor(),
                    kernel: self.dim(),
                    padded: self.numbers.percent(30),
                });
                let (stride, over) = (self.factor(), self.dim());
                let offset = u64::from(self.numbers.percent(10));
                SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over, conv, offset }))
            }
            4 => SizeClaim::AtLeast(d, self.size(4)),
            5 | 6 => {
                let rows = (0..1 + self.numbers.below(2)).map(|_| self.some_row()).collect();
                let numerator = if self.numbers.percent(50) {
                    Numerator::Count(self.size(8))
                } else {
                    Numerator::Scaled { coeff: self.factor(), var: self.var(), denom: self.size(2) }
                };
                let divided_by = if self.numbers.percent(20) { BTreeSet::from([self.var()]) } else { BTreeSet::new() };
                SizeClaim::Total(Total { rows, numerator, divided_by, keep: None })
            }
            _ => {
                let dims = (0..self.numbers.below(3)).map(|_| self.dim()).collect();
                SizeClaim::Exact(Exact { rows: vec![self.some_row()], dims, keep: None })
            }
        }
    }

    fn constraint(&mut self) -> Constraint {
        let (s, t) = (self.dim(), self.dim());
        match self.numbers.below(if self.rows { 4 } else { 2 }) {
            0 => Constraint::DimEq(s, t),
            1 => Constraint::DimLe(s, t),
            2 => Constraint::RowLe(self.some_row(), self.some_row()),
            _ => Constraint::RowEq(self.some_row(), self.some_row()),
        }
    }
}

/// `unsat` has no solution; what is shown is one; and nearly always one is found where there is one.
#[test]
fn close_and_decide_agree_with_brute_force() {
    let universes = universes();
    let (mut sat, mut unsat, mut missed, mut foreclosed) = (0, 0, 0, 0);
    for case in systems() {
        let made = Made::of(case);
        let solution = sol(&made.phi, &made.claims, &made.discardable, &universes[usize::from(made.based)]).next();
        let decided = ask(&made.request("decide"));
        let closed = ask(&made.request("close"));
        let what = || format!("{}\n{decided}\n{closed}\n{solution:?}", made.request("decide"));
        for answer in [&decided, &closed] {
            assert!(answer["kind"].is_null(), "{}", what());
            assert!(solution.is_none() || answer["verdict"] != "unsat", "{}", what());
            for shown in [&answer["values"], &answer["witness"]].into_iter().filter(|shown| !shown.is_null()) {
                made.assert_solves(shown);
                assert_ne!(decided["verdict"], "unsat", "{}", what());
            }
        }
        match decided["verdict"].as_str() {
            Some("sat") => sat += 1,
            Some("unsat") => unsat += 1,
            _ => missed += usize::from(solution.is_some()),
        }
        foreclosed += usize::from(closed["witness"].is_object());
    }
    println!("{sat} sat, {unsat} unsat, {missed} missed, {foreclosed} foreclosed");
    assert!(sat > 150 && unsat > 150, "{sat} sat, {unsat} unsat");
    assert!(missed * 10 < sat, "{missed} of {sat} are missed");
}

/// What `solve` says holds of every solution: nothing is committed.
#[test]
fn solve_says_what_every_solution_has() {
    let universes = universes();
    let (mut solved, mut compared) = (0, 0);
    for case in systems() {
        let made = Made::of(case);
        let answer = ask(&made.request("solve"));
        let solutions = sol(&made.phi, &made.claims, &made.discardable, &universes[usize::from(made.based)]).take(50);
        if answer["greatest"].is_object() {
            made.assert_solves(&answer["greatest"]);
        }
        let placed = made.phi.iter().any(|phi| matches!(phi, Constraint::RowEq(..)));
        let exact = made.claims.iter().any(|claim| matches!(claim, SizeClaim::Exact(_)));
        for solution in solutions {
            assert_ne!(answer["verdict"], "unsat", "{}: {solution:?}", made.request("solve"));
            // Where a marker is placed is a choice.
            if answer["verdict"] != "solved" || placed || exact {
                continue;
            }
            for (key, value) in answer["sigma"].as_object().into_iter().flatten() {
                let Some(Var::Dim(v)) = made.names.lookup(key) else { continue };
                let ground = match wire::read_dim_term(value, &mut made.names.clone()) {
                    Ok(DimTerm::Dim(d)) => solution.ground.dims.get(&v) == Some(&d),
                    Ok(DimTerm::Var(_)) => continue,
                    Err(_) => value == &json!(0) && solution.zeros.contains(&v),
                };
                assert!(ground, "{key} of {answer} for {}: {solution:?}", made.request("solve"));
                compared += 1;
            }
        }
        solved += usize::from(answer["verdict"] == "solved");
    }
    assert!(solved > 100 && compared > 200, "{solved} solved, {compared} compared");
}

/// `check` is the meaning of claims, on values that solve and on others.
#[test]
fn check_is_the_meaning_of_claims() {
    let mut wrong = 0;
    for case in systems() {
        let made = Made::of(case);
        let mut numbers = Numbers::of(13, case);
        let mut request = made.request("check");
        let mut given = json!({});
        let row =
            RowTerm::new(Vec::new(), None, vec![DimTerm::Dim(Dim::Atom(Atom::new(2, Basis::DEFAULT).expect("no 0")))]);
        for key in ["a", "b", "c"] {
            given[key] = json!(1 + numbers.below(4));
        }
        given["r"] = wire::row_term(&row, &made.names);
        request["values"] = given.clone();
        let answer = ask(&request);
        let values = made.values(&given);
        let numbers_of = |holds: Vec<bool>| -> Vec<usize> {
            holds.iter().enumerate().filter(|(_, holds)| !**holds).map(|(i, _)| i).collect()
        };
        let which = numbers_of(made.phi.iter().map(|phi| values.solves(std::slice::from_ref(phi), &[])).collect());
        let claims = numbers_of(made.claims.iter().map(|claim| values.holds(claim)).collect());
        let expected = match which.is_empty() && claims.is_empty() {
            true => json!({"verdict": "holds"}),
            false => json!({"verdict": "violated", "which": which, "claims": claims}),
        };
        wrong += usize::from(expected["verdict"] == "violated");
        assert_eq!(answer, expected, "{request}");
    }
    assert!(wrong > 50 && wrong < systems().count(), "{wrong} are violated");
}

/// A basis that stands in a claim alone is one that unknowns can have: with it there is a solution.
#[test]
fn a_basis_of_a_claim_is_tried() {
    let var = |v: &str| json!({"var": v});
    let rgb = |n: u64| json!({"n": n, "basis": "rgb"});
    let twice = |d: &str, o: &str| json!({"size": var(d), "affine": {"mode": "strided", "stride": 2, "over": var(o)}});
    let joined = |d: &str, parts: [Value; 2]| json!({"size": var(d), "concat": parts});
    let product = |n: u64| json!({"total": {"rows": [{"lead": [], "trail": [var("o"), var("e")]}], "count": n}});
    let least = |v: &str, n: u64| json!({"at_least": var(v), "count": n});
    let kernel = json!({"size": var("q"),
        "affine": {"mode": "valid", "over": var("e"), "kernel": var("k"), "dilation": 2}});
    let six = [twice("c", "o"), joined("c", [var("a"), rgb(2)]), product(6), least("o", 2), least("e", 2)];
    let many = [
        least("o", 6),
        least("e", 6),
        product(42),
        twice("c", "o"),
        joined("c", [var("i"), rgb(2)]),
        twice("q", "e"),
        kernel,
    ];
    let solved = [
        (six.to_vec(), json!({"o": rgb(2), "c": rgb(4), "a": rgb(2), "e": 3})),
        (many.to_vec(), json!({"o": rgb(7), "e": 6, "c": rgb(14), "i": rgb(12), "q": 12, "k": 4})),
    ];
    for (claims, values) in solved {
        let request = |op: &str| json!({"op": op, "constraints": [], "claims": claims});
        let mut check = request("check");
        check["values"] = values;
        assert_eq!(ask(&check), json!({"verdict": "holds"}));
        for op in ["decide", "close"] {
            let answer = ask(&request(op));
            assert_ne!(answer["verdict"], "unsat", "{answer}");
        }
    }
    // Whichever claim comes first.
    for claims in
        [[twice("d", "c"), joined("c", [var("a"), rgb(2)])], [joined("c", [var("a"), rgb(2)]), twice("d", "c")]]
    {
        assert_eq!(ask(&json!({"op": "decide", "constraints": [], "claims": claims}))["verdict"], "sat");
    }
}

/// The number of elements of a row may be asked for before it is said, or after.
#[test]
fn what_a_row_has_and_what_it_is_called_come_in_any_order() {
    let row = json!([{"lead": [], "var": "r", "trail": []}]);
    let claims =
        [json!({"total": {"rows": row, "scaled": {"var": "b"}}}), json!({"total": {"rows": row, "count": 12}})];
    let closed = |claims: &[Value]| ask(&json!({"op": "close", "constraints": [], "claims": claims}));
    let [asked, said] = claims.clone();
    let (first, second) = (closed(&claims), closed(&[said, asked]));
    assert_eq!((&first["verdict"], &first["values"]["b"]), (&json!("closed"), &json!(12)), "{first}");
    assert_eq!(first["values"], second["values"]);
}
