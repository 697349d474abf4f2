//! Prop. 4.6: a set of differences has a solution iff no cycle is positive.

use super::{VARS, without_one};
use lozenge::guard::{Fact, Vertex};
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::differences::{Differences, Edge};
use lozenge::solver::{Verdict, solve};
use lozenge_harnesses::cases::{Cases, random};
use lozenge_harnesses::systems::{STRATEGIES, with};
use quickcheck::{Arbitrary, Gen};
use std::sync::LazyLock;

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

/// Facts over 0 and four variables, with weights up to three, some more often than others.
static FACTS: LazyLock<Vec<Fact>> =
    LazyLock::new(|| facts(&vertices(4), &[-3, -2, -1, -1, 0, 0, 1, 1, 2], &[false, false, true]));

/// Twelve of them.
#[derive(Clone, Debug)]
struct ManyFacts(Vec<Fact>);

impl Arbitrary for ManyFacts {
    fn arbitrary(g: &mut Gen) -> Self {
        ManyFacts((0..12).filter_map(|_| g.choose(&FACTS).copied()).collect())
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
