//! §5 along whole runs: every step against brute force, and what the end says.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_system};
use lozenge::row::Row;
use lozenge::semantics::{Ground, Universe, holds, models, sol};
use lozenge::solver::{Policy, Rule, Solved, Standing, Strategy, Verdict, solve, solve_traced};
use lozenge::subst::Map;
use lozenge::term::{RowTerm, RowVar, Term, Var, Vars};
use lozenge_harnesses::cases::{Cases, random, thousands};
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::systems::{
    Ending, STRATEGIES, SmallSystem, Values, Watched, dim_constraints, flanks, row_constraints, row_terms, simpler,
    three, two, watch, with,
};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How runs ended.
struct Endings {
    solved: AtomicU64,
    unsat: AtomicU64,
    rejected: AtomicU64,
    /// Rejected, and brute force has a solution.
    rejected_with_solution: AtomicU64,
    placements: AtomicU64,
    steps: AtomicU64,
    /// With a placement and a solution, and no inequality that tells placements apart.
    undiscriminated: AtomicU64,
}

impl Endings {
    const fn new() -> Self {
        Endings {
            solved: AtomicU64::new(0),
            unsat: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            rejected_with_solution: AtomicU64::new(0),
            placements: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            undiscriminated: AtomicU64::new(0),
        }
    }

    fn count(&self, run: &Watched) {
        let one = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        match run.ending {
            Ending::Solved => one(&self.solved),
            Ending::Unsat => one(&self.unsat),
            Ending::Rejected => one(&self.rejected),
        };
        if run.ending == Ending::Rejected && run.solutions > 0 {
            one(&self.rejected_with_solution);
        }
        self.placements.fetch_add(run.placements as u64, Ordering::Relaxed);
        self.steps.fetch_add(run.steps as u64, Ordering::Relaxed);
    }

    /// Says how runs ended, past the capture of the test runner. Every way must have been seen.
    fn report(&self, harness: &str) {
        let read = |counter: &AtomicU64| thousands(counter.load(Ordering::Relaxed));
        let line = format!(
            "{harness}: {} solved, {} unsat, {} rejected ({} with a small solution); {} steps, {} of them placements; \
             {} runs where no inequality tells placements apart",
            read(&self.solved),
            read(&self.unsat),
            read(&self.rejected),
            read(&self.rejected_with_solution),
            read(&self.steps),
            read(&self.placements),
            read(&self.undiscriminated)
        );
        let _ = writeln!(std::io::stderr(), "{line}");
        let all = [&self.solved, &self.unsat, &self.rejected, &self.rejected_with_solution, &self.undiscriminated];
        assert!(all.iter().all(|counter| counter.load(Ordering::Relaxed) > 0), "{line}");
    }
}

/// Rows up to rank two over one atom and 1∅.
static VALUES: LazyLock<Values> = LazyLock::new(|| Values::new(&[2], 2));

/// Every run on one constraint between the small terms.
#[test]
fn runs_on_one_constraint() {
    let cases = Cases::of("runs_on_one_constraint");
    for phi in row_constraints(&TERMS.rows).chain(dim_constraints(&TERMS.dims)) {
        cases.one();
        let _ = watch(&TERMS.names, std::slice::from_ref(&phi), Strategy::Fifo, VALUES.of(std::slice::from_ref(&phi)));
    }
    cases.finish();
}

/// p and q exchanged.
fn exchanged(phi: &Constraint) -> Constraint {
    let [p, q] = TERMS.row_vars;
    let other = |v: RowVar| if v == p { q } else { p };
    let row = |row: &RowTerm| RowTerm::new(row.lead.clone(), row.var.map(other), row.trail.clone());
    match phi {
        Constraint::RowEq(s, t) => Constraint::RowEq(row(s), row(t)),
        Constraint::RowLe(s, t) => Constraint::RowLe(row(s), row(t)),
        dims => dims.clone(),
    }
}

/// Cor. 5.5(iii): does some solution stop being one when markers are moved? Otherwise no inequality tells placements
/// apart.
fn tells_placements_apart(phi: &[Constraint], values: &[Ground]) -> bool {
    let solves = |gamma: &Ground| phi.iter().all(|c| holds(gamma, c));
    let moved = |gamma: &Ground| {
        gamma.rows.iter().fold(vec![gamma.clone()], |all, (var, row)| {
            let flat: Vec<Dim> = row.flat().collect();
            let splits = |gamma: &Ground| {
                let mut all = vec![gamma.clone(); flat.len() + 1];
                for (split, gamma) in all.iter_mut().enumerate() {
                    gamma.rows.insert(*var, Row::split_at(&flat, split));
                }
                all
            };
            all.iter().flat_map(splits).collect()
        })
    };
    values.iter().filter(|gamma| solves(gamma)).any(|gamma| !moved(gamma).iter().all(solves))
}

/// Watches a run, and holds it to Cor. 5.5(iii).
fn watch_and_count(names: &Names, phi: &[Constraint], strategy: Strategy, values: &[Ground], endings: &Endings) {
    let run = watch(names, phi, strategy, values);
    endings.count(&run);
    if run.placements > 0 && run.solutions > 0 && !tells_placements_apart(phi, values) {
        endings.undiscriminated.fetch_add(1, Ordering::Relaxed);
        assert_eq!(run.ending, Ending::Solved, "5.5(iii): {phi:?}");
    }
}

/// Every run on two constraints with flanks up to one over one atom and two row variables, equalities included, up
/// to exchanging the variables, under every strategy.
#[test]
fn runs_on_two_constraints() {
    static ENDINGS: Endings = Endings::new();
    let cases = Cases::of("runs_on_two_constraints");
    let terms = row_terms(&flanks(&[two()], 1), &TERMS.row_vars);
    let all: Vec<Constraint> = row_constraints(&terms).collect();
    let place = |phi: &Constraint| all.iter().position(|c| c == phi).expect("closed under renaming");
    let renaming: Vec<usize> = all.iter().map(|phi| place(&exchanged(phi))).collect();
    for (i, one) in all.iter().enumerate() {
        for (j, two) in all.iter().enumerate() {
            if (renaming[i], renaming[j]) < (i, j) {
                continue;
            }
            let phi = [one.clone(), two.clone()];
            for strategy in STRATEGIES {
                watch_and_count(&TERMS.names, &phi, strategy, VALUES.of(&phi), &ENDINGS);
                cases.one();
            }
        }
    }
    ENDINGS.report("runs_on_two_constraints");
    cases.finish();
}

/// Random systems of up to four constraints with flanks up to two over one atom, 1∅ and variables, under every
/// strategy.
#[test]
fn runs_at_random() {
    static ENDINGS: Endings = Endings::new();
    random("runs_at_random", 6_000, |SmallSystem(phi): SmallSystem| {
        for strategy in STRATEGIES {
            watch_and_count(&TERMS.names, &phi, strategy, VALUES.of(&phi), &ENDINGS);
        }
        true
    });
    ENDINGS.report("runs_at_random");
}

/// The same over two atoms, so that axes clash, with fewer variables among them.
#[test]
fn runs_at_random_over_two_atoms() {
    static ENDINGS: Endings = Endings::new();
    static VALUES: LazyLock<Values> = LazyLock::new(|| Values::new(&[2, 3], 2));
    random("runs_at_random_over_two_atoms", 1_000, |SmallSystem(phi): SmallSystem| {
        // Every b becomes 3.
        let three = Map::identity().with_dim(TERMS.dim_vars[1], three());
        let phi: Vec<Constraint> = phi.iter().map(|c| three.apply_constraint(c)).collect();
        for strategy in STRATEGIES {
            watch_and_count(&TERMS.names, &phi, strategy, VALUES.of(&phi), &ENDINGS);
        }
        true
    });
    ENDINGS.report("runs_at_random_over_two_atoms");
}

/// p, q and r, in a table of their own.
static THREE_ROWS: LazyLock<(Names, [RowVar; 3])> = LazyLock::new(|| {
    let mut names = Names::new();
    let vars = ["p", "q", "r"].map(|name| names.row_var(name).expect("a new name"));
    (names, vars)
});

/// Two to five constraints over three row variables and one atom.
#[derive(Clone, Debug)]
struct ThreeRows(Vec<Constraint>, Strategy);

impl Arbitrary for ThreeRows {
    fn arbitrary(g: &mut Gen) -> Self {
        let terms = row_terms(&flanks(&[two()], 1), &THREE_ROWS.1);
        let row = |g: &mut Gen| g.choose(&terms).cloned().unwrap_or_default();
        let count = *g.choose(&[2, 3, 3, 4, 5]).unwrap_or(&2);
        let constraint = |g: &mut Gen| match g.choose(&[0, 1, 2]) {
            Some(0) => Constraint::RowEq(row(g), row(g)),
            _ => Constraint::RowLe(row(g), row(g)),
        };
        let phi = (0..count).map(|_| constraint(g)).collect();
        ThreeRows(phi, *g.choose(&STRATEGIES).unwrap_or(&Strategy::Fifo))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let strategy = self.1;
        Box::new(simpler(&self.0).into_iter().map(move |phi| ThreeRows(phi, strategy)))
    }
}

/// Random systems with three row variables: growth and taint passed on from one to the other.
#[test]
fn runs_with_three_row_variables() {
    static ENDINGS: Endings = Endings::new();
    static VALUES: LazyLock<Values> = LazyLock::new(|| Values::new(&[2], 2));
    random("runs_with_three_row_variables", 1_000, |ThreeRows(phi, strategy): ThreeRows| {
        watch_and_count(&THREE_ROWS.0, &phi, strategy, VALUES.of(&phi), &ENDINGS);
        true
    });
    ENDINGS.report("runs_with_three_row_variables");
}

/// Thm. 5.6(3) and Cor. 5.8 for one system under one strategy, among all the small maps: where no placement was chosen,
/// every model σ is u∘σ⋆ on the variables of Φ₀; and a principal σ⋆ is a model itself. How many models there were.
fn most_general(phi: &[Constraint], strategy: Strategy) -> (u64, bool) {
    let Verdict::Solved(solved) = solve(phi, &mut TERMS.names.clone(), with(strategy)) else { return (0, false) };
    let principal = solved.is_principal();
    let sigma = solved.sigma();
    let text = || phi.iter().map(|c| TERMS.names.show(c).to_string()).collect::<Vec<_>>().join("; ");
    assert!(!principal || models(&sigma, phi), "5.8, no model: {}", text());
    let firm = solved.forced().iter().all(|(_, standing)| *standing == Standing::Entailed);
    if !firm {
        assert!(!principal, "5.8 with a placement: {}", text());
        return (0, false);
    }
    let vars = phi.vars();
    let mut found = 0;
    for model in TERMS.maps.iter().filter(|map| models(map, phi)) {
        let u = sigma.le_on(model, vars.iter().copied());
        let is_witness = |u: &Map| vars.iter().all(|x| u.apply(&sigma.var(*x)) == model.var(*x));
        assert!(u.is_some_and(|u| is_witness(&u)), "5.6(3): {} and {model:?}", text());
        found += 1;
    }
    (found, principal)
}

/// Thm. 5.6(3) and Cor. 5.8 on every constraint between the small terms.
#[test]
fn theorem_5_6_3_on_one_constraint() {
    let cases = Cases::of("theorem_5_6_3_on_one_constraint");
    let (mut found, mut principal) = (0, 0);
    for phi in row_constraints(&TERMS.rows).chain(dim_constraints(&TERMS.dims)) {
        let (models, is_principal) = most_general(&[phi], Strategy::Fifo);
        found += models;
        principal += u64::from(is_principal);
        cases.many(TERMS.maps.len() as u64);
    }
    let _ = writeln!(std::io::stderr(), "theorem_5_6_3_on_one_constraint: {found} models, {principal} principal ones");
    assert!(found > 0 && principal > 0);
    cases.finish();
}

/// Thm. 5.6(3) and Cor. 5.8 on random systems, under every strategy.
#[test]
fn theorem_5_6_3_at_random() {
    static FOUND: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
    random("theorem_5_6_3_at_random", 5_000, |SmallSystem(phi): SmallSystem| {
        for strategy in STRATEGIES {
            let (models, principal) = most_general(&phi, strategy);
            FOUND[0].fetch_add(models, Ordering::Relaxed);
            FOUND[1].fetch_add(u64::from(principal), Ordering::Relaxed);
        }
        true
    });
    assert!(FOUND.iter().all(|counter| counter.load(Ordering::Relaxed) > 0));
}

fn solved(text: &str) -> (Names, Vec<Constraint>, Box<Solved>) {
    let mut names = Names::new();
    let phi = parse_system(text, &mut names).expect("constraints");
    match solve(&phi, &mut names, Policy::default()) {
        Verdict::Solved(solved) => (names, phi, solved),
        other => panic!("{text}: {other:?}"),
    }
}

/// Cor. 5.7: a variable left unsolved may have just one value, its top. "Unsolved" does not mean "undetermined".
#[test]
fn corollary_5_7_unsolved_is_not_undetermined() {
    for text in ["[3] <> [] <= <p>\n[] <> [3] <= <p>", "3 <= a\n5 <= b\na <= c\nb <= c"] {
        let (_, phi, solved) = solved(text);
        let last = *phi.vars().last().expect("a variable");
        assert!(solved.value(last) == Term::from(last), "{text}: left unsolved");
        let universe = Universe::of_sizes(&[3, 5, 7], 3).expect("small");
        let mut found = 0;
        for gamma in sol(&phi, &universe) {
            found += 1;
            match last {
                Var::Dim(v) => assert_eq!(gamma.dims[&v], Dim::Unit, "{text}"),
                Var::Row(v) => assert_eq!(gamma.rows[&v], Row::EMPTY, "{text}"),
            }
        }
        assert!(found > 0, "{text}");
    }
}

/// Cor. 5.7: a value stands no firmer than what it passes through. p is grown by an inequality, which is entailed,
/// around a variable that an equality then places.
#[test]
fn corollary_5_7_a_value_passes_through_placements() {
    let (mut names, phi, solved) = solved("<p> <= [3] <> []\n<p> ~ [3,5] <> []");
    let p = Var::Row(names.row_var("p").expect("p"));
    assert_eq!(solved.forced(), [(p, Standing::Content)]);
    let other = parse_ground("p := [3] <> [5]", &mut names).expect("a value");
    assert!(phi.iter().all(|c| holds(&other, c)), "the marker is not entailed");
}

/// Every rule of Defs. 4.2–4.5 and of the guard fires somewhere in the witnesses and the random systems.
#[test]
fn every_rule_fires() {
    let mut seen = BTreeSet::new();
    let mut trace = |phi: &[Constraint], names: &Names, policy: Policy| {
        let run = solve_traced(phi, &mut names.clone(), policy);
        seen.extend(run.trace.steps.iter().map(|step| step.rule));
    };
    for text in [
        "<p> <= [2] <q>\n<q> <= [3] <p>",
        "<p> <= <q> [2]\n<q> <= <r> [3]\n<r> <= <p> [5]",
        "<r> ~ [] <> [3,5]\n[3] <> [9,5] <= <r>",
        "[3] <r> ~ <r> [5]\n[3] <x> ~ <y> [5]",
        "[3] <r> ~ [3] <r> [4]",
        "a <= b\nb <= a\nunit <= c\n2 <= d",
    ] {
        let mut names = Names::new();
        let phi = parse_system(text, &mut names).expect("constraints");
        trace(&phi, &names, Policy::default());
        trace(&phi, &names, Policy::paper());
    }
    let mut g = Gen::from_size_and_seed(100, 0);
    for _ in 0..2_000 {
        let System { names, constraints } = System::arbitrary(&mut g);
        for strategy in STRATEGIES {
            trace(&constraints, &names, with(strategy));
        }
    }
    let missing: Vec<Rule> = Rule::ALL.iter().filter(|rule| !seen.contains(rule)).copied().collect();
    assert!(missing.is_empty(), "never fired: {missing:?}");
}
