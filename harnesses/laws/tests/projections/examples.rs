//! Worked examples.

use super::programs::{op, projected};
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Equation, Index, Label, MapAxis, Projected, Projections, Slot, project, project_all, solve};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

pub fn nests_of(text: &str) -> (Inference, Vec<Projected>) {
    let program = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let inferred = infer(&program).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let nests = project_all(&inferred).expect("projections");
    (inferred, nests)
}

/// Operations in one situation share their answer: it is the one that each has alone, in every field.
fn each_alone(inferred: &Inference) -> usize {
    let all = project_all(inferred).expect("projections");
    assert_eq!(all.len(), inferred.generated.operations.len());
    for (i, nest) in all.iter().enumerate() {
        assert_eq!(*nest, project(inferred, i).expect("as before"), "{:?}", op(inferred, nest));
    }
    all.len() - all.iter().map(|nest| Arc::as_ptr(&nest.nest)).collect::<BTreeSet<_>>().len()
}

#[test]
fn all_at_once_is_each_alone() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let paths = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|e| e == "loz"));
    let shared = texts.map(|path| each_alone(&nests_of(&std::fs::read_to_string(path).expect("a program")).0));
    assert!(shared.sum::<usize>() > 100, "the decoder repeats its block");
    projected(5_000, |inferred, _| {
        each_alone(inferred);
    });
}

/// Whatever else two operations agree on, one difference that matters is enough for two answers.
#[test]
fn situations_are_told_apart() {
    let (inferred, nests) = nests_of(
        "input b: 5, 5 | 3\nlet s = b @| 0\nlet t = b @| 1\nlet u = b @| i\nlet v = b @| j\nlet w = b @| 0\n\
         input x: 3, 3\nlet p = x ++ \"ij => ij\"\nlet q = x ++ \"ij => ji\"\nlet r = x ++ \"ab => ba\"\n\
         input m: 3 -> 3\nlet e = m *. m\nlet f = m * m\n",
    );
    assert_eq!(each_alone(&inferred), 1);
    let different: BTreeSet<_> = nests.iter().map(|nest| format!("{:?}", nest.nest)).collect();
    assert_eq!(different.len(), nests.len() - 1, "only the slices at 0 agree");
    // One specification over the same shapes, with another window or another dilation.
    let pool = "fn f(v) = x @^^ \"2*o=+k => o\" [\"k\"] + 0 *. (v ++ \"k => 0\" [\"k\"])";
    let conv = "fn f(v) = 0 *. (v ++ \"d => 0\" [\"d\"]) + (x +* \"2*o=+d*k; k => o\" w)";
    for function in [pool, conv] {
        let calls = "let a = f([1])\nlet b = f([1, 2])\nlet c = f([3])\n";
        let (inferred, nests) = nests_of(&format!("input x: 6\ninput w: 3\n{function}\n{calls}"));
        each_alone(&inferred);
        let staged = |nest: &&Projected| op(&inferred, nest).spec.as_ref().is_some_and(|it| it.spec.is_staged());
        let found: Vec<&Projected> = nests.iter().filter(staged).collect();
        let [a, b, c] = found.as_slice() else { panic!("three calls") };
        assert!(Arc::ptr_eq(&a.nest, &c.nest) && a.record != b.record, "{function}");
    }
}

/// Lemma 7.7 (b), the contamination example: x and y get one size in another operation, and their outer sum has two
/// loops all the same.
#[test]
fn an_identification_made_elsewhere_fuses_no_loops() {
    let (inferred, nests) =
        nests_of("input x: n\ninput y: m\nn = 3\nlet dot = x +* \"i; i => 0\" y\nlet outer = x +* \"i; j => ij\" y");
    assert_eq!(inferred.size("m"), Some(3), "the sizes are one …");
    assert_eq!(nests[0].record.loops.len(), 1);
    let outer = &nests[1].record;
    assert_eq!(outer.loops.len(), 2, "… and the loops are two");
    assert!(outer.is_injective() && outer.is_surjective());
}

/// The three worked examples of the companion text.
#[test]
fn worked_examples() {
    let (_, nests) = nests_of(
        "input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => ik\" b\ninput m: 2, 3\nlet r = 2 *. m\nconst ones\nlet s = m +* \"pq; q => p\" ones",
    );
    let [matmul, broadcast, ones] = nests.as_slice() else { panic!("three operations") };
    let iter = |record: &Projections, slot: Slot| -> Vec<String> {
        let show = |axis: &MapAxis| match &axis.label {
            Label::Iter(i) => record.loops[*i].name.clone(),
            Label::At(index) => index.to_string(),
            Label::Affine(_) | Label::Concat(_) => panic!("a label of §8"),
        };
        record.map(slot).iter().map(show).collect()
    };
    let maps = |nest: &Projected| nest.record.slots().map(|slot| iter(&nest.record, slot)).collect::<Vec<_>>();
    assert_eq!(maps(matmul), [["i", "k"], ["i", "j"], ["j", "k"]]);
    assert_eq!(matmul.record.reductions(), [2]);
    assert!(!matmul.record.is_injective() && matmul.record.needs_init(Slot::Lhs, true));
    assert_eq!(maps(broadcast), [vec!["i", "j"], vec!["0"], vec!["i", "j"]]);
    assert!(broadcast.record.is_injective() && broadcast.record.is_surjective());
    assert_eq!(maps(ones), [vec!["p"], vec!["p", "q"], vec!["q"]]);
    assert_eq!(ones.record.reductions(), [1]);
}

/// With leaf axes alone as terminal, a copy between results would write one cell.
#[test]
fn finding_f19_terminal_axes() {
    let (_, nests) = nests_of("input a: 3\nlet x = a + a\nlet y = x ++ \"i => i\"");
    let copy = &nests[1];
    assert_eq!(copy.record.loops.len(), 1);
    assert!(copy.record.is_surjective());
    let sizes: Vec<u64> = copy.axes.iter().map(|axis| axis.size).collect();
    let without = copy.equations.iter().map(|e| &e.equation).filter(|e| !matches!(e, Equation::Iter(_)));
    let classes = solve(&sizes, without).expect("no conflict");
    assert!(classes.classes.iter().all(|class| !class.iterate && class.pin.is_none() && class.size == 3));
}

/// Fixed indices, diagonals, slices from outside, and results that no operand reaches.
#[test]
fn pins_diagonals_and_slices() {
    let (_, nests) = nests_of(
        "input x: 4, 4\nlet d = x ++ \"ii => i\"\nlet e = d ++ \"i => ii\"\nlet f = x ++ \"i2 => i\"\ninput b: 5 | 3\nlet s = b @| i\nlet t = d ++ \"i => ij\"\nlet u = t +* \"ij; ij => 0\" x",
    );
    let record = |i: usize| &nests[i].record;
    assert_eq!(record(0).loops.len(), 1);
    assert!(record(0).is_surjective() && record(0).is_injective());
    assert!(!record(1).is_surjective() && record(1).is_injective() && record(1).needs_init(Slot::Lhs, true));
    assert_eq!(record(2).rhs[0][1].label, Label::At(Index::Fix(2)));
    assert_eq!(record(3).rhs[0][0].label, Label::At(Index::External("i".to_owned())));
    assert_eq!(record(4).loops.len(), 2, "an axis of the result alone is iterated as well (P6)");
}
