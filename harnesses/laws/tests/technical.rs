//! What a later technical report on the same calculus says (spec/later.md): its claims, run on the paper's algorithm.
#![allow(missing_docs)]

use super::paper::parsed;
use lozenge::calculus::closing::close_in_order;
use lozenge::calculus::solver::{Run, Verdict, solve};
use lozenge::closing::{Closing, Tags};
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_system};
use lozenge::policy::{Limit, Limits, Policy};
use lozenge::program::{InferError, Witness, infer, parse};
use lozenge::rigid::TwoSorted;
use lozenge::rules::Rule;
use lozenge::semantics::{Universe, holds, sol};
use lozenge_harnesses::domains::rows;
use lozenge_harnesses::systems::STRATEGIES;

fn verdict(text: &str, policy: Policy) -> Verdict {
    let (mut names, phi) = parsed(text);
    let Run { verdict, .. } = solve(&phi, &mut names, policy);
    verdict
}

fn close(text: &str, policy: Policy) -> Closing {
    let (mut names, phi) = parsed(text);
    close_in_order(&phi, &mut names, &Tags::default(), policy, |_| ())
}

fn is_solution(text: &str, values: &str) -> bool {
    let mut names = Names::new();
    let phi = parse_system(text, &mut names).expect("constraints");
    let gamma = parse_ground(values, &mut names).expect("values");
    phi.iter().all(|c| holds(&gamma, c))
}

fn shape(text: &str, name: &str) -> String {
    let inference = infer(&parse(text).expect("a program")).unwrap_or_else(|error| panic!("{text}{error}"));
    inference.show(name).unwrap_or_else(|| panic!("{name}"))
}

/// Explicit axes compared across flanks are ⊑¹, and not the order of 2.3: the rule accepts what has no solution, and a
/// row that closing then makes empty violates the input.
#[test]
fn comparing_flat_is_not_the_order_of_rows() {
    let all = rows(2, 2);
    let mut more = 0;
    for (r, s) in all.iter().flat_map(|r| all.iter().map(move |s| (r, s))) {
        let flat = TwoSorted::from(r.clone()).le_one_shot(&s.clone().into());
        assert!(flat || !r.le(s), "what the order has, the comparison accepts");
        more += u32::from(flat && !r.le(s));
    }
    assert!(more > 0, "and more");
    let text = "[3] <r> <= [] <> [3]";
    assert!(!is_solution(text, "r := [] <> []") && is_solution(text, "r := [] <> [3]"));
    assert!(!matches!(verdict("[3] <> [] <= [] <> [3]", Policy::paper()), Verdict::Solved(_)));
}

/// A clash of sizes after a specification is a failure of a placement: no slice, no axis before an ellipsis, and nothing
/// is compared again under another split.
#[test]
fn a_placement_fails_without_a_second_split() {
    let text = "input x: 3\ninput q: 5\nlet y = x ++ \"i => i\"\nlet z = y + q\n";
    let Err(InferError::Clash(clash)) = infer(&parse(text).expect("a program")) else { panic!("a clash") };
    assert!(!clash.certain && matches!(clash.behind.witness, Some(Witness::Shapes { .. })));
    let rows = "<y> ~ [] <> [3]\n<z> <= <y>\n<z> <= [] <> [5]";
    assert!(matches!(verdict(rows, Policy::paper()), Verdict::Rejected(_)));
    assert!(is_solution(rows, "y := [3] <> []\nz := [3] <> [5]"));
}

/// A tensor added to its cyclic permutation: nothing is deferred, and there are shapes. What the report has in mind needs
/// an equality; and there the least solution is the periodic one.
#[test]
fn the_periodic_example_defers_nothing() {
    let permuted = "let p = x ++ \"a,b,..r.. => ..r..,b,a\" [\"a\"; \"b\"; \"r\"]\n";
    let sizes = "a = 3\nb = 5\n";
    let added = format!("param x\n{permuted}let y = x + p\n{sizes}");
    assert_eq!((shape(&added, "x"), shape(&added, "y")), ("3, 5".to_owned(), "3, 5, 5, 3".to_owned()));
    let concrete = |x: &str| format!("input x: {x}\n{permuted}let y = x + p\n");
    assert_eq!(shape(&concrete("3, 5, 3"), "y"), "3, 5, 3");
    assert_eq!(shape(&concrete("3, 5, ..., 3"), "y"), "3, 5, 3, 5, 3");
    let rows = "[3,5] <r> ~ <x>\n<c> ~ <r> [5,3]\n<y> <= <x>\n<y> <= <c>";
    let Verdict::Solved(solved) = verdict(rows, Policy::paper()) else { panic!("solved") };
    assert!(solved.residual.deferred.is_empty());
    // The values that the report calls evident violate the set, with the markers that the specification has.
    assert!(!is_solution(rows, "r := [] <> [3]\nx := [3,5] <> [3]\nc := [3] <> [5,3]\ny := [] <> [3,5,3]"));
    let equated = format!("param x\n{permuted}let e = x +* \"...; ... => ...\" p\n{sizes}");
    assert_eq!(shape(&equated, "x"), "3, 5, 3");
    assert!(matches!(close("[3,5] <r> ~ <r> [5,3]", Policy::paper()), Closing::Rejected(..)));
    let Closing::Closed(closed) = close("[3,5] <r> ~ <r> [5,3]", Policy::default()) else { panic!("closed") };
    assert!(closed.values.rows.values().all(|row| row.rank() == 1));
}

/// A solved form with a deferred equation need not have a solution.
#[test]
fn solved_with_a_deferred_equation_says_nothing() {
    let text = "[3] <r> ~ <r> [5]";
    assert!(matches!(verdict(text, Policy::paper()), Verdict::Solved(_)));
    let (_, phi) = parsed(text);
    assert!(sol(&phi, &Universe::of_sizes(&[3, 5], 4).expect("small")).next().is_none());
}

/// Sets with ranks that fit and without, on which the guard of Def. 4.5, which is the report's, stays silent for ever; and
/// one with ranks that fit, on which it fires. None has a solution, which R1 finds.
#[test]
fn detection_fails() {
    let limits = Limits { rank: 16, size: 500, ..Limits::default() };
    let endless = [
        "[2] <r> <= <p>\n<q> <= <r> [3,3,3]\n[2] <p> <= <q>",
        "<q> <= [2] <p>\n<r> [3] <= <q>\n<p> [3] <= <r>",
        "[2] <q> <= <p>\n[2] <p> <= <q> [3]",
    ];
    for text in endless {
        for strategy in STRATEGIES {
            let ended = verdict(text, Policy { limits, strategy, ..Policy::paper() });
            assert!(matches!(ended, Verdict::Limit(Limit::Rank | Limit::Size)), "{text}: {ended:?}");
        }
        assert!(matches!(verdict(text, Policy::default()), Verdict::Unsat(_)), "{text}");
    }
    // p = 0 and q = 1 are ranks that fit.
    let fires = "<q> <= <p> [3]\n[2] <p> <= <q>";
    assert!(
        matches!(verdict(fires, Policy::paper()), Verdict::Rejected(failure) | Verdict::Unsat(failure) if failure.rule == Rule::RgRank)
    );
}
