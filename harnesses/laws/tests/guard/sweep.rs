//! R1 by the million: random systems end, and the end is right.

use super::VARS;
use super::others::Others;
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::semantics::{Universe, holds, sol};
use lozenge::solver::{Strategy, Verdict, solve};
use lozenge::term::{DimTerm, RowTerm};
use lozenge_harnesses::cases::random;
use lozenge_harnesses::systems::{simpler, three, two, with};
use quickcheck::{Arbitrary, Gen};
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

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
