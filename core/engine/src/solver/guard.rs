//! The guards of [`lozenge_calculus::guard`] over incremental graphs: what is recorded is what those say.

use super::differences::{Differences, Edge, Stretch};
use crate::mutant::{self, Mutant};
use lozenge_calculus::guard::{Cycle, Difference, FLANKS, Fact, Source, paper, signed};
use lozenge_calculus::policy::GuardPolicy;
use lozenge_calculus::rules::Rule;
use lozenge_calculus::term::{RowTerm, RowVar};

/// Facts about lengths, recorded as constraints are processed and variables are bound.
#[derive(Clone, Debug)]
pub enum Guard {
    /// Records nothing: runs may not end.
    None,
    /// Def. 4.5: total ranks.
    Paper(Differences),
    /// R1: leading and trailing lengths, each in a graph of its own over one list of edges.
    Signed(Differences<2>),
}

fn edge<const N: usize>(
    Difference { greater, lesser, weights }: Difference<N>,
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

    /// The facts of each graph, the last first, with the rule that fails there.
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

    /// The least lengths of a row; its least rank and 0 by the paper's guard.
    pub(super) fn least(&self, var: RowVar) -> [i64; 2] {
        match self {
            Guard::None => [0; 2],
            Guard::Paper(ranks) => [ranks.value(Some(var)), 0],
            Guard::Signed(graphs) => graphs.values(var),
        }
    }

    /// Is a row part of a fact?
    #[inline]
    pub(super) fn mentions(&self, var: RowVar) -> bool {
        match self {
            Guard::None => false,
            Guard::Paper(ranks) => ranks.mentions(var),
            Guard::Signed(graphs) => graphs.mentions(var),
        }
    }

    /// How many facts there are of each kind; none where they are not of lengths.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Guard::Signed(graphs) => Some(graphs.count()),
            Guard::None | Guard::Paper(_) => None,
        }
    }

    /// The facts from this one on, to be added again: see [`Differences::stretch`].
    pub(super) fn stretch(&self, first: usize, is_new: impl Fn(RowVar) -> bool) -> Option<Stretch<2>> {
        match self {
            Guard::Signed(graphs) => Some(graphs.stretch(first, is_new)),
            Guard::None | Guard::Paper(_) => None,
        }
    }

    /// Adds them between other rows, so many steps later.
    pub(super) fn add_again(&mut self, stretch: &Stretch<2>, row: impl Fn(RowVar) -> RowVar, steps: usize) {
        if let Guard::Signed(graphs) = self {
            graphs.add_again(stretch, row, steps);
        }
    }

    /// Records what R_res ⊑ R_op says about lengths, before a rule is applied to it.
    ///
    /// # Errors
    /// The positive cycle that it closes.
    pub fn on_inequality(&mut self, res: &RowTerm, op: &RowTerm, source: Source) -> Result<(), Cycle> {
        match self {
            Guard::None => Ok(()),
            Guard::Paper(ranks) => match paper::of_inequality(res, op) {
                Some(said) => ranks.add_edges([edge(said, source)]).map_err(|(_, c)| (Rule::RgRank, c)),
                None => Ok(()),
            },
            Guard::Signed(graphs) => match signed::of_inequality(res, op) {
                Some(said) => graphs.add_edges([edge(said, source)]).map_err(|(graph, c)| (FLANKS[graph], c)),
                None => Ok(()),
            },
        }
    }

    /// Records the binding ρ ↦ l·⟨ρ′⟩·r: an equality of lengths.
    ///
    /// # Errors
    /// The positive cycle that it closes.
    pub fn on_binding(&mut self, var: RowVar, to: &RowTerm, source: Source) -> Result<(), Cycle> {
        match self {
            Guard::None => Ok(()),
            Guard::Paper(ranks) => match paper::of_binding(var, to) {
                Some(said) => ranks.add_edges([edge(said, source)]).map_err(|(_, c)| (Rule::RgRank, c)),
                None => Ok(()),
            },
            Guard::Signed(graphs) => {
                let edges = signed::of_binding(var, to).map(|said| edge(said, source));
                if !graphs.mentions(var) || mutant::is(Mutant::GuardSkip) {
                    // Once it is bound, no constraint mentions it any more: its lengths are those of its value.
                    graphs.note(edges);
                    return Ok(());
                }
                graphs.add_edges(edges).map_err(|(graph, c)| (FLANKS[graph], c))
            }
        }
    }
}
