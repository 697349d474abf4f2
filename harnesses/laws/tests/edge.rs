//! 5.5(iv), as far as it holds: sets whose markers all stand at the left edge. On them a placement is no choice, so neither
//! the strategy nor the order of the constraints matters.
#![allow(missing_docs)]

use lozenge::calculus::closing::{Closing, Tags, close};
use lozenge::calculus::solver::{Solved, Verdict, solve};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::policy::{GuardPolicy, Policy, Strategy};
use lozenge::semantics::{Ground, Universe, holds, sol};
use lozenge::term::{DimTerm, RowTerm, Term, Var, Vars};
use lozenge_harnesses::cases::{Cases, random, thousands};
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_harnesses::systems::{STRATEGIES, Values, row_constraints, row_terms, two, with};
use quickcheck::{Arbitrary, Gen};
use std::io::Write;
use std::sync::LazyLock;

/// Rows up to rank two over 1∅ and one atom.
static VALUES: LazyLock<Values> = LazyLock::new(|| Values::new(&[2], 2));

fn is_at_edge(gamma: &Ground) -> bool {
    gamma.rows.values().all(|row| row.lead.is_empty())
}

/// The same constraint with the leading flanks left out.
fn at_edge(phi: &Constraint) -> Constraint {
    let row = |row: &RowTerm| RowTerm::new(Vec::new(), row.var, row.trail.clone());
    match phi {
        Constraint::RowEq(s, t) => Constraint::RowEq(row(s), row(t)),
        Constraint::RowLe(s, t) => Constraint::RowLe(row(s), row(t)),
        dims => dims.clone(),
    }
}

/// As they are written, and backwards.
fn orders(phi: &[Constraint]) -> [Vec<Constraint>; 2] {
    [phi.to_vec(), phi.iter().rev().cloned().collect()]
}

/// What a run finds: γ↑, or nothing. It defers nothing, and places every marker at the left edge.
fn found(phi: &[Constraint], names: &Names, policy: Policy) -> Option<Ground> {
    match solve(phi, &mut names.clone(), policy).verdict {
        Verdict::Solved(solved) => {
            let Solved { sigma, residual, .. } = &*solved;
            assert!(residual.deferred.is_empty(), "{phi:?}");
            let rows = sigma.bindings().into_values();
            assert!(
                rows.into_iter()
                    .all(|to| matches!(to, Term::Dim(_)) || matches!(to, Term::Row(row) if row.lead.is_empty())),
                "{phi:?}"
            );
            solved.greatest()
        }
        Verdict::Unsat(_) | Verdict::Rejected(_) => None,
        Verdict::Limit(limit) => panic!("{limit:?}: {phi:?}"),
    }
}

/// What every run finds, where all find the same.
fn found_by_all(phi: &[Constraint], names: &Names) -> Option<Ground> {
    let first = found(phi, names, Policy::default());
    for order in orders(phi) {
        for strategy in STRATEGIES {
            for guard in [GuardPolicy::Signed, GuardPolicy::Paper] {
                let policy = Policy { guard, ..with(strategy) };
                assert_eq!(found(&order, names, policy), first, "{policy:?}: {order:?}");
            }
        }
    }
    first
}

/// Every run succeeds where there is a solution at the left edge and fails where there is none, whatever the strategy and
/// the order. What it finds is the greatest of them.
#[test]
fn cor_5_5_iv_the_edge_decides() {
    let cases = Cases::of("cor_5_5_iv_the_edge_decides");
    let axes = [DimTerm::from(TERMS.dim_vars[0]), two(), Dim::Unit.into()];
    let trails: Vec<Vec<DimTerm>> = std::iter::once(Vec::new()).chain(axes.map(|axis| vec![axis])).collect();
    let all = row_terms(&trails, &TERMS.row_vars);
    let terms: Vec<RowTerm> = all.into_iter().filter(|row| row.lead.is_empty()).collect();
    let constraints: Vec<Constraint> = row_constraints(&terms).collect();
    let (mut solved, mut failed, mut elsewhere) = (0u64, 0u64, 0u64);
    for (i, one) in constraints.iter().enumerate() {
        for other in &constraints[..=i] {
            cases.one();
            let phi = [one.clone(), other.clone()];
            let solves = |gamma: &&Ground| phi.iter().all(|c| holds(gamma, c));
            let mut solutions = VALUES.of(&phi).iter().filter(solves);
            match found_by_all(&phi, &TERMS.names) {
                Some(greatest) => {
                    assert!(is_at_edge(&greatest), "{phi:?}");
                    assert!(solutions.filter(|g| is_at_edge(g)).all(|g| is_below(g, &greatest)), "{phi:?}");
                    solved += 1;
                }
                None => {
                    let moved = solutions.next().inspect(|g| assert!(!is_at_edge(g), "{phi:?}")).is_some();
                    assert!(!solutions.any(is_at_edge), "{phi:?}");
                    failed += 1;
                    elsewhere += u64::from(moved);
                }
            }
        }
    }
    let [solved, failed, moved] = [solved, failed, elsewhere].map(thousands);
    let line = format!("{solved} solved, {failed} not; {moved} of these have a solution with a marker elsewhere");
    let _ = writeln!(std::io::stderr(), "cor_5_5_iv_the_edge_decides: {line}");
    assert!(elsewhere > 0, "{line}");
    cases.finish();
}

fn is_below(gamma: &Ground, greatest: &Ground) -> bool {
    let dims = gamma.dims.iter().all(|(v, d)| (*d).le(greatest.dims[v]));
    dims && gamma.rows.iter().all(|(v, row)| row.le(&greatest.rows[v]))
}

/// A system at the left edge, with leaves and parameters.
#[derive(Clone, Debug)]
struct AtEdge {
    system: System,
    tags: Tags,
}

impl AtEdge {
    fn new(system: System, tags: Tags) -> Self {
        let constraints = system.constraints.iter().map(at_edge).collect();
        AtEdge { system: System { constraints, ..system }, tags }
    }
}

impl Arbitrary for AtEdge {
    fn arbitrary(g: &mut Gen) -> Self {
        let weights = Weights { equalities: 3, open_rows: 8, sizes: 2, bases: 1, ..Weights::default() };
        let system = if bool::arbitrary(g) { weights.system(g) } else { weights.circle(g) };
        let vars = system.constraints.iter().map(at_edge).collect::<Vec<_>>().vars();
        let leaves: Vec<Var> = vars.into_iter().filter(|_| bool::arbitrary(g)).collect();
        AtEdge::new(system, Tags::leaves(leaves))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let tags = self.tags.clone();
        Box::new(self.system.shrink().map(move |system| AtEdge::new(system, tags.clone())))
    }
}

/// The same of larger systems, and of their closing with leaves.
#[test]
fn cor_5_5_iv_no_order_matters() {
    random("cor_5_5_iv_no_order_matters", 30_000, |AtEdge { system, tags }: AtEdge| {
        let System { names, constraints } = system;
        found_by_all(&constraints, &names);
        let closed = |phi: &[Constraint], strategy| match close(phi, &mut names.clone(), &tags, with(strategy)) {
            Closing::Closed(closed) => Some(closed.values),
            Closing::Unsat(_) | Closing::Rejected(..) => None,
            end => panic!("{end:?}"),
        };
        let first = closed(&constraints, Strategy::Fifo);
        orders(&constraints).iter().all(|phi| STRATEGIES.into_iter().all(|by| closed(phi, by) == first))
    });
}

/// Just outside. A set at the left edge may have a solution, and none at the left edge (Remark 2.11): no run finds it. With
/// an axis before a marker the order says which axes there are (F10).
#[test]
fn cor_5_5_iv_just_outside() {
    let mut names = Names::new();
    let phi = parse_system("<y> ~ [] <> [3]\n<z> <= <y>\n<z> <= [] <> [5]", &mut names).expect("right");
    let universe = Universe::of_sizes(&[3, 5], 2).expect("small");
    assert_eq!(found_by_all(&phi, &names), None);
    assert!(sol(&phi, &universe).next().is_some());
    assert!(!sol(&phi, &universe).any(|gamma| is_at_edge(&gamma)));
    let mut names = Names::new();
    let lines = "<p> ~ [3] <> [5]\n<p> ~ [] <> [3,5]\n<q> <= <p>\n<q> <= [3,7] <> []";
    let mut phi = parse_system(lines, &mut names).expect("right");
    let q = names.row_var("q").expect("q");
    let mut rank = |phi: &[Constraint]| match solve(phi, &mut names, Policy::default()).verdict {
        Verdict::Solved(solved) => solved.greatest().map(|gamma| gamma.rows[&q].rank()),
        end => panic!("{end:?}"),
    };
    let first = rank(&phi);
    phi.swap(0, 1);
    assert_eq!((first, rank(&phi)), (Some(3), Some(4)));
}
