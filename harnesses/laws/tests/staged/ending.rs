//! One ending (Def. 8.5): without claims the stages are Def. 6.1, groups do not see each other, and the order in which
//! constraints and claims are written changes nothing.

use super::conj_8_4::claims_of;
use lozenge::calculus::closing as literal;
use lozenge::closing::{Closing, Tags};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::{Limits, Policy, Strategy};
use lozenge::staged::{
    Assumption, Outcome, Refusal, SearchBounds, Searched, SizeClaim, Stage, StagedRun, StagedSystem, search, solve,
};
use lozenge::subst::Map;
use lozenge::term::{DimTerm, Var, Vars};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::random::{policy, system, tags};
use lozenge_harnesses::systems::{dim_constraints, flanks, row_constraints, row_terms, two};

/// The stages of a system without claims, before anything is searched.
fn staged(phi: &[Constraint], names: &mut Names, tags: &Tags, policy: Policy) -> Outcome {
    let problem = StagedSystem { phi, tags: tags.clone(), ..StagedSystem::default() };
    let mut run = StagedRun::new(&problem, names, policy);
    let end = run.add(phi, []).and_then(|()| run.stages(Stage::Seven));
    run.outcome(end)
}

/// Def. 6.1 as the calculus has it, and the stages: the same values, assumptions and errors.
fn same_ending(phi: &[Constraint], names: &Names, tags: &Tags, policy: Policy) {
    let (mut one, mut other) = (names.clone(), names.clone());
    let (closing, outcome) = (literal::close(phi, &mut one, tags, policy), staged(phi, &mut other, tags, policy));
    let text = || phi.iter().map(|c| names.show(c).ascii().to_string()).collect::<Vec<_>>().join("\n");
    let same = |a: &[literal::Assumption], b: &[Assumption]| {
        let a: Vec<Assumption> = a.iter().cloned().map(Into::into).collect();
        assert_eq!(a, b, "{}", text());
    };
    match (closing, outcome) {
        (Closing::Closed(a), Outcome::Closed(b)) => {
            // Leaves that no constraint has are closed as well.
            let at = |v: &Var| match v {
                Var::Dim(v) => a.values.dims.get(v) == b.values.ground.dims.get(v),
                Var::Row(v) => a.values.rows.get(v) == b.values.ground.rows.get(v),
            };
            assert!(phi.vars().iter().all(at), "{}", text());
            same(&a.assumptions, &b.assumptions);
        }
        (Closing::Hole(a), Outcome::Hole(b)) => assert_eq!(a, b, "{}", text()),
        (Closing::Unsat(a), Outcome::Unsat(Refusal::Core(b))) => assert_eq!(a.rule, b.rule, "{}", text()),
        (Closing::Rejected(a, made), Outcome::Rejected(Refusal::Core(b), also, _)) => {
            assert_eq!(a.rule, b.rule, "{}", text());
            same(&made, &also);
        }
        (Closing::Limit(_), _) | (_, Outcome::Limit(_)) => {}
        (closing, outcome) => panic!("{}\n{closing:?}\n{outcome:?}", text()),
    }
}

#[test]
fn without_claims_the_stages_are_def_6_1() {
    let cases = Cases::of("without_claims_the_stages_are_def_6_1");
    let terms = row_terms(&flanks(&[two()], 1), &TERMS.row_vars);
    let rows: Vec<Constraint> = row_constraints(&terms).collect();
    let dims: Vec<Constraint> = dim_constraints(&TERMS.dims).collect();
    let limits = Limits { rank: 8, size: 300, ..Limits::default() };
    let policy = Policy { limits, ..Policy::default() };
    for (i, one) in rows.iter().chain(&dims).enumerate() {
        for (j, other) in rows.iter().chain(&dims).enumerate() {
            let phi = [one.clone(), other.clone()];
            let vars = phi.vars();
            let tags = match (i + j) % 4 {
                0 => Tags::default(),
                1 => Tags::leaves(vars.clone()),
                2 => Tags { leaves: vars.clone(), params: vars.clone() },
                _ => Tags::leaves(vars.iter().copied().take(1)),
            };
            same_ending(&phi, &TERMS.names, &tags, policy);
            cases.one();
        }
    }
    cases.finish();
}

#[test]
fn without_claims_the_stages_are_def_6_1_at_random() {
    let cases = Cases::of("without_claims_the_stages_are_def_6_1_at_random");
    for number in 0..50_000 {
        let System { names, constraints } = system(number);
        // First in, first out: the stages take what they are given operation by operation, and the others see it at once.
        let policy = Policy { strategy: Strategy::Fifo, ..policy(number) };
        same_ending(&constraints, &names, &tags(&constraints, number), policy);
        cases.one();
    }
    cases.finish();
}

/// A small system with claims: some facts, two claims of the catalogue, and leaves.
struct Small {
    names: Names,
    phi: Vec<Constraint>,
    claims: Vec<SizeClaim>,
    tags: Tags,
}

const FACTS: [&str; 8] =
    ["", "a = 2", "a = 4", "b = 2", "a <= b", "b <= a\n4 <= a", "3 <= c\nc <= b", "a = 6\nb <= c\nc <= a"];

impl Small {
    /// The system of a number, with its variables called differently in each copy.
    fn of(number: u64, copy: &str, names: &mut Names) -> Self {
        let pick = |by: u64, most: usize| usize::try_from(number / by).expect("small") % most;
        let mut name = |n: &str| DimTerm::Var(names.dim_var(&format!("{n}{copy}")).expect("a dimension"));
        let d = [name("a"), name("b"), name("c")];
        let catalogue = claims_of(d);
        let claims = vec![catalogue[pick(1, 36)].clone(), catalogue[pick(36, 36)].clone()];
        let fact = FACTS[pick(36 * 36, 8)];
        let renamed: String =
            fact.chars().map(|c| if "abc".contains(c) { format!("{c}{copy}") } else { c.to_string() }).collect();
        let phi = parse_system(&renamed, names).expect("facts parse");
        let vars = d.iter().filter_map(|t| if let DimTerm::Var(v) = t { Some(Var::Dim(*v)) } else { None });
        let leaves: Vec<Var> =
            vars.enumerate().filter(|(i, _)| pick(36 * 36 * 8, 8) >> i & 1 == 1).map(|(_, v)| v).collect();
        let params =
            if pick(36 * 36 * 64, 3) == 0 { leaves.iter().copied().take(1).collect() } else { Default::default() };
        let tags = Tags { leaves: leaves.into_iter().collect(), params };
        Small { names: names.clone(), phi, claims, tags }
    }

    fn run(&self) -> Outcome {
        solve(&self.problem(), &mut self.names.clone(), Policy::default(), Stage::Seven)
    }

    fn problem(&self) -> StagedSystem<'_> {
        StagedSystem { phi: &self.phi, claims: &self.claims, tags: self.tags.clone(), ..StagedSystem::default() }
    }

    fn beside(&self, other: &Small) -> Small {
        let mut tags = self.tags.clone();
        tags.leaves.extend(&other.tags.leaves);
        tags.params.extend(&other.tags.params);
        Small {
            names: other.names.clone(),
            phi: [self.phi.clone(), other.phi.clone()].concat(),
            claims: [self.claims.clone(), other.claims.clone()].concat(),
            tags,
        }
    }
}

/// How many systems there are.
const SYSTEMS: u64 = 36 * 36 * 8 * 8 * 3;

/// What is said of these variables: how it ended, their values, and the assumptions about them.
fn said(outcome: &Outcome, vars: &[Var]) -> (&'static str, String) {
    let of = |made: &[Assumption]| made.iter().filter(|a| vars.contains(&a.given.var())).cloned().collect::<Vec<_>>();
    match outcome {
        Outcome::Closed(closed) => {
            let values = vars.iter().map(|v| match v {
                Var::Dim(d) => (closed.values.zeros.contains(d), closed.values.ground.dims.get(d)),
                Var::Row(_) => (false, None),
            });
            ("closed", format!("{:?} {:?}", values.collect::<Vec<_>>(), of(&closed.assumptions)))
        }
        Outcome::Hole(hole) => ("hole", format!("{:?}", hole.var)),
        Outcome::Unsat(_) => ("unsat", String::new()),
        Outcome::Rejected(..) => ("rejected", String::new()),
        Outcome::Open(_) => ("open", String::new()),
        Outcome::Limit(_) => ("limit", String::new()),
    }
}

/// Two systems over different variables, one beside the other: each closes as it does alone. Where one of them fails,
/// both together do.
#[test]
fn groups_do_not_see_each_other() {
    let cases = Cases::of("groups_do_not_see_each_other");
    for number in 0..60_000_u64 {
        let (first, second) = (number * 7_919 % SYSTEMS, number * 104_729 % SYSTEMS);
        let mut names = Names::new();
        let one = Small::of(first, "", &mut names);
        let other = Small::of(second, "1", &mut names);
        let both = one.beside(&other);
        let what = || format!("{first} beside {second}");
        let (mine, yours, ours) = (one.run(), other.run(), both.run());
        let of = |small: &Small| small.claims.iter().flat_map(Vars::vars).chain(small.phi.vars()).collect::<Vec<Var>>();
        match (said(&mine, &of(&one)), said(&yours, &of(&other))) {
            (a @ ("closed", _), b @ ("closed", _)) => {
                assert_eq!(said(&ours, &of(&one)), a, "{}", what());
                assert_eq!(said(&ours, &of(&other)), b, "{}", what());
            }
            (a, b) => {
                let end = said(&ours, &[]).0;
                // A hole is not searched alone; beside what is, it may turn out to have no solution.
                let none = |small: &Small| {
                    let found = search(&small.problem(), &small.names, Policy::default(), SearchBounds::default());
                    matches!(found, Searched::None { .. })
                };
                let refuted = end == "unsat" && (none(&one) || none(&other));
                assert!(end == a.0 || end == b.0 || refuted, "{}: {a:?}, {b:?}, together {end}", what());
                assert_ne!(end, "closed", "{}", what());
            }
        }
        cases.one();
    }
    cases.finish();
}

/// Constraints and claims in another order: the same end, values and assumptions.
#[test]
fn the_order_of_claims_does_not_matter() {
    let cases = Cases::of("the_order_of_claims_does_not_matter");
    for number in 0..100_000_u64 {
        let mut names = Names::new();
        let one = Small::of(number * 7_919 % SYSTEMS, "", &mut names);
        let turned = Small {
            names: one.names.clone(),
            phi: one.phi.iter().rev().cloned().collect(),
            claims: one.claims.iter().rev().cloned().collect(),
            tags: one.tags.clone(),
        };
        let vars: Vec<Var> = one.claims.iter().flat_map(Vars::vars).chain(one.phi.vars()).collect();
        let (a, b) = (one.run(), turned.run());
        assert_eq!(said(&a, &vars), said(&b, &vars), "{number}");
        cases.one();
    }
    cases.finish();
}

/// What is renamed closes to the same values: nothing depends on what a variable is called.
#[test]
fn a_map_of_names_goes_through_claims() {
    let mut names = Names::new();
    let small = Small::of(36 * 7 + 3, "", &mut names);
    let fresh = names.fresh_dim();
    let a = names.dim_var("a").expect("a dimension");
    let map = Map::identity().with_dim(a, fresh);
    for claim in &small.claims {
        let renamed = claim.apply(&map);
        assert_eq!(renamed.vars().contains(&Var::Dim(fresh)), claim.vars().contains(&Var::Dim(a)));
        assert!(!renamed.vars().contains(&Var::Dim(a)));
    }
}
