//! R1c: every small system of inequalities is decided.

use super::others::Others;
use super::{VARS, text};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::row::Row;
use lozenge::semantics::{Ground, holds};
use lozenge::solver::{Policy, Strategy, Verdict, solve};
use lozenge::term::{DimTerm, RowTerm};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::domains::sequences;
use lozenge_harnesses::layers::same_run;
use lozenge_harnesses::systems::{STRATEGIES, flanks, row_terms, three, two, with};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// A set of rows, by number.
type Set = [u64; 3];

fn members(set: Set) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let word = left.iter().position(|bits| *bits != 0)?;
        let bit = left[word].trailing_zeros() as usize;
        left[word] &= left[word] - 1;
        Some(word * 64 + bit)
    })
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

    /// The places of its sides among the terms.
    fn places(&self, number: usize) -> [usize; 2] {
        [number / self.terms.len(), number % self.terms.len()]
    }

    fn sides(&self, number: usize) -> [&RowTerm; 2] {
        self.places(number).map(|term| &self.terms[term])
    }

    fn inequality(&self, number: usize) -> Constraint {
        let [s, t] = self.sides(number);
        Constraint::RowLe(s.clone(), t.clone())
    }

    /// Does one of these have the same axis at an outer edge of both sides? Then a set without it stands for this one
    /// (spec/small-models.md, (f)).
    fn has_common_axes(&self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| common_axes(self.sides(*number)) != (0, 0))
    }

    /// The same without its common axes, which is another of these.
    fn without_common_axes(&self, number: usize) -> Constraint {
        let [s, t] = self.sides(number);
        let (lead, trail) = common_axes([s, t]);
        let inner = |row: &RowTerm| {
            let kept = row.trail.len() - trail;
            RowTerm::new(row.lead[lead..].to_vec(), row.var, row.trail[..kept].to_vec())
        };
        let (s, t) = (inner(s), inner(t));
        assert!(self.terms.contains(&s) && self.terms.contains(&t), "the domain has it");
        Constraint::RowLe(s, t)
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
            let [s, t] = self.places(number);
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
    fn symmetries(&self, exchanged: [DimTerm; 2]) -> BTreeSet<Vec<usize>> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut all = BTreeSet::new();
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
                    all.insert((0..n * n).map(|c| terms[c / n] * n + terms[c % n]).collect());
                }
            }
        }
        all
    }
}

/// How many leading and trailing axes both rows have, from the outer edges.
fn common_axes([s, t]: [&RowTerm; 2]) -> (usize, usize) {
    let lead = s.lead.iter().zip(&t.lead).take_while(|(d, e)| d == e).count();
    let trail = s.trail.iter().rev().zip(t.trail.iter().rev()).take_while(|(d, e)| d == e).count();
    (lead, trail)
}

/// Is this sorted list the first of those that symmetries make of it?
fn is_first<const N: usize>(system: [usize; N], symmetries: &BTreeSet<Vec<usize>>) -> bool {
    symmetries.iter().all(|image| {
        let mut other = system.map(|c| image[c]);
        other.sort_unstable();
        system <= other
    })
}

/// R1b and R1c for one inequality-only system under every strategy: the run ends; solved iff satisfiable; γ↑ solves.
/// And L1: the calculus takes the engine's steps.
fn decided(phi: &[Constraint], satisfiable: bool) {
    if let Err(differs) = same_run(&VARS.names, phi, Policy::default()) {
        panic!("{}: {differs}", text(phi));
    }
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

/// Every two of these, up to symmetry; `atoms` may be exchanged. Those without common axes are run.
fn every_two(cases: Cases, all: &Inequalities, atoms: [DimTerm; 2]) {
    let symmetries = all.symmetries(atoms);
    for i in 0..all.len() {
        for j in i..all.len() {
            if is_first([i, j], &symmetries) {
                if !all.has_common_axes(&[i, j]) {
                    decided(&[all.inequality(i), all.inequality(j)], all.satisfiable(&[i, j]));
                }
                cases.one();
            }
        }
    }
    cases.finish();
}

/// Every two inequalities with flanks up to one over 1∅ and two atoms and three row variables, up to symmetry.
#[test]
fn r1c_two_inequalities() {
    let cases = Cases::of("r1c_two_inequalities");
    let entries = [two(), three(), Dim::Unit.into()];
    let all = Inequalities::new(&entries, 1, rows(&[Dim::Unit, ground(two()), ground(three())], 2));
    every_two(cases, &all, [two(), three()]);
}

/// Every two inequalities with flanks up to three over one atom and three row variables, up to symmetry.
#[test]
fn r1c_long_flanks() {
    let cases = Cases::of("r1c_long_flanks");
    let all = Inequalities::new(&[two()], 3, rows(&[ground(two())], 6));
    every_two(cases, &all, [two(), two()]);
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
                    if !all.has_common_axes(&[i, j, k]) {
                        decided(&phi, satisfiable);
                    }
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

/// What a run comes to: what p, q and r are bound to and what is left; or the rule that fails, and whether it is tainted.
fn outcome(phi: &[Constraint], strategy: Strategy) -> String {
    let mut names = VARS.names.clone();
    match solve(phi, &mut names, with(strategy)) {
        Verdict::Solved(solved) => {
            let bound = VARS.rows.map(|var| solved.row(var));
            format!("{bound:?} {:?}", solved.residual())
        }
        Verdict::Unsat(failure) => format!("{} {}", failure.rule, failure.tainted),
        other => panic!("{other:?}: {}", text(phi)),
    }
}

/// (f) of spec/small-models.md: an axis at the outer edge of both sides changes nothing. One inequality, and beside another:
/// every one of those that one in 97 pairs has. Random runs are others, so they are not compared.
#[test]
fn common_axes_change_nothing() {
    let cases = Cases::of("common_axes_change_nothing");
    let entries = [two(), three(), Dim::Unit.into()];
    let short = Inequalities::new(&entries, 1, rows(&[Dim::Unit], 0));
    let long = Inequalities::new(&[two()], 3, rows(&[Dim::Unit], 0));
    for all in [&short, &long] {
        let same = |numbers: &[usize]| {
            let whole: Vec<Constraint> = numbers.iter().map(|n| all.inequality(*n)).collect();
            let inner: Vec<Constraint> = numbers.iter().map(|n| all.without_common_axes(*n)).collect();
            for strategy in [Strategy::Fifo, Strategy::Lifo, Strategy::Rounds] {
                assert_eq!(outcome(&whole, strategy), outcome(&inner, strategy), "{} {strategy:?}", text(&whole));
            }
            cases.one();
        };
        let pairs = (0..all.len()).flat_map(|i| (i..all.len()).map(move |j| [i, j]));
        (0..all.len()).filter(|one| all.has_common_axes(&[*one])).for_each(|one| same(&[one]));
        pairs.step_by(97).filter(|two| all.has_common_axes(two)).for_each(|two| same(&two));
    }
    cases.finish();
}
