//! R2, and 5.5(iv) as far as it holds: sets whose markers all stand at the left edge. On them a placement is no choice, so
//! neither the strategy nor the order of the constraints matters, and the guard of Def. 4.5 is right.
#![allow(missing_docs)]

use lozenge::calculus::closing::{Closing, Tags, close};
use lozenge::calculus::solver::{Solved, Verdict, solve};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::policy::{CapPolicy, GuardPolicy, Policy, Strategy};
use lozenge::program::{generate, parse};
use lozenge::semantics::{Ground, Universe, holds, sol};
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var, Vars};
use lozenge_harnesses::cases::{Cases, random, thousands};
use lozenge_harnesses::domains::TERMS;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_harnesses::systems::{STRATEGIES, Values, is_at_left_edge, row_constraints, row_terms, two, with};
use quickcheck::{Arbitrary, Gen};
use std::collections::{BTreeMap, BTreeSet};
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

/// A solved form up to names: σ⋆ of the input's variables, and what is stored, with the unsolved variables numbered as they
/// come in the former.
type Form = (Vec<String>, BTreeSet<String>);

fn form(Solved { phi, sigma, residual, .. }: &Solved) -> Form {
    let mut dims: BTreeMap<DimVar, usize> = BTreeMap::new();
    let mut dim = |t: DimTerm| match t {
        DimTerm::Var(v) => {
            let next = dims.len();
            format!("x{}", dims.entry(v).or_insert(next))
        }
        DimTerm::Dim(d) => d.to_string(),
    };
    let mut rows: BTreeMap<RowVar, usize> = BTreeMap::new();
    let mut row = |row: &RowTerm| {
        let axes: Vec<String> = row.trail.iter().map(|t| dim(*t)).collect();
        let next = rows.len();
        let var = row.var.map(|v| *rows.entry(v).or_insert(next));
        format!("{var:?} {}", axes.join(" "))
    };
    let bound = phi.vars().into_iter().map(|v| match sigma.var(v) {
        Term::Dim(t) => row(&RowTerm::new(Vec::new(), None, vec![t])),
        Term::Row(r) => row(&r),
    });
    let bound = bound.collect();
    let axis = |t: DimTerm| RowTerm::new(Vec::new(), None, vec![t]);
    let stored = residual.constraints().map(|c| match c {
        Constraint::DimEq(s, t) | Constraint::DimLe(s, t) => (axis(s), axis(t)),
        Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => (s, t),
    });
    (bound, stored.map(|(s, t)| format!("{} ⊑ {}", row(&s), row(&t))).collect())
}

/// What a run finds: γ↑ and its solved form, or nothing. It defers nothing, and places every marker at the left edge.
fn found(phi: &[Constraint], names: &Names, policy: Policy) -> Option<(Ground, Form)> {
    match solve(phi, &mut names.clone(), policy).verdict {
        Verdict::Solved(solved) => {
            assert!(solved.residual.deferred.is_empty(), "{phi:?}");
            let at_edge = |to: &Term| !matches!(to, Term::Row(row) if !row.lead.is_empty());
            assert!(solved.sigma.bindings().values().all(at_edge), "{phi:?}");
            Some((solved.greatest()?, form(&solved)))
        }
        Verdict::Unsat(_) | Verdict::Rejected(_) => None,
        Verdict::Limit(limit) => panic!("{limit:?}: {phi:?}"),
    }
}

/// The greatest solution that every run finds, where all find the same and end in the same solved form (R2a, R2c), with
/// the guard of R1 and that of Def. 4.5 (R2b).
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
    first.map(|(greatest, _)| greatest)
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
/// The example programs are at the left edge, but for one with slices.
#[test]
fn most_programs_are_at_the_left_edge() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs");
    let files = std::fs::read_dir(folder).expect("there").map(|entry| entry.expect("a file").path());
    let programs = files.filter(|path| path.extension().is_some_and(|e| e == "loz"));
    let (edge, other): (Vec<_>, Vec<_>) = programs.partition(|path| {
        let program = parse(&std::fs::read_to_string(path).expect("a text")).expect("a program");
        is_at_left_edge(&generate(&program).expect("its constraints").constraints)
    });
    assert!(edge.len() > 10, "{edge:?}");
    assert!(other.iter().all(|path| path.ends_with("rnn.loz")), "{other:?}");
}

/// R2d needs the caps of 6.3: closed leaf by leaf to the letter of Def. 6.1, a leaf's axis depends on the strategy.
#[test]
fn finding_r2_to_the_letter_closing_depends_on_the_strategy() {
    let mut names = Names::new();
    let lines = "<p> <= [] <> [unit]\n<q> <= [] <> [unit]\n[] <> [3] <= <p>\n<p> <= <q>";
    let phi = parse_system(lines, &mut names).expect("right");
    assert!(is_at_left_edge(&phi));
    let [p, q] = ["p", "q"].map(|name| names.row_var(name).expect("a row"));
    let leaves = Tags::leaves([p, q].map(Var::Row));
    let closed = |strategy, caps| match close(&phi, &mut names.clone(), &leaves, Policy { caps, ..with(strategy) }) {
        Closing::Closed(closed) => names.show(&closed.values.rows[&q]).to_string(),
        end => panic!("{end:?}"),
    };
    let of_q = |caps| [Strategy::Fifo, Strategy::Lifo].map(|strategy| closed(strategy, caps));
    assert_eq!(of_q(CapPolicy::Stored), ["[]·⋄·[3]", "[]·⋄·[1∅]"]);
    assert_eq!(of_q(CapPolicy::Saturated), ["[]·⋄·[3]", "[]·⋄·[3]"]);
}
