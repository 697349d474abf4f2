//! §3. Terms, substitutions and the semantics of constraints.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::{parse_row_term, parse_system};
use lozenge::semantics::{Ground, Universe, fresh_groundings, holds, models, sol, sol_on};
use lozenge::subst::{Map, Subst};
use lozenge::term::{DimTerm, RowTerm, Term, Var, Vars};
use lozenge_harnesses::cases::{Cases, random};
use lozenge_harnesses::domains::{AMap, ARowTerm, TERMS};
use lozenge_harnesses::for_all;
use lozenge_harnesses::generators::{System, WithMaps};

fn all_vars() -> Vec<Var> {
    TERMS.names.vars().collect()
}

/// Lemma 3.3: (σ∘τ)(X) = σ(τ(X)), for every map and not only for idempotent ones.
#[test]
fn lemma_3_3_composition() {
    type Args = (AMap, AMap, ARowTerm);
    for_all!(lemma_3_3_composition, (AMap(sigma), AMap(tau), ARowTerm(x)) in Args => {
        assert_eq!(sigma.after(tau).apply_row(x), sigma.apply_row(&tau.apply_row(x)));
    });
}

/// Lemma 3.3 on larger random terms.
#[test]
fn lemma_3_3_composition_at_random() {
    random("lemma_3_3_composition_at_random", 20_000, |WithMaps { system, sigma, tau }: WithMaps| {
        let both = sigma.after(&tau);
        system
            .constraints
            .iter()
            .all(|phi| both.apply_constraint(phi) == sigma.apply_constraint(&tau.apply_constraint(phi)))
    });
}

/// Def. 3.2: dom(σ) ∩ vars(ran(σ)) = ∅ exactly when σ∘σ = σ; application keeps one row variable a row by construction.
#[test]
fn def_3_2_idempotent() {
    for_all!(def_3_2_idempotent, AMap(sigma) in AMap => {
        assert_eq!(sigma.is_idempotent(), sigma.after(sigma) == *sigma);
        assert_eq!(sigma.is_idempotent(), Subst::try_from(sigma.clone()).is_ok());
    });
}

/// The repaired half of 3.3: with dom(τ) ∩ vars(ran σ) = ∅ the composite is idempotent again.
#[test]
fn lemma_3_3_when_composites_are_idempotent() {
    for_all!(lemma_3_3_when_composites_are_idempotent, (AMap(sigma), AMap(tau)) in (AMap, AMap) => {
        if let (Ok(s), Ok(t)) = (Subst::try_from(sigma.clone()), Subst::try_from(tau.clone())) {
            assert!(!t.domain().is_disjoint(&s.range_vars()) || s.compose(&t).is_ok());
        }
    });
}

/// Finding F7: two idempotent substitutions whose composite is not, and ≤ on a set of variables,
/// which needs a u that is not.
#[test]
fn finding_f7_composition_is_not_closed() {
    let mut names = Names::new();
    let mut row = |text| parse_row_term(text, &mut names).expect("a row");
    let (grown, p) = (row("[a] <q>"), row("<p>"));
    let ([xy, cd, yx], z) = ([row("[x,y] <> []"), row("[c,d] <> []"), row("[y,x] <> []")], row("<z>"));
    let (Some(p_var), Some(q_var), Some(z_var)) = (p.var, grown.var, z.var) else { panic!("three variables") };
    let subst = |map: Map| Subst::try_from(map).expect("idempotent");
    let tau = subst(Map::identity().with_row(p_var, grown));
    let sigma = subst(Map::identity().with_row(q_var, p));
    assert!(sigma.compose(&tau).is_err());

    let [one, two, three] = [xy, cd, yx].map(|term| subst(Map::identity().with_row(z_var, term)));
    let on_z = |s: &Subst, t: &Subst| s.le_on(t, [Var::Row(z_var)]).expect("a witness u");
    assert!(on_z(&one, &two).is_idempotent() && on_z(&two, &three).is_idempotent());
    assert!(!on_z(&one, &three).is_idempotent(), "u is the swap of x and y, and no other u will do");
}

/// Def. 3.4: the witness u does what it says, and where none is found none of the small maps would do.
#[test]
fn def_3_4_order_has_its_witness() {
    let vars = all_vars();
    for_all!(def_3_4_order_has_its_witness, (AMap(one), AMap(two)) in (AMap, AMap) => {
        let is_witness = |u: &Map| vars.iter().all(|x| u.apply(&one.var(*x)) == two.var(*x));
        match one.le_on(two, vars.iter().copied()) {
            Some(u) => assert!(is_witness(&u)),
            None => assert!(!TERMS.maps.iter().any(is_witness)),
        }
        // On all variables, for idempotent maps, it is σ₂∘σ₁ = σ₂.
        if let (Ok(s), Ok(t)) = (Subst::try_from(one.clone()), Subst::try_from(two.clone())) {
            assert_eq!(s.le(&t), one.le_on(two, vars.iter().copied()).is_some());
        }
    });
}

/// Every constraint between two small row terms, and between two small dimension terms.
fn small_constraints() -> impl Iterator<Item = Constraint> {
    let rows = TERMS.rows.iter().flat_map(|s| {
        TERMS
            .rows
            .iter()
            .flat_map(move |t| [Constraint::RowEq(s.clone(), t.clone()), Constraint::RowLe(s.clone(), t.clone())])
    });
    let dims = TERMS
        .dims
        .iter()
        .flat_map(|s| TERMS.dims.iter().flat_map(move |t| [Constraint::DimEq(*s, *t), Constraint::DimLe(*s, *t)]));
    rows.chain(dims)
}

/// Def. 3.4: σ ⊨ Φ is decided by two groundings. For every small constraint they agree with trying
/// every grounding of rank at most three over three atoms.
#[test]
fn def_3_4_two_groundings_decide_validity() {
    let cases = Cases::of("def_3_4_two_groundings_decide_validity");
    let universe = Universe::of_sizes(&[2, 3, 5], 3).expect("small");
    for phi in small_constraints() {
        cases.one();
        let valid = sol_on(&[], &universe, &phi.vars()).all(|gamma| holds(&gamma, &phi));
        assert_eq!(models(&Map::identity(), std::slice::from_ref(&phi)), valid, "{}", TERMS.names.show(&phi));
    }
    cases.finish();
}

/// Both groundings are needed, and the wide one needs both flanks.
#[test]
fn def_3_4_neither_grounding_suffices() {
    let judged = |text: &str| {
        let phi = parse_system(text, &mut Names::new()).expect("a constraint");
        fresh_groundings(&phi).map(|gamma| holds(&gamma, &phi[0]))
    };
    assert_eq!(judged("<r> <= [unit] <> []"), [false, true]);
    assert_eq!(judged("<r> [3] <= <r>"), [true, false]);
    assert_eq!(judged("<r> <= <r>"), [true, true]);
}

/// Def. 3.4: σ ⊨ Φ for random systems and maps, against groundings drawn from a small universe.
#[test]
fn def_3_4_models_at_random() {
    random("def_3_4_models_at_random", 2_000, |WithMaps { system, sigma, .. }: WithMaps| {
        let universe = Universe::of_sizes(&[2], 1).expect("small");
        let instance: Vec<Constraint> = system.constraints.iter().map(|c| sigma.apply_constraint(c)).collect();
        let every = || sol_on(&[], &universe, &instance.vars()).take(2_000);
        !models(&sigma, &system.constraints) || every().all(|gamma| instance.iter().all(|c| holds(&gamma, c)))
    });
}

/// The brute-force iterator finds what trying everything finds, each solution once.
#[test]
fn def_3_4_sol_is_brute_force() {
    random("def_3_4_sol_is_brute_force", 3_000, |system: System| {
        let universe = Universe::of_sizes(&[1, 2], 1).expect("small");
        let phi: Vec<Constraint> = system.constraints.into_iter().take(3).collect();
        let vars = phi.vars();
        if vars.len() > 4 {
            return true;
        }
        let naive: Vec<Ground> =
            sol_on(&[], &universe, &vars).filter(|gamma| phi.iter().all(|c| holds(gamma, c))).collect();
        naive == sol(&phi, &universe).collect::<Vec<_>>()
    });
}

/// Without constraints there is a solution for every choice of values.
#[test]
fn def_3_4_universe_is_everything() {
    // 1∅ and two atoms up to rank 2, every placement: 1 + 2·3 + 3·9.
    let universe = Universe::of_sizes(&[1, 2], 2).expect("small");
    assert_eq!((universe.dims().len(), universe.rows().len()), (3, 34));
    let vars = all_vars().into_iter().collect();
    assert_eq!(sol_on(&[], &universe, &vars).count(), 3 * 3 * 34 * 34);
    assert!(Universe::of_sizes(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 40).is_err());
}

/// Lemma 3.3 for ground substitutions: γ(σ(φ)) holds iff (γ∘σ)(φ) does.
#[test]
fn lemma_3_3_ground() {
    random("lemma_3_3_ground", 5_000, |WithMaps { system, sigma, .. }: WithMaps| {
        let universe = Universe::of_sizes(&[1, 2], 1).expect("small");
        let range: std::collections::BTreeSet<Var> = system.names.vars().collect();
        sol_on(&[], &universe, &range).step_by(97).take(50).all(|gamma| {
            let composite = gamma.after(&sigma, range.iter().copied());
            system.constraints.iter().all(|phi| holds(&gamma, &sigma.apply_constraint(phi)) == holds(&composite, phi))
        })
    });
}

/// Example 3.5: { 3_b ⊑ α } has models and no least one.
#[test]
fn example_3_5_no_principal_model() {
    let mut names = Names::new();
    let phi = parse_system("3:b <= a", &mut names).expect("a constraint");
    let [three, five] =
        ["3:b", "5:b"].map(|text| DimTerm::Dim(lozenge::notation::parse_dim(text, &mut names).expect("a dimension")));
    let (a, b) = (names.dim_var("a").expect("a"), names.dim_var("b'").expect("b'"));
    let top = DimTerm::Dim(Dim::Unit);
    let candidates = [a.into(), b.into(), top, three, five]
        .map(|t| Subst::try_from(Map::identity().with_dim(a, t)).expect("idempotent"));
    let found: Vec<&Subst> = candidates.iter().filter(|sigma| models(sigma, &phi)).collect();
    assert_eq!(found.iter().map(|s| s.dim(a)).collect::<Vec<_>>(), [top, three]);
    assert!(!found[0].le(found[1]) && !found[1].le(found[0]));
    // No other term of either sort can stand for α, so these are all the models there are up to
    // what they do elsewhere, and neither is below the other.
    assert!(candidates.iter().all(|least| !models(least, &phi) || found.iter().any(|model| !least.le(model))));
}

/// Def. 3.1: a bare row variable is []·⟨ρ⟩·[], and ground terms are rows.
#[test]
fn def_3_1_terms() {
    for row in &TERMS.rows {
        let term = Term::Row(row.clone());
        assert_eq!(term.is_ground(), row.as_ground().is_some());
        assert!(row.vars().iter().filter(|v| matches!(v, Var::Row(_))).count() <= 1);
    }
    assert_eq!(RowTerm::from(TERMS.row_vars[0]).known_rank(), 0);
}
