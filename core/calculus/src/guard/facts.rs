//! Facts x ≥ y + k about lengths, and the positive cycles among them (Prop. 4.6): a plain Bellman–Ford.
//!
//! Chapter: spec/4-solver.md.

use crate::term::RowVar;
use std::collections::BTreeMap;

/// A row variable's length, or the number 0.
pub type Vertex = Option<RowVar>;

/// greater ≥ lesser + weight, for each of N lengths of the same two rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference<const N: usize> {
    /// x
    pub greater: Vertex,
    /// y
    pub lesser: Vertex,
    /// k, for each length.
    pub weights: [i64; N],
}

/// greater ≥ lesser + weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// x
    pub greater: Vertex,
    /// y
    pub lesser: Vertex,
    /// k, which may be negative.
    pub weight: i64,
    /// The step that recorded it.
    pub step: usize,
    /// Does it rest on a placement?
    pub tainted: bool,
}

/// Facts in the order they were recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts(pub Vec<Fact>);

impl Facts {
    /// Records a fact.
    ///
    /// # Errors
    /// The facts of a cycle of positive weight that is there now, of untainted facts if there is such a cycle.
    pub fn record(&mut self, fact: Fact) -> Result<(), Vec<Fact>> {
        self.0.push(fact);
        let Some(cycle) = positive_cycle(&self.0) else { return Ok(()) };
        let untainted: Vec<Fact> = self.0.iter().filter(|f| !f.tainted).copied().collect();
        Err(positive_cycle(&untainted).unwrap_or(cycle))
    }
}

/// A cycle of positive weight, if there is one. Lengths are not negative, so every variable is at least 0 without a fact
/// that says so: a cycle may pass from 0 to any variable for nothing.
///
/// Values start at 0 and rise until every fact holds. Each round lets values travel one fact further, so without a
/// positive cycle nothing rises in more rounds than there are variables.
#[must_use]
pub fn positive_cycle(facts: &[Fact]) -> Option<Vec<Fact>> {
    let mut value: BTreeMap<Vertex, i64> = BTreeMap::new();
    for fact in facts {
        value.insert(fact.greater, 0);
        value.insert(fact.lesser, 0);
    }
    // The fact that last raised a variable.
    let mut raised_by: BTreeMap<Vertex, Fact> = BTreeMap::new();
    for _ in 0..=value.len() {
        let mut rose = false;
        for fact in facts {
            let needed = value[&fact.lesser] + fact.weight;
            if needed <= value[&fact.greater] {
                continue;
            }
            raised_by.insert(fact.greater, *fact);
            if fact.greater.is_none() {
                // 0 cannot rise: what leads to it from 0 has positive weight.
                return Some(cycle_through(None, &raised_by));
            }
            value.insert(fact.greater, needed);
            rose = true;
        }
        if !rose {
            return None;
        }
    }
    // Some variable rose in the last round still. Behind it there is a cycle: as many facts back as there are variables
    // is on it.
    let mut at = *raised_by.keys().find(|v| is_behind_a_cycle(**v, &raised_by))?;
    for _ in 0..value.len() {
        at = raised_by.get(&at)?.lesser;
    }
    Some(cycle_through(at, &raised_by))
}

/// Do the facts that raised this variable, and those that raised what they rest on, never end?
fn is_behind_a_cycle(mut at: Vertex, raised_by: &BTreeMap<Vertex, Fact>) -> bool {
    for _ in 0..=raised_by.len() {
        match raised_by.get(&at) {
            Some(fact) => at = fact.lesser,
            None => return false,
        }
    }
    true
}

/// From a variable back over the facts that raised it, until it comes again, or a variable that rests on nothing but 0.
fn cycle_through(start: Vertex, raised_by: &BTreeMap<Vertex, Fact>) -> Vec<Fact> {
    let mut cycle: Vec<Fact> = Vec::new();
    let mut at = start;
    while let Some(fact) = raised_by.get(&at) {
        if let Some(again) = cycle.iter().position(|f| f.greater == at) {
            return cycle.split_off(again);
        }
        cycle.push(*fact);
        at = fact.lesser;
    }
    cycle
}
