//! The law between the layers where adjacencies come against the order that the engine keeps them in, and the line that
//! this order is: it can be changed anywhere.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::policy::Policy;
use lozenge::solver::configuration::Configuration;
use lozenge::solver::{Limits, Verdict, solve};
use lozenge::term::{DimVar, RowTerm, Var, Vars};
use lozenge_engine::components;
use lozenge_engine::solver::line::Line;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::graphs::{below, graph, lines_of_grid, numbers};
use lozenge_harnesses::layers::random::{policy, tags};
use lozenge_harnesses::layers::{chains, same_closing, same_run};

fn agree(names: &Names, phi: &[Constraint], policy: Policy) {
    let text = || phi.iter().map(|c| names.show(c).ascii().to_string()).collect::<Vec<_>>().join("\n");
    same_run(names, phi, policy).unwrap_or_else(|differs| panic!("{}\nunder {policy:?}\n{differs}", text()));
}

fn variables(count: usize) -> (Names, Vec<DimVar>) {
    let mut names = Names::new();
    let vars = (0..count).map(|_| names.fresh_dim()).collect();
    (names, vars)
}

/// Five different adjacencies among four variables, in every order: chains that are joined in the wrong order among them.
#[test]
fn layers_on_five_adjacencies() {
    let cases = Cases::of("layers_on_five_adjacencies");
    let (names, vars) = variables(4);
    let pairs = vars.iter().flat_map(|a| vars.iter().map(move |b| (*a, *b)));
    let all: Vec<Constraint> = pairs.filter(|(a, b)| a != b).map(|(a, b)| below(a, b)).collect();
    let mut phi = Vec::new();
    fn go(all: &[Constraint], phi: &mut Vec<Constraint>, see: &mut impl FnMut(&[Constraint])) {
        if phi.len() == 5 {
            return see(phi);
        }
        for one in all {
            if !phi.contains(one) {
                phi.push(one.clone());
                go(all, phi, see);
                phi.pop();
            }
        }
    }
    go(&all, &mut phi, &mut |phi| {
        agree(&names, phi, Policy::default());
        cases.one();
    });
    cases.finish();
}

/// Larger graphs, their lines in no order.
#[test]
fn layers_on_graphs() {
    let cases = Cases::of("layers_on_graphs");
    for number in 0..6_000 {
        let System { names, constraints } = graph(number);
        agree(&names, &constraints, policy(number));
        cases.one();
    }
    cases.finish();
}

/// Rows that are bound through many others, solved and closed.
#[test]
fn layers_on_long_chains() {
    let cases = Cases::of("layers_on_long_chains");
    for number in 0..20_000 {
        let System { names, constraints } = chains::system(number);
        let policy = policy(number);
        agree(&names, &constraints, policy);
        let closed = same_closing(&names, &constraints, &tags(&constraints, number), policy, |_| ());
        closed.unwrap_or_else(|differs| panic!("{number}, under {policy:?}\n{differs}"));
        cases.one();
    }
    cases.finish();
}

/// What was known of rows at the mark stays to be seen, however they are bound and followed after it.
#[test]
fn the_mark_stays_to_be_seen() {
    let (mut kept, cases) = (0, Cases::of("the_mark_stays_to_be_seen"));
    for number in 0..5_000 {
        let System { mut names, constraints } = chains::system(number);
        let (first, rest) = constraints.split_at(constraints.len() / 2);
        let mut run = Configuration::new(first, &mut names, Policy::default(), false);
        if run.run().is_err() {
            continue;
        }
        let row = |var| if let Var::Row(v) = var { Some(RowTerm::from(v)) } else { None };
        let rows: Vec<RowTerm> = constraints.vars().into_iter().filter_map(row).collect();
        let known: Vec<RowTerm> = rows.iter().map(|row| run.bindings.row_value(row)).collect();
        run.set_mark();
        for phi in rest {
            run.extend(phi.clone(), false);
            if run.run().is_err() {
                break;
            }
            run.bindings.shorten_all();
        }
        for (row, known) in rows.iter().zip(&known) {
            assert_eq!(&run.bindings.row_at_mark(row), known, "{number}");
            kept += u64::from(run.bindings.row_value(row) != *known);
        }
        cases.one();
    }
    assert!(kept > 10_000, "only {kept} rows were bound after the mark");
    cases.finish();
}

/// Lines that come in no order cost what there is to look at: soon the order of adjacencies is drawn along those that wait,
/// and after that none stands against it.
#[test]
fn a_grid_in_no_order_costs_its_lines() {
    for side in [8, 32, 128] {
        let (mut names, vars) = variables(side * side);
        let phi = lines_of_grid(&vars, side, &mut numbers(3));
        let limits = Limits { fuel: 2 * phi.len() as u64, ..Limits::default() };
        let verdict = solve(&phi, &mut names, Policy { limits, ..Policy::default() });
        assert!(matches!(verdict, Verdict::Solved(_)), "{side}: {verdict:?}");
    }
}

/// The components of every graph among four nodes: as many as there are sets of nodes that lead to each other, and what a
/// node leads to comes no later.
#[test]
fn components_are_what_leads_to_each_other() {
    let pairs: Vec<(usize, usize)> = (0..16).map(|pair| (pair / 4, pair % 4)).collect();
    for graph in 0..1_u32 << 16 {
        let edges: Vec<(usize, usize)> =
            pairs.iter().enumerate().filter(|(i, _)| graph >> i & 1 == 1).map(|(_, pair)| *pair).collect();
        let mut leads = [[false; 4]; 4];
        (0..4).for_each(|v| leads[v][v] = true);
        edges.iter().for_each(|(from, to)| leads[*from][*to] = true);
        for (over, (from, to)) in (0..4).flat_map(|over| pairs.iter().map(move |pair| (over, *pair))) {
            leads[from][to] |= leads[from][over] && leads[over][to];
        }
        let component = components(4, &edges);
        for (a, b) in &pairs {
            let together = leads[*a][*b] && leads[*b][*a];
            assert_eq!(component[*a] == component[*b], together, "{edges:?}: {component:?}");
            assert!(!leads[*a][*b] || component[*b] <= component[*a], "{edges:?}: {component:?}");
        }
    }
}

/// A line beside a list in which everything is looked for.
struct Both {
    line: Line,
    list: Vec<DimVar>,
}

impl Both {
    /// The first `count` variables, put in at both ends by turns.
    fn new(apart: u64, count: u32) -> Self {
        let mut both = Both { line: Line::apart(apart), list: Vec::new() };
        (0..count).map(DimVar).for_each(|v| both.push(v));
        both
    }

    fn push(&mut self, v: DimVar) {
        if v.0.is_multiple_of(2) {
            self.line.push_last(v);
            self.list.push(v);
        } else {
            self.line.push_first(v);
            self.list.insert(0, v);
        }
        self.agree();
    }

    /// Moves variables beside another one, in the order they have.
    fn move_beside(&mut self, moved: &[DimVar], to: DimVar, after: bool) {
        let moved: Vec<DimVar> = self.list.iter().copied().filter(|v| moved.contains(v)).collect();
        self.list.retain(|v| !moved.contains(v));
        let at = self.list.iter().position(|v| *v == to).expect("it stays") + usize::from(after);
        if after {
            self.line.move_after(&moved, to)
        } else {
            self.line.move_before(&moved, to)
        }
        self.list.splice(at..at, moved);
        self.agree();
    }

    fn remove(&mut self, v: DimVar) {
        self.line.remove(v);
        self.list.retain(|other| *other != v);
        self.agree();
    }

    /// The same variables in the same order, and places that rise along it.
    fn agree(&self) {
        assert!(self.line.iter().eq(self.list.iter().copied()), "the list");
        let places: Vec<_> = self.list.iter().map(|v| self.line.place(*v)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted_by(|a, b| a < b), "places rise");
    }
}

/// Moves at random; far apart, and so far apart that the numbers end at once.
#[test]
fn a_line_is_a_list() {
    for apart in [1, 1 << 32, 1 << 60, u64::MAX] {
        let mut both = Both::new(apart, 40);
        let mut random = numbers(7);
        for _ in 0..5_000 {
            let to = both.list[random(40)];
            let moved: Vec<DimVar> = (0..=random(4)).map(|_| both.list[random(40)]).filter(|v| *v != to).collect();
            both.move_beside(&moved, to, random(2) == 1);
        }
        for v in (0..40).map(DimVar) {
            both.remove(v);
            both.remove(v);
            assert_eq!(both.line.place(v), None);
        }
        both.push(DimVar(3));
    }
}

/// Always into the same gap: soon no number is left there, and the variables around make room, few at a time.
#[test]
fn a_full_gap_costs_little() {
    const MANY: u32 = 20_000;
    let mut line = Line::default();
    (0..2 * MANY).for_each(|a| line.push_last(DimVar(a)));
    assert_eq!(line.take_spread(), 0);
    for a in MANY..2 * MANY {
        line.move_after(&[DimVar(a)], DimVar(0));
    }
    let mut wanted = vec![DimVar(0)];
    wanted.extend((MANY..2 * MANY).rev().chain(1..MANY).map(DimVar));
    assert!(line.iter().eq(wanted));
    let spread = line.take_spread();
    assert!(spread > 0 && spread < 64 * u64::from(MANY), "{spread} places are given anew");
}
