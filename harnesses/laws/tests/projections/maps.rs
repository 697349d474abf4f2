//! Prop. 7.6: the maps of every small record.

use lozenge::program::shape::Kind;
use lozenge::projection::{Index, Label, Loop, MapAxis, Projections, Slot};
use lozenge_harnesses::cases::{Blame, Cases};
use lozenge_statements::maps;
use std::collections::BTreeSet;

/// Every record with up to three loops of sizes 2 and 3 and up to three axes of the result.
fn records(mut visit: impl FnMut(&Projections)) {
    let mut loops_of = vec![Vec::new()];
    for n in 1..=3 {
        let longer = loops_of.iter().filter(|l: &&Vec<u64>| l.len() == n - 1);
        let more: Vec<Vec<u64>> = longer.flat_map(|l| [2, 3].map(|size| [l.clone(), vec![size]].concat())).collect();
        loops_of.extend(more);
    }
    for sizes in loops_of {
        let loops: Vec<Loop> =
            sizes.iter().enumerate().map(|(i, size)| Loop { name: format!("s{i}"), size: *size }).collect();
        let iterated = sizes.iter().enumerate().map(|(i, size)| (Label::Iter(i), *size));
        let fixed = [(0, 1), (0, 2), (1, 2)].map(|(c, size)| (Label::At(Index::Fix(c)), size));
        let axes: Vec<MapAxis> =
            iterated.chain(fixed).map(|(label, size)| MapAxis { label, size, kind: Kind::Output }).collect();
        let mut maps: Vec<Vec<MapAxis>> = vec![Vec::new()];
        let mut last = maps.clone();
        for _ in 0..3 {
            last = last.iter().flat_map(|m| axes.iter().map(move |a| [m.clone(), vec![a.clone()]].concat())).collect();
            maps.extend(last.iter().cloned());
        }
        for lhs in maps {
            visit(&Projections { loops: loops.clone(), lhs, rhs: Vec::new(), coupled: Vec::new() });
        }
    }
}

/// The cells that the points write, in order, and how many cells there are.
fn written(record: &Projections) -> (Vec<u64>, u64) {
    let points = tuples(record.loops.iter().map(|it| it.size));
    let index = |label: &Label, p: &[u64]| match label {
        Label::Iter(i) => p[*i],
        Label::At(Index::Fix(c)) => *c,
        Label::At(Index::External(_)) => 0,
        Label::Affine(_) | Label::Concat(_) => panic!("a label of §8"),
    };
    let cell = |p: &Vec<u64>| record.lhs.iter().fold(0, |at, axis| at * axis.size + index(&axis.label, p));
    (points.iter().map(cell).collect(), record.lhs.iter().map(|axis| axis.size).product())
}

/// The points of a product space, or the cells of a tensor.
fn tuples(sizes: impl Iterator<Item = u64>) -> Vec<Vec<u64>> {
    let extended = |tuples: Vec<Vec<u64>>, size: u64| -> Vec<Vec<u64>> {
        tuples.iter().flat_map(|t| (0..size).map(move |i| [t.clone(), vec![i]].concat())).collect()
    };
    sizes.fold(vec![Vec::new()], extended)
}

#[test]
fn prop_7_6_maps() {
    let cases = Cases::of("prop_7_6_maps");
    records(|record| {
        let _blame = Blame(|| format!("{record:?}"));
        let (cells, total) = written(record);
        let distinct: BTreeSet<u64> = cells.iter().copied().collect();
        assert_eq!(record.is_injective(), distinct.len() == cells.len());
        assert_eq!(record.is_surjective(), distinct.len() as u64 == total);
        // The same by witnesses: the form in which it is proved for every size.
        let points = tuples(record.loops.iter().map(|it| it.size));
        let mut said = false;
        for p in &points {
            said |= maps::in_range(record, p);
            points.iter().for_each(|q| said |= maps::injective(record, p, q));
        }
        for cell in tuples(record.lhs.iter().map(|axis| axis.size)) {
            points.iter().for_each(|p| said |= maps::surjective(record, &cell, p));
        }
        cases.law(said);
    });
    cases.finish();
}

/// An implementation of `=:+` or `=+`: does it clear the target, does it read cells back? Old contents are 1000.
fn implemented(cells: &[u64], total: u64, clear: bool, back: bool) -> Vec<u64> {
    let mut target = vec![if clear { 0 } else { 1000 }; usize::try_from(total).expect("small")];
    for (i, cell) in cells.iter().enumerate() {
        let cell = &mut target[usize::try_from(*cell).expect("small")];
        *cell = (1 << i) + if back { *cell } else { 0 };
    }
    target
}

/// Prop. 7.6 (iii) is about what every right implementation must do. All four are tried on every record.
#[test]
fn prop_7_6_iii_as_it_holds() {
    let cases = Cases::of("prop_7_6_iii_as_it_holds");
    let (mut back_refuted, mut init_refuted) = (0, 0);
    records(|record| {
        let (cells, total) = written(record);
        for erase in [true, false] {
            let meant = implemented(&cells, total, erase, true);
            let right = |clear, back| implemented(&cells, total, clear, back) == meant;
            let must_clear = !right(false, true) && !right(false, false);
            let must_read = !right(true, false) && !right(false, false);
            assert_eq!(record.needs_init(Slot::Lhs, erase), must_clear, "{record:?}");
            assert_eq!(record.reads_back(Slot::Lhs, erase), must_read, "{record:?}");
            // As printed: read back iff there is a reduction; initialise iff not surjective, or erasing and not injective.
            back_refuted += u64::from(must_read == record.is_injective());
            init_refuted += u64::from(must_clear != (!record.is_surjective() || erase && !record.is_injective()));
            cases.one();
        }
    });
    assert!(back_refuted > 0 && init_refuted > 0, "F17 would be no finding");
    cases.finish();
}
