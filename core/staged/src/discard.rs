//! Discardable labels: components of concatenations that the other side of a specification projects away.

use std::collections::{BTreeMap, BTreeSet};

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
            let Some(kept) = Owners::of(axis).of_side(other) else { continue };
            let projected = axis.iter().enumerate().filter(|(i, _)| !kept.contains(i));
            found.extend(projected.flat_map(|(_, component)| component.iter().cloned()));
        }
    }
    found
}

/// The components of a concatenation that must stay, for something to meet the others of each; none where nothing would do.
type Kept = Option<BTreeSet<usize>>;

/// The component of a concatenation that has a label; none where several have it. Looked up once, and not for the complement
/// of each component: a concatenation may have thousands.
struct Owners<'l>(BTreeMap<&'l str, Option<usize>>);

impl<'l> Owners<'l> {
    fn of(axis: &'l AxisLabels) -> Self {
        let mut owners: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for (i, label) in axis.iter().enumerate().flat_map(|(i, component)| component.iter().map(move |l| (i, l))) {
            owners.entry(label).and_modify(|owner| *owner = owner.filter(|one| *one == i)).or_insert(Some(i));
        }
        Owners(owners)
    }

    /// Every slot must have an axis that does.
    fn of_side(&self, side: &Side) -> Kept {
        side.iter().try_fold(BTreeSet::new(), |mut kept, slot| {
            kept.extend(self.of_slot(slot)?);
            Some(kept)
        })
    }

    /// Some axis does.
    fn of_slot(&self, slot: &[AxisLabels]) -> Kept {
        let axes = slot.iter().filter_map(|axis| self.of_axis(axis));
        axes.reduce(|one, other| one.intersection(&other).copied().collect())
    }

    /// Every component does.
    fn of_axis(&self, axis: &AxisLabels) -> Kept {
        axis.iter().try_fold(BTreeSet::new(), |mut kept, component| {
            kept.extend(self.of_component(component)?);
            Some(kept)
        })
    }

    /// Some label does: all but one that a single component has, and that one where it does not go.
    fn of_component(&self, component: &BTreeSet<String>) -> Kept {
        let mut owners = component.iter().filter_map(|label| self.0.get(label.as_str()));
        let first = *owners.next()?;
        Some(first.filter(|_| owners.all(|owner| *owner == first)).into_iter().collect())
    }
}
