//! Questions that cost much more than they are long, by name: each uses up whatever fuel it gets, so that the time of a
//! unit can be read off.

use crate::families::random_cycles;
use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::decide::{Decision, decide};
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::solver::{Policy, Verdict, solve};
use lozenge::staged::{Numerator, Outcome, SizeClaim, Stage, StagedSystem, Total};
use lozenge::term::{DimTerm, DimVar, Flank, RowTerm, RowVar};
use std::collections::BTreeSet;

/// A question under a policy: was a limit reached?
pub type Ask = fn(&mut Names, Policy) -> bool;

/// The questions.
pub const QUESTIONS: [(&str, Ask); 8] = [
    ("cycle", cycle),
    ("order", order),
    ("guard", guard),
    ("wide", wide),
    ("lengths", lengths),
    ("words", words),
    ("joins", joins),
    ("claims", claims),
];

fn dims(names: &mut Names, n: usize) -> Vec<DimVar> {
    (0..n).map(|_| names.fresh_dim()).collect()
}

fn rows(names: &mut Names, n: usize) -> Vec<RowVar> {
    (0..n).map(|_| names.fresh_row()).collect()
}

fn size(n: u64) -> DimTerm {
    DimTerm::Dim(Dim::size(n).expect("not 0"))
}

fn flank(n: usize) -> Flank {
    std::iter::repeat_n(size(3), n).collect()
}

fn solved(phi: &[Constraint], names: &mut Names, policy: Policy) -> bool {
    matches!(solve(phi, names, policy), Verdict::Limit(_))
}

/// a₁ ⊑ a₂ ⊑ … ⊑ a₁, where a₁ ⊑ a₂ rests on a placement: which path DI-antisym finds then matters, so that what is left
/// of the cycle is walked again and again.
fn cycle(names: &mut Names, policy: Policy) -> bool {
    let (vars, r) = (dims(names, 60_000), names.fresh_row());
    let one = |a: DimVar| RowTerm::new(vec![a.into()], None, Flank::default());
    let le = |i: usize| Constraint::DimLe(vars[i].into(), vars[i + 1].into());
    let mut phi: Vec<Constraint> = (1..vars.len() - 1).map(le).collect();
    phi.push(Constraint::RowEq(r.into(), one(vars[0])));
    phi.push(Constraint::RowLe(r.into(), one(vars[1])));
    phi.push(Constraint::RowLe(one(vars[vars.len() - 1]), one(vars[0])));
    solved(&phi, names, policy)
}

/// Edges at random, until most variables are on one cycle: paths are looked for, and the order changes, again and again.
fn order(names: &mut Names, policy: Policy) -> bool {
    solved(&random_cycles(names, 60_000), names, policy)
}

/// A chain of equal lengths whose lower end grows axis by axis.
fn guard(names: &mut Names, policy: Policy) -> bool {
    let vars = rows(names, 20_000);
    let le = |w: &[RowVar]| Constraint::RowLe(w[1].into(), w[0].into());
    let mut phi: Vec<Constraint> = vars.windows(2).map(le).collect();
    let grown = |n: usize| {
        let open = rows_of(vars[0], 0);
        Constraint::RowLe(open, RowTerm::new(flank(n), None, Flank::default()))
    };
    phi.extend((1..200).map(grown));
    solved(&phi, names, policy)
}

fn rows_of(var: RowVar, lead: usize) -> RowTerm {
    RowTerm::new(flank(lead), Some(var), Flank::default())
}

/// One row of 4,000 axes, met by many.
fn wide(names: &mut Names, policy: Policy) -> bool {
    let hub = names.fresh_row();
    let mut phi = vec![Constraint::RowEq(hub.into(), RowTerm::new(flank(4_000), None, Flank::default()))];
    phi.extend(std::iter::repeat_n(Constraint::RowEq(hub.into(), hub.into()), 20_000));
    solved(&phi, names, policy)
}

/// Equations that cross in a ring, so that only lengths are left to try.
fn lengths(names: &mut Names, policy: Policy) -> bool {
    let vars = rows(names, 40);
    let cross = |i: usize| {
        let next = vars[(i + 1) % vars.len()];
        Constraint::RowEq(
            rows_of(vars[i], 1),
            RowTerm::new(Flank::default(), Some(next), [size(5)].into_iter().collect::<Flank>()),
        )
    };
    let phi: Vec<Constraint> = (0..vars.len()).map(cross).collect();
    matches!(decide(&phi, names, policy, 4096).decision, Decision::Unknown { .. })
}

/// Many deferred equations, closed one after the other.
fn words(names: &mut Names, policy: Policy) -> bool {
    let vars = rows(names, 12_000);
    let cross =
        |w: &[RowVar]| Constraint::RowEq(rows_of(w[0], 1), RowTerm::new(Flank::default(), Some(w[1]), flank(1)));
    let phi: Vec<Constraint> = vars.chunks(2).map(cross).collect();
    matches!(close(&phi, names, &Tags::default(), policy), Closing::Limit(_))
}

/// Caps inside caps, all as long as the innermost.
fn joins(names: &mut Names, policy: Policy) -> bool {
    let vars = rows(names, 3_000);
    let mut phi: Vec<Constraint> = vars.windows(2).map(|w| Constraint::RowLe(w[1].into(), w[0].into())).collect();
    let longest = RowTerm::new(flank(2_000), None, Flank::default());
    phi.push(Constraint::RowLe(longest, vars[vars.len() - 1].into()));
    matches!(close(&phi, names, &Tags::leaves(names.vars()), policy), Closing::Limit(_))
}

/// A chain of totals, d₀·d₁ = 24, d₁·d₂ = 24 …: each size is known, and which dimension has it is chosen one by one.
fn claims(names: &mut Names, policy: Policy) -> bool {
    let vars = dims(names, 3_000);
    let total = |w: &[DimVar]| {
        let axes: Flank = w.iter().map(|v| DimTerm::Var(*v)).collect();
        let rows = vec![RowTerm::new(Flank::default(), None, axes)];
        SizeClaim::Total(Total { rows, numerator: Numerator::Count(24), divided_by: BTreeSet::new(), keep: None })
    };
    let claims: Vec<SizeClaim> = vars.windows(2).map(total).collect();
    let phi = [Constraint::DimEq(vars[0].into(), size(4))];
    let system = StagedSystem { phi: &phi, claims: &claims, ..StagedSystem::default() };
    matches!(lozenge::staged::solve(&system, names, policy, Stage::Seven), Outcome::Limit(_))
}
