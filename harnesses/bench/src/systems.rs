//! Constraint systems of any size, by name.

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar};

/// A system of about n constraints.
pub type Make = fn(&mut Names, usize) -> Vec<Constraint>;

/// The shapes of systems whose growth is measured. All of them have a solution.
pub const SHAPES: [(&str, Make); 9] = [
    ("dimension-chain", dim_chain),
    ("dimension-chain-backwards", dim_chain_backwards),
    ("dimension-chain-pinned", dim_chain_pinned),
    ("dimension-star", dim_star),
    ("dimension-grid", dim_grid),
    ("row-chain", row_chain),
    ("row-equality-chain", row_eq_chain),
    ("row-star", row_star),
    ("random-row-dag", random_dag),
];

/// The four chains that z3 is asked about, n inequalities each; the last has no solution.
pub const DIRECTIONS: [(&str, Make); 4] = [("down", down), ("up", up), ("upfree", upfree), ("unsat", unsat)];

pub(crate) fn dim_vars(names: &mut Names, n: usize) -> Vec<DimVar> {
    (0..n).map(|_| names.fresh_dim()).collect()
}

pub(crate) fn row_vars(names: &mut Names, n: usize) -> Vec<RowVar> {
    (0..n).map(|_| names.fresh_row()).collect()
}

pub(crate) fn atom(n: usize) -> DimTerm {
    DimTerm::Dim(Dim::Atom(Atom::nth(Basis::DEFAULT, u32::try_from(n).unwrap_or(u32::MAX))))
}

/// The constraints of each two neighbours, with room for one more.
pub(crate) fn chain<T: Copy>(vars: &[T], constraint: impl Fn(T, T) -> Constraint) -> Vec<Constraint> {
    let mut chain = Vec::with_capacity(vars.len());
    chain.extend(vars.windows(2).map(|w| constraint(w[0], w[1])));
    chain
}

pub(crate) fn dim_le(a: DimVar, b: DimVar) -> Constraint {
    Constraint::DimLe(a.into(), b.into())
}

/// a₁ ⊑ a₂ ⊑ … ⊑ aₙ.
fn dim_chain(names: &mut Names, n: usize) -> Vec<Constraint> {
    chain(&dim_vars(names, n + 1), dim_le)
}

/// The same, from the far end.
fn dim_chain_backwards(names: &mut Names, n: usize) -> Vec<Constraint> {
    let mut chain = dim_chain(names, n);
    chain.reverse();
    chain
}

/// A chain with its end pinned: the size runs down the whole chain.
fn dim_chain_pinned(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n + 1);
    let mut chain = chain(&vars, dim_le);
    chain.push(Constraint::DimEq(vars[n].into(), atom(3)));
    chain
}

/// `⟨p₁⟩·[3] ⊑ ⟨p₂⟩·[3] ⊑ …`
fn row_chain(names: &mut Names, n: usize) -> Vec<Constraint> {
    let row = |v: RowVar| RowTerm::new(vec![], Some(v), vec![atom(3)]);
    chain(&row_vars(names, n + 1), |a, b| Constraint::RowLe(row(a), row(b)))
}

/// `⟨p₁⟩ ≈ ⟨p₂⟩ ≈ … ≈ []·⋄·[3]`.
fn row_eq_chain(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = row_vars(names, n + 1);
    let mut chain = chain(&vars, |a, b| Constraint::RowEq(a.into(), b.into()));
    chain.push(Constraint::RowEq(vars[n].into(), RowTerm::new(vec![], None, vec![atom(3)])));
    chain
}

/// n caps on one row variable.
fn row_star(names: &mut Names, n: usize) -> Vec<Constraint> {
    let hub = names.fresh_row();
    (0..n).map(|i| Constraint::RowLe(RowTerm::new(vec![], None, vec![atom(i % 7)]), hub.into())).collect()
}

/// n dimension variables, half of them above one and half below it.
fn dim_star(names: &mut Names, n: usize) -> Vec<Constraint> {
    let hub = names.fresh_dim();
    let spokes = dim_vars(names, n).into_iter().enumerate();
    spokes.map(|(i, v)| if i % 2 == 0 { dim_le(hub, v) } else { dim_le(v, hub) }).collect()
}

/// A grid of dimension variables, each below its right and lower neighbour.
pub(crate) fn dim_grid(names: &mut Names, n: usize) -> Vec<Constraint> {
    let side = (n / 2).isqrt().max(2);
    let vars = dim_vars(names, side * side);
    let mut out = Vec::with_capacity(n);
    for y in 0..side {
        for x in 0..side {
            let here = vars[y * side + x];
            if x + 1 < side {
                out.push(dim_le(here, vars[y * side + x + 1]));
            }
            if y + 1 < side {
                out.push(dim_le(here, vars[(y + 1) * side + x]));
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

/// d₀ = 7 and dᵢ₊₁ ⊑ dᵢ: every later one is 7.
fn down(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n + 1);
    let mut system = chain(&vars, |a, b| dim_le(b, a));
    system.push(Constraint::DimEq(vars[0].into(), atom(6)));
    system
}

/// d₀ = 7 and dᵢ ⊑ dᵢ₊₁, and the end is 7. z3 is told that it is not 1∅; the calculus has no ≠, and dₙ ⊑ 7 leaves
/// the same solution.
fn up(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n + 1);
    let mut system = chain(&vars, dim_le);
    system.extend([Constraint::DimEq(vars[0].into(), atom(6)), Constraint::DimLe(vars[n].into(), atom(6))]);
    system
}

/// The same with a free end: 1∅ or 7.
fn upfree(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n + 1);
    let mut system = chain(&vars, dim_le);
    system.push(Constraint::DimEq(vars[0].into(), atom(6)));
    system
}

/// `down`, and the last is 9.
fn unsat(names: &mut Names, n: usize) -> Vec<Constraint> {
    let vars = dim_vars(names, n + 1);
    let mut system = chain(&vars, |a, b| dim_le(b, a));
    system.extend([Constraint::DimEq(vars[0].into(), atom(6)), Constraint::DimEq(vars[n].into(), atom(8))]);
    system
}
