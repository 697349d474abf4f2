//! Answers to requests with claims. An engine need not know them; what it says of them must be true.

use super::solve::{blamed, leaves_open};
use super::{Difference, Kind, Outcome, Question, Rows, no_request, no_verdict, verdict};
use crate::claims::{read_claim, violated};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::staged::{SizeClaim, Valuation};
use lozenge::term::{DimTerm, Term, Var, Vars};
use lozenge::wire;
use serde_json::Value;
use std::collections::BTreeSet;

/// The constraints and the claims of a request.
struct Asked {
    names: Names,
    phi: Vec<Constraint>,
    claims: Vec<SizeClaim>,
}

impl Asked {
    fn of(request: &Value) -> Option<Self> {
        let mut names = Names::new();
        let list = |key: &str| request.get(key)?.as_array();
        let phi = list("constraints")?.iter().map(|json| wire::read_constraint(json, &mut names).ok());
        let phi = phi.collect::<Option<_>>()?;
        let claims = list("claims")?.iter().map(|json| read_claim(json, &mut names).ok());
        let claims = claims.collect::<Option<_>>()?;
        Some(Asked { names, phi, claims })
    }

    /// A value for every variable.
    fn values(&self, json: &Value) -> Option<Valuation> {
        let (mut names, mut values) = (self.names.clone(), Valuation::default());
        for (name, json) in json.as_object()? {
            // Values of variables that are not asked for are no matter.
            let Some(var) = self.names.lookup(name) else { continue };
            match (var, json.as_u64()) {
                (Var::Dim(v), Some(0)) => drop(values.zeros.insert(v)),
                _ => match (var, wire::read_term(json, &mut names).ok()?) {
                    (Var::Dim(v), Term::Dim(DimTerm::Dim(d))) => drop(values.ground.dims.insert(v, d)),
                    (Var::Row(v), Term::Row(row)) => drop(values.ground.rows.insert(v, row.as_ground()?)),
                    _ => return None,
                },
            }
        }
        let vars: BTreeSet<Var> = self.phi.vars().into_iter().chain(self.claims.iter().flat_map(Vars::vars)).collect();
        let given = |v: &Var| values.ground.assigns(*v) || matches!(v, Var::Dim(d) if values.zeros.contains(d));
        vars.iter().all(given).then_some(values)
    }

    /// A solution that an answer shows.
    fn shown(&self, answer: &Value) -> Option<Valuation> {
        ["values", "greatest", "witness"].iter().find_map(|field| self.values(&answer[*field]))
    }

    /// What of the request these values violate.
    fn wrong(&self, values: &Valuation) -> Option<String> {
        let (which, claims) = violated(&self.phi, &self.claims, values);
        let constraint = which.first().map(|i| format!("constraint {i}"));
        constraint.or_else(|| claims.first().map(|i| format!("claim {i}")))
    }
}

/// Does the engine say that it does not know claims? Then it may say so as it does of any field.
pub fn is_unknown(request: &Value, got: &Value) -> bool {
    let kind = got["kind"].as_str().unwrap_or_default();
    let at = got["at"].as_str().unwrap_or_default();
    request.get("claims").is_some() && verdict(got) == "error" && kind == "parse" && matches!(at, "" | "/claims")
}

/// Compares two answers to a request with claims.
pub fn compare(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = Asked::of(question.request) else { return no_request() };
    let (expected, op) = (question.expected, question.request["op"].as_str().unwrap_or_default());
    match (op, verdict(got)) {
        ("check", _) => question.compare_fields(got, &["which", "claims"]),
        (_, "unsat") => match asked.shown(expected) {
            Some(_) => Difference::differ(
                Kind::RefusesSolvable,
                blamed(got).unwrap_or("8.4"),
                "said to be unsatisfiable, but there is a solution",
            ),
            None => Outcome::Agree,
        },
        ("close", "closed") | ("decide", "sat") => compare_values(question, &asked, got),
        ("solve", "solved") if verdict(expected) == "unsat" && !waits(question, got) => {
            Difference::differ(Kind::AcceptsUnsolvable, "8.4", "solved, but there is no solution")
        }
        ("solve", "solved") | ("solve" | "close", "rejected") => match asked.shown(got).and_then(|v| asked.wrong(&v)) {
            Some(what) => {
                Difference::differ(Kind::WrongValues, "8.4", format!("what is shown as a solution violates {what}"))
            }
            None => Outcome::Agree,
        },
        ("close", "error") if verdict(expected) == "error" => Outcome::Agree,
        ("decide", "unknown") if verdict(expected) != "unknown" => Outcome::Unsupported,
        ("decide", "unknown") => Outcome::Agree,
        _ => no_verdict(got),
    }
}

/// Does a `solved` answer leave open whether there is a solution? Claims may wait as constraints may be deferred.
fn waits(question: &Question<'_>, got: &Value) -> bool {
    let waiting = got["waiting"].as_array().is_some_and(|all| !all.is_empty());
    waiting && got["greatest"].is_null() || leaves_open(question, got)
}

/// Values are a solution; those of closing are the expected ones where no placement is free.
fn compare_values(question: &Question<'_>, asked: &Asked, got: &Value) -> Outcome {
    let Some(values) = asked.values(&got["values"]) else {
        return Difference::differ(Kind::Malformed, "8.4", "/values: no ground value for every variable");
    };
    if let Some(what) = asked.wrong(&values) {
        return Difference::differ(Kind::WrongValues, "8.4", format!("values violate {what}"));
    }
    let exact = verdict(got) == "closed" && question.freedom.rows == Rows::Exact;
    match asked.values(&question.expected["values"]) {
        Some(should) if exact && should != values => {
            Difference::differ(Kind::OtherValues, "8.5", "closed with other values")
        }
        _ => Outcome::Agree,
    }
}
