//! The words for evidence, and for what a finding is.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How well a claim is supported (the ladder of evidence).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Status {
    /// By a Coq theorem without axioms.
    #[serde(rename = "proved")]
    Proved,
    /// By exhaustive harnesses over a domain that a written argument shows sufficient.
    #[serde(rename = "complete")]
    Complete,
    /// By exhaustive harnesses up to a bound.
    #[serde(rename = "bounded")]
    Bounded,
    /// By random tests.
    #[serde(rename = "tested")]
    Tested,
    /// By a witness that runs or a theorem, to be false. Only what is printed can be.
    #[serde(rename = "refuted")]
    Refuted,
    /// Nobody knows.
    #[serde(rename = "open")]
    Open,
    /// A definition or remark that fixes a meaning: implemented, nothing to prove.
    #[serde(rename = "defined")]
    Defined,
    /// Belongs to a part that is not built yet.
    #[serde(rename = "not yet")]
    NotYet,
}

impl Status {
    /// The ladder of evidence, from the top.
    pub const LADDER: [Status; 8] = [
        Status::Proved,
        Status::Complete,
        Status::Bounded,
        Status::Tested,
        Status::Refuted,
        Status::Open,
        Status::Defined,
        Status::NotYet,
    ];
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Proved => "proved",
            Status::Complete => "complete",
            Status::Bounded => "bounded",
            Status::Tested => "tested",
            Status::Refuted => "refuted",
            Status::Open => "open",
            Status::Defined => "defined",
            Status::NotYet => "not yet",
        })
    }
}

/// What a finding is to the paper.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// A statement is false on a fair reading and within its own caveats.
    Error,
    /// Something is left out that is needed; with it added, what is said holds.
    Omission,
    /// False to the letter, or a name that says too much; a fair reader is not misled.
    Wording,
    /// The paper says so itself: as a caveat, as policy or as an open question.
    Conceded,
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [FindingKind; 4] =
        [FindingKind::Error, FindingKind::Omission, FindingKind::Wording, FindingKind::Conceded];
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FindingKind::Error => "error",
            FindingKind::Omission => "omission",
            FindingKind::Wording => "wording",
            FindingKind::Conceded => "conceded",
        })
    }
}
