//! The bridge from Coq to Rust: core and the extracted model compute the same on all small cases.
//!
//! Each test prints how many cases it compared; the number stands in spec/index.toml. What is compared with what is
//! listed in proofs/README.md. `LOZENGE_BRIDGE=large` walks larger domains.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::{Dim, DimBot};
use lozenge::names::Names;
use lozenge::rigid::{TwoSorted, join, minimal_upper_bounds};
use lozenge::row::Row;
use lozenge::semantics::{Ground, Universe, holds, models, sol_on};
use lozenge::subst::{Map, Subst};
use lozenge::term::{DimTerm, Term, Var, Vars};
use lozenge::wire;
use lozenge_harnesses::domains::{TERMS, TWO_SORTED, dims, rows, sequences, stands_for};
use lozenge_harnesses::systems::{dim_constraints, row_constraints};
use lozenge_tests::bridge::{Bridge, Table, large};
use lozenge_tests::extracted::{bindings, two_sorted, values, variables};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A name for the basis of the domains that is not the default: without one it is not read.
static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names::new();
    names.basis("b1");
    names
});

fn dim_json(d: Dim) -> Value {
    wire::dim_term(DimTerm::Dim(d), &NAMES)
}

fn dim_bot_json(d: DimBot) -> Value {
    match d {
        DimBot::Bot => json!("bot"),
        DimBot::Dim(d) => dim_json(d),
    }
}

fn row_json(row: &Row) -> Value {
    wire::row(row, &NAMES)
}

fn flat_json(dims: impl Iterator<Item = Dim>) -> Value {
    dims.map(dim_json).collect()
}

/// How many atoms, and the longest flanks: the rows of the harnesses of §2. At large, up to four over two as well.
fn wide() -> Vec<(usize, usize)> {
    if large() { vec![(3, 3), (2, 4)] } else { vec![(3, 3)] }
}

fn wide_rows() -> Vec<Table<Row>> {
    wide().into_iter().map(|(atoms, longest)| Table::new(rows(atoms, longest), row_json)).collect()
}

/// Every pair of rows with flanks up to two; then wide ones, the first up to renaming the atoms (spec/small-models.md (e)).
fn pairs_of_rows() -> Vec<(Table<Row>, Table<Row>)> {
    let narrow = || Table::new(rows(3, 2), row_json);
    let wide = wide().into_iter().map(|(atoms, longest)| {
        let all = Table::new(rows(atoms, longest), row_json);
        (all.standing(|row| stands_for(row, atoms)), all)
    });
    std::iter::once((narrow(), narrow())).chain(wide).collect()
}

fn two_sorted_rows() -> Table<TwoSorted> {
    let write = |row: &TwoSorted| two_sorted(row, &NAMES);
    if large() {
        let rigid = sequences(&dims(3), 6).into_iter().map(|f| lozenge::rigid::Rigid(f).into());
        return Table::new(rows(3, 2).into_iter().map(TwoSorted::from).chain(rigid), write);
    }
    Table::new(TWO_SORTED.iter().cloned(), write)
}

#[test]
fn bridge_dimensions() {
    let mut bridge = Bridge::of("bridge_dimensions");
    let all = Table::new(dims(3), |d| dim_json(*d));
    bridge.truth("dim_leb", &all, &all, |a, b| Dim::le(*a, *b));
    bridge.pairs("dim_join", &all, &all, |a, b| dim_json(a.join(*b)));
    bridge.pairs("dimb_meet", &all, &all, |a, b| dim_bot_json(a.meet(*b)));
    let with_bottom = [DimBot::Bot].into_iter().chain(dims(3).into_iter().map(DimBot::Dim));
    let all = Table::new(with_bottom, |d| dim_bot_json(*d));
    bridge.truth("dimb_leb", &all, &all, |a, b| DimBot::le(*a, *b));
    bridge.pairs("dimb_meet", &all, &all, |a, b| dim_bot_json(a.meet(*b)));
    bridge.pairs("dimb_join", &all, &all, |a, b| dim_bot_json(a.join(*b)));
    bridge.truth("coversb", &all, &all, |a, b| b.covers(*a));
    bridge.finish();
}

#[test]
fn bridge_expansion() {
    let mut bridge = Bridge::of("bridge_expansion");
    for all in wide_rows() {
        bridge.each("rank", &all, |r| json!(r.rank()));
        bridge.each("flat", &all, |r| flat_json(r.flat()));
        let ranks = Table::new(0..=8, |n| json!(n));
        bridge.pairs("expansion", &all, &ranks, |r, n| r.expansion(*n).map_or(Value::Null, |e| flat_json(e.iter())));
    }
    bridge.finish();
}

#[test]
fn bridge_row_order() {
    let mut bridge = Bridge::of("bridge_row_order");
    for (first, all) in pairs_of_rows() {
        bridge.truth("row_leb", &first, &all, Row::le);
    }
    bridge.finish();
}

#[test]
fn bridge_row_join() {
    let mut bridge = Bridge::of("bridge_row_join");
    for (first, all) in pairs_of_rows() {
        let places: HashMap<&Row, usize> = all.items.iter().enumerate().map(|(i, row)| (row, i)).collect();
        bridge.place("row_join", (&first, &all), &all, |a, b| places[&a.join(b)]);
    }
    bridge.finish();
}

#[test]
fn bridge_flat_equivalence() {
    let mut bridge = Bridge::of("bridge_flat_equivalence");
    for (first, all) in pairs_of_rows() {
        bridge.truth("flat_equivb", &first, &all, Row::flat_eq);
        bridge.truth("row_eqb", &first, &all, Row::eq);
    }
    bridge.finish();
}

#[test]
fn bridge_two_sorted() {
    let mut bridge = Bridge::of("bridge_two_sorted");
    let all = two_sorted_rows();
    bridge.each("rank2", &all, |x| json!(x.rank()));
    bridge.each("flat2", &all, |x| flat_json(x.rigidify().0.into_iter()));
    bridge.truth("row2_leb", &all, &all, TwoSorted::le);
    bridge.finish();
}

#[test]
fn bridge_joins_across_sorts() {
    let mut bridge = Bridge::of("bridge_joins_across_sorts");
    let all = Table::new(TWO_SORTED.iter().cloned(), |row| two_sorted(row, &NAMES));
    let json = |row: &TwoSorted| two_sorted(row, &NAMES);
    bridge.pairs("row2_join", &all, &all, |a, b| join(a, b).map_or(Value::Null, |least| json(&least)));
    bridge.pairs("minimal_uppers", &all, &all, |a, b| minimal_upper_bounds(a, b).iter().map(json).collect());
    bridge.finish();
}

#[test]
fn bridge_one_shot() {
    let mut bridge = Bridge::of("bridge_one_shot");
    let all = two_sorted_rows();
    bridge.truth("oneshotb", &all, &all, TwoSorted::le_one_shot);
    let marked = |row: &TwoSorted, atoms| match row {
        TwoSorted::Marked(row) => stands_for(row, atoms),
        TwoSorted::Rigid(_) => None,
    };
    for (atoms, longest) in [(3, 2)].into_iter().chain(wide()) {
        let rows = rows(atoms, longest).into_iter().map(TwoSorted::from);
        let rows = Table::new(rows, |row| two_sorted(row, &NAMES));
        let first = rows.standing(|row| if longest == 2 { Some(1) } else { marked(row, atoms) });
        bridge.truth("oneshotb", &first, &rows, TwoSorted::le_one_shot);
    }
    bridge.finish();
}

/// The small terms of §3, of both sorts.
fn terms() -> Table<Term> {
    let dims = TERMS.dims.iter().copied().map(Term::Dim);
    Table::new(dims.chain(TERMS.rows.iter().cloned().map(Term::Row)), |term| wire::term(term, &TERMS.names))
}

fn maps() -> Table<Map> {
    Table::new(TERMS.maps.iter().cloned(), |map| bindings(map, &TERMS.names))
}

fn constraints() -> Table<Constraint> {
    let all = dim_constraints(&TERMS.dims).chain(row_constraints(&TERMS.rows));
    Table::new(all, |phi| wire::constraint(phi, &TERMS.names))
}

#[test]
fn bridge_substitution() {
    let mut bridge = Bridge::of("bridge_substitution");
    let (terms, maps) = (terms(), maps());
    let shown = |vars: &mut dyn Iterator<Item = Var>| variables(vars, &TERMS.names);
    bridge.each("vars", &terms, |term| shown(&mut term.vars().into_iter()));
    bridge.pairs("apply", &maps, &terms, |map, term| wire::term(&map.apply(term), &TERMS.names));
    bridge.each("domain", &maps, |map| shown(&mut map.domain().into_iter()));
    bridge.each("range_vars", &maps, |map| shown(&mut map.range_vars().into_iter()));
    bridge.each("idempotentb", &maps, |map| map.is_idempotent().into());
    bridge.finish();
}

#[test]
fn bridge_constraints_under_substitution() {
    let mut bridge = Bridge::of("bridge_constraints_under_substitution");
    let some = dim_constraints(&TERMS.dims).chain(row_constraints(&TERMS.rows[..25]));
    let some = Table::new(some, |phi| wire::constraint(phi, &TERMS.names));
    bridge.pairs("sub_c", &maps(), &some, |map, phi| wire::constraint(&map.apply_constraint(phi), &TERMS.names));
    bridge.finish();
}

#[test]
fn bridge_composition() {
    let mut bridge = Bridge::of("bridge_composition");
    let maps = maps();
    bridge.pairs("compose", &maps, &maps, |sigma, tau| bindings(&sigma.after(tau), &TERMS.names));
    bridge.truth("subst_eqb", &maps, &maps, Map::eq);
    bridge.finish();
}

#[test]
fn bridge_order_of_substitutions() {
    let mut bridge = Bridge::of("bridge_order_of_substitutions");
    let maps = maps();
    let idempotent = maps.items.iter().filter_map(|map| Subst::try_from(map.clone()).ok());
    let idempotent = Table::new(idempotent, |subst| bindings(subst, &TERMS.names));
    bridge.truth("subst_leb", &idempotent, &idempotent, Subst::le);
    let all: Vec<Var> = TERMS.names.vars().collect();
    let on = variables(all.iter().copied(), &TERMS.names);
    for one in &maps.items {
        let cases: Vec<(Vec<Value>, Value)> = maps
            .items
            .iter()
            .map(|two| {
                let witness = one.le_on(two, all.iter().copied());
                let arguments = vec![on.clone(), bindings(one, &TERMS.names), bindings(two, &TERMS.names)];
                (arguments, witness.map_or(Value::Null, |u| bindings(&u, &TERMS.names)))
            })
            .collect();
        bridge.cases("witness_on", &cases);
    }
    bridge.finish();
}

/// Every value of the variables of the small terms, over 1∅ and these sizes up to this rank.
fn groundings(sizes: &[u64], rank: usize) -> Table<Ground> {
    let universe = Universe::of_sizes(sizes, rank).expect("small");
    let vars = TERMS.names.vars().collect();
    let all: Vec<Ground> = sol_on(&[], &universe, &vars).collect();
    Table::new(all, |gamma| values(gamma, &TERMS.names))
}

#[test]
fn bridge_holds() {
    let mut bridge = Bridge::of("bridge_holds");
    let rank = if large() { 2 } else { 1 };
    bridge.truth("holdsb", &groundings(&[1, 2], rank), &constraints(), holds);
    bridge.finish();
}

/// The values of terms under a ground substitution after a map.
#[test]
fn bridge_values() {
    let mut bridge = Bridge::of("bridge_values");
    let (names, all): (&Names, Vec<Var>) = (&TERMS.names, TERMS.names.vars().collect());
    for gamma in groundings(&[2], usize::from(large())).items {
        for map in &TERMS.maps {
            let composite = gamma.after(map, all.iter().copied());
            let with = |term: Value| vec![values(&gamma, names), bindings(map, names), term];
            let dims = TERMS.dims.iter().map(|t| (with(wire::dim_term(*t, names)), dim_json(composite.dim(*t))));
            bridge.cases("value_d", &dims.collect::<Vec<_>>());
            let rows = TERMS.rows.iter().map(|t| (with(wire::row_term(t, names)), row_json(&composite.row(t))));
            bridge.cases("value_r", &rows.collect::<Vec<_>>());
        }
    }
    bridge.finish();
}

#[test]
fn bridge_models() {
    let mut bridge = Bridge::of("bridge_models");
    let singletons = Table::new(constraints().items.into_iter().map(|phi| vec![phi]), |phi| {
        phi.iter().map(|c| wire::constraint(c, &TERMS.names)).collect()
    });
    bridge.truth("modelled", &maps(), &singletons, |map, phi| models(map, phi));
    bridge.finish();
}

/// A comparison with something else than the model computes does not pass.
#[test]
#[should_panic(expected = "differs")]
fn a_difference_is_noticed() {
    let all = Table::new(rows(2, 1), row_json);
    Bridge::of("a_difference_is_noticed").truth("row_leb", &all, &all, |a, b| b.le(a));
}
