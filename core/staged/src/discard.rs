//! Discardable labels: components of concatenations that the other side of a specification projects away.

use std::collections::BTreeSet;

/// An axis of a slot: its components, each with the labels in it. A plain axis has one component; an axis
/// that no label names (a fixed index, an axis of a row variable) has one component without labels.
pub type AxisLabels = Vec<BTreeSet<String>>;

/// The slots of one side of `=>`.
pub type Side = Vec<Vec<AxisLabels>>;

/// The four-quantifier test. A label of a component is discardable when, for all slots on the other side, some
/// axis has all of its components meet the complement: the labels of the other components of the same
/// concatenation.
#[must_use]
pub fn discardable(operands: &Side, result: &Side) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (side, other) in [(operands, result), (result, operands)] {
        for axis in side.iter().flatten().filter(|axis| axis.len() > 1) {
            for (i, component) in axis.iter().enumerate() {
                let complement: BTreeSet<&String> =
                    axis.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, c)| c).collect();
                let meets = |component: &BTreeSet<String>| component.iter().any(|label| complement.contains(label));
                let projected = other.iter().all(|slot| slot.iter().any(|axis| axis.iter().all(meets)));
                if projected {
                    found.extend(component.iter().cloned());
                }
            }
        }
    }
    found
}
