//! Findings F53 to F57 and F60 to F62: remarks, reasons and single words that the rules contradict.

use super::paper::{self, is_solved_by, parsed};
use lozenge::constraint::Constraint;
use lozenge::dim::{Dim, DimBot};
use lozenge::names::Names;
use lozenge::notation::{parse_dim, parse_row};
use lozenge::policy::{GuardPolicy, Limits, Policy, Strategy};
use lozenge::program::{infer, parse};
use lozenge::projection::{Slot, project_all};
use lozenge::rigid::TwoSorted;
use lozenge::row::Row;
use lozenge::rules::Rule;
use lozenge::semantics::{Universe, models, sol};
use lozenge::solver::{Verdict, solve, solve_traced};
use lozenge::subst::Map;
use lozenge::term::{DimTerm, Var};
use lozenge_harnesses::systems::STRATEGIES;

fn row(text: &str) -> Row {
    parse_row(text, &mut Names::new()).expect("a row")
}

fn dim(text: &str) -> Dim {
    parse_dim(text, &mut Names::new()).expect("a dimension")
}

fn one_shot(lower: &Row, upper: &Row) -> bool {
    TwoSorted::from(lower.clone()).le_one_shot(&upper.clone().into())
}

/// The values, if it closes.
fn closed(text: &str, leaves: &[&str], letter: bool) -> Option<String> {
    paper::closed(text, leaves, letter).ok()
}

/// 6.7(ii): the inequality that is said to be accepted has no solution, and no run accepts it.
#[test]
fn finding_f53_the_rules_accept_no_shifted_inequality() {
    let text = "[3] <r> <= <r> [5]";
    let universe = Universe::of_sizes(&[3, 5], 4).expect("small");
    assert!(sol(&parsed(text).1, &universe).next().is_none());
    for strategy in STRATEGIES {
        let run = |policy: Policy| {
            let (mut names, phi) = parsed(text);
            solve(&phi, &mut names, Policy { strategy, ..policy })
        };
        assert!(matches!(run(Policy::paper()), Verdict::Rejected(f) if f.rule == Rule::RgRank), "4.3(iv) and 4.5");
        assert!(matches!(run(Policy::default()), Verdict::Unsat(f) if f.rule == Rule::RgTrail), "R1");
        let limits = Limits { fuel: 2_000, rank: 60, ..Limits::default() };
        let unguarded = Policy { guard: GuardPolicy::None, limits, ..Policy::paper() };
        assert!(matches!(run(unguarded), Verdict::Limit(_)), "without a guard it grows, and is not accepted either");
    }
    // What is true of ⊑¹ alone: there the chain may be long, and still no value does.
    let values = ["[] <> []", "[3] <> []", "[3,3] <> []", "[5] <> []", "[3,5] <> []", "[unit] <> []"];
    for value in values.map(row) {
        let flat =
            |lead: &[Dim], trail: &[Dim]| Row::new([lead, &value.lead].concat(), [&value.trail[..], trail].concat());
        assert!(!one_shot(&flat(&[dim("3")], &[]), &flat(&[], &[dim("5")])), "{value:?}");
    }
}

/// The words over 2 and 3 up to this length.
fn words(longest: usize) -> Vec<Vec<&'static str>> {
    let mut all = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|word| ["2", "3"].map(|axis| [&word[..], &[axis]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// 6.4(iii): where closing x or y upward solves s·x = y·t, both have the least ranks of all solutions. Another variable
/// need not.
#[test]
fn finding_f54_smaller_ranks_beside_the_equation() {
    let mut resolved = 0;
    let ends: Vec<_> = words(2).into_iter().filter(|word| !word.is_empty()).collect();
    for (s, t) in ends.iter().flat_map(|s| ends.iter().map(move |t| (s, t))) {
        let text = format!("[{}] <x> ~ <y> [{}]", s.join(","), t.join(","));
        let mut ranks = Vec::new();
        for (x, y) in words(3).iter().flat_map(|x| words(4).into_iter().map(move |y| (x.clone(), y))) {
            if is_solved_by(&text, &format!("x := [{}] <> []\ny := [{}] <> []", x.join(","), y.join(","))) {
                assert_eq!(x.len() + s.len(), y.len() + t.len(), "{text}: the difference of the ranks is fixed");
                ranks.push((x.len(), y.len()));
            }
        }
        for empty in ["x", "y"] {
            let (mut names, phi) = parsed(&format!("{text}\n<{empty}> ~ [] <> []"));
            if let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) {
                let values = solved.greatest().expect("nothing is deferred");
                let rank = ["x", "y"].map(|name| values.rows[&names.row_var(name).expect("a variable")].rank());
                assert!(ranks.iter().all(|(x, y)| *x >= rank[0] && *y >= rank[1]), "{text}");
                resolved += 1;
            }
        }
    }
    assert!(resolved > 10, "{resolved}");
    // What does come apart is the alignment: larger rank, and not below.
    let text = "[2,3] <x> ~ <y> [3]";
    assert!(is_solved_by(text, "x := [] <> []\ny := [] <> [2]"), "x closed upward");
    assert!(is_solved_by(text, "x := [3] <> []\ny := [2,3] <> []"));
    assert!(!one_shot(&row("[2,3] <> []"), &row("[] <> [2]")));
    let text = "[2] <x> ~ <y> [2,3]\n<z> <= <x>\n<z> <= [2,3] <> []";
    let values = closed(text, &[], false).expect("closed");
    assert_eq!(values, "<x> := [] <> [3], <y> := [] <> [], <z> := [2,3] <> [3]");
    assert!(is_solved_by(text, "x := [2,3] <> []\ny := [] <> [2]\nz := [2,3] <> []"));
    // Not a matter of x's marker: with y empty z has three axes, wherever it stands.
    let universe = Universe::of_sizes(&[2, 3], 2).expect("small");
    let with_y_empty = format!("{text}\n<y> ~ [] <> []");
    let (mut names, phi) = parsed(&with_y_empty);
    let z = names.row_var("z").expect("z");
    assert!(sol(&phi, &universe).all(|gamma| gamma.rows[&z].rank() > 2), "none of rank 2");
}

/// 5.8: σ⋆ is least on the variables of the input, and not on all.
#[test]
fn finding_f55_least_on_the_variables_of_the_input() {
    let (mut names, phi) = parsed("<p> <= [3] <> []");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    assert!(solved.residual().is_empty());
    let (p, star) = (names.row_var("p").expect("p"), solved.sigma());
    let fresh: Vec<_> = star.bindings().into_keys().filter(|var| *var != Var::Row(p)).collect();
    let [Var::Dim(fresh)] = fresh[..] else { panic!("one fresh dimension is bound") };
    let sigma = Map::identity().with_row(p, star.row(p));
    assert!(models(&sigma, &phi) && models(&star, &phi));
    let u = Map::identity().with_dim(fresh, dim("3"));
    assert_eq!(u.after(&sigma), *star, "σ ≤ σ⋆");
    assert_eq!(star.dim(fresh), DimTerm::from(dim("3")), "u keeps 3 as it is, whatever it is,");
    assert_eq!(sigma.dim(fresh), DimTerm::Var(fresh), "so u∘σ⋆ is not σ there: not σ⋆ ≤ σ");
    assert!(star.le_on(&sigma, [Var::Row(p)]).is_some(), "on V it is");
}

/// 5.6, first caveat: with nothing that tells placements apart, a solution need not have the run's.
#[test]
fn finding_f21_representation_without_inequalities() {
    let (mut names, phi) = parsed("<p> ~ [] <> [3,5]");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    let p = names.row_var("p").expect("p");
    assert!(is_solved_by("<p> ~ [] <> [3,5]", "p := [3] <> [5]"));
    let bound = solved.sigma().row(p);
    assert!(bound.var.is_none() && bound != (&row("[3] <> [5]")).into(), "ground: no γ̂ with γ̂(p) = [3]·⋄·[5]");
}

/// 6.1: what the solver minted for a leaf closes otherwise as a leaf and as an interior.
#[test]
fn finding_f56_the_tag_of_a_fresh_variable_decides() {
    let text = "<p> <= [b] <> []\n[3] <> [] <= <p>";
    let (mut names, phi) = parsed(text);
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    let p = solved.sigma().row(names.row_var("p").expect("p"));
    assert!(matches!(p.lead[..], [DimTerm::Var(_)]) && p.var.is_some(), "p ↦ [α]·⟨p′⟩");
    // What is left says of α that 3 ⊑ α ⊑ b.
    let left = "3 <= a\na <= b";
    assert_eq!(closed(left, &["a"], true).as_deref(), Some("a := 3, b := unit"));
    assert_eq!(closed(left, &[], true).as_deref(), Some("a := unit, b := unit"));
    for value in ["[3] <> []", "[unit] <> []"] {
        assert!(is_solved_by(text, &format!("p := {value}\nb := unit")), "{value}");
    }
    assert_eq!(closed(text, &["p"], false).as_deref(), Some("<p> := [3] <> [], b := unit"), "the rule here");
}

/// 2.10, the aside: different rows that expand alike, and rows that do so and differ as operands.
#[test]
fn finding_f57_expanding_alike_is_not_being_alike_as_operands() {
    let (before, behind) = (row("[unit] <> []"), row("[] <> [unit]"));
    assert!(before.flat_eq(&behind) && before != behind);
    let at = |r: &Row, n: usize| r.expansion(n).expect("at least its rank").iter().collect::<Vec<_>>();
    for n in 1..=6 {
        assert_eq!(at(&before, n), at(&behind, n));
        assert_eq!(at(&before, n), at(&Row::EMPTY, n));
    }
    // All three expand alike; results tell each two of them apart, of rank 0 and of rank 1.
    assert!(Row::EMPTY.le(&Row::EMPTY) && !Row::EMPTY.le(&before) && !Row::EMPTY.le(&behind));
    let (left, right) = (row("[3] <> []"), row("[] <> [3]"));
    assert!(left.le(&before) && !left.le(&behind) && !right.le(&before) && right.le(&behind));
    assert!(left.le(&Row::EMPTY) && right.le(&Row::EMPTY));
}

/// 1.3: pairs that none of the displayed laws covers, up to the order of the two.
#[test]
fn finding_f60_the_displayed_laws_are_not_all() {
    let all = [DimBot::Bot, dim("unit").into(), dim("3").into(), dim("5").into(), dim("7").into()];
    let (bot, unit) = (all[0], all[1]);
    let atom = |d: DimBot| d != bot && d != unit;
    let mut open = [Vec::new(), Vec::new()];
    for (i, x) in all.into_iter().enumerate() {
        for y in all.into_iter().skip(i) {
            let same = x == y || (atom(x) && atom(y));
            if !same && x != unit && y != unit {
                assert_eq!(x.meet(y), bot);
                open[0].push((x, y));
            }
            if !same && x != bot && y != bot {
                assert_eq!(x.join(y), unit);
                open[1].push((x, y));
            }
        }
    }
    assert!(open[0].iter().all(|(x, y)| *x == bot && atom(*y)) && open[0].len() == 3, "d ∧ ⊥");
    assert!(open[1].iter().all(|(x, y)| *x == unit && atom(*y)) && open[1].len() == 3, "d ∨ 1∅");
}

/// 5.3, 2.15, 6.3: a stored cap need not be of a variable; a convention makes a marker; closing a leaf loses solutions.
#[test]
fn finding_f60_words_about_stores_markers_and_closing() {
    let (mut names, phi) = parsed("[3] <> [] <= <p>");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    let stored: Vec<Constraint> = solved.residual().constraints().collect();
    let [Constraint::RowLe(cap, _)] = &stored[..] else { panic!("one cap") };
    assert!(cap.var.is_none() && cap.lead[..] == [DimTerm::from(dim("3"))], "a ground row, not a variable");
    // l·⟨ρ⟩·r = [3]·⟨ρ⟩·[4] with ρ = [5]·⋄·[]: by substitution, and by the convention for results.
    let (by_value, by_convention) = (row("[3,5] <> [4]"), row("[3] <> [5,4]"));
    assert!(by_value.flat_eq(&by_convention) && !by_value.le(&by_convention) && !by_convention.le(&by_value));
    // No placement, no deferred equation, and a = 1∅ is lost.
    assert_eq!(closed("3 <= a", &["a"], true).as_deref(), Some("a := 3"));
    assert!(is_solved_by("3 <= a", "a := unit"));
}

/// 6.3, §10: at row sort caps must be sent along inequalities as well.
#[test]
fn finding_f61_caps_of_rows_must_be_sent_too() {
    let text = "[] <> [3] <= <p>\n<p> <= <q>\n[] <> [5] <= <q>";
    let (mut names, phi) = parsed(&format!("{text}\n<q> ~ [] <> [5]"));
    let alone = solve(&phi, &mut names, Policy::default());
    assert!(!matches!(alone, Verdict::Solved(_)), "with q at its own cap alone p has nowhere to go");
    assert_eq!(closed(text, &["q", "p"], false).as_deref(), Some("<p> := [] <> [3], <q> := [] <> [unit]"));
    // Two rows that have no other neighbours need not be equal.
    assert!(is_solved_by("<p> <= <q>", "p := [3] <> []\nq := [] <> []"));
}

/// 4.3(c): putting ⟨y⟩·[2] for x, where [2]·⟨x⟩ ≈ ⟨y⟩·[2] is deferred, asks for what does not follow.
#[test]
fn finding_f61_a_deferred_equation_says_nothing_of_stored_bounds() {
    let text = "[2] <x> ~ <y> [2]\n<w> <= <x>";
    let values = "x := [] <> []\ny := [] <> []\nw := [] <> []";
    assert!(is_solved_by(text, values) && !is_solved_by("<w> <= <y> [2]\n<x> ~ <x>", values));
}

/// 2.15(ii): a slice is three equalities.
#[test]
fn finding_f61_a_slice_is_made_of_equalities() {
    let text = "input b: 5 | 3\nlet s = b @| i\n";
    let inferred = infer(&parse(text).expect("a program")).expect("shapes");
    let phi = &inferred.generated.constraints;
    let equalities = phi.iter().filter(|c| matches!(c, Constraint::RowEq(..))).count();
    assert_eq!((equalities, phi.iter().filter(|c| matches!(c, Constraint::RowLe(..))).count()), (3, 0), "{phi:?}");
}

/// 4.3(d): crossing equations bind nothing, so a cycle of them does not become an equation of a variable with itself.
#[test]
fn finding_f61_cycles_of_equalities_need_not_collapse() {
    let text = "[2] <x> ~ <y> [3]\n[2] <x> ~ <y> [3,3]";
    let universe = Universe::of_sizes(&[2, 3], 3).expect("small");
    assert!(sol(&parsed(text).1, &universe).next().is_none(), "no ranks fit");
    for strategy in STRATEGIES {
        let (mut names, phi) = parsed(text);
        let Verdict::Solved(solved) = solve(&phi, &mut names, Policy { strategy, ..Policy::paper() }) else {
            panic!("both are deferred")
        };
        assert!(solved.residual().deferred.len() == 2 && *solved.sigma() == Map::identity());
    }
}

/// §10: when the cycle of three is noticed, two lines have grown already.
#[test]
fn finding_f61_the_cycle_of_three_is_noticed_after_growing() {
    let text = "<a> <= <b> [2]\n<b> <= <c> [3]\n<c> <= <a> [5]";
    for strategy in [Strategy::Fifo, Strategy::Rounds] {
        let (mut names, phi) = parsed(text);
        let run = solve_traced(&phi, &mut names, Policy { strategy, ..Policy::paper() });
        assert!(matches!(run.verdict, Verdict::Rejected(f) if f.rule == Rule::RgRank));
        let grown = run.trace.steps.iter().filter(|step| step.rule == Rule::RiDeficit && step.bind.is_some()).count();
        assert_eq!(grown, 2, "{strategy:?}");
    }
}

/// 7.2, P5: an operand's flanks face the result's, each from its own edge. Flattened and taken from the end, others do.
#[test]
fn finding_f61_projections_align_flanks() {
    let text = |x: &str, q: &str| format!("input x: {x}\ninput q: {q}\nlet p = x ++ \"i...j => i...j\"\nlet c = p + q");
    for (x, q) in [("2, 5", "3, 5"), ("2, 2", "2, 2")] {
        let inferred = infer(&parse(&text(x, q)).expect("a program")).expect("shapes");
        let nest = &project_all(&inferred).expect("loops")[1];
        let map = |slot: Slot| nest.record.map(slot).iter().map(|axis| axis.label.clone()).collect::<Vec<_>>();
        let (c, p) = (map(Slot::Lhs), map(Slot::Rhs(0)));
        assert_eq!(p, [c[0].clone(), c[2].clone()], "c[i, j, k] := p[i, k] + q[j, k]");
        let from_the_end = &c[c.len() - p.len()..];
        assert_ne!(p, from_the_end, "p[j, k]");
        // 3 against 2 is a conflict of sizes; 2 against 2 is none.
        let sizes = |slot: Slot| nest.record.map(slot).iter().map(|axis| axis.size).collect::<Vec<_>>();
        assert_eq!(sizes(Slot::Lhs)[1..] == sizes(Slot::Rhs(0))[..], x == "2, 2");
    }
}

/// 6.1(3): an interior goes to the top, whatever its caps are; a leaf takes them.
#[test]
fn finding_f61_interiors_close_to_the_top() {
    for letter in [false, true] {
        assert_eq!(closed("3 <= a", &[], letter).as_deref(), Some("a := unit"));
        assert_eq!(closed("3 <= a", &["a"], letter).as_deref(), Some("a := 3"));
        assert_eq!(closed("[] <> [3] <= <p>", &[], letter).as_deref(), Some("<p> := [] <> []"));
    }
    let text = "input u: 2\ninput p: 3\nlet x = u ++ \"j => i\"\nlet y = x + p";
    let inferred = infer(&parse(text).expect("a program")).expect("shapes");
    assert_eq!((inferred.show("x").as_deref(), inferred.show("y").as_deref()), (Some("1∅"), Some("3")));
}

/// The line that is its own cycle: the first deficit of one lineage records p → p.
#[test]
fn finding_f26_one_line_closes_a_cycle_of_its_own() {
    let (mut names, phi) = parsed("<p> <= [2] <p>");
    let run = solve_traced(&phi, &mut names, Policy::paper());
    assert!(matches!(run.verdict, Verdict::Rejected(f) if f.rule == Rule::RgRank));
    assert!(run.trace.steps.iter().all(|step| step.bind.is_none()), "before anything has grown");
}
