//! The bridge from Coq to Rust on random large values, and the model as an engine of the protocol.
//!
//! As tests/tests/bridge.rs: same counts on every run, held to spec/index.toml.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::{Dim, DimBot};
use lozenge::names::Names;
use lozenge::rigid::{TwoSorted, join, minimal_upper_bounds};
use lozenge::row::Row;
use lozenge::semantics::{Ground, holds, models};
use lozenge::solver::{Policy, Verdict, solve};
use lozenge::subst::{Map, Subst};
use lozenge::term::{DimTerm, Term, Var, Vars};
use lozenge::wire;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_tests::bridge::Bridge;
use lozenge_tests::extracted::{Engine, bindings, model, mutants, two_sorted, values, variables};
use quickcheck::{Arbitrary, Gen};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;

/// Long rows, few sizes, so that much agrees.
const LONG: Weights =
    Weights { flank: 40, constraints: 12, vars: 30, sizes: 2, bases: 3, variable_axes: 4, open_rows: 7, equalities: 4 };
/// Sizes up to the largest.
const HUGE: Weights = Weights { flank: 12, sizes: u64::MAX, bases: 9, ..LONG };
const SMALL: Weights =
    Weights { flank: 2, constraints: 5, vars: 2, sizes: 2, bases: 2, variable_axes: 3, open_rows: 6, equalities: 4 };

fn below(g: &mut Gen, n: usize) -> usize {
    usize::try_from(u64::arbitrary(g) % (n as u64).max(1)).unwrap_or(0)
}

/// Cases by operation: arguments, and what core computes.
#[derive(Default)]
struct Cases(BTreeMap<&'static str, Vec<(Vec<Value>, Value)>>);

impl Cases {
    fn add(&mut self, op: &'static str, arguments: &[&Value], core: Value) {
        self.0.entry(op).or_default().push((arguments.iter().map(|json| (*json).clone()).collect(), core));
    }

    /// Truth values are worth something only if both occur.
    fn compare(self, mut bridge: Bridge) {
        for (op, cases) in &self.0 {
            let count = |truth: bool| cases.iter().filter(|(_, core)| *core == Value::Bool(truth)).count();
            let (yes, no) = (count(true), count(false));
            assert!(yes + no == 0 || 10 * yes.min(no) >= yes + no, "{op}: {yes} true, {no} false");
            bridge.cases(op, cases);
        }
        bridge.finish();
    }
}

/// A row that this one may be below: parts of its flanks, partly raised to 1∅; one in four is spoiled.
fn operand(g: &mut Gen, result: &Row, weights: Weights, names: &mut Names) -> Row {
    let (l, r) = (below(g, result.lead.len() + 1), below(g, result.trail.len() + 1));
    let mut part = |dims: &[Dim]| dims.iter().map(|d| if below(g, 4) == 0 { Dim::Unit } else { *d }).collect();
    let (mut lead, trail): (Vec<Dim>, Vec<Dim>) = (part(&result.lead[..l]), part(&result.trail[r..]));
    if below(g, 4) == 0 {
        let spoiled = below(g, lead.len() + 1);
        lead.insert(spoiled, weights.dim(g, names));
    }
    Row::new(lead, trail)
}

/// Another row of the same content; one in four is shortened.
fn moved(g: &mut Gen, row: &Row) -> Row {
    let flat: Vec<Dim> = row.flat().collect();
    let end = flat.len().saturating_sub(usize::from(below(g, 4) == 0));
    Row::split_at(&flat[..end], below(g, flat.len() + 1))
}

#[test]
fn bridge_rows_at_random() {
    let mut g = Gen::from_size_and_seed(100, 1);
    let mut cases = Cases::default();
    for round in 0..6_000 {
        let weights = if round % 2 == 0 { LONG } else { HUGE };
        let mut names = Names::new();
        let result = weights.row(&mut g, &mut names);
        let other = match below(&mut g, 4) {
            0 => weights.row(&mut g, &mut names),
            1 => moved(&mut g, &result),
            _ => operand(&mut g, &result, weights, &mut names),
        };
        let dim_json = |d: Dim| wire::dim_term(DimTerm::Dim(d), &names);
        let flat_json = |dims: &mut dyn Iterator<Item = Dim>| dims.map(dim_json).collect::<Value>();
        let [a, b] = [&result, &other].map(|row| wire::row(row, &names));
        cases.add("row_leb", &[&a, &b], result.le(&other).into());
        cases.add("row_join", &[&a, &b], wire::row(&result.join(&other), &names));
        let again = moved(&mut g, &result);
        cases.add("flat_equivb", &[&a, &wire::row(&again, &names)], result.flat_eq(&again).into());
        cases.add("flat", &[&a], flat_json(&mut result.flat()));
        let n = result.rank() + below(&mut g, 30) - result.rank().min(5);
        let expanded = result.expansion(n).map_or(Value::Null, |e| flat_json(&mut e.iter()));
        cases.add("expansion", &[&a, &json!(n)], expanded);

        let sort = |row: Row, rigid: bool| if rigid { row.rigidify().into() } else { TwoSorted::from(row) };
        let (x, y) = (sort(result, bool::arbitrary(&mut g)), sort(other, bool::arbitrary(&mut g)));
        let [a, b] = [&x, &y].map(|row| two_sorted(row, &names));
        cases.add("row2_leb", &[&a, &b], x.le(&y).into());
        cases.add("oneshotb", &[&a, &b], x.le_one_shot(&y).into());
        cases.add("row2_join", &[&a, &b], join(&x, &y).map_or(Value::Null, |z| two_sorted(&z, &names)));
        if round % 20 < 2 {
            // Long lists of long rows: these take the most time.
            let bounds = minimal_upper_bounds(&x, &y);
            cases.add("minimal_uppers", &[&a, &b], bounds.iter().map(|z| two_sorted(z, &names)).collect());
        }

        let (d, e) = (DimBot::Dim(weights.dim(&mut g, &mut names)), weights.dim(&mut g, &mut names));
        let bot_json = |d: DimBot| match d {
            DimBot::Bot => json!("bot"),
            DimBot::Dim(d) => wire::dim_term(DimTerm::Dim(d), &names),
        };
        let (d_json, e_json) = (bot_json(d), bot_json(e.into()));
        cases.add("dimb_meet", &[&d_json, &e_json], bot_json(d.meet(e.into())));
        cases.add("dimb_join", &[&d_json, &e_json], bot_json(d.join(e.into())));
    }
    cases.compare(Bridge::of("bridge_rows_at_random"));
}

/// A random map, made idempotent half of the time by dropping what its range mentions.
fn map(g: &mut Gen, weights: Weights, names: &mut Names) -> Map {
    let map = weights.map(g, names);
    if bool::arbitrary(g) {
        return map;
    }
    let range = map.range_vars();
    let kept = map.bindings().into_iter().filter(|(var, _)| !range.contains(var));
    kept.fold(Map::identity(), |map, (var, term)| match (var, term) {
        (Var::Dim(v), Term::Dim(t)) => map.with_dim(v, t),
        (Var::Row(v), Term::Row(t)) => map.with_row(v, t),
        _ => map,
    })
}

#[test]
fn bridge_substitutions_at_random() {
    let mut g = Gen::from_size_and_seed(100, 2);
    let mut cases = Cases::default();
    for round in 0..1_500 {
        let weights = [Weights { flank: 10, ..LONG }, Weights { flank: 4, ..HUGE }, SMALL][round % 3];
        let System { mut names, constraints } = weights.system(&mut g);
        let (sigma, tau) = (map(&mut g, weights, &mut names), map(&mut g, weights, &mut names));
        let names = &names;
        let (s, t) = (bindings(&sigma, names), bindings(&tau, names));
        for phi in &constraints {
            let core = wire::constraint(&sigma.apply_constraint(phi), names);
            cases.add("sub_c", &[&s, &wire::constraint(phi, names)], core);
        }
        let both = sigma.after(&tau);
        let c = bindings(&both, names);
        cases.add("compose", &[&s, &t], c.clone());
        cases.add("domain", &[&c], variables(both.domain(), names));
        cases.add("range_vars", &[&c], variables(both.range_vars(), names));
        cases.add("idempotentb", &[&s], sigma.is_idempotent().into());
        // τ ≤ σ∘τ always has a witness; σ ≤ τ rarely.
        let all: Vec<Var> = constraints.vars().into_iter().collect();
        let on = variables(all.iter().copied(), names);
        for (one, two) in [(&tau, &both), (&sigma, &tau)] {
            let witness = one.le_on(two, all.iter().copied()).map_or(Value::Null, |u| bindings(&u, names));
            cases.add("witness_on", &[&on, &bindings(one, names), &bindings(two, names)], witness);
        }
        cases.add("subst_eqb", &[&c, &s], (both == sigma).into());
        cases.add("subst_eqb", &[&s, &s], true.into());
        if let (Ok(one), Ok(two)) = (Subst::try_from(sigma), Subst::try_from(both)) {
            cases.add("subst_leb", &[&s, &c], one.le(&two).into());
            cases.add("subst_leb", &[&c, &c], true.into());
        }
    }
    cases.compare(Bridge::of("bridge_substitutions_at_random"));
}

/// Values for the variables of a system: the solver's where it has some, else random; one in two is spoiled.
fn ground(g: &mut Gen, phi: &[Constraint], names: &mut Names, weights: Weights) -> Ground {
    let solved = match solve(phi, &mut names.clone(), Policy::default()) {
        Verdict::Solved(solved) => solved.greatest(),
        _ => None,
    };
    let mut gamma = solved.unwrap_or_default();
    let vars = phi.vars();
    gamma.dims.retain(|v, _| vars.contains(&Var::Dim(*v)));
    gamma.rows.retain(|v, _| vars.contains(&Var::Row(*v)));
    let spoil = bool::arbitrary(g);
    for var in vars {
        if gamma.assigns(var) && !(spoil && below(g, 3) == 0) {
            continue;
        }
        match var {
            Var::Dim(v) => drop(gamma.dims.insert(v, weights.dim(g, names))),
            Var::Row(v) => drop(gamma.rows.insert(v, weights.row(g, names))),
        }
    }
    gamma
}

#[test]
fn bridge_holds_at_random() {
    let mut g = Gen::from_size_and_seed(100, 3);
    let mut cases = Cases::default();
    for round in 0..3_000 {
        let weights = [Weights { flank: 10, vars: 12, ..LONG }, SMALL, Weights { sizes: 9, ..SMALL }][round % 3];
        let System { mut names, constraints } = weights.system(&mut g);
        let gamma = ground(&mut g, &constraints, &mut names, weights);
        let names = &names;
        let given = values(&gamma, names);
        for phi in &constraints {
            let json = wire::constraint(phi, names);
            cases.add("holdsb", &[&given, &json], holds(&gamma, phi).into());
            // A ground map models a constraint exactly if it satisfies it.
            let sigma = gamma.dims.iter().fold(Map::identity(), |map, (v, d)| map.with_dim(*v, *d));
            let sigma = gamma.rows.iter().fold(sigma, |map, (v, r)| map.with_row(*v, r.into()));
            let modelled = models(&sigma, std::slice::from_ref(phi));
            cases.add("modelled", &[&bindings(&sigma, names), &json!([json])], modelled.into());
        }
    }
    cases.compare(Bridge::of("bridge_holds_at_random"));
}

fn without_message(answer: &str) -> Value {
    let mut answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("message");
    }
    answer
}

fn oracle() -> Engine {
    Engine::start(Command::new(lozenge_tests::lozenge()).arg("oracle"))
}

fn the_model() -> Engine {
    Engine::start(&mut Command::new(model()))
}

/// Both answer `check` alike, word for word but for messages: on good requests and on spoiled ones.
#[test]
fn the_model_is_an_engine_for_check() {
    let (mut oracle, mut model) = (oracle(), the_model());
    let mut g = Gen::from_size_and_seed(100, 4);
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    for round in 0..60 {
        let System { mut names, constraints } = SMALL.system(&mut g);
        let gamma = ground(&mut g, &constraints, &mut names, SMALL);
        let phi: Value = constraints.iter().map(|c| wire::constraint(c, &names)).collect();
        let request = json!({"id": round, "op": "check", "constraints": phi, "values": values(&gamma, &names)});
        for request in mutants(&request).into_iter().chain([request]) {
            let line = request.to_string();
            let (ours, theirs) = (without_message(&oracle.ask(&line)), without_message(&model.ask(&line)));
            assert_eq!(ours, theirs, "{line}");
            *verdicts.entry(format!("{} {}", ours["verdict"], ours["kind"])).or_default() += 1;
        }
    }
    for verdict in [r#""holds" null"#, r#""violated" null"#, r#""error" "parse""#, r#""error" "sort""#] {
        assert!(verdicts.get(verdict).is_some_and(|count| *count > 100), "{verdict}: {verdicts:?}");
    }
}

#[test]
fn the_model_says_who_it_is_and_refuses_the_rest() {
    let mut model = the_model();
    let version = env!("CARGO_PKG_VERSION");
    let expected = json!({"id": [1], "verdict": "version", "name": "lozenge-model", "version": version, "wire": 1});
    assert_eq!(without_message(&model.ask(r#"{"id":[1],"op":"version"}"#)), expected);
    let deep = format!(r#"{{"op":"check","id":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    for (request, kind, at) in [
        (r#"{"op":"infer","program":""}"#, "unsupported", "/op"),
        (r#"{"op":"solve","constraints":[],"claims":[]}"#, "unsupported", "/op"),
        (r#"{"op":"solve","constraints":[],"policy":{"guard":"strong"}}"#, "parse", "/policy/guard"),
        (r#"{"op":"close","constraints":[],"leaves":["a"],"limits":{"fuel":-1}}"#, "parse", "/leaves/0"),
        (r#"{"op":"fly"}"#, "unsupported", "/op"),
        (r#"{"op":3}"#, "parse", "/op"),
        (r#"{"op":"version","constraints":[]}"#, "parse", ""),
        (r#"{"op":"rank","args":[{"lead":[]}]}"#, "parse", "/args"),
        (r#"{"op":"rank","args":[]}"#, "parse", "/args"),
        (r#"{"op":"rank"}"#, "parse", ""),
        ("3", "parse", ""),
        ("", "parse", ""),
        (&deep, "limit", ""),
    ] {
        let answer = without_message(&model.ask(request));
        assert_eq!((answer["kind"].as_str(), answer["at"].as_str()), (Some(kind), Some(at)), "{request}: {answer}");
    }
    assert_eq!(model.ask(r#"{"op":"rank","args":[{"lead":[3],"trail":[4]}]}"#), r#"{"verdict":"value","value":2}"#);
}
