//! The rows as they are written, and which of them are refused.

use crate::{Claim, Finding, Harness, Index, Place, Status};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt;

/// A row that contradicts itself or another, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inconsistent(String);

impl fmt::Display for Inconsistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Inconsistent {}

/// A claim as it is written. Left out are `holds` and `printed_status` where they would repeat
/// `printed` and `status`, and `printed` where the statement is not the paper's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    id: String,
    kind: String,
    title: String,
    chapter: String,
    printed: Option<String>,
    caveats: Option<String>,
    reading: Option<String>,
    printed_status: Option<Status>,
    holds: Option<String>,
    status: Status,
    paper: String,
    #[serde(default)]
    findings: Vec<String>,
    code: Vec<Place>,
    harness: Vec<Harness>,
    #[serde(default)]
    tests: Vec<Place>,
    proof: Vec<Place>,
    because: Option<String>,
}

impl Row {
    /// Printed and holding, together.
    fn statements(&self) -> Result<(), &'static str> {
        match (&self.printed, &self.holds, self.printed_status) {
            (None, None, _) => Err("says neither what is printed nor what holds"),
            (None, Some(_), Some(_)) => Err("has a status for what is not printed"),
            (None, Some(_), None) if self.paper != "none" => Err("has a label of the paper and is not printed there"),
            (None, Some(_), None) if self.caveats.is_some() || self.reading.is_some() => {
                Err("has caveats or a reading of what is not printed")
            }
            (Some(printed), Some(holds), _) if printed == holds => Err("holds as printed: leave `holds` out"),
            (Some(_), Some(_), None) => Err("holds in another form: which status has the printed one?"),
            (Some(_), None, Some(_)) => Err("holds as printed, so it has one status: leave `printed_status` out"),
            _ => Ok(()),
        }?;
        let texts = [&self.printed, &self.caveats, &self.reading, &self.holds];
        if texts.into_iter().flatten().any(|text| text.trim().is_empty()) {
            return Err("has an empty text: leave it out");
        }
        if !["proved", "sketch", "open", "none"].contains(&&*self.paper) {
            return Err("has a label that the paper does not use");
        }
        Ok(())
    }

    /// Is there what this status asks for?
    fn backed(&self, status: Status) -> Result<(), &'static str> {
        match status {
            Status::Proved if self.proof.is_empty() => Err("proved by which theorem?"),
            Status::Complete if self.harness.is_empty() => Err("complete by which harness?"),
            Status::Complete if self.because.is_none() => Err("complete by which argument?"),
            Status::Bounded | Status::Tested if self.harness.is_empty() => Err("checked by which harness?"),
            Status::Refuted if self.findings.is_empty() => Err("refuted in which finding?"),
            Status::Refuted if self.tests.is_empty() && self.proof.is_empty() => Err("refuted by which witness?"),
            Status::Defined if self.code.is_empty() => Err("defined where?"),
            _ => Ok(()),
        }
    }

    fn check(&self) -> Result<(), &'static str> {
        self.statements()?;
        self.backed(self.status)?;
        self.printed_status.map_or(Ok(()), |status| self.backed(status))?;
        let evidence = [self.proof.is_empty(), self.harness.is_empty(), self.code.is_empty()];
        match self.status {
            Status::Refuted => Err("what holds cannot be refuted: say what does hold"),
            Status::Open if self.holds.is_none() && !self.proof.is_empty() => Err("open, with a proof?"),
            Status::NotYet if evidence != [true; 3] => Err("not yet, with something there?"),
            _ => Ok(()),
        }
    }
}

impl TryFrom<Row> for Claim {
    type Error = Inconsistent;

    fn try_from(row: Row) -> Result<Claim, Inconsistent> {
        row.check().map_err(|why| Inconsistent(format!("{}: {why}", row.id)))?;
        let printed_status = row.printed.as_ref().map(|_| row.printed_status.unwrap_or(row.status));
        Ok(Claim {
            id: row.id,
            kind: row.kind,
            title: row.title,
            chapter: row.chapter,
            holds: row.holds.or_else(|| row.printed.clone()).unwrap_or_default(),
            printed: row.printed,
            caveats: row.caveats,
            reading: row.reading,
            printed_status,
            status: row.status,
            paper: row.paper,
            findings: row.findings,
            code: row.code,
            harness: row.harness,
            tests: row.tests,
            proof: row.proof,
            because: row.because,
        })
    }
}

/// The file: claims, then findings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tables {
    claim: Vec<Claim>,
    #[serde(default)]
    finding: Vec<Finding>,
}

impl TryFrom<Tables> for Index {
    type Error = Inconsistent;

    fn try_from(Tables { claim: claims, finding: findings }: Tables) -> Result<Index, Inconsistent> {
        let mut ids = BTreeSet::new();
        let all = claims.iter().map(|claim| &claim.id).chain(findings.iter().map(|finding| &finding.id));
        if let Some(twice) = all.into_iter().find(|id| !ids.insert(*id)) {
            return Err(Inconsistent(format!("{twice}: twice")));
        }
        let named: BTreeSet<&String> = claims.iter().flat_map(|claim| &claim.findings).collect();
        let listed: BTreeSet<&String> = findings.iter().map(|finding| &finding.id).collect();
        if let Some(unlisted) = named.difference(&listed).next() {
            return Err(Inconsistent(format!("{unlisted}: named by a claim, and has no row with its kind")));
        }
        if let Some(idle) = listed.difference(&named).next() {
            return Err(Inconsistent(format!("{idle}: a finding about no claim")));
        }
        Ok(Index { claims, findings })
    }
}
