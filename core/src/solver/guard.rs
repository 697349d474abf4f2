//! The guard against endless growth: Def. 4.5 to the letter, its repair R1, or none.

use super::Rule;
use super::differences::{Differences, Edge, Fact};
use super::policy::GuardPolicy;
use crate::term::{RowTerm, RowVar};

/// Facts about lengths, recorded as constraints are processed and variables are bound.
#[derive(Clone, Debug)]
pub enum Guard {
    /// Records nothing: runs may not end.
    None,
    /// Def. 4.5: total ranks, weights ≥ 0, three kinds of edges.
    Paper(Differences),
    /// R1: leading and trailing lengths apart, each in a graph of its own, with their signs, in every case.
    Signed(Differences<2>),
}

/// The rules that fail in the graphs of the signed guard: leading lengths, trailing lengths.
const FLANKS: [Rule; 2] = [Rule::RgLead, Rule::RgTrail];

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

/// |l| and |r|.
fn lengths(row: &RowTerm) -> [i64; 2] {
    [length(&row.lead), length(&row.trail)]
}

fn edge<const N: usize>(
    greater: Option<RowVar>,
    lesser: Option<RowVar>,
    weights: [i64; N],
    Source { step, tainted }: Source,
) -> Edge<N> {
    Edge { greater, lesser, weights, step, tainted }
}

impl Guard {
    /// The guard of a policy, without facts, with room for those of so many variables.
    #[must_use]
    pub fn new(policy: GuardPolicy, room: usize) -> Self {
        match policy {
            GuardPolicy::None => Guard::None,
            GuardPolicy::Paper => Guard::Paper(Differences::new(room)),
            GuardPolicy::Signed => Guard::Signed(Differences::new(room)),
        }
    }

    /// The facts of each graph, with the rule that fails there.
    #[must_use]
    pub fn facts(&self) -> Vec<(Rule, Vec<Fact>)> {
        self.graphs(|_| true)
    }

    /// The latest facts of each graph as long as they are of a kind, the last first.
    fn graphs(&self, kind: impl Fn(&Fact) -> bool) -> Vec<(Rule, Vec<Fact>)> {
        let latest = |facts: &mut dyn DoubleEndedIterator<Item = Fact>| facts.rev().take_while(&kind).collect();
        match self {
            Guard::None => vec![],
            Guard::Paper(ranks) => vec![(Rule::RgRank, latest(&mut ranks.facts(0)))],
            Guard::Signed(lengths) => {
                let graphs = FLANKS.into_iter().enumerate();
                graphs.map(|(graph, rule)| (rule, latest(&mut lengths.facts(graph)))).collect()
            }
        }
    }

    /// What keeping the facts has cost since this was last asked, in edges looked at.
    pub fn take_looks(&mut self) -> u64 {
        match self {
            Guard::None => 0,
            Guard::Paper(ranks) => ranks.take_looks(),
            Guard::Signed(lengths) => lengths.take_looks(),
        }
    }

    /// The facts that a step recorded.
    #[must_use]
    pub fn recorded_at(&self, step: usize) -> Vec<(Rule, Fact)> {
        let graphs = self.graphs(|f| f.step == step).into_iter();
        graphs.flat_map(|(rule, facts)| facts.into_iter().map(move |f| (rule, f))).collect()
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
                let edge = edge(Some(greater), Some(lesser), [weight], source);
                ranks.add_edges([edge]).map_err(|(_, c)| (Rule::RgRank, c))
            }
            Guard::Signed(graphs) => {
                if res.var.is_none() && op.var.is_none() {
                    return Ok(());
                }
                let ([l, t], [m, u]) = (lengths(op), lengths(res));
                let edge = edge(res.var, op.var, [l - m, t - u], source);
                graphs.add_edges([edge]).map_err(|(graph, c)| (FLANKS[graph], c))
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
                    let edge = edge(Some(var), Some(lesser), [weight], source);
                    ranks.add_edges([edge]).map_err(|(_, c)| (Rule::RgRank, c))
                }
            },
            Guard::Signed(graphs) => {
                let [l, t] = lengths(to);
                let over = edge(Some(var), to.var, [l, t], source);
                let under = edge(to.var, Some(var), [-l, -t], source);
                if !graphs.mentions(var) {
                    // Once it is bound, no constraint mentions it any more: its lengths are those of its value.
                    graphs.note([over, under]);
                    return Ok(());
                }
                graphs.add_edges([over, under]).map_err(|(graph, c)| (FLANKS[graph], c))
            }
        }
    }
}
