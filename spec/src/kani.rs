//! What Kani was seen to verify, `spec/kani.toml`: evidence beside the ladder. No status rests on it, since `tests/all`
//! does not run Kani.

use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A proof of a law for rows, values or equations of one shape, all sizes and bases symbolic.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The harness, in `harnesses/statements/src/proofs`.
    pub harness: String,
    /// The shape, in words.
    pub shape: String,
    /// How long it took.
    pub seconds: f64,
    /// The most memory of the model checker.
    pub megabytes: u64,
    /// Was it seen to verify, with every cover satisfied?
    pub seen: bool,
}

/// A law, and the shapes that it was proved for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// The function of `harnesses/statements`, or the contract of core.
    pub law: String,
    /// The group of harnesses: a module of `harnesses/statements/src/proofs`.
    pub group: String,
    /// The statements of the index that it is about.
    pub claims: Vec<String>,
    /// Its proofs.
    pub proofs: Vec<Proof>,
}

impl Law {
    /// How many of its proofs were seen to verify.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.proofs.iter().filter(|proof| proof.seen).count()
    }
}

/// The whole file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kani {
    /// The version under which these results were seen.
    pub version: String,
    /// The laws, group by group.
    #[serde(rename = "law")]
    pub laws: Vec<Law>,
}

/// Reads the file.
///
/// # Errors
/// What the TOML reader says, with its place.
pub fn parse() -> Result<Kani, toml::de::Error> {
    toml::from_str(include_str!("../kani.toml"))
}

/// What was seen.
pub static KANI: LazyLock<Kani> = LazyLock::new(|| parse().unwrap_or_default());

/// The laws about a statement.
pub fn about(claim: &str) -> impl Iterator<Item = &'static Law> {
    KANI.laws.iter().filter(move |law| law.claims.iter().any(|id| id == claim))
}
