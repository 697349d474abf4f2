//! How often outcomes differ.

use super::moves::{by_every_move, by_move};
use super::outcome::{Difference, Outcome, by_operation, by_order, by_strategy, outcome, outcome_of, policy};
use lozenge::decide::{Decision, decide};
use lozenge::guard::ranks::has_rank_model;
use lozenge::program::ast::{StatementKind, Target};
use lozenge::program::generate::{Logic, Marker};
use lozenge::program::shape::Kind;
use lozenge::program::{Generated, Program, generate};
use lozenge::solver::{Limits, Policy, Strategy, Verdict, solve};
use lozenge_harnesses::cases::{Cases, thousands};
use lozenge_harnesses::programs::{Numbers, program, shrink};
use lozenge_harnesses::systems::is_at_left_edge;
use std::collections::BTreeMap;
use std::io::Write;

/// Does every marker that is written stand at the left edge?
fn at_the_edge(program: &Program, generated: &Generated) -> bool {
    let declared = program.statements.iter().all(|s| match &s.kind {
        StatementKind::Input(d) | StatementKind::Param(d) | StatementKind::Const(d) => {
            d.shape.as_ref().is_none_or(|s| Kind::ALL.into_iter().all(|kind| s.rows.get(kind).lead.is_empty()))
        }
        _ => true,
    });
    let operation = |op: &lozenge::program::generate::Operation| {
        let row =
            |slot: &lozenge::program::einsum::SpecSlot| Kind::ALL.into_iter().all(|k| slot.row(k).lead.is_empty());
        op.logic != Logic::Slice && op.spec.iter().all(|it| it.spec.slots().all(row))
    };
    let is = declared && generated.operations.iter().all(operation);
    // Then R2 says what is so of its constraints.
    assert!(!is || is_at_left_edge(&generated.constraints), "{program}");
    is
}

/// Is every leaf declared without a row variable, and no tensor written twice?
fn closed_leaves(program: &Program, generated: &Generated) -> bool {
    let statement = program.statements.iter().all(|s| match &s.kind {
        StatementKind::Assign(a) => matches!(a.target, Target::New(_)),
        _ => true,
    });
    let open = |t: &lozenge::program::generate::Tensor| Kind::ALL.into_iter().any(|k| t.shape.get(k).var.is_some());
    statement && !generated.tensors.iter().any(|t| t.role.is_leaf() && open(t))
}

/// Has the program a slice?
fn slices(generated: &Generated) -> bool {
    generated.origins.iter().any(|o| o.marker == Marker::Slice)
}

#[derive(Default, Debug)]
struct Tally {
    counts: BTreeMap<String, u64>,
    /// The first programs of each sort.
    kept: BTreeMap<String, Vec<u64>>,
}

impl Tally {
    fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_insert(0) += 1;
    }

    fn found(&mut self, what: &str, case: u64) {
        self.count(what);
        let kept = self.kept.entry(what.to_owned()).or_default();
        if kept.len() < 12 {
            kept.push(case);
        }
    }

    fn merge(mut self, other: Tally) -> Tally {
        for (what, n) in other.counts {
            *self.counts.entry(what).or_insert(0) += n;
        }
        for (what, cases) in other.kept {
            self.kept.entry(what).or_default().extend(cases);
        }
        self
    }

    fn get(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }
}

/// One in so many of the searches is made.
const SEARCH_EVERY: u64 = 512;

fn examine(tally: &mut Tally, seed: u64, case: u64) {
    let it = program(seed, case);
    tally.count("programs");
    let Ok(generated) = generate(&it) else { return tally.found("ill-formed", case) };
    let base = outcome(&generated, Strategy::Fifo);
    let name = match &base {
        Outcome::Shapes(_) => "has shapes".to_owned(),
        other => format!("fails: {other:?}").to_lowercase(),
    };
    tally.count(&name);
    let mut classes = vec!["all"];
    classes.extend(at_the_edge(&it, &generated).then_some("edge"));
    classes.extend(closed_leaves(&it, &generated).then_some("closed"));
    classes.extend(slices(&generated).then_some("slices"));
    for class in &classes {
        tally.count(&format!("class {class}"));
    }
    let mut note = |what: String| {
        for class in &classes {
            tally.found(&format!("{class}: {what}"), case);
        }
    };
    match by_strategy(&generated, &base, case) {
        Difference::None => {}
        Difference::Success if base == Outcome::Unsat => note("contradiction".to_owned()),
        found => note(format!("strategy {found:?}")),
    }
    if base != Outcome::Unsat {
        match by_operation(&it, &base) {
            Difference::None => {}
            found => note(format!("operations {found:?}")),
        }
    }
    let orders = if base == Outcome::Unsat { 0 } else { 2 };
    match by_order(&it, &base, seed ^ case, orders) {
        Difference::None => {}
        found => note(format!("order {found:?}")),
    }
    if case.is_multiple_of(4)
        && let Some(moved) = by_move(&generated, &mut Numbers::of(!seed, case))
    {
        note(format!("moved {moved:?}"));
    }
    match needs_search(&generated) {
        false => note("decide alone".to_owned()),
        true if case.is_multiple_of(SEARCH_EVERY) => note(format!("decide searched {}", searched(&generated))),
        true => note("decide left".to_owned()),
    }
}

/// Does `decide` have to search beyond the deterministic run?
fn needs_search(generated: &Generated) -> bool {
    let phi = &generated.constraints;
    match solve(phi, &mut generated.names.clone(), policy(Strategy::Fifo)) {
        Verdict::Unsat(_) => false,
        Verdict::Solved(solved) => solved.greatest().is_none(),
        Verdict::Rejected(_) | Verdict::Limit(_) => has_rank_model(phi),
    }
}

/// What a short search finds.
fn searched(generated: &Generated) -> &'static str {
    let limits = Limits { fuel: 1_000, ..Limits::default() };
    let policy = Policy { limits, ..Policy::default() };
    match decide(&generated.constraints, &mut generated.names.clone(), policy, 3).decision {
        Decision::Sat(_) => "sat",
        Decision::Unsat => "unsat",
        Decision::Unknown { .. } => "unknown",
    }
}

fn hunt(seed: u64, programs: u64) -> Tally {
    let half = programs / 2;
    let run = |range: std::ops::Range<u64>| {
        let mut tally = Tally::default();
        range.for_each(|case| examine(&mut tally, seed, case));
        tally
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run(half..programs));
        let mine = run(0..half);
        mine.merge(other.join().expect("no panic"))
    })
}

fn say(text: &str) {
    // Past the capture of the test runner: the counts are the point of the run.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[test]
fn dependence_is_counted() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let (programs, seed) = (number("LOZENGE_HUNT").unwrap_or(20_000), number("LOZENGE_SEED").unwrap_or(5));
    let cases = Cases::of("dependence_is_counted");
    let tally = hunt(seed, programs);
    cases.many(tally.get("programs"));
    say(&format!("hunt: {} programs, seed {seed}", thousands(cases.covered())));
    for (what, n) in &tally.counts {
        say(&format!("  {what}: {}", thousands(*n)));
    }
    if std::env::var("LOZENGE_WITNESSES").is_ok() {
        witnesses(&tally, seed);
    }
    assert_eq!(cases.covered(), programs);
    assert_eq!(tally.get("ill-formed"), 0);
    assert!(4 * tally.get("has shapes") > programs, "a good share has shapes");
    assert_eq!(tally.get("all: contradiction"), 0, "what one run refutes, another does not solve");
    // Where every marker that is written stands at the left edge, nothing depends on strategy or order.
    for what in ["Markers", "Axes", "Success"] {
        assert_eq!(tally.get(&format!("edge: strategy {what}")), 0, "{what}");
        assert_eq!(tally.get(&format!("edge: order {what}")), 0, "{what}");
    }
    if number("LOZENGE_HUNT").is_none() {
        cases.finish();
    }
}

/// The smallest program that each kept one shrinks to.
fn witnesses(tally: &Tally, seed: u64) {
    type Keeps = Box<dyn Fn(&Program) -> bool>;
    for (what, kept) in &tally.kept {
        let (class, what) = what.split_once(": ").unwrap_or(("", what));
        let class = class.to_owned();
        let wanted = what.to_owned();
        let keeps: Keeps = match what.split_once(' ') {
            Some(("strategy", _)) => Box::new(move |p| {
                let Ok(g) = generate(p) else { return false };
                let d = by_strategy(&g, &outcome(&g, Strategy::Fifo), 7);
                wanted.ends_with(&format!(" {d:?}"))
            }),
            Some(("operations", _)) => {
                Box::new(move |p| wanted.ends_with(&format!(" {:?}", by_operation(p, &outcome_of(p)))))
            }
            Some(("order", _)) => Box::new(move |p| {
                let d = by_order(p, &outcome_of(p), 7, 24);
                wanted.ends_with(&format!(" {d:?}"))
            }),
            Some(("moved", "Nothing")) => continue,
            Some(("moved", _)) => Box::new(move |p| wanted.ends_with(&format!(" {:?}", by_every_move(p)))),
            Some(("decide", "searched sat")) => Box::new(move |p| {
                let Ok(g) = generate(p) else { return false };
                needs_search(&g) && searched(&g) == "sat" && outcome_of(p) == Outcome::Rejected
            }),
            _ => continue,
        };
        let keeps = |p: &Program| {
            let Ok(g) = generate(p) else { return false };
            let in_class = match class.as_str() {
                "edge" => at_the_edge(p, &g),
                "closed" => closed_leaves(p, &g),
                "slices" => slices(&g),
                _ => true,
            };
            in_class && keeps(p)
        };
        let shrunk = kept.iter().map(|case| program(seed, *case)).filter(|p| keeps(p)).take(4);
        let shrunk = shrunk.map(|p| shrink(p, keeps).to_string());
        let mut all: Vec<String> = shrunk.collect();
        all.sort_by_key(String::len);
        all.dedup();
        for text in all.iter().take(2) {
            say(&format!("--- {class}: {what}\n{text}"));
        }
    }
}
