//! §8 on the side of projections: padding margins (8.1), the second stratum (8.2), and what is said of affine
//! and concatenated maps.
#![allow(missing_docs)]

use lozenge::program::shape::Kind;
use lozenge::program::{infer, parse};
use lozenge::projection::affine::address;
use lozenge::projection::{
    Address, AffineLabel, Atom, Equation, Index, Label, Loop, MapAxis, Proj, Projections, Slot, Sure, project,
};
use lozenge::staged::{DerivedIndex, Margin, Strata, left_padding, solve_strata};
use lozenge_harnesses::cases::Cases;
use std::collections::BTreeMap;

/// Every order of a list.
fn orders<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for i in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(i);
        out.extend(orders(&rest).into_iter().map(|tail| [vec![first.clone()], tail].concat()));
    }
    out
}

#[test]
fn prop_8_1_margins_do_not_depend_on_the_order() {
    let cases = Cases::of("prop_8_1_margins_do_not_depend_on_the_order");
    let uses = [(1, 0, 1, 3), (1, 0, 2, 3), (2, 1, 1, 4), (3, 0, 1, 2), (1, 0, 1, 6)]
        .map(|(s, c, d, k)| Margin::of_padded(s, c, d, k));
    for subset in 0..1_u32 << uses.len() {
        let chosen: Vec<Margin> =
            uses.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, m)| *m).collect();
        let fold = |order: &[Margin]| order.iter().fold(Margin::default(), |all, m| all.max(*m));
        let expected = fold(&chosen);
        for order in orders(&chosen) {
            assert_eq!(fold(&order), expected);
            // Idempotent: meeting a use again changes nothing.
            assert_eq!(fold(&[order.clone(), order].concat()), expected);
            cases.one();
        }
    }
    cases.finish();
}

#[test]
fn prop_8_1_margins_are_what_addresses_need() {
    let cases = Cases::of("prop_8_1_margins_are_what_addresses_need");
    for (stride, dilation, kernel, output) in (1..=3_u64).flat_map(|s| {
        (1..=3_u64).flat_map(move |d| (1..=6_u64).flat_map(move |k| (1..=4_u64).map(move |o| (s, d, k, o))))
    }) {
        for offset in 0..stride {
            let margin = Margin::of_padded(stride, offset, dilation, kernel);
            let size = i128::from(stride * output);
            let (mut before, mut after) = (0_i128, 0_i128);
            for o in 0..output {
                for k in 0..kernel {
                    let left = left_padding(dilation, kernel).cast_signed();
                    let index = i128::from(stride * o + offset + dilation * k) - left;
                    before = before.max(-index);
                    after = after.max(index - (size - 1));
                }
            }
            let needed = (before, after);
            let found = (margin.left.cast_signed(), margin.right.cast_signed());
            assert_eq!(found, needed, "{stride} {dilation} {kernel} {output} {offset}");
            cases.one();
        }
    }
    cases.finish();
}

#[test]
fn finding_padding_that_ignores_dilation() {
    // right = ⌊(K + 1)/2⌋, left = K − right: for K = 3 one before and two after. With dilation 2 the last window
    // of a stride-1 convolution reads three beyond the end.
    let audited = |kernel: u64| {
        let right = kernel.div_ceil(2);
        Margin { left: (kernel - right).into(), right: right.into() }
    };
    assert_eq!(audited(3), Margin { left: 1, right: 2 });
    let output = 5;
    let last = (output - 1) + 2 * (3 - 1) - audited(3).left;
    assert_eq!(last - (output - 1), 3, "beyond the margin of 2");
    // Without dilation the left part is the same as ours, and the right part is one more than is needed.
    for kernel in 1..=9 {
        assert_eq!(left_padding(1, kernel), audited(kernel).left);
        assert_eq!(Margin::of_padded(1, 0, 1, kernel).right + 1, audited(kernel).right);
    }
    assert_eq!(Margin::of_padded(1, 0, 2, 3), Margin { left: 2, right: 2 });
}

#[test]
fn finding_an_offset_in_a_valid_convolution_reads_beyond_the_end() {
    // i = 2·(o − 1) + 1 + (k − 1) with o = 3, k = 3: seven elements. With offset 1 the last address is 7.
    let (stride, output, kernel, offset) = (2, 3, 3, 1);
    let size = stride * (output - 1) + 1 + (kernel - 1);
    assert_eq!(stride * (output - 1) + offset + (kernel - 1), size);
    let error = infer(&parse("input x: 7\ninput w: 3\nlet y = x +* \"2*o<+1+k; k => o\" w").expect("right"))
        .expect_err("refused");
    assert!(error.to_string().contains("reads beyond the last element"), "{error}");
    // A strided axis may have one: it stays below the stride.
    assert!(infer(&parse("input x: 6\nlet y = x ++ \"2*o+1 => o\"").expect("right")).is_ok());
    let error = infer(&parse("input x: 6\nlet y = x ++ \"2*o+2 => o\"").expect("right")).expect_err("refused");
    assert!(error.to_string().contains("must be less than the stride"), "{error}");
}

#[derive(Clone)]
enum Item {
    First(Equation),
    Second(Proj, DerivedIndex),
}

fn strata(sizes: &[u64], items: &[Item]) -> Option<Strata> {
    let equations: Vec<Equation> =
        items.iter().filter_map(|i| if let Item::First(e) = i { Some(e.clone()) } else { None }).collect();
    let indexed: Vec<(Proj, DerivedIndex)> =
        items.iter().filter_map(|i| if let Item::Second(p, t) = i { Some((*p, t.clone())) } else { None }).collect();
    solve_strata(sizes, &equations, &indexed).ok()
}

#[test]
fn conj_8_2_the_second_stratum_does_not_depend_on_the_order() {
    let cases = Cases::of("conj_8_2_the_second_stratum_does_not_depend_on_the_order");
    let p = |i| Atom::Proj(Proj(i));
    let fix = |c| Atom::Sol(Index::Fix(c));
    // Ids 0 to 3 are iterated, 4 and 5 are axes that derived terms index.
    let sizes = [2, 2, 3, 1, 6, 6];
    let affine = |terms: &[(u64, u32)], offset| DerivedIndex::Affine {
        terms: terms.iter().map(|(c, i)| (*c, Proj(*i))).collect(),
        offset,
    };
    let concat = |parts: &[u32]| DerivedIndex::Concat(parts.iter().map(|i| Proj(*i)).collect());
    let items = [
        Item::First(Equation::Eq(p(0), p(1))),
        Item::First(Equation::Eq(p(4), p(5))),
        Item::First(Equation::Eq(p(2), fix(1))),
        Item::First(Equation::Eq(p(4), fix(2))),
        Item::First(Equation::Iter(p(0))),
        Item::Second(Proj(4), affine(&[(2, 0), (1, 2)], 0)),
        Item::Second(Proj(4), affine(&[(2, 1), (1, 2)], 0)),
        Item::Second(Proj(5), affine(&[(1, 2), (2, 0)], 0)),
        Item::Second(Proj(5), affine(&[(1, 3)], 2)),
        Item::Second(Proj(5), concat(&[0, 2])),
        Item::Second(Proj(4), concat(&[1, 2, 3])),
        Item::Second(Proj(5), affine(&[(1, 4)], 0)),
    ];
    let (mut solved, mut failed, mut coupled) = (0_u64, 0_u64, 0_u64);
    for subset in 0..1_u32 << items.len() {
        if subset.count_ones() > 5 {
            continue;
        }
        let chosen: Vec<Item> =
            items.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, e)| e.clone()).collect();
        let expected = strata(&sizes, &chosen);
        match &expected {
            Some(strata) => {
                solved += 1;
                coupled += u64::from(!strata.coupled.is_empty());
            }
            None => failed += 1,
        }
        for order in orders(&chosen) {
            assert_eq!(strata(&sizes, &order), expected, "{subset:b}");
            cases.one();
        }
    }
    assert!(solved > 200 && failed > 200 && coupled > 30, "{solved} {failed} {coupled}");
    cases.finish();
}

/// All points of a record, by the product of its factors.
fn cells(record: &Projections, slot: Slot) -> Vec<u32> {
    let size: u64 = record.map(slot).iter().map(|axis| axis.size).product();
    let mut out = vec![0; usize::try_from(size).expect("small")];
    let mut points: Vec<Vec<Option<u64>>> = vec![vec![None; record.loops.len()]];
    for factor in record.factors() {
        let mut next = Vec::new();
        for point in &points {
            for j in &factor {
                for i in 0..record.loops[*j].size {
                    let mut with = point.clone();
                    with[*j] = Some(i);
                    next.push(with);
                }
            }
        }
        points = next;
    }
    for point in points {
        if let Address::Cell(cell) = address(record.map(slot), &point, &BTreeMap::new()) {
            out[cell] += 1;
        }
    }
    out
}

#[test]
fn maps_are_answered_soundly() {
    let cases = Cases::of("maps_are_answered_soundly");
    // Two loops, or a coupled pair and a loop; maps of one and two axes.
    let (mut exact, mut unknown) = (0_u64, 0_u64);
    for (m, n) in [(2, 2), (2, 3), (3, 2), (1, 3), (0, 2), (90, 100)] {
        for coupled in [vec![], vec![vec![0, 1]]] {
            // Only parts of concatenations have loops of fewer than two rounds (Def. 7.3).
            if coupled.is_empty() && m < 2 {
                continue;
            }
            let loops: Vec<Loop> =
                [("i", m), ("j", n), ("k", 2)].map(|(name, size)| Loop { name: name.to_owned(), size }).to_vec();
            let mut labels = vec![
                (Label::Iter(0), m),
                (Label::Iter(1), n),
                (Label::Iter(2), 2),
                (Label::At(Index::Fix(0)), 1),
                (Label::At(Index::Fix(1)), 2),
            ];
            // The loops of a concatenation are coupled.
            if !coupled.is_empty() {
                labels.push((Label::Concat(vec![(0, 0), (1, m)]), m + n));
            }
            for (a, b, offset) in [(1, 1, 0), (2, 1, 0), (1, 2, 0), (3, 1, -1), (m, 1, 0), (1, 1, -1)] {
                for size in [m + n, a * m.max(1), 4] {
                    let terms = vec![(a, 0), (b, 1)];
                    labels.push((Label::Affine(AffineLabel { terms, offset }), size));
                    labels.push((Label::Affine(AffineLabel { terms: vec![(a, 2)], offset }), size));
                }
            }
            let axis = |(label, size): &(Label, u64)| MapAxis { label: label.clone(), size: *size, kind: Kind::Output };
            for first in labels.iter().filter(|l| l.1 > 0) {
                for second in [None].into_iter().chain(labels.iter().filter(|l| l.1 > 0).map(Some)) {
                    let lhs: Vec<MapAxis> = [Some(first), second].into_iter().flatten().map(axis).collect();
                    let size: u64 = lhs.iter().map(|axis| axis.size).product();
                    let record = Projections { loops: loops.clone(), lhs, rhs: vec![], coupled: coupled.clone() };
                    let (injective, surjective) = (record.injective_at(Slot::Lhs), record.surjective_at(Slot::Lhs));
                    if size > 1 << 20 {
                        continue;
                    }
                    let cells = cells(&record, Slot::Lhs);
                    let (inj, sur) = (cells.iter().all(|n| *n <= 1), cells.iter().all(|n| *n >= 1));
                    for (answer, truth) in [(injective, inj), (surjective, sur)] {
                        match answer {
                            Sure::Yes => assert!(truth, "{record:?}"),
                            Sure::No => assert!(!truth, "{record:?}"),
                            Sure::Unknown => unknown += 1,
                        }
                        exact += u64::from(answer != Sure::Unknown);
                    }
                    cases.one();
                }
            }
        }
    }
    eprintln!("maps: {exact} exact answers, {unknown} unknown");
    assert!(unknown > 0 && exact > 5 * unknown, "{exact} {unknown}");
    cases.finish();
}

#[test]
fn programs_project_to_affine_and_coupled_maps() {
    let text = "input x: 2, 9\ninput w: 3\nlet y = x +* \"b, 2*o<+k; k => b, o\" w\n\
                let z = x +* \"b, 3*o=+2*k; k => b, o\" w\n\
                input a: 1, 4\ninput b: 2, 4\nlet c = (a, b) ++^ \"i, d; j, d => i^j, d\"\n\
                let s = c ++ \"i^j, d => j, d\" [\"j\"]\nj = 3\n";
    let inferred = infer(&parse(text).expect("right")).expect("right");
    let record = |i: usize| project(&inferred, i).expect("right").record.clone();
    let valid = record(0);
    assert_eq!(valid.rhs[0][1].label, Label::Affine(AffineLabel { terms: vec![(2, 1), (1, 2)], offset: 0 }));
    assert!(!valid.is_padded(Slot::Rhs(0)) && valid.coupled.is_empty());
    // Dilation 2, kernel 3: the reach is 4, two of it before the first element.
    let padded = record(1);
    assert_eq!(padded.rhs[0][1].label, Label::Affine(AffineLabel { terms: vec![(3, 1), (2, 2)], offset: -2 }));
    assert!(padded.is_padded(Slot::Rhs(0)));
    // A part of size one keeps its iterator.
    let block = record(2);
    assert_eq!(block.coupled.len(), 1);
    assert_eq!(block.loops.iter().map(|l| l.size).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(block.points(), 12);
    assert!(block.is_injective() && block.is_surjective());
    // A part that is projected away has no elements, and its loop none either.
    let split = record(3);
    assert_eq!(split.points(), 12);
    assert!(split.reductions().is_empty() && split.is_injective() && split.is_surjective());
}
