//! Findings that are one: the same definition, the same kind, the same smallest case.

use super::{Class, Observed};
use crate::corpus::inventory::sha256;
use crate::made::{Made, without_id};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// How many digits of the digest are in an id.
const DIGITS: usize = 8;

/// A finding with the cases that come down to it.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Cluster {
    /// The same in every run: it depends on the operation, the way it is wrong, and the smallest case alone.
    pub id: String,
    pub class: Class,
    pub kind: String,
    pub op: String,
    /// The number of the definition, or `protocol`.
    pub definition: String,
    /// What is wrong, in one sentence.
    pub what: String,
    /// The smallest case, in the notation.
    pub text: Vec<String>,
    /// How many constraints or statements it has, and how many the first case had.
    pub size: usize,
    #[serde(default)]
    pub size_before: usize,
    /// The first case, and how many there are.
    #[serde(default)]
    pub case: Value,
    #[serde(default)]
    pub cases: u64,
    pub request: Value,
    pub expected: Value,
    pub answer: Option<String>,
    /// What the engine wrote to its standard error meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// The note of a known difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

impl Cluster {
    /// Of the smallest case.
    pub fn new(made: &Made, observed: &Observed, expected: &Value) -> Self {
        let Observed { class, difference, answer, stderr } = observed.clone();
        let (kind, op, text) = (difference.kind.name().to_owned(), made.op().to_owned(), made.text());
        let definition = difference.definition;
        let digest = sha256(format!("{op}\n{}\n{kind}\n{definition}\n{}", class.name(), text.join("\n")).as_bytes());
        Cluster {
            id: format!("{definition}-{kind}-{}", &digest[..DIGITS]),
            class,
            kind,
            op,
            definition,
            what: difference.what,
            size: made.size(),
            text,
            size_before: 0,
            case: Value::Null,
            cases: 0,
            request: without_id(&made.request(0)),
            expected: without_id(expected),
            answer,
            stderr,
            known: None,
        }
    }

    /// A case as it is, where it cannot be asked again.
    pub fn of_case(id: &str, op: &str, observed: &Observed, request: &Value, expected: &Value) -> Self {
        let mut cluster = Cluster::new(&Made::Other(without_id(request)), observed, expected);
        cluster.op = op.to_owned();
        if request.is_null() {
            cluster.text = vec![id.to_owned()];
        }
        cluster
    }

    /// Is it a fault, and not a difference of reading?
    pub fn is_fault(&self) -> bool {
        self.class != Class::Reading
    }

    /// Is it one that is not known?
    pub fn is_new(&self) -> bool {
        self.is_fault() && self.known.is_none()
    }
}

/// Clusters in the order of their first cases.
#[derive(Default)]
pub struct Clusters(pub Vec<Cluster>);

impl Clusters {
    /// One more case that comes down to this one; cases are added in order.
    pub fn add(&mut self, cluster: &Arc<Cluster>, case: Value, size_before: usize) {
        match self.0.iter_mut().find(|known| known.id == cluster.id) {
            Some(known) => known.cases += 1,
            None => self.0.push(Cluster { case, cases: 1, size_before, ..(**cluster).clone() }),
        }
    }

    /// How many are new.
    pub fn new_ones(&self) -> usize {
        self.0.iter().filter(|cluster| cluster.is_new()).count()
    }

    /// The clusters of several runs. The first case of all is the first.
    pub fn merge(&mut self, others: impl IntoIterator<Item = Cluster>) {
        for mut other in others {
            match self.0.iter_mut().find(|known| known.id == other.id) {
                Some(known) => {
                    if other.case.as_u64() < known.case.as_u64() {
                        std::mem::swap(known, &mut other);
                    }
                    known.cases += other.cases;
                }
                None => self.0.push(other),
            }
        }
    }
}
