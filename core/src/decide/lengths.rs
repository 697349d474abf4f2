//! The lengths of the flanks of every row variable that row constraints allow, fewest axes first.
//!
//! R_res ⊑ R_op bounds each flank on its own side (Def. 2.3), R₁ ≈ R₂ makes the ranks equal (Def. 2.9).

use crate::constraint::Constraint;
use crate::term::{RowTerm, RowVar, Var, Vars};
use std::collections::BTreeMap;

/// For each row variable, how many leading and how many trailing axes.
pub(super) type Lengths = BTreeMap<RowVar, (usize, usize)>;

/// Enumerates lengths by the total number of axes.
pub(super) struct Search<'a> {
    vars: Vec<RowVar>,
    /// The row constraints that can be judged once the first i variables have lengths.
    checks: Vec<Vec<&'a Constraint>>,
    /// The least rank each variable can have at the most, where that is known.
    highest: Vec<usize>,
    rank_bound: usize,
    /// The total being tried, and the largest.
    total: usize,
    last_total: usize,
    found: std::vec::IntoIter<Lengths>,
    fuel: u64,
    cut: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(phi: &'a [Constraint], rank_bound: usize, fuel: u64) -> Self {
        let vars: Vec<RowVar> =
            phi.vars().into_iter().filter_map(|v| if let Var::Row(r) = v { Some(r) } else { None }).collect();
        let mut checks = vec![Vec::new(); vars.len() + 1];
        for constraint in phi {
            if let Constraint::RowEq(s, t) | Constraint::RowLe(s, t) = constraint {
                let place = |r: &RowTerm| r.var.and_then(|v| vars.iter().position(|w| *w == v)).map_or(0, |i| i + 1);
                checks[place(s).max(place(t))].push(constraint);
            }
        }
        let bounds = upper_bounds(phi, &vars);
        let cut = bounds.iter().any(|b| b.is_none_or(|b| b > rank_bound));
        let highest: Vec<usize> = bounds.iter().map(|b| b.unwrap_or(rank_bound).min(rank_bound)).collect();
        let last_total = highest.iter().sum();
        Search { vars, checks, highest, rank_bound, total: 0, last_total, found: Vec::new().into_iter(), fuel, cut }
            .started()
    }

    fn started(mut self) -> Self {
        self.found = self.with_total(0).into_iter();
        self
    }

    /// Did the search cover every length there is?
    pub(super) fn was_complete(&self) -> bool {
        !self.cut && self.fuel > 0
    }

    pub(super) fn next(&mut self) -> Option<Lengths> {
        loop {
            if let Some(lengths) = self.found.next() {
                return Some(lengths);
            }
            if self.total >= self.last_total || self.fuel == 0 {
                return None;
            }
            self.total += 1;
            self.found = self.with_total(self.total).into_iter();
        }
    }

    /// Every choice with this many axes in all.
    fn with_total(&mut self, total: usize) -> Vec<Lengths> {
        let (mut out, mut chosen) = (Vec::new(), Lengths::new());
        self.choose(0, total, &mut chosen, &mut out);
        out
    }

    fn choose(&mut self, i: usize, left: usize, chosen: &mut Lengths, out: &mut Vec<Lengths>) {
        if self.fuel == 0 || !self.checks[i].iter().all(|c| lengths_fit(c, chosen)) {
            return;
        }
        self.fuel -= 1;
        let Some(&var) = self.vars.get(i) else {
            if left == 0 {
                out.push(chosen.clone());
            }
            return;
        };
        let others: usize = self.highest[i + 1..].iter().sum();
        for rank in left.saturating_sub(others)..=left.min(self.highest[i]).min(self.rank_bound) {
            for lead in 0..=rank {
                chosen.insert(var, (lead, rank - lead));
                self.choose(i + 1, left - rank, chosen, out);
            }
        }
        chosen.remove(&var);
    }
}

/// The flank lengths of a row under a choice.
fn measure(row: &RowTerm, chosen: &Lengths) -> (usize, usize) {
    let (lead, trail) = row.var.and_then(|v| chosen.get(&v)).copied().unwrap_or((0, 0));
    (row.lead.len() + lead, row.trail.len() + trail)
}

/// Does a row constraint allow these lengths?
fn lengths_fit(phi: &Constraint, chosen: &Lengths) -> bool {
    match phi {
        Constraint::RowLe(res, op) => {
            let ((l2, r2), (l1, r1)) = (measure(res, chosen), measure(op, chosen));
            l1 <= l2 && r1 <= r2
        }
        Constraint::RowEq(a, b) => {
            let ((l1, r1), (l2, r2)) = (measure(a, chosen), measure(b, chosen));
            l1 + r1 == l2 + r2
        }
        _ => true,
    }
}

/// The largest rank that the constraints allow each variable, where they allow only finitely many.
fn upper_bounds(phi: &[Constraint], vars: &[RowVar]) -> Vec<Option<usize>> {
    let mut bound: BTreeMap<RowVar, usize> = BTreeMap::new();
    // The rank of a row is at most this.
    let most = |row: &RowTerm, bound: &BTreeMap<RowVar, usize>| match row.var {
        None => Some(row.known_rank()),
        Some(v) => bound.get(&v).map(|b| b + row.known_rank()),
    };
    // One round per variable carries a bound along every chain; more only sharpens bounds in cycles.
    for _ in 0..=vars.len() {
        for constraint in phi {
            let pairs: Vec<(&RowTerm, &RowTerm)> = match constraint {
                Constraint::RowEq(a, b) => vec![(a, b), (b, a)],
                // rank(op) ≤ rank(res)
                Constraint::RowLe(res, op) => vec![(res, op)],
                _ => continue,
            };
            for (larger, smaller) in pairs {
                if let (Some(most), Some(v)) = (most(larger, &bound), smaller.var) {
                    let rank = most.saturating_sub(smaller.known_rank());
                    let entry = bound.entry(v).or_insert(rank);
                    *entry = rank.min(*entry);
                }
            }
        }
    }
    vars.iter().map(|v| bound.get(v).copied()).collect()
}
