//! Provenance of markers (§10): every placement has a declared origin, or is said to have none.
#![allow(missing_docs)]

use lozenge::program::generate::Marker;
use lozenge::program::shape::Kind;
use lozenge::program::{Generated, Placed, Program, generate, infer, parse, placements};
use lozenge::solver::Policy;
use lozenge_harnesses::programs::program;

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

/// What put the marker of this row where it is, in words.
fn from(text: &str, name: &str, kind: Kind) -> String {
    let generated = generate(&read(text)).expect(text);
    let id = generated.tensor(name).expect(name);
    let all = placements(&generated, Policy::default());
    all.iter().find(|p| p.tensor == id && p.kind == kind).expect(name).placed.words(&generated)
}

#[test]
fn declared_rows_have_their_origin() {
    let text = "input a: 2 | ... -> 3, ..., 4\ninput b\nparam c\nconst d: ..r..\nlet e = [[1, 2]] + 1.5\n";
    let generated = generate(&read(text)).expect(text);
    let markers = |name: &str| {
        let it = &generated.tensors[generated.tensor(name).expect(name)].markers;
        Kind::ALL.map(|kind| it.get(kind).name())
    };
    assert_eq!(markers("a"), ["left edge", "ellipsis", "ellipsis"]);
    assert_eq!(markers("b"), ["open", "open", "open"]);
    assert_eq!(markers("c"), ["left edge", "open", "open"]);
    assert_eq!(markers("d"), ["left edge", "left edge", "ellipsis"]);
    assert_eq!(markers("e"), ["open", "open", "open"]);
    let literals = generated.tensors.iter().filter(|t| t.value.is_some());
    let all: Vec<Marker> = literals.flat_map(|t| Kind::ALL.map(|kind| *t.markers.get(kind))).collect();
    assert_eq!(all, [Marker::Literal; 6]);
}

#[test]
fn placements_go_back_to_what_is_declared() {
    let out = Kind::Output;
    let permuted = "input x: 3, 5\nlet y = x ++ \"ij => ji\"\nlet z = relu y\n";
    assert_eq!(from(permuted, "x", out), "the output row of `x`, declared: left edge");
    assert_eq!(from(permuted, "y", out), "the slot of the result in the permute that makes `y`: left edge");
    // An ellipsis passes on what it matches: the marker is the operand's.
    let through = "input x: 3, 5\nlet y = x ++ \"... => ...\"\n";
    assert_eq!(from(through, "y", out), "the output row of `x`, declared: left edge");
    let literal = "let y = [1, 2] ++ \"... => ...\"\n";
    assert_eq!(from(literal, "y", out), "the output row of the literal an unnamed tensor");
    let slot = "input x\nlet y = x ++ \"k... => k\"\n";
    assert_eq!(from(slot, "x", out), "the slot of `x` in the permute that makes `y`: ellipsis");
    let slice = "input x\nlet y = x @| t\n";
    assert_eq!(from(slice, "x", Kind::Batch), "the slot of `x` in the slice that makes `y`: slice");
    let sum = "input x: 3\nlet y = x + x\n";
    assert_eq!(from(sum, "y", out), "what must fit: `x` in the pointwise that makes `y`");
    assert_eq!(from("input x: 3\ninput b\nlet y = x + b\n", "b", out), "closing");
}

/// The witnesses of F16 and H1: what the order of statements changes is the declared origin of a marker.
#[test]
fn the_order_of_statements_changes_the_origin() {
    let (leaf, a, b) = ("input p\n", "let a = p ++ \"i...j => i\"\n", "let b = p ++ \"ij => i\"\n");
    let (one, other) = (format!("{leaf}{a}{b}"), format!("{leaf}{b}{a}"));
    assert_eq!(from(&one, "p", Kind::Output), "the slot of `p` in the permute that makes `a`: ellipsis");
    assert_eq!(from(&other, "p", Kind::Output), "the slot of `p` in the permute that makes `b`: left edge");
    let path = |text: &str| -> usize {
        let generated = generate(&read(text)).expect(text);
        let p = generated.tensor("p").expect("p");
        let all = placements(&generated, Policy::default());
        all.iter().find(|it| it.tensor == p && it.kind == Kind::Output).expect("p").path.len()
    };
    // First `a`: the marker stands between i and j, and `b` only closes the row there.
    assert_eq!((path(&one), path(&other)), (2, 1));
    // A declared ellipsis comes before both.
    for text in [format!("input p: 2, ..., 2\n{a}{b}"), format!("input p: 2, ..., 2\n{b}{a}")] {
        assert_eq!(from(&text, "p", Kind::Output), "the output row of `p`, declared: ellipsis");
    }
}

/// Is every marker that is placed by an equation one that the program declares?
#[test]
fn every_placement_has_an_origin() {
    let (mut rows, mut undeclared) = (0_u64, 0_u64);
    for case in 0..4_000 {
        let it = program(5, case);
        let generated: Generated = generate(&it).expect("well formed");
        for placement in placements(&generated, Policy::default()) {
            rows += 1;
            undeclared += u64::from(matches!(placement.placed, Placed::Equation { .. }));
            assert!(placement.path.iter().all(|i| *i < generated.constraints.len()));
            let closed = generated.tensors[placement.tensor].shape.get(placement.kind).is_closed();
            assert_eq!(
                closed,
                matches!(placement.placed, Placed::Declared { .. }) && placement.path.is_empty(),
                "{it}"
            );
        }
    }
    println!("every_placement_has_an_origin: {rows} rows, {undeclared} placed where nothing is declared");
    assert!(rows > 20_000, "{rows}");
    assert_eq!(undeclared, 0, "where an equation places a marker, one of its sides says where");
    // Examples: all rows of all tensors have an origin as well.
    let text = include_str!("../../../tests/programs/attention.loz");
    let inference = infer(&read(text)).expect("shapes");
    assert_eq!(placements(&inference.generated, Policy::default()).len(), 3 * inference.generated.tensors.len());
}
