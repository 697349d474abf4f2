//! The index of claims, `spec/index.toml`, as data.
//!
//! One row per numbered statement of the paper. The harnesses compare the numbers of cases given
//! here with what they covered, and a test walks every path and symbol, so a row cannot say more
//! than what runs.
#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::LazyLock;

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
    /// By a witness that runs, to be false.
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

/// A place in the repository: `path#symbol`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Place(pub String);

impl Place {
    /// The path, from the top of the repository.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.split('#').next().unwrap_or(&self.0)
    }

    /// The function, type, test or theorem there.
    #[must_use]
    pub fn symbol(&self) -> Option<&str> {
        self.0.split_once('#').map(|(_, symbol)| symbol)
    }
}

/// A harness, and how many cases it covers on every run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// The test.
    pub test: Place,
    /// Its number of cases, which the test itself compares with what it covered.
    pub cases: u64,
    /// What was enumerated, in words.
    pub domain: String,
}

/// One numbered statement of the paper.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its number in the paper, with a part where parts have different fates.
    pub id: String,
    /// Definition, lemma, proposition, …
    pub kind: String,
    /// Its title.
    pub title: String,
    /// The chapter of the specification.
    pub chapter: String,
    /// What it says, in one sentence.
    pub statement: String,
    /// The label the paper gives it.
    pub paper: String,
    /// The code that carries it out.
    pub code: Vec<Place>,
    /// The harnesses that check it.
    pub harness: Vec<Harness>,
    /// Named tests that show it on examples, or refute it by a witness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Place>,
    /// The theorems that prove it.
    pub proof: Vec<Place>,
    /// How well it is supported.
    pub status: Status,
    /// The written argument that a `complete` row rests on, or the finding behind a `refuted` one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl Claim {
    /// Is this the statement with that number, or a part of it?
    #[must_use]
    pub fn is_under(&self, number: &str) -> bool {
        self.id.strip_prefix(number).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

#[derive(Deserialize)]
struct Index {
    claim: Vec<Claim>,
}

/// Every claim, in the paper's order. The text is compiled in and checked by a test, so a mistake
/// in it shows up there and not at a user's.
pub static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| parse().unwrap_or_default());

/// Reads the index.
///
/// # Errors
/// What the TOML reader says, with its place.
pub fn parse() -> Result<Vec<Claim>, toml::de::Error> {
    toml::from_str::<Index>(include_str!("../index.toml")).map(|index| index.claim)
}

/// The harness of this name, wherever it is used.
#[must_use]
pub fn harness(name: &str) -> Option<&'static Harness> {
    CLAIMS.iter().flat_map(|claim| &claim.harness).find(|h| h.test.symbol() == Some(name))
}
