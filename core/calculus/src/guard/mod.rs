//! The guard against endless growth: Def. 4.5 ([`paper`]), its repair R1 ([`signed`]), or none.
//!
//! Rows grow by RI-deficit, and a cycle of row variables that each need more axes than the next would grow for ever. So
//! every row inequality and every binding of a row variable records facts about lengths ([`facts`]), and a cycle of
//! positive weight among them fails (Prop. 4.6). [`ranks`] is Def. 5.2.1, which reads Φ the same way.
//!
//! Chapter: spec/4-solver.md.

pub mod facts;
pub mod paper;
pub mod ranks;
pub mod signed;

pub use facts::{Difference, Fact, Facts, Vertex, positive_cycle};

use crate::policy::GuardPolicy;
use crate::rules::Rule;
use crate::term::{DimTerm, RowTerm, RowVar};

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

/// |l|, as a number that can be subtracted.
fn length(flank: &[DimTerm]) -> i64 {
    i64::try_from(flank.len()).unwrap_or(i64::MAX)
}

/// The rules that fail by cycles of the signed guard: leading lengths, trailing lengths.
pub const FLANKS: [Rule; 2] = [Rule::RgLead, Rule::RgTrail];

/// Facts about lengths, recorded as constraints are processed and variables are bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Records nothing: runs may not end.
    None,
    /// Def. 4.5.
    Paper(Facts),
    /// R1: leading lengths, trailing lengths.
    Signed([Facts; 2]),
}

impl Guard {
    /// The guard of a policy, without facts.
    #[must_use]
    pub fn new(policy: GuardPolicy) -> Self {
        match policy {
            GuardPolicy::None => Guard::None,
            GuardPolicy::Paper => Guard::Paper(Facts::default()),
            GuardPolicy::Signed => Guard::Signed(Default::default()),
        }
    }

    /// The facts of each kind, with the rule that fails by them.
    #[must_use]
    pub fn facts(&self) -> Vec<(Rule, &Facts)> {
        match self {
            Guard::None => vec![],
            Guard::Paper(ranks) => vec![(Rule::RgRank, ranks)],
            Guard::Signed(lengths) => FLANKS.into_iter().zip(lengths).collect(),
        }
    }

    /// The facts that a step recorded, kind by kind, the last first.
    #[must_use]
    pub fn recorded_at(&self, step: usize) -> Vec<(Rule, Fact)> {
        let of = |(rule, facts): (Rule, &Facts)| -> Vec<(Rule, Fact)> {
            facts.0.iter().rev().filter(|f| f.step == step).map(|f| (rule, *f)).collect()
        };
        self.facts().into_iter().flat_map(of).collect()
    }

    /// Records what R_res ⊑ R_op says about lengths, before a rule is applied to it.
    ///
    /// # Errors
    /// The positive cycle that it closes.
    pub fn on_inequality(&mut self, res: &RowTerm, op: &RowTerm, source: Source) -> Result<(), Cycle> {
        match self {
            Guard::None => Ok(()),
            Guard::Paper(ranks) => record([ranks], &[Rule::RgRank], paper::of_inequality(res, op), source),
            Guard::Signed(lengths) => record(lengths.each_mut(), &FLANKS, signed::of_inequality(res, op), source),
        }
    }

    /// Records the binding ρ ↦ l·⟨ρ′⟩·r.
    ///
    /// # Errors
    /// The positive cycle that it closes.
    pub fn on_binding(&mut self, var: RowVar, to: &RowTerm, source: Source) -> Result<(), Cycle> {
        match self {
            Guard::None => Ok(()),
            Guard::Paper(ranks) => record([ranks], &[Rule::RgRank], paper::of_binding(var, to), source),
            Guard::Signed(lengths) => record(lengths.each_mut(), &FLANKS, signed::of_binding(var, to), source),
        }
    }
}

/// Records differences, one kind of length after the other.
fn record<const N: usize>(
    kinds: [&mut Facts; N],
    rules: &[Rule; N],
    said: impl IntoIterator<Item = Difference<N>> + Clone,
    Source { step, tainted }: Source,
) -> Result<(), Cycle> {
    for (kind, facts) in kinds.into_iter().enumerate() {
        for Difference { greater, lesser, weights } in said.clone() {
            let fact = Fact { greater, lesser, weight: weights[kind], step, tainted };
            facts.record(fact).map_err(|cycle| (rules[kind], cycle))?;
        }
    }
    Ok(())
}
