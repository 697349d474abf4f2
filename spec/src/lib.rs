//! The index of claims, `spec/index.toml`, as data.
//!
//! One row per numbered statement of the paper, and one per finding about them. A row says apart what
//! is printed and what holds, each with its status. The reader refuses a row that contradicts itself
//! ([`read`]); the harnesses compare the numbers of cases given here with what they covered, and a
//! test walks every path and symbol, so a row cannot say more than what runs.
#![forbid(unsafe_code)]

pub mod diagnostics;
pub mod kani;
mod rows;
mod status;

pub use rows::Inconsistent;
pub use status::{FindingKind, Status};

use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

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

/// One numbered statement: what the paper prints of it, and what holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "rows::Row")]
pub struct Claim {
    /// Its number in the paper, with a part where parts have different fates.
    pub id: String,
    /// Definition, lemma, proposition, …
    pub kind: String,
    /// Its title.
    pub title: String,
    /// The chapter of the specification.
    pub chapter: String,
    /// What the paper says. A statement of this project alone has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// The limits that the paper itself puts on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveats: Option<String>,
    /// How this project reads it, where the print leaves that open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// How well what is printed is supported, with its caveats and in that reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_status: Option<Status>,
    /// What holds: the same, or something else.
    pub holds: String,
    /// How well what holds is supported.
    pub status: Status,
    /// The label the paper gives it.
    pub paper: String,
    /// The findings about it, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The code that carries it out.
    pub code: Vec<Place>,
    /// The harnesses that check it.
    pub harness: Vec<Harness>,
    /// Named tests that show it on examples, or refute what is printed by a witness.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Place>,
    /// The theorems that prove it, or refute what is printed.
    pub proof: Vec<Place>,
    /// The written argument that a `complete` row rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl Claim {
    /// Is this the statement with that number, or a part of it?
    #[must_use]
    pub fn is_under(&self, number: &str) -> bool {
        under(&self.id, number)
    }

    /// Does something else hold than what is printed?
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        self.printed.as_ref().is_some_and(|printed| *printed != self.holds)
    }
}

/// Something about the paper that a witness shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Its id, with a part where parts are of different kinds: F12, F13.i.
    pub id: String,
    /// What it is to the paper.
    pub kind: FindingKind,
    /// What was found, in one sentence.
    pub title: String,
}

impl Finding {
    /// Is this the finding of that id, or a part of it?
    #[must_use]
    pub fn is_under(&self, id: &str) -> bool {
        under(&self.id, id)
    }

    /// Which part of its page it is.
    #[must_use]
    pub fn part(&self) -> Option<&str> {
        self.id.split_once('.').map(|(_, part)| part)
    }

    /// The page with the witness, from the top of the repository.
    #[must_use]
    pub fn page(&self) -> String {
        format!("spec/findings/{}.md", self.id.split('.').next().unwrap_or(&self.id))
    }
}

fn under(id: &str, number: &str) -> bool {
    id.strip_prefix(number).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The whole index.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(try_from = "rows::Tables")]
pub struct Index {
    /// The statements, in the paper's order.
    pub claims: Vec<Claim>,
    /// The findings.
    pub findings: Vec<Finding>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| parse().unwrap_or_default());

/// Every claim, in the paper's order. The text is compiled in and checked by a test, so a mistake
/// in it shows up there and not at a user's.
pub static CLAIMS: LazyLock<&'static [Claim]> = LazyLock::new(|| &INDEX.claims);

/// Every finding.
pub static FINDINGS: LazyLock<&'static [Finding]> = LazyLock::new(|| &INDEX.findings);

/// Reads the index.
///
/// # Errors
/// As [`read`].
pub fn parse() -> Result<Index, toml::de::Error> {
    read(include_str!("../index.toml"))
}

/// Reads an index.
///
/// # Errors
/// What the TOML reader says, with its place; or which row contradicts itself, and how.
pub fn read(text: &str) -> Result<Index, toml::de::Error> {
    toml::from_str(text)
}

/// The finding of this id.
#[must_use]
pub fn finding(id: &str) -> Option<&'static Finding> {
    FINDINGS.iter().find(|finding| finding.id == id)
}

/// The harness of this name, wherever it is used.
#[must_use]
pub fn harness(name: &str) -> Option<&'static Harness> {
    CLAIMS.iter().flat_map(|claim| &claim.harness).find(|h| h.test.symbol() == Some(name))
}
