//! Remark 6.7: deciding, against brute force on every small system.
//!
//! Brute force is one bit per assignment: a constraint is the set of assignments that satisfy it, a system
//! is satisfiable within the universe iff the sets meet.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::decide::{Decision, Unlooked, decide};
use lozenge::names::Names;
use lozenge::notation::{parse_dim_term, parse_system};
use lozenge::semantics::{Ground, Universe, holds, sol_on};
use lozenge::solver::{Policy, Verdict, solve};
use lozenge::term::{DimTerm, RowTerm, Var};
use lozenge_harnesses::cases::{Cases, random, thousands};
use lozenge_harnesses::generators::{System, Weights};
use quickcheck::{Arbitrary, Gen};
use std::io::Write;

/// The assignments, out of a fixed list, that satisfy a constraint.
struct Bits(Vec<u64>);

impl Bits {
    fn of(phi: &Constraint, assignments: &[Ground]) -> Self {
        let mut words = vec![0_u64; assignments.len().div_ceil(64)];
        for (i, gamma) in assignments.iter().enumerate() {
            words[i / 64] |= u64::from(holds(gamma, phi)) << (i % 64);
        }
        Bits(words)
    }

    fn meet(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// What the search had to do.
#[derive(Default)]
struct Tally {
    sat: u64,
    unsat: u64,
    unknown: u64,
    searched: u64,
    rejected_but_satisfiable: u64,
}

impl Tally {
    /// Decides a system and compares with whether brute force found a solution.
    fn judge(&mut self, phi: &[Constraint], names: &Names, brute: bool, rank_bound: usize) {
        let shown = || phi.iter().map(|c| names.show(c).to_string()).collect::<Vec<_>>().join("\n");
        let decided = decide(phi, &mut names.clone(), Policy::default(), rank_bound);
        self.searched += u64::from(decided.branches > 0);
        match decided.decision {
            Decision::Sat(gamma) => {
                assert!(phi.iter().all(|c| holds(&gamma, c)), "the witness violates\n{}", shown());
                self.sat += 1;
                self.rejected_but_satisfiable += u64::from(decided.branches > 0);
            }
            Decision::Unsat => {
                assert!(!brute, "called unsatisfiable:\n{}", shown());
                self.unsat += 1;
            }
            Decision::Unknown { .. } => {
                assert!(!brute, "not found:\n{}", shown());
                self.unknown += 1;
            }
        }
    }

    fn print(&self, harness: &str) {
        let Tally { sat, unsat, unknown, searched, rejected_but_satisfiable } = self;
        let [sat, unsat, unknown, searched, recovered] =
            [sat, unsat, unknown, searched, rejected_but_satisfiable].map(|n| thousands(*n));
        let _ = writeln!(
            std::io::stderr(),
            "{harness}: {sat} sat, {unsat} unsat, {unknown} unknown; {searched} needed a search, which recovered {recovered}"
        );
    }
}

/// Every pair of row constraints with flanks up to one over a variable and an atom, and two row variables.
#[test]
fn remark_6_7_every_two_row_constraints() {
    let cases = Cases::of("remark_6_7_every_two_row_constraints");
    let mut names = Names::new();
    let (p, q) = (names.row_var("p").expect("p"), names.row_var("q").expect("q"));
    let mut axis = |text| vec![parse_dim_term(text, &mut names).expect("an axis")];
    let flanks = [vec![], axis("a"), axis("2")];
    let mut rows = Vec::new();
    for lead in &flanks {
        for var in [None, Some(p), Some(q)] {
            rows.extend(flanks.iter().map(|trail| RowTerm::new(lead.clone(), var, trail.clone())));
        }
    }
    let universe = Universe::of_sizes(&[2, 3], 2).expect("small");
    let assignments: Vec<Ground> = sol_on(&[], &universe, &names.vars().collect()).collect();
    let constraints: Vec<(Constraint, Bits)> = rows
        .iter()
        .flat_map(|s| {
            rows.iter()
                .flat_map(move |t| [Constraint::RowEq(s.clone(), t.clone()), Constraint::RowLe(s.clone(), t.clone())])
        })
        .map(|phi| (phi.clone(), Bits::of(&phi, &assignments)))
        .collect();
    let mut tally = Tally::default();
    for (i, (one, its)) in constraints.iter().enumerate() {
        for (two, bits) in &constraints[i..] {
            cases.one();
            tally.judge(&[one.clone(), two.clone()], &names, its.meet(bits), 3);
        }
    }
    tally.print("remark_6_7_every_two_row_constraints");
    cases.finish();
}

/// Every three dimension constraints over three variables, two sizes and 1∅.
#[test]
fn remark_6_7_every_three_dimension_constraints() {
    let cases = Cases::of("remark_6_7_every_three_dimension_constraints");
    let mut names = Names::new();
    let terms: Vec<DimTerm> =
        ["a", "b", "c", "unit", "2", "3"].map(|t| parse_dim_term(t, &mut names).expect("a dimension")).to_vec();
    // A third size is enough for a variable to differ from both.
    let universe = Universe::of_sizes(&[2, 3, 5], 0).expect("small");
    let assignments: Vec<Ground> = sol_on(&[], &universe, &names.vars().collect()).collect();
    let constraints: Vec<(Constraint, u64)> = terms
        .iter()
        .flat_map(|s| terms.iter().flat_map(move |t| [Constraint::DimEq(*s, *t), Constraint::DimLe(*s, *t)]))
        .map(|phi| (phi.clone(), Bits::of(&phi, &assignments).0[0]))
        .collect();
    assert_eq!(assignments.len(), 64);
    let mut tally = Tally::default();
    for (i, (one, a)) in constraints.iter().enumerate() {
        for (j, (two, b)) in constraints.iter().enumerate().skip(i) {
            for (three, c) in &constraints[j..] {
                cases.one();
                tally.judge(&[one.clone(), two.clone(), three.clone()], &names, a & b & c != 0, 1);
            }
        }
    }
    assert_eq!((tally.unknown, tally.searched), (0, 0), "dimension constraints need no search");
    cases.finish();
}

/// Random systems of rows and dimensions together.
#[derive(Clone, Debug)]
struct Mixed(System);

impl Arbitrary for Mixed {
    fn arbitrary(g: &mut Gen) -> Self {
        let weights =
            Weights { flank: 1, constraints: 5, vars: 2, sizes: 2, bases: 1, equalities: 5, ..Weights::default() };
        Mixed(weights.system(g))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Mixed))
    }
}

#[test]
fn remark_6_7_mixed_systems() {
    random("remark_6_7_mixed_systems", 20_000, |Mixed(System { names, constraints }): Mixed| {
        let universe = Universe::of_sizes(&[1, 2], 2).expect("small");
        let brute = lozenge::semantics::sol(&constraints, &universe).next().is_some();
        Tally::default().judge(&constraints, &names, brute, 3);
        true
    });
}

/// Where the deterministic run rejects, deciding finds the solution.
#[test]
fn policy_rejections_are_recovered() {
    for text in [
        "<r> ~ [] <> [3,5]\n[3] <> [9,5] <= <r>",        // Remark 2.11
        "<p> ~ <q>\n<p> <= [3] <> []\n[] <> [3] <= <q>", // F5
        "<p> ~ <q>\n<p> [2] <= [2] <q>",                 // F3
    ] {
        let mut names = Names::new();
        let phi = parse_system(text, &mut names).expect("constraints");
        assert!(matches!(solve(&phi, &mut names, Policy::default()), Verdict::Rejected(_)), "{text}");
        let decided = decide(&phi, &mut names, Policy::default(), 4);
        assert!(matches!(decided.decision, Decision::Sat(_)) && decided.branches > 0, "{text}");
    }
}

/// Finding F14: |m| + 1 placements of an entailed middle are not enough where it contains a variable. In
/// F5's set the middle is empty, so the paper's search has one branch, and that one fails.
#[test]
fn finding_f14_placements_inside_a_variable() {
    let mut names = Names::new();
    let phi = parse_system("<p> ~ <q>\n<p> <= [3] <> []\n[] <> [3] <= <q>", &mut names).expect("constraints");
    let Decision::Sat(gamma) = decide(&phi, &mut names, Policy::default(), 4).decision else { panic!("satisfiable") };
    let value = |name: &str| match names.lookup(name) {
        Some(Var::Row(v)) => gamma.rows[&v].to_string(),
        _ => panic!("a row"),
    };
    assert_eq!((value("p"), value("q")), ("[3]·⋄·[]".to_owned(), "[]·⋄·[3]".to_owned()));
}

/// An equation that rotates its variable is decided where the lengths are bounded, and left open else.
#[test]
fn unknown_is_said_with_its_bound() {
    let mut names = Names::new();
    let phi = parse_system("[3] <r> ~ <r> [5]", &mut names).expect("a constraint");
    let unknown = Decision::Unknown { rank_bound: 4, because: Unlooked::Rank };
    assert_eq!(decide(&phi, &mut names, Policy::default(), 4).decision, unknown);
    let bounded = parse_system("[3] <r> ~ <r> [5]\n[7,7] <> [] <= <r>", &mut names).expect("constraints");
    assert_eq!(decide(&bounded, &mut names, Policy::default(), 4).decision, Decision::Unsat);
}
