//! Finding F66: what the note on projections says of identifiers, of examples, of its rule 6 and of what cannot go wrong.

use super::examples::nests_of;
use lozenge::interp::{Inputs, Options, Value, dims, run};
use lozenge::program::Inference;
use lozenge::projection::elaborate::ProjectionRule;
use lozenge::projection::{Atom, Classes, Equation, Index, Kind, Label, Proj, Projected, Slot, solve};
use std::collections::BTreeMap;

const ROOT: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// What the program computes for `g`, with this data in its one input.
fn computed(inferred: &Inference, nests: &[Projected], input: &str) -> Vec<f64> {
    let id = |name: &str| inferred.generated.tensor(name).expect("a tensor");
    let value = Value { dims: dims(inferred, id(input)), data: ROOT.to_vec() };
    let inputs = Inputs { values: BTreeMap::from([(id(input), value)]), fill: None, externals: BTreeMap::new() };
    let outcome = run(inferred, nests, inputs, &Options::default()).expect("values");
    outcome.values[id("g")].as_ref().expect("a value").data.clone()
}

/// The classes with one id for each axis of each *shape*: two occurrences of a tensor have the same ids.
fn by_shape(nest: &Projected) -> Classes {
    let of = |id: usize| {
        let (axis, tensor) = (&nest.axes[id], nest.tensors[nest.axes[id].slot.number()]);
        let same = |other: &_| {
            let &lozenge::projection::local::Axis { slot, kind, position, .. } = other;
            (nest.tensors[slot.number()], kind, position) == (tensor, axis.kind, axis.position)
        };
        Proj(u32::try_from(nest.axes.iter().position(same).expect("itself")).expect("few"))
    };
    let atom = |atom: &Atom| match atom {
        Atom::Proj(p) => Atom::Proj(of(p.0 as usize)),
        Atom::Sol(index) => Atom::Sol(index.clone()),
    };
    let renamed = nest.equations.iter().map(|e| match &e.equation {
        Equation::Eq(a, b) => Equation::Eq(atom(a), atom(b)),
        Equation::Iter(a) => Equation::Iter(atom(a)),
    });
    let sizes: Vec<u64> = nest.axes.iter().map(|axis| axis.size).collect();
    let mut classes = solve(&sizes, &renamed.collect::<Vec<_>>()).expect("no conflict");
    classes.of = (0..nest.axes.len()).map(|id| classes.of[of(id).0 as usize]).collect();
    classes
}

/// The sum of products that these classes say, of a square of size 2 with itself.
fn square(nest: &Projected, classes: &Classes) -> [f64; 4] {
    let mut cells = [0.0; 4];
    let used: Vec<usize> = (0..classes.classes.len()).filter(|class| classes.of.contains(class)).collect();
    for point in 0..1_usize << used.len() {
        let at = |slot: Slot| {
            let ids = (0..nest.axes.len()).filter(|id| nest.axes[*id].slot == slot);
            let bit = |id: usize| point >> used.iter().position(|c| *c == classes.of[id]).expect("used") & 1;
            ids.fold(0, |cell, id| 2 * cell + bit(id))
        };
        cells[at(Slot::Lhs)] += ROOT[at(Slot::Rhs(0))] * ROOT[at(Slot::Rhs(1))];
    }
    cells
}

/// Where a tensor stands twice, ids of shapes merge what ids of occurrences keep apart.
#[test]
fn finding_f66_ids_are_of_occurrences() {
    let programs = [
        ("input m: 2, 2\nlet g = m +* \"ij; kj => ik\" m", "m", [5.0, 11.0, 11.0, 25.0], [5.0, 0.0, 0.0, 25.0], 2),
        ("input a: 2 -> 2\nlet g = a * a", "a", [7.0, 10.0, 15.0, 22.0], [1.0, 0.0, 0.0, 16.0], 1),
    ];
    for (text, input, right, merged, loops) in programs {
        let (inferred, nests) = nests_of(text);
        let nest = &nests[0];
        assert_eq!(nest.record.loops.len(), 3, "{text}");
        assert_eq!(computed(&inferred, &nests, input), right, "{text}");
        let classes = by_shape(nest);
        let result: Vec<usize> = (0..nest.axes.len()).filter(|id| nest.axes[*id].slot == Slot::Lhs).collect();
        assert_eq!(classes.of[result[0]], classes.of[result[1]], "{text}: the diagonal alone");
        let mut used = classes.of.clone();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), loops, "{text}");
        assert_eq!(square(nest, &classes), merged, "{text}");
    }
}

fn find(nest: &Projected, slot: Slot, kind: Kind) -> Proj {
    let found = nest.axes.iter().position(|axis| axis.slot == slot && axis.kind == kind);
    Proj(u32::try_from(found.expect("an axis")).expect("few"))
}

/// A vector of ones is sized by an equality, or grows and is matched by an inequality; and the sum needs neither.
#[test]
fn finding_f66_the_vector_of_ones() {
    let rules = |text: &str, of: (Slot, Kind)| {
        let (inferred, nests) = nests_of(text);
        let nest = &nests[0];
        let ones = Atom::Proj(find(nest, of.0, of.1));
        let ruled = nest.equations.iter().filter_map(|e| match &e.equation {
            Equation::Eq(a, b) if *a == ones || *b == ones => Some(e.rule),
            _ => None,
        });
        let grown = inferred.assumptions().iter().any(|a| a.rule.to_string() == "CL-leaf" && a.value.contains('3'));
        assert_eq!(nest.record.reductions().len(), 1, "{text}: a sum");
        let all = inferred.assumptions().len();
        (ruled.collect::<Vec<_>>(), grown, all)
    };
    let ones = (Slot::Rhs(1), Kind::Output);
    let (grows, grown, _) = rules("input m: 3 -> 2\nconst ones\nlet r = m * ones", ones);
    assert!(grows == [ProjectionRule::P3] && grown, "closed to its cap, matched by an inequality");
    let (equal, _, assumed) = rules("input m: 2, 3\nconst ones\nlet r = m +* \"pq; q => p\" ones", ones);
    assert!(equal == [ProjectionRule::P1] && assumed == 0, "equal: nothing grows");
    // A literal that stays at one element: pinned, and the sum is the same.
    let (pinned, grown, _) = rules("input a: 3 -> 2\nlet r = a * 10", ones);
    assert!(pinned == [ProjectionRule::P2] && !grown);
}

/// Without rule 6: a result that no operand reaches is iterated by rule 5, a matrix product by nothing.
#[test]
fn finding_f66_what_rule_6_is_for() {
    let iterated = |text: &str| {
        let (_, nests) = nests_of(text);
        let nest = nests.last().expect("an operation");
        let sizes: Vec<u64> = nest.axes.iter().map(|axis| axis.size).collect();
        let five = nest.equations.iter().filter(|e| e.rule != ProjectionRule::P6).map(|e| &e.equation);
        let classes = solve(&sizes, five).expect("no conflict").classes;
        (classes.iter().filter(|class| class.iterate).count(), nest.record.loops.len())
    };
    assert_eq!(iterated("{ r: 3 } =: 1.5"), (1, 1), "its own example has its loop by rule 5");
    assert_eq!(iterated("input a: 2, 3\ninput b: 3, 5\nlet c = a +* \"ij; jk => ik\" b"), (0, 3), "matched pairs");
    assert_eq!(iterated("input a: 3\ninput b: 3\nlet c = a + b"), (0, 1), "by rule 3 too");
    assert_eq!(iterated("input x: 3\nlet y = x ++ \"i => ij\" [\"j\"]\nj = 2\n"), (0, 2), "and the result's own label");
}

/// Other statements decide by a marker which axes an operation pairs.
#[test]
fn finding_f66_other_statements_decide_what_is_paired() {
    let program = |uses: [&str; 2]| format!("input p\ninput q: 2, ..., 2, 2\n{}let c = p + q\n", uses.concat());
    let (a, b) = ("let a = p ++ \"i...j => i\"\n", "let b = p ++ \"ij => i\"\n");
    let [first, second] = [[a, b], [b, a]].map(|uses| {
        let (_, nests) = nests_of(&program(uses));
        nests.last().expect("the sum").clone()
    });
    assert_eq!(first.axes, second.axes, "the same ids and sizes");
    assert_ne!(first.equations, second.equations);
    let classes = [&first, &second].map(|nest| {
        let sizes: Vec<u64> = nest.axes.iter().map(|axis| axis.size).collect();
        solve(&sizes, nest.equations.iter().map(|e| &e.equation)).expect("no conflict").of
    });
    assert_ne!(classes[0], classes[1], "≡ itself differs");
    // Rule 4 of the note on F58's program: i and p's first axis have one size by an equality, and two loops.
    let (_, nests) = nests_of("input p: 2, ..., 3\nlet y = p ++ \"ij => ji\"");
    assert_eq!((nests[0].record.loops.len(), nests[0].record.reductions().len()), (2, 0));
}

/// All iterators in the result's map and cells that nothing writes; an index that is neither of two forms; a result that
/// is written at an index.
#[test]
fn finding_f66_words() {
    let record = |text: &str| nests_of(text).1[0].record.clone();
    let diagonal = record("input x: 3\nlet y = x ++ \"i => ii\"");
    assert!(diagonal.reductions().is_empty() && diagonal.is_injective() && !diagonal.is_surjective());
    let sliced = record("input x: 1 | 3\nlet y = x @| k");
    let outside = &sliced.rhs[0][0];
    assert!(outside.size == 1 && matches!(&outside.label, Label::At(index) if *index != Index::Fix(0)), "x[!k, i]");
    let pinned = record("input x: 3\nlet y = x ++ \"i => 0i\"");
    assert_eq!((&pinned.lhs[0].label, pinned.lhs[0].size), (&Label::At(Index::Fix(0)), 1), "pinned, on the left");
    assert!(pinned.is_surjective());
    let wider = record("input x: 3\nlet y = x ++ \"i => 1i\"");
    assert_eq!((&wider.lhs[0].label, wider.lhs[0].size), (&Label::At(Index::Fix(1)), 2), "with a size above 1");
    assert!(!wider.is_surjective(), "as 7.6(ii) says");
    // A size of 0, as the note allows it: it has no product factor, so there is one point, which reads outside.
    let empty = solve(&[0], &[Equation::Iter(Atom::Proj(Proj(0)))]).expect("no conflict");
    assert!(matches!(empty.classes[0].label(), lozenge::calculus::projection::Labelled::Zero), "0 is no index below 0");
}
