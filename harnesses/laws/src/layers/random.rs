//! Random systems of many sizes, and policies of every kind, by number.

use crate::generators::{System, Weights};
use lozenge::closing::Tags;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::policy::{CapPolicy, GuardPolicy, Limits, Policy, Strategy, WordPolicy};
use lozenge::projection::{Atom, Equation, Index, Proj};
use lozenge::term::{DimTerm, DimVar, Var, Vars};
use quickcheck::{Arbitrary, Gen};

/// Most systems are small and entangled; some are large; some have many adjacencies between few variables.
const KINDS: [(u64, Weights); 4] = [
    (
        62,
        Weights {
            flank: 2,
            constraints: 5,
            vars: 3,
            sizes: 2,
            bases: 1,
            variable_axes: 4,
            open_rows: 7,
            equalities: 3,
        },
    ),
    (
        28,
        Weights {
            flank: 3,
            constraints: 8,
            vars: 4,
            sizes: 3,
            bases: 2,
            variable_axes: 4,
            open_rows: 7,
            equalities: 3,
        },
    ),
    (
        4,
        Weights {
            flank: 2,
            constraints: 25,
            vars: 9,
            sizes: 1,
            bases: 1,
            variable_axes: 6,
            open_rows: 9,
            equalities: 1,
        },
    ),
    (
        4,
        Weights {
            flank: 1,
            constraints: 40,
            vars: 16,
            sizes: 1,
            bases: 1,
            variable_axes: 9,
            open_rows: 9,
            equalities: 0,
        },
    ),
];

/// The system with this number.
#[must_use]
pub fn system(number: u64) -> System {
    let mut g = Gen::from_size_and_seed(100, number);
    let mut share = number % 100;
    for (of_hundred, weights) in KINDS {
        if share < of_hundred {
            return weights.system(&mut g);
        }
        share -= of_hundred;
    }
    adjacencies(&mut g)
}

/// α ⊑ β many times: over a dozen variables upwards for the most part, or from a dozen to a dozen others, so that some
/// have many. Some atoms below, and some equalities late.
fn adjacencies(g: &mut Gen) -> System {
    let mut names = Names::new();
    let weights = Weights { sizes: 2, bases: 1, ..Weights::default() };
    let vars: Vec<_> = (0..24).filter_map(|i| names.dim_var(&format!("a{i}")).ok()).collect();
    let (low, high) = vars.split_at(12);
    let apart = bool::arbitrary(g);
    let one_of = |g: &mut Gen, of: &[DimVar]| DimTerm::Var(of[usize::from(u16::arbitrary(g)) % of.len()]);
    let count = if apart { 180 + u8::arbitrary(g) % 60 } else { 20 + u8::arbitrary(g) % 100 };
    let mut constraints = Vec::new();
    for _ in 0..count {
        let s = if u8::arbitrary(g) % 32 == 0 { weights.dim(g, &mut names).into() } else { one_of(g, low) };
        let t = one_of(g, if apart { high } else { low });
        // Mostly upwards, so that not all become one at once.
        let (s, t) = match (s, t) {
            (DimTerm::Var(a), DimTerm::Var(b)) if a > b && u8::arbitrary(g) % 32 > 0 => (t, s),
            pair => pair,
        };
        let equal = u8::arbitrary(g) % 96 == 0;
        constraints.push(if equal { Constraint::DimEq(s, t) } else { Constraint::DimLe(s, t) });
    }
    System { names, constraints }
}

/// The policy with this number: every guard, with and without DI-antisym, every strategy, ample and tight limits.
#[must_use]
pub fn policy(number: u64) -> Policy {
    let guard = [GuardPolicy::Signed, GuardPolicy::Signed, GuardPolicy::Paper, GuardPolicy::None];
    let strategy = [Strategy::Fifo, Strategy::Fifo, Strategy::Lifo, Strategy::Random(number), Strategy::Rounds];
    let pick = |n: u64, of: usize| usize::try_from(n % of as u64).unwrap_or(0);
    let guard = guard[pick(number / 5, guard.len())];
    // Without the signed guard runs may not end but at these.
    let limits = match guard {
        GuardPolicy::Signed if !number.is_multiple_of(11) => Limits::default(),
        _ => Limits { rank: 8, size: 300, ..Limits::default() },
    };
    Policy {
        guard,
        antisym: !number.is_multiple_of(3),
        strategy: strategy[pick(number, strategy.len())],
        caps: if number.is_multiple_of(7) { CapPolicy::Stored } else { CapPolicy::Saturated },
        words: if number.is_multiple_of(4) { WordPolicy::Upward } else { WordPolicy::LeastMaterial },
        limits,
    }
}

/// Leaves and parameters among the variables of a system, by number.
#[must_use]
pub fn tags(phi: &[Constraint], number: u64) -> Tags {
    let chosen = |salt: u64, var: &Var| (number ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (var.id() % 60) & 1 == 1;
    let leaves: std::collections::BTreeSet<Var> = phi.vars().into_iter().filter(|v| chosen(0, v)).collect();
    let params = leaves.iter().filter(|v| chosen(1, v) && chosen(2, v)).copied().collect();
    Tags { leaves, params }
}

/// Sizes and equations of Def. 7.1, by number: few ids, so that classes merge, are pinned and conflict.
#[must_use]
pub fn equations(number: u64) -> (Vec<u64>, Vec<Equation>) {
    let mut g = Gen::from_size_and_seed(100, number);
    let below = |g: &mut Gen, n: u32| u32::arbitrary(g) % n;
    let ids = 1 + below(&mut g, 8);
    let sizes = (0..ids).map(|_| if below(&mut g, 8) == 0 { 2 } else { 3 }).collect();
    let index = |g: &mut Gen| match below(g, 8) {
        0 => Index::External("i".to_owned()),
        1 => Index::Fix(1),
        _ => Index::Fix(0),
    };
    let atom = |g: &mut Gen| match below(g, 8) {
        0 => Atom::Sol(index(g)),
        _ => Atom::Proj(Proj(below(g, ids))),
    };
    let count = below(&mut g, 12);
    let equation = |g: &mut Gen| match below(g, 4) {
        0 => Equation::Iter(atom(g)),
        _ => Equation::Eq(atom(g), atom(g)),
    };
    (sizes, (0..count).map(|_| equation(&mut g)).collect())
}
