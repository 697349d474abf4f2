//! The bridge from Coq to Rust for §7: elaboration, the projection solver, and what is read off index maps.
//!
//! As tests/tests/bridge.rs: the numbers of cases stand in spec/index.toml.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::infer;
use lozenge::program::shape::Kind;
use lozenge::projection::elaborate::Elaboration;
use lozenge::projection::record::STORAGE;
use lozenge::projection::{
    Atom, Classes, Conflict, Equation, Index, Label, Loop, MapAxis, Proj, Projected, Projections, Slot, project_all,
    solve,
};
use lozenge::term::{DimTerm, DimVar, RowTerm};
use lozenge_harnesses::programs::{Numbers, program};
use lozenge_tests::bridge::{Bridge, Table, large};
use serde_json::{Value, json};

fn index_json(index: &Index) -> Value {
    match index {
        Index::Fix(c) => json!({"fix": c}),
        Index::External(name) => json!({"external": name}),
    }
}

fn atom_json(atom: &Atom) -> Value {
    match atom {
        Atom::Proj(Proj(p)) => json!({"proj": p}),
        Atom::Sol(index) => index_json(index),
    }
}

fn equation_json(equation: &Equation) -> Value {
    match equation {
        Equation::Eq(q, r) => json!({"eq": [atom_json(q), atom_json(r)]}),
        Equation::Iter(q) => json!({"iter": atom_json(q)}),
    }
}

fn equations_json<'a>(equations: impl IntoIterator<Item = &'a Equation>) -> Value {
    equations.into_iter().map(equation_json).collect()
}

/// Sizes, with the ids numbered from 0.
fn axes_json(sizes: &[u64]) -> Value {
    sizes.iter().enumerate().map(|(p, size)| json!([p, size])).collect()
}

/// The outcome of core's solver: for each id the first id of its class, the pin and the mark; or the conflict.
fn core_classes(sizes: &[u64], equations: &[Equation]) -> Value {
    let indices =
        |word: &str, i: &Index, j: &Index| json!({"conflict": word, "indices": [index_json(i), index_json(j)]});
    match solve(sizes, equations) {
        Ok(Classes { of, classes }) => (of.iter().zip(sizes))
            .map(|(number, size)| {
                let class = &classes[*number];
                assert_eq!(class.size, *size, "a class has the size of its ids");
                let leader = of.iter().position(|other| other == number);
                json!({"leader": leader, "pin": class.pin.as_ref().map(index_json), "iterate": class.iterate})
            })
            .collect(),
        Err(Conflict::Sizes(m, n)) => json!({"conflict": "sizes", "sizes": [m, n]}),
        Err(Conflict::Pins(i, j)) => indices("pins", &i, &j),
        Err(Conflict::Given(i, j)) => indices("given", &i, &j),
        Err(Conflict::Unknown(_)) => json!({"conflict": "malformed"}),
    }
}

/// A conflict of the model in core's words: sizes in place of the axes that have them, and no axis beside pins.
fn in_cores_words(sizes: &[u64], mut said: Value) -> Value {
    if let Some(conflict) = said.as_object_mut() {
        conflict.remove("axis");
        if let Some(axes) = conflict.remove("axes") {
            let size = |p: &Value| p.as_u64().and_then(|p| sizes.get(usize::try_from(p).ok()?)).copied();
            let of: Value = axes.as_array().into_iter().flatten().map(|p| json!(size(p))).collect();
            conflict.insert("sizes".to_owned(), of);
        }
    }
    said
}

/// Every list of at most this many of these items.
fn lists<T: Clone>(of: &[T], longest: usize) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|list| of.iter().map(|x| [list.as_slice(), std::slice::from_ref(x)].concat()))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Every equation between three ids and two positions, in lists of at most three, over sizes 1 and 2.
#[test]
fn bridge_projection_solver() {
    let mut bridge = Bridge::of("bridge_projection_solver");
    let ids = (0..3).map(|p| Atom::Proj(Proj(p)));
    let mut atoms: Vec<Atom> = ids.chain((0..2).map(|c| Atom::Sol(Index::Fix(c)))).collect();
    if large() {
        atoms.push(Atom::Sol(Index::External("k".to_owned())));
    }
    let pairs = atoms.iter().flat_map(|q| atoms.iter().map(|r| Equation::Eq(q.clone(), r.clone())));
    let equations: Vec<Equation> = pairs.chain(atoms.iter().cloned().map(Equation::Iter)).collect();
    let sizes = Table::new(lists(&[1, 2], 3).into_iter().filter(|sizes| sizes.len() == 3), |sizes| axes_json(sizes));
    let equations = Table::new(lists(&equations, 3), |list| equations_json(list));
    let put = |sizes: &Vec<u64>, _: &Vec<Equation>, said| in_cores_words(sizes, said);
    bridge.pairs_as("classes", (&sizes, &equations), put, |sizes, equations| core_classes(sizes, equations));
    bridge.finish();
}

/// Many ids in hidden classes: most equations stay inside one, so that most sets have no conflict.
fn random_equations(numbers: &mut Numbers) -> (Vec<u64>, Vec<Equation>) {
    let count = 1 + numbers.below(60);
    let hidden: Vec<usize> = (0..count).map(|_| numbers.below(12)).collect();
    let sizes = hidden.iter().map(|class| 1 + *class as u64 % 5).collect();
    let given = |class: usize| match class % 3 {
        0 => Index::Fix(class as u64),
        _ => Index::External(format!("k{class}")),
    };
    let stray = numbers.percent(40);
    let equations = (0..numbers.below(120)).map(|_| {
        let p = numbers.below(count);
        let class = if stray && numbers.below(40) == 0 { numbers.below(12) } else { hidden[p] };
        let alike: Vec<usize> = (0..count).filter(|q| hidden[*q] == class).collect();
        let id = |p: usize| Atom::Proj(Proj(u32::try_from(p).unwrap_or(0)));
        let pin = Atom::Sol(given(class));
        match numbers.below(10) {
            0..6 if !alike.is_empty() => Equation::Eq(id(p), id(alike[numbers.below(alike.len())])),
            6 => Equation::Eq(id(p), pin),
            7 => Equation::Eq(pin, id(p)),
            8 => Equation::Eq(pin, Atom::Sol(given(hidden[p]))),
            _ => Equation::Iter(id(p)),
        }
    });
    let equations = equations.collect();
    (sizes, equations)
}

#[test]
fn bridge_projection_solver_at_random() {
    let mut bridge = Bridge::of("bridge_projection_solver_at_random");
    let (mut solved, mut conflicts) = (0, 0);
    for case in 0..4_000 {
        let (sizes, equations) = random_equations(&mut Numbers::of(7, case));
        let core = core_classes(&sizes, &equations);
        if core.is_array() {
            solved += 1
        } else {
            conflicts += 1
        }
        let one = Table::new([sizes], |sizes| axes_json(sizes));
        let other = Table::new([equations], |list| equations_json(list));
        bridge.pairs_as("classes", (&one, &other), |sizes, _, said| in_cores_words(sizes, said), |_, _| core.clone());
    }
    assert!(solved > 1_000 && conflicts > 400, "{solved} solved, {conflicts} conflicts");
    bridge.finish();
}

/// An id that is not there: core stops when it meets it, the model before it begins.
#[test]
fn unknown_ids_are_refused_by_both() {
    let mut bridge = Bridge::of("unknown_ids_are_refused_by_both");
    let equations = Table::new([vec![Equation::Iter(Atom::Proj(Proj(3)))]], |list| equations_json(list));
    let sizes = Table::new([vec![2, 2]], |sizes| axes_json(sizes));
    bridge.pairs("classes", &sizes, &equations, |sizes, equations| core_classes(sizes, equations));
}

/// A row of so many leading and trailing ids, from this one on.
fn ids(first: &mut u32, vars: &[DimVar], lead: usize, trail: usize) -> RowTerm {
    let mut take = |n: usize| -> Vec<DimTerm> {
        let taken = vars[*first as usize..][..n].iter().map(|v| DimTerm::Var(*v)).collect();
        *first += u32::try_from(n).unwrap_or(0);
        taken
    };
    let lead = take(lead);
    RowTerm::new(lead, None, take(trail))
}

/// Every inequality of rows with flanks up to two, every equation of rows with flanks up to two, and both
/// relations between two axes; every axis of size 1 or 2.
#[test]
fn bridge_elaboration() {
    let mut bridge = Bridge::of("bridge_elaboration");
    let mut names = Names::new();
    let vars: Vec<DimVar> = (0..8).map(|_| names.fresh_dim()).collect();
    let number = |t: &DimTerm| vars.iter().position(|v| DimTerm::Var(*v) == *t).unwrap_or(0);
    let mut cases = Vec::new();
    let mut add = |phi: Constraint, count: usize| {
        for mask in 0..1_u32 << count {
            let sizes: Vec<u64> = (0..count).map(|p| 1 + u64::from(mask >> p & 1)).collect();
            let axis = |t: &DimTerm| json!({"at": {"proj": number(t)}, "dim": sizes[number(t)]});
            let flank = |terms: &[DimTerm]| terms.iter().map(axis).collect::<Value>();
            let row = |row: &RowTerm| json!({"lead": flank(&row.lead), "trail": flank(&row.trail)});
            let json = match &phi {
                Constraint::DimEq(a, b) => json!({"eq": [axis(a), axis(b)]}),
                Constraint::DimLe(a, b) => json!({"le": [axis(a), axis(b)]}),
                Constraint::RowEq(a, b) => json!({"eq": [row(a), row(b)]}),
                Constraint::RowLe(a, b) => json!({"le": [row(a), row(b)]}),
            };
            let mut elaboration = Elaboration::new(&sizes);
            elaboration.constraint(&phi);
            cases.push((vec![json], equations_json(elaboration.equations.iter().map(|it| &it.equation))));
        }
    };
    add(Constraint::DimEq(vars[0].into(), vars[1].into()), 2);
    add(Constraint::DimLe(vars[0].into(), vars[1].into()), 2);
    for (l2, r2, l1, r1) in (0..81).map(|i| (i / 27, i / 9 % 3, i / 3 % 3, i % 3)) {
        let mut first = 0;
        let (res, op) = (ids(&mut first, &vars, l2, r2), ids(&mut first, &vars, l1, r1));
        if l1 <= l2 && r1 <= r2 {
            add(Constraint::RowLe(res.clone(), op.clone()), first as usize);
        }
        if l1 + r1 == l2 + r2 {
            add(Constraint::RowEq(res, op), first as usize);
        }
    }
    bridge.cases("elaborate", &cases);
    bridge.finish();
}

fn label_json(label: &Label) -> Value {
    match label {
        Label::Iter(i) => json!({"iter": i}),
        Label::At(index) => index_json(index),
        Label::Affine(_) | Label::Concat(_) => panic!("a label of §8: the Coq side has those of Def. 7.3"),
    }
}

/// What is read off the map of the result: reductions, injective, surjective, and what the target needs.
fn read_off(bridge: &mut Bridge, record: &Projections) {
    let loops: Value = record.loops.iter().map(|it| it.size).collect::<Vec<_>>().into();
    let map: Value = record.lhs.iter().map(|axis| label_json(&axis.label)).collect();
    let dims: Value = record.lhs.iter().map(|axis| axis.size).collect::<Vec<_>>().into();
    let of = |arguments: &[&Value], core: Value| [(arguments.iter().map(|json| (*json).clone()).collect(), core)];
    bridge.cases("reductions", &of(&[&loops, &map], record.reductions().into()));
    bridge.cases("injectiveb", &of(&[&loops, &map], record.is_injective().into()));
    bridge.cases("surjectiveb", &of(&[&map, &dims], record.is_surjective().into()));
    for erase in [false, true] {
        let reads = record.reads_back(Slot::Lhs, erase);
        bridge.cases("needs_accumulation", &of(&[&erase.into(), &loops, &map], reads.into()));
        let init = record.needs_init(Slot::Lhs, erase);
        bridge.cases("needs_init", &of(&[&erase.into(), &loops, &map, &dims], init.into()));
    }
}

/// Up to three loops of sizes 2 and 3, and every map of up to three axes that fits them: each axis has an
/// iterator, or is at 0 with size 1 or 2.
#[test]
fn bridge_index_maps() {
    let mut bridge = Bridge::of("bridge_index_maps");
    for sizes in lists(&[2, 3], 3) {
        let loops: Vec<Loop> =
            sizes.iter().enumerate().map(|(i, size)| Loop { name: format!("i{i}"), size: *size }).collect();
        let iterated = sizes.iter().enumerate().map(|(i, size)| (Label::Iter(i), *size));
        let pinned = [1, 2].map(|size| (Label::At(Index::Fix(0)), size));
        let axes: Vec<MapAxis> =
            iterated.chain(pinned).map(|(label, size)| MapAxis { label, size, kind: Kind::Output }).collect();
        for lhs in lists(&axes, 3) {
            read_off(&mut bridge, &Projections { loops: loops.clone(), lhs, rhs: Vec::new(), coupled: Vec::new() });
        }
    }
    bridge.finish();
}

/// The ids of an operation in the order in which core gives out iterators: by tensor, then as stored.
fn in_order(nest: &Projected) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nest.axes.len()).collect();
    order.sort_by_key(|p| {
        let axis = nest.axes[*p];
        (axis.slot, STORAGE.iter().position(|kind| *kind == axis.kind), axis.position)
    });
    order
}

/// Operations of random programs: the loops and labels that core writes are those of the model.
#[test]
fn bridge_programs_at_random() {
    let mut bridge = Bridge::of("bridge_programs_at_random");
    let (mut operations, mut reductions, mut pinned) = (0, 0, 0);
    for case in 0..1_500 {
        let program = program(11, case);
        let Ok(inferred) = infer(&program) else { continue };
        let nests = project_all(&inferred).unwrap_or_else(|error| panic!("Lemma 7.7: {error}\n{program}"));
        for nest in nests {
            let record = &nest.record;
            let axes: Value = in_order(&nest).into_iter().map(|p| json!([p, nest.axes[p].size])).collect();
            let equations = equations_json(nest.equations.iter().map(|it| &it.equation));
            let loops: Value = record.loops.iter().map(|it| it.size).collect::<Vec<_>>().into();
            let maps: Vec<&MapAxis> = record.slots().flat_map(|slot| record.map(slot)).collect();
            let labels: Value = maps.iter().map(|axis| label_json(&axis.label)).collect();
            bridge.cases("nest", &[(vec![axes, equations], json!({"loops": loops, "labels": labels}))]);
            read_off(&mut bridge, record);
            operations += 1;
            reductions += usize::from(!record.reductions().is_empty());
            pinned += usize::from(maps.iter().any(|axis| axis.size > 1 && matches!(axis.label, Label::At(_))));
        }
    }
    assert!(operations > 1_000 && reductions > 40 && pinned > 20, "{operations}, {reductions}, {pinned}");
    bridge.finish();
}
