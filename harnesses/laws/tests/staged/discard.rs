//! Discardable labels are found by looking each label up once: the same ones as by the definition, which looks at the
//! complement of every component.

use lozenge::staged::discardable;
use lozenge_harnesses::programs::Numbers;
use std::collections::BTreeSet;

type Side = Vec<Vec<Vec<BTreeSet<String>>>>;

/// The four quantifiers, as they are written.
fn defined(operands: &Side, result: &Side) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (side, other) in [(operands, result), (result, operands)] {
        for axis in side.iter().flatten().filter(|axis| axis.len() > 1) {
            for (i, component) in axis.iter().enumerate() {
                let others = axis.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, c)| c);
                let complement: BTreeSet<&String> = others.collect();
                let meets = |component: &BTreeSet<String>| component.iter().any(|label| complement.contains(label));
                if other.iter().all(|slot| slot.iter().any(|axis| axis.iter().all(meets))) {
                    found.extend(component.iter().cloned());
                }
            }
        }
    }
    found
}

fn side(numbers: &mut Numbers) -> Side {
    let component = |numbers: &mut Numbers| -> BTreeSet<String> {
        (0..numbers.below(3)).map(|_| numbers.pick(&["a", "b", "c", "d"]).to_owned()).collect()
    };
    let axis = |numbers: &mut Numbers| (0..=numbers.below(3)).map(|_| component(numbers)).collect();
    let slot = |numbers: &mut Numbers| (0..numbers.below(3)).map(|_| axis(numbers)).collect();
    (0..=numbers.below(3)).map(|_| slot(numbers)).collect()
}

#[test]
fn discardable_labels_are_those_of_the_definition() {
    let mut discarded = 0;
    for case in 0..100_000 {
        let mut numbers = Numbers::of(43, case);
        let (operands, result) = (side(&mut numbers), side(&mut numbers));
        let right = defined(&operands, &result);
        assert_eq!(discardable(&operands, &result), right, "{operands:?} => {result:?}");
        discarded += u64::from(!right.is_empty());
    }
    assert!(discarded > 10_000, "{discarded} have some");
}
