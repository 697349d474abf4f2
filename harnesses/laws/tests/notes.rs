//! Findings F39, F62 and F67, and two words of F60: what the notes on shapes and §8 say of specifications, leaves, literals,
//! bases and padding.

use lozenge::names::Names;
use lozenge::notation::{parse_dim, parse_row};
use lozenge::program::shape::Kind;
use lozenge::program::{Inference, infer, margins, parse};
use lozenge::projection::{Slot, project_all};
use lozenge::row::Row;
use lozenge_harnesses::domains::rows;
use std::collections::BTreeSet;

fn inferred(text: &str) -> Inference {
    let program = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    infer(&program).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

fn shape(text: &str, name: &str) -> String {
    inferred(text).show(name).expect("a tensor")
}

fn row(text: &str) -> Row {
    parse_row(text, &mut Names::new()).expect("a row")
}

/// The labels of a batched product: the result has one that both operands have.
#[test]
fn finding_f39_labels_of_both_operands_may_stay() {
    let text = "input x: 4 | 2, 3\ninput y: 4 | 3, 5\nlet z = x +* \"b|ij; b|jk => b|ik\" y";
    assert_eq!(shape(text, "z"), "4 | 2, 5");
    let set = |labels: &str| labels.chars().collect::<BTreeSet<char>>();
    let (left, right, result) = (set("bij"), set("bjk"), set("bik"));
    let once: BTreeSet<char> = left.symmetric_difference(&right).copied().collect();
    assert!(once == set("ik") && once != result, "a label of both operands that stays is in no symmetric difference");
}

/// A leaf whose shape follows: nothing is assumed.
#[test]
fn finding_f39_leaves_can_be_forced() {
    let inferred = inferred("input x: 3\ninput y\nlet z = x +* \"i; i => i\" y");
    assert_eq!(inferred.show("y").as_deref(), Some("3"));
    assert!(inferred.assumptions().is_empty(), "by an equality alone");
}

/// A row of one unit, as an operand, is below some rows only.
#[test]
fn finding_f62_a_row_of_one_unit_does_not_fit_everything() {
    let unit = row("[] <> [unit]");
    assert!(!row("[3] <> []").le(&unit) && row("[3] <> []").le(&Row::EMPTY));
    for result in rows(2, 2) {
        assert!(result.le(&Row::EMPTY));
        assert_eq!(result.le(&unit), !result.trail.is_empty(), "{result:?}: it asks for a trailing axis");
    }
    // Seeded as the shape of a literal, it asks for one of a row that is open.
    assert_eq!(shape("input x: 3, ...\nlet q = x *. x", "x"), "3");
    assert_eq!(shape("input x: 3, ...\nlet q = 2.0 *. x", "x"), "3, 1∅");
}

/// 8.1: an axis padded for two kernels has one id in each operation, and one margin.
#[test]
fn finding_f60_a_margin_is_of_an_axis_of_a_tensor() {
    let one = |kernel: u64| format!("input w{kernel}: {kernel}\nlet y{kernel} = x +* \"o=+k; k => o\" w{kernel}\n");
    let left = |uses: &str| {
        let inferred = inferred(&format!("input x: 6\n{uses}"));
        let x = inferred.generated.tensor("x").expect("x");
        let ids: Vec<usize> = project_all(&inferred)
            .expect("loops")
            .iter()
            .map(|nest| nest.axes.iter().filter(|axis| axis.slot == Slot::Rhs(0)).count())
            .collect();
        (margins(&inferred)[&x].get(Kind::Output)[0].left, ids)
    };
    assert_eq!(left(&one(3)), (1, vec![1]));
    assert_eq!(left(&one(5)), (2, vec![1]));
    assert_eq!(
        left(&(one(3) + &one(5))),
        (2, vec![1, 1]),
        "two ids, each of one operation; the maximum is of x's axis"
    );
}

/// 8.1: what is committed when the first of two uses is met depends on which is first.
#[test]
fn finding_f67_a_margin_that_is_committed_early() {
    let one = |kernel: u64| format!("input w{kernel}: {kernel}\nlet y{kernel} = x +* \"o=+k; k => o\" w{kernel}\n");
    let margin = |kernels: &[u64]| {
        let uses: String = kernels.iter().map(|kernel| one(*kernel)).collect();
        let inferred = inferred(&format!("input x: 6\n{uses}"));
        let x = inferred.generated.tensor("x").expect("x");
        margins(&inferred)[&x].get(Kind::Output)[0].left
    };
    assert_eq!(margin(&[3, 5]), margin(&[5, 3]), "of all uses: in any order");
    assert_ne!(margin(&[3]), margin(&[5]), "of those that came before it was forced: not");
}

/// A size without a basis has a basis of its own.
#[test]
fn finding_f67_a_size_without_a_basis_takes_no_other() {
    let dim = |text: &str| parse_dim(text, &mut Names::new()).expect("a dimension");
    let (plain, rgb) = (dim("3"), dim("3:rgb"));
    assert!(plain != rgb && !plain.le(rgb) && !rgb.le(plain));
    let sum = parse("input x: 3\ninput y: 3:rgb\nlet z = x + y").expect("a program");
    assert!(infer(&sum).is_err());
}

/// An index bounds the size of its axis, so that 1 may be no guess.
#[test]
fn finding_f67_an_index_bounds_a_guess() {
    let text = |size: &str| format!("input x: {size}\nlet y = x ++ \"2 => 0\"");
    assert_eq!(shape(&text("?"), "x"), "3");
    assert!(infer(&parse(&text("1")).expect("a program")).is_err(), "index 2 is outside");
}
