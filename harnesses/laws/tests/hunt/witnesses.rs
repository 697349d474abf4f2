//! Small programs of each sort.

use super::outcome::policy;
use lozenge::decide::{Decision, decide};
use lozenge::program::{InferError, Program, generate, infer, parse};
use lozenge::solver::{Policy, Strategy, Verdict, solve};

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

/// A shape by inference, or how it fails.
fn inferred(text: &str, name: &str) -> String {
    match infer(&read(text)) {
        Ok(inference) => inference.show(name).unwrap_or_default(),
        Err(InferError::Clash(clash)) if clash.certain => "unsat".to_owned(),
        Err(InferError::Clash(_)) => "rejected".to_owned(),
        Err(_) => "other".to_owned(),
    }
}

fn verdict(text: &str, strategy: Strategy) -> &'static str {
    let generated = generate(&read(text)).expect(text);
    match solve(&generated.constraints, &mut generated.names.clone(), policy(strategy)) {
        Verdict::Solved(_) => "solved",
        Verdict::Unsat(_) => "unsat",
        Verdict::Rejected(_) => "rejected",
        Verdict::Limit(_) => "limit",
    }
}

#[test]
fn hunt_the_order_of_statements_decides_success() {
    let one = "input x\nlet a = x ++ \"k... => \"\nlet c = x + x\nlet d = c ++ \"j => \"\n";
    let other = "input x\nlet c = x + x\nlet d = c ++ \"j => \"\nlet a = x ++ \"k... => \"\n";
    assert_eq!((inferred(one, "c").as_str(), inferred(other, "c").as_str()), ("1∅", "rejected"));
}

#[test]
fn hunt_the_order_of_statements_decides_axes() {
    let (leaves, last) = ("input p\ninput q: 3, 9, 5\n", "let c = p + q\n");
    let (a, b) = ("let a = p ++ \"i...j => i\"\n", "let b = p ++ \"ij => i\"\n");
    let (one, other) = (format!("{leaves}{a}{b}{last}"), format!("{leaves}{b}{a}{last}"));
    assert_eq!((inferred(&one, "p").as_str(), inferred(&other, "p").as_str()), ("1∅, 5", "9, 5"));
    assert_eq!((inferred(&one, "c").as_str(), inferred(&other, "c").as_str()), ("1∅, 3, 9, 5", "3, 9, 5"));
}

#[test]
fn hunt_a_slice_decides_axes() {
    let (leaves, last) = ("input x\ninput q: 9, 3 | 1\n", "let c = x + q\n");
    let (a, b) = ("let a = x @| i\n", "let b = x ++ \"i|... => ...\"\n");
    let (one, other) = (format!("{leaves}{a}{b}{last}"), format!("{leaves}{b}{a}{last}"));
    assert_eq!((inferred(&one, "x").as_str(), inferred(&other, "x").as_str()), ("1∅ | 1", "3 | 1"));
    assert_eq!((inferred(&one, "c").as_str(), inferred(&other, "c").as_str()), ("1∅, 9, 3 | 1", "9, 3 | 1"));
}

/// Two deferred equations on one row: the one that asks for more axes is closed first, whatever the order.
#[test]
fn hunt_the_order_of_word_equations_does_not_matter() {
    let (leaf, c, d) = ("input x: 3\nlet a = x + x\n", "let c = a ++ \"i... => \"\n", "let d = a ++ \"ij... => \"\n");
    let (one, other) = (format!("{leaf}{c}{d}"), format!("{leaf}{d}{c}"));
    assert_eq!((inferred(&one, "a").as_str(), inferred(&other, "a").as_str()), ("1∅, 3", "1∅, 3"));
}

#[test]
fn hunt_the_strategy_decides_success() {
    let text = "input z: 3\nlet a = relu z\nlet b = z +* \"...j; k... => \" a\n";
    assert_eq!((verdict(text, Strategy::Fifo), verdict(text, Strategy::Lifo)), ("solved", "rejected"));
}

/// Solving operation by operation places d's marker before `a =: d` is seen; all at once it comes after.
#[test]
fn hunt_operation_by_operation_decides_success() {
    let text = "input x: 3\nlet a = x + x\nlet d = a ++ \"ii... => i...\"\nlet e = d ++ \"k => \"\na =: d\n";
    assert_eq!((verdict(text, Strategy::Fifo), inferred(text, "d").as_str()), ("solved", "rejected"));
}

#[test]
fn hunt_a_satisfiable_program_is_rejected() {
    let text = "input x: 3, 5\ninput q: 3, 9, 5\nlet y = x ++ \"ij => ij\"\nlet z = y + q\n";
    assert_eq!((verdict(text, Strategy::Fifo), inferred(text, "z").as_str()), ("rejected", "rejected"));
    let generated = generate(&read(text)).expect(text);
    let decided = decide(&generated.constraints, &mut generated.names.clone(), Policy::default(), 4);
    assert!(matches!(decided.decision, Decision::Sat(_)) && decided.branches > 0, "{decided:?}");
}
