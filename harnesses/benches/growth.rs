//! How solving grows with the number of constraints: `cargo bench -p lozenge-harnesses --bench growth`.
//!
//! Prints, for each shape of system, the time at n = 10³ … 10⁶ and the slope of log time over log n.
//! Ratios within one run; the machine's own speed does not matter.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::solver::{Policy, Verdict, solve};
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar};
use std::time::Instant;

fn dim_vars(names: &mut Names, n: usize) -> Vec<DimVar> {
    (0..n).map(|_| names.fresh_dim()).collect()
}

fn row_vars(names: &mut Names, n: usize) -> Vec<RowVar> {
    (0..n).map(|_| names.fresh_row()).collect()
}

fn atom(n: usize) -> DimTerm {
    DimTerm::Dim(Dim::Atom(Atom::nth(Basis::DEFAULT, u32::try_from(n).unwrap_or(u32::MAX))))
}

/// a₁ ⊑ a₂ ⊑ … ⊑ aₙ.
fn dim_chain(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n + 1);
    vars.windows(2).map(|w| Constraint::DimLe(w[0].into(), w[1].into())).collect()
}

/// The same, from the far end.
fn dim_chain_backwards(names: &mut Names, n: usize) -> Vec<Constraint> {
    let mut chain = dim_chain(names, n);
    chain.reverse();
    chain
}

/// A chain with its end pinned: the size runs down the whole chain.
fn dim_chain_pinned(names: &mut Names, n: usize) -> Vec<Constraint> {
    let mut chain = dim_chain(names, n);
    if let Some(Constraint::DimLe(_, DimTerm::Var(last))) = chain.last().cloned() {
        chain.push(Constraint::DimEq(last.into(), atom(3)));
    }
    chain
}

/// ⟨p₁⟩·[3] ⊑ ⟨p₂⟩·[3] ⊑ …
fn row_chain(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = row_vars(names, n + 1);
    let row = |v: RowVar| RowTerm::new(vec![], Some(v), vec![atom(3)]);
    vars.windows(2).map(|w| Constraint::RowLe(row(w[0]), row(w[1]))).collect()
}

/// ⟨p₁⟩ ≈ ⟨p₂⟩ ≈ … ≈ []·⋄·[3].
fn row_eq_chain(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = row_vars(names, n + 1);
    let mut chain: Vec<Constraint> = vars.windows(2).map(|w| Constraint::RowEq(w[0].into(), w[1].into())).collect();
    chain.push(Constraint::RowEq(vars[n].into(), RowTerm::new(vec![], None, vec![atom(3)])));
    chain
}

/// n caps on one row variable.
fn row_star(names: &mut Names, n: usize) -> Vec<Constraint> {
    let hub = names.fresh_row();
    (0..n).map(|i| Constraint::RowLe(RowTerm::new(vec![], None, vec![atom(i % 7)]), hub.into())).collect()
}

/// n dimension variables above one, and below another.
fn dim_star(names: &mut Names, n: usize) -> Vec<Constraint> {
    let hub = names.fresh_dim();
    let vars = dim_vars(names, n);
    vars.into_iter()
        .enumerate()
        .map(
            |(i, v)| {
                if i % 2 == 0 {
                    Constraint::DimLe(hub.into(), v.into())
                } else {
                    Constraint::DimLe(v.into(), hub.into())
                }
            },
        )
        .collect()
}

/// A grid of dimension variables, each below its right and lower neighbour.
fn dim_grid(names: &mut Names, n: usize) -> Vec<Constraint> {
    let side = (((n / 2) as f64).sqrt() as usize).max(2);
    let vars = dim_vars(names, side * side);
    let mut out = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let here = vars[y * side + x];
            if x + 1 < side {
                out.push(Constraint::DimLe(here.into(), vars[y * side + x + 1].into()));
            }
            if y + 1 < side {
                out.push(Constraint::DimLe(here.into(), vars[(y + 1) * side + x].into()));
            }
        }
    }
    out
}

/// Random edges between n/2 row variables, in an order that closes no cycle.
fn random_dag(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = row_vars(names, n / 2 + 2);
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below as u64).unwrap_or(0)
    };
    (0..n)
        .map(|_| {
            let (a, b) = (next(vars.len()), next(vars.len()));
            Constraint::RowLe(vars[a.min(b)].into(), vars[a.max(b)].into())
        })
        .collect()
}

type Workload = (&'static str, fn(&mut Names, usize) -> Vec<Constraint>);

const WORKLOADS: [Workload; 9] = [
    ("dimension chain", dim_chain),
    ("dimension chain, backwards", dim_chain_backwards),
    ("dimension chain, end pinned", dim_chain_pinned),
    ("dimension star", dim_star),
    ("dimension grid", dim_grid),
    ("row chain", row_chain),
    ("row equality chain", row_eq_chain),
    ("row star", row_star),
    ("random row DAG", random_dag),
];

fn main() {
    let sizes = [1_000, 10_000, 100_000, 1_000_000];
    println!("{:<28} {}   slope", "n =", sizes.map(|n| format!("{n:>11}")).join(""));
    for (name, make) in WORKLOADS {
        let mut times = Vec::new();
        for n in sizes {
            let best = (0..if n < 1_000_000 { 3 } else { 1 }).map(|_| {
                let mut names = Names::new();
                let phi = make(&mut names, n);
                let start = Instant::now();
                let verdict = solve(&phi, &mut names, Policy::default());
                let seconds = start.elapsed().as_secs_f64();
                assert!(matches!(verdict, Verdict::Solved(_)), "{name}: {verdict:?}");
                seconds
            });
            times.push(best.fold(f64::INFINITY, f64::min));
        }
        let slope = (times[3] / times[1]).log10() / 2.0;
        println!(
            "{name:<28} {}   {slope:.2}",
            times.iter().map(|t| format!("{:>8.2} ms", t * 1e3)).collect::<String>()
        );
    }
}
