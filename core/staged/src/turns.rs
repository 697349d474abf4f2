//! The order in which bounds are read off claims. Claims that hang together like a tree come from its leaves inwards and
//! back again: after that they have nothing new to say, however long the tree. Those on cycles come in between, in their
//! order. A claim whose unknowns have not been narrowed since its last turn is passed over.

use super::range::Relation;
use lozenge_calculus::term::DimVar;
use std::collections::{BTreeMap, VecDeque};

/// How often all claims have their turns before it is left at that. Bounds of a cycle of sums can rise for ever.
const ROUNDS: usize = 128;

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Turns {
    /// The relations that have an unknown.
    of: BTreeMap<DimVar, Vec<usize>>,
    /// A round: inwards, cycles, outwards.
    round: Vec<usize>,
    due: Vec<bool>,
    /// How many are due.
    waiting: usize,
    /// How many turns are over, and how many there are.
    over: usize,
    end: usize,
}

impl Turns {
    /// Each has one, to begin with.
    pub(super) fn of<R, S>(relations: &[(R, Relation, S)]) -> Self {
        let unknowns: Vec<Vec<DimVar>> = relations.iter().map(|(_, relation, _)| relation.unknowns()).collect();
        let mut of: BTreeMap<DimVar, Vec<usize>> = BTreeMap::new();
        for (at, vars) in unknowns.iter().enumerate() {
            vars.iter().for_each(|v| of.entry(*v).or_default().push(at));
        }
        let round = round(&unknowns, &of);
        let (due, end) = (vec![true; relations.len()], ROUNDS * round.len());
        Turns { of, round, waiting: due.len(), due, over: 0, end }
    }

    /// The next one, while there is something to look at.
    pub(super) fn next(&mut self) -> Option<usize> {
        while self.waiting > 0 && self.over < self.end {
            let at = self.round[self.over % self.round.len()];
            self.over += 1;
            if std::mem::take(&mut self.due[at]) {
                self.waiting -= 1;
                return Some(at);
            }
        }
        None
    }

    /// Has everything been looked at that could say something new?
    pub(super) fn is_over(&self) -> bool {
        self.waiting == 0
    }

    /// These were narrowed: what speaks of them is due.
    pub(super) fn narrowed(&mut self, news: impl Iterator<Item = DimVar>) {
        for at in news.flat_map(|v| self.of.get(&v).into_iter().flatten()) {
            self.waiting += usize::from(!std::mem::replace(&mut self.due[*at], true));
        }
    }
}

/// A round: what shares at most one unknown with all the rest is taken away, and again; then what is left; then what was
/// taken away, backwards.
fn round(unknowns: &[Vec<DimVar>], of: &BTreeMap<DimVar, Vec<usize>>) -> Vec<usize> {
    let mut sharing: BTreeMap<DimVar, usize> = of.iter().map(|(v, all)| (*v, all.len())).collect();
    let mut shared: Vec<usize> = unknowns.iter().map(|vars| vars.iter().filter(|v| sharing[v] > 1).count()).collect();
    let mut taken = vec![false; unknowns.len()];
    let mut leaves: VecDeque<usize> = (0..unknowns.len()).filter(|at| shared[*at] <= 1).collect();
    let mut inwards = Vec::new();
    while let Some(at) = leaves.pop_front() {
        if std::mem::replace(&mut taken[at], true) {
            continue;
        }
        inwards.push(at);
        for v in &unknowns[at] {
            let left = sharing.entry(*v).and_modify(|n| *n -= 1).or_default();
            // The last that has it shares it no more.
            if *left != 1 {
                continue;
            }
            if let Some(last) = of[v].iter().copied().find(|other| !taken[*other]) {
                shared[last] -= 1;
                leaves.extend((shared[last] <= 1).then_some(last));
            }
        }
    }
    let cycles = (0..unknowns.len()).filter(|at| !taken[*at]);
    let mut round: Vec<usize> = inwards.iter().copied().chain(cycles).collect();
    round.extend(inwards.iter().rev());
    round
}
