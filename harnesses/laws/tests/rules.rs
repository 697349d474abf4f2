//! Lemma 5.1, rule by rule: what a rule puts in the place of a constraint has the same solutions.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::rules::{self, Bind, Effect};
use lozenge::semantics::{Ground, Universe, sol_on};
use lozenge::solver::configuration::Configuration;
use lozenge::solver::store::Bounds;
use lozenge::solver::{GuardPolicy, Policy, Rule, Strategy};
use lozenge::term::{Binding, DimTerm, RowTerm, RowVar, Vars};
use lozenge_harnesses::cases::{Blame, Cases};
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::systems::{
    STRATEGIES, Values, dim_constraints, flanks, row_constraints, row_terms, three, two, watch,
};
use lozenge_statements::{meaning, preservation};
use std::collections::BTreeSet;

/// The rule for a constraint, with an empty store.
fn fire(phi: &Constraint) -> (Rule, Effect) {
    rules::fire(phi, &Bounds::default(), &mut TERMS.names.clone(), &Policy::default())
}

/// Lemma 5.1 for one rule on one constraint, for each of these values of its variables; and R1 for what the guard
/// records of it. One reading of the values, place by place, is held to core's.
fn keeps_solutions(phi: &Constraint, values: &[Ground]) -> Rule {
    let (rule, effect) = fire(phi);
    for gamma in values {
        let _blame = Blame(|| format!("{rule} on {} at {}", TERMS.names.show(phi), TERMS.names.show(gamma)));
        preservation::keeps_solutions(phi, &effect, gamma);
        meaning::readings_agree(phi, gamma);
        if let Constraint::RowLe(res, op) = phi {
            preservation::facts_are_entailed(res, op, gamma);
        }
        if let Some(Bind { binding: Binding::Row(var, to), placement: true }) = &effect.bind {
            preservation::facts_of_bindings(*var, to, gamma);
            preservation::rank_facts_of_bindings(*var, to, gamma);
        }
    }
    rule
}

fn each_keeps_solutions(cases: &Cases, values: &Values, all: impl Iterator<Item = Constraint>) -> BTreeSet<Rule> {
    let one = |phi: Constraint| {
        cases.one();
        keeps_solutions(&phi, values.of(std::slice::from_ref(&phi)))
    };
    all.map(one).collect()
}

/// Defs. 4.2 and 4.3 on every constraint between the small terms, with dimension variables in the flanks.
#[test]
fn lemma_5_1_on_small_constraints() {
    let values = Values::new(&[2, 3], 2);
    let all = row_constraints(&TERMS.rows).chain(dim_constraints(&TERMS.dims));
    let cases = Cases::of("lemma_5_1_on_small_constraints");
    each_keeps_solutions(&cases, &values, all);
    cases.finish();
}

/// Def. 4.3 with flanks up to two over two atoms: surpluses, deficits and shifts by two, with words that clash.
#[test]
fn lemma_5_1_on_two_atoms() {
    let values = Values::new(&[2, 3], 2);
    let terms = row_terms(&flanks(&[two(), three()], 2), &TERMS.row_vars);
    let cases = Cases::of("lemma_5_1_on_two_atoms");
    each_keeps_solutions(&cases, &values, row_constraints(&terms));
    cases.finish();
}

/// Def. 4.3 with flanks up to two over one atom, against rows up to rank four: every length that a flank of two can
/// ask for on both sides.
#[test]
fn lemma_5_1_on_longer_rows() {
    let values = Values::new(&[2], 4);
    let terms = row_terms(&flanks(&[two()], 2), &TERMS.row_vars);
    let cases = Cases::of("lemma_5_1_on_longer_rows");
    let rules = each_keeps_solutions(&cases, &values, row_constraints(&terms));
    assert!(Rule::ALL.iter().filter(|r| r.definition().starts_with("4.3")).all(|r| rules.contains(r)), "{rules:?}");
    cases.finish();
}

/// Def. 4.2 with its store: every system of at most three dimension constraints over three variables, step by step.
/// DI-cap, DI-adj and DI-antisym look at what the constraints before them stored.
#[test]
fn lemma_5_1_on_dimension_systems() {
    let cases = Cases::of("lemma_5_1_on_dimension_systems");
    let mut names = Names::new();
    let vars = ["a", "b", "c"].map(|name| names.dim_var(name).expect("a new name"));
    let ground = [Dim::Unit.into(), two(), three()];
    let terms: Vec<DimTerm> = vars.into_iter().map(DimTerm::from).chain(ground).collect();
    // Constraints without a variable are left to the pairs: they neither store nor bind.
    let all: Vec<Constraint> = dim_constraints(&terms).collect();
    let open: Vec<&Constraint> = all.iter().filter(|c| !c.vars().is_empty()).collect();
    let universe = Universe::of_sizes(&[2, 3, 5], 0).expect("small");
    let mut values: Vec<Option<Vec<Ground>>> = vec![None; 8];
    let mut rules = BTreeSet::new();
    let mut check = |phi: &[Constraint], strategy: Strategy| {
        let number = phi.vars().iter().map(|v| 1 << v.id()).sum::<usize>();
        let values = values[number].get_or_insert_with(|| sol_on(&[], &universe, &phi.vars()).collect());
        rules.extend(watch(&names, phi, strategy, values).rules);
        cases.one();
    };
    for one in &all {
        for two in &all {
            for strategy in STRATEGIES {
                check(&[one.clone(), two.clone()], strategy);
            }
        }
    }
    for one in &open {
        for two in &open {
            for three in &open {
                check(&[(*one).clone(), (*two).clone(), (*three).clone()], Strategy::Fifo);
            }
        }
    }
    assert!(Rule::ALL.iter().filter(|r| r.definition() == "4.2").all(|r| rules.contains(r)), "{rules:?}");
    cases.finish();
}

/// Lemma 5.2.2 is false as stated (spec/findings/F3.md): rank(p) = 0 satisfies the rank fact of ⟨p⟩·[3] ⊑ [2]·⟨p⟩,
/// and after the deficit rule rank(p) = 1 + rank(p′) has no solution that agrees.
#[test]
fn lemma_5_2_2_is_refuted() {
    let mut names = Names::new();
    let phi = parse_system("<p> [3] <= [2] <p>", &mut names).expect("a constraint");
    let Constraint::RowLe(res, op) = &phi[0] else { panic!("an inequality") };
    assert!(res.var == op.var && res.known_rank() == op.known_rank(), "the rank fact is rank(p) ≥ rank(p)");
    let p = names.row_var("p").expect("p");
    let unguarded = Policy { guard: GuardPolicy::None, ..Policy::default() };
    let mut configuration = Configuration::new(&phi, &mut names, unguarded, true);
    assert!(configuration.step().expect("no failure"));
    let value = configuration.bindings.row_value(&p.into());
    assert!(value.known_rank() == 1 && value.var.is_some(), "rank(p) ≥ 1 in every rank model from here on");
}

/// Lengths of the flanks of p and q.
type Lengths = [(usize, usize); 2];

/// Do these lengths satisfy the two length facts of an inequality (R1)?
fn lengths_fit(lengths: &dyn Fn(RowVar) -> (usize, usize), res: &RowTerm, op: &RowTerm) -> bool {
    let of = |row: &RowTerm| {
        let (lead, trail) = row.var.map_or((0, 0), lengths);
        (lead + row.lead.len(), trail + row.trail.len())
    };
    let ((lead, trail), (op_lead, op_trail)) = (of(res), of(op));
    lead >= op_lead && trail >= op_trail
}

/// Lemma 5.2.2 as R1 repairs it: with one number for each flank, every inequality rule that does not fail takes a
/// model to a model that agrees on the old variables.
#[test]
fn lemma_5_2_2_with_two_lengths() {
    let cases = Cases::of("lemma_5_2_2_with_two_lengths");
    let terms = row_terms(&flanks(&[two()], 3), &TERMS.row_vars);
    let some: Vec<(usize, usize)> = (0..5).flat_map(|l| (0..5).map(move |t| (l, t))).collect();
    for (res, op) in terms.iter().flat_map(|s| terms.iter().map(move |t| (s, t))) {
        let phi = Constraint::RowLe(res.clone(), op.clone());
        let (rule, effect) = fire(&phi);
        let models = some.iter().flat_map(|p| some.iter().map(move |q| [*p, *q]));
        for model in models {
            let model: Lengths = model;
            cases.one();
            let [p, _] = TERMS.row_vars;
            let old = |v: RowVar| if v == p { model[0] } else { model[1] };
            if !lengths_fit(&old, res, op) {
                continue;
            }
            let blame = || format!("{rule} on {} with {model:?}", TERMS.names.show(&phi));
            assert!(effect.fail.is_none(), "{}", blame());
            let left = effect.denotation(&phi);
            let fits = |lengths: &dyn Fn(RowVar) -> (usize, usize)| {
                left.iter().all(|c| match c {
                    Constraint::RowLe(s, t) => lengths_fit(lengths, s, t),
                    _ => true,
                })
            };
            assert!(fits(&old), "{}", blame());
            if let Some(Bind { binding: Binding::Row(var, to), .. }) = &effect.bind {
                // lead(ρ′) = lead(ρ) − k_l and trail(ρ′) = trail(ρ) − k_r are natural numbers.
                let (lead, trail) = old(*var);
                assert!(lead >= to.lead.len() && trail >= to.trail.len(), "{}", blame());
            }
        }
    }
    cases.finish();
}
