//! 8.4(c): the fragment of proofs/coq/definitions/Fragment.v. Inside, bounds decide and no guess forecloses a solution; just
//! outside one does.

mod system;

use super::conj_8_4::claims_of;
use super::{Given, conv, size, strided};
use lozenge::closing::Tags;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::Policy;
use lozenge::staged::{Marks, Outcome, Searched, SizeClaim, SizeTerm, Stage, StagedSystem, solve};
use lozenge::term::{DimTerm, DimVar, Var};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;
use std::collections::{BTreeMap, BTreeSet};
use system::{Settled, System};

/// What runs inside the fragment end in.
#[derive(Default, Debug)]
struct Tally {
    /// Nothing is left to be guessed.
    entailed: u64,
    /// Something is guessed, and nothing is foreclosed.
    guessed: u64,
    unsat: u64,
    /// Not in the fragment, or bounds do not settle.
    outside: u64,
    /// How many of the guessed ones are rejected where nothing is bounded before it is guessed.
    without_bounds: u64,
}

/// Inside the fragment the stages decide: a solution where bounds settle, none where nothing is left. Was something guessed?
fn decided(problem: &StagedSystem<'_>, known: &BTreeMap<DimVar, u64>, names: &Names, tally: &mut Tally) -> bool {
    let system = System::of(problem.claims, known);
    let (satisfiable, open) = match system.settle() {
        Settled::Bounds(bounds) if system.in_fragment(&bounds) => (true, bounds.0.keys().any(|v| bounds.loose(*v))),
        Settled::Empty => (false, false),
        Settled::Bounds(_) | Settled::Never => {
            tally.outside += 1;
            return false;
        }
    };
    let what = || problem.claims.iter().map(|claim| names.show(claim).to_string()).collect::<Vec<_>>().join(" | ");
    match solve(problem, &mut names.clone(), Policy::default(), Stage::Seven) {
        Outcome::Closed(closed) => {
            assert!(satisfiable && closed.values.solves(problem.phi, problem.claims), "{}: {closed:?}", what());
        }
        Outcome::Unsat(_) => assert!(!satisfiable, "{}: there is a solution", what()),
        other => panic!("{}: {other:?}", what()),
    }
    if open {
        let seeds =
            StagedSystem { tags: problem.tags.clone(), discardable: BTreeSet::new(), marks: Marks::Seeds, ..*problem };
        let outcome = solve(&seeds, &mut names.clone(), Policy::default(), Stage::Seven);
        tally.without_bounds += u64::from(matches!(outcome, Outcome::Rejected(..)));
    }
    tally.guessed += u64::from(open);
    tally.entailed += u64::from(satisfiable && !open);
    tally.unsat += u64::from(!satisfiable);
    open
}

#[test]
fn conj_8_4_c_no_guess_forecloses() {
    let cases = Cases::of("conj_8_4_c_no_guess_forecloses");
    let facts: [(&str, Option<(usize, u64)>); 7] = [
        ("", None),
        ("a = 1", Some((0, 1))),
        ("a = 2", Some((0, 2))),
        ("a = 3", Some((0, 3))),
        ("a = 4", Some((0, 4))),
        ("a = 6", Some((0, 6))),
        ("b = 2", Some((1, 2))),
    ];
    let mut tally = Tally::default();
    for (fact, known) in facts {
        let mut names = Names::new();
        let vars = ["a", "b", "c"].map(|n| names.dim_var(n).expect("a dimension"));
        let known: BTreeMap<DimVar, u64> = known.into_iter().map(|(i, n)| (vars[i], n)).collect();
        let phi = parse_system(fact, &mut names).expect("facts parse");
        let catalogue = claims_of(vars.map(DimTerm::Var));
        for (i, first) in catalogue.iter().enumerate() {
            for second in &catalogue[i..] {
                let claims = [first.clone(), second.clone()];
                for leaves in [0, 1, 7] {
                    let tagged =
                        vars.iter().enumerate().filter(|(i, _)| leaves >> i & 1 == 1).map(|(_, v)| Var::Dim(*v));
                    let tags = Tags::leaves(tagged);
                    let problem = StagedSystem { phi: &phi, claims: &claims, tags, ..StagedSystem::default() };
                    if decided(&problem, &known, &names, &mut tally) {
                        cases.one();
                    }
                }
            }
        }
    }
    eprintln!("8.4(c): {tally:?}");
    assert!(tally.unsat > 1_000 && tally.without_bounds > 10, "{tally:?}");
    cases.finish();
}

/// Claims that are mostly pairs or mostly hang together like a tree.
fn random(numbers: &mut Numbers, vars: &[DimTerm]) -> Vec<SizeClaim> {
    let paired = numbers.percent(50);
    let (mut used, mut out) = (1, Vec::new());
    for _ in 0..=numbers.below(5) {
        // A new one while there are any, else an old one.
        let mut next = |numbers: &mut Numbers| {
            if used < vars.len() && !(paired && numbers.percent(40)) {
                used += 1;
                vars[used - 1]
            } else {
                vars[numbers.below(used)]
            }
        };
        let known = |numbers: &mut Numbers, most: usize| size(1 + numbers.below(most) as u64);
        let (x, y) = (next(numbers), next(numbers));
        let old = vars[numbers.below(vars.len().min(3))];
        let (s, e) = (1 + numbers.below(4) as u64, 1 + numbers.below(3) as u64);
        let (d, term) = match (paired, numbers.below(6)) {
            (true, 0 | 1) => (x, strided(s, old)),
            (true, 2) => (old, conv(s, x, e, known(numbers, 4), false)),
            (true, 3) => (known(numbers, 30), SizeTerm::Concat(vec![x, old, old])),
            (true, 4) => (known(numbers, 12), SizeTerm::Concat(vec![x, old])),
            (true, _) => (x, SizeTerm::Concat(vec![old, known(numbers, 5)])),
            (false, 0) => (old, conv(1, x, 1, y, false)),
            (false, 1) => (x, conv(1, old, 1, y, false)),
            (false, 2) => (known(numbers, 20), SizeTerm::Concat(vec![old, x, y])),
            (false, 3) => (x, SizeTerm::Concat(vec![y, old, known(numbers, 5)])),
            (false, 4) => (old, SizeTerm::Concat(vec![x, y, next(numbers)])),
            (false, _) => (old, SizeTerm::Concat(vec![x, y])),
        };
        out.push(SizeClaim::Size(d, term));
        if numbers.percent(25) {
            out.push(SizeClaim::AtLeast(x, 1 + numbers.below(9) as u64));
        }
    }
    out
}

#[test]
fn conj_8_4_c_at_random() {
    let cases = Cases::of("conj_8_4_c_at_random");
    let mut tally = Tally::default();
    for case in 0..40_000 {
        let mut numbers = Numbers::of(84, case);
        let mut names = Names::new();
        let vars: Vec<DimVar> = (0..10).map(|i| names.dim_var(&format!("x{i}")).expect("a dimension")).collect();
        let mut shuffled: Vec<DimTerm> = vars.iter().map(|v| (*v).into()).collect();
        (1..shuffled.len()).for_each(|at| shuffled.swap(at, numbers.below(at + 1)));
        let claims = random(&mut numbers, &shuffled);
        let mut known = BTreeMap::new();
        if numbers.percent(40) {
            known.insert(numbers.pick(&vars), 1 + numbers.below(20) as u64);
        }
        let facts: Vec<String> = known.iter().map(|(v, n)| format!("{} = {n}", names.show(v))).collect();
        let phi = parse_system(&facts.join("\n"), &mut names).expect("facts parse");
        let leaves: Vec<Var> = vars.iter().filter(|_| numbers.percent(50)).map(|v| Var::Dim(*v)).collect();
        let problem =
            StagedSystem { phi: &phi, claims: &claims, tags: Tags::leaves(leaves), ..StagedSystem::default() };
        if decided(&problem, &known, &names, &mut tally) {
            cases.one();
        }
    }
    eprintln!("8.4(c) at random: {tally:?}");
    assert!(tally.unsat > 1_000 && tally.without_bounds > 100, "{tally:?}");
    cases.finish();
}

/// Without one of its conditions, a guess forecloses the solution: `odd_cycle`, `coefficients` and `two_hooks` of Fragment.v.
#[test]
fn conj_8_4_c_each_condition_is_needed() {
    let whole = |n: u64, parts: &[DimTerm]| SizeClaim::Size(size(n), SizeTerm::Concat(parts.to_vec()));
    let mut outside = Vec::new();
    // Three wholes of 4, of each two of three parts: all are 2, and none is 1.
    let mut given = Given::new("");
    let [x, y, z] = ["x", "y", "z"].map(|name| given.dim(name));
    given.claims = vec![whole(4, &[x, y]), whole(4, &[y, z]), whole(4, &[z, x])];
    outside.push(given);
    // 10 = 2·y + 2·z + 3·x: x is even.
    let mut given = Given::new("");
    let [x, y, z] = ["x", "y", "z"].map(|name| given.dim(name));
    given.claims = vec![whole(10, &[y, y, z, z, x, x, x])];
    outside.push(given);
    // y = 2·z, 8 = y + z + x: x is 2 or 5.
    let mut given = Given::new("").leaves(&["x"]);
    let [x, y, z] = ["x", "y", "z"].map(|name| given.dim(name));
    given.claims = vec![SizeClaim::Size(y, strided(2, z)), whole(8, &[y, z, x])];
    outside.push(given);
    for (at, mut given) in outside.into_iter().enumerate() {
        let system = System::of(&given.claims, &BTreeMap::new());
        let Settled::Bounds(bounds) = system.settle() else { panic!("{at}: bounds settle") };
        assert!(!system.in_fragment(&bounds), "{at} is outside");
        match given.run(Stage::Seven) {
            Outcome::Rejected(_, _, Searched::Solution(values)) => {
                assert!(values.solves(&given.phi, &given.claims), "{at}: {values:?}");
            }
            other => panic!("{at}: {other:?}"),
        }
    }
}
