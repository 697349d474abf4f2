//! What there is to tell about a run: the steps, the bounds after each, the guard's graph, the end.

mod ending;
mod teller;

pub use ending::{End, Ending};
pub use teller::{Above, Teller, keeping, kept, maps_to};

use super::grid::Grid;
use super::listing::Line;
use super::why::Why;
use crate::infer::show::Telling;
use serde::Serialize;

/// A constraint or a claim of the input.
#[derive(Serialize)]
pub struct Input {
    pub line: usize,
    pub text: String,
    /// The part of a program it comes from.
    pub from: String,
}

/// One step.
#[derive(Default, Serialize)]
pub struct Scene {
    pub rule: &'static str,
    pub definition: &'static str,
    /// The stage, for a rule of §8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<u8>,
    pub words: String,
    /// The constraint, under the bindings at the time.
    pub constraint: String,
    pub picture: Option<Grid>,
    /// Where the constraint comes from.
    pub from: String,
    /// What came of it.
    pub results: Vec<String>,
    /// The bounds after it, and which of them are new.
    pub bounds: Vec<(String, bool)>,
    /// How many more bounds there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_bounds: usize,
    /// What the guard learnt.
    pub facts: Vec<String>,
    /// Does it choose where a marker stands?
    pub policy: bool,
    /// Does it rest on such a choice?
    pub tainted: bool,
    /// Why it failed.
    pub fails: Option<String>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Scene {
    /// Where its rule is defined.
    pub fn place(&self) -> String {
        match self.stage {
            Some(stage) => format!("section 8, stage {stage}"),
            None if self.definition == "8" => "section 8".to_owned(),
            None if self.definition.is_empty() => "a check".to_owned(),
            None => format!("Def. {}", self.definition),
        }
    }
}

/// An edge of the guard's graph: greater ≥ lesser + weight.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    pub greater: String,
    pub lesser: String,
    pub weight: i64,
    /// Is it part of the cycle that the run failed by?
    pub in_cycle: bool,
}

/// The guard's graph of one flank.
#[derive(Serialize)]
pub struct Graph {
    pub name: &'static str,
    pub edges: Vec<Edge>,
    /// How many edges are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// Lines, as many as can be read.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub struct Lines(pub Vec<String>);

/// The most lines of a list, and the most characters in all of them.
const MOST_LINES: usize = 2_000;
const MOST_TEXT: usize = 400_000;

impl Lines {
    /// These lines, and a last one that says how many are left out.
    pub fn of(lines: impl ExactSizeIterator<Item = String>) -> Self {
        let (all, mut length, mut kept) = (lines.len(), 0, Vec::new());
        for line in lines.take(MOST_LINES) {
            length += line.len();
            if length > MOST_TEXT && !kept.is_empty() {
                break;
            }
            kept.push(line);
        }
        if kept.len() < all {
            let left_out = all - kept.len();
            kept.push(format!("... and {left_out} more, left out here"));
        }
        Lines(kept)
    }
}

/// The whole.
#[derive(Serialize)]
pub struct Story {
    pub title: String,
    pub input: Vec<Input>,
    /// The claims about sizes of a program (§8).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Input>,
    pub steps: Vec<Scene>,
    /// How many steps there were; at least, where not all were kept.
    pub all_steps: usize,
    /// Was the whole run kept?
    pub whole: bool,
    pub ending: Ending,
    #[serde(flatten)]
    pub end: End,
    /// What the end means, in a sentence.
    pub says: String,
    /// The explanation that `infer` gives.
    #[serde(skip)]
    pub explanation: String,
    /// Is it a program, not a set of constraints?
    #[serde(skip)]
    pub program: bool,
    /// The lines of a program, with shapes and sizes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<Line>,
    /// Why a program has no shapes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// What was assumed of a program, as far as it matters to whoever wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Telling>,
    /// Bindings of the input's variables.
    pub bindings: Lines,
    pub guard: Vec<Graph>,
    /// What closing chose beyond what follows, and by which rule.
    pub assumptions: Vec<(String, String)>,
    /// Where closing leaves markers that were placed by choice.
    #[serde(skip_serializing_if = "no_lines")]
    pub placements: Lines,
    /// The shapes of a program's tensors.
    #[serde(skip_serializing_if = "no_lines")]
    pub shapes: Lines,
    /// The indices that axes are read at, each with the size it is compared with.
    #[serde(skip_serializing_if = "no_lines")]
    pub checks: Lines,
    /// The values after closing.
    pub values: Lines,
    /// A solution that a short search found although a choice led to failure; `end` has it for machines.
    #[serde(skip)]
    pub witness: Lines,
    /// Why closing ended without values.
    pub closing: Option<String>,
}

impl Story {
    /// How many steps are not shown, in words; none where all are.
    pub fn more_steps(&self) -> Option<String> {
        let hidden = self.all_steps.saturating_sub(self.steps.len());
        match (hidden, self.whole) {
            (0, true) => None,
            (1, true) => Some("1 step more".to_owned()),
            (_, true) => Some(format!("{hidden} steps more")),
            (1, false) => Some("1 step more was kept, and the run went on".to_owned()),
            (_, false) => Some(format!("{hidden} steps more were kept, and the run went on")),
        }
    }
}

fn no_lines(lines: &Lines) -> bool {
    lines.0.is_empty()
}
