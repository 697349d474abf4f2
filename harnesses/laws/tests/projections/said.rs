//! Findings F58 and F59: what is said of aligning rows, of labels and of index maps.

use super::examples::nests_of;
use lozenge::calculus::projection::Labelled;
use lozenge::projection::{Atom, Equation, Index, Label, Proj, Projected, Slot, solve};
use std::path::PathBuf;

/// The pairs of two rows of one rank, by position, that face each other flank by flank from the outer edges.
fn flank_by_flank(rank: usize, lead: usize, other: usize) -> Vec<(usize, usize)> {
    let front = 0..lead.min(other);
    let back = rank - (rank - lead).min(rank - other)..rank;
    front.chain(back).map(|i| (i, i)).collect()
}

fn eq(p: u32, q: u32) -> Equation {
    Equation::Eq(Atom::Proj(Proj(p)), Atom::Proj(Proj(q)))
}

/// 7.2, P4: equal rows with different markers, aligned flank by flank, lose as many pairs as the markers are apart.
#[test]
fn finding_f58_flanks_against_flanks_lose_pairs() {
    for rank in 0..=5 {
        for (lead, other) in (0..=rank).flat_map(|a| (0..=rank).map(move |b| (a, b))) {
            assert_eq!(rank - flank_by_flank(rank, lead, other).len(), lead.abs_diff(other));
        }
    }
    let text = "input p: 2, ..., 3\nlet y = p ++ \"ij => ji\"";
    let (_, nests) = nests_of(text);
    let transposed = &nests[0];
    assert_eq!((transposed.record.loops.len(), transposed.record.reductions().len()), (2, 0), "y[j, i] := p[i, j]");
    // p = [2]·⋄·[3] against []·⋄·[i, j]: only j. The ids are p's axes, then y's.
    assert_eq!(flank_by_flank(2, 1, 0), [(1, 1)]);
    let sizes: Vec<u64> = transposed.axes.iter().map(|axis| axis.size).collect();
    let at = |slot: Slot, n: usize| {
        let found = transposed.axes.iter().position(|axis| axis.slot == slot && axis.position == n);
        u32::try_from(found.expect("an axis")).expect("few")
    };
    let (lhs, p) = ([at(Slot::Lhs, 0), at(Slot::Lhs, 1)], [at(Slot::Rhs(0), 0), at(Slot::Rhs(0), 1)]);
    let all = |equations: &[Equation]| {
        let iterated = (0..4).map(|id| Equation::Iter(Atom::Proj(Proj(id))));
        let equations: Vec<Equation> = equations.iter().cloned().chain(iterated).collect();
        solve(&sizes, &equations).expect("no conflict")
    };
    assert_eq!(all(&[eq(p[1], lhs[0]), eq(p[0], lhs[1])]).classes.len(), 2);
    let lost = all(&[eq(p[1], lhs[0])]);
    let class = |id: u32| lost.of[id as usize];
    assert_eq!(lost.classes.iter().filter(|class| class.label() == Labelled::Iterated).count(), 3);
    assert!(lhs.iter().all(|id| class(*id) != class(p[0])), "p's first axis is summed over");
}

/// Every operation of the example programs.
fn examples(mut see: impl FnMut(&Projected)) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let paths = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path());
    for path in paths.filter(|path| path.extension().is_some_and(|e| e == "loz")) {
        nests_of(&std::fs::read_to_string(path).expect("a program")).1.iter().for_each(&mut see);
    }
}

/// 7.8: no operation has a class of size > 1 that is neither pinned nor iterated; what broadcasts is pinned.
#[test]
fn finding_f59_severed_axes_are_pinned() {
    let mut classes = 0;
    examples(|nest| {
        let sizes: Vec<u64> = nest.axes.iter().map(|axis| axis.size).collect();
        // The derived indices of §8 have ids of their own, which are no axes.
        let Ok(solved) = solve(&sizes, nest.equations.iter().map(|e| &e.equation)) else { return };
        assert!(solved.classes.iter().all(|class| class.size == 1 || class.pin.is_some() || class.iterate));
        classes += solved.classes.len();
    });
    assert!(classes > 1_000, "{classes}");
    let (_, nests) = nests_of("input a: 2, 3\nlet q = 2.0 *. a");
    let literal = &nests[0].record.rhs[0];
    assert_eq!((literal.len(), literal[0].size, &literal[0].label), (1, 1, &Label::At(Index::Fix(0))));
}

/// 7.4 and the note on it: labels have a default, and pins come before iterators.
#[test]
fn finding_f59_labels_have_a_default_and_a_precedence() {
    let none = solve(&[3], &[]).expect("no conflict");
    assert_eq!(none.classes[0].label(), Labelled::Zero, "one cell of three");
    let pinned = Equation::Eq(Atom::Proj(Proj(0)), Atom::Sol(Index::Fix(1)));
    let both = [pinned, Equation::Iter(Atom::Proj(Proj(0)))];
    for equations in [both.clone(), [both[1].clone(), both[0].clone()]] {
        let classes = solve(&[3], &equations).expect("no conflict");
        assert_eq!(classes.classes[0].label(), Labelled::Pinned(&Index::Fix(1)), "in either order");
    }
}

/// §7, 7.7 and the note: a label of the result alone is no axis of an operand.
#[test]
fn finding_f59_a_label_can_belong_to_the_result() {
    let (_, nests) = nests_of("input x: 3\nlet y = x ++ \"i => ij\" [\"j\"]\nj = 2\n");
    let record = &nests[0].record;
    let Label::Iter(j) = record.lhs[1].label else { panic!("{record:?}") };
    assert!(record.rhs[0].iter().all(|axis| !axis.label.mentions(j)) && record.loops[j].size == 2);
}

/// The note on projections: a scalar's map has no components, a product has a factor for each class, and what
/// `a;b=>c` says as a specification.
#[test]
fn finding_f59_examples_of_the_note() {
    let (_, nests) = nests_of("input m: 2, 3\nlet s = m ++ \"ij => \"\nlet r = s *. m");
    let scaled = &nests[1].record;
    assert!(scaled.rhs[0].is_empty() && scaled.lhs.len() == 2 && scaled.loops.len() == 2, "π_s is empty");
    let (_, nests) = nests_of("input a: 2, 3\ninput b: 3, 5\nlet c = a +* \"ij; jk => ik\" b");
    let (axes, record) = (&nests[0].axes, &nests[0].record);
    assert_eq!((axes.iter().filter(|axis| axis.size > 1).count(), record.loops.len()), (6, 3));
    let (_, nests) = nests_of("input x: 2\ninput y: 3\nlet z = x +* \"a; b => c\" y");
    let record = &nests[0].record;
    assert_eq!((record.reductions().len(), record.loops.len(), record.lhs.len()), (2, 2, 1), "z[0] += x[a]·y[b]");
}
