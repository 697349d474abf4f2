//! The guard against endless growth: Def. 4.5 to the letter, its repair R1, or none.

use super::Rule;
use super::differences::{Differences, Fact};
use super::policy::GuardPolicy;
use crate::term::{RowTerm, RowVar};

/// Facts about lengths, recorded as constraints are processed and variables are bound.
#[derive(Clone, Debug)]
pub enum Guard {
    /// Records nothing: runs may not end.
    None,
    /// Def. 4.5: total ranks, weights ≥ 0, three kinds of edges.
    Paper(Differences),
    /// R1: leading and trailing lengths apart, with their signs, in every case.
    Signed {
        /// Leading lengths.
        lead: Differences,
        /// Trailing lengths.
        trail: Differences,
    },
}

/// Where a fact comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The step.
    pub step: usize,
    /// Does it rest on a placement?
    pub tainted: bool,
}

/// A positive cycle: the rule that failed, and its facts.
pub type Cycle = (Rule, Vec<Fact>);

fn length(terms: &[crate::term::DimTerm]) -> i64 {
    i64::try_from(terms.len()).unwrap_or(i64::MAX)
}

fn fact(greater: Option<RowVar>, lesser: Option<RowVar>, weight: i64, source: Source) -> Fact {
    Fact { greater, lesser, weight, step: source.step, tainted: source.tainted }
}

impl Guard {
    /// The guard of a policy, without facts.
    #[must_use]
    pub fn new(policy: GuardPolicy) -> Self {
        match policy {
            GuardPolicy::None => Guard::None,
            GuardPolicy::Paper => Guard::Paper(Differences::default()),
            GuardPolicy::Signed => Guard::Signed { lead: Differences::default(), trail: Differences::default() },
        }
    }

    /// The facts of each graph, with the rule that fails there.
    fn graphs(&self) -> Vec<(Rule, &Differences)> {
        match self {
            Guard::None => vec![],
            Guard::Paper(ranks) => vec![(Rule::RgRank, ranks)],
            Guard::Signed { lead, trail } => vec![(Rule::RgLead, lead), (Rule::RgTrail, trail)],
        }
    }

    /// What keeping the facts has cost, in values raised.
    #[must_use]
    pub fn work(&self) -> u64 {
        match self {
            Guard::None => 0,
            Guard::Paper(ranks) => ranks.raised(),
            Guard::Signed { lead, trail } => lead.raised() + trail.raised(),
        }
    }

    /// The facts that a step recorded.
    #[must_use]
    pub fn recorded_at(&self, step: usize) -> Vec<(Rule, Fact)> {
        let recent = |(rule, graph): (Rule, &Differences)| {
            graph.facts().rev().take_while(|f| f.step == step).map(|f| (rule, f)).collect::<Vec<_>>()
        };
        self.graphs().into_iter().flat_map(recent).collect()
    }

    /// Records what R_res ⊑ R_op says about lengths, before a rule is applied to it.
    ///
    /// # Errors
    /// The positive cycle that it closes.
    pub fn on_inequality(&mut self, res: &RowTerm, op: &RowTerm, source: Source) -> Result<(), Cycle> {
        match self {
            Guard::None => Ok(()),
            Guard::Paper(ranks) => {
                let lead = length(&op.lead) - length(&res.lead);
                let trail = length(&op.trail) - length(&res.trail);
                let (Some(greater), Some(lesser)) = (res.var, op.var) else { return Ok(()) };
                let weight = match (lead, trail) {
                    (0, 0) => 0,                                              // (ii) equal flanks
                    _ if lead > 0 || trail > 0 => lead.max(0) + trail.max(0), // (iii) deficit
                    _ => return Ok(()),                                       // a surplus records nothing
                };
                ranks.add(fact(Some(greater), Some(lesser), weight, source)).map_err(|c| (Rule::RgRank, c))
            }
            Guard::Signed { lead, trail } => {
                if res.var.is_none() && op.var.is_none() {
                    return Ok(());
                }
                let weight = |of: &dyn Fn(&RowTerm) -> i64| of(op) - of(res);
                let (l, t) = (weight(&|r| length(&r.lead)), weight(&|r| length(&r.trail)));
                lead.add(fact(res.var, op.var, l, source)).map_err(|c| (Rule::RgLead, c))?;
                trail.add(fact(res.var, op.var, t, source)).map_err(|c| (Rule::RgTrail, c))
            }
        }
    }

    /// Records the binding ρ ↦ l·⟨ρ′⟩·r: an equality of lengths.
    ///
    /// # Errors
    /// The positive cycle that it closes.
    pub fn on_binding(&mut self, var: RowVar, to: &RowTerm, source: Source) -> Result<(), Cycle> {
        match self {
            Guard::None => Ok(()),
            Guard::Paper(ranks) => match to.var {
                None => Ok(()),
                Some(lesser) => {
                    let weight = length(&to.lead) + length(&to.trail); // (i) one direction suffices
                    ranks.add(fact(Some(var), Some(lesser), weight, source)).map_err(|c| (Rule::RgRank, c))
                }
            },
            Guard::Signed { lead, trail } => {
                for (graph, terms, rule) in [(lead, &to.lead, Rule::RgLead), (trail, &to.trail, Rule::RgTrail)] {
                    let weight = length(terms);
                    graph.add(fact(Some(var), to.var, weight, source)).map_err(|c| (rule, c))?;
                    graph.add(fact(to.var, Some(var), -weight, source)).map_err(|c| (rule, c))?;
                }
                Ok(())
            }
        }
    }
}
