//! Remark 6.7(i), Remark 6.3: closing at dimension sort, leaf by leaf. Dimensions over 1∅ and two atoms, written out here
//! apart from the solver: caps n ⊑ v, adjacencies u ⊑ v, and the rules of Def. 4.2 on them.

use lozenge::closing::{Closing, Tags, close};
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::Policy;
use lozenge_harnesses::cases::Cases;
use std::collections::BTreeSet;

/// A set over variables 0, 1, …: the atoms below each, and the pairs u ⊑ v.
#[derive(Clone, Debug)]
struct Store {
    caps: Vec<BTreeSet<Dim>>,
    pairs: Vec<(usize, usize)>,
}

/// A dimension: 1 is 1∅, and the others are atoms of that size.
type Dim = u64;

const UNIT: Dim = 1;

/// Def. 1.2: equal, or 1∅ above.
fn le(below: Dim, above: Dim) -> bool {
    above == UNIT || below == above
}

type Values = Vec<Option<Dim>>;

impl Store {
    /// Def. 4.2 to its end, with caps sent upwards or not: the values that follow and the caps of what is left; none where
    /// a step fails.
    fn solved(&self, mut values: Values, saturate: bool) -> Option<(Values, Vec<BTreeSet<Dim>>)> {
        loop {
            let (mut caps, before) = (self.caps.clone(), values.clone());
            for (u, v) in &self.pairs {
                match (values[*u], values[*v]) {
                    (Some(below), Some(above)) if !le(below, above) => return None,
                    (Some(UNIT), None) => values[*v] = Some(UNIT),
                    (Some(atom), None) => drop(caps[*v].insert(atom)),
                    (None, Some(atom)) if atom != UNIT => values[*u] = Some(atom),
                    _ => {}
                }
            }
            for _ in 0..caps.len() * usize::from(saturate) {
                for (u, v) in self.pairs.iter().filter(|(u, v)| values[*u].is_none() && values[*v].is_none()) {
                    let sent = caps[*u].clone();
                    caps[*v].extend(sent);
                }
            }
            for (value, caps) in values.iter_mut().zip(&caps) {
                match value {
                    Some(value) if !caps.iter().all(|cap| le(*cap, *value)) => return None,
                    None if caps.len() > 1 => *value = Some(UNIT),
                    _ => {}
                }
            }
            if values == before {
                return Some((values, caps));
            }
        }
    }

    /// What a leaf takes: its cap, or 1∅.
    fn taken(caps: &BTreeSet<Dim>) -> Dim {
        caps.first().copied().unwrap_or(UNIT)
    }

    /// Leaves one by one in this order, solved again after each; then the tops.
    fn one_by_one(&self, order: &[usize], saturate: bool) -> Option<Values> {
        let (mut values, mut caps) = self.solved(vec![None; self.caps.len()], saturate)?;
        for leaf in order {
            if values[*leaf].is_none() {
                values[*leaf] = Some(Self::taken(&caps[*leaf]));
                (values, caps) = self.solved(values, saturate)?;
            }
        }
        self.at_top(values)
    }

    /// All leaves at once, by the caps of one saturated store; then the tops.
    fn together(&self, leaves: &[usize]) -> Option<Values> {
        let (mut values, caps) = self.solved(vec![None; self.caps.len()], true)?;
        for leaf in leaves.iter().filter(|leaf| values[**leaf].is_none()).copied().collect::<Vec<_>>() {
            values[leaf] = Some(Self::taken(&caps[leaf]));
        }
        let (values, _) = self.solved(values, true)?;
        self.at_top(values)
    }

    fn at_top(&self, values: Values) -> Option<Values> {
        let values = values.into_iter().map(|value| value.or(Some(UNIT))).collect();
        self.solved(values, true).map(|(values, _)| values)
    }

    /// By the meaning of constraints alone.
    fn holds(&self, values: &Values) -> bool {
        let value = |v: usize| values[v].unwrap_or(UNIT);
        let caps = self.caps.iter().enumerate().all(|(v, caps)| caps.iter().all(|cap| le(*cap, value(v))));
        caps && self.pairs.iter().all(|(u, v)| le(value(*u), value(*v)))
    }
}

/// Every store over so many variables, each with at most one cap.
fn stores(variables: usize) -> impl Iterator<Item = Store> {
    let all: Vec<(usize, usize)> =
        (0..variables).flat_map(|u| (0..variables).map(move |v| (u, v))).filter(|(u, v)| u != v).collect();
    let choices = 3_usize.pow(u32::try_from(variables).expect("few")) << all.len();
    (0..choices).map(move |choice| {
        let (mut rest, chosen) = (choice >> all.len(), choice & ((1 << all.len()) - 1));
        let caps = (0..variables).map(|_| {
            let cap = [None, Some(3), Some(5)][rest % 3];
            rest /= 3;
            cap.into_iter().collect()
        });
        let caps = caps.collect();
        Store { caps, pairs: all.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, p)| *p).collect() }
    })
}

/// Every order of every set of leaves.
fn orders(variables: usize) -> Vec<Vec<usize>> {
    let (mut all, mut last): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), vec![Vec::new()]);
    for _ in 0..variables {
        let longer = |order: &Vec<usize>| {
            let more = (0..variables).filter(|v| !order.contains(v));
            more.map(|v| [order.clone(), vec![v]].concat()).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Leaf by leaf, with caps sent upwards again after each, nothing is ever rejected. Together it is.
#[test]
fn finding_f4_leaf_by_leaf_nothing_is_rejected() {
    let cases = Cases::of("finding_f4_leaf_by_leaf_nothing_is_rejected");
    let (mut together, mut without) = (0, 0);
    for variables in [2, 3] {
        let orders = orders(variables);
        for store in stores(variables) {
            for order in &orders {
                let closed = store.one_by_one(order, true);
                assert!(closed.is_some_and(|values| store.holds(&values)), "{store:?}, {order:?}");
                together += u64::from(store.together(order).is_none());
                without += u64::from(store.one_by_one(order, false).is_none());
                cases.one();
            }
        }
    }
    println!("rejected together: {together}; leaf by leaf without sending caps: {without}");
    assert!(together > 0 && without > 0);
    cases.finish();
}

/// Remark 6.3: from below in the order of adjacencies is not the same as sending caps first.
#[test]
fn finding_f52_from_below_is_not_the_same_as_sending_caps() {
    // 5 ⊑ x, x ⊑ v, 3 ⊑ v with v the only leaf: from below x is no leaf, and v takes 3.
    let (x, v) = (0, 1);
    let store = Store { caps: vec![BTreeSet::from([5]), BTreeSet::from([3])], pairs: vec![(x, v)] };
    assert_eq!(store.one_by_one(&[v], false), None);
    assert!(store.one_by_one(&[v], true).is_some_and(|values| values[v] == Some(UNIT) && store.holds(&values)));
    // The same by the solver, to the letter and with decision 8.
    let verdict = |policy: Policy| {
        let mut names = Names::new();
        let phi = parse_system("5 <= x\nx <= v\n3 <= v", &mut names).expect("constraints");
        let leaf = names.lookup("v").expect("v");
        close(&phi, &mut names, &Tags { leaves: BTreeSet::from([leaf]), params: BTreeSet::new() }, policy)
    };
    assert!(matches!(verdict(Policy::paper()), Closing::Rejected(..)));
    assert!(matches!(verdict(Policy::default()), Closing::Closed(_)));
    // a ⊑ b, 5 ⊑ b, both leaves: a first gives 1∅ to both, all together fail, b first gives 5 to both.
    let (a, b) = (0, 1);
    let store = Store { caps: vec![BTreeSet::new(), BTreeSet::from([5])], pairs: vec![(a, b)] };
    assert_eq!(store.one_by_one(&[a, b], true), Some(vec![Some(UNIT); 2]));
    assert_eq!(store.one_by_one(&[b, a], true), Some(vec![Some(5); 2]));
    assert_eq!(store.together(&[a, b]), None);
}

/// 6.7(ii): with a and b committed to their caps, no value repairs the hole c below both; c first is no failure.
#[test]
fn finding_f4_no_value_of_the_hole_repairs_it() {
    let [a, b, c] = [0, 1, 2];
    let caps = vec![BTreeSet::from([3]), BTreeSet::from([5]), BTreeSet::new()];
    let store = Store { caps, pairs: vec![(c, a), (c, b)] };
    assert!([UNIT, 3, 5, 7].iter().all(|hole| !store.holds(&vec![Some(3), Some(5), Some(*hole)])));
    assert_eq!(store.together(&[a, b, c]), None);
    assert_eq!(store.one_by_one(&[c, a, b], true), Some(vec![Some(UNIT); 3]));
}
