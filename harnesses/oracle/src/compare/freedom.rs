//! What a request leaves free because the place of a marker is policy (Def. 4.3, decision 6).

use super::read::Asked;
use super::verdict;
use crate::oracle::reference;
use lozenge::constraint::Constraint;
use lozenge::solver::{Policy, Standing, Verdict, solve_traced};
use serde_json::{Value, json};

/// How values are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rows {
    /// They are determined.
    Exact,
    /// Rows are determined up to ≈.
    UpToContent,
    /// A placement decides them: any solution will do.
    AnySolution,
}

/// What is free beyond messages, names and order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freedom {
    /// Of values.
    pub rows: Rows,
    /// May `rejected` stand for another verdict that claims no solution, or for a failed placement?
    pub rejected: bool,
}

/// No freedom.
pub const NONE: Freedom = Freedom { rows: Rows::Exact, rejected: false };

const WORDS: [(&str, Rows); 2] = [("placement", Rows::UpToContent), ("solution", Rows::AnySolution)];

impl Freedom {
    /// The words of a case of the corpus.
    pub fn words(self, op: &str) -> Vec<&'static str> {
        let mut words = vec!["messages", "order"];
        if op == "solve" {
            words.push("names");
        }
        words.extend(WORDS.iter().filter(|(_, rows)| *rows == self.rows).map(|(word, _)| *word));
        if self.rejected {
            words.push("rejected");
        }
        words
    }

    /// Read back from the words.
    pub fn of_words(words: &Value) -> Self {
        let has = |word: &str| words.as_array().is_some_and(|words| words.iter().any(|w| w == word));
        let rows = WORDS.iter().find(|(word, _)| has(word)).map_or(Rows::Exact, |(_, rows)| *rows);
        Freedom { rows, rejected: has("rejected") }
    }

    /// The freedom of a request that the reference answers like this.
    pub fn of(request: &Value, expected: &Value) -> Self {
        match request["op"].as_str() {
            // Other guards than R1 reject what has solutions (F2): an engine need not have them.
            Some("solve") if !request["policy"]["guard"].is_null() && request["policy"]["guard"] != "signed" => {
                Freedom { rows: Rows::AnySolution, rejected: true }
            }
            Some("solve") => of_solve(request),
            Some("close") => of_strategies(request, expected, of_solve(request)),
            Some("infer") if expected["kind"].is_null() => {
                of_strategies(request, expected, Freedom { rows: Rows::UpToContent, rejected: true })
            }
            _ => NONE,
        }
    }
}

/// Without an equality of rows that binds there is no placement.
fn of_solve(request: &Value) -> Freedom {
    let Some(Asked { mut names, phi, .. }) = Asked::of(request) else { return NONE };
    if !phi.iter().any(|phi| matches!(phi, Constraint::RowEq(..))) {
        return NONE;
    }
    let mut policy = Policy::default();
    policy.limits.fuel = policy.limits.fuel.min(100_000);
    let run = solve_traced(&phi, &mut names, policy);
    let placed = run.trace.steps.iter().any(|step| step.is_policy());
    let rows = match &run.verdict {
        _ if !placed => Rows::Exact,
        Verdict::Solved(solved) if solved.forced().iter().all(|(_, standing)| *standing != Standing::Policy) => {
            Rows::UpToContent
        }
        _ => Rows::AnySolution,
    };
    // An untainted refutation may be reached through a placement as well.
    let equalities =
        phi.iter().filter(|phi| matches!(phi, Constraint::RowEq(s, t) if s.var.is_some() || t.var.is_some()));
    Freedom { rows, rejected: placed || equalities.count() > 0 }
}

/// Where the strategies of Def. 4.4 lead to other values, any solution will do.
fn of_strategies(request: &Value, expected: &Value, freedom: Freedom) -> Freedom {
    if freedom.rows == Rows::Exact && !freedom.rejected {
        return freedom;
    }
    let strategies =
        [json!({"strategy": "lifo"}), json!({"strategy": "rounds"}), json!({"strategy": "random", "seed": 3})];
    let agree = strategies.iter().all(|policy| {
        let mut other = request.clone();
        other["policy"] = policy.clone();
        let answer = reference(&other);
        verdict(&answer) == verdict(expected) && contents(&answer) == contents(expected)
    });
    Freedom { rows: if agree { freedom.rows } else { Rows::AnySolution }, ..freedom }
}

/// Values or shapes with every row replaced by its axes.
fn contents(answer: &Value) -> Value {
    fn flat(json: &Value) -> Value {
        match json {
            Value::Object(fields) if fields.contains_key("lead") && fields.contains_key("trail") => {
                let axes = ["lead", "trail"].iter().flat_map(|f| fields[*f].as_array().cloned().unwrap_or_default());
                axes.collect::<Vec<_>>().into()
            }
            Value::Object(fields) => {
                fields.iter().map(|(k, v)| (k.clone(), flat(v))).collect::<serde_json::Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }
    json!([flat(&answer["values"]), flat(&answer["shapes"]), answer["captures"]])
}
