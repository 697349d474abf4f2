//! The hunt: programs whose outcome depends on a placement, a strategy or the order of statements
//! (Cor. 5.5(iv), spec/findings/H1.md).
//!
//! `LOZENGE_HUNT=1000000` asks for that many programs, `LOZENGE_SEED` for others, `LOZENGE_WITNESSES=1` for
//! small programs of each sort.
#![allow(missing_docs)]

use lozenge::closing::{Closing, close};
use lozenge::decide::{Decision, decide};
use lozenge::dim::Dim;
use lozenge::guard::ranks::has_rank_model;
use lozenge::program::ast::{StatementKind, Target};
use lozenge::program::generate::{Logic, Marker};
use lozenge::program::shape::Kind;
use lozenge::program::{Generated, InferError, Program, generate, infer, infer_with, parse};
use lozenge::solver::{Limits, Policy, Standing, Strategy, Verdict, solve};
use lozenge::subst::Map;
use lozenge::term::{DimTerm, RowTerm, RowVar, Term, Var};
use lozenge_harnesses::cases::{Cases, thousands};
use lozenge_harnesses::programs::{Numbers, program, reorder, shrink};
use std::collections::BTreeMap;
use std::io::Write;

/// A row: how many axes stand before the marker, and all axes.
type Axes = (usize, Vec<Dim>);

/// How inference ends. Shapes are of the tensors that have a name at the top.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    Shapes(BTreeMap<String, [Axes; 3]>),
    Unsat,
    Rejected,
    /// A commitment of closing does not fit.
    Closing,
    Hole,
    Limit,
    IllFormed,
}

/// How two outcomes differ, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Difference {
    None,
    /// The same axes, another marker.
    Markers,
    /// Both fail, not in the same way.
    Failures,
    /// Both have shapes, with other axes.
    Axes,
    /// Only one has shapes.
    Success,
}

fn policy(strategy: Strategy) -> Policy {
    Policy { strategy, limits: Limits { fuel: 1_000, ..Limits::default() }, ..Policy::default() }
}

/// Solves all constraints and closes: the last step of inference, under any strategy.
fn outcome(generated: &Generated, strategy: Strategy) -> Outcome {
    let mut names = generated.names.clone();
    match close(&generated.constraints, &mut names, &generated.tags, policy(strategy)) {
        Closing::Closed(closed) => {
            let axes = |row: lozenge::row::Row| (row.lead.len(), row.flat().collect());
            let shape =
                |id: usize| Kind::ALL.map(|kind| axes(closed.values.row(generated.tensors[id].shape.get(kind))));
            let named = generated.bindings.iter().filter(|(name, _)| !name.contains('#'));
            Outcome::Shapes(named.map(|(name, id)| (name.clone(), shape(*id))).collect())
        }
        Closing::Hole(_) => Outcome::Hole,
        Closing::Unsat(_) => Outcome::Unsat,
        Closing::Rejected(_, assumptions) if assumptions.is_empty() => Outcome::Rejected,
        Closing::Rejected(..) => Outcome::Closing,
        Closing::Limit(_) => Outcome::Limit,
    }
}

fn outcome_of(program: &Program) -> Outcome {
    generate(program).map_or(Outcome::IllFormed, |generated| outcome(&generated, Strategy::Fifo))
}

fn difference(one: &Outcome, other: &Outcome) -> Difference {
    match (one, other) {
        (one, other) if one == other => Difference::None,
        (Outcome::Shapes(one), Outcome::Shapes(other)) => {
            let flat = |shapes: &BTreeMap<String, [Axes; 3]>| -> Vec<Vec<Dim>> {
                shapes.values().flatten().map(|(_, axes)| axes.clone()).collect()
            };
            if flat(one) == flat(other) { Difference::Markers } else { Difference::Axes }
        }
        (Outcome::Shapes(_), _) | (_, Outcome::Shapes(_)) => Difference::Success,
        _ => Difference::Failures,
    }
}

/// Inference solves operation by operation before it closes: does it end otherwise than solving all at once?
fn by_operation(program: &Program, base: &Outcome) -> Difference {
    let ended = match infer_with(program, policy(Strategy::Fifo)) {
        // The shapes are those of closing; indices and parameters that nothing uses are looked at after it.
        Ok(_) if matches!(base, Outcome::Shapes(_)) => return Difference::None,
        Err(InferError::Index(_) | InferError::Hole(_)) if matches!(base, Outcome::Shapes(_) | Outcome::Hole) => {
            return Difference::None;
        }
        Ok(_) => return Difference::Success,
        Err(InferError::Program(_)) => Outcome::IllFormed,
        Err(InferError::Clash(clash)) if clash.certain => Outcome::Unsat,
        Err(InferError::Clash(clash)) if clash.closing => Outcome::Closing,
        Err(InferError::Clash(_)) => Outcome::Rejected,
        // The generator writes no axes whose size is worked out.
        Err(InferError::Hole(_) | InferError::Index(_) | InferError::Size(_)) => Outcome::Hole,
        Err(InferError::Limit(_)) => Outcome::Limit,
    };
    difference(base, &ended)
}

/// Under the other strategies: the largest difference.
fn by_strategy(generated: &Generated, base: &Outcome, seed: u64) -> Difference {
    let all = [Strategy::Lifo, Strategy::Rounds, Strategy::Random(seed)];
    // A refutation stands whatever the strategy is; one other run must not contradict it.
    let runs = if *base == Outcome::Unsat { 1 } else { all.len() };
    all.into_iter().take(runs).map(|s| difference(base, &outcome(generated, s))).max().unwrap_or(Difference::None)
}

/// Under other orders of the statements: the largest difference.
fn by_order(program: &Program, base: &Outcome, seed: u64, orders: u64) -> Difference {
    let other = |i| outcome_of(&reorder(program, &mut Numbers::of(seed, i)));
    (0..orders).map(|i| difference(base, &other(i))).max().unwrap_or(Difference::None)
}

/// What moving the marker of a placed row does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Moved {
    Nothing,
    /// A tensor has other axes after closing.
    Axes,
    /// Closing ends otherwise.
    Closing,
    /// The policy rejects.
    Rejected,
    /// There is no solution.
    Unsat,
}

/// The rows whose marker was placed by choice and whose axes are known to be so many.
fn placed(generated: &Generated, policy: Policy) -> Vec<(RowVar, usize, usize)> {
    let mut names = generated.names.clone();
    let Verdict::Solved(solved) = solve(&generated.constraints, &mut names, policy) else { return Vec::new() };
    let chosen = solved.forced().into_iter().filter(|(_, standing)| *standing != Standing::Entailed);
    let rows = chosen.filter_map(|(var, _)| match (var, solved.value(var)) {
        (Var::Row(var), Term::Row(value)) if value.is_closed() => Some((var, value.lead.len(), value.known_rank())),
        _ => None,
    });
    rows.filter(|(.., rank)| (1..=4).contains(rank)).collect()
}

/// The axes of every variable of the input after closing; none if closing fails.
fn closed(
    generated: &Generated,
    map: &Map,
    policy: Policy,
    extra: Option<(RowVar, &[DimTerm])>,
) -> Option<Vec<Vec<Dim>>> {
    let phi: Vec<_> = generated.constraints.iter().map(|c| map.apply_constraint(c)).collect();
    let mut tags = generated.tags.clone();
    if let Some((var, axes)) = extra {
        let fresh = axes.iter().filter_map(|t| if let DimTerm::Var(v) = t { Some(Var::Dim(*v)) } else { None });
        for tagged in [&mut tags.leaves, &mut tags.params] {
            if tagged.remove(&Var::Row(var)) {
                tagged.extend(fresh.clone());
            }
        }
    }
    let mut names = generated.names.clone();
    // The names must know the axes that the map made.
    extra.into_iter().flat_map(|(_, axes)| axes).for_each(|_| {
        names.fresh_dim();
    });
    let Closing::Closed(closed) = close(&phi, &mut names, &tags, policy) else { return None };
    let rows = generated.tensors.iter().flat_map(|t| Kind::ALL.map(|kind| t.shape.get(kind)));
    Some(rows.map(|row| closed.values.row(&map.apply_row(row)).flat().collect()).collect())
}

fn move_marker(generated: &Generated, (var, _, rank): (RowVar, usize, usize), lead: usize, policy: Policy) -> Moved {
    let mut names = generated.names.clone();
    let axes: Vec<DimTerm> = (0..rank).map(|_| names.fresh_dim().into()).collect();
    let map = Map::identity().with_row(var, RowTerm::new(axes[..lead].to_vec(), None, axes[lead..].to_vec()));
    let phi: Vec<_> = generated.constraints.iter().map(|c| map.apply_constraint(c)).collect();
    match solve(&phi, &mut names, policy) {
        Verdict::Unsat(_) => Moved::Unsat,
        Verdict::Rejected(_) | Verdict::Limit(_) => Moved::Rejected,
        Verdict::Solved(_) => {
            let before = closed(generated, &Map::identity(), policy, None);
            let after = closed(generated, &map, policy, Some((var, &axes)));
            match (before, after) {
                (Some(before), Some(after)) if before == after => Moved::Nothing,
                (None, None) => Moved::Nothing,
                (Some(_), Some(_)) => Moved::Axes,
                _ => Moved::Closing,
            }
        }
    }
}

/// One placed row, moved to one other place.
fn by_move(generated: &Generated, numbers: &mut Numbers) -> Option<Moved> {
    let policy = policy(Strategy::Fifo);
    let placed = placed(generated, policy);
    if placed.is_empty() {
        return None;
    }
    let it = placed[numbers.below(placed.len())];
    let (_, lead, rank) = it;
    let to = (lead + 1 + numbers.below(rank)) % (rank + 1);
    Some(move_marker(generated, it, to, policy))
}

/// Every placed row, moved to every other place: the largest effect.
fn by_every_move(program: &Program) -> Moved {
    let policy = policy(Strategy::Fifo);
    let Ok(generated) = generate(program) else { return Moved::Nothing };
    let all = placed(&generated, policy).into_iter();
    let places = all.flat_map(|it| (0..=it.2).filter(move |lead| *lead != it.1).map(move |lead| (it, lead)));
    places.map(|(it, lead)| move_marker(&generated, it, lead, policy)).max().unwrap_or(Moved::Nothing)
}

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
    declared && generated.operations.iter().all(operation)
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

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

/// A shape by inference, or how it fails.
fn inferred(text: &str, name: &str) -> String {
    match infer(&read(text)) {
        Ok(inference) => inference.show(name).unwrap_or_default(),
        Err(InferError::Clash(clash)) if clash.certain => "unsat".to_owned(),
        Err(InferError::Clash(_)) => "rejected".to_owned(),
        Err(_) => "other".to_owned(),
    }
}

fn verdict(text: &str, strategy: Strategy) -> &'static str {
    let generated = generate(&read(text)).expect(text);
    match solve(&generated.constraints, &mut generated.names.clone(), policy(strategy)) {
        Verdict::Solved(_) => "solved",
        Verdict::Unsat(_) => "unsat",
        Verdict::Rejected(_) => "rejected",
        Verdict::Limit(_) => "limit",
    }
}

#[test]
fn hunt_the_order_of_statements_decides_success() {
    let one = "input x\nlet a = x ++ \"k... => \"\nlet c = x + x\nlet d = c ++ \"j => \"\n";
    let other = "input x\nlet c = x + x\nlet d = c ++ \"j => \"\nlet a = x ++ \"k... => \"\n";
    assert_eq!((inferred(one, "c").as_str(), inferred(other, "c").as_str()), ("1∅", "rejected"));
}

#[test]
fn hunt_the_order_of_statements_decides_axes() {
    let (leaves, last) = ("input p\ninput q: 3, 9, 5\n", "let c = p + q\n");
    let (a, b) = ("let a = p ++ \"i...j => i\"\n", "let b = p ++ \"ij => i\"\n");
    let (one, other) = (format!("{leaves}{a}{b}{last}"), format!("{leaves}{b}{a}{last}"));
    assert_eq!((inferred(&one, "p").as_str(), inferred(&other, "p").as_str()), ("1∅, 5", "9, 5"));
    assert_eq!((inferred(&one, "c").as_str(), inferred(&other, "c").as_str()), ("1∅, 3, 9, 5", "3, 9, 5"));
}

#[test]
fn hunt_a_slice_decides_axes() {
    let (leaves, last) = ("input x\ninput q: 9, 3 | 1\n", "let c = x + q\n");
    let (a, b) = ("let a = x @| i\n", "let b = x ++ \"i|... => ...\"\n");
    let (one, other) = (format!("{leaves}{a}{b}{last}"), format!("{leaves}{b}{a}{last}"));
    assert_eq!((inferred(&one, "x").as_str(), inferred(&other, "x").as_str()), ("1∅ | 1", "3 | 1"));
    assert_eq!((inferred(&one, "c").as_str(), inferred(&other, "c").as_str()), ("1∅, 9, 3 | 1", "9, 3 | 1"));
}

/// Two deferred equations on one row: the one that asks for more axes is closed first, whatever the order.
#[test]
fn hunt_the_order_of_word_equations_does_not_matter() {
    let (leaf, c, d) = ("input x: 3\nlet a = x + x\n", "let c = a ++ \"i... => \"\n", "let d = a ++ \"ij... => \"\n");
    let (one, other) = (format!("{leaf}{c}{d}"), format!("{leaf}{d}{c}"));
    assert_eq!((inferred(&one, "a").as_str(), inferred(&other, "a").as_str()), ("1∅, 3", "1∅, 3"));
}

#[test]
fn hunt_the_strategy_decides_success() {
    let text = "input z: 3\nlet a = relu z\nlet b = z +* \"...j; k... => \" a\n";
    assert_eq!((verdict(text, Strategy::Fifo), verdict(text, Strategy::Lifo)), ("solved", "rejected"));
}

/// Solving operation by operation places d's marker before `a =: d` is seen; all at once it comes after.
#[test]
fn hunt_operation_by_operation_decides_success() {
    let text = "input x: 3\nlet a = x + x\nlet d = a ++ \"ii... => i...\"\nlet e = d ++ \"k => \"\na =: d\n";
    assert_eq!((verdict(text, Strategy::Fifo), inferred(text, "d").as_str()), ("solved", "rejected"));
}

#[test]
fn hunt_a_satisfiable_program_is_rejected() {
    let text = "input x: 3, 5\ninput q: 3, 9, 5\nlet y = x ++ \"ij => ij\"\nlet z = y + q\n";
    assert_eq!((verdict(text, Strategy::Fifo), inferred(text, "z").as_str()), ("rejected", "rejected"));
    let generated = generate(&read(text)).expect(text);
    let decided = decide(&generated.constraints, &mut generated.names.clone(), Policy::default(), 4);
    assert!(matches!(decided.decision, Decision::Sat(_)) && decided.branches > 0, "{decided:?}");
}
