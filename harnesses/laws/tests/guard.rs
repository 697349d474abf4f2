//! The guard: Prop. 4.6, and R1a–R1c of spec/findings/R1.md, exhaustively and by the million.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::row::Row;
use lozenge::semantics::{Ground, Universe, holds, sol};
use lozenge::solver::differences::{Differences, Edge};
use lozenge::solver::{GuardPolicy, Limits, Policy, Strategy, Verdict, solve};
use lozenge::term::{DimTerm, RowTerm, RowVar};
use lozenge_harnesses::cases::{Cases, random, thousands};
use lozenge_harnesses::domains::sequences;
use lozenge_harnesses::systems::{STRATEGIES, flanks, row_terms, simpler, three, two, with};
use quickcheck::{Arbitrary, Gen};
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Four row variables and two dimension variables.
struct Vars {
    names: Names,
    rows: [RowVar; 4],
    dims: [DimTerm; 2],
}

static VARS: LazyLock<Vars> = LazyLock::new(|| {
    let mut names = Names::new();
    let rows = ["p", "q", "r", "s"].map(|name| names.row_var(name).expect("a new name"));
    let dims = ["a", "b"].map(|name| names.dim_var(name).expect("a new name").into());
    Vars { names, rows, dims }
});

fn text(phi: &[Constraint]) -> String {
    phi.iter().map(|c| VARS.names.show(c).to_string()).collect::<Vec<_>>().join("; ")
}

/// The vertices 0, p, q, … of a graph with this many variables.
fn vertices(variables: usize) -> Vec<Vertex> {
    std::iter::once(None).chain(VARS.rows.iter().take(variables).copied().map(Some)).collect()
}

/// Every fact between these vertices with one of these weights.
fn facts(vertices: &[Vertex], weights: &[i64], taints: &[bool]) -> Vec<Fact> {
    let mut all = Vec::new();
    for &greater in vertices {
        for &lesser in vertices {
            for &weight in weights {
                all.extend(taints.iter().map(|&tainted| Fact { greater, lesser, weight, step: 0, tainted }));
            }
        }
    }
    all
}

/// The numbers that a solution of facts gives the vertices; 0 is given 0.
type Numbers = Vec<i64>;

fn at(vertices: &[Vertex], numbers: &[i64], x: Vertex) -> i64 {
    vertices.iter().position(|v| *v == x).map_or(0, |i| numbers[i])
}

/// The least solution in ℕ, found by raising what is violated: as often as there are vertices, else never.
fn least_by_rounds(vertices: &[Vertex], facts: &[Fact]) -> Option<Numbers> {
    let mut numbers = vec![0; vertices.len()];
    for _ in 0..=vertices.len() {
        let mut quiet = true;
        for fact in facts {
            let needed = at(vertices, &numbers, fact.lesser) + fact.weight;
            if at(vertices, &numbers, fact.greater) < needed {
                let place = vertices.iter().position(|v| *v == fact.greater)?;
                numbers[place] = needed;
                quiet = false;
            }
        }
        if numbers[0] > 0 {
            return None;
        }
        if quiet {
            return Some(numbers);
        }
    }
    None
}

/// The least solution in ℕ, found by trying all numbers up to a bound that no least solution exceeds.
fn least_by_trying(vertices: &[Vertex], facts: &[Fact]) -> Option<Numbers> {
    let bound: i64 = facts.iter().map(|f| f.weight.max(0)).sum();
    let mut all: Vec<Numbers> = vec![vec![0]];
    for _ in &vertices[1..] {
        all = all.iter().flat_map(|n| (0..=bound).map(move |k| [n.as_slice(), &[k]].concat())).collect();
    }
    let solves = |n: &Numbers| facts.iter().all(|f| at(vertices, n, f.greater) >= at(vertices, n, f.lesser) + f.weight);
    let solutions: Vec<Numbers> = all.into_iter().filter(solves).collect();
    let least = solutions.iter().find(|n| solutions.iter().all(|m| n.iter().zip(m).all(|(k, l)| k <= l)));
    assert_eq!(least.is_some(), !solutions.is_empty(), "difference constraints have a least solution");
    least.cloned()
}

/// Is this a cycle of these facts with positive weight? A step v ≥ 0 is implicit where it ends at v and begins at 0.
fn is_positive_cycle(cycle: &[Fact], facts: &[Fact]) -> bool {
    let chained = cycle.windows(2).all(|pair| pair[0].lesser == pair[1].greater);
    let closes = match (cycle.first(), cycle.last()) {
        (Some(first), Some(last)) => first.greater == last.lesser || first.greater.is_none(),
        _ => false,
    };
    chained && closes && cycle.iter().all(|f| facts.contains(f)) && cycle.iter().map(|f| f.weight).sum::<i64>() > 0
}

/// Adds every fact in turn to facts that have a solution, to this depth, and compares with an oracle.
struct Grow<'a> {
    vertices: &'a [Vertex],
    each: &'a [Fact],
    least: fn(&[Vertex], &[Fact]) -> Option<Numbers>,
    cases: &'a Cases,
}

impl Grow<'_> {
    fn check(&self, graph: &Differences, so_far: &mut Vec<Fact>, depth: usize) {
        for fact in self.each {
            self.cases.one();
            let mut graph = graph.clone();
            so_far.push(*fact);
            let least = (self.least)(self.vertices, so_far);
            match graph.add(*fact) {
                Ok(()) => {
                    let values: Numbers = self.vertices.iter().map(|x| graph.value(*x)).collect();
                    assert_eq!(Some(values), least, "{so_far:?}");
                    if depth > 1 {
                        self.check(&graph, so_far, depth - 1);
                    }
                }
                Err(cycle) => {
                    assert_eq!(least, None, "{so_far:?}");
                    assert!(is_positive_cycle(&cycle, so_far), "{so_far:?} gives {cycle:?}");
                    if cycle.iter().any(|f| f.tainted) {
                        let untainted: Vec<Fact> = so_far.iter().filter(|f| !f.tainted).copied().collect();
                        assert!((self.least)(self.vertices, &untainted).is_some(), "{so_far:?} gives {cycle:?}");
                    }
                }
            }
            so_far.pop();
        }
    }
}

/// Prop. 4.6 by trying all numbers: three facts over 0, p, q, tainted or not.
#[test]
fn prop_4_6_by_trying() {
    let cases = Cases::of("prop_4_6_by_trying");
    let vertices = vertices(2);
    let each = facts(&vertices, &[-2, -1, 0, 1, 2], &[false, true]);
    let grow = Grow { vertices: &vertices, each: &each, least: least_by_trying, cases: &cases };
    grow.check(&Differences::default(), &mut Vec::new(), 3);
    cases.finish();
}

/// Prop. 4.6 by rounds of raising: four facts over 0, p, q, r.
#[test]
fn prop_4_6_by_rounds() {
    let cases = Cases::of("prop_4_6_by_rounds");
    let vertices = vertices(3);
    let each = facts(&vertices, &[-1, 0, 1], &[false]);
    let grow = Grow { vertices: &vertices, each: &each, least: least_by_rounds, cases: &cases };
    grow.check(&Differences::default(), &mut Vec::new(), 4);
    cases.finish();
}

/// A list without one of its items, each in turn.
fn without_one<T: Clone + 'static>(all: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
    let all = all.to_vec();
    (0..all.len()).map(move |i| [&all[..i], &all[i + 1..]].concat())
}

/// Twelve facts over 0 and four variables, with weights up to three.
#[derive(Clone, Debug)]
struct ManyFacts(Vec<Fact>);

impl Arbitrary for ManyFacts {
    fn arbitrary(g: &mut Gen) -> Self {
        let all = facts(&vertices(4), &[-3, -2, -1, -1, 0, 0, 1, 1, 2], &[false, false, true]);
        ManyFacts((0..12).filter_map(|_| g.choose(&all).copied()).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(without_one(&self.0).map(ManyFacts))
    }
}

/// Prop. 4.6 on longer lists of facts: the least solution after every fact, a positive cycle at the first that fails.
#[test]
fn prop_4_6_at_random() {
    random("prop_4_6_at_random", 200_000, |ManyFacts(all): ManyFacts| {
        let vertices = vertices(4);
        let mut graph = Differences::default();
        for (i, fact) in all.iter().enumerate() {
            let so_far = &all[..=i];
            let least = least_by_rounds(&vertices, so_far);
            match graph.add(*fact) {
                Ok(()) => {
                    let values: Numbers = vertices.iter().map(|x| graph.value(*x)).collect();
                    if Some(values) != least {
                        return false;
                    }
                }
                Err(cycle) => {
                    let untainted: Vec<Fact> = so_far.iter().filter(|f| !f.tainted).copied().collect();
                    let tainted = cycle.iter().any(|f| f.tainted);
                    let preferred = !tainted || least_by_rounds(&vertices, &untainted).is_some();
                    return least.is_none() && is_positive_cycle(&cycle, so_far) && preferred;
                }
            }
        }
        true
    });
}

/// Pairs of edges, as a binding records them: each with another weight in the second graph.
#[derive(Clone, Debug)]
struct TwoGraphs(Vec<[(Fact, i64); 2]>);

impl Arbitrary for TwoGraphs {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut one = || {
            let ManyFacts(facts) = ManyFacts::arbitrary(g);
            (facts[0], facts[1].weight)
        };
        TwoGraphs((0..8).map(|_| [one(), one()]).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(without_one(&self.0).map(TwoGraphs))
    }
}

/// Two graphs over one list of edges are two graphs: the same facts, and the same cycle in the same graph first.
#[test]
fn prop_4_6_two_graphs_in_one() {
    random("prop_4_6_two_graphs_in_one", 200_000, |TwoGraphs(pairs): TwoGraphs| {
        let (mut both, mut apart) = (Differences::<2>::default(), [Differences::default(), Differences::default()]);
        for pair in pairs {
            let edges = pair.map(|(Fact { greater, lesser, weight, step, tainted }, other)| Edge {
                greater,
                lesser,
                weights: [weight, other],
                step,
                tainted,
            });
            let facts = [pair.map(|(fact, _)| fact), pair.map(|(fact, weight)| Fact { weight, ..fact })];
            let one_by_one = apart.iter_mut().zip(facts).enumerate().try_for_each(|(graph, (alone, facts))| {
                facts.into_iter().try_for_each(|fact| alone.add(fact)).map_err(|cycle| (graph, cycle))
            });
            let at_once = both.add_edges(edges);
            let same = |graph: usize| both.facts(graph).eq(apart[graph].facts(0));
            if at_once != one_by_one || !same(0) || !same(1) {
                return false;
            }
            if at_once.is_err() {
                return true;
            }
        }
        true
    });
}

/// A fact that closes two cycles at once, one through 0 and one beside it: what the second rests on goes round, and the
/// way back to 0 must not follow it for ever.
#[test]
fn prop_4_6_two_cycles_at_once() {
    let [p, q, ..] = VARS.rows.map(Some);
    let fact = |greater, lesser, weight| Fact { greater, lesser, weight, step: 0, tainted: false };
    let mut graph = Differences::default();
    let all = [fact(None, p, -1), fact(q, p, 1), fact(p, q, 1)];
    assert!(graph.add(all[0]).is_ok() && graph.add(all[1]).is_ok());
    assert!(graph.add(all[2]).is_err_and(|cycle| is_positive_cycle(&cycle, &all)));

    let mut names = Names::new();
    let system = "<r> <= <p>\n<p> ~ <s> [unit]\n[] <> [] <= <s>\n<s> ~ <r>";
    let phi = parse_system(system, &mut names).expect("constraints");
    for strategy in STRATEGIES {
        assert!(matches!(solve(&phi, &mut names.clone(), with(strategy)), Verdict::Rejected(_)), "{strategy:?}");
    }
}

/// A set of rows, by number.
type Set = [u64; 3];

fn members(set: Set) -> impl Iterator<Item = usize> {
    set.into_iter()
        .enumerate()
        .flat_map(|(word, bits)| (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit))
}

fn both(one: Set, two: Set) -> Set {
    [one[0] & two[0], one[1] & two[1], one[2] & two[2]]
}

/// Row terms around p, q, r or closed, every inequality between them, and brute force over a universe that is large
/// enough: if Φ has a solution, it has one whose flanks are no longer than all the flanks of Φ on that side together,
/// with no other atoms than those of Φ. (Cut each flank from the inside to the length it has in the least solution of
/// the length facts, and put 1∅ for other atoms: the inequalities still hold, entry by entry.)
struct Inequalities {
    terms: Vec<RowTerm>,
    /// The place of each term's flanks among all pairs of flanks.
    flanks: Vec<usize>,
    pairs: usize,
    universe: Vec<Row>,
    /// For each pair of flanks around the result and around the operand: for each value of the result's variable,
    /// the values of the operand's with which the inequality holds; and the other way round.
    upwards: Vec<Vec<Set>>,
    downwards: Vec<Vec<Set>>,
}

impl Inequalities {
    fn new(entries: &[DimTerm], longest: usize, universe: Vec<Row>) -> Self {
        assert!(universe[0] == Row::EMPTY && universe.len() <= 192);
        let [p, q, r, _] = VARS.rows;
        let flanks = flanks(entries, longest);
        let terms = row_terms(&flanks, &[p, q, r]);
        let around: Vec<RowTerm> = row_terms(&flanks, &[p]).into_iter().filter(|t| t.var.is_some()).collect();
        let place = |t: &RowTerm| around.iter().position(|a| a.lead == t.lead && a.trail == t.trail);
        let places = terms.iter().map(|t| place(t).expect("one of the pairs")).collect();
        let value = |term: &RowTerm, row: &Row| {
            let gamma = Ground { rows: [(p, row.clone())].into(), ..Ground::default() };
            gamma.row(term)
        };
        let values: Vec<Vec<Row>> = around.iter().map(|t| universe.iter().map(|row| value(t, row)).collect()).collect();
        let table = |one: &[Row], other: &[Row], le: fn(&Row, &Row) -> bool| -> Vec<Set> {
            let set = |x: &Row| {
                let mut set = [0; 3];
                for (i, _) in other.iter().enumerate().filter(|(_, y)| le(x, y)) {
                    set[i / 64] |= 1 << (i % 64);
                }
                set
            };
            one.iter().map(set).collect()
        };
        let pairs: Vec<(&Vec<Row>, &Vec<Row>)> =
            values.iter().flat_map(|s| values.iter().map(move |t| (s, t))).collect();
        let upwards = pairs.iter().map(|(s, t)| table(s, t, |res, op| res.le(op))).collect();
        let downwards = pairs.iter().map(|(s, t)| table(t, s, |op, res| res.le(op))).collect();
        Inequalities { pairs: around.len(), terms, flanks: places, universe, upwards, downwards }
    }

    /// The number of inequalities. The one of number n is terms[n / |terms|] ⊑ terms[n % |terms|].
    fn len(&self) -> usize {
        self.terms.len() * self.terms.len()
    }

    fn inequality(&self, number: usize) -> Constraint {
        let (s, t) = (number / self.terms.len(), number % self.terms.len());
        Constraint::RowLe(self.terms[s].clone(), self.terms[t].clone())
    }

    /// Does brute force find values for p, q and r?
    fn satisfiable(&self, numbers: &[usize]) -> bool {
        let size = self.universe.len();
        let everything: Set = [0, 1, 2].map(|word| match size.saturating_sub(word * 64) {
            0 => 0,
            rest if rest < 64 => (1 << rest) - 1,
            _ => u64::MAX,
        });
        // Each constraint as (variable of the result, variable of the operand, tables); a closed row is an open one
        // around the empty row.
        let of = |number: usize| {
            let (s, t) = (number / self.terms.len(), number % self.terms.len());
            let table = self.flanks[s] * self.pairs + self.flanks[t];
            let variable = |term: usize| self.terms[term].var.and_then(|v| VARS.rows.iter().position(|w| *w == v));
            (variable(s), variable(t), table)
        };
        let constraints: Vec<_> = numbers.iter().map(|n| of(*n)).collect();
        let mut domains = [everything; 3];
        for &(s, t, table) in &constraints {
            match (s, t) {
                (None, None) if self.upwards[table][0][0] & 1 == 0 => return false,
                (None, Some(t)) => domains[t] = both(domains[t], self.upwards[table][0]),
                (Some(s), None) => domains[s] = both(domains[s], self.downwards[table][0]),
                (Some(s), Some(t)) if s == t => {
                    let fixed = |x: &usize| self.upwards[table][*x][x / 64] >> (x % 64) & 1 == 1;
                    let kept = members(domains[s]).filter(fixed).fold([0; 3], |mut set: Set, x| {
                        set[x / 64] |= 1 << (x % 64);
                        set
                    });
                    domains[s] = kept;
                }
                _ => {}
            }
        }
        // What is left ties two variables each: try every value of one after the other.
        let tied: Vec<_> = constraints.iter().filter_map(|&(s, t, table)| Some((s?, t?, table))).collect();
        let narrowed = |domains: &[Set; 3], var: usize, value: usize| {
            let mut domains = *domains;
            for &(s, t, table) in tied.iter().filter(|(s, t, _)| s != t) {
                if s == var {
                    domains[t] = both(domains[t], self.upwards[table][value]);
                } else if t == var {
                    domains[s] = both(domains[s], self.downwards[table][value]);
                }
            }
            domains
        };
        members(domains[0]).any(|x| {
            let domains = narrowed(&domains, 0, x);
            members(domains[1]).any(|y| narrowed(&domains, 1, y)[2] != [0; 3])
        })
    }

    /// For each symmetry (renaming of variables, mirror image, renaming of atoms) where it sends each inequality.
    fn symmetries(&self, exchanged: [DimTerm; 2]) -> Vec<Vec<usize>> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut all = Vec::new();
        for order in orders {
            for mirrored in [false, true] {
                for renamed in [false, true] {
                    let entry = |t: &DimTerm| match exchanged.iter().position(|e| e == t) {
                        Some(i) if renamed => exchanged[1 - i],
                        _ => *t,
                    };
                    let image = |term: &RowTerm| {
                        let var =
                            term.var.map(|v| VARS.rows[order[VARS.rows.iter().position(|w| *w == v).unwrap_or(0)]]);
                        let flank = |flank: &[DimTerm]| flank.iter().map(entry).collect::<Vec<_>>();
                        let (mut lead, mut trail) = (flank(&term.lead), flank(&term.trail));
                        if mirrored {
                            (lead, trail) = (trail.into_iter().rev().collect(), lead.into_iter().rev().collect());
                        }
                        let image = RowTerm::new(lead, var, trail);
                        self.terms.iter().position(|t| *t == image).expect("closed under symmetries")
                    };
                    let terms: Vec<usize> = self.terms.iter().map(image).collect();
                    let n = self.terms.len();
                    all.push((0..n * n).map(|c| terms[c / n] * n + terms[c % n]).collect());
                }
            }
        }
        all
    }
}

/// Is this sorted list the first of those that symmetries make of it?
fn is_first<const N: usize>(system: [usize; N], symmetries: &[Vec<usize>]) -> bool {
    symmetries.iter().all(|image| {
        let mut other = system.map(|c| image[c]);
        other.sort_unstable();
        system <= other
    })
}

/// How other guards fare.
struct Others {
    systems: AtomicU64,
    paper_endless: AtomicU64,
    paper_wrong: AtomicU64,
    none_endless: AtomicU64,
}

impl Others {
    const fn new() -> Self {
        Others {
            systems: AtomicU64::new(0),
            paper_endless: AtomicU64::new(0),
            paper_wrong: AtomicU64::new(0),
            none_endless: AtomicU64::new(0),
        }
    }

    /// Runs Φ under the guard of Def. 4.5 and under none, as long as it seems worth while. Without a guard, runs on
    /// satisfiable inequalities end (spec/5-metatheory.md, 5.2).
    fn count(&self, phi: &[Constraint], strategy: Strategy, satisfiable: bool, inequalities: bool) {
        let limits = Limits { fuel: 2_000, rank: 40, ..Limits::default() };
        let run = |guard| solve(phi, &mut VARS.names.clone(), Policy { guard, strategy, limits, ..Policy::default() });
        let one = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        one(&self.systems);
        match run(GuardPolicy::Paper) {
            Verdict::Limit(_) => one(&self.paper_endless),
            Verdict::Unsat(_) | Verdict::Rejected(_) if satisfiable && inequalities => one(&self.paper_wrong),
            _ => 0,
        };
        if let Verdict::Limit(_) = run(GuardPolicy::None) {
            assert!(!satisfiable || !inequalities, "no end without a guard, though satisfiable: {}", text(phi));
            one(&self.none_endless);
        }
    }

    /// Says how often they failed, past the capture of the test runner.
    fn report(&self, harness: &str) {
        let counters = [&self.systems, &self.paper_endless, &self.paper_wrong, &self.none_endless];
        let [systems, endless, wrong, none] = counters.map(|counter| counter.load(Ordering::Relaxed));
        let line = format!(
            "{harness}: of {} systems, Def. 4.5 had no end on {} and rejected {} that have a solution; without a guard {} had no end",
            thousands(systems),
            thousands(endless),
            thousands(wrong),
            thousands(none)
        );
        let _ = writeln!(std::io::stderr(), "{line}");
        assert!(endless > 0 && none > 0, "{line}");
    }
}

/// R1b and R1c for one inequality-only system under every strategy: the run ends; solved iff satisfiable; γ↑ solves.
fn decided(phi: &[Constraint], satisfiable: bool) {
    for strategy in STRATEGIES {
        match solve(phi, &mut VARS.names.clone(), with(strategy)) {
            Verdict::Solved(solved) => {
                let gamma = solved.greatest().unwrap_or_else(|| panic!("no γ↑: {}", text(phi)));
                assert!(phi.iter().all(|c| holds(&gamma, c)), "γ↑ is no solution: {}", text(phi));
                assert!(satisfiable, "brute force finds no solution: {}", text(phi));
            }
            Verdict::Unsat(failure) => assert!(!satisfiable, "unsat by {}: {}", failure.rule, text(phi)),
            other => panic!("{other:?}: {}", text(phi)),
        }
    }
}

/// Rows with flanks up to this length over these dimensions, the empty row first.
fn rows(dims: &[Dim], longest: usize) -> Vec<Row> {
    let flanks = sequences(dims, longest);
    flanks.iter().flat_map(|l| flanks.iter().map(|r| Row::new(l.clone(), r.clone()))).collect()
}

fn ground(term: DimTerm) -> Dim {
    match term {
        DimTerm::Dim(d) => d,
        DimTerm::Var(_) => Dim::Unit,
    }
}

/// Every two inequalities with flanks up to one over 1∅ and two atoms and three row variables, up to symmetry.
#[test]
fn r1c_two_inequalities() {
    let cases = Cases::of("r1c_two_inequalities");
    let entries = [two(), three(), Dim::Unit.into()];
    let all = Inequalities::new(&entries, 1, rows(&[Dim::Unit, ground(two()), ground(three())], 2));
    let symmetries = all.symmetries([two(), three()]);
    for i in 0..all.len() {
        for j in i..all.len() {
            if is_first([i, j], &symmetries) {
                decided(&[all.inequality(i), all.inequality(j)], all.satisfiable(&[i, j]));
                cases.one();
            }
        }
    }
    cases.finish();
}

/// Every two inequalities with flanks up to three over one atom and three row variables, up to symmetry.
#[test]
fn r1c_long_flanks() {
    let cases = Cases::of("r1c_long_flanks");
    let all = Inequalities::new(&[two()], 3, rows(&[ground(two())], 6));
    let symmetries = all.symmetries([two(), two()]);
    for i in 0..all.len() {
        for j in i..all.len() {
            if is_first([i, j], &symmetries) {
                decided(&[all.inequality(i), all.inequality(j)], all.satisfiable(&[i, j]));
                cases.one();
            }
        }
    }
    cases.finish();
}

/// Every three inequalities with flanks up to one over one atom and three row variables, up to symmetry; and what the
/// other guards make of them.
#[test]
fn r1c_three_inequalities() {
    static OTHERS: Others = Others::new();
    let cases = Cases::of("r1c_three_inequalities");
    let all = Inequalities::new(&[two()], 1, rows(&[ground(two())], 3));
    let symmetries = all.symmetries([two(), two()]);
    for i in 0..all.len() {
        for j in i..all.len() {
            for k in j..all.len() {
                if is_first([i, j, k], &symmetries) {
                    let phi = [i, j, k].map(|c| all.inequality(c));
                    let satisfiable = all.satisfiable(&[i, j, k]);
                    decided(&phi, satisfiable);
                    OTHERS.count(&phi, Strategy::Fifo, satisfiable, true);
                    cases.one();
                }
            }
        }
    }
    OTHERS.report("r1c_three_inequalities");
    assert!(OTHERS.paper_wrong.load(Ordering::Relaxed) > 0, "Def. 4.5 rejects a satisfiable set (F2)");
    cases.finish();
}

/// Three to seven constraints over four row variables, with flanks up to two.
#[derive(Clone, Debug)]
struct Sweep {
    phi: Vec<Constraint>,
    strategy: Strategy,
    /// Is it compared with other guards too?
    compared: bool,
}

fn below(g: &mut Gen, n: u64) -> u64 {
    u64::arbitrary(g) % n
}

impl Arbitrary for Sweep {
    fn arbitrary(g: &mut Gen) -> Self {
        // Half of the systems are about lengths only: one atom. One in three has equalities.
        let entries = [two(), two(), two(), three(), Dim::Unit.into(), VARS.dims[0], VARS.dims[1]];
        let kinds = if bool::arbitrary(g) { 1 } else { entries.len() as u64 };
        let equalities = if below(g, 3) == 0 { 3 } else { 0 };
        fn pick<T: Copy>(g: &mut Gen, of: &[T], kinds: u64) -> T {
            of[usize::try_from(below(g, kinds)).unwrap_or(0)]
        }
        let flank = |g: &mut Gen| -> Vec<DimTerm> {
            let length = pick(g, &[0, 0, 1, 1, 2], 5);
            (0..length).map(|_| pick(g, &entries, kinds)).collect()
        };
        let row = |g: &mut Gen| {
            let (lead, open) = (flank(g), below(g, 8) > 0);
            RowTerm::new(lead, Some(pick(g, &VARS.rows, 4)).filter(|_| open), flank(g))
        };
        let constraint = |g: &mut Gen| match below(g, 10) {
            n if n < equalities => Constraint::RowEq(row(g), row(g)),
            _ => Constraint::RowLe(row(g), row(g)),
        };
        let phi = (0..3 + below(g, 5)).map(|_| constraint(g)).collect();
        let strategy = match below(g, 4) {
            0 => Strategy::Fifo,
            1 => Strategy::Lifo,
            2 => Strategy::Rounds,
            _ => Strategy::Random(below(g, 1 << 32)),
        };
        Sweep { phi, strategy, compared: below(g, 40) == 0 }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let Sweep { strategy, compared, .. } = *self;
        Box::new(simpler(&self.phi).into_iter().map(move |phi| Sweep { phi, strategy, compared }))
    }
}

fn has_equality(phi: &[Constraint]) -> bool {
    phi.iter().any(|c| matches!(c, Constraint::RowEq(..)))
}

/// R1b by the million: no run reaches a limit, every γ↑ solves, and only placements are rejected.
#[test]
fn r1_at_random() {
    static OTHERS: Others = Others::new();
    random("r1_at_random", 1_000_000, |Sweep { phi, strategy, compared }: Sweep| {
        let verdict = solve(&phi, &mut VARS.names.clone(), with(strategy));
        if compared {
            let satisfiable = matches!(&verdict, Verdict::Solved(solved) if solved.greatest().is_some());
            OTHERS.count(&phi, strategy, satisfiable, !has_equality(&phi));
        }
        match verdict {
            Verdict::Solved(solved) => match solved.greatest() {
                Some(gamma) => phi.iter().all(|c| holds(&gamma, c)),
                None => !solved.residual().deferred.is_empty(),
            },
            Verdict::Unsat(_) => true,
            Verdict::Rejected(_) => has_equality(&phi),
            Verdict::Limit(_) => false,
        }
    });
    OTHERS.report("r1_at_random");
}

/// Three or four constraints over three row variables: small enough to try all values.
#[derive(Clone, Debug)]
struct Tried(Sweep);

impl Arbitrary for Tried {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut sweep = Sweep::arbitrary(g);
        let other = |row: &mut RowTerm| row.var = row.var.map(|v| if v == VARS.rows[3] { VARS.rows[0] } else { v });
        sweep.phi.truncate(4);
        for phi in &mut sweep.phi {
            if let Constraint::RowEq(s, t) | Constraint::RowLe(s, t) = phi {
                other(s);
                other(t);
            }
        }
        Tried(sweep)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Tried))
    }
}

/// 5.5(ii) with three row variables: what is unsat has no solution up to rank two over 1∅ and two atoms.
#[test]
fn r1_against_brute_force() {
    static COUNTS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
    static UNIVERSE: LazyLock<Universe> = LazyLock::new(|| Universe::of_sizes(&[2, 3], 2).expect("small"));
    random("r1_against_brute_force", 5_000, |Tried(Sweep { phi, strategy, .. }): Tried| {
        let (kind, right) = match solve(&phi, &mut VARS.names.clone(), with(strategy)) {
            Verdict::Solved(solved) => (0, solved.greatest().is_none_or(|gamma| phi.iter().all(|c| holds(&gamma, c)))),
            Verdict::Unsat(_) => (1, sol(&phi, &UNIVERSE).next().is_none()),
            Verdict::Rejected(_) => (2, has_equality(&phi)),
            Verdict::Limit(_) => (0, false),
        };
        COUNTS[kind].fetch_add(1, Ordering::Relaxed);
        right
    });
    let [solved, unsat, rejected] = [0, 1, 2].map(|i| COUNTS[i].load(Ordering::Relaxed));
    let _ = writeln!(std::io::stderr(), "r1_against_brute_force: {solved} solved, {unsat} unsat, {rejected} rejected");
    assert!(unsat > 500 && rejected > 0);
}
