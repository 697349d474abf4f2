//! How a run ended, in the words and fields of the other commands.

use crate::answer::{self, InferErrorJson};
use crate::output::{Exit, Json};
use lozenge::names::Names;
use lozenge::semantics::Ground;
use lozenge::solver::{Failure, Limit};
use lozenge::wire;
use serde::Serialize;

/// How the run ended: the verdict of `solve`, `close` or `infer` on the same file.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    Solved,
    Closed,
    Inferred,
    Unsat,
    Rejected,
    /// A parameter's dimension that nothing determines.
    Error,
    Limit,
}

impl Ending {
    /// The word, as in the answers of the other commands.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Solved => "solved",
            Ending::Closed => "closed",
            Ending::Inferred => "inferred",
            Ending::Unsat => "unsat",
            Ending::Rejected => "rejected",
            Ending::Error => "error",
            Ending::Limit => "limit",
        }
    }

    /// The status that those commands have.
    pub fn exit(self) -> Exit {
        match self {
            Ending::Solved | Ending::Closed | Ending::Inferred => Exit::Yes,
            Ending::Unsat | Ending::Rejected | Ending::Error => Exit::No,
            Ending::Limit => Exit::Limit,
        }
    }

    /// A failure that rests on a choice refutes nothing.
    pub fn of(failure: &Failure) -> Self {
        if failure.tainted { Ending::Rejected } else { Ending::Unsat }
    }
}

/// The end in the fields that the other commands answer with.
#[derive(Serialize)]
#[serde(untagged)]
pub enum End {
    /// As `infer` says it.
    Program(Box<InferErrorJson>),
    /// As `solve` and `close` say it.
    System {
        verdict: Ending,
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        constraint: Option<Json>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        which: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        witness: Option<Json>,
    },
}

impl End {
    /// A verdict that says nothing more.
    pub fn bare(verdict: Ending) -> Self {
        End::System { verdict, rule: None, constraint: None, message: None, which: None, witness: None }
    }

    /// A limit.
    pub fn limit(limit: Limit) -> Self {
        let which = Some(answer::limit_name(limit));
        End::System { verdict: Ending::Limit, rule: None, constraint: None, message: None, which, witness: None }
    }

    /// A rule that failed, for reasons that are said.
    pub fn refused(verdict: Ending, rule: &'static str, message: String) -> Self {
        End::System { verdict, rule: Some(rule), constraint: None, message: Some(message), which: None, witness: None }
    }

    /// A failure of the solver.
    pub fn failed(failure: &Failure, names: &Names) -> Self {
        End::System {
            verdict: Ending::of(failure),
            rule: Some(failure.rule.name()),
            constraint: Some(Json(wire::constraint(&failure.constraint, names))),
            message: Some(answer::message(&failure.why, |d| names.show(&d).to_string())),
            which: None,
            witness: None,
        }
    }

    /// With a solution that was found all the same.
    pub fn keep_witness(&mut self, found: &Ground, names: &Names) {
        if let End::System { witness, .. } = self {
            *witness = Some(Json(answer::ground_value(found, names)));
        }
    }
}
